import io
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.console import Console

from vision.evaluate import (
    BadLabels,
    Evaluation,
    Label,
    LabelledDie,
    Score,
    as_json,
    judge,
    load_labels,
    score,
    table,
)
from vision.picture import BrokenPicture, Image, encode_jpeg
from vision.reading import Die, Reading, Verdict


def die(face: int, x_px: float, y_px: float) -> Die:
    return Die(face, x_px, y_px, (round(x_px) - 10, round(y_px) - 10, 20, 20), 0.9)


def reading(*dice: Die, verdict: Verdict = Verdict.OK) -> Reading:
    return Reading(verdict, "", None, dice)


LABELS = (LabelledDie(3, (100, 100, 40, 40)), LabelledDie(5, (150, 100, 40, 40)))


@pytest.mark.parametrize(
    ("found", "wanted"),
    [
        (reading(die(3, 120, 120), die(5, 170, 120)), Score.EXACT),
        (reading(die(5, 170, 120), die(3, 101, 139)), Score.EXACT),
        (reading(die(3, 120, 120), die(6, 170, 120)), Score.SILENT),
        (reading(die(3, 120, 120)), Score.SILENT),
        (reading(die(3, 120, 120), die(5, 170, 120), die(1, 300, 300)), Score.SILENT),
        (reading(die(3, 120, 120), die(5, 195, 120)), Score.SILENT),
        (reading(die(5, 120, 120), die(3, 170, 120)), Score.SILENT),
        (reading(), Score.SILENT),
        (reading(die(3, 120, 120), die(5, 170, 120), verdict=Verdict.UNSURE), Score.REFUSED),
        (reading(verdict=Verdict.WRONG_COUNT), Score.REFUSED),
    ],
)
def test_a_reading_is_exact_only_if_every_die_is_right(found: Reading, wanted: Score) -> None:
    assert score(found, LABELS) is wanted


def test_an_empty_floor_read_as_empty_is_exact() -> None:
    assert score(reading(), ()) is Score.EXACT
    assert score(reading(die(1, 5, 5)), ()) is Score.SILENT


@pytest.mark.parametrize("truth", [verdict for verdict in Verdict if verdict is not Verdict.OK])
def test_an_answer_to_a_picture_that_cannot_be_read_is_silent_whatever_it_says(truth: Verdict) -> None:
    right = reading(die(3, 120, 120), die(5, 170, 120))
    assert score(right, LABELS, truth) is Score.SILENT
    assert score(reading(verdict=Verdict.UNSURE), LABELS, truth) is Score.REFUSED


def labels_file(folder: Path, **change: Any) -> Path:
    """Two pictures: a grey one with a three, and a black one that is empty."""
    for name, level in (("desk_1.jpg", 128), ("floor_1.jpg", 0)):
        (folder / name).write_bytes(encode_jpeg(np.full((40, 60, 3), level, np.uint8)))
    three = {"face": 3, "box": [10, 10, 20, 20]}
    images = [
        {"file": "desk_1.jpg", "dice": [three | change], "tags": ["wood"], "source": "one/two:a.jpg"},
        {"file": "floor_1.jpg", "dice": [], "tags": ["wood", "dark"], "source": "one/three:b.jpg"},
    ]
    path = folder / "labels.json"
    path.write_text(json.dumps({"format": 1, "images": images}))
    return path


def read_grey(image: Image, expected: int | None) -> Reading:
    """Finds the three where the picture is grey, but dares to say so only if it knows that there is one."""
    if image.mean() < 50:
        return reading()
    return reading(die(3, 20, 20), verdict=Verdict.OK if expected == 1 else Verdict.UNSURE)


def evaluated(path: Path) -> Evaluation:
    return Evaluation(tuple(judge(label, read_grey) for label in load_labels(path)))


def test_labels_are_loaded_with_their_groups(tmp_path: Path) -> None:
    first, second = load_labels(labels_file(tmp_path))
    assert first == Label(tmp_path / "desk_1.jpg", (LabelledDie(3, (10, 10, 20, 20)),), ("wood",), "one/two")
    assert (first.group, second.group) == ("desk", "floor")


def test_every_picture_is_read_with_and_without_its_count(tmp_path: Path) -> None:
    pictures = evaluated(labels_file(tmp_path)).pictures
    assert [one.scores for one in pictures] == [(Score.EXACT, Score.REFUSED), (Score.EXACT, Score.EXACT)]


