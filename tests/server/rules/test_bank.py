"""Le Vingt-Six and Le Quatorze: accounts of any game, scenes worked out on paper, and the figures of the old texts."""

import random
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement
from math import comb, factorial, prod
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from server.rules import IllegalAction
from server.rules.bank import BankGame
from server.rules.quatorze import Quatorze
from server.rules.vingt_six import VingtSix

Entry = dict[str, Any]

NAMES = ["Ana", "Bo", "Cyr", "Dee", "Eve", "Flo", "Gus", "Hal"]
LOST, WON = 11, 30  # totals at 26


def throws(total: int, number: int) -> Iterator[Entry]:
    """So many throws of ten dice with that many ones together."""
    for _ in range(number):
        ones = min(10, total)
        total -= ones
        yield {"do": "throw", "dice": [1] * ones + [2] * (10 - ones)}


def turn(game: BankGame, chips: int, total: int) -> None:
    """A turn of Vingt-Six: a stake on the ones, which come so many times."""
    for action in ({"do": "bet", "chips": chips}, {"do": "call", "face": 1}, *throws(total, 13)):
        game.play(action)


def short_turn(game: BankGame, first: str, later: int, call: int | None = None) -> None:
    """A turn of Quatorze for one chip: a first throw, then so many hits of the number."""
    game.play({"do": "bet", "chips": 1})
    game.play({"do": "throw", "dice": [int(face) for face in first]})
    if call:
        game.play({"do": "call", "face": call})
    face = game.table()["face"]
    other = face % 6 + 1
    for action in throws(later, 4):
        game.play({"do": "throw", "dice": [face if die == 1 else other for die in action["dice"]]})


def order(game: BankGame) -> list[tuple[str, str]]:
    """The banker and the first thrower of every game dealt."""
    return [(entry["banker"], entry["first"]) for entry in game.log if entry["event"] == "game"]


def last(game: BankGame, event: str) -> Entry:
    return next(entry for entry in reversed(game.log) if entry["event"] == event)


def test_a_bank_may_be_broken_again_and_again() -> None:
    game = VingtSix(NAMES[:3], {"bet_mode": "free"})
    for thrower in ("Bo", "Cyr", "Bo"):
        assert game.actor == thrower
        turn(game, 20, WON)
        assert game.scores() == {"Ana": 50, "Bo": 20, "Cyr": 20}
    for thrower in ("Cyr", "Bo"):
        assert game.actor == thrower
        turn(game, 20, LOST)
    assert order(game) == [("Ana", "Bo"), ("Ana", "Cyr"), ("Ana", "Bo"), ("Ana", "Cyr")]
    assert game.scores() == {"Ana": 90, "Bo": 0, "Cyr": 0}
    assert game.state()["result"] == {"games": 4, "net": {"Ana": -110, "Bo": 80, "Cyr": 30}, "winners": ["Bo"]}
    assert [entry["event"] for entry in game.log[-3:]] == ["lose", "out_of_chips", "game_end"]


def test_a_broken_game_does_not_pass_the_bank_on() -> None:
    game = VingtSix(NAMES[:3], {"bet_mode": "free", "rotate_banker": True, "banker_seat": 3})
    turn(game, 20, WON)
    for _ in range(6):
        turn(game, 1, LOST)
    # Cyr's bank is broken by Ana, so Bo throws first against Cyr once more; then the bank goes round.
    assert order(game) == [("Cyr", "Ana"), ("Cyr", "Bo"), ("Ana", "Bo"), ("Bo", "Cyr")]
    result = game.state()["result"]
    assert (result["games"], game.table()["completed"]) == (4, 3)
    assert result["net"] == {"Ana": 50 - 1 + 2 - 1, "Bo": -1 - 1 + 2, "Cyr": -50 + 2 - 1 - 1}


def test_the_first_thrower_after_a_broken_bank_is_one_who_had_chips() -> None:
    game = VingtSix(NAMES[:4], {"bet_mode": "free", "rounds": 3, "bank_chips": 1})
    turn(game, 1, LOST)
    turn(game, 20, LOST)
    turn(game, 1, LOST)
    assert (game.actor, game.table()["round"]) == ("Bo", 2)
    turn(game, 19, 26)
    assert game.log[-3] == {"event": "bank_broken", "banker": "Ana", "next": "Dee"}
    assert game.log[-1] == {"event": "game", "game": 2, "banker": "Ana", "first": "Dee"}
    assert game.log[-2]["net"] == {"Ana": -1, "Bo": 22, "Cyr": -20, "Dee": -1}
    assert (game.actor, game.table()["round"]) == ("Dee", 1)
    turn(game, 1, LOST)
    assert game.actor == "Bo"


