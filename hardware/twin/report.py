"""What series of throws say: memory of the face before, and what lies badly, each beside what chance gives."""

import math
from pathlib import Path
from typing import NamedTuple

import numpy as np

from hardware.twin.throws import load

_SHUFFLES = 400
_COLUMNS = (
    "changes",
    "throws",
    "pairs",
    "same face again",
    "memory, bits",
    "by chance, at most",
    "throws with a leaning die",
    "dice that lean at the wall",
    "throws with a die on another",
    "dice that touch",
    "throw, s",
    "rest, longest, s",
)

Share = tuple[float, float, float]
"""A share, and the ends of its interval of 95 %."""


class Series(NamedTuple):
    """What was measured in one series."""

    changes: dict[str, float]
    throws: int
    pairs: int
    same: float
    memory_bits: float
    chance_bits: float  # the 99th percent of what shuffled pairs seem to have
    leaning: Share
    at_wall: int
    stacked: Share
    bad: Share
    touching: Share
    throw_s: float  # in the middle
    rest_s: float  # longest


def measured(file: Path) -> Series:
    """What a series says; ValueError where nothing has been thrown yet."""
    head, lines = load(file)
    if not lines:
        raise ValueError(f"{file} has no throws yet: throw some first.")
    before = np.array([line["before"] for line in lines]).ravel() - 1
    after = np.array([line["after"] for line in lines]).ravel() - 1
    count = len(lines)
    return Series(
        head["changes"],
        count,
        len(before),
        float((before == after).mean()),
        memory(before, after),
        _chance(before, after),
        _share(sum(line["leaning"] > 0 for line in lines), count),
        sum(line["at_wall"] for line in lines),
        _share(sum(line["stacked"] > 0 for line in lines), count),
        _share(sum(line["leaning"] + line["stacked"] > 0 for line in lines), count),
        # Dice of one throw touch together, so that a throw counts once.
        _share(sum(line["touching"] for line in lines) / len(before) * count, count),
        float(np.median([line["throw_s"] for line in lines])),
        max(line["rest_s"] for line in lines),
    )


def table(files: list[Path]) -> str:
    """A Markdown table with a row for each series."""
    rows = ["| " + " | ".join(_COLUMNS) + " |", "|" + "---|" * len(_COLUMNS)]
    return "\n".join(rows + [_row(measured(file)) for file in files]) + "\n"


def _row(one: Series) -> str:
    changes = ", ".join(f"{name} {value:g}" for name, value in one.changes.items()) or "as shipped"
    spread = math.sqrt(5 / 36 / one.pairs)
    return (
        f"| {changes} | {one.throws} | {one.pairs} | {one.same:.3f} ± {spread:.3f} "
        f"| {one.memory_bits:.4f} | {one.chance_bits:.4f} | {_said(one.leaning)} | {one.at_wall} "
        f"| {_said(one.stacked)} | {one.touching[0]:.0%} | {one.throw_s:.1f} | {one.rest_s:.1f} |"
    )


def _said(share: Share) -> str:
    value, low, high = share
    return f"{value:.1%} ({low:.1%} to {high:.1%})"


def _share(found: float, count: int) -> Share:
    """A share with its interval of 95 % (Wilson 1927), which is never empty, also where nothing was found."""
    z = 1.96
    share, spread = found / count, z * z / count
    middle = (share + spread / 2) / (1 + spread)
    half = z / (1 + spread) * math.sqrt(share * (1 - share) / count + spread / (4 * count))
    return share, max(0.0, middle - half), min(1.0, middle + half)


def memory(before: np.ndarray, after: np.ndarray) -> float:
    """What a die's face before tells of the one after, in bits: their mutual information (Shannon 1948).

    Faces 0 to 5, so that opposite ones add up to 5. The twin's die is the same on all sides, so that only how the two
    faces stand to each other can be remembered: the same, opposite, or one of the four beside. Told by all 36 pairs of
    faces the same memory is drowned by chance until there are twice as many throws.
    """
    same, opposite = float((before == after).mean()), float((before + after == 5).mean())
    shares = ((same, 1), (opposite, 1), (1 - same - opposite, 4))
    return sum(share * math.log2(6 * share / faces) for share, faces in shares if share > 0)


def _chance(before: np.ndarray, after: np.ndarray) -> float:
    """The 99th percent of the memory that shuffled pairs seem to have."""
    rng = np.random.default_rng(7)
    return float(np.quantile([memory(before, rng.permutation(after)) for _ in range(_SHUFFLES)], 0.99))
