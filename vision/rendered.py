"""The camera without a device: dice on the floor of the cone, drawn as the camera above its window would see them."""

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import cycle, islice

import cv2
import numpy as np
import numpy.typing as npt

from vision.camera import CameraLost, Frame
from vision.die_shape import SIDE_MM, DieStyle, Floats, distance_mm, strike, styles_named, surface
from vision.picture import Image
from vision.rig import Rig, RingLight

Rotation = tuple[tuple[float, float, float], tuple[float, float, float], tuple[float, float, float]]
"""Rows of the matrix that turns directions of the die's frame into directions of the floor's."""

LIT = 0.42, 0.49
"""How much light falls on the floor halfway to the wall, from the lamps and from the lit wall."""
_WARM = np.array([[0.90], [0.985], [1.03]], np.float32)  # blue, green, red
_FLOOR_COLOUR = np.array([0.082, 0.078, 0.072], np.float32)
_WALL_COLOUR = np.array([0.11, 0.11, 0.112], np.float32)
_BAND_PX, _SOFT_PX = 64, 8
_NOISE_LEVELS, _NOISE_SLACK_PX = 3.2, 128


@dataclass(frozen=True, slots=True)
class LyingDie:
    """Where a die is, in mm: x to the right of the picture, y up the picture, z from the floor to the camera."""

    x_mm: float  # the cube's centre; the floor's centre is 0, 0, 0
    y_mm: float
    z_mm: float  # well below the camera
    rotation: Rotation
    side_mm: float = SIDE_MM


