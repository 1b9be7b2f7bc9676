"""The rules for people: every number of the rules in force is on the page, and nothing that could be run."""

import re
from html import unescape
from html.parser import HTMLParser
from typing import Any

import pytest
from flask.testing import FlaskClient
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from server.rules import GAMES, BadRecord, cards, new_game
from server.rules.combinations_421 import combinations, ranking
from server.rules.game import Flag, OneOf, Option, Whole, fill_options
from server.rules.thousand_cards import _hopeless_hand, _hopeless_talon
from server.rules.thousand_options import Barrels
from server.rules.thousand_scoring import STRAIGHTS, value
from server.rules.vingt_six import ODDS
from server.table import Table
from server.web.app import SHOWN
from server.web.rulebook import tariff

PLAYERS = ["<script>alert(1)</script>", "Bo & Co", '"><b>']


class Page(HTMLParser):
    """The text of a page, and what it would run."""

    def __init__(self, markup: str) -> None:
        super().__init__()
        self.words: list[str] = []
        self.faults: list[str] = []
        self.shown: list[str] = []
        self.feed(markup)
        self.text = " ".join(" ".join(self.words).split())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag in ("script", "style") or any(name == "style" or name.startswith("on") for name in given):
            self.faults.append(self.get_starttag_text() or tag)
        if given.get("role") == "img":
            self.shown.append(given.get("aria-label") or "")
            self.words.append(f"[{self.shown[-1]}]")

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def values_of(option: Option) -> st.SearchStrategy[Any]:
    match option:
        case Flag():
            return st.booleans()
        case OneOf():
            return st.sampled_from(option.choices)
        case Whole():
            low, high = -(-option.low // option.step), option.top(len(PLAYERS)) // option.step
            # The least value turns many a rule off.
            return (st.just(low) | st.integers(low, high)).map(lambda steps: steps * option.step)
        case Barrels():
            ends = st.lists(st.integers(1, 200), unique=True, max_size=10).map(sorted)
            return ends.map(lambda at: [[5 * low, 5 * high] for low, high in zip(at[::2], at[1::2], strict=False)])
    raise AssertionError(option)


@st.composite
def options_of(draw: st.DrawFn, game: str) -> dict[str, Any]:
    """Options that the game accepts, all of them filled in."""
    options = draw(st.fixed_dictionaries({}, optional={o.name: values_of(o) for o in GAMES[game].OPTIONS}))
    try:
        return new_game(game, PLAYERS, options).options
    except BadRecord:
        # Only 421's cow tail and barrels to 1000 that must be passed are refused.
        options.pop("cow_tail", None)
        options.pop("barrel_exit", None)
        return new_game(game, PLAYERS, options | {"preset": "home"} if game == "thousand" else options).options


def told(option: Option, worth: Any) -> list[str]:
    """What must be read beside the option, where it is not a matter of words."""
    match option:
        case Flag():
            return ["yes" if worth else "no"]
        case Whole():
            return [str(worth)]
        case Barrels():
            return [f"{low} to {high}" for low, high in worth] or ["none"]
    return []


def show(client: FlaskClient, table: Table, game: str, options: dict[str, Any]) -> str:
    if table.record():
        table.abandon_game("console")
    table.start_game(game, PLAYERS, options, "console")
    response = client.get(f"/rules/{game}")
    assert response.status_code == 200
    return response.get_data(as_text=True)


def values_shown(markup: str) -> dict[str, str]:
    rows = re.findall(r'<div id="option-(\w+)">.*?<dd>(.*?)</dd>', markup, re.DOTALL)
    return {name: unescape(text).strip() for name, text in rows}


@pytest.mark.parametrize("game", GAMES)
@given(st.data())
@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_page_tells_every_option_and_every_number_in_force(
    client: FlaskClient, table: Table, game: str, data: st.DataObject
) -> None:
    options = data.draw(options_of(game))
    markup = show(client, table, game, options)
    page = Page(markup)
    assert not page.faults
    assert all(name in page.text for name in PLAYERS)
    shown = values_shown(markup)
    assert list(shown) == [option.name for option in GAMES[game].OPTIONS]
    for option in GAMES[game].OPTIONS:
        assert option.sentence in page.text
        assert shown[option.name]
        for words in told(option, options[option.name]):
            assert words in shown[option.name]
    NUMBERS[game](page, options)


def numbers_of_vingt_six(page: Page, options: dict[str, Any]) -> None:
    lines = {0: "10 or fewer", 13: "13", 26: "26", 27: "27", 28: "28", 29: "29", 30: "30 or more"}
    odds = [f"{words} {ODDS[total]} to 1 {paid(options, ODDS[total])}" for total, words in lines.items()]
    assert " ".join([*odds, "any other total the stake is lost"]) in page.text


def numbers_of_quatorze(page: Page, options: dict[str, Any]) -> None:
    assert page.text.count(f"8 to 1 {paid(options, 8)}") == 2
    assert ("exactly 14 times" in page.text) is (options["fourteen"] == "exactly")


def paid(options: dict[str, Any], odds: int) -> int:
    stake: int = 1 if options["bet_mode"] == "free" else options["bet"]
    return stake * odds + (stake if options["stake_returned"] else 0)


def numbers_of_vingt_cinq(page: Page, options: dict[str, Any]) -> None:
    assert f"begins with {options['life']} life point" in page.text
    for total in range(26, 31):
        assert f"{total} attack [{total - 25}] {total - 25} point" in page.text
    assert ("throw all 5 again and go on" in page.text) is options["attack_again"]


def numbers_of_421(page: Page, options: dict[str, Any]) -> None:
    told = re.findall(r"\[(\d \d \d)\] (\d+)", page.text[page.text.index("From best to lowest") :])
    order, nenette, version = options["order"], options["nenette"], options["version"]
    worth = {found.name: found.worth for found in combinations(order, nenette, version).values()}
    expected = [(" ".join(name), str(worth[name])) for name in ranking(order, nenette)]
    # The line that sums up the simple ones names the last of them, with its worth, before their list.
    simple = [" ".join(found.name) for kind, group in tariff(options) if kind == "simple" for found in group]
    at = expected.index((simple[0], "1"))
    expected.insert(at, (simple[-1], "1"))
    assert told == expected
    assert f"{version} fiches lie in the pot" in page.text
    assert ("Queue de la vache" in page.text) is bool(options["cow_tail"])


def numbers_of_thousand(page: Page, options: dict[str, Any]) -> None:
    scale = options["straights"], options["four_of_a_kind"]
    for face in range(1, 7):
        row = [str(value((face,) * number, *scale) or "·") for number in range(1, 6)]
        if face == 1 and options["five_ones"] == "win":
            row[-1] = "wins"
        assert f"[{face}] {' '.join(row)} " in page.text
    for dice, points in STRAIGHTS.items():
        assert (f"[{' '.join(map(str, dice))}] {points}" in page.text) is options["straights"]
    special = page.text[: page.text.index("Everything that was agreed")]
    for heading, on in {
        "Barrels": options["barrels"],
        "The final barrel": options["ending"] == "barrel",
        "Too much": options["ending"] == "exact",
        "Bolts": options["bolts"],
        "Overtaking": options["overtaking"],
        "The dump truck": options["dump_truck"],
    }.items():
        assert (f" {heading} " in special) is bool(on), heading
    for name in ("overtaking", "dump_truck"):
        assert not options[name] or f" {options[name]}, " in special
    assert not options["bolts"] or f"{options['bolt_fine']} points" in special
    assert f"you need {max(5, options['entry'])} points" in special
    assert options["ending"] != "barrel" or f"missing {1000 - options['final_barrel']} in a single turn" in special


def numbers_of_thousand_cards(page: Page, options: dict[str, Any]) -> None:
    assert "Ace 11 10 10 King 4 Queen 3 Jack 2 9 0 " in page.text
    assert "Spades 40 ♣ Clubs 60 ♦ Diamonds 80 ♥ Hearts 100 " in page.text
    assert ("Four aces 200" in page.text) is options["ace_marriage"]
    special = page.text[: page.text.index("Everything that was agreed")]
    assert f"{options['barrel_attempts']} deal" in special
    assert f"lose {options['barrel_fine']}." in special
    for words, on in {
        "Golden deals": options["golden_con"],
        "dealt again": options["redeals"],
        "gives up": options["painting"],
        "555": options["dump_truck"],
        f"cost {options['bolt_fine']}, and" if options["bolts"] > 1 else f"costs {options['bolt_fine']}.": options[
            "bolts"
        ],
        f"The last player pays {options['bank']} to": options["bank"],
    }.items():
        assert (words in special) is bool(on), words


NUMBERS = {
    "vingt-six": numbers_of_vingt_six,
    "quatorze": numbers_of_quatorze,
    "vingt-cinq": numbers_of_vingt_cinq,
    "421": numbers_of_421,
    "thousand": numbers_of_thousand,
    "thousand-cards": numbers_of_thousand_cards,
}


@pytest.mark.parametrize("game", GAMES)
def test_a_game_that_is_not_on_the_table_is_told_as_it_is_usually_played(client: FlaskClient, game: str) -> None:
    markup = client.get(f"/rules/{game}").get_data(as_text=True)
    assert ("No screen plays it yet" if game == "thousand-cards" else "Not on the table now") in markup
    usual = fill_options(GAMES[game].OPTIONS, {}, 4)
    for option in GAMES[game].OPTIONS:
        for words in told(option, usual[option.name]):
            assert words in values_shown(markup)[option.name]


@pytest.mark.parametrize(("tail", "said"), [(42, "42 жетона."), (45, "45 жетонов."), (51, "51 жетон.")])
def test_the_fiches_of_the_cow_tail_go_with_their_number(
    client: FlaskClient, table: Table, tail: int, said: str
) -> None:
    table.start_game("421", PLAYERS, {"version": "41", "cow_tail": tail}, "console")
    assert said in client.get("/rules/421", headers={"Accept-Language": "ru"}).get_data(as_text=True)


@pytest.mark.parametrize("game", GAMES)
def test_every_choice_has_words_of_its_own(client: FlaskClient, game: str) -> None:
    markup = client.get(f"/rules/{game}").get_data(as_text=True)
    for option in GAMES[game].OPTIONS:
        if isinstance(option, OneOf):
            found = re.search(rf'id="option-{option.name}".*?<small>(.*?)</small>', markup, re.DOTALL)
            assert found
            words = [words.strip() for words in found[1].split(" / ")]
            assert len(set(words)) == len(option.choices)
            assert all(words)


@pytest.mark.parametrize(("game", "title"), SHOWN.items())
def test_a_game_has_the_same_name_on_every_screen(client: FlaskClient, game: str, title: str) -> None:
    assert f"<h1>{title}</h1>" in client.get(f"/rules/{game}").get_data(as_text=True)


def test_the_list_has_every_game_and_marks_the_one_on_the_table(client: FlaskClient, table: Table) -> None:
    before = client.get("/rules/").get_data(as_text=True)
    assert "on the table" not in before
    assert re.findall(r'href="/rules/([^"]+)"', before) == list(GAMES)
    table.start_game("quatorze", PLAYERS, {}, "console")
    assert "Le Quatorze <em>on the table</em>" in client.get("/rules/").get_data(as_text=True)


def test_an_unknown_game_is_told_so(client: FlaskClient) -> None:
    response = client.get("/rules/<b>chess")
    assert response.status_code == 404
    assert "There are no rules of such a game in this house." in response.get_data(as_text=True)


def held(names: str) -> int:
    return sum(cards.BIT_OF[name] for name in names.split())


def test_the_hands_that_may_be_dealt_again_are_those_of_the_page(client: FlaskClient) -> None:
    text = client.get("/rules/thousand-cards").get_data(as_text=True)
    assert "fewer than 13 points, three nines, or all four jacks" in text
    assert "fewer than 5 points, two nines, or nothing but jacks" in text
    hands = [
        "9S 9C JS JC QS QC JD",
        "9S 9C KS QS QC QD 9D",
        "JS JC JD JH AS AC AD",
        "9S 9C KS KC QS JS 9H",
        "9S 9C KS KC QS JS JH",
    ]
    assert [cards.card_points(held(hand)) for hand in hands] == [12, 13, 41, 13, 15]
    assert [_hopeless_hand(held(hand)) for hand in hands] == [True, True, True, True, False]
    talons = ["9S JS JC", "9S JS QC", "9S 9C AS", "JS JC JD", "AS TS KS"]
    assert [_hopeless_talon(held(talon)) for talon in talons] == [True, False, True, True, False]
