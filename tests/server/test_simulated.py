"""What was thrown with simulated dice says so, also where real ones are thrown since."""

from server.table import Table
from vision.reading import Verdict

from .conftest import MakeTable, ScriptedEye, keep, ok, play_25, press, refused, state
from .test_game_before import won

FIVE = ok(6, 5, 4, 3, 2)


def told(table: Table) -> tuple[bool, bool]:
    found = state(table)
    return found["simulated"], found["simulated_throws"]


def test_simulated_throws_are_told_of_whatever_throws_now(make_table: MakeTable) -> None:
    play_25(make_table())
    table = make_table(simulated=False, eye=ScriptedEye(FIVE))
    press(table)
    assert told(table) == (False, False)
    keep(table, 6)
    table = make_table()
    assert told(table) == (True, False)
    press(table)
    assert told(table) == (True, True)
    table = make_table(simulated=False)
    assert told(table) == (False, True)
    table.abandon_game("console")
    # What was seen last is still shown.
    assert told(table) == (False, True)
    play_25(table)
    assert told(table) == (False, False)


def test_a_refused_look_at_simulated_dice_is_told_of_and_one_of_a_soak_is_not(make_table: MakeTable) -> None:
    table = make_table(eye=ScriptedEye(FIVE, refused(Verdict.COCKED), FIVE))
    play_25(table)
    table.try_dice(table.begin_soak({}, "console"), "console")
    assert not state(table)["simulated_throws"]
    table.press("console", None, None)
    assert state(table)["simulated_throws"]


def test_what_is_entered_by_hand_are_real_dice(make_table: MakeTable) -> None:
    table = make_table(by_hand=True)
    play_25(table)
    table.enter([6, 5, 4, 3, 2], "console", None, None)
    assert not state(table)["simulated_throws"]


def test_the_game_before_is_told_of_as_long_as_it_is_shown_and_where_it_goes_on(make_table: MakeTable) -> None:
    _, throw = won(make_table)
    table = make_table(simulated=False, eye=ScriptedEye(FIVE))
    play_25(table)
    assert told(table) == (False, True)
    table.correct(throw, {"faces": [1, 2, 3, 4, 5]}, "misread", "console", None, None)
    assert told(table) == (False, True)
    table.abandon_game("console")
    play_25(table)
    press(table)
    assert told(table) == (False, False)
