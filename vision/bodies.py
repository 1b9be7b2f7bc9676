"""The bodies of dice: how far the colour around a face's pips reaches."""

from dataclasses import dataclass

import cv2
import numpy as np

from vision.pips import Floats, Spots, sample
from vision.picture import Image

RAYS = 48
_STEPS = 56
_TURNS = np.arange(RAYS) * (2 * np.pi / RAYS)
_COMPASS = np.stack([np.cos(_TURNS), np.sin(_TURNS)], axis=1)
_PAINT = 1.35  # how much larger than the pip its cover is
_EDGE_LEAST = 9.0  # grey levels: a smaller step is noise
_GRID = np.stack(np.meshgrid(*[np.linspace(-1.3, 1.3, 14)] * 2), axis=-1).reshape(-1, 2)


@dataclass(frozen=True, slots=True, eq=False)
class Body:
    """The outline of what has one colour around a point."""

    centre: Floats  # 2: of the smallest rectangle around it
    sides: tuple[float, float]  # of that rectangle, in pixels, the longer one first
    turn_deg: float  # of the rectangle
    closed: float  # share of the directions in which the body ends within reach
    fill: float  # area over that of the rectangle
    radii: Floats  # RAYS: distance to the edge in each direction

    @property
    def side(self) -> float:
        """Of a square of the same area, in pixels."""
        return float(np.sqrt(self.sides[0] * self.sides[1]))


def cover(levels: list[Image], spots: Spots) -> list[Image]:
    """The levels, with the spots painted over in the colour of their surroundings."""
    painted = [level.copy() for level in levels]
    for row in range(len(spots)):
        number = int(spots.level[row])
        # The level below is painted too: neighbouring pips may have been found on either.
        for at in {max(number - 1, 0), number, min(number + 1, len(levels) - 1)}:
            scale = 2.0**-at
            x, y = ((spots.centre[row] + 0.5) * scale - 0.5).tolist()
            values, axes = np.linalg.eigh(spots.shape[row] @ spots.shape[row].T)
            wide = 2 * np.sqrt(np.maximum(values, 0)) * _PAINT * scale + 1.5
            turn = float(np.degrees(np.arctan2(axes[1, 0], axes[0, 0])))
            box = ((x, y), (float(wide[0]), float(wide[1])), turn)
            cv2.ellipse(painted[at], box, [float(value) for value in spots.around[row]], -1)
    return painted


def outline(
    levels: list[Image], number: int, centres: Floats, colours: Floats, steps: Floats, starts: Floats, reach: Floats
) -> list[Body]:
    """The body around each centre (n x 2), seen on one level.

    steps (n) are the changes of colour that end it; starts and reach (n) are distances in pixels of the picture.
    """
    scale = 2.0**-number
    span = starts[:, None] + (reach - starts)[:, None] * np.linspace(0.0, 1.0, _STEPS)
    points = centres[:, None, None] + _COMPASS[None, :, None] * span[:, None, :, None]
    seen = sample(levels[number], (points + 0.5) * scale - 0.5)
    off = np.linalg.norm(seen - colours[:, None, None], axis=3)
    limit = np.maximum(steps, _EDGE_LEAST)[:, None, None]
    height, width = levels[0].shape[:2]
    outside = (points < 0).any(axis=3) | (points[..., 0] > width - 1) | (points[..., 1] > height - 1)
    away = off > limit
    ends = away.copy()
    ends[..., :-1] &= away[..., 1:]
    first = np.where(ends.any(axis=2), ends.argmax(axis=2), _STEPS - 1)
    closed = ends.any(axis=2) & ~np.take_along_axis(outside, first[..., None], 2)[..., 0]
    radii = np.take_along_axis(span, first, 1)
    return [_body(centre, row, float(shut.mean())) for centre, row, shut in zip(centres, radii, closed, strict=True)]


def _body(centre: Floats, radii: Floats, closed: float) -> Body:
    points = (centre + _COMPASS * radii[:, None]).astype(np.float32)
    (x, y), (wide, high), turn = cv2.minAreaRect(points)
    area = float(cv2.contourArea(points))
    long, short = max(wide, high), min(wide, high)
    return Body(np.array([x, y]), (long, short), float(turn), closed, area / max(long * short, 1e-6), radii)


def stains(level: Image, number: int, centre: Floats, frame: Floats, colour: Floats, limit: float) -> float:
    """The share of a face, its pips painted over, that has not the colour of its body."""
    points = centre + _GRID @ frame.T
    seen = sample(level, (points + 0.5) * 2.0**-number - 0.5)
    return float((np.linalg.norm(seen - colour, axis=1) > limit).mean())
