"""How small dice may be: `python tests/benchmarks/small.py LABELS`.

Readable pictures that are read exactly as they are get shrunk until the middle one of their dice is so many pixels a
side, and are read again, the number of dice known; and once more in the middle of a plain ground that is 1,456 pixels
wide, as dice lie far from the camera, the number known and not known.
"""

import argparse
from collections import Counter
from pathlib import Path
from statistics import median

import cv2
import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table

from vision.evaluate import Label, LabelledDie, Score, load_labels, score
from vision.picture import Image, load
from vision.reader import read
from vision.reading import Verdict

FIELD = 1088, 1456
_SEAM = 0.06  # of a picture's shorter side, in which it fades into the ground around it
SIDES_PX = (10, 12, 14, 16, 18, 20, 25, 30, 40)
FAR_PX = (16, 20, 25)

WAYS = "as it is", "from afar", "from afar, not counted"


def shrunk(image: Image, dice: tuple[LabelledDie, ...], times: float) -> tuple[Image, list[LabelledDie]]:
    """A picture and its dice, so many times as large."""
    smaller = np.asarray(cv2.resize(image, None, fx=times, fy=times, interpolation=cv2.INTER_AREA), np.uint8)
    boxes = ((die.face, [times * edge for edge in die.box]) for die in dice)
    return smaller, [LabelledDie(face, (x, y, width, height)) for face, (x, y, width, height) in boxes]


def from_afar(image: Image, dice: list[LabelledDie]) -> tuple[Image, list[LabelledDie]]:
    """A small picture and its dice in the middle of a plain ground of its rim's colour."""
    height, width = image.shape[:2]
    top, left = (FIELD[0] - height) // 2, (FIELD[1] - width) // 2
    rim = np.concatenate([image[0], image[-1], image[:, 0], image[:, -1]])
    field = np.median(rim, axis=0) + np.random.default_rng(1).normal(0, 2, (*FIELD, 3))
    inside = np.zeros(FIELD, np.float32)
    seam = max(round(_SEAM * min(height, width)), 1)
    inside[top + seam : top + height - seam, left + seam : left + width - seam] = 1
    faded = np.asarray(cv2.blur(inside, (2 * seam + 1, 2 * seam + 1)), np.float32)
    part = faded[top : top + height, left : left + width, None]
    field[top : top + height, left : left + width] *= 1 - part
    field[top : top + height, left : left + width] += part * image
    moved = [LabelledDie(die.face, (die.box[0] + left, die.box[1] + top, *die.box[2:])) for die in dice]
    return np.clip(field, 0, 255).astype(np.uint8), moved


def counts(label: Label) -> list[tuple[int, str, Score]]:
    """What the picture is worth at each side (px) below its own, as each of `WAYS`; nothing if not read as it is."""
    image, number = load(label.path), label.count
    whole = read(image, number)
    if not number or score(whole, label.dice, Verdict.OK) is not Score.EXACT:
        return []
    side_px = median(max(die.box[2:]) for die in whole.dice)
    found = []
    for goal_px in (goal for goal in SIDES_PX if goal < side_px):
        smaller, dice = shrunk(image, label.dice, goal_px / side_px)
        found.append((goal_px, WAYS[0], score(read(smaller, number), dice, Verdict.OK)))
        if goal_px in FAR_PX and smaller.shape[0] < FIELD[0] and smaller.shape[1] < FIELD[1]:
            far, moved = from_afar(smaller, dice)
            for way, expected in zip(WAYS[1:], (number, None), strict=True):
                found.append((goal_px, way, score(read(far, expected), moved, Verdict.OK)))
    return found


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("labels", type=Path, metavar="LABELS", help="of pictures, as for `cornet evaluate`")
    labels = [label for label in load_labels(parser.parse_args().labels) if label.readable]
    cv2.setNumThreads(1)
    worth = Counter(one for label in track(labels, "pictures") for one in counts(label))
    shown = Table("side, px", *WAYS, title=" / ".join(each.value for each in Score))
    for side_px in SIDES_PX:
        shown.add_row(str(side_px), *(" / ".join(str(worth[side_px, way, each]) for each in Score) for way in WAYS))
    Console().print(shown)


if __name__ == "__main__":
    main()
