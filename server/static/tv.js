// The screen that everybody watches.

import { by, h, show } from "./dom.js";
import { watch } from "./stream.js";
import { render } from "./view.js";
import { t } from "./words.js";

watch((state) => {
  render(state);
  show(by("foot"), JSON.stringify([state.simulated, state.head]), () => [
    h("span", {}, "Cornet"),
    state.simulated && h("strong", { class: "simulated" }, t("Simulated: no real dice are thrown")),
    h("code", { title: t("The first eight characters of the log's chain") }, state.head),
  ]);
});
