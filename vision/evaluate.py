"""How good the reader is: its readings against labelled pictures."""

import json
import math
import statistics
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any, TypeVar

from rich.table import Table
from rich.text import Text

from vision.files import read_file
from vision.picture import Image, load
from vision.reading import Die, Reading, Verdict
from vision.shares import CONFIDENCE, bounds

Read = Callable[[Image, int | None], Reading]
T = TypeVar("T")
_FAR_PX = 1e9  # no picture is as large


class BadLabels(ValueError):
    """A file of labels that cannot be used; the message says why."""


class Score(Enum):
    """What one reading was worth."""

    EXACT = "exact"  # verdict ok, and so it is; every labelled die found with its face, and no other
    SILENT = "silent"  # verdict ok, but not exact
    REFUSED = "refused"  # any other verdict


@dataclass(frozen=True, slots=True)
class LabelledDie:
    """A die as a person saw it."""

    face: int
    box: tuple[float, float, float, float]  # x, y, width, height in pixels

    @property
    def centre(self) -> tuple[float, float]:
        """The middle of its box."""
        x, y, width, height = self.box
        return x + width / 2, y + height / 2


@dataclass(frozen=True, slots=True)
class Label:
    """A picture and the dice in it."""

    path: Path
    dice: tuple[LabelledDie, ...]
    tags: tuple[str, ...] = ()
    source: str = ""  # where the picture comes from
    verdict: Verdict = Verdict.OK  # the true one: any other, and the picture must be refused
    hidden: int = 0  # dice that there must be besides these, of which nothing is to be seen

    @property
    def count(self) -> int:
        """How many dice there must be."""
        return len(self.dice) + self.hidden

    @property
    def readable(self) -> bool:
        """Whether the dice can be told."""
        return self.verdict is Verdict.OK

    @property
    def group(self) -> str:
        """The scene: the part of the file's name before the first underscore."""
        return self.path.stem.split("_")[0]


