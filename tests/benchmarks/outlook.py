"""CPU time of live odds, advice and simulated games: `python tests/benchmarks/outlook.py`.

For each game and number of players: how long the solved tables take once, the median and the longest first answer to a
position of a game that is played, how many games it simulated in that time, and the same for full advice.
Then how many whole games of Le Vingt-Six the engine plays in a minute.
"""

import random
import statistics
import time
from collections.abc import Iterator
from typing import Any

from server.advice import advised
from server.foresight import FIRST_S
from server.rules import Game, new_game
from server.strategy import chosen
from server.strategy.outlook import Simulation, exact

POSITIONS = 30
GAMES: tuple[tuple[str, int, dict[str, Any]], ...] = (
    ("vingt-six", 4, {}),
    ("vingt-six", 5, {}),
    ("quatorze", 6, {}),
    ("vingt-cinq", 2, {}),
    ("vingt-cinq", 4, {}),
    ("421", 2, {}),
    ("421", 4, {}),
    ("421", 4, {"version": "41"}),
    ("thousand", 2, {}),
    ("thousand", 4, {"preset": "club"}),
)
MINUTE_OF_26_S = 3.0


def positions(game: Game, chance: random.Random) -> Iterator[Game]:
    """Every third position of a game that is played carefully."""
    for number in range(3 * POSITIONS):
        if not game.awaits:
            return
        if number % 3 == 0:
            yield game
        throw(game, chance)


def throw(game: Game, chance: random.Random) -> None:
    """Take the next action."""
    action = chosen(game, "careful")
    if action == {"do": "throw"}:
        action = {"do": "throw", "dice": chance.choices(range(1, 7), k=game.dice)}
    game.play(action)


def answer(game: Game) -> int:
    """A first answer as the live odds give it; how many games were simulated."""
    begun = time.process_time()
    if exact(game) is not None:
        return 0
    simulation = Simulation(game)
    simulation.play(lambda: time.process_time() - begun < FIRST_S)
    return simulation.games


def measure(name: str, players: int, options: dict[str, Any]) -> None:
    """Print the figures of one game."""
    chance = random.Random(name)
    game = new_game(name, [str(number) for number in range(players)], options)
    begun = time.process_time()
    if exact(game) is None:
        simulation = Simulation(game)
        simulation.play(lambda: simulation.games < 1)
    first_s = time.process_time() - begun
    took, games, advice = [], [], []
    for position in positions(game, chance):
        begun = time.process_time()
        games.append(answer(position))
        took.append(time.process_time() - begun)
        begun = time.process_time()
        advised(position, "full")
        advice.append(time.process_time() - begun)
    print(
        f"{name:>11} {players} players, once {first_s:5.2f} s, odds {statistics.median(took) * 1e3:4.0f} ms, "
        f"at most {max(took) * 1e3:4.0f} ms, {statistics.median(games):4.0f} games, advice at most "
        f"{max(advice) * 1e3:4.0f} ms  {options}",
        flush=True,
    )


def games_of_26() -> float:
    """Whole games of four a minute of CPU time, through the public engine."""
    chance, games, begun = random.Random(26), 0, time.process_time()
    while time.process_time() - begun < MINUTE_OF_26_S:
        game = new_game("vingt-six", ["1", "2", "3", "4"])
        while game.awaits:
            if game.awaits == ("bet",):
                game.play({"do": "bet", "chips": 2})
            elif game.awaits == ("call",):
                game.play({"do": "call", "face": 6})
            else:
                game.play({"do": "throw", "dice": chance.choices(range(1, 7), k=10)})
        games += 1
    return 60 * games / (time.process_time() - begun)


def main() -> None:
    """Print everything."""
    for name, players, options in GAMES:
        measure(name, players, options)
    print(f"{games_of_26():.0f} whole games of Le Vingt-Six with four players a minute")


if __name__ == "__main__":
    main()
