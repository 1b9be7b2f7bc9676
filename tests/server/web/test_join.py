"""How a phone finds the table."""

import re
import socket
from collections.abc import Iterator

import pytest
from flask.testing import FlaskClient

from server.web.app import create_app
from server.web.codes import CODE_S, CODES, Codes
from server.web.handed import handed

from ..conftest import MakeTable


@pytest.fixture
def client(make_table: MakeTable) -> FlaskClient:
    table = make_table()
    return create_app(table, table._log, frozenset({"cornet.local"})).test_client()


@pytest.fixture
def deaf_port() -> Iterator[int]:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        yield held.getsockname()[1]


def test_the_address_is_the_one_by_which_the_page_was_reached(client: FlaskClient) -> None:
    answer = client.get("/api/join", headers={"Host": "cornet.local:8421"}).get_json()
    assert answer == {"url": "http://cornet.local:8421/play", "words": "cornet.local:8421", "code": None}
    code = client.get("/join.svg", headers={"Host": "cornet.local:8421"})
    assert code.mimetype == "image/svg+xml"
    assert code.get_data(as_text=True).startswith("<svg xmlns=")
    assert "style=" not in code.get_data(as_text=True)


@pytest.mark.parametrize(
    "itself", ["127.0.0.1", "[::1]", "0.0.0.0", "[::]", "localhost", "LOCALHOST", "localhost.", "bar"]
)
def test_by_what_only_the_machine_calls_itself_no_phone_is_invited(
    client: FlaskClient, deaf_port: int, monkeypatch: pytest.MonkeyPatch, itself: str
) -> None:
    monkeypatch.setattr("server.web.guard.socket.gethostname", lambda: "bar")
    table = handed(client.application).table
    app = create_app(table, table._log, frozenset({"0.0.0.0", "::"})).test_client()
    asked = {"headers": {"Host": f"{itself}:{deaf_port}"}, "environ_overrides": {"SERVER_PORT": str(deaf_port)}}
    assert app.get("/api/join", **asked).get_json()["url"] is None


def test_a_machine_that_nobody_else_can_reach_invites_nobody(client: FlaskClient, deaf_port: int) -> None:
    asked = {"headers": {"Host": "127.0.0.1"}, "environ_overrides": {"SERVER_PORT": str(deaf_port)}}
    assert client.get("/api/join", **asked).get_json() == {"url": None, "words": None, "code": None}
    assert client.get("/join.svg", **asked).status_code == 404


def test_no_port_is_knocked_on_because_a_guest_names_it(client: FlaskClient, deaf_port: int) -> None:
    with socket.create_server(("0.0.0.0", 0)) as other:
        other.settimeout(0)
        asked = {"SERVER_PORT": str(deaf_port), "REMOTE_ADDR": "127.0.0.2"}
        host = {"Host": f"127.0.0.1:{other.getsockname()[1]}"}
        assert client.get("/api/join", headers=host, environ_overrides=asked).get_json()["url"] is None
        with pytest.raises(BlockingIOError):
            other.accept()


def test_only_the_bars_own_screens_are_told_the_code_and_only_where_it_is_asked_for(client: FlaskClient) -> None:
    host, guest = {"Host": "cornet.local:8421"}, {"REMOTE_ADDR": "127.0.0.2"}
    plain = client.get("/join.svg", headers=host).data
    assert client.put("/api/joining", json={"joining": "code"}).status_code == 200
    code = client.get("/api/join", headers=host).get_json()["code"]
    assert handed(client.application).codes.takes(code.lower())
    shown = client.get("/join.svg", headers=host)
    assert shown.data != plain
    assert shown.headers["Cache-Control"] == "no-store"
    assert client.get("/api/join", headers=host, environ_overrides=guest).get_json()["code"] is None
    assert client.get("/join.svg", headers=host, environ_overrides=guest).data == plain


def test_a_code_is_taken_for_so_long_and_no_longer() -> None:
    moment = [10_000_000.0]
    codes, others = Codes(lambda: moment[0]), Codes(lambda: moment[0])
    code = codes.newest()
    assert not others.takes(code)
    assert not codes.takes("")
    for age in range(CODES):
        assert codes.takes(f" {code.lower()} ")
        assert (codes.newest() == code) == (age == 0)
        moment[0] += CODE_S
    assert not codes.takes(code)


def test_a_guests_page_asks_for_no_secret(client: FlaskClient) -> None:
    page = client.get("/play", environ_overrides={"REMOTE_ADDR": "127.0.0.2"}).get_data(as_text=True)
    assert re.findall(r'<input id="(\w+)"', page) == ["name", "code"]
    assert "password" not in page
    assert "http://" not in page.replace("http://www.w3.org/", "")
