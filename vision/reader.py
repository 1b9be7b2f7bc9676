"""The reader: two learned classifiers must agree on every face, and the constellations of the pips may contradict them.

The networks find the dice; how they were made and what they are worth stands in vision/models/CARD.md.
"""

import math
import threading
from collections.abc import Sequence
from functools import cache

import numpy as np

from vision.constellations import read_pips
from vision.network import NONE, Network, Opinion, Sight
from vision.picture import Image
from vision.placing import placed
from vision.reading import Die, Reading, Verdict
from vision.tray import Tray

VERSION = "networks 1, constellations 1"
"""Named in the log, so that an audit can say that another reader read."""

_THERE, _MAYBE = 0.5, 0.3  # scores from which there is a die, and below which there is none
_SURE = 0.65  # probability of a face that may be used
_NONE_OF_SIX = 0.3  # probability that a face is an emblem, above which it is no number
_TILT_DEG = 20.0  # of a top face against the plane of the others: more is a die that leans
_CROWD, _ODD_TILT_DEG, _ODD_TIMES = 6, 12.0, 2.0  # among so many dice: one tilted so much, and more than the next
_FEW = 0.11  # of the dice: so many without a constellation are an exception, more are a picture of another kind
_STACKED, _SMEARED, _GLARING, _STRANGE = 0.5, 0.5, 0.5, 0.5
_HIDDEN, _HIDDEN_SHARE = 0.5, 0.03  # of the picture that a hand or a cloth must hide
_DARK_LEVEL, _BRIGHT_LEVEL = 30, 225  # grey levels that the brightest, or darkest, hundredth of a picture must pass
_SMALLEST_PX = 9.0  # side of a die that shows its pips

_lock = threading.Lock()


@cache
def _network() -> Network:
    return Network()


def read(image: Image, expected: int | None = None, tray: Tray | None = None) -> Reading:
    """What lies in the picture, and whether it may be used; any thread may ask.

    expected is how many dice there must be; None allows any number, none included. With a tray the dice have
    millimetres, and what only a calibration can see is refused too.
    """
    sight = _look(image)
    chosen = _choose(sight.dice, expected)
    verdict, message = _judge(image, sight, chosen, expected)
    if verdict is Verdict.OK and chosen:
        verdict, message = _second_opinion(read_pips(image), chosen) or (verdict, message)
    order = sorted(chosen, key=lambda die: (die.y_px, die.x_px))
    reading = Reading(verdict, message, expected, tuple(map(_die, order)))
    return reading if tray is None else placed(reading, image, tray)


def find(image: Image) -> list[Die]:
    """The dice that can be seen, whether or not they can be read."""
    return [_die(die) for die in _look(image).dice if die.score >= _THERE]


def _look(image: Image) -> Sight:
    # The networks keep what they work on between two calls.
    with _lock:
        return _network().look(image)


def _choose(dice: Sequence[Opinion], expected: int | None) -> list[Opinion]:
    """The dice of the picture: as many of the likeliest as there must be, if so many may be there."""
    there = [die for die in dice if die.score >= _THERE]
    if expected is None or len(there) >= expected:
        return there
    return [die for die in dice[:expected] if die.score >= _MAYBE]


def _judge(image: Image, sight: Sight, chosen: list[Opinion], expected: int | None) -> tuple[Verdict, str]:
    """The first verdict that holds, in the order of precedence, and its reason."""
    count = f"{len(chosen)} {'die' if len(chosen) == 1 else 'dice'}"
    fault = _trouble(image, sight, chosen)
    if fault:
        return fault
    if expected is not None and len(chosen) != expected:
        return Verdict.WRONG_COUNT, f"I see {count}, there must be {expected}."
    doubt = _doubt(sight, chosen, expected)
    if doubt:
        return Verdict.UNSURE, doubt
    return Verdict.OK, f"{count} flat on the ground." if chosen else "There are no dice."


