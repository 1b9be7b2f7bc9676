"""The real tower's code on mock pins, against a physical model: whole throws, every fault, every way out."""

import ast
import threading
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from gpiozero import GPIOPinInUse, OutputDevice

from firmware.gpio import FRESH_S, PRESS_GAP_S
from firmware.health import Health
from firmware.motion import PARK_WITHIN_DEG, STEP_S
from firmware.settings import MOTOR_CEILING_S, tower_settings
from firmware.tower import (
    Interrupted,
    Jammed,
    LidOpen,
    MotorOvertime,
    NotHomed,
    NoTower,
    Overheated,
    Stopped,
    Tower,
    TowerFault,
    Undervoltage,
)
from tests.firmware.conftest import MakeTower
from tests.firmware.model import GATE_S, MARK_DEG, TICK_S, Model, Sample

FIRMWARE = Path(__file__).parents[2] / "firmware"


def driven(samples: list[Sample]) -> list[Sample]:
    return [sample for sample in samples if sample.duty]


def directions(samples: list[Sample]) -> list[int]:
    """The directions in which the motor was driven, one for each run without a change."""
    runs: list[int] = []
    for sample in driven(samples):
        way = 1 if sample.duty > 0 else -1
        if not runs or runs[-1] != way:
            runs.append(way)
    return runs


def clean_duration_s(seed: str = "7") -> float:
    """How long the first throw takes when nothing goes wrong."""
    model = Model()
    with model.tower(seed) as tower:
        tower.tumble()
    return len(model.samples) * TICK_S


# A throw


@pytest.mark.parametrize("seed", ["1", "2", "3", "4", "5"])
@pytest.mark.parametrize("threaded", [False, True], ids=["edges at once", "edges from another thread"])
def test_a_throw_turns_the_cone_and_ends_with_the_floor_down(make_tower: MakeTower, seed: str, threaded: bool) -> None:
    model, tower = make_tower(seed, start_deg=53.0 * int(seed), threaded=threaded)
    seen: Tower = tower
    for _ in range(3):
        model.samples.clear()
        seen.tumble()
        turned_deg = sum(abs(sample.speed_deg_s) for sample in model.samples) * TICK_S
        assert turned_deg >= 360 * model.settings.turns
        assert abs(model.off_level_deg) <= PARK_WITHIN_DEG + 0.5  # half an edge of the encoder, and rounding
        assert model.low
        assert model.speed_deg_s == 0


def test_it_finds_home_from_anywhere(make_tower: MakeTower) -> None:
    for start_deg in range(0, 360, 30):
        model, tower = make_tower(start_deg=float(start_deg) + MARK_DEG / 2)
        tower.tumble()
        assert abs(model.off_level_deg) <= PARK_WITHIN_DEG + 0.5


@pytest.mark.parametrize("seed", ["1", "2", "3"])
def test_the_first_throw_after_a_start_stays_below_six_seconds(make_tower: MakeTower, seed: str) -> None:
    for start_deg in range(7, 360, 60):
        model, tower = make_tower(seed, start_deg=float(start_deg))
        tower.tumble()
        assert len(model.samples) * TICK_S <= 5.8
        assert abs(model.off_level_deg) <= PARK_WITHIN_DEG + 0.5


def test_a_cone_turned_by_hand_is_found_again(make_tower: MakeTower) -> None:
    model, tower = make_tower(settings=tower_settings(turns=1.0))
    tower.tumble()
    for hand_deg in range(15, 350, 15):
        for _ in range(hand_deg):
            model.angle_deg += 1
            model.wait_s(TICK_S)
        tower.tumble()
        assert abs(model.off_level_deg) <= PARK_WITHIN_DEG + 0.5


def test_a_badly_set_tower_gives_up_instead_of_trying_for_ever(make_tower: MakeTower) -> None:
    _, tower = make_tower(settings=tower_settings(edges_per_turn=120, park_deg=0.0))
    for _ in range(3):
        try:
            tower.tumble()
        except (NotHomed, MotorOvertime):
            continue


def test_nothing_moves_before_the_first_throw(make_tower: MakeTower) -> None:
    model, tower = make_tower()
    model.push_button()
    assert tower.pressed(0)
    assert tower.trouble() is None
    model.wait_s(5)
    assert not driven(model.samples)
    assert model.speed_deg_s == 0
    assert model.low


