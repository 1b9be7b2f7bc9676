"""Who asks: the API of seats, of joining, and of the bartender's PIN."""

import secrets
from typing import Any, NoReturn

from flask import Blueprint, Response, abort, jsonify, render_template, request

from server.chain import Event
from server.names import BadName, clean, folded
from server.seats import JOINING, SEATS
from server.seats import Seat as Holder
from server.stage import SEQS, NotNow
from server.standing import Standing
from server.web import guard
from server.web.access import BadPin, Wait, WrongPin, hashed
from server.web.handed import handed
from server.web.openapi import ANYBODY, DONE, OPERATOR, SEAT, UNWRITTEN, body, operation

SEAT_COOKIE = "cornet_seat"
SEATS_AN_ADDRESS = 8
"""Most seats that one address of guests may hold at a time."""
_YEAR_S = 366 * 86_400

people = Blueprint("people", __name__, url_prefix="/api")

_NAME = {"type": "string", "minLength": 1, "maxLength": 200, "description": "a name"}
_FLAG = {"type": "boolean", "description": "true or false"}
_PLAYER = {
    "type": ["integer", "null"],
    "minimum": 0,
    "maximum": 99,
    "description": "a player's number, from 0, or null",
}
_JOINING = {"type": "string", "enum": list(JOINING), "description": "one of open, code, approve, locked"}
_CODE = {"type": "string", "maxLength": 100, "description": "the join code on the television, a text"}
_NEW_PIN = {"type": "string", "pattern": "^[0-9]{6,32}$", "description": "a text of 6 to 32 digits"}
_PIN = {"type": "string", "minLength": 1, "maxLength": 100, "description": "the PIN, a text"}
_SEAT: dict[str, Any] = {
    "type": "object",
    "required": ["id", "name", "approved", "player"],
    "properties": {
        "id": {"type": "integer"},
        "name": {"type": "string"},
        "approved": {"type": "boolean"},
        "player": {"type": ["integer", "null"]},
    },
}
_SEATED = {"type": "object", "required": ["seat"], "properties": {"seat": _SEAT}}
_ME = {
    "type": "object",
    "required": ["role", "token", "pin", "seat", "freed"],
    "properties": {
        "role": {"enum": ["console", "operator", "guest"]},
        "token": {"type": "string"},
        "pin": {"type": "boolean"},
        "seat": {**_SEAT, "type": ["object", "null"]},
        "freed": {"type": "boolean"},
    },
}
_ROLE = {"type": "object", "required": ["role"], "properties": {"role": {"enum": ["console", "operator", "guest"]}}}


@people.get("/me")
@operation(
    ANYBODY,
    {200: "Role, token, whether there is a PIN, the seat, and whether one that was held is no more."},
    gives=_ME,
)
def me() -> Response:
    """Who asks."""
    seat = my_seat()
    return jsonify(
        role=guard.role_of(request),
        token=guard.token_of(request),
        pin=handed().access.is_set,
        seat=seat.as_json() if seat else None,
        freed=seat is None and SEAT_COOKIE in request.cookies,
    )


@people.post("/seats")
@operation(
    ANYBODY,
    {
        201: "The seat; its secret is in the cookie.",
        409: "The name is taken, or nobody may join now.",
        410: "The code is no longer shown.",
    },
    body={"name": _NAME, "code": _CODE},
    needed=("name",),
    gives=_SEATED,
    is_note=True,
)
def take_seat() -> tuple[Response, int]:
    """Take a seat."""
    given = body()
    name, code = _clean(given["name"]), given.get("code")
    if my_seat() is not None:
        abort(409, "You have a seat already; change its name instead.")
    if code is not None and not handed().codes.takes(code):
        abort(410, "This code is no longer shown: take the one on the television, or none and ask the bartender.")
    secret, role, address = secrets.token_hex(16), guard.role_of(request), guard.neighbourhood(request)
    table = handed().table

    def join(standing: Standing) -> dict[str, Any]:
        taken = handed().addresses
        for gone in taken.keys() - standing.seats.list.keys():
            del taken[gone]
        if role == "guest" and list(taken.values()).count(address) >= SEATS_AN_ADDRESS:
            raise NotNow(f"{SEATS_AN_ADDRESS} seats were taken from here; give one back, or ask the bartender.")
        newcomer = _newcomer(standing, name, role, table.board.present, code is not None)
        seat = table.note("seat", {"secret": hashed(secret), "by": role, **newcomer}).seq
        taken[seat] = address
        return standing.seats.list[seat].as_json()

    response = jsonify(seat=table.ask(join))
    response.set_cookie(SEAT_COOKIE, secret, max_age=_YEAR_S, httponly=True, samesite="Lax")
    return response, 201


