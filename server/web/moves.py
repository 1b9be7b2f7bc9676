"""The API of whoever plays and of whoever leads: actions, the button, corrections, undo, doubts."""

from typing import Any

from flask import Blueprint, Response, abort, jsonify, request

from server.names import shown
from server.web import guard, people
from server.web.handed import handed
from server.web.openapi import DONE, KEY, OPERATOR, SEAT, SEQ, body, operation

LONGEST_REASON = 200

moves = Blueprint("moves", __name__, url_prefix="/api")

ASKED = {"expected_seq": SEQ, "key": KEY}
"""What every request may say besides: what it looked at, and a key by which it is taken once."""
# Which actions there are is for the rules to say, and what is none is as little legal as any other.
_ACTION = {"type": "object", "description": 'an object with a text "do"'}
_EVENT = {"type": "integer", "minimum": 1, "maximum": 2**53, "description": "the number of a throw's event"}
_DIE = {
    "type": ["integer", "null"],
    "minimum": 0,
    "maximum": 99,
    "description": "a die's place, from 0, or null",
}
_FACE = {"type": "integer", "minimum": 1, "maximum": 6}
_FACES = {"type": "array", "items": _FACE, "maxItems": 24, "description": "a list of faces from 1 to 6"}
_PIXELS = {"type": "number", "minimum": 0, "maximum": 100_000}
_DICE = {
    "type": "array",
    "items": {
        **_FACE,
        "type": ["integer", "null", "object"],
        "properties": {"face": _FACE, "center": {"type": "array", "items": _PIXELS, "minItems": 2, "maxItems": 2}},
        "required": ["face", "center"],
        "additionalProperties": False,
    },
    "maxItems": 48,
    "description": "a list of faces from 1 to 6, null where there is no die, then each die that was not seen as "
    '{"face": 1 to 6, "center": [x, y]} in pixels of the picture',
}
_THROWN = {
    "type": "array",
    "items": _FACE,
    "minItems": 1,
    "maxItems": 24,
    "description": "a list of faces from 1 to 6",
}
_REASON = {
    "type": "string",
    "minLength": 1,
    "maxLength": LONGEST_REASON,
    "description": f"a text of 1 to {LONGEST_REASON} letters",
}


@moves.post("/actions")
@operation(
    SEAT,
    {200: "It is done.", 409: "It is not legal now, or the game has moved on."},
    body={"action": _ACTION, **ASKED},
    needed=("action",),
    gives=DONE,
)
def act() -> Response:
    """Take an action of the game, any but a throw; a guest sends both `expected_seq` and `key`."""
    given = body()
    return jsonify(handed().table.act(given["action"], people.who(), *_turn(given, "actions")))


@moves.post("/throw")
@operation(
    SEAT,
    {202: "The cone turns; the result comes as an event.", 409: "No throw is due, or the game has moved on."},
    body=ASKED,
    gives=DONE,
)
def throw() -> tuple[Response, int]:
    """Press the button; a guest sends both `expected_seq` and `key`."""
    given = body()
    return jsonify(handed().table.press(people.who(), *_turn(given, "throw"))), 202


@moves.post("/corrections")
@operation(
    OPERATOR,
    {200: "It holds now, and both readings stay.", 409: "It would change nothing, or a later throw forbids it."},
    body={"throw": _EVENT, "dice": _DICE, "faces": _FACES, "reason": _REASON, **ASKED},
    needed=("throw", "reason"),
    gives=DONE,
)
def correct() -> Response:
    """Correct what was read in a throw: the face of each die of the reading, or the faces that count."""
    given = body()
    reading: dict[str, Any] = {name: given[name] for name in ("dice", "faces") if name in given}
    if len(reading) != 1:
        abort(400, 'Say either "dice" or "faces".')
    seq, key = given.get("expected_seq"), scoped(given, "corrections")
    return jsonify(handed().table.correct(given["throw"], reading, shown(given["reason"]), people.who(), seq, key))


@moves.post("/entries")
@operation(
    OPERATOR,
    {200: "It counts, marked as entered by hand.", 409: "No throw is due, or the owner does not allow it."},
    body={"faces": _THROWN, **ASKED},
    needed=("faces",),
    gives=DONE,
)
def enter() -> Response:
    """Enter what dice thrown by hand show, where the owner allows it."""
    given = body()
    seq, key = given.get("expected_seq"), scoped(given, "entries")
    return jsonify(handed().table.enter(given["faces"], people.who(), seq, key))


@moves.post("/undo")
@operation(
    OPERATOR,
    {200: "It is taken back.", 409: "There is nothing to take back, or it was a throw."},
    body=ASKED,
    gives=DONE,
)
def undo() -> Response:
    """Take back the last action; never a throw."""
    given = body()
    return jsonify(handed().table.undo(people.who(), given.get("expected_seq"), scoped(given, "undo")))


@moves.post("/disputes")
@operation(
    SEAT,
    {200: "It is noted, and the picture is kept for good.", 409: "That is no throw of the running game."},
    body={"throw": _EVENT, "die": _DIE, "key": KEY},
    needed=("throw",),
    gives=DONE,
    is_note=True,
)
def dispute() -> Response:
    """Say that a throw, or one die of it, was read wrong."""
    given = body()
    if guard.role_of(request) == "guest" and not people.need_seat().approved:
        abort(403, "The bartender has not approved your seat yet.")
    dispute = handed().table.dispute
    return jsonify(dispute(given["throw"], given.get("die"), people.who(), scoped(given, "disputes")))


def _turn(given: dict[str, Any], route: str) -> tuple[int | None, str | None, int | None]:
    """What a request expects, its key, and the seat whose turn it must be; none for whoever leads."""
    key, seat = scoped(given, route), None
    if guard.role_of(request) == "guest":
        seat = people.need_seat().id
        if key is None or "expected_seq" not in given:
            abort(400, 'A guest sends "expected_seq" and "key" with what he does.')
    return given.get("expected_seq"), key, seat


def scoped(given: dict[str, Any], route: str) -> str | None:
    """The key of a request, as its sender's and the route's own."""
    return f"{people.who()} {route} {given['key']}" if "key" in given else None
