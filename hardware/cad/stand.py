"""What stands still, as solids (build123d): frames, motor, gantry, box and guards, each lying as it is made."""

import math
from typing import Any

import build123d as b

from hardware.cad.geometry import (
    block_mm,
    box_top_mm,
    deep_mm,
    frame_head_mm,
    frame_mm,
    front_mm,
    gantry_mm,
    mast_off_mm,
    motor_face_mm,
    outside_mm,
    rods_mm,
    switch_deep_mm,
    switch_mm,
    tile_mm,
)
from hardware.cad.lid import bracket_screws
from hardware.cad.models import THROUGH_MM, Sizes, box, disc, tube

_WAYS = (-1, 1)
_JOINT_MM = (-30.0, -10.0, 10.0, 30.0)  # screws of a joint across a rail of two widths
_FLANGE_MM = (-80.0, -30.0, 30.0, 80.0)
_POST_MM = (7, 23)  # screws that hold the gantry, from its lower end
_BEAM_MM = (8, 28)  # and its camera plate, from the middle


def _drill(s: Sizes) -> Any:
    return b.Cylinder(s["foot_screw_mm"] / 2 + s["fit_mm"], THROUGH_MM)


def _holes(s: Sizes, places: list[tuple[float, float]]) -> Any:
    """Upright screw holes."""
    return b.Part() + [b.Pos(x, y, 0) * _drill(s) for x, y in places]


def _corners(s: Sizes, long: float, wide: float, edge: float) -> Any:
    """Four screw holes at the corners of a rectangle, so far from its edges."""
    return _holes(s, [(x * (long / 2 - edge), y * (wide / 2 - edge)) for x in _WAYS for y in _WAYS])


def bearing_block(s: Sizes) -> Any:
    """Seat of a ball bearing, screwed to a side frame from outside, which shuts the seat."""
    edge, back = s["block_mm"], s["block_plate_mm"]
    seat = disc(s["bearing_outer_mm"] / 2 + s["fit_mm"] / 2, s["bearing_wide_mm"], back)
    return (
        box(edge, edge, back + s["bearing_wide_mm"])
        - seat
        - disc(s["axle_diameter_mm"], back)
        - _corners(s, edge, edge, s["screw_edge_mm"])
    )


def frame_foot(s: Sizes) -> Any:
    """Lower half of a side frame, lying on its side, with the flange that is screwed to the base."""
    long, high, rail, wall = s["frame_long_mm"], s["axle_up_mm"] / 2, s["rail_mm"], s["frame_wall_mm"]
    frame = box(long, high, wall) - box(long - 2 * rail, high - rail, 2 * wall, y=-rail / 2)
    frame += box(long, wall, s["flange_mm"], y=-high / 2 + wall / 2)
    up = (s["flange_mm"] + wall) / 2
    flange = b.Part() + [b.Pos(x, -high / 2, up) * b.Rot(90, 0, 0) * _drill(s) for x in _FLANGE_MM]
    return frame - flange - _joint(s, high / 2)


def frame_head(s: Sizes) -> Any:
    """Upper half of a side frame, which overlaps the lower one and carries bearing block and gantry."""
    high, rail = frame_head_mm(s), s["rail_mm"]
    axle = high / 2 - s["block_mm"] / 2 - s["head_over_mm"]
    post = axle + gantry_mm(s)
    holes = [(way * mast_off_mm(s), post + up) for way in _WAYS for up in _POST_MM]
    holes += [(way * s["screw_edge_mm"] * 4 / 3, axle - s["block_mm"] / 2 - 4) for way in _WAYS]  # the sensor's arm
    block = b.Pos(0, axle, 0) * (
        disc(s["axle_diameter_mm"], 20) + _corners(s, s["block_mm"], s["block_mm"], s["screw_edge_mm"])
    )
    return box(2 * rail, high, s["frame_wall_mm"]) - block - _holes(s, holes) - _joint(s, -high / 2 + rail)


