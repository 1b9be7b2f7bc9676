"""Reads a long log in parts: one caller reads, the others are told to come back and keep no thread waiting."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from server.chain import Event
from server.log import Log

PART = 200
"""So many events are read at a time: a log of some years is no burden to the memory, and these take a moment."""


class StillReading(RuntimeError):
    """Much of the log is being read for somebody else who asked."""

    def __init__(self) -> None:
        super().__init__("The log is long and still being read; ask again in a few seconds.")


@contextmanager
def reading(lock: threading.Lock, behind: int) -> Iterator[None]:
    """Hold the lock of whoever reads; StillReading where another does, and has more than a part to read (`behind`)."""
    if not lock.acquire(blocking=behind <= PART):
        raise StillReading
    try:
        yield
    finally:
        lock.release()


def parts(log: Log, after: int) -> Iterator[Event]:
    """The events after one, as many as there are now; BrokenLog as `Log.events` raises it."""
    # Asked once at least: a log that cannot be read says so only then.
    for begun in range(after, max(log.seq, after + 1), PART):
        yield from list(log.events(begun, begun + PART))
