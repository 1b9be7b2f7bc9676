"""Lid, emergency stop, stop and close: the motor is off at once, from any thread, at every stage of a throw."""

import threading
from collections.abc import Callable
from typing import Any

import pytest

from firmware.motion import PARK_WITHIN_DEG, STEP_S
from firmware.tower import Interrupted, LidOpen, Stopped, TowerFault
from tests.firmware.conftest import MakeTower
from tests.firmware.model import STAGES, TICK_S, Model, driven, stages

SWITCHES: list[tuple[Callable[[Model], Any], Callable[[Model], Any], type[TowerFault]]] = [
    (Model.open_lid, Model.shut_lid, LidOpen),
    (Model.hit_emergency, Model.release_emergency, Stopped),
]


@pytest.mark.parametrize(("opened", "released", "fault"), SWITCHES, ids=["lid", "emergency stop"])
@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("threaded", [False, True], ids=["edges at once", "edges from another thread"])
def test_a_switch_that_opens_takes_the_power_at_once(
    make_tower: MakeTower,
    opened: Callable[[Model], Any],
    released: Callable[[Model], Any],
    fault: type[TowerFault],
    stage: str,
    threaded: bool,
) -> None:
    model, tower = make_tower(threaded=threaded)
    opened_s = model.time_s + stages("7")[stage]
    model.at(stages("7")[stage], lambda: opened(model))
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
    told: list[TowerFault] = []
    assert not tower.pressed(0, told.append)
    released(model)
    assert not tower.pressed(0, told.append)
    assert [type(one) for one in told] == [fault]
    opened(model)
    released(model)
    with pytest.raises(fault):
        tower.tumble()
    tower.tumble()


@pytest.mark.parametrize(("opened", "released", "fault"), SWITCHES, ids=["lid", "emergency stop"])
def test_a_switch_that_was_open_for_a_moment_forbids_a_throw_until_it_is_told(
    make_tower: MakeTower,
    opened: Callable[[Model], Any],
    released: Callable[[Model], Any],
    fault: type[TowerFault],
) -> None:
    model, tower = make_tower()
    tower.tumble()
    opened(model)
    released(model)
    assert isinstance(tower.trouble(), fault), "nobody knows what lies in the cone now"
    told = []

    def tell(one: TowerFault) -> None:
        told.append(type(one))
        assert isinstance(tower.trouble(), fault), "whoever decides meanwhile must still see it"

    assert not tower.pressed(0, tell)
    assert told == [fault]
    assert tower.trouble() is None


def test_a_lid_whose_switch_cuts_the_12_v_first_is_told_as_the_lid(make_tower: MakeTower) -> None:
    model, tower = make_tower()
    model.at(0.005, model.open_lid)
    model.do(lambda: model.set("power", high=False))
    told: list[TowerFault] = []
    assert not tower.pressed(0, told.append)
    assert [type(one) for one in told] == [LidOpen]


@pytest.mark.parametrize("stage", STAGES)
def test_stop_from_another_thread_ends_a_throw(make_tower: MakeTower, stage: str) -> None:
    model, tower = make_tower()

    def stop() -> None:
        other = threading.Thread(target=tower.stop)
        other.start()
        other.join()

    stopped_s = model.time_s + stages("7")[stage]
    model.at(stages("7")[stage], stop)
    with pytest.raises(Interrupted):
        tower.tumble()
    assert not driven([sample for sample in model.samples if sample.at_s > stopped_s])
    assert model.low
    with pytest.raises(Interrupted):
        tower.tumble()
    assert not driven([sample for sample in model.samples if sample.at_s > stopped_s])
    tower.ready()
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
