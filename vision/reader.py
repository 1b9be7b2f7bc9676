"""The reader: two learned classifiers must agree on every face, and the pattern of its pips must not contradict them.

The networks find the dice; how they were made and what they are worth stands in vision/models/CARD.md, and there too
how well the patterns do. What is decided by a threshold is decided by the constants of this module; `cornet evaluate`
shows what a change of one is worth.
"""

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from vision.network import NONE, Network, Opinion, Sight, box_around
from vision.patterns import Fit, Floats, compare
from vision.picture import Image
from vision.placing import placed
from vision.reading import Box, Die, Dispute, Reading, Verdict
from vision.slant import ovals, slants
from vision.tray import Tray

VERSION = "networks 2, patterns 1"
"""Named in the log, so that an audit can say that another reader read."""

_THERE, _MAYBE = 0.5, 0.3  # scores from which there is a die, and below which there is none
_WANTED = 0.4  # the score that is enough where a die is missing
_SURE = 0.65  # probability of a face, after the networks and the pips, that may be used
_NONE_OF_SIX = 0.5  # probability that a face is an emblem, above which it is no number
_CONTRADICTED = 0.1  # a face whose pips are so much more like another's is in dispute
_WORD = 12.0  # what a difference of 1 in likeness is worth, in logarithms of probability
_TILT_DEG, _TILT_TIMES = 12.5, 2.5  # so far beyond so many times what the others are tilted: a die that leans
_ALONE = 0.6  # a 1 less like a 1 may be a pip of another face
_UNLIKE, _UNLIKE_SLACK = 0.2, 0.04  # so much less like any pattern than its neighbours, beyond the slack: as bad
_OVAL = 0.12  # pips that are drawn out so much otherwise than its neighbours' are, see `slants`: as bad
_PLAIN_PX = 40.0  # side of a die from which its pips are compared with its neighbours'
_STACKED, _SMEARED, _GLARING = 0.5, 0.5, 0.5
_STRANGE, _SMALL_STRANGE = 0.5, 0.62  # a thing smaller than _PLAIN_PX is more often a shadow
_HIDDEN, _HIDDEN_SHARE = 0.5, 0.1  # of the picture that a hand or a cloth must hide
_DARK_LEVEL, _BRIGHT_LEVEL = 30, 225  # grey levels that the brightest, or darkest, hundredth of a picture must pass
_SMALLEST_PX = 9.0  # side of a die that shows its pips

_lock = threading.Lock()


@cache
def _network() -> Network:
    return Network()


@dataclass(frozen=True, slots=True, eq=False)
class _View:
    """One die in both ways of reading: what the networks say, and how like a 1 to a 6 its pips are."""

    seen: Opinion
    fit: Fit

    @property
    def likeness(self) -> Floats:
        """How like the six faces its pips are."""
        return self.fit.likeness

    @property
    def odds(self) -> Floats:
        """The six probabilities of the faces after both ways, and that it shows none of them."""
        logs = np.log(np.maximum(self.seen.fused, 1e-6))
        logs[:NONE] += _WORD * (self.likeness - self.likeness.max())
        powers = np.exp(logs - logs.max())
        return np.asarray(powers / powers.sum(), np.float32)

    @property
    def contradicted(self) -> bool:
        """Whether the pips are much more like another face than like the one that the networks name."""
        return bool(self.likeness.max() - self.likeness[self.seen.face - 1] > _CONTRADICTED)

    @property
    def disputed(self) -> bool:
        """Whether the ways of reading do not name one face."""
        return self.contradicted or not self.seen.agreed

    def dispute(self) -> Dispute:
        """What each way of reading makes of it."""
        colours, edges = (_named(row) for row in self.seen.faces[1:])
        return Dispute(self.seen.x_px, self.seen.y_px, colours, edges, int(np.argmax(self.likeness)) + 1)

    def die(self) -> Die:
        """The die as everybody else sees it; how far the second-best face is behind is the margin."""
        seen, odds = self.seen, self.odds
        first, second = sorted((float(p) for p in odds), reverse=True)[:2]
        ahead = first - second if int(np.argmax(odds)) == seen.face - 1 else 0.0
        return Die(seen.face, seen.x_px, seen.y_px, seen.box, ahead)


def read(image: Image, expected: int | None = None, tray: Tray | None = None) -> Reading:
    """What lies in the picture, and whether it may be used; any thread may ask.

    expected is how many dice there must be; None allows any number, none included. With a tray the dice have
    millimetres, and what only a calibration can see is refused too.
    """
    sight = _look(image)
    views = _views(sight, _choose(sight.dice, expected))
    verdict, message = _judge(sight, views, expected)
    disputes = tuple(view.dispute() for view in views if view.disputed) if verdict is Verdict.UNSURE else ()
    reading = Reading(verdict, message, expected, tuple(view.die() for view in views), disputes)
    return reading if tray is None else placed(reading, image, tray)


def find(image: Image) -> list[Box]:
    """The boxes around the top faces of the dice that can be seen, whether or not they can be read."""
    with _lock:
        places = _network().places(image)
    return [box_around(*(float(value) for value in place[:3])) for place in places if place[3] >= _THERE]


def _look(image: Image) -> Sight:
    # The networks keep what they work on between two calls.
    with _lock:
        return _network().look(image)


def _choose(dice: Sequence[Opinion], expected: int | None) -> list[Opinion]:
    """The dice of the picture: as many of the likeliest as there must be, if so many may be there."""
    there = [die for die in dice if die.score >= _THERE]
    if expected is None or len(there) >= expected:
        return there
    return [die for die in dice[:expected] if die.score >= _WANTED]


