import math

import pytest

from vision.shares import at_most, bounds


@pytest.mark.parametrize(
    ("hits", "trials", "low", "high"),
    [
        # From the closed forms at the ends, and from the F distribution's quantiles in between.
        (0, 88, 0.0, 1 - 0.025 ** (1 / 88)),
        (88, 88, 0.025 ** (1 / 88), 1.0),
        (1, 1, 0.025, 1.0),
        (4, 20, 0.057334, 0.436614),
        (10, 20, 0.271957, 0.728043),
    ],
)
def test_the_bounds_are_those_of_clopper_and_pearson(hits: int, trials: int, low: float, high: float) -> None:
    assert bounds(hits, trials) == pytest.approx((low, high), abs=2e-6)


def test_the_bounds_hold_for_many_trials() -> None:
    low, high = bounds(0, 30_000)
    assert low == 0.0
    assert high == pytest.approx(-math.log(0.025) / 30_000, rel=1e-3)


def test_what_never_came_has_a_closed_form() -> None:
    for trials in (1, 10, 30_000, 10**9):
        assert at_most(0, trials) == pytest.approx(-math.expm1(math.log(0.05) / trials), rel=1e-9)
    assert at_most(5, 5) == 1.0
