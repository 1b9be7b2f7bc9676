"""The reserve: room that is kept on the disk for a fault that the log cannot take, so that a full disk forgets none."""

import json
import logging
import os
from contextlib import suppress
from pathlib import Path

from firmware.tower import NoTower, TowerFault

logger = logging.getLogger(__name__)

_FILE = "fault"
_BYTES = 4096
"""A block, and more than any fault's sentence."""


def leave(directory: Path, fault: TowerFault) -> None:
    """Have a fault that showed while no Cornet ran latched by the next one; a missing tower shows again by itself."""
    if isinstance(fault, NoTower):
        return
    reserve = Reserve(directory)
    try:
        directory.mkdir(parents=True, exist_ok=True)
        reserve.prepare()
        reserve.keep(fault.name, str(fault))
    except OSError as error:
        logger.error("The next start will not know of the fault: %s", error)


class Reserve:
    """One file of a data directory, of one size for ever, blank but while a fault is only there."""

    def __init__(self, directory: Path) -> None:
        self._path = directory / _FILE

    def prepare(self) -> None:
        """Take the room where it is not taken yet; without any there is no reserve."""
        with suppress(OSError):
            if not self._path.exists() or self._path.stat().st_size < _BYTES:
                self._put(b"", os.O_CREAT)

    def keep(self, name: str, message: str) -> None:
        """Write a fault into the room that is there; OSError where that cannot be."""
        self._put(json.dumps([name, message]).encode())

    def blank(self) -> None:
        """Forget what is kept: the log has it, or it is cleared."""
        if self.kept():
            with suppress(OSError):
                self._put(b"")

    def kept(self) -> tuple[str, str] | None:
        """The fault that is only there: its name and its sentence."""
        try:
            name, message = json.loads(self._path.read_bytes()) if self._path.is_file() else (None, None)
        except (OSError, ValueError, TypeError, RecursionError):
            return None
        return (name, message) if isinstance(name, str) and isinstance(message, str) else None

    def _put(self, text: bytes, how: int = 0) -> None:
        # In place: another file would need room of its own.
        descriptor = os.open(self._path, os.O_WRONLY | os.O_NOFOLLOW | os.O_NONBLOCK | how, 0o644)
        with os.fdopen(descriptor, "wb", buffering=0) as file:
            file.write(text.ljust(_BYTES)[:_BYTES])
            os.fsync(descriptor)
