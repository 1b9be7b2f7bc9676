"""Le Vingt-Six and Le Quatorze: figures worked out elsewhere, small cases counted out, and games of chance."""

import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import product
from math import comb, factorial, sqrt
from typing import Any

import pytest

from server.odds.chance import hits, throws
from server.rules import Game, new_game

Figures = Callable[..., Mapping[str, float]]
Agrees = Callable[[Sequence[float], float], bool]


def test_throws_and_hits_are_counted_out() -> None:
    for dice in range(5):
        every = list(product(range(1, 7), repeat=dice))
        assert throws(dice) == Counter(tuple(sorted(faces)) for faces in every)
        counts = Counter(faces.count(3) for faces in every)
        assert [chance * 6**dice for chance in hits(dice)] == [counts[count] for count in range(dice + 1)]


def tail(dice: int, least: int, most: int) -> float:
    """The chance of so many hits, term by term in floating point."""
    return sum(comb(dice, n) * (1 / 6) ** n * (5 / 6) ** (dice - n) for n in range(least, most + 1))


def test_the_lines_of_the_vingt_six(figures: Figures) -> None:
    found = figures("vingt-six")
    lines = {"10_or_less": (0, 10, 10), "13": (13, 13, 5), "26": (26, 26, 4), "27": (27, 27, 5), "28": (28, 28, 6)}
    lines |= {"29": (29, 29, 8), "30_or_more": (30, 130, 10)}
    chances = {name: tail(130, least, most) for name, (least, most, _) in lines.items()}
    for name, chance in chances.items():
        assert found[f"p_{name}"] == pytest.approx(chance, rel=1e-9, abs=0)
    gain = sum(chance * lines[name][2] for name, chance in chances.items())
    square = sum(chance * lines[name][2] ** 2 for name, chance in chances.items())
    win = sum(chances.values())
    assert found["p_win"] == pytest.approx(win, rel=1e-9, abs=0)
    assert found["p_lose"] == pytest.approx(1 - win, rel=1e-9, abs=0)
    assert found["mean_gain"] == pytest.approx(gain, rel=1e-9, abs=0)
    assert found["expectation_stake_returned"] == pytest.approx(gain - (1 - win), rel=1e-9, abs=0)
    assert found["expectation_stake_kept"] == pytest.approx(gain - 1, rel=1e-9, abs=0)
    assert found["sd_stake_returned"] == pytest.approx(sqrt(square + 1 - win - (gain - 1 + win) ** 2), rel=1e-9, abs=0)
    assert found["most_likely_hits"] == 21
    assert found["mean_hits"] == pytest.approx(65 / 3, rel=1e-9, abs=0)
    assert found["sd_hits"] == pytest.approx(sqrt(130 * 5) / 6, rel=1e-9, abs=0)


def test_the_vingt_six_is_as_the_books_say(figures: Figures) -> None:
    found = figures("vingt-six")
    assert round(found["p_win"], 4) == 0.1952
    assert round(found["expectation_stake_returned"], 2) == 0.41


@pytest.mark.parametrize(("bet", "bank"), [(2, 50), (1, 1), (1, 3), (5, 25), (7, 20), (1000, 10000)])
@pytest.mark.parametrize("returned", [True, False])
def test_the_bank_is_broken(figures: Figures, bet: int, bank: int, returned: bool) -> None:
    found = figures("vingt-six", bet=bet, bank_chips=bank, stake_returned=returned)
    chances = {0: found["p_lose"], 4: found["p_26"], 6: found["p_28"], 8: found["p_29"]}
    chances |= {5: found["p_13"] + found["p_27"], 10: found["p_10_or_less"] + found["p_30_or_more"]}
    early = last = 0.0
    for turns in product(chances, repeat=3):
        chips = [bank]
        for odds in turns:
            pays = odds * bet - (0 if odds and returned else bet)
            chips.append(max(chips[-1] - pays, 0))
        chance = chances[turns[0]] * chances[turns[1]] * chances[turns[2]]
        early += chance * (0 in chips[:3])
        last += chance * (0 not in chips[:3] and chips[3] == 0)
    assert found["p_bank_broken_early"] == pytest.approx(early, rel=1e-9, abs=0)
    assert found["p_bank_empty_at_the_end"] == pytest.approx(last, rel=1e-9, abs=0)


