"""The reader: from a picture to a Reading, without learned weights and without a calibration."""

from dataclasses import dataclass

import cv2
import numpy as np

from vision.bodies import Body, cover, outline, stains
from vision.faces import Pattern, find_patterns
from vision.picture import Image
from vision.pips import Floats, Spots, find_spots, pyramid
from vision.reading import Die, Reading, Verdict

_EDGE_SHARES = (0.32, 0.2, 0.45, 0.13, 0.08)
_HALF_SIDES = (1.45, 3.1)  # half a die's side in units of its pattern
_PIP_WIDTHS = (0.45, 1.4)  # a pip's diameter in units of its pattern
_ONE_WIDTHS = (0.1, 0.36)  # the one pip's diameter in sides of its die


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """A face and the body that it is on."""

    pattern: Pattern
    body: Body
    flat: float  # the flattest of its pips, short over long axis


def read(image: Image, expected: int | None = None) -> Reading:
    """What lies in the picture, and whether it may be used.

    expected is how many dice there must be; None allows any number, none included.
    """
    levels = pyramid(image)
    spots = find_spots(levels)
    faces = _faces(levels, spots)
    ones = _ones(levels, spots, faces)
    found = faces + ones
    doubt = _doubt(spots, found)
    dice = tuple(_die(image, one) for one in sorted(found, key=lambda one: (one.body.centre[1], one.body.centre[0])))
    return _judge(dice, expected, doubt)


def _judge(dice: tuple[Die, ...], expected: int | None, doubt: str | None) -> Reading:
    if expected is not None and len(dice) != expected:
        return Reading(Verdict.WRONG_COUNT, f"I see {len(dice)} dice, there must be {expected}.", expected, dice)
    if doubt is not None:
        return Reading(Verdict.UNSURE, doubt, expected, dice)
    return Reading(Verdict.OK, f"{len(dice)} dice lie flat." if dice else "There are no dice.", expected, dice)


def _faces(levels: list[Image], spots: Spots) -> list[Found]:
    """Faces of two pips or more on bodies of their size; those with more pips first, no spot in two of them."""
    patterns = [
        p for p in find_patterns(spots, levels) if _within(_PIP_WIDTHS, spots.diameter[list(p.spots)].mean() / p.unit)
    ]
    covered = cover(levels, spots[np.array(sorted({row for p in patterns for row in p.spots}), np.int64)])
    found: list[Found] = []
    taken: set[int] = set()
    for pattern, body in zip(patterns, _bodies(covered, spots, patterns), strict=True):
        if body is None or taken & set(pattern.spots):
            continue
        if any(np.linalg.norm(pattern.centre - one.pattern.centre) < 1.6 * (pattern.unit + one.pattern.unit) for one in found):
            continue
        taken |= set(pattern.spots)
        found.append(Found(pattern, body, float(spots.flat[list(pattern.spots)].min())))
    return found


def _bodies(levels: list[Image], spots: Spots, patterns: list[Pattern]) -> list[Body | None]:
    best: list[Body | None] = [None] * len(patterns)
    rows = [list(pattern.spots) for pattern in patterns]
    number = np.array([int(np.median(spots.level[row])) for row in rows])
    for share in _EDGE_SHARES:
        for level in range(len(levels)):
            chosen = [i for i in np.flatnonzero(number == level) if best[i] is None] if len(patterns) else []
            if not chosen:
                continue
            bodies = outline(
                levels,
                level,
                np.array([patterns[i].centre for i in chosen]),
                np.array([np.median(spots.around[rows[i]], axis=0) for i in chosen]),
                np.array([np.median(spots.contrast[rows[i]]) for i in chosen]) * share,
                np.zeros(len(chosen)),
                np.array([4.6 * patterns[i].unit for i in chosen]),
            )
            for i, body in zip(chosen, bodies, strict=True):
                if _fits(patterns[i], body):
                    colour = np.median(spots.around[rows[i]], axis=0)
                    limit = 0.35 * float(np.median(spots.contrast[rows[i]]))
                    if stains(levels[level], level, patterns[i].centre, patterns[i].frame, colour, limit) < 0.04:
                        best[i] = body
    return best


