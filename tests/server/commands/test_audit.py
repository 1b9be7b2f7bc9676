"""`cornet audit` of forged logs: whatever stands in them, all that was found is told."""

import io
import json
import os
import sys
from pathlib import Path

import pytest

from server.cli import main
from server.log import Log
from tests.server.conftest import forge


def test_a_forged_run_hides_no_other_difference(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Log(tmp_path).close()
    soak = {"kind": "soak", "at": "2026-01-31T20:00:00+00:00", "asked": {"commission": True, "set": "ivory"}}
    forge(tmp_path, [soak, {"kind": "riddle"}])
    (tmp_path / "certificates").mkdir()
    (tmp_path / "certificates" / "1.html").touch()
    assert main(["audit", str(tmp_path)]) == 1
    *_, unknown, certificates, verdict = capsys.readouterr().out.splitlines()
    assert "knows no" in unknown
    assert certificates.startswith("The certificates cannot be made again: ")
    assert verdict.startswith("2 events, ")


@pytest.mark.parametrize("letters", ["\x1b[1A\x1b[2K", "\nNo difference.", "\u202e"])
def test_a_forged_log_writes_nothing_on_the_screen_but_what_the_audit_says(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], letters: str
) -> None:
    Log(tmp_path).close()
    forge(tmp_path, [{"kind": letters}])
    assert main(["audit", str(tmp_path)]) == 1
    printed = capsys.readouterr().out
    assert letters not in printed
    assert json.dumps(letters) in printed


def test_what_a_terminal_has_no_letters_for_is_told_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Log(tmp_path).close()
    forge(tmp_path, [{"kind": "boot", "simulated": True, "reader": "чтец"}])
    screen = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(screen, "ascii"))
    assert main(["audit", str(tmp_path)]) == 0
    assert "чтец".encode("unicode_escape") in screen.getvalue()


@pytest.mark.parametrize("share", [0.05, 0.3, 0.7])
def test_a_log_that_was_cut_off_is_a_difference(
    evening: Path, capsys: pytest.CaptureFixture[str], share: float
) -> None:
    os.truncate(evening / "cornet.db", int((evening / "cornet.db").stat().st_size * share))
    assert main(["audit", str(evening)]) == 1
    torn, verdict = capsys.readouterr().out.splitlines()
    assert torn.startswith("The log is torn or damaged: what comes after event 0 cannot be read (")
    assert verdict.endswith(": 1 difference. The chain's head is empty.")
