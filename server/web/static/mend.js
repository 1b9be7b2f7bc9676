// A reading put right: a tap on the die, a tap on its face; the reason is said to everybody.

import { die, held } from "./dice.js";
import { by, h } from "./dom.js";
import { REASONS } from "./view.js";
import { t } from "./words.js";

// Asks for the face of one die, or without an index whether nothing can be read; `send` is given the request's body.
export function mend(look, index, send, close) {
  const place = by("mend");
  const reason = h("select", { id: "reason" }, REASONS.map(([kept, text]) => h("option", { value: kept }, text)));
  const other = h("input", { id: "other-reason", maxlength: 200, placeholder: t("or in your own words"), "aria-label": t("Reason in your own words") });
  const body = (dice) => ({ throw: look.event, dice, reason: other.value.trim() || reason.value });
  const now = held(look);
  const put = (face) => () => send(body(now.map((old, at) => (at === index ? face : old))));
  const found = index === null ? null : look.dice[index];
  place.replaceChildren(
    h("h2", {}, index === null ? t("Nothing of it can be read") : t("This {face} is really a", { face: found.face })),
    h("div", { class: "row" }, h("label", { for: "reason" }, t("Reason")), reason, other),
    index === null
      ? h("button", { class: "main", onclick: () => send(body([])) }, t("Take the throw out; it is thrown again"))
      : h("div", { class: "pick" }, likely(found).map((face) => h("button", { class: "face", "aria-label": t("It is a {face}", { face }), onclick: put(face) }, die(face, { label: "" }))), h("button", { onclick: put(null) }, t("no die"))),
    h("button", { class: "quiet", onclick: close }, t("Leave it as it is")),
  );
  place.hidden = false;
  place.querySelector(".pick button, .main").focus();
}

// The likely faces first, then the others.
function likely(found) {
  const others = (found.others ?? []).map((other) => other.face ?? other);
  return [...others, ...[1, 2, 3, 4, 5, 6].filter((face) => face !== found.face && !others.includes(face))];
}
