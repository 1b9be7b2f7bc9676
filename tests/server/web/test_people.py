"""Seats and joining: who sits at the table by which name, and every way around it."""

from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from server.seats import SEATS
from server.table import Table
from server.web.app import create_app
from server.web.handed import handed
from server.web.people import SEATS_AN_ADDRESS
from server.web.serving import FOLLOW

from ..conftest import Browser, MakeTable, kinds
from .conftest import start, state


def test_a_seat_is_held_by_a_cookie_that_scripts_cannot_read_and_of_which_only_the_hash_is_kept(
    app: Flask, tmp_path: Path
) -> None:
    guest = Browser(app)
    assert guest.me() | {"token": ""} == {"role": "guest", "token": "", "pin": False, "seat": None, "freed": False}
    answer = guest.ask("POST", "/api/seats", {"name": " A\u202ena "})
    assert answer.status_code == 201
    seat = answer.get_json()["seat"]
    assert seat | {"id": 0} == {"id": 0, "name": "Ana", "approved": True, "player": None}
    (cookie,) = answer.headers.getlist("Set-Cookie")
    assert "HttpOnly" in cookie
    assert "SameSite=Lax" in cookie
    secret = cookie.split(";")[0].removeprefix("cornet_seat=")
    assert len(bytes.fromhex(secret)) == 16
    assert guest.me()["seat"] == seat
    assert Browser(app).me()["seat"] is None
    for path in tmp_path.glob("cornet.db*"):
        assert secret.encode() not in path.read_bytes()
    assert secret not in app.test_client().get("/api/state").text


def test_a_seat_survives_a_restart(app: Flask, make_table: MakeTable, console: FlaskClient) -> None:
    guest = Browser(app)
    seat = guest.join("Ana")
    assert console.put("/api/joining", json={"joining": "locked"}).status_code == 200
    cookie = guest.client.get_cookie("cornet_seat")
    assert cookie is not None
    again = make_table(boot="again")
    after = Browser(create_app(again, again._log))
    after.client.set_cookie("cornet_seat", cookie.value)
    assert after.me()["seat"] == seat
    assert state(after.client)["seats"]["joining"] == "locked"


def test_names_are_unique_and_can_be_changed_and_given_back(app: Flask) -> None:
    ana, bo = Browser(app), Browser(app)
    ana.join("Ana")
    assert bo.ask("POST", "/api/seats", {"name": "\uff21NA"}).status_code == 409
    bo.join("Bo")
    assert bo.ask("POST", "/api/seats", {"name": "Cy"}).status_code == 409  # one seat for each cookie
    assert bo.ask("PATCH", "/api/seats/mine", {"name": "ana"}).status_code == 409
    assert bo.ask("PATCH", "/api/seats/mine", {"name": "BO"}).get_json()["seat"]["name"] == "BO"
    assert ana.ask("DELETE", "/api/seats/mine").status_code == 200
    assert ana.client.get_cookie("cornet_seat") is None
    assert ana.ask("DELETE", "/api/seats/mine").status_code == 403
    assert bo.ask("PATCH", "/api/seats/mine", {"name": "Ana"}).status_code == 200


def test_what_changes_nothing_of_a_seat_is_not_written_down(app: Flask, console: FlaskClient, tmp_path: Path) -> None:
    ana = Browser(app)
    seat = ana.join("Ana")
    assert ana.ask("PATCH", "/api/seats/mine", {"name": " Ana "}).get_json()["seat"] == seat
    assert console.patch(f"/api/seats/{seat['id']}", json={"approved": True, "player": None}).get_json()["seat"] == seat
    assert kinds(tmp_path).count("seat") == 1
    assert ana.ask("PATCH", "/api/seats/mine", {"name": "ANA"}).get_json()["seat"]["name"] == "ANA"
    assert kinds(tmp_path).count("seat") == 2


@pytest.mark.parametrize("name", ["", "\u202e\u200b", "x" * 17, "x" * 10_000, 7, None, ["Ana"]])
def test_what_is_no_name_takes_no_seat(app: Flask, name: Any) -> None:
    guest = Browser(app)
    assert guest.ask("POST", "/api/seats", {"name": name}).status_code == 400
    assert state(guest.client)["seats"]["list"] == []


def test_a_name_with_markup_is_text_and_stays_text(app: Flask) -> None:
    name = "<img src=x>\"'&"
    guest = Browser(app)
    guest.join(name)
    assert state(guest.client)["seats"]["list"][0]["name"] == name
    for page in ("/", "/tv"):
        assert name not in guest.client.get(page).text


