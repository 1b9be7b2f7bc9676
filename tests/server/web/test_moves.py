"""What is done in a game from a phone or by the bartender: actions, their keys, corrections, undo and doubts."""

from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from server.stage import NotYours
from server.web.handed import handed

from ..conftest import Browser
from .conftest import keep, start, state


def test_a_guest_acts_in_his_own_turn_only(app: Flask, console: FlaskClient) -> None:
    ana, bo, watcher = Browser(app), Browser(app), Browser(app)
    ana.join("Ana"), bo.join("Bo")
    start(console, "Ana", "Bo")
    before = state(console)
    assert bo.act("/api/throw").status_code == 403
    assert watcher.act("/api/throw").status_code == 403
    assert state(console) == before
    assert ana.act("/api/throw").status_code == 202
    assert bo.act("/api/actions", action=keep(console)).status_code == 403
    action = keep(console)
    done = ana.act("/api/actions", action=action)
    assert done.status_code == 200
    actions = [event.body for event in handed(app).table._log.events() if event.kind == "action"]
    assert actions[0]["by"] == f"seat {ana.me()['seat']['id']}"


def test_whose_turn_it_is_is_asked_where_the_action_is_taken(app: Flask, console: FlaskClient) -> None:
    ana, bo = Browser(app), Browser(app)
    ana.join("Ana"), bo.join("Bo")
    start(console, "Ana", "Bo")
    table, seats = handed(app).table, [one.me()["seat"]["id"] for one in (ana, bo)]
    table.press("console", None, None)
    before, seen = state(console), 2**53  # as a request says that waited until the turn was another's
    with pytest.raises(NotYours, match="not your turn"):
        table.act(keep(console), "seat 2", seen, "early", seats[1])
    with pytest.raises(NotYours):
        table.press("seat 2", seen, "early", seats[1])
    assert state(console) == before
    # Nothing of it is remembered: the same request is taken when his turn comes.
    table.act(keep(console), "seat 1", seen, "early", seats[0])


def test_a_guest_says_what_he_looked_at_and_sends_a_key(app: Flask, console: FlaskClient) -> None:
    ana = Browser(app)
    ana.join("Ana")
    start(console, "Ana", "Bo")
    seq = state(console)["seq"]
    for body in ({}, {"key": "k"}, {"expected_seq": seq}):
        assert ana.ask("POST", "/api/throw", body).status_code == 400
    assert ana.ask("POST", "/api/throw", {"key": "k", "expected_seq": seq}).status_code == 202
    body = {"key": "l", "expected_seq": seq, "action": {"do": "keep"}}
    assert ana.ask("POST", "/api/actions", body).status_code == 409


def test_a_key_is_its_senders_and_its_routes_own(app: Flask, console: FlaskClient) -> None:
    ana, bo = Browser(app), Browser(app)
    ana.join("Ana"), bo.join("Bo")
    start(console, "Ana", "Bo")
    thrown = ana.act("/api/throw", "same")
    assert thrown.status_code == 202
    body = {"key": "same", "expected_seq": state(console)["seq"], "action": keep(console)}
    kept = ana.ask("POST", "/api/actions", body)
    assert kept.status_code == 200
    assert kept.get_json() != thrown.get_json()
    assert ana.ask("POST", "/api/actions", body).get_json() == kept.get_json()
    assert ana.ask("POST", "/api/throw", {"key": "same", "expected_seq": 0}).get_json() == thrown.get_json()
    # Another guest's key says nothing to this one.
    assert bo.ask("POST", "/api/throw", {"key": "same", "expected_seq": 0}).status_code == 403
    presses = [event for event in handed(app).table._log.events() if event.kind == "press"]
    assert len(presses) == 1


def test_an_operators_key_is_its_routes_own_too(console: FlaskClient) -> None:
    game = {"game": "vingt-cinq", "players": ["Ana", "Bo"], "key": "same"}
    begun = console.post("/api/games", json=game)
    assert begun.status_code == 201
    assert console.post("/api/games", json=game).get_json() == begun.get_json()
    assert console.post("/api/throw", json={"key": "same"}).status_code == 202
    assert console.post("/api/undo", json={"key": "same"}).status_code == 409
    voided = console.delete("/api/games/current", json={"key": "same"})
    assert (voided.status_code, console.post("/api/games", json=game).get_json()) == (200, begun.get_json())
    assert console.delete("/api/games/current", json={"key": "same"}).get_json() == voided.get_json()
    assert console.delete("/api/games/current", json={"key": "other"}).status_code == 409


