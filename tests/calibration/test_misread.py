"""The reading certificate: every die counted once, bounds exact, and each kind of error where it belongs."""

import pytest

from calibration.misread import NONE, Certificate, Pair, paired
from vision.evaluate import LabelledDie
from vision.reading import Die, Reading, Verdict

SIZE = (200, 200)


def read(*dice: tuple[int | None, float, float], verdict: Verdict = Verdict.OK) -> Reading:
    return Reading(verdict, "", None, tuple(Die(face, x, y, (0, 0, 20, 20), 0.9) for face, x, y in dice))


def labelled(*dice: tuple[int, float, float]) -> list[LabelledDie]:
    return [LabelledDie(face, (x - 10, y - 10, 20, 20)) for face, x, y in dice]


def test_each_die_is_paired_once_and_the_rest_is_left_over() -> None:
    truth = labelled((1, 50, 50), (2, 150, 50), (3, 50, 150))
    pairs = paired(read((1, 52, 50), (5, 148, 52), (6, 150, 150)), truth, SIZE, ("red",))
    assert pairs == [
        Pair(1, 1, 0, ("red",)),
        Pair(2, 5, 1, ("red",)),
        Pair(3, NONE, 2, ("red",)),
        Pair(NONE, 6, 3, ("red",)),
    ]


def test_a_refused_reading_misreads_nothing() -> None:
    found = Certificate()
    refused = read((5, 50, 50), verdict=Verdict.UNSURE)
    found.add(refused, paired(refused, labelled((1, 50, 50)), SIZE, ()))
    told = found.as_json()
    assert (told["pictures"], told["refused"], told["dice"], told["at_most"]) == (1, 1, 0, 1.0)


def many(wrong: int) -> Certificate:
    """600 dice, a hundred of each face, some 2s in the upper left of which are read as 3s."""
    found = Certificate()
    for number in range(600):
        face, x, y = number % 6 + 1, 50.0 + 100 * (number // 6 % 2), 50.0 + 100 * (number // 12 % 2)
        misread = face == 2 and x == y == 50 and wrong > 0
        wrong -= misread
        reading = read((3 if misread else face, x, y))
        found.add(reading, paired(reading, labelled((face, x, y)), SIZE, ("red", "lamp" if x > 100 else "day")))
    return found


def test_without_errors_the_bound_is_that_of_the_rule_of_three() -> None:
    told = many(0).as_json()
    assert (told["dice"], told["wrong"]) == (600, 0)
    assert told["at_most"] == pytest.approx(1 - 0.05 ** (1 / 600))
    assert told["place"]["p"] > 0.99
    assert set(told["bias_pp"].values()) == {0.0}


def test_errors_stand_where_they_belong() -> None:
    told = many(20).as_json()
    assert told["confusion"][1] == [0, 80, 20, 0, 0, 0, 0]
    assert (told["by_face"]["2"]["wrong"], told["by_face"]["3"]["wrong"]) == (20, 0)
    assert told["by_face"]["2"]["at_most"] == pytest.approx(0.277, abs=0.001)
    assert {name: each["wrong"] for name, each in told["by_zone"].items() if each["wrong"]} == {"upper left": 20}
    assert {name: each["wrong"] for name, each in told["by_kind"].items()} == {"day": 20, "lamp": 0, "red": 20}
    assert (told["bias_pp"]["2"], told["bias_pp"]["3"]) == (pytest.approx(-20 / 6), pytest.approx(20 / 6))
    assert told["place"]["p"] < 0.06  # the test of the place is weak, and needs no labels
