"""What may lie over dice or beside them: fingers, a cloth, and things that are no dice."""

import math

import cv2
import numpy as np

from vision.die_shape import Colour
from vision.studio.makes import Random, linear
from vision.studio.meshes import Array, Mesh, lathe, sheet, tube
from vision.studio.path_tracing import Stuff
from vision.studio.physics import Body, Rest

_SKINS = ((240, 200, 175), (226, 178, 148), (198, 140, 105), (150, 98, 68), (96, 60, 42))
_FINGER_MM = 7.5


def hand(rng: Random, at_mm: Array, side_mm: float) -> list[Stuff]:
    """Fingers that reach for a place on the ground, and the back of their hand."""
    way, skin = rng.uniform(0, 2 * math.pi), linear(_SKINS[rng.integers(len(_SKINS))])
    ahead, aside = np.array([math.cos(way), math.sin(way), 0]), np.array([-math.sin(way), math.cos(way), 0])
    fingers, low = int(rng.integers(1, 5)), side_mm * float(rng.uniform(0.6, 1.0)) + 0.8 * _FINGER_MM
    found, roots = [], []
    for finger in range(fingers):
        shift = (finger - (fingers - 1) / 2) * float(rng.uniform(17, 21))
        long = 78 - 6 * abs(finger - 1.3) + float(rng.normal(0, 4))
        start = at_mm * [1, 1, 0] + shift * aside * 1.15 + ahead * (-0.2 * side_mm + 0.25 * abs(shift)) + [0, 0, low]
        share = np.linspace(0, 1, 40)
        arch = float(rng.uniform(14, 34)) * np.sin(share * math.pi * 0.62)
        path = start + share[:, None] * long * (ahead - 0.0022 * shift * aside) + arch[:, None] * [0, 0, 1.0]
        tip = np.sqrt(np.clip(1 - (1 - share * long / _FINGER_MM) ** 2, 0.0004, 1)) * (share * long < _FINGER_MM) + (
            share * long >= _FINGER_MM
        )
        joints = 1 + 0.08 * np.exp(-(((share - 0.36) / 0.05) ** 2)) + 0.1 * np.exp(-(((share - 0.7) / 0.06) ** 2))
        radius = _FINGER_MM * (0.92 + 0.28 * share) * joints * tip
        found.append(Stuff(tube(path, radius), _skin(rng, skin), rough=0.55, gloss=0.35))
        found.append(_nail(path, ahead, aside, skin))
        roots.append(path[-1])
    share = np.linspace(-0.1, 1.6, 40)
    palm = np.mean(roots, axis=0) + share[:, None] * 95 * ahead + [0, 0, -6]
    width = (11 + 9.5 * fingers) * np.sqrt(np.clip(1 - ((0.35 - share) / 0.46) ** 2 * (share < 0.35), 0.001, 1))
    found.append(Stuff(tube(palm, width, flat=0.55), _skin(rng, skin), rough=0.55, gloss=0.35))
    return found


def _skin(rng: Random, skin: Array) -> Array:
    """Skin is nowhere of one colour: redder at the tips, mottled, creased across."""
    along = np.linspace(0, 1, 160)[None, :, None]
    blotches = 1 + 0.05 * cv2.resize(rng.standard_normal((12, 30)), (160, 64), interpolation=cv2.INTER_CUBIC)[..., None]
    red = np.exp(-along * 9) * np.array([0.06, -0.02, -0.02])
    creases = 1 - 0.25 * sum(np.exp(-(((along - at) / 0.006) ** 2)) for at in (0.34, 0.365, 0.385, 0.69, 0.72))
    return np.asarray(np.clip((skin + red) * blotches * creases, 0.01, 0.9))


def _nail(path: Array, ahead: Array, aside: Array, skin: Array) -> Stuff:
    turn = np.linspace(0, 2 * np.pi, 25)
    share = np.linspace(0, 1, 6)[:, None]
    middle = path[0] + ahead * 7.5 + [0, 0, 0.8 * _FINGER_MM + (path[4] - path[0])[2]]
    x, y = 5.0 * share * np.cos(turn), 4.2 * share * np.sin(turn)
    slope = (path[6] - path[2])[2] / np.linalg.norm((path[6] - path[2])[:2])
    points = middle + x[..., None] * (ahead + np.array([0, 0, slope])) + y[..., None] * aside
    points[..., 2] -= y**2 / (2 * _FINGER_MM)
    flat = sheet(lambda a, b: a * 0, x, y)
    return Stuff(
        Mesh(points.reshape(-1, 3), flat.triangles, flat.uv), np.clip(skin * 1.12 + 0.03, 0, 0.9), rough=0.25, gloss=0.5
    )


