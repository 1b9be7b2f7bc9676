"""`cornet run`: the machine and its dashboard, from the first event to the last."""

import argparse
import logging
import os
import socket
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import partial

from calibration.keeping import Keeper
from firmware.tower import Interrupted, TowerFault
from server.commands.words import Parser, WrongCall, add_address, add_machine, add_seed
from server.house import House
from server.machine import CANNOT_OPEN, Machine, opened
from server.parts import Parts, Pressed
from server.retention import EVERY_S, expire
from server.service import Supervisor, at_end, feed, log_to_standard_error
from server.settings import Settings, read_settings
from server.stage import NotNow
from server.standing import Standing
from server.table import Table
from server.wallclock import now
from server.web.app import create_app
from server.web.handed import handed
from server.web.serving import PortBusy, Server, listen
from server.wizard import Wizard
from vision.live import CameraHopeless

logger = logging.getLogger(__name__)

_LAMP_S = 0.2  # so late the lamp follows the game


def arguments(parser: Parser) -> None:
    """What the command takes."""
    add_address(parser)
    add_machine(parser)
    add_seed(parser)


def run(given: argparse.Namespace) -> int:
    """Serve until Ctrl-C or SIGTERM."""
    try:
        return _run(given)
    except (*CANNOT_OPEN, PortBusy) as error:
        raise WrongCall(str(error)) from None


def _run(given: argparse.Namespace) -> int:
    log_to_standard_error()
    supervisor = Supervisor(os.environ.get("NOTIFY_SOCKET", ""))
    stop = threading.Event()
    at_end(stop.set)
    settings = read_settings(given.config)
    # The port before the log: where it is busy, nothing is written.
    with listen(given.host, given.port) as listening, opened(given, settings) as machine:
        expiry = threading.Thread(target=_expire_pictures, args=(machine, settings, stop), name="expiry", daemon=True)
        expiry.start()
        return _serve(given.host, machine, listening, settings, stop, supervisor)


def _serve(
    host: str,
    machine: Machine,
    listening: socket.socket,
    settings: Settings,
    stop: threading.Event,
    supervisor: Supervisor,
) -> int:
    table, parts = machine.table, machine.parts
    steps = ThreadPoolExecutor(1, thread_name_prefix="calibration")
    wizard = Wizard(table, parts, Keeper(machine.log.directory), settings, steps.submit)
    app = create_app(table, machine.log, frozenset({host.lower()}), settings.values, wizard, parts.glimpse)
    server = Server(app, listening, table.board, table.boot)
    failed = threading.Event()
    begin = partial(_begin, stop, failed)
    serving = begin("serving", server.run)
    with ExitStack() as closing:
        # Done from the last to the first, each whatever became of those before; no step begins once the table is
        # closed.
        for close in (steps.shutdown, server.close, serving.join, server.stop, wizard.stop, table.close):
            closing.callback(close)
        closing.callback(supervisor.tell, "STOPPING=1")
        closing.callback(stop.set)
        begin("odds", partial(handed(app).foresight.follow, stop.wait))
        begin("house", partial(House(table).follow, stop.wait))
        if parts.pressed:
            begin("button", partial(_follow_button, table, parts.pressed, parts.lamp, stop))
        where = f"[{host}]" if ":" in host else host
        kind = "simulated" if parts.about["simulated"] else "real"
        print(f"Cornet is at http://{where}:{listening.getsockname()[1]} ({kind}); Ctrl-C stops it.", flush=True)
        supervisor.tell("READY=1")
        try:
            feed(stop.wait, lambda: _tend(parts, table), lambda: parts.fresh() and table.fresh, supervisor.tell)
        except CameraHopeless as error:
            # A new process begins from nothing, which is the only cure for a camera that does not let go.
            logger.error("%s", error)
            return 1
    return int(failed.is_set())


def _begin(stop: threading.Event, failed: threading.Event, name: str, work: Callable[[], object]) -> threading.Thread:
    """Work in a thread of that name; if it fails, the program stops, rather than go on without pages or button."""

    def carry_out() -> None:
        try:
            work()
        except Exception:
            logger.exception("What sees to the %s failed; the program ends.", name)
            failed.set()
            stop.set()

    thread = threading.Thread(target=carry_out, name=name)
    thread.start()
    return thread


def _tend(parts: Parts, table: Table) -> None:
    parts.tend()
    table.tend()


def _follow_button(table: Table, pressed: Pressed, lamp: Callable[[bool], None], stop: threading.Event) -> None:
    """Press the table's button whenever somebody presses the machine's; its lamp is lit while a throw is due."""

    def latch(fault: TowerFault) -> None:
        table.latch(fault.name, str(fault))

    while not stop.is_set():
        try:
            # Waited first, so that a lamp that fails is not tried again and again without a pause.
            if pressed(_LAMP_S, latch):
                table.press("button", None, None)
            lamp(table.due)
        except NotNow as refusal:
            logger.warning("The button was pressed in vain: %s", refusal)
        except TowerFault as fault:
            latch(fault)
        except Interrupted:
            return  # the machine is being closed


def _expire_pictures(machine: Machine, settings: Settings, stop: threading.Event) -> None:
    """Remove old pictures, now and once an hour; none while nobody knows which must stay."""
    while True:
        try:
            if machine.table.is_replayed:
                kept = machine.table.ask(Standing.pictures)
                expire(machine.log.frames, kept, now(), settings.keep_days, settings.keep_mb * 2**20)
        except OSError as error:
            logger.error("Old pictures cannot be removed: %s", error)
        if stop.wait(EVERY_S):
            return
