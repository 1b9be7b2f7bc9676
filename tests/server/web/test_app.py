"""The web app: its contract, and who may ask for what."""

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from firmware.simulated import SimulatedTower
from server.eye import BlindEye
from server.log import Log
from server.seats import MOST_PLAYERS
from server.settings import SETTINGS, read_settings
from server.table import Table
from server.web.app import SHOWN, create_app
from server.web.caps import GUESTS_STREAMS, STREAMS, STREAMS_AN_ADDRESS, Streams
from server.web.guard import is_ours, own_names
from server.web.handed import handed
from server.web.serving import FOLLOW

from ..conftest import ABOUT

GUEST = {"REMOTE_ADDR": "127.0.0.2"}


def start(client: FlaskClient, **body: Any) -> Any:
    return client.post("/api/games", json={"game": "vingt-cinq", "players": ["Ana", "Bo"], **body})


def test_the_state_has_what_is_promised(client: FlaskClient) -> None:
    found = client.get("/api/state").get_json()
    assert found.keys() >= {"seq", "boot", "simulated", "machine", "game"}
    assert found["game"] is None
    assert found["simulated"] is True
    assert found["machine"] == {"phase": "ready", "fault": None}


@pytest.mark.parametrize("address", ["127.0.0.1", "127.0.0.2"])
@pytest.mark.parametrize(
    "page", ["/", "/play", "/operator", "/operator/calibration", "/history", "/fairness", "/rules/"]
)
def test_a_page_says_that_the_machine_is_simulated_where_it_is(
    client: FlaskClient, table: Table, page: str, address: str
) -> None:
    badge, asked_by = '<strong class="simulated">Simulated</strong>', {"REMOTE_ADDR": address}
    assert client.get(page, environ_overrides=asked_by).text.count(badge) == 1
    table.about["simulated"] = False
    assert badge not in client.get(page, environ_overrides=asked_by).text


def test_a_game_from_start_to_a_kept_die(client: FlaskClient) -> None:
    assert start(client).status_code == 201
    assert start(client).status_code == 409
    pressed = client.post("/api/throw", json={"expected_seq": client.get("/api/state").get_json()["seq"], "key": "a"})
    assert pressed.status_code == 202
    found = client.get("/api/state").get_json()
    kept = found["offers"][0]["dice"]["one_of"][0]
    body = {"action": {"do": "keep", "dice": kept}, "expected_seq": found["seq"], "key": "b"}
    answer = client.post("/api/actions", json=body)
    assert answer.status_code == 200
    again = client.post("/api/actions", json=body)
    assert (again.status_code, again.get_json()) == (200, answer.get_json())
    assert client.post("/api/actions", json={**body, "key": "c"}).status_code == 409
    record = client.get("/api/games/current/record").get_json()
    assert [action["do"] for action in record["actions"]] == ["throw", "keep"]
    assert client.delete("/api/games/current").status_code == 200
    assert client.get("/api/games/current/record").status_code == 404


@pytest.mark.parametrize("other", [" Ana ", "ana", "\u0410na", "A\u200dna"])
def test_nobody_plays_who_cannot_be_told_from_another_player(client: FlaskClient, other: str) -> None:
    answer = client.post("/api/games", json={"game": "vingt-cinq", "players": ["Ana", other]})
    assert answer.status_code == 400
    assert answer.get_json()["error"].startswith("Two players have the same name")


def test_too_many_players_are_refused_before_their_names_are_compared(client: FlaskClient) -> None:
    answer = start(client, players=["Ana"] * (MOST_PLAYERS + 1))
    assert answer.status_code == 400
    assert answer.get_json()["error"].startswith('"players" is a list of at most 100 names')
    assert start(client, players=[f"Ana {number}" for number in range(MOST_PLAYERS)]).status_code == 201


@pytest.mark.parametrize(
    ("path", "methods"), [("/api/throw", {"POST", "OPTIONS"}), ("/tv", {"GET", "HEAD", "OPTIONS"})]
)
def test_a_method_that_is_not_allowed_is_told_which_are(client: FlaskClient, path: str, methods: set[str]) -> None:
    answer = client.delete(path)
    assert answer.status_code == 405
    assert set(answer.allow) == methods


@pytest.mark.parametrize("number", ["", "abc", "-1", "1.0", "1e3", "9" * 30, "\u0661"])
@pytest.mark.parametrize("path", ["/api/history?before", "/api/games/421/options?players"])
def test_a_number_of_a_query_that_is_none_is_not_passed_over(client: FlaskClient, path: str, number: str) -> None:
    answer = client.get(f"{path}={number}")
    assert answer.status_code == 400
    assert "is a whole number, not" in answer.get_json()["error"]


