"""A die in both ways of reading: whether they name the same face, and how surely."""

import math
import statistics
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from vision.network import NONE, Opinion
from vision.patterns import FACES, Fit, Floats
from vision.reading import Die, Dispute
from vision.slant import UNKNOWN, Oval

THERE, WANTED = 0.5, 0.4
"""Scores from which there is a die: at all, and where one is missing."""
UNLIKE_ANY = 0.5
"""How like a face is what shows none."""
MAYBE_A_DIE = "Something may be a die, or not."

_UNLIKE_DICE, _UNCERTAIN = 2.5, 0.05  # times what the dice have in the middle, and at least, as spread of its normal
_LIES_NOHOW = 0.13  # the spread itself from which it is no die: of 2,357 that were read right none had more than 0.121
_SURE = 0.65  # probability of a face, after the networks and the pips, that may be used
_LIKELY = 0.5  # and to the networks alone: of 2,317 dice that were named right none had less than 0.53
_NONE_OF_SIX = 0.5  # probability that a face is an emblem, above which it is no number
_CONTRADICTED = 0.1  # a face whose pips are so much more like another's is in dispute
# Of the median pip, that the faintest one must have where a face is more like the number of one pip less: of 1,594
# such dice named right none has less than 0.84, in a second look one 0.575; a 2 with a spot of marble had 0.36.
_FAINTEST_PIP = 0.5
_NO_PIP = 0.3  # times what all do one of its pips stands out that is not there: of 3,328 dice named right one less
_WORD = 12.0  # what a difference of 1 in likeness is worth, in logarithms of probability
_LEADS_BY = 0.05  # of likeness: what is so much less like any other face
_ALONE = 1.3  # a 1 must be so sure to the detector and to the less sure classifier, together, and by its pip:
_ALONE_STANDS, _ALONE_WIDE = 0.12, 0.2  # for each e times that it stands out more, and that it is narrower,
_ALONE_RADIUS = 0.1  # than so many sides
_PAIRED, _NOT_HALF = 0.76, 0.95  # so like a 2 and less surely a 1 to a classifier: it may be one pip of a 2
_PAIRED_SMALLER, _SMALLER = 0.55, 0.88  # or so like a 2 and so small beside the dice: one had 0.65 and 0.80
_MUCH_SMALLER = 0.8  # times the middle of all sides
_TOO_MANY = 1.0  # times as far as the pips of a 6 another spot stands out: of 1,123 right ones none, 0.67 for 99 %
_ODD_PIP = 0.8  # times as far as its pips one stands out that its number does not have: of 3,328 right ones four more,
# of 15 with a 5 that lost a pip, and were a 3 to both classifiers, 14
_ONE_TO_DETECTOR = 0.05  # probability of a 1 that it must give to one of any size
# Probability of its face to the detector and to the less sure classifier, together:
_SURE_SMALL = 1.02  # a die that is small, less that it lies on another;
_SURE_HARDLY_SEEN = 0.85  # what is a die only because there must be one more;
_FAINT, _SURE_FAINT = 0.45, 1.6  # what is less like its number than that
_BEYOND_DOUBT = 0.95  # and to both classifiers, of what is a die however it lies: of 33 small figures none has more
# than 0.85 but two dice, 0.98 and 0.99: one in motion, and one that leans in the shadow of others


