"""Drawn scenes on disk, a shard at a time, so that an interrupted drawing goes on where it stopped."""

import os
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

import cv2
import drjit
import numpy as np

from vision.training.rig import draw_rig
from vision.training.scenes import Scene, draw_lying, draw_scene
from vision.training.traced import draw_near, draw_traced

SHARD = 64
"""Scenes of one shard."""
DRAWN = {"scenes": draw_scene, "lying": draw_lying, "traced": draw_traced, "near": draw_near, "rig": draw_rig}
"""The kinds of scenes."""


def draw_shards(folder: Path, kind: str, seed: int, count: int, processes: int) -> Iterator[int]:
    """Draw what is missing of the first count shards of a kind; yields the number of each one as it is done."""
    folder.mkdir(parents=True, exist_ok=True)
    missing = [number for number in range(count) if not _path(folder, kind, seed, number).exists()]
    yield from (number for number in range(count) if number not in missing)
    with ProcessPoolExecutor(processes) as pool:
        yield from pool.map(partial(_draw, folder, kind, seed), missing)


def _draw(folder: Path, kind: str, seed: int, number: int) -> int:
    cv2.setNumThreads(1)
    drjit.set_thread_count(1)
    scenes = [DRAWN[kind](seed, number * SHARD + index) for index in range(SHARD)]
    path = _path(folder, kind, seed, number)
    half_done = path.with_suffix(f".{os.getpid()}.part")
    with half_done.open("wb") as file:
        np.savez(
            file,
            pictures=np.stack([scene.picture for scene in scenes]),
            things=np.concatenate([scene.things for scene in scenes]),
            counts=np.array([len(scene.things) for scene in scenes]),
            hidden=np.stack([scene.hidden for scene in scenes]),
        )
    half_done.replace(path)
    return number


def load_shard(folder: Path, kind: str, seed: int, number: int) -> list[Scene]:
    """The scenes of a shard that was drawn."""
    with np.load(_path(folder, kind, seed, number)) as stored:
        pictures, hidden = stored["pictures"], stored["hidden"]
        things = np.split(stored["things"], np.cumsum(stored["counts"])[:-1])
    return [Scene(*row) for row in zip(pictures, things, hidden, strict=True)]


def _path(folder: Path, kind: str, seed: int, number: int) -> Path:
    return folder / f"{kind}-{seed}-{number:04d}.npz"
