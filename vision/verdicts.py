"""What keeps a picture of dice from being read: each trouble is told by evidence of its own.

This module says which trouble goes first and which is likelier; the evidence is in `lighting`, `hiding`, `lying` and
`foreign`.
"""

import statistics

import numpy as np
import numpy.typing as npt

from vision.echo import echo
from vision.foreign import foreign, maybe_foreign, smeared, touched
from vision.hiding import covered, covering, hidden_share, reached
from vision.lighting import gleaming, ill_lit, maybe_ill_lit, maybe_reflecting, reflecting
from vision.lying import NEARLY, hides_one, leaning, least_standing, standing, stands_on, too_many_lean
from vision.network import NONE, Opinion, Sight
from vision.reading import Verdict
from vision.surroundings import Thing, burnt, cut_off
from vision.views import MAYBE_A_DIE, THERE, WANTED, View, of_the_ground, places, spots

_MAYBE = 0.28  # the score below which there is no die
_SMEARED, _NAMELESS_SMEARED = 0.4, 0.7  # the second where no number is named: emblems seem smeared
_SURELY_BLANK = 0.85  # probability of no number, from which a face has none
_CUT_SIDES, _CUT_SCORE = 0.53, 0.28  # what may be a die so surely and has its centre so near the edge is partly outside
_CUT_USUAL = 0.45  # sides of all dice, for one of them: half of one had 0.37, whole ones of 572 pictures 0.54 at least
_SMALLEST_PX, _SMALL_PX = 9.0, 20.0  # side of a die that shows its pips; of one that is doubted because it is small,
_SURE_THOUGH_SMALL = 0.75  # or because its face is less likely: one of 10 px with 0.69 was misread

_APART = 0.6  # larger sides between middles: 0.75 at least where one die is half as large and both lie flat, and 0.78
# was the least in 499 pictures; a pip of a clear die that passes for a small one was 0.43 away
_PHANTOM = 0.6  # chance of its number, below which what lies otherwise than all dice may be none: the shadow of a clear
# die, with the shadows of its pips, had 0.53; of 20 dice that seem to lie so and are read right 0.69 is the least

# What is refused anyway is told the likelier reason, from evidence that would not be enough to refuse by.
_MAYBE_THERE, _MAYBE_SIZES = 0.2, (0.6, 1.8)  # score of what may be a die, and its size in those of the others
_MAYBE_WIDEST = 0.3  # of the picture's shorter side: what is larger, and the only die, is the ground
_MAYBE_SMEARED, _COVERED_SMEARED, _UNNAMED_SMEARED = 0.4, 0.75, 0.2
_MOVING, _SURELY_SMEARED = (0.14, (0.6, 2.6)), 0.9  # the same of a die that moves: it is less one, and longer
_OVER_GLARE = 1.5  # times what it glares: what is burnt out seems smeared too
_MAYBE_HIDDEN_SHARE, _ALONE_HIDDEN_SHARE = 0.02, 0.05  # of the picture; the second also where no die is missing
_LOST_GLARING, _LOST = 0.35, 0.6  # of what may be the missing die, and the share of it that is burnt
_MAYBE_STACKED, _RATHER_STACKED, _CLEARLY_STACKED = 0.8, 1.0, 0.95
_SLIGHTLY = 1.6  # leans so: of five such pictures where one is missing, and no thing lies, it lies on another on four
_CUT_AREA, _CUT_WIDE, _CUT_LONG, _CUT_SOLID = (0.25, 1.0), 0.5, (0.8, 1.6), 0.85  # of a die that the edge cuts
_LONE_CUT, _LONE_WIDE, _LONE_TINT = 0.3, 1.4, 8.0  # the same of what alone is cut where nobody counts the dice
_CLEARLY_COVERS = 3.0  # see `covering`: of ten empty floors 1.7 at most, where a hand or a cloth hid all 4.1 and 4.7

_ORDER = list(Verdict)
_MOVED = "A die is smeared: it still moved."
_TWICE = "The picture shows everything twice: something moved while it was taken."
_OUTSIDE = "A die lies partly outside of the picture."
_COVERED = "A hand, or something like it, hides a part of the picture."
_ILL_LIT = "The picture is too dark or too bright to read."
_GLARE = "A reflection hides pips."
ON_ANOTHER = "A die lies on another."
_FOREIGN = "Something that is no die lies among the dice."
LEANS = "A die leans; its top face is not decided."


