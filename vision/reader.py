"""The reader: two learned classifiers must agree on every face, and the pattern of its pips must not contradict them.

The networks find the dice; how they were made and what they are worth stands in vision/models/CARD.md, and there too
how well the patterns do. What is decided by a threshold is decided by the constants of this module, of `choosing`, of
`views`, of `verdicts` and of what that asks; `cornet evaluate` shows what a change of one is worth.
"""

import statistics
import threading
from collections.abc import Sequence
from dataclasses import replace
from functools import cache, partial

import numpy as np

from vision.choosing import choose, named_among, without_phantoms
from vision.lying import NEARLY, leaning
from vision.network import Network, Opinion, Sight, Wanted, box_around
from vision.patterns import compare
from vision.picture import Image
from vision.placing import placed
from vision.reading import Box, Reading, Verdict
from vision.second_look import FINER, LOOKS, UPSIDE_DOWN, borne_out, both, by_pips, touched, touching
from vision.slant import UNKNOWN, ovals
from vision.surroundings import things
from vision.tray import Tray
from vision.verdicts import LEANS, at_fault, explain, half_outside, judge, one_outside
from vision.views import MAYBE_A_DIE, THERE, View, of_the_ground, spots

VERSION = "networks 23, patterns 11, surroundings 33, echo 1, second look 13"
"""Named in the log, so that an audit can say that another reader read."""

_CERTAIN = 0.06  # spread of what surely lies as dice do: such looks are the measure of the others
_SMALL_SPREAD = 0.075  # a figure of the ground is so uncertain how it lies: 22 small dice are by 0.054 at most, or,
_FIGURE, _FIGURE_SPREADS = 0.55, 1.5  # if it is so small, so many times as uncertain as the middle of all
_TINY, _LIES_SURELY = 0.35, 0.05  # sides of the dice below which nothing is a part of one; spread of those at most
_FLAT = 0.82  # of what makes a die lean, at most, where it is felt again: of 137 that lean one had 0.71, the next 0.84
_LEANS = 0.95  # what nearly leans is felt before it counts, and leans if it does by so much then: of 34 flat ones all
# but one have 0.90 at most, of two that lean 1.05
_SLIGHTLY, _FLAT_DEG = 1.15, 5.0  # what leans by more than that, but no more than the first, is flat if the classifiers
# see it tilted by less: of 24 such that lean they see 5.5 degrees at least, of nine of 17 that do not 4.9 at most

# By a detector that misses or misplaces dice; worth another look,
_SEEN_OTHERWISE = Verdict.WRONG_COUNT, Verdict.UNSURE, Verdict.STACKED
_OR_BESIDE = *_SEEN_OTHERWISE, Verdict.FOREIGN_OBJECT  # unless it is likelier that light, motion or a hand hides some

_ROOM = 1088, 1456, 3  # of a picture of the machine's own size, and a place in it
_PLACE = np.array([[728, 544, 60]], np.float32)

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
    verdict, message, views = _judged(sight, expected)
    felt = None
    if verdict is not Verdict.OK:
        likeliest = explain(sight, views, expected, (verdict, message))
        again = None
        if (verdict, likeliest[0]) == (Verdict.COCKED, Verdict.COCKED) and expected in (None, len(views)):
            again = felt = _felt_again(sight, views, expected)
        elif _worth_another_look(sight, views, expected, verdict, likeliest[0]):
            looks = LOOKS if expected is None or verdict is Verdict.UNSURE else (*LOOKS, UPSIDE_DOWN)
            again = _seen_otherwise(sight, views, expected, looks)
        verdict, message, views = again or (*likeliest, views)
    if verdict is Verdict.OK and felt is None and _leans(sight, views):
        verdict, message = Verdict.COCKED, LEANS
    if verdict is Verdict.OK and expected is None and _misses(sight, views):
        verdict, message = Verdict.UNSURE, MAYBE_A_DIE
    disputes = tuple(view.dispute() for view in views if view.disputed) if verdict is Verdict.UNSURE else ()
    dice = tuple(view.die() for view in views)
    reading = Reading(verdict, message, expected, dice, disputes, at_fault(views, verdict))
    return reading if tray is None else placed(reading, image, tray)


