// The page of whoever leads the games.

import { ask, bringOut, heard, key, leads } from "./ask.js";
import { enter, mayEnter } from "./byhand.js";
import { watchCamera } from "./camera.js";
import { by, forget, h, pick, regain, show, stand } from "./dom.js";
import { faces, picture, placed } from "./dice.js";
import { fillForm, offerSeated, setUpForm } from "./form.js";
import { callDoctor, showLights } from "./lights.js";
import { mend } from "./mend.js";
import { moves } from "./moves.js";
import { renderHouse, renderSeats } from "./guests.js";
import { reach } from "./reach.js";
import { watch } from "./stream.js";
import { tell } from "./tell.js";
import { busy, caption, isEarlier, latest, looks, mark, mendable, mended, outcome, playing, renderFault, renderSheet, speak, turn, verdict, why } from "./view.js";
import { say, t } from "./words.js";

let state = null;
let chosen = null; // the event of the throw that is looked at, null: the last one
let opener = null; // what was pressed to open the panel of a correction, and the part of the page that it is in

async function answered(asked) {
  const answer = await heard(by("answer"), asked);
  leads(answer);
  if (!answer.ok) {
    forget();
    if (state) render(state);
  }
  return answer.ok;
}

const request = (...asked) => answered(ask(...asked));

function ending({ id, fault, enters, works, running }) {
  const end = () => confirm(t("Void the whole game? It counts for nothing then.")) && request("DELETE", "/api/games/current", { expected_seq: state.turned, key: key() });
  return [
    fault && h("button", { class: "main", onclick: () => request("DELETE", "/api/fault") }, t("The fault is mended: clear it")),
    enters && h("button", { onclick: openEntry }, t("Enter a throw by hand")),
    works && h("button", { class: "stop", onclick: () => request("POST", "/api/stop", {}) }, t("Stop the machine")),
    running && h("button", { class: "quiet", disabled: works, onclick: () => request("POST", "/api/undo", { expected_seq: state.turned, key: key() }) }, t("Undo the last action")),
    running && h("button", { class: "quiet", disabled: works, onclick: end }, t("Void this game")),
    id && h("a", { class: "button", href: `/history/${id}` }, t("Step through this game")),
    id && h("a", { class: "button", href: `/api/history/${id}/record`, download: true }, t("Record (JSON)")),
    id && h("a", { class: "button", href: `/api/history/${id}/throws.csv`, download: true }, t("Throws (CSV)")),
  ];
}

const looked = () => looks(state).find((look) => look.event === chosen) ?? latest(state);

// What a guest says of a reading, until that is answered by a correction.
function doubt(look) {
  if (!look?.disputed) return "";
  return look.doubted.length ? t("A guest says that this was read wrong: {dice}", { dice: look.doubted.map((index) => look.dice[index].face).join(" ") }) : t("A guest says that this reading is wrong.");
}

function sight({ look, before, mends, machine }) {
  if (!look) return [h("p", { class: "empty" }, t("The picture of the next throw stands here, with what was read drawn on it."))];
  const fix = mends ? (index) => openMend(look, index) : null;
  return [
    picture(look, look.picture ? fix : null),
    caption(look, { machine }),
    before && h("p", { class: "dim" }, t("This is of the game before: {outcome}. If with a correction it is not over, it goes on, and the game that was begun since is taken back.", { outcome: before })),
    look.corrected && h("p", { class: "dim" }, t("Corrected: {reason}", { reason: why(look.corrected.reason) })),
    doubt(look) && h("p", { class: "disputed" }, doubt(look)),
    fix && h("p", { class: "dim" }, t("Tap a die that was read wrong."), " ", h("button", { class: "quiet", onclick: () => openMend(look, null) }, t("Nothing of it can be read"))),
  ];
}

// Every die that lies there; a tap says that it was read wrong, as one that was added never was.
function tray({ look, mends }) {
  if (!look) return [];
  return placed(look).map(([index, one]) => (mends && index !== null ? h("button", { class: "face", "aria-label": t("This {face} is wrong", { face: look.dice[index].face }), onclick: () => openMend(look, index) }, one) : one));
}

// What is sent holds for the turn in which the panel was opened.
const sender = (path) => {
  const { turned } = state;
  return async (body) => (await request("POST", path, { ...body, expected_seq: turned, key: key() })) && closeMend();
};

function openMend(look, index) {
  remember();
  mend(look, index, sender("/api/corrections"), closeMend);
}

function openEntry() {
  const send = sender("/api/entries");
  remember();
  enter(state.game.turn.dice, (faces) => send({ faces }), closeMend);
}

function remember() {
  const control = document.activeElement;
  if (!by("mend").contains(control)) opener = { control, part: control.closest("section") };
}

