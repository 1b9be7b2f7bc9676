"""Things that are longer, thinner or more angular than those of `things`: rods, bent wires, boxes."""

import math

import cv2
import numpy as np

from vision.training.drawing import Array, Random, any_colour, between
from vision.training.things import thing

_LEAST_PX, _MOST_PX = 8, 240
_FINE = 4  # drawn so many times as large
_KINDS = (0.22, "rod"), (0.12, "wire"), (0.18, "box")  # and else a thing
_LONG = {"rod": (1.0, 5.0), "wire": (0.9, 3.0), "box": (0.7, 2.6), "thing": (0.5, 2.4)}  # sides of a die


def oddment(rng: Random, die_px: float) -> Array:
    """Anything that is no die, seen from above beside dice of that side: n x n x 4, colour and cover."""
    lot, kind = rng.random(), "thing"
    for share, name in _KINDS:
        if lot < share:
            kind = name
            break
        lot -= share
    size = int(np.clip(die_px * between(rng, *_LONG[kind]), _LEAST_PX, _MOST_PX))
    if kind == "thing":
        return thing(rng, size)
    drawn = {"rod": _rod, "wire": _wire, "box": _box}[kind](rng, size * _FINE)
    turn = 0 if kind == "box" else rng.uniform(0, 360)
    move = cv2.getRotationMatrix2D(((len(drawn) - 1) / 2,) * 2, turn, 1.0)
    drawn = cv2.warpAffine(np.clip(drawn, 0, 1).astype(np.float32), move, drawn.shape[:2])
    return np.asarray(cv2.resize(drawn, (size, size), interpolation=cv2.INTER_AREA), np.float32)


def _rod(rng: Random, size: int) -> Array:
    """A toothpick, a match, a straw, a nail, a screw, a pen: round, with ends of its own."""
    middle, reach = size / 2, 0.47 * size
    thick = between(rng, 0.012, 0.07) * size
    along = np.linspace(-1, 1, 80)
    share = rng.uniform(0.05, 0.35)
    first, last = rng.choice([1.0, 1.0, rng.uniform(0.1, 0.8)], 2)
    shape = np.interp(along, [-1, share - 1, 1 - share, 1], [first, 1, 1, last])
    bent = middle + rng.choice([0.0, 0.0, rng.uniform(-0.15, 0.15)]) * reach * (1 - along**2)
    half = np.maximum(thick * shape, 1.0)
    rims = [np.stack([middle + along * reach, bent + way * half], axis=1) for way in (-1, 1)]
    mask = _filled(size, np.concatenate([rims[0], rims[1][::-1]]))
    down, right = np.mgrid[0:size, 0:size].astype(np.float32)
    colours = np.tile(_wooden(rng) if rng.random() < 0.5 else any_colour(rng), (size, size, 1)).astype(np.float32)
    if rng.random() < 0.35:
        colours[right > middle + rng.uniform(-0.8, 0.9) * reach] = any_colour(rng)
        if rng.random() < 0.5:
            axes = (max(int(thick * rng.uniform(0.8, 2)), 1), max(int(thick * rng.uniform(1.2, 2.4)), 1))
            cv2.ellipse(mask, (int(middle + 0.93 * reach), int(middle)), axes, 0, 0, 360, 1.0, -1, cv2.LINE_AA)
    if rng.random() < 0.25:  # a thread
        colours *= (0.7 + 0.35 * np.sign(np.sin(right * 2 * math.pi / (thick * rng.uniform(0.4, 1)))))[..., None]
    aside, lamp = np.clip((down - middle) / thick, -1, 1), rng.uniform(-0.8, 0.8)
    lit = np.clip(np.sqrt(1 - aside**2) * math.sqrt(1 - lamp**2) + aside * lamp, 0, 1)
    colours = colours * (0.35 + 0.75 * lit)[..., None]
    if rng.random() < 0.5:
        colours += (rng.uniform(0.1, 0.8) * lit ** rng.uniform(8, 60))[..., None]
    return np.concatenate([colours, mask[..., None]], axis=2)


def _wooden(rng: Random) -> Array:
    return np.array([0.45, 0.65, 0.8]) * rng.uniform(0.5, 1.15) * (1 + rng.normal(0, 0.06, 3))


