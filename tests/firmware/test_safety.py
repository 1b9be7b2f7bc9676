"""Every fault by name, every way out of a throw, the heartbeat, a hang, and a computer that is not well."""

import ast
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from gpiozero import GPIOPinInUse, OutputDevice

from firmware.gpio import FRESH_S
from firmware.health import Health
from firmware.motion import PARK_WITHIN_DEG, STEP_S
from firmware.tower import Interrupted, NoTower, Overheated, TowerFault, Undervoltage
from tests.firmware.conftest import MakeTower
from tests.firmware.model import GATE_S, STAGES, Model, Sample, driven, never_told, stages

FIRMWARE = Path(__file__).parents[2] / "firmware"


@pytest.mark.parametrize(
    ("health", "fault"),
    [
        (Health(0x1, 45.0), Undervoltage),
        (Health(0x50005, 45.0), Undervoltage),
        (Health(0x4, 70.0), Overheated),
        (Health(0x8, 70.0), Overheated),
        (Health(0, 80.0), Overheated),
    ],
)
def test_a_computer_that_is_not_well_throws_nothing(
    make_tower: MakeTower, health: Health, fault: type[TowerFault]
) -> None:
    model, tower = make_tower(health=health)
    with pytest.raises(fault, match="clear the fault"):
        tower.tumble()
    assert not driven(model.samples)
    model.health = Health(0x50000, 45.0)  # it was not well, but is now
    tower.tumble()


