"""Light through the window, by the sizes: how much of the lamps reaches the dice, past window and steel ring."""

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
"""Points are 3 x n, mm from the middle of the inner floor, z up."""

_LAMPS = 24


def lamps_mm(s: Mapping[str, float]) -> Floats:
    """Where the lamps are (3 x n): evenly around the ring."""
    turn = np.arange(_LAMPS) * (2 * np.pi / _LAMPS)
    ring = s["ring_radius_mm"] * np.cos(turn), s["ring_radius_mm"] * np.sin(turn), np.full(_LAMPS, s["ring_mm"])
    return np.stack(ring)


def through(s: Mapping[str, float], points: Floats, lamp: Floats) -> Floats:
    """How much of a lamp's light (3) gets to points in the cone, 0 to 1."""
    top_mm = s["cone_height_mm"] + s["window_plate_mm"] + s["lip_mm"] + s["weight_mm"]
    passes = np.ones(points.shape[1])
    for height, hole in ((s["cone_height_mm"], s["window_diameter_mm"]), (top_mm, s["weight_hole_mm"])):
        share = (height - points[2]) / (lamp[2] - points[2])
        across = points[:2] + (lamp[:2, None] - points[:2]) * share
        # The ring is so wide that what stands in its way has a soft edge.
        soft = s["ring_wide_mm"] * np.clip(share, 0.05, 1.0)
        passes = np.minimum(passes, np.clip(0.5 + (hole / 2 - np.hypot(*across)) / soft, 0.0, 1.0))
    return passes


def falling(s: Mapping[str, float], points: Floats) -> Floats:
    """How much of the ring's light falls on level faces at points below the window; 1 is all of one lamp at 1 mm."""
    light = np.zeros(points.shape[1])
    for lamp in lamps_mm(s).T:
        beam = lamp[:, None] - points
        # A lamp shines down, most of all straight down, and the light falls on the face at the same slant.
        light += through(s, points, lamp) * beam[2] ** 2 / (beam**2).sum(axis=0) ** 2
    return light


def unevenness(s: Mapping[str, float]) -> float:
    """By how much the top of a die gets more of the ring's light at the best place of the floor than at the worst."""
    side = s["die_side_mm"]
    away = np.linspace(0, s["floor_diameter_mm"] / 2 - side / 2, 40)
    level = falling(s, np.stack([away, np.zeros_like(away), np.full_like(away, side)]))
    return float(level.max() / max(level.min(), 1e-9))
