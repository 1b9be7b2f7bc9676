"""The reader before the studio's pictures: what is true of each, the physics or the light made so."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from vision.evaluate import Label, Score, load_labels, score
from vision.picture import load
from vision.reader import read
from vision.reading import Reading, Verdict

HERE = Path(__file__).parent
LABELS = json.loads((HERE / "labels.json").read_text("utf-8"))["images"]
ANSWERED_AT_MOST, EXACT_AT_LEAST, RIGHT_AT_LEAST = 3, 13, 9
"""Unreadable pictures answered all the same, readable ones read, unreadable ones refused for the right reason."""


@dataclass(frozen=True)
class Shown:
    """A picture and what the reader says of it."""

    label: Label
    reading: Reading

    @property
    def readable(self) -> bool:
        return self.label.readable


@pytest.fixture(scope="module")
def shown() -> Sequence[Shown]:
    return [Shown(label, read(load(label.path), len(label.dice))) for label in load_labels(HERE / "labels.json")]


def test_the_labels_are_whole() -> None:
    assert {path.name for path in HERE.glob("*.jpg")} == {entry["file"] for entry in LABELS}
    assert sum(path.stat().st_size for path in HERE.iterdir() if path.is_file()) < 15e6
    for entry in LABELS:
        height, width = load(HERE / entry["file"]).shape[:2]
        assert (width, height) == (entry["width"], entry["height"])
        assert entry["count"] == len(entry["dice"]) > 0
        leans = [die for die in entry["dice"] if die["tilt_deg"] >= 10]
        assert bool(leans) or entry["verdict"] != "cocked"
        assert not leans or entry["verdict"] in ("cocked", "stacked", "not-settled")
    troubles = {Verdict(entry["verdict"]) for entry in LABELS}
    assert troubles == set(Verdict) - {Verdict.MOVED}


def test_no_die_that_can_be_read_is_misread(shown: Sequence[Shown]) -> None:
    assert [one.label.path.name for one in shown if one.readable and _worth(one) is Score.SILENT] == []


def test_dice_that_can_be_read_are_read(shown: Sequence[Shown]) -> None:
    assert sum(one.readable and _worth(one) is Score.EXACT for one in shown) >= EXACT_AT_LEAST


def test_pictures_with_a_trouble_are_refused(shown: Sequence[Shown]) -> None:
    answered = [one.label.path.name for one in shown if not one.readable and one.reading.ok]
    assert len(answered) <= ANSWERED_AT_MOST, answered


def test_they_are_refused_for_the_right_reason(shown: Sequence[Shown]) -> None:
    assert sum(not one.readable and one.reading.verdict is one.label.verdict for one in shown) >= RIGHT_AT_LEAST


def _worth(one: Shown) -> Score:
    return score(one.reading, one.label.dice, one.label.verdict)
