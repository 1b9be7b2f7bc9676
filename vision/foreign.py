"""What lies among the dice or beside them and is none: what the detector takes for a thing, and what looks like one."""

import math

import numpy as np

from vision.detector import Stranger
from vision.lying import leaning
from vision.network import Sight
from vision.patterns import Floats
from vision.surroundings import Thing, standing_out, steepness, things, unlike_ground
from vision.views import View, places

PATTERN = 4
"""So many things that look alike are the pattern of the ground."""

_STRANGE = 0.62  # score from which there is a thing, however small and wherever it lies
_LARGE_STRANGE = (57.0, 0.3), (44.0, 0.5)  # beside dice, what is seen so large is more rarely a shadow or a print,
_LETTER_SIDES = 0.45  # if it is no smaller than so many sides of the dice, as letters beside large ones are,
_UNLIKE_GROUND = 7.0  # and so far from the ground by its colour: of 16 things 7.7 at least, of a hard shadow 6.7
_ALIKE, _ALIKE_SIDES, _INSIDE = 0.3, 0.7, 2.5  # or a score, if it is of a die's size and so many of its sides within
_HALF_STRANGE, _SOMETHING = 0.22, 0.78  # where it may as well be a die that is too many, both together,
_HALF_SIDES = 0.8, 2.0  # if it is not much smaller than the dice, nor a whole mat
_TOUCHING = 1.2  # times half of both: nearer is touching
_MAYBE_LEANS = 0.45  # so surely a die leans where something touches one: 0.53 where it did, 0.34 at most on four others
_THING = 0.6, 0.85, 1.9  # at least so many faces of a die, sides wide, and at most so many times as long as wide,
_SOLID, _SOLID_THING = 0.88, (0.72, 0.72, 2.5)  # or so, if it has no dents: shadows beside dice have
_ROD = 1.5, 0.5, 6.0  # or so, as pens are, if it has no dents
_COMPACT, _SMALL_THING = 0.92, (0.5, 0.62, 1.7)  # or so, if it has hardly a rough edge: veins and letters have
_TINT, _TINTED, _TINTED_SOLID = 20.0, (0.6, 0.5, 3.2), 0.7  # or so, if it is so far from the ground by its tint
_LARGEST_THING, _LARGEST_SOLID = 4.5, 7.5  # faces; the second if it is solid
_FLOOR, _SEAM = 60.0, 0.3  # faces from which what stands out is a tray's floor; it is a seam if it is no more solid
_CORNER = 0.3  # share of what is around a floor's corner that looks like it: 0.46 where one was, 0.23 at most of things
_LETTERS = 3  # parts of a word that stand apart: of three words three or four, of nine things one
_CLEARLY = 1.6, 4.0  # how far a thing stands out at least, and how far by its tint,
_THIN = 0.18, 0.6, 0.5  # and so wide, long and solid,
_ROD_CLEARLY, _ROD_AREA, _ROD_LONG, _ROD_SOLID = 1.3, (1.0, 9.0), 3.0, 0.85  # or so, as pens lie, of any tint
_LONE_AREA, _LONE = (0.7, 4.5), (0.5, 0.6)  # or so large, wide and solid, of any tint, if nothing else stands out
_FAINT = 0.4  # times as far as what is clear: what stands out no farther, as veins beside a match do, is no print
_FEW, _TWICE = 2, (1.2, 5.0)  # if no more stands out, nor another about as large (times) and of that tint
# or nearly (levels): then both are print
_THING_PX = 36.0  # side of the dice from which what is as large is told from dirt
_AROUND = 0.3  # sides around a thing or a face that are looked at for its edges
_SOFT = 0.4  # times how steep dice's edges are: of 15 things 0.45 at least, of five smears of dice 0.35 at most
_MAYBE_STRANGE, _MAYBE_THING = 0.3, (0.35, 0.5, 1.9)  # where the picture is refused anyway


def foreign(sight: Sight, views: list[View]) -> list[tuple[float, float, float]]:
    """Where something is that is no die, among the dice or beside them, and how long (pixels)."""
    at = places(views)
    side_px = float(np.median(at[:, 2])) if views else 0.0
    likely = [
        (one.x_px, one.y_px, one.side_px)
        for one in sight.strangers
        if one.score > _STRANGE
        or (views and not _on_a_die(one, views) and _odd(sight, at, one))
        or (views and _something(sight, views, one, side_px))
    ]
    alike = sum(one.score > _MAYBE_STRANGE for one in sight.strangers)
    if likely and alike < PATTERN:
        return likely
    if not views or side_px < _THING_PX:
        return []
    found = (one for one in things(sight.levels, at) if _is_thing(one))
    return [(one.x_px, one.y_px, one.long * side_px) for one in found]


def standing_alone(sight: Sight, views: list[View]) -> bool:
    """Whether something apart from the dice stands out of the ground around it, and hardly anything else does.

    Where more does about as far, or the same twice, it is the ground's print.
    """
    if not views or float(np.median(places(views)[:, 2])) < _THING_PX:
        return False
    seen = standing_out(sight.levels, places(views), min(_CLEARLY[0], _ROD_CLEARLY))
    found = [one for one in seen if one.area < _FLOOR and one.solid > _SEAM]
    if len(found) == 1 and _lone(*found):
        return True
    least = _FAINT * max((one.stands_out for one in found if _clear(one)), default=math.inf)
    found = [one for one in found if one.stands_out > least]
    clear = [one for one in found if _clear(one)]
    return bool(clear) and len(found) <= _FEW and not (len(clear) > 1 and _alike(*clear))


