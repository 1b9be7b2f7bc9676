"""A step of calibration from its pictures to what is in force: the motor on the model, and what fails half way."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from calibration.enrolment import NotEnrolled
from calibration.keeping import Keeper
from firmware.gpio import GpioTower
from firmware.settings import TowerSettings, tower_settings
from firmware.tower import Interrupted, Jammed
from server.parts import real_sight
from server.settings import lock_lines, read_settings
from server.stepping import AGAIN, Sight, Wanted, axes_mm, carry_out, degrees, measure, pictures_by, with_locks
from tests.calibration.crash import crashes
from tests.firmware.model import LEVEL_DEG, Model
from tests.vision.picamera2 import Plugged
from tests.vision.test_tray import WHOLE
from vision.camera import CameraLost
from vision.picam import Locks
from vision.picture import Image, encode_jpeg

GREY = np.full((1088, 1456, 3), 90, np.uint8)
SETTINGS = read_settings(None)


def silent(taken: int, number: int, do: str) -> None:
    """Nobody is told."""


@pytest.fixture
def model() -> Iterator[Model]:
    model = Model(settings=tower_settings(edges_per_turn=700))
    yield model
    model.finish()


@pytest.fixture
def tower(model: Model) -> Iterator[GpioTower]:
    with model.tower() as tower:
        yield tower


@pytest.mark.parametrize("text", ["16.01,16.00,15.99", "16.01, 16, 15.99", "16,01 16,00 15,99", "16,01; 16 ;15,99"])
def test_axes_are_taken_as_people_write_them(text: str) -> None:
    assert axes_mm(text) == (16.01, 16.0, 15.99)


@pytest.mark.parametrize("text", ["", ",", "16.01,,16", "16.01 , 16", "1e2", "16,01 -16", "٣"])
def test_what_is_no_list_of_axes_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is no list of millimetres"):
        axes_mm(text)


def test_degrees_are_taken_with_point_or_comma() -> None:
    assert (degrees("-2.5"), degrees("0,25"), degrees("3")) == (-2.5, 0.25, 3.0)
    with pytest.raises(ValueError, match="is no number of degrees"):
        degrees("1,2,3")


def test_nothing_is_thrown_for_dice_before_the_floor_is_known(tmp_path: Path) -> None:
    thrown: list[int] = []
    sight = Sight(lambda: GREY, throw=lambda: thrown.append(1))
    with pytest.raises(NotEnrolled, match="floor must be calibrated before the dice"):
        pictures_by(sight, "dice", SETTINGS, Wanted(), Keeper(tmp_path), silent, lambda: None)
    assert not thrown


def test_the_motor_is_measured_and_put_in_force(tower: GpioTower, model: Model, tmp_path: Path) -> None:
    keeper, told = Keeper(tmp_path), list[str]()
    sight = Sight(lambda: GREY, tower=tower)
    came = measure(sight, keeper, SETTINGS, Wanted(), lambda taken, number, do: told.append(do))
    assert came.done, came.message
    assert came.figures["edges_per_turn"] == 700
    assert len(told) == 2
    motor = keeper.motor()
    assert motor is not None
    assert [path.stem for path in (tmp_path / "calibration").glob("[0-9a-f]*.jpg")] == list(motor.made.pictures)
    measure(sight, keeper, SETTINGS, Wanted(level_deg=-2.0), silent)
    again = keeper.motor()
    assert again is not None
    assert again.park_deg == motor.park_deg + 2.0
    assert model.off_level_deg == pytest.approx(again.park_deg - LEVEL_DEG, abs=3.5)


@pytest.mark.parametrize("fault", ["jam in the measuring", "jam in the throw", "no picture", "slipping"])
def test_a_motor_that_cannot_be_measured_leaves_what_was_in_force(
    tower: GpioTower, model: Model, tmp_path: Path, fault: str
) -> None:
    keeper = Keeper(tmp_path)
    measure(Sight(lambda: GREY, tower=tower), keeper, SETTINGS, Wanted(), silent)
    before = keeper.machine.read_bytes()

    def lost() -> Image:
        raise CameraLost("There is no picture.")

    def break_it(taken: int, number: int, do: str) -> None:
        model.jammed = fault == ("jam in the measuring", "jam in the throw")[taken]
        if fault == "slipping" and not taken:
            model.at(1.7, lambda: setattr(model, "encoder_works", False))
            model.at(1.8, lambda: setattr(model, "encoder_works", True))

    sight = Sight(lost if fault == "no picture" else lambda: GREY, tower=tower)
    if fault == "slipping":
        assert "edges in single turns" in measure(sight, keeper, SETTINGS, Wanted(), break_it).message
    else:
        with pytest.raises((Jammed, CameraLost)):
            measure(sight, keeper, SETTINGS, Wanted(), break_it)
    assert keeper.machine.read_bytes() == before
    assert model.low
    model.jammed = False
    tower.tumble()


@pytest.mark.parametrize("while_it", ["throws", "goes on", "shows"])
def test_a_motor_whose_measuring_is_stopped_moves_by_what_was_in_force(
    tower: GpioTower, model: Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, while_it: str
) -> None:
    keeper, moved_by, adopt = Keeper(tmp_path), list[TowerSettings](), tower.adopt

    def adopted(settings: TowerSettings) -> None:
        moved_by.append(settings)
        adopt(settings)

    monkeypatch.setattr(tower, "adopt", adopted)
    if while_it == "shows":
        (tmp_path / "calibration" / "motor.jpg").mkdir(parents=True)

    def stop(taken: int, number: int, do: str) -> None:
        if taken and while_it == "goes on":
            raise Interrupted("The step was stopped.")
        if taken and while_it == "throws":
            model.at(1.0, tower.stop)

    with pytest.raises((Interrupted, OSError)):
        measure(Sight(lambda: GREY, tower=tower), keeper, SETTINGS, Wanted(level_deg=-2.0), stop)
    assert keeper.motor() is None
    assert moved_by[-1] == SETTINGS.tower
    assert model.low


def test_a_simulated_tower_has_no_motor(tmp_path: Path) -> None:
    came = measure(Sight(lambda: GREY), Keeper(tmp_path), SETTINGS, Wanted(), silent)
    assert not came.done
    assert "simulated" in came.message
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("step", "names", "thrown"), [("dice", (), 3 + AGAIN), ("dice", tuple("abcdefghij"), 2), ("lens", (), 0)]
)
def test_only_so_many_pictures_are_taken_anew(tmp_path: Path, step: str, names: tuple[str, ...], thrown: int) -> None:
    calls: dict[str, int] = {"take": 0, "throw": 0, "pause": 0}

    def take() -> Image:
        calls["take"] += 1
        return np.full((272, 364, 3), 90, np.uint8)

    def count(name: str) -> Any:
        return lambda: calls.update({name: calls[name] + 1})

    wanted, keeper = Wanted(names=names), Keeper(tmp_path)
    keeper.put_in_force(WHOLE)
    jpegs = pictures_by(Sight(take, count("throw")), step, SETTINGS, wanted, keeper, silent, count("pause"))
    assert len(jpegs) == {"dice": 3, "lens": 12}[step]
    assert calls["take"] == len(jpegs) + AGAIN
    assert calls["throw"] == thrown
    assert calls["pause"] == calls["take"] - 1


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_a_step_may_be_cut_off_at_any_side_effect(tmp_path: Path, after: bool) -> None:
    """What is in force is the one before or the new one, and its pictures are there."""
    before, now = (encode_jpeg(np.full((272, 364, 3), level, np.uint8)) for level in (90, 120))
    for last in range(1, 40):
        keeper = Keeper(tmp_path / str(last))
        assert carry_out("light", [before, before], keeper, SETTINGS, Wanted()).done
        old = keeper.path.read_bytes()
        cut = crashes(partial(carry_out, "light", [now, now], keeper, SETTINGS, Wanted()), last, after)
        left = keeper.current()
        assert left.light is not None
        assert all((tmp_path / str(last) / "calibration" / f"{name}.jpg").exists() for name in left.light.made.pictures)
        if not cut:
            assert keeper.path.read_bytes() != old
            assert last > 8
            return
        assert carry_out("light", [now, now], keeper, SETTINGS, Wanted()).done
    pytest.fail("it never came to an end")


def test_a_focus_says_what_locks_the_camera_and_the_settings_take_it(tower: GpioTower, tmp_path: Path) -> None:
    plugged = Plugged()
    plugged.metadata = {"ExposureTime": 8_000, "AnalogueGain": 1.5, "ColourGains": (1.7, 1.4), "LensPosition": 3.3}
    sharp = GREY.copy()
    cv2.rectangle(sharp, (400, 300), (1000, 800), (220, 220, 220), -1)
    jpegs = [encode_jpeg(sharp)]
    came = carry_out("focus", jpegs, Keeper(tmp_path), SETTINGS, Wanted())
    assert came.done, came.message
    said = with_locks(came, real_sight(plugged.camera(None), tower)).message
    assert said.startswith(came.message)
    lines = said.split("settings: ")[1].removesuffix(".").replace(", ", "\n")
    (tmp_path / "cornet.toml").write_text(lines)
    locks = read_settings(tmp_path / "cornet.toml").locks
    assert locks == Locks(8_000, 1.5, (1.7, 1.4), 3.3)
    plugged.metadata = {}
    assert with_locks(came, real_sight(plugged.camera(locks), tower)) is came
    assert with_locks(replace(came, step="light"), real_sight(plugged.camera(None), tower)).message == came.message


def test_a_lens_that_cannot_be_driven_is_left_alone_by_the_settings(tmp_path: Path) -> None:
    fixed = Locks(8_000, 1.5, (1.7, 1.4), None)
    (tmp_path / "cornet.toml").write_text("\n".join(f"{name} = {value}" for name, value in lock_lines(fixed).items()))
    locks = read_settings(tmp_path / "cornet.toml").locks
    assert locks == fixed
    plugged = Plugged()
    plugged.missing = {"AfMode", "LensPosition"}
    plugged.camera(locks)
    assert "LensPosition" not in plugged.configuration["controls"]