def warm() -> None:
    """Do beforehand what only the first picture would wait for: load the networks, draw the ideal faces."""
    levels = _look(np.zeros(_ROOM, np.uint8)).levels
    compare(levels, _PLACE)
    things(levels, _PLACE)


def find(image: Image) -> list[Box]:
    """The boxes around the top faces of the dice that can be seen, whether or not they can be read."""
    with _lock:
        found = _network().places(image)
    return [box_around(*(float(value) for value in place[:3])) for place in found if place[3] >= THERE]


def _look(image: Image) -> Sight:
    # The networks keep what they work on between two calls.
    with _lock:
        return _without_specks(_network().look(image))


def _look_again(sight: Sight, times: float, wanted: Wanted | None = None, *, turned: bool = False) -> Sight:
    with _lock:
        return _without_specks(_network().look_again(sight, times, wanted, turned=turned))


def _without_specks(sight: Sight) -> Sight:
    """Without what is much smaller than what surely lies as dice do and does not: a vein breaks up into such looks.

    What the edge cuts may be small and still a die.
    """
    lying = [die for die in sight.dice if die.score >= THERE and die.spread < _LIES_SURELY]
    side_px = statistics.median(die.side_px for die in lying) if lying else 0.0
    tiny = (die for die in sight.dice if die.side_px < _TINY * side_px and of_the_ground(die, lying))
    specks = [die for die in tiny if sight.within_px(die.x_px, die.y_px) > side_px / 2]
    return replace(sight, dice=tuple(die for die in sight.dice if die not in specks))


def _judged(sight: Sight, expected: int | None) -> tuple[Verdict, str, list[View]]:
    """The verdict of one look, its reason, and the dice."""
    views = without_phantoms(sight, _views(sight, choose(sight.dice, expected)), expected)
    return *judge(sight, views, expected), views


def _worth_another_look(
    sight: Sight, views: list[View], expected: int | None, found: Verdict, likeliest: Verdict
) -> bool:
    """Whether the detector may be why: where a die is missing, what is no die may be that one, placed amiss.

    No other look makes the one whole that the picture's edge cuts.
    """
    if found is Verdict.FOREIGN_OBJECT:
        missing = expected is not None and len(views) < expected
        worth = missing and likeliest in (*_OR_BESIDE, Verdict.COCKED)  # that a die may lean on
    else:
        worth = found in _SEEN_OTHERWISE and likeliest in _OR_BESIDE
    if worth and expected is None:
        return not one_outside(sight, views)
    return worth and not (len(views) == expected and half_outside(sight, views))


def _felt_again(sight: Sight, views: list[View], expected: int | None) -> tuple[Verdict, str, list[View]] | None:
    """What is read if no die leans by a look that is not so easily deceived, and nothing else keeps them from it."""
    felt = _felt(sight, views, _FLAT)
    if (leaning(felt) > _FLAT).any():
        return None
    seen = [view.seen for view in views]
    dice = (*(view.seen for view in felt), *(die for die in sight.dice if die not in seen))
    verdict, message = judge(replace(sight, dice=dice), felt, expected)
    return (verdict, message, felt) if verdict is Verdict.OK else None


def _leans(sight: Sight, views: list[View]) -> bool:
    """Whether a die that nearly leans does, by a look that is not so easily deceived."""
    return bool((leaning(views) > NEARLY).any() and (leaning(_felt(sight, views, _LEANS)) > _LEANS).any())


