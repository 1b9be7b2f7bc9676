"""Dice drawn ray by ray: rounded cubes in true perspective, with light, gleam and what shines through."""

from dataclasses import dataclass

import cv2
import numpy as np

from vision.training.drawing import SHEET_PX, Array
from vision.training.looks import Glass, Look

_STEPS = 7
_INDEX, _MIRRORS = 1.49, 0.741  # of acrylic; cosine to its walls' normals below which they mirror all light
_WALLS = 4  # that a ray meets inside at most


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """A camera: x to the right, y down, z away from it; lengths in sides of a die."""

    turn: Array  # 3 x 3, from the ground's directions (z up) to the camera's
    eye: Array  # 3, in the ground's frame
    focal_px: float
    size_px: int  # of the square picture

    def pixels(self, points: Array) -> Array:
        """Where points of the ground's frame (... x 3) are in the picture (... x 2)."""
        seen = (points - self.eye) @ self.turn.T
        return np.asarray(seen[..., :2] / seen[..., 2:] * self.focal_px + (self.size_px - 1) / 2, np.float32)


@dataclass(frozen=True, slots=True, eq=False)
class Pose:
    """Where a die is, in the ground's frame."""

    centre: Array  # 3
    turn: Array  # 3 x 3, from the die's directions to the ground's
    half: Array  # 3, half the lengths of its edges

    def corners(self, share: float = 1.0) -> Array:
        """The corners of its cube (8 x 3), drawn in to a share."""
        cube = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], np.float32)
        return np.asarray(self.centre + (cube * self.half * share) @ self.turn.T, np.float32)


@dataclass(frozen=True, slots=True, eq=False)
class Light:
    """Light on the scene: from all around and from a few lamps."""

    around: Array  # 3 colours
    ways: Array  # lamps x 3, towards the lamps
    powers: Array  # lamps x 3 colours
    window: Array  # 3, towards something bright that shows on polish


@dataclass(frozen=True, slots=True, eq=False)
class Layer:
    """A thing drawn on nothing, to be laid over a picture."""

    rows: slice
    columns: slice
    colours: Array  # h x w x 3, 0 to 1
    cover: Array  # h x w, 0 to 1

    def lay(self, picture: Array) -> None:
        """Draw it."""
        window = picture[self.rows, self.columns]
        window += self.cover[..., None] * (self.colours - window)


def cast(view: View, pose: Pose, look: Look, light: Light, margin_px: int = 2) -> Layer | None:
    """One die as the view sees it; None where it is outside the picture."""
    at = view.pixels(pose.corners())
    left, top = np.maximum(np.floor(at.min(axis=0)) - margin_px, 0).astype(int)
    right, bottom = np.minimum(np.ceil(at.max(axis=0)) + margin_px + 1, view.size_px).astype(int)
    if left >= right or top >= bottom:
        return None
    shape = (bottom - top, right - left)
    eye, rays = _rays(view, pose, (left, top), shape)
    scale = float(pose.half.max()) * 2
    eye, half = eye / scale, (pose.half / scale).astype(np.float32)
    pixel = float(np.linalg.norm(eye)) / view.focal_px
    spots, missing = _strike(eye, rays, half, look)
    normals = _normals(spots, half, look)
    sheets = _sheet(look, view.focal_px / float(np.linalg.norm(eye)))
    albedo, bent, dents = _surface(spots, rays, normals, half, look, sheets, shape)
    turn = pose.turn.astype(np.float32)
    heights = pose.centre[2] + turn[2] @ spots * scale
    colours = _shade(albedo, turn @ bent, turn @ rays, heights, look, light)
    cover = np.clip(1.0 - missing / pixel, 0.0, 1.0)
    if look.glass is not None:
        gleam = _shade(np.zeros_like(albedo), turn @ bent, turn @ rays, heights, look, light)
        inner, below = _inside(spots, rays, normals, half, look.glass, sheets, shape, turn, light)
        clear = (1 - look.glass.cloudy) * (1 - dents)
        below = clear * below
        lit = (1 - clear) * colours**2 + clear * (inner + gleam**2)
        colours = np.sqrt(np.clip(lit / np.maximum(1 - below, 0.05), 0, 1))
        cover = cover * (1 - 0.9 * np.sqrt(below) - 0.1 * below)  # colours are roots of light, as a camera's are
    window = slice(top, bottom), slice(left, right)
    return Layer(*window, colours.T.reshape(*shape, 3), cover.reshape(shape))


def _rays(view: View, pose: Pose, start: tuple[int, int], shape: tuple[int, int]) -> tuple[Array, Array]:
    """The eye (3 x 1) and unit rays (3 x n) in the die's frame."""
    middle = (view.size_px - 1) / 2
    x = (np.arange(shape[1], dtype=np.float32) + (start[0] - middle)) / np.float32(view.focal_px)
    y = (np.arange(shape[0], dtype=np.float32) + (start[1] - middle)) / np.float32(view.focal_px)
    flat = np.stack([np.tile(x, shape[0]), np.repeat(y, shape[1]), np.ones(shape[0] * shape[1], np.float32)])
    flat /= np.sqrt(np.einsum("in,in->n", flat, flat))
    turn = (view.turn @ pose.turn).T
    eye = pose.turn.T @ (view.eye - pose.centre)
    return eye[:, None].astype(np.float32), (turn.astype(np.float32) @ flat).astype(np.float32)


