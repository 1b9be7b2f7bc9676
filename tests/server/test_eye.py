"""What the table is told of a look besides the faces."""

import pytest

from firmware.dimensions import size
from server.eye import CameraEye
from vision.patterns import _bank
from vision.reader import _network
from vision.rendered import LyingDie, RenderedCamera
from vision.rig import Rig

FLAT = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


@pytest.mark.parametrize("style", ["red", "blue", "black"])
def test_a_die_is_told_with_the_colour_of_its_body_in_the_picture(style: str) -> None:
    lying = [LyingDie(x_mm, 0.0, 8.0, FLAT, 16.0) for x_mm in (-40.0, 0.0, 40.0)]
    eye = CameraEye(RenderedCamera(lambda: lying, Rig.of(size), style=style, seed=7, size_px=(728, 544)), 3)
    seen = eye.look((eye._camera.frame(5.0), True))
    assert seen.reading.ok
    assert len(seen.bodies) == 3
    for body in seen.bodies:
        red, green, blue = (int(body[at : at + 2], 16) for at in (1, 3, 5))
        told = {
            "red": red > 2 * max(green, blue),
            "blue": blue > 1.4 * max(red, green),
            "black": max(red, green, blue) < 128,
        }
        assert told == {name: name == style for name in told}


def test_what_reads_is_loaded_before_the_first_throw() -> None:
    made = _network, _bank
    for once in made:
        once.cache_clear()
    CameraEye(RenderedCamera(list, Rig.of(size), seed=7, size_px=(728, 544)), 3).warm()
    assert [once.cache_info().currsize for once in made] == [1, 1]
