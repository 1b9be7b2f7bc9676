"""Thousand with options and games of chance: dice, options and laws that every game must keep."""

import json
import random
from collections import Counter
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from server.rules.game import BadRecord, Flag, IllegalAction, OneOf, Whole
from server.rules.thousand import Thousand
from server.rules.thousand_options import OPTIONS, PRESETS, Barrels
from server.rules.thousand_scoring import scoring, value

Options = dict[str, Any]
Action = dict[str, Any]


def text(state: dict[str, Any]) -> str:
    """As JSON, where true is not 1."""
    return json.dumps(state, sort_keys=True)


# What dice are worth, written out from the page: by face, for one to five equal dice.
WORTH = {
    1: (10, 20, 100, 200, 1000),
    2: (0, 0, 20, 40, 200),
    3: (0, 0, 30, 60, 300),
    4: (0, 0, 40, 80, 400),
    5: (5, 10, 50, 100, 500),
    6: (0, 0, 60, 120, 600),
}
FOUR_PLUS_TEN = {1: 110, 2: 30, 3: 40, 4: 50, 5: 60, 6: 70}


def worth(dice: list[int], options: Options) -> int:
    """The value of a set, 0 where it is not valid."""
    if options["straights"] and sorted(dice) in ([1, 2, 3, 4, 5], [2, 3, 4, 5, 6]):
        return 125 if 1 in dice else 250
    values = []
    for face, count in Counter(dice).items():
        plus_ten = count == 4 and options["four_of_a_kind"] == "plus_ten"
        values.append(FOUR_PLUS_TEN[face] if plus_ten else WORTH[face][count - 1])
    return sum(values) if all(values) else 0


def parts(dice: list[int]) -> set[tuple[int, ...]]:
    """Every choice of one or more of the dice, sorted."""
    return {part for size in range(1, len(dice) + 1) for part in combinations(sorted(dice), size)}


@given(st.lists(st.integers(1, 6), min_size=1, max_size=5), st.booleans(), st.sampled_from(["double", "plus_ten"]))
def test_scoring_dice_are_the_largest_valid_part(dice: list[int], straights: bool, four: str) -> None:
    options = {"straights": straights, "four_of_a_kind": four}
    valid = [part for part in parts(dice) if worth(list(part), options)]
    for part in parts(dice):
        assert value(part, straights, four) == worth(list(part), options)
    best = max(valid, key=len, default=())
    assert scoring(tuple(sorted(dice)), straights, four) == (best, worth(list(best), options) if best else 0)


BAD_OPTIONS: list[Options] = [
    {"preset": "bar"},
    {"entry": 52},
    {"entry": 305},
    {"entry": 50.0},
    {"straights": 1},
    {"bolts": True},
    {"bolts": 11},
    {"final_barrel": 1000},
    {"final_barrel": 595, "ending": "reach"},
    {"dump_truck": 1000},
    {"bust_zero_at": 21},
    {"barrels": None},
    {"barrels": [[200]]},
    {"barrels": [[200, 200]]},
    {"barrels": [[0, 100]]},
    {"barrels": [[100, 1005]]},
    {"barrels": [[100, 202]]},
    {"barrels": [[100, 200.0]]},
    {"barrels": [[100, 200], [200, 300]]},
    {"barrels": [[300, 400], [100, 200]]},
    {"barrels": [[10 * n, 10 * n + 5] for n in range(1, 7)]},
    {"barrels": [[True, 100]]},
    {"barrel_exit": "pass"},
    {"preset": "home", "barrel_exit": "pass", "barrels": [[900, 1000]]},
    {"Entry": 50},
]


@pytest.mark.parametrize("options", BAD_OPTIONS, ids=json.dumps)
def test_bad_options_are_refused(options: Options) -> None:
    with pytest.raises(BadRecord):
        Thousand(["Ana", "Bo"], options)


@pytest.mark.parametrize("preset", PRESETS)
def test_naming_every_option_of_a_preset_changes_nothing(preset: str) -> None:
    filled = Thousand(["Ana", "Bo"], {"preset": preset}).options
    assert Thousand(["Ana", "Bo"], filled).options == filled
    assert Thousand(["Ana", "Bo"], {**filled, "preset": "club"}).options == {**filled, "preset": "club"}


