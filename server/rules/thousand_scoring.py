"""What dice of one throw are worth in Thousand; dice are tuples of faces, sorted upwards."""

from functools import cache
from itertools import combinations

STRAIGHTS = {(1, 2, 3, 4, 5): 125, (2, 3, 4, 5, 6): 250}
SINGLES = {1: 10, 5: 5}


# The cached answers are few: 461 different sets of one to five dice, under four house rules.
@cache
def value(dice: tuple[int, ...], straights: bool, four_of_a_kind: str) -> int:
    """The points of a set of up to five dice; 0 if a die in it is worth nothing."""
    if straights and dice in STRAIGHTS:
        return STRAIGHTS[dice]
    points = 0
    for face in set(dice):
        worth = _equal(face, dice.count(face), four_of_a_kind)
        if not worth:
            return 0
        points += worth
    return points


@cache
def scoring(thrown: tuple[int, ...], straights: bool, four_of_a_kind: str) -> tuple[tuple[int, ...], int]:
    """The dice of a throw that score and their points; none and 0 where the throw is empty."""
    dice = thrown
    if not value(thrown, straights, four_of_a_kind):
        dice = tuple(die for die in thrown if die in SINGLES or thrown.count(die) >= 3)
    return dice, value(dice, straights, four_of_a_kind)


@cache
def valid_parts(thrown: tuple[int, ...], straights: bool, four_of_a_kind: str) -> tuple[tuple[int, ...], ...]:
    """All the choices of dice of a throw that count by themselves, those of many dice first."""
    return tuple(
        part
        for size in range(len(thrown), 0, -1)
        for part in sorted(set(combinations(thrown, size)))
        if value(part, straights, four_of_a_kind)
    )


def _equal(face: int, count: int, four_of_a_kind: str) -> int:
    if count < 3:
        return SINGLES.get(face, 0) * count
    three = 100 if face == 1 else 10 * face
    if count == 3:
        return three
    if count == 5:
        return 10 * three
    return 2 * three if four_of_a_kind == "double" else three + 10
