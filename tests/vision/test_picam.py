"""The Raspberry Pi camera, driven over a fake Picamera2 that is held against the real one as it is written."""

import ast
import importlib.util
import inspect
import re
import sys
import threading
import zipfile
from collections.abc import Callable
from hashlib import sha256
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.vision.picamera2 import LOCKS, PERIOD_S, SCENE, FakePicamera2, FakeRequest, Plugged
from vision import picam
from vision.camera import CameraLost
from vision.live import IDLE_S, MAX_PAUSE_S, CameraHopeless
from vision.picam import LIVE_PX, MAIN_PX, Locks, PiCamera
from vision.picture import Image
from vision.rest import CameraFrozen, await_rest

ROOT = Path(__file__).parents[2]
FILES = {"Picamera2": "picamera2.py", "CompletedRequest": "request.py"}


@pytest.fixture
def plugged() -> Plugged:
    return Plugged()


# The fake against the real class


def pinned() -> Traversable:
    lock = (ROOT / "requirements-camera.lock").read_text("utf-8")
    (version,) = re.findall(r"^picamera2==(\S+)", lock, re.MULTILINE)
    wheel = Path(sys.prefix) / "wheels" / f"picamera2-{version}-py3-none-any.whl"
    if not wheel.is_file():
        pytest.skip(f"{wheel.name} is not at hand: make test fetches it")
    assert sha256(wheel.read_bytes()).hexdigest() in lock
    return zipfile.Path(wheel) / "picamera2"


def installed() -> Traversable:
    found = importlib.util.find_spec("picamera2")
    if found is None or found.origin is None:
        pytest.skip("picamera2 is not installed: apt install python3-picamera2 on a Raspberry Pi")
    return Path(found.origin).parent


@pytest.fixture(params=[pinned, installed])
def real(request: pytest.FixtureRequest) -> Callable[[str], ast.ClassDef]:
    """The real classes by name, as they are written: importing them needs libcamera."""
    folder = request.param()

    def found(name: str) -> ast.ClassDef:
        tree = ast.parse((folder / FILES[name]).read_text("utf-8"))
        return next(node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == name)

    return found


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (picam.Device, "Picamera2"),
        (FakePicamera2, "Picamera2"),
        (picam.Request, "CompletedRequest"),
        (FakeRequest, "CompletedRequest"),
    ],
)
def test_only_calls_of_the_real_class_are_made_with_its_parameters(
    real: Callable[[str], ast.ClassDef], ours: type, theirs: str
) -> None:
    written = real(theirs)
    # Of several with one name the last one holds, those before are for type checkers.
    methods = {node.name: node for node in written.body if isinstance(node, ast.FunctionDef)}
    for name, value in vars(ours).items():
        if name.startswith("_") or not (callable(value) or isinstance(value, property)):
            continue
        method = methods[name]
        is_property = [ast.unparse(decorator) for decorator in method.decorator_list] == ["property"]
        assert is_property == isinstance(value, property), name
        if not is_property:
            known = [argument.arg for argument in (*method.args.args, *method.args.kwonlyargs)]
            needed = known[: len(method.args.args) - len(method.args.defaults)]
            assert set(needed) <= set(inspect.signature(value).parameters) <= set(known), name
    stored = {ast.unparse(node) for node in ast.walk(written) if isinstance(node, ast.Attribute)}
    annotated = {name for name in inspect.get_annotations(ours) if not name.startswith("_")}
    assert {f"self.{name}" for name in annotated} <= stored


# A camera in order


def test_one_video_stream_is_configured_with_the_locks_in_it(plugged: Plugged) -> None:
    plugged.camera()
    assert plugged.configuration == {
        "main": {"format": "RGB888", "size": MAIN_PX},
        "lores": {"format": "YUV420", "size": LIVE_PX},
        "sensor": {"output_size": (2304, 1296), "bit_depth": 10},
        "buffer_count": 4,
        "queue": False,
        "controls": {
            "AeEnable": False,
            "AwbEnable": False,
            "ExposureTime": 10_000,
            "AnalogueGain": 2.0,
            "ColourGains": (1.8, 1.5),
            "Sharpness": 1.0,
            "AfMode": 0,
            "LensPosition": 3.4,
        },
    }


@pytest.mark.parametrize(
    ("resolution", "mode"),
    [((3280, 2464), (1640, 1232)), ((4056, 3040), (2028, 1520)), ((1456, 1088), (1456, 1088))],
)
def test_the_sensors_whole_field_is_used(plugged: Plugged, resolution: tuple[int, int], mode: tuple[int, int]) -> None:
    plugged.resolution = resolution
    plugged.camera()
    assert plugged.configuration["sensor"]["output_size"] == mode


