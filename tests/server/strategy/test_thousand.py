"""Thousand: a turn is worth the mean over every throw on the engine, its ends what the engine makes of them."""

from collections import Counter
from collections.abc import Mapping
from itertools import chain, islice
from random import Random
from typing import Any

import pytest

from calibration.evidence import independence
from server.odds import odds
from server.rules import Game, new_game
from server.rules.thousand import Thousand
from server.strategy import chosen, weigh
from server.strategy.thousand import place, race_of
from server.strategy.turn_thousand import Ends, Turn, house

from .conftest import AfterThrow, Played

HOUSES: list[dict[str, Any]] = [
    {"preset": "shop", "set_aside": "some", "overtaking": 100},
    {"preset": "home", "final_barrel": 600, "barrel_attempts": 2},
    {"preset": "club", "ending": "exact", "bust_fine_at": 1},
]


def worth(game: Game, player: str) -> float:
    """The chance of a player who may still act, or whose turn has just ended."""
    if not game.legal():
        return float(game.result()["winner"] == player)
    if game.actor == player and "throw" not in game.legal():
        weighed = weigh(game)
        assert weighed is not None
        return weighed.choices[0].worth
    places = {name: place(game.scores()[name], told["entered"]) for name, told in game.table()["players"].items()}
    mine = places.pop(player)
    return float(race_of(game).win(tuple(places.values()))[mine])


@pytest.mark.parametrize("options", HOUSES, ids=str)
def test_a_choice_is_worth_what_the_engine_makes_of_it(
    played: Played, after_throw: AfterThrow, options: Mapping[str, Any]
) -> None:
    games = (played("thousand", "abc", dict(options), ["points", "careful", "bold"], seed) for seed in range(2))
    thrown = ended = 0
    for game in islice(chain.from_iterable(games), 0, 500, 9):
        weighed = weigh(game)
        if weighed is None:
            continue
        for choice in weighed.choices:
            after = game.fork()
            if choice.action == {"do": "throw"}:
                if thrown < 3 and game.dice < 4:
                    mean = sum(chance * worth(follows, game.actor) for chance, follows in after_throw(after))
                    assert choice.worth == pytest.approx(mean, abs=1e-9)
                    thrown += 1
                continue
            after.play(choice.action)
            if not after.legal() or after.actor != game.actor:
                assert choice.worth == pytest.approx(worth(after, game.actor), abs=1e-12)
                ended += 1
            elif choice.action["do"] == "keep":
                following = weigh(after)
                assert choice.worth == pytest.approx(following.choices[0].worth if following else choice.worth)
    assert thrown == 3
    assert ended > 2


@pytest.mark.parametrize("preset", ["shop", "home"])
def test_a_turn_for_points_is_that_of_the_odds(preset: str) -> None:
    # The exact odds are of a turn without the dump truck and without an end of the game.
    game = new_game("thousand", ["a", "b"], {"preset": preset})
    rules = house({**game.options, "dump_truck": 0, "ending": "reach"})
    banked = tuple(5.0 * step for step in range(400))
    turn = Turn(rules, Ends(-10_000, 5, banked, 0.0, 0.0, 0.0, 0.0, 1000.0))
    figure = odds("thousand", {"preset": preset})["figures"]["best_turn_mean"]
    assert turn.begin() == pytest.approx(figure, rel=1e-6)
    assert sum(turn.ends().values()) == pytest.approx(1)
    mean = sum(points * chance for (way, points), chance in turn.ends().items() if way == "banked")
    mean += 1000 * sum(chance for (way, _), chance in turn.ends().items() if way == "five_ones")
    assert mean == pytest.approx(figure, rel=1e-3)


@pytest.mark.parametrize(
    ("options", "score"),
    [
        ({"preset": "club", "overtaking": 0, "dump_truck": 0}, 0),
        ({"preset": "shop"}, 960),
        ({"preset": "home", "set_aside": "all", "final_barrel": 600, "barrel_attempts": 1}, 600),
    ],
    ids=["begins", "nearly home", "needs 400"],
)
def test_the_ends_of_a_turn_are_those_of_turns_played_for_points(options: dict[str, Any], score: int) -> None:
    """Both from the engine: turns thrown die by die, and turns of which only the end is drawn."""
    game, chance, number = opened(options, score), Random(17), 1000
    assert game.opening == (score, score > 0)
    thrown: Counter[Any] = Counter()
    drawn: Counter[Any] = Counter()
    race = race_of(game)
    for _ in range(number):
        for counted, turn in ((thrown, game.fork()), (drawn, game.fork())):
            if counted is drawn:
                end = race.drawn(score, score > 0, chance.random())
                assert end is not None
                turn.settle(*end)
            while turn.legal() and turn.actor == "Ana":
                action = chosen(turn, "points")
                if action == {"do": "throw"}:
                    action = {"do": "throw", "dice": chance.choices(range(1, 7), k=turn.dice)}
                turn.play(action)
            told = turn.table()["players"]["Ana"]
            counted[min(turn.scores()["Ana"], 1000), not turn.legal(), told["bolts"], told["falls"]] += 1
    table = [[thrown[end], drawn[end]] for end in thrown | drawn if thrown[end] + drawn[end] > 20]
    assert independence(table).p > 1e-4


def opened(options: dict[str, Any], score: int) -> Thousand:
    """A game in which Ana, with so many points, is about to begin a turn."""
    game = Thousand(["Ana", "Bo"], options)
    if score:
        game.settle("banked", score)
        game.settle("lost", 0)
    return game


def test_the_race_knows_who_is_ahead() -> None:
    race = race_of(new_game("thousand", ["a", "b"], {"preset": "club"}))
    level, behind = race.win((100,)), race.win((150,))
    assert level[100] < 0.5  # the other throws first
    assert level[150] > level[100] > behind[100]
    assert race.within[-1].tolist() == [1.0] * race.within.shape[1]


def test_the_bold_get_home_where_every_third_lost_turn_is_fined(played: Played) -> None:
    decisions = sum(1 for _ in islice(played("thousand", "ABC", {"preset": "club"}, "bold", 7), 6000))
    assert decisions < 6000
