// A guest's phone: his seat, his turn, his throw.

import { ask, bringOut, heard, key, unknowable, whoAmI } from "./ask.js";
import { TINY, chosen, worth } from "./choices.js";
import { cup } from "./cup.js";
import { chime, isOn, turn as turnChime } from "./chime.js";
import { counting, faces, picture, placed } from "./dice.js";
import { by, forget, h, pick, regain, show } from "./dom.js";
import { figures } from "./figures.js";
import { moves } from "./moves.js";
import { newest, reach } from "./reach.js";
import { title } from "./sheets/index.js";
import { watch } from "./stream.js";
import { RESUMED, VOIDED, busy, called, caption, doing, due, failed, latest, mark, mendable, outcome, phase, playing, renderFault, renderSheet, resumed } from "./view.js";
import { list, number, say, t } from "./words.js";

const CHOICES = 6;
const EVERY = t("Every choice with what it costs");

let me = null;
let state = null;
let watching = false;
let mine = false;
let seats = "";

const knowing = newest();
const foreseeing = newest();

async function answered(asked, slot = "answer") {
  const answer = await heard(by(slot), asked);
  if (!answer.ok) {
    forget();
    if (state) render(state);
  }
  return answer;
}

// Which player this phone may act for; null where it watches, or still has to be let in.
const acting = () => (me.seat?.approved ? me.seat.player : null);

// Whether it is that player's turn.
const isMine = () => playing(state) && acting() !== null && state.game.players[acting()] === state.game.turn.player;

// The news of a seat may come before the answer that brings its cookie: only what was asked last is believed.
async function know() {
  const isNewest = knowing();
  const answer = await whoAmI(reach);
  if (!isNewest()) return;
  const was = me;
  me = answer;
  // Whose stream it is was asked when it was opened: without one of his own a guest is away.
  if (was && me.seat && me.seat.id !== was.seat?.id) again();
  if (state) render(state);
}

function head({ game, machine, voided, seat, mine }) {
  if (machine.fault) return [h("p", { class: "who" }, phase({ machine })), h("p", { class: "phase" }, failed(machine.fault))];
  if (!game) return [h("p", { class: "who" }, voided ? VOIDED : seat ? t("You are in") : t("Nobody plays")), h("p", { class: "phase" }, seat ? waiting(seat, game) : t("Ask at the bar for a game."))];
  if (game.finished) return [h("p", { class: "who" }, outcome(game)), h("p", { class: "phase" }, t("The game is over"))];
  if (busy({ machine })) return [h("p", { class: "who" }, phase({ machine }), h("span", { class: "dots", "aria-hidden": "true" }, "…"))];
  if (mine) return [h("p", { class: "who" }, t("Your turn")), h("p", { class: "due" }, due(game))];
  return [h("p", { class: "who" }, h("bdi", {}, game.turn.player)), h("p", { class: "due" }, due(game)), h("p", { class: "phase" }, seat && acting() === null ? waiting(seat, game) : null)];
}

function waiting(seat, game) {
  if (!seat) return t("You watch.");
  if (!seat.approved) return t("The bartender still has to let you in.");
  return game ? t("You watch this game; the bartender seats you for the next one.") : t("The bartender starts the game.");
}

function seen({ look, before, resumed, machine, doubts }) {
  if (busy({ machine })) return [look && look.verdict !== "ok" && caption(look, { machine }), cup(phase({ machine }))];
  if (!look) return [];
  const doubt = doubts ? (index) => dispute(look, index) : null;
  return [
    before && h("p", { class: "phase" }, t("The last throw of the game before: {outcome}", { outcome: before })),
    resumed && h("p", { class: "phase" }, RESUMED),
    picture(look, look.picture ? doubt : null),
    caption(look, { machine }),
    look.disputed && h("p", { class: "disputed" }, t("Somebody says that this reading is wrong; the bartender looks at it.")),
    doubt && h(
      "details",
      { class: "doubt" },
      h("summary", {}, t("Read wrong?")),
      h("p", {}, t("Tap the die that was read wrong, here or in the picture: the bartender is asked to look.")),
      h("div", { class: "pick" }, placed(look).filter(([index]) => index !== null).map(([index, one]) => h("button", { class: "face", "aria-label": t("This {face} is wrong", { face: look.dice[index].face }), onclick: () => doubt(index) }, one))),
      h("button", { class: "quiet", onclick: () => doubt(null) }, t("This throw is wrong")),
    ),
  ];
}

