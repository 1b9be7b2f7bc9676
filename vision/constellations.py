"""One way of reading: faces by the constellations of their pips, without learned weights."""

from dataclasses import dataclass

import numpy as np

from vision.bodies import Body, Seeds, hidden, outlines, stains
from vision.faces import Pattern, find_patterns
from vision.lying import leaning, stacked
from vision.picture import Image
from vision.pips import Floats, Spots, find_spots, pyramid
from vision.reading import Die, Reading, Verdict
from vision.things import find_things

_REACH = 4.6  # how far a die's outline is looked for, in units of its pattern
_ONE_FLAT = 0.7  # short over long axis of the one pip
_HALF_SIDES = (1.45, 3.1)  # half a die's side in units of its pattern
_PIP_WIDTHS = (0.45, 1.4)  # a pip's diameter in units of its pattern
_CROWD = 2.6  # so many times the area of the dice found in it is too much for a thing
_INSIDE, _INSIDE_ONE = 0.42, 0.6  # sides from a body's middle, where no pip of another face is
_GLEAM = 0.2  # of the pips' contrast, by which a face may differ from its body where a pip could be
_STAINED = 0.04  # the share of a face that may have another colour than its body
_ONE_WIDTHS = (0.1, 0.36)  # the one pip's diameter in sides of its die


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """A face and the body that it is on."""

    pattern: Pattern
    body: Body


def read_pips(image: Image, expected: int | None = None) -> Reading:
    """What lies in the picture, and whether it may be used.

    expected is how many dice there must be; None allows any number, none included.
    """
    levels = pyramid(image)
    spots = find_spots(levels)
    faces = _faces(levels, spots)
    found = faces + _ones(levels, spots, faces)
    verdict, message = _judge(image, levels, spots, found, expected)
    order = sorted(found, key=lambda one: (one.body.centre[1], one.body.centre[0]))
    return Reading(verdict, message, expected, tuple(_die(one) for one in order))


def _judge(
    image: Image, levels: list[Image], spots: Spots, found: list[Found], expected: int | None
) -> tuple[Verdict, str]:
    """The first verdict that holds, in the order of precedence, and its reason."""
    if stacked(np.array([one.body.side for one in found])):
        return Verdict.STACKED, "A die lies on another: it looks larger than the others."
    if found and _leans(spots, found):
        return Verdict.COCKED, "A die leans; its top face is not decided."
    count = f"{len(found)} {'die' if len(found) == 1 else 'dice'}"
    if expected is not None and len(found) != expected:
        return Verdict.WRONG_COUNT, f"I see {count}, this picture needs {expected}."
    # Only where the count fits: on what is no die, strange places are no sign of the light.
    strange = (hidden(levels, spots, one.pattern.centre, one.pattern.frame, list(one.pattern.spots)) for one in found)
    if any(share > _GLEAM for share in strange):
        return Verdict.BAD_LIGHT, "The light falls so that a gleam or a shadow may hide a pip."
    doubt = _doubt(spots, found)
    if doubt is None and expected is None:
        doubt = _overlooked(image, spots, found)
    if doubt is not None:
        return Verdict.UNSURE, doubt
    return Verdict.OK, f"{count} flat on the ground." if found else "There are no dice."


def _leans(spots: Spots, found: list[Found]) -> bool:
    worst = leaning(
        np.array([(one.body.centre - one.pattern.centre) / one.body.side for one in found]),
        np.array([one.pattern.centre for one in found]),
        np.array([np.median(spots.flat[list(one.pattern.spots)]) for one in found]),
        np.array([one.body.sides[1] / one.body.sides[0] for one in found]),
        np.array([one.body.fill for one in found]),
    )
    return worst is not None


def _faces(levels: list[Image], spots: Spots) -> list[Found]:
    """Faces of two pips or more on bodies of their size; those with more pips first, no spot in two of them."""
    patterns = [
        p for p in find_patterns(spots, levels) if _within(_PIP_WIDTHS, spots.diameter[list(p.spots)].mean() / p.unit)
    ]
    found: list[Found] = []
    taken: set[int] = set()
    for pattern, body in zip(patterns, _bodies(levels, spots, patterns), strict=True):
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
            pips=np.stack([_pips(spots, rows[i]) for i in chosen]),
        )
        for row, body in outlines(levels, int(level), seeds):
            place = chosen[row]
            if best[place] is None and _fits(spots, patterns[place], body):
                best[place] = body
    return best


def _pips(spots: Spots, rows: list[int]) -> Floats:
    """Centres and radii of the pips of one face (6 x 3), filled up with nothing."""
    pips = np.zeros((6, 3))
    pips[: len(rows)] = np.column_stack([spots.centre[rows], spots.diameter[rows] / 2])
    return pips


def _fits(spots: Spots, pattern: Pattern, body: Body) -> bool:
    return (
        _within(_HALF_SIDES, body.side / 2 / pattern.unit)
        and body.sides[1] > 0.78 * body.sides[0]
        and body.fill > 0.66
        and float(np.linalg.norm(body.centre - pattern.centre)) < 0.18 * body.side
        and not _has_others(spots, list(pattern.spots), body, _INSIDE)
    )


def _has_others(spots: Spots, rows: list[int], body: Body, reach: float) -> bool:
    """Whether there are other spots like the face's own so near the middle of its body, in sides."""
    width = float(np.median(spots.diameter[rows]))
    contrast = float(np.median(spots.contrast[rows]))
    others = (
        (np.linalg.norm(spots.centre - body.centre, axis=1) < reach * body.side)
        & (spots.sign == spots.sign[rows[0]])
        & (spots.diameter > 0.5 * width)
        & (spots.diameter < 2 * width)
        & (spots.contrast > 0.4 * contrast)
    )
    others[rows] = False
    return bool(others.any())


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
        seeds = Seeds(
            spots.centre[rows],
            spots.around[rows],
            spots.contrast[rows],
            0.7 * width,
            7 * width,
            np.zeros((len(rows), 0, 3)),
        )
        for place, body in outlines(levels, int(level), seeds):
            row = int(rows[place])
            if free[row] and _is_one(spots, row, body) and not _holds(body, faces + found):
                pattern = Pattern(1, (row,), spots.centre[row], np.eye(2) * body.side / 4, 0.0)
                found.append(Found(pattern, body))
                free &= np.linalg.norm(spots.centre - body.centre, axis=1) > 0.55 * body.side
    return found


def _holds(body: Body, found: list[Found]) -> bool:
    """Whether the middle of a die found already lies in the body: then it is the ground."""
    return any(np.linalg.norm(one.body.centre - body.centre) < 0.5 * body.side for one in found)


def _is_one(spots: Spots, row: int, body: Body) -> bool:
    return (
        _within(_ONE_WIDTHS, float(spots.diameter[row]) / max(body.side, 1.0))
        and body.sides[1] > 0.8 * body.sides[0]
        and body.fill > 0.76
        and float(np.linalg.norm(body.centre - spots.centre[row])) < 0.12 * body.side
        and not _has_others(spots, [row], body, _INSIDE_ONE)
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


def _die(found: Found) -> Die:
    x, y = (float(value) for value in found.pattern.centre)
    half = min(found.body.side / 2, 2.4 * found.pattern.unit)
    box = round(x - half), round(y - half), round(2 * half), round(2 * half)
    margin = float(np.clip(1.0 - found.pattern.residual / 0.13, 0.0, 1.0))
    return Die(found.pattern.face, x, y, box, margin, turn_deg=None)


def _within(limits: tuple[float, float], value: float) -> bool:
    return limits[0] < value < limits[1]
