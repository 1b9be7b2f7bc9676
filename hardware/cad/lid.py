"""What a hand touches, as solids (build123d): lid, hinges and switches, sill, button and stop, back and cables.

Sheets lie as they are cut, their outer face up: x along the machine's width, y upwards from the middle.
"""

from typing import Any

import build123d as b

from hardware.cad.geometry import (
    block_mm,
    deep_mm,
    front_mm,
    lid_mm,
    outside_mm,
    stop_off_mm,
    switch_deep_mm,
    switch_mm,
)
from hardware.cad.models import Sizes, box, disc

_WAYS = (-1, 1)
_HEAD_MM = (15.0, 22.0)  # radius and height of the stop's head and of the button's rim
_RIM_MM = (17.0, 8.0)


def _hole(diameter: float, x: float, y: float) -> Any:
    return b.Pos(x, y, 0) * b.Cylinder(diameter / 2, 80.0)


def lid(s: Sizes) -> Any:
    """The clear front, which opens: holes of the hinges at its left edge, of the knob at its right."""
    out, screw = outside_mm(s), s["screw_mm"] + 2 * s["fit_mm"]
    sheet = box(2 * out, lid_mm(s), s["window_plate_mm"])
    leaf = s["hinge_mm"] / 2
    holes = [_hole(screw, leaf * 0.65 - out, way * up) for up in _hinges(s) for way in _WAYS]
    knob = _hole(s["foot_screw_mm"] + 2 * s["fit_mm"], out - s["margin_mm"], 0)
    return sheet - (b.Part() + holes) - knob


def _hinges(s: Sizes) -> tuple[float, float]:
    """Where the two screws of a hinge are, from the middle of the lid upwards."""
    middle = lid_mm(s) / 2 - s["hinge_inset_mm"]
    return middle - s["hinge_mm"] / 4, middle + s["hinge_mm"] / 4


def sill(s: Sizes) -> Any:
    """The fixed strip below the lid, with the roll button in its middle and the emergency stop at its right."""
    sheet = box(2 * outside_mm(s), s["sill_mm"], s["window_plate_mm"]) - _to_blocks(s, s["sill_mm"], (-1,))
    return sheet - _hole(s["button_hole_mm"], 0, 0) - _hole(s["stop_hole_mm"], stop_off_mm(s), 0)


def back(s: Sizes) -> Any:
    """The clear back: the socket of the 12 V, and at its lower edge a slot for the plug of the other supply."""
    high = front_mm(s)
    sheet = box(2 * outside_mm(s), high, s["window_plate_mm"]) - _to_blocks(s, high, _WAYS)
    socket = _hole(s["socket_hole_mm"], s["margin_mm"], (s["sill_mm"] - high) / 2)
    slot = box(s["cable_slot_mm"], 2 * s["cable_slot_mm"], 20, x=-s["margin_mm"], y=-high / 2, z=-10)
    return sheet - socket - slot


def _to_blocks(s: Sizes, high: float, ends: tuple[int, ...]) -> Any:
    """Holes for the screws into the blocks in the corners, at the lower (-1) and the upper end of a sheet."""
    across, screw = outside_mm(s) - s["guard_mm"] - block_mm(s), s["foot_screw_mm"] + 2 * s["fit_mm"]
    return b.Part() + [_hole(screw, way * across, end * (high / 2 - block_mm(s))) for way in _WAYS for end in ends]


def hinge(s: Sizes) -> Any:
    """A butt hinge with the lid shut, around the corner at the origin: one leaf on the lid (x), one on the side (y)."""
    leaf, thick, long = s["hinge_mm"] / 2, s["hinge_leaf_mm"], s["hinge_mm"]
    pin = thick + 0.3
    leaves = box(thick, leaf, long, x=thick / 2, y=leaf / 2) + box(leaf, thick, long, x=-leaf / 2, y=-thick / 2)
    drill = b.Cylinder(s["screw_mm"] / 2, 20)
    ups = long / 4, long * 3 / 4
    screws = [b.Pos(0, leaf * 0.65, up) * b.Rot(0, 90, 0) * drill for up in ups]
    screws += [b.Pos(-leaf * 0.65, 0, up) * b.Rot(90, 0, 0) * drill for up in ups]
    return leaves + b.Pos(pin, -pin, 0) * disc(pin * 1.4, long) - (b.Part() + screws)


def switch_bracket(s: Sizes) -> Any:
    """Hangs from the roof with a flange; its tongue has a micro-switch on either side, their levers to the lid (x)."""
    edge = s["switch_flange_mm"]
    flange = box(edge, edge, s["ledge_mm"], x=switch_back_mm(s))
    holes = [_hole(s["foot_screw_mm"] + 2 * s["fit_mm"], x, -y) for x, y in bracket_screws(s)]
    tongue = box(s["switch_high_mm"], s["ledge_mm"], s["switch_long_mm"] + 2 * s["ledge_mm"])
    pins = [b.Pos(0, 0, up) * b.Rot(90, 0, 0) * b.Cylinder(1.25, 40) for up in _pins(s)]
    return flange + tongue - (b.Part() + pins) - (b.Part() + holes)


def bracket_screws(s: Sizes) -> list[tuple[float, float]]:
    """Where the bracket's screws are, seen from above, from the middle of its tongue."""
    edge = s["switch_flange_mm"]
    return [(switch_back_mm(s) + way * edge / 4, way * edge / 3) for way in _WAYS]


def switch_back_mm(s: Sizes) -> float:
    """The middle of the bracket's flange, from that of its tongue: behind it, so that the lid is free."""
    return (s["switch_high_mm"] - s["switch_flange_mm"]) / 2


def _pins(s: Sizes) -> tuple[float, float]:
    """Where the screws of a micro-switch are, from the roof down."""
    middle = 2 * s["ledge_mm"] + s["switch_long_mm"] / 2 - s["ledge_mm"] / 2
    return middle - s["switch_pins_mm"] / 2, middle + s["switch_pins_mm"] / 2


def micro_switch(s: Sizes) -> Any:
    """The body of a micro-switch, hanging like its bracket."""
    body = box(s["switch_high_mm"], s["switch_wide_mm"], s["switch_long_mm"], z=1.5 * s["ledge_mm"])
    pins = [b.Pos(0, 0, up) * b.Rot(90, 0, 0) * b.Cylinder(1.25, 40) for up in _pins(s)]
    return body - (b.Part() + pins)


def emergency_stop(s: Sizes) -> Any:
    """Head above its sheet, thread and contacts below; the sheet's outer face is at 0."""
    radius, high = _HEAD_MM
    return disc(radius, high) + disc(s["stop_hole_mm"] / 2 - s["fit_mm"], s["stop_deep_mm"], -s["stop_deep_mm"])


def roll_button(s: Sizes) -> Any:
    """Rim above its sheet, body below; the sheet's outer face is at 0."""
    radius, high = _RIM_MM
    return disc(radius, high) + disc(s["button_hole_mm"] / 2 - s["fit_mm"], s["button_deep_mm"], -s["button_deep_mm"])


def front_at(s: Sizes, up: float, y: float = 0.0, way: int = 1) -> Any:
    """The place of what is modelled on a sheet's outer face at the front (the back: -1), so high above the counter."""
    return b.Pos(way * deep_mm(s) / 2, y, up) * b.Rot(0, 0, 90 * way) * b.Rot(90, 0, 0)


def switch_at(s: Sizes) -> Any:
    """The place of the bracket of the switches, hanging from the roof."""
    return b.Pos(switch_deep_mm(s), switch_mm(s), s["base_mm"] + front_mm(s)) * b.Rot(180, 0, 0)