def test_nothing_pulses_and_nothing_moves_while_the_camera_looks(make_tower: MakeTower) -> None:
    model, tower = make_tower()
    tower.lamp(True)
    tower.tumble()
    before = {name: len(pin.states) for name, pin in model.pin.items()}
    model.samples.clear()
    model.wait_s(3)
    assert {name: len(pin.states) for name, pin in model.pin.items()} == before
    assert all(pin.frequency is None for pin in model.pin.values())
    assert {sample.angle_deg for sample in model.samples} == {model.samples[0].angle_deg}
    assert model.pin["light"].state == 1


def paths(make_tower: MakeTower, seed: str, throws: int) -> list[list[float]]:
    model, tower = make_tower(seed)
    seen = []
    for _ in range(throws):
        model.samples.clear()
        tower.tumble()
        seen.append([sample.duty for sample in model.samples])
    return seen


def test_the_seed_decides_speed_and_direction(make_tower: MakeTower) -> None:
    one, same, other = (paths(make_tower, seed, 6) for seed in ("7", "7", "8"))
    assert one == same
    assert one != other
    assert len({tuple(path) for path in one}) == 6
    reversed_in = [min(path) < -0.5 for path in one + other]
    assert 2 <= sum(reversed_in) <= 10
    assert len({round(max(path), 3) for path in one}) == 6


def test_a_tower_that_resumes_does_not_repeat_its_movements(make_tower: MakeTower) -> None:
    model, tower = make_tower()
    third = paths(make_tower, "7", 3)[2]
    tower.tumble()  # the first one after a start goes forward until the home mark was seen
    tower.resume(2)
    model.samples.clear()
    tower.tumble()
    assert max(third) == max(sample.duty for sample in model.samples)


def test_starts_and_stops_are_soft(make_tower: MakeTower) -> None:
    model, tower = make_tower()
    for _ in range(6):
        tower.tumble()
    step = STEP_S / model.settings.ramp_s
    slow = model.settings.slow_duty
    for before, after in pairwise(model.samples):
        change = abs(after.duty - before.duty)
        # Only the brake at the end of the slow approach takes all the power at once.
        assert change <= step + 1e-9 or (after.braked and before.duty <= slow + 1e-9)


# Jams


PHASES = [0.02, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9]


@pytest.mark.parametrize("seed", ["3", "7"])
@pytest.mark.parametrize("phase", PHASES)
def test_a_jam_at_any_moment_is_a_fault_after_two_tries(
    make_tower: MakeTower, seed: str, phase: float, caplog: pytest.LogCaptureFixture
) -> None:
    model, tower = make_tower(seed)
    jam_s = phase * clean_duration_s(seed)
    model.at(jam_s, lambda: setattr(model, "jammed", True))
    begun_s = model.time_s
    with pytest.raises(Jammed, match="does not turn"):
        tower.tumble()
    after = [sample for sample in model.samples if sample.at_s >= begun_s + jam_s]
    first = next(n for n in range(1, len(after)) if after[n - 1].duty and not any(s.duty for s in after[n : n + 100]))
    way = 1 if after[first - 1].duty > 0 else -1
    assert directions(after[first:]) == [-way, way, -way, way]
    assert model.low
    assert len([record for record in caplog.records if "Jam" in record.message]) == 3
    assert model.time_s - driven(model.samples)[-1].at_s <= 0.5  # from the last detection to the fault
    assert model.time_s - begun_s - jam_s <= 5


def test_a_jam_switches_the_motor_off_within_half_a_second(make_tower: MakeTower) -> None:
    model, tower = make_tower()
    model.at(1.0, lambda: setattr(model, "jammed", True))
    jam_s = model.time_s + 1.0
    with pytest.raises(Jammed):
        tower.tumble()
    off_s = next(sample.at_s for sample in model.samples if sample.at_s > jam_s and not sample.duty)
    assert off_s - jam_s <= 0.25


