"""What everything drawn shares: chance, colours, clouds, places and writing."""

from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
"""Floats where nothing else is said."""
Random = np.random.Generator

SHEET_PX = 128
"""Edge of one drawn face."""


def hue(rng: Random, saturation: tuple[float, float], value: tuple[float, float]) -> Array:
    """Any colour of those saturations and values (blue, green, red, 0 to 1)."""
    hsv = np.array([[[rng.uniform(0, 360), rng.uniform(*saturation), rng.uniform(*value)]]], np.float32)
    return np.asarray(cv2.cvtColor(hsv, cv2.COLOR_HSV2BGR)[0, 0], np.float32)


def any_colour(rng: Random) -> Array:
    """The colour of a ground, or of what is printed on it."""
    kind = rng.random()
    if kind < 0.3:
        return np.asarray(rng.uniform(0.55, 1.0) * rng.uniform(0.9, 1.0, 3), np.float32)
    if kind < 0.5:
        return np.asarray(rng.uniform(0.02, 0.35) * rng.uniform(0.85, 1.15, 3), np.float32)
    return hue(rng, (0.1, 0.9), (0.15, 0.9))


def between(rng: Random, least: float, most: float) -> float:
    """Anything between these, the logarithms being equally likely."""
    return float(np.exp(rng.uniform(np.log(least), np.log(most))))


def cloud(rng: Random, shape: tuple[int, int], size_px: int, stretch: float = 1.0) -> Array:
    """Smooth chance values of deviation 1 that change about every size_px, slower along the rows by stretch."""
    rows, columns = shape
    coarse = rng.standard_normal((rows // size_px + 2, int(columns / (size_px * stretch)) + 2), np.float32)
    return np.asarray(cv2.resize(coarse, (columns, rows), interpolation=cv2.INTER_CUBIC), np.float32)


def whole(at: npt.ArrayLike) -> tuple[int, int]:
    """The pixel at a place (x, y)."""
    x, y = np.rint(np.asarray(at, np.float64)).tolist()
    return int(x), int(y)


def written(size_px: int, text: str, at: tuple[int, int], font: int, scale: float, thick: int) -> Array:
    """Writing as a square mask, 0 to 1."""
    mask = np.zeros((size_px, size_px), np.uint8)
    cv2.putText(mask, text, at, font, scale, 255, thick, cv2.LINE_AA)
    return np.asarray(mask, np.float32) / 255


def fill_box(mask: Array, at: Array, sizes_px: Array, turn_deg: float) -> None:
    """Fill a turned box around a place (x, y) of a mask."""
    (x, y), (wide, high) = at.tolist(), sizes_px.tolist()
    box = cv2.boxPoints(((x, y), (wide, high), float(turn_deg)))
    cv2.fillConvexPoly(mask, np.rint(box).astype(np.int32), 1.0, cv2.LINE_AA)
