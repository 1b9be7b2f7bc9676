"""The pictures that a step of calibration is given, before anything is looked for in them."""

from collections.abc import Sequence

from vision.picture import Image

LEAST_PX = 240
"""Of width and height: a die of the machine is then 17 pixels wide."""


class BadPictures(ValueError):
    """Pictures of which no step can be done; the message says what to do."""


def check_size(pictures: Sequence[Image]) -> None:
    """BadPictures where they differ in size or are too small to calibrate by."""
    if len({picture.shape for picture in pictures}) > 1:
        raise BadPictures("The pictures differ in size: take all of them with one camera.")
    if pictures and min(pictures[0].shape[:2]) < LEAST_PX:
        height, width = pictures[0].shape[:2]
        raise BadPictures(
            f"The pictures have {width} x {height} pixels, {LEAST_PX} x {LEAST_PX} are the fewest: take larger ones."
        )
