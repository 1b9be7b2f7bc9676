// Le Vingt-Six and Le Quatorze: the number, the hits of each throw, the stake, what the bank pays.

import { h } from "../dom.js";
import { die } from "../dice.js";
import { fact, facts, scores, signed } from "./common.js";

function bank(game, throws, paid) {
  const table = game.table;
  return [
    facts(
      fact("Number", table.face ? die(table.face) : "–"),
      fact("Hits", table.total),
      fact("Throws left", throws - table.throws.length),
      fact("Stake", table.stake || "–"),
    ),
    h("ol", { class: "cells" }, Array.from({ length: throws }, (_, index) => h("li", { class: index < table.throws.length && "done" }, table.throws[index] ?? ""))),
    h("ul", { class: "odds", "aria-label": "What the bank pays" }, paid.map((line) => paidLine(line, table, throws))),
    scores(game, "Chips", [
      ["All games", (player) => signed(table.net[player])],
      ["", (player) => (player === table.banker ? "banker" : "")],
    ]),
  ];
}

function paidLine(line, table, throws) {
  const begun = table.throws.length > 0;
  if (line.way === "coup_blanc") {
    const here = table.throws.length > 1 && table.throws.slice(1).every((hits) => hits === 0);
    return paidItem("no hit in the last four", line.odds, here);
  }
  const most = throws * 10;
  const text = line.from === line.to ? line.from : line.to >= most ? `${line.from} and more` : `${line.from} to ${line.to}`;
  return paidItem(text, line.odds, begun && table.total >= line.from && table.total <= line.to);
}

const paidItem = (text, odds, here) => h("li", { class: here && "here" }, h("span", {}, text), h("b", {}, `${odds} to 1`));

export const vingtSix = (game, paid) => bank(game, 13, paid);

export const quatorze = (game, paid) => bank(game, 5, paid);