def judge(sight: Sight, views: list[View], expected: int | None) -> tuple[Verdict, str]:
    """The first verdict that holds by its own evidence, in the order of precedence, and its reason."""
    count = "1 die" if len(views) == 1 else f"{len(views)} dice"
    if found := _trouble(sight, _dice(views, expected), expected):
        return found
    if expected is not None and len(views) != expected:
        return Verdict.WRONG_COUNT, f"I see {count}, there must be {expected}."
    if doubt := _doubt(sight, views, expected):
        return Verdict.UNSURE, doubt
    if expected is None and views and one_outside(sight, views):
        return Verdict.WRONG_COUNT, _OUTSIDE
    if _doubled(sight, views):
        return Verdict.NOT_SETTLED, _TWICE
    return Verdict.OK, f"{count} flat on the ground." if views else "There are no dice."


def explain(sight: Sight, views: list[View], expected: int | None, found: tuple[Verdict, str]) -> tuple[Verdict, str]:
    """What `judge` found, or what is likelier to be why a picture cannot be read."""
    verdict = found[0]
    if verdict is Verdict.OK or (verdict is Verdict.STACKED and stands_on(views) > _CLEARLY_STACKED):
        return found
    # An empty floor is one, if the dice that ought to be there have not clearly something to hide behind.
    if not views:
        return (Verdict.OBSTRUCTED, _COVERED) if covering(sight, views) > _CLEARLY_COVERS else found
    if verdict is Verdict.COCKED and too_many_lean(views, expected):
        return Verdict.FOREIGN_OBJECT, _FOREIGN
    outside = len(views) < (expected or 0) and _outside(sight, views)
    if verdict is Verdict.STACKED and outside and not _below(views, outside):
        return Verdict.WRONG_COUNT, _OUTSIDE
    likelier = _likelier(sight, views, expected, outside)
    overruling = _over_cocked(sight, views, expected) if verdict is Verdict.COCKED else _ORDER[: _ORDER.index(verdict)]
    if likelier and likelier[0] in overruling:
        return likelier
    if verdict is Verdict.FOREIGN_OBJECT and touched(sight, _dice(views, expected)):
        return Verdict.COCKED, "Something that is no die touches a die, which may lean on it."
    return found


def at_fault(views: list[View], verdict: Verdict) -> tuple[int, ...]:
    """Which of the dice are why a picture has that verdict, as far as it is about single ones and they show it."""
    match verdict:
        case Verdict.NOT_SETTLED:
            at = np.array([*map(_smeared, views)], bool)
        case Verdict.STACKED:
            at = standing(views) > least_standing(views, False, False)
        case Verdict.COCKED:
            lean = leaning(views)
            at = lean >= np.clip(lean.max(initial=0.0), NEARLY, 1.0)
        case Verdict.UNSURE:
            at = np.array([bool(_doubted(view)) for view in views], bool) | _phantoms(views)
        case _:
            return ()
    return tuple(int(row) for row in np.flatnonzero(at))


def _over_cocked(sight: Sight, views: list[View], expected: int | None) -> list[Verdict]:
    """What may be likelier than that a die leans: what is smeared or burnt may be so because it leans.

    One that leans a little where no thing lies may lie on the one that is missing.
    """
    slightly = float(leaning(views).max()) < _SLIGHTLY and not foreign(sight, _dice(views, expected))
    return [Verdict.OBSTRUCTED, Verdict.STACKED] if slightly else [Verdict.OBSTRUCTED]


def _dice(views: list[View], expected: int | None) -> list[View]:
    """The dice without the nameless looks that are too many: those are no dice, so they neither lean nor lie on one."""
    surplus = 0 if expected is None else max(len(views) - expected, 0)
    nameless = sorted((view for view in views if not view.named), key=lambda view: float(view.odds[:NONE].max()))
    return [view for view in views if view not in nameless[:surplus]]


def _trouble(sight: Sight, views: list[View], expected: int | None) -> tuple[Verdict, str] | None:
    """What keeps the dice of the picture from being read, by its own evidence."""
    if ill_lit(sight):
        return Verdict.BAD_LIGHT, _ILL_LIT
    whole = [view for view in views if not _at_edge(sight, view.seen)]
    if any(map(_smeared, whole)):
        return Verdict.NOT_SETTLED, _MOVED
    if covered(sight, views, expected):
        return Verdict.OBSTRUCTED, _COVERED
    if reflecting(sight, views):
        return Verdict.BAD_LIGHT, _GLARE
    counted = len(views) == expected
    told = counted and all(map(_whole, views)) and not any(_lies_otherwise(view, views) for view in views)
    if (standing(whole) > least_standing(whole, counted, told)).any():
        return Verdict.STACKED, ON_ANOTHER
    if (leaning(whole) > 1).any():
        return Verdict.COCKED, LEANS
    if foreign(sight, views):
        return Verdict.FOREIGN_OBJECT, _FOREIGN
    if len(whole) < len(views) or _cut(sight, views, told):
        return Verdict.WRONG_COUNT, _OUTSIDE
    return None


