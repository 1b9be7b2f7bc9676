// The score sheet of each game, as its regulars know it.

import { h } from "../dom.js";
import { quatorze, vingtSix } from "./bank.js";
import { quatreVingtEtUn } from "./421.js";
import { thousand } from "./thousand.js";
import { vingtCinq } from "./vingt-cinq.js";

const SHEETS = {
  "vingt-six": ["Le Vingt-Six", vingtSix],
  quatorze: ["Le Quatorze", quatorze],
  "vingt-cinq": ["Le 25", vingtCinq],
  421: ["421", quatreVingtEtUn],
  thousand: ["Thousand", thousand],
};

export function sheet({ game, paid }) {
  const [title, draw] = SHEETS[game.game];
  return [h("h2", {}, title, " ", h("a", { href: `/rules/${game.game}`, class: "rules" }, "Rules")), draw(game, paid)];
}
