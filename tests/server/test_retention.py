"""Which pictures stay and which make way."""

import os
import shutil
import threading
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import cast

import pytest

from server.commands.run import _expire_pictures
from server.log import Log
from server.machine import Machine
from server.parts import Parts
from server.retention import expire, free_mb, no_room
from server.settings import read_settings
from server.table import Table
from server.wallclock import Moment, now
from vision.reading import Verdict

from .conftest import MakeTable, ScriptedEye, bodies, forge, ok, refused, state

NOW = datetime(2026, 11, 22, tzinfo=UTC)


@pytest.fixture
def frames(tmp_path: Path) -> Path:
    """Pictures of 1,000 bytes each, named by their age in days."""
    for days in (0, 1, 89, 91, 400):
        path = tmp_path / f"{days}.jpg"
        path.write_bytes(bytes(1000))
        written = (NOW - timedelta(days=days)).timestamp()
        os.utime(path, (written, written))
    return tmp_path


def left(frames: Path) -> set[str]:
    return {path.stem for path in frames.glob("*.jpg")}


def test_pictures_go_after_so_many_days(frames: Path) -> None:
    assert expire(frames, set(), Moment(NOW, True), 90, 10**9) == ["400", "91"]
    assert left(frames) == {"0", "1", "89"}


def test_the_oldest_go_when_the_room_is_used_up(frames: Path) -> None:
    assert expire(frames, set(), Moment(NOW, True), 1000, 2500) == ["400", "91", "89"]
    assert left(frames) == {"0", "1"}
    assert expire(frames, set(), Moment(NOW, True), 1000, 2000) == []  # what just fits stays


def test_a_picture_that_cannot_go_keeps_no_other_from_going(frames: Path, caplog: pytest.LogCaptureFixture) -> None:
    (frames / "400.jpg").unlink()
    (frames / "400.jpg").mkdir()
    os.utime(frames / "400.jpg", (0, 0))
    assert expire(frames, set(), Moment(NOW, True), 90, 10**9) == ["91"]
    assert "400.jpg cannot be removed" in caplog.text


def test_a_link_that_leads_nowhere_keeps_no_picture_from_going(frames: Path, caplog: pytest.LogCaptureFixture) -> None:
    (frames / "b.jpg").symlink_to("gone")
    expire(frames, set(), Moment(NOW, False), 90, 10**9)
    assert expire(frames, {"400"}, Moment(NOW, True), 90, 10**9) == ["91"]
    assert "b.jpg cannot be looked at" in caplog.text


def test_pictures_of_doubted_throws_stay(frames: Path, caplog: pytest.LogCaptureFixture) -> None:
    assert expire(frames, {"400", "89"}, Moment(NOW, True), 90, 1500) == ["91", "1", "0"]
    assert left(frames) == {"400", "89"}
    assert "kept for good need 1 MB more" in caplog.text


def test_a_picture_that_recurs_ages_from_its_last_use(tmp_path: Path) -> None:
    with closing(Log(tmp_path)) as log:
        name = log.keep_frame(b"a picture")
        os.utime(log.frames / f"{name}.jpg", (0, 0))
        assert log.keep_frame(b"a picture") == name
        assert expire(log.frames, set(), Moment(now().at, True), 90, 10**9) == []


def test_nothing_ages_by_a_clock_that_nobody_set(frames: Path) -> None:
    assert expire(frames, set(), Moment(NOW + timedelta(days=9999), False), 90, 10**9) == []
    assert expire(frames, set(), Moment(NOW + timedelta(days=9999), None), 90, 10**9) != []


def test_what_a_clock_that_nobody_set_says_of_a_picture_makes_it_no_older(frames: Path) -> None:
    long_ago = datetime(1970, 1, 2, tzinfo=UTC)
    for begun in (long_ago + timedelta(days=1), long_ago):
        assert expire(frames, set(), Moment(begun, False), 90, 10**9) == []
    unset = frames / "unset.jpg"
    unset.write_bytes(bytes(1000))
    os.utime(unset, 2 * ((long_ago + timedelta(hours=1)).timestamp(),))
    before = frames / "before.jpg"
    before.write_bytes(bytes(1000))
    os.utime(before, (0, 0))
    assert expire(frames, set(), Moment(NOW, True), 90, 10**9) == ["before"]
    assert unset.stat().st_mtime == NOW.timestamp()
    assert "unset" in expire(frames, set(), Moment(NOW + timedelta(days=91), True), 90, 10**9)


@pytest.mark.parametrize(("free", "left_mb"), [(64 * 2**20, 64), (64 * 2**20 - 1, 63), (0, 0)])
def test_the_motor_turns_where_there_is_just_enough_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, free: int, left_mb: int
) -> None:
    usage = shutil.disk_usage(tmp_path)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage._replace(free=free))
    assert free_mb(tmp_path) == left_mb
    said = "" if left_mb == 64 else f"The disk has only {left_mb} MB left, 64 are needed: free some."
    assert no_room(tmp_path) == said


def test_a_directory_that_is_gone_has_no_room(tmp_path: Path) -> None:
    assert free_mb(tmp_path / "gone") is None
    assert "is gone (No such file or directory): put it back" in no_room(tmp_path / "gone")


def test_this_machine_has_a_clock() -> None:
    moment = now()
    assert moment.at.tzinfo is UTC
    assert moment.synchronised in (True, False, None)


def expire_once(table: Table) -> None:
    """As a running cornet does it, with room for 100 MB and a day."""
    once = threading.Event()
    once.set()
    machine = Machine(cast(Parts, None), table._log, table)
    _expire_pictures(machine, replace(read_settings(None), keep_days=1, keep_mb=100), once)


def test_the_pictures_of_the_running_game_stay_while_the_cornet_runs(make_table: MakeTable, tmp_path: Path) -> None:
    table = make_table(eye=ScriptedEye(refused(Verdict.COCKED), ok(6, 5, 4, 3, 2)))
    table.start_game("vingt-cinq", ["Ana", "Bo"], {}, "console")
    table.press("console", None, None)
    ours = {look["frame"] for look in state(table)["throws"]}
    assert len(ours) == 2
    for name in ours:
        os.utime(tmp_path / "frames" / f"{name}.jpg", (0, 0))
    with (tmp_path / "frames" / "other.jpg").open("wb") as other:
        other.truncate(101 * 2**20)
    expire_once(table)
    assert left(tmp_path / "frames") == ours


def test_nothing_is_removed_where_the_log_does_not_say_what_must_stay(make_table: MakeTable, tmp_path: Path) -> None:
    table = make_table(eye=ScriptedEye(ok(6, 5, 4, 3, 2)))
    table.start_game("vingt-cinq", ["Ana", "Bo"], {}, "console")
    table.press("console", None, None)
    forge(tmp_path, [*bodies(tmp_path), {"kind": "throw"}])
    ours = tmp_path / "frames" / f"{state(table)['last']['frame']}.jpg"
    os.utime(ours, (0, 0))
    with (tmp_path / "frames" / "other.jpg").open("wb") as other:
        other.truncate(101 * 2**20)
    table.close()
    expire_once(make_table(boot="again"))
    assert left(tmp_path / "frames") == {ours.stem, "other"}
