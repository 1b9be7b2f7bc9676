"""Tables for tests: real log, real rules, simulated parts."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from firmware.simulated import SimulatedTower
from firmware.tower import Tower
from server.eye import BlindEye, Eye
from server.log import Log
from server.table import Table

ABOUT = {"simulated": True, "version": "0", "tower": "sim", "camera": "none", "dice": 10}

MakeTable = Callable[..., Table]


def at_once(throw: Callable[[], None]) -> None:
    throw()


@pytest.fixture
def make_table(tmp_path: Path) -> Iterator[MakeTable]:
    """Makes a table on `tmp_path`; making another one is a restart."""
    open_logs: list[Log] = []

    def make(
        tower: Tower | None = None,
        eye: Eye | None = None,
        run: Callable[[Callable[[], None]], object] = at_once,
        boot: str = "boot",
        **about: Any,
    ) -> Table:
        while open_logs:
            open_logs.pop().close()
        log = Log(tmp_path)
        open_logs.append(log)
        simulated = SimulatedTower("7")
        simulated.resume(log.seq)
        return Table(
            log,
            tower or simulated,
            eye or BlindEye(lambda: simulated.lying, 10),
            boot=boot,
            about={**ABOUT, **about},
            run=run,
            now=lambda: datetime(2026, 11, 21, tzinfo=UTC),
        )

    yield make
    for log in open_logs:
        log.close()
