"""PiCamera drives the real picamera2, over recorded frames on libcamera's virtual pipeline, where both are installed.

libcamera lists a virtual camera where its pipeline folder has a virtual/virtual.yaml that names 1456 x 1088 pixels and
a folder of frames. Such a camera knows one stream of NV12 and no controls; what it lacks is added here.
"""

import gc
from collections.abc import Callable
from typing import Any

import cv2
import numpy as np
import pytest

from vision.camera import CameraLost
from vision.picam import LIVE_PX, MAIN_PX, Device, PiCamera, Request
from vision.picture import Image

pytestmark = pytest.mark.filterwarnings("default")  # picamera2 itself uses what Python has deprecated


class Described:
    """A real request, with the small stream and the metadata of a real camera."""

    def __init__(self, real: Any) -> None:
        self._real = real

    def make_array(self, name: str) -> Image:
        width, height = MAIN_PX
        # The virtual camera rounds its buffers up to whole pages.
        planes = self._real.make_buffer("main")[: width * height * 3 // 2].reshape(height * 3 // 2, width)
        image = cv2.cvtColor(planes, cv2.COLOR_YUV2BGR_NV12)
        if name == "lores":
            image = cv2.cvtColor(cv2.resize(image, LIVE_PX), cv2.COLOR_BGR2YUV_I420)
        return np.asarray(image, np.uint8)

    def get_metadata(self) -> dict[str, Any]:
        return {"ExposureTime": 0, **self._real.get_metadata()}

    def release(self) -> None:
        self._real.release()


@pytest.fixture
def opening() -> Callable[[], Device]:
    """Opens the virtual camera through picamera2."""
    try:
        from picamera2 import Picamera2
        from picamera2.allocators import LibcameraAllocator
    except ImportError as error:
        pytest.skip(f"picamera2 cannot be imported here: {error}")
    if not any("virtual" in str(camera["Id"]).lower() for camera in Picamera2.global_camera_info()):
        pytest.skip("libcamera lists no virtual camera")

    class Virtual(Picamera2):  # type: ignore[misc]  # picamera2 has no types
        def _get_raw_modes(self) -> list[dict[str, Any]]:
            return [{"format": "SRGGB10", "size": MAIN_PX}]

        def create_video_configuration(self, **words: Any) -> Any:
            if not words:  # picamera2's own call while it opens
                return super().create_video_configuration()
            changed = {"main": {"format": "NV12", "size": words["main"]["size"]}, "lores": None, "controls": {}}
            return super().create_video_configuration(**{**words, **changed})

        def capture_request(self, *, wait: float, flush: bool | None) -> Request:
            return Described(super().capture_request(wait=wait, flush=None))

    def opened() -> Any:
        camera = Virtual(allocator=object())
        camera.allocator = LibcameraAllocator(camera.camera)
        return camera

    return opened


def test_the_real_picamera2_is_driven_as_it_expects(opening: Callable[[], Device]) -> None:
    devices: list[Any] = []

    def opened() -> Any:
        devices.append(opening())
        return devices[-1]

    camera = PiCamera(open_device=opened)
    camera.tend()
    assert camera.lost == ""
    for _ in range(20):  # more than there are buffers: each is given back
        assert camera.frame(2.0).image.shape == (MAIN_PX[1], MAIN_PX[0], 3)
    assert camera.live(2.0).shape == (LIVE_PX[1], LIVE_PX[0], 3)

    other = PiCamera(open_device=opening)
    other.tend()
    assert "cannot be opened" in other.lost
    other.close()

    devices[0].stop()
    with pytest.raises(CameraLost, match=r"no picture within 0\.\d s"):
        camera.frame(0.5)
    camera.tend()
    assert camera.lost == ""
    assert len(devices) == 2
    camera.frame(2.0)
    camera.close()
    devices.clear()
    gc.collect()  # picamera2 complains of its own leavings while it goes, and should do so in this test
