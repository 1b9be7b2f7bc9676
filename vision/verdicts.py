"""What keeps a picture of dice from being read: each trouble is told by evidence of its own."""

import cv2
import numpy as np

from vision.network import NONE, Opinion, Sight, Stranger
from vision.patterns import Floats
from vision.picture import Image
from vision.reading import Verdict
from vision.slant import ovals, slants
from vision.surroundings import NO_COVER, Thing, burnt, cover, edge_parted, things, unlike_ground
from vision.views import MAYBE_A_DIE, THERE, UNLIKE_ANY, WANTED, View, of_the_ground, places, spots

PATTERN = 4
"""So many things that look alike are the pattern of the ground."""

_MAYBE = 0.28  # the score below which there is no die
_TILT_DEG, _TILT_TIMES = 14.0, 1.2  # so far beyond so many times what the others are tilted: a die that leans
_USUAL_SPREAD, _SPREAD_POWER = 0.05, 0.7  # of normals; where they are less certain, more is needed
_FEW_TIMES, _FEW_POWER = 16.0, 3.0  # where few dice make the plane that they share, it is known so much worse
_SCORE_SLACK = 0.1  # where the detector sees a die so much less well than the others, it places it worse: more again
_DETECTED = 0.6  # what the detector's probability of leaning is worth beside that
_UNLIKE, _UNLIKE_SLACK = 0.25, 0.04  # so much less like any pattern than its neighbours, beyond the slack: as bad,
_UNLIKE_TIMES = 1.5  # but at most so many times what it is tilted: gleams and grain are unlike any pattern too
_OVAL = 0.4  # pips that are drawn out so much otherwise than its neighbours' are, see `slants`: as bad
_PLAIN_PX = 40.0  # side of a die from which its pips are compared with its neighbours'
_SMEARED, _NAMELESS_SMEARED = 0.4, 0.7  # the second where no number is named: emblems seem smeared
_STACKED, _STACKED_TOLD = 0.7, 0.95  # beyond its neighbours; where all that must be there are named, none is covered
_LARGER, _STACKED_LARGER = 1.09, 0.45  # so many times as large as they are: it is nearer; as much smaller: hardly
_GLARED = 0.06  # of a face that is burnt out at least where a reflection hides pips
_LEAST_GLARING, _NAMED_GLARING = 0.25, 0.8
_GLARING = (0.5, _GLARED), (_LEAST_GLARING, 0.6)  # where no number is named, and the share of it that is burnt
_STRANGE = 0.62  # score from which there is a thing, however small and wherever it lies
_LARGE_STRANGE = (57.0, 0.3), (44.0, 0.5)  # beside dice, what is seen so large is more rarely a shadow or a print,
_UNLIKE_GROUND = 6.5  # if its colour is so far from the ground's: of 16 things 7.7 at least, of 7 veins and shadows 5.1
_ALIKE, _ALIKE_SIDES, _INSIDE = 0.3, 0.7, 2.5  # or a score, if it is of a die's size and so many of its sides within
_HALF_STRANGE, _SOMETHING = 0.22, 0.78  # where it may as well be a die that is too many, both together,
_HALF_SIDES = 0.8  # if it is not much smaller than the dice
_TOUCHING = 1.2  # times half of both: nearer is touching
_MAYBE_LEANS = 0.45  # so surely a die leans where something touches one: 0.53 where it did, 0.34 at most on four others
_THING = 0.6, 0.85, 1.9  # at least so many faces of a die, sides wide, and at most so many times as long as wide,
_SOLID, _SOLID_THING = 0.88, (0.72, 0.72, 2.5)  # or so, if it has no dents: shadows beside dice have
_ROD = 1.5, 0.5, 6.0  # or so, as pens are, if it has no dents
_LARGEST_THING, _LARGEST_SOLID = 4.5, 7.5  # faces; the second if it is solid
_THING_PX = 36.0  # side of the dice from which what is as large is told from dirt
_HIDDEN, _HIDDEN_SHARE = 0.5, 0.1  # of the picture that a hand or a cloth must hide
_REACH, _REACHING, _REACHING_SHARE = 1.3, 0.3, 0.12  # sides around a die, of which so much is so surely hidden
_COVERS, _COVERS_UNCOUNTED = 7.0, 5.0  # how much a cover must stand out, where the dice are counted and where not
_COVER_EDGES, _COVER_WHOLE = (0.3, 0.65), 0.95  # of the picture's edge that it takes; of its look that is in one piece
_DARK_LEVEL = 50  # that the brightest hundredth of a picture must pass
_BRIGHT = (0.01, 225), (0.003, 150)  # and the level that so much of it must be below: few small dice are a little of it
_CUT_SIDES, _CUT_SCORE = 0.53, 0.28  # what may be a die so surely and has its centre so near the edge is partly outside
_SMALLEST_PX, _SMALL_PX = 9.0, 20.0  # side of a die that shows its pips; of one that is doubted because it is small