def _likelier(sight: Sight, views: list[View], expected: int | None, outside: bool) -> tuple[Verdict, str] | None:
    """What is likelier to be the trouble of a picture that is refused; each by its own evidence.

    outside is whether a die that is missing may be cut by the picture's edge.
    """
    lacking = 0 if expected is None else expected - len(views)
    missing, surplus = lacking > 0, lacking < 0
    if maybe_ill_lit(sight):
        return Verdict.BAD_LIGHT, _ILL_LIT
    if _doubled(sight, views):
        return Verdict.NOT_SETTLED, _TWICE
    if missing and (_surely_moves(sight, lacking) or smeared(sight, views)):
        return Verdict.NOT_SETTLED, _MOVED
    over = covering(sight, views) if missing else 0.0
    on_another = missing and _below(views, outside)
    if over > (_CLEARLY_COVERS if on_another else 1):  # what shows under a cover's rim is smooth, and so seems smeared
        return Verdict.OBSTRUCTED, _COVERED
    unclear = (view.seen for view in views if view.doubtful)
    if any(seen.smear > max(_UNNAMED_SMEARED, _OVER_GLARE * seen.glare) for seen in unclear):
        return Verdict.NOT_SETTLED, _MOVED
    # What shows of a die below another seems smeared.
    if missing and not (on_another or outside) and any(_moves(sight, die) for die in _perhaps(sight)):
        return Verdict.NOT_SETTLED, _MOVED
    if surplus and any(not view.named or _lies_otherwise(view, views) for view in views):
        return Verdict.FOREIGN_OBJECT, _FOREIGN
    lost = [die for die in _perhaps(sight) if die.glare > _LOST_GLARING]
    gleams = missing and not outside and (gleaming(sight, views) or any(burnt(sight.levels, spots(lost)) > _LOST))
    if gleams or maybe_reflecting(sight, views):
        return Verdict.BAD_LIGHT, _GLARE
    hidden = hidden_share(sight)
    if hidden > _ALONE_HIDDEN_SHARE or (missing and not on_another and over + hidden / _MAYBE_HIDDEN_SHARE > 1):
        return Verdict.OBSTRUCTED, _COVERED
    if on_another:
        return Verdict.STACKED, ON_ANOTHER
    if missing or surplus:  # what lies there may be the very dice that have not been told; or there are too many dice
        return None
    if maybe_foreign(sight, views):
        return Verdict.FOREIGN_OBJECT, _FOREIGN
    return None


def _doubled(sight: Sight, views: list[View]) -> bool:
    """Whether the picture is of two moments, in which the camera or all that it sees was elsewhere."""
    return bool(views) and echo(sight.levels, float(np.median(places(views)[:, 2]))) > 1


def _below(views: list[View], outside: bool) -> bool:
    """Whether the die that is missing may lie below another, and not rather outside of the picture in part."""
    return hides_one(views) > (_RATHER_STACKED if outside else _MAYBE_STACKED)


def _outside(sight: Sight, views: list[View]) -> bool:
    """Whether the picture's edge cuts a patch that may be a part of a die."""
    return any(map(_part_of_a_die, cut_off(sight.levels, places(views))))


def one_outside(sight: Sight, views: list[View]) -> bool:
    """Whether the edge cuts one patch alone, and that may be a part of a die: of print it cuts more."""
    cut = cut_off(sight.levels, places(views))
    if len(cut) != 1 or not _part_of_a_die(cut[0]):
        return False
    return cut[0].area > _LONE_CUT and cut[0].wide < _LONE_WIDE and cut[0].tint > _LONE_TINT


def _part_of_a_die(one: Thing) -> bool:
    """Whether a patch that the edge cuts may be what it leaves of a die."""
    area = _CUT_AREA[0] < one.area < _CUT_AREA[1]
    return area and _CUT_LONG[0] < one.long < _CUT_LONG[1] and one.wide > _CUT_WIDE and one.solid > _CUT_SOLID


