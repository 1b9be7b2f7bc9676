"""What takes up to a second of one core is done one at a time, and a crowd that asks for it gets no more threads."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from flask import abort

_working = threading.Lock()
_waiting = threading.BoundedSemaphore(4)
"""Whoever is answered or waits for that: the other threads serve everybody else."""


@contextmanager
def in_turn() -> Iterator[None]:
    """Work while nobody else does; 503 where too many wait for that already."""
    if not _waiting.acquire(blocking=False):
        abort(503, "Others are asking; ask again in a few seconds.")
    try:
        with _working:
            yield
    finally:
        _waiting.release()
