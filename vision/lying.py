"""How the dice lie: which of them lean, and which lie on another, each compared with its neighbours."""

import numpy as np

from vision.patterns import Floats
from vision.slant import others, slants
from vision.views import View, places

NEARLY = 0.7
"""Of what makes a die lean: what has so much nearly does."""

_TILT_DEG, _TILT_TIMES = 14.0, 1.2  # so far beyond so many times what the others are tilted: a die that leans
_USUAL_SPREAD, _SPREAD_POWER = 0.05, 0.7  # of normals; where they are less certain, more is needed
_FEW_TIMES, _FEW_POWER = 16.0, 3.0  # where few dice make the plane that they share, it is known so much worse
_SCORE_SLACK = 0.1  # where the detector sees a die so much less well than the others, it places it worse: more again
_DETECTED = 0.6  # what the detector's probability of leaning is worth beside that
_UNLIKE, _UNLIKE_SLACK = 0.25, 0.04  # so much less like any pattern than its neighbours, beyond the slack: as bad,
_UNLIKE_TIMES = 1.5  # but at most so many times what it is tilted: gleams and grain are unlike any pattern too
_OVAL = 0.4  # pips that are drawn out so much otherwise than its neighbours' are, see `slants`: as bad
_OVAL_ALONE = 0.8  # what they are worth at most where it is not tilted at all
_PLAIN_PX = 40.0  # side of a die from which its pips are compared with its neighbours'
_STACKED, _STACKED_TOLD = 0.7, 0.95  # more than its neighbours seem to; the second where all expected dice are named
_LEANS, _LEANS_MOST = 0.8, 1.5  # what leaning is worth beside standing where one is missing, and how much of it,
_LARGER_COUNTS = -0.3, 0.4  # and how much smaller or larger counts, in sides of the others
_LARGER, _STACKED_LARGER = 1.09, 0.45  # so many times as large as they are: it is nearer; as much smaller: hardly


def leaning(views: list[View]) -> Floats:
    """How surely each die leans (n), from 1 on it does: by its tilt, by pips unlike its neighbours', or by both."""
    if not views:
        return np.zeros(0, np.float32)
    best = np.array([view.likeness.max() for view in views])
    unlike = np.maximum(np.median(best) - best - _UNLIKE_SLACK, 0.0)
    plain = np.array([view.seen.side_px > _PLAIN_PX for view in views])
    oval = slants([view.oval for view in views], plain)
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
    drawn_out = np.minimum(named * oval / _OVAL, _OVAL_ALONE + _UNLIKE_TIMES * beyond)
    return np.asarray(beyond + _DETECTED * lean + unclear + drawn_out, np.float32)


def too_many_lean(views: list[View], expected: int | None) -> bool:
    """Whether all dice that must be there are named and lie flat without those that lean: these are none."""
    flat = leaning(views) <= 1
    return expected == int(flat.sum()) and all(view.named for view, lies in zip(views, flat, strict=True) if lies)


def standing(views: list[View]) -> Floats:
    """How much more each die seems to lie on another than its neighbours do (n), -1 to 1."""
    stacked = np.array([view.seen.stacked for view in views], np.float32)
    return stacked - _others(stacked)


def least_standing(views: list[View], counted: bool, told: bool) -> Floats:
    """How much more each die must seem to lie on another than its neighbours do (n): what does is nearer, so larger.

    counted is whether there are as many as there must be, told whether all of them are seen whole too. What lies on
    another is seen whole: where none is missing, one without a name seems to by what hides its pips.
    """
    if told:
        return np.full(len(views), _STACKED_TOLD, np.float32)
    sides = places(views)[:, 2]
    times = sides / _others(sides) if len(views) > 2 else np.ones(len(views))
    least = np.select([times > _LARGER, times < 1 / _LARGER], [_STACKED_LARGER, _STACKED_TOLD], _STACKED)
    nameless = np.array([counted and not view.named for view in views], bool)
    return np.asarray(np.where(nameless, _STACKED_TOLD, least), np.float32)


def stands_on(views: list[View]) -> float:
    """How much more than its neighbours the die that does most seems to lie on another; 0 where there is none."""
    return float(standing(views).max(initial=0.0))


def hides_one(views: list[View]) -> float:
    """How surely a die that lies on another hides the one that is missing; 0 where there is no die.

    Besides seeming to stand, what lies on another is nearer, so larger, and mostly leans.
    """
    if not views:
        return 0.0
    sides = places(views)[:, 2]
    larger = sides / _others(sides) - 1 if len(views) > 2 else np.zeros(len(views))
    evidence = standing(views) + np.clip(larger, *_LARGER_COUNTS) + _LEANS * np.minimum(leaning(views), _LEANS_MOST)
    return float(evidence.max())


def _others(values: Floats, share: float = 0.5) -> Floats:
    """The middle of all the other values, or what a share of them is below, for each; 0 where there is no other."""
    if len(values) < 2:
        return np.zeros(len(values), np.float32)
    return np.asarray(np.quantile(others(values), share, axis=1), np.float32)
