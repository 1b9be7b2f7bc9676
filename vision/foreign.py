"""What lies among the dice or beside them and is none: what the detector takes for a thing, and what looks like one."""

from dataclasses import dataclass

import cv2
import numpy as np

from vision.detector import Stranger
from vision.lying import leaning
from vision.network import Sight
from vision.patterns import Floats
from vision.surroundings import NO_DICE, SQUARE, Thing, steepness, things, unlike_ground
from vision.views import View, places

PATTERN = 4
"""So many things that look alike are the pattern of the ground."""

_STRANGE = 0.62  # score from which there is a thing, however small and wherever it lies
_LARGE_STRANGE = (57.0, 0.3), (44.0, 0.5)  # beside dice, what is seen so large is more rarely a shadow or a print,
_LETTER_SIDES = 0.45  # if it is no smaller than so many sides of the dice, as letters beside large ones are,
_UNLIKE_GROUND = 7.0  # and so far from the ground by its colour: of 16 things 7.7 at least, of a hard shadow 6.7
_ALIKE, _ALIKE_SIDES, _INSIDE = 0.3, 0.7, 2.5  # or a score, if it is of a die's size and so many of its sides within
_SURE_IN_PRINT = 0.4  # the least of these scores where the ground shows a print: its figures have up to 0.34
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
_THING_PX = 36.0  # side of the dice from which what is as large is told from dirt
_AROUND = 0.3  # sides around a thing or a face that are looked at for its edges
_SOFT = 0.4  # times how steep dice's edges are: of 15 things 0.45 at least, of five smears of dice 0.35 at most
_PERHAPS, _SUREST = 0.3, 4  # so sure each cell of a spot is, and so many of them are its surest
_BODY, _AT_DICE = 0.6, 0.5  # sides from a die's centre that are it; share of a spot that may be right beside dice
_SHORTEST = 0.45  # sides: what is smaller is a crumb
_SURELY_STRANGE = 0.72, 0.58  # how sure the surest of a thing are, and all on the average: of 641 pictures that are
_STRANGE_SIDES = 0.8, 6.0  # read none is so sure of what is so long, 28 of 51 with a thing are
_RATHER_STRANGE, _RATHER_THING = (0.65, 0.45), 0.25  # or so, if more says so: no other of 347 that are read is so sure
_AS_SURE = 0.6  # times as sure is what may be of the same print
_MAYBE_STRANGE, _MAYBE_THING = 0.3, (0.35, 0.5, 1.9)  # where the picture is refused anyway


def foreign(sight: Sight, views: list[View]) -> list[tuple[float, float, float]]:
    """Where something is that is no die, among the dice or beside them, and how long (pixels)."""
    at = places(views)
    side_px = float(np.median(at[:, 2])) if views else 0.0
    spots = strange_spots(sight, at)
    printed = _print(spots)
    least = _SURE_IN_PRINT if printed else _ALIKE
    likely = [
        (one.x_px, one.y_px, one.side_px)
        for one in sight.strangers
        if one.score > _STRANGE
        or (views and not _on_a_die(one, views) and _odd(sight, at, one, least))
        or (views and _something(sight, views, one, side_px))
    ]
    alike = sum(one.score > _MAYBE_STRANGE for one in sight.strangers)
    if likely and alike < PATTERN:
        return likely
    if printed:
        return []
    if lying := _strange(sight, views, spots):
        return lying
    if not views or side_px < _THING_PX:
        return []
    found = (one for one in things(sight.levels, at) if _is_thing(one))
    return [(one.x_px, one.y_px, one.long * side_px) for one in found]


def _strange(sight: Sight, views: list[View], spots: list["Spot"]) -> list[tuple[float, float, float]]:
    """What lies surest apart from the dice and is none, if it is about as large.

    Where that is larger, as a pen or a tray's rim is, nothing is told. What is less sure is there if the detector sees
    a thing in it too, or a die seems to lean on it.
    """
    if not spots:
        return []
    one, (least, most) = max(spots, key=lambda spot: spot.surest), _STRANGE_SIDES
    if not one.whole or not least < one.sides < most:
        return []
    lies = one.x_px, one.y_px, one.long_px
    if one.above(*_SURELY_STRANGE):
        return [lies]
    return [lies] if one.above(*_RATHER_STRANGE) and (_in_it(sight, views, one) or _touches(*lies, views)) else []


