"""What the machine does and is told to do: stopped by a fault, lent for calibration, without its camera."""

from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from firmware.simulated import SimulatedTower
from server.stage import NotNow

from .conftest import Held, MakeTable, ScriptedEye, kinds, ok, play_25, state


class Flickering(ScriptedEye):
    """A camera that is back as soon as somebody has asked for it."""

    _lost = ""

    @property
    def lost(self) -> str:
        """Why it does not see, once."""
        lost, self._lost = self._lost, ""
        return lost

    @lost.setter
    def lost(self, lost: str) -> None:
        self._lost = lost


class Halting(SimulatedTower):
    """Counts how often it is told to stop."""

    stops = 0

    def stop(self) -> None:
        self.stops += 1
        super().stop()


@pytest.mark.parametrize("written", [True, False], ids=["in the log", "where the log takes nothing"])
def test_a_fault_stops_the_machine(make_table: MakeTable, tmp_path: Path, written: bool) -> None:
    held, tower = Held([]), Halting("7")
    table = make_table(tower=tower, run=held)
    play_25(table)
    table.press("console", None, None)
    if not written:
        table._log._database.execute("PRAGMA query_only = ON")
    table.latch("lid-open", "The lid was opened.")
    assert tower.stops == 1
    assert state(table)["machine"]["fault"]["name"] == "lid-open"
    table.latch("jammed", "The cone does not turn.")
    assert tower.stops == 2
    assert state(table)["machine"]["fault"]["name"] == "lid-open"
    assert (kinds(tmp_path)[-1] == "fault") == written


def test_a_machine_that_is_lent_throws_nothing_and_comes_back_as_it_is(make_table: MakeTable) -> None:
    table = make_table()
    play_25(table)
    with table.lent():
        with pytest.raises(NotNow, match="being calibrated"):
            table.press("console", None, None)
        with pytest.raises(NotNow, match="being calibrated"), table.lent():
            pass
    assert table.due
    with table.lent():
        table.latch("lid-open", "The lid was opened.")
    assert state(table)["machine"]["phase"] == "fault"
    table.clear_fault("console")
    with table.lent():
        table.close()
    assert state(table)["machine"]["phase"] == "calibrating"


def test_a_camera_that_is_lost_between_throws_is_one_fault_and_in_a_throw_none(
    make_table: MakeTable, tmp_path: Path
) -> None:
    held, eye = Held([]), ScriptedEye(ok(6, 5, 4, 3, 2))
    table = make_table(eye=eye, run=held)
    play_25(table)
    table.press("console", None, None)
    for lost in ("It is gone for a moment.", ""):
        eye.lost = lost
        table.tend()
    held.throws[0]()
    assert state(table)["last"]["verdict"] == "ok"
    eye.lost = "The camera does not answer: check its ribbon."
    for _ in range(3):
        table.tend()
    assert kinds(tmp_path) == ["game", "press", "throw", "fault"]
    assert state(table)["machine"]["fault"]["name"] == "camera-lost"


def test_a_camera_that_comes_back_while_it_is_asked_for_ends_nothing(make_table: MakeTable) -> None:
    eye = Flickering()
    table = make_table(eye=eye)
    eye.lost = "The camera does not answer: check its ribbon."
    table.tend()
    assert state(table)["machine"]["fault"]["message"] == "The camera does not answer: check its ribbon."


def test_a_long_log_that_is_replayed_to_clear_a_fault_holds_up_no_watchdog(
    make_table: MakeTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = make_table()
    play_25(table)
    table.latch("internal", "The program failed.")
    events, tended = table._log.events, []

    def slowly(*asked: Any) -> Iterator[Any]:
        tending = Thread(target=table.tend, daemon=True)
        tending.start()
        tending.join(10)
        tended.append(not tending.is_alive())
        yield from events(*asked)

    monkeypatch.setattr(table._log, "events", slowly)
    table.clear_fault("console")
    assert tended == [True]
    assert state(table)["machine"]["phase"] == "ready"