def test_a_computer_that_does_not_say_how_it_is_throws_nothing(
    make_tower: MakeTower, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, tower = make_tower()

    def silent() -> Health:
        raise NoTower("vcgencmd does not answer.")

    monkeypatch.setattr(tower, "_health", silent)
    assert str(tower.trouble()) == "vcgencmd does not answer."
    with pytest.raises(NoTower):
        tower.tumble()
    assert not driven(model.samples)


CAUSES: dict[str, Callable[[Model], Any]] = {
    "jammed": Model.jam,
    "not-homed": lambda model: setattr(model, "home_works", False),
    "motor-overtime": lambda model: setattr(model, "strength", 0.22),
    "lid-open": Model.open_lid,
    "stopped": Model.hit_emergency,
    "undervoltage": lambda model: setattr(model, "health", Health(1, 45.0)),
    "overheated": lambda model: setattr(model, "health", Health(0, 99.0)),
}


def test_every_fault_has_a_cause() -> None:
    assert set(CAUSES) == {fault.name for fault in TowerFault.__subclasses__() if fault is not NoTower}


@pytest.mark.parametrize("name", CAUSES)
def test_every_fault_ends_dark_low_and_with_a_sentence(make_tower: MakeTower, name: str) -> None:
    model, tower = make_tower()
    CAUSES[name](model)
    with pytest.raises(TowerFault) as raised:
        tower.tumble()
    assert raised.value.name == name
    assert str(raised.value).endswith("lear the fault.")
    assert model.low
    assert model.pin["buzzer"].frequency is None
    assert not model.pin["heartbeat"].state
    assert any(state.state for state in model.pin["buzzer"].states)
    model.samples.clear()
    model.wait_s(2)
    assert not driven(model.samples)


class Broken(BaseException):
    """Something that no part of the code knows."""


@pytest.mark.parametrize("chunk", range(6))
def test_whatever_is_raised_wherever_it_is_raised_the_motor_is_off(make_tower: MakeTower, chunk: int) -> None:
    model, tower = make_tower()

    def fail() -> None:
        raise Broken

    for step in range(13):
        before_s = model.time_s
        model.at(0.013 + chunk * 0.75 + step * 0.0577, fail)
        try:
            tower.tumble()
        except Broken:
            assert model.low
            assert not model.pin["heartbeat"].state
        model.hooks.clear()
        model.wait_s(1)
        assert model.speed_deg_s == 0
        assert model.time_s > before_s
    tower.tumble()
    assert abs(model.off_level_deg) <= PARK_WITHIN_DEG + 0.5


def test_a_sensor_that_raises_leaves_the_motor_off(make_tower: MakeTower, monkeypatch: pytest.MonkeyPatch) -> None:
    model, tower = make_tower()

    def broken() -> float:
        raise ZeroDivisionError

    monkeypatch.setattr(model, "amps", broken)
    with pytest.raises(ZeroDivisionError):
        tower.tumble()
    assert model.low


def test_close_is_safe_at_any_time_and_twice() -> None:
    model = Model()
    tower = model.tower()
    tower.tumble()
    tower.close()
    tower.close()
    assert {pin.function for pin in model.pin.values()} == {"input"}
    assert not model.pin["motor_forward"].state
    assert not model.pin["motor_reverse"].state
    with pytest.raises(Interrupted):
        tower.tumble()
    assert not tower.pressed(0, never_told)
    tower.stop()


def test_closing_in_the_middle_of_a_throw_in_the_same_thread(make_tower: MakeTower) -> None:
    model, tower = make_tower()
    model.at(1.0, tower.close)
    with pytest.raises(Interrupted):
        tower.tumble()
    assert not model.pin["motor_forward"].state
    assert not model.pin["motor_reverse"].state


def test_a_pin_that_is_taken_leaves_nothing_open() -> None:
    model = Model()
    taken = OutputDevice(model.pins.buzzer, pin_factory=model.factory)
    with pytest.raises(GPIOPinInUse):
        model.tower()
    taken.close()
    assert {pin.function for pin in model.pin.values()} == {"input"}


def beats(samples: list[Sample]) -> list[float]:
    return [after.at_s for before, after in pairwise(samples) if after.heart and not before.heart]


def test_the_heart_beats_only_while_the_loop_turns(make_tower: MakeTower) -> None:
    model, tower = make_tower()
    model.wait_s(1)
    assert not beats(model.samples)
    tower.tumble()
    seen = beats(model.samples)
    gaps = [later - sooner for sooner, later in pairwise(seen)]
    assert max(gaps) <= 3 * STEP_S < GATE_S
    assert seen[0] < driven(model.samples)[0].at_s
    model.samples.clear()
    model.wait_s(1)
    assert not beats(model.samples)


@pytest.mark.parametrize("stage", STAGES[1:-1])
def test_a_loop_that_hangs_stops_the_heart_and_so_the_motor(
    make_tower: MakeTower, monkeypatch: pytest.MonkeyPatch, stage: str
) -> None:
    model, tower = make_tower()
    amps = model.amps
    hangs_s = model.time_s + stages("7")[stage]
    fresh: list[bool] = []

    def hang() -> float:
        if model.time_s >= hangs_s and not fresh:
            fresh.append(tower.fresh())
            model.wait_s(GATE_S + 1.0)
            fresh.append(tower.fresh())
            assert model.drive()[0], "the program still drives: only the gate can help"
            assert model.speed_deg_s == 0
        return amps()

    monkeypatch.setattr(model, "amps", hang)
    assert tower.fresh()
    tower.tumble()
    assert fresh == [True, False]
    assert GATE_S + 1.0 > FRESH_S
    assert tower.fresh()


def test_nothing_in_the_firmware_asks_for_the_time_of_day() -> None:
    for path in FIRMWARE.glob("*.py"):
        names = {node.attr for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.Attribute)}
        assert not names & {"time", "now", "utcnow", "today", "localtime"}, path


@pytest.mark.parametrize("after_s", [0.0, 1.5])
def test_pins_that_fall_silent_are_a_fault_and_the_next_throw_is_free(make_tower: MakeTower, after_s: float) -> None:
    model, tower = make_tower()
    model.at(after_s, model.fall_silent)
    with pytest.raises(NoTower, match="do not answer"):
        tower.tumble()
    assert isinstance(tower.trouble(), NoTower)
    tower.stop()
    beat_s = model.time_s
    model.wait_s(1.0)
    assert all(not sample.speed_deg_s for sample in model.samples if sample.at_s > beat_s + GATE_S + 0.6)
    model.speak_again()
    assert tower.trouble() is None
    tower.ready()
    tower.tumble()
    assert model.low
