"""Thousand with cards by games of chance: an own count of what is legal, and what a seat may know."""

import json
import random
from itertools import combinations, permutations
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from server.rules.game import Entry, IllegalAction, Option, Whole
from server.rules.thousand_cards import ThousandCards

from .cards import DECK, ONLOOKER, PLAYERS, Action, State, play_all

POINTS = {"9": 0, "J": 2, "Q": 3, "K": 4, "T": 10, "A": 11}


MARRIAGES = {"S": 40, "C": 60, "D": 80, "H": 100}


def legal_actions(state: State) -> list[Action]:
    """Every legal action but `deal`, read off the referee's view by the words of the page."""
    table, options, me = state["table"], state["options"], state["turn"]["player"]
    hand = table["referee"]["hands"].get(me, [])
    if table["phase"] == "auction":
        return _legal_words(state, hand)
    if table["phase"] == "talon":
        found = [{"do": "give", "cards": list(pair)} for pair in permutations(hand, 2)]
        if options["painting"] and not table["golden"]:
            found.append({"do": "paint"})
        talon = table["referee"]["talon"]
        ranks = [card[0] for card in talon]
        hopeless = sum(POINTS[rank] for rank in ranks) < 5 or ranks.count("9") >= 2 or ranks == ["J"] * 3
        return found + [{"do": "redeal"}] * (options["redeals"] and hopeless)
    if table["phase"] == "order":
        top = max(table["order"], limit(options, hand))
        return [{"do": "order", "points": points} for points in range(table["order"], top + 1, 5)]
    if table["phase"] == "play":
        return _legal_plays(table, options, me, hand)
    return []


def _legal_words(state: State, hand: list[str]) -> list[Action]:
    table, options, log = state["table"], state["options"], state["log"]
    least = table["bid"]["points"] + 5 if table["bid"] else 100
    found = [{"do": "bid", "points": points} for points in range(least, limit(options, hand) + 1, 5)]
    if table["bid"]:
        found.append({"do": "pass"})
    spoken: list[Any] = []
    for entry in log:
        spoken = [] if entry["event"] == "deal" else [*spoken, (entry["event"], entry.get("player"))]
    first = not {("bid", state["turn"]["player"]), ("pass", state["turn"]["player"])} & set(spoken)
    ranks = [card[0] for card in hand]
    hopeless = sum(POINTS[rank] for rank in ranks) < 13 or ranks.count("9") >= 3 or ranks.count("J") == 4
    return found + [{"do": "redeal"}] * (options["redeals"] and first and hopeless)


def _legal_plays(table: State, options: dict[str, Any], me: str, hand: list[str]) -> list[Action]:
    if table["trick"]:
        led = [card for card in hand if card[1] == table["trick"][0]["card"][1]]
        trumps = [card for card in hand if card[1] == table["trump"]]
        plain = [{"do": "play", "card": card} for card in led or trumps or hand]
        return plain + [{**action, "marriage": False} for action in plain]
    plain = [{"do": "play", "card": card} for card in hand]
    may = table["tricks"][me] > 0 or not options["marriage_after_trick"]
    pairs = [card for card in hand if card[0] in "KQ" and {"K" + card[1], "Q" + card[1]} <= set(hand) and may]
    married = [{"do": "play", "card": card, "marriage": True} for card in pairs]
    return plain + [{**action, "marriage": False} for action in plain] + married


def limit(options: dict[str, Any], hand: list[str]) -> int:
    if not options["bid_limits"]:
        return 400
    return 120 + sum(points for suit, points in MARRIAGES.items() if {"K" + suit, "Q" + suit} <= set(hand))


def a_deal(rng: random.Random) -> Action:
    deck = rng.sample(DECK, 24)
    return {"do": "deal", "hands": [deck[:7], deck[7:14], deck[14:21]], "talon": deck[21:]}


def any_action(state: State, rng: random.Random) -> Action:
    """A legal action: rarely the rare ones, more often the small bids."""
    if state["turn"]["legal"] == ["deal"]:
        return a_deal(rng)
    legal = legal_actions(state)
    married = [action for action in legal if action.get("marriage")]
    if married and rng.random() < 0.7:
        return rng.choice(married)
    name = rng.choice(sorted({action["do"] for action in legal}))
    return rng.choice([action for action in legal if action["do"] == name][:9])


def random_actions(game: ThousandCards, rng: random.Random, most: int) -> list[Action]:
    """Play on to the end or so many actions; what was played."""
    played: list[Action] = []
    while len(played) < most and game.legal():
        played.append(any_action(game.state(), rng))
        game.play(played[-1])
    return played


def option_values(option: Option) -> st.SearchStrategy[Any]:
    if isinstance(option, Whole):
        few = [option.low, option.low + option.step, option.default, option.high]
        return st.sampled_from([value for value in few if option.allows(value, 3)])
    return st.booleans()