def test_the_same_answer_comes_again_after_the_turn_has_gone_on(app: Flask, console: FlaskClient) -> None:
    ana = Browser(app)
    ana.join("Ana")
    start(console, "Ana", "Bo")
    late, body = {"key": "late", "expected_seq": 0}, {"key": "once", "expected_seq": state(console)["seq"]}
    refused, first = ana.ask("POST", "/api/throw", late), ana.ask("POST", "/api/throw", body)
    console.delete("/api/games/current")
    start(console, "Bo", "Cy")
    again = ana.ask("POST", "/api/throw", body)
    assert (again.status_code, again.get_json()) == (202, first.get_json())
    again = ana.ask("POST", "/api/throw", late)
    assert (again.status_code, again.get_json()) == (409, refused.get_json())


def other_faces(faces: list[int]) -> list[int]:
    return [7 - face for face in faces]


def thrown(console: FlaskClient) -> Any:
    assert console.post("/api/throw").status_code == 202
    return state(console)["last"]


def test_the_bartender_corrects_a_throw_once_with_a_reason(app: Flask, console: FlaskClient) -> None:
    start(console, "Ana", "Bo")
    look = thrown(console)
    body = {"throw": look["event"], "faces": other_faces(look["faces"]), "reason": "a\u202e \x07glare\n", "key": "once"}
    ana = Browser(app)
    ana.join("Cy")
    assert ana.ask("POST", "/api/corrections", body).status_code == 403
    answer = console.post("/api/corrections", json=body)
    assert answer.status_code == 200
    assert console.post("/api/corrections", json=body).get_json() == answer.get_json()
    corrected = state(console)["last"]["corrected"]
    assert (corrected["faces"], corrected["reason"]) == (body["faces"], "a glare")
    assert state(console)["last"]["faces"] == look["faces"]
    dice = [die["face"] for die in look["dice"]]
    assert (
        console.post("/api/corrections", json={"throw": look["event"], "dice": dice, "reason": "no"}).status_code == 200
    )


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({"reason": ""}, 400),
        ({"reason": " "}, 409),
        ({"reason": "\u200b\u202e"}, 409),
        ({"faces": [7, 1, 1, 1, 1]}, 400),
        ({"faces": [1]}, 409),
        ({"throw": 1}, 409),
        ({"dice": [1]}, 400),
        ({"dice": [1], "faces": None}, 400),
        ({"expected_seq": 0}, 409),
        ({"by": "somebody else"}, 400),
    ],
)
def test_a_correction_that_cannot_be_is_refused(console: FlaskClient, changes: dict[str, Any], status: int) -> None:
    start(console, "Ana", "Bo")
    look = thrown(console)
    body = {"throw": look["event"], "faces": other_faces(look["faces"]), "reason": "a glare", **changes}
    assert console.post("/api/corrections", json=body).status_code == status
    assert state(console)["last"]["corrected"] is None


def test_a_misclick_is_taken_back_and_a_throw_never(app: Flask, console: FlaskClient) -> None:
    start(console, "Ana", "Bo")
    thrown(console)
    assert console.post("/api/undo", json={"key": "first"}).status_code == 409
    before = state(console)["game"]
    assert console.post("/api/actions", json={"action": keep(console)}).status_code == 200
    ana = Browser(app)
    ana.join("Cy")
    assert ana.ask("POST", "/api/undo", {}).status_code == 403
    assert console.post("/api/undo", json={"key": "second"}).status_code == 200
    assert console.post("/api/undo", json={"key": "second"}).status_code == 200
    assert state(console)["game"] == before


def test_whoever_holds_a_seat_may_doubt_a_throw(app: Flask, console: FlaskClient) -> None:
    start(console, "Ana", "Bo")
    look = thrown(console)
    watcher, stranger = Browser(app), Browser(app)
    watcher.join("Cy")
    console.put("/api/joining", json={"joining": "approve"})
    stranger.join("Di")
    body = {"throw": look["event"], "die": 0}
    assert stranger.ask("POST", "/api/disputes", body).status_code == 403
    assert Browser(app).ask("POST", "/api/disputes", body).status_code == 403
    assert watcher.ask("POST", "/api/disputes", {**body, "die": 99}).status_code == 409
    assert watcher.ask("POST", "/api/disputes", body).status_code == 200
    assert state(console)["last"]["disputed"]
    assert state(console)["last"]["faces"] == look["faces"]
