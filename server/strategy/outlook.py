"""How a game will end: each player's chance to win and expected outcome, exactly or by games played on the engine."""

from collections.abc import Callable, Mapping
from math import sqrt
from typing import Any

import numpy as np

from server.rules.bank import BankGame
from server.rules.game import Game
from server.rules.thousand import Thousand
from server.strategy import bank, chosen, le_421, thousand, vingt_cinq

UNITS = {
    "vingt-six": "chips",
    "quatorze": "chips",
    "vingt-cinq": "place",
    "421": "rounds",
    "thousand": "place",
}
"""What an outcome is: chips gained, place in the end, rounds owed."""

MOST_SETTLEMENTS = 1600
"""So many settlements of turns are worked through, each some 50 microseconds, before a bank game is simulated."""
_NEGLIGIBLE = 1e-12
_LEAST_GAMES = 2
"""Fewer games have no spread."""
_DRAWN = 240
"""So many dice are drawn at once."""
_REFERENCE = {"421": "even", "thousand": "points"}
"""How those play who are simulated, where perfect would take too long."""
_BASIS = {
    "vingt-six": "The stakes are those that bring most in a turn.",
    "quatorze": "The stakes are those that bring most in a turn.",
    "vingt-cinq": "Everybody plays for points taken less points lost.",
    "421": "Everybody plays to win the coup and not to lose it.",
    "thousand": "Everybody plays each turn for the most points.",
}


def exact(game: Game) -> dict[str, Any] | None:
    """The outlook where the positions that can follow are few enough; None where they are not."""
    if not game.awaits:
        return _told(game, *_ended(game), method="exact", basis="The game is over.")
    if isinstance(game, BankGame):
        found = _bank(game)
        return found and _told(game, *found, method="exact", basis=_BASIS[game.NAME])
    if game.NAME == "vingt-cinq" and vingt_cinq.solvable(game):
        return _told(game, *_vingt_cinq(game), method="exact", basis="Both play as well as can be.")
    if game.NAME == "421" and le_421.solvable(game):
        return _told(game, *_421(game), method="exact", basis="Both play as well as can be.")
    return None


def prepare(game: Game) -> None:
    """Solve ahead what positions to come will need, so that none of them waits for it; done once for a game."""
    if game.NAME == "vingt-cinq":
        vingt_cinq.prepare(game)


class Simulation:
    """Games played to their end on the engine itself, from one position; the more, the better it is known."""

    def __init__(self, game: Game, seed: int = 0) -> None:
        self._game = game.fork()
        self._game.log = self._game.log[-1:]  # what was said before the last word decides nothing
        self._chance = np.random.default_rng(seed)
        self._faces: list[int] = []
        self._aim = _REFERENCE.get(game.NAME, "perfect")
        self._race = thousand.race_of(game) if isinstance(game, Thousand) else None
        players = len(game.players)
        self._ends = {"place": (1, players), "rounds": (0, game.options.get("manches", 0))}.get(UNITS[game.NAME])
        self.games = 0
        self._sums, self._squares = [0.0] * 2 * players, [0.0] * 2 * players

    def play(self, going_on: Callable[[], bool]) -> None:
        """Play games while that is so; it is asked before each action, and a game broken off counts for nothing."""
        while going_on():
            game = self._game.fork()
            while game.awaits and going_on():
                self._go_on(game)
            if not game.awaits:
                self._count(game)

    def told(self) -> dict[str, Any]:
        """The outlook so far, with standard errors; without figures before two games have been played to their end.

        The error of a chance is the standard deviation of what it may be after so many wins, all chances taken to be
        as likely before (Laplace), as if one game more had been won and one lost: a few games that end alike leave it
        in doubt, where their own spread is nothing. So with places and rounds, by one game more at either end.
        """
        if self.games < _LEAST_GAMES:
            basis = "Too few games have been played to their end yet."
            return {"method": "simulated", "basis": basis, "games": self.games, "players": {}}
        players = len(self._game.players)
        means = [total / self.games for total in self._sums]
        told = _told(self._game, means[:players], means[players:], method="simulated", basis=_BASIS[self._game.NAME])
        for place, each in enumerate(told["players"].values()):
            each |= {
                "win_error": self._error(place, (0, 1)),
                "expected_error": self._error(players + place, self._ends),
            }
        return {**told, "games": self.games}

    def _error(self, figure: int, ends: tuple[int, int] | None) -> float:
        """The standard error of a mean of what lies between these ends; None where it may be anything."""
        low, high = ends or (0, 0)
        more, spread_of = (2, 3) if ends else (0, -1)
        mean = (self._sums[figure] + low + high) / (self.games + more)
        spread = (self._squares[figure] + low**2 + high**2) / (self.games + more) - mean**2
        return sqrt(max(spread, 0.0) / (self.games + spread_of))

    def _go_on(self, game: Game) -> None:
        if isinstance(game, BankGame) and game.awaits != ("bet",):
            # One draw from the exact chances of the turn stands for all its throws.
            odds, chances = zip(*bank.outcomes_of(game).items(), strict=True)
            game.settle(int(self._chance.choice(odds, p=chances)))
            return
        if isinstance(game, Thousand) and self._race is not None and game.opening is not None:
            # So does one of the exact ends of a turn that is played for points.
            end = self._race.drawn(*game.opening, self._chance.random())
            if end is not None:
                game.settle(*end)
                return
        action = chosen(game, self._aim)
        if action == {"do": "throw"}:
            action = {"do": "throw", "dice": self._thrown(game.dice)}
        game.play(action)

    def _thrown(self, dice: int) -> list[int]:
        if len(self._faces) < dice:
            self._faces = self._chance.integers(1, 7, _DRAWN).tolist()
        thrown, self._faces = self._faces[:dice], self._faces[dice:]
        return thrown

    def _count(self, game: Game) -> None:
        won, outcome = _ended(game)
        self.games += 1
        for place, value in enumerate([*won, *outcome]):
            self._sums[place] += value
            self._squares[place] += value**2


