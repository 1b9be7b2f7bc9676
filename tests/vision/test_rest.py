"""Rest under a live camera: several frames alike, in whatever light, and none of them twice the same."""

from collections.abc import Callable, Sequence

import cv2
import numpy as np
import pytest

from vision.camera import CameraLost, Frame
from vision.picture import Image
from vision.rest import STILL_FRAMES, CameraFrozen, await_rest


class Scripted:
    """Shows these pictures, one a frame, the last one for ever with fresh noise; a clock that goes 40 ms a frame."""

    recorded = 0
    lost = ""

    def __init__(self, images: Sequence[Image], noise: bool = True) -> None:
        self.images = list(images)
        self.noise = np.random.default_rng(7) if noise else None
        self.now_s = 0.0
        self.shown = 0

    def frame(self, timeout_s: float) -> Frame:
        image = self.images[min(self.shown, len(self.images) - 1)].astype(np.int16)
        self.shown += 1
        self.now_s += 0.04
        if self.noise is not None:
            image = image + self.noise.normal(0, 3, image.shape).astype(np.int16)
        return Frame(np.clip(image, 0, 255).astype(np.uint8), int(self.now_s * 1e9))

    def close(self) -> None:
        self.images.clear()


def with_die_at(x_px: float, light: float = 1.0) -> Image:
    """A die that may lie between two pixels."""
    image = np.full((480, 640, 3), 60, np.uint8)
    corners = np.round(np.array([(x_px, 200), (x_px + 40, 200), (x_px + 40, 240), (x_px, 240)]) * 16).astype(np.int32)
    cv2.fillConvexPoly(image, corners, (220, 220, 220), cv2.LINE_AA, 4)
    return np.asarray(np.clip(image * light, 0, 255), np.uint8)


def test_rest_is_several_frames_alike_after_the_last_movement() -> None:
    moving = [with_die_at(100 + 8 * step) for step in range(20)]
    camera = Scripted(moving)
    frame, still = await_rest(camera, 5.0, lambda: camera.now_s)
    assert still
    assert camera.shown == 20 + STILL_FRAMES - 1
    assert np.abs(frame.image.astype(int) - moving[-1]).mean() < 4


def test_what_never_rests_is_not_at_rest_when_the_time_is_up() -> None:
    camera = Scripted([with_die_at(100 + 8 * (step % 50)) for step in range(500)])
    _, still = await_rest(camera, 2.0, lambda: camera.now_s)
    assert not still
    assert camera.now_s < 3


class Slow(Scripted):
    """Takes its time for each picture, and is lost to whoever does not wait as long."""

    def frame(self, timeout_s: float) -> Frame:
        if timeout_s < 0.4:
            raise CameraLost("No picture came in time.")
        self.now_s += 0.4
        return super().frame(timeout_s)


def test_a_slow_camera_is_not_lost_because_the_dice_do_not_rest() -> None:
    camera = Slow([with_die_at(100 + 8 * (step % 50)) for step in range(50)])
    _, still = await_rest(camera, 2.0, lambda: camera.now_s)
    assert not still
    assert camera.now_s < 3


def test_a_frozen_camera_is_told_from_a_still_scene() -> None:
    camera = Scripted([with_die_at(100)], noise=False)
    with pytest.raises(CameraFrozen):
        await_rest(camera, 5.0, lambda: camera.now_s)


@pytest.mark.parametrize("light", [lambda number: 1 + 0.12 * (number % 2), lambda number: 1.0 - 0.02 * number])
def test_a_light_that_flickers_or_fades_does_not_hide_that_the_dice_lie(light: Callable[[int], float]) -> None:
    moving = [with_die_at(100 + 8 * step, light(step)) for step in range(10)]
    camera = Scripted(moving + [with_die_at(180, light(step)) for step in range(10, 20)])
    _, still = await_rest(camera, 5.0, lambda: camera.now_s)
    assert still
    assert camera.shown == 11 + STILL_FRAMES - 1


def test_a_die_that_creeps_is_not_at_rest_however_little_it_moves_from_one_frame_to_the_next() -> None:
    creeping = [with_die_at(100 + 0.3 * step) for step in range(60)]
    camera = Scripted(creeping)
    _, still = await_rest(camera, 5.0, lambda: camera.now_s)
    assert still
    assert camera.shown >= 60
