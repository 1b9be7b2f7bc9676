"""Where a turn or a coup is played for itself: no other choice, then played on as well as can be, is worth more.

What a choice is worth is worked out again on the engine, over every throw and every later choice.
"""

from collections.abc import Callable
from typing import Any

import pytest

from server.odds import odds
from server.rules import Game, new_game
from server.strategy import weigh

from .conftest import AfterThrow

Worth = Callable[[Game], float]


def best(game: Game, after_throw: AfterThrow, is_over: Callable[[Game], bool], worth: Worth) -> float:
    """The best mean worth that can be reached from here, by the engine alone."""
    if is_over(game):
        return worth(game)
    if game.legal() == ("throw",):
        return sum(chance * best(after, after_throw, is_over, worth) for chance, after in after_throw(game))
    return max(best(after, after_throw, is_over, worth) for _, after in choices(game))


def choices(game: Game) -> list[tuple[dict[str, Any], Game]]:
    """Each choice that the engine offers, and the game after it."""
    found = []
    for do in game.legal():
        fields = game.choices(do)
        every = fields["dice"]["one_of"] if fields else [None]
        for dice in every:
            action = {"do": do} if dice is None else {"do": do, "dice": dice}
            after = game.fork()
            after.play(action)
            found.append((action, after))
    return found


def check(game: Game, after_throw: AfterThrow, is_over: Callable[[Game], bool], worth: Worth) -> None:
    weighed = weigh(game)
    assert weighed is not None
    told = {str(choice.action): choice.worth for choice in weighed.choices}
    found = {str(action): best(after, after_throw, is_over, worth) for action, after in choices(game)}
    assert told == pytest.approx(found, abs=1e-9)
    assert weighed.choices[0].worth == pytest.approx(max(found.values()), abs=1e-9)


@pytest.mark.parametrize(
    ("lives", "kept"), [(25, [[6]]), *((lives, kept) for lives in (25, 6, 2) for kept in ([[6], [6, 6]], [[5], [4]]))]
)
def test_the_25_of_three_is_played_for_points_taken_less_points_lost(
    after_throw: AfterThrow, lives: int, kept: list[list[int]]
) -> None:
    game = new_game("vingt-cinq", ["Ana", "Bo", "Cyr"], {"life": lives})
    left = 5
    for dice in kept:
        game.play({"do": "throw", "dice": [*dice, *[1] * (left - len(dice))]})
        game.play({"do": "keep", "dice": dice})
        left -= len(dice)
    game.play({"do": "throw", "dice": [5, 5, 2, 2][:left]})
    figures = odds("vingt-cinq", {})["figures"]

    def net(after: Game) -> float:
        if after.legal() and after.actor == "Ana":  # an attack, whose dice nobody chooses
            face = after.table()["attack_face"]
            damage = (figures[f"attack_p_kept_{number}"] * min(face * number, 2 * lives) for number in range(6))
            return float(sum(damage))
        return float(after.scores()["Ana"] - lives)

    check(game, after_throw, lambda after: after.table()["phase"] != "build" or after.actor != "Ana", net)


@pytest.mark.parametrize("again", [False, True])
def test_an_attack_on_many_life_points_is_worth_its_mean_damage(again: bool) -> None:
    """From some 160 life points of each it failed, where the attack goes on after five dice."""
    game = new_game("vingt-cinq", ["Ana", "Bo", "Cyr", "Dia"], {"life": 1000, "attack_again": again})
    for left in range(5, 1, -1):
        game.play({"do": "throw", "dice": [6, *[1] * (left - 1)]})
        game.play({"do": "keep", "dice": [6]})
    game.play({"do": "throw", "dice": [6]})
    weighed = weigh(game)
    assert weighed is not None
    mean = odds("vingt-cinq", {})["figures"]["attack_again_mean_dice_kept" if again else "attack_mean_dice_kept"]
    assert weighed.choices[0].worth == pytest.approx(5 * mean, rel=1e-12)


@pytest.mark.parametrize("name", ["vingt-six", "quatorze"])
@pytest.mark.parametrize("bank", [3, 12, 100])
@pytest.mark.parametrize("returned", [True, False])
def test_a_stake_is_worth_what_the_engine_pays(name: str, bank: int, returned: bool) -> None:
    options = {"bet_mode": "capped", "bet": 6, "bank_chips": bank, "stake_returned": returned}
    game = new_game(name, ["Ana", "Bo"], options)
    weighed = weigh(game)
    assert weighed is not None
    for choice in weighed.choices:
        after = game.fork()
        after.play(choice.action)
        mean = sum(chance * paid(after, odds) for odds, chance in bank_odds(after).items())
        assert choice.worth == pytest.approx(mean, abs=1e-12)
    assert weighed.choices[0].worth == max(choice.worth for choice in weighed.choices)


