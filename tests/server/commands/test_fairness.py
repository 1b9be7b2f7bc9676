"""`cornet fairness` of other counts and of forged logs."""

import json
from pathlib import Path
from typing import Any

import pytest

from server.cli import main
from server.log import Log
from tests.conftest import cornet
from tests.server.conftest import AT


def test_counts_from_elsewhere_are_judged() -> None:
    finished = cornet("fairness", "--counts", "53222,52118,52465,52338,52244,53285")
    answer = json.loads(finished.stdout)
    names = "dice chi2 df p chi2_axes p_axes evidence_faces evidence_axes evidence"
    assert (finished.returncode, finished.stderr, list(answer)) == (0, b"", names.split())
    assert answer["dice"] == 315_672
    assert 1000 < answer["evidence"] < 1003


@pytest.mark.parametrize(
    "events",
    [
        [("boot", {})],
        [("correction", {})],
        [("correction", {"throw": []})],
        [("boot", {"simulated": False}), ("throw", {"dice": [{"face": 1}]})],
        [("boot", {"simulated": False, "tower": "gpio", "turns": 3}), ("throw", {"dice": [{}], "verdict": "ok"})],
        [("boot", {"simulated": False, "turns": []}), ("refused", {"dice": None})],
    ],
)
@pytest.mark.parametrize("more", [["--json"], ["--turns"], ["--report", "page.html"]])
def test_of_a_forged_log_no_evidence_is_told(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    events: list[tuple[str, dict[str, Any]]],
    more: list[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    log = Log(tmp_path)
    for kind, body in events:
        log.append(kind, {"at": AT, **body})
    log.close()
    status = main(["fairness", "--data", ".", *more])
    out, error = capfd.readouterr()
    assert (status, bool(out), error.count("\n")) in ((2, False, 1), (0, True, 0))
    assert "The log is broken at event" in error or (more == ["--turns"] and status == 0)


@pytest.mark.parametrize(("name", "shown"), [("[red]x[/y]", "[red]x[/y]"), ("\x1b[2J", r"\x1b[2J")])
def test_whatever_the_name_of_a_set_holds_is_shown_and_moves_no_cursor(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, shown: str
) -> None:
    log = Log(tmp_path)
    log.append("boot", {"at": AT, "simulated": False, "tower": "gpio", "turns": 3, "set": name})
    dice = [{"face": 4, "center": [10, 10], "box": [5, 5, 10, 10]}]
    look = {"dice": dice, "verdict": "ok", "expected": None, "size": None, "frame": None, "mark": [0, 0]}
    log.append("trial", {**look, "at": AT})
    log.close()
    page = tmp_path / "page.html"
    assert main(["fairness", "--data", str(tmp_path), "--report", str(page)]) == 0
    out = capsys.readouterr().out
    assert f"set {shown}" in out
    assert "\x1b" not in out
    assert "</html>" in page.read_text("utf-8")
