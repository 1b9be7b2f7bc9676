"""How small dice may be: `python tests/benchmarks/small.py LABELS`.

Readable pictures that are read exactly as they are get shrunk until the middle one of their dice is so many pixels a
side, and are read again, the number of dice known.
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

SIDES_PX = (10, 12, 14, 16, 18, 20, 25, 30, 40)


def shrunk(image: Image, dice: tuple[LabelledDie, ...], times: float) -> tuple[Image, list[LabelledDie]]:
    """A picture and its dice, so many times as large."""
    smaller = np.asarray(cv2.resize(image, None, fx=times, fy=times, interpolation=cv2.INTER_AREA), np.uint8)
    boxes = ((die.face, [times * edge for edge in die.box]) for die in dice)
    return smaller, [LabelledDie(face, (x, y, width, height)) for face, (x, y, width, height) in boxes]


def counts(label: Label) -> list[tuple[int, Score]]:
    """What the picture is worth at each side (px) below its own; nothing if it is not read as it is."""
    image, number = load(label.path), label.count
    whole = read(image, number)
    if not number or score(whole, label.dice, Verdict.OK) is not Score.EXACT:
        return []
    side_px = median(max(die.box[2:]) for die in whole.dice)
    found = []
    for goal_px in (goal for goal in SIDES_PX if goal < side_px):
        smaller, dice = shrunk(image, label.dice, goal_px / side_px)
        found.append((goal_px, score(read(smaller, number), dice, Verdict.OK)))
    return found


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("labels", type=Path, metavar="LABELS", help="of pictures, as for `cornet evaluate`")
    labels = [label for label in load_labels(parser.parse_args().labels) if label.readable]
    cv2.setNumThreads(1)
    worth = Counter(one for label in track(labels, "pictures") for one in counts(label))
    shown = Table("side, px", *(each.value for each in Score))
    for side_px in SIDES_PX:
        shown.add_row(str(side_px), *(str(worth[side_px, each]) for each in Score))
    Console().print(shown)


if __name__ == "__main__":
    main()
