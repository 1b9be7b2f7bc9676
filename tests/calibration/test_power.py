"""How much a sample can show, against published figures and exact references."""

import json
import random
from typing import Any

import pytest

from calibration.evidence import tail
from calibration.power import critical, dice_needed, face_bias, power
from tests.benchmarks.fairness import face_shares, noncentrality, pairs_needed
from tests.calibration.conftest import CASES, prints
from vision.shares import at_most

POWER, EXACT = (json.loads((CASES / f"{name}.json").read_text("utf-8")) for name in ("power", "references"))


@pytest.mark.parametrize("case", POWER["face"], ids=str)
def test_how_many_dice_find_a_loaded_face(case: dict[str, Any]) -> None:
    found = dice_needed(face_bias(case["off_pp"] / 100), 5, case["alpha"], case["wanted"])
    assert prints(found, case["dice"])


@pytest.mark.parametrize("case", POWER["axis"], ids=str)
def test_how_many_dice_find_a_short_axis(case: dict[str, Any]) -> None:
    each = noncentrality(face_shares("axis", case["off_pp"] / 100))
    assert prints(dice_needed(each, case["df"], case["alpha"], case["wanted"]), case["dice"])


@pytest.mark.parametrize("case", POWER["pairs"], ids=str)
def test_how_many_pairs_find_a_die_that_sticks(case: dict[str, Any]) -> None:
    assert prints(pairs_needed(case["off_pp"] / 100, 0.01, 0.9), case["pairs"])


@pytest.mark.parametrize(("found", "df", "alpha", "wanted"), EXACT["power"])
def test_power_is_that_of_the_noncentral_chi_square(found: float, df: int, alpha: float, wanted: float) -> None:
    assert power(found, df, alpha) == pytest.approx(wanted, rel=1e-13)


def test_power_at_its_ends() -> None:
    assert power(0.0, 5, 0.01) == 0.01
    assert power(1e-9, 5, 0.01) == pytest.approx(0.01)
    assert power(1e9, 5, 0.01) == 1.0
    assert power(600, 300, 0.01) == pytest.approx(1.0)
    assert tail(critical(25, 1e-12), 25) == pytest.approx(1e-12)


def test_a_bias_is_what_its_shares_say() -> None:
    assert face_bias(0.01) == pytest.approx(noncentrality(face_shares("face", 0.01)))
    # Two faces that share an axis are as far from fair as the axis is from its third.
    axis = [1 / 3 + 0.01, *[1 / 3 - 0.005] * 2]
    assert noncentrality(face_shares("axis", 0.01)) == pytest.approx(noncentrality(axis))


def rule_of_three(wrong: int, dice: int, confidence: float) -> float:
    """The bound by Poisson's limit, a little larger: 3, 4.74, 6.3, 7.75 over the dice for 0 to 3 misreads."""
    return critical(2 * (wrong + 1), 1 - confidence) / 2 / dice


@pytest.mark.parametrize("case", POWER["misreads"], ids=str)
def test_how_rare_misreads_are(case: dict[str, Any]) -> None:
    asked = case["wrong"], case["dice"], case["confidence"]
    assert prints(case["dice"] * at_most(*asked), case["times_dice"])
    assert prints(case["dice"] * rule_of_three(*asked), case["times_dice"])
    assert at_most(*asked) < rule_of_three(*asked)


def test_a_bad_reader_is_caught() -> None:
    """One die in a thousand misread: 30,000 dice must not certify one in ten thousand."""
    chance = random.Random(1)
    wrong = sum(chance.random() < 1e-3 for _ in range(30_000))
    assert at_most(wrong, 30_000) > 1e-4 > at_most(0, 30_000)