def test_a_jam_that_comes_free_is_no_fault(make_tower: MakeTower) -> None:
    model, tower = make_tower()
    model.at(1.0, lambda: setattr(model, "jammed", True))
    model.when(lambda: model.jammed and model.drive()[0] < 0, lambda: setattr(model, "jammed", False))
    tower.tumble()
    assert directions(model.samples).count(-1) >= 1
    assert abs(model.off_level_deg) <= PARK_WITHIN_DEG + 0.5


def test_an_encoder_that_fails_alone_is_a_jam(make_tower: MakeTower) -> None:
    model, tower = make_tower()
    model.at(1.0, lambda: setattr(model, "encoder_works", False))
    with pytest.raises(Jammed, match="the encoder stood still"):
        tower.tumble()
    assert model.low


def test_a_current_that_stays_high_is_a_jam_although_the_cone_turns(make_tower: MakeTower) -> None:
    model, tower = make_tower()
    model.at(1.0, lambda: setattr(model, "drag_a", 0.5))
    with pytest.raises(Jammed, match="the motor drew"):
        tower.tumble()


def test_the_inrush_of_a_start_is_no_jam(make_tower: MakeTower) -> None:
    model, tower = make_tower(settings=tower_settings(ramp_s=0.2))
    peak = 0.0

    def watch() -> bool:
        nonlocal peak
        duty, _ = model.drive()
        peak = max(peak, model.amps() / abs(duty)) if duty else peak
        return False

    model.when(watch, lambda: None)
    tower.tumble()
    assert peak > model.settings.jam_a


def test_a_silent_current_sensor_is_a_fault_and_one_disturbed_answer_is_not(make_tower: MakeTower) -> None:
    model, tower = make_tower()
    model.at(1.0, lambda: setattr(model, "sensor_error", "Remote I/O error"))
    model.at(1.05, lambda: setattr(model, "sensor_error", ""))
    tower.tumble()
    model.sensor_error = "Remote I/O error"
    with pytest.raises(Jammed, match=r"sensor does not answer \(Remote I/O error\)"):
        tower.tumble()
    assert model.low


# Home and time


def test_a_home_mark_that_is_never_seen_is_a_fault_within_a_turn_and_a_half(make_tower: MakeTower) -> None:
    model, tower = make_tower(home_works=False)
    with pytest.raises(NotHomed, match="home mark was not seen"):
        tower.tumble()
    assert abs(model.angle_deg - model.start_deg) <= 540 + 45  # coasting
    assert model.low


@pytest.mark.parametrize("after_s", [0.5, 1.0, 2.0])
def test_a_home_mark_that_goes_is_a_fault(make_tower: MakeTower, after_s: float) -> None:
    model, tower = make_tower()
    model.at(after_s, lambda: setattr(model, "home_works", False))
    with pytest.raises(NotHomed):
        tower.tumble()
    assert model.low


def test_a_cone_that_slips_on_its_axle_is_a_fault(make_tower: MakeTower) -> None:
    model, tower = make_tower()
    tower.tumble()
    slips = 0

    def slip() -> bool:
        nonlocal slips
        if model.drive()[1] and model.samples[-1].duty:
            # Further each time, so that what was learnt of the last time does not help.
            slips += 1
            model.angle_deg += 10.0 * slips
        return False

    model.when(slip, lambda: None)
    with pytest.raises(NotHomed, match="floor level"):
        tower.tumble()
    assert slips == 3
    assert model.low


@pytest.mark.parametrize("asked_s", [2.0, 9.0, 99.0])
def test_the_motor_never_runs_for_longer_than_it_may(make_tower: MakeTower, asked_s: float) -> None:
    model, tower = make_tower(settings=tower_settings(motor_s=asked_s, turns=30.0))
    with pytest.raises(MotorOvertime, match="are allowed"):
        tower.tumble()
    assert len(driven(model.samples)) * TICK_S <= min(asked_s, MOTOR_CEILING_S) + 2 * STEP_S
    assert model.low


def test_weak_power_ends_in_overtime(make_tower: MakeTower) -> None:
    model, tower = make_tower(strength=0.22)
    with pytest.raises(MotorOvertime):
        tower.tumble()
    assert model.low


def test_a_loop_that_was_held_up_for_an_hour_does_not_go_on(make_tower: MakeTower) -> None:
    model, tower = make_tower()
    model.at(1.0, lambda: setattr(model, "time_s", model.time_s + 3600))
    with pytest.raises(MotorOvertime):
        tower.tumble()
    assert model.low


