"""Le 25: which dice to keep; between two players the whole race is solved, among more each turn for itself."""

from functools import cache, lru_cache
from math import comb

import numpy as np
import numpy.typing as npt

from server.rules.game import Game
from server.rules.vingt_cinq import AIM, DICE
from server.strategy.weighing import Choice, Weighed, ranked

Values = npt.NDArray[np.float64]

FACES = range(1, 7)
MOST_LIFE = 40
"""A race from more life points than this is not solved: its table grows with the square."""
MOST_KEPT = 50
"""More dice than this are set aside in an attack with a chance below 1e-16, and their damage is not told apart."""
_SETTLED = 1e-13


def weigh(game: Game, aim: str) -> Weighed:
    """The dice that may be kept, with the chance to win (two players, perfect) or the life points of the turn."""
    table, solved = game.table(), solvable(game) and aim == "perfect"
    build = _build_of(game, aim)
    left, total = DICE - len(table["kept"]), table["sum"]
    choices = [
        Choice({"do": "keep", "dice": dice}, float(build[left - len(dice)][total + sum(dice)]))
        for dice in game.choices("keep")["dice"]["one_of"]
    ]
    if solved:
        return Weighed("chance to win", "Exact: both play as well as can be.", ranked(choices))
    basis = "Exact for this turn: points taken less points lost." if aim == "perfect" else "Exact for this turn."
    return Weighed("life points", basis, ranked(choices))


def solvable(game: Game) -> bool:
    """Whether two are in, with few enough life points, so that the race is solved."""
    lives = [life for life in game.scores().values() if life]
    return len(lives) == 2 and max(lives) <= MOST_LIFE


def prepare(game: Game) -> None:
    """Solve the race that may come of this game; a quarter of a second at most, done once."""
    _race_worths(game.options["attack_again"], _most(game))


def _most(game: Game) -> int:
    """The life points up to which the race is solved: the same all through a game, so that it is solved once."""
    life: int = game.options["life"]
    return min(max(life, AIM), MOST_LIFE)


def chance(game: Game) -> float:
    """The chance to win of the one whose turn it is, where the race is solvable and both play as well as can be."""
    table = game.table()
    left, total = DICE - len(table["kept"]), table["sum"]
    if table["rolled"]:
        return weigh(game, "perfect").choices[0].worth
    if table["phase"] == "build":
        return float(_build_of(game, "perfect")[left][total])
    mine, others = _lives(game)
    face, so_far, again = table["attack_face"], table["attack_kept"], game.options["attack_again"]
    most = _most(game)
    return float(
        sum(
            chance * _after(mine, others[0] - face * (so_far + more), again, most)
            for more, chance in enumerate(kept(game.dice, again, -(-others[0] // face)))
        )
    )


def build(worth: Values) -> list[Values]:
    """The best mean worth with 0 to 5 dice to throw, by what is set aside so far; `worth` is that of sums 0 to 30.

    The last axis is the sum; further axes before it are as many positions solved together.
    """
    best = [worth]
    for left in range(1, DICE + 1):
        size = 6 * (DICE - left) + 1
        mean = np.zeros((*worth.shape[:-1], size))
        for face in FACES:
            most = np.full_like(mean, -np.inf)
            for count in range(1, left + 1):
                most = np.maximum(most, best[left - count][..., count * face : count * face + size])
                mean += comb(left, count) * (face - 1) ** (left - count) / 6**left * most
        best.append(mean)
    return best


@cache
def kept(dice: int, again: bool, most: int) -> tuple[float, ...]:
    """The chances that an attack with so many dice left sets 0, 1, ... more aside; the last is `most` or more."""
    if most == 0:
        return (1.0,)
    found = [0.0] * (most + 1)
    for hits in range(dice + 1):
        ways = comb(dice, hits) * 5 ** (dice - hits) / 6**dice
        left = DICE if hits == dice and again else dice - hits
        counted = min(hits, most)
        further = kept(left, again, most - counted) if hits and left else (1.0,)
        for more, chance in enumerate(further):
            found[counted + more] += ways * chance
    return tuple(found)


def _lives(game: Game) -> tuple[int, list[int]]:
    """The life points of the one whose turn it is, and those of the others who are in, in the order of play."""
    scores, seat = game.scores(), game.players.index(game.actor)
    after = game.players[seat + 1 :] + game.players[:seat]
    return scores[game.actor], [scores[player] for player in after if scores[player]]


def _build_of(game: Game, aim: str) -> list[Values]:
    mine, others = _lives(game)
    again = game.options["attack_again"]
    if aim == "perfect" and solvable(game):
        return _build_race(mine, others[0], again, _most(game))
    return _build_turn(mine, sum(others), again, aim)


@lru_cache(maxsize=4096)
def _build_turn(mine: int, theirs: int, again: bool, aim: str) -> list[Values]:
    """The turn by itself: careful counts what is lost, bold what is taken, perfect both."""
    worth = np.zeros(6 * DICE + 1)
    for total in range(len(worth)):
        if total < AIM and aim != "bold":
            worth[total] = -min(AIM - total, mine)
        if total > AIM and aim != "careful":
            face = total - AIM
            chances = kept(DICE, again, min(-(-theirs // face), MOST_KEPT))
            worth[total] = sum(chance * min(face * number, theirs) for number, chance in enumerate(chances))
    return build(worth)


@lru_cache(maxsize=4096)
def _build_race(mine: int, other: int, again: bool, most: int) -> list[Values]:
    return build(_race_worths(again, most)[mine, other])


@lru_cache(maxsize=4)
def _race_worths(again: bool, most: int) -> Values:
    return _worths(race(again, most), again)


def _after(mine: int, other: int, again: bool, most: int) -> float:
    """The chance to win after one's own turn."""
    return 1 - float(race(again, most)[max(other, 0), mine])


@lru_cache(maxsize=4)
def race(again: bool, most: int) -> Values:
    """The chances to win of who begins a turn, by the life points of both, 0 to `most`: both play perfectly."""
    chances = np.full((most + 1, most + 1), 0.5)
    chances[:, 0], chances[0, :] = 1, 0
    while True:
        better = build(_worths(chances, again))[DICE][..., 0]
        better[:, 0], better[0, :] = 1, 0
        change = np.abs(better - chances).max()
        chances = better
        if change < _SETTLED:
            return chances


def _worths(chances: Values, again: bool) -> Values:
    """By the life points of both and the sum: the chance to win of the one who has built it."""
    lives = np.arange(len(chances))
    after = 1 - chances.T  # mine, other: once the other has the turn
    worth = np.empty((*chances.shape, 6 * DICE + 1))
    for total in range(6 * DICE + 1):
        if total <= AIM:
            worth[..., total] = after[np.maximum(lives - (AIM - total), 0), :]
        else:
            face = total - AIM
            taken = kept(DICE, again, -(-(len(chances) - 1) // face))
            worth[..., total] = sum(
                chance * after[:, np.maximum(lives - face * number, 0)] for number, chance in enumerate(taken)
            )
    return worth
