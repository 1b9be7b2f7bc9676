"""The tally of many looks: fair dice pass, and each monitor fires on the seeded dice that it is for."""

from collections.abc import Callable, Iterator
from itertools import pairwise
from random import Random

import pytest

from calibration.evidence import ALARM, judge
from calibration.fairness import Tally, Thrown, alarms, band, reach, report

NAMES = ("white", "red", "blue", "green", "wood")
Throws = Callable[[Random], Iterator[Thrown]]


def tally(throws: Throws, number: int, seed: int = 1) -> Tally:
    counted, stream = Tally(), throws(Random(seed))
    for _ in range(number):
        counted.add(next(stream))
    return counted


def fair(chance: Random, shares: tuple[float, ...] = (1, 1, 1, 1, 1, 1), one: str | None = None) -> Iterator[Thrown]:
    """Throws of five named dice; the shares are those of all, or of one of them."""
    while True:
        faces = tuple(chance.choices(range(1, 7), shares if one in (None, name) else None)[0] for name in NAMES)
        places = tuple((chance.uniform(-70, 70), chance.uniform(-70, 70)) for _ in NAMES)
        yield Thrown(faces, names=NAMES, places_mm=places)


def biased(chance: Random) -> Iterator[Thrown]:
    return fair(chance, (0.9, 0.9, 0.9, 0.9, 0.9, 1.5))


def short_axis(chance: Random) -> Iterator[Thrown]:
    return fair(chance, (1.15, 0.925, 0.925, 0.925, 0.925, 1.15))


def one_bad_die(chance: Random) -> Iterator[Thrown]:
    return fair(chance, (0.8, 0.8, 0.8, 0.8, 0.8, 2.0), one="red")


def sticky(chance: Random) -> Iterator[Thrown]:
    before: tuple[int | None, ...] = (1,) * 5
    for thrown in fair(chance):
        pairs = zip(thrown.faces, before, strict=True)
        before = tuple(old if chance.random() < 0.08 else new for new, old in pairs)
        yield Thrown(before, names=NAMES)


def nameless(throws: Throws) -> Throws:
    return lambda chance: (Thrown(thrown.faces) for thrown in throws(chance))


def alike(chance: Random) -> Iterator[Thrown]:
    for thrown in fair(chance):
        first, *others = thrown.faces
        yield Thrown((first, *(first if chance.random() < 0.08 else face for face in others)))


def misread_in_one_quarter(chance: Random) -> Iterator[Thrown]:
    for thrown in fair(chance):
        places = zip(thrown.faces, thrown.places_mm, strict=True)
        faces = (3 if face == 2 and x > 0 and y > 0 and chance.random() < 0.5 else face for face, (x, y) in places)
        yield Thrown(tuple(faces), places_mm=thrown.places_mm)


def refused_with_a_six(chance: Random) -> Iterator[Thrown]:
    for thrown in fair(chance):
        refused = 6 in thrown.faces and chance.random() < 0.1
        yield Thrown(thrown.faces, ok=not refused, verdict="unsure" if refused else "ok", names=NAMES)


def test_fair_dice_pass_every_monitor() -> None:
    told = report(tally(fair, 4000))
    assert alarms(told) == []
    assert told["highest"] < ALARM
    assert told["with_refused"]["evidence"] == told["evidence"]
    assert min(told["same_die"]["p"], told["same_throw"]["p"], told["place"]["p"]) > 0.001
    assert told["same_die"]["pairs"] == 5 * 3999
    assert told["same_throw"]["pairs"] == 10 * 4000
    assert told["place"]["df"] == 15


@pytest.mark.parametrize(
    ("throws", "alarmed"),
    [(biased, "faces"), (short_axis, "faces"), (one_bad_die, "red"), (sticky, "same_die")],
)
def test_each_evidence_alarms_on_its_bad_dice(throws: Throws, alarmed: str) -> None:
    assert alarmed in alarms(report(tally(throws, 3000)))


@pytest.mark.parametrize(
    ("throws", "monitor"),
    [(alike, "same_throw"), (misread_in_one_quarter, "place"), (refused_with_a_six, "refusals")],
)
def test_each_test_finds_its_fault(throws: Throws, monitor: str) -> None:
    assert report(tally(throws, 3000))[monitor]["p"] < 1e-4


def test_dice_of_one_throw_that_differ_too_often_are_found_too() -> None:
    counted = Tally()
    for first in range(60):
        counted.add(Thrown((first % 6 + 1, (first + 1) % 6 + 1)))
    assert report(counted)["same_throw"]["p"] < 0.01


def test_dice_that_look_alike_and_remember_are_found() -> None:
    told = report(tally(nameless(sticky), 12_000))
    assert told["same_die"]["pairs"] == 0
    assert "same_dice" in alarms(told)
    assert told["same_dice"]["p"] < 1e-4


