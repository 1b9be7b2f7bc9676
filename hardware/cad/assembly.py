"""The whole machine: every part at its place, and the checks that only the whole can give.

The machine's axes: the middle of the base on the counter is the origin, x points to the front, y along the axle to the
motor, z up.
"""

import math
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import build123d as b

from hardware.cad import lid, models, stand
from hardware.cad.geometry import (
    SHIPPED,
    block_mm,
    box_top_mm,
    deep_mm,
    frame_head_mm,
    frame_mm,
    front_mm,
    gantry_mm,
    lens_mm,
    lid_mm,
    mast_off_mm,
    motor_face_mm,
    outside_mm,
    rod_mm,
    rods_mm,
    stop_off_mm,
    stub_end_mm,
    swept_mm,
    tile_mm,
)
from hardware.cad.models import Sizes, disc, tube
from hardware.checks import Check, at_least, at_most


class Made(NamedTuple):
    """A kind of part: how it is modelled, how many there are, and of what."""

    make: Callable[[Sizes], Any]
    number: int
    density: str  # the size with it


_SIDES = int(2 * SHIPPED["guard_columns"] * SHIPPED["guard_rows"])
_PLASTIC, _SHEET = "density_g_cm3", "density_sheet_g_cm3"
PRINTED = {
    "half-cone": Made(models.half_cone, 2, _PLASTIC),
    "window-ring": Made(models.window_ring, 1, _PLASTIC),
    "bearing-block": Made(stand.bearing_block, 2, _PLASTIC),
    "frame-foot": Made(stand.frame_foot, 2, _PLASTIC),
    "frame-head": Made(stand.frame_head, 2, _PLASTIC),
    "sensor-arm": Made(stand.sensor_arm, 1, _PLASTIC),
    "motor-bracket": Made(stand.motor_bracket, 1, _PLASTIC),
    "motor-cap": Made(stand.motor_cap, 1, _PLASTIC),
    "mast-half": Made(stand.mast_half, 2, _PLASTIC),
    "camera-plate": Made(stand.camera_plate, 1, _PLASTIC),
    "ring-holder": Made(stand.ring_holder, 1, _PLASTIC),
    "electronics-box": Made(stand.electronics_box, 1, _PLASTIC),
    "box-roof": Made(stand.box_roof, 1, _PLASTIC),
    "corner-block": Made(stand.corner_block, 8, _PLASTIC),
    "guard": Made(stand.guard, _SIDES - 2, _PLASTIC),
    "guard-motor": Made(stand.guard_motor, 2, _PLASTIC),
    "switch-bracket": Made(lid.switch_bracket, 1, _PLASTIC),
}
"""What is printed."""
CUT = {
    "floor-plate": Made(models.floor_plate, 1, _SHEET),
    "window": Made(models.window, 1, _SHEET),
    "steel-ring": Made(models.steel_ring, 1, "density_steel_g_cm3"),
    "stub": Made(models.stub, 2, "density_steel_g_cm3"),
    "base": Made(stand.base, 1, _SHEET),
    "roof": Made(stand.roof, 1, _SHEET),
    "lid": Made(lid.lid, 1, _SHEET),
    "sill": Made(lid.sill, 1, _SHEET),
    "back": Made(lid.back, 1, _SHEET),
    "corner": Made(stand.corner, 4, "density_aluminium_g_cm3"),
}
"""What is cut."""
MADE = PRINTED | CUT


class Placed(NamedTuple):
    """A part at its place, its mass, and the step of the assembly that puts it there."""

    name: str
    solid: Any
    mass_g: float
    step: int


_AROUND = ("guard", "guard-motor", "lid", "sill", "back", "roof", "frame-foot", "frame-head")
TURNING = ("half-cone", "stub", "floor-plate", "window", "window-ring", "steel-ring")


def machine(s: Sizes = SHIPPED) -> list[Placed]:
    """Every part at its place, in the order in which they are put together."""
    shapes = {name: made.make(s) for name, made in MADE.items()}
    found = []
    for name, step, where in (*_cone(s), *_frame(s), *_gantry(s), *_box(s), *_guards(s)):
        mass_g = shapes[name].volume / 1000 * s[MADE[name].density]
        found.append(Placed(name, where * shapes[name], mass_g, step))
    return sorted(found + _bought(s), key=lambda one: one.step)


_Where = Iterator[tuple[str, int, Any]]


