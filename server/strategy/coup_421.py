"""A coup of 421: what every way to play a hand is worth, given what the coup may bring and cost.

A worth is the mean of `Stakes.win` by the rank of the best combination where one wins the coup, of `Stakes.lose` where
one loses it, and nothing where another does either. The last to throw is worked out exactly; where one more follows,
that one answers as well as can be; where several follow, each is taken to play for beating a single throw, and those of
them who are level count as one.
"""

from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations as subsets
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from server.odds.chance import throws
from server.odds.le_421 import KEPT
from server.rules.combinations_421 import combinations
from server.rules.le_421 import DECHARGE_THROWS, DICE

Values = npt.NDArray[np.float64]
Ranks = npt.NDArray[np.intp]
Scale = tuple[str, str, str]

PLACE = {kept: place for place, kept in enumerate(KEPT)}
RANKS = 56
_PARTS = 7
_ALL: Ranks = np.arange(RANKS)
_NO_BEST, _NO_WORST = RANKS, -1


class Tables(NamedTuple):
    """The combinations of a scale, by rank from 0, the best."""

    worth: Values  # (rank,) fiches
    after: Values  # (place in KEPT, rank): the chances of what comes where these dice are kept
    parts: Ranks  # (rank, 7): places in KEPT of what may be kept, the last repeated to fill the row


@lru_cache(maxsize=8)
def tables(scale: Scale) -> Tables:
    """The tables of the scale that these options make: order, nenette, version."""
    every = combinations(*scale)
    worth = np.empty(RANKS)
    after = np.zeros((len(KEPT), RANKS))
    parts = np.empty((RANKS, _PARTS), dtype=np.intp)
    for hand in set(every.values()):
        worth[hand.rank] = hand.worth
        found = sorted({PLACE[part] for number in range(DICE) for part in subsets(sorted(hand.dice), number)})
        parts[hand.rank] = found + [found[-1]] * (_PARTS - len(found))
    for place, kept in enumerate(KEPT):
        for dice, ways in throws(DICE - len(kept)).items():
            after[place, every[(*kept, *dice)].rank] += ways / 6 ** (DICE - len(kept))
    return Tables(worth, after, parts)


class Rules(NamedTuple):
    """How a hand may go on."""

    scale: Scale
    most: int  # throws
    free: bool  # whether one may stop after any throw
    le_bon: str  # "stand", "last_throw", or "off" where it cannot be said


class Plan(NamedTuple):
    """What the ways to play a hand are worth; lists are by the throws made, from 1."""

    keep: list[Values]  # (place in KEPT, ...): to keep these dice and throw on
    last: Values  # (place in KEPT, ...): to keep them where the next throw is the last
    end: Sequence[Values]  # (rank, ...): to end with that combination
    begin: Values  # (...): before the first throw


def plan(rules: Rules, end: Sequence[Values], carry: Sequence[Values] | None = None) -> Plan:
    """The best play of a hand, `end` being the worth of each last combination by the throws made, from 1.

    With `carry`, what the same ends are worth to another, choices are made by `end` and what is told is the other's.
    """
    found = tables(rules.scale)
    told = end if carry is None else carry
    value, other = end[rules.most - 1], told[rules.most - 1]
    keep: list[Values] = []
    for throw in range(rules.most - 1, 0, -1):
        mean, other_mean = found.after @ value, found.after @ other
        keep.insert(0, other_mean)
        options, others = [mean[found.parts]], [other_mean[found.parts]]
        if rules.free or (throw == 1 and rules.le_bon == "stand"):
            options.append(end[throw - 1][:, None])
            others.append(told[throw - 1][:, None])
        if throw == 1 and rules.le_bon == "last_throw" and rules.most == DECHARGE_THROWS:
            options.append((found.after @ end[1])[found.parts])
            others.append((found.after @ told[1])[found.parts])
        every, every_other = np.concatenate(options, axis=1), np.concatenate(others, axis=1)
        best = every.argmax(axis=1)[:, None]
        value = np.take_along_axis(every, best, 1)[:, 0]
        other = np.take_along_axis(every_other, best, 1)[:, 0]
    last = found.after @ told[min(2, rules.most) - 1]
    return Plan(keep, last, told, found.after[PLACE[()]] @ other)


class Stakes(NamedTuple):
    """What a coup brings to one who wins and to one who loses it, by the rank of the best combination."""

    win: tuple[float, ...]
    lose: tuple[float, ...]


