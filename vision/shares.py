"""What a share may be, where only so many were counted: exact binomial bounds."""

import math
from collections.abc import Callable

CONFIDENCE = 0.95


def bounds(hits: int, trials: int) -> tuple[float, float]:
    """The bounds of a share at CONFIDENCE, both ends together (Clopper and Pearson, 1934); 0 to 1."""
    each = (1 + CONFIDENCE) / 2
    return 1 - at_most(trials - hits, trials, each), at_most(hits, trials, each)


def at_most(hits: int, trials: int, confidence: float = CONFIDENCE) -> float:
    """The share that is not exceeded, one-sided (Clopper and Pearson, 1934); 0 to 1."""
    if hits >= trials:
        return 1.0
    return least(lambda share: _so_few(hits, trials, share) <= 1 - confidence, 1.0)


def _so_few(hits: int, trials: int, share: float) -> float:
    """The chance of so many hits or fewer, 0 < share < 1."""
    log = trials * math.log1p(-share)
    odds = math.log(share) - math.log1p(-share)
    terms = [math.exp(log)]
    for step in range(hits):
        log += math.log((trials - step) / (step + 1)) + odds
        terms.append(math.exp(log))
    return math.fsum(terms)


def least(reached: Callable[[float], bool], high: float = math.inf) -> float:
    """The least number above 0 from which on something is reached, to the last digit of a double."""
    low = 0.0
    if math.isinf(high):
        high = 1.0
        while not reached(high):
            low, high = high, 2 * high
    while low < (middle := (low + high) / 2) < high:
        low, high = (low, middle) if reached(middle) else (middle, high)
    return high
