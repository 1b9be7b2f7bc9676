"""The fault matrix: what can go wrong with machine and camera, each once simulated, once with the drivers at work.

The drivers are on mock pins and a fake camera module, with the edges of the pins, the throw and the button each in a
thread of its own.
"""

import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, nullcontext
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from firmware import simulated
from firmware.dimensions import size
from firmware.gpio import PRESS_GAP_S, GpioTower
from firmware.health import Health
from firmware.simulated import Lying, SimulatedTower
from firmware.tower import TowerFault
from server.eye import BlindEye, CameraEye, Eye
from server.stage import STUCK_S, NotNow, Phase
from server.table import Table
from tests.firmware.model import Model, driven
from tests.server.conftest import MakeTable, ScriptedEye, kinds, ok, state
from tests.vision.picamera2 import SCENE, Plugged
from vision import rendered
from vision.rendered import LyingDie, RenderedCamera
from vision.rest import STILL_FRAMES
from vision.rig import Rig

ROOT = Path(__file__).parents[2]


class Row(NamedTuple):
    """A fault by the name that its simulator has for it, how it is made with the drivers, and how each ends."""

    simulated: str
    ends: str
    real: Callable[[Model, Plugged], Any] | None = None
    really_ends: str = ""


def _off(model: Model, **attributes: Any) -> None:
    for name, value in attributes.items():
        setattr(model, name, value)


def _see(plugged: Plugged, level: int, step: int) -> None:
    plugged.scene = lambda number: np.full_like(SCENE, level + step * (number % 3))


MATRIX = {
    "cone jams": Row("jam", "jammed", lambda model, _: model.at(1.0, model.jam)),
    "home mark not seen": Row("unhomed", "not-homed", lambda model, _: _off(model, home_works=False)),
    "motor runs for too long": Row("overtime", "motor-overtime", lambda model, _: _off(model, strength=0.22)),
    "lid opened": Row("lid", "lid-open", lambda model, _: model.at(1.0, model.open_lid)),
    "emergency stop": Row("stop", "stopped", lambda model, _: model.at(1.0, model.hit_emergency)),
    "undervoltage": Row("undervoltage", "undervoltage", lambda model, _: _off(model, health=Health(1, 45.0))),
    "overheating": Row("hot", "overheated", lambda model, _: _off(model, health=Health(0, 99.0))),
    "dice did not move": Row("still", "dice-did-not-move"),
    "camera gone": Row("gone", "camera-lost", lambda _, plugged: setattr(plugged, "silent", True)),
    "camera black": Row("black", "unreadable", lambda _, plugged: _see(plugged, 0, 1), "camera-lost"),
    "camera saturated": Row("saturated", "unreadable", lambda _, plugged: _see(plugged, 255, -1), "camera-lost"),
    "camera frozen": Row("frozen", "camera-frozen", lambda _, plugged: _see(plugged, 128, 0)),
}
"""Every row that ends in a latched fault."""

ELSEWHERE = {
    "die leans, lies on another, is missing, is one too many": (
        "server/test_table.py::test_a_misplaced_die_is_refused_and_thrown_again"
    ),
    "process killed while the cone turns": "server/test_faults.py::test_a_process_that_is_killed_while_the_cone_turns",
    "process hangs: a throw": "server/test_faults.py::test_a_throw_that_hangs_starves_the_watchdog",
    "process hangs: the control loop": (
        "firmware/test_safety.py::test_a_loop_that_hangs_stops_the_heart_and_so_the_motor"
    ),
    "process hangs: the camera": (
        "vision/test_live.py::test_a_question_that_hangs_in_the_device_is_not_fresh_and_a_slow_one_is"
    ),
    "process hangs: no feeding": "server/test_service.py::test_the_watchdog_is_fed_only_while_all_is_fresh",
    "button pressed often, held, bouncing": "server/test_faults.py::test_a_thousand_presses_from_other_threads",
    "clock jumps back": "server/test_table.py::test_a_clock_that_jumps_back_changes_no_order_and_is_warned_of",
    "lid opened while the dice are read": (
        "server/test_table.py::test_a_lid_opened_while_the_dice_are_read_voids_the_look"
    ),
    "camera gone between throws": "server/test_faults.py::test_a_camera_that_is_lost_between_throws",
    "motor driver stuck on": "hardware/BENCH.md::kill -9 while the lamp is lit",
}
"""Every other row, and the test that holds it; the last can only be tried with the parts."""

KNOWN_BEFORE = ("undervoltage", "overheating")  # so the cone does not even begin to turn
SCRIPTED = {"cocked", "stacked", "missing", "extra", "hang", "kill"}