class Lying(NamedTuple):
    """The best and the worst of some hands, and how many have each."""

    best: Ranks
    at_best: Ranks
    worst: Ranks
    at_worst: Ranks

    def joined(self, rank: Ranks) -> "Lying":
        """These and one hand more."""
        return Lying(
            np.minimum(self.best, rank),
            np.where(rank < self.best, 1, self.at_best + (rank == self.best)),
            np.maximum(self.worst, rank),
            np.where(rank > self.worst, 1, self.at_worst + (rank == self.worst)),
        )


def lying(ranks: Sequence[int]) -> Lying:
    """Hands that have ended."""
    best, worst = min(ranks, default=_NO_BEST), max(ranks, default=_NO_WORST)
    each = best, ranks.count(best), worst, ranks.count(worst)
    return Lying(*(np.asarray(number, dtype=np.intp) for number in each))


def judged(stakes: Stakes, mine: Ranks, done: Lying, later: Lying, first_counts: bool) -> Values:
    """What a hand of that rank is worth among those before and those after it; all arrays broadcast together.

    Where ties go to a rampeau each of those level has the same chance; else (`first_counts`) the first of the best
    wins and the last of the worst loses.
    """
    best, worst = np.minimum(done.best, later.best), np.maximum(done.worst, later.worst)
    if first_counts:
        wins = (mine < done.best) & (mine <= later.best)
        loses = (mine >= done.worst) & (mine > later.worst)
    else:
        at_best = done.at_best * (done.best == best) + later.at_best * (later.best == best)
        at_worst = done.at_worst * (done.worst == worst) + later.at_worst * (later.worst == worst)
        wins = np.where(mine <= best, 1 / np.where(mine == best, 1 + at_best, 1), 0)
        loses = np.where(mine >= worst, 1 / np.where(mine == worst, 1 + at_worst, 1), 0)
    top = np.minimum(mine, best)
    found: Values = wins * np.array(stakes.win)[top] + loses * np.array(stakes.lose)[top]
    return found


class Coup(NamedTuple):
    """A coup as the one sees it whose hand it is."""

    rules: Rules  # of one's own hand
    leads: bool  # whether one's throws are the limit of those who follow
    followers: Rules  # of those who follow, up to the limit
    done: tuple[int, ...]  # the ranks of the hands that have ended
    mine: Stakes
    answers: Stakes  # those of the one who follows, where it is one
    later: int  # how many follow
    first_counts: bool


@lru_cache(maxsize=20_000)
def solved(coup: Coup) -> Plan:
    """One's own hand of a coup, played as well as can be."""
    return solve(coup)


def solve(coup: Coup) -> Plan:
    """The same, not remembered."""
    if not coup.later:
        return plan(
            coup.rules, [judged(coup.mine, _ALL, lying(coup.done), lying(()), coup.first_counts)] * coup.rules.most
        )
    if not coup.leads:
        return plan(coup.rules, [_before_others(coup, coup.rules.most)] * coup.rules.most)
    return plan(coup.rules, [_before_others(coup, limit) for limit in range(1, coup.rules.most + 1)])


def _before_others(coup: Coup, limit: int) -> Values:
    """What each last combination is worth where others still throw, up to so many times."""
    rules, done = coup.followers._replace(most=limit), lying(coup.done)
    if coup.later == 1:
        mine, others = _ALL[None, :], _ALL[:, None]
        answer = judged(coup.answers, others, done.joined(mine), lying(()), coup.first_counts)
        told = judged(coup.mine, mine, done, lying(()).joined(others), coup.first_counts)
        return plan(rules, [answer] * limit, [told] * limit).begin
    best, worst, chances = _best_and_worst(rules, coup.later)
    later = Lying(best, np.ones_like(best), worst, np.ones_like(worst))
    found: Values = judged(coup.mine, _ALL[:, None], done, later, coup.first_counts) @ chances
    return found


@lru_cache(maxsize=64)
def _best_and_worst(rules: Rules, players: int) -> tuple[Ranks, Ranks, Values]:
    """The best and the worst rank of several hands that each play for beating a single throw, and the chances."""
    dry = tables(rules.scale).after[PLACE[()]]
    beats = 1 - np.cumsum(dry) + dry / 2
    each = plan(rules, [np.repeat(beats[:, None], RANKS, 1)] * rules.most, [np.eye(RANKS)] * rules.most).begin
    below = np.concatenate([[0], np.cumsum(each)])
    # That all are among the ranks from i to j, for i and j from 0; none where j is less than i.
    within = np.maximum(below[None, 1:] - below[:, None], 0)[: RANKS + 1] ** players
    within = np.pad(within, ((0, 0), (1, 0)))
    exactly = within[:-1, 1:] - within[1:, 1:] - within[:-1, :-1] + within[1:, :-1]
    best, worst = np.nonzero(exactly > 1e-15)
    return best, worst, exactly[best, worst]
