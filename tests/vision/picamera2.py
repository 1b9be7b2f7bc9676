"""A Picamera2 that is not there: a fake with only the calls that are used, and the world behind it."""

import threading
from collections.abc import Callable
from typing import Any

import cv2
import numpy as np

from vision.picam import LIVE_PX, MAIN_PX, Locks, PiCamera
from vision.picture import Image

LOCKS = Locks(exposure_us=10_000, analogue_gain=2.0, colour_gains=(1.8, 1.5), lens_dioptres=3.4)
PERIOD_S = 1 / 30
STRIDE_PX = LIVE_PX[0] + 64
SCENE: Image = np.random.default_rng(3).integers(40, 200, (MAIN_PX[1], MAIN_PX[0], 3), np.uint8)


class Plugged:
    """The world behind the fake: the clock, what the camera sees, and what is wrong with it."""

    def __init__(self) -> None:
        self.now_s = 1000.0
        self.opened = self.requests = self.cancelled = 0
        self.held = 0  # requests not yet given back
        self.no_camera: Exception | None = None
        self.silent = False
        self.scene: Callable[[int], Image] = lambda number: np.roll(SCENE, number, axis=0)
        self.metadata: dict[str, Any] = {}  # what it says instead of the truth
        self.missing: set[str] = set()  # metadata and controls it does not have
        self.lag = 0  # so many pictures do not have the controls yet
        self.late_s = 0.0  # how long a picture has waited
        self.close_waits: threading.Event | None = None
        self.capture_waits: threading.Event | None = None
        self.capturing = threading.Event()
        self.resolution = (4608, 2592)
        self.configuration: dict[str, Any] = {}
        self.focus = True

    def clock(self) -> float:
        return self.now_s

    def open(self) -> "FakePicamera2":
        self.opened += 1
        if self.no_camera is not None:
            raise self.no_camera
        return FakePicamera2(self)

    def camera(self, locks: Locks | None = LOCKS, close_s: float = 5.0) -> PiCamera:
        camera = PiCamera(locks, self.open, self.clock, close_s)
        camera.tend()
        return camera


class FakeRequest:
    def __init__(self, plugged: Plugged, image: Image, metadata: dict[str, Any]) -> None:
        self._plugged, self._image, self._metadata = plugged, image, metadata
        plugged.held += 1

    def make_array(self, name: str) -> Image:
        if name == "main":
            return self._image
        padded = np.zeros((LIVE_PX[1], STRIDE_PX, 3), np.uint8)
        padded[:, : LIVE_PX[0]] = (200, 90, 30)
        return np.asarray(cv2.cvtColor(padded, cv2.COLOR_BGR2YUV_I420), np.uint8)

    def get_metadata(self) -> dict[str, Any]:
        return self._metadata

    def release(self) -> None:
        self._plugged.held -= 1


class FakePicamera2:
    def __init__(self, plugged: Plugged) -> None:
        self._plugged = plugged
        self._frames = 0
        self.sensor_resolution = plugged.resolution

    @property
    def camera_controls(self) -> dict[str, Any]:
        names = {"AeEnable", "AwbEnable", "ExposureTime", "AnalogueGain", "ColourGains", "Sharpness", "AfMode"}
        return dict.fromkeys((names | {"AeFlickerMode", "AeFlickerPeriod", "LensPosition"}) - self._plugged.missing)

    def create_video_configuration(
        self,
        main: dict[str, Any],
        lores: dict[str, Any],
        buffer_count: int,
        controls: dict[str, Any],
        queue: bool,
        sensor: dict[str, Any],
    ) -> dict[str, Any]:
        streams = {"main": main, "lores": lores, "sensor": sensor}
        return {**streams, "buffer_count": buffer_count, "controls": controls, "queue": queue}

    def configure(self, camera_config: dict[str, Any]) -> None:
        self._plugged.configuration = camera_config

    def start(self) -> None:
        assert self._plugged.configuration

    def capture_request(self, wait: float, flush: bool | None) -> FakeRequest:
        plugged = self._plugged
        assert wait > 0, "picamera2 takes 0 for False and answers with a job"
        if plugged.capture_waits is not None:
            plugged.capturing.set()
            plugged.capture_waits.wait()
        if plugged.silent:
            plugged.now_s += wait
            raise TimeoutError
        plugged.requests += 1
        self._frames += 1
        locked = plugged.configuration["controls"] if self._frames > plugged.lag else {}
        exposure_us = locked.get("ExposureTime", 20_000)
        taken_s = plugged.now_s + exposure_us / 1e6
        plugged.now_s = taken_s + PERIOD_S
        truth = {
            "SensorTimestamp": round((taken_s - plugged.late_s) * 1e9) + 1000,
            "ExposureTime": exposure_us,
            "AnalogueGain": locked.get("AnalogueGain", 1.0),
            "ColourGains": locked.get("ColourGains", (1.0, 1.0)),
            "LensPosition": locked.get("LensPosition", 1.0),
        }
        metadata = {name: value for name, value in (truth | plugged.metadata).items() if name not in plugged.missing}
        return FakeRequest(plugged, plugged.scene(plugged.requests), metadata)

    def autofocus_cycle(self, wait: float) -> bool:
        if self._plugged.silent:
            raise TimeoutError
        return self._plugged.focus

    def cancel_all_and_flush(self) -> None:
        self._plugged.cancelled += 1

    def close(self) -> None:
        if self._plugged.close_waits is not None:
            self._plugged.close_waits.wait()
