// Every game, newest first; who has won how often.

import { by, h } from "./dom.js";
import { newest, reach } from "./reach.js";
import { GAMES, title } from "./sheets/index.js";
import { outcome } from "./view.js";
import { date, list, say, t, tn } from "./words.js";

const searching = newest();
const ranking = newest();
let searched = {};
let oldest = null;

function ending(game) {
  if (game.void) return h("span", { class: "dim" }, t("void"));
  if (!game.finished) return h("span", { class: "going" }, t("not finished"));
  // Of 421 the one who pays is told.
  return h("strong", {}, game.result.rounds ? outcome(game) : t("{players} won", { players: list(game.winners) }));
}

const line = (game) => h("li", {}, h(
  "a",
  { href: `/history/${game.id}` },
  h("b", {}, title(game.game)),
  h("time", { datetime: game.at }, date(game.at)),
  h("span", { class: "names" }, list(game.players)),
  ending(game),
  game.simulated && h("strong", { class: "simulated" }, t("Simulated dice")),
  h("small", {}, [tn("{n} throw", "{n} throws", game.throws), game.refused > 0 && tn("{n} refused", "{n} refused", game.refused), game.entered > 0 && tn("{n} by hand", "{n} by hand", game.entered), game.corrected > 0 && tn("{n} corrected", "{n} corrected", game.corrected)].filter(Boolean).join(" · ")),
));

// What is answered; where that is why it cannot be, that is shown in its place.
async function told(asked, place) {
  const answer = await asked;
  const body = await answer.json();
  if (answer.ok) return body;
  place.replaceChildren(h(place.matches("ol, ul") ? "li" : "p", { class: "empty" }, say(body.error)));
  return null;
}

async function games(more) {
  // What is older is of the same search, whatever was typed since.
  if (!more) searched = { player: by("player").value, game: by("kind").value };
  const query = new URLSearchParams({ ...searched, ...(more && oldest ? { before: oldest } : {}) });
  const isNewest = searching();
  // Why older ones cannot be told is said behind those that are shown.
  by("older-answer").replaceChildren();
  const answer = await told(reach(`/api/history?${query}`), by(more ? "older-answer" : "games"));
  if (!answer || !isNewest()) return;
  const lines = answer.games.map(line);
  if (!lines.length && !more) lines.push(h("li", { class: "empty" }, Object.values(searched).some(Boolean) ? t("Nothing was played that fits.") : t("Nothing has been played yet.")));
  if (more) by("games").append(...lines);
  else by("games").replaceChildren(...lines);
  oldest = answer.games.at(-1)?.id ?? oldest;
  by("older").hidden = !answer.more;
}

const SEASONS = {
  winter: (year) => t("Winter {year}", { year: `${year - 1}/${year % 100}` }),
  spring: (year) => t("Spring {year}", { year }),
  summer: (year) => t("Summer {year}", { year }),
  autumn: (year) => t("Autumn {year}", { year }),
};

function season(name) {
  const [year, part] = name.split("-");
  return h("option", { value: name, selected: name === by("season").value }, SEASONS[part](Number(year)));
}

async function leaders() {
  const query = new URLSearchParams({ season: by("season").value, player: by("player").value });
  const isNewest = ranking();
  const answer = await told(reach(`/api/history/leaders?${query}`), by("leaders"));
  if (!answer || !isNewest()) return;
  const { leaders: rows, seasons } = answer;
  by("season").replaceChildren(h("option", { value: "" }, t("of all time")), ...seasons.map(season));
  const kind = by("kind").value;
  const shown = GAMES.filter((game) => !kind || game === kind).map((game) => [game, rows.filter((row) => row.game === game).slice(0, 8)]).filter(([, found]) => found.length);
  by("leaders").replaceChildren(...(shown.length ? shown.map(([game, found]) => table(game, found)) : [h("p", { class: "empty" }, t("No game has been finished yet."))]));
}

const table = (game, rows) => h(
  "table",
  { class: "scores" },
  h("thead", {}, h("tr", {}, h("th", { scope: "col" }, title(game)), h("th", { scope: "col" }, t("Won")), h("th", { scope: "col" }, t("Played")))),
  h("tbody", {}, rows.map((row) => h("tr", {}, h("th", { scope: "row" }, h("bdi", {}, row.player)), h("td", {}, row.wins), h("td", {}, row.games)))),
);

by("kind").append(...GAMES.map((game) => h("option", { value: game }, title(game))));
by("search").addEventListener("submit", (event) => { event.preventDefault(); games(false); leaders(); });
by("kind").addEventListener("change", () => { games(false); leaders(); });
by("season").addEventListener("change", leaders);
by("older").addEventListener("click", () => games(true));
games(false);
leaders();
