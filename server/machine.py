"""The machine of one process: its parts, its log, and the table between them, opened and let go of together."""

import argparse
import ctypes
import secrets
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

from calibration.keeping import Keeper
from server.chance import Chance
from server.log import CannotOpen, Log
from server.parts import Parts, WrongParts, choose
from server.settings import BadSettings, Settings
from server.table import Table
from server.wizard import put_in_force
from vision.camera import NoPictures
from vision.tray import BadTray, Tray

CANNOT_OPEN = (CannotOpen, WrongParts, BadSettings, NoPictures)
"""What the caller can mend on the command line."""

_M_TRIM_THRESHOLD, _M_ARENA_MAX = -1, -8  # of mallopt(3)


@dataclass(frozen=True, slots=True)
class Machine:
    """What is open."""

    parts: Parts
    log: Log
    table: Table


def keep_small() -> None:
    """Give what a picture took back to the system at once: glibc's own thresholds keep 100 MB of it for ever."""
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_M_TRIM_THRESHOLD, 2**20)
        mallopt(_M_ARENA_MAX, 2)


@contextmanager
def opened(given: argparse.Namespace, settings: Settings) -> Iterator[Machine]:
    """The machine that the command line asks for; one of CANNOT_OPEN where it cannot be had. Throws have a thread.

    Where its calibration is damaged it is in a fault until that can be read, or is gone.
    """
    keep_small()
    with ExitStack() as closing:
        keeper, damage = Keeper(given.data), ""
        tray: Tray | None = None
        driven = settings.tower
        try:
            tray, driven = keeper.in_force(), keeper.adjust(driven)
        except BadTray as error:
            damage = str(error)
        parts = choose(given.tower, given.camera, given.seed, settings, tray, driven, told=not damage)
        closing.callback(parts.tower.close)
        closing.callback(parts.eye.close)
        log = Log(given.data)
        closing.callback(log.close)
        if tray is not None:
            keeper.keep_for_audit(tray)
        parts.resume(log.seq)
        throws = ThreadPoolExecutor(1, thread_name_prefix="throw")
        closing.callback(throws.shutdown, wait=True, cancel_futures=True)
        chance = Chance(given.data, parts.deal, given.seed)
        boot = secrets.token_hex(8)
        about = {**parts.about, "set": keeper.dice_set(), **keeper.sha256s()}

        def mend(by: str) -> None:
            nonlocal damage
            if damage:
                put_in_force("what was damaged", by, table, parts, keeper, settings)
                damage = ""

        run, load = throws.submit, parts.load
        table = Table(log, parts.tower, parts.eye, boot=boot, about=about, run=run, chance=chance, load=load, mend=mend)
        closing.callback(table.close)
        if damage:
            table.latch("storage", damage)
        throws.submit(parts.warm)
        yield Machine(parts, log, table)