def test_nothing_in_the_firmware_asks_for_the_time_of_day() -> None:
    for path in FIRMWARE.glob("*.py"):
        names = {node.attr for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.Attribute)}
        assert not names & {"time", "now", "utcnow", "today", "localtime"}, path


# Lid, emergency stop, stop


SWITCHES: list[tuple[Callable[[Model], Any], Callable[[Model], Any], type[TowerFault]]] = [
    (Model.open_lid, Model.shut_lid, LidOpen),
    (Model.hit_emergency, Model.release_emergency, Stopped),
]


@pytest.mark.parametrize(("opened", "released", "fault"), SWITCHES, ids=["lid", "emergency stop"])
@pytest.mark.parametrize("after_s", [0.01, 0.3, 1.0, 2.0, 3.0])
@pytest.mark.parametrize("threaded", [False, True], ids=["edges at once", "edges from another thread"])
def test_a_switch_that_opens_takes_the_power_at_once(
    make_tower: MakeTower,
    opened: Callable[[Model], Any],
    released: Callable[[Model], Any],
    fault: type[TowerFault],
    after_s: float,
    threaded: bool,
) -> None:
    model, tower = make_tower(threaded=threaded)
    tower.tumble()
    opened_s = model.time_s + after_s
    model.at(after_s, lambda: opened(model))
    with pytest.raises(fault, match="clear the fault"):
        tower.tumble()
    assert not driven([sample for sample in model.samples if sample.at_s > opened_s])
    assert model.low
    assert isinstance(tower.trouble(), fault)
    with pytest.raises(fault):
        tower.tumble()
    released(model)
    assert tower.trouble() is None
    tower.tumble()
    assert abs(model.off_level_deg) <= PARK_WITHIN_DEG + 0.5


@pytest.mark.parametrize(("opened", "released", "fault"), SWITCHES, ids=["lid", "emergency stop"])
def test_a_switch_that_opens_for_a_moment_is_a_fault_too(
    make_tower: MakeTower,
    opened: Callable[[Model], Any],
    released: Callable[[Model], Any],
    fault: type[TowerFault],
) -> None:
    model, tower = make_tower()
    model.at(1.0, lambda: opened(model))
    model.at(1.003, lambda: released(model))
    with pytest.raises(fault):
        tower.tumble()
    assert tower.trouble() is None


def test_a_lid_that_bounces_before_the_power_goes_is_still_the_lid(make_tower: MakeTower) -> None:
    model, tower = make_tower()
    model.at(1.0, lambda: model.set("power", False))
    model.at(1.01, model.open_lid)
    with pytest.raises(LidOpen):
        tower.tumble()


def test_the_lid_alone_takes_the_power_even_where_its_switch_in_the_line_sticks(make_tower: MakeTower) -> None:
    model, tower = make_tower()
    opened_s = model.time_s + 1.0034
    model.when(lambda: model.time_s >= opened_s, lambda: model.set("lid", True))
    with pytest.raises(LidOpen):
        tower.tumble()
    assert not driven([sample for sample in model.samples if sample.at_s >= opened_s])


def test_a_lid_whose_edge_was_lost_is_seen_at_the_next_step(make_tower: MakeTower) -> None:
    model, tower = make_tower()
    opened_s = model.time_s + 1.0034

    def open_silently() -> None:
        model.pin["lid"].when_changed = model.pin["power"].when_changed = None
        model.open_lid()

    model.when(lambda: model.time_s >= opened_s, open_silently)
    with pytest.raises(LidOpen):
        tower.tumble()
    assert not driven([sample for sample in model.samples if sample.at_s >= opened_s + STEP_S + TICK_S])


@pytest.mark.parametrize(("opened", "released", "fault"), SWITCHES, ids=["lid", "emergency stop"])
def test_a_switch_that_opens_between_throws_is_told_once(
    make_tower: MakeTower,
    opened: Callable[[Model], Any],
    released: Callable[[Model], Any],
    fault: type[TowerFault],
) -> None:
    model, tower = make_tower()
    tower.tumble()
    opened(model)
    with pytest.raises(fault):
        tower.pressed(0)
    released(model)
    assert not tower.pressed(0)
    opened(model)
    released(model)
    with pytest.raises(fault):
        tower.tumble()
    tower.tumble()