def test_every_fault_of_the_simulators_is_in_the_matrix() -> None:
    assert {row.simulated for row in MATRIX.values()} | SCRIPTED == {*simulated.FAULTS, *rendered.FAULTS}


@pytest.mark.parametrize("row", ELSEWHERE)
def test_every_other_row_has_its_test(row: str) -> None:
    file, name = ELSEWHERE[row].split("::")
    folder = ROOT if file.startswith("hardware") else ROOT / "tests"
    assert name in (folder / file).read_text("utf-8")


def play(table: Table) -> None:
    table.start_game("vingt-six", ["Ana", "Bo"], {}, "console")
    table.act({"do": "bet", "chips": 2}, "console", None, None)
    table.act({"do": "call", "face": 6}, "console", None, None)


def ends(make_table: MakeTable, table: Table, folder: Path, fault: str, scored: int) -> None:
    """It is latched, written down, told, and there after the power was off; and nothing was scored since."""
    shown = state(table)
    assert shown["machine"]["phase"] == "fault"
    assert shown["machine"]["fault"]["name"] == fault
    assert shown["machine"]["fault"]["message"].endswith("lear the fault.")
    *_, last = table._log.events()
    assert (last.kind, last.body["fault"]) == ("fault", fault)
    assert last.body["message"] == shown["machine"]["fault"]["message"]
    assert len(shown["game"]["table"]["throws"]) == kinds(folder).count("throw") == scored
    with pytest.raises(NotNow, match=fault):
        table.press("console", None, None)
    again = make_table(boot="again")
    assert state(again)["machine"]["fault"] == shown["machine"]["fault"]


def drawn(lying: Callable[[], tuple[Lying, ...]], fault: str) -> CameraEye:
    """An eye on these dice that has the fault from the second look on."""
    frames = range(STILL_FRAMES + 1, 99)

    def scene() -> list[LyingDie]:
        return [LyingDie(die.x_mm, die.y_mm, die.z_mm, die.rotation, size("die_side_mm")) for die in lying()]

    return CameraEye(
        RenderedCamera(scene, Rig.of(size), seed=421, size_px=(728, 544), faults=dict.fromkeys(frames, fault)), 10
    )


@pytest.mark.parametrize("name", MATRIX)
def test_it_ends_as_stated_in_the_simulator(make_table: MakeTable, tmp_path: Path, name: str) -> None:
    row = MATRIX[name]
    of_camera = row.simulated in rendered.FAULTS
    tower = SimulatedTower("7", faults={} if of_camera else {2: row.simulated})
    eye: Eye = drawn(lambda: tower.lying, row.simulated) if of_camera else BlindEye(lambda: tower.lying, 10)
    table = make_table(tower=tower, eye=eye)
    play(table)
    for _ in range(2):
        table.press("console", None, None)
    if row.ends == "unreadable":
        assert [look["verdict"] for look in state(table)["throws"]][1:] == ["bad-light"] * 3
    ends(make_table, table, tmp_path, row.ends, scored=1)


class Driven:
    """A table whose throws have a thread of their own, on a tower and a camera with threads of theirs."""

    def __init__(self, opened: ExitStack) -> None:
        self.model, self.plugged = Model(threaded=True), Plugged()
        opened.callback(self.model.finish)
        self.tower: GpioTower = opened.enter_context(self.model.tower())
        self._throws = opened.enter_context(ThreadPoolExecutor(1))
        self._thrown: list[Future[None]] = []

    def run(self, throw: Callable[[], None]) -> None:
        self._thrown.append(self._throws.submit(throw))

    def eye(self) -> CameraEye:
        camera = self.plugged.camera()
        assert camera.lost == ""
        return CameraEye(camera, 10)

    def push(self, table: Table, *, until_thrown: bool = True) -> int:
        """Press the machine's button and do what it says until the throw is over; how many presses it told of."""
        self.model.wait_s(PRESS_GAP_S)
        self.model.do(self.model.push_button)
        told = 0
        while not told or (until_thrown and not self._thrown[-1].done()):
            if self.tower.pressed(0.01, lambda fault: table.latch(fault.name, str(fault))):
                told += 1
                table.press("button", None, None)
        self._thrown[-1].result(60)
        return told


@pytest.fixture
def machine() -> Iterator[Driven]:
    with ExitStack() as opened:
        yield Driven(opened)


