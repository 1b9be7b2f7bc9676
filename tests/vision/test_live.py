"""What every live camera has in common, on a camera whose time is ours."""

from collections.abc import Callable

import numpy as np
import pytest

from vision.camera import CameraLost, Frame
from vision.live import LATE_S, LiveCamera
from vision.picture import Image

SCENE = np.arange(300, dtype=np.uint8).reshape(10, 10, 3)


class Slow(LiveCamera):
    """Gives a picture after something has happened."""

    def __init__(self) -> None:
        self.time_s = 100.0
        self.meanwhile: Callable[[], None] = lambda: None
        super().__init__(clock=lambda: self.time_s)

    def _open(self) -> None:
        """It is always there."""

    def _take(self, timeout_s: float) -> Frame:
        self.meanwhile()
        return Frame(SCENE, 1)

    def _glimpse(self, timeout_s: float) -> Image:
        return self._take(timeout_s).image

    def _shut(self) -> None:
        """It always lets go."""


def test_a_question_that_hangs_in_the_device_is_not_fresh_and_a_slow_one_is() -> None:
    camera = Slow()
    camera.tend()
    seen: list[bool] = [camera.fresh]

    def wait() -> None:
        for passed_s in (5.0 + LATE_S - 0.1, 0.2):
            camera.time_s += passed_s
            seen.append(camera.fresh)

    camera.meanwhile = wait
    camera.frame(5.0)
    seen.append(camera.fresh)
    assert seen == [True, True, False, True]


def test_a_camera_that_is_lost_says_so_and_is_fresh() -> None:
    camera = Slow()

    def gone() -> None:
        raise CameraLost("It was unplugged.")

    camera.meanwhile = gone
    camera.tend()
    assert camera.lost == "It was unplugged."
    assert camera.fresh
    with pytest.raises(CameraLost, match="unplugged"):
        camera.frame(1.0)
    assert camera.fresh
