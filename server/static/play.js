// A guest's phone: his seat, his turn, his throw.

import { ask, key, whoAmI } from "./ask.js";
import { TINY, chosen, worth } from "./choices.js";
import { chime, isOn, turn as turnChime } from "./chime.js";
import { counting, faces, picture } from "./dice.js";
import { by, h, show } from "./dom.js";
import { figures } from "./figures.js";
import { moves } from "./moves.js";
import { reach } from "./reach.js";
import { sheet, title } from "./sheets/index.js";
import { watch } from "./stream.js";
import { busy, caption, due, latest, mark, outcome, phase, playing, renderFault } from "./view.js";
import { list, number, say, t } from "./words.js";

const CHOICES = 6;

let me = null;
let state = null;
let watching = false;
let mine = false;
let seats = "";

const answered = (answer) => { by("answer").textContent = answer.ok ? "" : answer.error; return answer; };

// Whether this phone's seat is the player whose turn it is.
const isMine = () => playing(state) && me.seat !== null && me.seat.player !== null && state.game.players[me.seat.player] === state.game.turn.player;

async function know() {
  me = await whoAmI().catch(() => me);
  if (state) render(state);
}

function head() {
  const { game } = state;
  if (!game) return [h("p", { class: "who" }, me.seat ? t("You are in") : t("Nobody plays")), h("p", { class: "phase" }, waiting())];
  if (game.finished) return [h("p", { class: "who" }, outcome(game)), h("p", { class: "phase" }, t("The game is over"))];
  if (busy(state)) return [h("p", { class: "who" }, phase(state), h("span", { class: "dots", "aria-hidden": "true" }, "…"))];
  if (mine) return [h("p", { class: "who yours" }, t("Your turn")), h("p", { class: "due" }, due(game))];
  return [h("p", { class: "who" }, h("bdi", {}, game.turn.player)), h("p", { class: "due" }, due(game)), h("p", { class: "phase" }, me.seat && me.seat.player === null ? waiting() : null)];
}

function waiting() {
  if (!me.seat) return t("You watch.");
  if (!me.seat.approved) return t("The bartender still has to let you in.");
  return state.game ? t("You watch this game; the bartender seats you for the next one.") : t("The bartender starts the game.");
}

function seen() {
  const look = latest(state);
  if (!look || busy(state)) return [];
  const doubt = me.seat && look.verdict === "ok" ? (index) => dispute(look, index) : null;
  return [
    !state.last && h("p", { class: "phase" }, t("The last throw of the game before: {outcome}", { outcome: outcome(state.earlier) })),
    picture(look, look.frame ? doubt : null),
    caption(look, state),
    doubt && h("p", { class: "doubt" }, look.disputed ? t("Somebody says that this reading is wrong; the bartender looks at it.") : [t("Read wrong? Tap the die, or"), " ", h("button", { class: "quiet", onclick: () => dispute(look, null) }, t("This throw is wrong"))]),
  ];
}

async function dispute(look, index) {
  const answer = answered(await ask("POST", "/api/disputes", { throw: look.event, die: index, key: key() }));
  if (answer.ok) by("said").textContent = t("The bartender has been asked to look.");
}

function more() {
  const on = isOn();
  return [
    h("button", { class: "quiet", "aria-pressed": on, onclick: () => { turnChime(!on); show(by("more"), "", () => []); render(state); } }, on ? t("Chime and buzz: on") : t("Chime and buzz: off")),
    h("a", { class: "button", href: state.game ? `/rules/${state.game.game}` : "/rules/" }, t("Rules")),
    h("a", { class: "button", href: "/history" }, t("History")),
    state.game && h("details", { ontoggle: (event) => event.target.open && odds(event.target) }, h("summary", {}, t("Chances to win")), h("ul", { class: "sayings" })),
    !me.seat && watching && state.seats?.joining !== "locked" && h("button", { class: "quiet", onclick: () => { watching = false; render(state); } }, t("Take a seat")),
    me.seat && h("button", { class: "quiet", onclick: leave }, t("Give the seat back")),
  ];
}

async function odds(place) {
  const outlook = await (await reach("/api/odds")).json();
  const lines = Object.entries(outlook?.players ?? {}).map(([player, one]) => t("{player}: {share} to win", { player, share: number(one.win, { style: "percent", maximumFractionDigits: 0 }) }));
  const answer = await reach(`/api/odds/${state.game.game}?options=${encodeURIComponent(JSON.stringify(state.game.options))}`);
  if (answer.ok) lines.push(...figures(await answer.json()));
  place.querySelector("ul").replaceChildren(...lines.map((line) => h("li", {}, line)));
}