def cloth(rng: Random, over: list[Rest], side_mm: float, at_mm: Array) -> list[Stuff]:
    """A cloth with a hem through a place on the ground, over whatever lies behind it."""
    way, colour = rng.uniform(0, 2 * math.pi), linear(_dyed(rng))
    ahead, aside = np.array([math.cos(way), math.sin(way)]), np.array([-math.sin(way), math.cos(way)])
    far = np.concatenate([np.linspace(0, 120, 90), np.linspace(124, 500, 40)])
    across = np.linspace(-400, 400, 260)
    s, t = np.meshgrid(far, across, indexing="ij")
    s = s + 6 * np.sin(t / 31 + rng.uniform(0, 6)) + 2 * np.sin(t / 17)
    x = at_mm[0] + s * ahead[0] + t * aside[0]
    y = at_mm[1] + s * ahead[1] + t * aside[1]
    folds = [(rng.uniform(0, 2 * math.pi), rng.uniform(12, 40), rng.uniform(0.8, 3.0)) for _ in range(5)]

    def height(px: Array, py: Array) -> Array:
        high = np.full(px.shape, 0.6)
        for rest in over:
            away = np.hypot(px - rest.at_mm[0], py - rest.at_mm[1])
            high = np.maximum(high, 1.32 * (rest.at_mm[2] + side_mm / 2) * np.exp(-((away / (1.05 * side_mm)) ** 4)))
        for turn, pitch, tall in folds:
            high = high + tall * (1 + np.sin((px * math.cos(turn) + py * math.sin(turn)) / pitch))
        return high

    threads = 1 + 0.14 * np.indices((512, 512)).sum(axis=0)[..., None] % 2 * rng.uniform(0.8, 1.2, (512, 512, 1))
    return [Stuff(sheet(height, x, y), np.clip(colour * threads, 0.01, 0.9), rough=0.9, gloss=0.0)]


def _dyed(rng: Random) -> Colour:
    """A colour that is never quite pure."""
    grey = rng.integers(40, 225)
    red, green, blue = (int(level) for level in 0.5 * grey + 0.5 * rng.integers(20, 240, 3))
    return red, green, blue


def thing(rng: Random, body: Body, rest: Rest) -> list[Stuff]:
    """How a body that is no die looks, where it lies."""
    mesh = {"cylinder": _disc, "box": _block, "ellipsoid": _pebble}[body.kind](body.size_mm)
    if body.kind == "cylinder":
        metal = body.size_mm[1] < 0.35 * body.size_mm[0]
        tone = linear([(196, 160, 90), (190, 190, 195), (184, 115, 70), (170, 25, 30)][rng.integers(4)])
        stuff = Stuff(_placed(mesh, rest), _relief(rng, tone), rough=0.3, metal=0.9 if metal else 0.0)
    else:
        tone = linear(_dyed(rng))
        stuff = Stuff(_placed(mesh, rest), tone, rough=float(rng.uniform(0.2, 0.7)))
    return [stuff]


def _relief(rng: Random, tone: Array) -> Array:
    """A rim and something like a head or a number in the middle."""
    y, x = np.mgrid[-1:1:128j, -1:1:128j]
    away, turn = np.hypot(x, y), np.arctan2(y, x)
    shape = 0.42 + 0.12 * np.sin(turn * rng.integers(2, 6) + 1) + 0.05 * np.sin(9 * turn)
    dark = 0.45 * (np.abs(away - 0.86) < 0.03) + 0.35 * (np.abs(away - shape) < 0.04) + 0.2 * (away < 0.6 * shape)
    return np.asarray(np.clip(tone * (1 - dark)[..., None], 0.01, 0.95))


def _disc(size_mm: tuple[float, ...]) -> Mesh:
    wide, high = size_mm
    soft = min(0.35 * high, 0.08 * wide)
    profile = [
        (0, -high),
        (wide - soft, -high),
        (wide, -high + soft),
        (wide, high - soft),
        (wide - soft, high),
        (0, high),
    ]
    return lathe(np.array(profile, float))


def _block(size_mm: tuple[float, ...]) -> Mesh:
    share = np.linspace(-1, 1, 24)
    u, v = (part.reshape(-1) for part in np.meshgrid(share, share, indexing="ij"))
    points: list[Array] = []
    triangles = []
    flat = sheet(lambda a, b: a * 0, *np.meshgrid(share, share, indexing="ij"))
    for axis in range(3):
        for sign in (-1.0, 1.0):
            cube = np.insert(np.stack([u, v], axis=1), axis, sign, axis=1)
            core = np.clip(cube, -0.85, 0.85)
            away = cube - core
            soft = core + 0.15 * away / np.linalg.norm(away, axis=1, keepdims=True)
            triangles.append(flat.triangles + len(points) * u.size)
            points.append(soft * np.array(size_mm))
    return Mesh(np.concatenate(points), np.concatenate(triangles).astype(np.uint32), np.tile(flat.uv, (6, 1)))


def _pebble(size_mm: tuple[float, ...]) -> Mesh:
    turn = np.linspace(-np.pi / 2, np.pi / 2, 30)
    ball = lathe(np.stack([np.maximum(np.cos(turn), 1e-3), np.sin(turn)], axis=1))
    return Mesh(ball.points * np.array(size_mm), ball.triangles, ball.uv)


def _placed(mesh: Mesh, rest: Rest) -> Mesh:
    return Mesh(mesh.points @ rest.turn.T + rest.at_mm, mesh.triangles, mesh.uv)
