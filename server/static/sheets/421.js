// 421: pot and fiches, charge and décharge, the throws allowed, the best and the worst so far.

import { h } from "../dom.js";
import { die } from "../dice.js";
import { fact, facts, scores } from "./common.js";

const PHASES = { charge: "Charge", decharge: "Décharge", over: "Over" };
const RAMPEAU = { both: "for best and worst", best: "for the best", worst: "for the worst", opener: "for who opens" };

const combination = (text) => h("span", { class: "combination", "aria-label": text }, [...text].map((face) => die(Number(face))));

export function quatreVingtEtUn(game) {
  const table = game.table;
  const most = table.limit ?? (table.phase === "charge" ? game.options.charge_throws : 3);
  return [
    facts(
      fact(`Manche ${table.manche} of ${game.options.manches}`, PHASES[table.phase]),
      fact("Pot", table.pot),
      fact("Throw", `${table.throws} of ${most}`),
      table.leader && fact("Leads", table.leader),
    ),
    table.dice.length > 0 && h("div", { class: "kept" }, table.dice.map((face) => die(face))),
    table.kept.length > 0 && h("p", {}, "Keeps ", table.kept.join(" ")),
    table.rampeau && h("p", { class: "sum attack" }, `Rampeau ${RAMPEAU[table.rampeau.for]}: ${table.rampeau.players.join(", ")}`),
    hands(table.rampeau ? table.rampeau.done : table.done),
    scores(game, "Fiches", [["", (player) => role(player, table)]]),
  ].filter(Boolean);
}

function hands(done) {
  if (!done.length) return null;
  return h("ul", { class: "hands", "aria-label": "Hands of this coup" }, done.map((hand) => h(
    "li",
    {},
    h("span", { class: "name" }, hand.player),
    combination(hand.combination),
    hand.fiches !== undefined && h("b", {}, `worth ${hand.fiches}`),
  )));
}

function role(player, table) {
  const lost = table.losers.filter((loser) => loser === player).length;
  return [table.withdrawn.includes(player) && "has withdrawn", lost > 0 && `lost ${lost}`].filter(Boolean).join(", ");
}
