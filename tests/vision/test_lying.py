import numpy as np
import pytest

from vision.lying import FEWEST, leaning, stacked
from vision.pips import Floats

RNG = np.random.default_rng(5)
PLACES = RNG.uniform(-400, 400, (10, 2))
SHIFTS = PLACES * 1.2e-4 + (0.01, -0.02)


def judged(shifts: Floats, count: int = 10, flat: float = 0.95, narrow: float = 0.98, fill: float = 0.92) -> int | None:
    all_of_them = (np.full(count, value) for value in (flat, narrow, fill))
    return leaning(shifts[:count], PLACES[:count], *all_of_them)


def test_dice_that_lie_flat_shift_with_their_place() -> None:
    assert judged(SHIFTS) is None


@pytest.mark.parametrize("row", range(10))
def test_a_die_that_shifts_otherwise_leans(row: int) -> None:
    shifts = SHIFTS.copy()
    shifts[row] += (0.05, 0.05)
    assert judged(shifts) == row


def test_few_dice_are_not_compared() -> None:
    shifts = SHIFTS.copy()
    shifts[0] += (0.05, 0.05)
    assert judged(shifts, count=FEWEST - 1) is None


def test_one_die_leans_if_all_the_signs_say_so() -> None:
    aside = np.full((1, 2), 0.1)
    assert judged(aside, 1, flat=0.8, narrow=0.85) == 0
    assert judged(aside, 1, flat=0.8, narrow=0.97) is None
    assert judged(aside, 1, flat=0.95, narrow=0.85) is None


def test_a_die_on_another_looks_larger() -> None:
    sides = np.array([79.0, 78.6, 79.4, 79.1, 78.8, 79.2])
    assert not stacked(sides)
    assert stacked(np.append(sides, 84.0))
    assert not stacked(np.append(sides[:3], 84.0))


def test_dice_of_several_sizes_are_not_taken_for_stacked() -> None:
    assert not stacked(np.array([60.0, 70.0, 80.0, 90.0, 100.0, 110.0]))
