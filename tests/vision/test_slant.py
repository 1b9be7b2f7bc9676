"""The shape of pips: round from above, drawn out where a die leans, and judged against the neighbours."""

import math
from collections.abc import Callable

import cv2
import numpy as np
import pytest

from firmware.dimensions import size
from tests.vision.conftest import top_face
from vision.network import pyramid
from vision.patterns import compare
from vision.rendered import LyingDie, Stage, render
from vision.rig import Rig
from vision.slant import Oval, ovals, slants

Lay = Callable[..., LyingDie]


def seen(stage: Stage, die: LyingDie, face: int) -> Oval:
    picture = render([die], "white", stage)
    top = top_face(stage, die)
    return ovals(compare(pyramid(picture), np.array([[top.x_px, top.y_px, top.side_px]])), [face])[0]


@pytest.fixture(scope="module")
def stage() -> Stage:
    return Stage(np.random.default_rng(3), Rig.of(size))


@pytest.mark.parametrize("face", range(1, 6))
def test_pips_seen_from_above_are_round_and_those_of_a_leaning_die_are_not(lay: Lay, stage: Stage, face: int) -> None:
    for turn_deg in (0.0, 25.0, 70.0):
        flat = seen(stage, lay(face, 10.0, -10.0, turn_deg), face)
        leaning = seen(stage, lay(face, 10.0, -10.0, turn_deg, z_mm=10.9, lean_deg=30.0), face)
        assert math.hypot(*flat.stretch) < 0.1 < 0.12 < math.hypot(*leaning.stretch)


@pytest.mark.parametrize(("pitch", "tells"), [(0.13, False), (0.165, True), (0.21, True), (0.255, True)])
def test_pips_that_stand_close_and_draw_each_other_out_say_nothing(pitch: float, tells: bool) -> None:
    side_px = 120
    picture = np.full((300, 300, 3), 220, np.uint8)
    for way in (-1, 0, 1):
        middle = (round(150 + way * pitch * side_px), round(150 - way * pitch * side_px))
        cv2.circle(picture, middle, round(0.075 * side_px), (20, 20, 20), -1, cv2.LINE_AA)
    soft = np.asarray(cv2.GaussianBlur(picture, (0, 0), 2.0), np.uint8)
    (found,) = ovals(compare(pyramid(soft), np.array([[150, 150, side_px]])), [3])
    assert found.telling is tells
    assert not tells or math.hypot(*found.stretch) < 0.15


def test_no_faces_have_no_pips() -> None:
    assert ovals([], []) == []


ROUND = [Oval(np.array([0.01 * (number % 3), 0.01 * (number % 2)]), telling=True) for number in range(8)]
LEANING = Oval(np.array([0.2, -0.1]), telling=True)


def plain(count: int) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    return np.ones(count, bool)


def test_the_one_that_is_drawn_out_is_found_among_its_like() -> None:
    found = slants([*ROUND, LEANING], plain(9))
    assert found[8] > 0.1
    assert not found[:8].any()


def test_dice_under_a_tilted_camera_are_all_drawn_out_alike() -> None:
    oblique = [Oval(oval.stretch + np.array([0.3, 0.1]), telling=True) for oval in ROUND]
    assert not slants(oblique, plain(8)).any()
    assert slants([*oblique, LEANING], plain(9))[8] > 0.1


def test_few_dice_dice_of_many_makes_and_small_ones_are_not_compared() -> None:
    assert not slants([*ROUND[:3], LEANING], plain(4)).any()
    many = [Oval(np.array([0.1 * (number % 4), 0.07 * number]), telling=True) for number in range(8)]
    assert not slants(many, plain(8)).any()
    assert not slants([*ROUND, LEANING], np.arange(9) < 8).any()
    assert not slants([*ROUND, Oval(LEANING.stretch, telling=False)], plain(9)).any()
