import numpy as np
import pytest

from hardware.cad.geometry import SHIPPED
from hardware.cad.light import Floats, falling, lamps_mm, through, unevenness

LAMP = lamps_mm(SHIPPED)[:, 0]


def at(x_mm: float, z_mm: float = 0.0) -> Floats:
    return np.array([[x_mm], [0.0], [z_mm]])


def test_the_tops_of_dice_in_the_middle_get_some_of_a_lamp_and_places_below_it_none() -> None:
    assert 0 < through(SHIPPED, at(0, 16), LAMP) < 1
    assert through(SHIPPED, at(105), LAMP) == 0
    assert through(SHIPPED, at(-60), LAMP) == 1


def test_a_lamp_over_the_middle_of_a_wide_window_gives_what_the_cosine_law_says() -> None:
    wide = {**SHIPPED, "ring_radius_mm": 1e-6, "window_diameter_mm": 600.0, "weight_hole_mm": 600.0}
    high = SHIPPED["ring_mm"]
    levels = falling(wide, np.array([[0.0, high], [0.0, 0.0], [0.0, 0.0]]))
    assert levels[0] == pytest.approx(24 / high**2)
    assert levels[1] / levels[0] == pytest.approx(0.25)


def test_a_narrower_ring_makes_a_bright_spot_in_the_middle() -> None:
    assert unevenness({**SHIPPED, "ring_radius_mm": 68.0}) > 1.3 * unevenness(SHIPPED) > 1.3
