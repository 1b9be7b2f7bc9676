"""Shapes of the things in a picture as triangles: dice, walls, fingers, cloth and whatever else may lie there."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from vision.die_shape import FACE_AXES, DieStyle

Array = npt.NDArray[np.float64]
_CELLS = 60  # of a die's face, each way
_DENT = 0.42  # depth of a pip's middle, in radii of the pip
ATLAS = (3, 2)
"""Columns and rows of the sheet of paint that is wrapped round a die: faces 1 to 3 above 4 to 6."""


@dataclass(frozen=True, slots=True, eq=False)
class Mesh:
    """Triangles in mm."""

    points: Array  # n x 3
    triangles: npt.NDArray[np.uint32]  # m x 3
    uv: Array  # n x 2: where each point is on the sheet of paint, 0 to 1

    @property
    def normals(self) -> Array:
        """The direction in which the surface looks at each point (n x 3); points at the same place share it."""
        first, second, third = (self.points[self.triangles[:, corner]] for corner in range(3))
        across = np.cross(second - first, third - first)
        _, place = np.unique(np.round(self.points, 4), axis=0, return_inverse=True)
        place = place.reshape(-1)
        summed = np.zeros((place.max() + 1, 3))
        for corner in range(3):
            np.add.at(summed, place[self.triangles[:, corner]], across)
        found = summed[place]
        return np.asarray(found / np.maximum(np.linalg.norm(found, axis=1, keepdims=True), 1e-12))


def pip_places(face: int, style: DieStyle) -> list[tuple[float, float, float]]:
    """Middle (along the face's two edges) and radius of each pip of a face, in sides of the die."""
    pitch = style.pitch
    corner = [(-pitch, -pitch), (pitch, pitch), (-pitch, pitch), (pitch, -pitch)]
    middles = {
        1: [(0.0, 0.0)],
        2: corner[:2],
        3: [*corner[:2], (0.0, 0.0)],
        4: corner,
        5: [*corner, (0.0, 0.0)],
        6: [*corner, (-pitch, 0.0), (pitch, 0.0)],
    }[face]
    radius = style.one_radius if face == 1 else style.pip_radius
    return [(x, y, radius) for x, y in middles]


def face_frame(face: int) -> tuple[Array, Array, Array]:
    """Directions along a face's two edges and out of it, in the die's own frame."""
    out = np.array(FACE_AXES[face], float)
    along = np.roll(out, 1)
    return along, np.cross(out, along), out


def die_mesh(style: DieStyle, side_mm: float, dented: Sequence[int]) -> Mesh:
    """A rounded cube with hollow pips on the faces in `dented`."""
    line = np.linspace(-0.5, 0.5, _CELLS + 1)
    x, y = (part.reshape(-1) for part in np.meshgrid(line, line, indexing="ij"))
    points, uvs, triangles = [], [], []
    for face in range(1, 7):
        along, across, out = face_frame(face)
        cube = x[:, None] * along + y[:, None] * across + 0.5 * out
        inner = 0.5 - style.corner
        core = np.clip(cube, -inner, inner)
        away = cube - core
        body = core + style.corner * away / np.linalg.norm(away, axis=1, keepdims=True)
        body *= np.minimum(1.0, style.ball / np.linalg.norm(body, axis=1, keepdims=True))
        if face in dented:
            body -= _dents(face, style, x, y)[:, None] * out
        points.append(body * side_mm)
        uvs.append(_atlas(face, x + 0.5, y + 0.5))
        triangles.append(_grid(_CELLS + 1, _CELLS + 1) + (face - 1) * x.size)
    return Mesh(np.concatenate(points), np.concatenate(triangles).astype(np.uint32), np.concatenate(uvs))


def _dents(face: int, style: DieStyle, x: Array, y: Array) -> Array:
    depth = np.zeros_like(x)
    for middle_x, middle_y, radius in pip_places(face, style):
        share = np.hypot(x - middle_x, y - middle_y) / radius
        depth = np.maximum(depth, _DENT * radius * np.sqrt(np.maximum(1 - share**2, 0.0)))
    return depth


def _atlas(face: int, u: Array, v: Array) -> Array:
    column, row = (face - 1) % ATLAS[0], (face - 1) // ATLAS[0]
    return np.stack([(column + u) / ATLAS[0], (row + v) / ATLAS[1]], axis=1)


def _grid(rows: int, columns: int) -> npt.NDArray[np.int64]:
    """The triangles between the points of a grid that are numbered along its rows."""
    number = np.arange(rows * columns).reshape(rows, columns)
    first, right, below, last = (
        part.reshape(-1) for part in (number[:-1, :-1], number[:-1, 1:], number[1:, :-1], number[1:, 1:])
    )
    return np.concatenate([np.stack([first, below, right], axis=1), np.stack([right, below, last], axis=1)])


def sheet(height: Callable[[Array, Array], Array], x_mm: Array, y_mm: Array) -> Mesh:
    """A surface over the ground, its height given for each place (two grids, mm)."""
    points = np.stack([x_mm, y_mm, height(x_mm, y_mm)], axis=-1).reshape(-1, 3)
    v, u = np.meshgrid(*(np.linspace(0, 1, count) for count in x_mm.shape), indexing="ij")
    return Mesh(points, _grid(*x_mm.shape).astype(np.uint32), np.stack([u, v], axis=-1).reshape(-1, 2))


def lathe(profile: Array, steps: int = 48) -> Mesh:
    """A profile (n x 2: radius, height in mm, from below upwards) turned about the upright axis."""
    turn = np.linspace(0, 2 * np.pi, steps + 1)
    radius = profile[:, 0, None]
    height = np.repeat(profile[:, 1, None], turn.size, axis=1)
    points = np.stack([radius * np.cos(turn), radius * np.sin(turn), height], axis=-1).reshape(-1, 3)
    widest = np.abs(points[:, :2]).max()
    return Mesh(points, _grid(len(profile), turn.size).astype(np.uint32)[:, ::-1], points[:, :2] / (2 * widest) + 0.5)


def tube(path_mm: Array, radius_mm: Array, flat: float = 0.85, steps: int = 28) -> Mesh:
    """A bent rod with round ends about a path (n x 3), its height `flat` of its width; radius n."""
    ahead = np.gradient(path_mm, axis=0)
    ahead /= np.linalg.norm(ahead, axis=1, keepdims=True)
    beside = np.cross(ahead, [0.0, 0.0, 1.0])
    beside /= np.maximum(np.linalg.norm(beside, axis=1, keepdims=True), 1e-9)
    above = np.cross(beside, ahead)
    turn = np.linspace(0, 2 * np.pi, steps)
    rim = beside[:, None] * np.cos(turn)[:, None] + flat * above[:, None] * np.sin(turn)[:, None]
    points = (path_mm[:, None] + radius_mm[:, None, None] * rim).reshape(-1, 3)
    u, v = np.meshgrid(np.linspace(0, 1, len(path_mm)), turn / (2 * np.pi), indexing="ij")
    return Mesh(points, _grid(len(path_mm), steps).astype(np.uint32), np.stack([u, v], axis=-1).reshape(-1, 2))


def frustum(below_mm: float, above_mm: float, height_mm: float) -> Mesh:
    """The inside of a conical wall that stands on the ground."""
    profile = np.array([[below_mm, 0.0], [above_mm, height_mm]])
    wall = lathe(profile, steps=96)
    share = np.arctan2(wall.points[:, 1], wall.points[:, 0]) / (2 * np.pi) + 0.5
    return Mesh(wall.points, wall.triangles[:, ::-1], np.stack([share, wall.points[:, 2] / height_mm], axis=1))