def test_pictures_come_as_they_are_and_are_given_back(plugged: Plugged) -> None:
    camera = plugged.camera()
    first, second = camera.frame(2.0), camera.frame(2.0)
    assert first.image.shape == (MAIN_PX[1], MAIN_PX[0], 3)
    assert np.array_equal(second.image, plugged.scene(plugged.requests))
    assert first.taken_ns < second.taken_ns
    assert (camera.lost, camera.recorded, plugged.held, plugged.opened) == ("", 0, 0, 1)


def test_a_person_sees_the_small_stream_without_its_padding(plugged: Plugged) -> None:
    picture = plugged.camera().live(1.0)
    assert picture.shape == (LIVE_PX[1], LIVE_PX[0], 3)
    assert np.abs(picture.astype(int) - (200, 90, 30)).max() < 12
    assert plugged.held == 0


@pytest.mark.parametrize("shape", [(719, 704), (0,), (720, 704, 1), (720, 703), (720, 600)])
def test_a_small_stream_of_another_shape_is_a_camera_that_is_lost(
    plugged: Plugged, monkeypatch: pytest.MonkeyPatch, shape: tuple[int, ...]
) -> None:
    camera = plugged.camera()
    whole = FakeRequest.make_array
    wrong = np.zeros(shape, np.uint8)
    monkeypatch.setattr(FakeRequest, "make_array", lambda self, name: whole(self, name) if name == "main" else wrong)
    plugged.now_s += IDLE_S
    camera.tend()
    assert "live pictures of" in camera.lost


