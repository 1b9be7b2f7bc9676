"""The web app: it is handed its table, asks it, and decides nothing."""

import re
from collections.abc import Callable, Mapping
from itertools import combinations
from typing import Any

from flask import Blueprint, Flask, Response, abort, current_app, jsonify, render_template, request
from werkzeug.exceptions import HTTPException

from server.log import Log
from server.metrics import CONTENT_TYPE, temperature_c
from server.names import BadName, alike, clean
from server.retention import free_mb
from server.rules import GAMES, BadRecord, new_game
from server.rules.game import Flag, OneOf, Option, Whole
from server.seats import MOST_PLAYERS
from server.settings import SETTINGS
from server.stage import NotNow, NotYours
from server.table import Table
from server.web import guard, languages, people
from server.web.bench import bench
from server.web.checkup import checkup
from server.web.counsel import counsel
from server.web.fairness import fairness
from server.web.handed import Handed, handed
from server.web.history import history
from server.web.join import join
from server.web.moves import ASKED, moves, scoped
from server.web.openapi import ANYBODY, DONE, OPERATOR, asked_number, body, document, operation, read_json
from server.web.pictures import send_picture
from server.web.refusal import refused
from server.web.rulebook import rulebook
from server.web.serving import FOLLOW, as_event
from server.web.wording import CHOICES, TITLES
from server.wizard import Wizard
from vision.picture import Image

SHOWN = {name: title for name, title in TITLES.items() if name != "thousand-cards"}
"""The games that have screens, by the names that people use."""

LONGEST_NAME = 40

_STOPPED = {
    "console": "The machine was stopped at the device itself: see to it, then clear the fault.",
    "operator": "The machine was stopped by the bartender: see to it, then clear the fault.",
}

_GAME = {"type": "string", "description": "the name of a game"}
_NAMES = {
    "type": "array",
    "items": {"type": "string"},
    "maxItems": MOST_PLAYERS,
    "description": f"a list of at most {MOST_PLAYERS} names",
}
_OPTIONS = {"type": "object", "description": "an object"}
_FAULT = {
    "type": ["object", "null"],
    "required": ["name", "message", "part"],
    "properties": {
        "name": {"type": "string"},
        "message": {"type": "string"},
        "part": {"enum": ["tower", "camera", "disk"], "description": "of the camera: throws may be entered by hand"},
    },
}
_STATE = {
    "type": "object",
    "required": ["seq", "boot", "simulated", "simulated_throws", "machine", "game", "seats"],
    "properties": {
        "seq": {"type": "integer"},
        "boot": {"type": "string"},
        "simulated": {"type": "boolean", "description": "the tower or the camera is"},
        "simulated_throws": {"type": "boolean", "description": "of the game, or of the one before while it is shown"},
        "machine": {
            "type": "object",
            "required": ["phase", "fault"],
            "properties": {"phase": {"type": "string"}, "fault": _FAULT},
        },
        "game": {"type": ["object", "null"]},
        "game_id": {"type": ["integer", "null"]},
        "options": {"type": "object"},
        "turned": {"type": "integer", "description": "the seq with which game or turn last changed"},
        "offers": {"type": "array"},
        "last": {
            "type": ["object", "null"],
            "required": ["picture", "verdict", "head"],
            "properties": {
                "picture": {"type": ["string", "null"], "description": "the address of the picture, if there is one"},
                "verdict": {"type": "string"},
                "head": {"type": "string", "description": "of the chain, the first eight characters"},
            },
        },
        "throws": {"type": "array"},
        "earlier": {"type": ["object", "null"]},
        "voided": {"type": ["integer", "null"]},
        "head": {"type": "string"},
        "seats": {"type": "object"},
    },
}
_HEALTH = {
    "type": "object",
    "required": ["ok", "causes"],
    "properties": {
        "ok": {"type": "boolean"},
        "causes": {"type": "array", "items": {"type": "string"}},
        "free_mb": {"type": ["integer", "null"]},
        "watchers": {"type": "integer"},
        "wrong_pins": {"type": "integer"},
        "boot": {"type": "string"},
        "seq": {"type": "integer"},
    },
}
_OBJECT = {"type": "object"}

pages = Blueprint("pages", __name__)
api = Blueprint("api", __name__, url_prefix="/api")


def create_app(
    table: Table,
    log: Log,
    names: frozenset[str] = frozenset(),
    settings: Mapping[str, Any] | None = None,
    wizard: Wizard | None = None,
    glimpse: Callable[[], Image] | None = None,
) -> Flask:
    """The app that shows this table; `names` are further host names by which it may be called.

    `settings` are the values that the machine runs by, to be read on the bartender's page; without a wizard nothing can
    be calibrated there, without a glimpse nobody sees there what the camera sees now.
    """
    app = Flask(__name__)
    app.extensions["cornet"] = Handed(table, log, dict(settings or {}), wizard, glimpse)
    app.add_template_global(handed)
    guard.install(app, names, people.need_seat)
    languages.install(app)
    app.register_blueprint(pages)
    app.register_blueprint(api)
    app.register_blueprint(people.people)
    app.register_blueprint(moves)
    app.register_blueprint(rulebook)
    app.register_blueprint(join)
    app.register_blueprint(history)
    app.register_blueprint(counsel)
    app.register_blueprint(fairness)
    app.register_blueprint(checkup)
    app.register_blueprint(bench)
    app.register_error_handler(HTTPException, refused)
    app.register_error_handler(NotNow, _not_now)
    app.register_error_handler(NotYours, _not_yours)
    return app


