"""Thousand against the worked cases, and meetings of its rules worked out by hand."""

import json
from pathlib import Path
from typing import Any

import pytest

from server.rules.game import BadRecord, IllegalAction
from server.rules.thousand import Thousand

RECORDS = Path(__file__).parents[2] / "cases" / "records"
Options = dict[str, Any]


def cases(name: str) -> list[Any]:
    return [pytest.param(case, id=case["name"]) for case in json.loads((RECORDS / name).read_text())]


def text(state: dict[str, Any]) -> str:
    """As JSON, where true is not 1."""
    return json.dumps(state, sort_keys=True)


@pytest.mark.parametrize("case", cases("thousand.json"))
def test_worked_case(case: dict[str, Any]) -> None:
    record = case["record"]
    game = Thousand(record["players"], record["options"])
    for action in record["actions"]:
        game.play(action)
    assert text(game.state()) == text(case["expect"])


@pytest.mark.parametrize("case", cases("thousand-refused.json"))
def test_refused_case(case: dict[str, Any]) -> None:
    assert refused_at(case["record"]) == case["expect_error"]["action"]


def refused_at(record: dict[str, Any]) -> int | None:
    """The index of the first action refused, or None where the options were."""
    try:
        game = Thousand(record["players"], record["options"])
    except BadRecord:
        return None
    for index, action in enumerate(record["actions"]):
        try:
            game.play(action)
        except IllegalAction:
            return index
    pytest.fail("nothing was refused")


def play(script: str, players: str = "Ana Bo", **options: Any) -> Thousand:
    """The game after a script: `11223` throws, `+11` keeps, `=` banks."""
    game = Thousand(players.split(), options)
    for word in script.split():
        if word == "=":
            game.play({"do": "bank"})
        elif word[0] == "+":
            game.play({"do": "keep", "dice": [int(face) for face in word[1:]]})
        else:
            game.play({"do": "throw", "dice": [int(face) for face in word]})
    return game


def events(game: Thousand, last: int) -> list[str]:
    """The last entries of the log, each as its values in the order of its fields."""
    return [" ".join(str(value) for value in entry.values()) for entry in game.log[-last:]]


def standing(game: Thousand, player: str = "Ana") -> dict[str, Any]:
    found: dict[str, Any] = game.state()["table"]["players"][player]
    return {"score": game.scores()[player], **found}


EMPTY = "22346"
G50, G100, G200 = "55523 +555 =", "11123 +111 =", "11112 +1111 ="
# A thousand points, confirmed by a five: 1005 in one turn.
G1005 = "11111 +11111 52246 +5 ="


def test_overtaking_is_strict_and_spares_who_has_not_entered() -> None:
    quiet = {"barrels": [], "dump_truck": 0, "overtaking": 30}
    game = play(f"{G100} {G200} {EMPTY} {G200}", "Ana Bo Cyr Dan", **quiet)
    # Bo passes Ana, 100 to 70; Dan passes her again, 70 to 40, and only draws level with Bo; Cyr at 0 is not in.
    assert game.scores() == {"Ana": 40, "Bo": 200, "Cyr": 0, "Dan": 200}
    assert events(game, 3) == ["bank Dan 200 200", "enter Dan 200", "overtake Dan Ana 30 40"]


def test_overtaking_goes_round_from_the_banker_and_brings_nobody_else_down() -> None:
    quiet = {"barrels": [], "dump_truck": 0, "overtaking": 60}
    script = f"{G200} {G50} {G100} {EMPTY} {G200}"
    game = play(script, "Ana Bo Cyr", **quiet)
    # Cyr passes Bo (50 to -10); Bo passes Cyr (100 to 40) and draws level with neither; Ana was never passed.
    assert events(game, 2) == ["bank Bo 200 190", "overtake Bo Cyr 60 40"]
    assert game.scores() == {"Ana": 200, "Bo": 190, "Cyr": 40}
    game.play({"do": "throw", "dice": [1, 1, 1, 1, 2]})
    game.play({"do": "keep", "dice": [1, 1, 1, 1]})
    game.play({"do": "bank"})
    assert events(game, 3) == ["bank Cyr 200 240", "overtake Cyr Ana 60 140", "overtake Cyr Bo 60 130"]


def test_overtaken_are_named_in_the_order_after_the_banker() -> None:
    game = play(f"{G100} {G50} {G100} {EMPTY} {G200}", "Ana Bo Cyr", barrels=[], overtaking=5)
    assert events(game, 3) == ["bank Bo 200 245", "overtake Bo Cyr 5 95", "overtake Bo Ana 5 95"]


