"""How finely a picture is looked at for dice."""

from collections.abc import Mapping

import numpy as np
import pytest

from vision.detector import _PEAK, Detector, Found
from vision.picture import Image


def seen(long_px: int, *sides_px: float, score: float = 0.9) -> Found:
    """Dice of these sides in a picture of 1,456 pixels, looked at so that it is so many long."""
    found = np.zeros(len(sides_px), _PEAK)
    found["side"], found["score"] = sides_px, score
    nothing = np.zeros((1, 1), np.float32)
    return Found(found, (), nothing, nothing, long_px / 1456)


@pytest.mark.parametrize(
    ("coarser", "finer", "parts"),
    [
        (seen(512, 90), seen(1024, 20, 20, 20, 20, 20), True),
        (seen(512, 90), seen(1024, 20, 20, 20, 20, 20, score=0.5), False),  # they may be grain
        (seen(512, 90), seen(1024, 70, 70, 70), False),  # no smaller than what was seen
        (seen(512, 90), seen(1024, 20), False),
        (seen(512), seen(1024, 20), True),
        (seen(512), seen(1024, 20, score=0.5), False),
        (seen(512), seen(1024), False),
    ],
)
def test_parts_are_more_smaller_and_surely_seen(coarser: Found, finer: Found, parts: bool) -> None:
    assert finer.parts(coarser) == parts


class Scripted(Detector):
    """Sees these sides at each length of the picture, nothing at others."""

    def __init__(self, at: Mapping[int, tuple[float, ...]]) -> None:
        self._at = at
        self.asked: list[int] = []

    def detect(self, levels: list[Image], long_px: int, *, turned: bool = False) -> Found:
        self.asked.append(long_px)
        return seen(long_px, *self._at.get(long_px, ()))


TEN, FIVE = (60.0,) * 10, (20.0,) * 5


@pytest.mark.parametrize(
    ("at", "closely", "asked", "count"),
    [
        ({512: TEN}, True, [512], 10),
        ({}, True, [512, 1024, 1456, 256, 128], 0),
        ({128: (900.0,)}, True, [512, 1024, 1456, 256, 128], 1),
        ({256: (500.0,)}, True, [512, 1024, 1456, 256], 1),
        ({}, False, [512], 0),
        ({1456: FIVE}, True, [512, 1024, 1456], 5),
        ({512: (90.0,), 1024: FIVE, 1456: FIVE}, True, [512, 1024, 1456], 5),
        ({512: (90.0,), 1024: FIVE}, False, [512], 1),
        ({512: (90.0,), 1024: (95.0,)}, True, [512, 1024], 1),
        ({512: FIVE, 1024: FIVE}, False, [512, 1024], 5),
        ({512: (35.0,) * 5, 1024: (35.0,) * 5}, True, [512, 1024], 5),
        ({512: (300.0,) * 3, 256: (310.0,) * 3}, True, [512, 256], 3),
    ],
)
def test_a_picture_is_looked_at_as_finely_as_its_dice_need(
    at: Mapping[int, tuple[float, ...]], closely: bool, asked: list[int], count: int
) -> None:
    scripted = Scripted(at)
    found = scripted.find([np.zeros((1088, 1456, 3), np.uint8)], closely=closely)
    assert scripted.asked == asked
    assert len(found.found) == count
