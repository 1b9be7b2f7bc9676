import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardware.cad import geometry
from hardware.cad.geometry import SHIPPED
from hardware.electronics.harness import parts


@pytest.mark.parametrize("check", geometry.checks(), ids=lambda check: check.rule)
def test_every_rule_of_the_geometry_holds(check: geometry.Check) -> None:
    assert check.holds, check


@pytest.mark.parametrize(
    ("change", "broken"),
    [
        ({"wall_mm": 1.8}, "cone's wall"),
        ({"guard_slot_mm": 5.0}, "slots of the guards"),
        ({"side_gap_mm": 20.0}, "from cone to side frames"),
        ({"swept_radius_mm": 150.0}, "what turns stays within the swept radius"),
        ({"camera_mm": 300.0}, "half the picture's short side, at the height of the dice's tops"),
        ({"window_diameter_mm": 98.0}, "view of the dice's tops where it passes the window"),
        ({"weight_mm": 1.0}, "cone out of balance"),
        ({"ring_radius_mm": 69.0}, "lamps' image in the window, beside the pips of a die at the wall"),
        ({"ring_radius_mm": 70.7}, "lamps' light on the dice's tops, brightest over dimmest place"),
        ({"ring_mm": 224.0}, "lamps clear of what turns"),
        ({"ramp_s": 0.2}, "motor's torque over what the ramp asks for"),
        ({"motor_limit_a": 1.0}, "motor's torque over what the ramp asks for"),
        ({"motor_limit_a": 1.4}, "motor's torque, for its gear"),
        ({"motor_limit_a": 1.8}, "push of the held cone at its edge"),
        ({"motor_stall_nmm": 4000.0}, "motor's current while it speeds up"),
        ({"bed_mm": 200.0}, "half of the cone, turned by 45 degrees, on the bed"),
        ({"axle_up_mm": 225.0}, "room in the electronics box above a spill"),
    ],
)
def test_a_size_that_is_wrong_breaks_its_rule(change: dict[str, float], broken: str) -> None:
    assert broken in {check.rule for check in geometry.checks({**SHIPPED, **change}) if not check.holds}


@given(st.floats(0, SHIPPED["cone_height_mm"]))
def test_the_wall_is_as_thick_across_as_it_is_said_to_be(height_mm: float) -> None:
    between = geometry.outer_mm(SHIPPED, height_mm) - geometry.inner_mm(SHIPPED, height_mm)
    lean = math.atan2(110 - 55, 160) if height_mm > SHIPPED["skirt_mm"] else 0
    assert between * math.cos(lean) == pytest.approx(SHIPPED["wall_mm"])


def test_the_swept_volume_narrows_along_the_axle() -> None:
    reach = [geometry.swept_mm(SHIPPED, along) for along in range(0, 130, 5)]
    assert reach == sorted(reach, reverse=True)
    assert reach[-1] == 0
    assert reach[0] == pytest.approx(math.hypot(118, 94))


def test_the_parts_list_has_the_sizes_of_what_is_cut() -> None:
    plate, (hole, outer) = geometry.plate_mm(SHIPPED), geometry.weight_mm(SHIPPED)
    assert f"{2 * plate:.0f} x {SHIPPED['floor_plate_mm']:.0f} mm" in parts()["floor-plate"].description
    assert f"{2 * outer:.0f}/{2 * hole:.0f} x {SHIPPED['weight_mm']:.0f} mm" in parts()["steel-ring"].description
    window = SHIPPED["window_diameter_mm"] + 2 * SHIPPED["ledge_mm"]
    assert f"{window:.0f} x {SHIPPED['window_plate_mm']:.0f} mm" in parts()["window"].description
    assert f"{SHIPPED['stub_mm']:.0f} mm long" in parts()["axle"].description


def test_the_table_that_is_committed_is_that_of_the_shipped_sizes() -> None:
    committed = (Path(__file__).parents[2] / "hardware" / "CHECKS.md").read_text("utf-8")
    assert geometry.table(geometry.checks()).strip() in committed