def test_the_bartender_opens_approves_and_locks(app: Flask, console: FlaskClient) -> None:
    console.put("/api/joining", json={"joining": "approve"})
    ana = Browser(app)
    seat = ana.join("Ana")
    assert not seat["approved"]
    start(console, "Ana", "Bo")
    assert ana.act("/api/throw").status_code == 403
    approved = console.patch(f"/api/seats/{seat['id']}", json={"approved": True}).get_json()["seat"]
    assert approved == {**seat, "approved": True, "player": 0}
    assert ana.act("/api/throw").status_code == 202
    console.put("/api/joining", json={"joining": "locked"})
    assert Browser(app).ask("POST", "/api/seats", {"name": "Cy"}).status_code == 409
    assert ana.me()["seat"]["player"] == 0  # whoever sits, sits
    assert console.delete(f"/api/seats/{seat['id']}").status_code == 200
    assert ana.me()["seat"] is None
    assert ana.act("/api/throw", "other").status_code == 403


@pytest.mark.parametrize("joining", ["approve", "code", "locked"])
def test_whoever_was_let_in_by_one_name_plays_by_no_other(app: Flask, console: FlaskClient, joining: str) -> None:
    console.put("/api/joining", json={"joining": "approve"})
    zed = Browser(app)
    path = f"/api/seats/{zed.join('Zed')['id']}"
    console.patch(path, json={"approved": True})
    console.put("/api/joining", json={"joining": joining})
    assert zed.ask("PATCH", "/api/seats/mine", {"name": "ZED"}).get_json()["seat"]["approved"]
    assert not zed.ask("PATCH", "/api/seats/mine", {"name": "Ana"}).get_json()["seat"]["approved"]
    start(console, "Ana", "Bo")
    assert (zed.me()["seat"]["player"], zed.act("/api/throw").status_code) == (None, 403)
    assert console.patch(path, json={"approved": True}).get_json()["seat"]["player"] == 0
    assert zed.ask("PATCH", "/api/seats/mine", {"name": "Annie"}).status_code == 200
    assert zed.act("/api/throw", "unknown").status_code == 403
    console.patch(path, json={"approved": True})
    assert zed.act("/api/throw", "known").status_code == 202
    assert console.patch(path, json={"name": "Zed"}).get_json()["seat"]["approved"]


def test_where_anybody_may_join_a_name_is_changed_freely(app: Flask, console: FlaskClient) -> None:
    zed = Browser(app)
    zed.join("Zed")
    assert zed.ask("PATCH", "/api/seats/mine", {"name": "Ana"}).get_json()["seat"]["approved"]
    start(console, "Ana", "Bo")
    assert zed.me()["seat"]["player"] == 0


def test_with_the_televisions_code_a_guest_joins_and_without_it_the_bartender_lets_him_in(
    app: Flask, console: FlaskClient
) -> None:
    console.put("/api/joining", json={"joining": "code"})
    code = console.get("/api/join").get_json()["code"]
    ana, bo, cy = Browser(app), Browser(app), Browser(app)
    assert ana.ask("POST", "/api/seats", {"name": "Ana", "code": code}).get_json()["seat"]["approved"]
    assert not bo.ask("POST", "/api/seats", {"name": "Bo"}).get_json()["seat"]["approved"]
    for stale in ("000000", "", "\u0410" * 6):
        assert cy.ask("POST", "/api/seats", {"name": "Cy", "code": stale}).status_code == 410
    assert len(state(console)["seats"]["list"]) == 2
    console.put("/api/joining", json={"joining": "approve"})
    assert not cy.ask("POST", "/api/seats", {"name": "Cy", "code": code}).get_json()["seat"]["approved"]
    console.put("/api/joining", json={"joining": "locked"})
    assert Browser(app).ask("POST", "/api/seats", {"name": "Di", "code": code}).status_code == 409


def test_a_game_finds_its_players_among_the_seats(app: Flask, console: FlaskClient) -> None:
    ana, bo, cy = Browser(app), Browser(app), Browser(app)
    ana.join("Ana"), bo.join("Bo"), cy.join("Cy")
    start(console, "BO", "Ana")
    assert [guest.me()["seat"]["player"] for guest in (ana, bo, cy)] == [1, 0, None]
    console.delete("/api/games/current")
    assert [guest.me()["seat"]["player"] for guest in (ana, bo, cy)] == [None, None, None]


def test_nobody_becomes_a_player_of_a_running_game_by_name(app: Flask, console: FlaskClient) -> None:
    start(console, "Ana", "Bo")
    thief = Browser(app)
    seat = thief.join("ana")
    assert (seat["approved"], seat["player"]) == (False, None)
    assert thief.act("/api/throw").status_code == 403
    other = Browser(app)
    other.join("Cy")
    assert other.ask("PATCH", "/api/seats/mine", {"name": "Bo"}).status_code == 409
    assert console.patch(f"/api/seats/{seat['id']}", json={"approved": True}).get_json()["seat"]["player"] == 0


