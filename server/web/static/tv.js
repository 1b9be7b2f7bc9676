// The screen that everybody watches.

import { attract } from "./attract.js";
import { cup } from "./cup.js";
import { counting, faces, others, picture } from "./dice.js";
import { by, h, pick, show } from "./dom.js";
import { newest, reach } from "./reach.js";
import { lines, title } from "./sheets/index.js";
import { watch } from "./stream.js";
import { tell } from "./tell.js";
import { RESUMED, VOIDED, busy, called, due, failed, failure, isSimulated, joining, mark, mended, outcome, phase, playing, resumed, speak, verdict, why } from "./view.js";
import { say, t, tn } from "./words.js";
import { variant } from "./variant.js";

const SMALLEST = 1.6; // in hundredths of the screen's height
const LEGIBLE = 2.4; // what a line of a long table is not smaller than: other lines give way
const TOLD = 5.4; // of the columns of Thousand, whose smallest words are three tenths as large: older scores give way
const SPARE = 4.5; // above this a line gives way to the name that stands in it, and to what is said behind it
const SURE = 0.03; // standard error of a chance that may be shown
const AGAIN_MS = 2000;
const IDLE_MS = 120_000;
const SHIFT_MS = 60_000;
const SHIFTS = [[0, 0], [6, 2], [2, 6], [-4, 4], [-6, -2], [-2, -6], [4, -4]];

let chances = null;
let endAttract = null;
let idle = null;
let place = null;
let seeking = false;
let now = null;
let shifts = 0;
const placing = newest();

function head({ game, machine, voided }) {
  if (!game && busy({ machine })) return h("p", { class: "who" }, phase({ machine }));
  if (!game) return voided ? [h("p", { class: "who" }, VOIDED), h("p", { class: "due" }, t("It counts for nothing."))] : [];
  if (game.finished) return [h("p", { class: "who" }, outcome(game)), h("p", { class: "due" }, t("The game is over"))];
  return [h("p", { class: "who" }, h("bdi", {}, game.turn.player)), h("p", { class: "due" }, busy({ machine }) ? phase({ machine }) : due(game))];
}

// While the machine works the cornet itself is shown, turning as the real one turns; then the picture it made.
function sight(state) {
  const fault = state.machine.fault;
  if (fault) return card("fault", failure(fault), say(fault.message), failed(fault));
  const look = state.last;
  if (busy(state) || !look) return h("div", { class: "working" }, cup(phase(state)));
  return picture(look);
}

const card = (kind, head, message, next) => h("div", { class: `notice ${kind}`, role: kind === "fault" ? "alert" : false }, h("h2", {}, head), h("p", {}, message), h("p", { class: "next" }, next));

function tale(state) {
  const look = state.last;
  if (look && look.verdict !== "ok" && !state.machine.fault) {
    return card("refused", verdict(look), say(look.message), t("It is not counted. The cornet throws again."));
  }
  const before = state.earlier?.throws.findLast(mended);
  const marked = look?.by_hand || look?.corrected || before;
  const most = marked ? 1 : !state.invitation ? 3 : state.game.finished ? 2 : 1;
  const told = resumed(state) ? [RESUMED] : story(state.game).slice(-4, calls(state) ? -1 : undefined).slice(-most).map(tell);
  return [
    h("ul", { class: "said" }, told.map((sentence) => h("li", {}, sentence))),
    look?.by_hand && h("p", { class: "corrected" }, t("thrown by hand")),
    look?.corrected && h("p", { class: "corrected" }, mended(look) ? t("Corrected by the bar: {reason}", { reason: why(look.corrected.reason) }) : t("A die that does not count was corrected: {reason}", { reason: why(look.corrected.reason) })),
    before && h("p", { class: "corrected" }, t("The game before was corrected by the bar ({reason}): {outcome}.", { reason: why(before.corrected.reason), outcome: outcome(state.earlier) })),
    // What was put right is told whole; who joins can wait for the next throw.
    !marked && state.invitation && joining(state.invitation),
  ];
}

// That a game is over stands above the picture; what came of its last turn is told here.
const story = ({ finished, log }) => (finished && log.at(-1)?.event === "game_end" ? log.slice(0, -1) : log);

// Beside few dice there is room for what came of them, called out; of those that wait for a choice nothing has come yet.
const calls = ({ last, game, machine }) => Boolean(last && game?.log.length && !game.table.rolled?.length && last.verdict === "ok" && last.faces.length <= 3 && machine.phase === "ready");