def test_who_empties_the_bank_alone_throws_against_a_new_one() -> None:
    game = VingtSix(NAMES[:2], {"rounds": 2, "bank_chips": 8})
    turn(game, 2, 26)
    assert order(game) == [("Ana", "Bo"), ("Ana", "Bo")]
    turn(game, 2, LOST)
    turn(game, 2, 27)
    # The second game had its two turns: an emptied bank leaves it complete.
    assert game.state()["result"] == {"games": 2, "net": {"Ana": -16, "Bo": 16}, "winners": ["Bo"]}
    assert (game.table()["round"], game.table()["thrower"], game.scores()["Ana"]) == (2, None, 0)


def test_an_emptied_bank_is_not_broken_where_only_the_broke_are_to_come() -> None:
    game = VingtSix(NAMES[:3], {"bet_mode": "free", "rounds": 2})
    turn(game, 1, LOST)
    turn(game, 20, LOST)
    turn(game, 19, WON)
    assert game.state()["finished"]
    assert game.log[-1] == {"event": "game_end", "game": 1, "complete": True, "net": {"Ana": -50, "Bo": 70, "Cyr": -20}}


def test_a_game_is_over_when_nobody_has_chips_whatever_the_rounds() -> None:
    game = VingtSix(NAMES[:3], {"player_chips": 2, "rounds": 100})
    turn(game, 2, LOST)
    turn(game, 2, LOST)
    assert game.state()["result"] == {"games": 1, "net": {"Ana": 4, "Bo": -2, "Cyr": -2}, "winners": ["Ana"]}
    assert game.table()["round"] == 1


def test_a_round_goes_from_the_banker_on_and_leaves_the_banker_out() -> None:
    game = VingtSix(NAMES[:4], {"banker_seat": 3, "rounds": 2})
    met = []
    while game.legal():
        met.append((game.actor, game.table()["round"]))
        turn(game, 2, LOST)
    assert met == [("Dee", 1), ("Ana", 1), ("Bo", 1), ("Dee", 2), ("Ana", 2), ("Bo", 2)]


@pytest.mark.parametrize(
    ("options", "stakes"),
    [
        ({}, (2, 2)),
        ({"player_chips": 1}, (1, 1)),
        ({"bet": 20}, (20, 20)),
        ({"bet": 21}, (20, 20)),
        ({"bet_mode": "capped"}, (1, 4)),
        ({"bet_mode": "capped", "bet": 2}, (1, 2)),
        ({"bet_mode": "capped", "player_chips": 3}, (1, 3)),
        ({"bet_mode": "capped", "bet": 1000}, (1, 20)),
        ({"bet_mode": "free", "bet": 1}, (1, 20)),
    ],
)
@pytest.mark.parametrize("kind", [VingtSix, Quatorze])
def test_stakes(kind: type[BankGame], options: dict[str, Any], stakes: tuple[int, int]) -> None:
    least, most = stakes
    game = kind(NAMES[:2], options)
    assert game.offers() == [{"do": "bet", "chips": {"from": least, "to": most}}]
    for chips in (least - 1, most + 1, 0, True, float(least)):
        with pytest.raises(IllegalAction, match=f"stake .* must be .*{most}"):
            game.play({"do": "bet", "chips": chips})
    game.play({"do": "bet", "chips": most})
    assert game.table()["stake"] == most


def test_the_usual_options_follow_the_players() -> None:
    many = [str(number) for number in range(120)]
    assert [VingtSix(many[:number]).options["bank_chips"] for number in (2, 4, 5, 8)] == [50, 50, 70, 130]
    assert [VingtSix(many[:number], {"rotate_banker": True}).options["games"] for number in (2, 5, 120)] == [2, 5, 100]
    assert VingtSix(many).options["games"] == 1
    assert VingtSix(many, {"rotate_banker": True, "games": 1}).options["games"] == 1
    assert VingtSix(many, {"bet_mode": "capped"}).options["bet"] == 4
    assert Quatorze(many[:2]).options.items() >= {"bet": 2, "fourteen": "at_least"}.items()


