"""What follows from the sizes, as arithmetic: where things are, what they weigh, torque and current.

The cone's own axes: the middle of its floor is the origin, z points to the window, the axle runs along y.
"""

import math
from collections.abc import Mapping
from typing import NamedTuple

from firmware.dimensions import sizes

SHIPPED: Mapping[str, float] = {name: one.value for name, one in sizes().items()}
_G = 9.81


class Weighed(NamedTuple):
    """Something that turns with the cone: its mass and where it sits, seen from the inner floor."""

    name: str
    mass_g: float
    height_mm: float
    radius_mm: float  # of a ring that resists turning about its own diameter as much


def inner_mm(s: Mapping[str, float], height_mm: float) -> float:
    """Inner radius of the cone at a height above its floor."""
    low, high = s["floor_diameter_mm"] / 2, s["window_diameter_mm"] / 2
    up = max(0.0, height_mm - s["skirt_mm"]) / (s["cone_height_mm"] - s["skirt_mm"])
    return low + (high - low) * up


def outer_mm(s: Mapping[str, float], height_mm: float) -> float:
    """Outer radius of the wall at a height, its thickness taken across the wall."""
    lean = math.atan2(s["floor_diameter_mm"] - s["window_diameter_mm"], 2 * (s["cone_height_mm"] - s["skirt_mm"]))
    return inner_mm(s, height_mm) + s["wall_mm"] / (math.cos(lean) if height_mm > s["skirt_mm"] else 1)


def plate_mm(s: Mapping[str, float]) -> float:
    """Radius of the floor plate and of the cone's foot."""
    return s["floor_diameter_mm"] / 2 + s["foot_reach_mm"]


def ring_mm(s: Mapping[str, float]) -> float:
    """Outer radius of the window ring and of the cone's head."""
    return s["window_diameter_mm"] / 2 + s["head_reach_mm"]


def weight_mm(s: Mapping[str, float]) -> tuple[float, float]:
    """Inner and outer radius of the steel ring."""
    hole = s["weight_hole_mm"] / 2
    return hole, hole + s["weight_reach_mm"]


def lip_mm(s: Mapping[str, float]) -> float:
    """Inner radius of the lip at the window; it widens to the hole of the steel ring."""
    return (s["window_diameter_mm"] / 2 + weight_mm(s)[0]) / 2


def top_mm(s: Mapping[str, float]) -> float:
    """Upper side of the steel ring, the highest place of the cone."""
    return s["cone_height_mm"] + s["window_plate_mm"] + s["lip_mm"] + s["weight_mm"]


def frame_mm(s: Mapping[str, float]) -> float:
    """Inner side of the side frames, from the middle."""
    return plate_mm(s) + s["side_gap_mm"]


def box_top_mm(s: Mapping[str, float]) -> float:
    """The highest that the electronics box may be above the counter."""
    return s["axle_up_mm"] - s["swept_radius_mm"] - s["guard_gap_mm"]


def seam_top_mm(s: Mapping[str, float]) -> float:
    """Height of the flanges that join the halves of the cone."""
    return s["axle_height_mm"] / 2


def seam_bolt_mm(s: Mapping[str, float]) -> float:
    """Height of their bolts."""
    return seam_top_mm(s) * 2 / 3


def front_mm(s: Mapping[str, float]) -> float:
    """Height of the guards: from the base past the lens."""
    return lens_mm(s) + s["guard_gap_mm"]


def lens_mm(s: Mapping[str, float]) -> float:
    """The lens above the counter."""
    return s["axle_up_mm"] + s["camera_mm"] - s["axle_height_mm"]


def deep_mm(s: Mapping[str, float]) -> float:
    """The base from front to back."""
    return 2 * (s["swept_radius_mm"] + s["guard_gap_mm"] + s["window_plate_mm"])


def outside_mm(s: Mapping[str, float]) -> float:
    """Outside of the guards at the sides, from the middle; the base is as wide."""
    return frame_mm(s) + s["frame_wall_mm"] + s["margin_mm"]


def stop_off_mm(s: Mapping[str, float]) -> float:
    """The emergency stop on the sill, from the middle."""
    return outside_mm(s) * 0.6


def block_mm(s: Mapping[str, float]) -> float:
    """The middle of a corner's block, and so the screws into it, from the outer side of its angle and from its end."""
    return s["corner_block_mm"] / 2 + s["corner_wall_mm"]


