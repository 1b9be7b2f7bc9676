"""Who may do what: seats, joining, the operator's PIN, and every way around them."""

import re
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from server.seats import SEATS
from server.table import Table
from server.web.access import TRIES_AN_HOUR
from server.web.app import create_app
from server.web.guard import REQUESTS_AT_ONCE, TOKEN
from server.web.handed import handed
from server.web.openapi import SEAT, operation
from server.web.people import SEATS_AN_ADDRESS
from server.web.serving import FOLLOW

from ..conftest import Browser, MakeTable

PIN = "271828"


@pytest.fixture
def console(app: Flask) -> FlaskClient:
    return app.test_client()


def state(client: FlaskClient) -> Any:
    return client.get("/api/state").get_json()


def start(console: FlaskClient, *players: str, game: str = "vingt-cinq") -> None:
    answer = console.post("/api/games", json={"game": game, "players": players})
    assert answer.status_code == 201, answer.get_json()


def keep(console: FlaskClient) -> dict[str, Any]:
    return {"do": "keep", "dice": state(console)["offers"][0]["dice"]["one_of"][0]}


def test_a_seat_is_held_by_a_cookie_that_scripts_cannot_read_and_of_which_only_the_hash_is_kept(
    app: Flask, tmp_path: Path
) -> None:
    guest = Browser(app)
    assert guest.me() | {"token": ""} == {"role": "guest", "token": "", "pin": False, "seat": None}
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


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "/api/games", {"game": "vingt-cinq", "players": ["A", "B"]}),
        ("DELETE", "/api/games/current", None),
        ("DELETE", "/api/fault", None),
        ("POST", "/api/stop", {}),
        ("PUT", "/api/joining", {"joining": "locked"}),
        ("PATCH", "/api/seats/2", {"approved": True}),
        ("DELETE", "/api/seats/2", None),
        ("PUT", "/api/pin", {"pin": "123456"}),
        ("GET", "/operator", None),
    ],
)
@pytest.mark.parametrize("seated", [True, False])
def test_what_is_the_operators_is_not_a_guests(app: Flask, method: str, path: str, body: Any, seated: bool) -> None:
    guest = Browser(app)
    if seated:
        guest.join("Ana")
    before = state(guest.client)
    assert guest.ask(method, path, body).status_code == 403
    assert state(guest.client) == before
    assert not guest.me()["pin"]


def test_no_route_but_these_is_open_to_a_guest(app: Flask, console: FlaskClient) -> None:
    routes = [
        (method, rule.rule)
        for rule in app.url_map.iter_rules()
        for method in sorted((rule.methods or set()) - {"GET", "HEAD", "OPTIONS"})
    ]
    open_to_him = set()
    for number, (method, rule) in enumerate(routes):
        guest = Browser(app, f"127.0.1.{number}")
        guest.join(f"Guest {number}")
        before = state(console)
        if guest.ask(method, re.sub("<[^>]*>", "1", rule), {"nonsense": 1}).status_code != 403:
            open_to_him.add(f"{method} {rule}")
            assert state(console) == before or method == "DELETE"
    assert open_to_him == {
        "POST /api/seats",
        "PATCH /api/seats/mine",
        "DELETE /api/seats/mine",
        "PUT /api/advice/mine",
        "POST /api/login",
        "DELETE /api/login",
        "POST /api/actions",
        "POST /api/throw",
        "POST /api/disputes",
    }
    assert len(routes) > 20


def test_what_is_for_seats_is_not_for_a_guest_without_one_though_its_view_asks_for_none(app: Flask) -> None:
    def view() -> str:
        return "done"

    app.add_url_rule("/api/forgetful", view_func=operation(SEAT, {200: "It is done."})(view), methods=["POST"])
    guest = Browser(app)
    refused = guest.ask("POST", "/api/forgetful")
    assert (refused.status_code, refused.get_json()["error"]) == (403, "You hold no seat; take one first.")
    assert app.test_client().post("/api/forgetful").text == "done"
    guest.join("Ana")
    assert guest.ask("POST", "/api/forgetful").text == "done"


