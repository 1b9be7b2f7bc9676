// What the score sheets share.

import { h } from "../dom.js";
import { number, t } from "../words.js";

// A chance, in whole percent: more would be a promise that nobody keeps. Its place is kept while nobody can tell it yet.
export const chance = (value) => (value === undefined ? "…" : number(value, { style: "percent", maximumFractionDigits: 0 }));

// With `mark`, what is said of a player behind the name; `hope` is what the chances are of.
export function scores(game, head, columns, chances, mark = () => null, hope = t("To win")) {
  const heads = [...columns.map(([name]) => name), ...(chances ? [hope] : [])];
  return h(
    "table",
    { class: "scores" },
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, t("Player")), h("th", { scope: "col" }, head), heads.map((name) => (name ? h("th", { scope: "col" }, name) : h("td", {}))))),
    h("tbody", {}, game.players.map((player) => h(
      "tr",
      { class: game.turn?.player === player ? "now" : false },
      h("th", { scope: "row" }, h("bdi", {}, player), mark(player) && [" ", h("small", {}, mark(player))]),
      h("td", { class: "score" }, figure(game.scores[player])),
      columns.map(([, cell]) => h("td", {}, cell(player))),
      chances && h("td", { class: "chance" }, chance(chances[player])),
    ))),
  );
}

// A score with the sign that is as wide as its figures.
export const figure = (score) => `${score}`.replace("-", "−");

export const signed = (score) => (score > 0 ? "+" : "") + figure(score);

export const fact = (name, ...value) => h("div", {}, h("dt", {}, name), h("dd", {}, ...value));

export const facts = (...pairs) => h("dl", { class: "facts" }, pairs);