def play_turn(game: Game, chance: random.Random) -> dict[str, Any]:
    """Play a turn to its settlement, whatever is asked; the entry of it."""
    while True:
        (name,) = game.legal()
        action: dict[str, Any] = {"do": name}
        if name == "throw":
            action["dice"] = chance.choices(range(1, 7), k=game.dice)
        elif name == "call":
            action["face"] = game.choices("call")["face"]["one_of"][-1]
        else:
            action["chips"] = game.choices("bet")["chips"]["to"]
        before = len(game.log)
        game.play(action)
        for entry in game.log[before:]:
            if entry["event"] in ("win", "lose"):
                return entry


def change(entry: Mapping[str, Any]) -> int:
    """What a turn changes of the thrower's chips where the bank can pay."""
    stake: int = entry["stake"]
    return -stake if entry["event"] == "lose" else entry["due"] + entry["returned"] - stake


@pytest.mark.parametrize(
    ("game", "options"),
    [
        ("vingt-six", {"bet": 1}),
        ("vingt-six", {"bet": 1, "stake_returned": False}),
        ("quatorze", {"bet": 1}),
        ("quatorze", {"bet": 1, "fourteen": "exactly", "stake_returned": False}),
    ],
)
def test_turns_of_chance(figures: Figures, agrees: Agrees, game: str, options: dict[str, Any]) -> None:
    chance = random.Random(26)
    table = new_game(game, ["Ana", "Bo"], {"rounds": 100, "games": 100, "player_chips": 10000, **options})
    turns = [play_turn(table, chance) for _ in range(2500)]
    found = figures(game, **options)
    assert agrees([entry["event"] == "win" for entry in turns], found["p_win"])
    expectation = "returned" if options.get("stake_returned", True) else "kept"
    assert agrees([change(entry) for entry in turns], found[f"expectation_stake_{expectation}"])
    if game == "vingt-six":
        assert agrees([entry["total"] for entry in turns], found["mean_hits"])


@pytest.mark.parametrize("returned", [True, False])
def test_banks_of_chance(figures: Figures, agrees: Agrees, returned: bool) -> None:
    options = {"bet": 5, "bank_chips": 25, "stake_returned": returned}
    chance, ends = random.Random(13), []
    for _ in range(700):
        game = new_game("vingt-six", ["Ana", "Bo", "Cyr", "Dia"], options)
        while not any(entry["event"] == "game_end" for entry in game.log):
            play_turn(game, chance)
        (end,) = (entry for entry in game.log if entry["event"] == "game_end")
        ends.append((not end["complete"], end["complete"] and end["net"]["Ana"] == -25))
    found = figures("vingt-six", **options)
    assert agrees([early for early, _ in ends], found["p_bank_broken_early"])
    assert agrees([last for _, last in ends], found["p_bank_empty_at_the_end"])


def test_the_first_throw_of_the_quatorze(figures: Figures) -> None:
    highest: Counter[int] = Counter()
    tie = 0
    for counts in product(range(11), repeat=5):
        last = 10 - sum(counts)
        if last < 0:
            continue
        ways = factorial(10)
        for count in (*counts, last):
            ways //= factorial(count)
        most = max(*counts, last)
        highest[most] += ways
        tie += ways * (most >= 3 and (*counts, last).count(most) > 1)
    found = figures("quatorze")
    for count in range(2, 11):
        assert found[f"p_highest_{count}"] == pytest.approx(highest[count] / 6**10, rel=1e-9, abs=0)
    assert found["p_choice_none_three"] == found["p_highest_2"]
    assert found["p_choice_tie"] == pytest.approx(tie / 6**10, rel=1e-9, abs=0)
    for fourteen, upper in (("at_least", 40), ("exactly", 0)):
        found = figures("quatorze", fourteen=fourteen)
        needs = {count: 14 - max(count, 3) for count in highest}
        won = sum(ways * tail(40, needs[count], upper or needs[count]) for count, ways in highest.items()) / 6**10
        assert found["p_fourteen"] == pytest.approx(won, rel=1e-9, abs=0)
        assert found["p_coup_blanc"] == pytest.approx((5 / 6) ** 40, rel=1e-9, abs=0)
        assert found["p_win"] == pytest.approx(won + (5 / 6) ** 40, rel=1e-9, abs=0)
        assert found["expectation_stake_returned"] == pytest.approx(9 * found["p_win"] - 1, rel=1e-9, abs=0)
        assert found["expectation_stake_kept"] == pytest.approx(8 * found["p_win"] - 1, rel=1e-9, abs=0)


def test_the_quatorze_is_as_the_page_says(figures: Figures) -> None:
    assert round(figures("quatorze")["p_win"], 4) == 0.0939
    assert round(figures("quatorze", fourteen="exactly")["p_win"], 4) == 0.0477