def test_the_pin_opens_the_operators_side_until_the_session_ends(app: Flask, console: FlaskClient) -> None:
    bar = Browser(app)
    assert bar.ask("POST", "/api/login", {"pin": PIN}).status_code == 409  # none is set
    assert console.put("/api/pin", json={"pin": "12345"}).status_code == 400
    assert console.put("/api/pin", json={"pin": PIN}).status_code == 200
    assert bar.ask("POST", "/api/login", {"pin": "271829"}).status_code == 403
    answer = bar.ask("POST", "/api/login", {"pin": PIN})
    assert (answer.status_code, answer.get_json()) == (200, {"role": "operator"})
    cookies = answer.headers.getlist("Set-Cookie")
    assert [cookie.partition("=")[0] for cookie in cookies] == ["cornet_operator", "cornet_device"]
    assert all("HttpOnly" in cookie and "SameSite=Strict" in cookie for cookie in cookies)
    assert bar.me()["role"] == "operator"
    assert bar.client.get("/operator").status_code == 200
    start(console, "Ana", "Bo")
    assert bar.ask("POST", "/api/throw", {}).status_code == 202
    assert bar.ask("DELETE", "/api/games/current").status_code == 200
    stolen = bar.client.get_cookie("cornet_operator")
    assert stolen is not None
    assert bar.ask("PUT", "/api/pin", {"pin": "314159"}).status_code == 200
    assert bar.me()["role"] == "operator"  # whoever changes the PIN stays
    thief = Browser(app)
    thief.client.set_cookie("cornet_operator", stolen.value)
    assert thief.me()["role"] == "guest"
    assert bar.ask("DELETE", "/api/login").status_code == 200
    assert bar.me()["role"] == "guest"


def test_guests_who_guess_do_not_keep_a_device_out_that_gave_the_pin_before(app: Flask) -> None:
    access = handed(app).access
    access.set_pin(PIN)
    bar, stranger = Browser(app), Browser(app)
    assert bar.ask("POST", "/api/login", {"pin": PIN}).status_code == 200
    assert bar.ask("DELETE", "/api/login").status_code == 200
    for number in range(TRIES_AN_HOUR):
        access.brake.begin(f"10.0.0.{number}")
    assert stranger.ask("POST", "/api/login", {"pin": PIN}).status_code == 429
    answer = bar.ask("POST", "/api/login", {"pin": PIN})
    assert (answer.status_code, len(answer.headers.getlist("Set-Cookie"))) == (200, 1)


def test_whoever_guesses_the_pin_is_slowed_and_the_console_is_not(app: Flask, console: FlaskClient) -> None:
    access = handed(app).access
    access.set_pin(PIN)
    guest = Browser(app)
    for _ in range(5):
        access.brake.begin("127.0.0.2")
    answer = guest.ask("POST", "/api/login", {"pin": PIN})
    assert (answer.status_code, answer.headers["Retry-After"]) == (429, "2")
    for number in range(25):
        access.brake.begin(f"10.0.0.{number}")
    assert int(Browser(app, "10.1.1.1").ask("POST", "/api/login", {"pin": PIN}).headers["Retry-After"]) > 3000
    assert console.get("/healthz").get_json()["wrong_pins"] == 30
    assert console.post("/api/login", json={"pin": PIN}).status_code == 200


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://localhost:81", "https://localhost"])
def test_another_sites_page_changes_nothing_and_reads_nothing(app: Flask, origin: str) -> None:
    guest = Browser(app)
    answer = guest.client.post("/api/seats", json={"name": "Ana"}, headers={TOKEN: guest.token, "Origin": origin})
    assert answer.status_code == 403
    asked = guest.client.options("/api/seats", headers={"Origin": origin, "Access-Control-Request-Method": "POST"})
    for seen in (answer, asked, guest.client.get("/api/me")):
        assert not [name for name, _ in seen.headers if name.startswith("Access-Control")]


@pytest.mark.parametrize("token", ["", "0" * 64, "\u00e9"])
def test_a_guest_without_the_token_changes_nothing(app: Flask, token: str) -> None:
    guest = Browser(app)
    answer = guest.client.post("/api/seats", json={"name": "Ana"}, headers={TOKEN: token} if token else {})
    assert answer.status_code == 403
    assert state(guest.client)["seats"]["list"] == []


def test_a_token_is_its_addresss_own(app: Flask) -> None:
    guest = Browser(app)
    guest.token = Browser(app, "127.0.0.3").token
    assert guest.ask("POST", "/api/seats", {"name": "Ana"}).status_code == 403


def test_a_guest_who_hammers_is_slowed_and_nobody_else(app: Flask, console: FlaskClient) -> None:
    guest, other = Browser(app), Browser(app, "127.0.0.3")
    answers = [guest.ask("POST", "/api/throw", {"key": "k", "expected_seq": 0}) for _ in range(REQUESTS_AT_ONCE + 5)]
    assert [answer.status_code for answer in answers[:REQUESTS_AT_ONCE]] == [403] * REQUESTS_AT_ONCE
    assert answers[-1].status_code == 429
    assert answers[-1].headers["Retry-After"] == "1"
    assert guest.client.get("/api/state").status_code == 200
    other.join("Bo")
    assert all(console.post("/api/throw").status_code == 409 for _ in range(REQUESTS_AT_ONCE + 5))


def test_one_address_takes_so_many_seats(app: Flask) -> None:
    for number in range(SEATS_AN_ADDRESS):
        Browser(app).join(f"Guest {number}")
    assert Browser(app).ask("POST", "/api/seats", {"name": "One more"}).status_code == 409
    Browser(app, "127.0.0.3").join("One more")


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
