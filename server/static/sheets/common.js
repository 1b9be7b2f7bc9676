// What the score sheets share.

import { h } from "../dom.js";
import { t } from "../words.js";

export function scores(game, head, more = []) {
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
