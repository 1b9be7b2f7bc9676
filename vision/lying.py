"""How dice lie, by comparing them with each other: flat, leaning, or one on another."""

import numpy as np

from vision.pips import Floats

FEWEST = 6
"""So many dice say together how a flat die looks from where the camera is; fewer are judged one by one."""
_ASTRAY, _ASTRAY_TIMES = 0.04, 3.0  # sides of a die, and times the median: how far a face may be from where it should
_TALLER, _TALLER_TIMES = 0.04, 5.0  # shares of the median side, and times the sides' scatter: what a die below adds
_OFF, _FLAT, _LONG, _GAPPY = 0.10, 0.87, 0.90, 0.80


def leaning(offsets: Floats, places: Floats, flat: Floats, narrow: Floats, fill: Floats) -> int | None:
    """The die (a row) that leans most, if one does.

    offsets (n x 2) are from the face's centre to that of the whole outline, in sides; places (n x 2) are where the
    dice are, in any unit; flat is the pips' short over long axis, narrow and fill that of the outline, and its area
    over that of the rectangle around it (n each, 0 to 1).
    """
    alone = (np.hypot(*offsets.T) > _OFF) & (flat < _FLAT) & ((narrow < _LONG) | (fill < _GAPPY))
    if alone.any():
        return int(np.argmax(alone))
    if len(offsets) < FEWEST:
        return None
    astray = _astray(offsets, places)
    worst = int(np.argmax(astray))
    return worst if astray[worst] > max(_ASTRAY, _ASTRAY_TIMES * float(np.median(astray))) else None


def stacked(sides: Floats) -> bool:
    """Whether one of dice of one size looks larger because it stands nearer to the camera (n sides, in any unit)."""
    if len(sides) < FEWEST:
        return False
    off = sides / np.median(sides) - 1
    scatter = 1.48 * float(np.median(np.abs(off)))
    return bool(off.max() > max(_TALLER, _TALLER_TIMES * scatter))


def _astray(offsets: Floats, places: Floats) -> Floats:
    """How far each die's offset is from what those of the others say (n, in sides).

    A camera sees the top faces of flat dice shifted against their outlines by so much as they are aside of it: to
    first order the shift is linear in the place.
    """
    spread = places - places.mean(axis=0)
    model = np.column_stack([np.ones(len(places)), spread / max(float(np.abs(spread).max()), 1.0)])
    astray = np.zeros(len(places))
    for row in range(len(places)):
        others = np.arange(len(places)) != row
        shift = np.linalg.lstsq(model[others], offsets[others], rcond=None)[0]
        astray[row] = np.hypot(*(offsets[row] - model[row] @ shift))
    return astray
