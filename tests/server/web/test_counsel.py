"""What the table knows, over HTTP."""

import json
from contextlib import ExitStack
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from server.seats import MOST_PLAYERS
from server.stage import SEQS
from server.table import Table
from server.web import caps
from server.web.app import create_app

from ..conftest import Browser, MakeTable


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


@pytest.mark.parametrize("game", ["vingt-six", "quatorze"])
@pytest.mark.parametrize("seat", [5, MOST_PLAYERS])
def test_the_odds_of_a_running_game_are_told_wherever_the_banker_sits(
    client: FlaskClient, game: str, seat: int
) -> None:
    players = [str(number) for number in range(seat)]
    client.post("/api/games", json={"game": game, "players": players, "options": {"banker_seat": seat}})
    options = client.get("/api/state").get_json()["game"]["options"]
    assert said(client, game, **options) == said(client, game, **options | {"banker_seat": 1})
    assert said(client, game, banker_seat=seat) == said(client, game)
    answer = client.get(f"/api/odds/{game}", query_string={"options": json.dumps(options)})
    assert answer.get_json()["options"] == options


@pytest.mark.parametrize("seat", [0, MOST_PLAYERS + 1, 10**400, 5.0, True, "5"])
def test_a_seat_at_which_nobody_can_sit_has_no_odds(client: FlaskClient, seat: Any) -> None:
    query = {"options": json.dumps({"banker_seat": seat})}
    answer = client.get("/api/odds/vingt-six", query_string=query)
    assert (answer.status_code, answer.get_json()["error"][:36]) == (400, 'The option "banker_seat" must be a w')


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


@pytest.mark.parametrize(
    "path",
    [
        "/api/odds",
        "/api/odds/421",
        "/api/advice",
        "/api/history.csv",
        "/api/history/{}",
        "/api/history/{}/steps/0",
        "/api/history/{}/record",
        "/api/history/{}/throws.csv",
    ],
)
def test_a_crowd_that_asks_for_much_is_sent_away_and_holds_nobody_up(client: FlaskClient, path: str) -> None:
    client.post("/api/games", json={"game": "vingt-cinq", "players": ["Ana", "Bo"]})
    client.post("/api/throw", json={})
    path = path.format(client.get("/api/history").get_json()["games"][0]["id"])
    with ExitStack() as crowd:
        for _ in range(8):
            crowd.enter_context(caps._waiting)
        answer = client.get(path)
        assert (answer.status_code, answer.get_json()["error"][:10]) == (503, "Others are")
        assert answer.headers["Retry-After"] == "1"
        assert client.get("/api/state").status_code == 200
    assert client.get(path).status_code == 200


def ask(client: FlaskClient, level: str = "hint") -> Any:
    return client.get("/api/advice", query_string={"level": level}).get_json()


def test_advice_has_a_switch_for_the_game_and_one_for_each_player(make_table: MakeTable, client: FlaskClient) -> None:
    assert ask(client) == {"on": False}
    client.post("/api/games", json={"game": "vingt-cinq", "players": ["Ana", "Bo"]})
    assert ask(client)["on"]
    assert client.get("/api/state").get_json()["advised"]
    assert client.put("/api/advice", json={"player": 0, "advice": False}).status_code == 200
    assert ask(client) == {"on": False}
    client.put("/api/advice", json={"player": 0, "advice": True})
    assert ask(client)["player"] == "Ana"
    client.put("/api/advice", json={"advice": False})
    assert ask(client) == {"on": False}
    again = make_table()
    assert create_app(again, again._log).test_client().get("/api/advice").get_json() == {"on": False}


def test_a_guest_switches_the_advice_for_himself_and_for_nobody_else(app: Flask, client: FlaskClient) -> None:
    guest = Browser(app)
    assert guest.ask("PUT", "/api/advice/mine", {"advice": False}).status_code == 403
    guest.join("Bo")
    answer = guest.ask("PUT", "/api/advice/mine", {"advice": False})
    assert (answer.status_code, answer.get_json()["error"]) == (409, "No game of dice is running.")
    client.post("/api/games", json={"game": "vingt-cinq", "players": ["Ana", "Bo"]})
    assert guest.ask("PUT", "/api/advice", {"advice": False}).status_code == 403
    assert guest.ask("PUT", "/api/advice/mine", {"advice": 1}).status_code == 400
    assert guest.ask("PUT", "/api/advice/mine", {"advice": False}).status_code == 200
    assert client.get("/api/state").get_json()["advice"] == {"game": True, "players": [True, False]}
    assert ask(client)["on"]  # it is Ana's turn
    # Who only watches has no advice to switch.
    watcher = Browser(app)
    watcher.join("Cyr")
    assert watcher.ask("PUT", "/api/advice/mine", {"advice": False}).status_code == 409


