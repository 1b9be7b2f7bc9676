"""The wall clock: what time it is, and whether the computer knows."""

import ctypes
from dataclasses import dataclass
from datetime import UTC, datetime

_UNSYNCHRONISED = 5  # TIME_ERROR of adjtimex(2)
_TIMEX_BYTES = 512  # more than struct timex has anywhere


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
    # All zero asks and sets nothing, which needs no right.
    return None if ask is None else ask(ctypes.create_string_buffer(_TIMEX_BYTES)) != _UNSYNCHRONISED
