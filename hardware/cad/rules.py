"""What the sizes must hold: clearances, view, light, balance, torque, tipping; none of it needs a model."""

import math
from collections.abc import Mapping

from firmware.settings import tower_settings
from hardware.cad.geometry import (
    SHIPPED,
    ajar_mm,
    asked_nmm,
    balance_mm,
    box_top_mm,
    deep_mm,
    drawn_a,
    frame_mm,
    given_nmm,
    lens_mm,
    lip_mm,
    outer_mm,
    outside_mm,
    plate_mm,
    ring_mm,
    seam_bolt_mm,
    stub_end_mm,
    swept_mm,
    tile_mm,
    top_mm,
    weight_mm,
)
from hardware.checks import Check, at_least, at_most
from vision.rig import Rig, RingLight

MARGIN = 3.0
"""How many times the torque that a throw asks for the motor must have."""
_WALL_MM = 2.0  # thinnest wall that prints tight
_FINGER_MM = (4.0, 25.0)  # gaps between these catch a finger
_TIP_DEG = 20.0
_HAND_N = 10.0  # a hand holds as much without being hurt
_JAM_A = tower_settings().jam_a


def _held_mm(s: Mapping[str, float]) -> tuple[float, float]:
    """How much of the coupling, set a millimetre off the bracket, is on the stub axle and on the motor's shaft."""
    start = frame_mm(s) + s["frame_wall_mm"] + s["bearing_wide_mm"] + s["block_plate_mm"] + 1
    on_stub = stub_end_mm(s) - start
    return on_stub, s["coupling_long_mm"] - on_stub - 1


def checks(s: Mapping[str, float] = SHIPPED) -> list[Check]:
    """Every rule that needs no model."""
    return [*_swept(s), *_seen(s), *_walls(s), *_guarded(s), *_driven(s)]


def _swept(s: Mapping[str, float]) -> list[Check]:
    lamp_up = s["ring_mm"] - s["axle_height_mm"]
    hub = s["hub_diameter_mm"] / 2
    edge = s["ring_radius_mm"] - s["ring_wide_mm"]
    places = [(edge * math.cos(turn), edge * math.sin(turn)) for turn in (math.radians(n) for n in range(91))]
    nearest = min(math.hypot(across, lamp_up) - swept_mm(s, along) for across, along in places)
    return [
        at_most("what turns stays within the swept radius", swept_mm(s), s["swept_radius_mm"]),
        at_least("lamps clear of what turns", nearest, 5),
        at_least("lens above the swept circle", s["camera_mm"] - s["axle_height_mm"] - s["swept_radius_mm"], 25),
        at_least("bearing clear of the boss's end", frame_mm(s) - s["hub_reach_mm"], _FINGER_MM[1]),
        at_least("boss around the stub axle", hub - s["axle_diameter_mm"] / 2, 3 * _WALL_MM),
        at_least(
            "stub axle goes through bearing and block",
            stub_end_mm(s) - frame_mm(s) - s["frame_wall_mm"] - s["bearing_wide_mm"],
            s["block_plate_mm"],
        ),
        at_least("coupling on the stub axle", _held_mm(s)[0], s["axle_diameter_mm"]),
        at_least("coupling on the motor's shaft", _held_mm(s)[1], s["motor_shaft_mm"]),
        at_least("stub axle clear of the guards", outside_mm(s) - s["guard_mm"] - stub_end_mm(s), 2),
    ]