SOME_OPTIONS = st.fixed_dictionaries(
    {}, optional={option.name: option_values(option) for option in ThousandCards.OPTIONS}
)


GAMES = st.builds(ThousandCards, st.sampled_from([PLAYERS[:3], PLAYERS]), SOME_OPTIONS)


RNG = st.integers(0, 2**32).map(random.Random)


@given(GAMES, RNG, st.integers(0, 400))
@settings(max_examples=60, deadline=None)
def test_replay_gives_the_same_state(game: ThousandCards, rng: random.Random, most: int) -> None:
    actions = random_actions(game, rng, most)
    before = json.dumps(game.state())
    again = play_all(json.loads(json.dumps(actions)), game.players, game.options)
    assert again.state() == game.state() == json.loads(before)
    twin = game.fork()
    random_actions(twin, rng, 40)
    assert json.dumps(game.state()) == before


@given(GAMES, RNG, st.lists(st.integers(100, 175), min_size=4, max_size=4))
@settings(max_examples=60, deadline=None)
def test_cards_and_points_are_conserved(game: ThousandCards, rng: random.Random, fives: list[int]) -> None:
    start = {player: 5 * five for player, five in zip(game.players, fives, strict=False)}
    game._sheet.scores = start.copy()  # near the barrel, where random play seldom comes
    for _ in range(300):
        if not game.legal():
            break
        game.play(any_action(game.state(), rng))
        state = game.state()
        check_cards(state)
        check_account(state, start)


def check_cards(state: State) -> None:
    table, referee = state["table"], state["table"]["referee"]
    held = [card for hand in referee["hands"].values() for card in hand]
    assert table["cards"] == {player: len(hand) for player, hand in referee["hands"].items()}
    assert list(referee["hands"]) == list(table["cards"]) == list(table["tricks"]) == table["active"]
    for cards in (*referee["hands"].values(), referee["talon"], table["talon"]):
        assert cards == sorted(cards, key=DECK.index)
    if table["phase"] in ("deal", "over"):
        assert not held
        return
    tricks = [entry["cards"] for entry in since_deal(state) if entry["event"] == "trick"]
    taken = [card for trick in tricks for card in trick]
    apart = referee["talon"] if table["phase"] == "auction" else []
    on_table = [laid["card"] for laid in table["trick"]]
    assert sorted(held + taken + apart + on_table) == sorted(DECK)
    bonus: int = sum(entry["points"] for entry in since_deal(state) if "marriage" in entry["event"])
    assert sum(table["taken"].values()) == bonus + sum(POINTS[card[0]] for card in taken)


def since_deal(state: State) -> list[Entry]:
    """The entries of the deal being played."""
    log: list[Entry] = state["log"]
    start = max((place for place, entry in enumerate(log) if entry["event"] == "deal"), default=0)
    return log[start:]


def check_account(state: State, start: dict[str, int]) -> None:
    """The scores, summed up from the log alone."""
    scores = start.copy()
    fine = state["options"]["barrel_fine"]
    for entry in state["log"]:
        player = entry.get("player")
        if entry["event"] == "settle":
            golden = state["options"]["golden_con"] and entry["deal"] <= len(scores)
            fine = state["options"]["barrel_fine"] * (2 if golden else 1)
            for name, points in entry["written"].items():
                scores[name] += points
        elif entry["event"] == "bolt_fine":
            scores[player] -= entry["points"]
        elif entry["event"] == "fall":
            scores[player] -= fine
        elif entry["event"] in ("dump_truck", "barrel"):
            scores[player] = entry["score"]
        elif entry["event"] == "golden_reset":
            scores = dict.fromkeys(scores, 0)
        assert entry.get("score", scores.get(player)) == scores.get(player)
    assert scores == state["scores"]
    assert all(score % 5 == 0 for score in scores.values())
    # In the deal that ends the game others may pass the thousand too, and even the winner.
    assert (max(scores.values()) >= 1000) == state["finished"]
    assert not state["finished"] or scores[state["result"]["winner"]] >= 1000