@pytest.mark.parametrize("throws", [fair, biased, alike], ids=["fair", "biased", "alike"])
def test_dice_that_look_alike_are_not_accused_of_memory_for_something_else(throws: Throws) -> None:
    """The one look is against the dice's own shares; their p-values are spread evenly."""
    told = [tally(nameless(throws), 120, seed).memory.repeats() for seed in range(100)]
    below = sum(each.p < 0.1 for each in told)
    assert 2 <= below <= 20  # 10 are expected, 3 is the standard deviation
    assert abs(sum(each.z for each in told)) < 3.5 * 100**0.5


@pytest.mark.parametrize(
    ("faces", "die", "pairs", "memory", "alarmed"),
    [
        (99.9, 1999.9, 5, 999.9, []),
        (100.0, 0.1, 5, 0.1, ["faces"]),
        (0.1, 2000.0, 0, 0.1, ["red"]),
        (0.1, 0.1, 5, 1000.0, ["same_die"]),
        (0.1, 0.1, 0, 1000.0, ["same_dice"]),
    ],
)
def test_dice_one_by_one_and_their_memory_have_higher_marks(
    faces: float, die: float, pairs: int, memory: float, alarmed: list[str]
) -> None:
    """With the faces' own mark for all of them, 1.6 in 100 fair runs of ten named dice were accused."""
    told = {
        "evidence": faces,
        "per_die": {"red": {"evidence": die}, "blue": {"evidence": 1.0}},
        "same_die": {"pairs": pairs, "evidence": memory if pairs else 1e9},
        "same_dice": {"pairs": 5, "evidence": 1e9 if pairs else memory},
    }
    assert alarms(told) == alarmed


def test_a_throw_that_was_refused_parts_what_went_before_from_what_follows() -> None:
    counted = Tally()
    for thrown in (Thrown((1, 1)), Thrown((1, 1), ok=False), Thrown((1, 1)), Thrown((1, 2, 2))):
        counted.add(thrown)
    assert (counted.memory.throws, counted.memory.pairs, counted.memory.equal) == (3, 1, 2)


def test_a_short_axis_shows_on_the_axes_first() -> None:
    told = report(tally(short_axis, 3000))
    assert told["evidence_axes"] > told["evidence_faces"]


def test_refused_guesses_are_in_the_second_copy_only() -> None:
    counted = Tally()
    counted.add(Thrown((1, 2, None), names=("a", "b", "c")))
    counted.add(Thrown((6, 6, None), ok=False, verdict="cocked", names=("a", "b", "c")))
    counted.add(Thrown((1, 2, 3), names=("a", "b", "c")))
    told = report(counted)
    assert (told["throws"], told["faces"], told["refused"]) == (2, [2, 2, 1, 0, 0, 0], {"cocked": 1})
    assert told["with_refused"]["faces"] == [2, 2, 1, 0, 0, 2]
    # The refused throw lies between the two: nothing is said of a die's last face.
    assert told["same_die"]["pairs"] == 0


def test_nothing_thrown_is_nothing_against_the_dice() -> None:
    told = report(Tally())
    assert (told["dice"], told["evidence"], told["p"], alarms(told)) == (0, pytest.approx(1), 1, [])
    assert told["power"]["sees_pp"] is None


def test_the_curve_is_thinned_out_and_ends_now() -> None:
    counted = tally(fair, 3001)
    points = list(counted.curve())
    assert len(points) <= 258
    assert points[-1] == (5 * 3001, judge(counted.counts).evidence)
    assert len(points) > 128
    looks = [dice for dice, _ in points[:-1]]
    assert {after - before for before, after in pairwise(looks)} == {looks[0]}


def test_what_a_sample_can_show() -> None:
    told = reach(30_594)
    assert told["sees_pp"] == pytest.approx(1.0, abs=0.001)
    assert told["dice_for_1_pp"] == pytest.approx(30_594, abs=1)
    assert told["power_for_1_pp"] == pytest.approx(0.9, abs=0.001)
    assert reach(0)["still_for_1_pp"] == told["dice_for_1_pp"]
    assert reach(594)["still_for_1_pp"] == told["dice_for_1_pp"] - 594
    assert reach(40_000)["still_for_1_pp"] == 0
    assert reach(7_648)["sees_pp"] == pytest.approx(2.0, abs=0.01)


def test_fair_faces_lie_in_the_band_as_often_as_it_says() -> None:
    low, high = band(6000)
    chance = Random(3)
    inside = sum(low <= sum(chance.random() < 1 / 6 for _ in range(6000)) / 6000 <= high for _ in range(300))
    assert 0.91 < inside / 300 < 0.985
    assert band(0) == (0, 1)
