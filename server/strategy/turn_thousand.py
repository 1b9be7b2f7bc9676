"""One turn of Thousand, solved: keep, throw on or bank, for whatever the ends of a turn are worth.

A turn goes through points, dice left to throw, and whether all five must be thrown to confirm. Its ends are points
banked, a turn lost with an empty first throw or a later one, the dump truck, a bust, five ones that win.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from server.odds.chance import throws
from server.rules.thousand import AIM, DICE, LEAST_POINTS
from server.rules.thousand_scoring import scoring, valid_parts, value

Values = npt.NDArray[np.float64]

_SETTLED = 1e-13

WON = 0
"""Where a kept part says how many dice are left: five ones have won."""


class Part(NamedTuple):
    """What a choice of dice comes to: the dice left (five: they must confirm; 0: five ones have won), the points."""

    left: int
    points: int


class House(NamedTuple):
    """The options that a turn depends on."""

    straights: bool
    four_of_a_kind: str
    set_aside: str
    five_ones: str
    second_try: bool
    dump_truck: int
    ending: str


def house(options: Mapping[str, Any]) -> House:
    """Those options of a game."""
    return House(*(options[name] for name in House._fields))


class Ends(NamedTuple):
    """What the ends of a turn are worth, for a player with that score who needs so many points to bank.

    `banked` is by the points in steps of 5; its last entry stands for all points beyond.
    """

    score: int
    needs: int
    banked: tuple[float, ...]
    lost_at_once: float
    lost: float
    dumped: float
    bust: float
    five_ones: float


@lru_cache(maxsize=64)
def ways(dice: int, rules: House) -> tuple[tuple[tuple[Part, ...], float], ...]:
    """What one may choose of after a throw of so many dice, with the chance of that; empty throws are left out."""
    scale = rules.straights, rules.four_of_a_kind
    found: Counter[tuple[Part, ...]] = Counter()
    for thrown, number in throws(dice).items():
        kept = valid_parts(thrown, *scale) if rules.set_aside == "some" else (scoring(thrown, *scale)[0],)
        parts = tuple(sorted({part_of(each, dice, rules) for each in kept if each}))
        if parts:
            found[parts] += number
    return tuple((parts, number / 6**dice) for parts, number in found.items())


@lru_cache(maxsize=64)
def confirmed(rules: House) -> float:
    """The chance that throws of five dice confirm the points, by one who stops as soon as that is allowed."""
    stops = sum(chance for parts, chance in ways(DICE, rules) if any(part.left != DICE for part in parts))
    again = sum(chance for _, chance in ways(DICE, rules)) - stops
    return stops / (1 - again)


def part_of(kept: tuple[int, ...], dice: int, rules: House) -> Part:
    """What these dice of a throw of so many come to."""
    wins = rules.five_ones == "win" and kept == (1,) * DICE
    points = value(kept, rules.straights, rules.four_of_a_kind)
    return Part(WON if wins else dice - len(kept) or DICE, points)


class _Throws(NamedTuple):
    """What follows the throws of 1 to 5 dice, one below the other; rows repeat their last part."""

    left: npt.NDArray[np.intp]
    steps: npt.NDArray[np.intp]
    chance: Values  # by the dice less one and the row
    empty: Values  # by the dice less one


@lru_cache(maxsize=8)
def _throws(rules: House) -> _Throws:
    every = [ways(dice, rules) for dice in range(1, DICE + 1)]
    most = max(len(parts) for each in every for parts, _ in each)
    rows = [(parts + parts[-1:] * (most - len(parts)), chance) for each in every for parts, chance in each]
    left = np.array([[part.left for part in row] for row, _ in rows])
    steps = np.array([[part.points // LEAST_POINTS for part in row] for row, _ in rows])
    of = np.repeat(np.arange(DICE), [len(each) for each in every])
    chance = np.where(of == np.arange(DICE)[:, None], [chance for _, chance in rows], 0.0)
    return _Throws(left, steps, chance, 1 - chance.sum(axis=1))


class Turn:
    """A turn played as well as can be."""

    def __init__(self, rules: House, ends: Ends) -> None:
        self._rules, self._ends, self._throws = rules, ends, _throws(rules)
        self._top = len(ends.banked) - 1
        # By the dice to throw (or WON) and the steps of points: what it is worth to throw, and to have come there.
        self._on = np.zeros((DICE + 1, self._top + 1))
        self._there = np.full((DICE + 1, self._top + 1 + AIM // LEAST_POINTS), ends.five_ones, dtype=np.float64)
        # The parts as places in the whole of it, seen from no points.
        self._parts = self._throws.left * self._there.shape[1] + self._throws.steps
        self._settle_top()
        for steps in range(self._top - 1, -1, -1):
            self._solve(steps, slice(steps, steps + 1))

    def begin(self) -> float:
        """The worth before the first throw."""
        first = self.on(DICE, 0)
        if not self._rules.second_try:
            return first
        return first + float(self._throws.empty[-1]) * (first - self._ends.lost_at_once)

    def after(self, part: Part, points: int) -> float:
        """The worth of setting that aside with so many points before."""
        return float(self._there[part.left, (points + part.points) // LEAST_POINTS])

    def bank(self, points: int) -> float:
        """The worth of banking so many points."""
        return self._ends.banked[min(points // LEAST_POINTS, self._top)]

    def on(self, dice: int, points: int) -> float:
        """The worth of throwing so many dice with so many points kept."""
        return float(self._on[dice, min(points // LEAST_POINTS, self._top)])

    def _solve(self, steps: int, where: slice) -> None:
        """Work out what it is worth to throw with these points, and to have come there."""
        throws, ends = self._throws, self._ends
        total = ends.score + steps * LEAST_POINTS
        best = self._there.ravel()[steps:].take(self._parts)
        on = throws.chance @ (best.max(axis=1) if best.shape[1] > 1 else best[:, 0])
        on += throws.empty * (ends.lost if steps else ends.lost_at_once)
        self._on[1:, steps] = on
        if total == self._rules.dump_truck != 0:
            on[:] = ends.dumped
        elif self._rules.ending == "exact" and total > AIM:
            on[:] = ends.bust
        elif self._may_bank(total, steps):
            on[:-1] = np.maximum(on[:-1], ends.banked[steps])
        self._there[1:, where] = on[:, None]

    def _settle_top(self) -> None:
        """Beyond the table all is as at its end: what may follow is worked out until it stands still."""
        self._there[1:, self._top :] = self._ends.banked[-1]
        change = 1.0
        while change > _SETTLED:
            before = self._on[1:, self._top].copy()
            self._solve(self._top, slice(self._top, None))
            change = float(np.abs(self._on[1:, self._top] - before).max())

    def ends(self) -> Mapping[tuple[str, int], float]:
        """The chances of the ends of a turn played so, with the points: banked, dumped, bust, five_ones, lost.

        A turn lost at once has 0 points, one lost later has LEAST_POINTS, for how many is of no matter.
        """
        found: defaultdict[tuple[str, int], float] = defaultdict(float)
        again = 1 + float(self._throws.empty[-1]) if self._rules.second_try else 1.0
        reached: list[dict[int, float]] = [{} for _ in range(self._top + 1)]
        reached[0][DICE] = again
        for steps in range(self._top):
            for dice, so_far in sorted(reached[steps].items()):
                for parts, chance in ways(dice, self._rules):
                    self._follow(parts, steps, so_far * chance, found, reached)
        empty = float(self._throws.empty[-1])
        found["lost", 0] = empty**2 if self._rules.second_try else empty
        found["lost", LEAST_POINTS] = 1 - sum(found.values())
        return found

    def _follow(
        self,
        parts: tuple[Part, ...],
        steps: int,
        chance: float,
        found: defaultdict[tuple[str, int], float],
        reached: list[dict[int, float]],
    ) -> None:
        """Take the best of these parts and go where it leads; points beyond the table are banked, once confirmed."""
        before = steps * LEAST_POINTS
        part = max(parts, key=lambda each: self.after(each, before))
        points = before + part.points
        total, there = self._ends.score + points, min(points // LEAST_POINTS, self._top)
        if part.left == WON:
            found["five_ones", points] += chance
        elif total == self._rules.dump_truck != 0:
            found["dumped", points] += chance
        elif self._rules.ending == "exact" and total > AIM:
            found["bust", points] += chance
        elif there == self._top:
            # What is not confirmed is lost.
            found["banked", points] += chance * (confirmed(self._rules) if part.left == DICE else 1.0)
        elif part.left != DICE and self._may_bank(total, there) and self.bank(points) >= self.on(part.left, points):
            found["banked", points] += chance
        else:
            reached[there][part.left] = reached[there].get(part.left, 0.0) + chance

    def _may_bank(self, total: int, steps: int) -> bool:
        return steps * LEAST_POINTS >= self._ends.needs and not (self._rules.ending == "above" and total == AIM)
