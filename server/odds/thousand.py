"""The odds of Thousand: one throw of one to five dice, and one whole turn played as well as can be.

Points grow with every throw, so a turn is worked out from many points down to none. With many points it is best to
stop at once where that is allowed: from there on the mean is a straight line of the points, known in closed form.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from math import ceil
from typing import Any, NamedTuple

from server.odds.chance import Figures, throws
from server.rules.thousand import DICE, LEAST_POINTS
from server.rules.thousand_scoring import scoring, valid_parts, value

TARGETS = (5, 25, 50, 55, 75, 100, 150, 200)
OVER = 0
"""Where a choice says how many dice are left: none, five ones have won."""


class Leaving(NamedTuple):
    """What one may do after a throw: the dice left to throw on with (all five: they must be thrown) and the points."""

    left: int
    points: int


Ways = Mapping[int, Mapping[tuple[Leaving, ...], float]]
"""By the number of dice thrown: what one may choose of, with the chance of that; empty throws are left out."""


class Line(NamedTuple):
    """A straight line of the points a turn has."""

    slope: float
    height: float

    def at(self, points: int) -> float:
        """Its value with so many points."""
        return self.slope * points + self.height


def figures(options: Mapping[str, Any]) -> Figures:
    """The figures of throws and of a turn, under the five options of scoring and `entry`."""
    found: Figures = {name: figure for dice in range(1, DICE + 1) for name, figure in _one_throw(dice, options)}
    # After an empty first throw that is repeated a turn begins that is like one without a second try.
    tries = 1 + found[f"p_empty_{DICE}_dice"] if options["second_try"] else 1
    ways = {dice: _ways(dice, options) for dice in range(1, DICE + 1)}
    forced = _forced(ways)
    enough = _enough(ways, forced)
    mean = _play(ways, float, enough, forced)
    found["best_turn_mean"] = tries * mean[DICE, 0]
    for points in TARGETS:
        found[f"best_p_turn_{points}_points"] = tries * _chance_of(points, ways, forced)
    found["best_p_entry"] = tries * _chance_of(max(options["entry"], LEAST_POINTS), ways, forced)
    for dice in range(1, DICE):
        stop = (points for points in range(LEAST_POINTS, enough, LEAST_POINTS) if points >= mean[dice, points])
        found[f"throw_on_below_{dice}_dice"] = next(stop, enough)
    return found


def _one_throw(dice: int, options: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    empty = all_score = points = 0
    for thrown, ways in throws(dice).items():
        best, worth = scoring(thrown, options["straights"], options["four_of_a_kind"])
        empty += ways * (not best)
        all_score += ways * (best == thrown)
        points += ways * worth
    yield f"p_empty_{dice}_dice", empty / 6**dice
    yield f"p_all_score_{dice}_dice", all_score / 6**dice
    yield f"mean_points_{dice}_dice", points / 6**dice


def _ways(dice: int, options: Mapping[str, Any]) -> Mapping[tuple[Leaving, ...], float]:
    """What one may choose of after a throw of so many dice; of choices that leave as many dice only the dearest."""
    rules = options["straights"], options["four_of_a_kind"]
    found: Counter[tuple[Leaving, ...]] = Counter()
    for thrown, ways in throws(dice).items():
        dearest: dict[int, int] = {}
        for kept in valid_parts(thrown, *rules) if options["set_aside"] == "some" else [scoring(thrown, *rules)[0]]:
            wins = len(kept) == kept.count(1) == DICE and options["five_ones"] == "win"
            left = OVER if wins else dice - len(kept) or DICE
            dearest[left] = max(dearest.get(left, 0), value(kept, *rules))
        if any(dearest.values()):
            found[tuple(Leaving(*choice) for choice in sorted(dearest.items()))] += ways
    return {choices: ways / 6**dice for choices, ways in found.items()}


def _stop(choices: tuple[Leaving, ...]) -> int:
    """The most points of a throw after which one may stop; 0 where one may not."""
    return max((choice.points for choice in choices if choice.left != DICE), default=0)


def _hot(choices: tuple[Leaving, ...]) -> int:
    """The points of a throw where all five dice are used and must be thrown again; 0 where they cannot be."""
    return max((choice.points for choice in choices if choice.left == DICE), default=0)


def _after(throw: Mapping[tuple[Leaving, ...], float], forced: Line) -> Line:
    """The mean that is written down by who stops after this throw, or as soon as that is allowed."""
    slope = height = 0.0
    for choices, chance in throw.items():
        points = _stop(choices)
        slope += chance * (1 if points else forced.slope)
        height += chance * (points or forced.at(_hot(choices)))
    return Line(slope, height)


def _forced(ways: Ways) -> Line:
    """The mean after a forced throw of five dice by who stops as soon as that is allowed.

    Its slope is the chance that anything at all is written down.
    """
    # _after makes the line of itself: what is thrown for again, with the chance `again`, is worth the line once more.
    again = sum(chance for choices, chance in ways[DICE].items() if not _stop(choices))
    slope = _after(ways[DICE], Line(0, 0)).slope / (1 - again)
    return Line(slope, _after(ways[DICE], Line(slope, 0)).height / (1 - again))


def _enough(ways: Ways, forced: Line) -> int:
    """The points from which on it is best to stop at once, and to keep what lets one stop.

    Both are better by a line that rises with the points, so that they are best for ever once they are.
    """
    least = 0.0
    for dice, throw in ways.items():
        line = _after(throw, forced)
        if dice < DICE:
            least = max(least, line.height / (1 - line.slope))
        for choices in throw:
            if _stop(choices) and _hot(choices):
                least = max(least, (forced.at(_hot(choices)) - _stop(choices)) / (1 - forced.slope))
    return (ceil(least / LEAST_POINTS) + 1) * LEAST_POINTS


def _play(ways: Ways, worth: Callable[[int], float], enough: int, forced: Line) -> Mapping[tuple[int, int], float]:
    """The highest mean worth of the points written down, by the dice to throw and the points the turn has already.

    From `enough` points on it is best to stop at once, and a forced throw is worth what the line says.
    """
    best: dict[tuple[int, int], float] = {}

    def after(left: int, points: int) -> float:
        if left == DICE:
            return best[DICE, points] if points < enough else forced.at(points)
        if left == OVER or points >= enough:
            return worth(points)
        return max(worth(points), best[left, points])

    for points in range(enough - LEAST_POINTS, -1, -LEAST_POINTS):
        for dice, throw in ways.items():
            best[dice, points] = sum(
                chance * max(after(left, points + more) for left, more in choices) for choices, chance in throw.items()
            )
    return best


def _chance_of(target: int, ways: Ways, forced: Line) -> float:
    """The highest chance of writing down so many points, without a second try."""
    return _play(ways, lambda points: float(points >= target), target, Line(0, forced.slope))[DICE, 0]
