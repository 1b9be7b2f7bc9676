"""Which parts the command line asks for."""

import pytest

from server.parts import live_camera
from server.settings import read_settings
from vision.live import LiveCamera
from vision.picam import PiCamera
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