def test_dice_at_rest_are_seen_through_it(plugged: Plugged) -> None:
    plugged.scene = lambda number: np.asarray(np.clip(SCENE // 8 + 100 + number % 2, 0, 255), np.uint8)
    _, still = await_rest(plugged.camera(), 5.0, plugged.clock)
    assert still


def test_pictures_before_the_locks_arrive_are_passed_over(plugged: Plugged) -> None:
    plugged.lag = 7
    camera = plugged.camera()
    assert camera.lost == ""
    assert plugged.requests == 8


def test_closing_is_possible_at_any_time(plugged: Plugged) -> None:
    PiCamera(LOCKS, plugged.open, plugged.clock).close()
    camera = plugged.camera()
    camera.close()
    camera.close()
    camera.tend()
    assert plugged.opened == 1
    with pytest.raises(CameraLost, match="closed"):
        camera.frame(1.0)


# Light without locks


def test_without_locks_the_automatics_that_it_has_rule(plugged: Plugged) -> None:
    plugged.missing = {"AfMode", "LensPosition"}
    plugged.camera(None)
    assert plugged.configuration["controls"] == {
        "AeEnable": True,
        "AwbEnable": True,
        "AeFlickerMode": 1,
        "AeFlickerPeriod": 10_000,
    }


def test_locks_are_found_once_light_and_focus_are_at_rest(plugged: Plugged) -> None:
    camera = plugged.camera(None)
    plugged.metadata = {"ExposureTime": 8_000, "AnalogueGain": 1.5, "ColourGains": (1.7, 1.4), "LensPosition": 3.3}
    assert camera.find_locks(2.0) == Locks(8_000, 1.5, (1.7, 1.4), 3.3)
    plugged.missing = {"LensPosition"}
    assert camera.find_locks(2.0) == Locks(8_000, 1.5, (1.7, 1.4), None)
    with pytest.raises(ValueError, match="locks"):
        plugged.camera().find_locks(2.0)


@pytest.mark.parametrize("silent", [False, True])
def test_a_lens_that_finds_no_focus_is_said(plugged: Plugged, silent: bool) -> None:
    camera = plugged.camera(None)
    plugged.focus, plugged.silent = False, silent
    with pytest.raises(CameraLost, match="no focus"):
        camera.find_locks(2.0)


def test_a_lens_that_fails_is_a_lost_camera(plugged: Plugged, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(device: FakePicamera2, wait: float) -> bool:
        raise RuntimeError("the lens driver is gone")

    monkeypatch.setattr(FakePicamera2, "autofocus_cycle", fail)
    with pytest.raises(CameraLost, match=r"failed \(the lens driver is gone\)"):
        plugged.camera(None).find_locks(2.0)


def test_light_that_never_rests_is_said(plugged: Plugged) -> None:
    camera = plugged.camera(None)

    def scene(number: int) -> Image:
        plugged.metadata["ExposureTime"] = 5_000 + 1_000 * (number % 3)
        return SCENE

    plugged.scene = scene
    with pytest.raises(CameraLost, match="does not come to rest"):
        camera.find_locks(2.0)


# Faults of the camera


def lost(camera: PiCamera, plugged: Plugged, words: str, timeout_s: float = 2.0) -> None:
    """The camera says so, in time, and keeps nothing."""
    before_s = plugged.now_s
    with pytest.raises(CameraLost, match=words):
        camera.frame(timeout_s)
    assert plugged.now_s - before_s <= timeout_s + 4 * PERIOD_S
    assert plugged.held == 0
    assert camera.lost


def test_gone_at_the_start(plugged: Plugged) -> None:
    plugged.no_camera = RuntimeError("No camera number 0 found")
    camera = plugged.camera()
    lost(camera, plugged, "cannot be opened .No camera number 0 found.: see that its ribbon")
    plugged.no_camera = None
    camera.tend()
    assert camera.lost, "it is not tried again before its time"
    plugged.now_s += 1.0
    camera.tend()
    camera.frame(2.0)


def test_busy_says_the_first_cause(plugged: Plugged) -> None:
    plugged.no_camera = RuntimeError("Camera __init__ sequence did not complete.")
    plugged.no_camera.__cause__ = RuntimeError("Failed to acquire camera: Device or resource busy")
    lost(plugged.camera(), plugged, r"\(Failed to acquire camera: Device or resource busy\)")


def test_gone_while_it_runs_and_back_again(plugged: Plugged) -> None:
    camera = plugged.camera()
    plugged.silent = True
    lost(camera, plugged, "no picture within 1.5 s", timeout_s=1.5)
    assert plugged.cancelled == 1
    before = plugged.now_s
    with pytest.raises(CameraLost, match="no picture"):
        camera.frame(1.5)
    assert plugged.now_s == before, "a lost camera is not waited for"
    plugged.silent = False
    camera.tend()
    assert camera.lost == ""
    camera.frame(1.5)
    assert plugged.opened == 2


@pytest.mark.parametrize("ask", [lambda camera: camera.frame(1.5), lambda camera: camera.find_locks(2.0)])
def test_a_camera_that_cannot_even_be_told_to_give_up_is_lost(
    plugged: Plugged, monkeypatch: pytest.MonkeyPatch, ask: Callable[[PiCamera], object]
) -> None:
    def fail(device: FakePicamera2) -> None:
        raise RuntimeError("the pipeline is gone")

    monkeypatch.setattr(FakePicamera2, "cancel_all_and_flush", fail)
    camera = plugged.camera(None)
    plugged.silent = True
    with pytest.raises(CameraLost, match=r"no picture|no focus"):
        ask(camera)


def test_gone_while_nobody_looks_is_seen_by_its_heartbeat(plugged: Plugged) -> None:
    camera = plugged.camera()
    asked = plugged.requests
    camera.tend()
    assert plugged.requests == asked
    plugged.now_s += IDLE_S
    camera.tend()
    assert plugged.requests == asked + 1
    plugged.silent = True
    plugged.no_camera = OSError("No such device")
    plugged.now_s += IDLE_S
    camera.tend()
    assert "no picture" in camera.lost
    camera.tend()
    assert "No such device" in camera.lost


def test_a_camera_that_worked_and_does_not_come_back_is_hopeless(plugged: Plugged) -> None:
    camera = plugged.camera()
    plugged.silent = True
    with pytest.raises(CameraLost):
        camera.frame(1.0)
    camera.tend()
    plugged.now_s += 1.0
    camera.tend()
    plugged.now_s += 1.0
    camera.tend()
    assert plugged.opened == 3, "the pause doubles"
    plugged.now_s += 1.0
    with pytest.raises(CameraHopeless, match="no picture"):
        camera.tend()
    assert plugged.opened == 4


def test_a_camera_that_never_worked_is_tried_for_ever(plugged: Plugged) -> None:
    plugged.no_camera = RuntimeError("No cameras")
    camera = plugged.camera()
    for attempt in range(20):
        plugged.now_s += MAX_PAUSE_S
        camera.tend()
        assert plugged.opened == attempt + 2
    plugged.no_camera = None
    plugged.now_s += MAX_PAUSE_S
    camera.tend()
    camera.frame(1.0)


def test_a_camera_that_does_not_let_go_is_hopeless_only_if_it_worked(plugged: Plugged) -> None:
    camera = plugged.camera(close_s=0.01)
    plugged.silent, plugged.close_waits = True, threading.Event()
    with pytest.raises(CameraLost):
        camera.frame(1.0)
    with pytest.raises(CameraHopeless, match="does not let go: switch the power off"):
        camera.tend()
    camera.close()
    never = plugged.camera(close_s=0.01)
    plugged.now_s += 1.0
    never.tend()
    assert "does not let go" in never.lost
    assert plugged.opened == 2
    plugged.close_waits.set()


def test_black(plugged: Plugged) -> None:
    camera = plugged.camera()
    plugged.scene = lambda number: np.full_like(SCENE, number % 3)
    lost(camera, plugged, "black: see that the ring light shines")


def test_saturated(plugged: Plugged) -> None:
    camera = plugged.camera()
    plugged.scene = lambda number: np.full_like(SCENE, 255 - number % 3)
    lost(camera, plugged, "white: see that no lamp")


def test_a_dark_or_bright_scene_is_left_to_the_reader(plugged: Plugged) -> None:
    camera = plugged.camera()
    plugged.scene = lambda number: np.full_like(SCENE, (20, 240)[number % 2])
    camera.frame(1.0)
    camera.frame(1.0)


def test_frozen(plugged: Plugged) -> None:
    plugged.scene = lambda _: SCENE
    with pytest.raises(CameraFrozen):
        await_rest(plugged.camera(), 2.0, plugged.clock)


def test_pictures_that_waited_are_not_given_out(plugged: Plugged) -> None:
    camera = plugged.camera()
    plugged.late_s = 0.02
    lost(camera, plugged, "old pictures")


def test_a_picture_that_arrives_too_late_is_not_given_out(plugged: Plugged) -> None:
    camera = plugged.camera()

    def scene(_: int) -> Image:
        plugged.now_s += 0.4
        return SCENE

    plugged.scene = scene
    with pytest.raises(CameraLost, match="old pictures"):
        camera.frame(2.0)


@pytest.mark.parametrize(
    ("metadata", "words"),
    [
        ({"ExposureTime": 8_000}, "exposure 8000 µs, not 10000"),
        ({"AnalogueGain": 2.2}, "gain 2.20, not 2.00"),
        ({"ColourGains": (1.8, 1.6)}, "white balance 1.80/1.60, not 1.80/1.50"),
        ({"LensPosition": 2.0}, "focus 2.0, not 3.40"),
    ],
)
def test_pictures_with_other_light_or_focus_are_not_given_out(
    plugged: Plugged, metadata: dict[str, Any], words: str
) -> None:
    camera = plugged.camera()
    plugged.metadata = metadata
    lost(camera, plugged, f"does not keep to its calibration .{words}")


def test_the_steps_of_a_sensor_are_no_difference(plugged: Plugged) -> None:
    camera = plugged.camera()
    plugged.metadata = {"ExposureTime": 9_987, "AnalogueGain": 2.008, "ColourGains": (1.799, 1.503)}
    camera.frame(1.0)


@pytest.mark.parametrize("name", ["SensorTimestamp", "ExposureTime", "AnalogueGain", "ColourGains"])
def test_a_picture_without_its_metadata_is_not_given_out(plugged: Plugged, name: str) -> None:
    camera = plugged.camera()
    plugged.missing = {name}
    lost(camera, plugged, f"does not say '{name}'")


def test_another_camera_than_the_calibrated_one_is_said(plugged: Plugged) -> None:
    plugged.missing = {"LensPosition"}
    lost(plugged.camera(), plugged, "calibrated with LensPosition, which this one does not have")


def test_pictures_of_another_shape_are_not_given_out(plugged: Plugged) -> None:
    camera = plugged.camera()
    plugged.scene = lambda _: np.zeros((MAIN_PX[1], MAIN_PX[0], 4), np.uint8)
    lost(camera, plugged, r"pictures of \(1088, 1456, 4\), not 1088 x 1456 x 3")


def test_one_question_at_a_time(plugged: Plugged) -> None:
    camera = plugged.camera()
    plugged.capture_waits = threading.Event()
    asking = threading.Thread(target=camera.frame, args=(2.0,))
    asking.start()
    plugged.capturing.wait()
    camera.tend()
    with pytest.raises(CameraLost, match="busy"):
        camera.live(0.01)
    plugged.capture_waits.set()
    asking.join()
    assert camera.lost == ""
    camera.live(1.0)


def test_without_picamera2_it_is_said_how_to_get_it() -> None:
    if importlib.util.find_spec("picamera2") is not None:
        pytest.skip("picamera2 is installed here")
    camera = PiCamera(LOCKS)
    camera.tend()
    assert "install it with sudo hardware/install.sh" in camera.lost
