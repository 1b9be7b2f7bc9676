"""`cornet throw`: throws that belong to no game, one or a soak of many; goes on where it was interrupted."""

import argparse
import json
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from functools import partial
from queue import Empty, SimpleQueue
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from calibration.keeping import Keeper
from server.commands.words import Parser, WrongCall, add_machine, add_seed, complain, name, positive
from server.machine import CANNOT_OPEN, Machine, opened
from server.service import at_end, log_to_standard_error
from server.settings import read_settings
from server.stage import NotNow
from server.standing import Soak, Standing
from server.table import Table
from server.web.commission import certificate, commissions, file_of
from vision.files import write_safely
from vision.live import CameraHopeless
from vision.tray import BadTray

CLEARED = ("jammed", "unreadable", "dice-did-not-move")
"""Faults that a commissioning run clears by itself, with nobody there; they are counted in its certificate."""
PATIENCE = 3
"""So many of them in a row, and somebody must look."""
_TEND_S = 1.0


def arguments(parser: Parser) -> None:
    """What the command takes."""
    parser.add_argument("--count", type=positive, default=1, metavar="N", help="how many throws (default %(default)s)")
    parser.add_argument(
        "--expect", type=positive, metavar="N", help="how many dice are in the cornet (else the setting)"
    )
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--set", type=name, metavar="NAME", help="the name of this set of dice, to be written down")
    which.add_argument(
        "--commission", type=name, metavar="SET", help="the same; jams are cleared, and a certificate is written"
    )
    add_machine(parser)
    add_seed(parser)


def run(given: argparse.Namespace) -> int:
    """Throw as often as was asked and print a summary; 1 if it could not be brought to its end."""
    with ExitStack() as closing:
        try:
            said = {} if given.expect is None else {"dice": given.expect}
            settings = read_settings(given.config, **said)
            # Of a damaged calibration a fault would come, and here is nobody to clear it.
            Keeper(given.data).made()
            machine = closing.enter_context(opened(given, settings))
        except (*CANNOT_OPEN, BadTray) as error:
            raise WrongCall(str(error)) from None
        bar = closing.enter_context(_Bar(given.count))
        # Now and not before: what is logged stands above the bar.
        log_to_standard_error()
        try:
            soak = _begun(machine, given)
        except NotNow as refusal:
            complain(str(refusal))
            return 1
        status = _carry_out(machine, soak, bar.show)
        if status == 0 and given.commission is not None:
            return _certify(machine, soak)
        return status


class _Bar(Progress):
    """The progress of a soak, on a terminal only."""

    def __init__(self, count: int) -> None:
        console = Console(stderr=True)
        columns = TextColumn("Throwing"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
        refused = TextColumn("{task.fields[refused]}")
        # The summary belongs on standard output, also while the bar is shown.
        super().__init__(*columns, refused, console=console, redirect_stdout=False, disable=not console.is_terminal)
        self._task = self.add_task("", total=count, refused="")

    def show(self, soak: Soak) -> None:
        """How far it is, and what was refused."""
        refused = ", ".join(f"{number} {verdict}" for verdict, number in soak.refused.most_common())
        self.update(self._task, completed=soak.thrown, refused=f"refused: {refused}" if refused else "")


def _begun(machine: Machine, given: argparse.Namespace) -> Soak:
    """The soak that the same call began and that has not come to its end, or a new one."""
    about, count = machine.parts.about, given.count
    asked: dict[str, Any] = {"count": count, "set": given.set}
    asked |= {name: about[name] for name in ("dice", "tower", "camera", "turns") if name in about}
    if given.commission is not None:
        asked |= {"set": given.commission, "commission": True}
    known = machine.table.ask(lambda standing: list(standing.soaks.values()))
    open_ones = (soak for soak in known if soak.asked == asked and not _is_done(machine, soak))
    return next(open_ones, None) or machine.table.begin_soak(asked, "console")


def _carry_out(machine: Machine, soak: Soak, show: Callable[[Soak], None]) -> int:
    table, count = machine.table, soak.asked["count"]
    turns: SimpleQueue[None] = SimpleQueue()
    ending = threading.Event()
    table.board.wake = lambda: turns.put(None)

    def end() -> None:
        ending.set()
        table.close()
        turns.put(None)

    at_end(end)
    resumed_at, began_s, reason = soak.thrown, time.monotonic(), ""
    thrown, patience = soak.thrown, PATIENCE
    try:
        while soak.thrown < count and not ending.is_set():
            show(soak)
            patience = PATIENCE if soak.thrown > thrown else patience
            thrown = soak.thrown
            if patience and soak.asked.get("commission") and table.ask(partial(_jam, soak)):
                patience -= 1
                soak = _cleared(table, soak.event)
            table.try_dice(soak, "console")
            while table.busy and not ending.is_set():
                with suppress(Empty):
                    turns.get(timeout=_TEND_S)
                machine.parts.tend()
        show(soak)
    except (NotNow, CameraHopeless) as error:
        # The table may have been closed just when the next throw should begin.
        reason = "" if ending.is_set() else str(error)
    # With the table's lock, so that a throw that ended at this very moment is in it.
    summary = table.ask(lambda standing: _summary(machine, soak))
    print(json.dumps({**summary, "resumed_at": resumed_at, "seconds": round(time.monotonic() - began_s, 1)}))
    if soak.thrown >= count:
        return 0
    then = f"{soak.thrown} of {count} throws are done; the same command goes on with the next."
    complain(f"{reason} {then}".lstrip())
    return 1


def _is_done(machine: Machine, soak: Soak) -> bool:
    """Whether nothing of a soak is left to do, its certificate included."""
    certified = (machine.log.directory / file_of(soak.event)).exists() or not soak.asked.get("commission")
    return bool(soak.thrown >= soak.asked["count"] and certified)


def _jam(soak: Soak, standing: Standing) -> bool:
    """Whether the latched fault is one that a commissioning run may clear by itself, of a throw of its own."""
    own = standing.failed.get("soak") == soak.event
    return own and standing.fault is not None and standing.fault[0] in CLEARED


def _cleared(table: Table, event: int) -> Soak:
    """Clear the fault; the soak, which with everything else is taken from the log anew."""
    table.clear_fault("commission")
    return table.ask(lambda standing: standing.soaks[event])


def _certify(machine: Machine, soak: Soak) -> int:
    """Write the certificate of a commissioning run and say where it is; 1 where it cannot be written."""
    run = commissions(machine.log.events())[soak.event]
    path = machine.log.directory / file_of(soak.event)
    try:
        path.parent.mkdir(exist_ok=True)
        write_safely(path, certificate(run).encode())
    except OSError as error:
        complain(
            f"All is thrown, but {path} cannot be written ({error.strerror}): mend that; the same command writes it."
        )
        return 1
    complain(f"The certificate is {path}.")
    return 0


def _summary(machine: Machine, soak: Soak) -> dict[str, Any]:
    return {
        "soak": soak.event,
        **soak.asked,
        "simulated": machine.parts.about["simulated"],
        "thrown": soak.thrown,
        "faces": [soak.faces[face] for face in range(1, 7)],
        "refused": dict(soak.refused),
        "last": soak.last and {"faces": [die["face"] for die in soak.last["dice"]], "frame": soak.last["frame"]},
        "head": machine.log.head[:8],
    }