def _felt(sight: Sight, views: list[View], most: float) -> list[View]:
    """The same dice, told anew how they lie; of what then leans a little more than that, the classifiers are asked."""
    seen, at = [view.seen for view in views], by_pips(views)
    with _lock:
        felt = [replace(view, seen=die) for view, die in zip(views, _network().feel(sight, seen, at), strict=True)]
        lean = leaning(felt)
        if (lean <= most).all() or (lean > _SLIGHTLY).any():
            return felt
        tilts_deg = _network().feel_by_faces(sight, seen, at)
    for row in np.flatnonzero((lean > most) & (tilts_deg < _FLAT_DEG)):
        flat = replace(felt[row].seen, tilt_deg=float(tilts_deg[row]))
        felt[row] = replace(felt[row], seen=flat, oval=UNKNOWN)
    return felt


def _seen_otherwise(
    sight: Sight, views: list[View], expected: int | None, looks: Sequence[tuple[float, bool]]
) -> tuple[Verdict, str, list[View]] | None:
    """What two looks together read, if the dice can be named so and all that the first one named is borne out."""
    for times, turned in looks:
        verdict, message, found = _judged(both(sight, _look_again(sight, times, turned=turned)), expected)
        # What may be a die is not argued away where nothing else lies.
        if verdict is Verdict.OK and found and borne_out(views, found):
            return verdict, message, found
    return None


def _misses(sight: Sight, views: list[View]) -> bool:
    """Whether a second look surely names a die beside touching ones, which nobody would miss where none are counted."""
    known = [view.seen for view in views]
    if not any(touching(die, known) for die in known):
        return False
    found = _look_again(sight, FINER, partial(touched, known)).dice
    return any(named_among(die, known) for die in found)


def _views(sight: Sight, chosen: list[Opinion]) -> list[View]:
    """The dice in both ways of reading, from the top of the picture downwards."""
    order = sorted(chosen, key=lambda die: (die.y_px, die.x_px))
    at = spots(order)
    views = [View(die, fit) for die, fit in zip(order, compare(sight.levels, at), strict=True)]
    unlike = [row for row, view in enumerate(views) if view.seen.face == 1 and not view.leads]
    # The pip of a 1 may be so large that it does not stand out as the pips of other faces do.
    for row, fit in zip(unlike, compare(sight.levels, at[unlike], large=True), strict=True):
        second = View(order[row], fit)
        views[row] = second if second.leads else views[row]
    views = [_with_partner(sight, view) if view.may_be_half else view for view in views]
    shapes = ovals([view.fit for view in views], [view.seen.face for view in views])
    views = [replace(view, oval=oval) for view, oval in zip(views, shapes, strict=True)]
    return _sized(views) if len(views) > 2 else views


def _sized(views: list[View]) -> list[View]:
    """The views, told how large they are beside what surely lies as dice do.

    Figures of the ground are much smaller, and less certain how they lie: a flower with five petals passes for a small
    5, a letter for a 2.
    """
    surely = [view for view in views if view.seen.spread < _CERTAIN]
    side_px = statistics.median(view.seen.side_px for view in (surely if len(surely) > 1 else views))
    spread = statistics.median(view.seen.spread for view in views)
    sized = []
    for view in views:
        sides, seen = view.seen.side_px / side_px, view.seen
        told = replace(view, sides=sides)
        uncertain = told.small and seen.spread > _SMALL_SPREAD
        figure = uncertain or (sides < _FIGURE and seen.spread > _FIGURE_SPREADS * spread)
        sized.append(replace(told, figure=figure))
    return sized


def _with_partner(sight: Sight, view: View) -> View:
    """What may be one pip of a 2, which the detector took for the middle of a face, beside the other one."""
    partner = view.fit.partner()
    if partner is None:
        return view
    across, down = (way * view.seen.side_px / 2 for way in partner)
    middle = spots([replace(view.seen, x_px=view.seen.x_px + across, y_px=view.seen.y_px + down)])
    return replace(view, paired=float(compare(sight.levels, middle)[0].likeness[1]))