// In two steps: a hint, and behind a tap every choice with what it costs.
async function advise(place, level) {
  const advice = await (await reach(`/api/advice?level=${level}`)).json();
  if (!advice.on || !advice.hint) { place.replaceChildren(); return; }
  place.replaceChildren(
    h("p", { class: "hint" }, t("Advice: {sentence}", { sentence: say(advice.hint.sentence) })),
    level === "hint"
      ? h("button", { class: "quiet", onclick: () => advise(place, "full") }, t("Every choice with what it costs"))
      : h("ol", { class: "sayings" }, advice.choices.slice(0, CHOICES).map((choice) => h("li", {}, t("{choice}: {cost}", { choice: chosen(choice.action), cost: choice.cost < TINY ? t("the best") : worth(choice.cost, advice.unit) })))),
  );
}

function counsel() {
  const on = state.advice.players[me.seat?.player];
  if (!playing(state) || on === undefined || !state.advice.game) return [];
  const place = h("div", { class: "counsel" });
  if (mine && on) advise(place, "hint");
  return [place, h("button", { class: "quiet", "aria-pressed": on, onclick: async () => answered(await ask("PUT", "/api/advice/mine", { advice: !on })) }, on ? t("My advice: on") : t("My advice: off"))];
}

async function leave() {
  if (!confirm(t("Give your seat back? Your name leaves the table."))) return;
  answered(await ask("DELETE", "/api/seats/mine"));
  watching = true;
  know();
}

function speak() {
  const look = state.last;
  if (busy(state)) return phase(state);
  const dice = look?.verdict === "ok" ? `${list(faces(look).map(String))}. ` : "";
  if (!playing(state)) return dice + (state.game ? outcome(state.game) : "");
  return dice + (mine ? `${t("Your turn")}: ${due(state.game)}` : `${state.game.turn.player}: ${due(state.game)}`);
}

function render(next) {
  state = next;
  if (!me) return;
  const now = JSON.stringify(state.seats ?? null);
  if (seats !== now) {
    // Who sits where has changed: so may have this seat.
    const known = seats !== "";
    seats = now;
    if (known) { know(); return; }
  }
  const was = mine;
  mine = isMine() && !busy(state);
  if (mine && !was) chime();
  mark(state);
  document.body.dataset.mine = mine;
  renderFault(state);
  show(by("me"), JSON.stringify(me.seat), () => (me.seat ? [h("bdi", {}, me.seat.name)] : []));
  by("join").hidden = me.seat !== null || watching;
  for (const part of document.querySelectorAll("#code, label[for=code]")) part.hidden = state.seats?.joining !== "code";
  const look = state.last;
  const doubted = latest(state);
  const shown = `${look?.event}:${JSON.stringify(look?.corrected ?? null)}:${look?.disputed}:${state.machine.phase}:${me.seat?.id}`;
  show(by("turn"), JSON.stringify([state.machine.phase, state.game?.turn, state.game?.result, me.seat, mine]), head);
  show(by("dice"), shown, () => (look && !busy(state) ? counting(look) : []));
  show(by("moves"), JSON.stringify([mine, state.turned, state.machine, state.game?.turn, state.offers]), () => (mine ? moves(state, answered) : []));
  show(by("picture"), `${shown}:${doubted?.event}:${JSON.stringify(doubted?.corrected ?? null)}:${doubted?.disputed}`, seen);
  show(by("sheet"), state.game ? `${state.game_id}:${state.seq}` : "none", () => (state.game ? sheet(state) : []));
  show(by("advice"), JSON.stringify([mine, state.advice, state.game?.turn, me.seat?.player, state.game_id]), counsel);
  show(by("more"), JSON.stringify([state.game?.game, me.seat, watching, state.seats?.joining]), more);
  for (const id of ["sheet", "picture", "dice", "moves"]) by(id).hidden = !by(id).childElementCount;
  by("said").textContent = speak();
  document.title = mine ? `● ${t("Your turn")}` : state.game ? title(state.game.game) : "Cornet";
}

by("join-form").addEventListener("submit", async (event) => {
  event.preventDefault();
  const code = by("code").value.trim();
  const answer = answered(await ask("POST", "/api/seats", { name: by("name").value, ...(code && { code }) }));
  if (answer.status === 410) by("code").value = "";
  if (answer.ok) await know();
});
by("code").value = new URLSearchParams(location.search).get("code") ?? "";
// A code that is kept in the address would be shown to whoever looks at it, and has soon gone by.
history.replaceState(null, "", location.pathname);
by("watch-only").addEventListener("click", () => { watching = true; render(state); });
await know();
watch(render);
