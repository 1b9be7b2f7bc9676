"""What dice lie on and the light they lie in."""

import cv2
import numpy as np

from vision.studio.makes import Picture, Random, linear
from vision.studio.meshes import Array, Mesh, frustum, lathe
from vision.studio.path_tracing import Lamp, Stuff
from vision.studio.physics import FLOOR_MM, WALL_LEAN, WALL_MM

_PX, _MM = 1024, 400.0
"""A sheet of ground; it is laid again and again, every other time mirrored."""
PLAIN = ("plain", "felt", "paper")
PATTERNED = ("wood", "weave", "carpet", "tiles", "stripes", "stone", "dots")
LIGHTS = ("ring", "room", "lamp", "overcast")


def tray(rng: Random) -> list[Stuff]:
    """A dark floor and the wall round it."""
    grey = rng.uniform(0.05, 0.12)
    floor = grey * (1 + 0.10 * _noise(rng, 0.8) + 0.06 * _noise(rng, 20))
    colours = floor[..., None] * rng.uniform(0.92, 1.08, 3)
    wall = frustum(FLOOR_MM / 2, FLOOR_MM / 2 - WALL_LEAN * WALL_MM, WALL_MM)
    around = _flat()
    below = Mesh(around.points - [0, 0, 1], around.triangles, around.uv)
    disc = lathe(np.array([[0.01, 0.0], [FLOOR_MM / 2 + 1, 0.0]]))
    inside = Mesh(disc.points, disc.triangles, disc.uv * (FLOOR_MM / _MM))
    return [
        Stuff(below, np.full(3, rng.uniform(0.01, 0.05)), gloss=0.0),
        Stuff(inside, _sheet(colours), rough=0.55),
        Stuff(wall, np.full(3, grey * rng.uniform(1.0, 1.8)), rough=0.5),
    ]


def open_ground(rng: Random, kind: str) -> list[Stuff]:
    """A table, a cloth, a carpet or a print without end."""
    main, second = _tone(rng), _tone(rng)
    share = np.clip(_pattern(rng, kind), 0, 1)[..., None]
    contrast = rng.uniform(0.5, 1.0) if kind in ("tiles", "stripes", "dots") else 1.0
    shade = second if kind in ("tiles", "stripes", "dots", "stone") else main * rng.uniform(0.35, 0.7)
    colours = main + contrast * share * (shade - main)
    rough = 0.9 if kind in ("felt", "weave", "carpet") else float(rng.uniform(0.25, 0.7))
    return [Stuff(_flat(), _sheet(colours), rough=rough, gloss=0.0 if rough == 0.9 else 0.3)]


def _tone(rng: Random) -> Array:
    """The colour of a ground, some of them grey."""
    hue, grey = int(rng.integers(180)), rng.random() < 0.4
    pixel = np.array([[[hue, 12 if grey else rng.integers(30, 190), rng.integers(40, 245)]]], np.uint8)
    blue, green, red = cv2.cvtColor(pixel, cv2.COLOR_HSV2BGR)[0, 0].tolist()
    return linear((red, green, blue))