def _alike(one: Thing, other: Thing) -> bool:
    larger, apart = _TWICE
    return 1 / larger < one.area / other.area < larger and abs(one.tint - other.tint) < apart


def _clear(one: Thing) -> bool:
    """Whether a patch stands out clearly by its tint too, or as a pen does: no speck, shadow, word or corner."""
    strength, tint = _CLEARLY
    wide, long, solid = _THIN
    clear = one.stands_out > strength and one.tint > tint and one.area < _LARGEST_THING
    shaped = one.wide > wide and one.long > long and one.solid > solid
    return _whole(one) and ((clear and shaped) or _rod(one))


def _whole(one: Thing) -> bool:
    """Whether a patch is of a look of its own, in one piece or nearly so: no stripe, no word, no floor's corner."""
    return 0 < one.parts < _LETTERS and one.goes_on < _CORNER


def _lone(one: Thing) -> bool:
    """Whether a patch beside which nothing stands out is about as large as a die, however faint: dirt is smaller."""
    least, most = _LONE_AREA
    wide, solid = _LONE
    return _whole(one) and least < one.area < most and one.wide > wide and one.solid > solid


def _rod(one: Thing) -> bool:
    """Whether a patch is as long, straight and large as a pen: no shadow of a die is, nor a vein."""
    least, most = _ROD_AREA
    straight = one.long > _ROD_LONG * one.wide and one.solid > _ROD_SOLID
    return straight and least < one.area < most and one.stands_out > _ROD_CLEARLY


def maybe_foreign(sight: Sight, views: list[View]) -> bool:
    """Whether something that is no die may lie there, where the picture is refused anyway."""
    if any(_like_a_thing(one, *_MAYBE_THING) for one in things(sight.levels, places(views))):
        return True
    beside = [one for one in sight.strangers if one.score > _MAYBE_STRANGE and not _on_a_die(one, views)]
    return 0 < len(beside) < PATTERN


def smeared(sight: Sight, views: list[View]) -> bool:
    """Whether a thing lies beside the dice without edges as steep as theirs: where a die is missing, that in motion."""
    at = places(views)
    found = [one for one in things(sight.levels, at) if _is_thing(one)] if views else []
    if not found:
        return False
    side_px = float(np.median(at[:, 2]))
    least = _SOFT * np.median([steepness(sight.levels, place, 1 + _AROUND) for place in at])
    return any(
        steepness(sight.levels, np.array([one.x_px, one.y_px, side_px]), one.long + _AROUND) < least for one in found
    )


def touched(sight: Sight, views: list[View]) -> bool:
    """Whether it touches a die that may lean on it; of few dice the one that does may make the other seem to."""
    return bool((leaning(views) > _MAYBE_LEANS).any()) and any(
        np.hypot(x - die_x, y - die_y) < _TOUCHING * (long + side) / 2
        for x, y, long in foreign(sight, views)
        for die_x, die_y, side in places(views).tolist()
    )


def _odd(sight: Sight, at: Floats, one: Stranger) -> bool:
    """Whether a thing beside the dice at these places is one: large or well within, and unlike the ground."""
    within = sight.within_px(one.x_px, one.y_px) > _INSIDE * one.side_px
    sides = one.side_px / float(np.median(at[:, 2]))
    alike = one.score > _ALIKE and sides > _ALIKE_SIDES
    large = sides > _LETTER_SIDES and any(
        one.side_px > side_px and one.score > least for side_px, least in _LARGE_STRANGE
    )
    place = np.array([one.x_px, one.y_px, one.side_px], np.float32)
    return (large or (within and alike)) and unlike_ground(sight.levels, place, at) > _UNLIKE_GROUND


def _something(sight: Sight, views: list[View], one: Stranger, side_px: float) -> bool:
    """Whether that is there, be it a thing or a die too many, and about as large as dice of that side."""
    least, most = _HALF_SIDES
    as_both = one.score + _as_die(sight, views, one)
    return one.score > _HALF_STRANGE and least < one.side_px / side_px < most and as_both > _SOMETHING


def _as_die(sight: Sight, views: list[View], one: Stranger) -> float:
    """The score that it would have as another die: something is there, whichever it is."""
    known = [view.seen for view in views]
    near = (die for die in sight.dice if np.hypot(one.x_px - die.x_px, one.y_px - die.y_px) < one.side_px / 2)
    return max((die.score for die in near if die not in known), default=0.0)


def _on_a_die(one: Stranger, views: list[View]) -> bool:
    """Whether that is a die which somebody takes for something else: an emblem does that."""
    return any(np.hypot(one.x_px - view.seen.x_px, one.y_px - view.seen.y_px) < view.seen.side_px / 2 for view in views)


def _is_thing(one: Thing) -> bool:
    """Whether a patch is about as large as a die and compact, or smaller, larger or longer and the more solid.

    What differs from the ground by its tint is neither shadow nor veins, nor letters as a rule: it may have any shape.
    """
    solid = one.solid > _SOLID and any(_like_a_thing(one, *least, _LARGEST_SOLID) for least in (_SOLID_THING, _ROD))
    small = one.solid > _COMPACT and _like_a_thing(one, *_SMALL_THING)
    tinted = one.tint > _TINT and one.solid > _TINTED_SOLID and _like_a_thing(one, *_TINTED)
    return solid or small or tinted or _like_a_thing(one, *_THING)


def _like_a_thing(one: Thing, area: float, wide: float, long: float, largest: float = _LARGEST_THING) -> bool:
    """Whether a patch is that large and wide, no larger than things are, and no longer for its width."""
    return area < one.area < largest and one.wide > wide and one.long < long * one.wide
