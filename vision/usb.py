"""A USB camera, for a cornet without a Raspberry Pi camera module."""

import threading
import time
from collections.abc import Callable
from typing import Any, Protocol

import cv2

from vision.camera import CameraLost, Frame
from vision.live import CLOSE_S, LiveCamera
from vision.picture import Image

SIZE_PX = 1280, 720
"""Width and height that nearly every USB camera has."""
WARM_UP = 10
"""So many pictures after opening are not used: exposure and white balance are still on their way."""
_INDEX = 0  # of /dev/video0: the only camera, or the first
_UNDER_WAY = 2  # a picture that comes after the question may have been exposed before it; the second may not
_ERRORS_ALONE = 2  # of OpenCV's levels: no warnings


class Device(Protocol):
    """What is used of OpenCV's VideoCapture."""

    def set(self, prop: int, value: float, /) -> bool: ...
    def get(self, prop: int, /) -> float: ...
    def read(self) -> tuple[bool, Any]: ...
    def release(self) -> None: ...


def video_capture(index: int) -> Device:
    """The camera /dev/video<index>, through Video4Linux."""
    # OpenCV warns on standard error, each time it is asked, of a camera that is not there: CameraLost says so once.
    # Version 5 has that under another name than 4.
    (getattr(cv2, "setLogLevel", None) or cv2.utils.logging.setLogLevel)(_ERRORS_ALONE)
    device: Device = cv2.VideoCapture(index, cv2.CAP_V4L2)
    return device


class UsbCamera(LiveCamera):
    """Pictures of a USB camera, as compressed by the camera: uncompressed ones come too slowly at this size.

    A thread reads all the time, so that no picture waits in the driver and a camera that hangs does not hang the
    caller.
    """

    def __init__(
        self,
        open_device: Callable[[int], Device] = video_capture,
        clock: Callable[[], float] = time.monotonic,
        close_s: float = CLOSE_S,
    ) -> None:
        super().__init__(clock, close_s)
        self._open_device = open_device
        self._device: Device | None = None
        self._reader: threading.Thread | None = None
        self._came = threading.Condition()
        self._stop = False
        self._count = 0  # of pictures since opening; -1 when there will be no more
        self._newest: Image | None = None

    def _open(self) -> None:
        device = self._device = self._open_device(_INDEX)
        width, height = SIZE_PX
        device.set(cv2.CAP_PROP_FOURCC, cv2.VideoWriter.fourcc(*"MJPG"))
        device.set(cv2.CAP_PROP_FRAME_WIDTH, width)
        device.set(cv2.CAP_PROP_FRAME_HEIGHT, height)
        got = round(device.get(cv2.CAP_PROP_FRAME_WIDTH)), round(device.get(cv2.CAP_PROP_FRAME_HEIGHT))
        if min(got) <= 0:  # where OpenCV could not open the device it answers 0, from version 5 on -1
            raise CameraLost(
                f"There is no camera at /dev/video{_INDEX}, or another program uses it: plug it in, "
                "close the other program, then clear the fault."
            )
        if got != SIZE_PX:
            raise CameraLost(
                f"The camera gives {got[0]} x {got[1]} pixels, not {width} x {height}: plug in a camera that has "
                "this size."
            )
        self._stop, self._count = False, 0
        self._reader = threading.Thread(target=self._read, args=(device,), name="usb camera", daemon=True)
        self._reader.start()

    def _read(self, device: Device) -> None:
        while not self._stop:
            came, image = device.read()
            with self._came:
                self._count, self._newest = (self._count + 1, image) if came else (-1, None)
                self._came.notify_all()
            if not came:
                return

    def _take(self, timeout_s: float) -> Frame:
        image = self._after(_UNDER_WAY, timeout_s)
        width, height = SIZE_PX
        if image.shape != (height, width, 3):
            raise CameraLost(f"The camera gives pictures of {image.shape}, not {height} x {width} x 3: plug it anew.")
        return Frame(image, time.time_ns())

    def _glimpse(self, timeout_s: float) -> Image:
        return self._after(1, timeout_s)

    def _after(self, pictures: int, timeout_s: float) -> Image:
        """The picture that is this many after the newest one, and not of the warm-up."""
        with self._came:
            wanted = max(self._count, WARM_UP) + pictures
            done = self._came.wait_for(lambda: self._count < 0 or self._count >= wanted, timeout_s)
            if self._count < 0:
                raise CameraLost("The camera was unplugged or failed: plug it in, then clear the fault.")
            if not done or self._newest is None:
                raise CameraLost(
                    f"The camera gave no picture within {timeout_s:.1f} s: unplug it, plug it in, then clear the fault."
                )
            return self._newest

    def _shut(self) -> None:
        device, self._device = self._device, None
        if device is None:
            return
        self._stop = True
        if self._reader is not None:
            # Releasing a device while another thread reads it crashes OpenCV.
            self._reader.join()
            self._reader = None
        device.release()