def _pattern(rng: Random, kind: str) -> Array:
    """How much of the second colour is where (0 to 1)."""
    y, x = np.mgrid[:_PX, :_PX] * (_MM / _PX)
    turn = rng.uniform(0, np.pi)
    x, y = x * np.cos(turn) - y * np.sin(turn), x * np.sin(turn) + y * np.cos(turn)
    pitch = float(rng.uniform(9, 40))
    if kind == "wood":
        bent = x + 5 * _noise(rng, 60, 12) + 1.0 * np.sin(y / 37)
        rings = np.sin(bent / 1.7 + 4 * _noise(rng, 90))
        return np.asarray(0.35 + 0.25 * rings + 0.2 * _streaks(rng, x) + 0.5 * (x % 90 < 0.8))
    if kind == "weave":
        thread = rng.uniform(1.0, 2.4)
        threads = np.sin(np.pi * x / thread) * np.sin(np.pi * y / thread)
        return np.asarray(0.4 + 0.35 * threads + 0.12 * _noise(rng, 1.0))
    if kind == "carpet":
        return 0.45 + 0.28 * _noise(rng, 2.2) + 0.15 * _noise(rng, 6) + 0.1 * _noise(rng, 0.8)
    if kind == "tiles":
        return np.asarray(((x // pitch + y // pitch) % 2) * 1.0 + 0.03 * _noise(rng, 1))
    if kind == "stripes":
        return np.asarray((x % pitch < rng.uniform(0.2, 0.6) * pitch) * 1.0 + 0.05 * _noise(rng, 1))
    if kind == "stone":
        return 0.4 + 0.4 * np.sign(_noise(rng, 1.3) - 0.6) * (_noise(rng, 1.3) > 0) + 0.2 * _noise(rng, 12)
    if kind == "dots":
        return np.asarray(
            (np.hypot(x % pitch - pitch / 2, y % pitch - pitch / 2) < rng.uniform(0.12, 0.3) * pitch) * 1.0
        )
    grain = {"plain": 0.03, "felt": 0.16, "paper": 0.015}[kind]
    return 0.1 + grain * _noise(rng, 0.9) + 0.04 * _noise(rng, 40)


def _noise(rng: Random, width: float, stretch: float = 1.0) -> Array:
    """Chance values about 0 that change over about so many pixels, each about 1 large."""
    small = max(8, int(_PX / max(1.0, width / 2)))
    rough = rng.standard_normal((small, max(8, int(small / stretch))))
    soft = cv2.GaussianBlur(rough, (0, 0), min(2.0, max(0.6, width)))
    return np.asarray(cv2.resize(soft / soft.std(), (_PX, _PX), interpolation=cv2.INTER_CUBIC))


def _streaks(rng: Random, across: Array) -> Array:
    values = rng.standard_normal(2000)
    return np.asarray(np.interp(across - across.min(), np.arange(2000) * 0.6, values))


def _sheet(colours: Array) -> Picture:
    return np.clip(colours, 0.004, 0.9).astype(np.float32)


def _flat() -> Mesh:
    far, half = 2400.0, 2400.0 / _MM
    points = np.array([[-far, -far, 0], [far, -far, 0], [far, far, 0], [-far, far, 0]], float)
    uv = np.array([[-half, -half], [half, -half], [half, half], [-half, half]]) + 0.25
    return Mesh(points, np.array([[0, 1, 2], [0, 2, 3]], np.uint32), uv)


def light(rng: Random, kind: str, high_mm: float) -> tuple[Picture, list[Lamp]]:
    """The sky and the lamps, the ring of them at a height above the ground."""
    warm = np.array([1.0, rng.uniform(0.8, 1.0), rng.uniform(0.6, 1.0)])
    if kind == "ring":
        turn = np.arange(8) * np.pi / 4
        uneven = 1 + 0.35 * np.cos(turn - rng.uniform(0, 2 * np.pi))
        wide = high_mm / 3.1
        lamps = [
            _lamp(wide * np.cos(a), wide * np.sin(a), high_mm, wide / 8, 26 * share * warm)
            for a, share in zip(turn, uneven, strict=True)
        ]
        return _sky(rng, 0.25, 0), lamps
    if kind == "lamp":
        away, around, high = rng.uniform(100, 700), rng.uniform(0, 2 * np.pi), rng.uniform(750, 1200)
        size = float(rng.uniform(12, 80))
        far = away**2 + high**2
        bulb = _lamp(away * np.cos(around), away * np.sin(around), high, size, 2.2 * far / size**2 * warm)
        return _sky(rng, 0.35, 0), [bulb]
    return _sky(rng, 0.45 if kind == "room" else 1.0, int(rng.integers(1, 4)) if kind == "room" else 0), []


def _lamp(x: float, y: float, z: float, radius: float, power: Array) -> Lamp:
    return Lamp(np.array([x, y, z], float), radius, np.asarray(power, float), np.zeros(3))


def _sky(rng: Random, level: float, windows: int) -> Picture:
    """Ceiling and walls, some brighter than others, with windows or long lamps in them."""
    rough = cv2.resize(rng.uniform(0.5, 1.5, (4, 8)), (64, 32), interpolation=cv2.INTER_CUBIC)
    sky = level * np.clip(rough, 0.2, 2.0)[..., None] * rng.uniform(0.9, 1.1, 3)
    for _ in range(windows):
        row, column = int(rng.integers(1, 10)), int(rng.integers(0, 52))
        high, wide = int(rng.integers(2, 6)), int(rng.integers(4, 12))
        sky[row : row + high, column : column + wide] = rng.uniform(3, 9) * rng.uniform([0.8, 0.85, 0.8], [1, 1, 1])
    return np.asarray(sky, np.float32)
