"""The web app: it is handed its table, asks it, and decides nothing."""

import re
from collections.abc import Iterator
from typing import Any

from flask import Blueprint, Flask, Response, abort, current_app, jsonify, render_template, request, send_from_directory
from werkzeug.exceptions import HTTPException

from server import guard
from server.counsel import counsel
from server.log import Log
from server.record import Refused, parse
from server.rulebook import rulebook
from server.rules import GAMES, BadRecord, new_game
from server.rules.game import Choice, Flag, Option, Whole, short
from server.stage import NotNow
from server.table import Table

HEARTBEAT_S = 10.0
TITLES = {
    "vingt-six": "Le Vingt-Six",
    "quatorze": "Le Quatorze",
    "vingt-cinq": "Le 25",
    "421": "421",
    "thousand": "Thousand",
}
"""The games that have screens, by the names that people use."""

LONGEST_NAME = 40

_KEY = re.compile(r"[ -~]{1,100}")

pages = Blueprint("pages", __name__)
api = Blueprint("api", __name__, url_prefix="/api")


def create_app(table: Table, log: Log, names: frozenset[str] = frozenset()) -> Flask:
    """The app that shows this table; `names` are further host names by which it may be called."""
    app = Flask(__name__)
    app.config["TABLE"] = table
    app.config["FRAMES"] = log.frames
    app.config["STREAMS"] = guard.Streams()
    guard.install(app, names)
    app.register_blueprint(pages)
    app.register_blueprint(api)
    app.register_blueprint(rulebook)
    app.register_blueprint(counsel)
    app.register_error_handler(HTTPException, _say)
    return app


@pages.get("/")
def choose_screen() -> str:
    """The door: which screen is this."""
    return render_template("choose.html")


@pages.get("/tv")
def television() -> str:
    """The screen that everybody watches."""
    return render_template("tv.html")


@pages.get("/operator")
def operator() -> str:
    """The page of whoever leads the games."""
    if not guard.at_console(request):
        abort(403, "This page opens on the device itself.")
    return render_template("operator.html")


@pages.get("/frames/<name>")
def frame(name: str) -> Response:
    """A picture of a throw, by its hash."""
    if not re.fullmatch(r"[0-9a-f]{64}\.jpg", name):
        abort(404, "There is no such picture.")
    return send_from_directory(current_app.config["FRAMES"], name, max_age=86_400)


@pages.get("/healthz")
def health() -> tuple[Response, int]:
    """Whether a throw could be made now."""
    causes = _table().causes()
    return jsonify({"ok": not causes, "causes": causes}), 503 if causes else 200


@api.get("/state")
def state() -> Response:
    """The newest snapshot."""
    return Response(_table().board.snapshot.text, mimetype="application/json")


@api.get("/events")
def events() -> Response:
    """Server-sent events: a full snapshot first, then each newer one."""
    streams: guard.Streams = current_app.config["STREAMS"]
    address = request.remote_addr or ""
    if not streams.enter(address, guard.at_console(request)):
        response = jsonify({"error": "Too many screens are watching; ask again in a few seconds."})
        response.status_code = 503
        response.headers["Retry-After"] = "5"
        return response
    response = Response(_stream(_table()), mimetype="text/event-stream")
    response.call_on_close(lambda: streams.leave(address))
    return response


@api.get("/games")
def games() -> Response:
    """The games that can be chosen, with their options."""
    return jsonify([_describe(name) for name in TITLES])


@api.get("/games/<name>/options")
def usual_options(name: str) -> Response:
    """All options of a game, what is given checked and the usual filled in."""
    given = _json(request.args.get("options", "{}").encode())
    players = request.args.get("players", 4, type=int)
    if not isinstance(given, dict) or not 2 <= players <= 100:
        abort(400, '"options" is a JSON object, "players" a number from 2 to 100.')
    try:
        return jsonify(new_game(name, [str(number) for number in range(players)], given).options)
    except BadRecord as error:
        abort(400, str(error))


@api.post("/games")
def start_game() -> tuple[Response, int]:
    """Start a game: 201, or 409 while one is running."""
    body = _body(needed=("game", "players"), optional=("options",))
    players, options = body["players"], body.get("options", {})
    if not isinstance(players, list) or not isinstance(options, dict):
        abort(400, '"players" is a list of names, "options" an object.')
    if any(isinstance(name, str) and not 0 < len(name.strip()) <= LONGEST_NAME for name in players):
        abort(400, f"A name has 1 to {LONGEST_NAME} letters.")
    if body["game"] == "thousand-cards":
        abort(409, "The card game has no screens yet; choose another game.")
    try:
        return _answer(_table().start_game(body["game"], players, options, _who()), 201)
    except BadRecord as error:
        abort(400, str(error))


