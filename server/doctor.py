"""The doctor: each part of the machine tried and judged in words. Nothing moves unless that is asked for."""

import fcntl
import os
import re
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import Enum
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path
from typing import Protocol

from calibration.keeping import Keeper
from calibration.motor import JAM, LEAST_A
from firmware.health import Health
from firmware.pins import PINS, Pins
from firmware.senses import Senses
from firmware.settings import TowerSettings
from firmware.simulated import SimulatedTower
from firmware.tower import NoTower, TowerFault
from server.chain import BrokenLog
from server.evidence import NothingToAudit, evidence_of, replaying
from server.eye import CameraEye
from server.log import DATABASE, FRAMES, CannotOpen, check_names, lost
from server.parts import rendered
from server.reserve import Reserve
from server.retention import ROOM_BYTES
from server.standing import Standing
from server.throwing import REFUSALS
from server.web.serving import PortBusy, listen
from vision.camera import CameraLost
from vision.live import CameraHopeless, LiveCamera
from vision.picture import Image
from vision.sharpness import edge_px, widest_px
from vision.tray import BadTray

# Where each limit comes from is said with it. The figures of pictures were measured on rendered ones of the simulated
# cornet, those of time by tests/benchmarks/press_to_score.py: 4.8 s of the six that are allowed, in the middle.

IDLE_A = 0.05
"""A bridge whose inputs are low draws microamperes, an awake one some milliamperes; the least motor draws 0.1 A."""
SLOW_SYNC_S = 0.2
"""Four of these lie between a press and its score: press, picture, its folder, score. They may take 1.2 s."""
DIM = 20
"""Mean grey level, of 255: drawn pictures have 73; at 18 they are still read, at 15 refused as too dark."""
WASHED_OUT = 0.002
"""Share of a picture that is white: none in good light, 0.01 at 1.4 times it; at 2.5 times, 0.04, dice are refused."""
SLOW_READ_MS = 1000.0
"""What is left of the six seconds for reading, which takes 50 ms on a laptop."""
_WHITE = 250  # of 255, in all three colours
_SYNCS, _SYNC_BYTES = 10, 4096
_FRAME_S = 5.0  # as long as a throw waits for rest
_JAM_OFF = 0.25  # so a jam is 1.2 to 2 times what a turning cone draws: above that, below what a stall draws
_PAST = 0xF0000  # the bits of get_throttled that tell of the time since the start


class State(Enum):
    """How it is with a part."""

    OK = "ok"
    WARNING = "warning"
    FAILED = "failed"
    ABSENT = "absent"  # not there, simulated, or not tried


@dataclass(frozen=True, slots=True)
class Finding:
    """What was found of one part, in words."""

    part: str
    state: State
    saw: str
    do: str = ""

    def as_json(self) -> dict[str, str]:
        """The same for programs."""
        return {"part": self.part, "state": self.state.value, "saw": self.saw, "do": self.do}


class Tried(Protocol):
    """A real tower, as far as the doctor asks it."""

    def senses(self) -> Senses: ...
    def tumble(self) -> None: ...


# The program


def programs(extras: tuple[str, ...]) -> Iterator[Finding]:
    """Python and every package that the program, with these extras, asks for."""
    yield Finding("Python", State.OK, ".".join(map(str, sys.version_info[:3])))
    there, missing = [], []
    for line in requires("cornet") or ():
        name, _, extra = line.partition("; extra == ")
        if extra and extra.strip("\"'") not in extras:
            continue
        package = re.split(r"[^\w.-]", name, maxsplit=1)[0]
        try:
            there.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            missing.append(package)
    if missing:
        yield Finding("packages", State.FAILED, f"missing: {', '.join(missing)}", "Install the program again.")
    else:
        yield Finding("packages", State.OK, ", ".join(there))


