"""Le 421: the cases of its page, and scenes worked out on paper."""

import json
from collections import Counter
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from server.rules import BadRecord, IllegalAction
from server.rules.combinations_421 import ACES, BRELANS, NENETTE, SEQUENCES, combinations, ranking
from server.rules.le_421 import Le421

CASES = json.loads((Path(__file__).parents[2] / "cases" / "records" / "421.json").read_text())
SIMPLE = (
    "665 664 663 662 661 655 653 652 651 644 643 642 641 633 632 631 622 621 554 553 552 551 "
    "544 542 541 533 532 531 522 521 443 442 441 433 431 422 332 331 322"
)


def replayed(players: list[str], options: dict[str, Any], actions: list[Any]) -> Le421:
    game = Le421(players, options)
    for action in actions:
        game.play(action)
    return game


def played(players: str, options: dict[str, Any], script: str) -> Le421:
    """A game after a script: "665" throws, "-65" keeps, "." stops, "!" is le bon."""
    game = Le421(list(players), options)
    play_on(game, script)
    return game


def play_on(game: Le421, script: str) -> None:
    for word in script.split():
        if word in (".", "!"):
            game.play({"do": "stop" if word == "." else "le_bon"})
        else:
            do = "keep" if word[0] == "-" else "throw"
            game.play({"do": do, "dice": [int(face) for face in word.lstrip("-")]})


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_case(case: dict[str, Any]) -> None:
    record, expect = case["record"], case["expect"]
    refused = expect.get("error")
    if refused and refused["action"] is None:
        with pytest.raises(BadRecord):
            Le421(record["players"], record["options"])
        return
    taken = record["actions"][: refused["action"]] if refused else record["actions"]
    game = replayed(record["players"], record["options"], taken)
    if refused:
        with pytest.raises(IllegalAction):
            game.play(record["actions"][refused["action"]])
    else:
        assert game.state() == expect


def test_frequencies_are_those_of_the_printed_table() -> None:
    kinds = {"421": "421", "111": "brelan", **dict.fromkeys(BRELANS, "brelan"), **dict.fromkeys(ACES, "aces")}
    kinds.update(dict.fromkeys(SEQUENCES, "sequence"))
    named = combinations("triples_first", "above_simple", "41")
    found = Counter(kinds.get(named[dice].name, "simple") for dice in product(range(1, 7), repeat=3))
    assert found == {"421": 6, "brelan": 6, "aces": 15, "sequence": 24, "simple": 165}
    assert len({combination.name for combination in named.values()}) == 56


@pytest.mark.parametrize(
    ("order", "top"),
    [
        ("aces_first", "421 111 611 511 411 311 211 666 555 444 333 222 654 543 432 321"),
        ("triples_first", "421 111 666 555 444 333 222 611 511 411 311 211 654 543 432 321"),
        ("mixed", "421 111 611 666 511 555 411 444 311 333 211 222 654 543 432 321"),
    ],
)
def test_ranking(order: str, top: str) -> None:
    assert ranking(order, "lowest") == [*top.split(), *SIMPLE.split(), NENETTE]
    assert ranking(order, "above_simple") == [*top.split(), NENETTE, *SIMPLE.split()]


@pytest.mark.parametrize("version", ["11", "41", "21"])
@pytest.mark.parametrize("nenette", ["lowest", "above_simple"])
def test_tariff(version: str, nenette: str) -> None:
    worth = {combination.name: combination.worth for combination in combinations("mixed", nenette, version).values()}
    dear = {"421": 8 if version == "11" else 10, "111": 7, "221": 4 if nenette == "above_simple" else 1}
    dear |= {"611": 6, "511": 5, "411": 4, "311": 3, "211": 2, "666": 6, "555": 5, "444": 4, "333": 3, "222": 2}
    dear |= dict.fromkeys(SEQUENCES, 2)
    assert worth == {**dict.fromkeys(SIMPLE.split(), 1), **dear}
    lines = Le421(["Ana", "Bo"], {"version": version, "nenette": nenette, "order": "mixed"}).paid()
    assert {name: line["fiches"] for line in lines for name in line["combinations"]} == worth
    assert [name for line in lines for name in line["combinations"]] == ranking("mixed", nenette)


