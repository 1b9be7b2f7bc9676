// What every screen shows of the state: whose turn, what the machine does, the last look at the dice.

import { by, h, show } from "./dom.js";
import { diceOf, picture } from "./dice.js";
import { sheet } from "./sheets/index.js";

const PHASES = {
  ready: "Ready",
  tumbling: "The cornet turns",
  settling: "The dice come to rest",
  reading: "Reading the dice",
  fault: "Out of order",
};

const VERDICTS = {
  "wrong-count": "Wrong number of dice",
  cocked: "A die leans",
  stacked: "A die lies on another",
  "foreign-object": "Something that is no die",
  obstructed: "Something hides the dice",
  "not-settled": "The dice still moved",
  "bad-light": "The light is bad",
  moved: "The camera has moved",
  unsure: "A face cannot be read for certain",
};

const ACTIONS = { throw: "throw", bet: "place the stake", call: "name a face", keep: "set dice aside", stop: "stop", le_bon: "say “le bon”", bank: "write the points down" };

export const busy = (state) => ["tumbling", "settling", "reading"].includes(state.machine.phase);

export function render(state) {
  document.body.dataset.phase = state.machine.phase;
  document.body.dataset.game = !state.game ? "none" : state.game.finished ? "over" : "running";
  renderFault(state);
  show(by("turn"), JSON.stringify([state.machine.phase, state.game?.turn, state.game?.result, state.last?.event]), () => turn(state));
  const look = state.last;
  show(by("picture"), look ? String(look.event) : "none", () => (look ? [picture(look), caption(look, state)] : [hint()]));
  show(by("dice"), look ? String(look.event) : "none", () => (look ? diceOf(look) : []));
  const game = state.game;
  show(by("sheet"), game ? `${state.game_id}:${state.seq}` : "none", () => (game ? sheet(state) : []));
}

function renderFault(state) {
  const fault = state.machine.fault;
  by("fault").hidden = !fault;
  show(by("fault"), JSON.stringify(fault), () => (fault ? [h("h2", {}, `Out of order: ${fault.name}`), h("p", {}, fault.message)] : []));
}

function turn(state) {
  const game = state.game;
  const phase = h("p", { class: "phase" }, PHASES[state.machine.phase], busy(state) && h("span", { class: "dots", "aria-hidden": "true" }, "…"));
  if (!game) return [h("p", { class: "who" }, "Nobody plays"), phase];
  if (game.finished) return [h("p", { class: "who" }, outcome(game)), h("p", { class: "phase" }, "The game is over")];
  const { player, dice: number, legal } = game.turn;
  const due = legal.map((name) => (name === "throw" ? `throw ${number} ${number === 1 ? "die" : "dice"}` : ACTIONS[name] ?? name));
  return [h("p", { class: "who" }, player), h("p", { class: "due" }, due.join(" or ")), phase];
}

function outcome(game) {
  const result = game.result;
  if (result.winner) return `${result.winner} wins`;
  if (result.rounds) return `${Object.keys(result.rounds).filter((player) => result.rounds[player]).join(" and ")} ${result.grand_perdant ? "is the grand perdant" : "pays the round"}`;
  return result.winners.length === 1 ? `${result.winners[0]} wins` : `${result.winners.join(" and ")} share it`;
}

function caption(look, state) {
  const refused = look.verdict !== "ok";
  return h(
    "p",
    { class: refused ? "caption refused" : "caption" },
    refused ? `${VERDICTS[look.verdict]}: not counted. ` : `Counts: ${look.faces.join(" ")}. `,
    h("span", {}, look.message),
    look.source && h("span", { class: "source" }, ` ${look.source}${look.again ? ", the pictures begin again" : ""}`),
    refused && state.machine.phase !== "fault" && h("span", {}, busy(state) ? " Thrown again." : ""),
    h("code", { class: "head", title: "The first eight characters of the log's chain at this throw" }, look.head),
  );
}

const hint = () => h("p", { class: "empty" }, "The picture of the next throw stands here, with what was read drawn on it.");