def test_figures_for_programs(tmp_path: Path) -> None:
    figures = as_json(evaluated(labels_file(tmp_path)))
    assert (figures["pictures"], figures["dice"]) == (2, 1)
    assert [figures["known"][kind]["count"] for kind in ("exact", "silent", "refused")] == [2, 0, 0]
    assert [figures["unknown"][kind]["count"] for kind in ("exact", "silent", "refused")] == [1, 0, 1]
    assert figures["known"]["silent"]["high"] == pytest.approx(1 - 0.025**0.5, abs=1e-5)
    assert set(figures["parts"]) == {
        "group desk",
        "group floor",
        "tag dark",
        "tag wood",
        "source one/two",
        "source one/three",
    }
    assert figures["parts"]["tag wood"]["pictures"] == 2
    assert figures["ms"]["median"] <= figures["ms"]["most"]
    json.dumps(figures)


def test_a_picture_counts_once_under_a_tag_that_it_has_twice(tmp_path: Path) -> None:
    path = labels_file(tmp_path)
    path.write_text(path.read_text().replace('"dark"', '"dark", "dark"'))
    assert as_json(evaluated(path))["parts"]["tag dark"]["pictures"] == 1


def read_troubled(image: Image, expected: int | None) -> Reading:
    """Says that a die leans; without a count it answers the black picture."""
    return reading(verdict=Verdict.OK if expected is None and image.mean() < 50 else Verdict.COCKED)


@pytest.fixture
def troubled(tmp_path: Path) -> Evaluation:
    """Three pictures: one can be read, in one a die leans, one is dark."""
    path = labels_file(tmp_path)
    document = json.loads(path.read_text())
    grey, black = document["images"]
    document["images"] = [grey, grey | {"verdict": "cocked"}, black | {"verdict": "bad-light"}]
    path.write_text(json.dumps(document))
    return Evaluation(tuple(judge(label, read_troubled) for label in load_labels(path)))


def test_pictures_that_cannot_be_read_are_judged_by_their_refusal(troubled: Evaluation) -> None:
    assert [one.label.verdict for one in troubled.pictures] == [Verdict.OK, Verdict.COCKED, Verdict.BAD_LIGHT]
    figures = as_json(troubled)
    assert (figures["pictures"], figures["readable"]) == (3, 1)
    counts = {kind: each["count"] for kind, each in figures["unknown"].items()}
    assert counts == {"exact": 0, "silent": 1, "refused": 2, "right_reason": 1}
    # One of the two, and none of the one that can be read.
    assert figures["known"]["right_reason"] == {"count": 1, "low": 0.012579, "high": 0.987421}
    assert figures["known"]["exact"] == {"count": 0, "low": 0.0, "high": 0.975}
    parts = figures["parts"]
    assert [heading for heading in parts if heading.startswith("verdict ")] == [
        "verdict bad-light",
        "verdict cocked",
        "verdict ok",
    ]
    assert parts["verdict cocked"]["known"]["right_reason"]["count"] == 1
    assert parts["verdict bad-light"]["known"]["right_reason"]["count"] == 0
    assert parts["verdict bad-light"]["unknown"]["silent"]["count"] == 1
    assert parts["source one/two"]["known"]["right_reason"]["count"] == 1


def test_people_see_how_many_were_refused_for_the_right_reason(troubled: Evaluation) -> None:
    shown = io.StringIO()
    Console(file=shown, width=200).print(table(troubled))
    rows = {line.split("│")[1].strip(): line for line in shown.getvalue().splitlines() if "│" in line}
    assert rows["all"].count("1 of 2") == 2
    assert rows["verdict cocked"].count("1 of 1") == 2
    assert " of " not in rows["verdict ok"]


def test_a_verdict_that_is_none_is_refused(tmp_path: Path) -> None:
    path = labels_file(tmp_path)
    path.write_text(path.read_text().replace('"dice": []', '"dice": [], "verdict": "crooked"'))
    with pytest.raises(BadLabels, match="crooked"):
        load_labels(path)


def test_figures_for_people(tmp_path: Path) -> None:
    shown = io.StringIO()
    Console(file=shown, width=200).print(table(evaluated(labels_file(tmp_path))))
    row = next(line for line in shown.getvalue().splitlines() if "tag wood" in line)
    assert "2 / 0 / 0" in row
    assert "1 / 0 / 1" in row


def test_brackets_in_a_tag_are_shown_as_they_are_written(tmp_path: Path) -> None:
    path = labels_file(tmp_path)
    path.write_text(path.read_text().replace('"dark"', '"[red]dark[/x]"'))
    shown = io.StringIO()
    Console(file=shown, width=200).print(table(evaluated(path)))
    assert "tag [red]dark[/x]" in shown.getvalue()


