"""Time as the machine needs it: durations, never the time of day."""

import time
from typing import Protocol


class Clock(Protocol):
    """Something that measures durations and lets them pass."""

    def now_s(self) -> float:
        """Seconds since any fixed moment; never goes back."""

    def wait_s(self, duration_s: float) -> None:
        """Let so many seconds pass."""


class MonotonicClock:
    """The clock of the computer that nobody can set: the time of day may jump, this goes on."""

    def now_s(self) -> float:
        return time.monotonic()

    def wait_s(self, duration_s: float) -> None:
        time.sleep(duration_s)