def test_presets_follow_the_version() -> None:
    common = {"followers": "exact", "le_bon": "stand", "lead": "loser", "ties": "rampeau", "manches": 2, "cow_tail": 0}
    classic = {"order": "aces_first", "nenette": "lowest", "charge_throws": 1, "cumulative": False, "opener": "fewest"}
    cow = {"order": "triples_first", "nenette": "above_simple", "charge_throws": 3, "cumulative": True}
    cow["opener"] = "most"
    assert Le421("AB").options == {"version": "11", **classic, **common}
    assert Le421("AB", {"version": "41"}).options == {"version": "41", **cow, **common}
    assert Le421("AB", {"version": "21", **classic}).options == {"version": "21", **classic, **common}


@pytest.mark.parametrize(
    "options",
    [
        {"cow_tail": 42},
        {"version": "21", "cow_tail": 55},
        {"version": "41", "cow_tail": 55, "manches": 1},
        {"version": "41", "cow_tail": 41},
        {"version": "41", "cow_tail": 1},
        {"version": "41", "cow_tail": 82},
        {"version": "41", "cow_tail": -1},
        {"version": "41", "cow_tail": 55.0},
        {"cow_tail": False},
        {"version": 11},
        {"version": "31"},
        {"charge_throws": 0},
        {"charge_throws": 4},
        {"charge_throws": True},
        {"cumulative": 1},
        {"manches": 3},
        {"order": ["mixed"]},
        {"le_bon": None},
        {"lag": 1},
    ],
    ids=str,
)
def test_faulty_options(options: dict[str, Any]) -> None:
    with pytest.raises(BadRecord):
        Le421(["A", "B"], options)


@pytest.mark.parametrize("cow_tail", [0, 42, 81])
def test_cow_tail_range(cow_tail: int) -> None:
    assert Le421(["A", "B"], {"version": "41", "cow_tail": cow_tail}).options["cow_tail"] == cow_tail


def test_cumulative_chain_of_ties_adds_whoever_is_still_best() -> None:
    game = played("ABC", {"version": "41"}, "665 . 665 665   654 654 654   421 421 221   322 111")
    kinds = [(entry["for"], entry["players"]) for entry in game.log if entry["event"] == "rampeau"]
    assert kinds == [("both", ["A", "B", "C"]), ("both", ["A", "B", "C"]), ("best", ["A", "B"])]
    due = 3 * 1 + 3 * 2 + 2 * 10 + 7
    take = {"event": "take", "player": "C", "winner": "B", "combination": "665", "due": due, "fiches": due, "pot": 5}
    assert game.log[-1] == take


def test_after_both_the_worst_of_that_rampeau_throw_on() -> None:
    game = played("ABCD", {"version": "41"}, "665 . 665 665 665   611 332 611 332   654 654   444 322   111 222")
    kinds = [(entry["for"], entry["players"]) for entry in game.log if entry["event"] == "rampeau"]
    best, worst = ["A", "C"], ["B", "D"]
    assert kinds == [("both", ["A", "B", "C", "D"]), ("best", best), ("best", best), ("worst", worst)]
    due = 4 * 1 + 2 * 6 + 2 * 2 + 4
    take = {"event": "take", "player": "D", "winner": "A", "combination": "665", "due": due, "fiches": due, "pot": 17}
    assert game.log[-1] == take


def test_worst_chain_adds_nothing() -> None:
    game = played("ABCD", {}, "421 322 322 322   421 221 221   221 322")
    take = {"event": "take", "player": "C", "winner": "A", "combination": "421", "due": 8, "fiches": 8, "pot": 3}
    assert game.log[-1] == take


def test_all_tied_without_adding_up_has_no_winner() -> None:
    game = played("ABC", {}, "611 611 611")
    assert game.table()["rampeau"] == {"for": "worst", "players": ["A", "B", "C"], "done": []}
    play_on(game, "332 665 332   421 654")
    take = {"event": "take", "player": "C", "winner": None, "combination": "611", "due": 6, "fiches": 6, "pot": 5}
    assert game.log[-1] == take


