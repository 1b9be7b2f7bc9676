"""The game before: a win that was misread is corrected while nothing was thrown since."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from server.chain import Event, canonical, chained
from server.chronicle import Chronicle
from server.evidence import evidence_of, extract_of, write_bundle
from server.stage import SEQS, NotNow
from server.table import Table
from vision.reading import Verdict

from .conftest import (
    AT,
    MakeTable,
    ScriptedEye,
    audited,
    bodies,
    correct,
    forge,
    keep,
    ok,
    press,
    refused,
    state,
    table_with,
)

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
    again = state(make_table(boot="again", camera="frames"))
    for each in (shown, again):
        del each["seq"], each["boot"], each["head"]
    assert again == shown
    assert again["game"]["players"] == over["players"]
    assert differences(tmp_path) == []


def won_for_good(make_table: MakeTable) -> tuple[Table, int]:
    """A game that Ana has won, and a throw of it that may have been read otherwise without changing the end."""
    looks = (ok(6, 6, 6, 6, 5), ok(5), ok(4, 4, 4, 4, 4), ok(*[1] * 10))
    table = make_table(eye=ScriptedEye(*looks), camera="frames")
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


def test_a_game_that_counts_for_nothing_is_told_until_another_game_or_throw(make_table: MakeTable) -> None:
    table, throw = won(make_table, (4,))
    begun = begin_another(table)
    assert state(table)["voided"] is None
    table.abandon_game("console")
    assert (state(table)["game"], state(table)["voided"]) == (None, begun)
    begun = begin_another(table)
    assert state(table)["voided"] is None
    correct(table, throw, 5, 5, 5, 5, 4)
    assert (state(table)["game"]["players"], state(table)["voided"]) == (["Ana", "Bo"], begun)
    press(table)
    assert state(table)["voided"] is None


def test_a_game_that_was_over_stays_won_and_one_that_goes_on_tells_of_none_that_was_voided_before(
    make_table: MakeTable,
) -> None:
    table, throw = won(make_table)
    begin_another(table)
    table.abandon_game("console")
    correct(table, throw, 5, 5, 5, 5, 4)
    assert state(table)["voided"] is None
    correct(table, throw, 5, 5, 5, 5, 5)
    table.abandon_game("console")
    assert (state(table)["game"], state(table)["voided"]) == (None, None)


def test_a_game_that_was_voided_is_not_corrected(make_table: MakeTable) -> None:
    table, throw = won(make_table)
    table.abandon_game("console")
    begin_another(table)
    with pytest.raises(NotNow, match="no throw of the running game"):
        correct(table, throw, 5, 5, 5, 5, 4)


def test_who_played_a_game_that_goes_on_again_plays_it_again(make_table: MakeTable) -> None:
    table = table_with(make_table, *WIN)
    for name in ("Ana", "Cy", "Zed"):
        table.note("seat", {"name": name, "secret": name, "approved": True, "player": None, "by": "guest"})
    ana, cy, zed = (seat["id"] for seat in state(table)["seats"]["list"])

    def seated() -> tuple[dict[int, int | None], list[str | None]]:
        return {seat["id"]: seat["player"] for seat in state(table)["seats"]["list"]}, state(table)["house"]

    # Zed plays for Bo: no name says so.
    table.note("seat", {"seat": zed, "player": 1, "by": "console"})
    table.note("house", {"player": 1, "plays": "bold", "by": "console"})
    press(table)
    keep(table, 6, 6, 6, 6, 6)
    throw = press(table)
    begin_another(table)
    assert seated() == ({ana: None, cy: 0, zed: None}, [None, None])
    correct(table, throw, 5, 5, 5, 5, 4)
    table.dispute(throw, 4, "seat 4", None)
    assert seated() == ({ana: None, cy: None, zed: 1}, [None, "bold"])
    assert state(table)["last"]["disputed"]


def test_the_pictures_of_a_game_stay_while_it_may_be_corrected(make_table: MakeTable) -> None:
    table, _ = won(make_table, (1,) * 10)
    frames = {look["frame"] for look in state(table)["throws"]}
    assert len(frames) == 2
    begin_another(table)
    assert table.ask(lambda standing: standing.pictures()) == frames
    press(table)
    assert table.ask(lambda standing: standing.pictures()) == {state(table)["last"]["frame"]}


def test_who_is_advised_and_who_plays_for_the_house_is_said_anew_for_each_game(make_table: MakeTable) -> None:
    table = make_table()
    begin_another(table)
    fresh = {"game": False, "players": [True, True]}
    assert (state(table)["advice"], state(table)["house"]) == (fresh, [None, None])
    table.note("advice", {"player": None, "advice": True, "by": "console"})
    table.note("advice", {"player": 1, "advice": False, "by": "console"})
    table.note("house", {"player": 1, "plays": "bold", "by": "console"})
    said = {"game": True, "players": [True, False]}
    assert (state(table)["advice"], state(table)["house"]) == (said, [None, "bold"])
    table.abandon_game("console")
    begin_another(table)
    assert (state(table)["advice"], state(table)["house"]) == (fresh, [None, None])


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
    with evidence_of(tmp_path) as log, evidence_of(bundled(tmp_path, begun)) as bundle:
        assert extract_of(bundle.events(), begun, bundle.before) == extract_of(log.events(), begun)
    late: dict[str, Any] = {"at": AT, "throw": throw, "die": 1, "by": "seat 4"}
    assert any("cannot have happened" in line for line in differences(bundled(tmp_path, begun, ("dispute", late))))
    events = bodies(tmp_path)
    events[-1]["before"][0] = 3
    forge(tmp_path, events)
    assert any("is not what held" in line for line in differences(bundled(tmp_path, begun)))