def _trouble(image: Image, sight: Sight, chosen: list[Opinion]) -> tuple[Verdict, str] | None:
    """What keeps the dice of the picture from being read, by its own evidence."""
    if any(die.smear > _SMEARED for die in chosen):
        return Verdict.NOT_SETTLED, "A die is smeared: it still moved."
    if float((sight.hidden > _HIDDEN).mean()) > _HIDDEN_SHARE:
        return Verdict.OBSTRUCTED, "A hand, or something like it, hides a part of the picture."
    dark, bright = np.percentile(image[::4, ::4].max(axis=2), [1, 99])
    if bright < _DARK_LEVEL or dark > _BRIGHT_LEVEL:
        return Verdict.BAD_LIGHT, f"The picture is too {'dark' if bright < _DARK_LEVEL else 'bright'} to read."
    if any(die.glare > _GLARING for die in chosen):
        return Verdict.BAD_LIGHT, "A reflection hides pips."
    if any(die.stacked > _STACKED for die in chosen):
        return Verdict.STACKED, "A die lies on another."
    if _leans([die.tilt_deg for die in chosen]):
        return Verdict.COCKED, "A die leans; its top face is not decided."
    if any(stranger.score > _STRANGE for stranger in sight.strangers):
        return Verdict.FOREIGN_OBJECT, "Something that is no die lies among the dice."
    return None


def _leans(tilts_deg: Sequence[float]) -> bool:
    """Whether a die is tilted too far, or so much further than all the others that it stands out."""
    worst, second, *_ = [*sorted(tilts_deg, reverse=True), 0.0, 0.0]
    return worst > _TILT_DEG or (len(tilts_deg) >= _CROWD and worst > max(_ODD_TILT_DEG, _ODD_TIMES * second))


def _doubt(sight: Sight, chosen: list[Opinion], expected: int | None) -> str:
    """Why a face or the number of dice is not certain; empty if all is."""
    if expected is None and any(_MAYBE < die.score < _THERE for die in sight.dice):
        return "Something may be a die, or not."
    if any(die.side_px < _SMALLEST_PX for die in chosen):
        return f"A die is too small: its side must have {_SMALLEST_PX:g} pixels."
    for die in chosen:
        first, second = (int(np.argmax(row)) for row in die.faces[1:])
        if first != second:
            names = [str(face + 1) if face != NONE else "no number" for face in (first, second)]
            return f"A face looks like {names[0]} by its colours and {names[1]} by its edges."
        if first == NONE or float(die.faces[1:, NONE].max()) > _NONE_OF_SIX:
            return "A face may show no number."
        if float(die.fused[:NONE].max()) < _SURE:
            return f"A face may be a {die.face}, but that is not certain."
    return ""


def _second_opinion(pips: Reading, chosen: list[Opinion]) -> tuple[Verdict, str] | None:
    """What the constellations of the pips say against what the networks agree on.

    Where they find most of the dice, they must find them all: a die that has no constellation among others that have
    one leans, or is none.
    """
    if len(pips.dice) == len(chosen) and pips.verdict in (Verdict.STACKED, Verdict.COCKED):
        return pips.verdict, pips.message
    seconds = [_at(die, pips.dice) for die in chosen]
    for die, second in zip(chosen, seconds, strict=True):
        if second is not None and second.face != die.face:
            return Verdict.UNSURE, f"A face looks like a {die.face}, but its pips make a {second.face}."
    missing = [die for die, second in zip(chosen, seconds, strict=True) if second is None]
    if missing and len(missing) <= _FEW * len(chosen):
        return Verdict.UNSURE, f"A face looks like a {missing[0].face}, but its pips make no face."
    return None


def _at(die: Opinion, others: Sequence[Die]) -> Die | None:
    near = (other for other in others if math.hypot(die.x_px - other.x_px, die.y_px - other.y_px) < 0.4 * die.side_px)
    return next(near, None)


def _die(opinion: Opinion) -> Die:
    """The die as everybody else sees it; how far the second-best face is behind is the margin."""
    first, second = sorted((float(p) for p in opinion.fused), reverse=True)[:2]
    return Die(opinion.face, opinion.x_px, opinion.y_px, opinion.box, max(0.0, first - second))
