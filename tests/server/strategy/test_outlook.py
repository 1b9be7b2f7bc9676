"""How games will end: exact outlooks against simulated ones and against what can be said on paper."""

from itertools import islice
from typing import Any

import pytest

from server.odds import odds
from server.rules import Game, new_game
from server.strategy.outlook import Simulation, exact, turn

from .conftest import AfterThrow, Played

EXACT: list[tuple[str, str, dict[str, Any]]] = [
    ("vingt-six", "abc", {}),
    ("vingt-six", "ab", {"bet_mode": "free", "bank_chips": 30, "rounds": 2}),
    ("quatorze", "abcd", {"rotate_banker": True, "games": 2}),
    ("vingt-cinq", "ab", {"life": 10}),
    ("421", "ab", {"manches": 1}),
]


def outlook(game: Game) -> dict[str, Any]:
    found = exact(game)
    assert found is not None
    return found


@pytest.mark.parametrize(("name", "players", "options"), EXACT, ids=str)
def test_exact_and_simulated_agree(name: str, players: str, options: dict[str, Any]) -> None:
    game = new_game(name, list(players), options)
    found, simulation = outlook(game), Simulation(game, seed=5)
    if name == "421":
        simulation._aim = "perfect"  # the exact outlook is that of perfect play
    simulation.play(lambda: simulation.games < 400)
    for player, told in simulation.told()["players"].items():
        for figure in "win", "expected":
            error = max(told[f"{figure}_error"], 1e-9)
            assert abs(told[figure] - found["players"][player][figure]) <= 4 * error


def test_the_chances_of_one_thrower_are_those_of_a_turn(after_throw: AfterThrow) -> None:
    game = new_game("quatorze", ["Ana", "Bo"])
    found = outlook(game)["players"]
    figures = odds("quatorze", {})["figures"]
    assert found["Bo"]["win"] == pytest.approx(figures["p_win"], abs=1e-12)
    assert found["Bo"]["expected"] == pytest.approx(2 * figures["expectation_stake_returned"], abs=1e-12)
    assert found["Ana"]["expected"] == pytest.approx(-found["Bo"]["expected"], abs=1e-12)
    game.play({"do": "bet", "chips": 2})
    game.play({"do": "throw", "dice": [1, 1, 1, 2, 2, 2, 3, 4, 5, 6]})
    before = outlook(game)["players"]["Bo"]["win"]  # one of two faces may be chosen, both came three times
    game.play({"do": "call", "face": 2})
    assert outlook(game)["players"]["Bo"]["win"] == pytest.approx(before, abs=1e-12)
    mean = sum(chance * outlook(after)["players"]["Bo"]["win"] for chance, after in islice(after_throw(game), 5000))
    assert mean == pytest.approx(before, abs=1e-9)


def test_the_totals_of_the_26_narrow_throw_by_throw(played: Played) -> None:
    for game in played("vingt-six", "ab", {}, "perfect", 3):
        told = turn(game)
        if not game.legal() or game.legal() == ("bet",):
            assert told is None
            continue
        assert told is not None
        assert sum(told["totals"]) == pytest.approx(1)
        made, total = len(game.table()["throws"]), game.table()["total"]
        possible = [number for number, chance in enumerate(told["totals"]) if chance]
        assert (possible[0], possible[-1]) == (total, total + 130 - 10 * made)
        assert told["win"] == pytest.approx(1 - told["odds"]["0"])


@pytest.mark.parametrize(
    ("name", "options", "sums"),
    [("vingt-cinq", {}, (1, 6)), ("421", {}, (None, 2)), ("thousand", {"preset": "club"}, (1, None))],
    ids=str,
)
def test_what_is_simulated_says_so(name: str, options: dict[str, Any], sums: tuple[int | None, int | None]) -> None:
    game = new_game(name, ["a", "b", "c"], options)
    assert exact(game) is None
    simulation = Simulation(game)
    assert simulation.told()["players"] == {}
    simulation.play(lambda: simulation.games < 5)
    told = simulation.told()
    assert (told["method"], told["games"]) == ("simulated", 5)
    assert all(each["win_error"] >= 0 for each in told["players"].values())
    for figure, wanted in zip(("win", "expected"), sums, strict=True):
        if wanted is not None:
            assert sum(each[figure] for each in told["players"].values()) == pytest.approx(wanted)


def test_a_few_games_that_end_alike_leave_a_chance_in_doubt() -> None:
    # It said 0 or 1 with no error at all where every game so far had the same winner.
    simulation = Simulation(new_game("421", ["a", "b", "c", "d"], {"manches": 1}))
    simulation.play(lambda: simulation.games < 1)
    assert simulation.told()["players"] == {}
    simulation.play(lambda: simulation.games < 2)
    told = simulation.told()["players"].values()
    # None, one or both of two games: the deviation of Laplace's chance (wins + 1) / 4.
    deviations = {0.0: (3 / 80) ** 0.5, 0.5: (1 / 20) ** 0.5, 1.0: (3 / 80) ** 0.5}
    assert all(each["win_error"] == pytest.approx(deviations[each["win"]]) for each in told)
    assert {each["win"] for each in told} & {0.0, 1.0}
    # One manche is lost by none or one: the same doubt, where two games alike have no spread.
    assert all(each["expected_error"] == pytest.approx(deviations[each["expected"]]) for each in told)


def test_places_known_from_a_few_games_that_end_alike_are_in_doubt() -> None:
    simulation = Simulation(new_game("vingt-cinq", ["a", "b", "c"], {"life": 1}))
    simulation.play(lambda: simulation.games < 2)
    told = list(simulation.told()["players"].values())
    # With one place more at either end: 1, 3, and twice the mean of those seen.
    alike = [each for each in told if each["expected"] in (1, 2, 3)]
    spread = {1: 2 * 1 / 2 - 0.25, 2: 0.5, 3: 2 * 1 / 2 - 0.25}
    assert alike
    assert all(each["expected_error"] == pytest.approx((spread[each["expected"]] / 5) ** 0.5) for each in alike)


def test_a_game_that_is_broken_off_counts_for_nothing() -> None:
    simulation = Simulation(new_game("vingt-cinq", ["a", "b", "c"]))
    asked = iter([True] * 20 + [False] * 2)
    simulation.play(lambda: next(asked))
    assert simulation.games == 0


@pytest.mark.parametrize("name", ["vingt-six", "vingt-cinq", "421"])
def test_a_game_that_is_over_has_the_outlook_it_had(played: Played, name: str) -> None:
    *_, game = played(name, "ab", {}, "bold", 8)
    found = outlook(game)
    assert {each["win"] for each in found["players"].values()} <= {0.0, 1.0}
