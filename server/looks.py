"""Looks at the dice: which verdict holds for a throw, which dice count, whether any moved. Faces decide none of it."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from firmware.dimensions import size
from vision.reading import Reading, Verdict

_COUNTED = "there must be"  # in what the reader says of a wrong count, and not of a die that is partly outside
_UNMOVED_SIDES = 0.125  # 2 mm of a die of 16 mm
_MARK_MM = size("floor_diameter_mm") / 2 / math.sqrt(2)  # to the left of the floor's centre, and below it

LOOKS = ("throw", "trial", "refused")
"""The events that tell of a look at the dice."""
Look = dict[str, Any]
"""What the log has of one look at the dice: verdict, dice, picture, and in a throw which dice counted."""


def row(faces: Iterable[object]) -> str:
    """Faces as a sentence names them."""
    return " ".join(map(str, faces))


def judged(reading: Reading, needs: int) -> Reading:
    """The reading as far as this throw goes: fewer dice than it needs are a wrong count.

    Where exactly so many must be there, as in a cornet that people load by hand, more are one too.
    """
    wrong = reading.verdict is Verdict.WRONG_COUNT and reading.expected == needs and _COUNTED in reading.message
    if wrong or (reading.ok and len(reading.dice) < needs):
        message = f"I see {len(reading.dice)} dice, this throw needs {needs}."
        return replace(reading, verdict=Verdict.WRONG_COUNT, message=message)
    return reading


def counting(dice: Sequence[Mapping[str, Any]], look: Mapping[str, Any]) -> list[int]:
    """The places of the dice that count: those that the press `named`, in that order, else the nearest.

    The nearest too where a person says that one of the named dice is not there.
    """
    places = {die.get("colour"): place for place, die in enumerate(dice)}
    named = look.get("named")
    if named and all(name in places for name in named):
        return [places[name] for name in named]
    return nearest(dice, look["needs"], look["size"])


def unkept(
    names: Sequence[str], needs: int, kept: Sequence[int], throws: Iterable[Sequence[tuple[str | None, int]]]
) -> list[str]:
    """The names of the dice that the next throw counts: a kept die is not counted again, the order is that of `names`.

    `kept` are the faces of the hand's dice that are not thrown again, `throws` what counted in the game's throws, the
    latest first, by name and face. Where nothing is kept, or what is kept has no names, the first dice count.
    """
    hand: dict[str | None, int] = {}
    if kept:
        for thrown in throws:
            for name, face in thrown:
                hand.setdefault(name, face)
            if len(hand) >= needs + len(kept):
                break
    for face in kept:
        # Of dice with one face those stay that have lain there for longest.
        name = next((name for name in reversed(hand) if hand[name] == face), None)
        hand.pop(name, None)
    left = [name for name in names if name in hand]
    return left if len(left) == len(hand) == needs else list(names[:needs])


def nearest(dice: Sequence[Mapping[str, Any]], needs: int, size: Sequence[int] | None) -> list[int]:
    """The dice that count: those nearest to the mark on the rim, ties by angle; their places in the reading, in order.

    The mark is at the rim's lower left; without millimetres it is the picture's lower left corner, in pixels. The
    faces are not looked at.
    """
    height_px = size[1] if size else 0

    def apart(index: int) -> tuple[float, float]:
        die = dice[index]
        if "mm" in die:
            right, up = die["mm"][0] + _MARK_MM, die["mm"][1] + _MARK_MM
        else:
            right, up = die["center"][0], height_px - die["center"][1]
        return math.hypot(right, up), math.atan2(up, right)

    return sorted(range(len(dice)), key=apart)[:needs]


def unmoved(look: Look, before: Look | None) -> bool:
    """Whether every die lies where it lay at the look before, with the same face."""
    if before is None or not look["dice"] or before["size"] != (list(look["size"]) if look["size"] else None):
        return False
    return len(before["dice"]) == len(look["dice"]) and all(
        any(_same_place(die, other) for other in before["dice"]) for die in look["dice"]
    )


def _same_place(die: Mapping[str, Any], before: Mapping[str, Any]) -> bool:
    limit_px = _UNMOVED_SIDES * max(die["box"][2:])
    return bool(die["face"] == before["face"]) and math.dist(die["center"], before["center"]) <= limit_px
