import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardware.cad import geometry
from hardware.cad.geometry import SHIPPED
from hardware.cad.rules import checks
from hardware.checks import Check, table
from hardware.electronics.harness import parts


@pytest.mark.parametrize("check", checks(), ids=lambda check: check.rule)
def test_every_rule_of_the_geometry_holds(check: Check) -> None:
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
    assert broken in {check.rule for check in checks({**SHIPPED, **change}) if not check.holds}


@given(st.floats(0, SHIPPED["cone_height_mm"]))
def test_the_wall_is_as_thick_across_as_it_is_said_to_be(height_mm: float) -> None:
    between = geometry.outer_mm(SHIPPED, height_mm) - geometry.inner_mm(SHIPPED, height_mm)
    narrows = (SHIPPED["floor_diameter_mm"] - SHIPPED["window_diameter_mm"]) / 2
    lean = math.atan2(narrows, SHIPPED["cone_height_mm"] - SHIPPED["skirt_mm"])
    lean = lean if height_mm > SHIPPED["skirt_mm"] else 0
    assert between * math.cos(lean) == pytest.approx(SHIPPED["wall_mm"])


def test_the_swept_volume_narrows_along_the_axle() -> None:
    reach = [geometry.swept_mm(SHIPPED, along) for along in range(0, 130, 5)]
    assert reach == sorted(reach, reverse=True)
    assert reach[-1] == 0
    below = SHIPPED["axle_height_mm"] + SHIPPED["floor_plate_mm"]
    assert reach[0] == pytest.approx(math.hypot(geometry.plate_mm(SHIPPED), below))


def test_the_parts_list_has_the_sizes_of_what_is_cut() -> None:
    plate, (hole, outer) = geometry.plate_mm(SHIPPED), geometry.weight_mm(SHIPPED)
    assert f"{2 * plate:.0f} x {SHIPPED['floor_plate_mm']:.0f} mm" in parts()["floor-plate"].description
    assert f"{2 * outer:.0f}/{2 * hole:.0f} x {SHIPPED['weight_mm']:.0f} mm" in parts()["steel-ring"].description
    deep, wide, corner = geometry.deep_mm(SHIPPED), 2 * geometry.outside_mm(SHIPPED), f"{SHIPPED['corner_mm']:.0f}"
    window = SHIPPED["window_diameter_mm"] + 2 * SHIPPED["ledge_mm"]
    assert f"{window:.0f} x {SHIPPED['window_plate_mm']:.0f} mm" in parts()["window"].description
    for part, said in (
        ("axle", f"{SHIPPED['axle_diameter_mm']:.0f} mm, {SHIPPED['stub_mm']:.0f} mm long"),
        ("ribbon", f"{SHIPPED['ribbon_mm']:.0f} mm"),
        (
            "light-ring",
            f"circle of {2 * SHIPPED['ring_radius_mm']:.0f} mm, at most {SHIPPED['ring_wide_mm']:.0f} mm wide",
        ),
        ("sheet-6mm", f"{SHIPPED['base_mm']:.0f} mm, {deep:.0f} x {wide:.0f} mm"),
        ("sheet-3mm", f"{SHIPPED['window_plate_mm']:.0f} mm: lid {wide:.0f} x {geometry.lid_mm(SHIPPED):.0f}"),
        (
            "sheet-3mm",
            f"sill {wide:.0f} x {SHIPPED['sill_mm']:.0f}, back {wide:.0f} x {geometry.front_mm(SHIPPED):.0f} mm",
        ),
        (
            "angle",
            f"{corner} x {corner} x {SHIPPED['corner_wall_mm']:.0f} mm, {geometry.front_mm(SHIPPED):.0f} mm long",
        ),
        ("coupling", f"{SHIPPED['axle_diameter_mm']:.0f} mm, {SHIPPED['coupling_mm']:.0f} mm thick"),
        ("coupling", f"{SHIPPED['coupling_long_mm']:.0f} mm long"),
        ("motor", f"{SHIPPED['motor_diameter_mm']:.0f} mm (37D class), 12 V, {SHIPPED['motor_gear']:.0f}:1"),
        ("motor", f"shaft {SHIPPED['motor_shaft_mm']:.0f} mm, Hall encoder with {SHIPPED['motor_pulses']:.0f} edges"),
        ("magnet", f"{SHIPPED['magnet_mm']:.0f} x {SHIPPED['magnet_deep_mm']:.0f} mm"),
        ("rod", f"M{SHIPPED['foot_screw_mm']:.0f}, {geometry.rod_mm(SHIPPED):.0f} mm long"),
        ("roll-button", f"{SHIPPED['button_hole_mm']:.0f} mm"),
        ("emergency-stop", f"{SHIPPED['stop_hole_mm']:.0f} mm"),
        ("hinge", f"{SHIPPED['hinge_mm']:.0f} mm, stainless, leaves {SHIPPED['hinge_mm'] / 2:.0f} mm wide"),
        ("grommet", f"{SHIPPED['cable_slot_mm']:.0f} mm"),
        ("dice", f"{SHIPPED['die_side_mm']:.0f} mm"),
    ):
        assert said in parts()[part].description, part
    assert parts()["dice"].number == SHIPPED["dice"]


def test_the_table_that_is_committed_is_that_of_the_shipped_sizes() -> None:
    committed = (Path(__file__).parents[2] / "hardware" / "CHECKS.md").read_text("utf-8")
    assert table(checks()).strip() in committed
