"""Thousand with cards against the worked cases, and rules that rarely meet."""

import json
from pathlib import Path
from typing import Any

import pytest

from server.rules.game import BadRecord, IllegalAction
from server.rules.thousand_cards import ThousandCards

from .cards import DECK, ONLOOKER, PLAYERS, Action, play_all, text

Case = dict[str, Any]


CASES = Path(__file__).parents[2] / "cases" / "records"


def cases(name: str) -> list[Any]:
    found = json.loads((CASES / f"{name}.json").read_text())
    return [pytest.param(case, id=case["name"]) for case in found]


@pytest.mark.parametrize("case", cases("thousand-cards"))
def test_state(case: Case) -> None:
    record = case["record"]
    assert text(play_all(record["actions"], record["players"], record["options"]).state()) == text(case["expect"])


@pytest.mark.parametrize("case", cases("thousand-cards-views"))
def test_view(case: Case) -> None:
    record = case["record"]
    game = play_all(record["actions"], record["players"], record["options"])
    assert text(game.view(case["as"])) == text(case["expect"])


@pytest.mark.parametrize("case", cases("thousand-cards-refused"))
def test_refused(case: Case) -> None:
    record, index = case["record"], case["expect_error"]["action"]
    if index is None:
        with pytest.raises(BadRecord):
            ThousandCards(record["players"], record["options"])
        return
    game = play_all(record["actions"][:index], record["players"], record["options"])
    with pytest.raises(IllegalAction):
        game.play(record["actions"][index])


ROUND: Action = {
    "do": "deal",
    "hands": [
        ["AS", "TS", "AH", "KH", "QH", "9C", "9D"],
        ["KS", "QS", "TH", "AC", "TC", "JC", "JD"],
        ["9S", "JS", "9H", "JH", "KC", "QC", "AD"],
    ],
    "talon": ["QD", "KD", "TD"],
}


BOUGHT = [ROUND, {"do": "bid", "points": 100}, {"do": "pass"}, {"do": "pass"}]


GIVE = {"do": "give", "cards": ["9C", "9D"]}


def bids(*points: int) -> list[Action]:
    return [{"do": "bid", "points": value} if value else {"do": "pass"} for value in points]


def test_without_a_bid_left_only_passing_is_legal() -> None:
    game = play_all([ROUND, *bids(120)])
    assert game.legal() == ("bid", "pass")  # Bo has the marriage of spades
    game.play({"do": "bid", "points": 160})
    assert game.legal() == ("bid", "pass")  # and Cyr that of clubs
    game.play({"do": "bid", "points": 180})
    assert game.legal() == ("bid", "pass")
    game.play({"do": "pass"})
    assert game.legal() == ("pass",)


def test_the_order_may_be_repeated_above_the_limit() -> None:
    game = play_all([ROUND, *bids(200, 0, 0), {"do": "give", "cards": ["KH", "KD"]}])
    with pytest.raises(IllegalAction, match="200"):
        game.play({"do": "order", "points": 205})
    game.play({"do": "order", "points": 200})
    assert game.state()["table"]["phase"] == "play"


@pytest.mark.parametrize("fields", [{}, {"marriage": False}, {"card": "AS", "suit": "S"}])
def test_a_marriage_need_not_be_spoken_of(fields: Action) -> None:
    game = play_all([ROUND, *bids(200, 0, 0), {"do": "give", "cards": ["KH", "KD"]}, {"do": "order", "points": 200}])
    with pytest.raises(IllegalAction, match='"play" has the fields do and card, and may have marriage'):
        game.play({"do": "play", **fields})


def test_the_talon_of_a_contested_hundred_and_of_every_other_order_is_shown() -> None:
    assert play_all(BOUGHT).state()["table"]["talon"] == []
    assert play_all(BOUGHT, options={"closed_hundred": False}).state()["table"]["talon"] == ["QD", "KD", "TD"]
    assert play_all([ROUND, *bids(105, 0, 0)]).state()["table"]["talon"] == ["QD", "KD", "TD"]


def test_what_the_seats_see_of_a_gift() -> None:
    game = play_all([*BOUGHT, GIVE], PLAYERS)
    own = {player: game.view(player)["table"]["own"] for player in [*PLAYERS, ONLOOKER]}
    to_bo, to_cyr = {"to": "Bo", "card": "9C"}, {"to": "Cyr", "card": "9D"}
    assert own["Ana"]["given"] == [to_bo, to_cyr]
    assert own["Bo"]["given"] == [to_bo]
    assert own["Cyr"]["given"] == [to_cyr]
    assert own["Dee"] == own[ONLOOKER] == {"hand": [], "talon": [], "given": []}


