"""How round pips look: on dice that lie on one plane all alike, on a die that leans otherwise."""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from vision.patterns import PX_SIDES, STANDING_PX, Fit

Floats = npt.NDArray[np.float64]

_WINDOW_PX, _ZOOM = 15, 1.6  # what is looked at around each pip, and by how much larger than it stands out
_START_PX2, _ROUNDS = 9.0, 6  # the spread that is assumed first, and how often it is mended
_GROUND = 0.1  # of the pip's height: lower is its surroundings
_STEPS = np.arange(_WINDOW_PX) - (_WINDOW_PX - 1) / 2
_X, _Y = np.meshgrid(_STEPS, _STEPS)
_FEWEST = 5  # dice that can be compared
_ALIKE, _ALIKE_SHARE = 0.06, 0.8  # dice are of one make if so many of the others are as alike as that
_SLACK, _TIMES = 0.04, 1.5  # what a pip may differ by itself, and times the middle of the others' differences


@dataclass(frozen=True, slots=True, eq=False)
class Oval:
    """How the pips of one face are drawn out."""

    stretch: Floats  # 2: log of long over short side of a pip, towards twice the direction of its long side
    telling: bool  # whether that says something of how the die lies


def ovals(fits: Sequence[Fit], faces: Sequence[int]) -> list[Oval]:
    """The shape of the pips of faces, 1 to 6, each the middle one of its face.

    Adaptive moments: the second moments under a Gauss window that has them itself (Bernstein and Jarvis, 2002). The
    pips of a six stand so close that they draw each other out, and a large single one is cut off.
    """
    windows, owners = [], []
    for row, (fit, face) in enumerate(zip(fits, faces, strict=True)):
        ideal, standing = fit.best(face)
        for across, down in ideal.pips:
            windows.append(_window(standing, across, down))
            owners.append(row)
    if not windows:
        return []
    stretches, owner = _stretches(np.stack(windows)), np.array(owners)
    return [Oval(np.median(stretches[owner == row], axis=0), face not in (1, 6)) for row, face in enumerate(faces)]


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
    for place, row in enumerate(rows):
        others = np.delete(off, place)
        if np.quantile(others, _ALIKE_SHARE) <= _ALIKE:
            found[row] = max(0.0, off[place] - _SLACK - _TIMES * float(np.median(others)))
    return found


def _window(standing: npt.NDArray[np.float32], across: float, down: float) -> npt.NDArray[np.float32]:
    """What stands out around a pip, its height taken as 1."""
    x, y = (value / PX_SIDES + (STANDING_PX - 1) / 2 for value in (across, down))
    middle = (_WINDOW_PX - 1) / 2
    move = np.array([[_ZOOM, 0, middle - _ZOOM * x], [0, _ZOOM, middle - _ZOOM * y]])
    window = cv2.warpAffine(standing, move, (_WINDOW_PX, _WINDOW_PX), borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(window / max(float(window.max()), 1.0), np.float32)


def _stretches(windows: Floats) -> Floats:
    """The stretch (n x 2) of the pips in windows (n x h x w)."""
    paint = np.maximum(windows - _GROUND, 0.0)
    x, y = np.zeros((2, len(windows), 1, 1))
    xx, yy, xy = np.full((3, len(windows), 1, 1), _START_PX2)
    xy = xy * 0
    for _ in range(_ROUNDS):
        across, down = _X - x, _Y - y
        near = (yy * across**2 - 2 * xy * across * down + xx * down**2) / (xx * yy - xy**2)
        weight = paint * np.exp(-near / 2)
        weight /= weight.sum(axis=(1, 2), keepdims=True) + 1e-6
        x, y = (weight * _X).sum(axis=(1, 2), keepdims=True), (weight * _Y).sum(axis=(1, 2), keepdims=True)
        across, down = _X - x, _Y - y
        # Under a window of its own width a Gauss hill has half its second moments.
        xx, yy, xy = (
            2 * (weight * product).sum(axis=(1, 2), keepdims=True) for product in (across**2, down**2, across * down)
        )
        xx, yy = xx + 0.05, yy + 0.05
    apart = np.stack([(xx - yy).ravel(), 2 * xy.ravel()], axis=1)
    length = np.hypot(*apart.T)
    long = np.arctanh(np.minimum(length / (xx + yy).ravel(), 0.99))
    return np.asarray(apart * (long / np.maximum(length, 1e-9))[:, None])
