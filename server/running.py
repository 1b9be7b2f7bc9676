"""`cornet run`: the machine and its dashboard, from the first event to the last."""

import argparse
import logging
import secrets
import signal
import threading
from concurrent.futures import ThreadPoolExecutor

from server.log import CannotOpen, Log
from server.parts import WrongParts, choose
from server.serving import PortBusy, Server, listen
from server.settings import BadSettings, read_settings
from server.table import Table
from server.web import create_app
from vision.camera import NoPictures

CANNOT_START = (CannotOpen, WrongParts, PortBusy, BadSettings, NoPictures)
"""What the caller can mend on the command line."""


def run(given: argparse.Namespace) -> int:
    """Serve until Ctrl-C or SIGTERM; one of CANNOT_START where that is not possible as asked."""
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    settings = read_settings(given.config)
    parts = choose(given.tower, given.camera, given.seed, settings)
    # The port before the log: where it is busy, nothing is written.
    listening = listen(given.host, given.port)
    log = Log(given.data)
    parts.resume(log.seq)
    throws = ThreadPoolExecutor(1, thread_name_prefix="throw")
    table = Table(log, parts.tower, parts.eye, boot=secrets.token_hex(8), about=parts.about, run=throws.submit)
    try:
        server = Server(create_app(table, log, frozenset({given.host.lower()})), listening)
        serving = threading.Thread(target=server.run, name="serving")
        serving.start()
        print(
            f"Cornet is at http://{given.host}:{listening.getsockname()[1]} (simulated); Ctrl-C stops it.", flush=True
        )
        stop.wait()
        table.close()
        server.stop()
        serving.join()
        server.close()
    finally:
        table.close()
        throws.shutdown(wait=True, cancel_futures=True)
        parts.eye.close()
        log.close()
    return 0