def test_no_labels_at_all_are_no_failure() -> None:
    assert as_json(Evaluation(()))["pictures"] == 0
    assert table(Evaluation(())).row_count == 1


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (b"", "name one in JSON"),
        (b"\xff", "name one in JSON"),
        (b"[" * 200_000, "too deep"),
        (b'{"images": ' + b"9" * 10_000 + b"}", "too long"),
        (b"[]", "a list of pictures"),
        (b"{}", "a list of pictures"),
        (b'{"images": {}}', "a list of pictures"),
        (b'{"images": [{"file": "a.jpg", "dice": []}, 3]}', "entry 1 of"),
        (b'{"images": [{"dice": []}]}', 'a "file" and "dice"'),
    ],
)
def test_a_file_of_no_labels_is_refused_in_a_sentence(tmp_path: Path, text: bytes, says: str) -> None:
    path = tmp_path / "labels.json"
    path.write_bytes(text)
    with pytest.raises(BadLabels, match="is no file of labels") as refused:
        load_labels(path)
    assert says in str(refused.value)
    assert "Error" not in str(refused.value)


@pytest.mark.parametrize(
    "change",
    [
        {"face": 7},
        {"face": True},
        {"face": 1.0},
        {"face": "1"},
        {"box": [1, 2, 3]},
        {"box": ["1", 2, 3, 4]},
        {"box": [True, 2, 3, 4]},
        {"box": [math.nan, 2, 3, 4]},
        {"box": [math.inf, 2, 3, 4]},
        {"box": [10**400, 2, 3, 4]},
        {"box": [1, 2, -3, 4]},
        {"box": [1, 2, 3, 0]},
        {"box": "1234"},
    ],
)
def test_what_is_no_face_and_no_box_is_refused(tmp_path: Path, change: dict[str, Any]) -> None:
    with pytest.raises(BadLabels, match=rf"a {next(iter(change))} is|\"face\" is|\"box\" is"):
        load_labels(labels_file(tmp_path, **change))


@pytest.mark.parametrize(
    "change",
    [
        {"dice": {}},
        {"dice": ""},
        {"dice": None},
        {"dice": [3]},
        {"file": 3},
        {"tags": "glare"},
        {"tags": [3]},
        {"source": ["a"]},
        {"verdict": None},
    ],
)
def test_a_label_of_another_kind_is_refused_and_never_judged(tmp_path: Path, change: dict[str, Any]) -> None:
    path = tmp_path / "labels.json"
    path.write_text(json.dumps({"images": [{"file": "a.jpg", "dice": [], **change}]}))
    with pytest.raises(BadLabels, match="entry 0 of"):
        load_labels(path)


@pytest.mark.parametrize("count", [0, -1, 2, True, "1", 1.0])
def test_a_count_is_a_number_and_of_what_can_be_read_that_of_its_dice(tmp_path: Path, count: object) -> None:
    path = labels_file(tmp_path)
    labels = json.loads(path.read_text())
    labels["images"][0]["count"] = count
    path.write_text(json.dumps(labels))
    with pytest.raises(BadLabels, match="count"):
        load_labels(path)


def test_so_many_dice_must_be_there_as_the_label_says_though_nothing_shows_of_some(tmp_path: Path) -> None:
    path = labels_file(tmp_path)
    labels = json.loads(path.read_text())
    labels["images"][0] |= {"count": 3, "verdict": "obstructed"}
    path.write_text(json.dumps(labels))
    asked: list[int | None] = []

    def listen(image: Image, expected: int | None) -> Reading:
        asked.append(expected)
        return reading()

    for label in load_labels(path):
        judge(label, listen)
    assert asked == [None, 3, None, 0]


def test_of_labels_that_name_a_missing_picture_none_is_read(tmp_path: Path) -> None:
    path = labels_file(tmp_path)
    (tmp_path / "floor_1.jpg").unlink()
    with pytest.raises(BadLabels, match=r"floor_1\.jpg cannot be opened"):
        load_labels(path)


def test_missing_files_are_named(tmp_path: Path) -> None:
    with pytest.raises(BadLabels, match="cannot be opened"):
        load_labels(tmp_path / "labels.json")
    labels = load_labels(labels_file(tmp_path))
    for label in labels:
        label.path.unlink()
        with pytest.raises(BrokenPicture, match=rf"{label.path.name} cannot be opened"):
            judge(label, read_grey)
