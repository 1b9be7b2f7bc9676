// Thousand: a column for each player, what was written and crossed out, barrels, bolts, falls.

import { h } from "../dom.js";
import { die } from "../dice.js";
import { fact, facts } from "./common.js";

const LINES = 6;

export function thousand(game) {
  const turn = game.table.turn;
  return [
    turn && facts(
      fact("This turn", turn.points),
      fact("Needs", game.table.players[game.turn.player].needs || "–"),
      fact("Throw", turn.throws + (game.turn.legal.includes("throw") ? 1 : 0)),
      turn.confirm && fact("All five counted", "confirm"),
    ),
    turn && turn.kept.length > 0 && h("div", { class: "kept" }, turn.kept.map((face) => die(face))),
    h("div", { class: "columns" }, game.players.map((player) => column(game, player))),
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

function column(game, player) {
  const about = game.table.players[player];
  const lines = written(game, player);
  const older = lines.slice(-LINES, -1);
  return h(
    "section",
    { class: game.turn?.player === player ? "column now" : "column" },
    h("h3", {}, player),
    h("ol", {}, older.map((score) => h("li", {}, h("s", {}, score))), h("li", { class: "score" }, lines.at(-1))),
    h("p", { class: "marks" }, [
      !about.entered && "not in yet",
      about.on_final_barrel && `on the barrel, attempt ${about.attempts + 1}`,
      about.barrel && `barrel ${about.barrel[0]} to ${about.barrel[1]}`,
      about.bolts > 0 && `bolts ${"/".repeat(about.bolts)}`,
      about.falls > 0 && `falls ${about.falls}`,
      about.busts > 0 && `busts ${about.busts}`,
    ].filter(Boolean).join(" · ")),
  );
}
