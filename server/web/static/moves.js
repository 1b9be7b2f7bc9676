// What may be done now, as buttons; each says what it does.

import { act, press } from "./ask.js";
import { die } from "./dice.js";
import { by, h } from "./dom.js";
import { busy, throwDice } from "./view.js";
import { row, t, tn } from "./words.js";

const WORDS = { stop: t("Stop: this hand stands"), le_bon: t("“Le bon”"), bank: t("Write the points down") };

const UNSEEN_MS = 400;
const FINGER_PX = 40;

let drawn = 0; // when the moves were drawn last
let down = null; // what was pressed last
let again = false; // whether a finger came down where it had come down before

const isNear = (one, other) => Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY) < FINGER_PX;

// The second tap of a double one falls on what has come under the finger since, which nobody has seen yet. How often a
// mouse has clicked at one place every browser says, how often a finger not every one. By keys nothing is clicked twice.
addEventListener("pointerdown", (event) => {
  again = event.pointerType !== "mouse" && down !== null && isNear(event, down);
  down = event;
}, true);
by("moves").addEventListener("click", (event) => {
  const twice = event.detail > 1 || (event.detail === 1 && again);
  if (!twice || performance.now() - drawn > UNSEEN_MS) return;
  event.preventDefault();
  event.stopPropagation();
}, true);

// `send` is given each request.
export function moves(state, send) {
  drawn = performance.now();
  const { game } = state;
  if (!game || game.finished) return [];
  const due = game.turn.legal.includes("throw");
  return [
    due && h("button", { class: "main throw", disabled: state.machine.phase !== "ready", onclick: () => send(press(state)) }, busy(state) ? "…" : throwDice(game.turn.dice), h("small", {}, consequence(state))),
    state.offers.map((offer) => choices(state, offer, send)),
  ];
}

// What a throw puts at risk.
function consequence({ game }) {
  if (game.game === "thousand" && game.table.turn?.points) return tn("{n} point at risk", "{n} points at risk", game.table.turn.points);
  if (game.game === "421" && game.table.kept.length) return t("keeping {dice}", { dice: row(game.table.kept) });
  return null;
}

function choices(state, { do: name, ...fields }, send) {
  const [field] = Object.entries(fields);
  const take = (more) => send(act(state, { do: name, ...more }));
  if (!field) return h("button", { class: "main", onclick: () => take({}) }, WORDS[name] ?? name, name === "bank" && h("small", {}, banked(state)));
  const [what, range] = field;
  if (name === "keep") return keeping(state, range.one_of, (dice) => take({ dice }));
  if (range.one_of) {
    return h("div", { class: "offers", role: "group", "aria-label": t("Name a face") }, h("span", { class: "offer-name" }, t("Name a face")), range.one_of.map((face) => h("button", { class: "face", onclick: () => take({ [what]: face }), "aria-label": t("Name the {face}", { face }) }, die(face, { label: "" }))));
  }
  return stake(what, range, take);
}

function banked({ game }) {
  const turn = game.table.turn;
  const total = game.scores[game.turn.player] + turn.points;
  return t("{points} more, {total} in all", { points: turn.points, total });
}

function stake(what, range, take) {
  if (range.from === range.to) return h("button", { class: "main", onclick: () => take({ [what]: range.from }) }, tn("Stake {n} chip", "Stake {n} chips", range.from));
  const input = h("input", { type: "number", id: "stake", min: range.from, max: range.to, value: range.from, inputmode: "numeric", required: true });
  const step = (by) => () => { input.value = Math.min(range.to, Math.max(range.from, Number(input.value) + by)); };
  const sent = (event) => { event.preventDefault(); take({ [what]: Number(input.value) }); };
  return h(
    "form",
    { class: "offers stake", onsubmit: sent },
    h("label", { for: "stake", class: "offer-name" }, t("Stake, from {low} to {high}", { low: range.from, high: range.to })),
    h("button", { type: "button", "aria-label": t("One less"), onclick: step(-1) }, "−"), input, h("button", { type: "button", "aria-label": t("One more"), onclick: step(1) }, "+"),
    h("button", { class: "main" }, t("Stake them")),
  );
}

// Dice are chosen by tapping them; only what the game allows can be sent.
function keeping(state, allowed, take) {
  const thrown = thrownDice(state, allowed);
  const chosen = new Set(first(thrown, allowed));
  const button = h("button", { class: "main" });
  const dice = thrown.map((face, place) => h("button", { class: "face", onclick: () => { chosen.has(place) ? chosen.delete(place) : chosen.add(place); show(); } }, die(face, { label: "" })));
  const picked = () => thrown.filter((_, place) => chosen.has(place));
  const match = () => allowed.find((option) => same(option, picked()));
  function show() {
    dice.forEach((each, place) => {
      each.setAttribute("aria-pressed", chosen.has(place));
      each.setAttribute("aria-label", chosen.has(place) ? t("{face}, kept", { face: thrown[place] }) : t("{face}, not kept", { face: thrown[place] }));
    });
    const option = match();
    button.disabled = !option;
    button.replaceChildren(option ? (option.length ? t("Set aside {dice}", { dice: row(option) }) : t("Keep none, throw all again")) : t("These dice cannot be set aside"));
  }
  button.addEventListener("click", () => take(match()));
  show();
  const heading = h("span", { class: "offer-name" }, allowed.length === 1 ? t("These are set aside") : t("Tap the dice to set aside"));
  return h("div", { class: "offers keeping", role: "group", "aria-label": t("Dice to set aside") }, heading, h("div", { class: "pick" }, dice), button);
}

const sorted = (dice) => [...dice].sort((one, other) => one - other);

const same = (one, other) => one.length === other.length && sorted(one).every((face, place) => face === sorted(other)[place]);

// The dice of the last throw, as the game has them; what may be kept at most, where it does not say.
function thrownDice({ game }, allowed) {
  const table = game.table;
  const thrown = table.rolled?.length ? table.rolled : table.turn?.last_throw?.length ? table.turn.last_throw : table.dice?.length ? table.dice : null;
  return thrown ?? allowed.reduce((most, option) => (option.length > most.length ? option : most), []);
}

// The places of the most dice that may be kept; of none where that is a choice too, for nothing speaks for any then.
function first(thrown, allowed) {
  if (allowed.some((option) => option.length === 0)) return [];
  const wanted = allowed.reduce((most, option) => (option.length > most.length ? option : most), []);
  const left = [...wanted];
  return thrown.map((face, place) => [face, place]).filter(([face]) => left.includes(face) && left.splice(left.indexOf(face), 1)).map(([, place]) => place);
}