@pytest.mark.parametrize(
    ("method", "path", "status", "said"),
    [
        ("GET", "/nothing", 404, "Il n\u2019y a rien \u00e0 cette adresse."),
        ("PUT", "/tv", 405, "Cette adresse ne prend pas de telle demande."),
        ("GET", "/history/9", 404, "Il n\u2019y a pas de telle partie."),
    ],
)
def test_a_page_that_is_not_there_says_so_in_the_visitors_language(
    client: FlaskClient, method: str, path: str, status: int, said: str
) -> None:
    answer = client.open(path, method=method, headers={"Accept-Language": "fr"})
    assert answer.status_code == status
    assert f"<p>{said}</p>" in answer.text
    told = client.open(f"/api{path}", method="POST", headers={"Accept-Language": "fr"})
    assert told.get_json()["error"] in ("There is nothing at this address.", "This address takes no such request.")


def test_the_stream_begins_with_the_snapshot(client: FlaskClient, table: Table) -> None:
    answer = client.get("/api/events")
    assert answer.mimetype == "text/event-stream"
    retry, first = answer.text.split("\n\n")[0].split("\n", 1)
    assert retry == "retry: 1000"
    assert first.startswith(f"id: {table.boot}:{table.board.snapshot.seq}\n")
    assert json.loads(first.split("data: ")[1]) == client.get("/api/state").get_json()


@pytest.mark.parametrize(
    ("path", "body", "status", "says"),
    [
        ("/api/games", {"game": "poker", "players": ["Ana", "Bo"]}, 400, "the games are"),
        ("/api/games", {"game": "vingt-cinq", "players": ["Ana"]}, 400, "2 or more"),
        ("/api/games", {"game": "vingt-cinq", "players": "Ana"}, 400, "list of at most 100 names"),
        ("/api/games", {"game": "vingt-cinq", "players": ["A", "B"], "options": {"life": 0}}, 400, "from 1 to 1000"),
        ("/api/games", {"game": "thousand-cards", "players": ["A", "B", "C"]}, 409, "no screens"),
        ("/api/games", {"players": ["A", "B"]}, 400, 'lacks "game"'),
        ("/api/games", {"game": "vingt-cinq", "players": ["A", "B"], "faces": [6]}, 400, "has no"),
        ("/api/games", [], 400, "JSON object"),
        ("/api/actions", {"action": {"do": "keep", "dice": [6]}}, 409, "no game"),
        ("/api/actions", {"action": 3}, 400, "object"),
        ("/api/actions", {"action": {}}, 409, "no game"),
        ("/api/actions", {"action": {"do": 3}}, 409, "no game"),
        ("/api/actions", {"action": {"do": "keep"}, "expected_seq": "3"}, 400, "expected_seq"),
        ("/api/actions", {"action": {"do": "keep"}, "key": ""}, 400, "key"),
        ("/api/corrections", {"throw": 1, "reason": "x", "dice": [{"x": 1}]}, 400, '"center": [x, y]'),
        ("/api/corrections", {"throw": 1, "reason": "x", "dice": [{"face": 7, "center": [1, 2]}]}, 400, "1 to 6"),
        ("/api/corrections", {"throw": 1, "reason": "x", "dice": [{"face": 6, "center": [1]}]}, 400, "[x, y]"),
        ("/api/corrections", {"throw": 1, "reason": "x", "dice": [{"face": 6, "center": [1, 2.5]}]}, 409, "no throw"),
        ("/api/throw", {"dice": [6, 6, 6, 6, 6]}, 400, "has no"),
        ("/api/throw", {}, 409, "no game"),
        ("/api/nothing", {}, 404, ""),
    ],
)
def test_a_bad_request_is_answered_with_one_sentence(
    client: FlaskClient, path: str, body: Any, status: int, says: str
) -> None:
    answer = client.post(path, json=body)
    assert answer.status_code == status
    assert says in answer.get_json()["error"]


@pytest.mark.parametrize(
    "text", [b"{", b'{"key": NaN}', b'{"key": "a", "key": "b"}', b"\xff", b"[" * 9000, b'{"key": "\\ud800"}']
)
def test_what_is_no_json_is_said(client: FlaskClient, text: bytes) -> None:
    assert client.post("/api/throw", data=text).status_code == 400


