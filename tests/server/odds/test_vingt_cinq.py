"""Le 25: every throw counted out, and turns played by chance."""

import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import product
from typing import Any

import pytest

from server.rules.vingt_cinq import VingtCinq

Figures = Callable[..., Mapping[str, float]]
Agrees = Callable[[Sequence[float], float], bool]


def highest(dice: int) -> Counter[tuple[int, int]]:
    """The highest face and how many dice show it, in all the throws."""
    every = product(range(1, 7), repeat=dice)
    return Counter((max(faces), faces.count(max(faces))) for faces in every)


THROWS = {dice: highest(dice) for dice in range(1, 6)}


def turn(aim: Callable[[int], float], choose: Callable[[list[float]], float]) -> float:
    """The mean of the aim over all turns; what is chosen of is in the order of the dice kept, from one."""

    @cache
    def mean(left: int, total: int) -> float:
        if not left:
            return aim(total)
        found = 0.0
        for (face, count), ways in THROWS[left].items():
            found += ways * choose([mean(left - kept, total + kept * face) for kept in range(1, count + 1)])
        return found / float(6**left)

    return mean(5, 0)


@cache
def attack(left: int) -> float:
    """The mean of the dice kept in an attack with the sixes, throw by throw."""
    found = 0.0
    for faces in product(range(1, 7), repeat=left):
        hits = faces.count(6)
        found += hits + (attack(left - hits) if 0 < hits < left else 0)
    return found / float(6**left)


AIMS: dict[str, Callable[[int, float], float]] = {
    "mean_sum": lambda total, kept: total,
    "p_below_25": lambda total, kept: total < 25,
    "p_25": lambda total, kept: total == 25,
    "p_above_25": lambda total, kept: total > 25,
    "mean_own_loss": lambda total, kept: max(25 - total, 0),
    "mean_damage": lambda total, kept: kept * max(total - 25, 0),
    "mean_net": lambda total, kept: kept * (total - 25) if total > 25 else total - 25,
    "p_25_or_more": lambda total, kept: total >= 25,
}


def test_every_throw_counted_out(figures: Figures) -> None:
    found = figures("vingt-cinq")
    kept = found["attack_mean_dice_kept"]
    for name, aim in AIMS.items():

        def of(total: int, aim: Callable[[int, float], float] = aim) -> float:
            return aim(total, kept)

        if name != "p_25_or_more":
            assert found[f"keep_one_{name}"] == pytest.approx(turn(of, lambda means: means[0]), rel=1e-9, abs=0)
            assert found[f"keep_all_{name}"] == pytest.approx(turn(of, lambda means: means[-1]), rel=1e-9, abs=0)
        if f"best_{name}" in found:
            best = turn(of, min if name == "mean_own_loss" else max)
            assert found[f"best_{name}"] == pytest.approx(best, rel=1e-9, abs=0)


def test_the_sums(figures: Figures) -> None:
    found = figures("vingt-cinq")
    for total in range(5, 31):

        def is_it(other: int, total: int = total) -> float:
            return other == total

        one, every = turn(is_it, lambda means: means[0]), turn(is_it, lambda means: means[-1])
        assert found[f"keep_one_p_sum_{total}"] == pytest.approx(one, rel=1e-9, abs=0)
        assert found[f"keep_all_p_sum_{total}"] == pytest.approx(every, rel=1e-9, abs=0)
    # Five sixes are kept at once; one by one, each of the shrinking throws must show one.
    one_by_one = 1.0
    for dice in range(1, 6):
        one_by_one *= float(1 - (5 / 6) ** dice)
    assert found["keep_one_p_sum_30"] == pytest.approx(one_by_one, rel=1e-9, abs=0)
    assert found["keep_all_p_sum_5"] == found["keep_one_p_sum_5"] * 6 ** (4 + 3 + 2 + 1)


def test_the_attack(figures: Figures) -> None:
    found = figures("vingt-cinq")
    chances = [found[f"attack_p_kept_{number}"] for number in range(6)]
    assert sum(chances) == pytest.approx(1, rel=1e-9, abs=0)
    assert chances[:2] == pytest.approx([(5 / 6) ** 5, 5 * 5**4 / 6**5 * (5 / 6) ** 4], rel=1e-9, abs=0)
    assert found["attack_mean_dice_kept"] == pytest.approx(attack(5), rel=1e-9, abs=0)
    again = found["attack_again_mean_dice_kept"]
    assert again == pytest.approx(attack(5) + chances[5] * again, rel=1e-9, abs=0)


@pytest.mark.parametrize("again", [False, True])
@pytest.mark.parametrize("policy", ["keep_one", "keep_all"])
def test_turns_of_chance(figures: Figures, agrees: Agrees, policy: str, again: bool) -> None:
    chance, log = random.Random(25), list[dict[str, Any]]()
    for _ in range(100):
        # Ana plays one turn against enough points, then another game begins.
        for _ in range(30):
            game = VingtCinq(["Ana", "Bo"], {"life": 1000, "attack_again": again})
            while game.actor == "Ana":
                if game.legal() == ("keep",):
                    offered = game.choices("keep")["dice"]["one_of"]
                    game.play({"do": "keep", "dice": offered[0 if policy == "keep_one" else -1]})
                else:
                    game.play({"do": "throw", "dice": chance.choices(range(1, 7), k=game.dice)})
            log += game.log
    found = figures("vingt-cinq")
    sums = [entry["sum"] for entry in log if entry["event"] == "sum"]
    assert agrees(sums, found[f"{policy}_mean_sum"])
    assert agrees([total == 25 for total in sums], found[f"{policy}_p_25"])
    assert agrees([max(25 - total, 0) for total in sums], found[f"{policy}_mean_own_loss"])
    faces = [entry["face"] for entry in log if entry["event"] == "attack"]
    totals = [entry["points"] for entry in log if entry["event"] == "attack_total"]
    kept = [total / face for total, face in zip(totals, faces, strict=True)]
    assert agrees(kept, found["attack_again_mean_dice_kept" if again else "attack_mean_dice_kept"])