def turn(game: Game) -> dict[str, Any] | None:
    """What the turn under way may still come to; of the 26, the chances of each final total."""
    if not isinstance(game, BankGame) or game.awaits in ((), ("bet",)):
        return None
    outcomes = bank.outcomes_of(game)
    told: dict[str, Any] = {
        "win": 1 - outcomes.get(0, 0.0),
        "odds": {str(odds): chance for odds, chance in sorted(outcomes.items())},
    }
    if game.NAME == "vingt-six":
        told["totals"] = bank.totals(len(game.throws), sum(game.throws))
    return told


def _told(game: Game, won: Any, outcome: Any, *, method: str, basis: str) -> dict[str, Any]:
    players = {
        name: {"win": chance, "expected": expected}
        for name, chance, expected in zip(game.players, won, outcome, strict=True)
    }
    return {"method": method, "basis": basis, "unit": UNITS[game.NAME], "players": players}


def _ended(game: Game) -> tuple[list[float], list[float]]:
    """Who has won a game that is over, and each player's outcome."""
    result, players = game.result(), game.players
    if game.NAME == "421":
        rounds = [result["rounds"][name] for name in players]
        return [float(owed == 0) for owed in rounds], [float(owed) for owed in rounds]
    if isinstance(game, BankGame):
        return [float(name in result["winners"]) for name in players], [float(result["net"][name]) for name in players]
    if game.NAME == "thousand":
        places: Mapping[str, int] = result["places"]
    else:
        order = [*result["out"], result["winner"]]
        places = {name: len(order) - place for place, name in enumerate(order)}
    return [float(places[name] == 1) for name in players], [float(places[name]) for name in players]


def _vingt_cinq(game: Game) -> tuple[list[float], list[float]]:
    mine = vingt_cinq.chance(game)
    lives, out = game.scores(), game.table()["out"]
    won = [(mine if name == game.actor else 1 - mine) if lives[name] else 0.0 for name in game.players]
    places = [
        2 - chance if lives[name] else float(len(game.players) - out.index(name))
        for name, chance in zip(game.players, won, strict=True)
    ]
    return won, places


def _421(game: Game) -> tuple[list[float], list[float]]:
    """Of two players: the chances to owe no round, and the rounds owed."""
    table, mine = game.table(), le_421.chance(game)
    kept_out = {name: mine if name == game.actor else 1 - mine for name in game.players}
    rounds = {name: table["losers"].count(name) + 1 - chance for name, chance in kept_out.items()}
    free = {name: chance * (name not in table["losers"]) for name, chance in kept_out.items()}
    if game.options["manches"] > table["manche"]:
        # The loser of this manche leads the next one.
        leads, follows = le_421.begun(game, leads=True), le_421.begun(game, leads=False)
        for name, chance in kept_out.items():
            rounds[name] += 1 - (chance * follows + (1 - chance) * leads)
            free[name] *= follows
    return [free[name] for name in game.players], [rounds[name] for name in game.players]


def _bank(game: BankGame) -> tuple[list[float], list[float]] | None:
    """A banker's game played out turn by turn on the engine, equal positions together."""
    ahead = len(game.players) - 1
    turns = ahead * game.options["rounds"] * (game.options["games"] - game.completed)
    if len(bank.outcomes_of(_staked(game))) ** min(turns, 20) > MOST_SETTLEMENTS**2:
        return None
    first = game.fork()
    first.log = []
    positions: dict[Any, tuple[BankGame, float]] = {None: (first, 1.0)}
    won, net = [0.0] * len(game.players), [0.0] * len(game.players)
    settled = 0
    while positions:
        following: dict[Any, tuple[BankGame, float]] = {}
        for here, chance in positions.values():
            staked = _staked(here)
            for odds, share in bank.outcomes_of(staked).items():
                settled += 1
                if settled > MOST_SETTLEMENTS:
                    return None
                after = staked.fork()
                after.settle(odds)
                if after.awaits:
                    key = after.position()
                    _, before = following.get(key, (after, 0.0))
                    following[key] = after, before + chance * share
                else:
                    _add(won, net, after, chance * share)
        positions = {key: each for key, each in following.items() if each[1] > _NEGLIGIBLE}
    return won, net


def _staked(game: BankGame) -> BankGame:
    """The same game with the stake on the table."""
    if game.awaits != ("bet",):
        return game
    staked = game.fork()
    staked.play(chosen(game))
    return staked


def _add(won: list[float], net: list[float], game: BankGame, chance: float) -> None:
    for place, (wins, chips) in enumerate(zip(*_ended(game), strict=True)):
        won[place] += chance * wins
        net[place] += chance * chips
