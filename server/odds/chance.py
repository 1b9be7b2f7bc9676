"""What the odds of several games are made of: all the throws of some dice, and how often a face comes."""

from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement
from math import comb, factorial

FACES = range(1, 7)

Figures = dict[str, Fraction | float]


@cache
def throws(dice: int) -> Mapping[tuple[int, ...], int]:
    """Every throw of so many dice, faces sorted upwards, and in how many of the 6 ** dice ways it comes."""
    every = {}
    for faces in combinations_with_replacement(FACES, dice):
        ways = factorial(dice)
        for count in Counter(faces).values():
            ways //= factorial(count)
        every[faces] = ways
    return every


def hits(dice: int) -> list[Fraction]:
    """The chances that a face comes 0, 1, ... and at last `dice` times among so many dice."""
    return [Fraction(comb(dice, count) * 5 ** (dice - count), 6**dice) for count in range(dice + 1)]
