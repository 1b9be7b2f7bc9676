"""The log: what is committed stays, and what was changed is found."""

import errno
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from server.chain import BrokenLog, canonical, chained
from server.evidence import NothingToAudit, evidence_of
from server.log import CannotOpen, Log, why_not

from .conftest import audited


def written(directory: Path, events: int = 5) -> list[str]:
    log = Log(directory)
    heads = [log.append("note", {"number": number}).hash for number in range(events)]
    log.close()
    return heads


def test_events_come_back_in_order_and_chained(tmp_path: Path) -> None:
    heads = written(tmp_path)
    log = Log(tmp_path)
    assert [(event.seq, event.kind, event.body, event.hash) for event in log.events()] == [
        (number + 1, "note", {"number": number}, heads[number]) for number in range(5)
    ]
    assert log.head == heads[-1]
    assert log.broken is None
    previous = bytes(32)
    for event in log.events():
        previous = chained(previous, canonical({"kind": event.kind, **event.body}))
        assert previous.hex() == event.hash
    log.close()


def test_half_a_letter_in_the_name_of_a_file_does_not_break_the_log_that_tells_of_it(tmp_path: Path) -> None:
    log = Log(tmp_path)
    told = "/data\udcff/\U0001f3b2 cannot be written."
    event = log.append("note", {"message": told})
    log.close()
    again = Log(tmp_path)
    assert (again.broken, list(again.events())) == (None, [event])
    assert event.body["message"] == "/data?/\U0001f3b2 cannot be written."
    again.close()


@pytest.mark.parametrize("statement", ["UPDATE events SET body = '{}'", "DELETE FROM events"])
def test_the_database_itself_refuses_changes(tmp_path: Path, statement: str) -> None:
    written(tmp_path)
    database = sqlite3.connect(tmp_path / "cornet.db")
    with pytest.raises(sqlite3.IntegrityError, match="events are never"):
        database.execute(statement)
    database.close()


def tamper(directory: Path, statement: str) -> None:
    database = sqlite3.connect(directory / "cornet.db")
    database.executescript(f"DROP TRIGGER events_stay; DROP TRIGGER events_remain; {statement}")
    database.close()


@pytest.mark.parametrize(
    ("statement", "says"),
    [
        ("UPDATE events SET body = replace(body, '2', '7') WHERE seq = 3", "broken at event 3"),
        ("UPDATE events SET body = CAST(body AS BLOB) WHERE seq = 3", "broken at event 3"),
        ("UPDATE events SET hash = '00' WHERE seq = 4", "broken at event 4"),
        ("UPDATE events SET hash = x'00' WHERE seq = 4", "broken at event 4"),
        ("DELETE FROM events WHERE seq = 2", "broken at event 2"),
        ("UPDATE events SET seq = 9 WHERE seq = 5", "broken at event 5"),
        ("DROP TABLE events", "broken"),
    ],
)
def test_a_changed_log_names_the_event_and_takes_no_more(tmp_path: Path, statement: str, says: str) -> None:
    written(tmp_path)
    tamper(tmp_path, statement)
    log = Log(tmp_path)
    assert log.broken is not None
    assert says in str(log.broken)
    with pytest.raises(BrokenLog):
        log.append("note", {})
    log.close()


@pytest.mark.parametrize("text", ["no JSON", "[" * 100_000, "[1]", '{"kind": 1}'])
def test_a_forged_event_that_says_nothing_is_named_although_its_chain_is_whole(tmp_path: Path, text: str) -> None:
    head = bytes.fromhex(written(tmp_path)[-1])
    database = sqlite3.connect(tmp_path / "cornet.db")
    database.execute("INSERT INTO events VALUES (6, ?, ?)", (text, chained(head, text).hex()))
    database.commit()
    database.close()
    log = Log(tmp_path)
    assert "broken at event 6" in str(log.broken)
    assert len(list(log.events())) == 5
    log.close()


