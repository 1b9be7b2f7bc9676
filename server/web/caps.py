"""What bounds those who ask: the event streams open at once, the pace of requests, and what takes long to answer."""

import threading
import time
from collections import Counter, OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager

from werkzeug.exceptions import ServiceUnavailable

STREAMS = 224
"""Most event streams in all."""
GUESTS_STREAMS = 216
"""Most of all guests together; the others are the console's."""
STREAMS_AN_ADDRESS = 4
REQUESTS_A_SECOND = 5.0
"""So many changing requests an address of guests may send for ever."""
REQUESTS_AT_ONCE = 30
"""So many it may send in one go."""
NOTES_A_MINUTE = 6.0
"""So many of them may write down what no turn bounds: names, seats, doubts, whether to be advised."""
NOTES_AT_ONCE = 24
"""So many in one go: eight seats on one address sit down, change their names and doubt a throw."""

_working = threading.Lock()
_waiting = threading.BoundedSemaphore(8)
"""Whoever is answered or waits for that: the other threads serve everybody else."""


@contextmanager
def in_turn() -> Iterator[None]:
    """Do what may take a second of one core while nobody else does; 503, ask again, where too many wait already."""
    if not _waiting.acquire(blocking=False):
        raise ServiceUnavailable("Others are asking; ask again in a few seconds.", retry_after=1)
    try:
        with _working:
            yield
    finally:
        _waiting.release()


class Pace:
    """A bucket for each address, filled with `at_once` and refilled with `a_second`."""

    _ADDRESSES = 4096

    def __init__(self, at_once: float, a_second: float) -> None:
        self._at_once, self._a_second = at_once, a_second
        self._lock = threading.Lock()
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()  # address: how many, and when that was

    def allows(self, address: str) -> bool:
        """Take one out of the address's bucket; False where it is empty."""
        now = time.monotonic()
        with self._lock:
            left, at = self._left.pop(address, (self._at_once, now))
            left = min(self._at_once, left + (now - at) * self._a_second)
            self._left[address] = max(left - 1, 0.0) if left >= 1 else left, now
            if len(self._left) > self._ADDRESSES:
                self._left.popitem(last=False)
            return left >= 1


class Streams:
    """Counts the open event streams, in all and by address; the console has no cap of its own."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open: Counter[str] = Counter()

    def enter(self, address: str, console: bool) -> bool:
        """Take a place for one more stream; False where there is none left."""
        who = "" if console else address
        with self._lock:
            guests = self._open.total() - self._open[""]
            full = self._open.total() >= STREAMS
            if who:
                full = full or guests >= GUESTS_STREAMS or self._open[who] >= STREAMS_AN_ADDRESS
            if not full:
                self._open[who] += 1
            return not full

    def leave(self, address: str, console: bool) -> None:
        """Give the place back."""
        who = "" if console else address
        with self._lock:
            self._open[who] -= 1
            if not self._open[who]:
                del self._open[who]

    def total(self) -> int:
        """How many are open."""
        with self._lock:
            return self._open.total()
