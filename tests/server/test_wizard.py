"""The wizard: the steps with the parts of a running cornet, in force at once, and never while dice are thrown."""

import threading
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from flask.testing import FlaskClient

from calibration.floor import NoFloor
from calibration.keeping import Keeper
from calibration.motor import Motor
from calibration.steps import STEPS, Asked, Done
from firmware.settings import TowerSettings
from server.commands.run import _serve
from server.evenings import evenings
from server.log import Log
from server.machine import Machine
from server.parts import Parts, choose
from server.service import Supervisor
from server.settings import read_settings
from server.stage import NotNow
from server.stepping import Sight, Wanted
from server.table import Table
from server.web.app import create_app
from server.web.serving import listen
from server.wizard import Wizard, put_in_force
from tests.vision.test_tray import WHOLE
from vision.camera import CameraLost
from vision.picture import Image
from vision.rest import CameraFrozen
from vision.tray import Made, Tray

from .conftest import at_once, full_disk


def refused_floor(pictures: Sequence[Image], tray: Tray, asked: Asked, made: Made) -> Done:
    raise NoFloor("Something lies on the floor.")


def taken(part: str) -> Callable[[Sequence[Image], Tray, Asked, Made], Done]:
    """A step that finds what another cornet has, at once."""

    def step(pictures: Sequence[Image], tray: Tray, asked: Asked, made: Made) -> Done:
        found: dict[str, Any] = {part: replace(getattr(WHOLE, part), made=made)}
        if part == "dice":
            found[part] = replace(found[part], name=asked.set_name)
        return Done(replace(tray, **found, **({"floor": None} if part == "lens" else {})), "Found.", pictures[0])

    return step


QUICK = {**STEPS, **{part: (taken(part), 1) for part in ("lens", "light", "floor", "dice")}}


class House:
    """A running cornet; steps are carried out at once, or when the test says so."""

    def __init__(self, directory: Path, **settings: Any) -> None:
        self.settings = read_settings(None, **settings)
        self.keeper = Keeper(directory)
        tray = self.keeper.in_force()
        self.parts: Parts = choose("sim", "rendered", 5, self.settings, tray)
        self.log = Log(directory)
        self.later: list[Callable[[], None]] = []
        about = dict(self.parts.about)
        self.table = Table(self.log, self.parts.tower, self.parts.eye, boot="b", about=about, run=at_once)
        self.wizard = Wizard(self.table, self.parts, self.keeper, self.settings, self._run)
        self.waits = False
        self.client: FlaskClient = create_app(self.table, self.log, wizard=self.wizard).test_client()

    def _run(self, step: Callable[[], None]) -> None:
        if self.waits:
            self.later.append(step)
        else:
            step()

    @property
    def phase(self) -> str:
        return self.table.phase.value

    def ask(self, method: str, path: str, body: dict[str, Any] | None = None) -> tuple[int, Any]:
        answer = self.client.open(path, method=method, json=body)
        return answer.status_code, answer.get_json()

    def came(self, step: str) -> dict[str, Any]:
        steps = self.ask("GET", "/api/calibration")[1]["steps"]
        found: dict[str, Any] = next(each for each in steps if each["step"] == step)
        return found

    def close(self) -> None:
        self.table.close()
        self.log.close()


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    with closing(House(tmp_path, tumble_s=0.0)) as house:
        yield house


def test_what_a_step_finds_is_in_force_at_once(house: House) -> None:
    soak = house.table.begin_soak({"count": 2}, "console")
    house.table.try_dice(soak, "console")
    for step in ("floor", "dice"):
        assert house.ask("POST", f"/api/calibration/{step}", {"set": "bone"} if step == "dice" else {})[0] == 202
        assert house.came(step)["came"]["done"], house.came(step)
        assert house.client.get(f"/api/calibration/{step}/picture.jpg").data.startswith(b"\xff\xd8")
    house.table.try_dice(soak, "console")
    before, after = (event.body for event in house.log.events() if event.kind == "trial")
    assert "tray" not in before
    tray = house.keeper.current()
    assert after["tray"] == tray.sha256
    assert (house.keeper.path.parent / "calibration" / f"{tray.sha256}.toml").is_file()
    assert house.table.about["set"] == "bone"
    assert house.table.about["calibration_sha256"] == tray.sha256
    assert house.ask("DELETE", "/api/calibration/last")[0] == 200
    assert house.keeper.current().dice is None
    assert house.table.about["set"] is None
    assert house.came("dice")["at"] is None
    steps = [event.body["step"] for event in house.log.events() if event.kind == "calibrated"]
    assert steps == ["floor", "dice", "undo of dice"]
    assert house.ask("DELETE", "/api/calibration/last")[1]["undo"] is None
    assert house.ask("DELETE", "/api/calibration/last")[0] == 409