# What is refused anyway is told the likelier reason, from evidence that would not be enough to refuse by.
_MAYBE_THERE, _MAYBE_SIZES = 0.2, (0.6, 1.8)  # score of what may be a die, and its size in those of the others
_MAYBE_WIDEST = 0.3  # of the picture's shorter side: what is larger, and the only die, is the ground
_MAYBE_SMEARED, _COVERED_SMEARED, _UNNAMED_SMEARED = 0.4, 0.75, 0.2
_OVER_GLARE = 1.5  # times what it glares: what is burnt out seems smeared too
_MAYBE_HIDDEN_SHARE, _MAYBE_COVERS, _MAYBE_WHOLE = 0.02, 1.8, 0.8
_MAYBE_DARK_LEVEL = 70
_BURNT_LEVEL, _BURNT_AWAY = 250, 0.7  # from which nothing is seen, and so much of the picture that is
_ALONE_HIDDEN_SHARE = 0.05
_BURNT_FACES = (0.2, UNLIKE_ANY), (0.6, 0.6)  # of a face that nobody can name; how like any it may then be at most
_LOST_GLARING, _LOST = 0.35, 0.6  # of what may be the missing die, and the share of it that is burnt
_BLANK, _SURELY_BLANK = 0.75, 0.85  # probability of no number, from which a face rather has none
_MAYBE_STACKED, _CLEARLY_STACKED = 0.25, 0.95
_MAYBE_STRANGE, _MAYBE_THING = 0.3, (0.35, 0.5, 1.9)

_ORDER = list(Verdict)
_OVER_COCKED = (Verdict.OBSTRUCTED, Verdict.STACKED)  # what is smeared or burnt may be so because it leans
_MOVED = "A die is smeared: it still moved."
_COVERED = "A hand, or something like it, hides a part of the picture."
_ILL_LIT = "The picture is too dark or too bright to read."
_GLARE = "A reflection hides pips."
_ON_ANOTHER = "A die lies on another."
_FOREIGN = "Something that is no die lies among the dice."


def judge(sight: Sight, views: list[View], expected: int | None) -> tuple[Verdict, str]:
    """The first verdict that holds, in the order of precedence, and its reason."""
    count = f"{len(views)} {'die' if len(views) == 1 else 'dice'}"
    found = _trouble(sight, _dice(views, expected), expected)
    if found is None and expected is not None and len(views) != expected:
        found = Verdict.WRONG_COUNT, f"I see {count}, there must be {expected}."
    doubt = "" if found else _doubt(sight, views, expected)
    if doubt:
        found = Verdict.UNSURE, doubt
    if found is None:
        return Verdict.OK, f"{count} flat on the ground." if views else "There are no dice."
    # An empty floor is one, whatever the dice that ought to be there might have hidden behind.
    if not views or (found[0] is Verdict.STACKED and _stands_on(views) > _CLEARLY_STACKED):
        return found
    if found[0] is Verdict.COCKED and _too_many_lean(views, expected):
        return Verdict.FOREIGN_OBJECT, _FOREIGN
    likelier = _likelier(sight, views, expected)
    overruling = _OVER_COCKED if found[0] is Verdict.COCKED else _ORDER[: _ORDER.index(found[0])]
    if likelier and likelier[0] in overruling:
        return likelier
    if found[0] is Verdict.FOREIGN_OBJECT and _touched(sight, _dice(views, expected)):
        return Verdict.COCKED, "Something that is no die touches a die, which may lean on it."
    return found