def test_the_operator_says_who_plays_for_whom(app: Flask, console: FlaskClient) -> None:
    start(console, "Ana", "Bo")
    cy, di = Browser(app), Browser(app)
    first, second = cy.join("Cy")["id"], di.join("Di")["id"]
    assert console.patch(f"/api/seats/{first}", json={"player": 0}).get_json()["seat"]["player"] == 0
    assert cy.act("/api/throw").status_code == 202
    assert console.patch(f"/api/seats/{second}", json={"player": 0}).status_code == 200
    assert [seat["player"] for seat in state(console)["seats"]["list"]] == [None, 0]
    assert console.patch(f"/api/seats/{second}", json={"player": 2}).status_code == 409
    assert console.patch(f"/api/seats/{second}", json={"player": None}).get_json()["seat"]["player"] is None
    assert console.patch("/api/seats/999", json={"name": "X"}).status_code == 404
    assert console.delete("/api/seats/999").status_code == 404


def test_a_name_that_looks_like_anothers_is_taken_and_makes_nobody_that_player(
    app: Flask, console: FlaskClient
) -> None:
    ivan, other = Browser(app), Browser(app)
    ivan.join("ivan"), other.join("lvan")  # nobody takes a dotted letter for a bar
    start(console, "Ivan", "Bo")
    assert (ivan.me()["seat"]["player"], other.me()["seat"]["player"]) == (0, None)
    assert Browser(app).ask("POST", "/api/seats", {"name": "1van"}).status_code == 409
    assert ivan.ask("PATCH", "/api/seats/mine", {"name": "Ivan"}).status_code == 409  # that is how the other is written
    console.delete("/api/games/current")
    refused = console.post("/api/games", json={"game": "vingt-cinq", "players": ["Ivan", "lvan"]})
    assert (refused.status_code, "the same name" in refused.get_json()["error"]) == (400, True)


def test_one_address_takes_so_many_seats(app: Flask) -> None:
    for number in range(SEATS_AN_ADDRESS):
        Browser(app).join(f"Guest {number}")
    assert Browser(app).ask("POST", "/api/seats", {"name": "One more"}).status_code == 409
    Browser(app, "127.0.0.3").join("One more")


def test_whose_seat_was_freed_by_others_is_told_so_until_he_takes_one_again(app: Flask, console: FlaskClient) -> None:
    ana, bo = Browser(app), Browser(app)
    ana.join("Ana")
    console.delete(f"/api/seats/{bo.join('Bo')['id']}")
    assert (bo.me()["seat"], bo.me()["freed"], ana.me()["freed"]) == (None, True, False)
    bo.join("Bo")
    assert not bo.me()["freed"]
    ana.ask("DELETE", "/api/seats/mine")
    assert not ana.me()["freed"]


def test_whoever_comes_and_goes_leaves_nothing_behind(app: Flask) -> None:
    for number in range(2 * SEATS_AN_ADDRESS):
        guest = Browser(app, f"10.0.0.{number}")
        guest.join("Ana")
        guest.ask("DELETE", "/api/seats/mine")
    Browser(app).join("Ana")
    assert list(handed(app).addresses.values()) == ["127.0.0.2"]


def test_when_all_seats_are_taken_the_oldest_that_stands_empty_gives_way(app: Flask, console: FlaskClient) -> None:
    here, away = Browser(app, "10.0.0.1"), Browser(app, "10.0.0.2")
    here.join("Here"), away.join("Away")
    left: list[Any] = []
    here.client.get("/api/events", environ_overrides={FOLLOW: lambda _, leave: left.append(leave)})
    for number in range(SEATS - 2):
        Browser(app, f"10.0.1.{number}").join(f"Guest {number}")
    Browser(app, "10.0.2.1").join("Late")
    assert here.me()["seat"] is not None
    assert away.me()["seat"] is None
    assert len(state(console)["seats"]["list"]) == SEATS


def test_whoever_watches_is_present(app: Flask, table: Table, console: FlaskClient) -> None:
    ana = Browser(app)
    ana.join("Ana")
    left: list[Any] = []
    for _ in range(2):
        ana.client.get("/api/events", environ_overrides={FOLLOW: lambda _, leave: left.append(leave)})
    seen = []
    for leave in (lambda: None, *left):
        leave()
        before = state(console)["seq"]
        table.tend()
        seen.append((state(console)["seats"]["list"][0]["present"], state(console)["seq"] - before))
    assert seen == [(True, 1), (True, 0), (False, 1)]