def lid_mm(s: Mapping[str, float]) -> float:
    """Height of the lid."""
    return front_mm(s) - s["sill_mm"] - s["lid_gap_mm"]


def switch_mm(s: Mapping[str, float]) -> float:
    """The switches of the lid, from the middle towards its free edge."""
    return outside_mm(s) - s["switch_off_mm"]


def switch_deep_mm(s: Mapping[str, float]) -> float:
    """The middle of those switches, from the middle to the front: behind the lid by what their levers give way."""
    return deep_mm(s) / 2 - s["window_plate_mm"] - s["switch_travel_mm"] - s["switch_high_mm"] / 2


def ajar_mm(s: Mapping[str, float]) -> float:
    """How far the lid's free edge stands open when its switches have let go."""
    return s["switch_travel_mm"] * 2 * outside_mm(s) / (outside_mm(s) + switch_mm(s))


def tile_mm(s: Mapping[str, float]) -> tuple[float, float]:
    """Length and height of a printed tile of the guards, which stand between front and back."""
    return (deep_mm(s) - 2 * s["window_plate_mm"]) / s["guard_columns"], front_mm(s) / s["guard_rows"]


def frame_head_mm(s: Mapping[str, float]) -> float:
    """Height of a side frame's upper half."""
    return s["axle_up_mm"] / 2 - s["base_mm"] + s["rail_mm"] + s["block_mm"] / 2 + s["head_over_mm"]


def gantry_mm(s: Mapping[str, float]) -> float:
    """Lower end of the gantry's posts, above the axle."""
    return s["block_mm"] / 2 + s["head_over_mm"] - s["gantry_overlap_mm"]


def mast_off_mm(s: Mapping[str, float]) -> float:
    """How far behind the axle the gantry stands: beside the bearing block."""
    return s["block_mm"] / 2 + s["mast_mm"] / 2 + 1


def rods_mm(s: Mapping[str, float]) -> float:
    """Where the rods of the ring light hang, from the middle along the gantry's beam."""
    return math.sqrt((s["ring_radius_mm"] + s["ring_wide_mm"] / 2 + 8) ** 2 - mast_off_mm(s) ** 2)


def rod_mm(s: Mapping[str, float]) -> float:
    """Length of those rods: from below the ring light's holder to above the beam, with room for their nuts."""
    return s["camera_mm"] + s["lens_hang_mm"] - s["ring_mm"] + 12


def stub_end_mm(s: Mapping[str, float]) -> float:
    """End of a stub axle, from the middle."""
    return s["hub_reach_mm"] - s["hub_depth_mm"] + s["stub_mm"]


def motor_face_mm(s: Mapping[str, float]) -> float:
    """The gear motor's face, from the middle: its shaft ends a millimetre before the stub axle."""
    return stub_end_mm(s) + 1 + s["motor_shaft_long_mm"]


def outline(s: Mapping[str, float]) -> list[tuple[float, float]]:
    """Radius and height of the corners of what turns, the hubs left out."""
    weight = weight_mm(s)[1]
    ring_top = top_mm(s) - s["weight_mm"]
    return [
        (plate_mm(s), -s["floor_plate_mm"]),
        (plate_mm(s), s["foot_mm"]),
        (ring_mm(s), s["cone_height_mm"] - s["foot_mm"]),
        (ring_mm(s), ring_top),
        (weight, ring_top),
        (weight, top_mm(s)),
    ]


def swept_mm(s: Mapping[str, float], along_mm: float = 0.0) -> float:
    """How far from the axle what turns reaches, at a distance from the middle along the axle."""
    reach = (
        math.hypot(math.sqrt(radius**2 - along_mm**2), height - s["axle_height_mm"])
        for radius, height in outline(s)
        if radius >= along_mm
    )
    return max(reach, default=0.0)


def _tube_mm3(inner: float, outer: float, long: float) -> float:
    return math.pi * (outer**2 - inner**2) * long


