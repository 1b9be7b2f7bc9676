"""Solid bodies with flat faces, as they lie on the ground and are seen from above."""

from functools import cache
from itertools import combinations

import cv2
import numpy as np

from vision.training.drawing import Array, Random

_GOLDEN = (1 + 5**0.5) / 2
_FLAT = 1e-4
_BLOCKS = 3  # how much more often than others
_TILT = 0.35  # deviation of how far the camera is tilted, in radians

Face = tuple[Array, Array]
"""The corners of a face (n x 2: x right, y down) and its normal (x, y, z up)."""


def solid(rng: Random) -> list[Face]:
    """A body that rests on one of its faces: those that are seen, the highest last; no corner is farther than 1."""
    number = max(int(rng.integers(-_BLOCKS, len(bodies()))), 0)
    corners = bodies()[number]
    if not number:
        corners = corners * rng.uniform(0.35, 1.0, 3)
    elif rng.random() < 0.3:
        corners = corners * np.array([1, 1, rng.uniform(0.6, 1.4)])
    faces = hull(corners)
    _, under = faces[rng.integers(len(faces))]
    turn = _turned(np.array([*rng.normal(0, _TILT, 2), 0])) @ _turned(np.array([0, 0, rng.uniform(0, 2 * np.pi)]))
    turn = turn @ _down(under)
    seen = [(corners[rows] @ turn.T, turn @ normal) for rows, normal in faces]
    seen = sorted((face for face in seen if face[1][2] > 0), key=lambda face: float(face[0][:, 2].mean()))
    every = np.concatenate([face for face, _ in seen])[:, :2]
    middle = (every.min(axis=0) + every.max(axis=0)) / 2
    reach = np.linalg.norm(every - middle, axis=1).max()
    return [((face[:, :2] - middle) / reach, normal) for face, normal in seen]


@cache
def bodies() -> tuple[Array, ...]:
    """The corners of a cube, of the regular bodies of 4, 8, 20 and 12 faces, and of prisms and pyramids."""
    signs = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)
    icosahedron = [np.roll([0, a, b * _GOLDEN], turn) for a in (-1, 1) for b in (-1, 1) for turn in range(3)]
    dodecahedron = [np.roll([0, a / _GOLDEN, b * _GOLDEN], turn) for a in (-1, 1) for b in (-1, 1) for turn in range(3)]
    octahedron = np.concatenate([np.eye(3), -np.eye(3)])
    found = [signs, signs[np.prod(signs, axis=1) > 0], octahedron]
    found += [np.array(icosahedron), np.concatenate([signs, np.array(dodecahedron)])]
    for count in (3, 5, 6):
        turns = np.arange(count) * 2 * np.pi / count
        foot = np.stack([np.cos(turns), np.sin(turns), np.zeros(count)], axis=1)
        up = np.array([0, 0, 0.7])
        found += [np.concatenate([foot - up, foot + up]), np.concatenate([foot - up, up[None]])]
        found.append(np.concatenate([foot * 0.9, 1.2 * up[None], -1.2 * up[None]]))  # a die of ten faces is like it
    return tuple(found)


def hull(corners: Array) -> list[tuple[Array, Array]]:
    """The faces of the convex hull of a few corners: which corners, in turn around, and the normal outwards."""
    found: list[tuple[Array, Array]] = []
    middle = corners.mean(axis=0)
    for one, two, three in combinations(range(len(corners)), 3):
        normal = np.cross(corners[two] - corners[one], corners[three] - corners[one])
        length = np.linalg.norm(normal)
        out = normal @ (corners[one] - middle)
        if abs(out) < _FLAT:  # three in a row, or a plane through the middle
            continue
        normal = normal / length * np.sign(out)
        off = (corners - corners[one]) @ normal
        if off.max() > _FLAT or any(normal @ known > 1 - _FLAT for _, known in found):
            continue
        on = np.flatnonzero(off > -_FLAT)
        across = corners[one] - corners[on].mean(axis=0)
        down = np.cross(normal, across)
        away = corners[on] - corners[on].mean(axis=0)
        found.append((on[np.argsort(np.arctan2(away @ down, away @ across))], normal))
    return found


def _turned(axis: Array) -> Array:
    """The rotation about an axis by its length, in radians."""
    return np.asarray(cv2.Rodrigues(np.asarray(axis, float))[0])


def _down(normal: Array) -> Array:
    """The rotation that turns a direction downwards."""
    axis = np.cross(normal, [0, 0, -1])
    length = np.linalg.norm(axis)
    if length < _FLAT:
        return np.diag([1.0, -np.sign(normal[2]), -np.sign(normal[2])])
    return _turned(axis / length * np.arccos(np.clip(-normal[2], -1, 1)))
