// A throw by hand: the bartender taps what lies there, where the owner allows it.

import { die } from "./dice.js";
import { by, h } from "./dom.js";
import { t } from "./words.js";

// Whether a throw is due that may be made by hand now.
export const mayEnter = ({ by_hand: allowed, game, machine }) => allowed && Boolean(game?.turn?.legal.includes("throw")) && (machine.phase === "ready" || machine.fault?.part === "camera");

// Asks for so many faces; `send` is given them.
export function enter(needs, send, close) {
  const faces = [];
  const line = h("div", { class: "kept", role: "group", "aria-label": t("The dice as they lie there") });
  const done = h("button", { class: "main", onclick: () => send(faces) }, t("Count it, marked as thrown by hand"));
  const keys = [1, 2, 3, 4, 5, 6].map((face) => h("button", { class: "face", "aria-label": t("a {face}", { face }), onclick: () => { faces.push(face); refresh(); } }, die(face, { label: "" })));
  function refresh() {
    line.replaceChildren(...Array.from({ length: needs }, (_, place) => (place < faces.length
      ? h("button", { class: "face", "aria-label": t("Take the {face} away", { face: faces[place] }), onclick: () => { faces.splice(place, 1); refresh(); keys[0].focus(); } }, die(faces[place], { label: "" }))
      : h("span", { class: "slot" }))));
    for (const each of keys) each.disabled = faces.length === needs;
    done.disabled = faces.length !== needs;
    if (faces.length === needs) done.focus();
  }
  refresh();
  by("mend").replaceChildren(
    h("h2", {}, t("What lies there?")),
    line,
    h("div", { class: "pick" }, keys),
    done,
    h("button", { class: "quiet", onclick: close }, t("No throw by hand")),
  );
  by("mend").hidden = false;
  keys[0].focus();
}
