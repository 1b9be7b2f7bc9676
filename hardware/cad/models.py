"""The printed and the cut parts as solids (build123d), each from the sizes; the cone's own axes as in `geometry`."""

import math
from collections.abc import Mapping
from typing import Any

import build123d as b

from hardware.cad.geometry import (
    SHIPPED,
    box_front_mm,
    box_top_mm,
    frame_mm,
    guard_tile_mm,
    guard_tiles,
    inner_mm,
    outer_mm,
    plate_mm,
    ring_mm,
    seam_bolt_mm,
    seam_top_mm,
    weight_mm,
)

Sizes = Mapping[str, float]
_DOWN = (b.Align.CENTER, b.Align.CENTER, b.Align.MIN)
_SCREWS = 6  # around foot and head
_RAIL_MM = 40.0  # width of frames
_MAST_MM = 12.0  # thickness of the gantry
_OVERLAP_MM = 30.0  # of post and frame
_BOARD_MM = 6.0  # from the shelf down to the lens


def _disc(radius: float, high: float, up: float = 0.0) -> Any:
    return b.Pos(0, 0, up) * b.Cylinder(radius, high, align=_DOWN)


def _tube(inner: float, outer: float, high: float, up: float = 0.0) -> Any:
    return _disc(outer, high, up) - _disc(inner, high, up)


def _box(long: float, wide: float, high: float, x: float = 0, y: float = 0, z: float = 0) -> Any:
    return b.Pos(x, y, z) * b.Box(long, wide, high, align=_DOWN)


def _around(hole: float, circle: float, high: float, up: float, turned: float = 30.0) -> Any:
    """Screw holes on a circle, none of them at a seam."""
    holes = [b.Rot(0, 0, turned + 360 / _SCREWS * n) * b.Pos(circle, 0, up) for n in range(_SCREWS)]
    return b.Part() + [at * b.Cylinder(hole / 2, high, align=_DOWN) for at in holes]


def foot_circle_mm(s: Sizes) -> float:
    """Circle of the screws that hold the floor plate."""
    return s["floor_diameter_mm"] / 2 + s["foot_reach_mm"] / 2


def head_circle_mm(s: Sizes) -> float:
    """Circle of the screws that hold window ring and steel ring."""
    inner = s["window_diameter_mm"] / 2 + s["ledge_mm"] + s["fit_mm"]
    return (inner + ring_mm(s)) / 2


def _profile(radii: Any, s: Sizes) -> Any:
    """What lies within the inner or the outer side of the wall."""
    high, skirt = s["cone_height_mm"], s["skirt_mm"]
    points = [(0, 0), (radii(s, 0), 0), (radii(s, skirt), skirt), (radii(s, high), high), (0, high)]
    face = b.make_face(b.Polyline(*[(x, 0, z) for x, z in points], close=True))
    return b.revolve(face, b.Axis.Z)


def half_cone(s: Sizes) -> Any:
    """One half of the cone, with foot, head, seam flanges and the boss of its axle."""
    inside = _profile(inner_mm, s)
    head = s["cone_height_mm"] - s["foot_mm"]
    whole = _profile(outer_mm, s) + _disc(plate_mm(s), s["foot_mm"]) + _disc(ring_mm(s), s["foot_mm"], head)
    boss = b.Pos(0, s["hub_reach_mm"] / 2, s["axle_height_mm"]) * (
        b.Rot(90, 0, 0) * b.Cylinder(s["hub_diameter_mm"] / 2, s["hub_reach_mm"])
    )
    reach = 2 * plate_mm(s)
    seam = _box(reach, 2 * s["seam_mm"], seam_top_mm(s))
    whole = whole + boss + seam - inside
    depth = s["hub_depth_mm"]
    bore = b.Pos(0, s["hub_reach_mm"] - depth / 2, s["axle_height_mm"]) * (
        b.Rot(90, 0, 0) * b.Cylinder(s["axle_diameter_mm"] / 2 + s["fit_mm"] / 2, depth)
    )
    pin = b.Pos(0, s["hub_reach_mm"] - depth / 2, s["axle_height_mm"]) * (
        b.Cylinder(s["screw_mm"] / 2, 2 * s["hub_diameter_mm"])
    )
    bolt = b.Rot(90, 0, 0) * b.Cylinder(s["screw_mm"] / 2, 4 * s["seam_mm"])
    bolts = [
        b.Pos(way * (outer_mm(s, seam_bolt_mm(s)) + plate_mm(s)) / 2, 0, seam_bolt_mm(s)) * bolt for way in (-1, 1)
    ]
    inserts = _around(s["insert_mm"], foot_circle_mm(s), s["foot_mm"], 0)
    inserts += _around(s["insert_mm"], head_circle_mm(s), s["foot_mm"], head)
    keep = b.Pos(0, reach / 2, s["cone_height_mm"] / 2) * b.Box(2 * reach, reach, 2 * s["cone_height_mm"])
    return ((whole - bore - pin - bolts[0] - bolts[1]) - inserts) & keep