@people.patch("/seats/mine")
@operation(
    SEAT,
    {200: "The seat; where not everybody may join, it is to be approved again.", 409: "The name is taken."},
    body={"name": _NAME},
    needed=("name",),
    gives=_SEATED,
    is_note=True,
)
def rename() -> Response:
    """Change the name of the own seat."""
    name, seat = _clean(body()["name"]), need_seat()
    return _change(seat.id, {"name": name}, who())


@people.delete("/seats/mine")
@operation(SEAT, {200: "It is free again.", 409: UNWRITTEN}, gives=DONE)
def give_back() -> Response:
    """Give the own seat back."""
    response = _leave(need_seat().id, who())
    response.delete_cookie(SEAT_COOKIE, httponly=True, samesite="Lax")
    return response


@people.patch("/seats/<int:number>")
@operation(
    OPERATOR,
    {200: "The seat.", 404: "There is no such seat.", 409: "The name is taken, or there is no such player."},
    body={"name": _NAME, "approved": _FLAG, "player": _PLAYER},
    gives=_SEATED,
)
def change_seat(number: int) -> Response:
    """Rename somebody, approve him, or say which player of the running game he is."""
    given = body()
    if "name" in given:
        given["name"] = _clean(given["name"])
    return _change(number, given, who())


@people.delete("/seats/<int:number>")
@operation(OPERATOR, {200: "It is free again.", 404: "There is no such seat.", 409: UNWRITTEN}, gives=DONE)
def clear_seat(number: int) -> Response:
    """Send somebody away from his seat."""
    return _leave(number, who())


@people.put("/joining")
@operation(
    OPERATOR, {200: "It is so now.", 409: UNWRITTEN}, body={"joining": _JOINING}, needed=("joining",), gives=DONE
)
def set_joining() -> Response:
    """Say who may join: anybody, who has the television's code or is approved, whoever is approved, nobody new."""
    return _done(handed().table.note("joining", {"joining": body()["joining"], "by": who()}))


@people.post("/login")
@operation(
    ANYBODY,
    {
        200: "The operator's session is in the cookie.",
        403: "That is not the PIN.",
        409: "No PIN is set.",
        503: "The disk is full.",
    },
    body={"pin": _PIN},
    needed=("pin",),
    gives=_ROLE,
)
def log_in() -> Response:
    """Become the operator."""
    pin, access = body()["pin"], handed().access
    if not access.is_set:
        abort(409, "No PIN is set: set one on the device itself, on the bartender's page or with `cornet pin`.")
    address = None if guard.at_console(request) else guard.neighbourhood(request)
    device = request.cookies.get(guard.DEVICE_COOKIE, "")
    try:
        secret = access.log_in(pin, address, device)
    except WrongPin as error:
        abort(403, str(error))
    except Wait as error:
        return guard.slow_down(error.seconds, str(error))
    response = _with_session(jsonify(role="console" if address is None else "operator"), secret)
    if address is not None and not access.knows(device):
        response.set_cookie(guard.DEVICE_COOKIE, access.know(), max_age=_YEAR_S, httponly=True, samesite="Strict")
    return response


@people.delete("/login")
@operation(ANYBODY, {200: "The session has ended.", 503: "The disk is full."}, gives=_ROLE)
def log_out() -> Response:
    """End the own operator's session."""
    handed().access.close_session(request.cookies.get(guard.OPERATOR_COOKIE, ""))
    response = jsonify(role="console" if guard.at_console(request) else "guest")
    response.delete_cookie(guard.OPERATOR_COOKIE, httponly=True, samesite="Strict")
    return response


@people.put("/pin")
@operation(
    OPERATOR,
    {200: "It is set; every other session has ended.", 503: "The disk is full."},
    body={"pin": _NEW_PIN},
    needed=("pin",),
    gives=_ROLE,
)
def set_pin() -> Response:
    """Set the PIN."""
    access, role = handed().access, guard.role_of(request)
    try:
        access.set_pin(body()["pin"])
    except BadPin as error:
        abort(400, str(error))
    answer = jsonify(role=role)
    return answer if role == "console" else _with_session(answer, access.open_session())