def test_the_switch_of_the_game_is_above_that_of_a_player(app: Flask, client: FlaskClient) -> None:
    guest = Browser(app)
    guest.join("Bo")
    client.post("/api/games", json={"game": "quatorze", "players": ["Ana", "Bo"]})
    assert guest.ask("PUT", "/api/advice/mine", {"advice": True}).status_code == 200
    assert ask(client) == {"on": False}  # chips are staked
    client.put("/api/advice", json={"advice": True})
    assert ask(client)["player"] == "Bo"
    guest.ask("PUT", "/api/advice/mine", {"advice": False})
    assert ask(client) == {"on": False}


def test_it_is_off_where_chips_are_staked_until_somebody_switches_it_on(client: FlaskClient) -> None:
    client.post("/api/games", json={"game": "vingt-six", "players": ["Ana", "Bo"], "options": {"bet_mode": "capped"}})
    assert ask(client) == {"on": False}
    client.put("/api/advice", json={"advice": True})
    full = ask(client, "full")
    assert full["choices"][0]["action"] == {"do": "bet", "chips": 4}
    assert client.get("/api/advice?level=all").status_code == 400


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("/api/advice", {"advice": True, "player": 2}, 409),
        ("/api/advice", {"advice": "yes"}, 400),
        ("/api/advice", {}, 400),
        ("/api/players/0", {"by": "greedy"}, 400),
        ("/api/players/7", {"by": "bold"}, 409),
        ("/api/players/1", {"by": "bold"}, 200),
        ("/api/players/1", {"by": None}, 200),
    ],
)
def test_only_a_player_of_the_running_game_can_be_meant(
    client: FlaskClient, path: str, body: dict[str, Any], status: int
) -> None:
    assert client.put(path, json={"advice": True} if "advice" in path else {"by": "bold"}).status_code == 409
    client.post("/api/games", json={"game": "vingt-cinq", "players": ["Ana", "Bo"]})
    assert client.put(path, json=body).status_code == status


def play_badly(table: Table, client: FlaskClient) -> None:
    """Play the running game to its end, the dearest choice at every turn."""
    while table.ask(lambda standing: standing.is_playing):
        if client.get("/api/state").get_json()["game"]["turn"]["legal"] == ["throw"]:
            client.post("/api/throw", json={})
        else:
            choices = ask(client, "full")["choices"]
            client.post("/api/actions", json={"action": choices[-1]["action"]})


def test_every_game_that_is_over_is_graded_choice_by_choice(table: Table, client: FlaskClient) -> None:
    game = {"game": "vingt-cinq", "players": ["Ana", "Bo"], "options": {"life": 1}}
    number = client.post("/api/games", json=game).get_json()["seq"] // SEQS
    assert client.get(f"/api/history/{number}/grades").status_code == 409
    assert client.get("/api/history/1/grades").status_code == 404
    play_badly(table, client)
    told = client.get(f"/api/history/{number}/grades").get_json()
    assert told["grades"]
    steps = {step["seq"]: step for step in client.get(f"/api/history/{number}").get_json()["steps"]}
    for grade in told["grades"]:
        assert steps[grade["event"]]["action"] == grade["taken"]
        assert steps[grade["event"]]["player"] == grade["player"]
        assert grade["cost"] >= 0
    total = sum(cost for player in told["cost"].values() for cost in player.values())
    assert total == pytest.approx(sum(grade["cost"] for grade in told["grades"]))
    # Another game may run meanwhile; one that was voided is graded as far as it came.
    other = client.post("/api/games", json=game).get_json()["seq"] // SEQS
    assert client.get(f"/api/history/{number}/grades").get_json() == told
    client.delete("/api/games/current")
    assert client.get(f"/api/history/{other}/grades").get_json() == {"grades": [], "cost": {"Ana": {}, "Bo": {}}}


def test_the_outlook_of_the_running_game_is_told(client: FlaskClient) -> None:
    assert client.get("/api/odds").get_json() is None
    client.post("/api/games", json={"game": "quatorze", "players": ["Ana", "Bo"]})
    told = client.get("/api/odds").get_json()
    assert told["method"] == "exact"
    assert told["players"]["Bo"]["win"] == pytest.approx(0.0939, abs=1e-4)
    assert told["turn"] is None