@pytest.mark.parametrize("name", [name for name, row in MATRIX.items() if row.real])
def test_it_ends_as_stated_with_the_drivers(make_table: MakeTable, machine: Driven, tmp_path: Path, name: str) -> None:
    row = MATRIX[name]
    assert row.real is not None
    table = make_table(tower=machine.tower, eye=machine.eye(), run=machine.run)
    play(table)
    row.real(machine.model, machine.plugged)
    with pytest.raises(NotNow, match="clear the fault") if name in KNOWN_BEFORE else nullcontext():
        machine.push(table)
    assert bool(driven(machine.model.samples)) == (name not in KNOWN_BEFORE)
    assert machine.model.low
    ends(make_table, table, tmp_path, row.really_ends or row.ends, scored=0)


def test_a_thousand_presses_from_other_threads(make_table: MakeTable, machine: Driven, tmp_path: Path) -> None:
    table = make_table(tower=machine.tower, eye=ScriptedEye(*[ok(6, 5, 4, 3, 2, 1)] * 3), run=machine.run)
    table.start_game("vingt-cinq", ["Ana", "Bo"], {}, "console")
    for number in range(1000):
        machine.model.at(PRESS_GAP_S + 0.003 * number, lambda: machine.model.do(machine.model.push_button))
    assert machine.push(table) == 1
    assert kinds(tmp_path) == ["game", "press", "throw"]


def test_a_camera_that_is_lost_between_throws(make_table: MakeTable, machine: Driven, tmp_path: Path) -> None:
    camera = machine.plugged.camera()
    table = make_table(tower=machine.tower, eye=CameraEye(camera, 10), run=machine.run)
    play(table)
    table.tend()
    assert state(table)["machine"]["fault"] is None
    machine.plugged.silent = True
    machine.plugged.now_s += 1.0
    camera.tend()
    table.tend()
    ends(make_table, table, tmp_path, "camera-lost", scored=0)


def test_a_throw_that_hangs_starves_the_watchdog(make_table: MakeTable, tmp_path: Path) -> None:
    tower, time_s = SimulatedTower("7", faults={1: "hang"}), [100.0]
    with ThreadPoolExecutor(1) as throws:
        table = make_table(tower=tower, eye=ScriptedEye(), run=throws.submit, clock=lambda: time_s[0])
        play(table)
        time_s[0] += 2 * STUCK_S  # nobody has pressed for long
        fresh = [table.fresh]
        table.press("console", None, None)
        for passed_s in (STUCK_S - 1, 2):
            time_s[0] += passed_s
            fresh.append(table.fresh)
        assert (table.phase, fresh) == (Phase.TUMBLING, [True, True, False])
        table.close()
    assert state(make_table(boot="again"))["machine"] == {"phase": "ready", "fault": None}
    assert kinds(tmp_path)[-2:] == ["press", "void"]


def test_a_calibration_may_take_its_time(make_table: MakeTable) -> None:
    time_s = [100.0]
    table = make_table(clock=lambda: time_s[0])
    table._stage.enter(Phase.CALIBRATING)
    time_s[0] += 100 * STUCK_S
    assert table.fresh


KILLED = """
import sys
from pathlib import Path
from datetime import UTC, datetime
from firmware.simulated import SimulatedTower
from server.eye import BlindEye
from server.log import Log
from server.table import Table
tower = SimulatedTower("7", faults={2: "kill"})
eye = BlindEye(lambda: tower.lying, 10)
table = Table(Log(Path(sys.argv[1])), tower, eye, boot="killed", about={"simulated": True}, run=lambda throw: throw())
table.start_game("vingt-six", ["Ana", "Bo"], {}, "console")
table.act({"do": "bet", "chips": 2}, "console", None, None)
table.act({"do": "call", "face": 6}, "console", None, None)
table.press("console", None, None)
table.press("console", None, None)
"""


def test_a_process_that_is_killed_while_the_cone_turns(make_table: MakeTable, tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path)], cwd=ROOT, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (-9, b"")
    table = make_table(boot="again")
    assert kinds(tmp_path) == ["game", "action", "action", "press", "throw", "press", "void"]
    assert state(table)["machine"] == {"phase": "ready", "fault": None}
    assert len(state(table)["game"]["table"]["throws"]) == 1


def test_every_fault_has_words_on_the_screens() -> None:
    written = (ROOT / "server" / "web" / "static" / "view.js").read_text("utf-8")
    titles = re.search(r"export const FAULTS = \{(.*?)\};", written, re.DOTALL)
    assert titles is not None
    named = set(re.findall(r'^\s+"?([\w-]+)"?: t\(', titles[1], re.MULTILINE))
    sources = "".join(path.read_text("utf-8") for path in (ROOT / "server").rglob("*.py"))
    latched = set(re.findall(r'latch\(\s*"([\w-]+)"', sources)) | {"unreadable"}
    assert named == latched | {fault.name for fault in TowerFault.__subclasses__()}
