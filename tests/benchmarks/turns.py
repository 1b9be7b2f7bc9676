"""A million turns of each game on the engine against the exact odds: `python tests/benchmarks/turns.py [GAME [TURNS]]`.

Each line is a figure of `cornet odds`, the mean of the turns, and how many standard errors lie between them.
"""

import argparse
import random
from collections.abc import Callable, Iterator
from math import sqrt
from typing import Any

from server.odds import odds
from server.rules import Game, new_game
from server.rules.le_421 import Le421

TURNS = 1_000_000
PLAYERS = ["1", "2", "3", "4"]
FACES = range(1, 7)
Sample = dict[str, float]


def throw(game: Game, chance: random.Random) -> None:
    """Throw what is due."""
    game.play({"do": "throw", "dice": chance.choices(FACES, k=game.dice)})


def bank(name: str, options: dict[str, Any], chance: random.Random) -> Iterator[Sample]:
    """Turns against a bank that can pay everything."""
    rich = {**options, "bet": 1, "player_chips": 10_000, "bank_chips": 100_000, "rounds": 100}
    while True:
        game = new_game(name, PLAYERS, rich)
        while game.awaits:
            game.log.clear()
            game.play({"do": "bet", "chips": 1})
            while game.awaits and not any(entry["event"] in ("win", "lose") for entry in game.log[-4:]):
                if game.awaits == ("call",):
                    game.play({"do": "call", "face": (game.choices("call")["face"]["one_of"])[0]})
                else:
                    throw(game, chance)
            end = next(entry for entry in game.log if entry["event"] in ("win", "lose"))
            won = end["event"] == "win"
            yield {"p_win": won, "expectation_stake_returned": end["odds"] if won else -1}


def vingt_cinq(name: str, options: dict[str, Any], chance: random.Random) -> Iterator[Sample]:
    """Turns in which one, or all, of the highest dice are kept."""
    for policy, place in (("keep_one", 0), ("keep_all", -1)) * TURNS:
        game = new_game(name, PLAYERS, {"life": 1000})
        while game.actor == "1":
            if game.awaits == ("keep",):
                game.play({"do": "keep", "dice": game.choices("keep")["dice"]["one_of"][place]})
            else:
                throw(game, chance)
        total = next(entry["sum"] for entry in game.log if entry["event"] == "sum")
        net = sum(game.scores()[player] for player in PLAYERS[1:])
        taken, lost = 3000 - net, 1000 - game.scores()["1"]
        yield {f"{policy}_mean_sum": total, f"{policy}_p_25": total == 25, f"{policy}_mean_net": taken - lost}


def le_421(name: str, options: dict[str, Any], chance: random.Random) -> Iterator[Sample]:
    """Coups of one throw by four players."""
    game = new_game(name, PLAYERS, options)
    while True:
        if not game.awaits or game.table()["phase"] != "charge":
            game = Le421(PLAYERS, options)
        game.log.clear()
        while game.awaits and not any(entry["event"] == "take" for entry in game.log):
            throw(game, chance)
        taken = next(entry for entry in game.log if entry["event"] == "take")
        yield {"dry_mean_due_4_players": taken["due"], "dry_p_tie_worst_4_players": _tied(game.log)}


def _tied(log: list[dict[str, Any]]) -> bool:
    return any(entry["event"] == "rampeau" and entry["for"] in ("worst", "both") for entry in log)


def thousand(name: str, options: dict[str, Any], chance: random.Random) -> Iterator[Sample]:
    """Turns that throw on below the points that the odds name."""
    stop = odds(name, {})["figures"]
    while True:
        game = new_game(name, PLAYERS, {"entry": 0, "bolts": 0, "dump_truck": 0, "barrels": []})
        while game.awaits and game.actor == "1":
            if game.awaits == ("keep",):
                game.play({"do": "keep", "dice": game.choices("keep")["dice"]["one_of"][0]})
            elif "bank" in game.awaits and game.log[-1]["turn_points"] >= stop[f"throw_on_below_{game.dice}_dice"]:
                game.play({"do": "bank"})
            else:
                throw(game, chance)
        yield {"best_turn_mean": game.scores()["1"]}


PLAY: dict[str, Callable[[str, dict[str, Any], random.Random], Iterator[Sample]]] = {
    "vingt-six": bank,
    "quatorze": bank,
    "vingt-cinq": vingt_cinq,
    "421": le_421,
    "thousand": thousand,
}


def judge(name: str, turns: int) -> None:
    """Play the turns and print how far the means are from the figures."""
    sums: dict[str, list[float]] = {}
    for _, sample in zip(range(turns), PLAY[name](name, {}, random.Random(name)), strict=False):
        for figure, value in sample.items():
            found = sums.setdefault(figure, [0, 0.0, 0.0])
            found[0], found[1], found[2] = found[0] + 1, found[1] + value, found[2] + value**2
    figures = odds(name, {})["figures"]
    for figure, (number, total, squares) in sums.items():
        mean = total / number
        error = sqrt((squares / number - mean**2) / number)
        apart = (mean - figures[figure]) / error
        print(f"{name:>11} {figure:<28} {figures[figure]:9.5f} {mean:9.5f} {apart:+5.2f} standard errors", flush=True)


def main() -> None:
    """Play what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("game", nargs="?", choices=PLAY, help="(default: one after the other)")
    parser.add_argument("turns", nargs="?", type=int, default=TURNS, help="(default %(default)s)")
    given = parser.parse_args()
    for name in [given.game] if given.game else PLAY:
        judge(name, given.turns)


if __name__ == "__main__":
    main()
