"""The machine of one process: its parts, its log, and the table between them, opened and let go of together."""

import argparse
import secrets
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

from server.chance import Chance
from server.log import CannotOpen, Log
from server.parts import Parts, WrongParts, choose
from server.settings import BadSettings, Settings
from server.table import Table
from vision.camera import NoPictures

CANNOT_OPEN = (CannotOpen, WrongParts, BadSettings, NoPictures)
"""What the caller can mend on the command line."""


@dataclass(frozen=True, slots=True)
class Machine:
    """What is open."""

    parts: Parts
    log: Log
    table: Table


@contextmanager
def opened(given: argparse.Namespace, settings: Settings) -> Iterator[Machine]:
    """The machine that the command line asks for; one of CANNOT_OPEN where it cannot be had. Throws have a thread."""
    with ExitStack() as closing:
        parts = choose(given.tower, given.camera, given.seed, settings)
        closing.callback(parts.tower.close)
        closing.callback(parts.eye.close)
        log = Log(given.data)
        closing.callback(log.close)
        parts.resume(log.seq)
        throws = ThreadPoolExecutor(1, thread_name_prefix="throw")
        closing.callback(throws.shutdown, wait=True, cancel_futures=True)
        chance = Chance(given.data, parts.deal, given.seed) if parts.deal else None
        boot = secrets.token_hex(8)
        table = Table(log, parts.tower, parts.eye, boot=boot, about=parts.about, run=throws.submit, chance=chance)
        closing.callback(table.close)
        yield Machine(parts, log, table)
