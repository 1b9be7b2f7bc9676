// What every screen shows of the state: whose turn, what the machine does, the last look at the dice.

import { by, h, pick, show } from "./dom.js";
import { faces, setDye } from "./dice.js";
import { sheet } from "./sheets/index.js";
import { list, say, t, tn } from "./words.js";

const PHASES = {
  ready: t("Ready"),
  tumbling: t("The cornet turns"),
  settling: t("The dice come to rest"),
  reading: t("Reading the dice"),
  calibrating: t("The cornet is being calibrated"),
  fault: t("Out of order"),
};

const VERDICTS = {
  "wrong-count": t("Wrong number of dice"),
  cocked: t("A die leans"),
  stacked: t("A die lies on another"),
  "foreign-object": t("Something that is no die"),
  obstructed: t("Something hides the dice"),
  "not-settled": t("The dice still moved"),
  "bad-light": t("The light is bad"),
  moved: t("The camera has moved"),
  unsure: t("A face cannot be read for certain"),
};

export const FAULTS = {
  jammed: t("The cornet is stuck"),
  "not-homed": t("The cornet does not find its place"),
  "dice-did-not-move": t("The dice did not move"),
  "motor-overtime": t("The motor ran for too long"),
  "lid-open": t("The lid is open"),
  stopped: t("Somebody pressed the emergency stop"),
  "camera-lost": t("The camera gives no picture"),
  "camera-frozen": t("The camera gives the same picture for ever"),
  unreadable: t("The dice could not be read"),
  storage: t("Trouble with the disk"),
  undervoltage: t("The machine gets too little power"),
  overheated: t("The machine is too hot"),
  "no-tower": t("The tower does not answer"),
  internal: t("The program failed"),
};

// Why a reading is corrected: as it is written down, in English, and as it is said here.
export const REASONS = [
  ["The camera read it wrong", t("The camera read it wrong")],
  ["The die was moved", t("The die was moved")],
  ["The die leaned", t("The die leaned")],
];

// Whether a correction changes what counts: a die that does not may be put right too.
export const mended = ({ faces, counted, corrected }) => Boolean(corrected) && JSON.stringify([corrected.faces, corrected.counted ?? counted]) !== JSON.stringify([faces, counted]);

export const why = (reason) => REASONS.find(([kept]) => kept === reason)?.[1] ?? reason;

const ACTIONS = { bet: t("place the stake"), call: t("name a face"), keep: t("set dice aside"), stop: t("stop"), le_bon: t("say “le bon”"), bank: t("write the points down") };

const OR = t(" or ");

export const throwDice = (n) => tn("Throw {n} die", "Throw {n} dice", n);

export const busy = (state) => ["tumbling", "settling", "reading", "calibrating"].includes(state.machine.phase);

export const phase = (state) => PHASES[state.machine.phase];

export const verdict = (look) => VERDICTS[look.verdict] ?? look.verdict;

// The looks at the dice that may still be spoken of, oldest first: those of the game before until something is thrown.
export const looks = (state) => [...(state.earlier?.throws ?? []), ...state.throws];

export const latest = (state) => state.last ?? state.earlier?.throws.at(-1) ?? null;

// Whether a look may be said to be read wrong: what was taken out is no throw any more.
const stands = (look) => look.verdict === "ok" && look.corrected?.faces.length !== 0;

export const isEarlier = (state, look) => Boolean(state.earlier?.throws.some((each) => each.event === look.event));

// Whether a reading may still be doubted and mended: of the running game, and of one that is over until something is thrown.
export const mendable = (state, look) => look !== null && stands(look) && (state.game !== null || isEarlier(state, look));

// The number that a bank game is after: those of ten dice that show it have hit.
export function called({ game, last }) {
  if (!game || (last?.counted?.length ?? 0) <= 5) return null;
  return game.log.findLast((entry) => entry.face)?.face ?? null;
}

// What became of a game that somebody may have been looking at: it was ended by the bar, or by a correction of the one before.
export const VOIDED = t("The game was voided.");
export const RESUMED = t("This game goes on after all; the one begun since is void.");

export const resumed = ({ game, voided }) => Boolean(game && voided);

export const playing = (state) => Boolean(state.game) && !state.game.finished;

// What the player may do, as one line.
export function due(game) {
  const { dice: n, legal } = game.turn;
  return legal.map((name) => (name === "throw" ? tn("throw {n} die", "throw {n} dice", n) : ACTIONS[name] ?? name)).join(OR);
}

