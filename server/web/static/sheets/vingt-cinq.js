// Le 25: the life points of everybody, the dice set aside, the attack.

import { die } from "../dice.js";
import { h } from "../dom.js";
import { t, tn, tx } from "../words.js";
import { scores } from "./common.js";

export function vingtCinq(game, { chances }) {
  const table = game.table;
  const meter = (player) => h("meter", { min: 0, max: game.options.life, value: game.scores[player], "aria-hidden": "true" });
  const lives = scores(game, t("Life points"), [["", meter]], chances, (player) => game.scores[player] === 0 && t("out"));
  if (game.finished) return [lives];
  const kept = h("div", { class: "kept" }, table.kept.map((face) => die(face)), Array.from({ length: 5 - table.kept.length }, () => h("span", { class: "slot" })));
  const now = table.phase === "attack"
    ? h("p", { class: "sum attack" }, tx("Attack with {die}: {hits}, worth {points}", { die: die(table.attack_face), hits: tn("{n} hit", "{n} hits", table.attack_kept), points: h("b", {}, table.attack_kept * table.attack_face) }))
    : h("p", { class: "sum" }, tx("Set aside: {sum} towards 25", { sum: h("b", { class: "big" }, table.sum) }));
  return [lives, kept, now];
}