// Dice land when they are drawn: what is said of them is drawn apart from them.
function tray(state, last) {
  const look = busy(state) || state.machine.fault ? null : last;
  const read = look?.verdict === "ok";
  by("count").className = !read ? "count doubted" : look.counted.length > 5 ? "count many" : "count";
  show(by("count"), { look, face: called(state) }, (given) => (!given.look ? [] : read ? counting(given.look, given.face) : others(given.look)));
  show(by("call"), calls(state) ? state.game.log.at(-1) : null, (entry) => (entry ? tell(entry) : []));
  show(by("rest"), read ? look : null, (given) => (given ? others(given) : []));
  fit(by("call"), "--call", () => by("call").scrollHeight > by("call").clientHeight + 1);
}

const simulated = (state) => isSimulated(state) && h("strong", { class: "simulated" }, t("Simulated dice"));

function foot(state) {
  const told = (look) => (look.verdict === "ok" ? faces(look).join(" ") || "×" : "×");
  // Ten faces in a row say nothing from afar; the sheet of such a game tells its hits.
  const strip = state.throws.filter((look) => look.verdict !== "ok" || look.faces.length <= 5).slice(-10).reverse().map((look) => h("li", { class: look.verdict === "ok" ? (mended(look) ? "mended" : look.by_hand ? "hand" : false) : "bad", title: look.verdict === "ok" ? null : verdict(look) }, told(look)));
  return [
    h("p", { class: "rules" }, h("b", {}, title(state.game.game)), " ", variant(state.game)),
    h("ol", { class: "strip", "aria-label": t("Latest throws") }, strip),
    state.warnings.map((sentence) => h("span", { class: "warning" }, say(sentence).split(/\s*:/)[0])),
    simulated(state),
    h("code", { title: t("The first eight characters of the log’s chain") }, state.head),
  ];
}

function rest(state) {
  const quiet = !playing(state) && !busy(state) && !state.machine.fault;
  if (!quiet) {
    wake();
    endAttract?.();
    endAttract = null;
  } else if (!endAttract) {
    // Where nobody has played yet there is nothing else to show; what came of a game stays for a while.
    if (state.game || state.voided) idle ??= setTimeout(begin, IDLE_MS);
    else begin();
  }
  by("attract").hidden = endAttract === null;
  by("scene").hidden = endAttract !== null;
}

function wake() {
  clearTimeout(idle);
  idle = null;
}

function begin() {
  wake();
  endAttract = attract(now.simulated, mayJoin(now));
  by("scene").hidden = true;
}

const mayJoin = ({ seats }) => seats.joining !== "locked";

// How somebody joins is asked for as soon as the bartender has chosen it, and where nobody plays it is said first.
function invite() {
  findPlace();
  if (!endAttract) return;
  endAttract();
  begin();
}

function render(state) {
  const joins = now?.seats.joining;
  now = state;
  if (joins !== state.seats.joining) invite();
  by("veil").hidden = true;
  mark(state);
  rest(state);
  // That a reading is doubted is no new picture.
  const last = state.last && { ...state.last, disputed: null, doubted: [] };
  show(by("picture"), { last, machine: state.machine }, sight);
  tray(state, last);
  by("said").textContent = speak(state);
  const invitation = place?.url && mayJoin(state) ? place : null;
  if (!state.game) {
    show(by("turn"), pick(state, "game", "machine", "voided"), head);
    fitTurn();
    show(by("tale"), invitation, (given) => (given ? joining(given) : []));
    show(by("sheet"), null, () => []);
    show(by("foot"), pick(state, "simulated", "simulated_throws"), simulated);
    return;
  }
  const players = state.game.players.length;
  document.body.dataset.players = players > 8 ? "crowd" : players > 5 ? "many" : players > 3 ? "some" : "few";
  show(by("turn"), pick(state, "game", "machine"), head);
  fitTurn();
  show(by("tale"), { last, invitation, ...pick(state, "machine", "game", "earlier", "voided") }, tale);
  fitTale();
  showSheet(state);
  foresee(state);
  show(by("foot"), pick(state, "game", "throws", "simulated", "simulated_throws", "head", "warnings"), foot);
  const rules = by("foot").firstElementChild;
  fit(by("foot"), "--foot", () => rules.scrollWidth > rules.clientWidth);
}

// Nothing moves when they come: a place is kept for them.
const foreseen = (state) => (chances?.game === state.game_id && chances.of) || {};

