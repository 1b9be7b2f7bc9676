"""Whether one die lies as it did, and what rolls beside it."""

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vision.stillness import Grey, Resting, Rolling, brightened, is_black, light_between, moved_px

SIDE_PX = 40
BOX = (100, 80, SIDE_PX, SIDE_PX)


def scene(x_px: float = 0.0, y_px: float = 0.0, turn_deg: float = 0.0) -> Grey:
    """A die with two pips on a cloth, moved by parts of a pixel and turned about its middle."""
    cloth = np.random.default_rng(1).normal(90, 6, (240, 320)).astype(np.float32)
    drawn = cv2.GaussianBlur(cloth, (0, 0), 1.5)
    middle = np.array([120 + x_px, 100 + y_px])
    corners = cv2.boxPoints(((float(middle[0]), float(middle[1])), (SIDE_PX, SIDE_PX), turn_deg))
    cv2.fillConvexPoly(drawn, np.round(corners * 16).astype(np.int32), 220.0, cv2.LINE_AA, 4)
    for sign in (-1, 1):
        angle = np.radians(turn_deg + 45)
        pip = middle + sign * 10 * np.array([np.cos(angle), np.sin(angle)])
        cv2.circle(drawn, tuple(np.round(pip * 16).astype(int)), 5 * 16, 30.0, -1, cv2.LINE_AA, 4)
    return np.asarray(drawn, np.float32)


DIE = Resting.found(scene(), BOX, 1.0)


@given(way=st.floats(0, 2 * np.pi), levels=st.floats(0, 80))
def test_a_die_stays_under_a_haze_that_lies_on_one_side_of_it(way: float, levels: float) -> None:
    y, x = np.mgrid[0:240, 0:320]
    haze = levels * (np.cos(way) * (x - 120) + np.sin(way) * (y - 100)) / (SIDE_PX / 2)
    assert DIE.stays(np.asarray(scene() + haze, np.float32))


@given(gain=st.floats(0.5, 1.5), more=st.floats(-20, 20), across=st.floats(-0.3, 0.3), down=st.floats(-0.3, 0.3))
def test_a_die_stays_in_whatever_light(gain: float, more: float, across: float, down: float) -> None:
    y, x = np.mgrid[-1:1:240j, -1:1:320j]
    # So steep that the light on one side of the die differs by up to a third from that on the other.
    light = gain * (1 + 4 * across * (x + 0.25) + 4 * down * (y + 0.17))
    assert DIE.stays(np.asarray(scene() * np.clip(light, 0.2, 3) + more, np.float32))


@given(way=st.floats(0, 2 * np.pi), px=st.floats(1.0, 6.0))
def test_a_die_that_has_moved_by_a_pixel_does_not(way: float, px: float) -> None:
    assert not DIE.stays(scene(px * np.cos(way), px * np.sin(way)))


@given(turn_deg=st.floats(3, 30) | st.floats(-30, -3))
def test_nor_does_one_that_has_turned(turn_deg: float) -> None:
    assert not DIE.stays(scene(turn_deg=turn_deg))


@pytest.mark.parametrize("box", [(-20, -20, 40, 40), (300, 220, 40, 40), (319, 239, 1, 1)])
def test_a_die_at_the_edge_is_looked_at_as_far_as_the_scene_goes(box: tuple[int, int, int, int]) -> None:
    die = Resting.found(scene(), box, 1.0)
    assert min(die.look.shape) >= 2
    assert die.left >= 0
    assert die.left + die.look.shape[1] <= 320
    assert die.top + die.look.shape[0] <= 240
    assert die.stays(scene())


def test_one_rolls_that_has_moved_at_two_looks_since() -> None:
    rolling = Rolling()
    for number, x_px in enumerate((0, 4, 8)):
        moved = scene(x_px)
        assert not rolling.since(0)
        rolling.look([Resting.found(moved, (100 + x_px, 80, SIDE_PX, SIDE_PX), 1.0)], [DIE], moved, number)
    assert rolling.since(0)
    assert not rolling.since(1)
    assert rolling.last == 2
    rolling.forget()
    assert not rolling.since(0)


@pytest.mark.parametrize(("side_px", "as_large"), [(20, False), (30, True), (60, True), (80, False)])
def test_what_is_of_another_size_than_the_resting_dice_is_a_hand(side_px: int, as_large: bool) -> None:
    rolling = Rolling()
    rolling.look([Resting.found(scene(), (150, 100, side_px, side_px), 1.0)], [DIE], scene(), 0)
    assert bool(rolling.dice) is as_large


@given(st.floats(0.3, 2.5))
def test_the_light_between_two_scenes_is_told_whatever_moves_in_a_part_of_them(gain: float) -> None:
    assert light_between(scene(), np.asarray(gain * scene(30, 20, 40), np.float32)) == pytest.approx(gain, rel=0.03)


@given(way=st.floats(0, 2 * np.pi), px=st.floats(0.0, 1.0))
def test_how_far_a_die_has_moved_is_told_for_about_a_pixel(way: float, px: float) -> None:
    along = np.array([[1, 0, px * np.cos(way)], [0, 1, px * np.sin(way)]])
    moved = np.asarray(cv2.warpAffine(scene(), along, (320, 240)), np.float32)
    # The scenes are half as large as those in which a pixel is meant.
    assert DIE.moved_px(moved) / 2 == pytest.approx(px, abs=0.05)


def test_the_die_that_moved_most_counts_and_no_dice_have_not_moved() -> None:
    assert moved_px([], scene(), 1.0) == 0.0
    assert moved_px([DIE], scene(), 1.0) == pytest.approx(0.0, abs=0.01)
    assert moved_px([DIE], scene(6.0), 1.0) == np.inf


@pytest.mark.parametrize(("light", "black"), [(0.0, True), (0.05, True), (0.2, False), (1.0, False)])
def test_a_light_that_has_gone_shows_nothing_and_what_a_dim_one_shows_is_told_again(light: float, black: bool) -> None:
    dim = np.asarray(scene() * light, np.float32)
    assert is_black(scene(), dim) is black
    assert DIE.stays(brightened(scene(), dim)) is not (light == 0.0)