def _dice(views: list[View], expected: int | None) -> list[View]:
    """Without what is too much and shows no number: that does not lean nor lie on another, it is no die."""
    surplus = 0 if expected is None else max(len(views) - expected, 0)
    nameless = sorted((view for view in views if not view.named), key=lambda view: float(view.odds[:NONE].max()))
    return [view for view in views if view not in nameless[:surplus]]


def _trouble(sight: Sight, views: list[View], expected: int | None) -> tuple[Verdict, str] | None:
    """What keeps the dice of the picture from being read, by its own evidence."""
    if _ill_lit(sight, _DARK_LEVEL):
        return Verdict.BAD_LIGHT, _ILL_LIT
    whole = [view for view in views if not _at_edge(sight, view.seen)]
    if any(view.seen.smear > (_SMEARED if view.named else _NAMELESS_SMEARED) for view in whole):
        return Verdict.NOT_SETTLED, _MOVED
    hidden = float((sight.hidden > _HIDDEN).mean()) > _HIDDEN_SHARE
    if hidden or _reached(sight, places(views)) or _cloaked(sight, views, expected):
        return Verdict.OBSTRUCTED, _COVERED
    glaring = [view for view in views if view.seen.glare > _LEAST_GLARING]
    if any(map(_hides_pips, glaring, burnt(sight.levels, places(glaring)))):
        return Verdict.BAD_LIGHT, _GLARE
    told = len(views) == expected and all(view.named or _emblem(view) for view in views)  # so that none is hidden
    if (_standing(whole) > (_STACKED_TOLD if told else _least_standing(whole))).any():
        return Verdict.STACKED, _ON_ANOTHER
    if (_leaning(whole) > 1).any():
        return Verdict.COCKED, "A die leans; its top face is not decided."
    if _foreign(sight, views):
        return Verdict.FOREIGN_OBJECT, _FOREIGN
    if len(whole) < len(views) or _cut(sight, views, told):
        return Verdict.WRONG_COUNT, "A die lies partly outside of the picture."
    return None


def _likelier(sight: Sight, views: list[View], expected: int | None) -> tuple[Verdict, str] | None:
    """What is likelier to be the trouble of a picture that is refused; each by its own evidence."""
    missing = expected is not None and len(views) < expected
    surplus = expected is not None and len(views) > expected
    if _ill_lit(sight, _MAYBE_DARK_LEVEL) or _burnt_away(sight):
        return Verdict.BAD_LIGHT, _ILL_LIT
    over = cover(sight.levels, places(views)) if missing else NO_COVER
    standing = over.stands_out / _MAYBE_COVERS if over.whole > _MAYBE_WHOLE else 0.0
    if standing > 1:  # what shows under the rim of a cover is smooth, and so seems smeared
        return Verdict.OBSTRUCTED, _COVERED
    on_another = missing and _stands_on(views) > _MAYBE_STACKED
    unclear = (view.seen for view in views if view.doubtful)
    if any(seen.smear > max(_UNNAMED_SMEARED, _OVER_GLARE * seen.glare) for seen in unclear):
        return Verdict.NOT_SETTLED, _MOVED
    # What shows of a die below another seems smeared.
    if missing and not on_another and any(_moves(sight, die) for die in _perhaps(sight)):
        return Verdict.NOT_SETTLED, _MOVED
    if surplus and any(not view.named for view in views):
        return Verdict.FOREIGN_OBJECT, _FOREIGN
    lost = [die for die in _perhaps(sight) if missing and die.glare > _LOST_GLARING]
    if any(map(_glares, views, burnt(sight.levels, places(views)))) or any(burnt(sight.levels, spots(lost)) > _LOST):
        return Verdict.BAD_LIGHT, _GLARE
    hidden = float((sight.hidden > _HIDDEN).mean())
    if hidden > _ALONE_HIDDEN_SHARE or (missing and standing + hidden / _MAYBE_HIDDEN_SHARE > 1):
        return Verdict.OBSTRUCTED, _COVERED
    if on_another:
        return Verdict.STACKED, _ON_ANOTHER
    if missing or surplus:  # what lies there may be the very dice that have not been told; or there are too many dice
        return None
    if any(_like_a_thing(one, *_MAYBE_THING) for one in things(sight.levels, places(views))):
        return Verdict.FOREIGN_OBJECT, _FOREIGN
    beside = [one for one in sight.strangers if one.score > _MAYBE_STRANGE and not _on_a_die(one, views)]
    if 0 < len(beside) < PATTERN:
        return Verdict.FOREIGN_OBJECT, _FOREIGN
    return None


