"""Requests to the table: each is taken once, for the turn that it looked at, and refused without a trace."""

from pathlib import Path

import pytest

from server.stage import SEQS, NotNow

from .conftest import MakeTable, ScriptedEye, kinds, ok, play_25, state


def test_the_sequence_refuses_what_looked_at_an_older_turn(make_table: MakeTable) -> None:
    table = make_table(eye=ScriptedEye(ok(6, 6, 4, 3, 2)))
    play_25(table)
    seen = state(table)["seq"]
    assert state(table)["turned"] <= seen
    table.press("console", seen, None)
    # What a page still shows from then is stale, and this is how it knows.
    assert state(table)["turned"] > seen
    with pytest.raises(NotNow, match="moved on"):
        table.act({"do": "keep", "dice": [6]}, "console", seen, None)
    table.act({"do": "keep", "dice": [6]}, "console", state(table)["seq"], None)


def test_the_sequence_holds_over_a_restart(make_table: MakeTable) -> None:
    table = make_table()
    play_25(table)
    seen = state(table)["seq"]
    table.close()
    again = make_table(boot="again")
    assert state(again)["seq"] > seen
    again.press("console", seen, None)
    with pytest.raises(NotNow, match="moved on"):
        again.press("console", seen, "key")


def test_one_key_is_one_action_and_one_answer(make_table: MakeTable, tmp_path: Path) -> None:
    table = make_table(eye=ScriptedEye(ok(6, 6, 4, 3, 2)))
    play_25(table)
    first = table.press("console", None, "press-1")
    assert table.press("console", None, "press-1") == first
    answer = table.act({"do": "keep", "dice": [6]}, "console", None, "keep-1")
    assert table.act({"do": "keep", "dice": [6]}, "console", None, "keep-1") == answer
    assert kinds(tmp_path) == ["game", "press", "throw", "action"]
    again = make_table(boot="again")
    assert again.act({"do": "keep", "dice": [6]}, "console", None, "keep-1") == answer
    assert kinds(tmp_path) == ["game", "press", "throw", "action"]


def test_a_game_is_begun_and_voided_once_for_each_key(make_table: MakeTable, tmp_path: Path) -> None:
    table = make_table()
    begun = table.start_game("vingt-cinq", ["Ana", "Bo"], {}, "console", None, "begin")
    assert table.start_game("vingt-cinq", ["Ana", "Bo"], {}, "console", None, "begin") == begun
    voided = table.abandon_game("console", begun["seq"], "void")
    second = table.start_game("vingt-cinq", ["Cy", "Di"], {}, "console", None, "next")
    # Sent once more, neither request reaches the game that has begun since.
    assert table.abandon_game("console", begun["seq"], "void") == voided
    assert table.start_game("vingt-cinq", ["Ana", "Bo"], {}, "console", None, "begin") == begun
    with pytest.raises(NotNow, match="moved on"):
        table.abandon_game("console", begun["seq"], "another")
    assert state(table)["game_id"] == second["seq"] // SEQS
    assert kinds(tmp_path) == ["game", "abandon", "game"]


def test_a_refused_request_leaves_no_trace_and_is_refused_again(make_table: MakeTable, tmp_path: Path) -> None:
    table = make_table()
    with pytest.raises(NotNow, match="no game"):
        table.press("console", None, "early")
    play_25(table)
    with pytest.raises(NotNow, match="no game"):
        table.press("console", None, "early")
    before = state(table)
    for action in ({"do": "keep", "dice": [6]}, {"do": "throw", "dice": [6, 6, 6, 6, 6]}, {"do": "dance"}, {}):
        with pytest.raises(NotNow):
            table.act(action, "console", None, None)
    with pytest.raises(NotNow, match="running"):
        play_25(table)
    assert state(table) == before
    assert kinds(tmp_path) == ["game"]


def test_a_refusal_that_is_given_again_holds_on_to_nobody_who_asked(make_table: MakeTable) -> None:
    table = make_table()
    depths = []
    for _ in range(3):
        with pytest.raises(NotNow) as refused:
            table.press("console", None, "early")
        depths.append(len(refused.traceback))
    # An error that is raised anew keeps every frame it ever went through, and with them what each request held.
    assert depths[1] == depths[2]


def test_only_the_latest_refusals_are_remembered(make_table: MakeTable) -> None:
    table = make_table()
    for number in range(1025):
        with pytest.raises(NotNow, match="no game"):
            table.press("seat 9", None, f"key {number}")
    play_25(table)
    for number in (1, 1024):
        with pytest.raises(NotNow, match="no game"):
            table.press("seat 9", None, f"key {number}")
    assert table.press("seat 9", None, "key 0")["seq"]