@dataclass(frozen=True, slots=True)
class Scored:
    """One picture, read once knowing how many dice there are and once not."""

    label: Label
    known: Reading
    unknown: Reading
    ms: float  # of the reading that did not know the count

    @property
    def scores(self) -> tuple[Score, Score]:
        """With the known count, and without."""
        dice, truth = self.label.dice, self.label.verdict
        return score(self.known, dice, truth), score(self.unknown, dice, truth)

    @property
    def right_reasons(self) -> tuple[bool, bool]:
        """Whether what cannot be read was refused for the reason that is true: with the known count, and without."""
        truth, readable = self.label.verdict, self.label.readable
        return not readable and self.known.verdict is truth, not readable and self.unknown.verdict is truth


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Everything that was read, in the order of the labels."""

    pictures: tuple[Scored, ...]

    def groups(self) -> dict[str, list[Scored]]:
        """The pictures by scene, true verdict, tag and source, each under a heading of its own; all of them first.

        Verdicts only where a picture is labelled with another than ok.
        """
        found: dict[str, list[Scored]] = {"all": list(self.pictures)}
        all_readable = all(one.label.readable for one in self.pictures)
        for kind, names in (
            ("group", lambda label: (label.group,)),
            ("verdict", lambda label: () if all_readable else (label.verdict.value,)),
            ("tag", lambda label: label.tags),
            ("source", lambda label: (label.source,) if label.source else ()),
        ):
            parts: dict[str, list[Scored]] = {}
            for scored in self.pictures:
                for name in dict.fromkeys(names(scored.label)):
                    parts.setdefault(f"{kind} {name}", []).append(scored)
            found |= dict(sorted(parts.items()))
        return found


def load_labels(path: Path) -> list[Label]:
    """The pictures that a labels.json names, beside it; BadLabels if it is none."""
    try:
        found = json.loads(read_file(path))
    except OSError as error:
        raise BadLabels(f"{path} cannot be opened ({error.strerror}): name a file of labels.") from None
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise BadLabels(f"{path} is no file of labels ({error}): name one in JSON.") from None
    except (ValueError, RecursionError):
        raise BadLabels(f"{path} is no file of labels: a number in it is too long, or it is too deep.") from None
    images = found.get("images") if isinstance(found, dict) else None
    if not isinstance(images, list):
        raise BadLabels(f'{path} is no file of labels: it is an object whose "images" are a list of pictures.')
    labels = []
    for number, entry in enumerate(images):
        try:
            labels.append(_label(path.parent, entry))
        except (TypeError, ValueError) as error:
            raise BadLabels(
                f'{path} is no file of labels: entry {number} of "images", counted from 0, has not what it needs, '
                f'a "file" and "dice", each with a "face" from 1 to 6 and a "box" of four numbers ({error}).'
            ) from None
    if missing := next((label.path for label in labels if not label.path.exists()), None):
        raise BadLabels(f"{missing} cannot be opened (No such file or directory): put it there, or take its entry out.")
    return labels


def _label(folder: Path, entry: object) -> Label:
    if not isinstance(entry, dict):
        raise TypeError(f"it is {_said(entry)}")
    file = _of(entry, "file", str, None)
    dice = tuple(_labelled_die(die) for die in _of(entry, "dice", list, None))
    tags = tuple(_of(entry, "tags", list, []))
    if not all(type(tag) is str for tag in tags):
        raise ValueError(f'"tags" are {_said(tags)}')
    source = _of(entry, "source", str, "").split(":")[0]
    verdict = _of(entry, "verdict", str, Verdict.OK.value)
    if verdict not in [each.value for each in Verdict]:
        raise ValueError(f'"verdict" is {_said(verdict)}')
    hidden = _of(entry, "count", int, len(dice)) - len(dice)
    if hidden < 0 or (hidden and verdict == Verdict.OK.value):
        raise ValueError(f'"count" is {hidden + len(dice)}, but "dice" are {len(dice)}')
    return Label(folder / file, dice, tags, source, Verdict(verdict), hidden)


def _labelled_die(die: object) -> LabelledDie:
    if not isinstance(die, dict):
        raise TypeError(f"a die is {_said(die)}")
    face = _of(die, "face", int, None)
    if face not in range(1, 7):
        raise ValueError(f"a face is {face}")
    box = _of(die, "box", list, None)
    if len(box) != 4 or not all(type(value) in (int, float) and abs(value) < _FAR_PX for value in box):
        raise ValueError(f"a box is {_said(box)}")
    x, y, width, height = map(float, box)
    if width <= 0 or height <= 0:
        raise ValueError(f"a box is {_said(box)}")
    return LabelledDie(face, (x, y, width, height))


def _of(entry: dict[str, Any], key: str, kind: type[T], usual: T | None) -> T:
    """What stands there, which must be just of this kind; without a usual value it must be there."""
    value = entry.get(key, usual)
    if type(value) is not kind:
        raise ValueError(f'"{key}" is {_said(value)}' if key in entry else f'"{key}" is missing')
    return value


def _said(value: object) -> str:
    text = json.dumps(value)
    return text if len(text) <= 60 else text[:57] + "..."


def judge(label: Label, read: Read) -> Scored:
    """Read a picture twice; BrokenPicture where it cannot be opened."""
    image = load(label.path)
    begun = time.perf_counter()
    unknown = read(image, None)
    ms = (time.perf_counter() - begun) * 1000
    return Scored(label, read(image, label.count), unknown, ms)


def score(reading: Reading, dice: Sequence[LabelledDie], truth: Verdict = Verdict.OK) -> Score:
    """What the reading is worth against the labelled dice and the true verdict.

    Where that is not ok an answer is silent, whatever it says: nobody can know those faces.
    """
    if not reading.ok:
        return Score.REFUSED
    if truth is not Verdict.OK:
        return Score.SILENT
    pairs, left = matched(dice, reading)
    right = not left and all(found is not None and found.face == die.face for die, found in pairs)
    return Score.EXACT if right else Score.SILENT


def matched(dice: Sequence[LabelledDie], reading: Reading) -> tuple[list[tuple[LabelledDie, Die | None]], list[Die]]:
    """Each labelled die with the die that was read in its place, none where it was not; and the dice left over.

    That is the one nearest to the centre of the label's box, of those whose own centres are in the box.
    """
    pairs: list[tuple[LabelledDie, Die | None]] = []
    left = list(reading.dice)
    for die in dice:
        x, y, width, height = die.box
        near = [other for other in left if x <= other.x_px <= x + width and y <= other.y_px <= y + height]
        found = min(near, key=lambda other: math.dist((other.x_px, other.y_px), die.centre), default=None)
        if found is not None:
            left.remove(found)
        pairs.append((die, found))
    return pairs, left


def as_json(evaluation: Evaluation) -> dict[str, Any]:
    """Counts, shares with their bounds and times, for all pictures and for each group, verdict, tag and source.

    The bounds of `exact` are of the share of the readable pictures, those of `right_reason` of the share of the
    others, those of `silent` and `refused` of the share of all.
    """
    parts = {heading: _figures(pictures) for heading, pictures in evaluation.groups().items()}
    return {"confidence": CONFIDENCE, **parts.pop("all"), "parts": parts}


def _figures(pictures: Sequence[Scored]) -> dict[str, Any]:
    readable = sum(one.label.readable for one in pictures)
    figures: dict[str, Any] = {
        "pictures": len(pictures),
        "readable": readable,
        "dice": sum(len(one.label.dice) for one in pictures),
    }
    for place, count in enumerate(("known", "unknown")):
        counted = Counter(one.scores[place] for one in pictures)
        right = sum(one.right_reasons[place] for one in pictures)
        figures[count] = {
            "exact": _share(counted[Score.EXACT], readable),
            "silent": _share(counted[Score.SILENT], len(pictures)),
            "refused": _share(counted[Score.REFUSED], len(pictures)),
            "right_reason": _share(right, len(pictures) - readable),
        }
    times = [one.ms for one in pictures]
    if times:
        figures["ms"] = {"median": round(statistics.median(times), 3), "most": round(max(times), 3)}
    return figures


def _share(count: int, of: int) -> dict[str, float]:
    """So many of so many, and between what their share is."""
    low, high = bounds(count, of) if of else (0.0, 1.0)
    return {"count": count, "low": round(low, 6), "high": round(high, 6)}


def table(evaluation: Evaluation, cell: Callable[[str], Text] = Text) -> Table:
    """The same for people; the bounds only of the silent share, which must be small; `cell` shows a heading."""
    drawn = Table("", "pictures", "dice", title="exact / silent / refused")
    shares = ("silent\nat most", "right\nreason")
    for heading in ("count known", *shares, "count unknown", *shares, "ms"):
        drawn.add_column(heading, justify="right")
    for heading, pictures in evaluation.groups().items():
        figures = _figures(pictures)
        unreadable = figures["pictures"] - figures["readable"]
        cells = []
        for count in ("known", "unknown"):
            found = figures[count]
            cells.append(" / ".join(str(found[kind.value]["count"]) for kind in Score))
            cells.append(f"{100 * found['silent']['high']:.1f} %")
            cells.append(f"{found['right_reason']['count']} of {unreadable}" if unreadable else "-")
        ms = f"{figures['ms']['median']:.0f}" if pictures else "-"
        drawn.add_row(cell(heading), str(figures["pictures"]), str(figures["dice"]), *cells, ms)
    return drawn
