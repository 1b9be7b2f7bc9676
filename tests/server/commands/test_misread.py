"""`cornet misread` on recorded pictures."""

import json
from pathlib import Path

import pytest

from server.cli import main

RECORDINGS = Path(__file__).parents[2] / "recordings"


def test_recorded_pictures_are_certified(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    labels = json.loads((RECORDINGS / "labels.json").read_text("utf-8"))
    readable = [entry for entry in labels["images"] if entry["verdict"] == "ok"]
    tags = ["[red]x[/y]", "\x1b[2J", "\ud800"]
    few = [{**entry, "file": str(RECORDINGS / entry["file"]), "tags": tags} for entry in readable[:3]]
    path = tmp_path / "labels.json"
    path.write_text(json.dumps({**labels, "images": few}), "utf-8")
    assert main(["misread", str(path), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["pictures"] == 3
    assert sum(map(sum, told["confusion"])) == told["dice"]
    assert main(["misread", str(path)]) == 0
    shown = capsys.readouterr().out
    assert "3 pictures" in shown
    assert "\x1b" not in shown
    assert all(tag in shown for tag in ("[red]x[/y]", r"\x1b[2J", r"\ud800"))


def test_no_labels_are_a_wrong_call(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["misread", str(tmp_path / "none.json")]) == 2
    assert capsys.readouterr().err.count("\n") == 1
