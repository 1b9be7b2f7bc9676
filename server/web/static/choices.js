// A choice in words, and what it costs against the best one.

import { number, row, t, tn } from "./words.js";

export const TINY = 0.0005;

const WORDS = { throw: t("throw"), bank: t("write the points down"), stop: t("stop"), le_bon: t("say “le bon”") };

export function chosen(action) {
  if (action.do === "keep") return action.dice.length ? t("keep {dice}", { dice: row(action.dice) }) : t("keep none");
  if (action.do === "call") return t("name the {face}", { face: action.face });
  if (action.do === "bet") return tn("stake {n} chip", "stake {n} chips", action.chips);
  return WORDS[action.do] ?? action.do;
}

const UNITS = {
  chips: (value, n) => tn("{n} chip", "{n} chips", value, { n }),
  fiches: (value, n) => tn("{n} fiche", "{n} fiches", value, { n }),
  points: (value, n) => tn("{n} point", "{n} points", value, { n }),
  "life points": (value, n) => tn("{n} life point", "{n} life points", value, { n }),
};

// A cost in the unit of its game; a chance is told in percent.
export const worth = (value, unit) => (UNITS[unit]
  ? UNITS[unit](value, number(value, { maximumFractionDigits: 2 }))
  : number(value, { style: "percent", maximumFractionDigits: 1 }));
