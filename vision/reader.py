"""The reader: two learned classifiers must agree on every face, and the pattern of its pips must not contradict them.

The networks find the dice; how they were made and what they are worth stands in vision/models/CARD.md, and there too
how well the patterns do. What is decided by a threshold is decided by the constants of this module, of `views`, of
`verdicts` and of what that asks; `cornet evaluate` shows what a change of one is worth.
"""

import math
import statistics
import threading
from collections.abc import Sequence
from dataclasses import replace
from functools import cache, partial

import numpy as np

from vision.foreign import PATTERN
from vision.lying import NEARLY, leaning
from vision.network import NONE, Network, Opinion, Sight, Wanted, box_around
from vision.patterns import Floats, compare
from vision.picture import Image
from vision.placing import placed
from vision.reading import Box, Reading, Verdict
from vision.second_look import FINER, LOOKS, UPSIDE_DOWN, borne_out, both, by_pips, touched, touching
from vision.slant import UNKNOWN, ovals
from vision.surroundings import things
from vision.tray import Tray
from vision.verdicts import LEANS, at_fault, explain, half_outside, judge, one_outside
from vision.views import MAYBE_A_DIE, THERE, WANTED, View, of_the_ground, places, spots

VERSION = "networks 21, patterns 11, surroundings 30, echo 1, second look 13"
"""Named in the log, so that an audit can say that another reader read."""

# Times the sides of the others, for what is hardly seen: of 45 right dice 0.67 to 1.21, of 14 mere looks 0.32 to 0.77.
_SIZES = 0.6, 1.7
_SPOILT = 0.25  # how much what may be a die moves or glares, where nobody can be expected to say how it lies
_SEEN, _NAMED = 0.3, 0.8  # score, and probability of its face to both classifiers, of what is a die too if all count,
_ALIKE, _APART = (0.7, 1.35), 0.78  # and it is about as large as the others, and no side of them: so many sides away
_ANY_SIZE, _SURELY = (0.45, 2.3), (0.9, 0.06)  # or of any size; so surely named, and so certain how it lies,
_BEYOND_DOUBT = 0.97, 0.075  # and if one is missing so surely; then it may be hardly seen, and a side not in its place
_HARDLY_SEEN, _CERTAIN_APART = 0.15, 0.6
_SMALL_SPREAD = 0.075  # a figure of the ground is so uncertain how it lies: 22 small dice are by 0.054 at most, or,
_FIGURE, _FIGURE_SPREADS = 0.55, 1.5  # if it is so small, so many times as uncertain as the middle of all
_TINY, _LIES_SURELY = 0.35, 0.05  # sides of the dice below which nothing is a part of one; spread of those at most
_ODD, _ODDER = 0.85, 0.2  # so odd is what is too much at least, and so much odder than all dice: see `_oddness`. On 18
# readable pictures with looks too many these alone were the oddest, by 0.21 at least.
_FACED, _FACELESS = -1.9, 0.6  # so odd is a face at most, and what shows none so much more: see `_with_faces`;
_SHOWS_ONE, _PRINTED = -2.2, 0.98  # and so odd at least, and in the middle so odd by `_oddness`. 14 pictures with four
# looks too many are parted so, with 1.07 or more; where too few dice were told five were, 0.89 at most, and one more
_USUAL_SPREAD = 0.026  # of the normals of 2,357 dice, in the middle
_FLAT = 0.82  # of what makes a die lean, at most, where it is felt again: of 137 that lean one had 0.71, the next 0.84
_LEANS = 0.95  # what nearly leans is felt before it counts, and leans if it does by so much then: of 34 flat ones all
# but one have 0.90 at most, of two that lean 1.05
_SLIGHTLY, _FLAT_DEG = 1.15, 5.0  # what leans by more than that, but no more than the first, is flat if the classifiers
# see it tilted by less: of 24 such that lean they see 5.5 degrees at least, of nine of 17 that do not 4.9 at most
_PHANTOM_AREA = 0.35  # of a die's face: what covers less of the ground is its grain

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
    views = _without_phantoms(sight, _views(sight, _choose(sight.dice, expected)), expected)
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
    return any(_named_among(die, known) for die in found)


def _choose(dice: Sequence[Opinion], expected: int | None) -> list[Opinion]:
    """The dice of the picture: the likeliest if so many may be there, and what else is surely named among them."""
    least = expected or 0
    there = [die for die in dice if die.score >= THERE]
    if len(there) < least:
        there = [die for die in dice if die.score >= WANTED and _like_these(die, there)][:least]
    if len(there) < least:
        there = _with_named(dice, there, *_BEYOND_DOUBT)
    return there if len(there) < least else _with_named(dice, there)


def _with_named(
    dice: Sequence[Opinion], there: list[Opinion], sureness: float = 0.0, spread: float = math.inf
) -> list[Opinion]:
    """What is there and what else is named so surely beside it, the likelier first, so that none counts twice."""
    known = list(there)
    for die in dice:
        if die not in known and _surer(die, sureness, spread) and _named_among(die, known):
            known.append(die)
    return known