def _seen(s: Mapping[str, float]) -> list[Check]:
    floor, lens = s["floor_diameter_mm"] / 2, s["camera_mm"]
    tops = lens - s["die_side_mm"]
    field = tops * math.tan(math.radians(s["camera_short_side_deg"] / 2))
    seat, top = s["cone_height_mm"], top_mm(s)
    through = floor * (lens - seat) / tops
    # The lower side of the window mirrors the lamps nearest to the middle of the picture.
    mirrored = (s["ring_radius_mm"] - s["ring_wide_mm"] / 2) * tops / (lens + s["ring_mm"] - 2 * seat)
    pips = floor - s["die_side_mm"] / 8
    uneven = RingLight(Rig.of(s.__getitem__), 1.0).unevenness(s["die_side_mm"])
    at_top = s["ring_radius_mm"] - (s["ring_radius_mm"] + floor) * (s["ring_mm"] - top) / s["ring_mm"]
    return [
        at_least("half the picture's short side, at the height of the dice's tops", field, floor + 1),
        at_most("view of the dice's tops where it passes the window", through, s["window_diameter_mm"] / 2),
        at_least("lamps' image in the window, beside the pips of a die at the wall", mirrored, pips),
        at_most("lamps' light on the dice's tops, brightest over dimmest place", uneven, 2.5, "times"),
        at_most("light to the far edge of the floor, where it passes the steel ring", abs(at_top), weight_mm(s)[0]),
    ]


def _walls(s: Mapping[str, float]) -> list[Check]:
    around_insert = (s["foot_reach_mm"] - s["insert_mm"]) / 2
    ledge = s["window_diameter_mm"] / 2 + s["ledge_mm"] + s["fit_mm"]
    seam = (plate_mm(s) - outer_mm(s, seam_bolt_mm(s)) - s["screw_mm"]) / 2
    return [
        at_least("flange beside its bolt", seam, _WALL_MM),
        at_least("cone's wall", s["wall_mm"], _WALL_MM),
        at_least("box's wall", s["box_wall_mm"], _WALL_MM),
        at_least("foot beside its inserts", around_insert, _WALL_MM),
        at_least("lip on the window", s["window_diameter_mm"] / 2 + s["ledge_mm"] - lip_mm(s), _WALL_MM),
        at_least("window ring beside its screws", (ring_mm(s) - ledge - s["screw_mm"]) / 2, _WALL_MM),
        at_least("upright wall against a die", s["skirt_mm"], s["die_side_mm"]),
        at_most("half of the cone, turned by 45 degrees, on the bed", plate_mm(s) * (1 + math.sqrt(0.5)), s["bed_mm"]),
    ]


def _guarded(s: Mapping[str, float]) -> list[Check]:
    room = box_top_mm(s) - s["spill_mm"] - 2 * s["box_wall_mm"]
    return [
        at_most("a tile of the guards on the bed", max(tile_mm(s)), s["bed_mm"]),
        at_most("gap between home sensor and boss", s["sensor_gap_mm"], _FINGER_MM[0]),
        at_most("gap between lid and sill", s["lid_gap_mm"], _FINGER_MM[0]),
        at_most("lid's free edge when both switches have let go", ajar_mm(s), _FINGER_MM[0]),
        at_least("stop and button clear of the electronics box", _behind_sill(s), 10),
        at_most("slots of the guards", s["guard_slot_mm"], _FINGER_MM[0]),
        at_least("from guards to the swept circle", s["guard_gap_mm"], _FINGER_MM[1]),
        at_least("from cone to side frames", s["side_gap_mm"], _FINGER_MM[1]),
        at_least("room in the electronics box above a spill", room, 25),
    ]


def _behind_sill(s: Mapping[str, float]) -> float:
    """Room between what reaches in behind the sill and the box with its roof's edge."""
    inner = deep_mm(s) / 2 - s["window_plate_mm"] - max(s["stop_deep_mm"], s["button_deep_mm"])
    return inner - s["box_wide_mm"] / 2 - s["drip_lip_mm"]


def _driven(s: Mapping[str, float]) -> list[Check]:
    tip = math.degrees(math.atan2(min(deep_mm(s) / 2, outside_mm(s)), lens_mm(s)))
    return [
        at_most("cone out of balance", abs(balance_mm(s)), 3),
        at_least("motor's torque over what the ramp asks for", given_nmm(s) / asked_nmm(s), MARGIN, "times"),
        at_most("motor's current while it speeds up", drawn_a(s, asked_nmm(s)), _JAM_A, "A"),
        at_most("motor's torque, for its gear", given_nmm(s), s["gear_nmm"], "N mm"),
        at_most("push of the held cone at its edge", given_nmm(s) / plate_mm(s), _HAND_N, "N"),
        at_least("tilt at which it falls, all mass at the lens", tip, _TIP_DEG, "degrees"),
    ]
