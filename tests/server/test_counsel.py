"""What the table knows, over HTTP."""

import json
from contextlib import ExitStack
from typing import Any

import pytest
from flask.testing import FlaskClient

from server import counsel
from server.table import Table
from server.web import create_app

from .conftest import MakeTable


@pytest.fixture
def table(make_table: MakeTable) -> Table:
    return make_table()


@pytest.fixture
def client(table: Table) -> FlaskClient:
    return create_app(table, table._log).test_client()


def said(client: FlaskClient, game: str, **options: Any) -> dict[str, str]:
    answer = client.get(f"/api/odds/{game}", query_string={"options": json.dumps(options)})
    assert answer.status_code == 200
    return {said["figure"]: said["sentence"] for said in answer.get_json()["means"]}


def test_the_options_say_what_they_mean_for_the_house(client: FlaskClient) -> None:
    # The rules page of the 26 has the figures: 0.41, and 0.21 where the stake is not returned.
    returned = said(client, "vingt-six")["expectation_stake_returned"]
    assert returned == "With this table the thrower gains 0.41 chips a chip staked; the bank pays them."
    assert "gains 0.21 chips" in said(client, "vingt-six", stake_returned=False)["expectation_stake_kept"]
    assert "loses 0.15 chips" in said(client, "quatorze")["expectation_stake_returned"]
    assert "loses 0.57 chips" in said(client, "quatorze", fourteen="exactly")["expectation_stake_returned"]


@pytest.mark.parametrize("game", ["vingt-six", "quatorze", "vingt-cinq", "421", "thousand"])
def test_every_game_of_dice_has_something_to_say(client: FlaskClient, game: str) -> None:
    answer = client.get(f"/api/odds/{game}").get_json()
    assert answer["means"]
    for each in answer["means"]:
        assert each["value"] == answer["figures"][each["figure"]]


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("/api/odds/thousand-cards", "no odds"),
        ("/api/odds/whist", "no odds"),
        ("/api/odds/421?options=[]", "JSON object"),
        ("/api/odds/421?options={", "no JSON"),
        ('/api/odds/421?options={"jokers":1}', "no option"),
    ],
)
def test_what_has_no_odds_is_said_in_a_sentence(client: FlaskClient, path: str, message: str) -> None:
    answer = client.get(path)
    assert answer.status_code == 400
    assert message in answer.get_json()["error"]


def test_a_crowd_that_asks_for_odds_is_sent_away_and_holds_nobody_up(client: FlaskClient) -> None:
    with ExitStack() as crowd:
        for _ in range(4):
            crowd.enter_context(counsel._waiting)
        answer = client.get("/api/odds/421")
        assert (answer.status_code, answer.get_json()["error"][:10]) == (503, "Others are")
        assert client.get("/api/state").status_code == 200
    assert client.get("/api/odds/421").status_code == 200
