// What the camera sees now, asked for again and again while its box is open.

import { leads } from "./ask.js";
import { by } from "./dom.js";
import { newest, reach } from "./reach.js";
import { say } from "./words.js";

const EVERY_MS = 1000;

const asked = newest();

const asAddress = (body) => new Promise((done) => {
  const reader = new FileReader();
  reader.addEventListener("load", () => done(reader.result));
  reader.readAsDataURL(new Blob([body], { type: "image/jpeg" }));
});

export async function watchCamera() {
  const isNewest = asked();
  // Whoever opens the box anew is not shown what was seen before.
  by("camera").hidden = true;
  while (by("camera-box").open && isNewest()) {
    if (!document.hidden) {
      const answer = await reach("/api/camera.jpg");
      if (!isNewest()) return;
      leads(answer);
      by("camera-answer").textContent = answer.ok ? "" : say((await answer.json()).error);
      if (answer.ok) by("camera").src = await asAddress(answer.body);
      by("camera").hidden = !answer.ok;
    }
    await new Promise((done) => setTimeout(done, EVERY_MS));
  }
}