def test_more_games_than_players_go_round_again() -> None:
    game = Quatorze(NAMES[:2], {"rotate_banker": True, "games": 5, "bet": 1})
    while game.legal():
        short_turn(game, "1111222233", 2, call=1)
    assert order(game) == [("Ana", "Bo"), ("Bo", "Ana"), ("Ana", "Bo"), ("Bo", "Ana"), ("Ana", "Bo")]
    assert game.state()["result"]["winners"] == ["Ana"]


@pytest.mark.parametrize(
    ("returned", "paid", "chips"),
    [(True, 1, {"Ana": 0, "Bo": 21}), (False, 6, {"Ana": 0, "Bo": 21})],
)
def test_a_short_bank_pays_what_it_has_the_stake_too_where_that_is_kept(
    returned: bool, paid: int, chips: dict[str, int]
) -> None:
    game = VingtSix(NAMES[:2], {"bet": 5, "bank_chips": 1, "stake_returned": returned})
    turn(game, 5, 26)
    assert last(game, "win").items() >= {"due": 20, "paid": paid, "returned": 5 if returned else 0}.items()
    assert game.scores() == chips


def test_a_bank_that_can_just_pay_is_emptied() -> None:
    kept = VingtSix(NAMES[:2], {"bet": 5, "bank_chips": 15, "stake_returned": False})
    turn(kept, 5, 26)
    assert last(kept, "win")["paid"] == 20
    assert kept.scores() == {"Ana": 0, "Bo": 35}


@pytest.mark.parametrize(
    ("first", "choices", "credit"),
    [
        ("6664412355", None, 3),
        ("1111111111", None, 10),
        ("1111122222", [1, 2], 5),
        ("5552221116", [1, 2, 5], 3),
        ("4444333312", [3, 4], 4),
        ("1122334456", [1, 2, 3, 4, 5, 6], 3),
        ("6655443322", [2, 3, 4, 5, 6], 3),
    ],
)
def test_what_the_first_throw_fixes_or_leaves_open(first: str, choices: list[int] | None, credit: int) -> None:
    game = Quatorze(NAMES[:2])
    game.play({"do": "bet", "chips": 2})
    game.play({"do": "throw", "dice": [int(face) for face in first]})
    if choices is None:
        assert (game.legal(), game.table()["choices"]) == (("throw",), [])
        assert (game.table()["face"], game.table()["throws"]) == (int(first[0]), [credit])
        return
    assert (game.legal(), game.table()["choices"]) == (("call",), choices)
    assert (game.table()["face"], game.table()["throws"], game.table()["total"]) == (None, [], 0)
    for face in (*set(range(8)).difference(choices), True, 1.0, None, choices):
        with pytest.raises(IllegalAction, match="must be one of"):
            game.play({"do": "call", "face": face})
    for face in choices:
        chosen = game.fork()
        chosen.play({"do": "call", "face": face})
        assert chosen.log[-1] == {"event": "number", "player": "Bo", "face": face, "count": credit}
        assert chosen.state()["turn"] == {"player": "Bo", "dice": 10, "legal": ["throw"]}
        assert chosen.table()["choices"] == []


@pytest.mark.parametrize(
    ("first", "later", "at_least", "exactly"),
    [
        ("1111222333", 10, "fourteen", "fourteen"),
        ("1111222333", 11, "fourteen", None),
        ("1111222333", 9, None, None),
        ("1111222333", 1, None, None),
        ("1111222333", 0, "coup_blanc", "coup_blanc"),
        ("1111111111", 0, "coup_blanc", "coup_blanc"),
        ("1111111111", 4, "fourteen", "fourteen"),
        ("1111111111", 40, "fourteen", None),
    ],
)
def test_ways_to_win_at_quatorze(first: str, later: int, at_least: str | None, exactly: str | None) -> None:
    for fourteen, way in (("at_least", at_least), ("exactly", exactly)):
        game = Quatorze(NAMES[:2], {"bet": 1, "fourteen": fourteen})
        short_turn(game, first, later)
        assert game.log[-2].get("way") == way
        assert game.scores()["Bo"] == (28 if way else 19)


