"""Le 421: all throws of all players counted out, hands tried with every die kept or thrown, and coups of chance."""

import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import compress, product
from typing import Any

import pytest

from server.rules.combinations_421 import combinations
from server.rules.le_421 import Le421

Figures = Callable[..., Mapping[str, float]]
Agrees = Callable[[Sequence[float], float], bool]

THROWS = list(product(range(1, 7), repeat=3))
SCALES = [
    {},
    {"order": "mixed", "nenette": "above_simple"},
    {"version": "41", "nenette": "lowest"},
    {"version": "21"},
]


def scale(options: Mapping[str, Any]) -> tuple[str, str, str]:
    """The three options that say what a combination is worth and how it ranks."""
    filled = Le421(["Ana", "Bo"], options).options
    return filled["order"], filled["nenette"], filled["version"]


def hand(worth: Callable[[tuple[int, ...]], float], throws: int) -> float:
    """The highest mean of the worth, with every set of the three dice thrown again but the empty one."""

    @cache
    def mean(stays: tuple[int, ...], left: int) -> float:
        every = product(range(1, 7), repeat=3 - len(stays))
        return sum(after(tuple(sorted(stays + faces)), left - 1) for faces in every) / float(6 ** (3 - len(stays)))

    @cache
    def after(dice: tuple[int, ...], left: int) -> float:
        stays = (tuple(compress(dice, stay)) for stay in product((False, True), repeat=3) if left and not all(stay))
        return max([worth(dice), *(mean(some, left) for some in stays)])

    return mean((), throws)


@pytest.mark.parametrize("options", SCALES, ids=str)
def test_a_hand_of_up_to_three_throws(figures: Figures, options: dict[str, Any]) -> None:
    table = combinations(*scale(options))
    ranks = [table[faces].rank for faces in THROWS]

    def beats(dice: tuple[int, ...]) -> float:
        rank = table[dice].rank
        return sum((rank < other) + (rank == other) / 2 for other in ranks) / 216

    found = figures("421", **options)
    for throws, number in enumerate(("one_throw", "two_throws", "three_throws"), start=1):
        four = hand(lambda dice: dice == (1, 2, 4), throws)
        fiches = hand(lambda dice: table[dice].worth, throws)
        assert found[f"p_421_in_{number}"] == pytest.approx(four, rel=1e-9)
        assert found[f"best_mean_fiches_in_{number}"] == pytest.approx(fiches, rel=1e-9)
        assert found[f"best_p_beat_dry_in_{number}"] == pytest.approx(hand(beats, throws), rel=1e-9)


@pytest.mark.parametrize("options", SCALES, ids=str)
@pytest.mark.parametrize("players", [2, 3])
def test_dry_coups_counted_out(figures: Figures, options: dict[str, Any], players: int) -> None:
    counted = Counter(combinations(*scale(options)).values())
    hands = [(thrown.rank, thrown.worth, ways) for thrown, ways in counted.items()]
    best = worst = 0
    due: Counter[int] = Counter()
    for coup in product(hands, repeat=players):
        ranks = [rank for rank, _, _ in coup]
        ways = 1
        for _, _, times in coup:
            ways *= times
        best += ways * (ranks.count(min(ranks)) > 1)
        worst += ways * (ranks.count(max(ranks)) > 1)
        due[min(coup)[1]] += ways
    every = 216**players
    found = figures("421", **options)
    mean = sum(fiches * ways for fiches, ways in due.items()) / every
    assert found[f"dry_mean_due_{players}_players"] == pytest.approx(mean, rel=1e-9)
    assert found[f"dry_p_tie_best_{players}_players"] == pytest.approx(best / every, rel=1e-9)
    assert found[f"dry_p_tie_worst_{players}_players"] == pytest.approx(worst / every, rel=1e-9)

    @cache
    def coups(pot: int) -> float:
        return 1 + sum(ways * coups(pot - fiches) for fiches, ways in due.items()) / every if pot > 0 else 0

    pot = int(scale(options)[2])
    assert found[f"dry_charge_mean_coups_{players}_players"] == pytest.approx(coups(pot), rel=1e-9)


@pytest.mark.parametrize("options", SCALES, ids=str)
def test_the_table_of_the_text(figures: Figures, options: dict[str, Any]) -> None:
    found = figures("421", **options)
    table = {"421": (1, 6), "brelan": (6, 6), "two_aces": (5, 15), "sequence": (4, 24), "simple": (40, 165)}
    for kind, (number, ways) in {**table, "nenette": (1, 3)}.items():
        assert (found[f"combinations_{kind}"], found[f"out_of_216_{kind}"]) == (number, ways)
    assert found["p_421_in_one_throw"] == pytest.approx(6 / 216, rel=1e-12)
    # All three dice again in vain: 0.5, the same as one's own single throw.
    assert found["best_p_beat_dry_in_one_throw"] == pytest.approx(0.5, rel=1e-12)
    assert found["dry_p_tie_best_2_players"] == found["dry_p_tie_worst_2_players"]


@pytest.mark.parametrize("players", range(2, 7))
def test_charges_of_chance(figures: Figures, agrees: Agrees, players: int) -> None:
    chance = random.Random(421)
    names = [f"P{seat}" for seat in range(players)]
    options = {"version": "21", "charge_throws": 1, "cumulative": False, "ties": "first"}
    coups, due, ties = [], [], []
    for _ in range(400):
        game = Le421(names, options)
        while game.legal() and game.table()["phase"] == "charge" and game.table()["manche"] == 1:
            game.play({"do": "throw", "dice": chance.choices(range(1, 7), k=game.dice)})
        takes = [entry for entry in game.log if entry["event"] == "take"]
        coups.append(len(takes))
        due.append(takes[0]["due"])
        first = [entry["combination"] for entry in game.log if entry["event"] == "throw"][:players]
        ties.append(first.count(takes[0]["combination"]) > 1)
    found = figures("421", version="21")
    assert agrees(coups, found[f"dry_charge_mean_coups_{players}_players"])
    assert agrees(due, found[f"dry_mean_due_{players}_players"])
    assert agrees(ties, found[f"dry_p_tie_best_{players}_players"])


def test_hands_of_chance_that_go_for_421(figures: Figures, agrees: Agrees) -> None:
    chance, made = random.Random(421), []
    for _ in range(3000):
        game = Le421(["Ana", "Bo"], {"version": "41"})
        while game.actor == "Ana":
            if "throw" in game.legal():
                game.play({"do": "throw", "dice": chance.choices(range(1, 7), k=game.dice)})
            else:
                wanted = sorted({4, 2, 1}.intersection(game.table()["dice"]))
                game.play({"do": "stop"} if len(wanted) == 3 else {"do": "keep", "dice": wanted})
        made.append(game.table()["done"][0]["combination"] == "421")
    assert agrees(made, figures("421")["p_421_in_three_throws"])
