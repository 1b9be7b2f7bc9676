"""The pages of what was played, and their API: games, steps, leaders, records of the day, export."""

import csv
import io
from collections import Counter
from datetime import date, datetime
from typing import Any

from flask import Blueprint, Response, abort, jsonify, render_template, request
from werkzeug.exceptions import ServiceUnavailable

from server.backlog import StillReading
from server.chain import BrokenLog, Event
from server.chronicle import Played, winners
from server.rules import new_game
from server.standing import Standing
from server.web.caps import in_turn
from server.web.handed import handed
from server.web.openapi import ANYBODY, asked_number, operation
from server.web.refusal import refused

PAGE = 40

_BROKEN = "The log holds what cannot have happened, or is long and still being read, or others are asking."

history = Blueprint("history", __name__)

_GAMES = {"type": "object", "properties": {"games": {"type": "array"}, "more": {"type": "boolean"}}}
_FILTER = {
    "game": {"type": "string"},
    "player": {"type": "string"},
    "before": {"type": "integer", "minimum": 0, "maximum": 10**15 - 1},
}


@history.get("/history")
def every_game() -> str:
    """Every game that was played."""
    return render_template("history.html")


@history.get("/history/<int:number>")
def one_game(number: int) -> str:
    """One game, step by step."""
    return render_template("replay.html", played=find_game(number))


@history.get("/api/history")
@operation(
    ANYBODY, {200: "Games, the newest first, and whether there are more.", 503: _BROKEN}, query=_FILTER, gives=_GAMES
)
def games() -> Response:
    """The games that fit, forty at a time: of a kind, of a player (a part of the name), before an event."""
    kind, player = request.args.get("game"), request.args.get("player", "").casefold()
    before = asked_number("before")
    found = [
        played
        for played in handed().chronicle.games()
        if (not kind or played.game == kind)
        and (before is None or played.id < before)
        and (not player or any(player in name.casefold() for name in played.players))
    ]
    return jsonify(games=[played.as_json() for played in found[:PAGE]], more=len(found) > PAGE)


@history.get("/api/history/day")
@operation(
    ANYBODY, {200: "How much was played today, and the best of each game.", 503: _BROKEN}, gives={"type": "object"}
)
def day() -> Response:
    """Today's records; on a real cornet no game with simulated throws counts."""
    today = datetime.now().astimezone().date()
    played = [game for game in _counted() if game.day == today and not game.void]
    records: dict[str, dict[str, Any]] = {}
    for game in played:
        if game.best and game.best[1] > records.get(game.game, {"best": 0})["best"]:
            records[game.game] = {"game": game.game, "player": game.best[0], "best": game.best[1]}
    return jsonify(games=len(played), throws=sum(game.throws for game in played), records=list(records.values()))


@history.get("/api/history/leaders")
@operation(
    ANYBODY,
    {200: "Games and wins of each player in each game.", 503: _BROKEN},
    query={"season": {"type": "string"}, "player": {"type": "string"}},
    gives={"type": "object", "properties": {"leaders": {"type": "array"}, "seasons": {"type": "array"}}},
)
def leaders() -> Response:
    """Who has won how often: in a season (2026-autumn), over all time without it; `seasons` are those with games.

    On a real cornet no game with simulated throws counts.
    """
    season, player = request.args.get("season"), request.args.get("player", "").casefold()
    played: Counter[tuple[str, str]] = Counter()
    won: Counter[tuple[str, str]] = Counter()
    finished = [game for game in _counted() if game.finished]
    for game in finished:
        if not season or season_of(game.day) == season:
            played.update((game.game, player) for player in game.players)
            won.update((game.game, player) for player in winners(game.result))
    rows: list[dict[str, Any]] = [
        {"game": kind, "player": name, "games": number, "wins": won[kind, name]}
        for (kind, name), number in played.items()
        if player in name.casefold()
    ]
    ranked = sorted(rows, key=lambda row: (-row["wins"], row["games"], row["player"]))
    return jsonify(leaders=ranked, seasons=list(dict.fromkeys(season_of(game.day) for game in finished)))


@history.get("/api/history.csv")
@operation(ANYBODY, {200: "A line for each game.", 503: _BROKEN}, gives="text/csv")
def every_game_as_table() -> Response:
    """Every game as a table: who played and won, and how many throws it took."""
    text = io.StringIO()
    table = csv.writer(text)
    columns = ("throws", "refused", "corrected", "entered", "simulated", "finished", "void")
    table.writerow(["id", "game", "at", "until", "players", "winners", *columns])
    with in_turn():
        for game in handed().chronicle.games():
            who = [_cell(", ".join(names)) for names in (game.players, winners(game.result))]
            table.writerow([game.id, game.game, game.at, game.until, *who, *(getattr(game, name) for name in columns)])
    return _file(Response(text.getvalue(), mimetype="text/csv"), "cornet-games.csv")


