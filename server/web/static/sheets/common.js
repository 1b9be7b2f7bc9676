// What the score sheets share.

import { h } from "../dom.js";
import { number, t } from "../words.js";

// A chance to win, in whole percent: more would be a promise that nobody keeps.
export const chance = (value) => number(value, { style: "percent", maximumFractionDigits: 0 });

export function scores(game, head, columns = [], chances = null) {
  const more = chances ? [...columns, [t("To win"), (player) => chance(chances[player])]] : columns;
  return h(
    "table",
    { class: "scores" },
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, t("Player")), h("th", { scope: "col" }, head), more.map(([name]) => (name ? h("th", { scope: "col" }, name) : h("td", {}))))),
    h("tbody", {}, game.players.map((player) => h(
      "tr",
      { class: game.turn?.player === player ? "now" : false },
      h("th", { scope: "row" }, h("bdi", {}, player)),
      h("td", { class: "score" }, game.scores[player]),
      more.map(([, cell]) => h("td", {}, cell(player))),
    ))),
  );
}

export const signed = (number) => (number > 0 ? `+${number}` : `${number}`.replace("-", "−"));

export const fact = (name, ...value) => h("div", {}, h("dt", {}, name), h("dd", {}, ...value));

export const facts = (...pairs) => h("dl", { class: "facts" }, pairs);
