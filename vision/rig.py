"""What stands around the dice: the cone's wall, its window, and the ring of lamps that shines through it."""

import math
from collections.abc import Callable
from dataclasses import dataclass, fields

import numpy as np
import numpy.typing as npt

from vision.die_shape import Floats

Points = npt.NDArray[np.float64] | Floats
"""3 x n, mm: x to the right of the picture, y up the picture, z from the floor to the camera."""

MARK_DEG = 225.0
"""Where the mark is on the floor's rim, anticlockwise from the picture's x: at its lower left."""
STROKES = 12
"""How many strokes are around the floor, evenly, the mark between two of them."""
STROKES_IN_MM = 1.0
"""From the wall to the strokes."""
_STROKE, _MARK = 0.45, 2.2  # times what the floor reflects: printed black, and a brighter grey
_LAMPS = 24
_GLASS = 0.04  # of a lamp's light comes back from one side of a window (Fresnel, refractive index 1.5)


@dataclass(frozen=True, slots=True)
class Rig:
    """What camera and lamps look into: mm and degrees, by the names of the machine's sizes; heights from the floor."""

    floor_diameter_mm: float
    cone_height_mm: float  # of the window's lower side
    skirt_mm: float  # of the upright part of the wall
    window_diameter_mm: float
    window_plate_mm: float
    lip_mm: float  # above the window, and above that
    weight_mm: float  # the steel ring
    weight_hole_mm: float  # with its hole
    camera_mm: float
    camera_short_side_deg: float
    ring_radius_mm: float
    ring_mm: float
    ring_wide_mm: float
    polariser_share: float  # of mirrored light that the films before lamps and lens let pass
    marker_long_mm: float  # the strokes around the floor
    marker_wide_mm: float
    mark_mm: float  # the mark's width, and how far it reaches inwards

    @classmethod
    def of(cls, size: Callable[[str], float]) -> "Rig":
        """The rig of a machine that tells each of its sizes by its name."""
        return cls(*(size(field.name) for field in fields(cls)))

    @property
    def lean(self) -> float:
        """How far the wall comes inwards above its upright part, for each mm up."""
        return (self.floor_diameter_mm - self.window_diameter_mm) / 2 / (self.cone_height_mm - self.skirt_mm)

    def focal_px(self, height_px: int) -> float:
        """Of the lens, in a picture of that height, which is its short side."""
        return height_px / 2 / math.tan(math.radians(self.camera_short_side_deg / 2))

    def wall_mm(self, slope: Floats) -> Floats:
        """Where lines of sight, by their slope, meet the wall: mm above the floor, on which it is 0."""
        floor, rim = self.floor_diameter_mm / 2, self.window_diameter_mm / 2 / (self.camera_mm - self.cone_height_mm)
        slope = np.maximum(slope, floor / self.camera_mm)
        upright = self.camera_mm - floor / slope
        inside = np.minimum(slope, rim)
        leaning = (inside * self.camera_mm - floor - self.lean * self.skirt_mm) / (inside - self.lean)
        met = np.where(upright < self.skirt_mm, upright, np.where(slope < rim, leaning, self.cone_height_mm))
        return np.asarray(met, np.float32)

    def printed(self, places: Points, pixel_mm: float) -> Floats:
        """Times what the bare floor reflects, places of it (2 x ..., mm) do, for its strokes and its mark.

        A pixel is so wide.
        """
        rim, away = self.floor_diameter_mm / 2, np.hypot(*places)
        turn = np.arctan2(places[1], places[0]) - np.float32(math.radians(MARK_DEG))
        apart, half_mm = np.float32(math.tau / STROKES), self.marker_long_mm / 2
        along = np.abs(rim - STROKES_IN_MM - half_mm - away)
        across = away * np.abs(turn % apart - apart / 2)
        stroke = _within(half_mm, along, pixel_mm) * _within(self.marker_wide_mm / 2, across, pixel_mm)
        # The mark is a triangle that points to the middle.
        inwards, aside = rim - away * np.cos(turn), away * np.abs(np.sin(turn))
        mark = _within((self.mark_mm - inwards) / 2, aside, pixel_mm)
        return np.asarray(1.0 + (_STROKE - 1) * stroke + (_MARK - 1) * mark, np.float32)

    def through(self, points: Points, lamps: Points) -> Floats:
        """How much light gets from places in the ring to points in the cone (n, 0 to 1): past window and steel ring."""
        top_mm = self.cone_height_mm + self.window_plate_mm + self.lip_mm + self.weight_mm
        passes = np.ones(points.shape[1], np.float32)
        for height, hole in ((self.cone_height_mm, self.window_diameter_mm), (top_mm, self.weight_hole_mm)):
            share = (height - points[2]) / (lamps[2] - points[2])
            across = points[:2] + (lamps[:2] - points[:2]) * share
            # The ring is so wide that what stands in its way has a soft edge.
            soft = self.ring_wide_mm * np.clip(share, 0.05, 1.0)
            inside = np.clip(0.5 + (hole / 2 - np.hypot(across[0], across[1])) / soft, 0.0, 1.0)
            passes = np.minimum(passes, np.where(points[2] < height, inside, 1.0))
        return np.asarray(passes, np.float32)

    def mirrored(self, slope: Floats, pixel: float) -> Floats:
        """What lines of sight, by their slope, see of the lamps in both sides of the window, where 1 is a bare lamp.

        A pixel is so much of a slope: so soft is the edge.
        """
        seen = np.zeros_like(slope)
        for side_mm in (self.cone_height_mm, self.cone_height_mm + self.window_plate_mm):
            way_mm = self.camera_mm + self.ring_mm - 2 * side_mm
            off_mm = np.abs(slope * way_mm - self.ring_radius_mm)
            seen += (
                self.polariser_share
                * _GLASS
                * np.clip(0.5 + (self.ring_wide_mm / 2 - off_mm) / (pixel * way_mm), 0.0, 1.0)
            )
        return seen


