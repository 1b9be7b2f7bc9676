"""The USB camera over a fake VideoCapture that hands out pictures one by one."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import cv2
import numpy as np
import pytest

from vision.camera import CameraLost
from vision.live import CameraHopeless
from vision.picture import Image
from vision.usb import SIZE_PX, WARM_UP, UsbCamera, video_capture


def numbered(number: int, size_px: tuple[int, int] = SIZE_PX) -> Image:
    """A picture that carries its number."""
    image = np.full((size_px[1], size_px[0], 3), 128, np.uint8)
    image[0, 0] = (number & 255, number >> 8 & 255, number >> 16)
    return image


def number_of(image: Image) -> int:
    blue, green, red = (int(level) for level in image[0, 0])
    return blue | green << 8 | red << 16


class FakeVideoCapture:
    """Gives picture after picture, each as it is when it is read; `silent` makes it wait, `gone` makes it fail."""

    def __init__(self, there: bool = True, has_px: tuple[int, int] = SIZE_PX, closed: float = 0.0) -> None:
        self.there, self.has_px, self.closed = there, has_px, closed
        self.scene: Callable[[int], Image] = numbered
        self.settings: dict[int, float] = {}
        self.released = self.count = 0
        self.gone = self.silent = False
        self.awake = threading.Event()
        self.reading = threading.Lock()

    def set(self, prop: int, value: float, /) -> bool:
        self.settings[prop] = value
        return self.there

    def get(self, prop: int, /) -> float:
        given = {cv2.CAP_PROP_FRAME_WIDTH: self.has_px[0], cv2.CAP_PROP_FRAME_HEIGHT: self.has_px[1]}
        return float(given[prop]) if self.there else self.closed

    def read(self) -> tuple[bool, Any]:
        with self.reading:
            if self.silent:
                self.awake.wait()
            if self.gone:
                return False, None
            self.count += 1
            return True, self.scene(self.count)

    def release(self) -> None:
        assert not self.reading.locked(), "releasing a device that is being read crashes"
        self.released += 1


class Plugged:
    """A clock, and the devices that opening gives, one after the other."""

    def __init__(self, *devices: FakeVideoCapture) -> None:
        self.now_s = 50.0
        self.devices = list(devices)
        self.opened: list[FakeVideoCapture] = []

    def clock(self) -> float:
        """Time goes on with every look at it."""
        self.now_s += 0.001
        return self.now_s

    def open(self, index: int) -> FakeVideoCapture:
        assert index == 0
        self.opened.append(self.devices.pop(0))
        return self.opened[-1]

    @contextmanager
    def camera(self, close_s: float = 5.0) -> Iterator[UsbCamera]:
        camera = UsbCamera(open_device=self.open, clock=self.clock, close_s=close_s)
        try:
            yield camera
        finally:
            for device in self.opened:
                device.gone = True
                device.awake.set()
            camera.close()


def test_the_size_and_compressed_pictures_are_asked_for() -> None:
    device = FakeVideoCapture()
    with Plugged(device).camera() as camera:
        camera.tend()
        assert camera.lost == ""
        assert camera.recorded == 0
    assert device.settings == {
        cv2.CAP_PROP_FOURCC: cv2.VideoWriter.fourcc(*"MJPG"),
        cv2.CAP_PROP_FRAME_WIDTH: 1280,
        cv2.CAP_PROP_FRAME_HEIGHT: 720,
    }
    assert device.released == 1


def test_the_warm_up_and_the_picture_under_way_are_passed_over() -> None:
    device = FakeVideoCapture()
    with Plugged(device).camera() as camera:
        camera.tend()
        assert device.count >= WARM_UP + 2
        asked = device.count  # this one had begun to be read before the question
        assert number_of(camera.frame(5.0).image) > asked
        asked = device.count
        assert number_of(camera.live(5.0)) >= asked


@pytest.mark.parametrize("closed", [0.0, -1.0])  # what OpenCV 4 and 5 answer
def test_no_camera_is_said_and_looked_for_again(closed: float) -> None:
    absent, present = FakeVideoCapture(there=False, closed=closed), FakeVideoCapture()
    plugged = Plugged(absent, present)
    with plugged.camera() as camera:
        camera.tend()
        with pytest.raises(CameraLost, match="no camera at /dev/video0"):
            camera.frame(1.0)
        assert absent.released == 0
        plugged.now_s += 1.0
        camera.tend()
        assert camera.lost == ""
    assert (absent.released, present.released) == (1, 1)


def test_another_size_than_asked_for_is_said() -> None:
    with Plugged(FakeVideoCapture(has_px=(640, 480))).camera() as camera:
        camera.tend()
        assert "gives 640 x 480 pixels, not 1280 x 720: plug in a camera that has this size." in camera.lost


def test_pictures_of_another_size_than_promised_are_said() -> None:
    device = FakeVideoCapture()
    with Plugged(device).camera() as camera:
        camera.tend()
        device.scene = lambda number: numbered(number, (640, 480))
        with pytest.raises(CameraLost, match=r"\(480, 640, 3\), not 720 x 1280 x 3"):
            camera.frame(5.0)


def test_unplugged_and_plugged_in_again() -> None:
    first, second = FakeVideoCapture(), FakeVideoCapture()
    with Plugged(first, second).camera() as camera:
        camera.tend()
        first.gone = True
        with pytest.raises(CameraLost, match="unplugged or failed"):
            camera.frame(5.0)
        camera.tend()
        assert camera.lost == ""
        assert first.released == 1
        camera.frame(5.0)


def test_silence_is_waited_for_no_longer_than_allowed() -> None:
    device = FakeVideoCapture()
    with Plugged(device).camera() as camera:
        camera.tend()
        device.silent = True
        with pytest.raises(CameraLost, match=r"no picture within 0\.1 s"):
            camera.frame(0.0)


def test_black_is_said() -> None:
    device = FakeVideoCapture()
    with Plugged(device).camera() as camera:
        camera.tend()
        device.scene = lambda _: np.zeros((720, 1280, 3), np.uint8)
        with pytest.raises(CameraLost, match="black"):
            camera.frame(0.0)


def test_a_reader_that_hangs_is_hopeless() -> None:
    device = FakeVideoCapture()
    with Plugged(device).camera(close_s=0.01) as camera:
        camera.tend()
        device.silent = True
        with pytest.raises(CameraLost):
            camera.frame(0.0)
        with pytest.raises(CameraHopeless, match="does not let go"):
            camera.tend()
        assert device.released == 0


def test_of_a_camera_that_is_not_there_opencv_says_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    video_capture(63).release()
    assert capfd.readouterr() == ("", "")


def test_opencv_4_is_asked_for_silence_by_its_own_name(monkeypatch: pytest.MonkeyPatch) -> None:
    levels: list[int] = []
    monkeypatch.setattr(cv2, "setLogLevel", levels.append, raising=False)
    video_capture(63).release()
    assert levels == [2]
