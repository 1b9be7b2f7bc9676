"""Who may ask for what: the bartender's PIN, tokens, other sites and guests who hammer."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from server.web.access import TRIES_AN_HOUR
from server.web.caps import NOTES_A_MINUTE, NOTES_AT_ONCE, REQUESTS_AT_ONCE
from server.web.guard import TOKEN
from server.web.handed import handed
from server.web.openapi import SEAT, operation

from ..conftest import Browser, bodies
from .conftest import keep, start, state

PIN = "271828"


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


def rename(guest: Browser, number: int) -> Any:
    return guest.ask("PATCH", "/api/seats/mine", {"name": f"Ana {number}"})


def take_and_leave(guest: Browser, number: int) -> Any:
    left = guest.ask("DELETE", "/api/seats/mine")
    return left if left.status_code == 200 else guest.ask("POST", "/api/seats", {"name": "Ana"})


def switch_advice(guest: Browser, number: int) -> Any:
    return guest.ask("PUT", "/api/advice/mine", {"advice": bool(number % 2)})


def doubt(guest: Browser, number: int) -> Any:
    throw = state(guest.client)["throws"][number % 6]["event"]
    return guest.ask("POST", "/api/disputes", {"throw": throw, "die": number // 6 % 11 or None})


@pytest.mark.parametrize("write", [rename, take_and_leave, switch_advice, doubt])
def test_a_guest_cannot_fill_the_log(
    app: Flask,
    console: FlaskClient,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    write: Callable[[Browser, int], Any],
) -> None:
    ana, bo = Browser(app), Browser(app, "127.0.0.3")
    ana.join("Ana"), bo.join("Bo")
    start(console, "Ana", "Bo")
    while len(state(console)["throws"]) < 6:
        if state(console)["offers"]:
            console.post("/api/actions", json={"action": keep(console)})
        else:
            console.post("/api/throw")
    before, now = len(bodies(tmp_path)), [1e6]
    monkeypatch.setattr("server.web.caps.time.monotonic", lambda: now[0])
    answers = []
    for number in range(120):
        now[0] += 0.5
        answers.append(write(ana, number))
    # Whoever takes a seat again and again leaves it as often.
    assert len(bodies(tmp_path)) - before <= 2 * (NOTES_AT_ONCE + NOTES_A_MINUTE)
    refused = next(answer for answer in reversed(answers) if answer.status_code == 429)
    assert (refused.headers["Retry-After"], "wait ten seconds" in refused.get_json()["error"]) == ("10", True)
    assert bo.ask("PATCH", "/api/seats/mine", {"name": "Bob"}).status_code == 200
    now[0] += 10
    assert write(ana, 0).status_code in (200, 201)
