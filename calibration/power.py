"""How much a sample can show: how many dice find a bias."""

import math

from calibration.evidence import tail
from vision.shares import least


def face_bias(off: float) -> float:
    """The noncentrality a die, over six faces, of one face with a share of 1/6 + off; the others share the loss.

    It is the chi-square that each die adds on the average: 6 (off^2 + 5 (off / 5)^2).
    """
    return 7.2 * off**2


def critical(df: int, alpha: float) -> float:
    """The chi-square that fair dice exceed with the chance alpha, 0 < alpha < 1."""
    return least(lambda chi2: tail(chi2, df) <= alpha)


def power(found: float, df: int, alpha: float) -> float:
    """The chance that a test at alpha finds dice whose noncentrality, all dice together, is `found`.

    The tail of the noncentral chi-square, as a Poisson mixture of chi-squares (Abramowitz and Stegun 26.4.25).
    """
    if found == 0:
        return alpha
    limit = critical(df, alpha)
    # The chi-square is at least (normal + sqrt(found))^2: nine standard deviations on, no double tells this from 1.
    if math.sqrt(found) - math.sqrt(limit) > 9:
        return 1.0
    half, missed, step, weight = found / 2, 0.0, 0, 1.0
    while step <= half or weight > 1e-18:
        weight = math.exp(step * math.log(half) - half - math.lgamma(step + 1))
        missed += weight * (1 - tail(limit, df + 2 * step))
        step += 1
    return 1 - missed


def dice_needed(noncentrality_each: float, df: int, alpha: float, wanted: float) -> float:
    """How many dice a test at alpha needs to find a bias with the chance `wanted`; not rounded, alpha < wanted < 1."""
    return least(lambda found: power(found, df, alpha) >= wanted) / noncentrality_each
