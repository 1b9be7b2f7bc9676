"""The room on the disk: pictures are kept for so many days and in so much of it, those of doubted throws for good."""

import logging
import os
import shutil
from collections.abc import Iterator, Set
from pathlib import Path

from server.wallclock import Moment

logger = logging.getLogger(__name__)

EVERY_S = 3600.0
"""How often the pictures are looked through, in seconds."""
ROOM_BYTES = 64 * 2**20
"""Least free space on the disk before the motor turns."""
_DAY_S = 86_400
_UNDATED = "undated"
"""A file beside the pictures while some were written by a clock that nobody set; as old as the first of those."""


def expire(frames: Path, kept: Set[str], moment: Moment, days: int, budget_bytes: int) -> list[str]:
    """Remove the pictures that are older than so many days, then the oldest until the others fit; their names.

    Those in `kept` stay whatever their age, and their room counts. By a clock that is not synchronised nothing ages,
    and what was written by it is as old as the moment when the time was known again.
    """
    mark = frames / _UNDATED
    if moment.synchronised is not False:
        _date(mark, moment)
    pictures = sorted((about.st_mtime, about.st_size, path) for about, path in _pictures(frames))
    excess = sum(size for _, size, _ in pictures) - budget_bytes
    oldest_s = 0.0 if moment.synchronised is False else moment.at.timestamp() - days * _DAY_S
    removed = []
    for written_s, size, path in pictures:
        if path.stem not in kept and (written_s < oldest_s or excess > 0):
            try:
                path.unlink()
            except OSError as error:
                # One that cannot go must not keep the others from going.
                logger.warning("The picture %s cannot be removed: %s", path, error.strerror)
                continue
            removed.append(path.stem)
            excess -= size
    if moment.synchronised is False:
        # Only now: on a full disk there may be room for it.
        _mark(mark, moment)
    if excess > 0:
        logger.warning("The pictures that are kept for good need %d MB more than all may have.", excess // 2**20 + 1)
    return removed


def _pictures(frames: Path) -> Iterator[tuple[os.stat_result, Path]]:
    """Each picture of a directory; a link that leads nowhere is none."""
    for path in frames.glob("*.jpg"):
        try:
            yield path.stat(), path
        except OSError as error:
            logger.warning("The picture %s cannot be looked at: %s", path, error.strerror)


def _mark(mark: Path, moment: Moment) -> None:
    """From now on the time of what is written says nothing."""
    now_s = moment.at.timestamp()
    # Such a clock may begin anew at each start.
    if not mark.exists() or now_s < mark.stat().st_mtime:
        mark.touch()
        os.utime(mark, (now_s, now_s))


def _date(mark: Path, moment: Moment) -> None:
    """What was written since the mark was set, or seems so, is as old as this moment: rather kept too long."""
    if mark.exists():
        since_s, now_s = mark.stat().st_mtime, moment.at.timestamp()
        for about, path in _pictures(mark.parent):
            if about.st_mtime >= since_s:
                os.utime(path, (now_s, now_s))
        mark.unlink()


def free_mb(data: Path) -> int | None:
    """The room that is left for the data directory, in megabytes; None where it is gone."""
    try:
        return shutil.disk_usage(data).free // 2**20
    except OSError:
        return None


def no_room(data: Path) -> str:
    """Why nothing may be thrown for want of room, as a sentence; empty where there is enough."""
    try:
        free = shutil.disk_usage(data).free
    except OSError as error:
        return f"The data directory {data} is gone ({error.strerror}): put it back, start again."
    if free >= ROOM_BYTES:
        return ""
    return f"The disk has only {free // 2**20} MB left, {ROOM_BYTES // 2**20} are needed: free some."