# The account of any game, kept by the log alone.

WHOLES = {
    "bet": st.integers(1, 30),
    "banker_seat": st.integers(1, 2),
    "games": st.integers(1, 4) | st.just(100),
    "rounds": st.integers(1, 4) | st.just(100),
    "player_chips": st.integers(1, 30) | st.just(10_000),
    "bank_chips": st.integers(1, 80) | st.just(100_000),
}
OPTIONS = {
    "bet_mode": st.sampled_from(["fixed", "capped", "free"]),
    "rotate_banker": st.booleans(),
    "stake_returned": st.booleans(),
    **WHOLES,
}
FOURTEEN = {"fourteen": st.sampled_from(["at_least", "exactly"])}
PLAYERS = st.integers(2, 8).map(lambda number: NAMES[:number])
GAMES = st.builds(VingtSix, PLAYERS, st.fixed_dictionaries({}, optional=OPTIONS)) | st.builds(
    Quatorze, PLAYERS, st.fixed_dictionaries({}, optional=OPTIONS | FOURTEEN)
)


def an_action(game: BankGame, rng: random.Random) -> Entry:
    (name,) = game.legal()
    if name == "throw":
        # Loaded dice, so that all lines of the odds are met.
        faces = rng.sample(range(1, 7), rng.choice((2, 4, 6)))
        return {"do": name, "dice": rng.choices(faces, k=10)}
    ((field, choice),) = game.choices(name).items()
    return {
        "do": name,
        field: rng.choice(choice["one_of"]) if "one_of" in choice else rng.randint(choice["from"], choice["to"]),
    }


@settings(max_examples=150, deadline=None)
@given(GAMES, st.integers(0, 2**32).map(random.Random))
def test_the_log_accounts_for_every_chip(game: BankGame, rng: random.Random) -> None:
    for _ in range(5000):
        if not game.legal():
            break
        game.play(an_action(game, rng))
        table = game.table()
        dealt = (len(game.players) - 1) * game.options["player_chips"] + game.options["bank_chips"]
        assert sum(game.scores().values()) + table["stake"] == dealt
        assert min(game.scores().values()) >= 0
        assert sum(table["net"].values()) == 0
        assert game.legal() != ("bet",) or game.scores()[game.actor]
    book = Book(game)
    for entry in game.log:
        book.enter(entry)
    assert (book.chips, book.stake, book.net) == (game.scores(), table["stake"], table["net"])
    assert (book.number, book.completed) == (table["game"], table["completed"])
    assert game.state()["finished"] == (book.completed == game.options["games"])


class Book:
    """A bookkeeper who knows the page and reads the log."""

    def __init__(self, game: BankGame) -> None:
        self.players, self.options, self.odds = game.players, game.options, odds_of(game)
        self.number = self.completed = self.stake = 0
        self.net = dict.fromkeys(self.players, 0)
        self.chips: dict[str, int] = {}
        self.banker = self.next = ""

    def enter(self, entry: Entry) -> None:
        getattr(self, "enter_" + entry["event"], lambda _: None)(entry)

    def enter_game(self, entry: Entry) -> None:
        self.number += 1
        moved = self.completed if self.options["rotate_banker"] else 0
        seat = (self.options["banker_seat"] - 1 + moved) % len(self.players)
        self.banker = self.players[seat]
        after = self.players[(seat + 1) % len(self.players)]
        assert (entry["game"], entry["banker"], entry["first"]) == (self.number, self.banker, self.next or after)
        self.next = ""
        chips: int = self.options["player_chips"]
        self.chips = dict.fromkeys(self.players, chips)
        self.chips[self.banker] = self.options["bank_chips"]
        self.dealt = self.chips.copy()

    def enter_bet(self, entry: Entry) -> None:
        assert entry["player"] != self.banker
        self.player, self.stake = entry["player"], entry["chips"]
        self.chips[self.player] -= self.stake
        self.throws: list[int] = []

    def enter_number(self, entry: Entry) -> None:
        self.throws.append(entry["count"])

    def enter_throw(self, entry: Entry) -> None:
        self.throws.append(entry["hits"])
        assert (entry["throw"], entry["total"]) == (len(self.throws), sum(self.throws))

    def enter_win(self, entry: Entry) -> None:
        odds = self.odds(self.throws)
        due, returned = self.stake * odds, self.stake if self.options["stake_returned"] else 0
        self.chips[self.banker] += self.stake - returned
        paid = min(due, self.chips[self.banker])
        self.chips[self.banker] -= paid
        self.chips[self.player] += paid + returned
        expected: Entry = {"player": self.player, "total": sum(self.throws), "odds": odds, "stake": self.stake}
        assert entry.items() >= {**expected, "due": due, "paid": paid, "returned": returned}.items()
        assert odds
        self.stake = 0

    def enter_lose(self, entry: Entry) -> None:
        assert entry["stake"] == self.stake
        assert not self.odds(self.throws)
        self.chips[self.banker] += self.stake
        self.stake = 0

    def enter_out_of_chips(self, entry: Entry) -> None:
        assert not self.chips[entry["player"]]

    def enter_bank_broken(self, entry: Entry) -> None:
        assert not self.chips[self.banker]
        assert self.chips[entry["next"]]
        self.next = entry["next"]

    def enter_game_end(self, entry: Entry) -> None:
        change = {player: self.chips[player] - self.dealt[player] for player in self.players}
        assert entry == {"event": "game_end", "game": self.number, "complete": not self.next, "net": change}
        self.net = {player: self.net[player] + change[player] for player in self.players}
        self.completed += entry["complete"]


