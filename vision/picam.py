"""The camera of the real machine: a Raspberry Pi camera module, driven through picamera2."""

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol

import cv2
import numpy as np
import numpy.typing as npt

from vision.camera import CameraLost, Frame
from vision.live import CLOSE_S, LiveCamera
from vision.picture import Image

logger = logging.getLogger(__name__)

MAIN_PX = 1456, 1088
"""Width and height of what is read."""
LIVE_PX = 640, 480
"""Width and height of what a person looks at."""
BUFFERS = 4
"""Fewer make the stream falter, more make a changed control arrive later."""
MAX_AGE_S = 0.3
"""An older picture has waited somewhere; it may not show what lies there now."""
MAINS_PERIOD_US = 10_000
"""Lamps on the mains of 50 Hz flicker at this period; while exposure is automatic, it is a multiple of it."""
_EXPOSURE_OFF, _GAIN_OFF, _COLOUR_OFF, _FOCUS_OFF = 0.02, 0.03, 0.02, 0.1  # parts, parts, parts, dioptres
_STEP_US = 50  # sensors expose whole lines: exposure comes in steps
_ALIKE = 5  # so many pictures in a row with the same light: the automatics have come to rest
_FOCUS_MANUAL, _FOCUS_CONTINUOUS = 0, 2
_FLICKER_MANUAL = 1

# What picamera2 and libcamera raise when a camera is missing, busy, loose or another one than before.
_FAILURES = (RuntimeError, OSError, LookupError, ValueError, TypeError, AttributeError)


class Request(Protocol):
    """What is used of picamera2's CompletedRequest."""

    def make_array(self, name: str) -> npt.NDArray[np.uint8]: ...
    def get_metadata(self) -> dict[str, Any]: ...
    def release(self) -> None: ...


class Device(Protocol):
    """What is used of picamera2's Picamera2."""

    sensor_resolution: tuple[int, int]

    @property
    def camera_controls(self) -> dict[str, Any]: ...
    def create_video_configuration(
        self,
        *,
        main: dict[str, Any],
        lores: dict[str, Any],
        buffer_count: int,
        controls: dict[str, Any],
        queue: bool,
        sensor: dict[str, Any],
    ) -> dict[str, Any]: ...
    def configure(self, camera_config: dict[str, Any]) -> None: ...
    def start(self) -> None: ...
    def capture_request(self, *, wait: float, flush: bool | None) -> Request: ...
    def autofocus_cycle(self, *, wait: float) -> bool: ...
    def cancel_all_and_flush(self) -> None: ...
    def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Locks:
    """The light and focus that calibration found, and that every picture must then have."""

    exposure_us: int
    analogue_gain: float
    colour_gains: tuple[float, float]  # red, blue
    lens_dioptres: float | None  # none for a lens that cannot be driven


def picamera2() -> Device:
    """The first camera of this Raspberry Pi, opened; CameraLost where picamera2 is not installed."""
    try:
        from picamera2 import Picamera2
    except (ImportError, AttributeError, ValueError) as error:
        # The latter two where picamera2 was built for another numpy.
        raise CameraLost(
            f"The program picamera2 cannot be used ({error}): install it with sudo hardware/install.sh, then start "
            "again."
        ) from error
    device: Device = Picamera2()
    return device