def test_who_has_not_entered_is_not_overtaken_from_below_zero() -> None:
    game = play(f"{EMPTY} 12346 +1 2346 66623 +666 =", bolts=1)
    assert events(game, 2) == ["bank Ana 60 10", "enter Ana 10"]
    assert game.scores() == {"Ana": 10, "Bo": 0}


def test_winner_fines_nobody_and_places_follow_the_scores() -> None:
    game = play(f"{EMPTY} {EMPTY} {G100} {EMPTY} {G1005}", "Ana Bo Cyr Dan Eva", overtaking=50)
    assert events(game, 3) == ["bank Eva 1005 1005", "enter Eva 1005", "win Eva points 1005"]
    assert game.state()["result"] == {
        "winner": "Eva",
        "by": "points",
        "places": {"Ana": 3, "Bo": 3, "Cyr": 2, "Dan": 3, "Eva": 1},
    }
    assert game.state()["table"]["turn"] is None
    assert [player["needs"] for player in game.state()["table"]["players"].values()] == [0] * 5
    with pytest.raises(IllegalAction, match="the game is over"):
        game.play({"do": "throw", "dice": [1, 1, 1, 1, 1]})


def test_dump_truck_before_entry_breaks_a_row_of_bolts() -> None:
    game = play(f"{EMPTY} {EMPTY} 11112 +1111", dump_truck=200)
    assert events(game, 2) == ["keep Ana [1, 1, 1, 1] 200 200 False", "dump_truck Ana 200 0"]
    assert game.actor == "Bo"
    assert (standing(game)["entered"], standing(game)["bolts"]) == (False, 0)
    assert standing(game, "Bo")["bolts"] == 1


def test_dump_truck_counts_while_hot_and_may_cost_the_entry() -> None:
    stay = play(f"{G100} {EMPTY} 11155 +11155", dump_truck=210, reenter_after_zero=False)
    assert (stay.actor, standing(stay)["entered"], standing(stay)["entry_score"]) == ("Bo", True, 100)
    again = play(f"{G100} {EMPTY} 11155 +11155", dump_truck=210, reenter_after_zero=True)
    assert events(again, 2) == ["keep Ana [1, 1, 1, 5, 5] 110 110 True", "dump_truck Ana 110 0"]
    assert (standing(again)["entered"], standing(again)["entry_score"], standing(again)["needs"]) == (False, None, 50)


def test_dump_truck_is_dodged_by_keeping_less_and_never_set_off_by_a_fine() -> None:
    dodged = play(f"{G100} {EMPTY} 11123 +1 =", dump_truck=200, set_aside="some", barrels=[])
    assert dodged.scores()["Ana"] == 110
    fined = play(f"{G100} {G200}", dump_truck=50, overtaking=50, barrels=[])
    assert events(fined, 1) == ["overtake Bo Ana 50 50"]
    assert standing(fined)["entered"]


def test_dump_truck_that_is_off_does_not_wait_at_zero() -> None:
    game = play(f"{EMPTY} {EMPTY} {G50}", bolts=1, dump_truck=0)
    assert events(game, 2) == ["bank Ana 50 0", "enter Ana 0"]


def test_dump_truck_on_the_final_barrel_ends_the_attempts() -> None:
    on_it = f"{G1005} {EMPTY} {EMPTY} {EMPTY}"
    game = play(f"{on_it} 55523 +555", preset="home", dump_truck=900)
    assert events(game, 1) == ["dump_truck Ana 50 0"]
    assert (standing(game)["attempts"], standing(game)["falls"], standing(game)["on_final_barrel"]) == (0, 0, False)


def test_five_ones_win_comes_before_dump_truck_bust_and_entry() -> None:
    game = play("11111 +11111", five_ones="win", ending="exact", dump_truck=0)
    assert events(game, 2) == ["keep Ana [1, 1, 1, 1, 1] 1000 1000 True", "win Ana five_ones 1000"]
    late = play(f"{EMPTY} {EMPTY} 11155 +11155 11111 +11111", bolts=1, bolt_fine=115, dump_truck=995, five_ones="win")
    # Ana had -115, and 1110 points in this turn make 995.
    assert late.state()["result"] == {"winner": "Ana", "by": "five_ones", "places": {"Ana": 1, "Bo": 2}}
    assert standing(late)["score"] == 995
    assert not standing(late)["entered"]


