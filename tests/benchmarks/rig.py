"""How well a tray rig under fixed light is read with its calibration: `python tests/benchmarks/rig.py --out DIR`.

Each rig is a floor of its own, calibrated from one picture of it empty; six to ten dice of one style lie on it as the
simulated tower drops them. In a fifth of the pictures something is wrong: the camera has moved, a die leans or lies on
another, the light has failed. Pictures, labels.json and tray.toml of each rig are kept in DIR and made only once.
"""

import argparse
import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from rich.console import Console
from rich.progress import track

from calibration.floor import calibrate_floor
from firmware.dimensions import size
from firmware.simulated import SimulatedTower
from tests.vision.conftest import top_face
from vision.die_shape import STYLES, styles_named
from vision.evaluate import Evaluation, Scored, judge, load_labels, table
from vision.files import write_safely
from vision.picture import Image, encode_jpeg
from vision.reader import read
from vision.rendered import LyingDie, Stage
from vision.rig import Rig
from vision.tray import FILE, Made, Tray, read_tray

SIZES = {1014: (1014, 760), 1456: (1456, 1088)}
TROUBLES = ("moved", "cocked", "stacked", "bad-light")
_ODD = 5  # every so many pictures one shows a trouble
_MOVED_MM = (5.0, 12.0)  # aside, or along the floor's rim
_DIM = (0.25, 0.5)  # of the light at calibration


def make(folder: Path, seed: int, throws: int, size_px: tuple[int, int]) -> None:
    """The pictures of one rig, its labels and its calibration."""
    folder.mkdir(parents=True, exist_ok=True)
    stage = Stage(np.random.default_rng((seed, 1)), Rig.of(size), size_px=size_px)
    empty = stage.expose(stage.draw([], styles_named("ivory")))
    floor, _ = calibrate_floor([empty], Rig.of(size), None, Made("", "", ()))
    write_safely(folder / FILE, Tray(floor=floor).text.encode())
    labels = [_shoot(folder, stage, seed, number, size_px) for number in range(throws)]
    write_safely(folder / "labels.json", json.dumps({"format": 1, "images": labels}, indent=1).encode())


def _shoot(folder: Path, stage: Stage, seed: int, number: int, size_px: tuple[int, int]) -> dict[str, Any]:
    """Write a picture; its label."""
    rng = np.random.default_rng((seed, 2, number))
    trouble = TROUBLES[number // _ODD % len(TROUBLES)] if number % _ODD == _ODD - 1 else ""
    faults = {1: trouble} if trouble in ("cocked", "stacked") else {}
    tower = SimulatedTower(f"rig {seed} {number}", int(rng.integers(6, 11)), faults=faults)
    tower.tumble()
    dice = [LyingDie(die.x_mm, die.y_mm, die.z_mm, die.rotation) for die in tower.lying]
    style = list(STYLES)[int(rng.integers(len(STYLES)))]
    image = stage.draw(dice, styles_named(style))
    if trouble == "moved":
        image = _pushed(rng, image, size_px)
    if trouble == "bad-light":
        image = np.asarray(np.rint(image * np.sqrt(rng.uniform(*_DIM))), np.uint8)
    name = f"rig_{size_px[0]}_{seed}_{number:05}.jpg"
    write_safely(folder / name, encode_jpeg(stage.expose(image)))
    found = []
    for die in dice:
        top = top_face(stage, die)
        corner = (round(top.x_px - top.side_px / 2), round(top.y_px - top.side_px / 2))
        found.append({"face": top.face, "box": [*corner, round(top.side_px), round(top.side_px)]})
    tags = [f"style-{style}", f"trouble-{trouble or 'none'}"]
    shape = {"width": size_px[0], "height": size_px[1], "count": len(dice), "scene": "top-down"}
    return {"file": name, **shape, "dice": found, "verdict": trouble or "ok", "tags": tags, "licence": "MIT"}


def _pushed(rng: np.random.Generator, image: Image, size_px: tuple[int, int]) -> Image:
    """What the camera sees after it was pushed aside, or turned about its line of sight."""
    way, far_mm = rng.uniform(0, 2 * np.pi), rng.uniform(*_MOVED_MM)
    if rng.random() < 0.5:
        turn_deg = float(np.degrees(far_mm / (size("floor_diameter_mm") / 2))) * (1 if way < np.pi else -1)
        move = cv2.getRotationMatrix2D(((size_px[0] - 1) / 2, (size_px[1] - 1) / 2), turn_deg, 1.0)
    else:
        far_px = far_mm * Rig.of(size).focal_px(size_px[1]) / size("camera_mm")
        move = np.array([[1, 0, far_px * np.cos(way)], [0, 1, far_px * np.sin(way)]])
    return np.asarray(cv2.warpAffine(image, move, size_px, borderMode=cv2.BORDER_REPLICATE), np.uint8)


def judged(folders: list[Path]) -> Iterator[Scored]:
    """What the reader makes of each picture, with the calibration of its rig."""
    for folder in folders:
        tray = read_tray(folder / FILE)
        for label in load_labels(folder / "labels.json"):
            yield judge(label, partial(read, tray=tray))


def main() -> None:
    """Make what is missing, read all of it, print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True, metavar="DIR")
    parser.add_argument("--rigs", type=int, default=5)
    parser.add_argument("--throws", type=int, default=60, help="of each rig (default 60)")
    parser.add_argument("--seed", type=int, default=7, help="of the first rig; the next has the next (default 7)")
    parser.add_argument("--size", type=int, default=1456, choices=SIZES, help="width in pixels (default 1456)")
    options = parser.parse_args()
    cv2.setNumThreads(1)
    folders = [options.out / f"rig_{options.seed + rig}" for rig in range(options.rigs)]
    for seed, folder in enumerate(folders, options.seed):
        if not (folder / "labels.json").is_file():
            make(folder, seed, options.throws, SIZES[options.size])
    progress = Console(stderr=True)
    total = options.rigs * options.throws
    scored = tuple(track(judged(folders), "Reading", total, console=progress, disable=not progress.is_terminal))
    Console(width=140).print(table(Evaluation(scored)))


if __name__ == "__main__":
    main()