def reader() -> Finding:
    """Whether the reader reads rendered dice on this computer, and how fast."""
    tower = SimulatedTower("doctor")
    camera = rendered(lambda: tower.lying)
    eye = CameraEye(camera, len(tower.lying))
    eye.warm()  # so that the milliseconds are those of reading alone
    for _ in range(REFUSALS):
        tower.tumble()
        # One picture is enough: a busy computer may take longer to draw several than dice are waited for.
        frame = camera.frame(_FRAME_S)
        began_s = time.perf_counter()
        reading = eye.look((frame, True)).reading
        took_ms = 1000 * (time.perf_counter() - began_s)
        if reading.ok:
            break
    if sorted(str(die.face) for die in reading.dice) != sorted(str(die.face) for die in tower.lying) or not reading.ok:
        return Finding("reader", State.FAILED, f"rendered dice are read wrong: {reading.message}", "Install it again.")
    saw = f"ten rendered dice are read in {took_ms:.0f} ms"
    if took_ms > SLOW_READ_MS:
        return Finding("reader", State.WARNING, saw, "End what else keeps this computer busy.")
    return Finding("reader", State.OK, saw)


def pin_map(pins: Pins) -> Finding:
    """The pin map, which was checked when the settings were read."""
    return Finding("pins", State.OK, ", ".join(f"{line.name} {getattr(pins, line.name)}" for line in PINS))


# The tower


def tower(tried: Tried, settings: TowerSettings, pins: Pins) -> Iterator[Finding]:
    """What the tower senses while nothing moves."""
    try:
        senses = tried.senses()
    except OSError as error:
        yield _silent(error)
        return
    except NoTower as error:
        yield Finding("computer", State.FAILED, str(error), "Do that, then try again.")
        return
    yield _lid(senses, pins)
    yield _power(senses, pins)
    home = "over its mark" if senses.at_home else "not over its mark"
    yield Finding(
        "home sensor", State.OK, home, f"Turn the cone by hand and try again: at the mark GPIO {pins.home} must change."
    )
    if abs(senses.amps) > IDLE_A:
        do = "Unplug the 12 V now; then look at the bridge and its wires, and at the sensor's shunt."
        yield Finding("current sensor", State.FAILED, f"{senses.amps:.2f} A flow though the motor is off", do)
    else:
        yield Finding("current sensor", State.OK, f"{senses.amps:.3f} A while the motor is off")
    yield computer(senses.health, settings.hot_c)


def _lid(senses: Senses, pins: Pins) -> Finding:
    if senses.lid_closed:
        return Finding("lid", State.OK, "shut")
    do = f"Shut it; if it is shut, look at its switch and the wire to GPIO {pins.lid}."
    return Finding("lid", State.FAILED, "open", do)


def _silent(error: OSError) -> Finding:
    do = "Check the four wires of the INA219, then try again; nothing more of the tower was tried."
    return Finding("current sensor", State.FAILED, f"it does not answer ({error})", do)


def _power(senses: Senses, pins: Pins) -> Finding:
    part = "12 V, emergency stop"
    if senses.powered and not senses.lid_closed:
        do = f"Unplug the 12 V: the lid's switch for it does not open, or the wire to GPIO {pins.lid} is broken."
        return Finding(part, State.FAILED, "12 V though the lid is open", do)
    if senses.powered:
        return Finding(part, State.OK, "12 V behind emergency stop and lid")
    if not senses.lid_closed:
        return Finding(part, State.ABSENT, "no 12 V, as it must be while the lid is open", "Shut the lid, try again.")
    do = f"Release the emergency stop; if it is not pressed: supply, fuse, the divider at GPIO {pins.power}."
    return Finding(part, State.FAILED, "no 12 V although the lid is shut", do)


def computer(health: Health, hot_c: float) -> Finding:
    """Voltage and temperature of the Raspberry Pi."""
    trouble = health.trouble(hot_c)
    if trouble:
        return Finding("computer", State.FAILED, trouble.name, str(trouble))
    saw = f"{health.celsius:.0f} °C, voltage well"
    if health.throttled & _PAST:
        do = "Give it its own official supply, a short cable, and air."
        return Finding("computer", State.WARNING, f"{saw} now, but not always since the start", do)
    return Finding("computer", State.OK, saw)


