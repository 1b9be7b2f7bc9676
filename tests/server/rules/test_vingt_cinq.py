"""Le 25: the account of any game, and scenes worked out on paper."""

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from server.rules import IllegalAction
from server.rules.vingt_cinq import VingtCinq

Entry = dict[str, Any]

NAMES = ["Ana", "Bo", "Cyr", "Dee", "Eve", "Flo", "Gus", "Hal"]


def play(game: VingtCinq, script: str) -> VingtCinq:
    """The game after a script: `55421` throws, `+55` keeps."""
    for word in script.split():
        do = "keep" if word[0] == "+" else "throw"
        game.play({"do": do, "dice": [int(face) for face in word.lstrip("+")]})
    return game


def building(total: int) -> str:
    """Five throws that build this sum, one die at a time but all of the lowest at once."""
    dice = [6] * ((total - 5) // 5) + [1 + (total - 5) % 5]
    dice = (dice + [1] * 5)[:5]
    words = []
    while len(set(dice)) > 1:
        words += [str(dice[0]) + "1" * (len(dice) - 1), f"+{dice[0]}"]
        dice = dice[1:]
    same = "".join(map(str, dice))
    return " ".join([*words, same, "+" + same])


def events(game: VingtCinq, last: int) -> list[str]:
    """The last entries of the log, each as its values in the order of its fields."""
    return [" ".join(map(str, entry.values())) for entry in game.log[-last:]]


@pytest.mark.parametrize("total", range(5, 31))
def test_every_sum(total: int) -> None:
    game = play(VingtCinq(NAMES[:3]), building(total))
    assert {"event": "sum", "player": "Ana", "sum": total} in game.log
    assert game.scores() == {"Ana": 25 - max(0, 25 - total), "Bo": 25, "Cyr": 25}
    if total > 25:
        kept = [face for entry in game.log if entry["event"] == "keep" for face in entry["dice"]]
        attack = {"phase": "attack", "attack_face": total - 25, "attack_kept": 0, "sum": total, "kept": kept}
        assert game.table().items() >= attack.items()
        assert game.state()["turn"] == {"player": "Ana", "dice": 5, "legal": ["throw"]}
    else:
        assert game.table().items() >= {"phase": "build", "kept": [], "sum": 0, "attack_face": None}.items()
        assert game.actor == "Bo"


def test_damage_goes_round_past_who_is_out_and_stops_before_the_attacker() -> None:
    game = VingtCinq(NAMES[:4], {"life": 4})
    play(game, f"{building(25)} {building(5)}")
    assert events(game, 2) == ["loss Bo 4 0", "out Bo"]
    # Cyr attacks with the fives: four for Dee, four for Ana, and the other two for nobody.
    play(game, f"{building(30)} 55111 111")
    assert events(game, 6) == [
        "attack_throw Cyr 0",
        "attack_total Cyr 10",
        "damage Dee Cyr 4 0",
        "out Dee",
        "damage Ana Cyr 4 0",
        "out Ana",
    ]
    assert game.state()["result"] == {"winner": "Cyr", "out": ["Bo", "Dee", "Ana"], "turns": 3}
    over = {"phase": "over", "kept": [], "rolled": [], "sum": 0, "attack_face": None, "attack_kept": 0}
    assert game.table().items() >= over.items()
    assert game.state()["turn"] is None


def test_damage_that_is_used_up_leaves_the_next_one_alone() -> None:
    game = play(VingtCinq(NAMES[:3], {"life": 2}), f"{building(27)} 21111 1111")
    assert events(game, 3) == ["attack_total Ana 2", "damage Bo Ana 2 0", "out Bo"]
    assert game.scores() == {"Ana": 2, "Bo": 0, "Cyr": 2}
    assert game.actor == "Cyr"
    play(game, building(24))
    # After Cyr comes Ana: Bo is passed over.
    assert (game.actor, game.scores()["Cyr"]) == ("Ana", 1)


def test_an_attack_that_misses_is_in_the_log() -> None:
    game = play(VingtCinq(NAMES[:2]), f"{building(26)} 23456")
    assert events(game, 3) == ["attack Ana 1", "attack_throw Ana 0", "attack_total Ana 0"]
    assert (game.actor, game.scores()) == ("Bo", {"Ana": 25, "Bo": 25})


def test_an_attack_with_all_five_dice_ends_or_begins_again() -> None:
    once = play(VingtCinq(NAMES[:2]), f"{building(28)} 33333")
    assert events(once, 3) == ["attack_throw Ana 5", "attack_total Ana 15", "damage Bo Ana 15 10"]
    again = play(VingtCinq(NAMES[:2], {"attack_again": True}), f"{building(28)} 33111 333 33333")
    assert again.table().items() >= {"phase": "attack", "attack_kept": 10}.items()
    assert (again.dice, again.scores()["Bo"]) == (5, 25)
    play(again, "12456")
    assert events(again, 4) == ["attack_throw Ana 0", "attack_total Ana 30", "damage Bo Ana 25 0", "out Bo"]
    assert again.state()["result"] == {"winner": "Ana", "out": ["Bo"], "turns": 1}


def test_the_last_one_in_wins_without_throwing() -> None:
    game = play(VingtCinq(NAMES[:3], {"life": 1}), f"{building(24)} {building(5)}")
    assert game.state()["result"] == {"winner": "Cyr", "out": ["Ana", "Bo"], "turns": 2}
    assert events(game, 2) == ["loss Bo 1 0", "out Bo"]
    with pytest.raises(IllegalAction, match="the game is over"):
        play(game, "11111")


@pytest.mark.parametrize(
    ("thrown", "keeps"),
    [
        ("55421", [[5], [5, 5]]),
        ("66666", [[6], [6] * 2, [6] * 3, [6] * 4, [6] * 5]),
        ("12345", [[5]]),
    ],
)
def test_only_the_highest_are_set_aside(thrown: str, keeps: list[list[int]]) -> None:
    game = play(VingtCinq(NAMES[:2]), thrown)
    assert game.offers() == [{"do": "keep", "dice": {"one_of": keeps}}]
    highest = keeps[0][0]
    strange: list[Any] = [[], [highest] * (len(keeps) + 1), [highest, 1], [highest - 1], [True], [float(highest)]]
    for dice in [*strange, None, highest, "5", [[highest]]]:
        with pytest.raises(IllegalAction):
            game.play({"do": "keep", "dice": dice})
    for dice in keeps:
        kept = game.fork()
        kept.play({"do": "keep", "dice": dice})
        assert len(dice) == 5 or kept.dice == 5 - len(dice)


def test_the_last_die_has_to_be_kept_too() -> None:
    game = play(VingtCinq(NAMES[:2]), "66661 +6666 3")
    assert game.offers() == [{"do": "keep", "dice": {"one_of": [[3]]}}]
    assert game.table().items() >= {"kept": [6, 6, 6, 6], "rolled": [3], "sum": 24}.items()
    assert play(game, "+3").table()["attack_face"] == 2


def an_action(game: VingtCinq, rng: random.Random) -> Entry:
    (name,) = game.legal()
    if name == "keep":
        return {"do": name, "dice": rng.choice(game.choices(name)["dice"]["one_of"])}
    # High dice attack, and few faces make attacks that last.
    faces = rng.choice(([5, 6], [1, 6], [1, 2, 3, 4, 5, 6], [game.table()["attack_face"] or 6, 6]))
    return {"do": name, "dice": rng.choices(faces, k=game.dice)}


LIVES = st.integers(1, 30) | st.just(1000)
OPTIONS = st.fixed_dictionaries({}, optional={"life": LIVES, "attack_again": st.booleans()})
GAMES = st.builds(VingtCinq, st.integers(2, 8).map(lambda number: NAMES[:number]), OPTIONS)


@settings(max_examples=150, deadline=None)
@given(GAMES, st.integers(0, 2**32).map(random.Random))
def test_the_log_accounts_for_every_point(game: VingtCinq, rng: random.Random) -> None:
    actions = 0
    while game.legal() and actions < 5000:
        game.play(an_action(game, rng))
        actions += 1
        assert game.scores()[game.actor] or not game.legal()
    book = Book(game)
    for entry in game.log:
        book.enter(entry)
    state = game.state()
    assert (book.life, book.out) == (game.scores(), game.table()["out"])
    assert state["finished"] == (len(book.alive()) == 1)
    if state["finished"]:
        assert state["result"] == {"winner": book.alive()[0], "out": book.out, "turns": book.turns}
    else:
        assert game.actor == book.player
        assert sorted(game.table()["kept"]) == sorted(book.kept)


class Book:
    """A bookkeeper who knows the page and reads the log; `owed` is what is still to be lost by others."""

    def __init__(self, game: VingtCinq) -> None:
        self.players, self.again = list(game.players), game.options["attack_again"]
        start: int = game.options["life"]
        self.life = dict.fromkeys(self.players, start)
        self.out: list[str] = []
        self.player = self.players[0]
        self.turns = self.owed = self.hits = self.left = 0
        self.kept: list[int] = []
        self.due: list[str] = []

    def alive(self) -> list[str]:
        return [player for player in self.players if self.life[player]]

    def after(self, player: str) -> list[str]:
        seat = self.players.index(player)
        return [name for name in self.players[seat + 1 :] + self.players[:seat] if self.life[name]]

    def enter(self, entry: Entry) -> None:
        assert not self.due or entry == {"event": "out", "player": self.due[0]}
        assert entry.get("by", entry["player"]) == self.player or entry["event"] == "out"
        getattr(self, "enter_" + entry["event"])(entry)

    def enter_keep(self, entry: Entry) -> None:
        assert len(set(entry["dice"])) == 1
        self.kept += entry["dice"]

    def enter_sum(self, entry: Entry) -> None:
        assert (len(self.kept), sum(self.kept)) == (5, entry["sum"])
        if entry["sum"] == 25:
            self.end_turn()

    def enter_loss(self, entry: Entry) -> None:
        self.lose(self.player, 25 - sum(self.kept), entry)
        self.end_turn()

    def enter_attack(self, entry: Entry) -> None:
        assert entry["face"] == sum(self.kept) - 25 > 0
        self.hits, self.left = 0, 5

    def enter_attack_throw(self, entry: Entry) -> None:
        assert 0 <= entry["hits"] <= self.left
        self.missed = not entry["hits"]
        self.hits += entry["hits"]
        self.left -= entry["hits"]
        if not self.left and self.again:
            self.left = 5

    def enter_attack_total(self, entry: Entry) -> None:
        assert self.missed or not self.left
        assert entry["points"] == self.hits * (sum(self.kept) - 25)
        self.owed = entry["points"]
        if not self.owed:
            self.end_turn()

    def enter_damage(self, entry: Entry) -> None:
        victim = self.after(self.player)[0]
        assert entry["player"] == victim
        self.owed -= self.lose(victim, self.owed, entry)
        if not self.owed or len(self.alive()) == 1:
            self.end_turn()

    def enter_out(self, entry: Entry) -> None:
        self.out.append(entry["player"])
        self.due.clear()

    def lose(self, player: str, points: int, entry: Entry) -> int:
        lost = min(points, self.life[player])
        self.life[player] -= lost
        assert (entry["player"], entry["points"], entry["life"]) == (player, lost, self.life[player])
        if not self.life[player]:
            self.due = [player]
        return lost

    def end_turn(self) -> None:
        self.turns += 1
        self.owed, self.kept = 0, []
        if len(self.alive()) > 1:
            self.player = self.after(self.player)[0]