def test_during_a_rampeau_the_coup_stays_visible() -> None:
    game = played("AB", {"version": "21"}, "654 -65 6 . 665 -66 5   421")
    hands = [
        {"player": "A", "combination": "665", "throws": 2, "fiches": 3},
        {"player": "B", "combination": "665", "throws": 2, "fiches": 2},
    ]
    rampeau = {"for": "both", "players": ["A", "B"], "done": [{"player": "A", "combination": "421"}]}
    seen = {"leader": "A", "limit": 2, "throws": 0, "dice": [], "kept": [], "done": hands, "rampeau": rampeau}
    assert seen.items() <= game.table().items()
    assert game.state()["turn"] == {"player": "B", "dice": 3, "legal": ["throw"]}


def test_without_adding_up_only_the_last_combination_counts() -> None:
    game = played("AB", {"version": "41", "cumulative": False}, "421 -42 2 . 665 - 332")
    take = {"event": "take", "player": "B", "winner": "A", "combination": "422", "due": 1, "fiches": 1, "pot": 40}
    assert game.log[-1] == take


def test_ties_first_takes_the_sum_of_the_winners_hand_alone() -> None:
    game = played("ABC", {"version": "41", "ties": "first"}, "421 -42 1 . 654 - 421 665 - 421")
    take = {"event": "take", "player": "C", "winner": "A", "combination": "421", "due": 20, "fiches": 20, "pot": 21}
    assert game.log[-1] == take


def test_followers_at_most_may_stop_early_in_the_charge() -> None:
    game = played("ABC", {"version": "41", "followers": "at_most"}, "654 - 665 - 665")
    assert (game.actor, game.legal()) == ("B", ("throw",))
    play_on(game, "421")
    assert game.legal() == ("keep", "stop")
    play_on(game, ". 664 - 664")
    # C may still throw as often as A did, though B stopped.
    assert (game.actor, game.table()["limit"], game.legal()) == ("C", 3, ("keep", "stop"))
    play_on(game, ".")
    take = {"event": "take", "player": "C", "winner": "B", "combination": "421", "due": 10, "fiches": 10, "pot": 31}
    assert game.log[-1] == take


# Fiches A 1, B 5, C 5; by the defaults A opens.
CHARGE = "511 665 221   511 665 221   665 664 221 "


@pytest.mark.parametrize(
    ("lead", "charge", "leader"),
    [
        ("loser", CHARGE, "C"),
        ("stays", "511 665 221   511 221 665   221 665 664 ", "B"),
    ],
)
def test_whoever_withdraws_leads_and_throws_no_more(lead: str, charge: str, leader: str) -> None:
    game = played("ABC", {"lead": lead}, charge + "421 . 322 221")
    assert game.scores() == {"A": 0, "B": 5, "C": 6}
    assert game.table()["withdrawn"] == ["A"]
    assert (game.table()["leader"], game.actor) == (leader, leader)
    play_on(game, "421 .")
    assert game.actor == ("B" if leader == "C" else "C")
    play_on(game, "665")
    assert game.table()["limit"] is None


@pytest.mark.parametrize(
    ("charge", "fiches", "coup", "gone", "leader"),
    [
        ("221 511 665   511 665 221   665 221 664 ", {"A": 5, "B": 1, "C": 5}, "421 . 322 221", "B", "C"),
        ("221 511 665   511 221 665   665 664 221 ", {"A": 5, "B": 5, "C": 1}, "421 . 322 221", "C", "A"),
    ],
)
def test_a_lead_that_stays_passes_to_the_next_seat(
    charge: str, fiches: dict[str, int], coup: str, gone: str, leader: str
) -> None:
    game = played("ABC", {"lead": "stays"}, charge)
    assert (game.scores(), game.actor) == (fiches, gone)
    play_on(game, coup)
    assert (game.table()["withdrawn"], game.actor) == ([gone], leader)


def test_the_gift_is_worth_the_best_combination_before_any_rampeau() -> None:
    game = played(
        "ABC", {"cumulative": True}, "511 665 221   511 665 221   665 664 221   654 - 654 . 654 - 654 332 - 322"
    )
    assert game.table()["rampeau"] == {"for": "best", "players": ["A", "B"], "done": []}
    play_on(game, "322 421")
    give = {"event": "give", "player": "B", "to": "C", "combination": "654", "due": 2, "fiches": 2}
    assert game.log[-1] == give


