"""Corrections, undo and disputes: what people say of a reading, and what comes of it."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from server.correction import CannotStand, Move, other_faces, recounted, rewrite, without_last
from server.looks import Look
from server.record import replay
from server.rules import Game, new_game
from server.stage import SEQS, NotNow

from .conftest import (
    MakeTable,
    ScriptedEye,
    correct,
    keep,
    kinds,
    ok,
    press,
    state,
    table_with,
)


def test_a_corrected_throw_is_played_as_it_was_seen_and_both_readings_stay(
    make_table: MakeTable, tmp_path: Path
) -> None:
    table = table_with(make_table, (6, 6, 4, 3, 2))
    throw = press(table)
    correct(table, throw, 5, 6, 4, 3, 2)
    shown = state(table)
    assert shown["game"]["table"]["rolled"] == [6, 5, 4, 3, 2]
    assert shown["offers"] == [{"do": "keep", "dice": {"one_of": [[6]]}}]
    assert shown["last"]["faces"] == [6, 6, 4, 3, 2]
    event = state(table)["seq"] // SEQS
    assert shown["last"]["corrected"] == {
        "event": event,
        "faces": [5, 6, 4, 3, 2],
        "reason": "a six is a five",
        "by": "console",
        "cut": [],
    }
    assert kinds(tmp_path) == ["game", "press", "throw", "correction"]
    assert table.record() == {
        "format": 1,
        "game": "vingt-cinq",
        "players": ["Ana", "Bo"],
        "options": {"life": 25, "attack_again": False},
        "actions": [{"do": "throw", "dice": [5, 6, 4, 3, 2]}],
    }


def test_a_correction_stands_after_a_restart(make_table: MakeTable) -> None:
    table = table_with(make_table, (6, 6, 4, 3, 2), (6, 4, 3, 2))
    first = press(table)
    keep(table, 6)
    press(table)
    correct(table, first, 6, 5, 4, 3, 2)
    table.dispute(first, 1, "seat 4", None)
    before = state(table)
    again = state(make_table(boot="again", camera="frames"))
    for shown in (before, again):
        del shown["seq"], shown["boot"], shown["head"]
    assert again == before
    assert again["throws"][0]["corrected"]["faces"] == [6, 5, 4, 3, 2]
    assert again["throws"][0]["disputed"]
    assert again["throws"][1]["corrected"] is None
    assert not again["throws"][1]["disputed"]


def test_a_correction_answers_what_was_doubted_and_may_be_doubted_again(make_table: MakeTable) -> None:
    table = table_with(make_table, (6, 6, 4, 3, 2))
    throw = press(table)
    first = table.dispute(throw, 1, "seat 4", None)
    correct(table, throw, 6, 5, 4, 3, 2)
    assert (state(table)["last"]["disputed"], state(table)["last"]["doubted"]) == (False, [])
    again = table.dispute(throw, 1, "seat 4", None)
    assert again != first
    assert (state(table)["last"]["disputed"], state(table)["last"]["doubted"]) == (True, [1])
    assert table.dispute(throw, 1, "seat 5", None) == again


def test_what_was_done_after_the_last_throw_falls_away_where_it_can_no_longer_be(make_table: MakeTable) -> None:
    table = table_with(make_table, (6, 6, 4, 3, 2))
    throw = press(table)
    keep(table, 6, 6)
    kept = state(table)["seq"] // SEQS
    answer = correct(table, throw, 6, 5, 4, 3, 2, key="once")
    assert answer["cut"] == [kept]
    assert state(table)["last"]["corrected"]["cut"] == [kept]
    assert state(table)["game"]["turn"]["legal"] == ["keep"]
    assert correct(table, throw, 6, 5, 4, 3, 2, key="once") == answer
    keep(table, 6)
    assert state(table)["game"]["table"]["kept"] == [6]


def test_a_later_throw_is_never_taken_back(make_table: MakeTable, tmp_path: Path) -> None:
    table = table_with(make_table, (6, 6, 4, 3, 2), (5, 4, 3))
    throw = press(table)
    keep(table, 6, 6)
    press(table)
    before = state(table)
    with pytest.raises(NotNow, match=r"what Ana did next \(event 5: keep\) could not have been: Set aside one die"):
        correct(table, throw, 6, 5, 4, 3, 2)
    with pytest.raises(NotNow, match="never taken back"):
        correct(table, throw)
    assert state(table) == before
    assert kinds(tmp_path)[-1] == "throw"


def test_where_nothing_can_be_read_the_throw_is_made_again(make_table: MakeTable) -> None:
    table = table_with(make_table, (6, 6, 4, 3, 2), (1, 2, 3, 4, 5))
    throw = press(table)
    answer = table.correct(throw, {"dice": []}, "a hand lay on them", "console", None, None)
    assert answer["cut"] == []
    assert state(table)["game"]["turn"] == {"player": "Ana", "dice": 5, "legal": ["throw"]}
    with pytest.raises(NotNow, match="no throw of the running game"):
        correct(table, throw, 1, 1, 1, 1, 1)
    press(table)
    assert state(table)["game"]["table"]["rolled"] == [5, 4, 3, 2, 1]


def test_a_die_may_be_taken_away_or_put_there(make_table: MakeTable) -> None:
    table = table_with(make_table, (6, 6, 4, 3, 2, 1))
    throw = press(table)
    table.correct(throw, {"dice": [6, None, 4, 3, 2, 1]}, "a chip", "console", None, None)
    assert state(table)["last"]["corrected"]["counted"] == [0, 2, 3, 4, 5]
    assert state(table)["last"]["corrected"]["faces"] == [6, 4, 3, 2, 1]
    added = [6, 6, 4, 3, 2, 1, {"face": 5, "center": [10, 90]}]
    table.correct(throw, {"dice": added}, "one in the corner", "console", None, None)
    assert state(table)["last"]["corrected"]["faces"] == [5, 6, 6, 4, 3]
    assert state(table)["last"]["corrected"]["counted"] == [6, 0, 1, 2, 3]


@pytest.mark.parametrize(
    ("reading", "reason", "says"),
    [
        ({"faces": [6, 6, 4, 3, 2]}, "why not", "holds already"),
        ({"dice": [6, 6, 4, 3, 2, 1]}, "why not", "holds already"),
        ({"faces": [6, 6, 4, 3]}, "short", "has 5 faces"),
        ({"faces": [6, 6, 4, 3, 7]}, "seven", "has 5 faces"),
        ({"faces": [True, 6, 4, 3, 2]}, "true", "has 5 faces"),
        ({"dice": [6, 6, 4, 3]}, "short", "shows 6 dice"),
        ({"dice": [6, 6, 4, 3, 2, 9]}, "nine", "shows 6 dice"),
        ({"dice": [None, None, 4, 3, 2, 1]}, "two gone", "4 would be left"),
        ({"dice": [6, 6, 4, 3, 2, 1, 5]}, "no place", "not seen"),
        ({"dice": [6, 6, 4, 3, 2, 1, {"face": 5, "center": [float("nan"), 1]}]}, "nowhere", "not seen"),
        ({"dice": [], "faces": []}, "both", "either"),
        ({"faces": "66432"}, "text", "either"),
        ({"faces": [5, 6, 4, 3, 2]}, " ", "Say why"),
    ],
)
def test_a_correction_that_says_nothing_or_nonsense_is_refused(
    make_table: MakeTable, tmp_path: Path, reading: dict[str, Any], reason: str, says: str
) -> None:
    table = table_with(make_table, (6, 6, 4, 3, 2, 1))
    throw = press(table)
    with pytest.raises(NotNow, match=says):
        table.correct(throw, reading, reason, "console", None, None)
    assert kinds(tmp_path)[-1] == "throw"


def test_the_other_faces_come_as_the_reader_ordered_them(make_table: MakeTable) -> None:
    reading = ok(3, 3, 3, 3, 3)
    dice = tuple(replace(die, others=(1, 6, 5, 4, 2)) for die in reading.dice)
    table = make_table(eye=ScriptedEye(replace(reading, dice=dice)))
    table.start_game("vingt-cinq", ["Ana", "Bo"], {}, "console")
    press(table)
    assert {tuple(die["others"]) for die in state(table)["last"]["dice"]} == {(1, 6, 5, 4, 2)}


def test_where_no_picture_says_more_a_pip_more_or_less_comes_first(make_table: MakeTable) -> None:
    table = table_with(make_table, (6, 5, 4, 3, 2, 1))
    press(table)
    others = [die["others"] for die in state(table)["last"]["dice"]]
    assert others[0] == [5, 4, 3, 2, 1]
    assert others[2] == [3, 5, 2, 6, 1]
    for face in (None, 1, 2, 3, 4, 5, 6):
        assert sorted([*other_faces(face), *([face] if face else [])]) == [1, 2, 3, 4, 5, 6]


def test_undo_takes_back_actions_up_to_the_last_throw(make_table: MakeTable, tmp_path: Path) -> None:
    table = make_table()
    for says in ("no game", "nothing to undo"):
        with pytest.raises(NotNow, match=says):
            table.undo("console", None, None)
        if table.record() is None:
            table.start_game("vingt-six", ["Ana", "Bo"], {}, "console")
    before = state(table)["game"]
    for action in ({"do": "bet", "chips": 2}, {"do": "call", "face": 6}):
        table.act(action, "console", None, None)
    answer = table.undo("console", None, "once")
    assert table.undo("console", None, "once") == answer
    assert state(table)["game"]["turn"]["legal"] == ["call"]
    table.undo("console", None, None)
    assert state(table)["game"] == before
    for action in ({"do": "bet", "chips": 2}, {"do": "call", "face": 5}):
        table.act(action, "console", None, None)
    press(table)
    with pytest.raises(NotNow, match="never undone"):
        table.undo("console", None, None)
    assert kinds(tmp_path).count("undo") == 2
    restarted = state(make_table(boot="again", camera="frames"))["game"]
    assert restarted["table"]["throws"] == state(table)["game"]["table"]["throws"]


def test_what_was_done_before_a_throw_is_not_undone_when_the_throw_is_to_be_made_again(make_table: MakeTable) -> None:
    table = table_with(make_table, (6, 6, 4, 3, 2), (1, 2, 3, 4))
    press(table)
    keep(table, 6)
    table.correct(press(table), {"dice": []}, "a hand lay on them", "console", None, None)
    with pytest.raises(NotNow, match="thrown since"):
        table.undo("console", None, None)
    assert state(table)["game"]["table"]["kept"] == [6]


def test_a_phone_that_saw_the_old_reading_is_told(make_table: MakeTable) -> None:
    table = table_with(make_table, (6, 6, 4, 3, 2))
    throw = press(table)
    seen = state(table)["seq"]
    correct(table, throw, 6, 5, 4, 3, 2)
    with pytest.raises(NotNow, match="moved on"):
        table.act({"do": "keep", "dice": [6, 6]}, "seat 4", seen, None)


def test_a_doubt_is_noted_once_and_its_picture_is_kept(make_table: MakeTable, tmp_path: Path) -> None:
    table = table_with(make_table, (6, 6, 4, 3, 2))
    throw = press(table)
    answer = table.dispute(throw, 1, "seat 4", "key")
    assert table.dispute(throw, 1, "seat 5", None) == answer
    assert table.dispute(throw, None, "seat 5", None) != answer
    assert kinds(tmp_path).count("dispute") == 2
    assert table.ask(lambda standing: set(standing.kept)) == {state(table)["last"]["frame"]}
    for number, die in ((throw, 5), (throw, -1), (throw - 1, None), (999, 0)):
        with pytest.raises(NotNow, match="no throw of the running game"):
            table.dispute(number, die, "seat 4", None)
    table.latch("jammed", "The cone does not turn.")
    table.dispute(throw, 0, "seat 4", None)
    assert kinds(tmp_path)[-1] == "dispute"


def test_a_doubt_is_answered_once_for_its_key_whatever_it_asks_for(make_table: MakeTable, tmp_path: Path) -> None:
    table = table_with(make_table, (6, 6, 4, 3, 2))
    throw = press(table)
    answer = table.dispute(throw, 1, "seat 4", "key")
    assert table.dispute(throw, 2, "seat 4", "key") == answer
    table.abandon_game("console")
    assert table.dispute(throw, 1, "seat 4", "key") == answer
    again = make_table(boot="after")
    assert again.dispute(throw, 1, "seat 4", "key") == answer
    assert kinds(tmp_path).count("dispute") == 1


def test_who_sits_at_the_table_is_in_the_log(make_table: MakeTable) -> None:
    table = make_table()
    newcomer = {"secret": "", "approved": True, "player": None, "by": "seat"}
    seat = table.note("seat", {**newcomer, "name": "Ana", "approved": False}).seq
    other = table.note("seat", {**newcomer, "name": "Bo"}).seq
    table.start_game("vingt-cinq", ["Ana", "Bo"], {}, "console")
    table.note("seat", {"seat": seat, "approved": True, "player": 0, "by": "operator"})
    table.note("seat", {"seat": other, "gone": True, "by": "operator"})
    table.note("joining", {"joining": "locked", "by": "operator"})
    table.note("house", {"player": 1, "plays": "bold", "by": "operator"})
    ana = {"id": seat, "name": "Ana", "approved": True, "player": 0, "present": False}
    expected = {"joining": "locked", "list": [ana]}
    assert state(table)["seats"] == expected
    again = make_table(boot="again", camera="frames")
    assert state(again)["seats"] == expected
    assert again.ask(lambda standing: dict(standing.house)) == {1: "bold"}
    again.abandon_game("console")
    assert state(again)["seats"]["list"][0]["player"] is None
    with pytest.raises(ValueError, match="no note"):
        again.note("throw", {})


GAMES = [("vingt-cinq", {}), ("vingt-six", {"bet_mode": "free"}), ("421", {}), ("thousand", {}), ("quatorze", {})]


def played(game: Game, draw: st.DataObject) -> list[Move]:
    """Some turns of a game, whatever the dice and the players do."""
    moves: list[Move] = []
    for seq in range(draw.draw(st.integers(0, 25), label="moves")):
        if not game.legal():
            break
        offers = [
            offer
            for offer in game.offers()
            if all("one_of" in choice for name, choice in offer.items() if name != "do")
        ]
        throw = "throw" in game.legal()
        if not throw and not offers:
            break
        if throw and (not offers or draw.draw(st.booleans(), label="throw")):
            dice = draw.draw(st.lists(st.integers(1, 6), min_size=game.dice, max_size=game.dice), label="dice")
            action: dict[str, Any] = {"do": "throw", "dice": dice}
        else:
            offer = draw.draw(st.sampled_from(offers), label="offer")
            action = {
                name: choice if name == "do" else draw.draw(st.sampled_from(choice["one_of"]), label=name)
                for name, choice in offer.items()
            }
        move = Move(seq, action, game.actor, game.dice)
        game.play(action)
        moves.append(move)
    return moves


@pytest.mark.parametrize(("name", "options"), GAMES, ids=[name for name, _ in GAMES])
@settings(max_examples=40, deadline=None)
@given(draw=st.data())
def test_a_rewritten_game_is_what_its_moves_replay_to_and_keeps_every_throw(
    name: str, options: dict[str, Any], draw: st.DataObject
) -> None:
    game = new_game(name, ["Ana", "Bo", "Cyr"], options)
    moves = played(game, draw)
    before = game.state()
    throws = [move for move in moves if move.is_throw]
    if not throws:
        return
    wrong = draw.draw(st.sampled_from(throws), label="corrected")
    count = len(wrong.action["dice"])
    faces = draw.draw(st.lists(st.integers(1, 6), min_size=count, max_size=count) | st.just([]), label="faces")
    try:
        found = rewrite(game, moves, wrong.seq, faces)
    except CannotStand:
        assert wrong is not throws[-1], "the last throw can always be corrected"
        return
    finally:
        assert game.state() == before
    record = {"format": 1, "game": name, "players": ["Ana", "Bo", "Cyr"], "options": options}
    assert replay({**record, "actions": [move.action for move in found.moves]}).state() == found.game.state()
    assert [move.seq for move in found.moves if move.is_throw] == [
        move.seq for move in throws if faces or move is not wrong
    ]
    assert [move.seq for move in found.moves] + ([] if faces else [wrong.seq]) + found.cut == [
        move.seq for move in moves
    ]
    assert [(move.actor, move.dice) for move in found.moves] == [
        (move.actor, move.dice) for move in moves[: len(found.moves)]
    ]
    if faces:
        back = rewrite(found.game, found.moves, wrong.seq, wrong.action["dice"])
        assert back.game.state() == new_game_played(name, options, moves[: len(found.moves)]).state()


def new_game_played(name: str, options: dict[str, Any], moves: list[Move]) -> Game:
    game = new_game(name, ["Ana", "Bo", "Cyr"], options)
    for move in moves:
        game.play(move.action)
    return game


def test_only_an_action_is_undone() -> None:
    game = new_game("vingt-cinq", ["Ana", "Bo"], {})
    with pytest.raises(CannotStand, match="nothing"):
        without_last(game, [])
    moves = [
        Move(7, {"do": "throw", "dice": [6, 6, 5, 5, 4]}, "Ana", 5),
        Move(8, {"do": "keep", "dice": [6]}, "Ana", 0),
    ]
    found = without_last(game, moves)
    assert (found.moves, found.cut, found.game.legal()) == (moves[:1], [8], ("keep",))


def test_added_dice_are_counted_by_pixels_when_the_others_have_millimetres_too() -> None:
    look: Look = {
        "needs": 1,
        "size": [100, 100],
        "counted": [0],
        "dice": [{"face": 2, "center": [50, 50], "mm": [-70, -70]}, {"face": 3, "center": [20, 80], "mm": [0, 0]}],
    }
    assert recounted(look, {"dice": [2, 4]})["faces"] == [2]
    assert recounted(look, {"dice": [None, 3]})["counted"] == [1]
    added = [2, 3, {"face": 6, "center": [1, 99]}]
    assert recounted(look, {"dice": added})["faces"] == [6]
    assert json.loads(json.dumps(recounted(look, {"dice": added})))["counted"] == [2]
    # In pixels the second would come before the first.
    look["dice"] = [*look["dice"], {"face": 1, "center": [90, 10], "mm": [70, 70]}]
    assert recounted(look, {"dice": [2, 3, None]})["counted"] == [0]
