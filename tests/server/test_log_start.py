"""How a log is found, begun and refused: what stands there already, what is lost, who else holds it."""

import os
import resource
import shutil
import socket
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from server.chain import BrokenLog
from server.cli import main
from server.log import CannotOpen, Log

from .conftest import forge
from .test_log import written


def listen(path: Path) -> None:
    """Leave a socket there, as a program that died does."""
    with socket.socket(socket.AF_UNIX) as server:
        # The path from the root may be too long for a socket's name.
        here = os.open(path.parent, os.O_PATH)
        server.bind(f"/proc/self/fd/{here}/{path.name}")
        os.close(here)


def test_a_log_that_was_emptied_is_never_begun_anew(tmp_path: Path) -> None:
    written(tmp_path)
    (tmp_path / "cornet.db").write_bytes(b"")
    log = Log(tmp_path)
    assert "The log is gone: cornet.db is empty." in str(log.broken)
    with pytest.raises(BrokenLog):
        log.append("note", {})
    log.close()
    assert (tmp_path / "cornet.db").read_bytes() == b""


def test_a_lost_log_says_so_again_and_again_and_holds_on_to_nobody_who_asked(tmp_path: Path) -> None:
    written(tmp_path)
    (tmp_path / "cornet.db").write_bytes(b"")
    log = Log(tmp_path)
    depths = []
    for ask in (lambda: list(log.events()), lambda: log.append("note", {})) * 3:
        with pytest.raises(BrokenLog, match="is empty") as refused:
            ask()
        depths.append(len(refused.traceback))
    log.close()
    assert depths[:2] == depths[2:4] == depths[4:]


@pytest.mark.parametrize("leaves", ["nothing", "an empty file"])
@pytest.mark.parametrize("beside", ["frames/00.jpg", "cornet.db-wal", "seeds/00", "sessions"])
def test_a_lost_log_is_never_begun_anew(tmp_path: Path, leaves: str, beside: str) -> None:
    written(tmp_path)
    (tmp_path / "cornet.db").unlink()
    (tmp_path / "seeds").mkdir()
    if leaves == "an empty file":
        (tmp_path / "cornet.db").write_bytes(b"")
    (tmp_path / beside).write_bytes(b"something")
    log = Log(tmp_path)
    assert log.broken is not None
    assert "The log is gone" in str(log.broken)
    with pytest.raises(BrokenLog):
        log.append("note", {})
    log.close()
    assert (tmp_path / "cornet.db").exists() == (leaves == "an empty file")
    assert (tmp_path / beside).read_bytes() == b"something"


@pytest.mark.parametrize(("beside", "gone"), [("frames/00.jpg", True), ("seeds/00", True), ("sessions", False)])
def test_a_log_without_events_is_lost_where_its_pictures_or_seeds_are_left(
    tmp_path: Path, beside: str, gone: bool
) -> None:
    written(tmp_path)
    forge(tmp_path, [])
    (tmp_path / "seeds").mkdir()
    (tmp_path / beside).write_bytes(b"something")
    before = (tmp_path / "cornet.db").read_bytes()
    log = Log(tmp_path)
    assert ("The log is gone: cornet.db is empty." in str(log.broken)) is gone
    log.close()
    assert not gone or (tmp_path / "cornet.db").read_bytes() == before
    assert main(["audit", str(tmp_path)]) == (2 if gone else 0)


def test_a_start_that_was_cut_off_leaves_nothing_in_the_way(tmp_path: Path) -> None:
    (tmp_path / "frames").mkdir()
    (tmp_path / "frames" / "00.jpg.partial").write_bytes(b"half")
    (tmp_path / "cornet.db.partial").write_bytes(b"half")
    log = Log(tmp_path)
    log.append("note", {})
    assert sorted(path.name for path in tmp_path.rglob("*.partial")) == []
    log.close()


def test_what_cannot_be_swept_away_is_named(tmp_path: Path) -> None:
    (tmp_path / "frames" / "00.jpg.partial").mkdir(parents=True)
    with pytest.raises(CannotOpen, match=r"00\.jpg\.partial cannot be removed"):
        Log(tmp_path)


def copied_in_use(database: sqlite3.Connection, source: Path, target: Path) -> list[bytes]:
    """Copy a database as a cut of the power leaves it: what was written last lies beside it."""
    database.commit()
    for name in ("cornet.db", "cornet.db-wal"):
        shutil.copy(source / name, target)
    database.close()
    return parts_of(target)


def parts_of(directory: Path) -> list[bytes]:
    return [(directory / name).read_bytes() for name in ("cornet.db", "cornet.db-wal")]


def test_a_first_start_that_was_cut_off_in_the_middle_of_a_write_is_no_obstacle(tmp_path: Path) -> None:
    cut_off, source = tmp_path / "cut off", tmp_path / "source"
    cut_off.mkdir()
    written(source, 1)
    database = sqlite3.connect(source / "cornet.db", isolation_level=None)
    for statement in ("PRAGMA journal_mode = DELETE", "PRAGMA cache_size = 1", "BEGIN IMMEDIATE"):
        database.execute(statement)
    # More than the cache takes, so that half of it lies in the file already.
    database.executemany("INSERT INTO events VALUES (?, ?, '')", ((number, "x" * 4000) for number in range(2, 40)))
    for name in ("cornet.db", "cornet.db-journal"):
        shutil.copy(source / name, cut_off)
    database.close()
    assert (cut_off / "cornet.db").stat().st_size > 100_000
    log = Log(cut_off)
    assert (log.broken, log.seq) == (None, 1)
    assert log.append("note", {}).seq == 2
    log.close()


