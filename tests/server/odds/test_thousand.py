"""Thousand: throws counted out by the page, turns between two bounds, and turns of chance on the engine."""

import json
import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import combinations, product
from typing import Any

import pytest

from server.odds.thousand import _enough, _forced, _play, _ways
from server.rules.thousand import Thousand

Figures = Callable[..., Mapping[str, float]]
Agrees = Callable[[Sequence[float], float], bool]
Options = Mapping[str, Any]
Dice = tuple[int, ...]

PRESETS = ({"preset": "shop"}, {"preset": "home"}, {"preset": "club"})
HOUSES = [
    {"straights": straights, "four_of_a_kind": four, "set_aside": aside, "five_ones": ones}
    for straights in (False, True)
    for four in ("double", "plus_ten")
    for aside in ("all", "some")
    for ones in ("points", "win")
]


def filled(options: Options) -> Options:
    """All the options of a game."""
    return Thousand(["Ana", "Bo"], options).options


def worth(dice: Dice, options: Options) -> int:
    """The points of a set by the page, 0 where it is not valid."""
    if options["straights"] and dice in ((1, 2, 3, 4, 5), (2, 3, 4, 5, 6)):
        return 125 if 1 in dice else 250
    points = []
    for face, count in Counter(dice).items():
        three = 100 if face == 1 else 10 * face
        four = three + 10 if options["four_of_a_kind"] == "plus_ten" else 2 * three
        single = {1: 10, 5: 5}.get(face, 0)
        points.append((single, 2 * single, three, four, 10 * three)[count - 1])
    return sum(points) if all(points) else 0


def all_throws(dice: int) -> Mapping[Dice, int]:
    """Every throw, and in how many ways it comes."""
    return Counter(tuple(sorted(faces)) for faces in product(range(1, 7), repeat=dice))


THROWS = {dice: all_throws(dice) for dice in range(1, 6)}


def valid(thrown: Dice, options: Options) -> Iterator[Dice]:
    """The sets of a throw that may be set aside."""
    parts = {part for size in range(1, len(thrown) + 1) for part in combinations(thrown, size)}
    found = [part for part in parts if worth(part, options)]
    if found and options["set_aside"] == "all":
        found = [max(found, key=len)]
    yield from found


@pytest.mark.parametrize("options", PRESETS, ids=str)
def test_throws_counted_out(figures: Figures, options: Options) -> None:
    options = filled(options)
    found = figures("thousand", **options)
    keep_all = {**options, "set_aside": "all"}
    for dice, throws in THROWS.items():
        kept = {thrown: next(valid(thrown, keep_all), ()) for thrown in throws}
        empty = sum(ways for thrown, ways in throws.items() if not kept[thrown])
        every = sum(ways for thrown, ways in throws.items() if kept[thrown] == thrown)
        points = sum(ways * worth(kept[thrown], options) for thrown, ways in throws.items() if kept[thrown])
        assert found[f"p_empty_{dice}_dice"] == pytest.approx(empty / 6**dice, rel=1e-9)
        assert found[f"p_all_score_{dice}_dice"] == pytest.approx(every / 6**dice, rel=1e-9)
        assert found[f"mean_points_{dice}_dice"] == pytest.approx(points / 6**dice, rel=1e-9)


@lru_cache
def choices_of(options: str) -> Mapping[tuple[int, ...], list[tuple[int, int, bool]]]:
    """What may be kept of each throw under these options: the dice left, the points, whether it is five ones."""
    said = json.loads(options)
    return {
        thrown: [(dice - len(kept), worth(kept, said), kept == (1,) * 5) for kept in valid(thrown, said)]
        for dice, throws in THROWS.items()
        for thrown in throws
    }


def turns(
    options: Options, aim: Callable[[int], float], most: int, beyond: Callable[[int, bool], float]
) -> Mapping[tuple[int, int], float]:
    """The highest mean of the aim, by the dice to throw and the points, given what it is from `most` points on.

    `beyond` is told the points and whether the next throw is forced.
    """
    best: dict[tuple[int, int], float] = {}
    choices = choices_of(json.dumps(options))

    def after(left: int, points: int, five_ones: bool) -> float:
        if five_ones and options["five_ones"] == "win":
            return aim(points)
        if points >= most:
            return beyond(points, not left)
        return max(aim(points), best[left, points]) if left else best[5, points]

    for points in range(most - 5, -1, -5):
        for dice, throws in THROWS.items():
            mean = 0.0
            for thrown, ways in throws.items():
                if choices[thrown]:
                    mean += ways * max(after(left, points + more, won) for left, more, won in choices[thrown])
            best[dice, points] = mean / 6**dice
    return best


def tries(options: Options) -> float:
    """How many first throws a turn has, on the average."""
    empty = sum(ways for thrown, ways in THROWS[5].items() if not any(valid(thrown, options)))
    return 1 + empty / 6**5 if options["second_try"] else 1


