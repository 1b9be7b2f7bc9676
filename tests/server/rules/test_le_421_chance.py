"""Le 421 with options and games of chance: laws that every game must keep."""

import copy
import json
import random
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from server.rules import IllegalAction
from server.rules.le_421 import Le421


def test_many_players() -> None:
    game = Le421([str(number) for number in range(2000)], {"manches": 1})
    chance = random.Random(421)
    for _ in range(20_000):
        if not game.awaits:
            break
        game.play(a_legal(game, chance))
    assert sum(game.scores().values()) + game.table()["pot"] == 11


CHOICES: dict[str, list[Any]] = {
    "version": ["11", "41", "21"],
    "order": ["aces_first", "triples_first", "mixed"],
    "nenette": ["lowest", "above_simple"],
    "charge_throws": [1, 2, 3],
    "cumulative": [False, True],
    "followers": ["exact", "at_most"],
    "le_bon": ["stand", "last_throw", "off"],
    "opener": ["fewest", "most"],
    "lead": ["loser", "stays"],
    "ties": ["rampeau", "first"],
    "manches": [1, 2],
}
OPTIONS = st.fixed_dictionaries({}, optional={name: st.sampled_from(values) for name, values in CHOICES.items()})


@st.composite
def games(draw: st.DrawFn) -> Le421:
    options = draw(OPTIONS)
    if options.get("version") == "41" and options.get("manches") != 1 and draw(st.booleans()):
        options["cow_tail"] = draw(st.integers(42, 81))
    return Le421([f"P{seat}" for seat in range(draw(st.integers(2, 8)))], options)


def an_action(game: Le421, do: str, chance: random.Random) -> dict[str, Any]:
    """An action of that name, legal if the name is."""
    if do == "throw":
        # Few faces make many ties.
        top = chance.choice((2, 6))
        return {"do": do, "dice": [chance.randint(1, top) for _ in range(game.dice or 3)]}
    if do == "keep":
        return {"do": do, "dice": chance.sample(game.table()["dice"] or [1, 2, 3], chance.randint(0, 2))}
    return {"do": do}


def a_legal(game: Le421, chance: random.Random) -> dict[str, Any]:
    return an_action(game, chance.choice(game.legal()), chance)


def walk(game: Le421, chance: random.Random, most: int) -> Iterator[dict[str, Any]]:
    for _ in range(most):
        if not game.awaits:
            return
        action = a_legal(game, chance)
        game.play(action)
        yield action


CHANCE = st.randoms(use_true_random=True)


@settings(max_examples=150, deadline=None)
@given(games(), CHANCE)
def test_the_log_accounts_for_every_fiche(game: Le421, chance: random.Random) -> None:
    for _ in walk(game, chance, 400):
        # A cow tail too comes out of the pot, so there are never more fiches than the version has.
        assert sum(game.scores().values()) + game.table()["pot"] == int(game.options["version"])
        assert min(game.scores().values()) >= 0
    assert accounts(game) == (game.scores(), *map(game.table().get, ("pot", "withdrawn", "losers")))


def accounts(game: Le421) -> tuple[dict[str, int], int, list[str], list[str]]:
    """Fiches, pot, withdrawn and losers as the log alone tells them."""
    fiches: dict[str, int] = {}
    pot, withdrawn, losers = 0, list[str](), list[str]()
    for entry in game.log:
        match entry["event"]:
            case "manche":
                fiches, pot, withdrawn = dict.fromkeys(game.players, 0), entry["pot"], []
            case "take" | "cow_tail":
                fiches[entry["player"]] += entry["fiches"]
                pot -= entry["fiches"]
                assert pot == entry["pot"]
            case "give":
                assert entry["fiches"] == min(entry["due"], fiches[entry["player"]])
                fiches[entry["player"]] -= entry["fiches"]
                fiches[entry["to"]] += entry["fiches"]
            case "withdraw":
                assert not fiches[entry["player"]]
                withdrawn.append(entry["player"])
            case "manche_lost":
                assert fiches[entry["player"]] == int(game.options["version"])
                losers.append(entry["player"])
    return fiches, pot, withdrawn, losers


@settings(max_examples=60, deadline=None)
@given(games(), CHANCE)
def test_exactly_the_legal_actions_succeed(game: Le421, chance: random.Random) -> None:
    for _ in walk(game, chance, 80):
        before = game.state()
        kept = copy.deepcopy(before)
        assert list(game.legal()) == sorted(game.legal())
        assert (game.dice > 0) == ("throw" in game.legal())
        for do in Le421.MOVES:
            twin = game.fork()
            action = an_action(game, do, chance)
            if do in game.legal():
                twin.play(action)
                assert twin.state() != before
            else:
                with pytest.raises(IllegalAction):
                    twin.play(action)
                assert twin.state() == before
        assert game.state() == before == kept


@settings(max_examples=60, deadline=None)
@given(games(), CHANCE)
def test_a_replay_gives_the_same_state(game: Le421, chance: random.Random) -> None:
    actions, options = list(walk(game, chance, 400)), game.options
    again = Le421(game.players, options)
    for action in json.loads(json.dumps(actions)):
        again.play(action)
    assert again.state() == game.state()
    assert json.loads(json.dumps(game.state())) == game.state()


@settings(max_examples=60, deadline=None)
@given(games(), CHANCE, st.integers(0, 150))
def test_states_and_forks_stay_as_they_were(game: Le421, chance: random.Random, steps: int) -> None:
    for _ in walk(game, chance, steps):
        pass
    state, twin = game.state(), game.fork()
    kept = copy.deepcopy(state)
    for _ in walk(game, chance, 60):
        pass
    assert state == kept == twin.state()


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
DICE = st.lists(st.integers(0, 7) | st.booleans() | st.floats(1, 6), max_size=4) | JSON
ACTIONS = JSON | st.fixed_dictionaries(
    {"do": st.sampled_from([*Le421.MOVES, "pass"]) | JSON}, optional={"dice": DICE, "face": JSON}
)


@settings(max_examples=300, deadline=None)
@given(games(), CHANCE, st.integers(0, 60), ACTIONS)
def test_any_other_action_is_refused_without_a_trace(
    game: Le421, chance: random.Random, steps: int, action: object
) -> None:
    for _ in walk(game, chance, steps):
        pass
    before = game.state()
    try:
        game.play(action)
    except IllegalAction:
        assert game.state() == before
    else:
        assert isinstance(action, dict)
        assert action["do"] in before["turn"]["legal"]
        assert action.keys() == {"do", *Le421.MOVES[action["do"]]}
