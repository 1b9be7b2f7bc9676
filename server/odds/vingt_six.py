"""The odds of Le Vingt-Six: how often a face comes among 130 dice, and what that does to the bank."""

from collections import defaultdict
from collections.abc import Mapping
from fractions import Fraction
from math import sqrt
from typing import Any

from server.odds.chance import Figures, hits
from server.rules.vingt_six import DICE, ODDS, THROWS

LINES = {
    "p_10_or_less": range(11),
    "p_13": range(13, 14),
    "p_26": range(26, 27),
    "p_27": range(27, 28),
    "p_28": range(28, 29),
    "p_29": range(29, 30),
    "p_30_or_more": range(30, DICE * THROWS + 1),
}
THROWERS = 3


def figures(options: Mapping[str, Any]) -> Figures:
    """The figures of a turn, and of a bank with three throwers against it."""
    chances = hits(DICE * THROWS)
    mean = sum(total * chance for total, chance in enumerate(chances))
    square = sum(total**2 * chance for total, chance in enumerate(chances))
    early, at_the_end = _bank_emptied(options)
    return {
        "mean_hits": mean,
        "sd_hits": sqrt(square - mean**2),
        "most_likely_hits": chances.index(max(chances)),
        **{name: sum((chances[total] for total in line), Fraction()) for name, line in LINES.items()},
        **_gains(),
        "p_bank_broken_early": early,
        "p_bank_empty_at_the_end": at_the_end,
    }


def _outcomes() -> Mapping[int, Fraction]:
    """The chances of the odds that a turn is paid at, 0 where it is lost."""
    outcomes: defaultdict[int, Fraction] = defaultdict(Fraction)
    for total, chance in enumerate(hits(DICE * THROWS)):
        outcomes[ODDS.get(total, 0)] += chance
    return outcomes


def _gains() -> Figures:
    outcomes = _outcomes()
    lose = outcomes[0]
    gain = sum((odds * chance for odds, chance in outcomes.items()), Fraction())
    square = sum((odds**2 * chance for odds, chance in outcomes.items()), lose)
    return {
        "p_win": 1 - lose,
        "p_lose": lose,
        "mean_gain": gain,
        "expectation_stake_returned": gain - lose,
        "expectation_stake_kept": gain - 1,
        "sd_stake_returned": sqrt(square - (gain - lose) ** 2),
    }


def _bank_emptied(options: Mapping[str, Any]) -> tuple[Fraction, Fraction]:
    """The chances that the bank is emptied before the last of the throwers, and by the last."""
    stake = options["bet"]
    lies_in_bank = 0 if options["stake_returned"] else stake
    outcomes = _outcomes()
    banks = {options["bank_chips"]: Fraction(1)}
    emptied = []
    for _ in range(THROWERS):
        after: defaultdict[int, Fraction] = defaultdict(Fraction)
        for chips, so_far in banks.items():
            for odds, chance in outcomes.items():
                left = max(chips + lies_in_bank - stake * odds, 0) if odds else chips + stake
                after[left] += so_far * chance
        emptied.append(after.pop(0, Fraction()))
        banks = after
    return sum(emptied[:-1], Fraction()), emptied[-1]
