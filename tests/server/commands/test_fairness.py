"""`cornet fairness` of other counts and of forged logs."""

import json
from pathlib import Path
from typing import Any

import pytest

from server.cli import main
from server.log import Log
from tests.conftest import cornet


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
        log.append(kind, body)
    log.close()
    status = main(["fairness", "--data", ".", *more])
    out, error = capfd.readouterr()
    assert (status, bool(out), error.count("\n")) in ((2, False, 1), (0, True, 0))
    assert "see what cornet audit says" in error or (more == ["--turns"] and status == 0)


def test_brackets_in_the_name_of_a_set_are_shown_as_they_are_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = Log(tmp_path)
    log.append("boot", {"simulated": False, "tower": "gpio", "turns": 3, "set": "[red]x[/y]"})
    dice = [{"face": 4, "center": [10, 10]}]
    log.append("throw", {"dice": dice, "verdict": "ok", "at": "2026-11-26T20:00:00+00:00", "mark": [0, 0]})
    log.close()
    assert main(["fairness", "--data", str(tmp_path)]) == 0
    assert "set [red]x[/y]" in capsys.readouterr().out
