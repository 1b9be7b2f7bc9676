"""Advice: a hint, the ranked choices, what every choice has cost, and its switches."""

import json
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from server.advice import advice_on, advised, grades
from server.cli import main
from server.rules import new_game
from server.table import Table
from server.web import create_app

from .conftest import MakeTable


@pytest.fixture
def table(make_table: MakeTable) -> Table:
    return make_table()


@pytest.fixture
def client(table: Table) -> FlaskClient:
    return create_app(table, table._log).test_client()


def test_full_advice_ranks_what_may_be_done() -> None:
    game = new_game("421", ["Ana", "Bo", "Cyr"], {"version": "41"})
    game.play({"do": "throw", "dice": [4, 2, 1]})
    told = advised(game, "full")
    assert told["choices"][0] == {"action": {"do": "stop"}, "worth": told["choices"][0]["worth"], "cost": 0.0}
    assert told["unit"] == "fiches"
    costs = [choice["cost"] for choice in told["choices"]]
    assert costs == sorted(costs)
    assert {len(choice["action"].get("dice", [])) for choice in told["choices"]} == {0, 1, 2}
    assert told["hint"] == {"do": "stop", "matters": True, "sentence": "Stop here."}
    assert "choices" not in advised(game, "hint")


def test_where_there_is_nothing_to_choose_there_is_no_hint() -> None:
    game = new_game("vingt-cinq", ["Ana", "Bo"])
    assert advised(game, "full") == {"player": "Ana", "level": "full", "hint": None, "choices": []}


@pytest.mark.parametrize(
    ("dice", "sentence"), [([6, 6, 6, 1, 1], "Keep 3 dice."), ([6, 1, 1, 1, 1], "It hardly matters what you do.")]
)
def test_a_hint_says_where_to_go_and_whether_it_matters(dice: list[int], sentence: str) -> None:
    game = new_game("vingt-cinq", ["Ana", "Bo"])
    game.play({"do": "throw", "dice": dice})
    assert advised(game, "hint")["hint"]["sentence"] == sentence


def test_every_choice_is_graded_afterwards() -> None:
    game = new_game("vingt-cinq", ["Ana", "Bo", "Cyr"])
    actions: list[dict[str, Any]] = [
        {"do": "throw", "dice": [6, 6, 5, 5, 4]},
        {"do": "keep", "dice": [6]},
        {"do": "throw", "dice": [5, 1, 1, 2]},
        {"do": "keep", "dice": [5]},
    ]
    (grade,) = grades(game, actions)
    assert (grade["action"], grade["player"], grade["unit"]) == (1, "Ana", "life points")
    assert grade["taken"] == {"do": "keep", "dice": [6]}
    assert grade["best"] == {"do": "keep", "dice": [6, 6]}
    assert grade["cost"] > 0
    told = advice_on(game, actions)
    assert told["grades"] == [grade]
    assert told["cost"] == {"Ana": grade["cost"], "Bo": 0.0, "Cyr": 0.0}


def test_a_record_is_advised_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record = {"format": 1, "game": "thousand", "players": ["Ana", "Bo"], "options": {"preset": "home"}}
    actions = [{"do": "throw", "dice": [2, 1, 2, 2, 5]}, {"do": "keep", "dice": [2, 2, 2]}]
    path = tmp_path / "game.json"
    path.write_text(json.dumps({**record, "actions": actions[:1]}))
    assert main(["advise", str(path)]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["turn"]["legal"] == ["keep"]
    assert told["advice"]["unit"] == "chance to win"
    path.write_text(json.dumps({**record, "actions": actions}))
    assert main(["advise", str(path)]) == 0
    assert json.loads(capsys.readouterr().out)["grades"][0]["taken"] == actions[1]
    path.write_text(json.dumps({"format": 1, "game": "thousand-cards", "players": ["a", "b", "c"]}))
    assert main(["advise", str(path)]) == 2
    assert main(["advise", str(tmp_path / "none.json")]) == 2
    path.write_text("{")
    assert main(["advise", str(path)]) == 2


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


def test_a_game_is_graded_when_it_is_over(table: Table, client: FlaskClient) -> None:
    client.post("/api/games", json={"game": "vingt-cinq", "players": ["Ana", "Bo"], "options": {"life": 1}})
    assert client.get("/api/advice/grades").status_code == 404
    while table.ask(lambda standing: standing.is_playing):
        legal = client.get("/api/state").get_json()["game"]["turn"]["legal"]
        if legal == ["throw"]:
            client.post("/api/throw", json={})
        else:
            choices = ask(client, "full")["choices"]
            client.post("/api/actions", json={"action": choices[-1]["action"]})
    graded = client.get("/api/advice/grades").get_json()
    assert all(grade["cost"] >= 0 for grade in graded)


def test_the_outlook_of_the_running_game_is_told(client: FlaskClient) -> None:
    assert client.get("/api/odds").get_json() is None
    client.post("/api/games", json={"game": "quatorze", "players": ["Ana", "Bo"]})
    told = client.get("/api/odds").get_json()
    assert told["method"] == "exact"
    assert told["players"]["Bo"]["win"] == pytest.approx(0.0939, abs=1e-4)
    assert told["turn"] is None
