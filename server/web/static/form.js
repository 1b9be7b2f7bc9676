// The form of a new game: players, game, and the options as the engine describes them.

import { key } from "./ask.js";
import { by, h, show, stand } from "./dom.js";
import { figures } from "./figures.js";
import { newest, reach } from "./reach.js";
import { say, t } from "./words.js";

const place = (n) => t("Player {n}", { n });

const filling = newest();

let games = [];
let filledFor = null;
let seated = [];

export async function setUpForm(ask, answered) {
  if (!by("players").childElementCount) ["", ""].forEach(addPlayer);
  games = await (await reach("/api/games")).json();
  by("games").replaceChildren(...games.map((game, index) => h(
    "label",
    {},
    h("input", { type: "radio", name: "game", value: game.game, checked: index === 0, onchange: () => showOptions() }),
    h("span", {}, say(game.title)),
  )));
  showOptions();
  by("add-player").addEventListener("click", () => {
    addPlayer("").focus();
    showUsual();
  });
  by("game-form").addEventListener("submit", (event) => {
    event.preventDefault();
    by("answer").textContent = unreadable();
    if (!unreadable()) answered(ask("POST", "/api/games", { ...readForm(), key: key() }));
  });
}

// After a game the same one is offered again, to the same people. The games may not be there yet.
export function fillForm({ game, game_id, options }) {
  if (!game || !games.length || filledFor === game_id) return;
  filledFor = game_id;
  by("players").replaceChildren();
  game.players.forEach(addPlayer);
  for (const one of document.querySelectorAll("[name=game]")) one.checked = one.defaultChecked = one.value === game.game;
  showOptions(options);
}

// Who has a seat and is not in the list yet is put there by a tap.
export function offerSeated(seats) {
  seated = seats.list.filter((seat) => seat.approved).map((seat) => seat.name);
  offerFree();
}

const inputs = () => [...by("players").querySelectorAll("input")];

function offerFree() {
  const listed = inputs().map((input) => input.value);
  show(by("seated"), seated.filter((name) => !listed.includes(name)), (free) => free.map((name) => h("button", { type: "button", onclick: () => {
    const empty = inputs().find((input) => !input.value);
    if (empty) empty.value = name;
    else addPlayer(name);
    offerFree();
    showUsual();
  } }, `+ ${name}`)));
}

function addPlayer(name) {
  const input = h("input", { value: name, maxlength: 40, autocomplete: "off", onchange: offerFree });
  const remove = h("button", { type: "button", class: "quiet", "aria-label": t("Take this player out"), onclick: () => takeOut(line) }, "×");
  const line = h("li", {}, input, remove);
  by("players").append(line);
  label();
  return input;
}

// Who has no name goes by his place; two are the least that play.
function label() {
  for (const button of by("players").querySelectorAll("button")) button.disabled = inputs().length <= 2;
  inputs().forEach((input, index) => {
    input.placeholder = place(index + 1);
    input.setAttribute("aria-label", input.placeholder);
  });
}

function takeOut(line) {
  line.remove();
  stand(by("players"));
  label();
  offerFree();
  showUsual();
}

const chosen = () => games.find((game) => game.game === document.querySelector("[name=game]:checked").value);

function showOptions(given = {}) {
  by("options").replaceChildren(...chosen().options.map((option) => h(
    "label",
    { class: "option" },
    h("span", {}, say(option.sentence)),
    field(option, given[option.name]),
  )));
  showUsual();
}

function field(option, given) {
  const common = { name: option.name, "data-type": option.type, onchange: showUsual };
  if (option.type === "whole") {
    return h("input", { ...common, type: "number", inputmode: "numeric", min: option.low, max: option.high ?? false, step: option.step, value: given });
  }
  if (option.type === "text") return h("input", { ...common, type: "text", value: given && pairs(given) });
  const values = option.type === "flag" ? [["true", t("yes")], ["false", t("no")]] : option.choices.map((choice) => [choice, say(option.words[choice])]);
  return h("select", common, h("option", { value: "" }, t("usual")), values.map(([value, text]) => h("option", { value, selected: value === String(given) }, text)));
}

const pairs = (given) => given.map((pair) => pair.join("-")).join(", ");

function words(name, value) {
  if (typeof value === "boolean") return value ? t("yes") : t("no");
  return say(chosen().options.find((option) => option.name === name).words?.[value]) ?? String(value);
}

// What holds where nothing is said, given what is said: the engine knows, the page only asks.
async function showUsual() {
  by("options-answer").textContent = unreadable();
  if (unreadable()) return;
  const { game, players, options } = readForm();
  const query = new URLSearchParams({ players: players.length, options: JSON.stringify(options) });
  const isNewest = filling();
  const answer = await reach(`/api/games/${game}/options?${query}`);
  if (!isNewest()) return;
  const filled = await answer.json();
  by("options-answer").textContent = answer.ok ? "" : say(filled.error);
  if (!answer.ok) return;
  for (const field of by("options").querySelectorAll("input, select")) {
    const usual = Array.isArray(filled[field.name]) ? pairs(filled[field.name]) : words(field.name, filled[field.name]);
    if (field.tagName === "INPUT") field.placeholder = usual;
    else if (field.value === "") field.options[0].textContent = t("usual: {value}", { value: usual });
  }
  const odds = await reach(`/api/odds/${game}?options=${encodeURIComponent(JSON.stringify(filled))}`);
  if (odds.ok && isNewest()) by("means").replaceChildren(...figures(await odds.json(), players.length).map((line) => h("li", {}, line)));
}

const READERS = {
  whole: Number,
  flag: (text) => text === "true",
  choice: (text) => text,
  text: (text) => text.split(/[,;]/).filter((part) => part.trim()).map((pair) => pair.split("-").map(Number)),
};

const PAIRS = /^\s*(\d+\s*-\s*\d+\s*([,;]\s*|$))*$/;

const unreadable = () => ([...by("options").querySelectorAll("[data-type=text]")].every((field) => PAIRS.test(field.value)) ? "" : t("Barrels are written thus: 200-300, 600-700."));

function readForm() {
  const options = {};
  for (const field of by("options").querySelectorAll("input, select")) {
    if (field.value !== "") options[field.name] = READERS[field.dataset.type](field.value);
  }
  const players = inputs().map((input, index) => input.value.trim() || place(index + 1));
  return { game: chosen().game, players, options };
}