def test_games_do_not_share_their_barrels() -> None:
    given_options = {"barrels": [[100, 200]]}
    game, other = Thousand(["Ana", "Bo"], given_options), Thousand(["Ana", "Bo"])
    given_options["barrels"][0][0] = 5
    other.options["barrels"][0][0] = 5
    assert game.options["barrels"] == [[100, 200]]
    assert Thousand(["Ana", "Bo"]).options["barrels"][0] == [200, 300]


def _values(option: Any) -> st.SearchStrategy[Any]:
    if isinstance(option, Flag):
        return st.booleans()
    if isinstance(option, OneOf):
        return st.sampled_from(option.choices)
    if isinstance(option, Whole):
        assert option.high is not None
        return st.integers(option.low // option.step, option.high // option.step).map(lambda n: n * option.step)
    assert isinstance(option, Barrels)
    ends = st.lists(st.integers(1, 199), unique=True, max_size=10).map(sorted)
    return ends.map(lambda found: [[5 * low, 5 * high] for low, high in zip(found[::2], found[1::2], strict=False)])


# The barrels are always given, so that "pass" never meets those of the shop, which end at 1000.
ANY_OPTIONS = st.fixed_dictionaries(
    {"barrels": _values(next(option for option in OPTIONS if isinstance(option, Barrels)))},
    optional={option.name: _values(option) for option in OPTIONS if not isinstance(option, Barrels)},
)
GAMES = st.one_of(st.sampled_from([{"preset": preset} for preset in PRESETS]), ANY_OPTIONS)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=6) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(st.sampled_from([option.name for option in OPTIONS]) | st.text(max_size=8), JSON, max_size=4))
def test_arbitrary_options_give_a_game_or_a_bad_record(options: Options) -> None:
    try:
        game = Thousand(["Ana", "Bo"], options)
    except BadRecord:
        return
    assert game.legal() == ("throw",)


class Dealer:
    """Chooses legal actions by chance, with dice that love the one, so that games come to an end."""

    def __init__(self, seed: int) -> None:
        self._chance = random.Random(seed)
        self._ones = self._chance.choice([0, 0.2, 0.4])
        self._bank = self._chance.choice([0.3, 0.7, 1])

    def action(self, game: Thousand) -> Action:
        legal = game.legal()
        if legal == ("keep",):
            return {"do": "keep", "dice": self._chance.choice(keepable(game))}
        if "bank" in legal and self._chance.random() < self._bank:
            return {"do": "bank"}
        return {"do": "throw", "dice": [self.face() for _ in range(game.dice)]}

    def face(self) -> int:
        return 1 if self._chance.random() < self._ones else self._chance.randint(1, 6)


def keepable(game: Thousand) -> list[list[int]]:
    """All that may be set aside now, found by trying every part of the throw against the page's table of values."""
    thrown = game.log[-1]["dice"]
    valid = sorted((list(part) for part in parts(thrown) if worth(list(part), game.options)), key=len)
    return valid[-1:] if game.options["set_aside"] == "all" else valid


@settings(max_examples=40, deadline=None)
@given(GAMES, st.integers(2, 8), st.integers(0, 2**32), st.integers(1, 400))
def test_replay_and_fork_give_the_same_game(options: Options, players: int, seed: int, most: int) -> None:
    names = [f"P{n}" for n in range(players)]
    game, dealer = Thousand(names, options), Dealer(seed)
    actions: list[Action] = []
    while game.legal() and len(actions) < most:
        actions.append(dealer.action(game))
        game.play(actions[-1])
    again = Thousand(names, game.options)
    for number, action in enumerate(actions):
        if number == len(actions) // 2:
            twin, then, before = again.fork(), number, again.state()
        again.play(action)
    assert text(again.state()) == text(game.state())
    assert text(twin.state()) == text(before)
    for action in actions[then:]:
        twin.play(action)
    assert text(twin.state()) == text(game.state())


@settings(max_examples=40, deadline=None)
@given(GAMES, st.integers(2, 8), st.integers(0, 2**32))
def test_log_accounts_for_every_point(options: Options, players: int, seed: int) -> None:
    game, dealer = Thousand([f"P{n}" for n in range(players)], options), Dealer(seed)
    for _ in range(300):
        if game.legal():
            game.play(dealer.action(game))
    assert ledger(game) == game.scores()


