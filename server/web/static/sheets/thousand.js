// Thousand: a column for each player, what was written and crossed out, barrels, bolts, falls.

import { die } from "../dice.js";
import { h } from "../dom.js";
import { t } from "../words.js";
import { chance, fact, facts, figure } from "./common.js";

const LINES = 6;

export function thousand(game, { chances }) {
  const turn = game.table.turn;
  return [
    turn && facts(
      fact(t("This turn"), h("b", { class: "big" }, turn.points)),
      fact(t("Needs"), game.table.players[game.turn.player].needs || "–"),
      fact(t("Throw"), turn.throws + (game.turn.legal.includes("throw") ? 1 : 0)),
      turn.confirm && fact(t("All five counted"), t("confirm")),
    ),
    turn && turn.kept.length > 0 && h("div", { class: "kept" }, turn.kept.map((face) => die(face))),
    h("div", { class: "columns" }, game.players.map((player) => column(game, player, chances))),
  ].filter(Boolean);
}

// What was written, oldest first: every entry of the log that gave the player a score.
function written(game, player) {
  const lines = game.log
    .filter((entry) => entry.score !== undefined && entry.event !== "win" && entry.event !== "final_barrel" && entry.event !== "enter")
    .filter((entry) => (entry.event === "overtake" ? entry.overtaken : entry.player) === player)
    .map((entry) => entry.score);
  const now = game.scores[player];
  if (lines.at(-1) !== now) lines.push(now);
  return lines;
}

function column(game, player, chances) {
  const about = game.table.players[player];
  const lines = written(game, player);
  const older = lines.slice(-LINES, -1);
  return h(
    "section",
    { class: game.turn?.player === player ? "column now" : "column" },
    h("h3", {}, h("bdi", {}, player)),
    h("ol", {}, older.map((score) => h("li", {}, h("s", {}, figure(score)))), h("li", { class: "score" }, figure(lines.at(-1)))),
    chances && h("p", { class: "chance" }, t("{share} to win", { share: chance(chances[player]) })),
    h("p", { class: "marks" }, [
      !about.entered && t("not in yet"),
      about.on_final_barrel && t("on the barrel, attempt {n}", { n: about.attempts + 1 }),
      about.barrel && t("barrel {low} to {high}", { low: about.barrel[0], high: about.barrel[1] }),
      about.bolts > 0 && t("bolts {marks}", { marks: "/".repeat(about.bolts) }),
      about.falls > 0 && t("falls {n}", { n: about.falls }),
      about.busts > 0 && t("busts {n}", { n: about.busts }),
    ].filter(Boolean).join(" · ")),
  );
}
