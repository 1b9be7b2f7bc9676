"""The chain: how events are written and hold to one another, wherever they are kept."""

import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from server.shapes import decoded, is_halved, misshapen

START = bytes(32)
"""What the first event is chained to."""


class BrokenLog(RuntimeError):
    """The log is not what was written; the message names the place."""


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened, as it was committed."""

    seq: int  # from 1, without a gap
    kind: str
    body: dict[str, Any]
    hash: str  # SHA-256 in hexadecimal of 0x00, the hash before, and the canonical body


def canonical(body: dict[str, Any]) -> str:
    """The one way in which a body is written: keys sorted, no spaces, ASCII."""
    return json.dumps(body, sort_keys=True, separators=(",", ":"), allow_nan=False)


def chained(previous: bytes, text: str) -> bytes:
    """The hash of an event; the prefix keeps it apart from the nodes of a later tree (RFC 6962, section 2.1)."""
    return hashlib.sha256(b"\x00" + previous + text.encode()).digest()


def walk(rows: Iterable[tuple[object, object, object]], seq: int = 0, head: bytes = START) -> Iterator[Event]:
    """The events of these rows (seq, body, hash), each checked against the one before; BrokenLog at the first fault.

    `seq` and `head` are those of the event before the first row.
    """
    for found, text, digest in rows:
        if found != seq + 1:
            raise BrokenLog(f"The log is broken at event {seq + 1}: it is missing.")
        if not isinstance(text, str) or not isinstance(digest, str) or chained(head, text).hex() != digest:
            raise BrokenLog(f"The log is broken at event {seq + 1}: it, or the one before it, is not what was written.")
        seq, head = seq + 1, bytes.fromhex(digest)
        event = event_of(seq, text, digest)
        wrong = misshapen(event.kind, event.body)
        if wrong:
            raise BrokenLog(f"The log is broken at event {seq}: its field {wrong} is missing or wrong.")
        if is_halved(text):
            raise BrokenLog(f"The log is broken at event {seq}: it holds half a letter.")
        yield event


def event_of(seq: int, text: str, digest: str) -> Event:
    """The event of a row; BrokenLog where its text is none."""
    try:
        body = decoded(text)
    except (ValueError, RecursionError):
        # Whoever forges a chain can write anything into it.
        raise BrokenLog(f"The log is broken at event {seq}: it is no JSON.") from None
    if not isinstance(body, dict) or not isinstance(body.get("kind"), str):
        raise BrokenLog(f"The log is broken at event {seq}: it says nothing of its kind.")
    return Event(seq, body.pop("kind"), body, digest)