def turning(s: Mapping[str, float]) -> list[Weighed]:
    """What turns, piece by piece, without hubs, seams and dice."""
    plastic, sheet, steel = (s[f"density{kind}_g_cm3"] / 1000 for kind in ("", "_sheet", "_steel"))
    steps = 200
    rise = s["cone_height_mm"] / steps
    levels = [(step + 0.5) * rise for step in range(steps)]
    slices = [_tube_mm3(inner_mm(s, up), outer_mm(s, up), rise) * plastic for up in levels]
    wall_g = sum(slices)
    window = s["window_diameter_mm"] / 2 + s["ledge_mm"]
    head = s["cone_height_mm"] - s["foot_mm"] / 2
    lip = s["cone_height_mm"] + (s["window_plate_mm"] + s["lip_mm"]) / 2
    clear = lip_mm(s)
    ring_mm3 = _tube_mm3(clear, ring_mm(s), s["window_plate_mm"] + s["lip_mm"])
    ring_mm3 -= _tube_mm3(clear, window, s["window_plate_mm"])
    foot_mm3 = _tube_mm3(outer_mm(s, 0), plate_mm(s), s["foot_mm"])
    head_mm3 = _tube_mm3(outer_mm(s, head), ring_mm(s), s["foot_mm"])
    plate_mm3 = _tube_mm3(0, plate_mm(s), s["floor_plate_mm"])
    steel_mm3 = _tube_mm3(*weight_mm(s), s["weight_mm"])
    window_mm3 = _tube_mm3(0, window, s["window_plate_mm"])
    return [
        Weighed("wall", wall_g, sum(up * mass for up, mass in zip(levels, slices, strict=True)) / wall_g, plate_mm(s)),
        Weighed("foot", foot_mm3 * plastic, s["foot_mm"] / 2, plate_mm(s)),
        Weighed("head", head_mm3 * plastic, head, ring_mm(s)),
        Weighed("floor plate", plate_mm3 * sheet, -s["floor_plate_mm"] / 2, plate_mm(s) / math.sqrt(2)),
        Weighed("window", window_mm3 * sheet, s["cone_height_mm"] + s["window_plate_mm"] / 2, window / math.sqrt(2)),
        Weighed("window ring", ring_mm3 * plastic, lip, ring_mm(s)),
        Weighed("steel ring", steel_mm3 * steel, top_mm(s) - s["weight_mm"] / 2, weight_mm(s)[1]),
    ]


def balance_mm(s: Mapping[str, float]) -> float:
    """How far the centre of what turns is above the axle, without dice."""
    pieces = turning(s)
    mass_g = sum(one.mass_g for one in pieces)
    return sum(one.mass_g * one.height_mm for one in pieces) / mass_g - s["axle_height_mm"]


def held_nmm(s: Mapping[str, float]) -> float:
    """Torque that holds the cone at its heaviest: dice in the far corner, level with the axle, and the imbalance."""
    inner = s["floor_diameter_mm"] / 2 - s["die_side_mm"] / 2
    arm_mm = math.hypot(inner, s["axle_height_mm"] - s["die_side_mm"] / 2)
    mass_kg = sum(one.mass_g for one in turning(s)) / 1000
    return _G * (s["dice"] * s["die_mass_g"] / 1000 * arm_mm + mass_kg * abs(balance_mm(s)))


def inertia_kgm2(s: Mapping[str, float]) -> float:
    """How much what turns resists being turned about the axle, the dice at the farthest place; a little too much."""
    axle = s["axle_height_mm"]
    # A ring about its diameter has half of m r^2, and each piece as much as its height above the axle gives.
    inertia = sum(one.mass_g * (one.radius_mm**2 / 2 + (one.height_mm - axle) ** 2) for one in turning(s)) * 1e-9
    return inertia + s["dice"] * s["die_mass_g"] * s["swept_radius_mm"] ** 2 * 1e-9


def asked_nmm(s: Mapping[str, float]) -> float:
    """The most torque that a throw asks for: the cone at its heaviest while the firmware's ramp speeds it up."""
    speed_rad_s = s["motor_rpm"] / 60 * 2 * math.pi
    return held_nmm(s) + inertia_kgm2(s) * speed_rad_s / s["ramp_s"] * 1000


def drawn_a(s: Mapping[str, float], torque_nmm: float) -> float:
    """Current of the gear motor at a torque: a straight line from idle to stall."""
    return s["motor_idle_a"] + (s["motor_stall_a"] - s["motor_idle_a"]) * torque_nmm / s["motor_stall_nmm"]


def given_nmm(s: Mapping[str, float]) -> float:
    """Torque of the gear motor at the current that the bridge allows."""
    share = (s["motor_limit_a"] - s["motor_idle_a"]) / (s["motor_stall_a"] - s["motor_idle_a"])
    return s["motor_stall_nmm"] * share
