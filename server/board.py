"""What everybody is shown: the newest snapshot, and who watches it."""

import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The whole state at one moment, written out once for all who watch."""

    seq: int
    text: str  # JSON


class Board:
    """Holds one snapshot; a slow watcher skips to the newest, so nothing ever queues.

    `wake` is called after each change, in the thread that made it: whoever brings snapshots to the watchers sets it.
    """

    def __init__(self) -> None:
        self.wake: Callable[[], None] = lambda: None
        self._lock = threading.Lock()
        self._snapshot = Snapshot(0, "{}")
        self._watching: Counter[int] = Counter()

    @property
    def snapshot(self) -> Snapshot:
        """The newest snapshot."""
        return self._snapshot

    def show(self, snapshot: Snapshot) -> None:
        """Replace what is shown."""
        self._snapshot = snapshot
        self.wake()

    def come(self, seat: int) -> None:
        """The guest of this seat opens a stream."""
        with self._lock:
            self._watching[seat] += 1

    def go(self, seat: int) -> None:
        """The guest of this seat closes a stream."""
        with self._lock:
            self._watching[seat] -= 1

    @property
    def present(self) -> frozenset[int]:
        """The seats whose guests have a stream open."""
        with self._lock:
            self._watching += Counter()  # drops those who have gone
            return frozenset(self._watching)
