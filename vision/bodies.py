"""The bodies of dice: how far the colour around a face's pips reaches."""

from collections.abc import Iterator
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from vision.picture import Image
from vision.pips import Floats, Spots, sample

_RAYS, _STEPS = 48, 48
_TURNS = np.arange(_RAYS) * (2 * np.pi / _RAYS)
_COMPASS = np.stack([np.cos(_TURNS), np.sin(_TURNS)], axis=1).astype(np.float32)
EDGE_SHARES = (0.32, 0.2, 0.45, 0.13, 0.08, 0.05)
"""The change of colour that ends a body, as shares of the pips' contrast; the first that gives a die's shape counts."""
_CLOSED = 0.94  # the share of the rays that must meet an edge
_PAINT = 1.5  # radii from the middle of a pip, where it or its rim is and nothing is said of the body
_EDGE_LEAST = 9.0  # grey levels: a smaller step is noise
_PIP_REACH = 0.75  # in diameters from its centre, what a pip and its rim take up
_STAIN_SHARE = 0.35  # of the pips' contrast
_SITES = np.array([(x, y) for x in (-1.0, 0.0, 1.0) for y in (-1.0, 0.0, 1.0)])
_SITE = np.array([(0.0, 0.0), (0.2, 0.0), (-0.2, 0.0), (0.0, 0.2), (0.0, -0.2)])
_GRID = np.stack(np.meshgrid(*[np.linspace(-1.3, 1.3, 14)] * 2), axis=-1).reshape(-1, 2)


@dataclass(frozen=True, slots=True, eq=False)
class Body:
    """The outline of what has one colour around a point."""

    centre: Floats  # 2: of the smallest rectangle around it
    sides: tuple[float, float]  # of that rectangle, in pixels, the longer one first
    turn_deg: float  # of the rectangle
    fill: float  # area over that of the rectangle

    @property
    def side(self) -> float:
        """Of a square of the same area, in pixels."""
        return float(np.sqrt(self.sides[0] * self.sides[1]))


@dataclass(frozen=True, slots=True, eq=False)
class Seeds:
    """Where bodies are looked for, as columns; pixels are those of the picture."""

    centres: Floats  # n x 2
    colours: Floats  # n x 3: of the body
    contrasts: Floats  # n: of the pips on it
    starts: Floats  # n: the rays begin so far from the centre
    reach: Floats  # n: and end so far from it
    pips: Floats  # n x 6 x 3: x, y and radius of the pips that are on it; a radius of 0 stands for none


def outlines(levels: list[Image], number: int, seeds: "Seeds") -> Iterator[tuple[int, Body]]:
    """The bodies around the seeds, seen on one level: which seed, and what is closed around it.

    A seed may come several times, as its body is looked for with one step of colour after the other.
    """
    scale = np.float32(2.0**-number)
    starts, reach = seeds.starts.astype(np.float32), seeds.reach.astype(np.float32)
    span = starts[:, None] + (reach - starts)[:, None] * np.linspace(0.0, 1.0, _STEPS, dtype=np.float32)
    points = seeds.centres.astype(np.float32)[:, None, None] + _COMPASS[None, :, None] * span[:, None, :, None]
    off = sample(levels[number], (points + np.float32(0.5)) * scale - np.float32(0.5))
    off -= seeds.colours.astype(np.float32)[:, None, None]
    away = np.sqrt(np.einsum("nrsc,nrsc->nrs", off, off))
    for pip in range(seeds.pips.shape[1]):
        x, y, radius = (column[:, None, None] for column in seeds.pips[:, pip].astype(np.float32).T)
        near = (points[..., 0] - x) ** 2 + (points[..., 1] - y) ** 2 < (radius * _PAINT) ** 2
        away[near & (radius > 0)] = 0
    # An edge must last for two samples; a speck is none.
    away[..., :-1] = np.minimum(away[..., :-1], away[..., 1:])
    height, width = levels[0].shape[:2]
    for share in EDGE_SHARES:
        limit = np.maximum(share * seeds.contrasts, _EDGE_LEAST).astype(np.float32)
        ends = away > limit[:, None, None]
        first = ends.argmax(axis=2)
        closed = np.take_along_axis(ends, first[..., None], 2)[..., 0]
        radii = np.take_along_axis(span, np.where(closed, first, _STEPS - 1), 1)
        rim = seeds.centres[:, None] + _COMPASS * radii[..., None]
        closed &= (rim >= 0).all(axis=2) & (rim[..., 0] <= width - 1) & (rim[..., 1] <= height - 1)
        shut = closed.mean(axis=1)
        for row in np.flatnonzero(shut > _CLOSED):
            yield int(row), _body(rim[row].astype(np.float32))


def _body(rim: npt.NDArray[np.float32]) -> Body:
    (x, y), (wide, high), turn = cv2.minAreaRect(rim)
    long, short = max(wide, high), min(wide, high)
    area = float(cv2.contourArea(rim))
    return Body(np.array([x, y]), (long, short), float(turn), area / max(long * short, 1e-6))


def stains(levels: list[Image], spots: Spots, centre: Floats, frame: Floats, rows: list[int]) -> float:
    """The share of a face, without its pips, that has not the colour of its body."""
    number = int(np.median(spots.level[rows]))
    points = centre + _GRID @ frame.T
    apart = np.linalg.norm(points[:, None] - spots.centre[rows], axis=2) / spots.diameter[rows]
    points = points[apart.min(axis=1) > _PIP_REACH]
    if len(points) == 0:
        return 1.0
    seen = sample(levels[number], (points + 0.5) * 2.0**-number - 0.5)
    colour = np.median(spots.around[rows], axis=0)
    limit = _STAIN_SHARE * float(np.median(spots.contrast[rows]))
    return float((np.linalg.norm(seen - colour, axis=1) > limit).mean())


def hidden(levels: list[Image], spots: Spots, centre: Floats, frame: Floats, rows: list[int]) -> float:
    """How far the colour of the strangest place where a pip could be, and none is, is from the body's.

    As a share of the pips' contrast: 1 is as strange as a pip, and what a gleam makes of one lies in between.
    """
    number = int(np.median(spots.level[rows]))
    sites = centre + _SITES @ frame.T
    apart = np.linalg.norm(sites[:, None] - spots.centre[rows], axis=2) / spots.diameter[rows]
    empty = sites[apart.min(axis=1) > 1.0]
    if len(empty) == 0:
        return 0.0
    points = empty[:, None] + (_SITE @ frame.T)[None]
    seen = np.median(sample(levels[number], (points + 0.5) * 2.0**-number - 0.5), axis=1)
    off = np.linalg.norm(seen - np.median(spots.around[rows], axis=0), axis=1)
    return float(off.max() / np.median(spots.contrast[rows]))