def _joint(s: Sizes, top: float) -> Any:
    """Two rows of screws where the halves of a side frame overlap."""
    rail = s["rail_mm"]
    return _holes(s, [(x, top - down) for x in _JOINT_MM for down in (rail / 4, rail * 3 / 4)])


def sensor_arm(s: Sizes) -> Any:
    """Carries the home sensor from a side frame to the magnet in the boss."""
    reach = frame_mm(s) - s["hub_reach_mm"] - s["sensor_gap_mm"]
    down = s["block_mm"] / 2 + 4 - s["magnet_circle_mm"]
    edge = s["screw_edge_mm"]
    # Its upper end is clear of the axle.
    foot = box(edge * 4, down + edge + 2.5, s["block_plate_mm"], y=(2.5 - down - edge) / 2)
    return foot + box(8, 5, reach) - _holes(s, [(way * edge * 4 / 3, -down) for way in _WAYS])


def motor_bracket(s: Sizes) -> Any:
    """Flange on the bearing block, tube around the coupling, face for the gear motor, whose shaft is off its middle."""
    long = motor_face_mm(s) - frame_mm(s) - s["frame_wall_mm"] - s["bearing_wide_mm"] - s["block_plate_mm"]
    inner, wall, off = s["coupling_mm"] / 2 + 1, s["ledge_mm"], s["motor_shaft_off_mm"]
    face = b.Pos(0, off, long - wall) * disc(s["motor_diameter_mm"] / 2 + 1.5, wall)
    bracket = box(s["block_mm"], s["block_mm"], wall + 1) + disc(inner + wall, long - wall) + face
    bracket -= (
        disc(inner, long - wall)
        + disc(s["motor_boss_mm"] / 2 + s["fit_mm"], long)
        + _corners(s, s["block_mm"], s["block_mm"], s["screw_edge_mm"])
    )
    circle = s["motor_circle_mm"] / 2
    # Four of the six screws: the others would be inside the tube.
    turns = [math.radians(turn) for turn in (0, 60, 120, 180)]
    screws = [(circle * math.cos(turn), off + circle * math.sin(turn)) for turn in turns]
    bracket -= b.Part() + [b.Pos(x, y, long) * b.Cylinder(s["screw_mm"] / 2 + s["fit_mm"], 3 * wall) for x, y in screws]
    keys = [b.Pos(0, 0, up) * b.Rot(0, 90, 0) * b.Cylinder(s["guard_slot_mm"] / 2, THROUGH_MM) for up in (9, 21)]
    return bracket - (b.Part() + keys)


def motor_cap(s: Sizes) -> Any:
    """Keeps spilt beer off the motor, whose wires leave it below."""
    inner, wall = s["motor_diameter_mm"] / 2 + 1.5 + s["fit_mm"], s["box_wall_mm"]
    long = s["ledge_mm"] + s["motor_long_mm"] + 10
    return disc(inner + wall, long + wall) - disc(inner, long) - box(8, 8, long / 2, y=inner)


def mast_half(s: Sizes) -> Any:
    """One half of the gantry over the cone, lying flat: a post outside the side frame and half a beam to the middle."""
    wide, thick = s["mast_wide_mm"], s["mast_mm"]
    frame = frame_mm(s) + s["frame_wall_mm"]
    up = s["camera_mm"] - s["axle_height_mm"] + s["lens_hang_mm"] - gantry_mm(s)
    across = frame + wide
    post = box(wide, up, thick, x=across - wide / 2, y=up / 2)
    beam = box(across, wide, thick, x=across / 2, y=up - wide / 2)
    to_frame = [b.Pos(frame, y, thick / 2) * b.Rot(0, 90, 0) * _drill(s) for y in _POST_MM]
    to_plate = [b.Pos(x, up - wide / 2, 0) * _drill(s) for x in _BEAM_MM]
    rod = b.Pos(rods_mm(s), up, thick / 2) * b.Rot(90, 0, 0) * _drill(s)
    return post + beam - (b.Part() + to_frame) - (b.Part() + to_plate) - rod


