"""The motor is measured on the model of the machine, and the tower then moves by what was found."""

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

import pytest

from calibration.keeping import Keeper, NothingBefore
from calibration.motor import JAM, NotMeasured, calibrate_motor, parse_motor
from firmware.motion import PARK_WITHIN_DEG
from firmware.settings import tower_settings
from firmware.survey import TURNS, Survey
from firmware.tower import Jammed, LidOpen, MotorOvertime, NotHomed
from tests.firmware.model import IDLE_A, LEVEL_DEG, Model
from vision.tray import BadTray, Made

MADE = Made("2026-01-31T20:15:00+00:00", "0.1.0", ())
GOOD = Survey((1133, 1133, 1134), 1.1, 0.25)


@pytest.fixture
def closing() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


def machine(closing: ExitStack, **about: Any) -> tuple[Model, Any]:
    model = Model(**about)
    closing.callback(model.finish)
    return model, closing.enter_context(model.tower())


@pytest.mark.parametrize("edges", [240, 1133, 5000])
def test_a_machine_with_another_motor_is_measured_and_then_throws(closing: ExitStack, edges: int) -> None:
    truth = tower_settings(edges_per_turn=edges)
    model, tower = machine(closing, settings=truth)
    built = tower_settings(park_deg=LEVEL_DEG + 9)
    tower.adopt(built)
    found = tower.survey()
    assert model.low
    assert len(found.edges) == TURNS
    motor = calibrate_motor(found, built, 9.0, MADE)
    assert motor.edges_per_turn == pytest.approx(edges, rel=0.005)
    assert motor.running_a == pytest.approx(IDLE_A, rel=0.1)
    assert motor.turn_s == pytest.approx(1 / truth.cruise_duty, rel=0.02)
    tower.adopt(motor.adjust(built))
    for _ in range(3):
        tower.tumble()
        assert abs(model.off_level_deg) <= PARK_WITHIN_DEG + 1
    assert tower.senses().highest_a < JAM * motor.running_a


def test_a_wrong_count_of_edges_is_why_it_is_measured(closing: ExitStack) -> None:
    _, tower = machine(closing, settings=tower_settings(edges_per_turn=5000))
    tower.adopt(tower_settings())
    with pytest.raises(NotHomed):
        tower.tumble()


def test_after_measuring_an_added_load_is_a_jam(closing: ExitStack) -> None:
    model, tower = machine(closing)
    tower.adopt(calibrate_motor(tower.survey(), tower_settings(), 0.0, MADE).adjust(tower_settings()))
    tower.tumble()
    model.drag_a = 0.25
    with pytest.raises(Jammed, match="drew"):
        tower.tumble()


@pytest.mark.parametrize(
    ("broken", "fault"),
    [
        ({"jammed": True}, Jammed),
        ({"encoder_works": False}, Jammed),
        ({"home_works": False}, NotHomed),
        ({"lid": False}, LidOpen),
        ({"sensor_error": "no answer"}, Jammed),
        ({"strength": 0.45}, MotorOvertime),
    ],
)
def test_what_is_broken_ends_the_measuring_with_the_motor_off(
    closing: ExitStack, broken: dict[str, Any], fault: type[Exception]
) -> None:
    model, tower = machine(closing, **broken)
    with pytest.raises(fault):
        tower.survey()
    assert model.low


def test_a_home_sensor_that_chatters_is_told(closing: ExitStack) -> None:
    model, tower = machine(closing)

    def chatter() -> None:
        model.set("home", False)
        model.set("home", True)

    for step in range(80):
        model.at(1.0 + 0.01 * step, chatter)
    with pytest.raises(NotHomed, match="times in a moment"):
        tower.survey()
    assert model.low


@pytest.mark.parametrize(
    ("survey", "level_deg", "said"),
    [
        (replace(GOOD, edges=(1133, 900, 1133)), 0.0, "1133, 900, 1133 edges"),
        (replace(GOOD, edges=(0, 0, 0)), 0.0, "0, 0, 0 edges"),
        (replace(GOOD, edges=(30000,) * 3), 0.0, "another encoder"),
        (replace(GOOD, turn_s=3.0), 0.0, "turns heavily"),
        (replace(GOOD, running_a=0.0), 0.0, "wires of the current sensor"),
        (replace(GOOD, running_a=2.0), 0.0, "turns heavily"),
        (GOOD, 30.0, "glue the magnet elsewhere"),
    ],
)
def test_a_motor_that_will_not_do_is_refused(survey: Survey, level_deg: float, said: str) -> None:
    with pytest.raises(NotMeasured, match=said):
        calibrate_motor(survey, tower_settings(), level_deg, MADE)


def test_the_machine_file_is_kept_and_undone_in_one_row_with_the_tray(tmp_path: Any) -> None:
    keeper = Keeper(tmp_path)
    first = calibrate_motor(GOOD, tower_settings(), 0.0, MADE)
    second = replace(first, park_deg=8.0)
    assert keeper.motor() is None
    keeper.put_motor_in_force(first)
    keeper.put_in_force(keeper.current())
    keeper.put_motor_in_force(second)
    assert keeper.motor() == second == parse_motor(second.text)
    for standing in (first, first, None):
        keeper.undo()
        assert keeper.motor() == standing
    with pytest.raises(NothingBefore):
        keeper.undo()


@pytest.mark.parametrize(
    "text", ["[motor]\n", "nothing", "[motor]\nedges_per_turn = 3", 'motor = "x"\n[tray]\n', "\x00"]
)
def test_a_damaged_machine_file_is_said(tmp_path: Any, text: str) -> None:
    keeper = Keeper(tmp_path)
    keeper.machine.write_text(text)
    with pytest.raises(BadTray, match="calibrate motor"):
        keeper.motor()
    good = calibrate_motor(GOOD, tower_settings(), 0.0, MADE)
    keeper.machine.write_text(good.text.replace("jam_a = 0.4", "jam_a = 40.0"))
    with pytest.raises(BadTray, match="jam_a"):
        keeper.motor()