def _wire(rng: Random, size: int) -> Array:
    """A paper clip, or a wire that is bent anyhow."""
    if rng.random() < 0.3:
        steps = np.cumsum(rng.normal(0, 1, (6, 2)), axis=0)
        points = np.stack([np.interp(np.linspace(0, 5, 40), np.arange(6), column) for column in steps.T], axis=1)
        points = np.asarray(cv2.GaussianBlur(points.astype(np.float32), (0, 0), 2.0)) - points.mean(axis=0)
        points = points / (2.2 * np.abs(points).max())
    else:
        outer = rng.uniform(0.1, 0.14)
        inner = 0.8 * outer
        bends = ((0.30, 0.0, outer, -1), (-0.32, outer - inner, inner, 1), (0.2, outer - 1.3 * inner, 0.7 * inner, -1))
        arcs = [_arc(*bend) for bend in bends]
        points = np.concatenate([[[-0.15, -outer]], *arcs, [[-0.12, outer - 0.6 * inner]]])
    mask = np.zeros((size, size), np.float32)
    thick = max(round(rng.uniform(0.018, 0.05) * size), 2)
    at = np.rint((points + 0.5) * size * 16).astype(np.int32)
    cv2.polylines(mask, [at], False, 1.0, thick, cv2.LINE_AA, 4)
    height = cv2.GaussianBlur(mask, (0, 0), 0.35 * thick)
    slopes = np.stack([cv2.Sobel(height, -1, 1, 0), cv2.Sobel(height, -1, 0, 1)])
    way = rng.uniform(0, 2 * math.pi)
    lit = np.tensordot((math.cos(way), math.sin(way)), slopes / max(float(np.abs(slopes).max()), 1e-3), 1)
    lit = np.clip(0.5 + 0.6 * lit, 0, 1)[..., None]
    metal = rng.uniform(0.4, 0.9) * (1 + rng.normal(0, 0.04, 3))
    colour = any_colour(rng) if rng.random() < 0.4 else metal
    return np.concatenate([colour * (0.25 + lit) + rng.uniform(0, 0.8) * lit**12, mask[..., None]], axis=2)


def _arc(x: float, y: float, radius: float, sense: int) -> Array:
    """Half a turn to the right (-1), or from there on to the left (1)."""
    turn = np.linspace(-math.pi / 2, math.pi / 2, 20) + (math.pi if sense > 0 else 0)
    return np.stack([x + radius * np.cos(turn), y + radius * np.sin(turn)], axis=1)


def _box(rng: Random, size: int) -> Array:
    """An eraser, a brick, a lump of sugar, a match-box, from somewhat aside."""
    half = np.array([1.0, rng.uniform(0.3, 1), rng.uniform(0.1, 0.9)])
    turn, tilt = rng.uniform(0, 2 * math.pi), rng.choice([0.0, rng.uniform(0, 0.7), rng.uniform(0, 0.7)])
    c, s = math.cos(turn), math.sin(turn)
    corners = np.array([(x, y, z) for z in (-1, 1) for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1))]) * half
    x, y = corners[:, 0] * c - corners[:, 1] * s, corners[:, 0] * s + corners[:, 1] * c
    seen = np.stack([x, y * math.cos(tilt) - corners[:, 2] * math.sin(tilt)], axis=1)
    seen = (seen / (2.15 * np.abs(seen).max()) + 0.5) * size
    colour, lamp = any_colour(rng) * rng.uniform(0.7, 1.1), rng.uniform(0, 2 * math.pi)
    mask, colours = np.zeros((size, size), np.float32), np.zeros((size, size, 3), np.float32)
    for number, (across, down) in enumerate(((0, -1), (1, 0), (0, 1), (-1, 0))):
        way = math.atan2(across * s + down * c, across * c - down * s)
        if math.sin(way) > 0:
            side = _filled(size, seen[[number, (number + 1) % 4, (number + 1) % 4 + 4, number + 4]])
            colours += side[..., None] * (colour * (0.55 + 0.25 * math.cos(way - lamp)) - colours)
            np.maximum(mask, side, out=mask)
    top = _filled(size, seen[4:])
    colours += top[..., None] * (colour - colours)
    if rng.random() < 0.35:  # a band around it
        start, end = np.sort(rng.uniform(0, 1, 2))
        first, second, third, fourth = seen[4:]
        band = [first + (second - first) * at for at in (start, end)] + [
            fourth + (third - fourth) * at for at in (end, start)
        ]
        colours += _filled(size, np.array(band))[..., None] * (any_colour(rng) - colours)
    return np.concatenate([colours, np.maximum(mask, top)[..., None]], axis=2)


def _filled(size: int, outline: Array) -> Array:
    """A square mask of what an outline (n x 2: x, y in px) encloses."""
    mask = np.zeros((size, size), np.float32)
    cv2.fillPoly(mask, [np.rint(outline * 16).astype(np.int32)], 1.0, cv2.LINE_AA, 4)
    return mask