@history.get("/api/history/<int:number>")
@operation(ANYBODY, {200: "The game and its steps.", 503: _BROKEN, 404: "There is none."}, gives={"type": "object"})
@in_turn()
def steps(number: int) -> Response:
    """A game and what happened in it, step by step."""
    played = find_game(number)
    found = [_step(event, standing) for event, standing in handed().chronicle.steps(played)]
    return jsonify(**played.as_json(), steps=found)


@history.get("/api/history/<int:number>/steps/<int:place>")
@operation(ANYBODY, {200: "The moment.", 503: _BROKEN, 404: "There is none."}, gives={"type": "object"})
@in_turn()
def moment(number: int, place: int) -> Response:
    """Where a game stood after one of its steps: as the snapshot has it; of one put away, where it stood before."""
    played = find_game(number)
    # A game has no more steps than events, and a place may be a number longer than any that counts.
    steps = handed().chronicle.steps(played, min(place, played.last - played.id) + 1)
    moments = [(standing.game, standing.last) for _, standing in steps]
    if place >= len(moments):
        abort(404, "There is no such step.")
    begun = new_game(played.game, played.players, played.options), None
    game, last = next(((game, last) for game, last in reversed(moments) if game is not None), begun)
    return jsonify(game=game.state(), game_id=number, paid=game.paid(), last=last, seq=place)


@history.get("/api/history/<int:number>/record")
@operation(ANYBODY, {200: "Its record.", 503: _BROKEN, 404: "There is none."}, gives={"type": "object"})
@in_turn()
def record(number: int) -> Response:
    """The record that replays a game."""
    return _file(jsonify(handed().chronicle.record(find_game(number))), f"cornet-{number}.json")


@history.get("/api/history/<int:number>/throws.csv")
@operation(ANYBODY, {200: "A line for each look.", 503: _BROKEN, 404: "There is none."}, gives="text/csv")
@in_turn()
def throws(number: int) -> Response:
    """Every look at the dice of a game as a table: what was read, and what holds."""
    text = io.StringIO()
    table = csv.writer(text)
    table.writerow(["event", "at", "player", "verdict", "faces", "corrected", "reason", "picture", "head"])
    looks: dict[int, list[Any]] = {}
    for event, standing in handed().chronicle.steps(find_game(number)):
        if event.kind in ("throw", "entry", "refused"):
            by = next((move.actor for move in standing.moves if move.seq == event.seq), "")
            faces = " ".join(map(str, event.body.get("faces", [])))
            frame, head = event.body.get("frame") or "", event.hash[:8]
            looks[event.seq] = [
                event.seq,
                event.body["at"],
                _cell(by),
                event.body.get("verdict", "entered by hand"),
                faces,
                "",
                "",
                frame,
                head,
            ]
        elif event.kind == "correction":
            looks[event.body["throw"]][5:7] = [" ".join(map(str, event.body["faces"])), _cell(event.body["reason"])]
    table.writerows(looks.values())
    return _file(Response(text.getvalue(), mimetype="text/csv"), f"cornet-{number}.csv")


def _counted() -> list[Played]:
    """The games that records and leaders are of, the newest first."""
    simulated = handed().table.about["simulated"]
    return [game for game in handed().chronicle.games() if simulated or not game.simulated]


def season_of(day: date) -> str:
    """The season of a day by whole months, December being the winter of the year that follows it: 2026-autumn."""
    year, place = divmod(day.year * 12 + day.month, 12)
    return f"{year}-{('winter', 'spring', 'summer', 'autumn')[place // 3]}"


def _cell(text: str) -> str:
    # A spreadsheet takes these for the beginning of a formula.
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t", "\r")) else text


def _step(event: Event, standing: Standing) -> dict[str, Any]:
    body = event.body
    found = {"seq": event.seq, "kind": event.kind, "at": body["at"], "by": body.get("by"), "head": event.hash[:8]}
    found |= {name: body[name] for name in ("action", "faces", "verdict", "frame", "reason", "fault") if name in body}
    if event.kind in ("throw", "entry", "action"):
        found["player"] = standing.moves[-1].actor
    found["log"] = len(standing.game.log) if standing.game else 0
    return found


def _file(response: Response, name: str) -> Response:
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


@history.app_errorhandler(StillReading)
def still_reading(error: StillReading) -> tuple[Response, int]:
    """The answer while a long log is read for somebody who asked before."""
    return refused(ServiceUnavailable(str(error), retry_after=5))


@history.app_errorhandler(BrokenLog)
def broken(error: BrokenLog) -> tuple[Response, int]:
    """The answer where the log cannot be read, or holds what cannot have happened."""
    return refused(ServiceUnavailable(str(error)))


def find_game(number: int) -> Played:
    """The game of that number; 404 where there is none, BrokenLog where nobody can tell."""
    played = next((game for game in handed().chronicle.games() if game.id == number), None)
    if played is None:
        abort(404, "There is no such game.")
    return played