def _cone(s: Sizes) -> _Where:
    up = s["axle_up_mm"] - s["axle_height_mm"]
    top = up + s["cone_height_mm"]
    axle = b.Pos(0, 0, s["axle_up_mm"])
    start = s["hub_reach_mm"] - s["hub_depth_mm"]
    for turn, half, stub in ((0, 2, 3), (180, 4, 4)):
        yield "half-cone", half, b.Rot(0, 0, turn) * b.Pos(0, 0, up)
        yield "stub", stub, b.Rot(0, 0, turn) * axle * b.Pos(0, start, 0) * b.Rot(-90, 0, 0)
    yield "floor-plate", 4, b.Pos(0, 0, up - s["floor_plate_mm"])
    yield "window", 5, b.Pos(0, 0, top)
    yield "window-ring", 5, b.Pos(0, 0, top)
    yield "steel-ring", 5, b.Pos(0, 0, top + s["window_plate_mm"] + s["lip_mm"])


def _frame(s: Sizes) -> _Where:
    high, axle, inside = s["axle_up_mm"] / 2, s["axle_up_mm"], frame_mm(s)
    head = s["base_mm"] + high - s["rail_mm"] + frame_head_mm(s) / 2
    outside = inside + s["frame_wall_mm"] + s["bearing_wide_mm"] + s["block_plate_mm"]
    yield "base", 6, b.Pos(0, 0, 0)
    # What is modelled lying on its back is set up at the left, and turned round for the right.
    for turn in (0, 180):
        side = b.Rot(0, 0, turn)
        upright = b.Rot(90, 0, 0)
        yield "frame-foot", 6, side * b.Pos(0, -inside - s["frame_wall_mm"], s["base_mm"] + high / 2) * upright
        yield "frame-head", 6, side * b.Pos(0, -inside, head) * upright
        yield "bearing-block", 6, side * b.Pos(0, -outside, axle) * b.Rot(-90, 0, 0)
    arm = b.Pos(0, -inside, axle - s["magnet_circle_mm"])
    yield "sensor-arm", 6, arm * b.Rot(-90, 0, 0) * b.Rot(0, 0, 180)
    yield "motor-bracket", 7, b.Pos(0, outside, axle) * b.Rot(-90, 0, 0)
    cap = b.Pos(0, motor_face_mm(s) - s["ledge_mm"], axle - s["motor_shaft_off_mm"])
    yield "motor-cap", 7, cap * b.Rot(-90, 0, 0)


def _gantry(s: Sizes) -> _Where:
    up = s["axle_up_mm"] + gantry_mm(s)
    behind, thick = -mast_off_mm(s), s["mast_mm"] / 2
    for way in (-1, 1):
        plane = b.Plane((behind - way * thick, 0, up), x_dir=(0, way, 0), z_dir=(way, 0, 0))
        yield "mast-half", 8, plane.location
    top = lens_mm(s) + s["lens_hang_mm"]
    yield "camera-plate", 8, b.Pos(behind + thick, 0, top - s["mast_wide_mm"]) * b.Rot(0, 0, -90)
    yield "ring-holder", 8, b.Pos(0, 0, s["axle_up_mm"] - s["axle_height_mm"] + s["ring_mm"])


def _box(s: Sizes) -> _Where:
    across = b.Rot(0, 0, 90)
    yield "electronics-box", 9, b.Pos(0, 0, s["spill_mm"]) * across
    yield "box-roof", 9, b.Pos(0, 0, box_top_mm(s) - s["box_wall_mm"]) * across


def _guards(s: Sizes) -> _Where:
    low, high = s["base_mm"], s["base_mm"] + front_mm(s)
    long, tall = tile_mm(s)
    out, front = outside_mm(s), deep_mm(s) / 2
    yield "roof", 10, b.Pos(0, 0, high)
    inwards = b.Pos(0, 0, -s["window_plate_mm"])
    yield "lid", 11, lid.front_at(s, high - lid_mm(s) / 2) * inwards
    yield "sill", 11, lid.front_at(s, low + s["sill_mm"] / 2) * inwards
    yield "back", 10, lid.front_at(s, (low + high) / 2, way=-1) * inwards
    yield "switch-bracket", 11, lid.switch_at(s)
    for way in (-1, 1):
        motors = (s["axle_up_mm"] - low) // tall if way > 0 else None
        for row in range(int(s["guard_rows"])):
            for column in range(int(s["guard_columns"])):
                x = (column - (s["guard_columns"] - 1) / 2) * long
                notched = row == motors
                over = b.Rot(0, 180, 0) * b.Pos(0, 0, -s["guard_mm"]) if notched and column else b.Pos(0, 0, 0)
                # The back of a tile at the left looks outwards, at the right it looks in.
                y = way * out if way < 0 else out - s["guard_mm"]
                flat = b.Rot(90, 0, 0) * b.Pos(0, 0, -s["guard_mm"])
                yield "guard-motor" if notched else "guard", 10, b.Pos(x, y, low + (row + 0.5) * tall) * flat * over
    sheet_mm = s["window_plate_mm"]
    for turn, (x, y) in zip((0, 90, 180, 270), ((-1, -1), (1, -1), (1, 1), (-1, 1)), strict=True):
        corner_x, corner_y = x * (front - sheet_mm), y * (out - s["guard_mm"])
        yield "corner", 10, b.Pos(corner_x, corner_y, low) * b.Rot(0, 0, turn)
        place = b.Pos(corner_x - x * block_mm(s), corner_y - y * block_mm(s), 0) * b.Rot(0, 0, turn + 180)
        yield "corner-block", 10, b.Pos(0, 0, low) * place
        yield "corner-block", 10, b.Pos(0, 0, high) * b.Rot(180, 0, 0) * b.Rot(0, 0, 0) * _turned_over(place)


