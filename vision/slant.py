"""How round pips look: on dice that lie on one plane all alike, on a die that leans otherwise."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import median
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from vision.patterns import PX_SIDES, STANDING_PX, Fit, Ideal

Floats = npt.NDArray[np.float64]

_WINDOW_PX, _ZOOM = 15, 1.6  # what is looked at around each pip, and by how much larger than it stands out
_START_PX2, _ROUNDS = 9.0, 6  # the spread that is assumed first, and how often it is mended
_CLOSE = 2.9  # radii between pips that draw each other out: a six has 2.6, a three with close pips 2.4
_GROUND = 0.1  # of the pip's height: lower is its surroundings
_STEPS = np.arange(_WINDOW_PX) - (_WINDOW_PX - 1) / 2
_X, _Y = (grid.ravel() for grid in np.meshgrid(_STEPS, _STEPS))
_POWERS = np.stack([np.ones(_WINDOW_PX**2), _X, _Y, _X * _X, _X * _Y, _Y * _Y])  # 6 x pixels
_FEWEST = 5  # dice that can be compared
_ALIKE, _ALIKE_SHARE = 0.06, 0.8  # dice are of one make if so many of the others are as alike as that
_SLACK, _TIMES = 0.04, 1.5  # what a pip may differ by itself, and times the middle of the others' differences


@dataclass(frozen=True, slots=True, eq=False)
class Oval:
    """How the pips of one face are drawn out."""

    stretch: Floats  # 2: log of long over short side of a pip, towards twice the direction of its long side
    telling: bool  # whether that says something of how the die lies


UNKNOWN = Oval(np.zeros(2), False)
"""Of a face whose pips nobody has measured."""


def ovals(fits: Sequence[Fit], faces: Sequence[int]) -> list[Oval]:
    """The shape of the pips of faces, 1 to 6, each the middle one of its face.

    Adaptive moments: the second moments under a Gauss window that has them itself (Bernstein and Jarvis, 2002). Pips
    that stand close, as those of a six do, draw each other out, and a large single one is cut off.
    """
    windows, owners, telling = [], [], []
    for row, (fit, face) in enumerate(zip(fits, faces, strict=True)):
        ideal, standing = fit.best(face)
        telling.append(face != 1 and _nearest(ideal) > _CLOSE)
        for across, down in ideal.pips:
            windows.append(_window(standing, across, down))
            owners.append(row)
    if not windows:
        return []
    stretches, owner = _stretches(np.stack(windows)), np.array(owners)
    of_each = (stretches[owner == row].T.tolist() for row in range(len(telling)))
    return [Oval(np.array([*map(median, both)]), tells) for both, tells in zip(of_each, telling, strict=True)]


def slants(ovals: Sequence[Oval], plain: npt.NDArray[np.bool_]) -> Floats:
    """By how much the pips of each die are drawn out otherwise than those of its neighbours are (n; 0: as they are).

    plain says which dice are large enough to be judged. All is 0 where there are too few, or where they are of several
    makes and differ anyway.
    """
    found = np.zeros(len(ovals))
    rows = np.flatnonzero(plain & np.array([oval.telling for oval in ovals], bool))
    if len(rows) < _FEWEST:
        return found
    stretches = np.stack([ovals[int(row)].stretch for row in rows])
    off = np.hypot(*(stretches - np.median(stretches, axis=0)).T)
    rest = others(off)
    beyond = np.maximum(off - _SLACK - _TIMES * np.median(rest, axis=1), 0.0)
    found[rows] = np.where(np.quantile(rest, _ALIKE_SHARE, axis=1) <= _ALIKE, beyond, 0.0)
    return found


def others(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """For each of n values, two at least, a row of all the others (n x n - 1)."""
    return np.tile(values, (len(values), 1))[~np.eye(len(values), dtype=bool)].reshape(len(values), -1)


def _nearest(ideal: Ideal) -> float:
    """How many radii there are between the two nearest of several pips."""
    return min(math.dist(*pair) for pair in combinations(ideal.pips, 2)) / ideal.radius


def _window(standing: npt.NDArray[np.float32], across: float, down: float) -> npt.NDArray[np.float32]:
    """What stands out around a pip, its height taken as 1."""
    x, y = (value / PX_SIDES + (STANDING_PX - 1) / 2 for value in (across, down))
    middle = (_WINDOW_PX - 1) / 2
    move = np.array([[_ZOOM, 0, middle - _ZOOM * x], [0, _ZOOM, middle - _ZOOM * y]])
    window = cv2.warpAffine(standing, move, (_WINDOW_PX, _WINDOW_PX), borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(window / max(float(window.max()), 1.0), np.float32)


def _stretches(windows: Floats) -> Floats:
    """The stretch (n x 2) of the pips in windows (n x h x w)."""
    paint = np.maximum(windows - _GROUND, 0.0).reshape(len(windows), -1)
    x, y, xy = np.zeros((3, len(windows)))
    xx, yy = np.full((2, len(windows)), _START_PX2)
    for _ in range(_ROUNDS):
        a, b, c = np.array([yy, -2 * xy, xx]) / (xx * yy - xy**2)
        near = np.stack([a * x**2 + b * x * y + c * y**2, -2 * a * x - b * y, -2 * c * y - b * x, a, b, c], axis=1)
        weight = paint * np.exp(near @ _POWERS * -0.5)
        moments = weight @ _POWERS.T
        share, x, y, xx, xy, yy = (moments / (moments[:, :1] + 1e-6)).T
        # About the middle; under a window of its own width a Gauss hill has half its second moments.
        xx, xy, yy = (2 * (m + (share - 2) * one * two) for m, one, two in ((xx, x, x), (xy, x, y), (yy, y, y)))
        xx, yy = xx + 0.05, yy + 0.05
    apart = np.stack([xx - yy, 2 * xy], axis=1)
    length = np.hypot(*apart.T)
    long = np.arctanh(np.minimum(length / (xx + yy), 0.99))
    return np.asarray(apart * (long / np.maximum(length, 1e-9))[:, None])
