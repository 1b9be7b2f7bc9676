"""The odds of Le 421: its combinations, up to three throws of one hand, and coups of one throw for each player."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from fractions import Fraction
from itertools import combinations as subsets
from itertools import combinations_with_replacement, pairwise
from typing import Any

from server.odds.chance import FACES, Figures, throws
from server.rules.combinations_421 import ACES, NENETTE, SEQUENCES, Combination, combinations
from server.rules.le_421 import DICE

Dice = tuple[int, ...]
Scale = Mapping[Dice, Combination]

KINDS = ("421", "brelan", "two_aces", "sequence", "simple", "nenette")
NUMBERS = ("one_throw", "two_throws", "three_throws")
WAYS = 6**DICE
PLAYERS = range(2, 7)
KEPT = [kept for number in range(DICE) for kept in combinations_with_replacement(FACES, number)]


def figures(options: Mapping[str, Any]) -> Figures:
    """The figures of throws, hands and coups; they depend on `version`, `order` and `nenette`."""
    scale = combinations(options["order"], options["nenette"], options["version"])
    found = {
        **_kinds(scale),
        **_best("p_421", scale, {four.dice: Fraction(four.name == "421") for four in scale.values()}),
        **_best("best_mean_fiches", scale, {hand.dice: Fraction(hand.worth) for hand in scale.values()}),
        **_best("best_p_beat_dry", scale, _beats_dry(scale)),
    }
    for players in PLAYERS:
        found |= _dry_coup(scale, players, int(options["version"]))
    return found


def _kinds(scale: Scale) -> Figures:
    every = Counter(scale.values())
    kinds = {kind: [hand for hand in every if kind in _kinds_of(hand)] for kind in KINDS}
    numbers = {f"combinations_{kind}": float(len(hands)) for kind, hands in kinds.items()}
    return {**numbers, **{f"out_of_216_{kind}": sum(every[hand] for hand in hands) for kind, hands in kinds.items()}}


def _kinds_of(hand: Combination) -> tuple[str, ...]:
    if hand.name == "421":
        return ("421",)
    if len(set(hand.dice)) == 1:
        return ("brelan",)
    if hand.name in ACES:
        return ("two_aces",)
    if hand.name in SEQUENCES:
        return ("sequence",)
    return ("simple", "nenette") if hand.name == NENETTE else ("simple",)


def _best(name: str, scale: Scale, worth: Mapping[Dice, Fraction]) -> Figures:
    """The highest means of what the combination that is left is worth, after at most one, two and three throws."""
    after_throw = worth
    means: list[Fraction] = []
    for _ in NUMBERS:
        mean = {kept: _mean(kept, scale, after_throw) for kept in KEPT}
        means.append(mean[()])
        after_throw = {dice: max(worth[dice], *(mean[kept] for kept in _parts(dice))) for dice in worth}
    return {f"{name}_in_{number}": mean for number, mean in zip(NUMBERS, means, strict=True)}


def _mean(kept: Dice, scale: Scale, worth: Mapping[Dice, Fraction]) -> Fraction:
    """The mean worth where these dice stay and the others are thrown."""
    thrown = throws(DICE - len(kept))
    total = sum((ways * worth[scale[(*kept, *dice)].dice] for dice, ways in thrown.items()), Fraction())
    return total / sum(thrown.values())


def _parts(dice: Dice) -> set[Dice]:
    """The none, one or two dice that may be kept of three."""
    return {part for number in range(DICE) for part in subsets(sorted(dice), number)}


def _beats_dry(scale: Scale) -> Mapping[Dice, Fraction]:
    """The chance that each combination beats another player's single throw, half of that where they rank the same."""
    as_low = _as_low(scale)
    return {hand.dice: Fraction(as_low[hand.rank] + as_low[hand.rank + 1], 2 * WAYS) for hand in scale.values()}


def _as_low(scale: Scale) -> list[int]:
    """In how many of the 216 ways a throw ranks as each combination or lower, the best first; at the end 0."""
    ways = Counter(hand.rank for hand in scale.values())
    as_low = [0]
    for rank in range(len(ways) - 1, -1, -1):
        as_low.insert(0, as_low[0] + ways[rank])
    return as_low


def _dry_coup(scale: Scale, players: int, pot: int) -> Figures:
    """The figures of coups in which each of the players throws three dice once."""
    worth = {hand.rank: hand.worth for hand in scale.values()}
    due: defaultdict[int, Fraction] = defaultdict(Fraction)
    one_best = one_worst = 0
    for rank, (low, lower) in enumerate(pairwise(_as_low(scale))):
        due[worth[rank]] += Fraction(low**players - lower**players, WAYS**players)
        one_best += players * (low - lower) * lower ** (players - 1)
        one_worst += players * (low - lower) * (WAYS - low) ** (players - 1)
    return {
        f"dry_mean_due_{players}_players": sum((fiches * chance for fiches, chance in due.items()), Fraction()),
        f"dry_p_tie_best_{players}_players": 1 - Fraction(one_best, WAYS**players),
        f"dry_p_tie_worst_{players}_players": 1 - Fraction(one_worst, WAYS**players),
        f"dry_charge_mean_coups_{players}_players": _mean_coups(due, pot),
    }


def _mean_coups(due: Mapping[int, Fraction], pot: int) -> Fraction:
    """The mean number of coups that empty the pot."""
    coups = [Fraction()]
    for left in range(1, pot + 1):
        further = (chance * coups[max(left - fiches, 0)] for fiches, chance in due.items())
        coups.append(sum(further, Fraction(1)))
    return coups[pot]
