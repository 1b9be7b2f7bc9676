"""The table where log or disk fail it: what cannot be written is not shown, and nothing of it counts."""

import resource
import shutil
import sqlite3
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from server.chain import Event
from server.log import CannotOpen, Log
from server.stage import NotNow, Phase
from server.wallclock import Moment

from .conftest import AT, Held, MakeTable, ScriptedEye, full_disk, kinds, ok, play_25, state


def test_a_broken_log_is_a_fault_that_cannot_be_cleared(make_table: MakeTable, tmp_path: Path) -> None:
    table = make_table()
    play_25(table)
    table.close()
    database = sqlite3.connect(tmp_path / "cornet.db")
    database.executescript("DROP TRIGGER events_stay; UPDATE events SET body = replace(body, 'Ana', 'Eve')")
    database.close()
    broken = make_table()
    shown = state(broken)
    assert shown["machine"]["fault"]["name"] == "storage"
    assert "event 2" in shown["machine"]["fault"]["message"]
    assert shown["machine"]["fault"]["clears"] is False
    assert shown["game"] is None
    for ask in (lambda: play_25(broken), lambda: broken.clear_fault("console")):
        with pytest.raises(NotNow, match="event 2"):
            ask()
    assert state(broken) == shown
    assert broken.phase is Phase.FAULT


def test_nobody_is_told_to_clear_what_breaks_the_log_meanwhile(make_table: MakeTable, tmp_path: Path) -> None:
    table = make_table()
    database = sqlite3.connect(tmp_path / "cornet.db")
    database.execute("INSERT INTO events VALUES (2, '{}', '')")
    database.commit()
    database.close()
    with pytest.raises(NotNow, match=r"somebody else has written to it\. The file is kept") as refused:
        play_25(table)
    assert table.causes() == [str(refused.value)]
    assert "clear" not in str(refused.value)


