"""Which parts the command line asks for."""

from pathlib import Path

import numpy as np
import pytest

from server.parts import choose, live_camera
from server.settings import read_settings
from vision.camera import CameraLost
from vision.live import LiveCamera
from vision.picam import PiCamera
from vision.picture import encode_jpeg
from vision.usb import UsbCamera


@pytest.mark.parametrize(
    ("camera", "real", "kind"),
    [
        ("usb", True, UsbCamera),
        ("usb", False, UsbCamera),
        ("pi", False, PiCamera),
        ("auto", True, PiCamera),
        ("auto", False, None),
        ("rendered", True, None),
        ("frames:pictures", True, None),
        ("none", True, None),
    ],
)
def test_a_live_camera_is_named_or_goes_with_a_real_tower(
    camera: str, real: bool, kind: type[LiveCamera] | None
) -> None:
    found = live_camera(camera, real, read_settings(None))
    assert (found and type(found)) is kind


def test_who_looks_at_what_a_camera_sees_now_sees_the_floor_and_no_recorded_picture(tmp_path: Path) -> None:
    settings = read_settings(None)
    drawn = choose("sim", "rendered", 1, settings).glimpse
    assert drawn is not None
    assert drawn().shape == (1088, 1456, 3)
    (tmp_path / "recorded.jpg").write_bytes(encode_jpeg(np.zeros((48, 64, 3), np.uint8)))
    for camera in ("none", f"frames:{tmp_path}"):
        assert choose("sim", camera, 1, settings).glimpse is None


def test_a_real_machine_that_lacks_its_camera_says_so_to_who_looks_at_what_it_sees() -> None:
    parts = choose("gpio", "usb", 1, read_settings(None))
    assert parts.glimpse is not None
    with pytest.raises(CameraLost) as lost:
        parts.glimpse()
    assert str(lost.value) == parts.eye.lost