def _fits(pattern: Pattern, body: Body) -> bool:
    return (
        body.closed > 0.94
        and _within(_HALF_SIDES, body.side / 2 / pattern.unit)
        and body.sides[1] > 0.78 * body.sides[0]
        and body.fill > 0.66
        and float(np.linalg.norm(body.centre - pattern.centre)) < 0.18 * body.side
    )


def _ones(levels: list[Image], spots: Spots, faces: list[Found]) -> list[Found]:
    """Single spots in the middle of a body of a die's shape."""
    free = np.ones(len(spots), bool)
    for one in faces:
        free[list(one.pattern.spots)] = False
        free &= np.linalg.norm(spots.centre - one.body.centre, axis=1) > 0.62 * one.body.side
    found: list[Found] = []
    for share in _EDGE_SHARES:
        for level in range(len(levels)):
            rows = np.flatnonzero(free & (spots.level == level) & (spots.flat > 0.7))
            if len(rows) == 0:
                continue
            width = spots.diameter[rows]
            bodies = outline(
                levels,
                level,
                spots.centre[rows],
                spots.around[rows],
                spots.contrast[rows] * share,
                width * 0.7,
                width * 7,
            )
            for row, body in zip(rows, bodies, strict=True):
                if free[row] and _is_one(spots, int(row), body):
                    unit = body.side / 4
                    pattern = Pattern(1, (int(row),), spots.centre[row], np.eye(2) * unit, 0.0)
                    found.append(Found(pattern, body, float(spots.flat[row])))
                    free &= np.linalg.norm(spots.centre - body.centre, axis=1) > 0.55 * body.side
    return found


def _is_one(spots: Spots, row: int, body: Body) -> bool:
    return (
        body.closed > 0.97
        and _within(_ONE_WIDTHS, float(spots.diameter[row]) / max(body.side, 1.0))
        and body.sides[1] > 0.8 * body.sides[0]
        and body.fill > 0.76
        and float(np.linalg.norm(body.centre - spots.centre[row])) < 0.12 * body.side
    )


def _doubt(spots: Spots, found: list[Found]) -> str | None:
    """Why the faces found may not be all there is, if there is a reason."""
    if not found:
        return None
    sides = np.array([one.body.side for one in found])
    if sides.max() > 2.3 * sides.min():
        return "The dice found differ too much in size."
    free = np.ones(len(spots), bool)
    for one in found:
        free[list(one.pattern.spots)] = False
    for one in found:
        rows = list(one.pattern.spots)
        colour, contrast = np.median(spots.inner[rows], axis=0), float(np.median(spots.contrast[rows]))
        around = np.median(spots.around[rows], axis=0)
        width = float(np.median(spots.diameter[rows]))
        like = (
            free
            & (spots.sign == spots.sign[rows[0]])
            & (np.linalg.norm(spots.inner - colour, axis=1) < 0.4 * contrast)
            & (np.linalg.norm(spots.around - around, axis=1) < 0.4 * contrast)
            & (spots.diameter > 0.55 * width)
            & (spots.diameter < 1.8 * width)
            & (spots.flat > 0.62)
        )
        if like.any():
            return "There are pips that belong to no face found."
    return None


def _die(image: Image, found: Found) -> Die:
    x, y = (float(value) for value in found.pattern.centre)
    half = min(found.body.side / 2, 2.4 * found.pattern.unit)
    box = round(x - half), round(y - half), round(2 * half), round(2 * half)
    margin = float(np.clip(1.0 - found.pattern.residual / 0.13, 0.0, 1.0))
    return Die(found.pattern.face, x, y, box, margin, turn_deg=None)


def _within(limits: tuple[float, float], value: float) -> bool:
    return limits[0] < value < limits[1]