def test_a_log_that_cannot_be_read_now_is_not_called_broken(
    make_table: MakeTable, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    events = Log.events

    def fails(log: Log) -> Iterator[Event]:
        log._database.set_progress_handler(lambda: 1, 1)
        try:
            yield from events(log)
        finally:
            log._database.set_progress_handler(None, 0)

    with monkeypatch.context() as failing:
        failing.setattr(Log, "events", fails)
        table = make_table()
    name, message = table.fault or ("", "")
    assert (name, "see whether it is full or failing" in message) == ("storage", True)
    assert "replayed" not in message
    table.clear_fault("console")
    assert table.fault is None


def test_a_full_disk_stops_before_the_tumble(
    make_table: MakeTable, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    table = make_table()
    play_25(table)
    usage = shutil.disk_usage(tmp_path)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage._replace(free=63 * 2**20))
    with pytest.raises(NotNow, match="63 MB left, 64 are needed"):
        table.press("console", None, None)
    assert table.causes() == ["The disk has only 63 MB left, 64 are needed: free some."]
    assert kinds(tmp_path) == ["game"]


def test_an_event_that_cannot_be_written_is_a_fault_and_shows_nothing(make_table: MakeTable, tmp_path: Path) -> None:
    held = Held([])
    table = make_table(run=held)
    play_25(table)
    table.press("console", None, None)
    log: Log = table._log
    log._database.execute("PRAGMA query_only = ON")
    held.throws[0]()
    shown = state(table)
    assert shown["machine"]["fault"]["name"] == "storage"
    assert shown["last"] is None
    assert shown["game"]["table"]["rolled"] == []
    log._database.execute("PRAGMA query_only = OFF")
    table.clear_fault("console")
    table.press("console", None, None)
    held.throws[1]()
    assert kinds(tmp_path) == ["game", "press", "clear", "press", "throw"]


@pytest.mark.parametrize("stopped", [False, True])
def test_no_fault_is_cleared_while_pictures_cannot_be_kept(
    make_table: MakeTable, tmp_path: Path, *, stopped: bool
) -> None:
    table = make_table(eye=ScriptedEye(ok(6, 5, 4, 3, 2), ok(6, 5, 4, 3, 2)))
    play_25(table)
    frames = tmp_path / "frames"
    frames.rmdir()
    frames.touch()
    table.press("console", None, None)
    assert state(table)["machine"]["fault"]["name"] == "storage"
    if stopped:
        table.latch("stopped", "The stop was pressed.")
    with pytest.raises(NotNow, match="cannot be written"):
        table.clear_fault("console")
    frames.unlink()
    table.clear_fault("console")
    table.press("console", None, None)
    assert kinds(tmp_path) == ["game", "press", "fault", *["fault"] * stopped, "clear", "press", "throw"]


def test_a_request_that_cannot_be_written_is_refused_and_a_fault(make_table: MakeTable, tmp_path: Path) -> None:
    table = make_table()
    log: Log = table._log
    log._database.execute("PRAGMA query_only = ON")
    with pytest.raises(NotNow, match="make the data directory writable"):
        play_25(table)
    assert state(table)["machine"]["fault"]["name"] == "storage"
    assert state(table)["game"] is None
    log._database.execute("PRAGMA query_only = OFF")
    table.clear_fault("console")
    play_25(table)
    assert kinds(tmp_path) == ["clear", "game"]


def test_a_log_that_may_be_written_again_takes_the_next_event(
    make_table: MakeTable, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def full_disk(path: Path, mode: str) -> sqlite3.Connection:
        raise CannotOpen("Let it be read.")

    table = make_table()
    log: Log = table._log
    log._database.close()
    # So SQLite opens a file that may not be written, makes what lies beside it, and goes on when it may.
    for beside in ("cornet.db-wal", "cornet.db-shm"):
        (tmp_path / beside).touch(0o444)
    log._database = sqlite3.connect(f"{(tmp_path / 'cornet.db').as_uri()}?mode=ro", uri=True)
    with pytest.raises(NotNow, match="make the data directory writable, then clear the fault"):
        play_25(table)
    with monkeypatch.context() as closed:
        closed.setattr("server.log._connect", full_disk)
        with pytest.raises(NotNow, match="Let it be read"):
            table.clear_fault("console")
    table.clear_fault("console")
    play_25(table)
    assert kinds(tmp_path) == ["clear", "game"]
    assert (tmp_path / "cornet.db-wal").stat().st_mode == (tmp_path / "cornet.db").stat().st_mode


@pytest.mark.parametrize("first", [True, False], ids=["first", "behind another"])
@pytest.mark.parametrize("full", [False, True], ids=["with room again", "still full"])
def test_a_stop_that_the_log_could_not_take_outlasts_the_power(
    make_table: MakeTable, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, *, full: bool, first: bool
) -> None:
    table = make_table()
    with monkeypatch.context() as failing:
        failing.setattr(Log, "append", full_disk)
        if not first:
            with pytest.raises(NotNow, match="the disk is full"):
                play_25(table)
        table.latch("stopped", "The machine was stopped.")
        table.close()
        if full:
            table = make_table()
            with pytest.raises(NotNow, match="the disk is full"):
                table.clear_fault("console")
            table.close()
            table = make_table()
    table = table if full else make_table()
    assert (table.phase, table.fault) == (Phase.FAULT, ("stopped", "The machine was stopped."))
    table.clear_fault("console")
    table.close()
    assert make_table().fault is None
    assert kinds(tmp_path) == (["clear"] if full else ["fault", "clear"])
    assert (tmp_path / "fault").read_bytes() == b" " * 4096


@pytest.mark.parametrize("written", [True, False], ids=["behind a fault in the log", "behind one that is not"])
def test_a_stop_behind_another_fault_outlasts_the_power(
    make_table: MakeTable, monkeypatch: pytest.MonkeyPatch, *, written: bool
) -> None:
    table = make_table()
    if written:
        table.latch("jammed", "The cone does not turn.")
    with monkeypatch.context() as failing:
        failing.setattr(Log, "append", full_disk)
        if not written:
            table.latch("jammed", "The cone does not turn.")
        table.latch("stopped", "The machine was stopped.")
        assert table.fault == ("stopped", "The machine was stopped.")
        table.close()
    again = make_table()
    assert again.fault == ("stopped", "The machine was stopped.")
    again.clear_fault("console")
    again.close()
    assert make_table().fault is None


def test_a_stop_that_is_written_is_shown_before_a_fault_that_was_not(
    make_table: MakeTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = make_table()
    with monkeypatch.context() as failing:
        failing.setattr(Log, "append", full_disk)
        table.latch("jammed", "The cone does not turn.")
    table.latch("stopped", "The machine was stopped.")
    assert state(table)["machine"]["fault"]["name"] == "stopped"


def test_what_the_reserve_holds_is_no_fault_where_it_is_damaged(make_table: MakeTable, tmp_path: Path) -> None:
    for damaged in (b"", b"\0" * 4096, b"[1, 2]", b"[", b'["stopped"]', b"5"):
        (tmp_path / "fault").write_bytes(damaged)
        table = make_table()
        assert table.fault is None
        table.close()


def test_a_locked_log_stops_before_the_tumble(make_table: MakeTable, tmp_path: Path) -> None:
    held = Held([])
    table = make_table(run=held)
    play_25(table)
    table._log._database.execute("PRAGMA busy_timeout = 0")
    other = sqlite3.connect(tmp_path / "cornet.db")
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(NotNow, match="another program holds the log; close it, then clear the fault"):
        table.press("console", None, None)
    assert held.throws == []
    assert state(table)["machine"]["fault"]["name"] == "storage"
    other.rollback()
    table.clear_fault("console")
    table.press("console", None, None)
    held.throws[0]()
    assert kinds(tmp_path) == ["game", "clear", "press", "throw"]
    other.close()


def test_a_disk_that_fills_up_while_the_dice_fall_scores_nothing(make_table: MakeTable, tmp_path: Path) -> None:
    held = Held([])
    table = make_table(run=held, eye=ScriptedEye(ok(6, 5, 4, 3, 2), ok(6, 5, 4, 3, 1)))
    play_25(table)
    table.press("console", None, None)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, hard))
    try:
        held.throws[0]()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    shown = state(table)
    assert "the disk is full; free some room" in shown["machine"]["fault"]["message"]
    assert shown["last"] is None
    assert list((tmp_path / "frames").iterdir()) == []
    table.clear_fault("console")
    table.press("console", None, None)
    held.throws[1]()
    assert state(table)["last"]["faces"] == [6, 5, 4, 3, 1]
    assert kinds(tmp_path) == ["game", "press", "clear", "press", "throw"]


def test_a_start_that_cannot_be_written_is_made_good_when_the_fault_is_cleared(
    make_table: MakeTable, tmp_path: Path
) -> None:
    table = make_table(run=Held([]))
    play_25(table)
    table.press("console", None, None)
    other = sqlite3.connect(tmp_path / "cornet.db", check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    again = make_table(boot="again", now=lambda: Moment(datetime(2026, 1, 1, tzinfo=UTC), True))
    assert "another program holds the log" in state(again)["machine"]["fault"]["message"]
    assert state(again)["game"]["turn"]["player"] == "Ana"
    other.rollback()
    other.close()
    again.clear_fault("console")
    again.press("console", None, None)
    events = [event.kind for event in again._log.events()]
    assert events == ["boot", "game", "press", "boot", "void", "clear", "press", "throw"]


def test_a_forged_log_that_cannot_be_replayed_cannot_be_cleared(make_table: MakeTable) -> None:
    make_table()._log.append("action", {"at": AT, "action": {"do": "keep"}})
    table = make_table()
    assert "cannot be replayed" in state(table)["machine"]["fault"]["message"]
    with pytest.raises(NotNow, match="cannot be replayed"):
        table.clear_fault("console")
    assert "cannot be replayed" in table.causes()[0]
    with pytest.raises(NotNow, match="in fault"):
        table.start_game("vingt-cinq", ["Ana", "Bo"], {}, "console")
    with pytest.raises(NotNow, match="in fault"):
        table.note("joining", {"joining": "locked", "by": "console"})