def window_ring(s: Sizes) -> Any:
    """The ring that holds the window down, the window's seat on its lower side."""
    glass = s["window_diameter_mm"] / 2 + s["ledge_mm"] + s["fit_mm"]
    ring = _tube(s["window_diameter_mm"] / 2, ring_mm(s), s["window_plate_mm"] + s["lip_mm"])
    return ring - _disc(glass, s["window_plate_mm"]) - _around(s["screw_mm"], head_circle_mm(s), 20, 0)


def steel_ring(s: Sizes) -> Any:
    """The ring that balances the floor plate; cut, not printed."""
    return _tube(*weight_mm(s), s["weight_mm"]) - _around(s["screw_mm"], head_circle_mm(s), 20, 0)


def window(s: Sizes) -> Any:
    """The clear disc; cut, not printed."""
    return _disc(s["window_diameter_mm"] / 2 + s["ledge_mm"], s["window_plate_mm"])


def floor_plate(s: Sizes) -> Any:
    """The floor, cut, with its screw holes."""
    return _disc(plate_mm(s), s["floor_plate_mm"]) - _around(s["screw_mm"], foot_circle_mm(s), 20, 0)


def bearing_block(s: Sizes) -> Any:
    """Seat of a ball bearing, screwed to a side frame from outside."""
    wide = s["bearing_outer_mm"] + 30
    block = _box(wide, wide, s["bearing_wide_mm"] + 3)
    seat = _disc(s["bearing_outer_mm"] / 2 + s["fit_mm"] / 2, s["bearing_wide_mm"], 3)
    return block - seat - _disc(s["axle_diameter_mm"], 20) - _corners(s, wide - 12, wide - 12)


def _corners(s: Sizes, long: float, wide: float) -> Any:
    """Four screw holes at the corners of a rectangle."""
    ways = [(x, y) for x in (-0.5, 0.5) for y in (-0.5, 0.5)]
    drill = b.Cylinder(s["foot_screw_mm"] / 2 + s["fit_mm"], 80)
    return b.Part() + [b.Pos(x * long, y * wide, 0) * drill for x, y in ways]


def frame_foot(s: Sizes) -> Any:
    """Lower half of a side frame, lying on its side, with the flange that is screwed to the base."""
    long, high = s["bed_mm"] - 20, s["axle_up_mm"] / 2
    wall = _box(long, high, s["frame_wall_mm"])
    wall -= _box(long - 2 * _RAIL_MM, high - _RAIL_MM, 20, y=-_RAIL_MM / 2)
    wall += _box(long, s["frame_wall_mm"], 20, y=-high / 2 + s["frame_wall_mm"] / 2)
    return wall - _joint(s, high / 2 - _RAIL_MM / 4)


def frame_head(s: Sizes) -> Any:
    """Upper half of a side frame, which overlaps the lower one and carries the bearing block."""
    high = s["axle_up_mm"] / 2 + _RAIL_MM
    wall = _box(_RAIL_MM * 2, high, s["frame_wall_mm"])
    block = s["bearing_outer_mm"] + 30
    axle = b.Pos(0, high / 2 - _RAIL_MM / 2 - 6, 0)
    wall -= axle * (_disc(s["axle_diameter_mm"], 20) + _corners(s, block - 12, block - 12))
    return wall - _joint(s, -high / 2 + _RAIL_MM / 4)


def _joint(s: Sizes, y: float) -> Any:
    drill = b.Cylinder(s["foot_screw_mm"] / 2 + s["fit_mm"], 60)
    return b.Part() + [b.Pos(x, y, 0) * drill for x in (-30, -10, 10, 30)]


def motor_bracket(s: Sizes) -> Any:
    """A clamp around the gear motor on a plate with the bearing block's holes."""
    block = s["bearing_outer_mm"] + 30
    body = s["motor_diameter_mm"] / 2 + s["fit_mm"]
    clamp = _box(block, block, 5) + _disc(body + 4, 30)
    return clamp - _disc(body, 40) - _corners(s, block - 12, block - 12) - _box(3, block / 2, 25, y=block / 4, z=5)


