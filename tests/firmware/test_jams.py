"""Jams, seen by encoder and current and answered by turning back, then a fault; and no more time than allowed."""

import pytest

from firmware.motion import FREEINGS, OVER_S, PARK_WITHIN_DEG, STEP_S
from firmware.settings import MOTOR_CEILING_S, tower_settings
from firmware.tower import Jammed, MotorOvertime
from tests.firmware.conftest import MakeTower
from tests.firmware.model import STAGES, TICK_S, Model, directions, driven, stages


@pytest.mark.parametrize("seed", ["3", "7"])
@pytest.mark.parametrize("stage", STAGES[:-1])
@pytest.mark.parametrize("threaded", [False, True], ids=["edges at once", "edges from another thread"])
def test_a_jam_at_any_stage_is_a_fault_after_two_tries(
    make_tower: MakeTower, seed: str, stage: str, threaded: bool, caplog: pytest.LogCaptureFixture
) -> None:
    model, tower = make_tower(seed, threaded=threaded)
    jam_s = stages(seed)[stage]
    model.at(jam_s, model.jam)
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
    model.at(1.0, model.jam)
    jam_s = model.time_s + 1.0
    with pytest.raises(Jammed):
        tower.tumble()
    off_s = next(sample.at_s for sample in model.samples if sample.at_s > jam_s and not sample.duty)
    assert off_s - jam_s <= 0.25


@pytest.mark.parametrize("stage", STAGES[:-1])
def test_a_jam_that_comes_free_is_no_fault(make_tower: MakeTower, stage: str) -> None:
    model, tower = make_tower()
    model.at(stages("7")[stage], model.jam)
    way = -1 if stage == "swing back" else 1
    model.when(lambda: model.jammed and model.drive()[0] * way < 0, lambda: setattr(model, "jammed", False))
    tower.tumble()
    assert directions(model.samples).count(-1) >= 1
    assert abs(model.off_level_deg) <= PARK_WITHIN_DEG + 0.5


def test_a_jam_that_came_free_does_not_count_against_the_next_throw(
    make_tower: MakeTower, caplog: pytest.LogCaptureFixture
) -> None:
    model, tower = make_tower()
    for _ in range(FREEINGS + 1):
        model.at(stages("7")["slowing"], model.jam)
        model.when(lambda: model.jammed and model.drive()[0] < 0, lambda: setattr(model, "jammed", False))
        tower.tumble()
        assert abs(model.off_level_deg) <= PARK_WITHIN_DEG + 0.5
    assert len([record for record in caplog.records if "Jam 1 of" in record.message]) == FREEINGS + 1


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


def test_a_current_that_is_high_for_a_moment_again_and_again_is_no_jam(
    make_tower: MakeTower, caplog: pytest.LogCaptureFixture
) -> None:
    model, tower = make_tower()
    for number in range(5):
        model.at(0.8 + 0.25 * number, lambda: setattr(model, "drag_a", 0.5))
        model.at(0.8 + 0.25 * number + 0.6 * OVER_S, lambda: setattr(model, "drag_a", 0.0))
    tower.tumble()
    assert tower.senses().highest_a > model.settings.jam_a
    assert not [record for record in caplog.records if "Jam" in record.message]
    tower.tumble()
    assert 0 < tower.senses().highest_a < model.settings.jam_a


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


@pytest.mark.parametrize("asked_s", [2.0, 9.0, 99.0])
def test_the_motor_never_runs_for_longer_than_it_may(make_tower: MakeTower, asked_s: float) -> None:
    model, tower = make_tower(settings=tower_settings(motor_s=asked_s, turns=30.0))
    with pytest.raises(MotorOvertime, match="are allowed"):
        tower.tumble()
    assert len(driven(model.samples)) * TICK_S <= min(asked_s, MOTOR_CEILING_S) + 2 * STEP_S
    assert model.low


@pytest.mark.parametrize("stage", STAGES[1:-1])
def test_the_ceiling_holds_at_every_stage(make_tower: MakeTower, stage: str) -> None:
    seed = "7"
    clean = Model()
    with clean.tower(seed) as tower:
        tower.tumble()
    at_s = clean.samples[0].at_s + stages(seed)[stage]
    allowed_s = len(driven([sample for sample in clean.samples if sample.at_s <= at_s])) * TICK_S
    model, tower = make_tower(seed, settings=tower_settings(motor_s=allowed_s))
    with pytest.raises(MotorOvertime):
        tower.tumble()
    assert len(driven(model.samples)) * TICK_S <= allowed_s + 2 * STEP_S
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