@api.delete("/games/current")
def abandon_game() -> tuple[Response, int]:
    """Void the running game."""
    return _answer(_table().abandon_game(_who()), 200)


@api.get("/games/current/record")
def record() -> Response:
    """The record of the running game."""
    found = _table().record()
    if found is None:
        abort(404, "There is no game.")
    return jsonify(found)


@api.post("/actions")
def act() -> tuple[Response, int]:
    """Take an action of the game."""
    body = _body(needed=("action",), optional=("expected_seq", "key"))
    if not isinstance(body["action"], dict):
        abort(400, '"action" is an object with a text "do".')
    return _answer(_table().act(body["action"], _who(), *_seq_and_key(body)), 200)


@api.post("/throw")
def throw() -> tuple[Response, int]:
    """Press the button: 202, the result comes as an event."""
    body = _body(needed=(), optional=("expected_seq", "key"))
    return _answer(_table().press(_who(), *_seq_and_key(body)), 202)


@api.delete("/fault")
def clear_fault() -> tuple[Response, int]:
    """Clear the latched fault."""
    return _answer(_table().clear_fault(_who()), 200)


@api.errorhandler(NotNow)
def _not_now(error: NotNow) -> tuple[Response, int]:
    return jsonify({"error": str(error)}), 409


def _say(error: HTTPException) -> tuple[Response, int] | Response:
    code = error.code or 500
    if request.path.startswith("/api/"):
        return jsonify({"error": error.description}), code
    return Response(render_template("sorry.html", code=code, message=error.description), code)


def _stream(table: Table) -> Iterator[str]:
    seq = -1
    yield "retry: 1000\n\n"
    while not table.board.closed:
        snapshot = table.board.newer(seq, HEARTBEAT_S)
        if snapshot is None:
            yield ": still here\n\n"
        else:
            seq = snapshot.seq
            yield f"id: {table.boot}:{seq}\ndata: {snapshot.text}\n\n"


def _table() -> Table:
    table: Table = current_app.config["TABLE"]
    return table


def _who() -> str:
    # The guard lets nobody else change anything.
    return "console"


def _answer(answer: dict[str, Any], status: int) -> tuple[Response, int]:
    return jsonify(answer), status


def _json(text: bytes) -> Any:
    try:
        return parse(text)
    except Refused as error:
        abort(400, str(error))


def _body(needed: tuple[str, ...], optional: tuple[str, ...]) -> dict[str, Any]:
    body = _json(request.get_data() or b"{}")
    if not isinstance(body, dict):
        abort(400, f"The body is a JSON object, not {short(body)}.")
    for name in needed:
        if name not in body:
            abort(400, f'The body lacks "{name}".')
    for name in body:
        if name not in needed + optional:
            abort(400, f"The body has no {short(name)}; it has {', '.join(needed + optional)}.")
    return body


def _seq_and_key(body: dict[str, Any]) -> tuple[int | None, str | None]:
    seq, key = body.get("expected_seq"), body.get("key")
    if seq is not None and (type(seq) is not int or seq < 0):
        abort(400, f'"expected_seq" is the "seq" of the state that was looked at, not {short(seq)}.')
    if key is not None and (not isinstance(key, str) or not _KEY.fullmatch(key)):
        abort(400, '"key" is a text of 1 to 100 plain characters, another one for each request.')
    return seq, key


def _describe(name: str) -> dict[str, Any]:
    game = GAMES[name]
    return {
        "game": name,
        "title": TITLES[name],
        "least_players": game.LEAST_PLAYERS,
        "most_players": game.MOST_PLAYERS,
        "options": [_describe_option(option) for option in game.OPTIONS],
    }


def _describe_option(option: Option) -> dict[str, Any]:
    form: dict[str, Any] = {"name": option.name, "sentence": option.sentence}
    match option:
        case Flag():
            return {**form, "type": "flag"}
        case Choice():
            return {**form, "type": "choice", "choices": option.choices}
        case Whole():
            return {**form, "type": "whole", "low": option.low, "high": option.high, "step": option.step}
        case _:
            return {**form, "type": "text"}