def test_no_marriage_before_a_trick_where_that_is_the_rule() -> None:
    lead = {"do": "play", "card": "QH", "marriage": True}
    actions = [*BOUGHT, GIVE, {"do": "order", "points": 100}]
    assert play_all([*actions, lead]).state()["table"]["trump"] == "H"
    game = play_all(actions, options={"marriage_after_trick": True})
    with pytest.raises(IllegalAction, match="after taking a trick"):
        game.play(lead)
    for card in ("AS", "QS", "9S"):
        game.play({"do": "play", "card": card})
    game.play(lead)
    assert game.state()["table"]["taken"] == {"Ana": 114, "Bo": 0, "Cyr": 0}


def test_a_golden_deal_has_a_talon_redeal_but_no_hand_redeal_and_no_paint() -> None:
    deck = iter(card for card in DECK if card not in ("9S", "9C", "AD"))
    hands = [[next(deck) for _ in range(7)] for _ in range(3)]
    game = play_all([{"do": "deal", "hands": hands, "talon": ["9S", "9C", "AD"]}], options={"golden_con": True})
    table = game.state()["table"]
    assert game.legal() == ("give", "redeal")
    assert (table["bid"], table["declarer"], table["order"]) == ({"player": "Ana", "points": 120}, "Ana", 120)
    assert table["talon"] == ["9S", "9C", "AD"]
    game.play({"do": "redeal"})
    table = game.state()["table"]
    assert (table["phase"], table["deal"], table["golden"], table["dealer"]) == ("deal", 1, True, "Cyr")
    assert (table["bid"], table["declarer"], table["order"], table["talon"]) == (None, None, None, [])
    assert game.log[-1] == {"event": "redeal", "player": "Ana"}


@pytest.mark.parametrize("wrong", ["twice", "short", "shape", "sign", "type"])
def test_a_deal_must_have_all_cards_once(wrong: str) -> None:
    hands: list[list[Any]] = [hand.copy() for hand in ROUND["hands"]]
    talon = ROUND["talon"].copy()
    if wrong == "twice":
        hands[0][0] = "KS"
    elif wrong == "short":
        talon.append(hands[0].pop())
    elif wrong == "shape":
        hands.append([])
    else:
        hands[2][6] = "10D" if wrong == "sign" else ["AD"]
    game = ThousandCards(PLAYERS[:3])
    before = game.state()
    with pytest.raises(IllegalAction):
        game.play({"do": "deal", "hands": hands, "talon": talon})
    assert game.state() == before


@pytest.mark.parametrize(
    ("played", "action", "words"),
    [
        ([], {"do": "deal", "hands": [], "talon": []}, "3 hands"),
        ([ROUND], {"do": "bid", "points": 225}, "from 100 to 220"),
        (BOUGHT, {"do": "give", "cards": ["9C", "9C"]}, "different"),
        ([*BOUGHT, GIVE], {"do": "order", "points": 95}, "from 100 to 300"),
        ([*BOUGHT, GIVE, *bids()], {"do": "play", "card": "AS"}, "order"),
    ],
)
def test_a_refusal_says_what_would_be_legal(played: list[Action], action: Action, words: str) -> None:
    with pytest.raises(IllegalAction, match=words):
        play_all(played).play(action)


def test_a_refusal_never_tells_of_anothers_cards() -> None:
    game = play_all([*BOUGHT, GIVE, {"do": "order", "points": 100}])
    told = set()
    for card in ("9C", "9D", "AC", "JH", "TC"):
        with pytest.raises(IllegalAction) as refused:
            game.play({"do": "play", "card": card})
        told.add(str(refused.value).replace(card, "?"))
    assert len(told) == 1


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"bolt_fine": 7}, "bolt_fine"),
        ({"barrel_fine": 0}, "barrel_fine"),
        ({"barrel_attempts": 0}, "barrel_attempts"),
        ({"bolts": 11}, "bolts"),
        ({"bolts": True}, "bolts"),
        ({"bank": 1.0}, "bank"),
        ({"redeals": 1}, "redeals"),
        ({"bet": 2}, "bet"),
    ],
)
def test_wrong_options(options: dict[str, Any], words: str) -> None:
    with pytest.raises(BadRecord, match=words):
        ThousandCards(PLAYERS[:3], options)


@pytest.mark.parametrize("players", [[], PLAYERS[:2], [*PLAYERS, "Eve"]])
def test_three_or_four_play(players: list[str]) -> None:
    with pytest.raises(BadRecord):
        ThousandCards(players)


def test_after_a_win_nothing_is_legal_and_nothing_hidden_is_left() -> None:
    (won,) = (case.values[0] for case in cases("thousand-cards") if case.id == "cards-won")
    game = play_all(won["record"]["actions"], options=won["record"]["options"])
    for action in (ROUND, {"do": "pass"}, {"do": "play", "card": "AS"}):
        with pytest.raises(IllegalAction, match="the game is over"):
            game.play(action)
    for player in game.players:
        view = game.view(player)
        assert (view["turn"], view["finished"]) == (None, True)
        assert view["table"]["own"] == {"hand": [], "talon": [], "given": []}