def _strike(eye: Array, rays: Array, half: Array, look: Look) -> tuple[Array, Array]:
    """Where rays meet the body or come nearest to it (3 x n), and how far they miss it (n)."""
    near = -np.einsum("in,ij->n", rays, eye) - np.float32(np.linalg.norm(half))
    spots = eye + near * rays
    away = _distance(spots, half, look)
    best, best_spots = np.abs(away), spots
    for _ in range(_STEPS):
        spots = spots + away * rays
        away = _distance(spots, half, look)
        closer = np.abs(away) < best
        best = np.where(closer, np.abs(away), best)
        best_spots = np.where(closer, spots, best_spots)
    return best_spots, best


def _distance(spots: Array, half: Array, look: Look) -> Array:
    out = np.abs(spots) - (half[:, None] - look.round * half.min() * 2)
    over = np.maximum(out, 0)
    box = np.sqrt(np.einsum("in,in->n", over, over)) + np.minimum(out.max(axis=0), 0) - look.round * half.min() * 2
    if look.ball < 0.85:
        box = np.maximum(box, np.sqrt(np.einsum("in,in->n", spots, spots)) - look.ball)
    return np.asarray(box, np.float32)


def _normals(spots: Array, half: Array, look: Look) -> Array:
    out = np.abs(spots) - (half[:, None] - look.round * half.min() * 2)
    steep = np.maximum(out, 0) + 1e-4
    steep[np.argmax(out, axis=0), np.arange(out.shape[1])] += 1e-3
    normals = np.sign(spots) * steep
    if look.ball < 0.85:
        ball = np.sqrt(np.einsum("in,in->n", spots, spots))
        normals = np.where(ball > look.ball - 0.004, spots / ball, normals)
    normals /= np.sqrt(np.einsum("in,in->n", normals, normals))
    return np.asarray(normals, np.float32)


def _sheet(look: Look, face_px: float) -> tuple[Array, int]:
    """Colours and dents of the six sides, 6t x t x 6 (colour, dent, its steepness along the columns and rows)."""
    size = int(np.clip(face_px * 1.1, 10, SHEET_PX))
    colours = np.stack([cv2.resize(face, (size, size), interpolation=cv2.INTER_AREA) for face in look.colours])
    dents = np.stack([cv2.resize(face, (size, size), interpolation=cv2.INTER_AREA) for face in look.relief])
    soft = [cv2.GaussianBlur(face, (0, 0), max(size * 0.022, 0.4)) for face in dents]
    across = np.stack([cv2.Sobel(face, cv2.CV_32F, 1, 0) for face in soft]) * (size * 0.008)
    along = np.stack([cv2.Sobel(face, cv2.CV_32F, 0, 1) for face in soft]) * (size * 0.008)
    sheet = np.concatenate([colours, np.stack([dents, across, along], axis=-1)], axis=-1)
    return sheet.reshape(6 * size, size, 6).astype(np.float32), size


def _look_up(sheet: Array, size: int, spots: Array, half: Array, shape: tuple[int, int]) -> tuple[Array, Array]:
    """What the sheet says at spots on the body (n x 6), and which axis each spot's side is on (n)."""
    unit = spots / (2 * half[:, None])
    axis = np.argmax(np.abs(unit), axis=0)
    every = np.arange(unit.shape[1])
    side = unit[axis, every]
    row = np.array([2, 4, 0])[axis] + (side < 0)
    u = np.clip((unit[(axis + 1) % 3, every] + 0.5) * size - 0.5, 0, size - 1)
    v = np.clip((unit[(axis + 2) % 3, every] + 0.5) * size - 0.5, 0, size - 1) + row * size
    x, y = u.reshape(shape).astype(np.float32), v.reshape(shape).astype(np.float32)
    first = cv2.remap(np.ascontiguousarray(sheet[..., :3]), x, y, cv2.INTER_LINEAR)
    last = cv2.remap(np.ascontiguousarray(sheet[..., 3:]), x, y, cv2.INTER_LINEAR)
    return np.concatenate([first, last], axis=-1).reshape(-1, 6), axis


