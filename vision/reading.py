"""What the reader makes of one picture: dice, and a verdict that says whether they may be used."""

from dataclasses import dataclass
from enum import Enum
from typing import Any


class Verdict(Enum):
    """Why a reading may or may not be used; in the order of precedence, where several hold the first counts."""

    NOT_SETTLED = "not-settled"  # something still moves
    OBSTRUCTED = "obstructed"  # a hand or a cloth hides the dice
    BAD_LIGHT = "bad-light"  # too dark, too bright or too uneven to read by
    MOVED = "moved"  # the camera or the cone is not where calibration left it
    STACKED = "stacked"  # a die lies on another
    COCKED = "cocked"  # a die leans; its top face is not decided
    FOREIGN_OBJECT = "foreign-object"  # something that is no die lies among the dice
    WRONG_COUNT = "wrong-count"  # more or fewer dice than there must be
    UNSURE = "unsure"  # a face cannot be read for certain
    OK = "ok"  # every die lies flat and shows one face


Box = tuple[int, int, int, int]
"""x, y, width, height in pixels."""


@dataclass(frozen=True, slots=True)
class Die:
    """One die as the camera saw it; pixels are those of the picture as it was given."""

    face: int | None  # 1 to 6, upwards; None only in a refused reading, where nothing could be guessed
    x_px: float  # centre of the top face
    y_px: float
    box: Box  # of the top face
    margin: float  # 0 to 1: how far the second-best face was behind
    x_mm: float | None = None  # from the floor's centre; None without a calibration
    y_mm: float | None = None
    turn_deg: float | None = None  # -45 to 45, of the top face's edges against the picture's
    colour: str | None = None  # name of the enrolled die; None where none is enrolled
    others: tuple[int, ...] = ()  # the other faces, likeliest first; empty where nothing says so


@dataclass(frozen=True, slots=True)
class Dispute:
    """A die that the ways of reading name differently, each by its own face; None stands for none of the six."""

    x_px: float  # centre of the top face
    y_px: float
    colours: int | None  # the network that looks at colours
    edges: int | None  # the network that looks at edges
    pips: int  # the pattern that the pips are most like


@dataclass(frozen=True, slots=True)
class Reading:
    """A verdict on one picture and the dice in it: the reading, or with a refused verdict the best guess."""

    verdict: Verdict
    message: str  # one sentence for people
    expected: int | None  # how many dice there had to be; None: any number
    dice: tuple[Die, ...]
    disputes: tuple[Dispute, ...] = ()  # of an unsure reading
    amiss: tuple[int, ...] = ()  # which of the dice are why it is refused, as far as that is about single ones
    warning: str = ""  # of a good reading: what to do soon, as a sentence; empty if nothing

    @property
    def ok(self) -> bool:
        """Whether the faces may be used."""
        return self.verdict is Verdict.OK


def as_json(reading: Reading) -> dict[str, Any]:
    """What a program is told of a reading: pixels of the picture as it was given, and mm, rounded to a hundredth.

    Only a reading that has dice amiss, disputes, or a warning, names them.
    """
    told: dict[str, Any] = {
        "verdict": reading.verdict.value,
        "message": reading.message,
        "expected": reading.expected,
        "dice": [
            {
                "face": die.face,
                "center": [round(die.x_px, 2), round(die.y_px, 2)],
                "box": list(die.box),
                "margin": round(die.margin, 4),
                **_on_floor(die),
            }
            for die in reading.dice
        ],
    }
    if reading.amiss:
        told["amiss"] = list(reading.amiss)
    if reading.disputes:
        told["disputes"] = [_disputed(dispute) for dispute in reading.disputes]
    if reading.warning:
        told["warning"] = reading.warning
    return told


def _disputed(dispute: Dispute) -> dict[str, Any]:
    return {
        "center": [round(dispute.x_px, 2), round(dispute.y_px, 2)],
        "colours": dispute.colours,
        "edges": dispute.edges,
        "pips": dispute.pips,
    }


def _on_floor(die: Die) -> dict[str, Any]:
    """What only a calibration makes known of a die."""
    if die.x_mm is None or die.y_mm is None:
        return {}
    known: dict[str, Any] = {"mm": [round(die.x_mm, 2), round(die.y_mm, 2)]}
    if die.turn_deg is not None:
        known["turn_deg"] = round(die.turn_deg, 1)
    return known | ({} if die.colour is None else {"colour": die.colour})