def camera_plate(s: Sizes) -> Any:
    """Joins the halves of the gantry; its shelf carries the camera board from below, the lens over the middle."""
    wide, reach, thick = s["mast_wide_mm"], mast_off_mm(s) - s["mast_mm"] / 2, 4.0
    long = s["camera_plate_mm"]
    shelf = box(long, reach + 20, thick, y=(reach + 20) / 2 - thick, z=wide)
    holes = [b.Pos(way * x, 0, wide / 2) * b.Rot(90, 0, 0) * _drill(s) for x in _BEAM_MM for way in _WAYS]
    board = [b.Pos(x, reach - y, wide) * b.Cylinder(1.1, 20) for x in (-10.5, 10.5) for y in (0, 12.5)]
    plate = box(long, thick, wide, y=thick / 2) + shelf
    return plate - (b.Part() + holes) - (b.Part() + board) - box(9, 9, 20, y=reach, z=wide - 5)


def ring_holder(s: Sizes) -> Any:
    """Carries the ring light above the cone, with two ears for threaded rods from the gantry."""
    inner = s["ring_radius_mm"] - s["ring_wide_mm"] / 2 - 3
    outer = s["ring_radius_mm"] + s["ring_wide_mm"] / 2 + 3
    high = s["ring_high_mm"]
    ring = tube(inner, outer, high)
    groove = tube(inner + 3, outer - 3, high / 2)
    x, y = -mast_off_mm(s), rods_mm(s)
    ears = b.Part() + [disc(8, high).moved(b.Location((x, way * y, 0))) for way in _WAYS]
    return ring - groove + (ears - disc(outer - 1, high)) - _holes(s, [(x, way * y) for way in _WAYS])


def electronics_box(s: Sizes) -> Any:
    """An open box on feet, its floor above a spill, with stand-offs; screws hold the feet from below the base."""
    wall, high = s["box_wall_mm"], box_top_mm(s) - s["spill_mm"] - s["box_wall_mm"]
    long, wide = s["box_long_mm"], s["box_wide_mm"]
    shell = box(long, wide, high) - box(long - 2 * wall, wide - 2 * wall, high, z=wall)
    feet, edge = s["spill_mm"] - s["base_mm"], s["screw_edge_mm"]
    at = [(x * (long / 2 - 7), y * (wide / 2 - 7)) for x in _WAYS for y in _WAYS]
    shell += [box(2 * edge + 2, 2 * edge + 2, feet, x=x, y=y, z=-feet) for x, y in at]
    inserts = [b.Pos(x, y, -feet) * disc(s["foot_insert_mm"] / 2, feet - wall) for x, y in at]
    deep = 12 + s["drip_lip_mm"]
    slot = box(s["box_slot_mm"], 3 * wall, deep, y=-wide / 2, z=high - deep)
    return shell + _stand_offs(s) - (b.Part() + inserts) - slot


def _stand_offs(s: Sizes) -> Any:
    """Four posts for the computer, at the left of the box and so far from its slot that all plugs have room."""
    hole, up = s["pi_screw_mm"] / 2, s["pi_up_mm"]
    post = tube(hole, hole + s["box_wall_mm"], up)
    at = [(x * s["pi_long_mm"] / 2 - s["box_long_mm"] / 4, y * s["pi_wide_mm"] / 2) for x in _WAYS for y in _WAYS]
    return b.Part() + [b.Pos(x, y + s["box_wide_mm"] / 6, s["box_wall_mm"]) * post for x, y in at]


def box_roof(s: Sizes) -> Any:
    """Roof of the box; its edge hangs over on every side, so that beer drips past the walls."""
    wall, lip = s["box_wall_mm"], s["drip_lip_mm"]
    long, wide = s["box_long_mm"] + 2 * lip, s["box_wide_mm"] + 2 * lip
    roof = box(long, wide, wall) + (box(long, wide, lip, z=-lip) - box(long - 2 * wall, wide - 2 * wall, lip, z=-lip))
    gap = wall + s["fit_mm"]
    inner = s["box_long_mm"] - 2 * gap, s["box_wide_mm"] - 2 * gap
    return roof + (box(*inner, lip, z=-lip) - box(inner[0] - 2 * wall, inner[1] - 2 * wall, lip, z=-lip))