class PiCamera(LiveCamera):
    """One running video stream: `main` is read, `lores` is shown to people; no mode is ever switched.

    With locks exposure, gain, white balance and focus are fixed from the first picture on, and a picture whose
    metadata says otherwise is not given out. Without them the camera's automatics rule; `find_locks` then says what
    they came to.
    """

    def __init__(
        self,
        locks: Locks | None = None,
        open_device: Callable[[], Device] = picamera2,
        clock: Callable[[], float] = time.monotonic,
        close_s: float = CLOSE_S,
    ) -> None:
        super().__init__(clock, close_s)
        self._locks = locks
        self._open_device = open_device
        self._device: Device | None = None

    @property
    def locked(self) -> bool:
        """Whether it was given locks."""
        return self._locks is not None

    def find_locks(self, timeout_s: float) -> Locks:
        """What the automatics come to, for the settings to keep; CameraLost if the light does not come to rest.

        ValueError for a camera that was given locks: nothing automatic is left in it.
        """
        if self._locks is not None:
            raise ValueError("a camera with locks finds none")
        return self._asked(self._found, timeout_s)

    def _open(self) -> None:
        try:
            device = self._device = self._open_device()
            device.configure(
                device.create_video_configuration(
                    main={"format": "RGB888", "size": MAIN_PX},  # blue, green, red in memory, whatever the name says
                    lores={"format": "YUV420", "size": LIVE_PX},
                    buffer_count=BUFFERS,
                    # In the configuration and not after it: so the first picture has them, and no start resets them.
                    controls=self._controls(device.camera_controls),
                    queue=False,
                    sensor={"output_size": _sensor_px(device.sensor_resolution), "bit_depth": 10},
                )
            )
            device.start()
        except CameraLost:
            raise
        except _FAILURES as error:
            raise CameraLost(
                f"The camera cannot be opened ({_root(error)}): see that its ribbon sits at both ends and that no "
                "other program uses it, then clear the fault."
            ) from error

    def _controls(self, offered: dict[str, Any]) -> dict[str, Any]:
        locks = self._locks
        if locks is None:
            wanted = {
                "AeEnable": True,
                "AwbEnable": True,
                "AeFlickerMode": _FLICKER_MANUAL,
                "AeFlickerPeriod": MAINS_PERIOD_US,
                "AfMode": _FOCUS_CONTINUOUS,
            }
            return {name: value for name, value in wanted.items() if name in offered}
        fixed: dict[str, Any] = {
            "AeEnable": False,
            "AwbEnable": False,
            "ExposureTime": locks.exposure_us,
            "AnalogueGain": locks.analogue_gain,
            "ColourGains": locks.colour_gains,
            "Sharpness": 1.0,
        }
        if locks.lens_dioptres is not None:
            fixed |= {"AfMode": _FOCUS_MANUAL, "LensPosition": locks.lens_dioptres}
        if missing := sorted(name for name in fixed if name not in offered):
            raise CameraLost(
                f"The camera was calibrated with {', '.join(missing)}, which this one does not have: "
                "put the old camera back, or calibrate this one."
            )
        return fixed

    def _take(self, timeout_s: float) -> Frame:
        deadline = self._clock() + timeout_s
        while True:
            asked_ns = int(self._clock() * 1e9)
            with self._request(max(deadline - self._clock(), 0.1), flush=True) as request:
                metadata, image = request.get_metadata(), request.make_array("main")
            wrong = self._wrong(image, metadata, asked_ns)
            if not wrong:
                age_ns = int(self._clock() * 1e9) - int(metadata["SensorTimestamp"])
                return Frame(image, time.time_ns() - age_ns)
            if self._clock() >= deadline:
                raise CameraLost(wrong)

    def _glimpse(self, timeout_s: float) -> Image:
        with self._request(timeout_s, flush=None) as request:
            planes = request.make_array("lores")
        # Its rows may be padded; the padding goes only after the conversion, which needs the planes as they are.
        width, height = LIVE_PX
        rows, columns = planes.shape if planes.ndim == 2 else (0, 0)
        if rows != height * 3 // 2 or columns < width or columns % 2:
            raise CameraLost(f"The camera gives live pictures of {planes.shape}: start the machine again.")
        return np.ascontiguousarray(cv2.cvtColor(planes, cv2.COLOR_YUV2BGR_I420)[:height, :width], np.uint8)

    @contextmanager
    def _request(self, timeout_s: float, flush: bool | None) -> Iterator[Request]:
        """The next finished picture, given back to the stream at once: one that is kept starves it."""
        device = self._running()
        try:
            # flush waits for a picture whose exposure began after this call.
            request = device.capture_request(wait=timeout_s, flush=flush)
            try:
                yield request
            finally:
                request.release()
        except TimeoutError as error:
            _give_up(device)
            raise CameraLost(
                f"The camera gave no picture within {timeout_s:.1f} s: see that its ribbon sits at both ends, "
                "then clear the fault."
            ) from error
        except _FAILURES as error:
            raise _failed(error) from error

    def _wrong(self, image: Image, metadata: dict[str, Any], asked_ns: int) -> str:
        """What is wrong with a picture, as a sentence; empty if it is what was asked for."""
        width, height = MAIN_PX
        if image.shape != (height, width, 3) or image.dtype != np.uint8:
            return f"The camera gives pictures of {image.shape}, not {height} x {width} x 3: start the machine again."
        try:
            began_ns = metadata["SensorTimestamp"] - 1000 * metadata["ExposureTime"]
            wrong = [] if self._locks is None else _unlocked(self._locks, metadata)
        except KeyError as error:
            return f"The camera does not say {error} of its pictures: update the system, then start again."
        if began_ns < asked_ns or self._clock() - metadata["SensorTimestamp"] / 1e9 > MAX_AGE_S:
            return "The camera gives old pictures: clear the fault; if it comes back, start the machine again."
        if wrong:
            return f"The camera does not keep to its calibration ({'; '.join(wrong)}): clear the fault or calibrate."
        return ""

    def _found(self, timeout_s: float) -> Locks:
        deadline = self._clock() + timeout_s
        self._focus(timeout_s)
        found: list[Locks] = []
        while len(found) < _ALIKE:
            if self._clock() >= deadline:
                raise CameraLost("The light does not come to rest: keep people and lamps away, then try again.")
            with self._request(max(deadline - self._clock(), 0.1), flush=True) as request:
                metadata = request.get_metadata()
                if found and _unlocked(found[-1], metadata):
                    found.clear()
                found.append(_locks(metadata))
        return found[-1]

    def _focus(self, timeout_s: float) -> None:
        device = self._running()
        if "LensPosition" not in device.camera_controls:
            return
        try:
            found = device.autofocus_cycle(wait=timeout_s)
        except TimeoutError:
            _give_up(device)
            found = False
        except _FAILURES as error:
            raise _failed(error) from error
        if not found:
            raise CameraLost("The camera finds no focus: lay dice on the floor, switch the ring light on, try again.")

    def _running(self) -> Device:
        if self._device is None:
            raise CameraLost("The camera is closed.")
        return self._device

    def _shut(self) -> None:
        device, self._device = self._device, None
        if device is None:
            return
        try:
            device.close()
        except _FAILURES as error:
            # Nothing follows from it: if the device is still held, the next opening fails and says so.
            logger.warning("The camera was closed with an error: %s", _root(error))


