"""A whole throw of the real tower's code, on mock pins against the physical model: motion, rest, seed."""

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from itertools import pairwise
from statistics import mean

import pytest

from firmware.motion import PARK_WITHIN_DEG, STEP_S
from firmware.settings import LINES, MOTOR_CEILING_S, tower_settings
from firmware.tower import Interrupted, LidOpen, MotorOvertime, NotHomed, Stopped, Tower
from tests.firmware.conftest import MakeTower
from tests.firmware.model import MARK_DEG, STAGES, TICK_S, Model, driven, never_told, runs, stages


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
        assert len(model.samples) * TICK_S <= 5.7  # rest, reading and writing take 0.3 s more
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
    model, tower = make_tower(settings=tower_settings(edges_per_turn=120, park_deg=0.0))
    for _ in range(3):
        began_s = model.now_s()
        with suppress(NotHomed, MotorOvertime):
            tower.tumble()
        assert model.now_s() - began_s <= MOTOR_CEILING_S + 1
        assert model.low


PARK = next(line for line in LINES if line.name == "park_deg")


@pytest.mark.parametrize("swing_deg", [5.0, 22.0, 45.0])
@pytest.mark.parametrize("park_deg", [PARK.low, PARK.default, PARK.high])
def test_the_rocked_floor_comes_to_rest_without_going_round_once_more(
    make_tower: MakeTower, swing_deg: float, park_deg: float
) -> None:
    model, tower = make_tower(settings=tower_settings(swing_deg=swing_deg, park_deg=park_deg))
    tower.tumble()
    out, back, creep = runs(model.samples)[-3:]
    beyond_deg = out[-1].angle_deg - model.angle_deg
    assert swing_deg <= beyond_deg <= swing_deg + 15
    below_deg = model.angle_deg - creep[0].angle_deg
    assert max(swing_deg, park_deg) - 2 <= below_deg <= max(swing_deg, park_deg + 5) + 20
    assert back[0].duty < 0 < creep[0].duty


def test_nothing_moves_before_the_first_throw(make_tower: MakeTower) -> None:
    model, tower = make_tower()
    model.push_button()
    assert tower.pressed(0, never_told)
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
    assert len({round(mean(abs(duty) for duty in path[:1500]), 4) for path in one}) == 6


def test_a_tower_that_resumes_does_not_repeat_its_movements(make_tower: MakeTower) -> None:
    model, tower = make_tower()
    third = paths(make_tower, "7", 3)[2]
    tower.tumble()  # the first one after a start goes forward until the home mark was seen
    tower.resume(2)
    model.samples.clear()
    tower.tumble()
    assert third[:1500] == [sample.duty for sample in model.samples][:1500]


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


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("end", [Model.open_lid, Model.hit_emergency, None])
def test_the_throw_after_one_that_was_broken_off_starts_softly(
    make_tower: MakeTower, stage: str, end: Callable[[Model], None] | None
) -> None:
    model, tower = make_tower()
    model.at(stages("7")[stage], tower.stop if end is None else partial(end, model))
    with pytest.raises((LidOpen, Stopped, Interrupted)):
        tower.tumble()
    model.shut_lid()
    model.release_emergency()
    tower.ready()
    del model.samples[:-1]
    tower.tumble()
    starts = [(before, after) for before, after in pairwise(model.samples) if after.duty and not before.duty]
    assert all(abs(after.duty) <= STEP_S / model.settings.ramp_s + 1e-9 for _, after in starts)
    assert starts[0][1].at_s - model.samples[0].at_s >= 0.04  # the gate opens first