def odds_of(game: BankGame) -> Any:
    """The odds of the throws of a turn, as the page of the game has them."""
    if isinstance(game, VingtSix):
        table = {13: 5, 26: 4, 27: 5, 28: 6, 29: 8}
        return lambda hits: 10 if not 10 < sum(hits) < 30 else table.get(sum(hits), 0)
    exact = game.options["fourteen"] == "exactly"
    return lambda hits: 8 * (sum(hits) == 14 or (sum(hits) > 14 and not exact) or sum(hits[1:]) == 0)


# The figures of the old texts, counted exactly with what the game itself pays.


def binomial(dice: int) -> list[Fraction]:
    """How probable it is that a face comes so many times among the dice."""
    return [Fraction(comb(dice, hits) * 5 ** (dice - hits), 6**dice) for hits in range(dice + 1)]


def test_a_26_is_won_a_little_less_than_one_time_in_five() -> None:
    odds = {}
    for hits in range(131):
        game = VingtSix(NAMES[:2], {"bank_chips": 100})
        turn(game, 2, hits)
        odds[hits] = (game.scores()["Bo"] - 20) // 2
    chances = binomial(130)
    won = sum(chances[hits] for hits in odds if odds[hits] > 0)
    assert sum(chances) == 1
    assert round(float(won), 3) == 0.195
    mean = sum(chances[hits] * odds[hits] for hits in odds)
    assert round(float(mean), 2) == 0.41
    assert round(float(mean - won), 2) == 0.21  # where the stake is not returned


@cache
def credit_chances() -> dict[int, Fraction]:
    """How probable each credit of the first throw is, as the game gives it."""
    found: Counter[int] = Counter()
    for dice in combinations_with_replacement(range(1, 7), 10):
        game = Quatorze(NAMES[:2])
        game.play({"do": "bet", "chips": 2})
        game.play({"do": "throw", "dice": list(dice)})
        if game.legal() == ("call",):
            game.play({"do": "call", "face": game.table()["choices"][0]})
        ways = factorial(10) // prod(factorial(count) for count in Counter(dice).values())
        found[game.table()["total"]] += ways
    assert found.total() == 6**10
    return {credit: Fraction(ways, 6**10) for credit, ways in found.items()}


@pytest.mark.parametrize(("fourteen", "percent"), [("at_least", 9.39), ("exactly", 4.77)])
def test_a_quatorze_is_won_nine_times_in_a_hundred_with_fourteen_or_more(fourteen: str, percent: float) -> None:
    chances = binomial(40)
    won = Fraction(0)
    for credit, chance in credit_chances().items():
        first = "1" * credit + "2233445566"[credit:]
        for later in range(41):
            game = Quatorze(NAMES[:2], {"bet": 1, "fourteen": fourteen})
            short_turn(game, first, later)
            assert game.log[2].get("count") == credit
            won += chance * chances[later] * (game.scores()["Bo"] > 20)
    assert round(100 * float(won), 2) == percent