const dispute = (look, index) => answered(ask("POST", "/api/disputes", { throw: look.event, die: index, key: key() }));

function more({ on, game, seated, offered }) {
  return [
    h("button", { id: "chime", class: "quiet", "aria-pressed": on, onclick: () => { turnChime(!on); render(state); } }, on ? t("Chime and buzz: on") : t("Chime and buzz: off")),
    h("a", { class: "button", href: game ? `/rules/${game}` : "/rules/" }, t("Rules")),
    h("a", { class: "button", href: "/history" }, t("History")),
    game && h("details", { ontoggle: (event) => event.target.open && odds(event.target) }, h("summary", {}, game === "421" ? t("Chances to pay nothing") : t("Chances to win")), h("ul", { class: "sayings" })),
    offered && h("button", { class: "quiet", onclick: () => { watching = false; render(state); } }, t("Take a seat")),
    seated && h("button", { class: "quiet", onclick: leave }, t("Give the seat back")),
  ];
}

// Of the turn that it was asked for; a list that stays open is asked for anew with each.
async function odds(place) {
  place.dataset.turned = state.turned;
  const { game, options, players: seated } = state.game;
  const isNewest = foreseeing();
  const outlook = await (await reach("/api/odds")).json();
  const lines = Object.entries(outlook?.players ?? {}).map(([player, one]) => {
    const told = { player, share: number(one.win, { style: "percent", maximumFractionDigits: 0 }) };
    return game === "421" ? t("{player}: {share} to pay nothing", told) : t("{player}: {share} to win", told);
  });
  const answer = await reach(`/api/odds/${game}?options=${encodeURIComponent(JSON.stringify(options))}`);
  if (answer.ok) lines.push(...figures(await answer.json(), seated.length));
  if (isNewest()) place.querySelector("ul").replaceChildren(...lines.map((line) => h("li", {}, line)));
}

// In two steps: a hint, and behind a tap every choice with what it costs.
async function advise(place, level) {
  const advice = await (await reach(`/api/advice?level=${level}`)).json();
  if (!advice.on || !advice.hint) { place.replaceChildren(); return; }
  place.replaceChildren(
    h("p", { class: "hint" }, t("Advice: {sentence}", { sentence: say(advice.hint.sentence) })),
    level === "hint"
      ? h("button", { class: "quiet", onclick: () => advise(place, "full") }, EVERY)
      : h("ol", { class: "sayings" }, advice.choices.slice(0, CHOICES).map((choice) => h("li", {}, t("{choice}: {cost}", { choice: chosen(choice.action), cost: choice.cost < TINY ? t("the best") : worth(choice.cost, advice.unit) })))),
  );
}

// What is below does not move when it comes. Where nothing can be chosen there is nothing to advise.
function counsel({ on, mine, game, offers }) {
  if (on === null) return [];
  const asked = mine && on && choosable({ game, offers });
  const place = h("div", { class: "counsel" }, asked && [h("p", { class: "hint" }, "…"), h("button", { class: "quiet", disabled: true }, EVERY)]);
  if (asked) advise(place, "hint");
  return [place, h("button", { id: "advised", class: "quiet", "aria-pressed": on, onclick: () => answered(ask("PUT", "/api/advice/mine", { advice: !on })) }, on ? t("My advice: on") : t("My advice: off"))];
}

// Whether there is more than one thing to do.
function choosable({ game, offers }) {
  const ranges = offers.flatMap(({ do: name, ...fields }) => Object.values(fields));
  return offers.length + game.turn.legal.includes("throw") > 1 || ranges.some(({ one_of, from, to }) => (one_of ? one_of.length > 1 : from < to));
}

async function leave() {
  if (!confirm(t("Give your seat back? Your name leaves the table."))) return;
  await answered(ask("DELETE", "/api/seats/mine"));
  watching = true;
  know();
}

