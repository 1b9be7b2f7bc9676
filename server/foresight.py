"""Live odds: how the running game will end, worked out beside the table and never in its way."""

import json
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from server.rules import Game
from server.stage import Phase
from server.strategy import knows
from server.strategy.outlook import Simulation, exact, prepare, turn
from server.table import Table

FIRST_S = 0.12
"""So long the first answer of a position may take, where the solved races it needs are at hand."""
MOST_GAMES = 4000
"""More games of one position are not simulated: a chance is then known to 0.008 or better."""
_BATCH_S = 0.05
_REMEMBERED = 256


class Foresight:
    """Knows the outlook of the position on the table; any thread may ask, and one follows the game.

    It takes a copy of the game and holds no lock of the table while it works; it rests while dice are thrown.
    """

    def __init__(self, table: Table, clock: Callable[[], float] = time.monotonic) -> None:
        self._table, self._clock = table, clock
        self._working = threading.Lock()
        self._known: OrderedDict[str, dict[str, Any]] = OrderedDict()
        self._simulation: tuple[str, Simulation] | None = None

    def outlook(self) -> dict[str, Any] | None:
        """Each player's chance to win and expected outcome, and what the turn may come to; None without a game.

        `players` has for each name `win` (0 to 1), `expected` in `unit`, and where simulated their standard errors;
        `turn` is null but in the bank games.
        """
        game = self._game()
        if game is None:
            return None
        position = _position(game)
        with self._working:
            if position not in self._known:
                self._answer(game, position)
            return self._known[position]

    def follow(self, wait: Callable[[float], bool]) -> None:
        """Answer each position as soon as it stands, then better it; `wait` waits so long and says whether to stop."""
        seen, better = -1, False
        # Every batch is followed by as long a rest, so that the web and the motor have the processor too.
        while not wait(_BATCH_S):
            turned = self._table.ask(lambda standing: standing.turned)
            if self._may_work() and (better or turned != seen):
                seen, better = turned, self._work()

    def _work(self) -> bool:
        """Answer what stands on the table, or better the answer; whether it can be bettered further."""
        game = self._game()
        if game is None or self.outlook() is None:
            return False
        prepare(game)
        return self._improve()

    def _may_work(self) -> bool:
        return self._table.phase in (Phase.READY, Phase.FAULT)

    def _game(self) -> Game | None:
        game = self._table.ask(lambda standing: standing.game.fork() if standing.game else None)
        return game if game is not None and knows(game) else None

    def _answer(self, game: Game, position: str) -> None:
        begun = self._clock()
        found = exact(game)
        if found is None:
            until = FIRST_S + begun - self._clock()
            simulation = Simulation(game)  # solves the race of Thousand where it is not at hand: then it takes longer
            until += self._clock()
            simulation.play(lambda: self._clock() < until)
            self._simulation = position, simulation
            found = simulation.told()
        self._keep(position, {**found, "turn": turn(game)})

    def _improve(self) -> bool:
        game = self._game()
        with self._working:
            if self._simulation is None or game is None or self._simulation[0] != _position(game):
                return False
            position, simulation = self._simulation
            if simulation.games >= MOST_GAMES:
                return False
            until = self._clock() + _BATCH_S
            simulation.play(lambda: self._clock() < until and self._may_work())
            self._keep(position, {**simulation.told(), "turn": turn(game)})
            return True

    def _keep(self, position: str, found: dict[str, Any]) -> None:
        self._known[position] = found
        if len(self._known) > _REMEMBERED:
            self._known.popitem(last=False)


def _position(game: Game) -> str:
    state = game.state()
    del state["log"]
    return json.dumps(state, sort_keys=True)
