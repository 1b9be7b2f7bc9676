"""The odds of Le 25: the sum that is built, the attack that follows, and the best that choices can make of both."""

from collections import defaultdict
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import cache
from math import comb
from typing import Any

from server.odds.chance import FACES, Figures, hits
from server.rules.vingt_cinq import AIM, DICE

SUMS = range(DICE, 6 * DICE + 1)


def figures(options: Mapping[str, Any]) -> Figures:
    """The figures of a turn; they depend on no option."""
    attack = _attack()
    kept = sum((number * chance for number, chance in enumerate(attack)), Fraction())
    return {
        **_policy("keep_one", _sums(keep_all=False), kept),
        **_policy("keep_all", _sums(keep_all=True), kept),
        "best_mean_sum": _best(Fraction),
        "best_mean_own_loss": -_best(lambda total: -_own_loss(total)),
        "best_mean_net": _best(lambda total: _damage(total, kept) - _own_loss(total)),
        "best_p_25_or_more": _best(lambda total: Fraction(total >= AIM)),
        "best_p_above_25": _best(lambda total: Fraction(total > AIM)),
        "attack_mean_dice_kept": kept,
        **{f"attack_p_kept_{number}": chance for number, chance in enumerate(attack)},
        # All five kept, and the attack begins anew: the mean is kept + (chance of that) * the mean.
        "attack_again_mean_dice_kept": kept / (1 - attack[DICE]),
    }


def _own_loss(total: int) -> Fraction:
    return Fraction(max(AIM - total, 0))


def _damage(total: int, kept: Fraction) -> Fraction:
    return max(total - AIM, 0) * kept


def _policy(name: str, sums: Mapping[int, Fraction], kept: Fraction) -> Figures:
    def mean(figure: Callable[[int], Fraction]) -> Fraction:
        return sum((figure(total) * chance for total, chance in sums.items()), Fraction())

    return {
        f"{name}_mean_sum": mean(Fraction),
        f"{name}_p_below_25": mean(lambda total: Fraction(total < AIM)),
        f"{name}_p_25": mean(lambda total: Fraction(total == AIM)),
        f"{name}_p_above_25": mean(lambda total: Fraction(total > AIM)),
        **{f"{name}_p_sum_{total}": sums.get(total, Fraction()) for total in SUMS},
        f"{name}_mean_own_loss": mean(_own_loss),
        f"{name}_mean_damage": mean(lambda total: _damage(total, kept)),
        f"{name}_mean_net": mean(lambda total: _damage(total, kept) - _own_loss(total)),
    }


@cache
def _highest(dice: int) -> list[tuple[int, int, Fraction]]:
    """The highest face of a throw and how many dice show it, with the chance of that."""
    return [
        (face, count, Fraction(comb(dice, count) * (face - 1) ** (dice - count), 6**dice))
        for face in FACES
        for count in range(1, dice + 1)
    ]


def _sums(*, keep_all: bool) -> Mapping[int, Fraction]:
    """The chances of the sums of five dice where all, or always one, of the highest are set aside."""
    built: list[defaultdict[int, Fraction]] = [defaultdict(Fraction) for _ in range(DICE + 1)]
    built[DICE][0] = Fraction(1)
    for left in range(DICE, 0, -1):
        for total, so_far in built[left].items():
            for face, count, chance in _highest(left):
                kept = count if keep_all else 1
                built[left - kept][total + kept * face] += so_far * chance
    return built[0]


def _best(aim: Callable[[int], Fraction]) -> Fraction:
    """The highest mean of what the sum is worth that any choices can reach."""

    @cache
    def expect(left: int, total: int) -> Fraction:
        if not left:
            return aim(total)
        mean = Fraction()
        for face, count, chance in _highest(left):
            mean += chance * max(expect(left - kept, total + kept * face) for kept in range(1, count + 1))
        return mean

    return expect(DICE, 0)


def _attack() -> list[Fraction]:
    """The chances of 0 to 5 dice set aside in one attack."""
    ends = [Fraction() for _ in range(DICE + 1)]
    chances = {DICE: Fraction(1)}
    for left in range(DICE, 0, -1):
        none, *some = hits(left)
        so_far = chances.get(left, Fraction())
        ends[DICE - left] += so_far * none
        for count, chance in enumerate(some, start=1):
            chances[left - count] = chances.get(left - count, Fraction()) + so_far * chance
    ends[DICE] = chances[0]
    return ends