def _lies_otherwise(view: View, views: list[View]) -> bool:
    """Whether nobody can say how that lies, but how the others do."""
    return of_the_ground(view.seen, [other.seen for other in views if other is not view])


def _moves(sight: Sight, die: Opinion) -> bool:
    """Whether what may be the missing die is smeared, and not only covered in part or burnt out."""
    least = _COVERED_SMEARED if reached(sight, spots([die])) else _MAYBE_SMEARED
    return die.smear > max(least, _OVER_GLARE * die.glare)


def _surely_moves(sight: Sight, lacking: int) -> bool:
    """Whether what is hardly seen as dice is all smeared, and no hand in the picture may be why.

    More of them than are lacking are the ground's print.
    """
    moving = [die.smear > max(_SURELY_SMEARED, _OVER_GLARE * die.glare) for die in _perhaps(sight, *_MOVING)]
    return 0 < sum(moving) <= lacking and hidden_share(sight) < _MAYBE_HIDDEN_SHARE


def _perhaps(sight: Sight, score: float = _MAYBE_THERE, sizes: tuple[float, float] = _MAYBE_SIZES) -> list[Opinion]:
    """What may be dice, by their scores and by their sizes in those of the others."""
    sure = [die.side_px for die in sight.dice if die.score >= WANTED]
    widest = _MAYBE_WIDEST * min(sight.levels[0].shape[:2])
    least, most = (size * statistics.median(sure) for size in sizes) if sure else (0.0, widest)
    return [die for die in sight.dice if die.score >= score and least <= die.side_px <= most]


def _cut(sight: Sight, views: list[View], told: bool) -> bool:
    """Whether the picture's edge cuts what may be a die; where all are told, the ground's print is none."""
    if half_outside(sight, views):
        return True
    dice = [view.seen for view in views]
    least = THERE if told else _CUT_SCORE
    cut = [die for die in _perhaps(sight) if die.score >= least and _at_edge(sight, die)]
    return any(not (told and of_the_ground(die, dice)) for die in cut)


def half_outside(sight: Sight, views: list[View]) -> bool:
    """Whether one of the dice lies so near the edge, in sides of them all, that this cuts it.

    What the edge leaves of a die seems smaller, and further within, than it is.
    """
    dice = [view.seen for view in views]
    usual_px = statistics.median(die.side_px for die in dice) if dice else 0.0
    return any(sight.within_px(die.x_px, die.y_px) < _CUT_USUAL * usual_px for die in dice)


def _at_edge(sight: Sight, die: Opinion) -> bool:
    """Whether the picture's edge may cut that die."""
    return sight.within_px(die.x_px, die.y_px) < _CUT_SIDES * die.side_px


def _whole(view: View) -> bool:
    """Whether nothing hides a part of a face: it is named, or neither classifier thinks of a number."""
    return view.named or float(view.seen.faces[1:, NONE].min()) > _SURELY_BLANK


def _doubt(sight: Sight, views: list[View], expected: int | None) -> str:
    """Why a face or the number of dice is not certain; empty if all is."""
    known = [view.seen for view in views]
    if expected is None and any(_MAYBE < die.score < THERE for die in sight.dice if die not in known):
        return MAYBE_A_DIE
    return next(filter(None, map(_doubted, views)), MAYBE_A_DIE if _phantoms(views).any() else "")


def _phantoms(views: list[View]) -> npt.NDArray[np.bool_]:
    """Which of the dice may be none (n).

    Those that are nearer to another than two that lie flat can be, and what is hardly named while nobody can say how it
    lies.
    """
    at = places(views)
    apart = np.linalg.norm(at[:, None, :2] - at[None, :, :2], axis=2)
    near = apart < _APART * np.maximum(at[:, None, 2], at[None, :, 2])
    hardly = [float(view.seen.fused.max()) < _PHANTOM and _lies_otherwise(view, views) for view in views]
    return np.asarray((near & ~np.eye(len(at), dtype=bool)).any(axis=1) | np.array(hardly, bool))


def _doubted(view: View) -> str:
    """Why a face is not certain; empty if it is."""
    side_px = view.seen.side_px
    unsure = view.doubt or float(view.odds.max()) < _SURE_THOUGH_SMALL
    if side_px < _SMALLEST_PX or (unsure and side_px < _SMALL_PX):
        return f"A die is too small to be sure of: its side has {side_px:.0f} pixels."
    return view.doubt


def _smeared(view: View) -> bool:
    """Whether a die is drawn out by its motion."""
    return view.seen.smear > (_SMEARED if view.named else _NAMELESS_SMEARED)
