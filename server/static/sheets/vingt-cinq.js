// Le 25: the life points of everybody, the dice set aside, the attack.

import { h } from "../dom.js";
import { die } from "../dice.js";

export function vingtCinq(game) {
  const table = game.table;
  const lives = h("ul", { class: "lives" }, game.players.map((player) => {
    const points = game.scores[player];
    return h(
      "li",
      { class: points === 0 ? "out" : game.turn?.player === player ? "now" : false },
      h("span", { class: "name" }, player),
      h("meter", { min: 0, max: game.options.life, value: points, "aria-label": `${player}: ${points} life points` }),
      h("b", {}, points === 0 ? "out" : points),
    );
  }));
  if (game.finished) return [lives];
  const kept = h("div", { class: "kept" }, table.kept.map((face) => die(face)), Array.from({ length: 5 - table.kept.length }, () => h("span", { class: "slot" })));
  const now = table.phase === "attack"
    ? h("p", { class: "sum attack" }, "Attack with ", die(table.attack_face), ` hits so far: ${table.attack_kept}, worth ${table.attack_kept * table.attack_face}`)
    : h("p", { class: "sum" }, "Set aside: ", h("b", {}, table.sum), " towards 25");
  return [lives, kept, now];
}
