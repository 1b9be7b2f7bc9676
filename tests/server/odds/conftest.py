"""The figures of a game, and how close a mean of games of chance must come to one of them."""

from collections.abc import Callable, Mapping, Sequence
from math import sqrt
from statistics import fmean, pstdev
from typing import Any

import pytest

from server.odds import odds

Figures = Mapping[str, float]


@pytest.fixture
def figures() -> Callable[..., Figures]:
    """The figures of a game under these options."""

    def of(game: str, **options: Any) -> Figures:
        found: Figures = odds(game, options)["figures"]
        return found

    return of


@pytest.fixture
def agrees() -> Callable[[Sequence[float], float], bool]:
    """Whether the mean of a sample is within four standard errors of a figure."""

    def close(sample: Sequence[float], figure: float) -> bool:
        return abs(fmean(sample) - figure) <= 4 * pstdev(sample) / sqrt(len(sample))

    return close
