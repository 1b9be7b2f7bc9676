"""The odds of Le Quatorze: what the first throw leaves to do, and how often the four later ones do it."""

from collections import defaultdict
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from server.odds.chance import FACES, Figures, hits, throws
from server.rules.quatorze import AIM, DICE, ODDS, THROWS

LEAST_CREDIT = 3


def figures(options: Mapping[str, Any]) -> Figures:
    """The figures of a turn; they depend on `fourteen` alone."""
    highest, tie = _first_throw()
    later = hits(DICE * (THROWS - 1))
    fourteen = Fraction()
    for count, chance in highest.items():
        missing = AIM - max(count, LEAST_CREDIT)
        fourteen += chance * (later[missing] if options["fourteen"] == "exactly" else sum(later[missing:]))
    win = fourteen + later[0]  # never both: the first throw alone is at most ten
    return {
        **{f"p_highest_{count}": chance for count, chance in sorted(highest.items())},
        "p_choice_none_three": highest[LEAST_CREDIT - 1],
        "p_choice_tie": tie,
        "p_coup_blanc": later[0],
        "p_fourteen": fourteen,
        "p_win": win,
        "expectation_stake_returned": ODDS * win - (1 - win),
        "expectation_stake_kept": ODDS * win - 1,
    }


def _first_throw() -> tuple[Mapping[int, Fraction], Fraction]:
    """The chances of how often the most frequent face comes, and that faces share three times or more."""
    highest: defaultdict[int, Fraction] = defaultdict(Fraction)
    tie = Fraction()
    for faces, ways in throws(DICE).items():
        counts = [faces.count(face) for face in FACES]
        most = max(counts)
        chance = Fraction(ways, 6**DICE)
        highest[most] += chance
        if most >= LEAST_CREDIT and counts.count(most) > 1:
            tie += chance
    return highest, tie