def test_all_tied_in_the_decharge() -> None:
    game = played("ABC", {}, CHARGE + "654 . 654 654")
    assert game.table()["rampeau"] == {"for": "both", "players": ["A", "B", "C"], "done": []}
    play_on(game, "421 421 322   665 421")
    give = {"event": "give", "player": "B", "to": "C", "combination": "654", "due": 2, "fiches": 2}
    assert game.log[-1] == give


def test_rampeau_chain_for_the_opener() -> None:
    game = played("ABC", {}, "421 322 221   665 664 221   665 664 221   665 664 221")
    assert game.scores() == {"A": 1, "B": 1, "C": 9}
    opening = {"manche": 1, "phase": "decharge", "pot": 0, "leader": None, "limit": None, "throws": 0, "dice": []}
    opening |= {"kept": [], "done": [], "withdrawn": [], "losers": []}
    assert game.table() == {**opening, "rampeau": {"for": "opener", "players": ["A", "B"], "done": []}}
    play_on(game, "665 665   665 421")
    assert game.log[-1] == {"event": "opener", "player": "B"}
    assert game.table() == {**opening, "leader": "B", "rampeau": None}


def test_the_worst_of_those_with_most_opens() -> None:
    game = played("ABC", {"opener": "most"}, CHARGE + "665 421")
    assert game.log[-1] == {"event": "opener", "player": "B"}


def test_ties_first_opens_by_player_order() -> None:
    game = played("ABC", {"ties": "first"}, "421 322 221   665 664 221   665 664 221   665 664 221")
    assert game.log[-1] == {"event": "opener", "player": "A"}
    assert (game.table()["leader"], game.actor) == ("A", "A")


# Fiches A 3, B 8; A opens.
DUEL = "421 332   421 665 "


@pytest.mark.parametrize(
    ("options", "script", "legal"),
    [
        ({}, "665", "keep le_bon stop"),
        ({}, "665 - 665", "keep stop"),
        ({}, "665 - 665 - 665 665", "keep le_bon"),
        ({}, "665 - 665 - 665 665 - 665", "keep"),
        ({}, "665 - 665 . 665", "keep le_bon"),
        ({}, "665 ! 665", "throw"),
        ({"followers": "at_most"}, "665 - 665 . 665", "keep le_bon stop"),
        ({"le_bon": "off"}, "665", "keep stop"),
        ({"le_bon": "off"}, "665 - 665 . 665", "keep"),
        ({"le_bon": "last_throw"}, "665", "keep le_bon stop"),
        ({"le_bon": "last_throw"}, "665 !", "keep"),
        ({"le_bon": "last_throw"}, "665 ! - 665 664", "keep"),
        ({"le_bon": "last_throw"}, "665 - 665", "keep stop"),
        ({"le_bon": "last_throw"}, "665 - 665 . 665", "keep"),
        ({"le_bon": "last_throw"}, "665 - 665 - 665 665", "keep le_bon"),
        ({"le_bon": "last_throw", "followers": "at_most"}, "665 - 665 - 665 665", "keep le_bon stop"),
        ({"le_bon": "last_throw", "followers": "at_most"}, "665 - 665 - 665 665 !", "keep"),
        ({"le_bon": "last_throw", "followers": "at_most"}, "665 - 665 - 665 665 - 664", "keep stop"),
    ],
)
def test_what_a_decision_allows(options: dict[str, Any], script: str, legal: str) -> None:
    game = played("AB", options, DUEL + script)
    assert " ".join(game.legal()) == legal


def test_le_bon_last_throw_sets_the_limit_for_the_followers() -> None:
    game = played("AB", {"le_bon": "last_throw"}, DUEL + "665 ! -66 6")
    assert game.table()["limit"] == 2
    assert game.table()["done"] == [{"player": "A", "combination": "666", "throws": 2, "fiches": 7}]
    assert [entry["event"] for entry in game.log[-3:]] == ["throw", "le_bon", "throw"]


