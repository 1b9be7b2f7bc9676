"""Rest: when the scene under the camera has stopped moving."""

import time
from collections.abc import Callable

import cv2
import numpy as np
import numpy.typing as npt

from vision.camera import Camera, Frame
from vision.picture import Image

STILL_FRAMES = 3
"""So many frames in a row must show the same."""
MOVED_LEVELS = 12.0
"""Grey levels, after smoothing, by which a place must change to count as moved: sensor noise stays below."""
_SMALL_PX = 480


class CameraFrozen(RuntimeError):
    """The camera gave the same bytes twice, which no sensor does."""


def await_rest(camera: Camera, timeout_s: float, clock: Callable[[], float] = time.monotonic) -> tuple[Frame, bool]:
    """The last frame looked at, and whether the scene was at rest by then.

    At least STILL_FRAMES frames are taken. CameraLost if one does not come in time, CameraFrozen if two are equal
    to the byte.
    """
    deadline = clock() + timeout_s
    frame = camera.frame(timeout_s)
    seen, still = _small(frame.image), 1
    while still < STILL_FRAMES and clock() < deadline:
        following = camera.frame(max(deadline - clock(), 0.1))
        if np.array_equal(following.image, frame.image):
            raise CameraFrozen(
                "The camera shows the same picture for ever: unplug it, plug it in, then clear the fault."
            )
        small = _small(following.image)
        still = still + 1 if _same(seen, small) else 1
        frame, seen = following, small
    return frame, still >= STILL_FRAMES


def _small(image: Image) -> npt.NDArray[np.uint8]:
    """The picture in grey, small and smooth, so that noise does not count as movement."""
    height, width = image.shape[:2]
    scale = min(1.0, _SMALL_PX / max(height, width))
    size = max(1, round(width * scale)), max(1, round(height * scale))
    grey = cv2.cvtColor(cv2.resize(image, size, interpolation=cv2.INTER_AREA), cv2.COLOR_BGR2GRAY)
    return np.asarray(cv2.blur(grey, (5, 5)), np.uint8)


def _same(before: npt.NDArray[np.uint8], after: npt.NDArray[np.uint8]) -> bool:
    return before.shape == after.shape and float(cv2.absdiff(before, after).max()) < MOVED_LEVELS