def test_one_flipped_bit_at_any_byte_of_the_file_is_found_or_changes_no_event(tmp_path: Path) -> None:
    written(tmp_path, 3)
    path = tmp_path / "cornet.db"
    whole = path.read_bytes()
    log = Log(tmp_path)
    events = list(log.events())
    log.close()
    texts = [canonical({"kind": event.kind, **event.body}) for event in events] + [event.hash for event in events]
    vital = {whole.index(text.encode()) + at for text in texts for at in range(len(text))}
    for place in [*vital, *range(0, len(whole), 37)]:
        changed = bytearray(whole)
        changed[place] ^= 1 << place % 8
        for name in ("cornet.db-wal", "cornet.db-shm"):
            (tmp_path / name).unlink(missing_ok=True)
        path.write_bytes(changed)
        try:
            log = Log(tmp_path)
        except CannotOpen:
            assert place not in vital
            continue
        if log.broken is None:
            assert place not in vital, f"byte {place}"
            assert list(log.events()) == events
        log.close()


def test_damage_at_any_byte_of_what_a_killed_process_leaves_loses_no_event_silently(tmp_path: Path) -> None:
    log = Log(tmp_path)
    with evidence_of(tmp_path) as evidence:
        for number in range(60):
            log.append("note", {"number": number, "text": "x" * 500})
            if number == 30:
                # Whoever reads on and on keeps nothing from getting there.
                reading = evidence.events()
                assert next(reading).seq == 1
        assert (tmp_path / "cornet.db-wal").stat().st_size == 0
        whole = (tmp_path / "cornet.db").read_bytes()
    log.close()
    elsewhere = tmp_path / "elsewhere"
    for place in range(0, len(whole), 211):
        flipped = bytearray(whole)
        flipped[place] ^= 1 << place % 8
        for damaged in (flipped, whole[:place]):
            shutil.rmtree(elsewhere, ignore_errors=True)
            elsewhere.mkdir()
            (elsewhere / "cornet.db").write_bytes(damaged)
            log = Log(elsewhere)
            assert log.broken or log.seq == 60, f"byte {place}"
            log.close()


def test_what_another_program_keeps_ahead_of_the_file_is_brought_in_when_it_is_done(tmp_path: Path) -> None:
    log, ahead = Log(tmp_path), tmp_path / "cornet.db-wal"
    log.append("note", {})
    other = sqlite3.connect(tmp_path / "cornet.db")
    other.execute("BEGIN")
    assert other.execute("SELECT count(*) FROM events").fetchone() == (1,)
    for number in range(3):
        log.append("note", {"number": number})
    assert ahead.stat().st_size > 0
    other.close()
    log.bring_in()
    assert ahead.stat().st_size == 0
    shutil.copy(tmp_path / "cornet.db", tmp_path / "copy.db")
    with closing(sqlite3.connect(tmp_path / "copy.db")) as copy:
        assert copy.execute("SELECT count(*) FROM events").fetchone() == (4,)
    log.close()


def test_damage_that_touches_no_event_is_found_too(tmp_path: Path) -> None:
    written(tmp_path)
    path = tmp_path / "cornet.db"
    changed = bytearray(path.read_bytes())
    database = sqlite3.connect(path)
    (page,) = database.execute("SELECT rootpage FROM sqlite_master WHERE name = 'events'").fetchone()
    (size,) = database.execute("PRAGMA page_size").fetchone()
    database.close()
    changed[(page - 1) * size + 7] = 9  # bytes of the page that are said to be lost between its cells
    path.write_bytes(changed)
    log = Log(tmp_path)
    assert "broken: its database is damaged" in str(log.broken)
    assert len(list(log.events())) == 5
    log.close()
    assert any("its database is damaged" in line for line in audited(tmp_path).differences)


def test_a_damaged_name_of_a_table_is_said_although_the_message_is_damaged_too(tmp_path: Path) -> None:
    written(tmp_path)
    path = tmp_path / "cornet.db"
    whole = bytearray(path.read_bytes())
    whole[whole.index(b"events_remain") + 3] ^= 1 << 7
    path.write_bytes(whole)
    with pytest.raises(NothingToAudit, match="cannot be read as a log"):
        audited(tmp_path)
    log = Log(tmp_path)
    assert "its database cannot be read" in str(log.broken)
    log.close()
    assert path.read_bytes() == whole


@pytest.mark.parametrize(
    "statement", ["UPDATE events SET body = replace(body, '1', '2')", "UPDATE events SET body = CAST(body AS BLOB)"]
)
def test_a_changed_last_event_is_noticed_before_the_next_append(tmp_path: Path, statement: str) -> None:
    log = Log(tmp_path)
    log.append("note", {"number": 1})
    tamper(tmp_path, statement)
    with pytest.raises(BrokenLog, match="event 1: it is not what was written"):
        log.append("note", {})
    log.close()


