// Who sits where: let in, name, seat, send away; open and lock the table.

import { by, h, show } from "./dom.js";
import { playing } from "./view.js";
import { t } from "./words.js";

const JOINING = [["open", t("Anybody may join")], ["code", t("With the television’s code")], ["approve", t("I let everybody in")], ["locked", t("Nobody new")]];

export function renderSeats(state, request) {
  const seats = state.seats;
  show(by("joining"), seats.joining, (joining) => JOINING.map(([kind, text]) => h("label", {}, h("input", { type: "radio", name: "joining", value: kind, checked: joining === kind, onchange: () => request("PUT", "/api/joining", { joining: kind }) }), text)));
  // Nobody's typing is swept away by news.
  if ([...by("guests").querySelectorAll("input")].some((field) => field.value !== field.defaultValue)) return;
  show(by("guests"), { list: seats.list, players: playing(state) ? state.game.players : [] }, ({ list, players }) => (list.length ? list.map((seat) => guest(seat, players, request)) : h("li", { class: "dim" }, t("Nobody has taken a seat yet."))));
}

function guest(seat, players, request) {
  const path = `/api/seats/${seat.id}`;
  const name = h("input", { value: seat.name, maxlength: 40, "aria-label": t("Name of {name}", { name: seat.name }), onchange: () => {
    name.defaultValue = name.value;
    request("PATCH", path, { name: name.value });
  } });
  const place = h("select", { "aria-label": t("{name} plays as", { name: seat.name }), onchange: (event) => request("PATCH", path, { player: event.target.value === "" ? null : Number(event.target.value) }) }, h("option", { value: "" }, t("watches")), players.map((player, index) => h("option", { value: index, selected: seat.player === index }, player)));
  return h(
    "li",
    { class: seat.present ? "present" : "away" },
    h("span", { class: "presence" }, seat.present ? t("here") : t("away")),
    name,
    players.length > 0 && place,
    !seat.approved && h("button", { class: "main", onclick: () => request("PATCH", path, { approved: true }) }, t("Let in")),
    h("button", { class: "quiet", "aria-label": t("Send {name} away", { name: seat.name }), onclick: () => confirm(t("Send {name} away?", { name: seat.name })) && request("DELETE", path) }, "×"),
  );
}

const CHARACTERS = [["", t("plays by themselves")], ["careful", t("the house, careful")], ["bold", t("the house, bold")], ["perfect", t("the house, perfect")]];

// The house may play for anybody; advice has a switch for the game and one for each player.
export function renderHouse(state, request) {
  const { advice } = state;
  const switched = (player) => (event) => request("PUT", "/api/advice", { advice: event.target.checked, player });
  by("advising").hidden = !playing(state);
  by("advising").firstElementChild.checked = advice.game;
  by("advising").firstElementChild.onchange = switched(null);
  show(by("characters"), { players: playing(state) ? state.game.players : [], house: state.house, advice }, ({ players, house, advice }) => players.map((player, index) => h(
    "li",
    {},
    h("bdi", {}, player),
    h("select", { "aria-label": t("Who plays for {name}", { name: player }), onchange: (event) => request("PUT", `/api/players/${index}`, { by: event.target.value || null }) }, CHARACTERS.map(([kind, text]) => h("option", { value: kind, selected: (house?.[index] ?? "") === kind }, text))),
    advice.game && h("label", { class: "check" }, h("input", { type: "checkbox", checked: advice.players[index], "aria-label": t("Advice for {name}", { name: player }), onchange: switched(index) }), h("span", {}, t("advice"))),
  )));
}
