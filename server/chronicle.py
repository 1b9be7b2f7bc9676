"""What was played: every game of the log, who was in it, how it ended, and any moment of it again."""

import threading
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from itertools import islice
from typing import Any

from server.backlog import parts, reading
from server.chain import BrokenLog, Event
from server.correction import Move
from server.log import NONSENSE, Log
from server.record import record_of
from server.rules import Game, new_game
from server.standing import Match, Standing

PLAYED = frozenset(
    {"action", "throw", "entry", "refused", "correction", "undo", "dispute", "fault", "clear", "abandon"}
)
"""Events of a game that are a step of it."""
_TOLD = (
    "id",
    "game",
    "players",
    "options",
    "at",
    "until",
    "throws",
    "refused",
    "corrected",
    "entered",
    "simulated",
    "finished",
    "void",
    "result",
    "scores",
)
_REPLAYED = PLAYED | {"game", "press", "void"}


@dataclass(slots=True)
class Played:
    """A game that was begun, as far as it came."""

    id: int  # the event that began it
    game: str
    players: list[str]
    options: dict[str, Any]
    at: str  # when it began, as the log has it
    last: int  # its last event
    until: str  # when that was
    throws: int = 0
    refused: int = 0
    corrected: int = 0
    entered: int = 0  # of the throws, those made by hand
    simulated: bool = False  # whether any of its looks, used or refused, was at simulated dice
    finished: bool = False
    void: bool = False
    result: dict[str, Any] | None = None
    scores: dict[str, int] = field(default_factory=dict)
    best: tuple[str, int] | None = None  # who did the best of it, and how much

    @property
    def day(self) -> date:
        """The day on which it began, by this machine's clock."""
        return datetime.fromisoformat(self.at).astimezone().date()

    def as_json(self) -> dict[str, Any]:
        """What a list of games tells."""
        return {name: getattr(self, name) for name in _TOLD} | {"winners": winners(self.result)}


class Chronicle:
    """The games of a log, read once and then only what is new. Any thread may ask."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._lock = threading.Lock()
        self._standing = Standing()
        self._seq = 0
        self._games: dict[int, Played] = {}

    def games(self) -> list[Played]:
        """All games, the newest first; BrokenLog where an event cannot have happened.

        StillReading while another thread reads much that is new.
        """
        with reading(self._lock, self._log.seq - self._seq):
            for event in parts(self._log, self._seq):
                try:
                    self._take(event)
                except NONSENSE as error:
                    raise BrokenLog(f"The log cannot be replayed at event {event.seq} ({error!r}).") from None
                self._seq = event.seq
            return list(reversed(self._games.values()))

    def steps(self, played: Played, most: int | None = None) -> Iterator[tuple[Event, Standing]]:
        """Each step of a game, the first `most` of them, and where it stood after it: one standing, played on."""
        return islice(self._steps(played), most)

    def _steps(self, played: Played) -> Iterator[tuple[Event, Standing]]:
        standing, mine = Standing(), True
        for event in list(self._log.events(played.id - 1, played.last)):
            if not _is_played(event):
                continue
            if event.kind == "game":
                mine = event.seq == played.id
            throw = event.body.get("throw")  # that is corrected or doubted
            # The game before may be spoken of, and may go on, after this one or the next one was begun.
            if throw not in standing.looks if throw is not None else not mine:
                continue
            # The other game is not told here, so nothing of it is taken back.
            standing.apply(replace(event, body={**event.body, "taken_back": None}))
            mine = mine or standing.is_playing
            if event.kind in PLAYED:
                yield event, standing

    def moves(self, played: Played) -> tuple[Game, list[Move]]:
        """A game as it came to hold in the end, and the moves that made it so."""
        game, moves = new_game(played.game, played.players, played.options), list[Move]()
        for _, standing in self.steps(played):
            if standing.game is not None:
                game, moves = standing.game, list(standing.moves)
        return game, moves

    def record(self, played: Played) -> dict[str, Any]:
        """The record that replays a game as it holds now."""
        game, moves = self.moves(played)
        return record_of(game, [move.action for move in moves])

    def _take(self, event: Event) -> None:
        standing, body = self._standing, event.body
        if event.kind == "boot":
            standing.apply(event)  # which says of what dice the throws are that follow
        if not _is_played(event):
            return
        before = standing.game_id
        standing.apply(event)
        if event.kind == "game":
            begun = Played(event.seq, body["game"], body["players"], body["options"], body["at"], event.seq, body["at"])
            self._games[event.seq] = begun
            self._note(begun, event, standing)
            return
        spoken_of = standing.of(body["throw"]) if "throw" in body else None
        number = spoken_of.game_id if spoken_of else before or standing.game_id
        if number is not None:
            self._note(self._games[number], event, spoken_of or standing)
        if body.get("taken_back") is not None:
            self._games[body["taken_back"]].void = True

    def _note(self, played: Played, event: Event, match: Match) -> None:
        game = match.game
        played.last, played.until = event.seq, event.body["at"]
        played.throws += event.kind in ("throw", "entry")
        played.entered += event.kind == "entry"
        played.refused += event.kind == "refused"
        played.corrected += event.kind == "correction"
        played.simulated = match.simulated
        if game is None:
            played.void = event.kind == "abandon" and not played.finished
            return
        played.options = dict(game.options)
        played.finished = not game.legal()
        played.result = game.result() if played.finished else None
        played.scores = game.scores()
        played.best = best(game)


def _is_played(event: Event) -> bool:
    # The looks of a soak are no game's, also where it is made in the middle of one.
    return event.kind in _REPLAYED and "soak" not in event.body


def winners(result: dict[str, Any] | None) -> list[str]:
    """Who won, by the result of a game: of 421 whoever pays nothing."""
    if result is None:
        return []
    if "rounds" in result:
        return [player for player, rounds in result["rounds"].items() if not rounds]
    return [result["winner"]] if "winner" in result else list(result["winners"])


def best(game: Game) -> tuple[str, int] | None:
    """The best that anybody did: hits, points of an attack or a turn, at 421 how often 421 was thrown."""
    found: dict[str, int] = {}
    attacker = ""
    for entry in game.log:
        kind = entry["event"]
        attacker = entry["player"] if kind == "attack" else attacker
        match game.NAME, kind:
            case "vingt-six" | "quatorze", "throw":
                player, value = entry["player"], entry["total"]
            case "vingt-cinq", "attack_total":
                player, value = attacker, entry["points"]
            case "421", "throw" if entry.get("combination") == "421":
                player, value = entry["player"], found.get(entry["player"], 0) + 1
            case "thousand", "bank":
                player, value = entry["player"], entry["points"]
            case _:
                continue
        found[player] = max(value, found.get(player, 0))
    return max(found.items(), key=lambda item: item[1]) if found else None
