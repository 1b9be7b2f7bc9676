"""What lies over a picture from its edge is told from grounds, whatever their colours."""

import cv2
import numpy as np
import pytest

from tests.vision.grounds import DIE, NO_DICE, ground, tiled, with_dice
from vision.covers import _coarse, cover, edge_parted
from vision.network import pyramid


@pytest.mark.parametrize("colour", [(200, 160, 60), (150, 175, 215), (30, 30, 60)])
def test_what_comes_in_from_the_edge_covers(colour: tuple[int, int, int]) -> None:
    image = with_dice(ground((120, 130, 140)))
    cv2.fillConvexPoly(image, np.array([[640, 60], [640, 420], [330, 300], [330, 200]]), colour)
    over = cover(pyramid(image), DIE)
    assert over.stands_out > 2
    assert over.whole > 0.8


@pytest.mark.parametrize("pitch_px", [40, 90])
def test_grounds_of_two_colours_cover_nothing(pitch_px: int) -> None:
    over = cover(pyramid(with_dice(tiled((120, 130, 140), (70, 60, 120), pitch_px))), DIE)
    assert over.stands_out < 2 or over.whole < 0.8


def test_a_large_cover_parts_the_edge_and_a_ground_does_not() -> None:
    image = with_dice(ground((120, 130, 140)))
    assert not edge_parted(pyramid(image))
    assert not edge_parted(pyramid(tiled((120, 130, 140), (70, 60, 120), 90)))
    cv2.fillConvexPoly(image, np.array([[300, 0], [640, 0], [640, 480], [420, 480]]), (200, 160, 60))
    assert edge_parted(pyramid(image))


def test_light_that_falls_off_covers_nothing() -> None:
    fading = np.linspace(0.5, 1.0, 640)[None, :, None]
    over = cover(pyramid(np.asarray(ground((180, 190, 200)) * fading, np.uint8)), NO_DICE)
    assert over.stands_out < 1.0


def test_a_tray_covers_nothing() -> None:
    image = ground((200, 200, 200))
    cv2.circle(image, (320, 240), 210, (40, 40, 40), -1)
    over = cover(pyramid(image), DIE)
    assert over.stands_out < 2 or over.whole < 0.8


@pytest.mark.parametrize(
    ("height", "width", "cells"),
    [(480, 640, (36, 48)), (3000, 1000, (144, 48)), (2000, 100, (192, 10)), (65_500, 1, (192, 3)), (1, 9, (5, 48))],
)
def test_covers_are_looked_for_in_few_cells_however_long_the_picture(
    height: int, width: int, cells: tuple[int, int]
) -> None:
    assert _coarse([np.zeros((height, width, 3), np.uint8)]).shape == (*cells, 3)
