"""The doctor: what is said of each part, well and broken, and that nothing moves by itself."""

import json
import os
import socket
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from firmware.gpio import GpioTower
from firmware.health import Health
from firmware.settings import tower_settings
from firmware.simulated import SimulatedTower
from firmware.tower import TowerFault
from server import doctor
from server.doctor import State
from server.eye import CameraEye
from server.log import CannotOpen, Log
from server.parts import rendered
from tests.conftest import CORNET, ENVIRONMENT, RunCornet
from tests.firmware.model import Model
from vision.camera import CameraLost, Frame
from vision.live import LiveCamera
from vision.picture import Image

from .conftest import AT

OK, WARNING, FAILED, ABSENT = State


@pytest.fixture
def machine() -> Iterator[tuple[Model, GpioTower]]:
    model = Model()
    with model.tower() as tower:
        yield model, tower


def states(findings: Iterator[doctor.Finding]) -> dict[str, State]:
    found = list(findings)
    assert all(finding.saw for finding in found)
    assert all(finding.do for finding in found if finding.state in (WARNING, FAILED)), found
    return {finding.part: finding.state for finding in found}


# The tower


SENSED = ("lid", "12 V, emergency stop", "home sensor", "current sensor", "computer")


def test_a_tower_in_order_is_told_part_by_part_and_nothing_moves(machine: tuple[Model, GpioTower]) -> None:
    model, tower = machine
    assert states(doctor.tower(tower, model.settings, model.pins)) == dict.fromkeys(SENSED, OK)
    model.wait_s(1)
    assert not any(sample.duty or sample.heart for sample in model.samples)


def leak(model: Model) -> None:
    model.amps = lambda: 0.3  # type: ignore[method-assign]


def weld(model: Model) -> None:
    """The lid's switch for the 12 V sticks."""
    model.open_lid()
    model.do(lambda: model.set("power", high=True))


@pytest.mark.parametrize(
    ("broken", "found"),
    [
        (weld, {"lid": FAILED, "12 V, emergency stop": FAILED}),
        (Model.open_lid, {"lid": FAILED, "12 V, emergency stop": ABSENT}),
        (Model.hit_emergency, {"12 V, emergency stop": FAILED}),
        (leak, {"current sensor": FAILED}),
        (lambda model: setattr(model, "health", Health(1, 45.0)), {"computer": FAILED}),
        (lambda model: setattr(model, "health", Health(0, 99.0)), {"computer": FAILED}),
        (lambda model: setattr(model, "health", Health(0x50000, 45.0)), {"computer": WARNING}),
    ],
)
def test_each_broken_part_is_named(
    machine: tuple[Model, GpioTower], broken: Callable[[Model], Any], found: dict[str, State]
) -> None:
    model, tower = machine
    broken(model)
    assert states(doctor.tower(tower, model.settings, model.pins)) == dict.fromkeys(SENSED, OK) | found


def test_a_silent_current_sensor_is_named(machine: tuple[Model, GpioTower]) -> None:
    model, tower = machine
    model.sensor_error = "Remote I/O error"
    assert states(doctor.tower(tower, model.settings, model.pins)) == {"current sensor": FAILED}


def test_silent_pins_are_named(machine: tuple[Model, GpioTower]) -> None:
    left: list[TowerFault] = []
    model, tower = machine
    model.fall_silent()
    assert states(doctor.tower(tower, model.settings, model.pins)) == {"computer": FAILED}
    assert states(doctor.moved(tower, model.settings, model.now_s, left.append)) == {"motor": FAILED}


def test_a_move_is_one_throw_watched_by_its_sensors(machine: tuple[Model, GpioTower]) -> None:
    left: list[TowerFault] = []
    model, tower = machine
    found = list(doctor.moved(tower, model.settings, model.now_s, left.append))
    assert [finding.state for finding in found] == [OK, OK]
    assert float(found[0].saw.split()[0]) >= model.settings.turns
    assert abs(model.off_level_deg) < 4
    assert model.low


def test_a_jam_current_that_does_not_fit_the_motor_is_said() -> None:
    left: list[TowerFault] = []
    model = Model(settings=tower_settings(jam_a=2.0))
    with model.tower() as tower:
        motor, current = doctor.moved(tower, model.settings, model.now_s, left.append)
    assert (motor.state, current.state) == (OK, WARNING)
    assert "set jam_a to 1.6 times" in current.do


