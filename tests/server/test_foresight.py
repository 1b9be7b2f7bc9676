"""The live odds beside the table: first an answer, then a better one, and never in the way of a throw."""

from collections.abc import Callable

import pytest

from server.foresight import MOST_GAMES, Foresight
from server.stage import Phase
from server.table import Table

from .conftest import MakeTable


class Clock:
    """A clock that moves on by itself, a little each time it is read."""

    def __init__(self, tick_s: float) -> None:
        self.now_s, self.tick_s = 0.0, tick_s

    def __call__(self) -> float:
        self.now_s += self.tick_s
        return self.now_s


def test_without_a_game_there_is_nothing_to_know(table: Table) -> None:
    assert Foresight(table).outlook() is None


def test_a_position_is_worked_out_once(table: Table) -> None:
    foresight = Foresight(table)
    table.start_game("vingt-cinq", ["Ana", "Bo"], {"life": 5}, "console")
    first = foresight.outlook()
    assert first is not None
    assert first["method"] == "exact"
    assert sum(each["win"] for each in first["players"].values()) == pytest.approx(1)
    assert foresight.outlook() is first
    table.press("console", None, None)
    after = foresight.outlook()
    assert after is not None
    assert after["players"] != first["players"]


def test_what_is_simulated_gets_better_while_the_position_stands(table: Table) -> None:
    foresight = Foresight(table, Clock(0.0002))
    table.start_game("vingt-cinq", ["Ana", "Bo", "Cyr"], {"life": 3}, "console")
    first = foresight.outlook()
    assert first is not None
    assert first["method"] == "simulated"
    assert 0 < first["games"] < MOST_GAMES
    assert foresight._work()
    better = foresight.outlook()
    assert better is not None
    assert better["games"] > first["games"]
    assert better["players"]["Ana"]["win_error"] < first["players"]["Ana"]["win_error"] * 1.2
    # The answer to another position begins anew.
    table.press("console", None, None)
    assert foresight._work()


def test_it_rests_while_dice_are_thrown(make_table: MakeTable) -> None:
    waiting: list[Callable[[], None]] = []
    table = make_table(run=waiting.append)
    foresight = Foresight(table)
    table.start_game("vingt-cinq", ["Ana", "Bo"], {"life": 5}, "console")
    assert foresight._may_work()
    table.press("console", None, None)
    assert table.phase is Phase.TUMBLING
    assert not foresight._may_work()
    waiting.pop()()
    assert foresight._may_work()


def test_it_follows_the_game_until_it_is_told_to_stop(table: Table) -> None:
    foresight = Foresight(table)
    table.start_game("vingt-cinq", ["Ana", "Bo"], {"life": 5}, "console")
    waits: list[float] = []

    def wait(wait_s: float) -> bool:
        waits.append(wait_s)
        if len(waits) == 3:
            table.press("console", None, None)
        return len(waits) == 6

    foresight.follow(wait)
    assert len(foresight._known) == 2
