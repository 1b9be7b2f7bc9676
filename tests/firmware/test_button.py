"""The roll button, the lamps, and what the tower senses."""

import threading

from firmware.gpio import PRESS_GAP_S, PRESS_HOLDS_S
from tests.firmware.conftest import MakeTower
from tests.firmware.model import TICK_S, driven, never_told, stages


def test_a_thousand_presses_and_bounces_are_one_press(make_tower: MakeTower) -> None:
    model, tower = make_tower()
    for _ in range(1000):
        model.push_button()
        model.wait_s(TICK_S)
    assert tower.pressed(0, never_told)
    assert not tower.pressed(0, never_told)
    model.wait_s(PRESS_GAP_S)
    model.push_button()
    assert tower.pressed(0, never_told)
    assert not driven(model.samples)


def test_presses_during_a_throw_are_none(make_tower: MakeTower) -> None:
    model, tower = make_tower()
    model.push_button()  # nobody asks for this one before the throw
    for number in range(1000):
        model.at(0.1 + number * 0.002, model.push_button)
    model.at(stages("7")["brake"], model.push_button)
    tower.tumble()
    assert not tower.pressed(0, never_told)
    model.wait_s(PRESS_GAP_S)
    model.push_button()
    assert tower.pressed(0, never_told)


def test_a_press_that_nobody_asked_for_in_time_was_made_in_vain(make_tower: MakeTower) -> None:
    model, tower = make_tower()
    model.push_button()
    model.wait_s(PRESS_HOLDS_S + 0.1)
    assert not tower.pressed(0, never_told)
    model.push_button()
    model.wait_s(PRESS_HOLDS_S / 2)
    assert tower.pressed(0, never_told)


def test_a_press_wakes_who_waits_for_it(make_tower: MakeTower) -> None:
    model, tower = make_tower(threaded=True)
    seen: list[bool] = []
    waiting = threading.Thread(target=lambda: seen.append(tower.pressed(30, never_told)))
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


def test_the_lamp_is_on_or_off_and_the_light_is_on(make_tower: MakeTower) -> None:
    model, tower = make_tower()
    for on in (True, False):
        tower.lamp(on)
        assert model.pin["button_lamp"].state == on
        assert model.pin["button_lamp"].frequency is None
    assert model.pin["light"].state
    assert model.pin["light"].frequency is None