@given(GAMES, RNG, st.integers(0, 150))
@settings(max_examples=60, deadline=None)
def test_exactly_the_legal_actions_succeed(game: ThousandCards, rng: random.Random, most: int) -> None:
    random_actions(game, rng, most)
    assume(game.legal())
    if game.legal() == ("deal",):
        game.play(a_deal(rng))
    state = game.state()
    legal = legal_actions(state)
    assert state["turn"]["legal"] == sorted({action["do"] for action in legal})
    tried: list[Action] = [{"do": name} for name in ("pass", "redeal", "paint", "sit", "deal")] + [a_deal(rng)]
    tried += [{"do": do, "points": points} for do in ("bid", "order") for points in range(-5, 410, 5)]
    tried += [{"do": do, "points": points + 1} for do in ("bid", "order") for points in range(100, 130, 5)]
    tried += [{"do": "give", "cards": list(pair)} for pair in combinations(DECK, 2)]
    tried += [{"do": "give", "cards": [card, card]} for card in DECK]
    tried += [{"do": "play", "card": card} for card in DECK]
    tried += [{"do": "play", "card": card, "marriage": said} for card in DECK for said in (True, False)]
    expected = {json.dumps(action) for action in legal if action in tried}
    for action in tried:
        twin = game.fork()
        if json.dumps(action) in expected:
            twin.play(action)
            assert twin.state() != state
        else:
            with pytest.raises(IllegalAction):
                game.play(action)
    assert game.state() == state


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3) | st.sampled_from(DECK),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


FIELDS = ("points", "card", "cards", "marriage", "hands", "talon")


NAMED = st.fixed_dictionaries(
    {"do": st.sampled_from(sorted(ThousandCards.MOVES)) | JSON},
    optional=dict.fromkeys(FIELDS, JSON | st.sampled_from([100, 105, True, 105.0, "105"])),
)


@given(GAMES, RNG, st.integers(0, 60), st.lists(JSON | NAMED, max_size=20))
@settings(max_examples=100, deadline=None)
def test_whatever_comes_as_an_action_is_refused_or_taken(
    game: ThousandCards, rng: random.Random, most: int, actions: list[Any]
) -> None:
    random_actions(game, rng, most)
    for action in actions:
        before = game.state()
        try:
            game.play(action)
        except IllegalAction:
            assert game.state() == before


@given(GAMES, RNG, st.integers(1, 60))
@settings(max_examples=100, deadline=None)
def test_a_state_is_never_changed_afterwards(game: ThousandCards, rng: random.Random, most: int) -> None:
    random_actions(game, rng, most)
    states = [game.state(), *(game.view(player) for player in game.players)]
    before = json.dumps(states)
    random_actions(game, rng, 30)
    assert json.dumps(states) == before


def unseen_by(player: str, state: State) -> list[str]:
    """The cards that the player cannot know: others' hands and the talon, less what he was shown or gave."""
    table, referee = state["table"], state["table"]["referee"]
    cards = {card for name, hand in referee["hands"].items() if name != player for card in hand}
    if table["phase"] == "auction":
        cards |= set(referee["talon"])
    known = set(table["talon"])
    if player == table["declarer"]:
        known |= {gift["card"] for gift in referee["given"]}
    return sorted(cards - known)


def aces_told(game: ThousandCards) -> list[Entry]:
    return [entry for entry in game.log if entry["event"] == "ace_marriage"]


@given(GAMES, RNG, st.integers(1, 120), st.sampled_from([*PLAYERS, ONLOOKER]))
@settings(max_examples=150, deadline=None)
def test_a_view_does_not_depend_on_what_is_hidden(
    game: ThousandCards, rng: random.Random, most: int, player: str
) -> None:
    actions = random_actions(game, rng, most)
    state, view = game.state(), game.view(player)
    unseen = unseen_by(player, state)
    here = json.dumps({**view, "log": since_deal(state)})
    assert not [card for card in unseen if card in here]
    assert "referee" not in view["table"]
    last = max(place for place, action in enumerate(actions) if action["do"] == "deal")
    for one, other in rng.sample(list(combinations(unseen, 2)), min(30, len(unseen) * (len(unseen) - 1) // 2)):
        text = json.dumps(actions[last:])
        swapped = json.loads(text.replace(one, "??").replace(other, one).replace("??", other))
        try:
            twin = play_all([*actions[:last], *swapped], game.players, game.options)
        except IllegalAction:
            continue  # what was played tells that this hand was not held
        if aces_told(twin) != aces_told(game):
            continue  # as do the points for four aces
        assert twin.view(player) == view


@given(GAMES, RNG, st.integers(0, 120))
@settings(max_examples=60, deadline=None)
def test_a_view_is_the_state_without_the_referee(game: ThousandCards, rng: random.Random, most: int) -> None:
    random_actions(game, rng, most)
    for player in game.players:
        state, view = game.state(), game.view(player)
        referee, own = state["table"].pop("referee"), view["table"].pop("own")
        if state["turn"] and state["turn"]["player"] != player:
            state["turn"]["legal"] = []
        assert view == state
        assert own["hand"] == referee["hands"].get(player, [])
        declares = player == state["table"]["declarer"]
        assert own["talon"] == (referee["talon"] if declares else [])
        assert own["given"] == [gift for gift in referee["given"] if declares or gift["to"] == player]