def test_four_of_five_ones_do_not_win() -> None:
    game = play("11111 +1111", five_ones="win", set_aside="some")
    assert (game.legal(), game.dice) == (("bank", "throw"), 1)


@pytest.mark.parametrize(
    ("before_entry", "last"),
    [
        (False, ["lost Ana 0", "attempt Ana 1", "fall Ana attempts 1 0"]),
        (True, ["lost Ana 0", "attempt Ana 1", "fall Ana attempts 1 0", "bolt Ana 1", "bolt_fine Ana 100 -100"]),
    ],
)
def test_bolt_after_a_fall_to_zero_asks_whether_the_player_is_still_in(before_entry: bool, last: list[str]) -> None:
    options: Options = {"preset": "club", "ending": "barrel", "five_ones": "points", "second_try": False, "bolts": 1}
    falls: Options = {"barrel_attempts": 1, "barrel_falls_to_zero": 1, "bolts_before_entry": before_entry}
    game = play(f"{G1005} {G50} {EMPTY}", **options, **falls)
    assert events(game, len(last)) == last
    assert (standing(game)["entered"], standing(game)["falls"], standing(game)["bolts"]) == (False, 0, 0)


def test_fine_below_the_final_barrel_is_no_fall() -> None:
    game = play(f"{G1005} {G50} {EMPTY}", ending="barrel", bolts=1, dump_truck=0)
    assert events(game, 4) == ["lost Ana 0", "attempt Ana 1", "bolt Ana 1", "bolt_fine Ana 50 850"]
    assert (standing(game)["attempts"], standing(game)["falls"]) == (0, 0)


def test_who_enters_by_climbing_falls_back_to_the_admission() -> None:
    game = play(f"{G1005} {G1005}", preset="home")
    assert events(game, 4) == [
        "bank Bo 1005 850",
        "enter Bo 850",
        "final_barrel Bo 850",
        "fall Ana knocked_off 1 75",
    ]
    assert (standing(game)["entry_score"], standing(game)["needs"]) == (75, 5)
    assert (standing(game, "Bo")["attempts"], standing(game, "Bo")["needs"]) == (0, 150)


def test_without_knock_off_two_stand_on_the_final_barrel() -> None:
    game = play(f"{G1005} {G1005}", preset="home", barrel_knock_off=False)
    assert game.scores() == {"Ana": 850, "Bo": 850}


def test_climber_overtakes_first_and_then_knocks_off() -> None:
    game = play(f"{G1005} {G200} {G1005}", "Ana Bo Cyr", preset="home", overtaking=20)
    assert events(game, 5) == [
        "bank Cyr 1005 850",
        "enter Cyr 850",
        "final_barrel Cyr 850",
        "overtake Cyr Bo 20 180",
        "fall Ana knocked_off 1 75",
    ]


def test_final_barrel_without_limit_counts_the_attempts() -> None:
    game = play(f"{G1005} " + f"{EMPTY} {EMPTY} " * 12, preset="home", bolts=0)
    assert (standing(game)["attempts"], standing(game)["falls"], standing(game)["score"]) == (12, 0, 850)


def test_a_fall_begins_the_attempts_anew() -> None:
    game = play(f"{G1005} " + f"{EMPTY} {EMPTY} " * 2, ending="barrel", barrel_attempts=2, bolts=0)
    assert events(game, 2) == ["attempt Ana 2", "fall Ana attempts 1 800"]
    assert (standing(game)["attempts"], standing(game)["falls"], standing(game)["needs"]) == (0, 1, 5)


def test_barrel_option_pass_holds_at_its_upper_end() -> None:
    game = play(f"{G200} {EMPTY} {G200}", barrels=[[300, 400], [405, 500]], barrel_exit="pass")
    assert (standing(game)["score"], standing(game)["barrel"], standing(game)["needs"]) == (400, [300, 400], 5)
    # From there 5 points lead straight into the next barrel, which is not behind anything.
    game = play(f"{G200} {EMPTY} {G200} {EMPTY} 52246 +5 =", barrels=[[300, 400], [405, 500]], barrel_exit="pass")
    assert (standing(game)["score"], standing(game)["barrel"], standing(game)["needs"]) == (405, [405, 500], 100)