@pages.get("/")
def choose_screen() -> str:
    """The door: which screen is this."""
    return render_template("choose.html")


@pages.get("/tv")
def television() -> str:
    """The screen that everybody watches."""
    title, actor = handed().table.ask(
        lambda standing: (
            TITLES[standing.game.NAME] if standing.game else "",
            standing.game.actor if standing.game and standing.is_playing else "",
        )
    )
    return render_template("tv.html", title=title, actor=actor)


@pages.get("/play")
def play() -> str:
    """A guest's phone."""
    return render_template("play.html")


@pages.get("/operator")
def operator() -> tuple[str, int]:
    """The page of whoever leads the games; whoever is not known yet is asked for the PIN."""
    if guard.role_of(request) == "guest":
        return people.ask_pin()
    return render_template("operator.html"), 200


@pages.get("/frames/<name>")
@operation(
    ANYBODY,
    {
        200: "The picture.",
        206: "The part of it that Range names.",
        304: "It has not changed.",
        404: "There is none.",
        412: "It is not what If-Match names.",
        416: "It has no such part.",
    },
    gives="image/jpeg",
)
def frame(name: str) -> Response:
    """A picture of a throw, by its hash."""
    if not re.fullmatch(r"[0-9a-f]{64}\.jpg", name):
        abort(404, "There is no such picture.")
    # A relative path would be looked for beside this file.
    return send_picture(handed().log.frames.resolve() / name)


@pages.get("/healthz")
@operation(ANYBODY, {200: "All is well.", 503: "No throw can be made, and why."}, gives=_HEALTH, also=(503,))
def health() -> tuple[Response, int]:
    """Whether a throw could be made now, the room on the disk, how many screens watch, the last hour's wrong PINs.

    With the start of the machine and the number of its newest snapshot, by which a screen knows that it missed one.
    """
    given = handed()
    causes = given.table.causes()
    told = {"ok": not causes, "causes": causes, "free_mb": free_mb(given.log.directory)}
    told |= {"watchers": given.streams.total(), "wrong_pins": given.access.brake.wrong}
    told |= {"boot": given.table.boot, "seq": given.table.board.snapshot.seq}
    return jsonify(told), 503 if causes else 200


@pages.get("/metrics")
@operation(OPERATOR, {200: "Prometheus' text format."}, gives="text/plain")
def metrics() -> Response:
    """What a monitor is told."""
    table, hot_c = handed().table, temperature_c()
    gauges: dict[str, tuple[str, float]] = {
        "cornet_watchers": ("Open event streams.", handed().streams.total()),
        "cornet_seats": ("Seats that are taken.", table.ask(lambda standing: len(standing.seats.list))),
        "cornet_fault": ("Whether a fault is latched.", table.fault is not None),
        "cornet_well": ("Whether a throw could be made now.", not table.causes()),
        "cornet_wrong_pins": ("Wrong PINs of the last hour.", handed().access.brake.wrong),
    }
    if hot_c is not None:
        gauges["cornet_temperature_celsius"] = ("How hot the processor is.", hot_c)
    return Response(table.metrics.text(gauges), content_type=CONTENT_TYPE)


@api.get("/state")
@operation(ANYBODY, {200: "The snapshot."}, gives=_STATE)
def state() -> Response:
    """The newest snapshot."""
    return Response(handed().table.board.snapshot.text, mimetype="application/json")


@api.get("/events")
@operation(
    ANYBODY,
    {200: "Server-sent events: a full snapshot first, then each newer one.", 503: "Too many screens are watching."},
    gives="text/event-stream",
)
def events() -> Response:
    """A stream of snapshots."""
    table, streams = handed().table, handed().streams
    address, console = guard.neighbourhood(request), guard.at_console(request)
    seat = people.my_seat()
    if request.method == "HEAD":
        return Response(mimetype="text/event-stream")
    if not streams.enter(address, console):
        return guard.slow_down(5, "Too many screens are watching; ask again in a few seconds.", 503)

    def left() -> None:
        streams.leave(address, console)
        if seat is not None:
            table.board.go(seat.id)

    if seat is not None:
        table.board.come(seat.id)
    snapshot = table.board.snapshot
    # A server that keeps no answer open calls `left` when this one is out; the page then asks again.
    first = f"retry: 1000\n{as_event(table.boot, snapshot.seq, snapshot.text)}"
    response = Response((part for part in (first,)), mimetype="text/event-stream")
    request.environ.get(FOLLOW, lambda _, left: response.call_on_close(left))(snapshot.seq, left)
    return response


