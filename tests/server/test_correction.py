"""Corrections, undo and disputes: what people say of a reading, and what comes of it."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from server.chronicle import Chronicle
from server.correction import CannotStand, Move, other_faces, recounted, rewrite, without_last
from server.evidence import evidence_of, extract_of, write_bundle
from server.log import Event, canonical, chained
from server.looks import Look
from server.record import replay
from server.rules import Game, new_game
from server.stage import SEQS, NotNow
from server.table import Table
from vision.reading import Verdict

from .conftest import MakeTable, ScriptedEye, audited, bodies, forge, kinds, ok, refused, state


def table_with(make_table: MakeTable, *throws: tuple[int, ...]) -> Table:
    """A game of 25 with life enough, whose throws are these."""
    table = make_table(eye=ScriptedEye(*(ok(*faces) for faces in throws)))
    table.start_game("vingt-cinq", ["Ana", "Bo"], {}, "console")
    return table


def keep(table: Table, *faces: int) -> dict[str, Any]:
    return table.act({"do": "keep", "dice": list(faces)}, "console", None, None)


def press(table: Table) -> int:
    """Throw; the number of the throw's event."""
    table.press("console", None, None)
    event: int = state(table)["last"]["event"]
    return event


def correct(table: Table, throw: int, *faces: int, key: str | None = None) -> dict[str, Any]:
    return table.correct(throw, {"faces": list(faces)}, "a six is a five", "console", None, key)


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
    again = state(make_table(boot="again"))
    for shown in (before, again):
        del shown["seq"], shown["boot"], shown["head"]
    assert again == before
    assert again["throws"][0]["corrected"]["faces"] == [6, 5, 4, 3, 2]
    assert again["throws"][0]["disputed"]
    assert again["throws"][1]["corrected"] is None
    assert not again["throws"][1]["disputed"]


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


WIN = ((6, 6, 6, 6, 6), (5, 5, 5, 5, 5))


def won(make_table: MakeTable, *later: tuple[int, ...]) -> tuple[Table, int]:
    """A game that Ana has won in two throws, and the winning throw; the throws after it are these."""
    table = table_with(make_table, *WIN, *later)
    press(table)
    keep(table, 6, 6, 6, 6, 6)
    throw = press(table)
    assert state(table)["game"]["finished"]
    return table, throw


def begin_another(table: Table) -> int:
    """Begin a game of 26 and place a stake; its number."""
    begun: int = table.start_game("vingt-six", ["Cy", "Di"], {"bet_mode": "free"}, "console")["seq"] // SEQS
    table.act({"do": "bet", "chips": 1}, "console", None, None)
    table.act({"do": "call", "face": 3}, "console", None, None)
    return begun


def differences(path: Path) -> list[str]:
    """What an audit finds besides that the script's pictures are none."""
    return [line for line in audited(path).differences if "the file is no picture" not in line]


def bundled(directory: Path, game: int, *more: tuple[str, dict[str, Any]]) -> Path:
    """The bundle of a game, with these events forged behind its own."""
    with evidence_of(directory) as evidence:
        found = extract_of(evidence.events(), game)
        assert found is not None
        events = list(found.events)
        for kind, body in more:
            digest = chained(bytes.fromhex(events[-1].hash), canonical({"kind": kind, **body})).hex()
            events.append(Event(events[-1].seq + 1, kind, body, digest))
        write_bundle(replace(found, events=tuple(events)), evidence.file, directory / f"{game}.zip")
    return directory / f"{game}.zip"


def test_a_win_can_be_corrected(make_table: MakeTable) -> None:
    table, throw = won(make_table)
    correct(table, throw, 5, 5, 5, 5, 4)
    shown = state(table)
    assert not shown["game"]["finished"]
    assert shown["game"]["scores"] == {"Ana": 25, "Bo": 25}
    assert shown["game"]["turn"] == {"player": "Ana", "dice": 1, "legal": ["throw"]}
    correct(table, throw, 5, 5, 5, 5, 5)
    assert state(table)["game"]["finished"]
    assert state(table)["earlier"] is None


def test_a_win_is_taken_back_until_the_next_throw_and_the_game_that_was_begun_with_it(
    make_table: MakeTable, tmp_path: Path
) -> None:
    table, throw = won(make_table, (4,))
    played, over = state(table)["game_id"], state(table)["game"]
    begun = begin_another(table)
    assert state(table)["earlier"]["game_id"] == played
    assert state(table)["earlier"]["throws"][-1]["event"] == throw
    answer = correct(table, throw, 5, 5, 5, 5, 4, key="once")
    assert answer["taken_back"] == begun
    assert correct(table, throw, 5, 5, 5, 5, 4, key="once") == answer
    shown = state(table)
    assert (shown["game_id"], shown["earlier"], shown["game"]["finished"]) == (played, None, False)
    assert shown["last"]["corrected"]["faces"] == [5, 5, 5, 5, 4]
    with pytest.raises(NotNow, match="game has moved on"):
        table.press("seat 9", begun * SEQS, "of the game that is no more")
    again = state(make_table(boot="again"))
    for each in (shown, again):
        del each["seq"], each["boot"], each["head"]
    assert again == shown
    assert again["game"]["players"] == over["players"]
    assert differences(tmp_path) == []


def won_for_good(make_table: MakeTable) -> tuple[Table, int]:
    """A game that Ana has won, and a throw of it that may have been read otherwise without changing the end."""
    table = make_table(eye=ScriptedEye(ok(6, 6, 6, 6, 5), ok(5), ok(4, 4, 4, 4, 4), ok(*[1] * 10)))
    table.start_game("vingt-cinq", ["Ana", "Bo"], {"life": 20}, "console")
    throw = press(table)
    keep(table, 6, 6, 6, 6)
    press(table)
    keep(table, 5)
    press(table)
    return table, throw


