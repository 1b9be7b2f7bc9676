"""The committed pictures: their labels are whole, what can be read is never misread, each trouble is told."""

import json
from collections import Counter
from pathlib import Path

import pytest
from PIL import Image

from vision.evaluate import Label, Score, load_labels, score
from vision.picture import load
from vision.reader import read
from vision.reading import Reading, Verdict
from vision.tray import FILE, read_tray

LABELS = Path(__file__).parents[1] / "recordings" / "labels.json"
MOST_BYTES = 15e6
TOLD = {
    "dark": 9,
    "washed-out": 8,
    "glare": 8,
    "hand": 8,
    "cloth": 9,
    "moving": 5,
    "foreign-object": 9,
    "half-outside": 8,
    "emblem": 9,
    "stacked": 5,
    "leaning-on-die": 7,
    "leaning-on-wall": 8,
    "on-a-chip": 10,
}
"""How many of each trouble's pictures must be refused for the right reason: together four of five."""
ANSWERED = {"leaning-on-die": 2, "leaning-on-wall": 4, "on-a-chip": 1}
"""How many may be answered: dice that lean a little, and no others."""


def trouble(label: Label) -> str:
    return next(tag for tag in label.tags if tag.startswith("trouble-")).removeprefix("trouble-")


def test_the_labels_are_whole() -> None:
    entries = json.loads(LABELS.read_text("utf-8"))["images"]
    assert {path.name for path in LABELS.parent.glob("*.jpg")} == {entry["file"] for entry in entries}
    assert sum(path.stat().st_size for path in LABELS.parent.rglob("*") if path.is_file()) < MOST_BYTES
    for entry in entries:
        with Image.open(LABELS.parent / entry["file"]) as picture:
            assert picture.size == (entry["width"], entry["height"])
        assert entry["count"] == len(entry["dice"]) > 0
        leans = [die for die in entry["dice"] if die["tilt_deg"] >= 10]
        assert bool(leans) or entry["verdict"] != "cocked"
        assert not leans or entry["verdict"] in ("cocked", "stacked", "not-settled")
    assert {Verdict(entry["verdict"]) for entry in entries} == set(Verdict) - {Verdict.MOVED}


def test_what_can_be_read_is_read_or_refused_but_never_misread() -> None:
    labels = [label for label in load_labels(LABELS) if label.readable]
    scores = Counter(score(read(load(label.path), label.count), label.dice) for label in labels)
    assert scores[Score.SILENT] == 0
    assert scores[Score.EXACT] >= 0.87 * scores.total()


def test_where_there_must_be_one_die_more_nothing_of_a_patterned_ground_is_taken_for_it() -> None:
    patterned = [label for label in load_labels(LABELS) if label.readable and "ground-patterned" in label.tags]
    for label in patterned[::3]:  # one takes over a second: what is missing is looked for in every way
        assert not read(load(label.path), label.count + 1).ok, label.path.name


@pytest.mark.parametrize(
    ("name", "verdict"),
    [
        ("studio_1456_31_00010.jpg", Verdict.OBSTRUCTED),
        ("studio_1456_31_00022.jpg", Verdict.WRONG_COUNT),
        ("studio_448_53_00022.jpg", Verdict.WRONG_COUNT),
        ("studio_448_53_00048.jpg", Verdict.WRONG_COUNT),
        ("studio_448_53_00062.jpg", Verdict.OBSTRUCTED),
    ],
)
def test_what_fingers_or_the_edge_hide_of_a_die_is_missed_where_nobody_counts(name: str, verdict: Verdict) -> None:
    assert read(load(LABELS.parent / name)).verdict is verdict


def test_four_of_five_troubles_must_be_told() -> None:
    troubles = Counter(trouble(label) for label in load_labels(LABELS) if not label.readable)
    assert set(TOLD) == set(troubles)
    assert sum(TOLD.values()) >= 0.8 * troubles.total()


@pytest.mark.parametrize("name", TOLD)
def test_each_trouble_is_told_for_what_it_is(name: str) -> None:
    labels = [label for label in load_labels(LABELS) if trouble(label) == name]
    verdicts = [read(load(label.path), label.count).verdict for label in labels]
    told = [verdict is label.verdict for verdict, label in zip(verdicts, labels, strict=True)]
    assert sum(told) >= TOLD[name]
    assert verdicts.count(Verdict.OK) <= ANSWERED.get(name, 0)


RIG = LABELS.parent / "rig"


@pytest.fixture(scope="module")
def rig() -> list[tuple[Label, Reading]]:
    tray = read_tray(RIG / FILE)
    return [(label, read(load(label.path), label.count, tray)) for label in load_labels(RIG / "labels.json")]


def test_a_rig_is_read_with_its_calibration(rig: list[tuple[Label, Reading]]) -> None:
    scores = Counter(score(reading, label.dice) for label, reading in rig if label.readable)
    assert scores[Score.SILENT] == 0
    assert scores[Score.EXACT] >= 0.9 * scores.total()


def test_a_rig_that_has_moved_or_whose_light_failed_is_told(rig: list[tuple[Label, Reading]]) -> None:
    told = [(label.verdict, reading.verdict) for label, reading in rig if not label.readable]
    assert {truth for truth, _ in told} == {Verdict.MOVED, Verdict.BAD_LIGHT, Verdict.COCKED, Verdict.STACKED}
    assert all(verdict is not Verdict.OK for _, verdict in told)
    assert all(verdict is truth for truth, verdict in told if truth is not Verdict.STACKED)
