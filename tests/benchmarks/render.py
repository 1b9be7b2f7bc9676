"""How long the live renderer takes for a picture of ten dice: `python tests/benchmarks/render.py`."""

import math
import statistics
import time

import cv2
import numpy as np

from firmware.dimensions import size
from vision.rendered import LyingDie, RenderedCamera
from vision.rig import Rig


def scattered(throw: int) -> list[LyingDie]:
    """Ten dice on a ring of places, turned differently in each throw."""
    dice = []
    for place in range(10):
        angle, turn = math.tau * (place + 0.05 * throw) / 10, 1.7 * place + 0.3 * throw
        cos, sin = math.cos(turn), math.sin(turn)
        radius_mm = 35.0 + 55.0 * (place % 2)
        rotation = ((cos, -sin, 0.0), (sin, cos, 0.0), (0.0, 0.0, 1.0))
        dice.append(LyingDie(radius_mm * math.cos(angle), radius_mm * math.sin(angle), 8.0, rotation))
    return dice


def median_ms(camera: RenderedCamera, pictures: int) -> float:
    """The median wall time of a frame."""
    taken = []
    for _ in range(pictures):
        start = time.perf_counter()
        camera.frame(1.0)
        taken.append(time.perf_counter() - start)
    return 1000 * statistics.median(taken)


def main() -> None:
    """Print the medians for dice that move and for dice that lie still, on one thread."""
    cv2.setNumThreads(1)
    throws = iter(np.arange(1000))
    for style in ("ivory", "casino"):
        moving = RenderedCamera(lambda: scattered(int(next(throws))), Rig.of(size), seed=1, style=style)
        print(f"{style}, new scene each picture: {median_ms(moving, 40):.1f} ms")
    still = RenderedCamera(lambda: scattered(0), Rig.of(size), seed=1)
    print(f"ivory, same scene: {median_ms(still, 40):.1f} ms")


if __name__ == "__main__":
    main()