function speak() {
  const look = state.last;
  if (busy(state)) return doing(state);
  if (state.machine.fault) return phase(state);
  const doubted = look?.disputed ? `${t("Somebody says that this reading is wrong; the bartender looks at it.")} ` : "";
  const dice = (look?.verdict === "ok" ? `${list(faces(look).map(String))}. ` : "") + doubted;
  if (!playing(state)) return dice + (state.game ? outcome(state.game) : state.voided ? VOIDED : "");
  return dice + (mine ? `${t("Your turn")}: ${due(state.game)}` : `${state.game.turn.player}: ${due(state.game)}`);
}

function render(next) {
  // What was refused was refused for the turn that stood there.
  if (state && next.turned !== state.turned) by("answer").textContent = "";
  state = next;
  if (!me) return;
  // Who is away for a while sits where he sat.
  const now = JSON.stringify(state.seats, (name, value) => (name === "present" ? undefined : value));
  if (seats !== now) {
    // Who sits where has changed: so may have this seat.
    const known = seats !== "";
    seats = now;
    if (known) { know(); return; }
  }
  const was = mine;
  mine = isMine() && state.machine.phase === "ready";
  if (mine && !was) chime();
  mark(state);
  document.body.dataset.mine = mine;
  renderFault(state);
  show(by("me"), me.seat, (seat) => (seat ? [h("bdi", {}, seat.name)] : []));
  const shut = !me.seat && me.role === "guest" && state.seats.joining === "locked";
  by("join").hidden = me.seat !== null || watching || shut;
  by("shut").hidden = !shut;
  by("freed").hidden = !me.freed;
  for (const part of document.querySelectorAll("#code, label[for=code]")) part.hidden = state.seats.joining !== "code";
  const before = state.last || !state.earlier ? null : outcome(state.earlier);
  const on = playing(state) && state.advice.game ? state.advice.players[acting()] ?? null : null;
  const offered = !me.seat && watching && !shut;
  show(by("turn"), { ...pick(state, "game", "machine", "voided"), seat: me.seat, mine }, head);
  show(by("dice"), { look: busy(state) ? null : state.last, face: called(state) }, ({ look, face }) => (look ? counting(look, face) : []));
  show(by("moves"), mine ? pick(state, "turned", "machine", "game", "offers") : null, (given) => (given ? moves(given, answered) : []));
  show(by("picture"), { look: latest(state), before, resumed: resumed(state), machine: state.machine, doubts: me.seat !== null && mendable(state, latest(state)) }, seen);
  renderSheet(state);
  show(by("advice"), { on, mine, ...pick(state, "turned", "game", "offers") }, counsel);
  show(by("more"), { on: isOn(), game: state.game?.game, seated: Boolean(me.seat), offered }, more);
  const open = by("more").querySelector("details[open]");
  if (open && open.dataset.turned !== String(state.turned)) odds(open);
  for (const id of ["sheet", "picture", "dice", "moves"]) by(id).hidden = !by(id).childElementCount;
  regain(by("turn"));
  bringOut(by("answer"));
  by("said").textContent = speak();
  document.title = mine ? `● ${t("Your turn")}` : state.game ? title(state.game.game) : "Cornet";
}

by("join-form").addEventListener("submit", async (event) => {
  event.preventDefault();
  by("seat-answer").textContent = unknowable();
  if (unknowable()) return;
  const code = by("code").value.trim();
  const answer = await answered(ask("POST", "/api/seats", { name: by("name").value, ...(code && { code }) }), "seat-answer");
  if (answer.status === 410) by("code").value = "";
  if (answer.ok) await know();
});
// What is half written is taken along to the page in another language, behind the mark that no server is sent.
const written = new URLSearchParams(location.hash.slice(1));
by("name").value = written.get("name") ?? "";
by("code").value = written.get("code") || (new URLSearchParams(location.search).get("code") ?? "");
for (const link of document.querySelectorAll(".tongues a")) {
  link.addEventListener("click", () => { link.hash = new URLSearchParams({ name: by("name").value, code: by("code").value }); });
}
// A code that is kept in the address would be shown to whoever looks at it, and has soon gone by.
history.replaceState(null, "", location.pathname);
by("watch-only").addEventListener("click", () => { watching = true; render(state); });
know();
const again = watch(render);
