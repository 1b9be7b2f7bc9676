"""What turns, as solids (build123d), each from the sizes; the cone's own axes as in `geometry`."""

import math
from collections.abc import Mapping
from typing import Any

import build123d as b

from hardware.cad.geometry import inner_mm, lip_mm, outer_mm, plate_mm, ring_mm, seam_bolt_mm, seam_top_mm, weight_mm

Sizes = Mapping[str, float]
DOWN = (b.Align.CENTER, b.Align.CENTER, b.Align.MIN)
"""Standing on its middle."""
_SCREWS = 6  # around foot and head
_FIRST_SCREW_DEG = 30.0
THROUGH_MM = 80.0
"""Drills go through whatever there is."""


def disc(radius: float, high: float, up: float = 0.0) -> Any:
    """A cylinder that stands at a height."""
    return b.Pos(0, 0, up) * b.Cylinder(radius, high, align=DOWN)


def tube(inner: float, outer: float, high: float, up: float = 0.0) -> Any:
    """A hollow cylinder that stands at a height."""
    return disc(outer, high, up) - disc(inner, high, up)


def box(long: float, wide: float, high: float, x: float = 0, y: float = 0, z: float = 0) -> Any:
    """A box over its middle, standing at a height."""
    return b.Pos(x, y, z) * b.Box(long, wide, high, align=DOWN)


def _around(hole: float, circle: float, high: float, up: float) -> Any:
    """Screw holes on a circle, none of them at a seam."""
    holes = [b.Rot(0, 0, _FIRST_SCREW_DEG + 360 / _SCREWS * n) * b.Pos(circle, 0, up) for n in range(_SCREWS)]
    return b.Part() + [at * b.Cylinder(hole / 2, high, align=DOWN) for at in holes]


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
    whole = _profile(outer_mm, s) + disc(plate_mm(s), s["foot_mm"]) + disc(ring_mm(s), s["foot_mm"], head)
    reach = 2 * plate_mm(s)
    boss = _along(s["hub_diameter_mm"] / 2, 0, s["hub_reach_mm"], s["axle_height_mm"])
    whole = whole + boss + box(reach, 2 * s["seam_mm"], seam_top_mm(s)) - inside
    inserts = _around(s["insert_mm"], foot_circle_mm(s), s["foot_mm"], 0)
    inserts += _around(s["insert_mm"], head_circle_mm(s), s["foot_mm"], head)
    keep = b.Pos(0, reach / 2, s["cone_height_mm"] / 2) * b.Box(2 * reach, reach, 2 * s["cone_height_mm"])
    return (whole - _boss_holes(s) - _seam_bolts(s) - inserts) & keep


def _along(radius: float, start: float, end: float, up: float) -> Any:
    """A cylinder along the axle."""
    return b.Pos(0, (start + end) / 2, up) * b.Rot(90, 0, 0) * b.Cylinder(radius, end - start)


def _boss_holes(s: Sizes) -> Any:
    """Bore and pin of the stub axle, and the pocket of the magnet that the home sensor sees."""
    end, axle = s["hub_reach_mm"], s["axle_height_mm"]
    bore = _along(s["axle_diameter_mm"] / 2 + s["fit_mm"] / 2, end - s["hub_depth_mm"], end, axle)
    pin = b.Pos(0, end - s["hub_depth_mm"] / 2, axle) * b.Cylinder(s["screw_mm"] / 2, 2 * s["hub_diameter_mm"])
    deep = s["magnet_deep_mm"] + s["fit_mm"]
    return bore + pin + _along(s["magnet_mm"] / 2 + s["fit_mm"] / 2, end - deep, end, axle - s["magnet_circle_mm"])


def _seam_bolts(s: Sizes) -> Any:
    bolt = b.Rot(90, 0, 0) * b.Cylinder(s["screw_mm"] / 2, 4 * s["seam_mm"])
    out = (outer_mm(s, seam_bolt_mm(s)) + plate_mm(s)) / 2
    return b.Part() + [b.Pos(way * out, 0, seam_bolt_mm(s)) * bolt for way in (-1, 1)]


def window_ring(s: Sizes) -> Any:
    """The ring that holds the window down, the window's seat on its lower side."""
    glass = s["window_diameter_mm"] / 2 + s["ledge_mm"] + s["fit_mm"]
    clear = b.Cone(lip_mm(s), weight_mm(s)[0], s["lip_mm"], align=DOWN)
    ring = disc(ring_mm(s), s["window_plate_mm"] + s["lip_mm"]) - b.Pos(0, 0, s["window_plate_mm"]) * clear
    return ring - disc(glass, s["window_plate_mm"]) - _around(s["screw_mm"], head_circle_mm(s), THROUGH_MM, 0)


def steel_ring(s: Sizes) -> Any:
    """The ring that balances the floor plate; cut, not printed."""
    return tube(*weight_mm(s), s["weight_mm"]) - _around(s["screw_mm"], head_circle_mm(s), THROUGH_MM, 0)


def window(s: Sizes) -> Any:
    """The clear disc; cut, not printed."""
    return disc(s["window_diameter_mm"] / 2 + s["ledge_mm"], s["window_plate_mm"])


def floor_plate(s: Sizes) -> Any:
    """The floor, cut, with its screw holes."""
    return disc(plate_mm(s), s["floor_plate_mm"]) - _around(s["screw_mm"], foot_circle_mm(s), THROUGH_MM, 0)


def stub(s: Sizes) -> Any:
    """A stub axle, standing; bought and drilled."""
    return disc(s["axle_diameter_mm"] / 2, s["stub_mm"])


def turned_on_bed_mm(part: Any) -> float:
    """Edge of the smallest square bed on which the part lies, at the best of some turns about the upright."""
    sizes = ((b.Rot(0, 0, angle) * part).bounding_box().size for angle in range(0, 91, 15))
    return min(float(max(size.X, size.Y)) for size in sizes)


def farthest_mm(part: Any, s: Sizes) -> float:
    """How far from the axle the part of the cone reaches, the bosses left out."""
    body = part & b.Box(1000, 2 * plate_mm(s), 1000)
    points = [point for edge in body.edges() for point in (edge @ (n / 16) for n in range(17))]
    return max(math.hypot(point.X, point.Z - s["axle_height_mm"]) for point in points)
