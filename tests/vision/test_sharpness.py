"""How wide the sharpest edges are: the same for dice of all makes, the wider the more a picture is blurred."""

import math
from collections.abc import Callable

import cv2
import numpy as np
import pytest

from firmware.dimensions import size
from firmware.simulated import SimulatedTower
from vision.die_shape import styles_named
from vision.picture import Image
from vision.rendered import LyingDie, Stage
from vision.rig import Rig
from vision.sharpness import edge_px, widest_px

Soft = Callable[[str, float], Image]


@pytest.fixture(scope="module")
def soft() -> Soft:
    """Ten dice of a make, out of focus by a blur of so many pixels, with the sensor's noise on it."""
    stage = Stage(np.random.default_rng(3), Rig.of(size))
    dice = [LyingDie(die.x_mm, die.y_mm, die.z_mm, die.rotation) for die in SimulatedTower("c").lying]

    def take(style: str, blur_px: float) -> Image:
        picture = stage.draw(dice, styles_named(style))
        return stage.expose(np.asarray(cv2.GaussianBlur(picture, (0, 0), blur_px or 0.01), np.uint8))

    return take


@pytest.mark.parametrize("style", ["ivory", "black", "red", "casino"])
def test_what_is_read_well_is_sharp_and_what_is_refused_is_not(soft: Soft, style: str) -> None:
    for blur_px in (0, 1, 2, 3):
        picture = soft(style, blur_px)
        assert edge_px(picture) <= widest_px(picture), blur_px
    for blur_px in (6, 8, 12, 24):
        picture = soft(style, blur_px)
        assert edge_px(picture) > widest_px(picture), blur_px


def test_colours_hardly_count(soft: Soft) -> None:
    for blur_px, least, most in ((0, 3.5, 4.4), (2, 6.0, 7.3)):
        assert all(least < edge_px(soft(style, blur_px)) < most for style in ("ivory", "black", "red", "casino"))


def test_a_picture_without_edges_is_not_sharp() -> None:
    assert edge_px(np.full((100, 100, 3), 128, np.uint8)) == math.inf