def moved(
    tried: Tried, settings: TowerSettings, now_s: Callable[[], float], leave: Callable[[TowerFault], None]
) -> Iterator[Finding]:
    """One throw, watched by its sensors: motor, encoder, home mark, current; `leave` is told a fault."""
    try:
        edges, began_s = tried.senses().encoder_edges, now_s()
        tried.tumble()
        took_s, senses = now_s() - began_s, tried.senses()
    except TowerFault as fault:
        leave(fault)
        yield Finding("motor", State.FAILED, fault.name, str(fault))
        return
    except OSError as error:
        yield _silent(error)
        return
    turns = (senses.encoder_edges - edges) / settings.edges_per_turn
    yield Finding("motor", State.OK, f"{turns:.1f} turns by the encoder, home found, floor down after {took_s:.1f} s")
    right_a = JAM * senses.highest_a
    saw = f"at most {senses.highest_a:.2f} A while it turned; jam_a is {settings.jam_a:g}"
    if senses.highest_a < LEAST_A:
        do = "Look at the INA219: the motor's 12 V must pass its shunt, from VIN+ (board) to VIN- (bridge)."
        yield Finding("motor current", State.FAILED, f"{saw}: the sensor does not see the motor", do)
    elif abs(settings.jam_a - right_a) > _JAM_OFF * right_a:
        do = f"After some throws set jam_a to {JAM:g} times the highest current; by this one {right_a:.2f}."
        yield Finding("motor current", State.WARNING, saw, do)
    else:
        yield Finding("motor current", State.OK, saw)


# The camera


def camera(live: LiveCamera) -> Iterator[Finding]:
    """A picture of the real camera: whether it comes, its age, light and sharpness."""
    try:
        live.tend()
        frame = live.frame(_FRAME_S)
    except (CameraLost, CameraHopeless) as error:
        yield Finding("camera", State.FAILED, "no picture", str(error))
        return
    height, width = frame.image.shape[:2]
    age_ms = (time.time_ns() - frame.taken_ns) / 1e6
    yield Finding("camera", State.OK, f"a picture of {width} x {height} pixels, {age_ms:.0f} ms old")
    yield from picture(frame.image)


def picture(image: Image) -> Iterator[Finding]:
    """Light and sharpness of a picture."""
    mean, white = float(image.mean()), float((image >= _WHITE).all(axis=2).mean())
    saw = f"mean grey level {mean:.0f} of 255, {white:.1%} of the picture white"
    if mean < DIM:
        yield Finding("light", State.FAILED, saw, "See that the ring light shines, then calibrate the light.")
    elif white > WASHED_OUT:
        do = "See that no lamp shines into the camera or on shiny things, then calibrate the light."
        yield Finding("light", State.FAILED, saw, do)
    else:
        yield Finding("light", State.OK, saw)
    width = edge_px(image)
    saw = f"the sharpest edges are {width:.1f} pixels wide"
    if width > widest_px(image):
        do = "Lay dice on the floor; wipe the window; set the focus (calibrate)."
        yield Finding("sharpness", State.FAILED, saw, do)
    else:
        yield Finding("sharpness", State.OK, saw)


# The data directory and the log