@pytest.mark.parametrize("given", PRESETS, ids=str)
def test_the_best_mean_lies_between_bounds(figures: Figures, given: Options) -> None:
    options, found = filled(given), figures("thousand", **given)
    # Far out nobody gets more than what is there and 100, or less than all lost where the throw is forced.
    least = turns(options, float, 1500, lambda points, forced: 0 if forced else points)
    most = turns(options, float, 1500, lambda points, forced: points + 100)
    assert least[5, 0] * tries(options) <= found["best_turn_mean"] <= most[5, 0] * tries(options)
    assert most[5, 0] - least[5, 0] < 2e-3
    for dice in range(1, 5):
        for bound in least, most:
            stops = (points for points in range(5, 1500, 5) if points >= bound[dice, points])
            assert found[f"throw_on_below_{dice}_dice"] == next(stops)


def chance_of(target: int, options: Options) -> float:
    """The best chance of so many points in a turn."""
    well = ends_well(json.dumps(options))
    best = turns(options, lambda points: points >= target, target, lambda _, forced: well if forced else 1)
    return best[5, 0] * tries(options)


@lru_cache
def ends_well(options: str) -> float:
    """With the points together only forced throws matter: the chance that they end well, found by going on."""
    well = [1.0]
    for _ in range(12):
        well.append(turns(json.loads(options), lambda _: 1, 5, lambda _, forced: well[-1] if forced else 1)[5, 0])
    return well[-1]


@pytest.mark.parametrize("given", PRESETS, ids=str)
def test_the_best_chances_of_points(figures: Figures, given: Options) -> None:
    options, found = filled(given), figures("thousand", **given)
    for target in (5, 25, 50, 55, 75, 100, 150, 200):
        assert found[f"best_p_turn_{target}_points"] == pytest.approx(chance_of(target, options), rel=1e-9)


@pytest.mark.parametrize(
    ("entry", "points"), [({"preset": "club", "entry": 25}, 25), ({"preset": "club", "entry": 55}, 55), ({}, 50)]
)
def test_the_best_chance_of_entering(figures: Figures, entry: Options, points: int) -> None:
    found = figures("thousand", **entry)
    assert found["best_p_entry"] == found[f"best_p_turn_{points}_points"]
    assert figures("thousand", entry=0)["best_p_entry"] == figures("thousand")["best_p_turn_5_points"]
    most = filled({"entry": 300})
    assert figures("thousand", entry=300)["best_p_entry"] == pytest.approx(chance_of(300, most), rel=1e-9)


def test_five_points_in_one_turn(figures: Figures) -> None:
    # Any die that scores will do, but all five of them have to be confirmed; no more than that can be lost.
    shop = figures("thousand")
    empty, every = shop["p_empty_5_dice"], shop["p_all_score_5_dice"]
    assert (empty, every) == (600 / 7776, 476 / 7776)
    assert shop["best_p_turn_5_points"] == pytest.approx((1 - empty - every) / (1 - every), rel=1e-12)
    # Where some dice may be left lying nothing need be confirmed.
    assert figures("thousand", preset="home")["best_p_turn_5_points"] == pytest.approx(1 - empty, rel=1e-12)


@pytest.mark.parametrize("house", HOUSES, ids=str)
def test_where_to_stop_is_no_matter_of_rounding(house: Options) -> None:
    options = filled(house)
    ways = {dice: _ways(dice, options) for dice in THROWS}
    forced = _forced(ways)
    enough = _enough(ways, forced)
    best = _play(ways, float, enough, forced)
    for dice in range(1, 5):
        stops = [points - best[dice, points] for points in range(5, enough, 5)]
        assert min(map(abs, stops)) > 1e-6
        assert sorted(stop > 0 for stop in stops) == [stop > 0 for stop in stops]
    # What holds from there on is what is played below: one more stretch changes nothing.
    further = _play(ways, float, enough + 500, forced)
    assert further[5, 0] == pytest.approx(best[5, 0], rel=1e-12)


QUIET = {"entry": 0, "bolts": 0, "dump_truck": 0, "ending": "reach"}


def played(options: Options, chance: random.Random, stop: Callable[[int, int], bool]) -> int:
    """The points that one turn on the engine writes down, where there is no choice but to stop or to throw on."""
    game = Thousand(["Ana", "Bo"], {**options, **QUIET})
    while game.actor == "Ana" and game.legal():
        if game.legal() == ("keep",):
            (kept,) = game.choices("keep")["dice"]["one_of"]
            game.play({"do": "keep", "dice": kept})
        elif "bank" in game.legal() and stop(game.dice, game.log[-1]["turn_points"]):
            game.play({"do": "bank"})
        else:
            game.play({"do": "throw", "dice": chance.choices(range(1, 7), k=game.dice)})
    return game.scores()["Ana"]


@pytest.mark.parametrize("preset", ["shop", "club"])
def test_turns_of_chance(figures: Figures, agrees: Agrees, preset: str) -> None:
    chance, found = random.Random(1000), figures("thousand", preset=preset)
    options = {"preset": preset}

    def enough(dice: int, points: int) -> bool:
        return points >= found[f"throw_on_below_{dice}_dice"]

    assert agrees([played(options, chance, enough) for _ in range(3000)], found["best_turn_mean"])
    wrote = [played(options, chance, lambda _, points: points >= 50) for _ in range(3000)]
    assert agrees([points >= 50 for points in wrote], found["best_p_turn_50_points"])