def _moves(sight: Sight, die: Opinion) -> bool:
    """Whether what may be the missing die is smeared, and not only covered in part or burnt out."""
    least = _COVERED_SMEARED if _reached(sight, spots([die])) else _MAYBE_SMEARED
    return die.smear > max(least, _OVER_GLARE * die.glare)


def _perhaps(sight: Sight) -> list[Opinion]:
    """What may be dice, by their sizes too."""
    sure = [die.side_px for die in sight.dice if die.score >= WANTED]
    widest = _MAYBE_WIDEST * min(sight.levels[0].shape[:2])
    least, most = (size * float(np.median(sure)) for size in _MAYBE_SIZES) if sure else (0.0, widest)
    return [die for die in sight.dice if die.score >= _MAYBE_THERE and least <= die.side_px <= most]


def _reached(sight: Sight, at: Floats) -> bool:
    """Whether a hand or a cloth reaches up to what is at these places (n x 3: x, y, side in px)."""
    if sight.hidden.max() <= _REACHING:
        return False
    height, width = sight.levels[0].shape[:2]
    rows, columns = sight.hidden.shape
    down, across = (np.arange(rows)[:, None] + 0.5) * height / rows, (np.arange(columns) + 0.5) * width / columns
    around = (np.hypot(across - x, down - y) < _REACH * side for x, y, side in at.tolist())
    return any(float((sight.hidden[near] > _REACHING).mean()) > _REACHING_SHARE for near in around if near.any())


def _cloaked(sight: Sight, views: list[View], expected: int | None) -> bool:
    """Whether something certainly lies over a large part of the picture; nobody would miss what it hides uncounted."""
    if not edge_parted(sight.levels):
        return False
    over = cover(sight.levels, places(views))
    within = _COVER_EDGES[0] < over.edge < _COVER_EDGES[1] and over.whole > _COVER_WHOLE
    return within and over.stands_out > (_COVERS_UNCOUNTED if expected is None else _COVERS)


def _hides_pips(view: View, share: float) -> bool:
    """Whether a reflection lies on a face of which so much is burnt."""
    if view.named:
        return view.seen.glare > _NAMED_GLARING and share > _GLARED
    return any(view.seen.glare > glaring and share > least for glaring, least in _GLARING)


def _glares(view: View, share: float) -> bool:
    """Whether a face of which so much is burnt may be unreadable by that: a reflection leaves no pattern at all."""
    likeness = float(view.likeness.max())
    unreadable = not view.named and float(view.seen.faces[1:, NONE].min()) < _BLANK
    return unreadable and any(share > least and likeness < most for least, most in _BURNT_FACES)


def _foreign(sight: Sight, views: list[View]) -> list[tuple[float, float, float]]:
    """Where something is that is no die, among the dice or beside them, and how long (pixels)."""
    at = places(views)
    side_px = float(np.median(at[:, 2])) if views else 0.0
    likely = [
        (one.x_px, one.y_px, one.side_px)
        for one in sight.strangers
        if one.score > _STRANGE
        or (views and not _on_a_die(one, views) and _odd(sight, at, one))
        or (views and _something(sight, views, one, _HALF_SIDES * side_px))
    ]
    alike = sum(one.score > _MAYBE_STRANGE for one in sight.strangers)
    if likely and alike < PATTERN:
        return likely
    if not views or side_px < _THING_PX:
        return []
    found = (one for one in things(sight.levels, at) if _is_thing(one))
    return [(one.x_px, one.y_px, one.long * side_px) for one in found]


def _odd(sight: Sight, at: Floats, one: Stranger) -> bool:
    """Whether a thing beside the dice at these places is one: large or well within, and unlike the ground."""
    height, width = sight.levels[0].shape[:2]
    within = min(one.x_px, one.y_px, width - one.x_px, height - one.y_px) > _INSIDE * one.side_px
    alike = one.score > _ALIKE and one.side_px > _ALIKE_SIDES * float(np.median(at[:, 2]))
    large = any(one.side_px > side_px and one.score > least for side_px, least in _LARGE_STRANGE)
    place = np.array([one.x_px, one.y_px, one.side_px], np.float32)
    return (large or (within and alike)) and unlike_ground(sight.levels, place, at) > _UNLIKE_GROUND


