"""How fast rests are found, and in how much memory: `python tests/benchmarks/settle.py`.

A recording of throws at 640 x 480, drawn as it goes: ten dice slide and turn for 30 frames, then lie still for 70.
"""

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"

import argparse
import math
import resource
import statistics
import time
from collections.abc import Iterator, Sequence

import cv2
import numpy as np

from firmware.dimensions import size
from vision.die_shape import styles_named
from vision.picture import Image
from vision.reader import find
from vision.reading import Box
from vision.rendered import LyingDie, Stage
from vision.rig import Rig
from vision.settle import FRAMES_A_SECOND, Settling

FRAMES, WARM_UP = 2000, 200
ROLLING, CYCLE = 30, 100  # frames


def lying(throw: int, before_rest: int) -> list[LyingDie]:
    """Ten dice so many frames before they lie still."""
    dice = []
    for place in range(10):
        angle = math.tau * (place + 0.07 * throw) / 10 + 0.05 * before_rest
        turn = 1.7 * place + 0.3 * throw + 0.2 * before_rest
        cos, sin = math.cos(turn), math.sin(turn)
        radius_mm = 35.0 + 50.0 * (place % 2)
        rotation = ((cos, -sin, 0.0), (sin, cos, 0.0), (0.0, 0.0, 1.0))
        dice.append(LyingDie(radius_mm * math.cos(angle), radius_mm * math.sin(angle), 8.0, rotation))
    return dice


def recording(frames: int) -> Iterator[Image]:
    """The frames, each with noise of its own."""
    stage, styles, drawn = (
        Stage(np.random.default_rng(1), Rig.of(size), size_px=(640, 480)),
        styles_named("ivory"),
        None,
    )
    for number in range(frames):
        throw, step = divmod(number, CYCLE)
        if drawn is None or step <= ROLLING:
            drawn = stage.draw(lying(throw, max(0, ROLLING - step)), styles)
        yield stage.expose(drawn)


class Watch:
    """Follows a recording: the processor's seconds of each frame, the rests, the looks for dice, the peak memory."""

    def __init__(self) -> None:
        self.taken_s: list[float] = []
        self.rests: list[tuple[int, int]] = []
        self.looks = 0
        self.peak_mb: list[float] = []  # after each frame

    def follow(self, images: Iterator[Image]) -> None:
        """Take in every frame."""
        settling = Settling(self._find, FRAMES_A_SECOND)
        for image in images:
            begun = time.process_time()
            rest = settling.add(image)
            self.taken_s.append(time.process_time() - begun)
            self.peak_mb.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
            self.rests += [rest] if rest else []
        rest = settling.end()
        self.rests += [rest] if rest else []

    def _find(self, image: Image) -> Sequence[Box]:
        self.looks += 1
        return find(image)


def main() -> None:
    """Print frames a second and the growth of the peak memory, on one thread."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--frames", type=int, default=FRAMES)
    frames = parser.parse_args().frames
    if frames <= WARM_UP:
        parser.error(f"more than {WARM_UP} frames are needed")
    cv2.setNumThreads(1)
    watch = Watch()
    watch.follow(recording(frames))
    timed = watch.taken_s[WARM_UP:]
    middle, worst = statistics.median(timed), max(timed)
    grown_mb = watch.peak_mb[-1] - watch.peak_mb[WARM_UP]
    print(
        f"{frames} frames, {len(watch.rests)} rests in {math.ceil(frames / CYCLE)} throws, {watch.looks} looks for dice"
    )
    print(f"{len(timed) / sum(timed):.0f} frames a second of processor time; a frame {1000 * middle:.1f} ms in the")
    print(f"median, {1000 * worst:.0f} ms at most (where dice are looked for)")
    print(f"peak memory {watch.peak_mb[-1]:.0f} MB, {grown_mb:.1f} MB more than after {WARM_UP} frames")


if __name__ == "__main__":
    main()