def _within(half_mm: Points | float, off_mm: Points, pixel_mm: float) -> Floats:
    """How much of a pixel is less than half_mm from a line, 0 to 1, by how far its middle is off it."""
    most = np.clip(2 * np.asarray(half_mm) / pixel_mm, 0.0, 1.0)  # a line may be thinner than a pixel
    return np.asarray(np.clip(0.5 + (half_mm - off_mm) / pixel_mm, 0.0, most), np.float32)


class RingLight:
    """The lamps, as bright as it takes to light a level place halfway to the wall by so much.

    No ring is even: with a generator its one side is brighter, by chance.
    """

    def __init__(self, rig: Rig, halfway: float, rng: np.random.Generator | None = None) -> None:
        self._rig = rig
        turn = np.arange(_LAMPS) * (2 * np.pi / _LAMPS)
        ring = rig.ring_radius_mm * np.cos(turn), rig.ring_radius_mm * np.sin(turn), np.full(_LAMPS, rig.ring_mm)
        self.lamps = np.stack(ring, axis=1)
        self._power = np.ones(_LAMPS) if rng is None else 1 + 0.2 * np.cos(turn - rng.uniform(0, 2 * np.pi))
        place = np.array([[rig.floor_diameter_mm / 4], [0], [0]], np.float32)
        self._power *= halfway / max(float(self.falling(place, np.array([[0], [0], [1]], np.float32))[0]), 1e-9)
        # So bright is a lamp itself beside a white floor halfway to the wall (a surface that shines evenly all around).
        area_mm2 = 2 * math.pi * rig.ring_radius_mm * rig.ring_wide_mm
        self.bright = halfway * math.pi * (rig.ring_radius_mm**2 + rig.ring_mm**2) ** 2 / (area_mm2 * rig.ring_mm**2)

    def reaching(self, points: Points) -> Floats:
        """How much of each lamp's light reaches points, before it falls on them at a slant: lamps x n."""
        beams = self.lamps[:, :, None].astype(np.float32) - points
        far = np.sqrt(np.einsum("lin,lin->ln", beams, beams))
        places = (np.broadcast_to(lamp[:, None], points.shape) for lamp in self.lamps)
        passes = np.stack([self._rig.through(points, place) for place in places])
        # A lamp shines down, most of all straight down.
        return np.asarray(self._power[:, None] * passes * beams[:, 2] / far**3, np.float32)

    def falling(self, points: Points, normals: Floats) -> Floats:
        """How much of the lamps' light falls on points with these normals (3 x n)."""
        beams = self.lamps[:, :, None].astype(np.float32) - points
        slant = np.einsum("lin,in->ln", beams, normals) / np.sqrt(np.einsum("lin,lin->ln", beams, beams))
        return np.asarray((self.reaching(points) * np.maximum(slant, 0.0)).sum(axis=0), np.float32)

    def unevenness(self, side_mm: float) -> float:
        """By how much a level face on a die of that side gets more of the light at the best place than at the worst."""
        away = np.linspace(0, self._rig.floor_diameter_mm / 2 - side_mm / 2, 40)
        points = np.stack([away, np.zeros_like(away), np.full_like(away, side_mm)])
        level = self.falling(points, np.tile(np.array([[0], [0], [1]], np.float32), (1, len(away))))
        return float(level.max()) / max(float(level.min()), 1e-9)
