// 421: pot and fiches, charge and décharge, the throws allowed, the best and the worst so far.

import { die } from "../dice.js";
import { h, svg } from "../dom.js";
import { list, t, tn } from "../words.js";
import { fact, facts, scores } from "./common.js";

const PHASES = { charge: t("Charge"), decharge: t("Décharge"), over: t("Over") };
const RAMPEAU = {
  both: t("Rampeau for best and worst: {players}"),
  best: t("Rampeau for the best: {players}"),
  worst: t("Rampeau for the worst: {players}"),
  opener: t("Rampeau for who opens: {players}"),
};

const combination = (text) => h("span", { class: "combination", role: "img", "aria-label": text }, [...text].map((face) => die(Number(face), { label: "" })));

// Fiches in rolls of ten, as they lie on the counter.
function rolls(n) {
  const [wide, high] = [Math.min(n, 10), Math.ceil(n / 10)];
  return n > 0 && svg("svg", { viewBox: `0 0 ${10 * wide} ${10 * high}`, width: `${0.7 * wide}em`, class: "fiches", "aria-hidden": "true" }, Array.from({ length: n }, (_, place) => svg("circle", { cx: 10 * (place % 10) + 5, cy: 10 * Math.floor(place / 10) + 5, r: 4.2 })));
}

export function quatreVingtEtUn(game, { chances }) {
  const table = game.table;
  const most = table.limit ?? (table.phase === "charge" ? game.options.charge_throws : 3);
  return [
    facts(
      fact(t("Manche {n} of {of}", { n: table.manche, of: game.options.manches }), PHASES[table.phase]),
      fact(t("Pot"), table.pot),
      fact(t("Throw"), t("{n} of {of}", { n: table.throws, of: most })),
    ),
    table.dice.length > 0 && h("div", { class: "kept" }, table.dice.map((face) => die(face))),
    table.kept.length > 0 && h("p", { class: "aside" }, t("Keeps {dice}", { dice: table.kept.join(" ") })),
    table.rampeau && h("p", { class: "sum attack" }, RAMPEAU[table.rampeau.for].replace("{players}", list(table.rampeau.players))),
    hands(table.rampeau ? table.rampeau.done : table.done),
    scores(game, t("Fiches"), [["", (player) => [rolls(game.scores[player]), h("small", {}, role(player, table))]]], chances),
  ].filter(Boolean);
}

function hands(done) {
  if (!done.length) return null;
  return h("ul", { class: "hands", "aria-label": t("Hands of this coup") }, done.map((hand) => h(
    "li",
    {},
    h("bdi", { class: "name" }, hand.player),
    combination(hand.combination),
    hand.fiches !== undefined && h("b", {}, tn("worth {n}", "worth {n}", hand.fiches)),
  )));
}

function role(player, table) {
  const lost = table.losers.filter((loser) => loser === player).length;
  return [player === table.leader && table.phase !== "over" && t("leads"), table.withdrawn.includes(player) && t("is safe"), lost > 0 && tn("{n} manche lost", "{n} manches lost", lost)].filter(Boolean).join(", ");
}