function showSheet(state) {
  show(by("sheet"), { ...pick(state, "game", "paid"), chances: playing(state) ? foreseen(state) : null }, lines);
  const place = by("sheet");
  const cut = (where) => [...place.querySelectorAll(where)].some((each) => each.scrollWidth > each.clientWidth);
  const broken = () => [...place.querySelectorAll("tbody small")].some((each) => each.offsetHeight > 3 * parseFloat(getComputedStyle(each).fontSize));
  const over = () => place.scrollHeight > place.clientHeight || place.scrollWidth > place.clientWidth;
  const size = (least) => fit(place, "--row", (row) => over() || cut(".column .score") || (row > SPARE && (cut("tbody bdi, .name") || broken())), least);
  size(place.querySelector(".columns") ? TOLD : place.querySelector("tbody tr") ? LEGIBLE : SMALLEST);
  shorten(place, state.game);
  if (forget(place, over)) size(SMALLEST);
}

// Of what was crossed out the oldest goes, where it stands longest; whether anything would not fit.
function forget(place, over) {
  const columns = [...place.querySelectorAll(".column ol")];
  const tooMuch = columns.length > 0 && over();
  while (over()) {
    const [longest] = columns.sort((one, other) => other.childElementCount - one.childElementCount);
    if (!longest || longest.childElementCount === 1) break;
    longest.firstElementChild.remove();
  }
  return tooMuch;
}

// Of more players than there is room for, those stand there who move, lead or hold the bank, and who has most.
function shorten(place, { players, scores, turn, table }) {
  const lines = [...place.querySelectorAll("tbody tr")];
  const worth = (player) => ([turn?.player, table.leader, table.banker].includes(player) ? Number.MAX_VALUE : scores[player]);
  const order = lines.map((line, at) => [line, worth(players[at])]).sort(([, one], [, other]) => other - one);
  const rest = h("p", { class: "others" });
  while (order.length > 1 && place.scrollHeight > place.clientHeight) {
    order.pop()[0].remove();
    place.append(rest);
    rest.textContent = tn("and {n} more player", "and {n} more players", lines.length - order.length);
  }
}

// Whose turn it is and what is due stand in one line each, what came of a game in as many as fit.
function fitTurn() {
  const place = by("turn");
  const [who, what] = place.children;
  if (what) fit(place, "--due", () => what.scrollWidth > what.clientWidth);
  if (who) fit(place, "--who", () => who.scrollWidth > who.clientWidth || place.scrollHeight > place.clientHeight + 1);
}

function fitTale() {
  const address = by("tale").querySelector(".joining b");
  if (address) fit(address, "--address", () => address.scrollWidth > address.clientWidth);
  const told = by("tale").querySelector(".said");
  // The latest is told whole, and before it what there is room for.
  while (told?.children.length > 1 && told.scrollHeight > told.clientHeight) told.firstElementChild.remove();
}

// As large as the style sheet has it, or as many players, a long name and a long language leave it: no line is cut off.
function fit(place, size, over, least = SMALLEST) {
  place.style.removeProperty(size);
  for (let now = parseFloat(getComputedStyle(place).getPropertyValue(size)); now > least && over(now); now -= 0.2) place.style.setProperty(size, now - 0.2);
}

// Everybody's chance to win, where the machine stands still and so many games were played ahead that it can be told.
async function foresee(state) {
  const at = state.turned;
  if (busy(state) || chances?.for === at) return;
  chances = { game: state.game_id, for: at, of: chances?.game === state.game_id ? chances.of : null };
  while (playing(now) && chances.for === at) {
    const outlook = await fetch("/api/odds").then((answer) => answer.json()).catch(() => null);
    const players = outlook?.players ?? {};
    // More may have been told meanwhile, of the same turn too.
    if (!playing(now) || chances.for !== at) return;
    if (now.game.players.every((player) => (players[player]?.win_error ?? (players[player] ? 0 : 1)) <= SURE)) {
      chances.of = Object.fromEntries(state.game.players.map((player) => [player, players[player].win]));
      showSheet(now);
      return;
    }
    await new Promise((done) => setTimeout(done, AGAIN_MS));
  }
}

async function findPlace() {
  const isNewest = placing();
  seeking = true;
  const found = await (await reach("/api/join")).json();
  if (!isNewest()) return;
  seeking = false;
  place = found;
  if (now) render(now);
}

// A picture that never moves burns itself in.
setInterval(() => {
  shifts += 1;
  const [x, y] = SHIFTS[shifts % SHIFTS.length];
  by("scene").style.transform = by("attract").style.transform = `translate(${x}px, ${y}px)`;
  // One question waits for a machine that is off, however many hours.
  if (!seeking) findPlace();
}, SHIFT_MS);
window.addEventListener("resize", () => now && render(now));

watch(render, () => { by("veil").hidden = false; });
