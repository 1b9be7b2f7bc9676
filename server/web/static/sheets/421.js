// 421: pot and fiches, charge and décharge, the throws allowed, the best and the worst so far.

import { die } from "../dice.js";
import { h, svg } from "../dom.js";
import { list, row, t, tn } from "../words.js";
import { fact, facts, scores } from "./common.js";

const PHASES = { charge: t("Charge"), decharge: t("Décharge"), over: t("Over") };
const RAMPEAU = {
  both: t("Rampeau for best and worst: {players}"),
  best: t("Rampeau for the best: {players}"),
  worst: t("Rampeau for the worst: {players}"),
  opener: t("Rampeau for who opens: {players}"),
};

const RANKS = { best: t("best"), worst: t("worst") };

const MANY = 6;

const combination = (text) => h("span", { class: "combination", role: "img", "aria-label": text }, [...text].map((face) => die(Number(face), { label: "" })));

// Fiches in rolls of ten, as they lie on the counter.
function rolls(n) {
  const [wide, high] = [Math.min(n, 10), Math.ceil(n / 10)];
  return n > 0 && svg("svg", { viewBox: `0 0 ${10 * wide} ${10 * high}`, width: `${0.7 * wide}em`, class: "fiches", "aria-hidden": "true" }, Array.from({ length: n }, (_, place) => svg("circle", { cx: 10 * (place % 10) + 5, cy: 10 * Math.floor(place / 10) + 5, r: 4.2 })));
}

// What the combinations are worth here, of the most fiches first; the many that are worth the same are the others.
function worths(paid, now) {
  const lines = new Map();
  for (const { fiches, combinations } of paid) lines.set(fiches, [...(lines.get(fiches) ?? []), ...combinations]);
  return h("ul", { class: "odds", "aria-label": t("What the combinations are worth") }, [...lines].sort(([one], [other]) => other - one).map(([fiches, names]) => (
    h("li", { class: names.includes(now) && "here" }, h("span", {}, names.length > MANY ? t("the others") : names.join(" ")), h("b", {}, fiches)))));
}

export function quatreVingtEtUn(game, { paid, chances }) {
  const table = game.table;
  const most = table.limit ?? (table.phase === "charge" ? game.options.charge_throws : 3);
  return [
    facts(
      fact(t("Manche {n} of {of}", { n: table.manche, of: game.options.manches }), PHASES[table.phase]),
      fact(t("Pot"), table.pot),
      game.turn && fact(t("Throw"), t("{n} of {of}", { n: table.throws + (game.turn.legal.includes("throw") ? 1 : 0), of: most })),
    ),
    table.dice.length > 0 && h("div", { class: "kept rolled" }, table.dice.map((face) => die(face))),
    table.kept.length > 0 && h("p", {}, t("Keeps {dice}", { dice: row(table.kept) })),
    table.rampeau && h("p", { class: "sum attack" }, RAMPEAU[table.rampeau.for].replace("{players}", () => list(table.rampeau.players))),
    hands(table.rampeau ? table.rampeau.done : table.done, paid, game.options.cumulative && table.phase === "charge"),
    worths(paid, [...table.dice].sort().reverse().join("")),
    scores(game, t("Fiches"), [["", (player) => rolls(game.scores[player])]], chances, (player) => (game.finished ? debt(game.result.rounds[player]) : role(player, table)), t("Pays nothing")),
  ].filter(Boolean);
}

// A hand's fiches are the sum of its throws, which counts only where they are cumulative, and there in the charge alone.
function hands(done, paid, cumulative) {
  if (!done.length) return null;
  const ranking = paid.flatMap((line) => line.combinations);
  const worth = (hand) => (cumulative ? hand.fiches : paid.find((line) => line.combinations.includes(hand.combination)).fiches);
  const places = done.map((hand) => ranking.indexOf(hand.combination));
  const [best, worst] = [Math.min(...places), Math.max(...places)];
  const rank = (place) => (best === worst ? null : place === best ? "best" : place === worst ? "worst" : null);
  return h("ul", { class: "hands", "aria-label": t("Hands of this coup") }, done.map((hand, index) => h(
    "li",
    { class: rank(places[index]) ?? false, "data-worth": hand.fiches === undefined ? false : worth(hand) },
    h("span", { class: "name" }, h("bdi", {}, hand.player), " ", h("small", {}, RANKS[rank(places[index])])),
    combination(hand.combination),
    hand.fiches !== undefined && h("b", {}, tn("worth {n}", "worth {n}", worth(hand))),
  )));
}

// Whoever is safe in the last manche may have lost the one before: at the end it is told who pays.
const debt = (rounds) => (rounds ? tn("pays {n} round", "pays {n} rounds", rounds) : t("pays nothing"));

function role(player, table) {
  const lost = table.losers.filter((loser) => loser === player).length;
  return [player === table.leader && t("leads"), table.withdrawn.includes(player) && t("is safe"), lost > 0 && tn("{n} manche lost", "{n} manches lost", lost)].filter(Boolean).join(", ");
}