@pytest.mark.parametrize("way", [0.0, -1.0], ids=["it says nothing flows", "its shunt is the wrong way round"])
def test_a_current_sensor_that_does_not_see_the_motor_is_named(
    machine: tuple[Model, GpioTower], way: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    left: list[TowerFault] = []
    model, tower = machine
    amps = model.amps
    monkeypatch.setattr(model, "amps", lambda: way * amps())
    motor, current = doctor.moved(tower, model.settings, model.now_s, left.append)
    assert (motor.state, current.state) == (OK, FAILED)
    assert "INA219" in current.do


def test_nothing_moves_while_the_current_sensor_is_silent(machine: tuple[Model, GpioTower]) -> None:
    left: list[TowerFault] = []
    model, tower = machine
    model.sensor_error = "Remote I/O error"
    assert states(doctor.moved(tower, model.settings, model.now_s, left.append)) == {"current sensor": FAILED}
    assert not any(sample.duty for sample in model.samples)


def test_a_move_that_fails_is_its_fault(machine: tuple[Model, GpioTower]) -> None:
    left: list[TowerFault] = []
    model, tower = machine
    model.jammed = True
    (found,) = doctor.moved(tower, model.settings, model.now_s, left.append)
    assert (found.part, found.state, found.saw) == ("motor", FAILED, "jammed")
    assert [fault.name for fault in left] == ["jammed"]
    assert model.low


# The camera


@pytest.fixture(scope="module")
def dice() -> Image:
    return rendered(lambda: SimulatedTower("7").lying).frame(1.0).image


def test_a_rendered_picture_is_bright_and_sharp(dice: Image) -> None:
    assert states(doctor.picture(dice)) == {"light": OK, "sharpness": OK}


@pytest.mark.parametrize(
    ("spoilt", "found"),
    [
        (lambda image: cv2.GaussianBlur(image, (0, 0), 6), {"light": OK, "sharpness": FAILED}),
        (lambda image: image // 8, {"light": FAILED, "sharpness": OK}),
        (lambda image: np.full_like(image, 250), {"light": FAILED, "sharpness": FAILED}),
        (lambda image: cv2.convertScaleAbs(image, alpha=0.4), {"light": OK, "sharpness": OK}),
        (lambda image: cv2.convertScaleAbs(image, alpha=0.2), {"light": FAILED, "sharpness": OK}),
        (lambda image: cv2.convertScaleAbs(image, alpha=1.15), {"light": OK, "sharpness": OK}),
        (lambda image: cv2.convertScaleAbs(image, alpha=1.5), {"light": FAILED, "sharpness": OK}),
    ],
)
def test_a_bad_picture_is_named(dice: Image, spoilt: Callable[[Image], Image], found: dict[str, State]) -> None:
    assert states(doctor.picture(spoilt(dice))) == found


class Plugged(LiveCamera):
    """A camera that shows a picture, or is not there."""

    def __init__(self, image: Image | None) -> None:
        super().__init__()
        self.image = image

    def _open(self) -> None:
        if self.image is None:
            raise CameraLost("There is no camera: plug it in.")

    def _take(self, timeout_s: float) -> Frame:
        assert self.image is not None
        return Frame(self.image, 1)

    def _glimpse(self, timeout_s: float) -> Image:
        return self._take(timeout_s).image

    def _shut(self) -> None:
        """There is nothing to shut."""


def test_a_camera_is_tried_by_a_picture(dice: Image) -> None:
    there, gone = Plugged(dice), Plugged(None)
    assert states(doctor.camera(there)) == {"camera": OK, "light": OK, "sharpness": OK}
    (found,) = doctor.camera(gone)
    assert (found.state, found.do) == (FAILED, "There is no camera: plug it in.")
    there.close()
    gone.close()


# Program, disk, log, clock, port


def test_packages_are_named_with_their_versions() -> None:
    python, packages = doctor.programs(())
    assert (python.state, packages.state) == (OK, OK)
    assert "numpy " in packages.saw
    assert "gpiozero" not in packages.saw


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "requires", lambda name: ["nothing-like-it>=2", 'no-pi>=1; extra == "pi"'])
    *_, packages = doctor.programs(())
    assert (packages.state, packages.saw) == (FAILED, "missing: nothing-like-it")
    *_, packages = doctor.programs(("pi",))
    assert packages.saw == "missing: nothing-like-it, no-pi"


def test_the_reader_is_tried_on_rendered_dice() -> None:
    assert doctor.reader().state in (OK, WARNING)


def test_the_reader_is_timed_without_what_only_the_first_picture_waits_for(monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []

    def noted(name: str) -> Callable[..., Any]:
        do = getattr(CameraEye, name)

        def note(*given: Any) -> Any:
            done.append(name)
            return do(*given)

        return note

    for name in ("warm", "look"):
        monkeypatch.setattr(CameraEye, name, noted(name))
    doctor.reader()
    assert done[:2] == ["warm", "look"]


def test_a_disk_is_tried_and_left_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert states(doctor.disk(tmp_path)) == {"disk": OK, "writing": OK}
    assert list(tmp_path.iterdir()) == []
    assert states(doctor.disk(tmp_path / "none")) == {"disk": ABSENT, "writing": OK}
    monkeypatch.setattr(doctor, "ROOM_BYTES", 2**62)
    monkeypatch.setattr(doctor, "SLOW_SYNC_S", 0.0)
    assert states(doctor.disk(tmp_path)) == {"disk": FAILED, "writing": WARNING}


def test_a_directory_that_cannot_be_made_is_said() -> None:
    # Nobody makes a folder there, root neither.
    found = {finding.part: finding for finding in doctor.disk(Path("/proc/none/data"))}
    assert found["writing"].state is FAILED
    assert found["writing"].saw.startswith("/proc cannot be written")


def test_a_disk_that_takes_nothing_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    assert states(doctor.disk(tmp_path))["writing"] is FAILED


def test_a_log_is_checked_without_being_held(tmp_path: Path) -> None:
    assert states(doctor.log(tmp_path)) == {"log": ABSENT}
    held = Log(tmp_path)
    held.append("boot", {"at": AT, "simulated": True})
    assert doctor.in_use(tmp_path)
    assert states(doctor.log(tmp_path)) == {"log": OK}
    held.append("fault", {"at": AT, "fault": "jammed", "message": "The cone does not turn: look."})
    assert states(doctor.log(tmp_path)) == {"log": OK, "fault": FAILED}
    held.close()
    assert not doctor.in_use(tmp_path)
    assert not doctor.in_use(tmp_path / "none")
    database = sqlite3.connect(tmp_path / "cornet.db")
    database.executescript("DROP TRIGGER events_stay; UPDATE events SET hash = '00' WHERE seq = 2")
    database.close()
    (found,) = doctor.log(tmp_path)
    assert (found.state, "broken at event 2" in found.saw) == (FAILED, True)
    (tmp_path / "cornet.db").write_bytes(b"no database")
    assert states(doctor.log(tmp_path)) == {"log": FAILED}


def test_a_log_that_tells_nonsense_is_said_in_a_sentence(tmp_path: Path) -> None:
    with closing(Log(tmp_path)) as log:
        log.append("action", {"at": AT, "action": {"do": "keep"}})
    (found,) = doctor.log(tmp_path)
    assert (found.state, "cannot be replayed" in found.saw) == (FAILED, True)


def empty(path: Path) -> None:
    path.write_bytes(b"")


def misdirect(path: Path) -> None:
    """Let a page of the database say that what is free in it begins where it cannot: no event is touched."""
    whole = bytearray(path.read_bytes())
    whole[4096 + 1 : 4096 + 3] = b"\xff\xff"
    path.write_bytes(whole)


def unnumber(path: Path) -> None:
    database = sqlite3.connect(path)
    database.execute("PRAGMA user_version = 0")
    database.close()


@pytest.mark.parametrize("damage", [Path.unlink, empty, unnumber, misdirect])
def test_a_log_that_starts_in_a_fault_is_not_called_well(tmp_path: Path, damage: Callable[[Path], object]) -> None:
    held = Log(tmp_path)
    held.append("boot", {})
    held.keep_frame(b"a picture")
    held.close()
    damage(tmp_path / "cornet.db")
    begun = Log(tmp_path)
    begun.close()
    (found,) = doctor.log(tmp_path)
    assert found.state is FAILED
    assert begun.broken
    assert str(begun.broken) in found.saw + found.do


@pytest.mark.parametrize("name", [".", "frames", "lock", "cornet.db-wal"])
def test_a_directory_that_no_cornet_starts_in_is_said(tmp_path: Path, name: str) -> None:
    """Nothing but a file stands where a folder should be, and a folder or a pipe where a file should."""
    data = tmp_path / "data"
    stray = data / name
    stray.parent.mkdir(exist_ok=True)
    stand: dict[str, Callable[[Path], None]] = {"lock": Path.mkdir, "cornet.db-wal": os.mkfifo}
    stand.get(name, Path.touch)(stray)
    with pytest.raises(CannotOpen):
        Log(data)
    (found,) = doctor.closed(data)
    assert (found.part, found.state) == ("disk", FAILED)
    assert str(stray) in found.saw + found.do


def test_a_calibration_is_read_where_there_is_one(tmp_path: Path) -> None:
    assert doctor.calibration(tmp_path).state is ABSENT
    (tmp_path / "tray.toml").write_text("no calibration")
    assert doctor.calibration(tmp_path).state is FAILED


@pytest.mark.parametrize(("synchronised", "state"), [(True, OK), (False, WARNING), (None, ABSENT)])
def test_the_clock_is_what_the_kernel_says(synchronised: bool | None, state: State) -> None:
    assert doctor.clock(synchronised).state is state


def test_a_port_that_is_taken_is_said() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert doctor.port_free("127.0.0.1", port).state is FAILED
    assert doctor.port_free("127.0.0.1", 0).state is OK


# From the command line


def examined(*words: str) -> tuple[int, dict[str, str], str]:
    """Exit status, the state of each part, and what went to standard error."""
    call = [*CORNET, "doctor", "--port", "0", "--json", *words]
    done = subprocess.run(call, capture_output=True, text=True, env=ENVIRONMENT, timeout=60, check=False)
    said = json.loads(done.stdout)
    assert said["ok"] == (done.returncode == 0)
    return done.returncode, {finding["part"]: finding["state"] for finding in said["findings"]}, done.stderr


def test_on_a_laptop_it_says_what_is_simulated_and_changes_nothing(tmp_path: Path) -> None:
    status, found, errors = examined("--tower", "sim", "--move", "--data", str(tmp_path / "none"))
    assert (status, errors) == (0, "")
    assert [found[part] for part in ("tower", "camera", "motor", "disk", "log")] == ["absent"] * 5
    assert list(tmp_path.iterdir()) == []


def test_a_directory_that_cannot_be_looked_into_is_a_finding_among_others() -> None:
    status, found, errors = examined("--tower", "sim", "--data", "x" * 300)
    assert (status, errors) == (1, "")
    assert [found.get(part) for part in ("disk", "log", "calibration")] == ["failed", None, None]
    assert found["reader"] in ("ok", "warning")


def test_a_machine_with_nothing_connected_fails_by_name(tmp_path: Path) -> None:
    broken = tmp_path / "settings.toml"
    broken.write_text("pin_lid = 22\n")
    status, found, errors = examined("--tower", "gpio", "--config", str(broken), "--data", str(tmp_path), "--move")
    assert (status, errors) == (1, "")
    assert [found[part] for part in ("settings", "tower", "camera")] == ["failed"] * 3
    assert found["motor"] == "absent"


def test_a_running_cornet_is_left_alone(run_cornet: RunCornet, tmp_path: Path) -> None:
    with run_cornet(tmp_path, "--camera", "none"):
        status, found, _ = examined("--data", str(tmp_path))
    assert (status, found["log"], found["tower, camera, port"]) == (0, "ok", "absent")


def test_a_lock_that_is_a_pipe_is_nobodys(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "lock")
    assert not doctor.in_use(tmp_path)


def test_people_get_a_table(tmp_path: Path) -> None:
    call = [*CORNET, "doctor", "--tower", "sim", "--port", "0", "--data", r"\[/x][bold]"]
    done = subprocess.run(call, capture_output=True, text=True, env=ENVIRONMENT, cwd=tmp_path, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "what to do" in done.stdout
    assert r"there is no \[/x][bold] yet" in done.stdout