def in_use(data: Path) -> bool:
    """Whether a Cornet holds this data directory."""
    try:
        if not (data / "lock").is_file():
            return False
        with (data / "lock").open("rb") as hold:
            fcntl.flock(hold, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False


def closed(data: Path) -> Iterator[Finding]:
    """That the data directory cannot be used, as `cornet run` would say too; nothing where all is well."""
    try:
        check_names(data)
        (data / DATABASE).stat()
    except FileNotFoundError:
        pass
    except CannotOpen as error:
        yield Finding("disk", State.FAILED, f"{data} cannot be used", str(error))
    except OSError as error:
        do = "Make it readable and writable for this user, or name another with --data."
        yield Finding("disk", State.FAILED, f"{data} cannot be used ({error.strerror})", do)


def disk(data: Path) -> Iterator[Finding]:
    """Room and speed of the disk; a small file is written and taken away again."""
    # Where it is not there yet, it is made in the nearest folder above it.
    folder = next(each for each in (data / FRAMES, data, *data.absolute().parents) if each.is_dir())
    free = shutil.disk_usage(folder).free
    saw = f"{free / 2**30:.1f} GB free in {data}"
    if free < ROOM_BYTES:
        yield Finding("disk", State.FAILED, saw, f"Free some: below {ROOM_BYTES // 2**20} MB nothing is thrown.")
    elif not data.is_dir():
        yield Finding("disk", State.ABSENT, f"there is no {data} yet", "cornet run makes it.")
    else:
        yield Finding("disk", State.OK, saw)
    try:
        synced_s = _synced_s(folder)
    except OSError as error:
        do = "Make it writable for this user, or free some room."
        yield Finding("writing", State.FAILED, f"{folder} cannot be written ({error.strerror})", do)
        return
    saw = f"a write is on the disk after {1000 * synced_s:.1f} ms"
    slow = synced_s > SLOW_SYNC_S
    do = "Use an endurance card or an SSD; every throw waits for it." if slow else ""
    yield Finding("writing", State.WARNING if slow else State.OK, saw, do)


def _synced_s(folder: Path) -> float:
    took = []
    with tempfile.TemporaryFile(dir=folder) as file:
        for _ in range(_SYNCS):
            began_s = time.perf_counter()
            file.write(bytes(_SYNC_BYTES))
            file.flush()
            os.fsync(file.fileno())
            took.append(time.perf_counter() - began_s)
    return statistics.median(took)


def log(data: Path) -> Iterator[Finding]:
    """The log's chain, and a fault that is latched in it, or kept beside it."""
    standing = Standing()
    yield _chain(data, standing)
    fault = standing.fault or Reserve(data).kept()
    if fault:
        name, message = fault
        yield Finding("fault", State.FAILED, f"latched: {name}", f"{message} (On the bartender's page of cornet run.)")


def latched(findings: Iterable[Finding]) -> str:
    """Why nothing may move, by what `log` has found; empty where it may."""
    return next(
        (
            f"a fault is {finding.saw}" if finding.part == "fault" else finding.saw
            for finding in findings
            if finding.part in ("fault", "log") and finding.state is State.FAILED
        ),
        "",
    )


def _chain(data: Path, standing: Standing) -> Finding:
    """Whether the log holds; what it tells is taken in."""
    head = ""
    if not (data / DATABASE).exists() and not lost(data):
        return Finding("log", State.ABSENT, f"there is none in {data} yet", "cornet run makes it.")
    try:
        with replaying(data), evidence_of(data) as evidence:
            for event in evidence.events():
                standing.apply(event)
                head = event.hash[:8]
    except NothingToAudit as error:
        return Finding("log", State.FAILED, "it cannot be read", str(error))
    except BrokenLog as error:
        do = "Keep the file and have it looked at; until then play in another directory (--data)."
        return Finding("log", State.FAILED, str(error), do)
    saw = f"{evidence.number} events, each chained to the one before; head {head or 'empty'}"
    return Finding("log", State.OK, saw)


def calibration(data: Path) -> Finding:
    """The calibration, if there is one."""
    keeper = Keeper(data)
    files = [path for path in (keeper.path, keeper.machine) if path.exists()]
    if not files:
        return Finding("calibration", State.ABSENT, "none", "Dice are read without one too; cornet calibrate makes it.")
    try:
        tray, motor = keeper.current(), keeper.motor()
    except BadTray as error:
        return Finding("calibration", State.FAILED, str(error), "Calibrate again.")
    if tray.floor is None and (tray.lens or tray.light or tray.dice):
        do = "Calibrate the floor: cornet calibrate floor. Until then dice are read as if nothing were calibrated."
        return Finding("calibration", State.WARNING, "the floor is to be calibrated (again)", do)
    measured = f", motor measured on {motor.made.at[:10]}" if motor else ""
    return Finding("calibration", State.OK, f"{' and '.join(map(str, files))}, {tray.sha256[:8]}{measured}")


# Around it


def clock(synchronised: bool | None) -> Finding:
    """Whether the time of day can be trusted; a machine without it plays on."""
    if synchronised is None:
        return Finding("clock", State.ABSENT, "nobody here knows whether it is synchronised")
    if synchronised:
        return Finding("clock", State.OK, "synchronised")
    do = "Connect a network, or add a clock module; events keep their order all the same."
    return Finding("clock", State.WARNING, "not synchronised", do)


def port_free(host: str, port: int) -> Finding:
    """Whether the pages could be served."""
    try:
        listen(host, port).close()
    except PortBusy as error:
        return Finding("port", State.FAILED, f"port {port} is taken", str(error))
    return Finding("port", State.OK, f"port {port} is free")
