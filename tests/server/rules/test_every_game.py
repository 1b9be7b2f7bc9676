"""What holds for every game there is: offers that are true, refusals without a trace, nothing shared by accident."""

import copy
import json
import random
from collections.abc import Iterator
from itertools import combinations_with_replacement
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from server.record import Refused, parse, record_of, replay
from server.rules import GAMES, BadRecord, Game, IllegalAction, new_game, short
from server.rules.cards import CARDS
from server.rules.game import OneOf, Option, Whole
from server.rules.thousand_cards import ThousandCards

Action = dict[str, Any]

NAMES = ["Ana", "Bo", "Cyr", "Dee", "Eve", "Flo", "Gus", "Hal"]
SEATS = {name: (3, 4) if name == ThousandCards.NAME else (2, 8) for name in GAMES}
RNG = st.integers(0, 2**32).map(random.Random)


def option_values(option: Option) -> st.SearchStrategy[Any]:
    match option:
        case OneOf():
            return st.sampled_from(option.choices)
        case Whole():
            low, high, step = option.low, option.high or 2, option.step
            few = st.integers(low // step, min(high, low + 60 * step) // step)
            return (few | st.just(high // step)).map(lambda steps: step * steps)
    if option.name == "barrels":
        return st.sampled_from([[], [[5, 10]], [[200, 300], [305, 700]], [[900, 1000]]])
    return st.booleans()


@st.composite
def games(draw: st.DrawFn, name: str | None = None) -> Game:
    """A game before its first action; choices that do not go together fall back to the usual rules."""
    name = name or draw(st.sampled_from(sorted(GAMES)))
    players = NAMES[: draw(st.integers(*SEATS[name]))]
    optional = {option.name: option_values(option) for option in GAMES[name].OPTIONS}
    options = draw(st.fixed_dictionaries({}, optional=optional))
    try:
        return new_game(name, players, options)
    except BadRecord:
        return new_game(name, players, {})


def any_value(choice: Any, rng: random.Random) -> Any:
    """One of the values of an offer's field."""
    if isinstance(choice, str):
        return choice
    return rng.choice(choice["one_of"]) if "one_of" in choice else rng.randint(choice["from"], choice["to"])


def any_action(game: Game, rng: random.Random) -> Action:
    """An action whose name is legal; in the game of cards its fields may not be."""
    name = rng.choice(game.legal())
    if name == "throw":
        # Few faces make many ties, hits and combinations.
        faces = rng.sample(range(1, 7), rng.choice((1, 2, 6)))
        return {"do": name, "dice": rng.choices(faces, k=game.dice)}
    if isinstance(game, ThousandCards):
        return {"do": name, **card_fields(game, name, rng)}
    (offer,) = (offer for offer in game.offers() if offer["do"] == name)
    return {field: any_value(choice, rng) for field, choice in offer.items()}


def card_fields(game: ThousandCards, name: str, rng: random.Random) -> Action:
    if name == "deal":
        pack = rng.sample(CARDS, 24)
        return {"hands": [pack[:7], pack[7:14], pack[14:21]], "talon": pack[21:]}
    table = game.table()
    hand = table["referee"]["hands"][game.actor]
    match name:
        case "bid":
            return {"points": table["bid"]["points"] + 5 if table["bid"] else 100}
        case "give":
            return {"cards": rng.sample(hand, 2)}
        case "order":
            return {"points": table["order"]}
        case "play":
            return {"card": rng.choice(hand), "marriage": rng.random() < 0.3}
    return {}


def walk(game: Game, rng: random.Random, most: int) -> Iterator[Action]:
    """Play on to the end or so many actions; each action that was taken."""
    number = 0
    while game.legal() and number < most:
        action = any_action(game, rng)
        if taken(game, action):
            assert isinstance(game, ThousandCards)
            continue
        number += 1
        yield action


def taken(game: Game, action: Any) -> str:
    """Why a game does not take an action, or nothing."""
    try:
        game.play(action)
    except IllegalAction as refused:
        return str(refused)
    return ""


def text(value: Any) -> str:
    """As JSON, where true is not 1."""
    return json.dumps(value, sort_keys=True)


def accepts(game: Game, action: Action) -> bool:
    """Whether a game would take an action; a refusal must leave it as it was."""
    twin = game.fork()
    if taken(twin, action):
        assert twin.state() == game.state()
        return False
    return True


DICE = [list(dice) for number in range(6) for dice in combinations_with_replacement(range(1, 7), number)]


def strays(choice: Any, rng: random.Random) -> list[Any]:
    """Values that look like those of an offer's field and are not among them."""
    if "from" in choice:
        return [choice["from"] - 1, choice["to"] + 1, True, float(choice["from"]), str(choice["from"]), None]
    offered = choice["one_of"]
    if isinstance(offered[0], list):
        known = [sorted(dice) for dice in offered]
        strange = [[*offered[0], 7], [True], [1.0], [0], None]
        few, many = DICE[:28], DICE[28:]  # up to two dice, and more
        return [dice for dice in (*few, *rng.sample(many, 20)) if dice not in known] + strange
    return [face for face in range(-1, 9) if face not in offered] + [True, float(offered[0]), [offered[0]]]


@settings(max_examples=300, deadline=None)
@given(games(), RNG, st.integers(0, 80))
def test_offers_are_exactly_what_may_be_done(game: Game, rng: random.Random, steps: int) -> None:
    seen = {action["do"]: action for action in walk(game, rng, steps)}
    assert [offer["do"] for offer in game.offers()] == [name for name in game.legal() if name != "throw"]
    for offer in game.offers():
        if isinstance(game, ThousandCards):
            continue  # names alone
        assert offer.keys() == {"do", *game.MOVES[offer["do"]]}
        action = {field: any_value(choice, rng) for field, choice in offer.items()}
        for field, choice in offer.items():
            if field == "do":
                continue
            values = choice["one_of"] if "one_of" in choice else [choice["from"], choice["to"]]
            assert "from" in choice or len(set(map(text, values))) == len(values)
            assert all(accepts(game, {**action, field: value}) for value in values)
            assert not any(accepts(game, {**action, field: value}) for value in strays(choice, rng))
        assert accepts(game, action)
    for name, action in seen.items():
        if name not in game.legal():
            assert not accepts(game, action)


@settings(max_examples=120, deadline=None)
@given(games(), RNG, st.integers(0, 200))
def test_a_throw_has_just_the_dice_that_are_asked_for(game: Game, rng: random.Random, steps: int) -> None:
    for _ in walk(game, rng, steps):
        pass
    for number in range(12):
        dice = rng.choices(range(1, 7), k=number)
        assert accepts(game, {"do": "throw", "dice": dice}) == ("throw" in game.legal() and number == game.dice)
    for stranger in (0, 7, True, 1.0, "1", None, [1]):
        assert not accepts(game, {"do": "throw", "dice": [stranger, *[1] * (game.dice - 1)]})


def check_form(game: Game) -> None:
    """What every page says of a state."""
    state = game.state()
    assert text(json.loads(text(state))) == text(state)
    assert not list(floats(state))
    turn = state["turn"]
    assert state["finished"] == (turn is None) == (state["result"] is not None)
    assert list(state["scores"]) == state["players"]
    if turn:
        assert turn["legal"] == sorted(set(turn["legal"]))
        assert turn["legal"]
        assert turn["player"] in state["players"]
        assert (turn["dice"] > 0) == ("throw" in turn["legal"])


def floats(value: Any) -> Iterator[float]:
    """The numbers in a value that are not whole."""
    if isinstance(value, float):
        yield value
    elif isinstance(value, (list, dict)):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from floats(inner)


@settings(max_examples=100, deadline=None)
@given(games(), RNG, st.integers(0, 500))
def test_the_record_of_a_game_replays_to_the_same_state(game: Game, rng: random.Random, steps: int) -> None:
    actions = list(walk(game, rng, steps))
    check_form(game)
    record = record_of(game, actions)
    assert text(replay(parse(text(record).encode())).state()) == text(game.state())
    turned = json.loads(text(record), object_pairs_hook=lambda pairs: dict(reversed(pairs)))
    assert text(replay(turned).state()) == text(game.state())


@settings(max_examples=100, deadline=None)
@given(games(), RNG, st.integers(0, 150))
def test_twins_and_earlier_states_are_left_alone(game: Game, rng: random.Random, steps: int) -> None:
    for _ in walk(game, rng, steps):
        pass
    state, twin = game.state(), game.fork()
    before, offers = text(state), text(game.offers())
    for _ in walk(game, rng, 60):
        pass
    assert text(state) == text(twin.state()) == before
    assert text(twin.offers()) == offers
    after = text(game.state())
    for _ in walk(twin, rng, 60):
        pass
    assert text(game.state()) == after


def deface(value: Any) -> None:
    """Change every list and object in a value."""
    for inner in list(value.values()) if isinstance(value, dict) else list(value):
        if isinstance(inner, (list, dict)):
            deface(inner)
    if isinstance(value, dict):
        value["defaced"] = True
    else:
        value.append("defaced")


@settings(max_examples=100, deadline=None)
@given(games(), RNG)
def test_what_a_caller_hands_in_or_gets_stays_the_callers(game: Game, rng: random.Random) -> None:
    players, options = list(game.players), copy.deepcopy(game.options)
    again = new_game(game.NAME, players, options)
    deface(players)
    deface(options)
    for action in walk(game, rng, 80):
        mine = copy.deepcopy(action)
        again.play(mine)
        deface(mine)
        for handed_out in (again.offers(), again.scores(), again.table(), again.state()["options"]):
            deface(handed_out)
        assert text(again.table()) == text(game.table())
    assert text(again.state()) == text(game.state())


def nested(depth: int) -> list[Any]:
    deep: list[Any] = []
    for _ in range(depth):
        deep = [deep]
    return deep


MONSTERS = {
    "deep": nested(100_000),
    "not so deep": nested(500),
    "deep object": {"do": {"do": nested(5000)}},
    "huge": 10**5000,
    "a list of the huge": [10**5000],
    "negative": -(10**30),
    "nan": float("nan"),
    "infinity": float("inf"),
    "surrogate": "\ud800",
    "long": "x" * 10_000_000,
    "long list": [1] * 1_000_000,
    "a list of the long": ["x" * 1_000_000],
    "true": True,
    "false": False,
    "null": None,
    "zero": 0,
    "fraction": 1.0,
    "empty text": "",
    "digit": "1",
    "list": [],
    "object": {},
    "true in a list": [True],
    "list in a list": [[1], [2]],
}
MONSTER = pytest.mark.parametrize("monster", MONSTERS.values(), ids=MONSTERS.keys())
EVERY_GAME = pytest.mark.parametrize("name", sorted(GAMES))


def twisted(game: Game, monster: Any, rng: random.Random) -> Iterator[Any]:
    """The monster as an action, in place of each part of a proper one, and beside it."""
    yield monster
    yield {"do": monster}
    for name in game.MOVES:
        yield {"do": name, **dict.fromkeys(game.MOVES[name], monster)}
    action = any_action(game, rng)
    for field, value in action.items():
        yield {**action, field: monster}
        yield {**action, field: [monster]}
        if isinstance(value, list) and value:
            yield {**action, field: [*value[:-1], monster]}
            yield {**action, field: [*value, monster]}
    yield {**action, "more": monster}


@MONSTER
@EVERY_GAME
def test_no_monster_is_an_action(name: str, monster: Any) -> None:
    rng = random.Random(name)
    game = new_game(name, NAMES[:3])
    met = set()
    for _ in walk(game, rng, 100):
        before, legal = text(game.state()), game.legal()
        if not legal or legal in met:
            continue
        met.add(legal)
        for action in twisted(game, monster, rng):
            twin = game.fork()
            message = taken(twin, action)
            if message:
                assert len(message) < 600
                assert text(twin.state()) == before
            else:
                # Only what is no monster here: an empty keep at 421, the flag of a marriage.
                assert action["do"] in legal
                assert action.keys() == {"do", *game.MOVES[action["do"]]}
                check_form(twin)


@MONSTER
@pytest.mark.parametrize("key", ["format", "game", "players", "options", "actions", "more"])
def test_no_monster_is_a_record(key: str, monster: Any) -> None:
    record = {"format": 1, "game": "421", "players": ["Ana", "Bo"], "options": {}, "actions": []}
    tried = [monster, {**record, key: monster}]
    if isinstance(record.get(key), list):
        tried.append({**record, key: [monster, monster]})
        tried.append({**record, key: ["Bo", monster]})
    if key == "options":
        tried += [{**record, key: {option.name: monster}} for option in GAMES["421"].OPTIONS]
    for strange in tried:
        try:
            check_form(replay(strange))
        except Refused as refused:
            message = str(refused)
        else:
            message = ""
        assert len(message) < 600


@EVERY_GAME
def test_no_monster_is_an_option(name: str) -> None:
    for option in GAMES[name].OPTIONS:
        for monster in MONSTERS.values():
            if option.allows(monster, 3):
                continue
            with pytest.raises(BadRecord, match=option.name):
                new_game(name, NAMES[:3], {option.name: monster})


@MONSTER
def test_whatever_is_named_in_a_message_is_named_shortly(monster: Any) -> None:
    assert len(short(monster)) <= 80


def test_what_is_named_in_a_message_is_named_as_it_was_given() -> None:
    assert short([1, True, None, 5.0, {"a": "b"}]) == '[1, true, null, 5.0, {"a": "b"}]'
    assert short('say "é"') == '"say \\"é\\""'
    assert short("Ошибка\u202e \x9b\ud800 \U0001f469\u200d\U0001f9b0") == (
        '"Ошибка\\u202e \\x9b\\ud800 \U0001f469\u200d\U0001f9b0"'
    )
    assert short(10**400) == short(float("inf")) == "a huge number"


@pytest.mark.parametrize(
    ("letter", "said", "room"), [("Ж", "Ж", 76), ("\x00", "\\u0000", 12), ("\u202e", "\\u202e", 12)]
)
def test_what_is_cut_in_a_message_is_cut_between_letters(letter: str, said: str, room: int) -> None:
    assert short(letter * 100) == f'"{said * room}...'


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(), max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=10,
)
SMALL = st.integers(-1, 7) | st.booleans() | st.floats(1, 6) | st.sampled_from(CARDS)
FIELD = SMALL | st.lists(SMALL, max_size=5) | JSON


@st.composite
def actions(draw: st.DrawFn, game: Game) -> Any:
    """Anything at all, or a name with its own fields and a strange one."""
    name = draw(st.sampled_from([*game.MOVES, "win"]))
    fields = {field: draw(FIELD) for field in game.MOVES.get(name, ())}
    return draw(
        JSON | st.just({"do": name, **fields}) | st.builds(dict, FIELD.map(lambda value: {"do": name, "x": value}))
    )


@settings(max_examples=300, deadline=None)
@given(st.data(), games(), RNG, st.integers(0, 60))
def test_any_action_is_taken_whole_or_refused_without_a_trace(
    data: st.DataObject, game: Game, rng: random.Random, steps: int
) -> None:
    for _ in walk(game, rng, steps):
        pass
    before, legal = text(game.state()), game.legal()
    action = data.draw(actions(game))
    if taken(game, action):
        assert text(game.state()) == before
    else:
        assert action["do"] in legal
        assert action.keys() == {"do", *game.MOVES[action["do"]]}
        assert text(game.state()) != before