@dataclass(frozen=True, eq=False)
class View:
    """One die in both ways of reading: what the networks say, and how like a 1 to a 6 its pips are, and how round."""

    seen: Opinion
    fit: Fit
    oval: Oval = UNKNOWN  # of its pips
    paired: float = 0.0  # how like a 2 the pip of what `may_be_half` is together with another beside it
    sides: float = 1.0  # how large it is, in sides of what surely lies as dice do
    figure: bool = False  # whether it is small and less certain how it lies: it may be printed on the ground

    @property
    def likeness(self) -> Floats:
        """How like the six faces its pips are."""
        return self.fit.likeness

    @cached_property
    def odds(self) -> Floats:
        """The six probabilities of the faces after both ways, and that it shows none of them."""
        logs = np.log(np.maximum(self.seen.fused, 1e-6))
        logs[:NONE] += _WORD * (self.likeness - self.likeness.max())
        powers = np.exp(logs - logs.max())
        return np.asarray(powers / powers.sum(), np.float32)

    @cached_property
    def contradicted(self) -> bool:
        """Whether the pips are much more like another face than like the one that the networks name.

        Or at all, if without a pip that hardly stands out they make that one: it may be the body's grain.
        """
        named, likest = self.seen.face, int(np.argmax(self.likeness)) + 1
        much = bool(self.likeness.max() - self.likeness[named - 1] > _CONTRADICTED)
        return much or (likest == named - 1 and self._faintest < _FAINTEST_PIP)

    @cached_property
    def _faintest(self) -> float:
        """How far its pip that stands out least does, as a share of what they do in the middle."""
        return self.fit.faintest_pip(self.seen.face)

    @cached_property
    def disputed(self) -> bool:
        """Whether the ways of reading do not name one face."""
        return self.contradicted or self.miscounted or not self.seen.agreed

    @property
    def miscounted(self) -> bool:
        """Whether pips stand out, or do not, that make it another number."""
        return self.halved or self.overfull or self.lacking

    @property
    def likest(self) -> bool:
        """Whether its pips are more like the face that the networks name than like any other, however little."""
        return self._ahead >= 0

    @property
    def leads(self) -> bool:
        """Whether its pips are more like the face that the networks name than like any other."""
        return self._ahead >= _LEADS_BY

    @cached_property
    def alone(self) -> bool:
        """Whether the one pip of a 1 is like nothing else: the less sure the networks are, the more it must stand out.

        The detector must see a 1 too: with short rays a sun is one to both classifiers and to the patterns.
        """
        if self.halved or float(self.seen.faces[0, 0]) < _ONE_TO_DETECTOR:
            return False
        radius, stands_out = self.fit.lone_pip()
        by_pip = _ALONE_STANDS * math.log(stands_out) - _ALONE_WIDE * math.log(radius / _ALONE_RADIUS)
        return self._together + by_pip > _ALONE

    @property
    def halved(self) -> bool:
        """Whether its pip and another beside it make a 2: what is taken for its face then is rather small."""
        return self.paired > (_PAIRED_SMALLER if self.sides < _SMALLER else _PAIRED)

    @property
    def small(self) -> bool:
        """Whether it is much smaller than the other dice."""
        return self.sides < _MUCH_SMALLER

    @cached_property
    def overfull(self) -> bool:
        """Whether it has a pip too many.

        Of a 6 a 1 may be on top, and the 6 shines through from below; what shows a 3 may be a 5 that lost one.
        """
        seen = self.seen.face
        return (seen == FACES and self.fit.pip_too_many(FACES) > _TOO_MANY) or self.fit.odd_pip(seen) > _ODD_PIP

    @property
    def lacking(self) -> bool:
        """Whether one of its pips is not there."""
        return self._faintest < _NO_PIP

    @property
    def partial(self) -> bool:
        """Whether it may be a part of a larger face: the ring of an emblem passes for a small die with four pips."""
        return self.hardly or self.figure or (self.small and self._together - self.seen.stacked < _SURE_SMALL)

    @property
    def hardly(self) -> bool:
        """Whether nobody is sure of it or can say how it lies: it may be two sides of a die, or letters below."""
        return self.seen.spread > _LIES_NOHOW or (self.seen.score < THERE and self._together < _SURE_HARDLY_SEEN)

    @property
    def faint(self) -> bool:
        """Whether its pips are hardly like its number and the networks not all sure: an emblem may look so."""
        return float(self.likeness[self.seen.face - 1]) < _FAINT and self._together < _SURE_FAINT

    @property
    def surely_a_die(self) -> bool:
        """Whether a face is so surely on it that it may not be left out, even if nobody can say how it lies."""
        return self.seen.score >= THERE and float(self.seen.faces[1:, self.seen.face - 1].min()) > _BEYOND_DOUBT

    @property
    def may_be_half(self) -> bool:
        """Whether it is a 1 to the classifiers, but not so surely that it could not be one pip of a 2."""
        return self.seen.face == 1 and float(self.seen.faces[1:, 0].min()) < _NOT_HALF

    @cached_property
    def _certain(self) -> bool:
        """Whether its face is certain after both ways, and likelier than not to the networks: pips do not name it."""
        face = self.seen.face - 1
        return float(self.odds[face]) >= _SURE and float(self.seen.fused[face]) > _LIKELY

    @cached_property
    def _together(self) -> float:
        """Probability of its face to the detector and to the less sure classifier, together: 0 to 2."""
        detector, colours, edges = (float(row[self.seen.face - 1]) for row in self.seen.faces)
        return detector + min(colours, edges)

    @cached_property
    def _ahead(self) -> float:
        """By how much its pips are more like the face that the networks name than like any other."""
        named = self.seen.face - 1
        return float(self.likeness[named] - np.delete(self.likeness, named).max())

    @property
    def doubtful(self) -> bool:
        """Whether it shows no face that could be named, nor the pattern of one."""
        return not self.named and float(self.likeness.max()) < UNLIKE_ANY

    @cached_property
    def named(self) -> bool:
        """Whether both ways of reading name the same face, surely enough."""
        return self._certain and not self.disputed and not self.partial and not self.faint

    @property
    def nothing(self) -> bool:
        """Whether both classifiers see no face at all."""
        return float(self.seen.faces[1:, NONE].min()) > _NONE_OF_SIX

    @property
    def doubt(self) -> str:
        """Why its face is not certain; empty if it is."""
        seen = self.seen
        first, second = self.names
        if self.hardly:
            return MAYBE_A_DIE
        if first != second:
            return _disputed(first, second)
        if first is None or self.partial or float(seen.faces[1:, NONE].max()) > _NONE_OF_SIX:
            return "A face may show no number."
        if seen.face == 1 and not self.alone:
            return "A face looks like a 1, but its pip does not stand alone."
        if self.overfull:
            return f"A face looks like a {seen.face}, but it has a pip too many."
        if self.contradicted:
            return f"A face looks like a {seen.face}, but its pips make a {int(np.argmax(self.likeness)) + 1}."
        if self.lacking:
            return f"A face looks like a {seen.face}, but it lacks a pip."
        if self.faint:
            return f"A face looks like a {seen.face}, but its pips are hardly to be seen."
        if not self._certain:
            return f"A face may be a {seen.face}, but that is not certain."
        return ""

    @property
    def names(self) -> tuple[int | None, int | None]:
        """The face, 1 to 6, that the classifiers by colours and by edges name; None for none of them."""
        colours, edges = (int(np.argmax(row)) for row in self.seen.faces[1:])
        return None if colours == NONE else colours + 1, None if edges == NONE else edges + 1

    def dispute(self) -> Dispute:
        """What each way of reading makes of it."""
        colours, edges = self.names
        below = self.overfull and self.seen.face == FACES
        pips = 2 if self.halved else 1 if below else int(np.argmax(self.likeness)) + 1
        return Dispute(self.seen.x_px, self.seen.y_px, colours, edges, pips)

    def die(self) -> Die:
        """The die as everybody else sees it; how far the second-best face is behind is the margin."""
        seen, odds = self.seen, self.odds
        first, second = sorted((float(p) for p in odds), reverse=True)[:2]
        told = int(np.argmax(odds)) == seen.face - 1 and not (self.miscounted or self.partial)
        ahead = first - second if told else 0.0
        others = tuple(int(face) + 1 for face in np.argsort(-odds[:NONE]) if face + 1 != seen.face)
        return Die(seen.face, seen.x_px, seen.y_px, seen.box, ahead, others=others)


def _disputed(colours: int | None, edges: int | None) -> str:
    if colours is None:
        return f"A face looks like no number by its colours and a {edges} by its edges."
    if edges is None:
        return f"A face looks like a {colours} by its colours and no number by its edges."
    return f"A face looks like a {colours} by its colours and a {edges} by its edges."


def places(views: list[View]) -> Floats:
    """Where the dice are and their sides (n x 3, pixels)."""
    return spots([view.seen for view in views])


def spots(dice: list[Opinion]) -> Floats:
    """Where what may be dice is and their sides (n x 3, pixels)."""
    return np.array([(die.x_px, die.y_px, die.side_px) for die in dice], np.float32).reshape(-1, 3)


def of_the_ground(seen: Opinion, dice: list[Opinion]) -> bool:
    """Whether it is so much less certain how that lies than how the dice do that it is print, a vein or grain."""
    usual = statistics.median(die.spread for die in dice) if dice else seen.spread
    return seen.spread > max(_UNCERTAIN, _UNLIKE_DICE * usual)