def test_dice_stay_visible_while_some_are_kept() -> None:
    game = played("AB", {"version": "41"}, "461 -14")
    assert game.table().items() >= {"throws": 1, "dice": [6, 4, 1], "kept": [4, 1]}.items()
    assert game.state()["turn"] == {"player": "A", "dice": 1, "legal": ["throw"]}
    play_on(game, "2")
    assert game.table().items() >= {"throws": 2, "dice": [4, 2, 1], "kept": []}.items()


def test_the_second_manche_begins_with_the_tail() -> None:
    first = "421 - 421 - 421 332 - 332 - 332   665 . 421   665 . 421 "
    game = played("AB", {"version": "41", "cow_tail": 81}, first)
    assert game.log[-1] == {"event": "cow_tail", "player": "B", "fiches": 40, "pot": 1}
    assert (game.actor, game.table()["losers"]) == ("B", ["B"])
    play_on(game, "421 . 665")
    assert game.scores() == {"A": 1, "B": 40}
    assert game.log[-1] == {"event": "opener", "player": "B"}
    play_on(game, "665 . 421")
    assert game.state()["result"] == {"losers": ["B", "B"], "grand_perdant": "B", "rounds": {"A": 0, "B": 2}}
    assert game.table().items() >= {"manche": 2, "phase": "over", "pot": 0, "leader": None, "withdrawn": ["A"]}.items()


def test_the_second_manche_is_thrown_in_the_order_of_the_players() -> None:
    game = played("ABC", {}, "421 332 654   332 421 654")
    assert (game.table()["manche"], game.actor) == (2, "B")
    play_on(game, "421")
    assert game.actor == "C"


def test_a_single_manche_has_no_grand_perdant() -> None:
    game = played("AB", {"manches": 1}, "421 332   332 421")
    assert game.state()["result"] == {"losers": ["B"], "grand_perdant": None, "rounds": {"A": 0, "B": 1}}
    with pytest.raises(IllegalAction, match="the game is over"):
        game.play({"do": "throw", "dice": [1, 2, 3]})


@pytest.mark.parametrize(
    "dice",
    [
        [True, 2, 3],
        [1.0, 2, 3],
        ["1", 2, 3],
        [0, 2, 3],
        [7, 2, 3],
        [1, 2],
        [1, 2, 3, 4],
        [],
        None,
        123,
        {"1": 2},
        "123",
    ],
    ids=repr,
)
def test_strange_dice_are_refused(dice: object) -> None:
    game = Le421(["A", "B"], {"version": "41"})
    before = game.state()
    with pytest.raises(IllegalAction):
        game.play({"do": "throw", "dice": dice})
    assert game.state() == before


@pytest.mark.parametrize("dice", [[6, 6, 5], [5, 5], [4], [6, 4], [True], [6.0], None, [6, 6, 6], 6, [[6]]], ids=repr)
def test_only_dice_on_the_table_can_be_kept(dice: object) -> None:
    game = played("AB", {"version": "41"}, "665")
    before = game.state()
    with pytest.raises(IllegalAction):
        game.play({"do": "keep", "dice": dice})
    assert game.state() == before


@pytest.mark.parametrize(
    ("dice", "keeps"),
    [
        ("421", [[], [4], [2], [1], [4, 2], [4, 1], [2, 1]]),
        ("665", [[], [6], [5], [6, 6], [6, 5]]),
        ("222", [[], [2], [2, 2]]),
    ],
)
def test_every_offer_can_be_taken(dice: str, keeps: list[list[int]]) -> None:
    game = played("AB", {"version": "41"}, dice)
    assert game.offers() == [{"do": "keep", "dice": {"one_of": keeps}}, {"do": "stop"}]
    for kept in keeps:
        game.fork().play({"do": "keep", "dice": kept})


def test_messages_say_what_would_be_legal() -> None:
    game = played("AB", {"version": "41"}, "665")
    with pytest.raises(IllegalAction, match=r"Keep none, one or two of the dice \[6, 6, 5\], not \[4\]"):
        game.play({"do": "keep", "dice": [4]})
    with pytest.raises(IllegalAction, match='legal for "A": keep, stop'):
        game.play({"do": "throw", "dice": [1, 2, 3]})
    with pytest.raises(BadRecord, match="from 42 to 81"):
        Le421(["A", "B"], {"version": "41", "cow_tail": 7})