def mast_half(s: Sizes) -> Any:
    """One half of the gantry over the cone, lying flat: a post outside the side frame and half a beam to the middle."""
    wide, thick = _RAIL_MM / 2, _MAST_MM
    frame = frame_mm(s) + s["frame_wall_mm"]
    up = s["camera_mm"] - s["axle_height_mm"] + _BOARD_MM - s["bearing_outer_mm"] / 2 - 15 + _OVERLAP_MM
    across = frame + wide
    post = _box(wide, up, thick, x=across - wide / 2, y=up / 2)
    beam = _box(across, wide, thick, x=across / 2, y=up - wide / 2)
    hole = s["foot_screw_mm"] / 2 + s["fit_mm"]
    to_frame = [b.Pos(frame, y, thick / 2) * b.Rot(0, 90, 0) * b.Cylinder(hole, 60) for y in (7, 23)]
    to_plate = [b.Pos(x, up - wide / 2, 0) * b.Cylinder(hole, 60) for x in (8, 28)]
    rod = b.Pos(_rods_mm(s), up, thick / 2) * b.Rot(90, 0, 0) * b.Cylinder(hole, 60)
    return post + beam - (b.Part() + to_frame) - (b.Part() + to_plate) - rod


def camera_plate(s: Sizes) -> Any:
    """Joins the halves of the gantry; its shelf carries the camera board from below, the lens over the middle."""
    wide, reach = _RAIL_MM / 2, _mast_off_mm(s) - _MAST_MM / 2
    wall = _box(80, 4, wide, y=-2)
    shelf = _box(80, reach + 20, 4, y=(reach + 20) / 2 - 4, z=wide)
    hole = s["foot_screw_mm"] / 2 + s["fit_mm"]
    holes = [b.Pos(x, 0, wide / 2) * b.Rot(90, 0, 0) * b.Cylinder(hole, 20) for x in (-28, -8, 8, 28)]
    board = [b.Pos(x, reach - y, wide) * b.Cylinder(1.1, 20) for x in (-10.5, 10.5) for y in (0, 12.5)]
    return wall + shelf - (b.Part() + holes) - (b.Part() + board) - _box(9, 9, 20, y=reach, z=wide - 5)


def _mast_off_mm(s: Sizes) -> float:
    """How far behind the axle the gantry stands: beside the bearing block."""
    return s["bearing_outer_mm"] / 2 + 15 + _MAST_MM / 2 + 1


def _rods_mm(s: Sizes) -> float:
    """Where the rods of the ring light hang, from the middle along the beam."""
    return math.sqrt((s["ring_radius_mm"] + s["ring_wide_mm"] / 2 + 8) ** 2 - _mast_off_mm(s) ** 2)


def ring_holder(s: Sizes) -> Any:
    """Carries the ring light above the cone, with two ears for threaded rods from the gantry."""
    inner = s["ring_radius_mm"] - s["ring_wide_mm"] / 2 - 3
    outer = s["ring_radius_mm"] + s["ring_wide_mm"] / 2 + 3
    ring = _tube(inner, outer, 4)
    groove = _tube(s["ring_radius_mm"] - s["ring_wide_mm"] / 2, s["ring_radius_mm"] + s["ring_wide_mm"] / 2, 2)
    x, y = -_mast_off_mm(s), _rods_mm(s)
    ears = b.Part() + [_disc(8, 4).moved(b.Location((x, way * y, 0))) for way in (-1, 1)]
    ears -= _disc(outer - 1, 4)
    drill = b.Cylinder(s["foot_screw_mm"] / 2 + s["fit_mm"], 20)
    return ring - groove + ears - (b.Part() + [b.Pos(x, way * y, 0) * drill for way in (-1, 1)])


def electronics_box(s: Sizes) -> Any:
    """An open box on feet, its floor above a spill."""
    wall, high = s["box_wall_mm"], box_top_mm(s) - s["spill_mm"] - s["box_wall_mm"]
    long, wide = s["box_long_mm"], s["box_wide_mm"]
    box = _box(long, wide, high) - _box(long - 2 * wall, wide - 2 * wall, high, z=wall)
    feet = s["spill_mm"] - s["base_mm"]
    ways = [(x, y) for x in (-0.5, 0.5) for y in (-0.5, 0.5)]
    box += [_box(14, 14, feet, x=x * (long - 14), y=y * (wide - 14), z=-feet) for x, y in ways]
    cable = _box(12, 3 * wall, 12, y=-wide / 2, z=high - 12)
    return box - cable