@people.errorhandler(OSError)
def _not_kept(error: OSError) -> tuple[Response, int]:
    return jsonify({"error": f"It cannot be written down ({error.strerror}): see to the disk."}), 503


def ask_pin() -> tuple[str, int]:
    """The page that asks for the bartender's PIN, and says so where his session has ended."""
    return render_template("login.html", ended=guard.OPERATOR_COOKIE in request.cookies), 403


def who() -> str:
    """By what name the log knows whoever asks: `console`, `operator`, or `seat` and its number."""
    role = guard.role_of(request)
    if role != "guest":
        return role
    seat = my_seat()
    return f"seat {seat.id}" if seat else "guest"


def my_seat() -> Holder | None:
    """The seat of whoever asks."""
    secret = request.cookies.get(SEAT_COOKIE)
    return handed().table.ask(lambda standing: standing.seats.of_secret(hashed(secret))) if secret else None


def need_seat() -> Holder:
    """The seat of whoever asks; 403 where he has none."""
    seat = my_seat()
    if seat is None:
        abort(403, "You hold no seat; take one first.")
    return seat


def _newcomer(standing: Standing, name: str, role: str, present: frozenset[int], has_code: bool) -> dict[str, Any]:
    """What is written of a newcomer; NotNow where he cannot have a seat."""
    seats = standing.seats
    if role == "guest" and standing.joining == "locked":
        raise NotNow("Nobody new may join now; ask the bartender.")
    _check_free(standing, name, None)
    # A name alone makes nobody a player of a game that has begun: the bartender knows the face.
    open_to_him = standing.joining == "open" or (standing.joining == "code" and has_code)
    welcome = open_to_him and standing.player_named(name) is None
    found: dict[str, Any] = {"name": name, "approved": welcome or role != "guest"}
    if len(seats.list) >= SEATS:
        empty = [seat.id for seat in seats.list.values() if seat.player is None and seat.id not in present]
        if not empty:
            raise NotNow(f"All {SEATS} seats are taken.")
        found["instead"] = min(empty)
    return found


def _change(number: int, changes: dict[str, Any], by: str) -> Response:
    def change(standing: Standing) -> dict[str, Any]:
        seat = standing.seats.list.get(number)
        if seat is None:
            _no_seat()
        if "name" in changes:
            _check_free(standing, changes["name"], seat)
        if changes.get("player") is not None:
            players = standing.game.players if standing.game else ()
            if changes["player"] >= len(players):
                raise NotNow(f"There is no player {changes['player']} now.")
        found = dict(changes)
        if by == f"seat {number}" and standing.joining != "open" and folded(changes["name"]) != folded(seat.name):
            # He was let in by another name; by this one he may be taken for somebody else when a game begins.
            found["approved"] = False
        if changes.get("approved") and seat.player is None and "player" not in changes:
            # Approved by the bartender, he is the player whose name he took, if nobody else is.
            player = standing.player_named(changes.get("name", seat.name))
            if player is not None and standing.seats.of_player(player) is None:
                found["player"] = player
        if any(getattr(seat, name) != value for name, value in found.items()):
            handed().table.note("seat", {"seat": number, **found, "by": by})
        return standing.seats.list[number].as_json()

    return jsonify(seat=handed().table.ask(change))


def _check_free(standing: Standing, name: str, mine: Holder | None) -> None:
    """NotNow where another seat, or a player who is not this one, goes by a name that people cannot tell apart."""
    holder = standing.seats.named(name, besides=mine.id if mine else None)
    if holder is not None:
        raise NotNow(f"{holder.name} is here already; choose another name.")
    if mine is not None and standing.player_named(name, besides=mine.player) is not None:
        raise NotNow(f"{name} plays already; choose another name.")


def _leave(number: int, by: str) -> Response:
    def leave(standing: Standing) -> Event:
        if number not in standing.seats.list:
            _no_seat()
        return handed().table.note("seat", {"seat": number, "gone": True, "by": by})

    return _done(handed().table.ask(leave))


def _no_seat() -> NoReturn:
    abort(404, "There is no such seat.")


def _done(event: Event) -> Response:
    return jsonify(seq=event.seq * SEQS)


def _clean(name: str) -> str:
    try:
        return clean(name)
    except BadName as error:
        abort(400, str(error))


def _with_session(response: Response, secret: str) -> Response:
    response.set_cookie(guard.OPERATOR_COOKIE, secret, httponly=True, samesite="Strict")
    return response
