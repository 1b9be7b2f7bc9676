"""A second look at a picture, with the detector at another scale: what both looks see together.

Dice in rows and clumps that the detector misses or misplaces at one scale it mostly sees at another, and what it takes
for dice at one scale alone is mostly none.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TypeVar

import cv2
import numpy as np

from vision.detector import Stranger
from vision.network import Opinion, Sight
from vision.patterns import Floats
from vision.views import THERE, View, places

FINER, COARSER = 1.25, 0.75
"""How large a picture is to the detector in a second look, in sizes of the first; finer ones gained no more."""
LOOKS = (FINER, False), (COARSER, False)
"""The second looks that are taken until one is read: how large, and whether upside down."""
UPSIDE_DOWN = COARSER, True
"""One more look, upside down, where dice of a known number were missed or misplaced. Without that number it reads 7 of
672 pictures more, but answers 6 of 542 that must be refused. It does not settle what is in doubt.
"""

_ONE = 0.5  # of the larger side: nearer than that it is the same
_SETTLED = 0.5  # probability of its face to both; of three faces that were in dispute 0.52 at least, of a letter 0.4
_GLARES = 0.5  # so surely a reflection hides pips of a die
_CLEAR = 0.6  # so like its number a face is whose pips tell where its middle is
_WIDER = 1.08  # times a die's side: what is felt again is seen with a little more of its surroundings
_TOUCHING = 1.5  # sides from a die to its neighbour; the middle one of three in a row may still be missed

Seen = TypeVar("Seen", Opinion, Stranger)


def both(first: Sight, second: Sight) -> Sight:
    """The second look, where everything is, and lies on another, as likely as both looks make it on the average."""
    size = second.hidden.shape[::-1]
    hidden, strange = (
        (cv2.resize(one, size, interpolation=cv2.INTER_LINEAR) + other) / 2
        for one, other in ((first.hidden, second.hidden), (first.strange, second.strange))
    )
    return replace(
        second,
        dice=tuple(_standing(die, first.dice) for die in _mean(first.dice, second.dice)),
        strangers=_mean(first.strangers, second.strangers),
        hidden=np.asarray(hidden, np.float32),
        strange=np.asarray(strange, np.float32),
    )


def borne_out(first: Sequence[View], second: Sequence[View]) -> bool:
    """Whether all that a first look named surely is there in the second, with the same name.

    What the classifiers named otherwise at first must be sure to both, and to its pips: a letter M may be a 6 if one
    looks again, and a 2 with marble in its middle a 3. What a reflection hides must still be there: it is a die
    without a name, and a flower that has one may not stand for it.
    """
    glaring = [view.seen for view in first if view.seen.score >= THERE and view.seen.glare > _GLARES]
    if not all(any(_same(die, view.seen) for view in second) for die in glaring):
        return False
    again = all(_again(view.seen, second) for view in first if view.named)
    return again and all(_settled(view.seen, second) for view in first if not view.seen.agreed)


def _settled(die: Opinion, views: Iterable[View]) -> bool:
    """Whether both classifiers are sure of what is in its place now, if anything is, and its pips are most like it."""
    same = (view for view in views if _same(die, view.seen))
    return all(float(view.seen.faces[1:, view.seen.face - 1].min()) > _SETTLED and view.likest for view in same)


def _again(die: Opinion, views: Iterable[View]) -> bool:
    names = [view.seen.face for view in views if _same(die, view.seen)]
    return bool(names) and all(name == die.face for name in names)


def by_pips(views: Sequence[View]) -> Floats:
    """Where to feel how dice lie (n x 3): around clear pips, whose middle the detector may have missed."""
    at = places(list(views))
    for place, view in zip(at, views, strict=True):
        if view.named and view.leads and view.likeness.max() > _CLEAR:
            place[:2] += np.multiply(view.fit.middle(view.seen.face), view.seen.side_px)
    return np.asarray(at * (1, 1, _WIDER), np.float32)


def touching(die: Opinion, others: Iterable[Opinion]) -> bool:
    """Whether a die is so near another that one may have been missed beside it."""
    return touched([other for other in others if other is not die], die.x_px, die.y_px, die.side_px)


def touched(dice: Iterable[Opinion], x_px: float, y_px: float, side_px: float) -> bool:
    """Whether what is there is so near one of these, and none of them."""
    apart = [_far(x_px - die.x_px, y_px - die.y_px, side_px, die.side_px) for die in dice]
    return bool(apart) and _ONE < min(apart) < _TOUCHING


def _mean(first: Sequence[Seen], second: Sequence[Seen]) -> tuple[Seen, ...]:
    """What either look saw, the likeliest first; what only one of them saw is half as likely."""
    seen = []
    left = list(first)
    for one in second:
        same = [other for other in left if _same(one, other)]
        before = max((other.score for other in same), default=0.0)
        left = [other for other in left if other not in same]
        seen.append(replace(one, score=(before + one.score) / 2))
    seen += [replace(one, score=one.score / 2) for one in left]
    return tuple(sorted(seen, key=lambda one: -one.score))


def _standing(die: Opinion, before: Sequence[Opinion]) -> Opinion:
    """A die that lies on another as likely as it and what was in its place before make it on the average."""
    stacked = [die.stacked, *(other.stacked for other in before if _same(die, other))]
    return replace(die, stacked=float(np.mean(stacked)))


def _same(one: Seen, other: Seen) -> bool:
    return _apart(one, other) < _ONE


def _apart(one: Seen, other: Seen) -> float:
    """How far apart they are, in sides of the larger one."""
    return _far(one.x_px - other.x_px, one.y_px - other.y_px, one.side_px, other.side_px)


def _far(across_px: float, down_px: float, side_px: float, other_px: float) -> float:
    return math.hypot(across_px, down_px) / max(side_px, other_px)
