"""Who reads a long log, and how."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from server import backlog
from server.backlog import PART, StillReading, parts, reading
from server.chain import Event
from server.log import Log


def test_a_long_log_is_read_in_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = Log(tmp_path)
    for number in range(8):
        log.append("note", {"number": number})
    held: list[int] = []
    whole = log.events

    def events(after: int, last: int) -> Iterator[Event]:
        held.append(last - after)
        return whole(after, last)

    monkeypatch.setattr(log, "events", events)
    monkeypatch.setattr(backlog, "PART", 3)
    assert [event.seq for event in parts(log, 0)] == list(range(1, 9))
    assert [event.seq for event in parts(log, 7)] == [8]
    assert list(parts(log, 8)) == []
    assert set(held) == {3}
    log.close()


def test_nobody_waits_for_a_part_that_takes_more_than_a_moment() -> None:
    lock = threading.Lock()
    with reading(lock, 10 * PART), pytest.raises(StillReading, match="ask again"), reading(lock, PART + 1):
        raise AssertionError("two read at once")
    with reading(lock, 10 * PART):
        pass
