"""A picture with what was read drawn on it, for people."""

import cv2
import numpy as np

from vision.picture import Image
from vision.reading import Reading

_GOOD, _BAD, _LABEL = (90, 220, 60), (80, 120, 255), (20, 20, 20)
_FONT = cv2.FONT_HERSHEY_SIMPLEX


def annotate(image: Image, reading: Reading) -> Image:
    """A copy of the picture with each die's box and face, and the verdict with its message along the top.

    What is amiss has a thicker box.
    """
    drawn = image.copy()
    colour = _GOOD if reading.ok else _BAD
    size = max(image.shape[:2]) / 1400
    thick = max(1, round(2 * size))
    for number, die in enumerate(reading.dice):
        x, y, width, height = die.box
        cv2.rectangle(drawn, (x, y), (x + width, y + height), colour, thick * (4 if number in reading.amiss else 1))
        _write(drawn, "?" if die.face is None else str(die.face), (x, y - 4 * thick), 1.2 * size, colour)
    _write(drawn, f"{reading.verdict.value}: {reading.message}", (4 * thick, round(36 * size)), 0.9 * size, colour)
    return np.asarray(drawn, np.uint8)


def _write(drawn: Image, text: str, at: tuple[int, int], size: float, colour: tuple[int, int, int]) -> None:
    """Text on a dark label, for the ground may have any colour, that of the text too."""
    thick = max(1, round(2 * size))
    (width, height), below = cv2.getTextSize(text, _FONT, size, thick)
    x, y = at
    cv2.rectangle(drawn, (x - thick, y - height - thick), (x + width + thick, y + below), _LABEL, cv2.FILLED)
    cv2.putText(drawn, text, at, _FONT, size, colour, thick, cv2.LINE_AA)
