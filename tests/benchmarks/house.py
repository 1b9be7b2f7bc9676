"""How house players do against each other: `python tests/benchmarks/house.py [GAME [GAMES]]`, 20,000 games of each.

In each game one is perfect and the other careful or bold; who begins changes from game to game. What is told is how
often the perfect one wins (a tie is half a win), or the chips that it gains a game, with 95 % intervals. Each game has
dice of its own; with `--keep FILE` what was found is kept, and an interrupted run goes on where it was.

At Le Quatorze every stake loses on the average, so the perfect stake is the smallest, which is the careful one too: the
two are equal there by their very choice, and the mean must lie around nothing.
"""

import argparse
import json
import random
from math import sqrt
from pathlib import Path
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
OTHERS = ("careful", "bold")
STEP = 500


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


def duel(name: str, other: str, games: int, keep: Path | None) -> None:
    """Play the games that are still to be played, and print now and then what has come of them."""
    kept: dict[str, list[float]] = json.loads(keep.read_text()) if keep is not None and keep.exists() else {}
    key = f"{name} {other}"
    played, total, squares = kept.get(key, [0, 0.0, 0.0])
    for number in range(int(played) + 1, games + 1):
        players = ["perfect", other] if number % 2 else [other, "perfect"]
        game = new_game(name, players, TABLES[name])
        play(game, {player: player for player in players}, random.Random(f"{key} {number}"))
        won = gained(game)
        total, squares = total + won, squares + won**2
        if number % STEP == 0 or number == games:
            tell(name, other, number, total, squares)
            if keep is not None:
                keep.write_text(json.dumps({**kept, key: [number, total, squares]}))


def tell(name: str, other: str, games: int, total: float, squares: float) -> None:
    """Print the mean of some games, with its interval."""
    mean = total / games
    error = 1.96 * sqrt(max(squares / games - mean**2, 0.0) / games)
    print(f"{name:>11}  perfect against {other:<8} {games:>6} games: {mean:8.4f} +- {error:.4f}", flush=True)


def main() -> None:
    """Play what the command line asks for."""
    parser = argparse.ArgumentParser()
    parser.add_argument("game", nargs="?", choices=TABLES)
    parser.add_argument("games", nargs="?", type=int, default=GAMES)
    parser.add_argument("--against", choices=OTHERS)
    parser.add_argument("--keep", type=Path)
    given = parser.parse_args()
    for name in [given.game] if given.game else TABLES:
        for other in [given.against] if given.against else OTHERS:
            duel(name, other, given.games, given.keep)


if __name__ == "__main__":
    main()