def _something(sight: Sight, views: list[View], one: Stranger, least_px: float) -> bool:
    """Whether that is there, be it a thing or a die too many, and no smaller."""
    as_both = one.score + _as_die(sight, views, one)
    return one.score > _HALF_STRANGE and one.side_px > least_px and as_both > _SOMETHING


def _touched(sight: Sight, views: list[View]) -> bool:
    """Whether it touches a die that may lean on it; of few dice the one that does may make the other seem to."""
    return bool((_leaning(views) > _MAYBE_LEANS).any()) and any(
        np.hypot(x - die_x, y - die_y) < _TOUCHING * (long + side) / 2
        for x, y, long in _foreign(sight, views)
        for die_x, die_y, side in places(views).tolist()
    )


def _as_die(sight: Sight, views: list[View], one: Stranger) -> float:
    """The score that it would have as another die: something is there, whichever it is."""
    known = [view.seen for view in views]
    near = (die for die in sight.dice if np.hypot(one.x_px - die.x_px, one.y_px - die.y_px) < one.side_px / 2)
    return max((die.score for die in near if die not in known), default=0.0)


def _on_a_die(one: Stranger, views: list[View]) -> bool:
    """Whether that is a die which somebody takes for something else: an emblem does that."""
    return any(np.hypot(one.x_px - view.seen.x_px, one.y_px - view.seen.y_px) < view.seen.side_px / 2 for view in views)


def _is_thing(one: Thing) -> bool:
    """Whether a patch is about as large as a die and compact, or somewhat smaller, larger or longer and solid."""
    solid = one.solid > _SOLID and any(_like_a_thing(one, *least, _LARGEST_SOLID) for least in (_SOLID_THING, _ROD))
    return solid or _like_a_thing(one, *_THING)


def _like_a_thing(one: Thing, area: float, wide: float, long: float, largest: float = _LARGEST_THING) -> bool:
    """Whether a patch is that large and wide, no larger than things are, and no longer for its width."""
    return area < one.area < largest and one.wide > wide and one.long < long * one.wide


def _cut(sight: Sight, views: list[View], told: bool) -> bool:
    """Whether the picture's edge cuts what may be a die; where all are told, the ground's print is none."""
    dice = [view.seen for view in views]
    least = THERE if told else _CUT_SCORE
    cut = [die for die in _perhaps(sight) if die.score >= least and _at_edge(sight, die)]
    return any(not (told and of_the_ground(die, dice)) for die in cut)


def _at_edge(sight: Sight, die: Opinion) -> bool:
    """Whether the picture's edge may cut that die."""
    height, width = sight.levels[0].shape[:2]
    return bool(min(die.x_px, die.y_px, width - die.x_px, height - die.y_px) < _CUT_SIDES * die.side_px)


def _ill_lit(sight: Sight, dark_level: int) -> bool:
    """Whether the picture is too dark or too bright to be read: by the brightest colour, by all colours together.

    A clean red and a pale ground are as bright as each other where only the brightest colour counts.
    """
    quarter = sight.levels[min(2, len(sight.levels) - 1)]
    blue, green, red = cv2.split(quarter)
    brightest = np.asarray(cv2.max(cv2.max(blue, green), red), np.uint8)
    grey = np.asarray(cv2.cvtColor(quarter, cv2.COLOR_BGR2GRAY), np.uint8)
    too_bright = all(_level(grey, share) > level for share, level in _BRIGHT)
    return _level(brightest, 0.99) < dark_level or too_bright


def _burnt_away(sight: Sight) -> bool:
    """Whether most of the picture is burnt out, dice and all: their rims then look smeared, or like other things."""
    smallest = sight.levels[min(2, len(sight.levels) - 1)].min(axis=2)
    return float((smallest >= _BURNT_LEVEL).mean()) > _BURNT_AWAY


def _level(channel: Image, share: float) -> int:
    """The level that this share of a channel (h x w) is not above."""
    shares = np.cumsum(np.bincount(channel.ravel(), minlength=256)) / channel.size
    return int(np.searchsorted(shares, share))