def test_a_body_above_the_limit_is_refused(client: FlaskClient) -> None:
    assert client.post("/api/throw", data=b" " * 16_385).status_code == 413


def test_no_phone_brings_faces(client: FlaskClient) -> None:
    start(client)
    thrown = client.post("/api/actions", json={"action": {"do": "throw", "dice": [6, 6, 6, 6, 6]}})
    assert thrown.status_code == 409
    assert client.get("/api/state").get_json()["game"]["log"] == []


def test_health_names_its_causes(client: FlaskClient, table: Table) -> None:
    well = client.get("/healthz").get_json()
    assert (well["ok"], well["causes"], well["watchers"]) == (True, [], 0)
    assert well["free_mb"] > 0
    shown = client.get("/api/state").get_json()
    assert (well["boot"], well["seq"]) == (shown["boot"], shown["seq"])
    table.latch("jammed", "The cone does not turn.")
    answer = client.get("/healthz")
    assert (answer.status_code, answer.get_json()["causes"]) == (503, ["The cone does not turn."])
    assert client.delete("/api/fault").status_code == 200
    assert client.get("/healthz").status_code == 200


@pytest.mark.parametrize("path", ["/", "/tv", "/operator", "/nothing"])
def test_every_page_carries_the_headers_and_no_code_of_its_own(client: FlaskClient, path: str) -> None:
    answer = client.get(path)
    assert answer.status_code == (404 if path == "/nothing" else 200)
    assert "script-src 'self'" in answer.headers["Content-Security-Policy"]
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert "style=" not in answer.text
    assert "<script>" not in answer.text


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:8421",
        "8.8.8.8",
        "0.0.0.0",
        "127.255.255.255",
        "255.255.255.255",
        "localhost.evil.example",
        "[::",
        "a" * 300,
    ],
)
@pytest.mark.parametrize("path", ["/api/state", "/", "/join.svg"])
def test_a_foreign_host_is_refused_even_at_the_console(client: FlaskClient, host: str, path: str) -> None:
    answer = client.get(path, headers={"Host": host})
    assert answer.status_code == 400
    assert f"is not called {host!r}" in answer.text


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:9000", "127.0.0.1:1", "[::1]:80", "127.0.0.2"])
def test_every_own_name_and_address_is_known(client: FlaskClient, host: str) -> None:
    assert client.get("/api/state", headers={"Host": host}).status_code == 200


def test_the_machine_knows_its_names() -> None:
    assert all(is_ours(name.upper(), own_names()) for name in own_names())


@pytest.mark.parametrize(
    ("origin", "status"),
    [
        ("http://localhost", 201),
        ("https://localhost", 403),
        ("http://localhost:99", 403),
        ("null", 403),
        ("http://evil.example", 403),
    ],
)
def test_only_our_own_pages_may_change_anything(client: FlaskClient, origin: str, status: int) -> None:
    body = {"game": "vingt-cinq", "players": ["Ana", "Bo"]}
    assert client.post("/api/games", json=body, headers={"Origin": origin}).status_code == status


@pytest.mark.parametrize(
    ("page", "status"),
    [
        ("http://localhost/operator", 201),
        ("http://localhost", 201),
        ("http://localhost.evil.example/operator", 403),
        ("http://evil.example/http://localhost/", 403),
        ("about:blank", 403),
    ],
)
def test_a_browser_that_names_no_origin_is_judged_by_the_page_it_names(
    client: FlaskClient, page: str, status: int
) -> None:
    body = {"game": "vingt-cinq", "players": ["Ana", "Bo"]}
    assert client.post("/api/games", json=body, headers={"Referer": page}).status_code == status
    assert client.get("/tv", headers={"Referer": page}).status_code == 200
    assert client.delete("/api/fault", headers={"Referer": page, "Origin": "http://localhost"}).status_code == 409


@pytest.mark.parametrize("address", ["127.0.0.1", "::1", "::ffff:127.0.0.1"])
def test_the_console_is_the_device_itself(client: FlaskClient, address: str) -> None:
    assert client.get("/operator", environ_overrides={"REMOTE_ADDR": address}).status_code == 200


def test_streams_are_capped_by_address_and_in_all() -> None:
    streams = Streams()
    assert [streams.enter("10.0.0.1", console=False) for _ in range(5)] == [True] * STREAMS_AN_ADDRESS + [False]
    streams.leave("10.0.0.1", console=False)
    assert streams.enter("10.0.0.1", console=False)
    guests = [streams.enter(f"10.0.1.{number}", console=False) for number in range(250)]
    assert guests.count(True) == GUESTS_STREAMS - STREAMS_AN_ADDRESS
    assert all(streams.enter("127.0.0.1", console=True) for _ in range(STREAMS - GUESTS_STREAMS))
    assert not streams.enter("127.0.0.1", console=True)
    assert streams.total() == STREAMS


