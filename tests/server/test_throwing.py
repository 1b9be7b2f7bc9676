"""One throw as everybody sees it while it lasts, and what the log has of its looks."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from firmware.simulated import SimulatedTower
from server.eye import Seen
from vision.reading import Reading, Verdict

from .conftest import MakeTable, ScriptedEye, dice, kinds, ok, play_25, refused, state


@pytest.mark.parametrize(
    ("recorded", "between"), [(0, ["tumbling"]), (2, [])], ids=["thrown anew", "the next recorded picture"]
)
def test_the_phases_of_a_throw_are_shown_as_they_come(make_table: MakeTable, recorded: int, between: list[str]) -> None:
    table = make_table(eye=ScriptedEye(refused(Verdict.COCKED), ok(6, 5, 4, 3, 2), recorded=recorded))
    play_25(table)
    shown: list[str] = []

    def look() -> None:
        phase = state(table)["machine"]["phase"]
        if shown[-1:] != [phase]:
            shown.append(phase)

    table.board.wake = look
    table.press("console", None, None)
    assert shown == ["ready", "tumbling", "settling", "reading", *between, "settling", "reading", "ready"]


class Counting(SimulatedTower):
    """Counts how often the cone turns."""

    tumbles = 0

    def tumble(self) -> None:
        self.tumbles += 1
        super().tumble()


@pytest.mark.parametrize(
    ("recorded", "looks", "tumbles"), [(0, 3, 3), (5, 5, 1)], ids=["a camera", "recorded pictures"]
)
def test_what_could_not_be_read_lies_as_the_last_picture_shows_it(
    make_table: MakeTable, recorded: int, looks: int, tumbles: int
) -> None:
    tower = Counting("7")
    unreadable = [replace(refused(Verdict.UNSURE), dice=dice(None, place % 6 + 1)) for place in range(looks)]
    table = make_table(tower=tower, eye=ScriptedEye(*unreadable, recorded=recorded))
    play_25(table)
    table.press("console", None, None)
    assert state(table)["machine"]["fault"]["name"] == "unreadable"
    assert tower.tumbles == tumbles


class Overtaken(Counting):
    """Somebody stops the machine when nothing but the tumble itself is left to do."""

    stop_it: Callable[[], None]

    def tumble(self) -> None:
        self.stop_it()
        SimulatedTower.tumble(self)
        self.tumbles += 1


def test_a_stop_is_obeyed_however_short_before_the_cone_turns_it_comes(make_table: MakeTable) -> None:
    tower = Overtaken("7")
    table = make_table(tower=tower, eye=ScriptedEye(ok(6, 5, 4, 3, 2)))
    tower.stop_it = lambda: table.latch("stopped", "Somebody stopped it.")
    play_25(table)
    table.press("console", None, None)
    assert (tower.tumbles, state(table)["machine"]["fault"]["name"]) == (0, "stopped")
    table.clear_fault("console")
    tower.stop_it = lambda: None
    table.press("console", None, None)
    assert (tower.tumbles, state(table)["last"]["faces"]) == (1, [6, 5, 4, 3, 2])


class Recorded(ScriptedEye):
    """Sees two recorded pictures in turn, each by the name of its file."""

    def look(self, settled: Reading) -> Seen:
        left = len(self.looks)
        return replace(super().look(settled), source=f"{left % 2}.jpg", again=left == 0)


def test_a_look_at_a_recorded_picture_says_which_and_whether_they_begin_again(make_table: MakeTable) -> None:
    unsure = refused(Verdict.UNSURE)
    table = make_table(eye=Recorded(unsure, unsure, ok(6, 5, 4, 3, 2), recorded=3), camera="frames")
    play_25(table)
    table.press("console", None, None)
    told = [(look["source"], look["again"]) for look in state(table)["throws"]]
    assert told == [("0.jpg", False), ("1.jpg", False), ("0.jpg", True)]


def test_a_look_at_the_floor_itself_has_no_source(make_table: MakeTable) -> None:
    table = make_table(eye=ScriptedEye(ok(6, 5, 4, 3, 2)))
    play_25(table)
    table.press("console", None, None)
    assert state(table)["last"]["source"] is None


class Coloured(ScriptedEye):
    """Sees of which colour each die is, and by which calibration it was read."""

    def look(self, settled: Reading) -> Seen:
        colours = tuple(f"#{10 * place:06x}" for place in range(len(settled.dice)))
        return replace(super().look(settled), bodies=colours, tray="7a")


def test_a_look_has_the_colour_of_each_die_and_what_it_was_read_by(make_table: MakeTable) -> None:
    table = make_table(eye=Coloured(refused(Verdict.COCKED), ok(6, 5, 4, 3, 2)))
    play_25(table)
    table.press("console", None, None)
    again, last = state(table)["throws"]
    assert [die["body"] for die in again["dice"]] == ["#000000", "#00000a"]
    assert [die["body"] for die in last["dice"]] == ["#000000", "#00000a", "#000014", "#00001e", "#000028"]
    assert (again["tray"], last["tray"], last["size"]) == ("7a", "7a", [600, 100])


class Ended(ScriptedEye):
    """An eye during whose look the program is told to end."""

    end: Callable[[], None]

    def look(self, settled: Reading) -> Seen:
        self.end()
        return super().look(settled)


def test_a_throw_that_is_read_while_the_program_ends_is_void(make_table: MakeTable, tmp_path: Path) -> None:
    eye = Ended(ok(6, 5, 4, 3, 2))
    table = make_table(eye=eye)
    eye.end = table.close
    play_25(table)
    table.press("console", None, None)
    assert kinds(tmp_path) == ["game", "press"]
    again = make_table(boot="again")
    assert kinds(tmp_path) == ["game", "press", "void"]
    assert state(again)["game"]["turn"]["legal"] == ["throw"]