def ledger(game: Thousand) -> dict[str, int]:
    """The scores worked out from the log alone: points of the throws, fines, falls; each entry checked on the way."""
    scores = dict.fromkeys(game.players, 0)
    turn = 0
    for number, entry in enumerate(game.log):
        event: str = entry["event"]
        player: str = entry["overtaken"] if event == "overtake" else entry["player"]
        if event == "keep":
            turn += entry["points"]
            assert entry["turn_points"] == turn
        elif event in ("lost", "bust", "dump_truck", "bank"):
            assert entry["points"] == turn
            turn = 0
        if event == "bank":
            climbed = any(e["event"] == "final_barrel" for e in game.log[number + 1 : number + 3])
            total = scores[player] + entry["points"]
            scores[player] = min(total, game.options["final_barrel"]) if climbed else total
        elif event == "win" and entry["by"] == "five_ones":
            scores[player] += turn
        elif event in ("overtake", "bolt_fine", "bust_fine"):
            scores[player] -= entry["points"]
        elif event in ("dump_truck", "bust_zero"):
            scores[player] = 0
        elif event == "fall":
            down = scores[player] - game.options["barrel_fall_points"]
            assert entry["score"] in (0, down) or game.options["barrel_fall"] == "entry"
            scores[player] = entry["score"]
        assert entry.get("score", scores[player]) == scores[player]
        assert scores[player] % 5 == 0
    return scores


@settings(max_examples=40, deadline=None)
@given(GAMES, st.integers(2, 4), st.integers(0, 2**32), st.integers(0, 120))
def test_exactly_the_legal_actions_succeed(options: Options, players: int, seed: int, moves: int) -> None:
    game, dealer = Thousand([f"P{n}" for n in range(players)], options), Dealer(seed)
    for _ in range(moves):
        if game.legal():
            game.play(dealer.action(game))
    before = text(game.state())
    may_keep = keepable(game) if game.legal() == ("keep",) else []
    if may_keep:
        (offer,) = game.offers()
        assert sorted(offer["dice"]["one_of"]) == sorted(may_keep)
    for faces in combinations([6, 1, 1, 1, 2, 2, 2, 2, 5, 3, 4, 5], 3):
        tried(game, {"do": "keep", "dice": list(faces)}, legal=sorted(faces) in may_keep)
    thrown = game.log[-1]["dice"] if may_keep else [1, 2, 3]
    for part in parts(thrown):
        tried(game, {"do": "keep", "dice": list(part)[::-1]}, legal=list(part) in may_keep)
    for number in range(7):
        legal = "throw" in game.legal() and number == game.dice > 0
        tried(game, {"do": "throw", "dice": [1] * number}, legal=legal)
    tried(game, {"do": "bank"}, legal="bank" in game.legal())
    tried(game, {"do": "bank", "points": 50}, legal=False)
    assert text(game.state()) == before


def tried(game: Thousand, action: Action, *, legal: bool) -> None:
    """An action is taken or refused as it should be; a refused one leaves no trace."""
    twin = game.fork()
    if legal:
        twin.play(action)
        assert twin.log[: len(game.log)] == game.log
        assert len(twin.log) > len(game.log)
        return
    with pytest.raises(IllegalAction):
        twin.play(action)
    assert twin.state() == game.state()


ODD_ACTIONS = JSON | st.builds(
    lambda do, dice, more: {"do": do, "dice": dice, **more},
    st.sampled_from(["throw", "keep", "bank"]) | JSON,
    JSON | st.lists(st.integers(0, 7), max_size=6),
    st.just({}) | st.dictionaries(st.text(max_size=5), JSON, max_size=2),
)


@given(st.lists(ODD_ACTIONS, min_size=1, max_size=8), st.integers(0, 2**32), st.integers(0, 30))
def test_arbitrary_actions_are_taken_or_refused(odd: list[Any], seed: int, moves: int) -> None:
    game, dealer = Thousand(["Ana", "Bo"]), Dealer(seed)
    for _ in range(moves):
        if game.legal():
            game.play(dealer.action(game))
    for action in odd:
        before = text(game.state())
        try:
            game.play(action)
        except IllegalAction:
            assert text(game.state()) == before
