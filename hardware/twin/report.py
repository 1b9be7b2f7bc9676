"""What series of throws say: memory of the face before, and what lies badly, each beside what chance gives."""

import math
from pathlib import Path
from typing import Any

import numpy as np

from hardware.twin.throws import load

_SHUFFLES = 400
_COLUMNS = (
    "changes",
    "throws",
    "same face again",
    "memory, bits",
    "by chance, at most",
    "throws with a leaning die",
    "with a die on another",
    "dice that touch",
    "throw, s",
    "rest, longest, s",
)


def table(files: list[Path]) -> str:
    """A Markdown table with a row for each series."""
    rows = ["| " + " | ".join(_COLUMNS) + " |", "|" + "---|" * len(_COLUMNS)]
    return "\n".join(rows + [_row(*load(file)) for file in files]) + "\n"


def _row(head: dict[str, Any], lines: list[dict[str, Any]]) -> str:
    before = np.array([line["before"] for line in lines]).ravel() - 1
    after = np.array([line["after"] for line in lines]).ravel() - 1
    same, spread = float((before == after).mean()), math.sqrt(5 / 36 / len(before))
    changes = ", ".join(f"{name} {value:g}" for name, value in head["changes"].items()) or "as shipped"
    count = len(lines)
    leaning, stacked = (sum(line[name] > 0 for line in lines) / count for name in ("leaning", "stacked"))
    touching = sum(line["touching"] for line in lines) / len(before)
    seconds = sorted(line["throw_s"] for line in lines)
    longest = max(line["rest_s"] for line in lines)
    return (
        f"| {changes} | {count} | {same:.3f} ± {spread:.3f} | {memory(before, after):.4f} "
        f"| {_chance(before, after):.4f} | {leaning:.1%} "
        f"| {stacked:.1%} | {touching:.0%} | {seconds[count // 2]:.1f} | {longest:.1f} |"
    )


def memory(before: np.ndarray, after: np.ndarray) -> float:
    """The mutual information of a die's faces before and after, in bits; 0 where it has forgotten all.

    Shannon 1948. Faces 0 to 5; opposite faces are as different as others, since a die may remember an axis too.
    """
    pairs = np.zeros((6, 6))
    np.add.at(pairs, (before, after), 1)
    share = pairs / pairs.sum()
    apart = share.sum(axis=1, keepdims=True) * share.sum(axis=0, keepdims=True)
    there = share > 0
    return float((share[there] * np.log2(share[there] / apart[there])).sum())


def _chance(before: np.ndarray, after: np.ndarray) -> float:
    """The 99th percent of the memory that shuffled pairs seem to have."""
    rng = np.random.default_rng(7)
    return float(np.quantile([memory(before, rng.permutation(after)) for _ in range(_SHUFFLES)], 0.99))