@pytest.mark.parametrize("instead", [None, "a copy"])
def test_a_log_that_is_taken_away_in_use_takes_no_more(tmp_path: Path, instead: str | None) -> None:
    log = Log(tmp_path)
    log.append("note", {})
    (tmp_path / "cornet.db").rename(tmp_path / "elsewhere")
    if instead:
        shutil.copy(tmp_path / "elsewhere", tmp_path / "cornet.db")
    with pytest.raises(BrokenLog, match="taken away or replaced"):
        log.append("note", {})
    log.close()
    (tmp_path / "elsewhere").replace(tmp_path / "cornet.db")
    log = Log(tmp_path)
    assert (log.broken, log.seq) == (None, 1)
    log.close()


def test_an_audit_passes_over_nothing_that_a_log_in_use_wrote_last(tmp_path: Path) -> None:
    (tmp_path / "theirs").mkdir()
    log = Log(tmp_path / "theirs")
    with closing(sqlite3.connect(tmp_path / "theirs" / "cornet.db")) as reader:
        reader.execute("BEGIN")
        assert reader.execute("SELECT count(*) FROM events").fetchone() == (0,)
        log.append("note", {})
    copy = tmp_path / "copy"
    copy.mkdir()
    for name in ("cornet.db", "cornet.db-wal"):
        shutil.copy(tmp_path / "theirs" / name, copy)
    log.close()
    # As where nothing can be written: there is no room for the memory that the log's readers share.
    (copy / "cornet.db-shm").symlink_to("cornet.db-shm")
    with pytest.raises(NothingToAudit, match="copy it with all that lies beside it"):
        audited(copy)
    (copy / "cornet.db-shm").unlink()
    assert audited(copy).events == 1


def test_what_cannot_be_written_is_said_with_what_to_do() -> None:
    assert why_not(OSError(errno.ENOSPC, "No space left")) == "the disk is full; free some room"
    assert why_not(OSError(errno.EROFS, "Read-only")) == "the disk may only be read; make the data directory writable"
    assert (
        why_not(OSError(errno.EIO, "I/O error"))
        == "the disk does not take it ([Errno 5] I/O error); see whether it is full or failing"
    )
    assert why_not(BrokenLog("It is broken.")) == "It is broken"
    assert (
        why_not(sqlite3.ProgrammingError("closed"))
        == "the disk does not take it (closed); see whether it is full or failing"
    )


def test_a_log_that_is_closed_again_closes_nothing_else(tmp_path: Path) -> None:
    log = Log(tmp_path)
    log.close()
    # The number of the descriptor by which the log held its directory goes to whatever is opened next.
    with (tmp_path / "other").open("w") as other:
        log.close()
        other.write("whole")
    assert (tmp_path / "other").read_text() == "whole"


def test_somebody_else_writing_is_noticed_before_the_next_append(tmp_path: Path) -> None:
    log = Log(tmp_path)
    log.append("note", {})
    other = sqlite3.connect(tmp_path / "cornet.db")
    other.execute("INSERT INTO events VALUES (2, '{}', '00')")
    other.commit()
    other.close()
    with pytest.raises(BrokenLog, match="somebody else"):
        log.append("note", {})
    log.close()


def fill(log: Log) -> None:
    for _ in range(100):
        log.append("note", {"text": "x" * 1000})


def test_a_full_disk_leaves_no_half_event(tmp_path: Path) -> None:
    log = Log(tmp_path)
    log.append("note", {})
    log._database.execute("PRAGMA max_page_count = 5")
    with pytest.raises(sqlite3.OperationalError, match="full"):
        fill(log)
    seq = log.seq
    log._database.execute("PRAGMA max_page_count = 1000")
    assert log.append("note", {}).seq == seq + 1
    log.close()
    again = Log(tmp_path)
    assert again.broken is None
    assert again.seq == seq + 1
    again.close()


def test_a_picture_is_kept_under_its_own_hash(tmp_path: Path) -> None:
    log = Log(tmp_path)
    name = log.keep_frame(b"a picture")
    assert name == log.keep_frame(b"a picture")
    assert (log.frames / f"{name}.jpg").read_bytes() == b"a picture"
    assert [path.name for path in log.frames.iterdir()] == [f"{name}.jpg"]
    log.close()