def paid(staked: Any, odds: int) -> int:
    """What a turn that is paid so brings Bo; the bank pays no more than it has."""
    after = staked.fork()
    after.settle(odds)
    result = after.result()
    return int(result["net"]["Bo"])


def bank_odds(game: Game) -> dict[int, float]:
    """The chances of what a turn is paid, from the game's own odds."""
    figures = odds(game.NAME, {})["figures"]
    if game.NAME == "quatorze":
        return {8: figures["p_win"], 0: 1 - figures["p_win"]}
    lines = {"p_10_or_less": 10, "p_13": 5, "p_26": 4, "p_27": 5, "p_28": 6, "p_29": 8, "p_30_or_more": 10}
    found = {0: figures["p_lose"]}
    for line, paid_at in lines.items():
        found[paid_at] = found.get(paid_at, 0.0) + figures[line]
    return found


def test_a_hand_that_one_more_follows_is_worth_what_the_best_answer_leaves(after_throw: AfterThrow) -> None:
    """Every throw of both on the engine; the last of three answers by its own best choices.

    Of answers that are worth the same to that one, any may be taken, so that two figures bound what is left.
    """
    options = {"charge_throws": 2, "followers": "at_most", "ties": "first"}
    game = new_game("421", ["Ana", "Bo", "Cyr"], options)
    for action in ({"do": "throw", "dice": [5, 4, 3]}, {"do": "keep", "dice": [4]}, {"do": "throw", "dice": [6, 4]}):
        game.play(action)
    game.play({"do": "throw", "dice": [6, 6, 5]})
    assert game.actor == "Bo"
    left_by: dict[str, tuple[float, float]] = {}

    def left(after: Game) -> tuple[float, float]:
        if after.log[-1]["event"] == "take":
            return (-float(after.log[-1]["fiches"] * (after.log[-1]["player"] == "Bo")),) * 2
        if after.legal() == ("throw",):
            every = [(chance, left_once(each)) for chance, each in after_throw(after)]
            return sum(chance * low for chance, (low, _) in every), sum(chance * high for chance, (_, high) in every)
        answers = weigh(after)
        assert answers is not None
        best = answers.choices[0].worth
        found = []
        for choice in answers.choices:
            if choice.worth > best - 1e-12:
                answered = after.fork()
                answered.play(choice.action)
                found.append(left(answered))
        return min(low for low, _ in found), max(high for _, high in found)

    def left_once(after: Game) -> tuple[float, float]:
        table = after.table()
        key = str((after.actor, table["done"], sorted(table["dice"]), after.log[-1]))
        if key not in left_by:
            left_by[key] = left(after)
        return left_by[key]

    weighed = weigh(game)
    assert weighed is not None
    met = 0
    for choice in weighed.choices:
        if choice.action["do"] == "stop" or len(choice.action["dice"]) == 2:
            after = game.fork()
            after.play(choice.action)
            low, high = left(after)
            assert low - 1e-9 <= choice.worth <= high + 1e-9
            assert high - low < 0.02
            met += 1
    assert met > 2


@pytest.mark.parametrize("dice", [[6, 4, 1], [2, 2, 1], [6, 5, 4], [1, 1, 1]], ids=str)
@pytest.mark.parametrize("followers", ["exact", "at_most"])
@pytest.mark.parametrize("version", ["11", "41"])
def test_the_last_hand_of_a_charge_of_three_is_played_for_its_fiches(
    after_throw: AfterThrow, version: str, followers: str, dice: list[int]
) -> None:
    options = {
        "version": version,
        "cumulative": False,
        "charge_throws": 2,
        "followers": followers,
        "ties": "first",
    }
    game = new_game("421", ["Ana", "Bo", "Cyr"], options)
    for first, second in ([[6, 6, 5], [6, 6, 1]], [[3, 2, 2], [4, 2, 2]]):
        game.play({"do": "throw", "dice": first})
        game.play({"do": "keep", "dice": []})
        game.play({"do": "throw", "dice": second})
    game.play({"do": "throw", "dice": dice})
    assert game.actor == "Cyr"

    def gained(after: Game) -> float:
        taken = (entry for entry in after.log if entry["event"] == "take" and entry["player"] == "Cyr")
        return -float(sum(entry["fiches"] for entry in taken))

    check(game, after_throw, lambda after: any(entry["event"] == "take" for entry in after.log), gained)
