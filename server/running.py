"""`cornet run`: the machine and its dashboard, from the first event to the last."""

import argparse
import logging
import os
import secrets
import signal
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from firmware.tower import TowerFault
from server.chance import Chance
from server.log import CannotOpen, Log
from server.parts import Parts, WrongParts, choose
from server.service import JsonLines, feed, notify
from server.serving import PortBusy, Server, listen
from server.settings import BadSettings, read_settings
from server.stage import NotNow
from server.table import Table
from server.web import create_app
from vision.camera import NoPictures
from vision.live import CameraHopeless

logger = logging.getLogger(__name__)

CANNOT_START = (CannotOpen, WrongParts, PortBusy, BadSettings, NoPictures)
"""What the caller can mend on the command line."""


def run(given: argparse.Namespace) -> int:
    """Serve until Ctrl-C or SIGTERM; one of CANNOT_START where that is not possible as asked."""
    _log_to_standard_error()
    service = os.environ.get("NOTIFY_SOCKET", "")
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
    chance = Chance(given.data, parts.deal, given.seed) if parts.deal else None
    boot = secrets.token_hex(8)
    table = Table(log, parts.tower, parts.eye, boot=boot, about=parts.about, run=throws.submit, chance=chance)
    try:
        server = Server(create_app(table, log, frozenset({given.host.lower()})), listening, table.board, table.boot)
        serving = threading.Thread(target=server.run, name="serving")
        serving.start()
        if parts.pressed:
            threading.Thread(target=_follow_button, args=(table, parts.pressed, stop), name="button").start()
        kind = "simulated" if parts.about["simulated"] else "real"
        print(f"Cornet is at http://{given.host}:{listening.getsockname()[1]} ({kind}); Ctrl-C stops it.", flush=True)
        notify(service, "READY=1")
        status = 0
        try:
            feed(stop.wait, lambda: _tend(parts, table), parts.fresh, service)
        except CameraHopeless as error:
            # A new process begins from nothing, which is the only cure for a camera that does not let go.
            logger.error("%s", error)
            status = 1
        notify(service, "STOPPING=1")
        table.close()
        server.stop()
        serving.join()
        server.close()
    finally:
        table.close()
        throws.shutdown(wait=True, cancel_futures=True)
        parts.eye.close()
        log.close()
    return status


def _tend(parts: Parts, table: Table) -> None:
    parts.tend()
    table.refresh()


def _follow_button(table: Table, pressed: Callable[[float], bool], stop: threading.Event) -> None:
    """Press the table's button whenever somebody presses the machine's."""
    while not stop.is_set():
        try:
            if pressed(1.0):
                table.press("button", None, None)
        except NotNow as refusal:
            logger.warning("The button was pressed in vain: %s", refusal)
        except TowerFault as fault:
            table.latch(fault.name, str(fault))


def _log_to_standard_error() -> None:
    """The journal gets a JSON object a line, a person gets a line of text."""
    handler = logging.StreamHandler()
    if "JOURNAL_STREAM" in os.environ:
        handler.setFormatter(JsonLines())
    else:
        handler.setFormatter(logging.Formatter("%(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=logging.WARNING, handlers=[handler])
    # That a request waits for a thread for a moment is no news.
    logging.getLogger("waitress.queue").setLevel(logging.ERROR)