def _turned_over(place: Any) -> Any:
    """The place of a block that hangs from the roof above one that stands on the base."""
    at, turn = place.position, place.orientation
    return b.Pos(at.X, -at.Y, 0) * b.Rot(0, 0, 90 - turn.Z)


def _bought(s: Sizes) -> list[Placed]:
    """What is bought and has a place: bearings, coupling, motor, rods, camera."""
    axle, inside = b.Pos(0, 0, s["axle_up_mm"]), frame_mm(s) + s["frame_wall_mm"]
    bearing = tube(s["axle_diameter_mm"] / 2, s["bearing_outer_mm"] / 2, s["bearing_wide_mm"])
    out = [axle * b.Rot(0, 0, turn) * b.Pos(0, inside, 0) * b.Rot(-90, 0, 0) for turn in (0, 180)]
    steel = s["density_steel_g_cm3"] / 1000
    found = [Placed("bearing", at * bearing, bearing.volume * steel, 6) for at in out]
    face = axle * b.Pos(0, motor_face_mm(s), 0) * b.Rot(-90, 0, 0)
    motor = b.Pos(0, s["motor_shaft_off_mm"], 0) * disc(s["motor_diameter_mm"] / 2, s["motor_long_mm"])
    shaft = disc(s["motor_shaft_mm"] / 2, s["motor_shaft_long_mm"], -s["motor_shaft_long_mm"])
    motor = motor + shaft + disc(s["motor_boss_mm"] / 2, s["motor_boss_long_mm"], -s["motor_boss_long_mm"])
    found.append(Placed("motor", face * motor, s["motor_mass_g"], 7))
    start = inside + s["bearing_wide_mm"] + s["block_plate_mm"] + 1
    on_stub = stub_end_mm(s) - start
    coupling = tube(s["axle_diameter_mm"] / 2, s["coupling_mm"] / 2, on_stub)
    coupling += tube(s["motor_shaft_mm"] / 2, s["coupling_mm"] / 2, s["coupling_long_mm"] - on_stub, on_stub)
    place = axle * b.Pos(0, start, 0) * b.Rot(-90, 0, 0)
    found.append(Placed("coupling", place * coupling, coupling.volume * steel, 7))
    low = s["axle_up_mm"] - s["axle_height_mm"] + s["ring_mm"]
    rod = disc(s["foot_screw_mm"] / 2, rod_mm(s), low - 4)
    rods = [b.Pos(-mast_off_mm(s), way * rods_mm(s), 0) * rod for way in (-1, 1)]
    found += [Placed("rod", one, one.volume * steel, 8) for one in rods]
    found += _switches(s)
    return [*found, Placed("camera", b.Pos(0, 0, lens_mm(s)) * b.Box(8, 8, 6, align=models.DOWN), 4.0, 8)]


def _switches(s: Sizes) -> list[Placed]:
    """What of the lid and the sill is bought: hinges, micro-switches, emergency stop, roll button."""
    steel, plastic = s["density_steel_g_cm3"] / 1000, s["density_g_cm3"] / 1000
    corner, high = b.Pos(deep_mm(s) / 2, -outside_mm(s), 0), s["base_mm"] + front_mm(s)
    inset, leaf = s["hinge_inset_mm"], s["hinge_mm"] / 2
    ups = (high - lid_mm(s) + inset - leaf, high - inset - leaf)
    hinges = [corner * b.Pos(0, 0, up) * lid.hinge(s) for up in ups]
    off = (s["ledge_mm"] + s["switch_wide_mm"]) / 2
    switches = [lid.switch_at(s) * b.Pos(0, way * off, 0) * lid.micro_switch(s) for way in (-1, 1)]
    up = s["base_mm"] + s["sill_mm"] / 2
    stop = lid.front_at(s, up, stop_off_mm(s)) * lid.emergency_stop(s)
    button = lid.front_at(s, up) * lid.roll_button(s)
    found = [Placed("hinge", one, one.volume * steel, 11) for one in hinges]
    found += [Placed("micro-switch", one, one.volume * plastic, 11) for one in switches]
    named = (("emergency-stop", stop), ("roll-button", button))
    return found + [Placed(name, one, one.volume * plastic, 11) for name, one in named]


