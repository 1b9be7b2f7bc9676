"""The reader: from a picture to a Reading, without learned weights and without a calibration."""

from dataclasses import dataclass

import numpy as np

from vision.bodies import Body, Seeds, cover, outlines, stains
from vision.faces import Pattern, find_patterns
from vision.picture import Image
from vision.pips import Spots, find_spots, pyramid
from vision.reading import Die, Reading, Verdict
from vision.things import find_things

_REACH = 4.6  # how far a die's outline is looked for, in units of its pattern
_ONE_FLAT = 0.7  # short over long axis of the one pip
_HALF_SIDES = (1.45, 3.1)  # half a die's side in units of its pattern
_PIP_WIDTHS = (0.45, 1.4)  # a pip's diameter in units of its pattern
_CROWD = 2.6  # so many times the area of the dice found in it is too much for a thing
_STAINED = 0.04  # the share of a face that may have another colour than its body
_ONE_WIDTHS = (0.1, 0.36)  # the one pip's diameter in sides of its die


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """A face and the body that it is on."""

    pattern: Pattern
    body: Body


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
    if doubt is None and expected is None:
        doubt = _overlooked(image, spots, found)
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
        if stains(levels, spots, pattern.centre, pattern.frame, list(pattern.spots)) > _STAINED:
            continue
        if any(
            np.linalg.norm(pattern.centre - one.pattern.centre) < 1.6 * (pattern.unit + one.pattern.unit)
            for one in found
        ):
            continue
        taken |= set(pattern.spots)
        found.append(Found(pattern, body))
    return found


def _bodies(levels: list[Image], spots: Spots, patterns: list[Pattern]) -> list[Body | None]:
    """The body of each pattern, where there is one of the right shape and size."""
    best: list[Body | None] = [None] * len(patterns)
    rows = [list(pattern.spots) for pattern in patterns]
    number = np.array([int(np.median(spots.level[row])) for row in rows], np.int64)
    for level in np.unique(number):
        chosen = np.flatnonzero(number == level)
        seeds = Seeds(
            centres=np.array([patterns[i].centre for i in chosen]),
            colours=np.array([np.median(spots.around[rows[i]], axis=0) for i in chosen]),
            contrasts=np.array([np.median(spots.contrast[rows[i]]) for i in chosen]),
            starts=np.zeros(len(chosen)),
            reach=np.array([_REACH * patterns[i].unit for i in chosen]),
        )
        for row, body in outlines(levels, int(level), seeds):
            place = chosen[row]
            if best[place] is None and _fits(patterns[place], body):
                best[place] = body
    return best


def _fits(pattern: Pattern, body: Body) -> bool:
    return (
        _within(_HALF_SIDES, body.side / 2 / pattern.unit)
        and body.sides[1] > 0.78 * body.sides[0]
        and body.fill > 0.66
        and float(np.linalg.norm(body.centre - pattern.centre)) < 0.18 * body.side
    )


def _ones(levels: list[Image], spots: Spots, faces: list[Found]) -> list[Found]:
    """Single spots in the middle of a body of a die's shape."""
    free = spots.flat > _ONE_FLAT
    for one in faces:
        free[list(one.pattern.spots)] = False
        free &= np.linalg.norm(spots.centre - one.body.centre, axis=1) > 0.62 * one.body.side
    found: list[Found] = []
    for level in np.unique(spots.level[free]):
        rows = np.flatnonzero(free & (spots.level == level))
        width = spots.diameter[rows]
        seeds = Seeds(spots.centre[rows], spots.around[rows], spots.contrast[rows], 0.7 * width, 7 * width)
        for place, body in outlines(levels, int(level), seeds):
            row = int(rows[place])
            if free[row] and _is_one(spots, row, body):
                pattern = Pattern(1, (row,), spots.centre[row], np.eye(2) * body.side / 4, 0.0)
                found.append(Found(pattern, body))
                free &= np.linalg.norm(spots.centre - body.centre, axis=1) > 0.55 * body.side
    return found


def _is_one(spots: Spots, row: int, body: Body) -> bool:
    return (
        _within(_ONE_WIDTHS, float(spots.diameter[row]) / max(body.side, 1.0))
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


def _overlooked(image: Image, spots: Spots, found: list[Found]) -> str | None:
    """Whether something that is no die found looks as if it were one."""
    sides = np.array([one.body.side for one in found])
    for x, y, side in find_things(image):
        inside = [one for one in found if np.linalg.norm(one.body.centre - (x, y)) < 0.5 * side + 0.6 * one.body.side]
        if inside:
            if side**2 > _CROWD * sum(one.body.side**2 for one in inside):
                return "A thing is larger than the dice found in it."
            continue
        off = np.abs(spots.centre - (x, y)).max(axis=1)
        marked = (off < 0.6 * side) & (spots.diameter > 0.08 * side) & (spots.diameter < 0.4 * side)
        if marked.any() or (len(sides) and 0.55 * sides.min() < side < 1.8 * sides.max()):
            return "There is a thing that may be a die and cannot be read."
    return None


def _die(image: Image, found: Found) -> Die:
    x, y = (float(value) for value in found.pattern.centre)
    half = min(found.body.side / 2, 2.4 * found.pattern.unit)
    box = round(x - half), round(y - half), round(2 * half), round(2 * half)
    margin = float(np.clip(1.0 - found.pattern.residual / 0.13, 0.0, 1.0))
    return Die(found.pattern.face, x, y, box, margin, turn_deg=None)


def _within(limits: tuple[float, float], value: float) -> bool:
    return limits[0] < value < limits[1]
