"""Labelled photographs that may be trained on."""

import json
from pathlib import Path

import numpy as np

from vision.picture import load
from vision.training.scenes import DIE, THING, UNKNOWN, Scene

PERMITTED = frozenset({"BSD-3-Clause", "MIT", "Apache-2.0", "CC-BY-4.0"})
"""Licences that let a picture be trained on."""

_WHOLE_DIE = 0.8  # a top face's side, in sides of a box around the whole die


def load_photos(labels: Path, whole_dice: frozenset[str] = frozenset()) -> list[tuple[str, Scene]]:
    """The photographs of a labels.json whose licence permits training, with their file names.

    whole_dice are the groups (what stands before the first _ of a name) whose boxes go round the whole die.
    """
    photos = []
    for record in json.loads(labels.read_text(encoding="utf-8"))["images"]:
        if record["licence"] not in PERMITTED:
            continue
        name = Path(record["file"]).name
        picture = load(labels.parent / record["file"])
        share = _WHOLE_DIE if name.split("_")[0] in whole_dice else 1.0
        things = np.array([_thing(die["face"], die["box"], share) for die in record["dice"]], THING)
        photos.append((name, Scene(picture, things, np.zeros((1, 1), np.uint8))))
    return photos


def _thing(face: int, box: tuple[float, float, float, float], share: float) -> tuple[float, ...]:
    x, y, wide, high = box
    side = share * (wide + high) / 2
    return (DIE, face, x + wide / 2 - 0.5, y + high / 2 - 0.5, side, 0, 0, -1, -1, *UNKNOWN)
