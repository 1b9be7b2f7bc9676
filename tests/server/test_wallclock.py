"""Whether the clock is known to be right, where the kernel may be asked and where it may not."""

import ctypes
from pathlib import Path
from types import SimpleNamespace

import pytest

from server import wallclock


def kernel(monkeypatch: pytest.MonkeyPatch, **calls: object) -> None:
    monkeypatch.setattr(ctypes, "CDLL", lambda name: SimpleNamespace(**calls))


@pytest.mark.parametrize(("answer", "synchronised"), [(0, True), (1, True), (5, False)])
def test_the_kernel_knows(monkeypatch: pytest.MonkeyPatch, answer: int, synchronised: bool) -> None:
    kernel(monkeypatch, adjtimex=lambda timex: answer)
    assert wallclock.now().synchronised is synchronised


@pytest.mark.parametrize("calls", [{}, {"adjtimex": lambda timex: -1}], ids=["no such call", "refused"])
def test_a_service_that_may_not_ask_looks_at_what_systemd_left(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, calls: dict[str, object]
) -> None:
    kernel(monkeypatch, **calls)
    mark = tmp_path / "timesync" / "synchronized"
    monkeypatch.setattr(wallclock, "_TIMESYNC", mark)
    assert wallclock.now().synchronised is None
    mark.parent.mkdir()
    assert wallclock.now().synchronised is False
    mark.touch()
    assert wallclock.now().synchronised is True