class Stage:
    """The empty floor in its light, under its camera, ready for dice to be drawn on it."""

    def __init__(
        self,
        rng: np.random.Generator,
        rig: Rig,
        *,
        size_px: tuple[int, int] = (1456, 1088),
        lit: tuple[float, float] = LIT,
    ) -> None:
        self._rng, self._rig = rng, rig
        self._width, self._height = size_px
        self._centre = np.array([(self._width - 1) / 2, (self._height - 1) / 2])
        self.focal_px = rig.focal_px(self._height)
        self._ring, self._sky_light = RingLight(rig, lit[0], rng), np.float32(lit[1])
        focal_px = np.float32(self.focal_px)
        self._across = (np.arange(self._width, dtype=np.float32) - np.float32(self._centre[0])) / focal_px
        self._up = (np.float32(self._centre[1]) - np.arange(self._height, dtype=np.float32)) / focal_px
        self._empty = self._bare_floor()
        self._mirrored = self._window()
        self._brighter, self._darker = self._noise()
        self._noise_at = (0, 0)

    def pixels(self, points_mm: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Where points (... x 3, mm) are in the picture (... x 2)."""
        scale = self.focal_px / (self._rig.camera_mm - points_mm[..., 2:])
        return self._centre + points_mm[..., :2] * scale * (1.0, -1.0)

    def draw(self, dice: Sequence[LyingDie], styles: Sequence[DieStyle]) -> Image:
        """The picture without the sensor's noise; styles go round if there are fewer than dice."""
        picture = self._empty.copy()
        if dice:
            cv2.multiply(picture, cv2.merge([self._shade(dice)] * 3), dst=picture, scale=1 / 255)
        depth = np.full((self._height, self._width), np.inf, np.float32)
        makes = list(islice(cycle(styles), len(dice)))
        # From the floor upwards, so that the soft rim of a die mixes with what lies under it.
        for die, style in sorted(zip(dice, makes, strict=True), key=lambda pair: pair[0].z_mm):
            others = [(other, make) for other, make in zip(dice, makes, strict=True) if _near(die, other)]
            self._draw_die(picture, depth, die, style, others)
        cv2.max(picture, self._mirrored, dst=picture)
        return np.asarray(cv2.GaussianBlur(picture, (5, 5), 0.75), np.uint8)

    def expose(self, picture: Image) -> Image:
        """The picture with noise on it that the next one will not have."""
        row, column = self._noise_at
        while (row, column) == self._noise_at:
            row, column = (int(shift) for shift in self._rng.integers(_NOISE_SLACK_PX, size=2))
        self._noise_at = (row, column)
        window = slice(row, row + self._height), slice(column, column + self._width)
        lighter = cv2.add(picture, self._brighter[window])
        return np.asarray(cv2.subtract(lighter, self._darker[window], dst=lighter), np.uint8)

    def _draw_die(
        self,
        picture: Image,
        depth: Floats,
        die: LyingDie,
        style: DieStyle,
        others: Sequence[tuple[LyingDie, DieStyle]],
    ) -> None:
        corners = self.pixels(_corners(die, die.side_mm / 2))
        left, top = np.maximum(np.floor(corners.min(axis=0)) - 1, 0).astype(int)
        right, bottom = np.minimum(np.ceil(corners.max(axis=0)) + 2, (self._width, self._height)).astype(int)
        if left >= right or top >= bottom:
            return
        patch = slice(top, bottom), slice(left, right)
        looking = self._sight(*patch)
        sight = looking.reshape(2, -1)
        rays = np.concatenate([sight, np.full((1, sight.shape[1]), -1, np.float32)])
        turn, centre = _pose(die)
        eye = np.array([[0], [0], [self._rig.camera_mm]], np.float32)
        body_eye, body_rays = turn.T @ (eye - centre), turn.T @ rays
        pixel_mm = float(self._rig.camera_mm - die.z_mm) / self.focal_px
        away, missing = strike(body_eye, body_rays, die.side_mm, style, pixel_mm)
        cover = np.clip(1.0 - missing / pixel_mm, 0.0, 1.0)
        under = depth[patch].reshape(-1)
        seen = np.flatnonzero((cover > 0) & (away < under))
        away, rays, body_rays, cover = away[seen], rays[:, seen], body_rays[:, seen], cover[seen]

        normal, colour, pip = surface(body_eye + away * body_rays, body_rays, die.side_mm, style, pixel_mm)
        light = self._light(turn @ normal, eye + away * rays, die, others)
        gleam = self._gleam(turn @ normal, eye + away * rays, rays, style.gloss)
        lens = _lens(looking).reshape(-1)[seen]
        linear = (colour * (light * (1.0 - 0.2 * pip)) + gleam) * lens * _WARM
        shown = np.sqrt(np.clip(linear, 0.0, 1.0)) * 255.0
        pixels = picture[patch].reshape(-1, 3)
        pixels[seen] = np.rint(pixels[seen] + cover[:, None] * (shown.T - pixels[seen])).astype(np.uint8)
        picture[patch] = pixels.reshape(picture[patch].shape)
        solid = cover > 0.5
        under[seen[solid]] = away[solid]
        depth[patch] = under.reshape(depth[patch].shape)

    def _light(
        self,
        normals: Floats,
        points: Floats,
        die: LyingDie,
        others: Sequence[tuple[LyingDie, DieStyle]],
    ) -> Floats:
        """How much light falls on points of a die (n): on a level face halfway to the wall the two shares of `lit`."""
        to_lamps = self._ring.lamps - (die.x_mm, die.y_mm, die.z_mm)
        far = np.linalg.norm(to_lamps, axis=1)
        beams = (to_lamps / far[:, None]).astype(np.float32)
        power = self._ring.reaching(np.array([[die.x_mm], [die.y_mm], [die.z_mm]]))[:, 0]
        ring: Floats = power @ np.maximum(beams @ normals, 0.0)
        # The sky is the lit wall all around; the dark floor hides the lower half of it from what is low on a side.
        open_sky = 0.55 + 0.45 * normals[2] + 0.15 * np.clip(points[2] / die.side_mm, 0.0, 1.0) * (1 - normals[2])
        sky = self._sky_light * np.maximum(open_sky, 0.08)
        main_beam = np.asarray(power @ beams / max(float(power.sum()), 1e-9), np.float32)[:, None]
        reach_mm = np.float32(0.3 * die.side_mm)
        for other, make in others:
            beside = _gap_mm(points + normals * reach_mm, other, make) / reach_mm
            sky = sky * np.clip(0.25 + 0.75 * beside, 0.15, 1.0)
            before = _gap_mm(points + (normals + main_beam) * reach_mm, other, make) / reach_mm
            ring = ring * np.clip(0.2 + before, 0.12, 1.0)
        return np.asarray(ring + sky, np.float32)

    def _gleam(self, normals: Floats, points: Floats, rays: Floats, gloss: float) -> Floats:
        """The ring's reflection in the surface (n): where the mirrored ray passes the ring's height."""
        facing = np.einsum("in,in->n", rays, normals)
        mirrored = rays - 2.0 * facing * normals
        up = np.maximum(mirrored[2], 0.05)
        passes = points[:2] + mirrored[:2] * ((self._rig.ring_mm - points[2]) / up)
        # Even on a polished edge a pixel sees some 70 mm of the ring's plane; a narrower gleam would break into dots.
        width = 34.0 + 50.0 * (1.0 - gloss)
        off = (np.hypot(passes[0], passes[1]) - self._rig.ring_radius_mm) / width
        seen = self._rig.through(points, np.append(passes, np.full_like(passes[:1], self._rig.ring_mm), axis=0))
        glance = np.clip(1.0 + facing / np.sqrt(np.einsum("in,in->n", rays, rays)), 0.0, 1.0)
        lid = 0.03 + 0.3 * np.clip(mirrored[2], 0.0, 1.0)
        shine = (0.04 + 0.96 * glance**5) * gloss
        lamps = 165.0 / width * np.exp(-off * off) * (mirrored[2] > 0) * seen * self._rig.polariser_share
        return np.asarray(shine * (lamps + lid), np.float32)

    def _shade(self, dice: Sequence[LyingDie]) -> Image:
        """By what the dice's shadows multiply the floor's grey levels, in 255ths."""
        size = self._height // 2, self._width // 2
        lost, mask = np.zeros(size, np.uint8), np.zeros(size, np.uint8)
        near = np.zeros(size, np.uint8)
        corners = np.stack([_corners(die, die.side_mm / 2 * 0.95) for die in dice])
        low = corners[..., 2:]
        reaching = self._ring.reaching(corners.mean(axis=1).T * [[1], [1], [0]])
        shares = 255 * reaching / np.maximum(reaching.sum(axis=0), 1e-9)
        for lamp, share in zip(self._ring.lamps, shares, strict=True):
            mask[:] = 0
            self._fill(mask, corners + (corners - lamp) * (low / (lamp[2] - low)), share.tolist())
            cv2.add(lost, mask, dst=lost)
        heights = np.maximum(low.min(axis=(1, 2)), 0.0)
        self._fill(near, corners * (1, 1, 0), [int(255 * np.exp(-height / 8.0)) for height in heights])
        blur_px = 0.5 * self.focal_px / self._rig.camera_mm
        ring = cv2.GaussianBlur(lost, (0, 0), 0.6 * blur_px).astype(np.float32) / 255
        sky = cv2.GaussianBlur(near, (0, 0), 2.5 * blur_px).astype(np.float32) / 255
        from_ring = self._ring_share[: size[0], : size[1]]
        light = 1.0 - from_ring * 0.97 * np.minimum(ring, 1.0) - (1 - from_ring) * 0.9 * sky
        small = np.asarray(np.rint(255 * np.sqrt(light)), np.uint8)
        return np.asarray(cv2.resize(small, (self._width, self._height), interpolation=cv2.INTER_LINEAR), np.uint8)

    def _fill(self, mask: Image, points_mm: npt.NDArray[np.float64], levels: Sequence[float]) -> None:
        """Fill the outline of each row of points, as they are on the floor, in a mask of half size."""
        outlines = np.rint(self.pixels(points_mm * (1, 1, 0)) * (0.5 * 16)).astype(np.int32)
        for outline, level in zip(outlines, levels, strict=True):
            cv2.fillConvexPoly(mask, cv2.convexHull(outline), level, cv2.LINE_AA, shift=4)

    def _sight(self, rows: slice, columns: slice) -> Floats:
        """Where the lines of sight of these pixels go, for each step down, 2 x rows x columns."""
        return np.stack(np.broadcast_arrays(self._across[None, columns], self._up[rows, None]))

    def _bare_floor(self) -> Image:
        """The picture of the floor and the cone's wall, with nothing on them; notes the ring's share of the light."""
        picture = np.empty((self._height, self._width, 3), np.uint8)
        radius = np.hypot(*self._sight(slice(None), slice(None))) * np.float32(self._rig.camera_mm)
        height = self._rig.wall_mm(radius / np.float32(self._rig.camera_mm))
        structure = np.where(height > 0, self._layers(height), self._speckle(radius))
        ring = self._ring_light(height)
        self._ring_share = (ring / (ring + self._sky_light))[::2, ::2].copy()  # shades are drawn at half the size
        # By bands, for a whole picture of floats at a time takes 200 MB.
        for top in range(0, self._height, _BAND_PX):
            rows = slice(top, top + _BAND_PX)
            picture[rows] = self._bare_band(rows, height[rows], structure[rows], ring[rows])
        return picture

    def _bare_band(self, rows: slice, height: Floats, structure: Floats, ring: Floats) -> Image:
        """Some rows of the bare floor."""
        sight = self._sight(rows, slice(None))
        wall = height > 0
        on_floor = sight * np.float32(self._rig.camera_mm)
        inside = self._rig.floor_diameter_mm / 2 - np.hypot(*on_floor)
        printed = np.where(wall, 1.0, self._rig.printed(on_floor, self._rig.camera_mm / self.focal_px))
        # Little light gets into the corner where floor and wall meet; each shows a little of the other's light.
        light = (ring + self._sky_light) * (1.0 - 0.55 * np.exp(-np.where(wall, height / 2.5, inside / 6.0)))
        colour = np.where(wall[..., None], _WALL_COLOUR, _FLOOR_COLOUR) * _WARM[:, 0]
        linear = colour * (light * printed * structure * _lens(sight))[..., None]
        return np.asarray(np.rint(255 * np.sqrt(np.clip(linear, 0.0, 1.0))), np.uint8)

    def _ring_light(self, height: Floats) -> Floats:
        """How much of the lamps' light falls where each pixel looks, that high above the floor.

        On floor, upright and leaning wall each it is so soft that a few places tell it of all.
        """
        rig, (rows, columns) = self._rig, (math.ceil(length / _SOFT_PX) for length in height.shape)
        across = np.interp(
            (np.arange(columns) + 0.5) * self._width / columns - 0.5, np.arange(self._width), self._across
        )
        up = np.interp((np.arange(rows) + 0.5) * self._height / rows - 0.5, np.arange(self._height), self._up)
        sight = np.stack(np.broadcast_arrays(across[None], up[:, None])).reshape(2, -1).astype(np.float32)
        slope = np.hypot(*sight)
        on_wall, inward = rig.wall_mm(slope), -sight / np.maximum(slope, 1e-3)

        def falling(high: Floats, normal: Floats) -> Floats:
            points = np.concatenate([sight * (rig.camera_mm - high), high[None]])
            light = self._ring.falling(points, normal).reshape(rows, columns)
            return np.asarray(cv2.resize(light, height.shape[::-1]), np.float32)

        level, nothing = np.ones_like(slope), np.zeros_like(slope)
        floor = falling(nothing, np.stack([nothing, nothing, level]))
        upright = falling(on_wall, np.concatenate([inward, nothing[None]]))
        slanted = np.concatenate([inward, -rig.lean * level[None]]) / math.hypot(1.0, rig.lean)
        leaning = falling(on_wall, np.asarray(slanted, np.float32))
        return np.asarray(np.where(height > rig.skirt_mm, leaning, np.where(height > 0, upright, floor)), np.float32)

    def _window(self) -> Image:
        """The lamps as the window mirrors them to the lens, where they outshine all else."""
        slope = np.hypot(*self._sight(slice(None), slice(None)))
        light = self._ring.bright * self._rig.mirrored(slope, 1 / self.focal_px)
        colour = np.clip(light[..., None] * _WARM[:, 0], 0.0, 1.0)
        return np.asarray(np.rint(255 * np.sqrt(colour)), np.uint8)

    def _speckle(self, radius: Floats) -> Floats:
        """The floor's grain: a hard sheet, sanded round and round, with grit in its paint and a little wear."""
        shape = radius.shape
        fine = cv2.GaussianBlur(self._rng.standard_normal(shape, np.float32), (0, 0), 0.9) * 2.2
        coarse = cv2.resize(
            self._rng.standard_normal((shape[0] // 24, shape[1] // 24), np.float32),
            shape[::-1],
            interpolation=cv2.INTER_CUBIC,
        )
        sanded = self._streaks(radius, 0.35)
        grit = (self._rng.random(shape, np.float32) > 0.9985).astype(np.float32)
        grit = cv2.GaussianBlur(grit, (0, 0), 0.8) * 3.0
        return np.asarray(1.0 + 0.13 * fine + 0.06 * coarse + 0.05 * sanded + grit, np.float32)

    def _layers(self, height: Floats) -> Floats:
        """The wall's grain: the layers of a print, some prouder than others."""
        lines = self._streaks(height, 0.6)
        fine = cv2.GaussianBlur(self._rng.standard_normal(height.shape, np.float32), (0, 0), 1.2)
        return np.asarray(1.0 + 0.07 * lines + 0.12 * fine, np.float32)

    def _streaks(self, where_mm: Floats, width_mm: float) -> Floats:
        """Chance values that change along one measure only, about every width_mm."""
        values = self._rng.standard_normal(int(float(where_mm.max()) / width_mm) + 2)
        return np.asarray(np.interp(where_mm / width_mm, np.arange(values.size), values), np.float32)

    def _noise(self) -> tuple[Image, Image]:
        """What the sensor adds to and takes from a picture, a little larger than the picture each."""
        shape = self._height + _NOISE_SLACK_PX, self._width + _NOISE_SLACK_PX
        grey = self._rng.standard_normal((*shape, 1), np.float32)
        noise = grey + 0.5 * self._rng.standard_normal((*shape, 3), np.float32)
        # A colour sensor guesses two of three values from the neighbours', which leaves the noise a little soft.
        noise = cv2.GaussianBlur(noise, (3, 3), 0.5) * _NOISE_LEVELS
        return np.asarray(np.rint(np.maximum(noise, 0)), np.uint8), np.asarray(np.rint(np.maximum(-noise, 0)), np.uint8)


def render(dice: Sequence[LyingDie], style: str | Sequence[str], stage: Stage) -> Image:
    """A picture of the dice, each in the next of the styles; ValueError where there is no style of that name."""
    return stage.expose(stage.draw(dice, styles_named(style)))


FAULTS = {
    "gone": "no picture comes",
    "black": "the ring light is out",
    "saturated": "a lamp shines into the lens",
    "frozen": "the picture before comes once more, to the byte",
}
"""What the camera can be told to do wrong, by name."""


class RenderedCamera:
    """A camera over dice that exist only as numbers.

    Each frame asks `scene` where the dice are now; two frames of the same scene differ by the sensor's noise alone.
    `style` is one of STYLES, or several that go round the dice; ValueError where there is none of that name. `faults`
    says what is wrong with which frame, counted from 1, by the names in FAULTS.
    """

    recorded = 0
    lost = ""

    def __init__(
        self,
        scene: Callable[[], Sequence[LyingDie]],
        rig: Rig,
        *,
        seed: int,
        style: str | Sequence[str] = "ivory",
        size_px: tuple[int, int] = (1456, 1088),
        faults: Mapping[int, str] | None = None,
    ) -> None:
        self._scene = scene
        self._faults, self._frames = dict(faults or {}), 0
        if unknown := set(self._faults.values()) - set(FAULTS):
            raise ValueError(f"The rendered camera knows no fault {min(unknown)}; it knows {', '.join(FAULTS)}.")
        self._styles = styles_named(style)
        self._seed, self._size_px, self._rig = seed, size_px, rig
        self._drawn: tuple[tuple[LyingDie, ...], Image] | None = None
        self._exposed: Image | None = None

    @cached_property
    def stage(self) -> Stage:
        """The floor and its light; made for the first frame, which takes the better part of a second."""
        return Stage(np.random.default_rng(self._seed), self._rig, size_px=self._size_px)

    def frame(self, timeout_s: float) -> Frame:
        dice = tuple(self._scene())
        if self._drawn is None or self._drawn[0] != dice:
            self._drawn = dice, self.stage.draw(dice, self._styles)
        self._frames += 1
        fault = self._faults.get(self._frames)
        if fault == "gone":
            raise CameraLost(
                "The camera gives no picture: see that its ribbon sits at both ends, then clear the fault."
            )
        if fault != "frozen" or self._exposed is None:
            self._exposed = _spoilt(self.stage.expose(self._drawn[1]), fault)
        return Frame(self._exposed, time.time_ns())

    def close(self) -> None:
        """Nothing is held."""


def _spoilt(image: Image, fault: str | None) -> Image:
    if fault == "black":
        return np.asarray(image // 64, np.uint8)
    return np.asarray(255 - image // 64, np.uint8) if fault == "saturated" else image


def _lens(sight: Floats) -> Floats:
    """What a lens takes from the light towards its rim."""
    return np.asarray(1.0 - 0.55 * np.einsum("ihw,ihw->hw", sight, sight), np.float32)


def _near(die: LyingDie, other: LyingDie) -> bool:
    """Whether the one can darken the other."""
    apart_mm = math.dist((die.x_mm, die.y_mm, die.z_mm), (other.x_mm, other.y_mm, other.z_mm))
    return die is not other and apart_mm < die.side_mm + other.side_mm


def _gap_mm(points: Floats, die: LyingDie, style: DieStyle) -> Floats:
    """How far points (3 x n, mm) are from the die."""
    turn, centre = _pose(die)
    return distance_mm(turn.T @ (points - centre), die.side_mm, style)


def _pose(die: LyingDie) -> tuple[Floats, Floats]:
    """The die's rotation (3 x 3) and centre (3 x 1)."""
    return np.array(die.rotation, np.float32), np.array([[die.x_mm], [die.y_mm], [die.z_mm]], np.float32)


def _corners(die: LyingDie, half_mm: float) -> npt.NDArray[np.float64]:
    """The corners of a cube with the die's pose (8 x 3, mm)."""
    cube = np.array([(x, y, z) for x in (-half_mm, half_mm) for y in (-half_mm, half_mm) for z in (-half_mm, half_mm)])
    return np.asarray((die.x_mm, die.y_mm, die.z_mm) + cube @ np.array(die.rotation, np.float64).T, np.float64)