@api.get("/openapi.json")
@operation(ANYBODY, {200: "The document."}, gives=_OBJECT)
def openapi() -> Response:
    """This document."""
    return jsonify(document(current_app, handed().table.about["version"]))


@api.get("/settings")
@operation(OPERATOR, {200: "Every setting with its value and sentence."}, gives={"type": "array", "items": _OBJECT})
def settings() -> Response:
    """The settings of the machine."""
    values = handed().settings
    lines = [
        {"name": line.name, "value": values[line.name], "sentence": line.sentence}
        for line in SETTINGS
        if line.name in values
    ]
    return jsonify(lines)


@api.get("/games")
@operation(ANYBODY, {200: "The games."}, gives={"type": "array", "items": _OBJECT})
def games() -> Response:
    """The games that can be chosen, with their options."""
    return jsonify([_describe(name) for name in SHOWN])


@api.get("/games/<name>/options")
@operation(
    ANYBODY,
    {200: "Every option, filled in."},
    query={"options": {"type": "string"}, "players": {"type": "integer", "minimum": 2, "maximum": MOST_PLAYERS}},
    gives=_OBJECT,
)
def usual_options(name: str) -> Response:
    """All options of a game, what is given checked and the usual filled in."""
    given = read_json(request.args.get("options", "{}").encode(errors="replace"))
    players = asked_number("players")
    players = 4 if players is None else players
    if not isinstance(given, dict) or not 2 <= players <= MOST_PLAYERS:
        abort(400, f'"options" is a JSON object, "players" a number from 2 to {MOST_PLAYERS}.')
    try:
        return jsonify(new_game(name, [str(number) for number in range(players)], given).options)
    except BadRecord as error:
        abort(400, str(error))


@api.post("/games")
@operation(
    OPERATOR,
    {201: "It has begun.", 409: "A game is running, or the machine is in fault."},
    body={"game": _GAME, "players": _NAMES, "options": _OPTIONS, **ASKED},
    needed=("game", "players"),
    gives=DONE,
)
def start_game() -> tuple[Response, int]:
    """Start a game."""
    given = body()
    players = [_player(name) for name in given["players"]]
    if given["game"] == "thousand-cards":
        abort(409, "The card game has no screens yet; choose another game.")
    if any(alike(*pair) for pair in combinations(players, 2)):
        abort(400, "Two players have the same name; give each a name of their own.")
    seq, key = given.get("expected_seq"), scoped(given, "games")
    begin = handed().table.start_game
    try:
        return jsonify(begin(given["game"], players, given.get("options", {}), people.who(), seq, key)), 201
    except BadRecord as error:
        abort(400, str(error))


@api.delete("/games/current")
@operation(OPERATOR, {200: "It is void.", 409: "There is none, or a throw is under way."}, body=ASKED, gives=DONE)
def abandon_game() -> Response:
    """Void the running game."""
    given = body()
    seq, key = given.get("expected_seq"), scoped(given, "games/current")
    return jsonify(handed().table.abandon_game(people.who(), seq, key))


@api.get("/games/current/record")
@operation(ANYBODY, {200: "Its record.", 404: "There is no game."}, gives=_OBJECT)
def record() -> Response:
    """The record of the running game."""
    found = handed().table.record()
    if found is None:
        abort(404, "There is no game.")
    return jsonify(found)


@api.post("/stop")
@operation(OPERATOR, {200: "It stands still, in fault until somebody clears it."}, gives=DONE)
def stop() -> Response:
    """Stop the machine."""
    table = handed().table
    table.latch("stopped", _STOPPED[people.who()])
    return jsonify(seq=table.board.snapshot.seq)


@api.delete("/fault")
@operation(OPERATOR, {200: "It is cleared.", 409: "There is none, or its cause is still there."}, gives=DONE)
def clear_fault() -> Response:
    """Clear the latched fault."""
    return jsonify(handed().table.clear_fault(people.who()))


def _not_now(error: NotNow) -> tuple[Response, int]:
    return jsonify({"error": str(error)}), 409


def _not_yours(error: NotYours) -> tuple[Response, int]:
    return jsonify({"error": str(error)}), 403


def _player(name: str) -> str:
    try:
        return clean(name, LONGEST_NAME)
    except BadName as error:
        abort(400, str(error))


def _describe(name: str) -> dict[str, Any]:
    game = GAMES[name]
    return {
        "game": name,
        "title": SHOWN[name],
        "least_players": game.LEAST_PLAYERS,
        "most_players": game.MOST_PLAYERS,
        "options": [_describe_option(option) for option in game.OPTIONS],
    }


def _describe_option(option: Option) -> dict[str, Any]:
    form: dict[str, Any] = {"name": option.name, "sentence": option.sentence}
    match option:
        case Flag():
            return {**form, "type": "flag"}
        case OneOf():
            return {**form, "type": "choice", "choices": option.choices, "words": CHOICES[option.name]}
        case Whole():
            return {**form, "type": "whole", "low": option.low, "high": option.high, "step": option.step}
        case _:
            return {**form, "type": "text"}