@pytest.mark.parametrize("version", [0, 1])
def test_a_stranger_s_database_stays_as_it_is(tmp_path: Path, version: int) -> None:
    (tmp_path / "theirs").mkdir()
    (tmp_path / "ours").mkdir()
    database = sqlite3.connect(tmp_path / "theirs" / "cornet.db")
    database.execute("PRAGMA journal_mode = WAL")
    database.executescript("CREATE TABLE recipes (name TEXT); INSERT INTO recipes VALUES ('Bouillabaisse')")
    database.execute(f"PRAGMA user_version = {version}")
    before = copied_in_use(database, tmp_path / "theirs", tmp_path / "ours")
    log = Log(tmp_path / "ours")
    assert "no log of Cornet" in str(log.broken)
    log.close()
    assert parts_of(tmp_path / "ours") == before


def test_a_broken_log_stays_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "theirs").mkdir()
    (tmp_path / "ours").mkdir()
    written(tmp_path / "theirs")
    database = sqlite3.connect(tmp_path / "theirs" / "cornet.db")
    database.execute("INSERT INTO events VALUES (6, '{}', '00')")
    before = copied_in_use(database, tmp_path / "theirs", tmp_path / "ours")
    log = Log(tmp_path / "ours")
    assert "broken at event 6" in str(log.broken)
    assert len(list(log.events())) == 5
    log.close()
    assert parts_of(tmp_path / "ours") == before


def test_a_log_that_somebody_holds_is_said(tmp_path: Path) -> None:
    written(tmp_path)
    other = sqlite3.connect(tmp_path / "cornet.db")
    other.execute("PRAGMA journal_mode = DELETE")
    other.execute("BEGIN EXCLUSIVE")
    with pytest.raises(CannotOpen, match="another program holds the log; close it"):
        Log(tmp_path)
    other.close()
    log = Log(tmp_path)
    assert log.broken is None
    log.close()


def test_a_start_on_a_full_disk_breaks_nothing(tmp_path: Path) -> None:
    log = Log(tmp_path)
    log.append("note", {})
    copy = tmp_path / "copy"
    (copy / "frames").mkdir(parents=True)
    for name in ("cornet.db", "cornet.db-wal"):
        shutil.copy(tmp_path / name, copy)
    log.close()
    (copy / "lock").touch()
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, hard))
    try:
        with pytest.raises(CannotOpen, match="cannot be opened: the disk does not take it"):
            Log(copy)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    log = Log(copy)
    assert (log.broken, log.seq) == (None, 1)
    log.close()


def test_a_file_that_is_no_database_is_kept_and_called_broken(tmp_path: Path) -> None:
    (tmp_path / "cornet.db").write_bytes(b"no database " * 500)
    log = Log(tmp_path)
    assert log.broken is not None
    log.close()
    assert (tmp_path / "cornet.db").read_bytes() == b"no database " * 500


@pytest.mark.parametrize("name", ["cornet.db", "cornet.db-wal", "cornet.db-shm", "cornet.db-journal", "lock"])
@pytest.mark.parametrize("stand", [os.mkfifo, os.mkdir, lambda path: path.symlink_to("unplugged/disk"), listen])
def test_what_is_no_file_is_refused_and_left_where_the_log_should_be(
    tmp_path: Path, stand: Callable[[Path], object], name: str
) -> None:
    if name != "cornet.db":
        written(tmp_path)
        (tmp_path / name).unlink(missing_ok=True)
    stand(tmp_path / name)
    before = {path: path.lstat().st_mode for path in tmp_path.iterdir()}
    with pytest.raises(CannotOpen, match=f"{name} is no file: move it away"):
        Log(tmp_path)
    assert {path: path.lstat().st_mode for path in tmp_path.iterdir()} == before


@pytest.mark.parametrize("stand", [os.mkfifo, Path.touch, lambda path: path.symlink_to("unplugged/disk")])
def test_what_is_no_folder_is_refused_where_the_pictures_should_be(
    tmp_path: Path, stand: Callable[[Path], object]
) -> None:
    stand(tmp_path / "frames")
    with pytest.raises(CannotOpen, match="frames is no folder: move it away"):
        Log(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["frames"]


def test_a_log_that_cannot_be_begun_says_so(tmp_path: Path) -> None:
    (tmp_path / "cornet.db.partial").mkdir()
    with pytest.raises(CannotOpen, match=r"No log can be begun in .*: the disk does not take it"):
        Log(tmp_path)
    assert not (tmp_path / "cornet.db").exists()


def test_a_newer_database_is_left_alone(tmp_path: Path) -> None:
    written(tmp_path)
    database = sqlite3.connect(tmp_path / "cornet.db")
    database.execute("PRAGMA user_version = 99")
    database.close()
    before = (tmp_path / "cornet.db").read_bytes()
    with pytest.raises(CannotOpen, match="newer Cornet"):
        Log(tmp_path)
    assert (tmp_path / "cornet.db").read_bytes() == before


def test_two_cornets_cannot_hold_one_directory(tmp_path: Path) -> None:
    log = Log(tmp_path)
    with pytest.raises(CannotOpen, match="in use by another"):
        Log(tmp_path)
    log.close()
    Log(tmp_path).close()


def test_a_directory_that_cannot_be_made_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(CannotOpen, match="cannot be written"):
        Log(tmp_path / "file")
