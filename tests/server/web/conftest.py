"""A console that asks the pages, and what it asks most."""

from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient


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