def _inside(
    spots: Array,
    rays: Array,
    normals: Array,
    half: Array,
    glass: Glass,
    sheets: tuple[Array, int],
    shape: tuple[int, int],
    turn: Array,
    light: Light,
) -> tuple[Array, Array]:
    """The light from within a clear body (3 x n), and the share of the ground's light that comes through it (n).

    A ray bends at the face and ends at the pips of other sides or, where a wall does not mirror it, outside.
    """
    ray, at, every = _bent(rays, normals), spots * 0.995, np.arange(spots.shape[1])
    left, tint = np.ones(len(every), np.float32), np.ones((3, len(every)), np.float32)
    got, below = np.zeros_like(tint), np.zeros_like(left)
    for _ in range(_WALLS):
        slow = np.where(np.abs(ray) < 1e-3, np.where(ray < 0, -1e-3, 1e-3), ray)
        ways = (np.sign(slow) * half[:, None] - at) / slow
        wall = np.argmin(ways, axis=0)
        far = np.maximum(ways[wall, every], 0)
        at = at + far * ray
        tint = tint * np.exp(-glass.dims[:, None] * far)
        seen, _ = _look_up(*sheets, at, half, shape)
        got += left * seen[:, 3] * tint * seen[:, :3].T ** 2 * glass.pits * light.around[:, None]
        left = left * (1 - seen[:, 3])
        way, out = turn @ ray, np.abs(ray[wall, every]) > _MIRRORS
        down = way[2] < 0
        below += left * (out & down) * tint.mean(axis=0) * glass.shade
        got += left * (out & ~down) * tint * _sky(way, light)
        left = left * ~out
        ray[wall, every] *= -1
    return got + left * tint * light.around[:, None] * 0.15, below


def _bent(rays: Array, normals: Array) -> Array:
    """The rays (3 x n) behind a face of acrylic."""
    facing = np.einsum("in,in->n", rays, normals)
    inside = rays / _INDEX - normals * (facing / _INDEX + np.sqrt(1 - (1 - facing**2) / _INDEX**2))
    return np.asarray(inside / np.sqrt(np.einsum("in,in->n", inside, inside)), np.float32)


def _sky(ways: Array, light: Light) -> Array:
    """The light that comes from there (3 x n), as unsharp as polished walls leave it."""
    got = light.around[:, None] * (0.4 + 0.6 * np.clip(ways[2], 0, 1))
    for lamp, power in zip(light.ways, light.powers, strict=True):
        got = got + power[:, None] * np.maximum(lamp @ ways, 0) ** 12
    return np.asarray(got, np.float32)


def _surface(
    spots: Array,
    rays: Array,
    normals: Array,
    half: Array,
    look: Look,
    sheets: tuple[Array, int],
    shape: tuple[int, int],
) -> tuple[Array, Array, Array]:
    """Colours (3 x n), the normals as the dents bend them (3 x n) and how much of a dent is there (n)."""
    sheet, size = sheets
    seen, axis = _look_up(sheet, size, spots, half, shape)
    colours = seen[:, :3].T.copy()
    every = np.arange(spots.shape[1])
    bent = normals.copy()
    if look.dent:
        bent[(axis + 1) % 3, every] += look.dent * seen[:, 4]
        bent[(axis + 2) % 3, every] += look.dent * seen[:, 5]
        bent /= np.sqrt(np.einsum("in,in->n", bent, bent))
    if look.clear:
        facing = np.einsum("in,in->n", rays, normals)
        inside = rays / 1.5 - normals * (facing / 1.5 + 0.75)
        inside /= np.sqrt(np.einsum("in,in->n", inside, inside))
        ways = (np.sign(inside) * half[:, None] - spots) / np.where(np.abs(inside) < 1e-3, 1e-3, inside)
        far = spots + np.maximum(ways.min(axis=0), 0) * inside
        dull = cv2.GaussianBlur(sheet, (0, 0), max(size * 0.03, 0.5))
        behind, _ = _look_up(dull, size, far, half, shape)
        glow = 0.8 + 0.5 * (0.5 - spots[2] / (2 * half[2]))
        through = look.clear * (1 - 0.6 * seen[:, 3])
        colours += through * (behind[:, :3].T * glow - colours)
    return np.asarray(colours, np.float32), bent, seen[:, 3]


def _shade(albedo: Array, normals: Array, rays: Array, heights: Array, look: Look, light: Light) -> Array:
    """Shown colours (3 x n) of what has that colour."""
    open_sky = (0.55 + 0.45 * normals[2]) * (0.45 + 0.55 * np.clip(heights * 1.6, 0, 1))
    got = light.around[:, None] * open_sky
    facing = np.einsum("in,in->n", rays, normals)
    mirrored = rays - 2 * facing * normals
    gleam = np.zeros_like(got)
    sharp = 6 + 90 * look.gloss**2
    for way, power in zip(light.ways, light.powers, strict=True):
        got = got + power[:, None] * np.maximum(way @ normals, 0)
        gleam = gleam + power[:, None] * np.maximum(way @ mirrored, 0) ** sharp
    rim = 0.04 + 0.5 * np.clip(1 + facing, 0, 1) ** 4
    bright = np.clip((light.window @ mirrored - 0.9) * 30, 0, 1) * 0.5
    shine = look.gloss * (0.55 * gleam + rim * (0.4 + bright * 6) * light.around.mean())
    return np.asarray(np.sqrt(np.clip(albedo**2 * got + shine, 0, 1.2)), np.float32).clip(0, 1)