def swept(s: Sizes = SHIPPED) -> Any:
    """Everything that the turning cone passes through, bosses and stub axles included."""
    wide = s["hub_reach_mm"]
    steps = 60
    edge = [wide * step / steps for step in range(steps + 1)]
    half = [(y, max(swept_mm(s, y), s["hub_diameter_mm"] / 2)) for y in edge]
    points = [(-wide, 0), *((-y, r) for y, r in reversed(half[1:])), *half, (wide, 0)]
    face = b.make_face(b.Polyline(*[(0, y, r) for y, r in points], close=True))
    return b.Pos(0, 0, s["axle_up_mm"]) * b.revolve(face, b.Axis.Y)


def sight(s: Sizes = SHIPPED) -> Any:
    """Everything through which the lens looks at the floor, from just below it to just above the floor."""
    floor = s["axle_up_mm"] - s["axle_height_mm"]
    high = s["camera_mm"]
    whole = b.Cone(s["floor_diameter_mm"] / 2, 0, high, align=models.DOWN)
    return b.Pos(0, 0, floor) * (whole & disc(s["floor_diameter_mm"], high - 2, 1))


def checks(parts: list[Placed], s: Sizes = SHIPPED) -> list[Check]:
    """What only the whole can give."""
    still = [one for one in parts if one.name not in TURNING]
    inside = [(one, other) for at, one in enumerate(parts) for other in parts[:at] if _near(one.solid, other.solid)]
    cut = [(shared, one.name, other.name) for one, other in inside if (shared := _shared(one.solid, other.solid)) > 0.5]
    way, view = swept(s), sight(s)
    struck = {one.name for one in still if _shared(one.solid, way) > 0.01}
    hidden = {one.name for one in parts if one.name != "window" and _shared(one.solid, view) > 0.01}
    guards = [one for one in parts if one.name in _AROUND]
    nearest = min(one.solid.distance_to(way) for one in guards)
    return [
        _none("parts that cut into one another", {f"{one} and {other}" for _, one, other in cut}, len(parts)),
        _none("parts that stand in the way of what turns", struck, len(still)),
        _none("parts that hide some of the floor from the lens", hidden, len(parts)),
        at_least("guards, lid, roof and frames from what turns", nearest, 25),
        *_standing(parts, s),
    ]


def _standing(parts: list[Placed], s: Sizes) -> list[Check]:
    mass_g = sum(one.mass_g for one in parts)
    middle = [one.solid.center(b.CenterOf.MASS) for one in parts]
    at = [sum(one.mass_g * axis for one, axis in zip(parts, axes, strict=True)) / mass_g
          for axes in zip(*((point.X, point.Y, point.Z) for point in middle), strict=True)]  # fmt: skip
    edge = min(deep_mm(s) / 2 - abs(at[0]), outside_mm(s) - abs(at[1]))
    turning = [(one, point) for one, point in zip(parts, middle, strict=True) if one.name in TURNING]
    cone_g = sum(one.mass_g for one, _ in turning)
    off = [sum(one.mass_g * axis for (one, _), axis in zip(turning, axes, strict=True)) / cone_g
           for axes in zip(*((point.X, point.Z - s["axle_up_mm"]) for _, point in turning), strict=True)]  # fmt: skip
    return [
        at_least("tilt at which the whole falls over", math.degrees(math.atan2(edge, at[2])), 30, "degrees"),
        at_most("the cone as modelled, out of balance", math.hypot(*off), 3),
        at_most("the whole, as modelled", mass_g / 1000, 12, "kg"),
    ]


def _none(rule: str, found: set[str], looked_at: int) -> Check:
    return Check(rule, ", ".join(sorted(found)) or f"none of {looked_at}", "none", not found)


def _near(one: Any, other: Any) -> bool:
    first, second = one.bounding_box(), other.bounding_box()
    pairs = zip(first.min, first.max, second.min, second.max, strict=True)
    return all(low < other_high and other_low < high for low, high, other_low, other_high in pairs)


def _shared(one: Any, other: Any) -> float:
    """Volume of what two solids have in common, in mm³."""
    if not _near(one, other):
        return 0.0
    common = one & other
    if common is None:
        return 0.0
    return float(sum(piece.volume for piece in common) if isinstance(common, list) else common.volume)
