"""The wall clock: what time it is, and whether the computer knows."""

import ctypes
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

_UNSYNCHRONISED = 5  # TIME_ERROR of adjtimex(2)
_REFUSED = -1
_TIMEX_BYTES = 512  # more than struct timex has anywhere
_TIMESYNC = Path("/run/systemd/timesync/synchronized")  # made by systemd-timesyncd (8) once it has set the clock


@dataclass(frozen=True, slots=True)
class Moment:
    """A time of day; the order of events never hangs on it."""

    at: datetime
    synchronised: bool | None  # with a time server, as the kernel knows; None where it cannot be asked


def now() -> Moment:
    """This moment, in UTC."""
    return Moment(datetime.now(UTC), _is_synchronised())


def _is_synchronised() -> bool | None:
    ask = getattr(ctypes.CDLL(None), "adjtimex", None)
    # All zero asks and sets nothing, which needs no right; a service whose clock is protected may not even ask.
    answer = _REFUSED if ask is None else ask(ctypes.create_string_buffer(_TIMEX_BYTES))
    if answer != _REFUSED:
        return bool(answer != _UNSYNCHRONISED)
    return _TIMESYNC.exists() if _TIMESYNC.parent.is_dir() else None
