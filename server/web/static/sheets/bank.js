// Le Vingt-Six and Le Quatorze: the number, the hits of each throw, the stake, what the bank pays.

import { die } from "../dice.js";
import { h } from "../dom.js";
import { t } from "../words.js";
import { fact, facts, scores, signed } from "./common.js";

function bank(game, throws, { paid, chances }) {
  const table = game.table;
  const standing = scores(game, t("Chips"), game.options.games > 1 ? [[t("All games"), (player) => signed(table.net[player])]] : [], chances, (player) => player === table.banker && t("bank"));
  // The last turn is cleared away, and no other one comes.
  if (game.finished) return [standing];
  return [
    facts(
      fact(t("Number"), table.face ? die(table.face) : "–"),
      fact(t("Hits"), h("b", { class: "big" }, table.total)),
      fact(t("Throws left"), throws - table.throws.length),
      fact(t("Stake"), table.stake || "–"),
    ),
    h("ol", { class: "cells", "aria-label": t("Hits of each throw") }, Array.from({ length: throws }, (_, index) => h("li", { class: index < table.throws.length && "done" }, table.throws[index] ?? ""))),
    h("ul", { class: "odds", "aria-label": t("What the bank pays") }, paid.map((line) => paidLine(line, table, throws))),
    standing,
  ];
}

function paidLine(line, table, throws) {
  const begun = table.throws.length > 0;
  if (line.way === "coup_blanc") {
    const here = table.throws.length > 1 && table.throws.slice(1).every((hits) => hits === 0);
    return paidItem(t("no hit in the last four"), line.odds, here);
  }
  const most = throws * 10;
  const text = line.from === line.to ? line.from : line.to >= most ? t("{n} and more", { n: line.from }) : t("{low} to {high}", { low: line.from, high: line.to });
  return paidItem(text, line.odds, begun && table.total >= line.from && table.total <= line.to);
}

const paidItem = (text, odds, here) => h("li", { class: here && "here" }, h("span", {}, text), h("b", {}, t("{odds} to 1", { odds })));

export const vingtSix = (game, known) => bank(game, 13, known);

export const quatorze = (game, known) => bank(game, 5, known);