// Whoever is in the panel by keys is put back where he came from, or beside it where that was drawn anew.
function closeMend() {
  const inside = by("mend").contains(document.activeElement);
  by("mend").hidden = true;
  by("mend").replaceChildren();
  if (!inside) return;
  if (opener.control.isConnected && opener.part) opener.control.focus();
  else stand(opener.part ?? by("turn"));
}

function history({ seen, now }) {
  return seen.map((look) => h(
    "button",
    { class: look.verdict === "ok" ? "look" : "look refused", "aria-pressed": look.event === now, onclick: () => { chosen = look.event; closeMend(); refresh(); } },
    look.picture ? h("img", { src: look.picture, alt: "", loading: "lazy" }) : h("span", { class: "blind" }, "⚄"),
    h("span", {}, look.verdict === "ok" ? faces(look).join(" ") || "–" : verdict(look)),
    look.disputed && h("strong", { class: "disputed" }, t("doubted")),
    look.by_hand && h("strong", {}, t("by hand")),
    mended(look) && h("strong", { class: "corrected" }, t("corrected")),
  )).reverse();
}

async function doors() {
  const links = [["/tv", t("Television")], ["/history", t("History")], ["/rules/", t("Rules")], ["/fairness", t("Fairness")], ["/operator/calibration", t("Calibration")]];
  const there = await Promise.all(links.map(async ([path]) => path !== "/operator/calibration" || (await reach(path, { method: "HEAD" })).ok));
  by("doors").replaceChildren(...links.filter((_, place) => there[place]).map(([path, text]) => h("a", { class: "button", href: path }, text)));
}

function refresh() {
  const look = looked();
  const before = look && isEarlier(state, look) ? outcome(state.earlier) : null;
  const mends = mendable(state, look) && !busy(state);
  show(by("picture"), { look, before, mends, machine: state.machine }, sight);
  show(by("dice"), { look, mends }, tray);
  show(by("history"), { seen: looks(state), now: look?.event }, history);
}

const log = ({ said }) => (said.length ? h("ul", {}, said.map((entry) => h("li", {}, tell(entry)))) : []);

async function settings() {
  const answer = await reach("/api/settings");
  leads(answer);
  const said = await answer.json();
  by("settings-answer").textContent = answer.ok ? "" : say(said.error);
  by("settings").replaceChildren(...(answer.ok ? said : []).map((line) => h("div", {}, h("dt", {}, say(line.sentence), h("small", {}, h("code", {}, line.name))), h("dd", {}, String(line.value)))));
}

by("mend").addEventListener("keydown", (event) => { if (event.key === "Escape") closeMend(); });
by("settings-box").addEventListener("toggle", () => { if (by("settings-box").open) settings(); });
by("doctor-box").addEventListener("toggle", () => { if (by("doctor-box").open) callDoctor(); });
by("doctor-again").addEventListener("click", callDoctor);
by("camera-box")?.addEventListener("toggle", watchCamera);
setUpForm(ask, answered).then(() => state && render(state));
doors();
by("pin-form").addEventListener("submit", async (event) => {
  event.preventDefault();
  const answer = await ask("PUT", "/api/pin", { pin: by("pin").value });
  leads(answer);
  by("pin-answer").textContent = answer.ok ? t("The PIN is set; every other session has ended.") : answer.error;
  if (answer.ok) by("pin").value = "";
});
function render(next) {
  // What was refused was refused for the turn that stood there, and what is open would be.
  if (state && next.turned !== state.turned) {
    by("answer").textContent = "";
    closeMend();
  }
  if (next.game_id !== state?.game_id || next.last?.event !== state?.last?.event) chosen = null;
  state = next;
  mark(state);
  renderFault(state);
  renderSheet(state);
  const going = playing(state);
  // Without the games the form could not be sent.
  by("start").hidden = going || Boolean(state.machine.fault) || !by("games").childElementCount;
  if (!going) {
    fillForm(state);
    offerSeated(state.seats);
  }
  if (busy(state)) closeMend();
  show(by("turn"), pick(state, "machine", "game", "voided"), turn);
  show(by("moves"), pick(state, "turned", "machine", "game", "offers"), (given) => moves(given, answered));
  show(by("ending"), { id: state.game_id, fault: Boolean(state.machine.fault?.clears), enters: mayEnter(state), works: busy(state), running: going }, ending);
  show(by("log"), { said: state.game?.log.slice(-8) ?? [] }, log);
  showLights(state);
  renderSeats(state, request);
  renderHouse(state, request);
  refresh();
  by("moves").hidden = !by("moves").childElementCount;
  by("log").hidden = !by("log").childElementCount;
  by("sheet").hidden = !by("sheet").childElementCount;
  regain(by("turn"));
  bringOut(by("answer"));
  by("said").textContent = speak(state, doubt(latest(state)));
}

watch(render);