def test_a_set_keeps_its_name_when_its_dice_are_calibrated_again_and_while_the_floor_is_to_be(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("server.stepping.STEPS", QUICK)
    asked: list[tuple[str, dict[str, str]]] = [("floor", {}), ("dice", {"set": "bone"}), ("dice", {})]
    for step, given in asked:
        house.ask("POST", f"/api/calibration/{step}", given)
        assert house.came(step)["came"]["done"], house.came(step)
    assert house.ask("GET", "/api/calibration")[1]["set"] == house.table.about["set"] == "bone"
    house.keeper.put_in_force(replace(house.keeper.current(), floor=None))
    put_in_force("lens", "console", house.table, house.parts, house.keeper, house.settings)
    assert house.table.about["set"] == "bone"


def test_what_is_shown_of_a_step_is_what_came_of_it_last_and_holds(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    def picture() -> bytes:
        return bytes(house.client.get("/api/calibration/floor/picture.jpg").data)

    def carry_out(*steps: str) -> None:
        for step in steps:
            house.ask("POST", f"/api/calibration/{step}", {})

    monkeypatch.setattr("server.stepping.board_seen", lambda picture: True)
    monkeypatch.setattr("server.stepping.STEPS", QUICK)
    carry_out("floor")
    found, at = picture(), house.came("floor")["at"]
    monkeypatch.setattr("server.stepping.STEPS", {**QUICK, "floor": (refused_floor, 1)})
    carry_out("floor")
    failed = house.came("floor")
    assert (failed["came"]["done"], failed["at"]) == (False, at)
    assert picture() != found
    house.wizard = Wizard(house.table, house.parts, house.keeper, house.settings, house._run)
    house.client = create_app(house.table, house.log, wizard=house.wizard).test_client()
    assert picture() == found
    monkeypatch.setattr("server.stepping.STEPS", QUICK)
    carry_out("floor", "lens")
    assert (house.came("floor")["came"], house.came("floor")["at"]) == (None, None)
    assert house.came("lens")["came"]["done"]
    carry_out("light", "floor", "motor")
    # It asked for the floor, and the light was judged anew with it.
    assert house.came("lens")["came"] is house.came("light")["came"] is None
    assert not house.came("motor")["picture"]
    house.ask("DELETE", "/api/calibration/last")
    assert house.client.get("/api/calibration/floor/picture.jpg").status_code == 404


def test_names_and_axes_that_cannot_be_those_of_the_dice_are_refused_before_anything_is_thrown(house: House) -> None:
    house.keeper.put_in_force(WHOLE)
    drawn = house.parts.tower
    lying = getattr(drawn, "lying", None)
    for given in ({"names": ["a", "b"]}, {"axes": "16,16,16"}):
        house.ask("POST", "/api/calibration/dice", given)
        assert not house.came("dice")["came"]["done"]
    assert getattr(drawn, "lying", None) == lying
    assert not house.keeper.drawing("dice", refused=True).exists()


def test_a_motor_that_is_undone_moves_by_what_was_before(house: House) -> None:
    motor = Motor(700, 0.4, 7.0, 0.25, 1.1, Made("", "", ()))
    for park_deg in (7.0, 9.0):
        house.keeper.put_motor_in_force(replace(motor, park_deg=park_deg))
    moved_by: list[TowerSettings] = []
    house.wizard = Wizard(
        house.table, replace(house.parts, drive=moved_by.append), house.keeper, house.settings, house._run
    )
    assert [house.wizard.undo("console") for _ in range(2)] == ["motor", "motor"]
    assert moved_by == [motor.adjust(house.settings.tower), house.settings.tower]


def test_what_the_log_could_not_take_is_neither_read_by_nor_shown(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    adopted: list[object] = []
    parts = replace(house.parts, adopt=adopted.append)
    house.wizard = Wizard(house.table, parts, house.keeper, house.settings, house._run)
    house.client = create_app(house.table, house.log, wizard=house.wizard).test_client()
    before = dict(house.table.about)
    monkeypatch.setattr(Log, "append", full_disk)
    house.ask("POST", "/api/calibration/floor", {})
    assert "the disk is full" in house.came("floor")["came"]["message"]
    assert house.ask("GET", "/api/state")[1].items() >= before.items()
    assert (adopted, house.table.about, house.phase) == ([], before, "fault")


def test_nothing_is_thrown_while_a_step_is_done_and_the_other_way_round(house: House) -> None:
    house.waits = True
    assert house.ask("POST", "/api/calibration/floor", {})[0] == 202
    assert house.phase == "calibrating"
    assert house.ask("GET", "/api/calibration")[1]["running"]["step"] == "floor"
    house.ask("POST", "/api/games", {"game": "421", "players": ["A", "B"]})
    status, answer = house.ask("POST", "/api/throw", {"expected_seq": 0, "key": "k"})
    assert status == 409, answer
    for method, path in (("POST", "/api/calibration/light"), ("DELETE", "/api/calibration/last")):
        assert house.ask(method, path, {})[0] == 409
    house.later.pop()()
    assert house.phase == "ready"
    assert house.came("floor")["came"]["done"]
    with house.table.lent():
        assert "being calibrated" in house.ask("POST", "/api/calibration/light", {})[1]["error"]


def test_a_step_that_is_stopped_or_fails_leaves_what_was_in_force(house: House) -> None:
    house.ask("POST", "/api/calibration/floor", {})
    before = house.keeper.path.read_bytes()
    house.waits = True
    house.ask("POST", "/api/calibration/light", {})
    house.ask("DELETE", "/api/calibration/current")
    house.later.pop()()
    assert "was stopped" in house.came("light")["came"]["message"]
    house.waits = False

    def dark(step: str) -> Sight:
        raise CameraLost("There is no picture.")

    def broken(step: str) -> Sight:
        raise ZeroDivisionError

    def frozen(step: str) -> Sight:
        raise CameraFrozen("The same picture for ever.")

    for sight, said in ((dark, "no picture"), (frozen, "for ever"), (broken, "journal")):
        house.wizard = Wizard(house.table, replace(house.parts, sight=sight), house.keeper, house.settings, house._run)
        house.client = create_app(house.table, house.log, wizard=house.wizard).test_client()
        house.ask("POST", "/api/calibration/floor", {})
        assert said in house.came("floor")["came"]["message"]
        assert house.phase == "ready"
    assert house.keeper.path.read_bytes() == before


def test_a_fault_ends_the_step_and_nothing_moves_after_it(house: House) -> None:
    thrown: list[str] = []
    house.keeper.put_in_force(WHOLE)
    before = house.keeper.path.read_bytes()

    def take() -> Image:
        house.table.latch("lid-open", "The lid was opened for a moment.")
        return np.full((1088, 1456, 3), 90, np.uint8)

    parts = replace(house.parts, sight=lambda step: Sight(take, lambda: thrown.append(step)))
    house.wizard = Wizard(house.table, parts, house.keeper, house.settings, house._run)
    house.client = create_app(house.table, house.log, wizard=house.wizard).test_client()
    for step in ("dice", "floor"):
        house.wizard.start(step, Wanted(), "console")
        assert thrown == ["dice"]
        assert "do the step again" in house.came(step)["came"]["message"]
        assert house.phase == "fault"
        house.table.clear_fault("console")
        assert house.phase == "ready"
    assert house.keeper.path.read_bytes() == before


class Watched:
    """A lock at which somebody else waits, who does something as soon as it is let go of."""

    def __init__(self, waits: Callable[[], object]) -> None:
        self._waits, self._depth = waits, 0

    def __enter__(self) -> None:
        self._depth += 1

    def __exit__(self, *raised: object) -> None:
        if self._depth == 1:
            self._waits()
        self._depth -= 1


def test_what_is_undone_as_soon_as_it_is_done_is_not_told(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    told = []

    def undo() -> None:
        with suppress(NotNow):
            told.append(house.wizard.undo("console"))

    monkeypatch.setattr(house.wizard, "_lock", Watched(undo))
    house.wizard.start("floor", Wanted(), "console")
    assert told == ["floor"]
    assert house.came("floor")["at"] is None
    assert house.came("floor")["came"] is None


def test_a_step_is_under_way_until_it_is_told(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []

    def look() -> None:
        told = house.wizard.as_json()
        seen.append((bool(told["running"]), any(step["came"] for step in told["steps"])))

    monkeypatch.setattr(house.wizard, "_lock", Watched(look))
    house.wizard.start("floor", Wanted(), "console")
    assert sorted(set(seen)) == [(False, True), (True, False)]


def test_the_machine_is_let_go_of_after_the_step_that_uses_it(house: House) -> None:
    stop = threading.Event()
    steps: list[str] = []

    def take() -> Image:
        stop.set()
        # As slow as a camera that answers only when the pages are already closed.
        while listening.fileno() >= 0:
            threading.Event().wait(0.01)
        steps.append("light")
        raise CameraLost("The camera was closed.")

    def ask() -> None:
        with suppress(OSError):  # the answer may be cut off: the machine ends as soon as the step has begun
            urllib.request.urlopen(f"{address}/api/calibration/light", b"{}", 60).close()

    with listen("127.0.0.1", 0) as listening:
        address = f"http://127.0.0.1:{listening.getsockname()[1]}"
        asking = threading.Thread(target=ask)
        asking.start()
        parts = replace(house.parts, sight=lambda step: Sight(take))
        _serve("127.0.0.1", Machine(parts, house.log, house.table), listening, house.settings, stop, Supervisor(""))
        asking.join()
    assert steps == ["light"]
    assert house.phase == "calibrating"


@pytest.mark.parametrize(
    ("step", "body", "status"),
    [
        ("dance", {}, 404),
        ("dice", {"axes": "sixteen"}, 400),
        ("motor", {"level": "much"}, 400),
        ("dice", {"set": ""}, 400),
        ("dice", {"names": [3]}, 400),
        ("floor", {"faces": [1]}, 400),
    ],
)
def test_a_wrong_request_is_refused(house: House, step: str, body: dict[str, Any], status: int) -> None:
    assert house.ask("POST", f"/api/calibration/{step}", body)[0] == status
    assert house.phase == "ready"


def test_only_the_bartender_calibrates(house: House) -> None:
    guest = {"REMOTE_ADDR": "192.168.1.7"}
    assert house.client.get("/operator/calibration", environ_overrides=guest).status_code == 403
    for path in ("/api/calibration", "/operator/board.svg", "/api/calibration/floor/picture.jpg"):
        assert house.client.get(path, environ_overrides=guest).status_code == 403
    assert house.client.post("/api/calibration/floor", json={}, environ_overrides=guest).status_code == 403
    assert house.client.get("/operator/calibration").status_code == 200
    assert house.client.get("/operator/board.svg").data.startswith(b"<svg ")
    assert house.client.get("/api/calibration/floor/picture.jpg").status_code == 404


def test_where_dice_count_by_name_they_need_names(house: House) -> None:
    by_name = replace(house.settings, select="colour")
    wizard = Wizard(house.table, house.parts, house.keeper, by_name, house._run)
    house.client = create_app(house.table, house.log, wizard=wizard).test_client()
    assert "each die its name" in house.ask("POST", "/api/calibration/dice", {})[1]["error"]


def test_where_dice_count_by_name_nothing_is_thrown_while_they_have_none(house: House) -> None:
    by_name = replace(house.settings, select="colour")
    wizard = Wizard(house.table, house.parts, house.keeper, by_name, house._run)
    house.ask("POST", "/api/games", {"game": "421", "players": ["A", "B"]})
    # What was in force at first, with named dice, then without their floor, as after the lens.
    for tray in (WHOLE, replace(WHOLE, floor=None), WHOLE):
        house.keeper.put_in_force(tray)
    for names, status in ([], 409), (["rouge"], 202):
        wizard.undo("console")
        assert house.table.about["names"] == names
        answered, answer = house.ask("POST", "/api/throw", {"key": str(status)})
        assert answered == status, answer
        assert status == 202 or "calibrate floor and dice" in answer["error"]


def test_a_damaged_calibration_is_said(house: House) -> None:
    house.keeper.path.write_text("[floor]\n")
    assert house.ask("GET", "/api/calibration")[0] == 409


def test_another_set_is_another_evening(tmp_path: Path) -> None:
    dice = [{"face": face} for face in (1, 2, 3)]
    with closing(Log(tmp_path)) as log:
        log.append("boot", {"simulated": False, "set": "bone"})
        log.append("trial", {"verdict": "ok", "dice": dice, "at": "x"})
        log.append("calibrated", {"step": "dice", "set": "ivory"})
        log.append("trial", {"verdict": "ok", "dice": dice, "at": "x"})
        found = evenings(log.events)
    assert (found.current_set, found.current.throws, sorted(found.sets)) == ("ivory", 1, ["bone", "ivory"])