def test_too_many_streams_are_told_to_come_back(client: FlaskClient) -> None:
    left: list[Any] = []
    held = {**GUEST, FOLLOW: lambda _, leave: left.append(leave)}
    for _ in range(STREAMS_AN_ADDRESS):
        assert client.get("/api/events", environ_overrides=held).status_code == 200
    refused = client.get("/api/events", environ_overrides=held)
    assert (refused.status_code, refused.headers["Retry-After"]) == (503, "5")
    left.pop()()
    assert client.get("/api/events", environ_overrides=held).status_code == 200


@pytest.mark.parametrize("name", ["../cornet.db", "x.jpg", "0" * 64 + ".jpg", "..%2fcornet.db"])
def test_only_pictures_are_given_out(client: FlaskClient, name: str) -> None:
    assert client.get(f"/frames/{name}").status_code == 404


@pytest.mark.parametrize(
    ("headers", "status", "data"),
    [
        ({"Range": "bytes=2-"}, 206, b"picture"),
        ({"Range": "BYTES=-3"}, 206, b"ure"),
        ({"Range": "bytes=-99999999"}, 206, b"a picture"),  # a suffix longer than it is all of it
        ({"Range": "bytes=9-"}, 416, None),
        ({"Range": "bytes=-0"}, 416, None),
        ({"Range": "lines=0-1"}, 200, b"a picture"),
        ({"Range": "bytes=0-1,3-4"}, 200, b"a picture"),
        ({"Range": "bytes=0-3", "If-Match": '"another"'}, 412, None),
        ({"If-Match": "*"}, 200, b"a picture"),
        ({"Range": "bytes=0-3", "If-None-Match": f'"{hashlib.sha256(b"a picture").hexdigest()}"'}, 304, None),
        ({"Range": "bytes=0-3", "If-None-Match": "*"}, 304, None),
        ({"Range": "bytes=0-3", "If-None-Match": '"another"'}, 206, b"a pi"),
    ],
)
def test_a_part_of_a_picture_is_given_as_it_is_asked_for(
    app: Flask, headers: dict[str, str], status: int, data: bytes | None
) -> None:
    client, path = app.test_client(), f"/frames/{handed(app).log.keep_frame(b'a picture')}.jpg"
    with client.get(path, headers=headers) as answer:
        assert answer.status_code == status
        assert answer.data == data if data else b"a picture" not in answer.data
    with client.head(path, headers={"Range": "bytes=0-3"}) as answer:
        assert (answer.status_code, answer.content_length) == (200, 9)


def test_pictures_are_found_wherever_the_data_lies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    log = Log(Path("evening"))
    tower = SimulatedTower("7")
    eye = BlindEye(lambda: tower.lying, 10)
    table = Table(log, tower, eye, boot="boot", about=ABOUT, run=lambda throw: None)
    answer = create_app(table, log).test_client().get(f"/frames/{log.keep_frame(b'a picture')}.jpg")
    assert (answer.status_code, answer.data) == (200, b"a picture")
    answer.close()
    log.close()


def test_every_game_with_screens_describes_its_options(client: FlaskClient) -> None:
    described = client.get("/api/games").get_json()
    assert [game["game"] for game in described] == list(SHOWN)
    for game in described:
        for option in game["options"]:
            assert option["sentence"].endswith(".")
            assert option["type"] in ("flag", "choice", "whole", "text")


def test_every_setting_is_told_with_its_value_and_sentence(table: Table) -> None:
    told = create_app(table, table._log, settings=read_settings(None).values).test_client().get("/api/settings")
    lines = [{"name": line.name, "value": line.default, "sentence": line.sentence} for line in SETTINGS]
    assert told.get_json() == lines


def test_the_machine_is_stopped_until_somebody_clears_it(client: FlaskClient) -> None:
    start(client)
    for _ in range(2):
        assert client.post("/api/stop", json={}).status_code == 200
    assert client.get("/api/state").get_json()["machine"]["fault"]["name"] == "stopped"
    assert client.post("/api/throw").status_code == 409
    assert client.delete("/api/fault").status_code == 200
    assert client.post("/api/throw").status_code == 202