def _views(sight: Sight, chosen: list[Opinion]) -> list[_View]:
    """The dice in both ways of reading, from the top of the picture downwards."""
    order = sorted(chosen, key=lambda die: (die.y_px, die.x_px))
    places = np.array([(die.x_px, die.y_px, die.side_px) for die in order], np.float64).reshape(-1, 3)
    return [_View(die, fit) for die, fit in zip(order, compare(sight.levels, places), strict=True)]


def _judge(sight: Sight, views: list[_View], expected: int | None) -> tuple[Verdict, str]:
    """The first verdict that holds, in the order of precedence, and its reason."""
    count = f"{len(views)} {'die' if len(views) == 1 else 'dice'}"
    fault = _trouble(sight, views)
    if fault:
        return fault
    if expected is not None and len(views) != expected:
        return Verdict.WRONG_COUNT, f"I see {count}, there must be {expected}."
    doubt = _doubt(sight, views, expected)
    if doubt:
        return Verdict.UNSURE, doubt
    return Verdict.OK, f"{count} flat on the ground." if views else "There are no dice."


def _trouble(sight: Sight, views: list[_View]) -> tuple[Verdict, str] | None:
    """What keeps the dice of the picture from being read, by its own evidence."""
    chosen = [view.seen for view in views]
    if any(die.smear > _SMEARED for die in chosen):
        return Verdict.NOT_SETTLED, "A die is smeared: it still moved."
    if float((sight.hidden > _HIDDEN).mean()) > _HIDDEN_SHARE:
        return Verdict.OBSTRUCTED, "A hand, or something like it, hides a part of the picture."
    dark, bright = _levels(sight)
    if bright < _DARK_LEVEL or dark > _BRIGHT_LEVEL:
        return Verdict.BAD_LIGHT, f"The picture is too {'dark' if bright < _DARK_LEVEL else 'bright'} to read."
    if any(die.glare > _GLARING for die in chosen):
        return Verdict.BAD_LIGHT, "A reflection hides pips."
    if any(die.stacked > _STACKED for die in chosen):
        return Verdict.STACKED, "A die lies on another."
    if _leans(views):
        return Verdict.COCKED, "A die leans; its top face is not decided."
    if any(one.score > (_STRANGE if one.side_px > _PLAIN_PX else _SMALL_STRANGE) for one in sight.strangers):
        return Verdict.FOREIGN_OBJECT, "Something that is no die lies among the dice."
    return None


def _levels(sight: Sight) -> tuple[int, int]:
    """The grey levels that a hundredth of the picture is darker than, and that a hundredth is brighter than."""
    quarter = sight.levels[min(2, len(sight.levels) - 1)]
    brightest = np.maximum(np.maximum(quarter[..., 0], quarter[..., 1]), quarter[..., 2])
    shares = np.cumsum(np.bincount(brightest.ravel(), minlength=256)) / brightest.size
    return int(np.searchsorted(shares, 0.01)), int(np.searchsorted(shares, 0.99))


def _leans(views: list[_View]) -> bool:
    """Whether a die is tilted, or its pips are unlike its neighbours', or somewhat of both."""
    if not views:
        return False
    best = np.array([view.likeness.max() for view in views])
    unlike = np.maximum(np.median(best) - best - _UNLIKE_SLACK, 0.0)
    plain = np.array([view.seen.side_px > _PLAIN_PX for view in views])
    oval = slants(ovals([view.fit for view in views], [view.seen.face for view in views]), plain)
    tilts_deg = np.array([view.seen.tilt_deg for view in views])
    usual_deg = np.array([np.median(np.delete(tilts_deg, row)) if len(views) > 1 else 0.0 for row in range(len(views))])
    beyond = np.maximum(tilts_deg - _TILT_TIMES * usual_deg, 0.0)
    return bool((beyond / _TILT_DEG + plain * unlike / _UNLIKE + oval / _OVAL).max() > 1)


def _doubt(sight: Sight, views: list[_View], expected: int | None) -> str:
    """Why a face or the number of dice is not certain; empty if all is."""
    if expected is None and any(_MAYBE < die.score < _THERE for die in sight.dice):
        return "Something may be a die, or not."
    if any(view.seen.side_px < _SMALLEST_PX for view in views):
        return f"A die is too small: its side must have {_SMALLEST_PX:g} pixels."
    for view in views:
        seen = view.seen
        first, second = (_named(row) for row in seen.faces[1:])
        if first != second:
            return f"A face looks like {_word(first)} by its colours and {_word(second)} by its edges."
        if first is None or float(seen.faces[1:, NONE].max()) > _NONE_OF_SIX:
            return "A face may show no number."
        if seen.face == 1 and float(view.likeness[0]) < _ALONE:
            return "A face looks like a 1, but its pip does not stand alone."
        if view.contradicted:
            return f"A face looks like a {seen.face}, but its pips make a {int(np.argmax(view.likeness)) + 1}."
        if float(view.odds[seen.face - 1]) < _SURE:
            return f"A face may be a {seen.face}, but that is not certain."
    return ""


def _named(chances: Floats) -> int | None:
    """The face that a network names, 1 to 6; None for none of them."""
    best = int(np.argmax(chances))
    return None if best == NONE else best + 1


def _word(face: int | None) -> str:
    return "no number" if face is None else f"a {face}"
