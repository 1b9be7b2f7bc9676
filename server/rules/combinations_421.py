"""The 56 combinations of three dice at 421: how they rank, and how many fiches each is worth."""

from collections.abc import Mapping
from functools import cache
from itertools import product
from typing import NamedTuple

ACES = ("611", "511", "411", "311", "211")
BRELANS = ("666", "555", "444", "333", "222")
SEQUENCES = ("654", "543", "432", "321")
NENETTE = "221"

_TOP = {
    "aces_first": (*ACES, *BRELANS),
    "triples_first": (*BRELANS, *ACES),
    "mixed": tuple(text for pair in zip(ACES, BRELANS, strict=True) for text in pair),
}


class Combination(NamedTuple):
    """What three dice show: its name and its dice highest face first, its rank from 0 (the best), its fiches."""

    name: str
    dice: tuple[int, ...]
    rank: int
    worth: int


@cache
def combinations(order: str, nenette: str, version: str) -> Mapping[tuple[int, ...], Combination]:
    """The combination of any three faces in any order, under the options of these names."""
    ranks = {name: rank for rank, name in enumerate(ranking(order, nenette))}
    table = {}
    for faces in product(range(1, 7), repeat=3):
        dice = tuple(sorted(faces, reverse=True))
        name = "".join(map(str, dice))
        table[faces] = Combination(name, dice, ranks[name], _worth(name, nenette, version))
    return table


def ranking(order: str, nenette: str) -> list[str]:
    """All 56 combinations, the best first."""
    every = {"".join(map(str, sorted(faces, reverse=True))) for faces in product(range(1, 7), repeat=3)}
    top = ["421", "111", *_TOP[order], *SEQUENCES]
    simple = sorted(every.difference(top, [NENETTE]), reverse=True)
    return [*top, NENETTE, *simple] if nenette == "above_simple" else [*top, *simple, NENETTE]


def _worth(name: str, nenette: str, version: str) -> int:
    if name == "421":
        return 8 if version == "11" else 10
    if name == "111":
        return 7
    if name in ACES or name in BRELANS:
        return int(name[0])
    if name in SEQUENCES:
        return 2
    return 4 if name == NENETTE and nenette == "above_simple" else 1