def test_a_fine_can_put_a_player_on_a_barrel() -> None:
    game = play(f"{G100} {G200}", barrels=[[50, 90]], overtaking=50)
    assert (standing(game)["barrel"], standing(game)["needs"]) == ([50, 90], 40)


def test_entry_asks_for_five_points_at_least() -> None:
    game = play("52246 +5", entry=0)
    assert (game.legal(), standing(game)["needs"]) == (("bank", "throw"), 5)


def test_busts_are_fined_by_the_number_and_at_last_cost_everything() -> None:
    bust = "11111 +11111 52246 +5"
    turns = f"{bust} {EMPTY} "
    options: Options = {"ending": "exact", "bust_fine_at": 2, "bust_fine": 70, "bust_zero_at": 4, "bolts": 0}
    assert events(play(turns + bust, **options), 2) == ["bust Ana 1005 2", "bust_fine Ana 70 -70"]
    # From -70 a total of 935 is no bust, so the third needs more.
    game = play(turns * 2 + bust, **options)
    assert (game.actor, standing(game)["busts"], standing(game)["score"]) == ("Ana", 2, -70)
    third = f"{bust} 1111 +1111 {EMPTY} "
    game = play(turns * 2 + third, **options)
    assert (standing(game)["busts"], standing(game)["score"]) == (3, -70)
    game = play(turns * 2 + third + bust + " 1111 +1111", **options)
    assert events(game, 2) == ["bust Ana 1205 4", "bust_zero Ana 0"]
    assert (standing(game)["busts"], standing(game)["score"]) == (0, 0)
    assert events(play(bust, ending="exact", bust_fine_at=0), 1) == ["bust Ana 1005 1"]


def test_second_try_is_for_the_very_first_throw_only() -> None:
    game = play(f"{EMPTY}", preset="club")
    turn = game.state()["table"]["turn"]
    assert turn == {
        "points": 0,
        "throws": 1,
        "last_throw": [2, 2, 3, 4, 6],
        "kept": [],
        "confirm": False,
        "second_try": True,
    }
    assert (game.actor, game.dice, game.state()["table"]["phase"]) == ("Ana", 5, "throw")
    confirmation = play(f"11155 +11155 {EMPTY}", preset="club")
    assert events(confirmation, 1) == ["lost Ana 110"]
    twice = play(f"{EMPTY} {EMPTY}", preset="club", bolts_before_entry=True, bolt_on="first_throw")
    assert events(twice, 2) == ["lost Ana 0", "bolt Ana 1"]
    later = play(f"{EMPTY} 12346 +1 2346", preset="club", bolts_before_entry=True, bolt_on="first_throw")
    assert events(later, 1) == ["lost Ana 10"]


def test_confirmation_of_a_confirmation() -> None:
    game = play("11155 +11155 11155 +11155")
    assert (game.legal(), game.dice, game.state()["table"]["turn"]["confirm"]) == (("throw",), 5, True)
    game.play({"do": "throw", "dice": [1, 2, 3, 4, 6]})
    assert game.state()["table"]["turn"]["confirm"] is True
    game.play({"do": "keep", "dice": [1]})
    assert (game.legal(), game.dice) == (("bank", "throw"), 4)
    assert game.state()["table"]["turn"] == {
        "points": 230,
        "throws": 3,
        "last_throw": [1, 2, 3, 4, 6],
        "kept": [1],
        "confirm": False,
        "second_try": False,
    }


def test_a_turn_lost_later_breaks_the_row_of_bolts() -> None:
    row = f"{EMPTY} {EMPTY} {EMPTY} {EMPTY} 12346 +1 2346 {EMPTY} {EMPTY}"
    assert standing(play(row))["bolts"] == 1
    assert standing(play(row, bolts_in_a_row=False))["score"] == -50
    assert standing(play(row, bolts_in_a_row=False))["bolts"] == 0


def test_a_refused_bank_says_what_is_missing() -> None:
    with pytest.raises(IllegalAction, match="needs 50 points in this turn and has 10"):
        play("12346 +1 =")
    with pytest.raises(IllegalAction, match="exactly 1000 cannot be banked"):
        play(f"66666 +66666 {G50} {EMPTY} 33333 +33333 {G50}", ending="above", barrels=[], dump_truck=0)


def test_state_is_not_touched_by_later_actions() -> None:
    game = play("15226 +15 112")
    state = game.state()
    before = text(state)
    game.play({"do": "keep", "dice": [1, 1]})
    game.play({"do": "throw", "dice": [2]})
    assert text(state) == before
