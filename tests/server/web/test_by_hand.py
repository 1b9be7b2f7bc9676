"""Throws by hand: where the owner allows it the bartender enters what lies there, and it is marked everywhere."""

from pathlib import Path
from typing import Any

import pytest

from server.evenings import evenings
from server.stage import NotNow
from server.table import Table
from server.web.app import create_app
from vision.reading import Verdict

from ..conftest import MakeTable, ScriptedEye, audited, dice, kinds, ok, refused, state


def playing(make_table: MakeTable, **about: Any) -> Table:
    table = make_table(**{"by_hand": True, **about})
    table.start_game("vingt-cinq", ["Ana", "Bo"], {}, "console")
    return table


def enter(table: Table, *faces: int, key: str | None = None) -> dict[str, Any]:
    return table.enter(list(faces), "operator", None, key)


def test_an_entered_throw_is_played_marked_and_kept(make_table: MakeTable, tmp_path: Path) -> None:
    table = playing(make_table)
    enter(table, 6, 4, 3, 2, 1)
    shown = state(table)
    assert shown["offers"] == [{"do": "keep", "dice": {"one_of": [[6]]}}]
    assert (shown["last"]["by_hand"], shown["last"]["frame"]) == ("operator", None)
    assert kinds(tmp_path) == ["game", "entry"]
    again = state(make_table(boot="again", by_hand=True))
    assert (again["game"], again["throws"]) == (shown["game"], shown["throws"])


def test_who_allows_nothing_gets_nothing(make_table: MakeTable) -> None:
    with pytest.raises(NotNow, match='by_hand = "yes"'):
        enter(playing(make_table, by_hand=False), 6, 4, 3, 2, 1)


@pytest.mark.parametrize(("faces", "says"), [((6,), "needs 5 faces, not 1"), ((1,) * 6, "needs 5 faces, not 6")])
def test_as_many_faces_as_the_throw_needs(make_table: MakeTable, faces: tuple[int, ...], says: str) -> None:
    with pytest.raises(NotNow, match=says):
        enter(playing(make_table), *faces)


def test_only_in_place_of_a_throw_and_once_for_a_key(make_table: MakeTable) -> None:
    table = playing(make_table)
    assert enter(table, 6, 4, 3, 2, 1, key="k") == enter(table, 6, 4, 3, 2, 1, key="k")
    with pytest.raises(NotNow, match="No throw is due"):
        enter(table, 6, 4, 3, 2, 1)


@pytest.mark.parametrize("fault", ["camera-lost", "camera-frozen", "unreadable"])
def test_a_machine_that_cannot_see_stays_in_its_fault_while_the_game_goes_on(make_table: MakeTable, fault: str) -> None:
    table = playing(make_table)
    table.latch(fault, "It cannot see.")
    enter(table, 6, 4, 3, 2, 1)
    shown = state(table)
    latched = {"name": fault, "message": "It cannot see.", "part": "camera", "clears": True}
    assert shown["machine"] == {"phase": "fault", "fault": latched}
    assert shown["game"]["turn"]["legal"] == ["keep"]


@pytest.mark.parametrize("fault", ["stopped", "jammed", "lid-open", "storage"])
def test_any_other_fault_is_seen_to_first(make_table: MakeTable, fault: str) -> None:
    table = playing(make_table)
    table.latch(fault, "It stands.")
    assert state(table)["machine"]["fault"]["part"] != "camera"
    with pytest.raises(NotNow, match=fault):
        enter(table, 6, 4, 3, 2, 1)


def test_a_slip_of_the_finger_is_corrected_like_a_reading(make_table: MakeTable) -> None:
    table = playing(make_table)
    enter(table, 5, 4, 3, 2, 1)
    throw = state(table)["last"]["event"]
    table.correct(throw, {"dice": [6, 4, 3, 2, 1]}, "a slip", "operator", None, None)
    assert state(table)["game"]["table"]["rolled"] == [6, 4, 3, 2, 1]
    more = {"dice": [6, 4, 3, 2, 1, {"face": 1, "center": [1, 1]}]}
    with pytest.raises(NotNow, match="has no picture"):
        table.correct(throw, more, "a slip", "operator", None, None)
    table.correct(throw, {"dice": []}, "nothing lay there", "operator", None, None)
    assert state(table)["game"]["turn"]["legal"] == ["throw"]


def test_named_dice_are_counted_again_after_an_entered_throw(make_table: MakeTable) -> None:
    names = ["a", "b", "c", "d", "e"]
    table = playing(make_table, names=names)
    enter(table, 6, 4, 3, 2, 1)
    table.act({"do": "keep", "dice": [6]}, "console", None, None)
    # Nobody knows which of the named dice was kept: the first of them are thrown.
    assert table.ask(lambda standing: standing.named(names)) == ["a", "b", "c", "d"]


def test_it_judges_no_dice(make_table: MakeTable) -> None:
    real = {"simulated": False, "by_hand": True}
    table = make_table(eye=ScriptedEye(refused(Verdict.COCKED), ok(1, 2, 3, 4, 5)), **real)
    table.start_game("vingt-cinq", ["Ana", "Bo"], {}, "console")
    enter(table, 6, 6, 6, 6, 6)
    table.act({"do": "keep", "dice": [6] * 5}, "console", None, None)
    assert evenings(table._log.events).all_time.throws == 0
    table.press("console", None, None)
    assert evenings(table._log.events).all_time.throws == 1
    assert sum(evenings(table._log.events).all_time.counts) == len(dice(1, 2, 3, 4, 5))


def test_the_audit_tells_it_and_finds_it_where_it_was_not_allowed(make_table: MakeTable, tmp_path: Path) -> None:
    table = playing(make_table)
    enter(table, 6, 4, 3, 2, 1)
    found = audited(tmp_path)
    assert found.differences == []
    assert "was entered by hand: 6 4 3 2 1" in found.said[0]
    forged = make_table(boot="again")
    forged.act({"do": "keep", "dice": [6]}, "console", None, None)
    forged._stage.write("entry", {"needs": 4, "faces": [6, 6, 6, 6], "by": "console"})
    assert "which the owner had not allowed" in audited(tmp_path).differences[0]


def test_the_history_marks_it(make_table: MakeTable) -> None:
    table = playing(make_table)
    enter(table, 6, 4, 3, 2, 1)
    client = create_app(table, table._log).test_client()
    (game,) = client.get("/api/history").get_json()["games"]
    assert (game["throws"], game["entered"]) == (1, 1)
    (step,) = client.get(f"/api/history/{game['id']}").get_json()["steps"]
    assert (step["kind"], step["player"], step["faces"]) == ("entry", "Ana", [6, 4, 3, 2, 1])
    assert "entered by hand,6 4 3 2 1" in client.get(f"/api/history/{game['id']}/throws.csv").get_data(as_text=True)


def test_no_guest_enters_anything(make_table: MakeTable) -> None:
    table = playing(make_table)
    client = create_app(table, table._log).test_client()
    guest = {"REMOTE_ADDR": "192.0.2.7"}
    token = client.get("/api/me", environ_overrides=guest).get_json()["token"]
    client.post("/api/seats", json={"name": "Ana"}, headers={"X-Cornet-Token": token}, environ_overrides=guest)
    body = {"faces": [6, 6, 6, 6, 6]}
    answer = client.post("/api/entries", json=body, headers={"X-Cornet-Token": token}, environ_overrides=guest)
    assert answer.status_code == 403
    assert client.post("/api/entries", json=body).status_code == 200
