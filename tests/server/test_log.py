"""The log: what is committed stays, and what was changed is found."""

import sqlite3
from pathlib import Path

import pytest

from server.log import BrokenLog, CannotOpen, Log, canonical, chained


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


def test_a_body_is_the_same_whatever_the_order_of_its_keys() -> None:
    assert canonical({"b": 1, "a": "é"}) == canonical({"a": "é", "b": 1}) == '{"a":"\\u00e9","b":1}'


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


def test_one_flipped_bit_anywhere_in_an_event_is_found(tmp_path: Path) -> None:
    written(tmp_path, 3)
    sound = sqlite3.connect(tmp_path / "cornet.db")
    sound.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    rows = sound.execute("SELECT body, hash FROM events ORDER BY seq").fetchall()
    sound.close()
    path = tmp_path / "cornet.db"
    whole = path.read_bytes()
    places = [whole.index(text.encode()) + at for row in rows for text in row for at in range(len(text))]
    assert len(places) > 200
    for place in places:
        for bit in (0, 3, 7):
            changed = bytearray(whole)
            changed[place] ^= 1 << bit
            path.write_bytes(changed)
            log = Log(tmp_path)
            assert log.broken is not None, f"bit {bit} of byte {place}"
            log.close()
    path.write_bytes(whole)
    log = Log(tmp_path)
    assert log.broken is None
    log.close()


def test_a_file_that_is_no_database_is_kept_and_called_broken(tmp_path: Path) -> None:
    (tmp_path / "cornet.db").write_bytes(b"no database " * 500)
    log = Log(tmp_path)
    assert log.broken is not None
    log.close()
    assert (tmp_path / "cornet.db").read_bytes() == b"no database " * 500


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
