"""Advice: a hint, the ranked choices, what every choice has cost, and its switches."""

import json
from pathlib import Path
from typing import Any

import pytest

from server.advice import _hint, advice_on, advised, costs, grades
from server.cli import main
from server.rules import new_game
from server.strategy import Choice, Weighed


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
    assert advised(game, "hint") == {"player": "Ana", "level": "hint", "hint": None}


@pytest.mark.parametrize(
    ("dice", "sentence"), [([6, 6, 6, 1, 1], "Keep 3 dice."), ([6, 1, 1, 1, 1], "It hardly matters what you do.")]
)
def test_a_hint_says_where_to_go_and_whether_it_matters(dice: list[int], sentence: str) -> None:
    game = new_game("vingt-cinq", ["Ana", "Bo"])
    game.play({"do": "throw", "dice": dice})
    assert advised(game, "hint")["hint"]["sentence"] == sentence


@pytest.mark.parametrize(
    ("unit", "worths", "matters"),
    [
        ("fiches", (1.0, 0.99, 0.94), True),
        ("fiches", (1.0, 0.99, 0.96), False),
        ("chips", (1.0, 0.94), True),
        ("chips", (1.0, 0.96), False),
        ("life points", (1.0, 0.96), False),
        ("chance to win", (0.5, 0.497), True),
        ("chance to win", (0.5, 0.499), False),
        ("chance to win", (0.5,), False),
    ],
)
def test_a_choice_matters_by_what_the_worst_would_cost(unit: str, worths: tuple[float, ...], matters: bool) -> None:
    choices = [Choice({"do": "bet", "chips": place}, worth) for place, worth in enumerate(worths)]
    assert _hint(Weighed(unit, "", choices))["matters"] is matters


@pytest.mark.parametrize(
    ("action", "sentence"),
    [
        ({"do": "keep", "dice": []}, "Throw all of them again."),
        ({"do": "keep", "dice": [6]}, "Keep one die."),
        ({"do": "keep", "dice": [6, 6]}, "Keep 2 dice."),
        ({"do": "throw"}, "Throw on."),
        ({"do": "bank"}, "Write it down."),
        ({"do": "le_bon"}, 'Say "le bon".'),
        ({"do": "bet", "chips": 3}, "Not every stake brings as much."),
        ({"do": "call", "face": 2}, "Name a face."),
    ],
)
def test_a_hint_does_not_say_which(action: dict[str, Any], sentence: str) -> None:
    weighed = Weighed("fiches", "", [Choice(action, 1.0), Choice({"do": "stop"}, 0.0)])
    assert _hint(weighed)["sentence"] == sentence


def test_a_choice_is_known_in_any_order_of_its_dice_and_a_throw_whatever_it_brought() -> None:
    actions = [
        {"do": "throw", "dice": [1, 2, 2, 2, 5]},
        {"do": "keep", "dice": [2, 2, 1, 2, 5]},
        {"do": "throw", "dice": [1, 1, 1, 2, 3]},
        {"do": "keep", "dice": [1, 1, 1]},
        {"do": "throw", "dice": [2, 3]},
    ]
    told = grades(new_game("thousand", ["Ana", "Bo"], {"preset": "home"}), actions)
    assert [(grade["action"], grade["taken"]) for grade in told] == [
        (1, {"do": "keep", "dice": [1, 2, 2, 2, 5]}),
        (3, {"do": "keep", "dice": [1, 1, 1]}),
        (4, {"do": "throw"}),
    ]


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
    first = new_game("vingt-cinq", game.players)
    first.play(actions[0])
    ranked = {len(choice["action"]["dice"]): choice["cost"] for choice in advised(first, "full")["choices"]}
    assert grade["cost"] == ranked[1] > 0
    told = advice_on(game, actions)
    assert told["grades"] == [grade]
    assert told["cost"] == {"Ana": {"life points": grade["cost"]}, "Bo": {}, "Cyr": {}}


def test_what_is_counted_in_different_units_is_not_added_up() -> None:
    # When Cyr is out the race of the two that are left is solved, and points become chances.
    told = [{"player": "Ana", "unit": unit, "cost": cost} for unit, cost in (("life points", 0.5), ("chance", 0.25))]
    assert costs(["Ana", "Bo"], [*told, *told]) == {"Ana": {"life points": 1.0, "chance": 0.5}, "Bo": {}}


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
    path.write_text(json.dumps({**record, "actions": [{"do": "throw", "dice": [4, 2, 7]}]}))
    capsys.readouterr()
    assert main(["advise", str(path)]) == 2
    assert capsys.readouterr().err.startswith("Action 0: ")
    assert main(["advise", str(tmp_path / "none.json")]) == 2
    path.write_text("{")
    assert main(["advise", str(path)]) == 2
