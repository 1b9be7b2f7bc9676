"""Whether a floor is bare: a round floor under a ring of lamps looks alike all around, and what lies on it does not."""

import cv2
import numpy as np

from vision.picture import Image
from vision.tray import Floats, Tray

_OUTER = 0.9  # of the radius: the strokes and the mark are farther out
_STEP_MM = 1.0
_EDGE_MM = 6  # outwards, in which light changes little
_SMOOTH_MM = 4.0  # grain is smaller
_LEAST_MM = 5.0  # of the side of a square as large as what stands out: a third of a die
_INNER_MM = 20.0  # a die that lies in the middle reaches 14 mm
_WAVES = 3  # around the floor: so slowly light may change
_STANDS_OUT = 0.25  # of the floor's median grey level; of 60 bare floors as they are drawn none stands out by 0.15


def what_lies_there_mm(picture: Image, tray: Tray) -> tuple[float, float] | None:
    """Where something lies on a floor that ought to be empty, or shines: x, y in mm from its centre; None if nothing.

    ValueError where the tray's floor has not been calibrated.
    """
    if tray.floor is None:
        raise ValueError("the floor has not been calibrated")
    reach = _OUTER * tray.floor.radius_mm
    radii = np.arange(_STEP_MM, reach, _STEP_MM)
    turns = np.arange(round(2 * np.pi * reach / _STEP_MM)) * (_STEP_MM / reach)
    places_mm = radii[:, None, None] * np.stack([np.cos(turns), np.sin(turns)], axis=1)
    rings = _seen(picture, tray, places_mm, tray.floor.radius_mm)
    most = _STANDS_OUT * float(np.median(rings))
    course = np.median(rings, axis=1)
    if np.any(np.abs(course[_EDGE_MM:] - course[:-_EDGE_MM]) > most):
        return 0.0, 0.0  # as wide as a mat, and in the very middle: it looks alike all around, but has an edge
    light = np.stack([_slowly(rings[:, :, channel]) for channel in range(3)], axis=2)
    off = np.any(np.abs(rings - light) > most, axis=2)
    area_mm2 = np.broadcast_to(radii[:, None] * (_STEP_MM / reach) * _STEP_MM, off.shape)
    # Joined over the seam of the turn: the first degrees come once more behind the last.
    number, found = cv2.connectedComponents(np.hstack([off, off]).astype(np.uint8))
    named = np.asarray(found, np.int64)
    areas_mm2 = np.bincount(named.ravel(), np.hstack([area_mm2, area_mm2]).ravel(), number)
    areas_mm2[0] = 0.0
    largest = int(areas_mm2.argmax())
    if areas_mm2[largest] < _LEAST_MM**2:
        return None
    rows, columns = np.nonzero(named == largest)
    middle = places_mm[rows, columns % len(turns)].mean(axis=0)
    return float(middle[0]), float(middle[1])


def _seen(picture: Image, tray: Tray, places_mm: Floats, radius_mm: float) -> Floats:
    """The colours at places of the floor (rings x turns x 3), smoothed, from a picture as small as their steps are."""
    across_px = float(np.ptp(tray.in_picture(np.array([[radius_mm, 0.0], [0.0, 0.0]]))[:, 0]))
    shrunk = max(1, round(_STEP_MM * across_px / radius_mm))
    height, width = (length // shrunk for length in picture.shape[:2])
    whole = picture[: height * shrunk, : width * shrunk]
    small = cv2.resize(whole, (width, height), interpolation=cv2.INTER_AREA).astype(np.float32)
    smooth = cv2.GaussianBlur(small, (0, 0), _SMOOTH_MM / 2 * across_px / (radius_mm * shrunk))
    places = (tray.in_picture(places_mm.reshape(-1, 2)) + 0.5) / shrunk - 0.5
    x, y = places.T.reshape(2, *places_mm.shape[:2]).astype(np.float32)
    return np.asarray(cv2.remap(smooth, x, y, cv2.INTER_LINEAR), np.float64)


def _slowly(rings: Floats) -> Floats:
    """What each ring looks like by its light alone: its median, and what of it changes slowly around."""
    median = np.median(rings, axis=1, keepdims=True)
    spread = np.median(np.abs(rings - median), axis=1, keepdims=True) + 1.0
    calm = np.clip(rings, median - 3 * spread, median + 3 * spread)
    waves = np.fft.rfft(calm, axis=1)
    waves[:, _WAVES + 1 :] = 0.0
    light = np.asarray(np.fft.irfft(waves, calm.shape[1], axis=1), np.float64)
    # In the middle of a ring that a die lies on, the die is all there is: it is held to the next ring outside.
    inner = round(_INNER_MM / _STEP_MM)
    light[:inner] = light[inner]
    return light