def _like_these(die: Opinion, others: list[Opinion]) -> bool:
    """Whether a die is one of these, or about as large and as certain to lie: grain that looks like a die is not.

    Of what both classifiers name, of what moves and of what a reflection hides nobody may be able to say how it lies.
    """
    if not others or die in others:
        return True
    usual_px = statistics.median(other.side_px for other in others)
    least, most = (times * usual_px for times in _SIZES)
    spoilt = max(die.smear, die.glare) > _SPOILT
    return least < die.side_px < most and (die.agreed or spoilt or not of_the_ground(die, others))


def _named_among(die: Opinion, others: list[Opinion]) -> bool:
    """Whether both classifiers surely name what the detector hardly sees, and it is of a die's size beside others."""
    if not others or _sureness(die) < _NAMED:
        return False
    times = die.side_px / statistics.median(other.side_px for other in others)
    least, most = _ALIKE
    alike = least < times < most
    certain = _surer(die, *_BEYOND_DOUBT)
    if die.score < (_HARDLY_SEEN if certain and alike else _SEEN):
        return False
    least, most = _ANY_SIZE if _surer(die, *_SURELY) else _ALIKE
    apart = _CERTAIN_APART if certain else _APART
    beside = all(
        np.hypot(die.x_px - other.x_px, die.y_px - other.y_px) > apart * max(die.side_px, other.side_px)
        for other in others
    )
    return least < times < most and beside


def _surer(die: Opinion, sureness: float, spread: float) -> bool:
    """Whether both classifiers name it so surely, and it is so certain how it lies."""
    return _sureness(die) > sureness and die.spread < spread


def _sureness(die: Opinion) -> float:
    """The probability of its face to the less sure classifier."""
    return float(die.faces[1:, die.face - 1].min())


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
    surely = [view for view in views if view.seen.spread < _SURELY[1]]
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


def _without_phantoms(sight: Sight, views: list[View], expected: int | None) -> list[View]:
    """The dice, as many as there must be, if what is too much is clearly odder than they are: a look of the ground.

    What is named may be a die, and where a thing lies it is that; but many such looks are the print of the ground.
    """
    if expected is None:
        return views
    views = [view for view in views if not view.figure]
    surplus = len(views) - expected
    if surplus < 1:
        return views
    if surplus >= PATTERN and (faced := _with_faces(views, expected)):
        return faced
    odd = _oddness(views, expected)
    order = np.argsort(-odd, kind="stable")
    weakest, kept = ([views[row] for row in sorted(rows)] for rows in (order[:surplus], order[surplus:]))
    least, most = odd[order[surplus - 1]], float(odd[order[surplus:]].max(initial=0.0))
    if least < max(_ODD, most + _ODDER):
        return views
    if surplus >= PATTERN:
        return kept
    if any(view.named for view in weakest):
        return views
    found = [(one.x_px, one.y_px) for one in things(sight.levels, places(kept)) if one.area > _PHANTOM_AREA]
    for view in weakest:
        if any(np.hypot(view.seen.x_px - x, view.seen.y_px - y) < view.seen.side_px for x, y in found):
            return views
    return kept


def _with_faces(views: list[View], expected: int) -> list[View]:
    """As many looks as there must be dice, of which it is surest that they show a number and how they lie.

    None where any of them is not sure enough, where another look is hardly less sure or surely shows a number too, and
    where the others in the middle lie as dice do: then more dice may be there than anybody was told. The odds that a
    look shows no number are those of the classifier that rather thinks of one; as logarithms half of them count, and
    the spread whole.
    """
    none = np.clip([view.seen.faces[1:, NONE].min() for view in views], 1e-4, 1 - 1e-4)
    odd = np.log([view.seen.spread for view in views]) - math.log(_USUAL_SPREAD) + np.log(none / (1 - none)) / 2
    order = np.argsort(odd, kind="stable")
    faced, others = order[:expected], order[expected:]
    oddest = float(odd[faced].max(initial=-math.inf))
    if oddest > _FACED or odd[others[0]] < max(oddest + _FACELESS, _SHOWS_ONE):
        return []
    return [views[row] for row in sorted(faced)] if np.median(_oddness(views, expected)[others]) > _PRINTED else []


def _oddness(views: list[View], expected: int) -> Floats:
    """How unlike dice looks are (n): how much less certain it is how they lie, and how much they differ in size.

    Each as a logarithm, of what those have in the middle of which it is most certain, as many as there must be dice.
    """
    spreads, sides = np.array([view.seen.spread for view in views]), places(views)[:, 2]
    surest = np.argsort(spreads, kind="stable")[:expected]
    if not len(surest):
        return np.asarray(np.log(spreads / _USUAL_SPREAD), np.float32)
    uncertain, otherwise = (values / np.median(values[surest]) for values in (spreads, sides))
    return np.asarray(np.log(uncertain) + np.abs(np.log(otherwise)), np.float32)
