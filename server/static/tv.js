// The screen that everybody watches.

import { by, h, show } from "./dom.js";
import { watch } from "./stream.js";
import { render } from "./view.js";

watch((state) => {
  render(state);
  show(by("foot"), JSON.stringify([state.simulated, state.head]), () => [
    h("span", {}, "Cornet"),
    state.simulated && h("strong", { class: "simulated" }, "Simulated: no real dice are thrown"),
    h("code", { title: "The first eight characters of the log's chain" }, state.head),
  ]);
});
