import math
import re

from firmware.dimensions import size, sizes
from vision.die_shape import SIDE_MM

UNITS = ("mm", "deg", "g", "rpm", "nmm", "cm3", "a", "s", "gear", "pulses", "rows", "columns", "share")


def test_every_size_has_a_value_a_unit_and_a_sentence() -> None:
    for name, line in sizes().items():
        assert name == "dice" or name.split("_")[-1] in UNITS, name
        assert line.value > 0
        assert re.fullmatch(r"[A-Z].{10,}\.", line.sentence), name


def test_dice_that_nobody_enrolled_are_as_large_as_those_of_the_file() -> None:
    # Who looks at pictures must not know the machine, and so has the number once more.
    assert size("die_side_mm") == SIDE_MM


def test_the_cone_swings_inside_its_circle() -> None:
    for diameter, plate in (("floor_diameter_mm", "floor_plate_mm"), ("window_diameter_mm", "window_plate_mm")):
        out_mm = size(diameter) / 2 + size("wall_mm")
        up_mm = size("axle_height_mm") + size(plate) + size("ledge_mm")
        assert math.hypot(out_mm, up_mm) < size("swept_radius_mm")
    assert size("axle_up_mm") - size("swept_radius_mm") > size("spill_mm") + size("guard_gap_mm")


def test_the_camera_sees_the_whole_floor_through_the_window() -> None:
    floor_mm, camera_mm = size("floor_diameter_mm") / 2, size("camera_mm")
    above_mm = camera_mm - size("cone_height_mm")
    # Dice at the wall are as wide as the floor, and nearer.
    tops_mm = camera_mm - size("die_side_mm")
    assert math.degrees(2 * math.atan2(floor_mm, tops_mm)) < size("camera_short_side_deg")
    assert floor_mm * above_mm / tops_mm < size("window_diameter_mm") / 2 - size("ledge_mm")


def test_the_ring_lights_all_of_the_floor_and_is_not_seen_in_the_window() -> None:
    window_mm, height_mm = size("window_diameter_mm") / 2, size("cone_height_mm")
    inner_mm = size("ring_radius_mm") - size("ring_wide_mm") / 2
    lamp_mm = size("ring_mm") - height_mm
    # The middle of the floor gets light from the inner edge of every lamp.
    assert inner_mm * height_mm / size("ring_mm") < window_mm
    camera_mm = size("camera_mm") - height_mm
    mirrored_mm = inner_mm * camera_mm / (camera_mm + lamp_mm)
    seen_mm = size("floor_diameter_mm") / 2 * camera_mm / size("camera_mm")
    assert mirrored_mm > seen_mm
    assert math.hypot(inner_mm, size("ring_mm") - size("axle_height_mm")) > size("swept_radius_mm")