def guard(s: Sizes) -> Any:
    """A tile of the guards, slotted."""
    (long, high), slot, bar = tile_mm(s), s["guard_slot_mm"], s["ledge_mm"]
    count = int((long - s["rail_mm"]) // (slot + bar))
    places = [(n - (count - 1) / 2) * (slot + bar) for n in range(count)]
    slots = [b.Pos(x, 0, 0) * b.Box(slot, high - s["rail_mm"], 20) for x in places]
    return box(long, high, s["guard_mm"]) - (b.Part() + slots) - _corners(s, long, high, block_mm(s))


def guard_motor(s: Sizes) -> Any:
    """A tile with a notch for the motor bracket's tube; the other one beside it is the same, turned over."""
    long, high = tile_mm(s)
    row = (s["axle_up_mm"] - s["base_mm"]) // high
    up = s["axle_up_mm"] - s["base_mm"] - (row + 0.5) * high
    hole = s["coupling_mm"] / 2 + 1 + s["ledge_mm"] + 1
    return guard(s) - b.Pos(long / 2, up, 0) * disc(hole, s["guard_mm"])


def corner_block(s: Sizes) -> Any:
    """Joins an angle, its sheets, and base or roof: inserts from three sides, which do not meet."""
    edge, up, hole = s["corner_block_mm"], block_mm(s), s["foot_insert_mm"] / 2
    deep, side = up - hole - 0.5, edge / 2 - hole
    cube = box(edge, edge, edge) - disc(hole, deep)
    cube -= b.Pos(edge / 2, 0, up) * b.Rot(0, -90, 0) * disc(hole, side)
    return cube - b.Pos(0, edge / 2, up) * b.Rot(90, 0, 0) * disc(hole, side)


def corner(s: Sizes) -> Any:
    """An aluminium angle of the guards' height, standing."""
    leg, wall = s["corner_mm"], s["corner_wall_mm"]
    high = front_mm(s)
    return box(leg, leg, high, x=leg / 2, y=leg / 2) - box(leg, leg, high, x=leg / 2 + wall, y=leg / 2 + wall)


def _sheet(s: Sizes) -> Any:
    """A sheet as large as the whole machine, with the holes of the corner blocks."""
    x, y = deep_mm(s) / 2 - s["window_plate_mm"] - block_mm(s), outside_mm(s) - s["guard_mm"] - block_mm(s)
    corners = [(one * x, other * y) for one in _WAYS for other in _WAYS]
    return box(deep_mm(s), 2 * outside_mm(s), s["base_mm"]) - _holes(s, corners)


def base(s: Sizes) -> Any:
    """The base, cut, with the holes of side frames, box and corners, and small ones that let a spill out."""
    up = frame_mm(s) + s["frame_wall_mm"] + (s["flange_mm"] + s["frame_wall_mm"]) / 2
    holes = [(x, way * up) for x in _FLANGE_MM for way in _WAYS]
    holes += [(x * (s["box_wide_mm"] / 2 - 7), y * (s["box_long_mm"] / 2 - 7)) for x in _WAYS for y in _WAYS]
    drains = [(x * deep_mm(s) * 0.4, y * outside_mm(s) * 0.4) for x in _WAYS for y in (-2, -1, 0, 1, 2)]
    drops = b.Part() + [b.Pos(x, y, 0) * b.Cylinder(s["guard_slot_mm"] / 2, THROUGH_MM) for x, y in drains]
    return _sheet(s) - _holes(s, holes) - drops


def roof(s: Sizes) -> Any:
    """The roof, cut, with the holes of the corners and of the bracket that carries the lid's switches."""
    x, y = switch_deep_mm(s), switch_mm(s)
    return _sheet(s) - _holes(s, [(x + across, y + along) for across, along in bracket_screws(s)])
