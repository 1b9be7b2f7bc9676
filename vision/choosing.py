"""Which looks are the dice: the likeliest, what else is surely named beside them, and not what the ground shows."""

import math
import statistics
from collections.abc import Sequence

import numpy as np

from vision.foreign import PATTERN
from vision.network import NONE, Opinion, Sight
from vision.patterns import Floats
from vision.surroundings import things
from vision.views import THERE, WANTED, View, of_the_ground, places

# Times the sides of the others, for what is hardly seen: of 45 right dice 0.67 to 1.21, of 14 mere looks 0.32 to 0.77.
_SIZES = 0.6, 1.7
_SPOILT = 0.25  # how much what may be a die moves or glares, where nobody can be expected to say how it lies
_SEEN, _NAMED = 0.3, 0.8  # score, and probability of its face to both classifiers, of what is a die too if all count,
_ALIKE, _APART = (0.7, 1.35), 0.78  # and it is about as large as the others, and no side of them: so many sides away
_ANY_SIZE, _SURELY = (0.45, 2.3), (0.9, 0.06)  # or of any size; so surely named, and so certain how it lies,
_BEYOND_DOUBT = 0.97, 0.075  # and if one is missing so surely; then it may be hardly seen, and a side not in its place
_HARDLY_SEEN, _CERTAIN_APART = 0.15, 0.6
_ODD, _ODDER = 0.85, 0.2  # so odd is what is too much at least, and so much odder than all dice: see `_oddness`. On 18
# readable pictures with looks too many these alone were the oddest, by 0.21 at least.
_FACED, _FACELESS = -1.9, 0.6  # so odd is a face at most, and what shows none so much more: see `_with_faces`;
_SHOWS_ONE, _PRINTED = -2.2, 0.98  # and so odd at least, and in the middle so odd by `_oddness`. 14 pictures with four
# looks too many are parted so, with 1.07 or more; where too few dice were told five were, 0.89 at most, and one more
_USUAL_SPREAD = 0.026  # of the normals of 2,357 dice, in the middle
_PHANTOM_AREA = 0.35  # of a die's face: what covers less of the ground is its grain


def choose(dice: Sequence[Opinion], expected: int | None) -> list[Opinion]:
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
        if die not in known and _surer(die, sureness, spread) and named_among(die, known):
            known.append(die)
    return known


def _like_these(die: Opinion, others: list[Opinion]) -> bool:
    """Whether a die is one of these, or about as large and as certain to lie: grain that looks like a die is not.

    Of what moves and of what a reflection hides nobody may be able to say how it lies; what both classifiers name may
    still be what an arm leaves of a die.
    """
    if not others or die in others:
        return True
    usual_px = statistics.median(other.side_px for other in others)
    least, most = (times * usual_px for times in _SIZES)
    spoilt = max(die.smear, die.glare) > _SPOILT
    return least < die.side_px < most and (spoilt or not of_the_ground(die, others))


def named_among(die: Opinion, others: list[Opinion]) -> bool:
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


def without_phantoms(sight: Sight, views: list[View], expected: int | None) -> list[View]:
    """The dice, as many as there must be, if what is too much is clearly odder than they are: a look of the ground.

    What is named may be a die, and where a thing lies it is that; but many such looks are the print of the ground.
    """
    if expected is None:
        return views
    views = [view for view in views if view.surely_a_die or not view.figure]
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
    if any(view.named or view.surely_a_die for view in weakest):
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
