"""The solved races of two: each position is the mean over every throw on the engine, and the best of every choice."""

from itertools import chain, islice
from typing import Any

import pytest

from server.rules import Game
from server.strategy import le_421, vingt_cinq, weigh
from server.strategy.outlook import prepare

from .conftest import AfterThrow, Played

RACES: list[tuple[str, dict[str, Any]]] = [
    ("vingt-cinq", {"life": 12}),
    ("vingt-cinq", {"life": 7, "attack_again": True}),
    ("421", {"manches": 1}),
    ("421", {"manches": 1, "le_bon": "last_throw", "lead": "stays", "opener": "most", "order": "mixed"}),
    ("421", {"manches": 1, "followers": "at_most", "le_bon": "off", "charge_throws": 2, "ties": "first"}),
]


def worth(game: Game, player: str) -> float:
    """The chance of a player by the solved race, or how the game ended."""
    if not game.legal():
        result = game.result()
        won: bool = result["winner"] == player if game.NAME == "vingt-cinq" else not result["rounds"][player]
        return float(won)
    mine = vingt_cinq.chance(game) if game.NAME == "vingt-cinq" else le_421.chance(game)
    return mine if game.actor == player else 1 - mine


@pytest.mark.parametrize(("name", "options"), RACES, ids=str)
def test_each_position_is_what_the_engine_makes_of_it(
    played: Played, after_throw: AfterThrow, name: str, options: dict[str, Any]
) -> None:
    for game in islice(played(name, "ab", options, ["perfect", "bold"], 25), 0, 60, 5):
        if "throw" in game.legal():
            mean = sum(chance * worth(after, game.actor) for chance, after in after_throw(game))
            assert worth(game, game.actor) == pytest.approx(mean, abs=1e-9)


@pytest.mark.parametrize(("name", "options"), RACES, ids=str)
def test_the_best_choice_beats_every_deviation(played: Played, name: str, options: dict[str, Any]) -> None:
    met = 0
    games = (played(name, "ab", options, ["bold", "perfect"], seed) for seed in range(4))
    for game in chain.from_iterable(games):
        weighed = weigh(game)
        if weighed is None:
            continue
        for choice in weighed.choices:
            after = game.fork()
            after.play(choice.action)
            assert choice.worth == pytest.approx(worth(after, game.actor), abs=1e-9)
        met += len(weighed.choices) > 1
        assert weighed.choices[0].worth == max(choice.worth for choice in weighed.choices)
        assert worth(game, game.actor) == pytest.approx(weighed.choices[0].worth, abs=1e-9)
    assert met > 15


def test_the_race_of_the_25_is_solved_once_in_a_game(played: Played) -> None:
    # It took up to half a second after each loss from more than 25 life points.
    before = vingt_cinq.race.cache_info().misses
    for game in islice(played("vingt-cinq", "ab", {"life": 31}, "careful", 3), 200):
        weigh(game)
    assert vingt_cinq.race.cache_info().misses == before + 1


def test_the_race_of_the_25_is_solved_before_it_is_needed(played: Played) -> None:
    game = next(played("vingt-cinq", "abc", {"life": 27}, "careful", 3))
    prepare(game)
    solved = vingt_cinq.race.cache_info().misses
    for after in played("vingt-cinq", "abc", {"life": 27}, "careful", 3):
        weigh(after)
    assert vingt_cinq.race.cache_info().misses == solved
