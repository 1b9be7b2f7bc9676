// The score sheet of each game, as its regulars know it.

import { h } from "../dom.js";
import { t } from "../words.js";
import { quatreVingtEtUn } from "./421.js";
import { quatorze, vingtSix } from "./bank.js";
import { thousand } from "./thousand.js";
import { vingtCinq } from "./vingt-cinq.js";

const SHEETS = {
  "vingt-six": [t("Le Vingt-Six"), vingtSix],
  quatorze: [t("Le Quatorze"), quatorze],
  "vingt-cinq": [t("Le 25"), vingtCinq],
  421: ["421", quatreVingtEtUn],
  thousand: [t("Thousand"), thousand],
};

// In the order in which they are offered: the keys of an object begin with its numbers.
export const GAMES = ["vingt-six", "quatorze", "vingt-cinq", "421", "thousand"];

export const title = (game) => SHEETS[game]?.[0] ?? game;

// With the players' chances to win, where they are known.
export const lines = ({ game, paid, chances = null }) => SHEETS[game.game][1](game, { paid, chances });

export const sheet = (state) => [
  h("h2", {}, title(state.game.game), " ", h("a", { href: `/rules/${state.game.game}`, class: "rules" }, t("Rules"))),
  lines(state),
];
