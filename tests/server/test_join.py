"""How a phone finds the table."""

import socket
from collections.abc import Iterator

import pytest
from flask.testing import FlaskClient

from server.web import create_app

from .conftest import MakeTable


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
    assert answer == {"url": "http://cornet.local:8421/play", "words": "cornet.local:8421"}
    code = client.get("/join.svg", headers={"Host": "cornet.local:8421"})
    assert code.mimetype == "image/svg+xml"
    assert code.get_data(as_text=True).startswith("<svg xmlns=")
    assert "style=" not in code.get_data(as_text=True)


def test_a_machine_that_nobody_else_can_reach_invites_nobody(client: FlaskClient, deaf_port: int) -> None:
    host = {"Host": f"127.0.0.1:{deaf_port}"}
    assert client.get("/api/join", headers=host).get_json() == {"url": None, "words": None}
    assert client.get("/join.svg", headers=host).status_code == 404