export function outcome(game) {
  const result = game.result;
  if (result.winner) return t("{player} wins", { player: result.winner });
  if (result.rounds) {
    const payers = game.players.filter((player) => result.rounds[player]);
    if (result.grand_perdant) return t("{player} is the grand perdant", { player: result.grand_perdant === true ? list(payers) : result.grand_perdant });
    return payers.length === 1 ? t("{player} pays the round", { player: payers[0] }) : t("{players} pay a round each", { players: list(payers) });
  }
  return result.winners.length === 1 ? t("{player} wins", { player: result.winners[0] }) : t("{players} share the win", { players: list(result.winners) });
}

// Whether any dice that are shown, or will be thrown, are no real ones.
export const isSimulated = (state) => state.simulated || state.simulated_throws;

export function mark(state) {
  // The television has a place of its own for it.
  if (by("simulated")) show(by("simulated"), isSimulated(state), (is) => (is ? h("strong", { class: "simulated" }, t("Simulated")) : []));
  document.body.dataset.dye = setDye(latest(state));
  document.body.dataset.phase = state.machine.phase;
  document.body.dataset.game = !state.game ? "none" : state.game.finished ? "over" : "running";
}

// What a fault is called, and what comes of it: one of a broken log nobody clears.
export const failure = ({ name, clears }) => (clears ? FAULTS[name] ?? name : t("The log is damaged"));
export const failed = ({ clears }) => (clears ? t("The bartender clears this; the game goes on from here, nothing is lost.") : t("Nothing more is written down, so nobody can play on."));

export function renderFault(state) {
  const fault = state.machine.fault;
  by("fault").hidden = !fault;
  show(by("fault"), fault, () => (fault ? [h("h2", {}, failure(fault)), h("p", {}, say(fault.message))] : []));
}

export function renderSheet(state) {
  show(by("sheet"), pick(state, "game", "paid"), (given) => (given.game ? sheet(given) : []));
}

export function turn(state) {
  const game = state.game;
  const now = h("p", { class: "phase" }, phase(state), busy(state) && h("span", { class: "dots", "aria-hidden": "true" }, "…"));
  if (!game) return [h("p", { class: "who" }, state.voided ? VOIDED : t("Nobody plays")), now];
  if (game.finished) return [h("p", { class: "who" }, outcome(game)), h("p", { class: "phase" }, t("The game is over"))];
  return [h("p", { class: "who" }, h("bdi", {}, game.turn.player)), h("p", { class: "due" }, due(game)), now];
}

// What the machine does, for whoever cannot see it: in one sentence for a whole throw, and why it is made again.
export function doing({ machine, last }) {
  if (machine.phase === "calibrating") return PHASES.calibrating;
  return last && last.verdict !== "ok" ? `${verdict(last)}. ${t("Thrown again.")}` : PHASES.tumbling;
}

// One polite sentence for whoever cannot see the screen; `doubt` is one more, of the latest reading.
export function speak(state, doubt = "") {
  const { game, last, machine } = state;
  if (busy(state)) return doing(state);
  if (machine.fault) return failure(machine.fault);
  const doubted = doubt && doubt.replace(/\.?$/, ". ");
  if (!game) return doubted + (state.voided ? VOIDED : t("Nobody plays"));
  const seen = (last?.verdict === "ok" ? `${list(faces(last).map(String))}. ` : "") + doubted;
  return seen + (game.finished ? outcome(game) : `${game.turn.player}: ${due(game)}`);
}

export function caption(look, state) {
  const refused = look.verdict !== "ok";
  const again = refused && state.machine.phase !== "fault" && busy(state);
  return h(
    "p",
    { class: refused ? "caption refused" : "caption" },
    refused ? t("{verdict}: not counted.", { verdict: verdict(look) }) : t("Counts: {dice}", { dice: faces(look).join(" ") || "–" }),
    " ",
    refused && h("span", {}, say(look.message)),
    look.by_hand && h("strong", { class: "corrected" }, t("thrown by hand")),
    look.corrected && h("strong", { class: "corrected" }, mended(look) ? t("corrected, read as {dice}", { dice: look.faces.join(" ") }) : t("a die that does not count was corrected")),
    look.source && h("span", { class: "source" }, ` ${look.source}`, look.again && `, ${t("the pictures begin again")}`),
    again && h("span", {}, ` ${t("Thrown again.")}`),
    h("code", { class: "head", title: t("The first eight characters of the log’s chain at this throw") }, look.head),
  );
}

// How a phone joins: the QR code changes with the join code, which only the bar's own screens are told.
export const joining = ({ url, words, code }) => h("div", { class: "joining" }, h("img", { src: `/join.svg?${code ?? ""}`, alt: t("QR code of {address}", { address: url }) }), h("p", {}, t("Play along on your phone"), h("b", {}, words), code && h("span", {}, t("Code {code}", { code }))));