def test_stop_from_another_thread_ends_a_throw(make_tower: MakeTower) -> None:
    model, tower = make_tower()

    def stop() -> None:
        other = threading.Thread(target=tower.stop)
        other.start()
        other.join()

    model.at(1.0, stop)
    stopped_s = model.time_s + 1.0
    with pytest.raises(Interrupted):
        tower.tumble()
    assert not driven([sample for sample in model.samples if sample.at_s > stopped_s])
    assert model.low
    tower.tumble()
    assert abs(model.off_level_deg) <= PARK_WITHIN_DEG + 0.5


def test_close_from_another_thread_ends_a_throw(make_tower: MakeTower) -> None:
    model, tower = make_tower()
    closing = threading.Thread(target=tower.close)

    def close() -> None:
        closing.start()
        while not model.low:
            closing.join(0.01)

    model.at(1.0, close)
    with pytest.raises(Interrupted):
        tower.tumble()
    closing.join(30)
    assert not closing.is_alive()
    assert not driven(model.samples[-1:])


def test_one_throw_at_a_time(make_tower: MakeTower) -> None:
    model, tower = make_tower()
    errors: list[BaseException] = []

    def second() -> None:
        try:
            tower.tumble()
        except RuntimeError as error:
            errors.append(error)

    def meanwhile() -> None:
        other = threading.Thread(target=second)
        other.start()
        other.join()

    model.at(1.0, meanwhile)
    tower.tumble()
    assert [str(error) for error in errors] == ["a tumble within a tumble"]


# The computer


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


# Every fault of the design, by name


CAUSES: dict[str, Callable[[Model], Any]] = {
    "jammed": lambda model: setattr(model, "jammed", True),
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


# Ways out


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
    assert not tower.pressed(0)
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


# Heartbeat


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


def test_a_loop_that_hangs_stops_the_heart_and_so_the_motor(
    make_tower: MakeTower, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, tower = make_tower()
    amps = model.amps
    fresh: list[bool] = []

    def hang() -> float:
        if model.time_s > 1001 and not fresh:
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


# The button


def test_a_thousand_presses_and_bounces_are_one_press(make_tower: MakeTower) -> None:
    model, tower = make_tower()
    for _ in range(1000):
        model.push_button()
        model.wait_s(TICK_S)
    assert tower.pressed(0)
    assert not tower.pressed(0)
    model.wait_s(PRESS_GAP_S)
    model.push_button()
    assert tower.pressed(0)
    assert not driven(model.samples)


def test_presses_during_a_throw_are_none(make_tower: MakeTower) -> None:
    model, tower = make_tower()
    for number in range(1000):
        model.at(0.1 + number * 0.002, model.push_button)
    tower.tumble()
    assert not tower.pressed(0)
    model.wait_s(PRESS_GAP_S)
    model.push_button()
    assert tower.pressed(0)


def test_a_press_wakes_who_waits_for_it(make_tower: MakeTower) -> None:
    model, tower = make_tower(threaded=True)
    seen: list[bool] = []
    waiting = threading.Thread(target=lambda: seen.append(tower.pressed(30)))
    waiting.start()
    model.do(model.push_button)
    waiting.join(30)
    assert seen == [True]


def test_the_senses_are_those_of_the_machine(make_tower: MakeTower) -> None:
    model, tower = make_tower()
    tower.tumble()
    seen = tower.senses()
    assert (seen.lid_closed, seen.powered, seen.at_home, seen.amps) == (True, True, True, 0.0)
    assert seen.encoder_edges > model.settings.edges_per_turn
    assert 0.2 < seen.highest_a < model.settings.jam_a
    model.open_lid()
    seen = tower.senses()
    assert (seen.lid_closed, seen.powered) == (False, False)


def test_lamps_are_on_or_off(make_tower: MakeTower) -> None:
    model, tower = make_tower()
    for pin, switch in ((model.pin["button_lamp"], tower.lamp), (model.pin["light"], tower.light)):
        for on in (True, False):
            switch(on)
            assert pin.state == on
            assert pin.frequency is None
