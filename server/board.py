"""What everybody is shown: the newest snapshot, and a way to wait for a newer one."""

import threading
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The whole state at one moment, written out once for all who watch."""

    seq: int
    text: str  # JSON


class Board:
    """Holds one snapshot; a slow watcher skips to the newest, so nothing ever queues."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._snapshot = Snapshot(0, "{}")
        self._closed = False

    @property
    def snapshot(self) -> Snapshot:
        """The newest snapshot."""
        return self._snapshot

    def show(self, snapshot: Snapshot) -> None:
        """Replace what is shown and wake everybody who waits."""
        with self._changed:
            self._snapshot = snapshot
            self._changed.notify_all()

    def newer(self, than: int, timeout_s: float) -> Snapshot | None:
        """A snapshot newer than that sequence number, or None after timeout_s or when the board is closed."""
        with self._changed:
            self._changed.wait_for(lambda: self._closed or self._snapshot.seq > than, timeout_s)
            return self._snapshot if self._snapshot.seq > than and not self._closed else None

    @property
    def closed(self) -> bool:
        """Whether nothing more will be shown."""
        return self._closed

    def close(self) -> None:
        """Let everybody who waits go."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
