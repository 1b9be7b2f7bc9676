// The page of whoever leads the games.

import { by, h, show } from "./dom.js";
import { die } from "./dice.js";
import { fillForm, setUpForm } from "./form.js";
import { watch } from "./stream.js";
import { tell } from "./tell.js";
import { busy, render, throwDice, verdict } from "./view.js";
import { say, t } from "./words.js";

const WORDS = { stop: t("Stop: this hand stands"), le_bon: t("“Le bon”"), bank: t("Write the points down") };

let state = null;

async function ask(method, path, body) {
  by("answer").textContent = "";
  const answer = await fetch(path, {
    method,
    headers: { "Content-Type": "application/json" },
    body: body === undefined ? undefined : JSON.stringify(body),
  }).catch(() => null);
  if (answer === null) by("answer").textContent = t("The machine does not answer; try again.");
  else if (!answer.ok) by("answer").textContent = say((await answer.json()).error);
  return answer !== null && answer.ok;
}

// A key for each request, so that one sent twice is taken once; plain HTTP has no crypto.randomUUID.
const key = () => Array.from(crypto.getRandomValues(new Uint32Array(4)), (word) => word.toString(16)).join("-");

const act = (action) => ask("POST", "/api/actions", { action, expected_seq: state.seq, key: key() });

function moves() {
  const { game } = state;
  if (!game || game.finished) return [];
  const throwDue = game.turn.legal.includes("throw");
  const number = game.turn.dice;
  return [
    throwDue && h("button", { class: "main throw", disabled: state.machine.phase !== "ready", onclick: () => ask("POST", "/api/throw", { expected_seq: state.seq, key: key() }) }, busy(state) ? "…" : throwDice(number)),
    state.offers.map((offer) => choices(offer)),
  ];
}

function choices({ do: name, ...fields }) {
  const [field] = Object.entries(fields);
  if (!field) return h("button", { class: "main", onclick: () => act({ do: name }) }, WORDS[name] ?? name);
  const [what, range] = field;
  if (range.one_of) {
    return h("div", { class: "offers", role: "group", "aria-label": name }, h("span", { class: "offer-name" }, { call: t("Name a face"), keep: t("Set aside, then throw the others") }[name] ?? name), range.one_of.map((value) => h(
      "button",
      { onclick: () => act({ do: name, [what]: value }), "aria-label": `${name} ${[value].flat().join(" ")}` },
      [value].flat().length ? [value].flat().map((face) => die(face)) : t("nothing"),
    )));
  }
  const stake = h("input", { type: "number", id: "stake", min: range.from, max: range.to, value: range.from, inputmode: "numeric", required: true });
  const send = (event) => { event.preventDefault(); act({ do: name, [what]: Number(stake.value) }); };
  return h("form", { class: "offers", onsubmit: send }, h("label", { for: "stake" }, t("Stake")), stake, h("button", { class: "main" }, t("Stake")));
}

function ending() {
  const running = state.game && !state.game.finished;
  const end = () => confirm(t("Void the whole game? It counts for nothing then.")) && ask("DELETE", "/api/games/current");
  return [
    state.machine.fault && h("button", { class: "main", onclick: () => ask("DELETE", "/api/fault") }, t("The fault is mended: clear it")),
    running && h("button", { class: "quiet", disabled: busy(state), onclick: end }, t("Void this game")),
  ];
}

function history() {
  return state.throws.map((look) => h(
    "figure",
    { class: look.verdict === "ok" ? "look" : "look refused" },
    look.frame ? h("img", { src: `/frames/${look.frame}.jpg`, alt: "", loading: "lazy" }) : h("span", { class: "blind" }),
    h("figcaption", {}, look.verdict === "ok" ? look.faces.join(" ") : verdict(look)),
  )).reverse();
}

const lights = () => [
  h("span", { class: state.machine.fault ? "light bad" : "light" }, t("Tower: {name}", { name: state.tower })),
  h("span", { class: "light" }, t("Camera: {name}", { name: state.camera })),
  state.simulated && h("strong", { class: "simulated" }, t("Simulated")),
];

setUpForm(ask);
watch((next) => {
  state = next;
  render(state);
  const playing = state.game && !state.game.finished;
  by("start").hidden = Boolean(playing) || Boolean(state.machine.fault);
  if (!playing) fillForm(state.game);
  show(by("moves"), JSON.stringify([state.machine.phase, state.game?.turn, state.offers]), moves);
  show(by("ending"), JSON.stringify([state.machine, state.game?.finished, state.game_id]), ending);
  show(by("history"), JSON.stringify(state.throws.map((look) => look.event)), history);
  show(by("log"), `${state.game_id}:${state.game?.log.length}`, () => (state.game?.log.length ? h("ul", {}, state.game.log.slice(-8).map((entry) => h("li", {}, tell(entry)))) : []));
  show(by("lights"), JSON.stringify([state.tower, state.camera, state.machine.fault]), lights);
  by("moves").hidden = !by("moves").childElementCount;
  by("log").hidden = !by("log").childElementCount;
  by("sheet").hidden = !by("sheet").childElementCount;
});

