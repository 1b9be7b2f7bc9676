"""Cornets that are there at once: each is forked from a process that has loaded, once, what all of them need."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path

# Loaded for those that are forked.
import server.commands.run  # noqa: F401
from server import foresight
from server.cli import main
from tests.conftest import Running

_FORKING = get_context("forkserver")
_FORKING.set_forkserver_preload([__name__])


def _serve(told: Connection, words: list[str]) -> None:
    """Be a cornet, of which this connection is the standard output."""
    # To better a chance takes half a processor as long as a game stands, and no page tells fifty games from thousands.
    foresight.MOST_GAMES = 50
    with open(told.fileno(), "w", closefd=False) as sys.stdout:
        sys.exit(main(words))


@contextmanager
def forked(data: Path, *words: str) -> Iterator[Running]:
    """`cornet run` as `tests.conftest.running` has it, without its half a second of loading."""
    said, told = _FORKING.Pipe(duplex=False)
    process = _FORKING.Process(target=_serve, args=(told, ["run", "--port", "0", "--data", str(data), *words]))
    process.start()
    told.close()
    try:
        with open(said.fileno(), closefd=False) as lines:
            line = lines.readline()
        assert line.startswith("Cornet is at "), "What it says instead stands on standard error."
        yield Running(process, line.split()[3].rstrip(";"))
    finally:
        process.kill()
        process.join()
        said.close()
