"""The reading certificate: how often the reader errs, by face, by place and by kind of picture, and what that does."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from calibration.evidence import independence
from vision.evaluate import LabelledDie, matched
from vision.reading import Reading
from vision.shares import at_most

FACES = range(1, 7)
NONE = 0
"""Stands for no die: of a label that was not read, or of a die that is read where none is."""
ZONES = ("upper left", "upper right", "lower left", "lower right")


@dataclass(frozen=True, slots=True)
class Pair:
    """A die as it is and as it was read."""

    truth: int  # a face, or NONE
    read: int
    zone: int  # the quarter of the picture that it lies in
    kinds: tuple[str, ...]  # of the picture: source and tags, the style of the dice among them


@dataclass(slots=True)
class Certificate:
    """What the readings of pictures are worth whose dice are known."""

    table: Counter[tuple[int, int]] = field(default_factory=Counter)  # truth, read; of readings that were used
    zones: dict[int, Counter[tuple[int, int]]] = field(default_factory=lambda: defaultdict(Counter))
    kinds: dict[str, Counter[tuple[int, int]]] = field(default_factory=lambda: defaultdict(Counter))
    pictures: int = 0
    refused: int = 0

    def add(self, reading: Reading, pairs: Iterable[Pair]) -> None:
        """Take in a picture; a refused reading misreads nothing."""
        self.pictures += 1
        if not reading.ok:
            self.refused += 1
            return
        for pair in pairs:
            cell = pair.truth, pair.read
            self.table[cell] += 1
            self.zones[pair.zone][cell] += 1
            for kind in pair.kinds:
                self.kinds[kind][cell] += 1

    def as_json(self) -> dict[str, Any]:
        """Everything, as an object for programs; bounds are exact, one-sided, at 95 %."""
        bound = at_most(*_wrong(self.table)) if self.table else 1.0
        zones = independence([[_of(self.zones[zone], 1, face) for face in FACES] for zone in range(len(ZONES))])
        return {
            "pictures": self.pictures,
            "refused": self.refused,
            **_figures(self.table),
            "confusion": [[self.table[truth, read] for read in (*FACES, NONE)] for truth in (*FACES, NONE)],
            "by_face": {str(face): _figures(_only(self.table, face)) for face in FACES},
            "by_zone": {name: _figures(self.zones[zone]) for zone, name in enumerate(ZONES)},
            "by_kind": {kind: _figures(cells) for kind, cells in sorted(self.kinds.items())},
            "place": {"chi2": zones.chi2, "df": zones.df, "p": zones.p},
            "bias_pp": {str(face): self.bias_pp(face) for face in FACES},
            # If every misread die were read as one and the same face.
            "bias_at_most_pp": 100 * bound,
        }

    def bias_pp(self, face: int) -> float:
        """By how many points the misreads moved the share of a face."""
        dice = self.table.total()
        return 100 * (_of(self.table, 1, face) - _of(self.table, 0, face)) / dice if dice else 0.0


def paired(
    reading: Reading, dice: Sequence[LabelledDie], size_px: tuple[int, int], kinds: tuple[str, ...]
) -> list[Pair]:
    """Each labelled die with the one that was read in its place, and what is left over on either side."""
    found, left = matched(dice, reading)
    pairs = [Pair(die.face, (read and read.face) or NONE, _zone(die.centre, size_px), kinds) for die, read in found]
    return pairs + [Pair(NONE, die.face or NONE, _zone((die.x_px, die.y_px), size_px), kinds) for die in left]


def _zone(at: tuple[float, float], size_px: tuple[int, int]) -> int:
    return 2 * (at[1] >= size_px[1] / 2) + (at[0] >= size_px[0] / 2)


def _only(cells: Counter[tuple[int, int]], face: int) -> Counter[tuple[int, int]]:
    return Counter({cell: count for cell, count in cells.items() if cell[0] == face})


def _of(cells: Counter[tuple[int, int]], place: int, face: int) -> int:
    return sum(count for cell, count in cells.items() if cell[place] == face)


def _wrong(cells: Counter[tuple[int, int]]) -> tuple[int, int]:
    return sum(count for (truth, read), count in cells.items() if truth != read), cells.total()


def _figures(cells: Counter[tuple[int, int]]) -> dict[str, Any]:
    wrong, dice = _wrong(cells)
    return {"dice": dice, "wrong": wrong, "at_most": at_most(wrong, dice) if dice else 1.0}
