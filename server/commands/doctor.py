"""`cornet doctor`: what the doctor finds, as a table for people or JSON for programs."""

import argparse
import json
import time
from collections.abc import Generator, Iterator
from contextlib import ExitStack, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table

from calibration.keeping import Keeper
from firmware.tower import NoTower
from server import doctor, wallclock
from server.commands.screen import cell
from server.commands.words import Parser, WrongCall, add_address, add_machine
from server.doctor import Finding, State
from server.parts import WrongParts, is_real, live_camera, real_tower, watching
from server.reserve import leave
from server.service import interrupt, on_end
from server.settings import BadSettings, Settings, read_settings
from vision.camera import FolderCamera, NoPictures
from vision.live import LiveCamera
from vision.tray import BadTray

if TYPE_CHECKING:
    from firmware.gpio import GpioTower

_STYLES = {State.OK: "green", State.WARNING: "yellow", State.FAILED: "bold red", State.ABSENT: "dim"}


def arguments(parser: Parser) -> None:
    """What the command takes."""
    parser.add_argument("--move", action="store_true", help="also make one throw, watched by its sensors")
    parser.add_argument("--json", action="store_true", help="print the findings for programs")
    add_address(parser)
    add_machine(parser)


def run(given: argparse.Namespace) -> int:
    """Try every part and print what was found; 1 if one failed."""
    on_end(interrupt)
    try:
        findings = list(_findings(given))
    except (WrongParts, NoPictures) as error:
        raise WrongCall(str(error)) from None
    failed = any(finding.state is State.FAILED for finding in findings)
    if given.json:
        print(json.dumps({"ok": not failed, "findings": [finding.as_json() for finding in findings]}))
        return int(failed)
    table = Table("part", "is", "what was seen", "what to do", highlight=False)
    for finding in findings:
        state = cell(finding.state.value, _STYLES[finding.state])
        table.add_row(finding.part, state, cell(finding.saw), cell(finding.do))
    console = Console()
    console.width = max(console.width, 100)
    console.print(table)
    return int(failed)


def _findings(given: argparse.Namespace) -> Iterator[Finding]:
    real = is_real(given.tower)
    yield from doctor.programs(("pi",) if real else ())
    try:
        settings = read_settings(given.config)
        yield Finding("settings", State.OK, str(given.config or "no file, everything as usual"))
        yield doctor.pin_map(settings.pins)
    except BadSettings as error:
        yield Finding(
            "settings", State.FAILED, str(error), "Mend the file; the rest was tried with the usual settings."
        )
        settings = read_settings(None)
    live = watching(given.camera, settings) if real else live_camera(given.camera, real, settings)
    if given.camera.startswith("frames:"):
        FolderCamera(Path(given.camera.removeprefix("frames:")))  # says what is wrong with it, as cornet run would
    closed = list(doctor.closed(given.data))
    with suppress(BadTray):  # which the calibration's own finding says
        if not closed:
            settings = replace(settings, tower=Keeper(given.data).adjust(settings.tower))
    yield doctor.reader()
    log = closed or [*doctor.disk(given.data), *doctor.log(given.data), doctor.calibration(given.data)]
    yield from log
    yield doctor.clock(wallclock.now().synchronised)
    if doctor.in_use(given.data):
        do = "Stop it (sudo systemctl stop cornet, or Ctrl-C), then try again."
        yield Finding("tower, camera, port", State.ABSENT, f"a Cornet that uses {given.data} has them", do)
        return
    yield doctor.port_free(given.host, given.port)
    latched = doctor.latched(log)
    with ExitStack() as opened:
        tower = yield from _tower(settings, opened) if real else _simulated("tower")
        # While the tower is open its ring light shines.
        yield from _camera(live, opened)
        if given.move:
            yield from _moved(tower, settings, latched, given.data)


def _simulated(part: str) -> Generator[Finding, None, None]:
    yield Finding(part, State.ABSENT, "no Raspberry Pi is here, so cornet run simulates it")


def _tower(settings: Settings, opened: ExitStack) -> Generator[Finding, None, "GpioTower | None"]:
    try:
        tower = opened.enter_context(real_tower(settings.tower, settings.pins, "doctor"))
    except NoTower as error:
        yield Finding("tower", State.FAILED, "it cannot be driven", str(error))
        return None
    yield from doctor.tower(tower, settings.tower, settings.pins)
    return tower


def _camera(live: LiveCamera | None, opened: ExitStack) -> Iterator[Finding]:
    if live is None:
        yield from _simulated("camera")
        return
    opened.callback(live.close)
    yield from doctor.camera(live)


def _moved(tower: "GpioTower | None", settings: Settings, latched: str, data: Path) -> Iterator[Finding]:
    if latched:
        yield Finding("motor", State.ABSENT, f"not tried: {latched}", "See to it and clear it, then try again.")
    elif tower is None:
        yield Finding("motor", State.ABSENT, "not tried, since there is no tower")
    else:
        yield from doctor.moved(tower, settings.tower, time.monotonic, partial(leave, data))
