"""House players: whole games through the table's own press and actions, across restarts and returns."""

from typing import Any

import pytest

from server.house import PACE_S, House
from server.log import Log
from server.strategy import AIMS
from server.table import Table

from .conftest import MakeTable, ScriptedEye, full_disk, ok, state


def give(table: Table, **plays: str | None) -> None:
    for name, character in plays.items():
        player = state(table)["game"]["players"].index(name)
        table.note("house", {"player": player, "plays": character, "by": "operator"})


def house(table: Table) -> House:
    return House(table)


@pytest.mark.parametrize(
    ("game", "options"),
    [
        ("vingt-six", {"bet_mode": "capped"}),
        ("quatorze", {"bet_mode": "free"}),
        ("vingt-cinq", {"life": 4}),
        ("421", {"manches": 1}),
    ],
    ids=str,
)
def test_three_characters_play_a_game_among_themselves(
    make_table: MakeTable, game: str, options: dict[str, Any]
) -> None:
    table = make_table()
    table.start_game(game, ["careful", "bold", "perfect"], options, "console")
    give(table, **{name: name for name in AIMS})
    players = house(table)
    for _ in range(3000):
        if not players.move():
            break
    assert state(table)["game"]["finished"]


def test_thousand_is_played_by_its_three_characters(make_table: MakeTable) -> None:
    table = make_table()
    table.start_game("thousand", ["careful", "bold", "perfect"], {"preset": "home", "entry": 0}, "console")
    give(table, **{name: name for name in AIMS})
    players = house(table)
    assert all(players.move() for _ in range(60))
    assert {move.actor for move in table.ask(lambda standing: list(standing.moves))} == set(AIMS)


def test_a_character_that_nobody_knows_does_not_play(make_table: MakeTable) -> None:
    table = make_table()
    table.start_game("vingt-cinq", ["Ana", "Bo"], {}, "console")
    give(table, Ana="a stranger")
    assert not house(table).move()


def test_a_person_is_waited_for_and_taken_over_and_given_the_seat_back(make_table: MakeTable) -> None:
    table = make_table()
    table.start_game("vingt-cinq", ["Ana", "Bo"], {}, "console")
    give(table, Bo="bold")
    assert not house(table).move()
    assert state(table)["house"] == [None, "bold"]
    give(table, Ana="careful")
    assert house(table).move()
    # A restart keeps who plays.
    again = make_table()
    assert house(again).move()
    give(again, Ana=None)
    assert not house(again).move()
    assert state(again)["game"]["turn"]["player"] == "Ana"


def test_after_a_start_or_a_fault_it_throws_nothing_before_a_person_has_pressed(make_table: MakeTable) -> None:
    table = make_table()
    table.start_game("vingt-cinq", ["Ana", "Bo"], {}, "console")
    give(table, Ana="bold", Bo="careful")
    again = make_table(boot="again")
    assert house(again).due() is None
    assert not house(again).move()
    again.press("console", None, None)
    assert house(again).move()
    again.latch("jammed", "It stood still.")
    again.clear_fault("console")
    while not again.due:
        assert house(again).move()
    assert not house(again).move()
    again.press("button", None, None)
    assert house(again).move()


def test_after_a_fault_that_the_log_could_not_take_it_waits_for_a_person_too(
    make_table: MakeTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = make_table()
    table.start_game("vingt-cinq", ["Ana", "Bo"], {}, "console")
    give(table, Ana="bold", Bo="careful")
    with monkeypatch.context() as patched:
        patched.setattr(Log, "append", full_disk)
        table.latch("stopped", "The machine was stopped by the bartender: see to it, then clear the fault.")
    table.clear_fault("console")
    assert not house(table).move()
    table.press("button", None, None)
    assert house(table).move()


def test_a_game_that_goes_on_after_a_start_waits_for_a_person_too(make_table: MakeTable) -> None:
    table = make_table(eye=ScriptedEye(ok(6, 6, 6, 6, 6), ok(5, 5, 5, 5, 5)))
    table.start_game("vingt-cinq", ["Ana", "Bo"], {}, "console")
    give(table, Ana="bold", Bo="careful")
    table.press("console", None, None)
    table.act({"do": "keep", "dice": [6, 6, 6, 6, 6]}, "console", None, None)
    table.press("console", None, None)
    won = state(table)["last"]["event"]
    table.start_game("vingt-six", ["Cy", "Di"], {}, "console")
    again = make_table(boot="again")
    again.correct(won, {"faces": [5, 5, 5, 5, 4]}, "misread", "console", None, None)
    assert (state(again)["game"]["turn"]["player"], state(again)["house"]) == ("Ana", ["bold", "careful"])
    assert not house(again).move()
    again.press("button", None, None)
    assert house(again).move()


def test_it_looks_at_the_dice_as_long_as_a_person_does(make_table: MakeTable) -> None:
    table = make_table()
    table.start_game("vingt-cinq", ["Ana", "Bo"], {}, "console")
    give(table, Ana="bold", Bo="bold")
    waits: list[float] = []

    def wait(wait_s: float) -> bool:
        waits.append(wait_s)
        return len(waits) == 6

    house(table).follow(wait)
    assert waits[1::2] == [PACE_S] * 3
    assert all(look_s < 0.5 for look_s in waits[::2])
    assert len(table.ask(lambda standing: standing.moves)) == 2


def test_who_is_quicker_than_the_house_has_played(make_table: MakeTable) -> None:
    table = make_table()
    table.start_game("vingt-cinq", ["Ana", "Bo"], {}, "console")
    give(table, Ana="bold")
    players = house(table)
    due = players.due()
    table.press("console", None, None)
    assert players.due() != due
    assert players.move()


def test_it_does_nothing_in_a_fault(make_table: MakeTable) -> None:
    table = make_table()
    table.start_game("vingt-cinq", ["Ana", "Bo"], {}, "console")
    give(table, Ana="bold")
    table.latch("jammed", "It stood still.")
    assert not house(table).move()