def _give_up(device: Device) -> None:
    """Ask no longer for the picture that does not come; whoever waited for it tells that."""
    try:
        device.cancel_all_and_flush()
    except _FAILURES as error:
        logger.warning("The camera could not be asked to stop: %s", _root(error))


def _sensor_px(resolution: tuple[int, int]) -> tuple[int, int]:
    """The sensor's mode with its whole field, pixels binned in pairs where that still is enough to read."""
    width, height = resolution
    return (width // 2, height // 2) if width // 2 >= MAIN_PX[0] and height // 2 >= MAIN_PX[1] else resolution


def _locks(metadata: dict[str, Any]) -> Locks:
    red, blue = metadata["ColourGains"]
    lens = metadata.get("LensPosition")
    return Locks(metadata["ExposureTime"], metadata["AnalogueGain"], (red, blue), lens)


def _unlocked(locks: Locks, metadata: dict[str, Any]) -> list[str]:
    """Each thing in which a picture differs from its locks, as words."""
    is_, wrong = _locks(metadata), []
    if abs(is_.exposure_us - locks.exposure_us) > max(_EXPOSURE_OFF * locks.exposure_us, _STEP_US):
        wrong.append(f"exposure {is_.exposure_us} µs, not {locks.exposure_us}")
    if abs(is_.analogue_gain - locks.analogue_gain) > _GAIN_OFF * locks.analogue_gain:
        wrong.append(f"gain {is_.analogue_gain:.2f}, not {locks.analogue_gain:.2f}")
    if any(
        abs(now - then) > _COLOUR_OFF * then for now, then in zip(is_.colour_gains, locks.colour_gains, strict=True)
    ):
        (red, blue), (red_then, blue_then) = is_.colour_gains, locks.colour_gains
        wrong.append(f"white balance {red:.2f}/{blue:.2f}, not {red_then:.2f}/{blue_then:.2f}")
    if locks.lens_dioptres is not None and (
        is_.lens_dioptres is None or abs(is_.lens_dioptres - locks.lens_dioptres) > _FOCUS_OFF
    ):
        wrong.append(f"focus {is_.lens_dioptres}, not {locks.lens_dioptres:.2f}")
    return wrong


def _failed(error: BaseException) -> CameraLost:
    return CameraLost(
        f"The camera failed ({_root(error)}): see that its ribbon sits at both ends, then clear the fault."
    )


def _root(error: BaseException) -> str:
    """What began it: picamera2 wraps libcamera's reason twice."""
    while error.__cause__ is not None:
        error = error.__cause__
    return str(error).rstrip(".") or type(error).__name__