def _others(values: Floats, share: float = 0.5) -> Floats:
    """The middle of all the other values, or what a share of them is below, for each; 0 where there is no other."""
    if len(values) < 2:
        return np.zeros(len(values), np.float32)
    off_diagonal = ~np.eye(len(values), dtype=bool)
    others = np.tile(values, (len(values), 1))[off_diagonal].reshape(len(values), -1)
    return np.asarray(np.quantile(others, share, axis=1), np.float32)


def _stands_on(views: list[View]) -> float:
    """How much more a die seems to lie on another than its neighbours do."""
    return float(_standing(views).max(initial=0.0))


def _least_standing(views: list[View]) -> Floats:
    """How much more each die must seem to lie on another than its neighbours do: what does is nearer, so larger."""
    sides = places(views)[:, 2]
    times = sides / _others(sides) if len(views) > 2 else np.ones(len(views))
    least = np.select([times > _LARGER, times < 1 / _LARGER], [_STACKED_LARGER, _STACKED_TOLD], _STACKED)
    return np.asarray(least, np.float32)


def _standing(views: list[View]) -> Floats:
    """For each die how much more it seems to lie on another than its neighbours do."""
    stacked = np.array([view.seen.stacked for view in views], np.float32)
    return stacked - _others(stacked)


def _leaning(views: list[View]) -> Floats:
    """How surely each die leans, from 1 on it does: by its tilt, by pips unlike its neighbours', or by both."""
    if not views:
        return np.zeros(0, np.float32)
    best = np.array([view.likeness.max() for view in views])
    unlike = np.maximum(np.median(best) - best - _UNLIKE_SLACK, 0.0)
    plain = np.array([view.seen.side_px > _PLAIN_PX for view in views])
    oval = slants(ovals([view.fit for view in views], [view.seen.face for view in views]), plain)
    tilts_deg = np.array([view.seen.tilt_deg for view in views], np.float32)
    spread = np.array([view.seen.spread for view in views])
    few = 1 + _FEW_TIMES / max(len(views), 2) ** _FEW_POWER
    score = np.array([view.seen.score for view in views])
    hardly = np.maximum(np.median(score) - score - _SCORE_SLACK, 0.0)
    needed_deg = _TILT_DEG * few * (spread / _USUAL_SPREAD) ** _SPREAD_POWER * (1 + hardly)
    # Of three dice one that leans may turn the plane so far that a second one seems to lean too.
    usual_deg = _others(tilts_deg, 0.0 if len(views) == 3 else 0.5)
    beyond = np.maximum(tilts_deg - _TILT_TIMES * usual_deg, 0.0) / needed_deg
    lean = np.array([view.seen.lean for view in views])
    pips = np.array([not view.nothing for view in views])  # an emblem is unlike any pattern, however it lies
    unclear = np.minimum(pips * plain * unlike / _UNLIKE, _UNLIKE_TIMES * beyond)
    named = np.array([view.named for view in views])  # whose pips are known
    return np.asarray(beyond + _DETECTED * lean + unclear + named * oval / _OVAL, np.float32)


def _too_many_lean(views: list[View], expected: int | None) -> bool:
    """Whether all dice that must be there are named and lie flat without those that lean: these are none."""
    flat = _leaning(views) <= 1
    return expected == int(flat.sum()) and all(view.named for view, lies in zip(views, flat, strict=True) if lies)


def _emblem(view: View) -> bool:
    """Whether a face is seen whole, and neither classifier thinks of a number."""
    return float(view.seen.faces[1:, NONE].min()) > _SURELY_BLANK


def _doubt(sight: Sight, views: list[View], expected: int | None) -> str:
    """Why a face or the number of dice is not certain; empty if all is."""
    known = [view.seen for view in views]
    if expected is None and any(_MAYBE < die.score < THERE for die in sight.dice if die not in known):
        return MAYBE_A_DIE
    for view in views:
        side_px = view.seen.side_px
        if side_px < _SMALLEST_PX or (view.doubt and side_px < _SMALL_PX):
            return f"A die is too small to be sure of: its side has {side_px:.0f} pixels."
        if view.doubt:
            return view.doubt
    return ""
