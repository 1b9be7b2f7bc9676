"""Solid dice keep all light off the ground, clear ones most where it meets a pip."""

from dataclasses import replace

import numpy as np
import pytest

from vision.training.casting import Pose, View
from vision.training.looks import Glass, Look, chance_look
from vision.training.piles import Lying
from vision.training.shadows import shadows

SIZE_PX, DIE_PX, AWAY = 240, 60, 20
DOWN = View(np.diag([1.0, -1.0, -1.0]), np.array([0.0, 0.0, AWAY]), DIE_PX * AWAY, SIZE_PX)
CLEAR = Glass(np.zeros(3, np.float32), cloudy=0.0, pits=0.5, shade=0.8)


def _ground(seed: int, look: Look) -> np.ndarray:
    """How bright the ground below a die of that look is."""
    picture = np.ones((SIZE_PX, SIZE_PX, 3), np.float32)
    pose = Pose(np.array([0.0, 0.0, 0.5]), np.eye(3), np.full(3, 0.5))
    shadows(np.random.default_rng(seed), picture, DOWN, [Lying(pose, look.faces[0], look=look)])
    return picture[..., 0]


@pytest.fixture(scope="module")
def dark() -> list[tuple[np.ndarray, np.ndarray]]:
    """How dark the ground is below a solid die and below a clear one, where a lamp shines at all."""
    solid = replace(chance_look(np.random.default_rng(1)), glass=None)
    grounds = [(1 - _ground(seed, solid), 1 - _ground(seed, replace(solid, glass=CLEAR))) for seed in range(30)]
    return [both for both in grounds if both[0].max() > 0]


def test_a_lamp_darkens_the_ground_below_a_die(dark: list[tuple[np.ndarray, np.ndarray]]) -> None:
    assert 10 < len(dark) < 30  # sometimes there is none
    for solid, clear in dark:
        for shadow in (solid, clear):
            assert shadow[SIZE_PX // 2, SIZE_PX // 2] > 0.02
            assert np.median(shadow) < 0.05  # most of the ground is as it was
    solid_mean, clear_mean = np.mean(dark, axis=(0, 2, 3))
    assert clear_mean < 0.8 * solid_mean


def test_only_the_shadow_of_a_clear_die_has_spots(dark: list[tuple[np.ndarray, np.ndarray]]) -> None:
    def spots(shadow: np.ndarray) -> float:
        """How much darker its darkest place is than half of its places are."""
        return float(1 - np.median(shadow[shadow > shadow.max() / 5]) / shadow.max())

    solid, clear = (np.median([spots(both[kind]) for both in dark]) for kind in (0, 1))
    assert clear > solid + 0.15