def box_roof(s: Sizes) -> Any:
    """Roof of the box; its edge hangs over on every side, so that beer drips past the walls."""
    wall, lip = s["box_wall_mm"], s["drip_lip_mm"]
    long, wide = s["box_long_mm"] + 2 * lip, s["box_wide_mm"] + 2 * lip
    inside = _box(long - 2 * wall, wide - 2 * wall, lip, z=-lip)
    roof = _box(long, wide, wall) + (_box(long, wide, lip, z=-lip) - inside)
    gap = wall + s["fit_mm"]
    inner = s["box_long_mm"] - 2 * gap, s["box_wide_mm"] - 2 * gap
    rim = _box(*inner, lip, z=-lip) - _box(inner[0] - 2 * wall, inner[1] - 2 * wall, lip, z=-lip)
    return roof + rim


def guard(s: Sizes) -> Any:
    """A tile of the guards, slotted."""
    long, slot, bar = guard_tile_mm(s), s["guard_slot_mm"], 4.0
    count = int((long - 2 * _RAIL_MM / 2) // (slot + bar))
    slots = [b.Pos((n - (count - 1) / 2) * (slot + bar), 0, 0) * b.Box(slot, long - _RAIL_MM, 20) for n in range(count)]
    return _box(long, long, 3) - (b.Part() + slots) - _corners(s, long - 12, long - 12)


def base(s: Sizes) -> Any:
    """The base plate, and as large the roof; cut, not printed."""
    deep = 2 * (s["swept_radius_mm"] + s["guard_gap_mm"])
    return _box(deep, 2 * (frame_mm(s) + s["frame_wall_mm"] + 20), s["base_mm"])


def front(s: Sizes) -> Any:
    """Clear front and back; cut, not printed. The front is the lid, on hinges, its switches at the edge."""
    return _box(2 * (frame_mm(s) + s["frame_wall_mm"] + 20), box_front_mm(s), s["window_plate_mm"])


PRINTED = {
    "half-cone": (half_cone, 2),
    "window-ring": (window_ring, 1),
    "bearing-block": (bearing_block, 2),
    "frame-foot": (frame_foot, 2),
    "frame-head": (frame_head, 2),
    "motor-bracket": (motor_bracket, 1),
    "mast-half": (mast_half, 2),
    "camera-plate": (camera_plate, 1),
    "ring-holder": (ring_holder, 1),
    "electronics-box": (electronics_box, 1),
    "box-roof": (box_roof, 1),
    "guard": (guard, guard_tiles(SHIPPED)),
}
"""What is printed, and how many of it."""
CUT = {
    "floor-plate": (floor_plate, 1),
    "window": (window, 1),
    "steel-ring": (steel_ring, 1),
    "base": (base, 2),
    "front": (front, 2),
}
"""What is cut from sheet, and how many of it."""


def turned_on_bed_mm(part: Any) -> float:
    """Edge of the smallest square bed on which the part lies, at the best of 90 turns about the upright."""
    return min(max(turned.size.X, turned.size.Y)
               for turned in ((b.Rot(0, 0, angle) * part).bounding_box() for angle in range(0, 91, 15)))  # fmt: skip


def cone(s: Sizes) -> Any:
    """Everything that turns, put together."""
    half = half_cone(s)
    up = s["cone_height_mm"]
    ring_up = up + s["window_plate_mm"] + s["lip_mm"]
    return b.Compound(
        children=[
            half,
            b.Rot(0, 0, 180) * half,
            b.Pos(0, 0, -s["floor_plate_mm"]) * floor_plate(s),
            b.Pos(0, 0, up) * window(s),
            b.Pos(0, 0, up) * window_ring(s),
            b.Pos(0, 0, ring_up) * steel_ring(s),
        ]
    )


def farthest_mm(part: Any, s: Sizes) -> float:
    """How far from the axle the part reaches, the bosses left out."""
    body = part & b.Box(1000, 2 * plate_mm(s), 1000)
    points = [point for edge in body.edges() for point in (edge @ (n / 16) for n in range(17))]
    return max(math.hypot(point.X, point.Z - s["axle_height_mm"]) for point in points)
