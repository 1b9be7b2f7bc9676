"""`cornet evaluate` of labels that somebody else wrote."""

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from server.cli import main


@pytest.mark.parametrize("tag", ["\x1b[2J", "\ud800", "[red]x[/y]"])
def test_whatever_a_tag_holds_moves_no_cursor_and_can_be_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], tag: str
) -> None:
    cv2.imwrite(str(tmp_path / "1.png"), np.full((20, 30, 3), 120, np.uint8))
    three = {"face": 3, "box": [1, 1, 9, 9]}
    labels = tmp_path / "labels.json"
    labels.write_text(json.dumps({"images": [{"file": "1.png", "dice": [three], "tags": [tag]}]}))
    assert main(["evaluate", str(labels)]) == 0
    shown = capsys.readouterr().out
    assert "\x1b" not in shown
    assert tag.encode("unicode_escape").decode() in shown


def test_a_picture_that_is_missing_is_named_without_moving_the_cursor(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    labels = tmp_path / "labels.json"
    labels.write_text(json.dumps({"images": [{"file": "\x1b[2J\n.png", "dice": []}]}))
    assert main(["evaluate", str(labels)]) == 2
    told = capsys.readouterr().err
    assert r"\x1b[2J\n.png cannot be opened" in told
    assert told.count("\n") == 1


def test_a_picture_that_is_damaged_is_named_and_the_others_are_reported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "1.png").write_bytes(b"damaged")
    (tmp_path / "2.png").mkdir()
    cv2.imwrite(str(tmp_path / "3.png"), np.full((20, 30, 3), 120, np.uint8))
    labels = tmp_path / "labels.json"
    labels.write_text(json.dumps({"images": [{"file": f"{number}.png", "dice": []} for number in (1, 2, 3)]}))
    assert main(["evaluate", str(labels), "--json"]) == 2
    out, error = capsys.readouterr()
    assert json.loads(out)["pictures"] == 1
    first, second = error.splitlines()
    assert "1.png is no picture" in first
    assert "2.png cannot be opened" in second
