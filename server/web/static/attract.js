// When nobody plays: how to join, the day's records, the odds of the games; a slow round.

import { cup } from "./cup.js";
import { by, h } from "./dom.js";
import { figures } from "./figures.js";
import { reach } from "./reach.js";
import { GAMES, title } from "./sheets/index.js";
import { joining } from "./view.js";
import { t, tn } from "./words.js";

const SLIDE_MS = 12_000;

const RECORDS = {
  "vingt-six": (best) => tn("{n} hit in a turn", "{n} hits in a turn", best),
  quatorze: (best) => tn("{n} hit in a turn", "{n} hits in a turn", best),
  "vingt-cinq": (best) => tn("{n} point in an attack", "{n} points in an attack", best),
  421: (best) => tn("421 once", "421 {n} times", best),
  thousand: (best) => tn("{n} point in a turn", "{n} points in a turn", best),
};

const ask = async (path) => (await reach(path)).json();

async function welcome(simulated, mayJoin) {
  const place = await ask("/api/join");
  return slide(
    simulated ? t("The cornet") : t("Real dice, thrown by a machine"),
    cup(t("The cornet")),
    h("p", { class: "lines" }, t("Ask at the bar for a game.")),
    h("ul", { class: "titles" }, GAMES.map((game) => h("li", {}, title(game)))),
    mayJoin && place.url && joining(place),
  );
}

async function records() {
  const day = await ask("/api/history/day");
  if (!day.throws) return null;
  return slide(
    t("Today"),
    h("p", { class: "counts" }, h("span", {}, tn("{n} throw", "{n} throws", day.throws)), h("span", {}, tn("{n} game", "{n} games", day.games))),
    h("ul", { class: "board" }, day.records.map((best) => h("li", {}, h("b", {}, title(best.game)), h("span", {}, h("bdi", {}, best.player)), h("em", {}, RECORDS[best.game](best.best))))),
  );
}

async function odds() {
  const all = await Promise.all(GAMES.map(async (game) => [game, await ask(`/api/odds/${game}`)]));
  return slide(
    t("What the dice say"),
    h("ul", { class: "board" }, all.map(([game, answer]) => h("li", {}, h("b", {}, title(game)), h("span", { class: "wide" }, figures(answer).at(game === "vingt-six" || game === "quatorze" ? 1 : 0))))),
    h("p", { class: "small" }, t("All of this is worked out exactly.")),
  );
}

const slide = (head, ...body) => h("article", { class: body[0]?.tagName === "svg" ? "slide hello" : "slide" }, h("h2", {}, head), body);

// Begins the round; the function it gives ends it.
export function attract(simulated, mayJoin) {
  const place = by("attract");
  let turn = 0;
  let ended = false;
  let timer = null;
  async function next() {
    const made = await [welcome, records, odds][turn++ % 3](simulated, mayJoin).catch(() => null);
    if (ended) return;
    if (made) place.replaceChildren(made, ...(simulated ? [h("strong", { class: "simulated" }, t("Simulated dice"))] : []));
    timer = setTimeout(next, made ? SLIDE_MS : 1000);
  }
  place.hidden = false;
  next();
  return () => {
    ended = true;
    clearTimeout(timer);
    place.hidden = true;
    place.replaceChildren();
  };
}