def _print(spots: list["Spot"]) -> bool:
    """Whether so many spots are about as sure to be strange as the surest of them that they are the ground's print."""
    surest = max((spot.surest for spot in spots), default=0.0)
    return sum(spot.surest > _AS_SURE * surest for spot in spots) >= PATTERN


def _in_it(sight: Sight, views: list[View], spot: "Spot") -> bool:
    """Whether the detector sees a thing there too, if not surely, of another colour than the ground; or its tint is."""
    if not views:
        return False
    at = places(views)
    seen = [
        (one.x_px, one.y_px)
        for one in sight.strangers
        if one.score > _RATHER_THING
        and unlike_ground(sight.levels, np.array([one.x_px, one.y_px, one.side_px], np.float32), at) > _UNLIKE_GROUND
    ]
    tinted = [(one.x_px, one.y_px) for one in things(sight.levels, at) if one.tint > _TINT]
    return any(np.hypot(x_px - spot.x_px, y_px - spot.y_px) < spot.long_px / 2 for x_px, y_px in seen + tinted)


@dataclass(frozen=True, slots=True)
class Spot:
    """Cells of a picture that seem to show something which is no die."""

    x_px: float
    y_px: float
    long_px: float  # along the picture's edges
    sides: float  # the same in sides of a die
    surest: float  # how sure its surest cells are
    sure: float  # how sure all of them are on the average
    whole: bool  # that the picture's edge does not cut it

    def above(self, surest: float, sure: float) -> bool:
        """Whether its surest cells and all of them are as sure as that."""
        return self.surest >= surest and self.sure >= sure


def strange_spots(sight: Sight, at: Floats) -> list[Spot]:
    """What seems to lie apart from the dice at these places (n x 3: x, y, side in px), of any shape, and to be none."""
    size, cells = np.array(sight.levels[0].shape[1::-1]), np.array(sight.strange.shape[::-1])
    across, down = ((np.arange(count) + 0.5) * long / count for count, long in zip(cells, size, strict=True))
    dice = np.zeros(sight.strange.shape, np.uint8)
    for x, y, side in at.tolist():
        dice |= np.hypot(across - x, down[:, None] - y) < _BODY * side
    beside = cv2.dilate(dice, SQUARE) > 0
    side_px = float(np.median(at[:, 2])) if len(at) else size.max() / NO_DICE
    odd = ((sight.strange > _PERHAPS) & (dice == 0)).astype(np.uint8)
    count, numbers, boxes, centres = cv2.connectedComponentsWithStats(odd, connectivity=8)
    spots = []
    for number in range(1, count):
        there = numbers == number
        start, spread = boxes[number, :2], boxes[number, 2:4]
        long_px = float((spread * size / cells).max())
        if long_px < _SHORTEST * side_px or beside[there].mean() > _AT_DICE:
            continue
        x, y = ((centres[number] + 0.5) * size / cells).tolist()
        said = np.sort(sight.strange[there])
        surest = float(said[-_SUREST:].sum()) / _SUREST
        whole = bool((start > 0).all() and (start + spread < cells).all())
        spots.append(Spot(x, y, long_px, long_px / side_px, surest, float(said.mean()), whole))
    return spots


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
    return any(_touches(*one, views) for one in foreign(sight, views))


def _touches(x_px: float, y_px: float, long_px: float, views: list[View]) -> bool:
    """Whether what lies there touches a die, where one may lean."""
    return bool((leaning(views) > _MAYBE_LEANS).any()) and any(
        np.hypot(x_px - die_x, y_px - die_y) < _TOUCHING * (long_px + side) / 2
        for die_x, die_y, side in places(views).tolist()
    )


def _odd(sight: Sight, at: Floats, one: Stranger, least_score: float) -> bool:
    """Whether a thing beside the dice at these places is one: large or well within, and unlike the ground.

    The detector must give it that score at least.
    """
    within = sight.within_px(one.x_px, one.y_px) > _INSIDE * one.side_px
    sides = one.side_px / float(np.median(at[:, 2]))
    alike = one.score > least_score and sides > _ALIKE_SIDES
    large = sides > _LETTER_SIDES and any(
        one.side_px > side_px and one.score > max(least, least_score) for side_px, least in _LARGE_STRANGE
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
