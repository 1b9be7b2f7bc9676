"""The API of the table that knows: odds, advice, and who plays for the house."""

import json
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from flask import Blueprint, Response, abort, jsonify, request

from server.advice import advised, costs, grades
from server.odds.meaning import told
from server.record import record_of
from server.rules import BadRecord, new_game, short
from server.seats import MOST_PLAYERS
from server.stage import NotNow
from server.standing import Standing
from server.strategy import AIMS, knows
from server.web import people
from server.web.caps import in_turn
from server.web.handed import handed
from server.web.history import find_game
from server.web.openapi import ANYBODY, OPERATOR, SEAT, body, operation, read_json

counsel = Blueprint("counsel", __name__, url_prefix="/api")

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
_GRADE = {
    "type": "object",
    "required": ["event", "action", "player", "taken", "best", "cost", "unit"],
    "properties": {
        "event": {"type": "integer", "description": "that made the choice: the seq of its step"},
        "action": {"type": "integer", "description": "the place of the choice among the actions of the record"},
        "player": {"type": "string"},
        "taken": {**_OBJECT, "description": "the action, a throw without its faces"},
        "best": _OBJECT,
        "cost": {"type": "number", "minimum": 0, "description": "the worth of the best less that of the one taken"},
        "unit": {"type": "string", "description": "in what both are counted"},
    },
}
_GRADES = {
    "type": "object",
    "required": ["grades", "cost"],
    "properties": {
        "grades": {"type": "array", "items": _GRADE},
        "cost": {**_OBJECT, "description": "by player and unit, the sum of the costs"},
    },
}


@counsel.get("/odds")
@operation(
    ANYBODY,
    {200: "The outlook, or null where no game is running.", 503: "Others are asking; ask again."},
    gives={"type": ["object", "null"]},
)
@in_turn()
def live_odds() -> Response:
    """Each player's chance to win the running game and expected outcome; null where no game is running."""
    return jsonify(handed().foresight.outlook())


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
    # The figures are those of four players, wherever the banker of the running game sits.
    seat = options.get("banker_seat")
    sits = type(seat) is int and 1 <= seat <= MOST_PLAYERS
    try:
        with in_turn():
            answer = told(game, {**options, "banker_seat": 1} if sits else options)
            return jsonify({**answer, "options": {**answer["options"], **options}})
    except BadRecord as error:
        abort(400, str(error))


@counsel.get("/advice")
@operation(
    ANYBODY,
    {200: "The advice, or that it is off.", 503: "Others are asking; ask again."},
    query={"level": {"type": "string", "enum": ["hint", "full"]}},
    gives=_OBJECT,
)
@in_turn()
def advice() -> Response:
    """Advice for whoever's turn it is: `level` "hint", or "full" with the ranked choices; `on` is the switch."""
    level = request.args.get("level", "hint")
    if level not in ("hint", "full"):
        abort(400, '"level" is "hint" or "full".')
    table = handed().table
    on, game = table.ask(lambda standing: (standing.is_advised, standing.game.fork() if standing.game else None))
    if not on or game is None:
        return jsonify({"on": False})
    return jsonify({"on": True, **advised(game, level)})


@counsel.get("/history/<int:number>/grades")
@operation(
    ANYBODY,
    {
        200: "A grade for each choice, and what each player's cost in all.",
        404: "There is no such game.",
        409: "The game is not over.",
        503: "Others are asking, or the log holds what cannot have happened.",
    },
    gives=_GRADES,
)
def graded(number: int) -> Response:
    """What each choice of a game that is over has cost, by the event that made it."""
    played = find_game(number)
    if not (played.finished or played.void):
        abort(409, "Choices are graded when the game is over.")
    game, moves = handed().chronicle.moves(played)
    with in_turn():
        found = _grades(json.dumps(record_of(game, [move.action for move in moves])))
    told = [{"event": moves[grade["action"]].seq, **grade} for grade in found]
    return jsonify(grades=told, cost=costs(played.players, found))


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
    return _noted("advice", player, {"advice": given["advice"]})


@counsel.put("/advice/mine")
@operation(
    SEAT,
    {200: "It is switched.", 409: "Your seat plays in no running game."},
    body={"advice": _SWITCH},
    needed=("advice",),
    gives=_WRITTEN,
    is_note=True,
)
def switch_my_advice() -> Response:
    """Switch the advice for the player of the own seat on or off; it is given where it is on for the game too."""
    seat = people.need_seat()

    def player_of(standing: Standing) -> int:
        holder = standing.seats.list.get(seat.id)
        if holder is None or not holder.approved or holder.player is None:
            raise NotNow("Your seat plays in no running game.")
        return holder.player

    return _noted("advice", player_of, {"advice": body()["advice"]})


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
    return _noted("house", player, {"plays": body()["by"]})


def _noted(kind: str, player: int | Callable[[Standing], int] | None, said: dict[str, Any]) -> Response:
    """Note something of a player of the running game, or (None) of the game; NotNow where there is no such player."""

    def note(standing: Standing) -> int:
        game = standing.game
        if game is None or not standing.is_playing or not knows(game):
            raise NotNow("No game of dice is running.")
        place = player(standing) if callable(player) else player
        if place is not None and place >= len(game.players):
            raise NotNow(f"A player is a number from 0 to {len(game.players) - 1}, not {short(place)}.")
        return handed().table.note(kind, {"player": place, **said, "by": people.who()}).seq

    return jsonify({"event": handed().table.ask(note)})
