"""Rest: when the scene under the camera has stopped moving."""

import time
from collections.abc import Callable

import cv2
import numpy as np

from vision.camera import Camera, Frame
from vision.picture import Image
from vision.stillness import Grey, light_between

STILL_FRAMES = 3
"""So many frames in a row must show what the first of them shows, in whatever light."""
MOVED_LEVELS = 12.0
"""Grey levels, after smoothing, by which a place must change to count as moved: sensor noise stays below."""
_SMALL_PX = 480
_PICTURE_S = 2.0  # a camera that takes longer for one picture is lost; less time left says nothing of the camera


class CameraFrozen(RuntimeError):
    """The camera gave the same bytes twice, which no sensor does."""


def await_rest(camera: Camera, timeout_s: float, clock: Callable[[], float] = time.monotonic) -> tuple[Frame, bool]:
    """The last frame looked at, and whether the scene was at rest by then.

    At least STILL_FRAMES frames are taken, unless the time is up before; the last may come up to _PICTURE_S later.
    CameraLost if one does not come in time, CameraFrozen if two are equal to the byte.
    """
    deadline = clock() + timeout_s
    frame = camera.frame(timeout_s)
    first, still = _small(frame.image), 1
    while still < STILL_FRAMES and clock() < deadline:
        following = camera.frame(max(deadline - clock(), _PICTURE_S))
        if np.array_equal(following.image, frame.image):
            raise CameraFrozen(
                "The camera shows the same picture for ever: unplug it, plug it in, then clear the fault."
            )
        small = _small(following.image)
        if _same(first, small):
            still += 1
        else:
            first, still = small, 1
        frame = following
    return frame, still >= STILL_FRAMES


def _small(image: Image) -> Grey:
    """The picture in grey, small and smooth, so that noise does not count as movement."""
    height, width = image.shape[:2]
    scale = min(1.0, _SMALL_PX / max(height, width))
    size = max(1, round(width * scale)), max(1, round(height * scale))
    grey = cv2.cvtColor(cv2.resize(image, size, interpolation=cv2.INTER_AREA), cv2.COLOR_BGR2GRAY)
    return np.asarray(cv2.blur(grey, (5, 5)), np.float32)


def _same(before: Grey, after: Grey) -> bool:
    if before.shape != after.shape:
        return False
    expected = np.minimum(light_between(before, after) * before, 255)
    return float(np.abs(after - expected).max()) < MOVED_LEVELS
