"""The API of the table that knows: odds, advice, and who plays for the house."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

from flask import Blueprint, Response, abort, current_app, jsonify, request

from server import people
from server.advice import advised, grades
from server.foresight import Foresight
from server.odds.meaning import told
from server.openapi import ANYBODY, OPERATOR, body, operation, read_json
from server.rules import BadRecord, new_game, short
from server.standing import Standing
from server.strategy import AIMS, knows
from server.table import Table

counsel = Blueprint("counsel", __name__, url_prefix="/api")

# Odds and grades that nobody asked for yet take up to a second of one core: one at a time, and a crowd that asks must
# not hold all the threads that serve everybody else.
_working = threading.Lock()
_waiting = threading.BoundedSemaphore(4)


_OBJECT = {"type": "object"}
_PLAYER = {
    "type": ["integer", "null"],
    "minimum": 0,
    "maximum": 99,
    "description": "a player's place in the game, from 0, or null for the whole game",
}
_SWITCH = {"type": "boolean", "description": "true or false"}
_CHARACTER = {
    "type": ["string", "null"],
    "enum": [*AIMS, None],
    "description": f"one of {', '.join(AIMS)}, or null",
}
_WRITTEN = {"type": "object", "properties": {"event": {"type": "integer"}}, "required": ["event"]}


@counsel.get("/odds")
@operation(ANYBODY, {200: "The outlook, or null where no game is running."}, gives={"type": ["object", "null"]})
def live_odds() -> Response:
    """Each player's chance to win the running game and expected outcome; null where no game is running."""
    foresight: Foresight = current_app.config["FORESIGHT"]
    return jsonify(foresight.outlook())


@counsel.get("/odds/<game>")
@operation(
    ANYBODY,
    {200: "Figures, exact to 1e-9, and what they mean.", 503: "Others are asking; ask again."},
    query={"options": {"type": "string", "description": "a JSON object"}},
    gives={"type": "object"},
)
def odds_of_game(game: str) -> Response:
    """The exact odds of a game under the options of the query, and in `means` what they come to, in sentences."""
    options = read_json(request.args.get("options", "{}").encode(errors="replace"))
    if not isinstance(options, dict):
        abort(400, '"options" is a JSON object.')
    try:
        with _in_turn():
            return jsonify(told(game, options))
    except BadRecord as error:
        abort(400, str(error))


@counsel.get("/advice")
@operation(
    ANYBODY,
    {200: "The advice, or that it is off."},
    query={"level": {"type": "string", "enum": ["hint", "full"]}},
    gives=_OBJECT,
)
def advice() -> Response:
    """Advice for whoever's turn it is: `level` "hint", or "full" with the ranked choices; `on` is the switch."""
    level = request.args.get("level", "hint")
    if level not in ("hint", "full"):
        abort(400, '"level" is "hint" or "full".')
    on, game = _table().ask(lambda standing: (standing.is_advised, standing.game.fork() if standing.game else None))
    if not on or game is None:
        return jsonify({"on": False})
    return jsonify({"on": True, **advised(game, level)})


@counsel.get("/advice/grades")
@operation(
    ANYBODY,
    {200: "A grade for each choice.", 404: "No game is over.", 503: "Others are asking; ask again."},
    gives={"type": "array", "items": _OBJECT},
)
def graded() -> Response:
    """What each choice of a game that is over has cost."""
    record = _table().ask(lambda standing: None if standing.is_playing else standing.record())
    if record is None:
        abort(404, "There is no game that is over; choices are graded when it is.")
    with _in_turn():
        return jsonify(_grades(json.dumps(record)))


@contextmanager
def _in_turn() -> Iterator[None]:
    if not _waiting.acquire(blocking=False):
        abort(503, "Others are asking; ask again in a few seconds.")
    try:
        with _working:
            yield
    finally:
        _waiting.release()


@lru_cache(maxsize=4)
def _grades(text: str) -> list[dict[str, Any]]:
    record = json.loads(text)
    return grades(new_game(record["game"], record["players"], record["options"]), record["actions"])


@counsel.put("/advice")
@operation(
    OPERATOR,
    {200: "It is switched.", 409: "No such player plays now."},
    body={"advice": _SWITCH, "player": _PLAYER},
    needed=("advice",),
    gives=_WRITTEN,
)
def switch_advice() -> Response:
    """Switch advice on or off for the running game, or for the player of that place in it."""
    given = body()
    player = given.get("player")
    _check_player(player)
    return _noted("advice", {"player": player, "advice": given["advice"]})


@counsel.put("/players/<int:player>")
@operation(
    OPERATOR,
    {200: "It is so.", 409: "No such player plays now."},
    body={"by": _CHARACTER},
    needed=("by",),
    gives=_WRITTEN,
)
def give_to_the_house(player: int) -> Response:
    """Let the house play for the player of that place in the running game, or (null) hand back."""
    by = body()["by"]
    _check_player(player)
    return _noted("house", {"player": player, "plays": by})


def _check_player(player: int | None) -> None:
    def fault(standing: Standing) -> str:
        if standing.game is None or not standing.is_playing or not knows(standing.game):
            return "No game of dice is running."
        places = len(standing.game.players)
        if player is None or player < places:
            return ""
        return f"A player is a number from 0 to {places - 1}, not {short(player)}."

    message = _table().ask(fault)
    if message:
        abort(409, message)


def _noted(kind: str, body: dict[str, Any]) -> Response:
    event = _table().note(kind, {**body, "by": people.who()})
    return jsonify({"event": event.seq})


def _table() -> Table:
    table: Table = current_app.config["TABLE"]
    return table
