"""How house players do against each other: `python tests/benchmarks/house.py [GAME [GAMES]]`, 20,000 games of each.

In each game one is perfect and the other careful or bold; who begins changes from game to game. What is told is how
often the perfect one wins (a tie is half a win), or the chips that it gains a game, with 95 % intervals.
"""

import random
import sys
from math import sqrt
from typing import Any

from server.rules import Game, new_game
from server.strategy import chosen

GAMES = 20_000
TABLES: dict[str, dict[str, Any]] = {
    "vingt-six": {"bet_mode": "free", "rotate_banker": True},
    "quatorze": {"bet_mode": "free", "rotate_banker": True},
    "vingt-cinq": {},
    "421": {"manches": 1},
    "thousand": {},
}
STEP = 2000


def play(game: Game, aims: dict[str, str], chance: random.Random) -> None:
    """Play a game to its end, each player by an aim."""
    while game.awaits:
        action = chosen(game, aims[game.actor])
        if action == {"do": "throw"}:
            action = {"do": "throw", "dice": chance.choices(range(1, 7), k=game.dice)}
        game.play(action)


def gained(game: Game) -> float:
    """What the perfect one has of a game: chips in the bank games, else 1 for a win."""
    result = game.result()
    if "net" in result:
        return float(result["net"]["perfect"])
    if "rounds" in result:
        return float(not result["rounds"]["perfect"])
    return float(result["winner"] == "perfect")


def duel(name: str, other: str, games: int) -> None:
    """Play the games, and print what has come of them now and then."""
    chance, total, squares = random.Random(f"{name} {other}"), 0.0, 0.0
    for number in range(1, games + 1):
        players = ["perfect", other] if number % 2 else [other, "perfect"]
        game = new_game(name, players, TABLES[name])
        play(game, {player: player for player in players}, chance)
        won = gained(game)
        total, squares = total + won, squares + won**2
        if number % STEP == 0 or number == games:
            mean = total / number
            error = 1.96 * sqrt(max(squares / number - mean**2, 0.0) / number)
            print(f"{name:>11}  perfect against {other:<8} {number:>6} games: {mean:8.4f} +- {error:.4f}", flush=True)


def main() -> None:
    """Play what the command line asks for."""
    names = sys.argv[1:2] or list(TABLES)
    games = int(sys.argv[2]) if len(sys.argv) > 2 else GAMES
    for name in names:
        for other in ("careful", "bold"):
            duel(name, other, games)


if __name__ == "__main__":
    main()
