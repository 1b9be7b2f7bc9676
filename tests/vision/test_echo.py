"""What shows two moments at once, laid over each other, and what only repeats."""

import json
import math
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.vision.grounds import DIE, tiled, with_dice
from tests.vision.thrown import COUNT, judged
from vision.echo import echo
from vision.network import Sight, pyramid
from vision.picture import Image, load
from vision.reading import Verdict
from vision.views import View

RECORDINGS = Path(__file__).parents[1] / "recordings"
READABLE = [
    entry
    for entry in json.loads((RECORDINGS / "labels.json").read_text())["images"]
    if entry.get("verdict", "ok") == "ok" and entry["dice"]
]


def twice(image: Image, across_px: float, down_px: float, share: float = 0.5) -> Image:
    """The picture, and a share of it laid over it, so far aside."""
    move = np.array([[1, 0, across_px], [0, 1, down_px]])
    aside = cv2.warpAffine(image, move, image.shape[1::-1], borderMode=cv2.BORDER_REFLECT)
    return np.asarray(cv2.addWeighted(image, 1 - share, aside, share, 0), np.uint8)


def pictured(entry: dict[str, object]) -> tuple[Image, float]:
    """A recording, and the side of its dice in pixels."""
    dice = entry["dice"]
    assert isinstance(dice, list)
    return load(RECORDINGS / str(entry["file"])), float(np.median([die["box"][2] for die in dice]))


@pytest.mark.parametrize("entry", READABLE[::6], ids=lambda entry: entry["file"])
def test_a_picture_that_is_laid_over_itself_is_told_and_no_other(entry: dict[str, object]) -> None:
    image, side_px = pictured(entry)
    assert echo(pyramid(image), side_px) < 1
    assert echo(pyramid(twice(image, 0.2 * side_px, -0.15 * side_px)), side_px) > 1


def test_whichever_way_it_is_laid_it_is_told_but_for_one_in_two_hundred() -> None:
    rng, told = np.random.default_rng(3), []
    for entry in READABLE[::2]:
        image, side_px = pictured(entry)
        for turn, sides in zip(rng.uniform(0, 2 * math.pi, 4), rng.uniform(0.15, 0.7, 4), strict=True):
            across_px, down_px = sides * side_px * math.cos(turn), sides * side_px * math.sin(turn)
            told.append(echo(pyramid(twice(image, across_px, down_px)), side_px) > 1)
    assert len(told) > 150
    assert sum(told) >= 0.98 * len(told)


@pytest.mark.parametrize("pitch_px", [5, 7, 10, 14, 16, 20, 25, 40])
def test_tiles_are_no_echo(pitch_px: int) -> None:
    image = with_dice(tiled((60, 60, 60), (150, 150, 150), pitch_px))
    assert echo(pyramid(image), float(DIE[0, 2])) < 1


@given(height=st.integers(8, 64), wider=st.integers(0, 40), side_px=st.floats(3, 120))
def test_a_picture_of_any_size_is_listened_to(height: int, wider: int, side_px: float) -> None:
    image = np.random.default_rng(height).integers(0, 256, (height, height + wider, 3), np.uint8)
    assert math.isfinite(echo(pyramid(image), side_px))


def test_what_hardly_shows_anything_is_none() -> None:
    assert echo(pyramid(np.zeros((20, 30, 3), np.uint8)), 12.0) == 0
    assert echo(pyramid(np.full((300, 400, 3), 128, np.uint8)), 40.0) < 1


def test_dice_that_are_seen_at_two_moments_had_not_settled(sight: Sight, views: list[View]) -> None:
    side_px = views[0].seen.side_px
    assert judged(sight, views, COUNT)[0] is Verdict.OK
    moved = replace(sight, levels=pyramid(twice(sight.levels[0], 0.3 * side_px, 0.0)))
    verdict, message = judged(moved, views, COUNT)
    assert verdict is Verdict.NOT_SETTLED
    assert "twice" in message
