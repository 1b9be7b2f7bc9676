"""The roll button of the machine, its lamp, and a real tower's throws at the table; the tower is on mock pins."""

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from firmware.gpio import PRESS_GAP_S, GpioTower
from firmware.tower import TowerFault
from server.commands.run import _follow_button
from server.stage import NotNow
from server.table import Table
from tests.firmware.model import TICK_S, Model

from ..conftest import MakeTable, ScriptedEye, kinds, ok, state


@pytest.fixture
def machine() -> Iterator[tuple[Model, GpioTower]]:
    with ExitStack() as made:
        model = Model()
        yield model, made.enter_context(model.tower())


def follow(table: Table, model: Model, tower: GpioTower, *turns: Callable[[], Any]) -> list[bool]:
    """The button's thread, here, with something that happens before each of its turns; the lamp after each."""
    stop, lit = threading.Event(), []
    waiting = list(turns)

    def pressed(timeout_s: float, tell: Callable[[TowerFault], None]) -> bool:
        lit.append(bool(model.pin["button_lamp"].level))
        if not waiting:
            stop.set()
            return False
        waiting.pop(0)()
        model.wait_s(PRESS_GAP_S)
        return tower.pressed(0, tell)

    _follow_button(table, pressed, tower.lamp, stop)
    return lit


def test_the_lamp_is_lit_while_a_throw_is_due(make_table: MakeTable, machine: tuple[Model, GpioTower]) -> None:
    model, tower = machine
    table = make_table(tower=tower, eye=ScriptedEye(ok(6, 5, 4, 3, 2), ok(1, 1, 4, 3, 2)))
    lit = follow(
        table,
        model,
        tower,
        lambda: table.start_game("vingt-cinq", ["Ana", "Bo"], {}, "console"),
        model.push_button,
        lambda: table.act({"do": "keep", "dice": [6]}, "console", None, None),
        lambda: table.latch("camera-lost", "The camera is gone."),
    )
    # No game; a game begins; thrown, so a die must be kept; kept; in fault.
    assert lit == [False, True, False, True, False]


def test_a_thousand_presses_at_the_machine_are_one_throw(
    make_table: MakeTable, machine: tuple[Model, GpioTower]
) -> None:
    model, tower = machine
    table = make_table(tower=tower, eye=ScriptedEye(*[ok(6, 5, 4, 3, 2)] * 9))
    table.start_game("vingt-cinq", ["Ana", "Bo"], {}, "console")

    def hammer() -> None:
        for number in range(1000):
            model.at(number * 0.003, model.push_button)
        model.wait_s(TICK_S)

    follow(table, model, tower, hammer, lambda: None, lambda: None)
    assert len(state(table)["throws"]) == 1
    assert state(table)["machine"] == {"phase": "ready", "fault": None}


@pytest.mark.parametrize(
    ("broken", "name"),
    [
        (lambda model: setattr(model, "jammed", True), "jammed"),
        (lambda model: setattr(model, "home_works", False), "not-homed"),
        (lambda model: setattr(model, "strength", 0.22), "motor-overtime"),
        (lambda model: model.at(1.0, model.open_lid), "lid-open"),
        (lambda model: model.at(1.0, model.hit_emergency), "stopped"),
    ],
)
def test_a_fault_of_the_machine_survives_the_power_and_nothing_moves_by_itself(
    make_table: MakeTable, machine: tuple[Model, GpioTower], broken: Callable[[Model], Any], name: str
) -> None:
    model, tower = machine
    table = make_table(tower=tower, eye=ScriptedEye(ok(6, 5, 4, 3, 2)))
    table.start_game("vingt-cinq", ["Ana", "Bo"], {}, "console")
    broken(model)
    follow(table, model, tower, model.push_button)
    assert state(table)["machine"]["fault"]["name"] == name
    assert state(table)["machine"]["fault"]["message"].endswith("lear the fault.")
    tower.close()
    again = Model()
    with again.tower() as restarted:
        table = make_table(tower=restarted, boot="again")
        assert state(table)["machine"]["fault"]["name"] == name
        follow(table, again, restarted, again.push_button)
        with pytest.raises(NotNow, match=name):
            table.press("console", None, None)
        assert not any(sample.duty for sample in again.samples)
        table.clear_fault("console")
        again.wait_s(1.0)
        assert not any(sample.duty for sample in again.samples)


def test_a_lid_that_opens_between_throws_is_a_fault(make_table: MakeTable, machine: tuple[Model, GpioTower]) -> None:
    model, tower = machine
    table = make_table(tower=tower)
    follow(table, model, tower, model.open_lid)
    assert state(table)["machine"]["fault"]["name"] == "lid-open"


def test_pins_that_do_not_answer_are_a_fault_and_the_button_is_heard_after_it(
    make_table: MakeTable, machine: tuple[Model, GpioTower]
) -> None:
    model, tower = machine
    table = make_table(tower=tower, eye=ScriptedEye(ok(6, 5, 4, 3, 2)))
    table.start_game("vingt-cinq", ["Ana", "Bo"], {}, "console")

    def clear_in_vain() -> None:
        with pytest.raises(NotNow, match="do not answer"):
            table.clear_fault("console")
        model.speak_again()

    lit = follow(
        table,
        model,
        tower,
        lambda: None,
        model.fall_silent,
        lambda: None,
        clear_in_vain,
        lambda: table.clear_fault("console"),
        model.push_button,
    )
    (told,) = [event.body for event in table._log.events() if event.kind == "fault"]
    assert told["fault"] == "no-tower"
    assert told["message"].startswith("The pins of the tower do not answer (bad event request): ")
    assert lit == [False, True, True, True, False, True, False]
    assert len(state(table)["throws"]) == 1


def test_a_press_while_the_machine_is_closed_is_in_vain(make_table: MakeTable, tmp_path: Path) -> None:
    table, stop = make_table(), threading.Event()
    table.start_game("vingt-cinq", ["Ana", "Bo"], {}, "console")

    def pressed(timeout_s: float, tell: Callable[[TowerFault], None]) -> bool:
        stop.set()
        table.close()
        return True

    _follow_button(table, pressed, lambda on: None, stop)
    assert kinds(tmp_path) == ["game"]