def test_a_win_that_stands_is_corrected_beside_the_game_that_was_begun(make_table: MakeTable) -> None:
    table, throw = won_for_good(make_table)
    result = state(table)["game"]["result"]
    begun = begin_another(table)
    assert "taken_back" not in correct(table, throw, 5, 6, 6, 6, 6)
    shown = state(table)
    assert (shown["game_id"], shown["game"]["players"]) == (begun, ["Cy", "Di"])
    assert shown["earlier"]["result"] == result
    assert [look["corrected"] and look["corrected"]["faces"] for look in shown["earlier"]["throws"]] == [
        [5, 6, 6, 6, 6],
        None,
        None,
    ]
    press(table)
    assert state(table)["earlier"] is None
    with pytest.raises(NotNow, match="no throw of the running game"):
        correct(table, throw, 6, 6, 6, 6, 5)
    with pytest.raises(NotNow, match="no throw of the running game"):
        table.dispute(throw, None, "seat 4", None)


def test_neither_a_look_that_is_refused_nor_a_voided_game_ends_the_time_for_a_correction(make_table: MakeTable) -> None:
    table, throw = won(make_table)
    played = state(table)["game_id"]
    begin_another(table)
    table.abandon_game("console")
    begin_another(table)
    table._thrower._eye.looks[:] = [refused(Verdict.COCKED)] * 2  # type: ignore[attr-defined]
    table.press("console", None, None)
    assert state(table)["last"]["verdict"] == "cocked"
    assert state(table)["machine"]["phase"] == "fault"
    table.clear_fault("console")
    table.abandon_game("console")
    assert (state(table)["game"], state(table)["earlier"]["game_id"]) == (None, played)
    assert "taken_back" not in correct(table, throw, 5, 5, 5, 5, 4)
    assert state(table)["game_id"] == played


def test_a_game_that_was_voided_is_not_corrected(make_table: MakeTable) -> None:
    table, throw = won(make_table)
    table.abandon_game("console")
    begin_another(table)
    with pytest.raises(NotNow, match="no throw of the running game"):
        correct(table, throw, 5, 5, 5, 5, 4)


def test_who_played_a_game_that_goes_on_again_plays_it_again(make_table: MakeTable) -> None:
    table = table_with(make_table, *WIN)
    for name in ("Ana", "Di"):
        table.note("seat", {"name": name, "secret": name, "approved": True, "player": None, "by": "guest"})
    ana, di = (seat["id"] for seat in state(table)["seats"]["list"])
    table.note("seat", {"seat": di, "player": 1, "by": "console"})
    table.note("house", {"player": 1, "plays": "bold", "by": "console"})
    press(table)
    keep(table, 6, 6, 6, 6, 6)
    throw = press(table)
    begin_another(table)
    places = {seat["id"]: seat["player"] for seat in state(table)["seats"]["list"]}
    assert (places, state(table)["house"]) == ({ana: None, di: 1}, [None, None])
    table.dispute(throw, 4, "seat 4", None)
    correct(table, throw, 5, 5, 5, 5, 4)
    places = {seat["id"]: seat["player"] for seat in state(table)["seats"]["list"]}
    assert (places, state(table)["house"]) == ({ana: None, di: 1}, [None, "bold"])
    assert state(table)["last"]["disputed"]


def test_the_history_of_both_games_says_what_became_of_them(make_table: MakeTable, tmp_path: Path) -> None:
    table, throw = won(make_table, (4,), (5,))
    played = state(table)["game_id"]
    begun = begin_another(table)
    correct(table, throw, 5, 5, 5, 5, 4)
    press(table)
    chronicle = Chronicle(table._log)
    second, first = chronicle.games()
    assert (first.id, first.void, first.corrected, first.throws) == (played, False, 1, 3)
    assert (second.id, second.void, second.finished) == (begun, True, False)
    steps = {game.id: [event.kind for event, _ in chronicle.steps(game)] for game in (first, second)}
    assert steps == {
        played: ["throw", "action", "throw", "correction", "throw"],
        begun: ["action", "action"],
    }
    assert chronicle.record(first) == table.record()
    with evidence_of(tmp_path) as evidence:
        found = extract_of(evidence.events(), played)
    assert found is not None
    assert found.record == table.record()
    assert differences(bundled(tmp_path, played)) == []
    assert differences(bundled(tmp_path, begun)) == []


def test_what_was_said_of_the_game_before_is_passed_over_in_a_bundle(make_table: MakeTable, tmp_path: Path) -> None:
    table, throw = won_for_good(make_table)
    played, begun = state(table)["game_id"], begin_another(table)
    correct(table, throw, 5, 6, 6, 6, 6)
    table.dispute(throw, 0, "seat 4", None)
    own = press(table)
    correct(table, own, *[1] * 9, 2)
    assert [differences(path) for path in (tmp_path, bundled(tmp_path, played), bundled(tmp_path, begun))] == [[]] * 3
    late: dict[str, Any] = {"throw": throw, "die": 1, "by": "seat 4"}
    assert any("cannot have happened" in line for line in differences(bundled(tmp_path, begun, ("dispute", late))))
    events = bodies(tmp_path)
    events[-1]["before"][0] = 3
    forge(tmp_path, events)
    assert any("is not what held" in line for line in differences(bundled(tmp_path, begun)))


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
    restarted = state(make_table(boot="again"))["game"]
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
    again = make_table(boot="again")
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
