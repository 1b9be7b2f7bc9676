"""The arithmetic of fairness, against published figures, exact references, and dice that are known to be bad."""

import itertools
import json
import math
import random
import statistics
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibration.evidence import (
    ALARM,
    CAP,
    WEIGHTS,
    alike,
    axes_of,
    evidence,
    fit,
    independence,
    judge,
    log_evidence,
    repeats,
    tail,
)
from calibration.memory import sticking
from tests.calibration.conftest import CASES, prints

LABBY, WELDON, EXACT = (
    json.loads((CASES / f"{name}.json").read_text("utf-8")) for name in ("labby", "weldon", "references")
)
PUBLISHED = [pytest.param(test, id=test["what"]) for test in (*LABBY["tests"], *WELDON["tests"])]
SIX = st.lists(st.integers(0, 10**9), min_size=6, max_size=6)


def figures(test: dict[str, Any]) -> dict[str, float]:
    """Every figure that a published test may have; several groups are tested together."""
    odds, groups = test.get("odds", ()), test["groups"]
    fits = [fit(counts, odds) for counts in groups]
    chi2, df = math.fsum(each.chi2 for each in fits), sum(each.df for each in fits)
    weight, counts = test.get("weight"), groups[0]
    return {
        "chi2": chi2,
        "g": math.fsum(each.g for each in fits),
        "df": df,
        "p": tail(chi2, df),
        "z": math.sqrt(chi2),
        "share": counts[0] / sum(counts),
        "worst_pp": 100 * max(abs(count / sum(counts) - 1 / len(counts)) for count in counts),
        "evidence": evidence(counts, odds) if weight is None else math.exp(log_evidence(counts, weight, odds)),
    }


@pytest.mark.parametrize("test", PUBLISHED)
def test_published_figures_come_out_to_the_printed_digits(test: dict[str, Any]) -> None:
    found = figures(test)
    assert {name: found[name] for name, printed in test["printed"].items() if not prints(found[name], printed)} == {}


def test_labbys_dice_are_judged_as_published() -> None:
    found = judge(LABBY["judged"]["counts"])
    assert list(found.as_json()) == list(LABBY["judged"]["printed"])
    for name, printed in LABBY["judged"]["printed"].items():
        assert prints(found.as_json()[name], printed), name
    assert found.alarm


@pytest.mark.parametrize(("chi2", "df", "p"), EXACT["tails"])
def test_tails_keep_nine_digits_however_far_out(chi2: float, df: int, p: float) -> None:
    assert tail(chi2, df) == pytest.approx(p, rel=1e-9)


@pytest.mark.parametrize("case", EXACT["evidence"], ids=str)
def test_evidence_keeps_nine_digits_however_many_dice(case: dict[str, Any]) -> None:
    assert evidence(case["counts"], case.get("odds", ())) == pytest.approx(case["evidence"], rel=1e-9)


@pytest.mark.parametrize("case", EXACT["fits"], ids=str)
def test_fits_keep_nine_digits(case: dict[str, Any]) -> None:
    found = fit(case["counts"])
    assert (found.chi2, found.g) == pytest.approx((case["chi2"], case["g"]), rel=1e-9)


def test_no_dice_say_nothing() -> None:
    found = judge([0] * 6)
    assert found.as_json() == {
        "dice": 0,
        "chi2": 0.0,
        "df": 5,
        "p": 1.0,
        "chi2_axes": 0.0,
        "p_axes": 1.0,
        "evidence_faces": 1.0,
        "evidence_axes": 1.0,
        "evidence": 1.0,
    }
    assert not found.alarm
    assert (independence([[0] * 6] * 6).p, repeats([[0] * 6] * 6).z, alike([]).z) == (1.0, 0.0, 0.0)


def test_evidence_has_a_ceiling_and_is_never_infinite() -> None:
    found = judge([10**15, 0, 0, 0, 0, 0])
    assert (found.evidence_faces, found.evidence_axes, found.evidence) == (CAP, CAP, CAP)
    assert (found.p, found.p_axes) == (0.0, 0.0)


@given(SIX)
def test_any_counts_give_finite_figures(counts: list[int]) -> None:
    found = judge(counts)
    assert all(math.isfinite(value) for value in found.as_json().values())
    assert 0 <= found.p <= 1
    assert 0 <= found.p_axes <= 1
    assert fit(counts).g >= 0
    assert found.dice == sum(counts) == sum(axes_of(counts))
    assert found.evidence == pytest.approx(
        (found.evidence_faces + found.evidence_axes) / 2 if found.evidence < 1e300 else found.evidence
    )


@given(SIX, st.permutations(range(6)))
def test_no_face_is_special(counts: list[int], order: Sequence[int]) -> None:
    assert evidence([counts[face] for face in order]) == pytest.approx(evidence(counts), rel=1e-9)


@given(st.lists(st.integers(0, 200), min_size=6, max_size=6))
def test_no_fair_throw_is_expected_to_change_the_evidence(counts: list[int]) -> None:
    """This alone makes the alarm valid at every look: it is a fair game to stake against fair dice."""
    now = judge(counts)
    after = [judge([count + (face == shown) for face, count in enumerate(counts)]) for shown in range(6)]
    for name in ("evidence_faces", "evidence_axes", "evidence"):
        assert math.fsum(each.as_json()[name] for each in after) / 6 == pytest.approx(now.as_json()[name], rel=1e-9)


def test_that_holds_for_unequal_odds_too() -> None:
    for seen in ([0, 0], [7, 3], [100, 600]):
        after = evidence([seen[0] + 1, seen[1]], (1, 5)) / 6 + 5 * evidence([seen[0], seen[1] + 1], (1, 5)) / 6
        assert after == pytest.approx(evidence(seen, (1, 5)), rel=1e-9)


def test_a_mixture_is_the_product_of_its_predictions() -> None:
    """Throw by throw, a Dirichlet prior predicts a face by what it has seen; exact in fractions."""
    for weight in WEIGHTS:
        seen, worth = [weight] * 6, Fraction(1)
        for shown in (0, 0, 3, 5, 5, 5, 1, 0):
            worth *= Fraction(6 * seen[shown], sum(seen))
            seen[shown] += 1
        counts = [each - weight for each in seen]
        assert math.exp(log_evidence(counts, weight)) == pytest.approx(float(worth), rel=1e-12)


@pytest.mark.parametrize(
    ("counts", "odds"), [([1, 2], [1]), ([1, -1], []), ([1, 2], [1, 0])], ids=["lengths", "negative", "no odds"]
)
def test_counts_without_meaning_are_refused(counts: list[int], odds: list[int]) -> None:
    for function in (fit, evidence):
        with pytest.raises(ValueError, match="at least 0"):
            function(counts, odds)


def test_a_die_has_six_faces() -> None:
    with pytest.raises(ValueError, match="six faces"):
        judge([1, 2, 3, 4, 5])


def thrown(shares: Sequence[float], throws: int, dice: int, seed: int) -> Iterator[list[int]]:
    """The counts after each throw of some dice, added up."""
    chance, counts = random.Random(seed), [0] * 6
    for _ in range(throws):
        for face in chance.choices(range(6), shares, k=dice):
            counts[face] += 1
        yield list(counts)


@pytest.mark.parametrize("seed", range(5))
def test_fair_dice_are_left_alone(seed: int) -> None:
    assert not any(judge(counts).alarm for counts in thrown([1 / 6] * 6, 500, 10, seed))


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(
    ("shares", "within"),
    [
        ([1 / 6 - 0.01] * 5 + [1 / 6 + 0.05], 4_000),
        ([1 / 6 + 0.025, *[1 / 6 - 0.0125] * 4, 1 / 6 + 0.025], 4_000),
        ([0.2, 0.16, 0.16, 0.16, 0.16, 0.16], 12_000),
    ],
    ids=["loaded six", "short axis", "filed one"],
)
def test_bad_dice_raise_the_alarm(shares: list[float], within: int, seed: int) -> None:
    alarms = (counts for counts in thrown(shares, within // 10, 10, seed) if judge(counts).alarm)
    assert next(alarms, None) is not None


def test_each_part_has_its_own_eyes() -> None:
    """A short axis shows on axes first, a loaded face on faces; only what lies within an axis is hidden from axes."""
    short, loaded = (
        judge([10_700, 9_650, 9_650, 9_650, 9_650, 10_700]),
        judge([9_400, 10_000, 10_000, 10_000, 10_000, 10_600]),
    )
    assert short.evidence_axes > short.evidence_faces > ALARM
    assert loaded.evidence_faces > ALARM > 1 > loaded.evidence_axes
    assert loaded.alarm


@pytest.mark.parametrize("seed", range(5))
def test_chi_square_and_g_find_a_loaded_face(seed: int) -> None:
    fair, bad = ([*thrown(shares, 400, 10, seed)][-1] for shares in ([1] * 6, [10] * 5 + [14]))
    assert min(fit(fair).p, fit(fair).p_g) > 0.001
    assert max(fit(bad).p, fit(bad).p_g) < 1e-4


def pairs(sticky: float, number: int, seed: int, shares: Sequence[float] = (1,) * 6) -> list[list[int]]:
    """The face of a die by its face in the throw before, where it sometimes stays as it lay."""
    chance, table, before = random.Random(seed), [[0] * 6 for _ in range(6)], 0
    for _ in range(number):
        after = before if chance.random() < sticky else chance.choices(range(6), shares)[0]
        table[before][after] += 1
        before = after
    return table


@pytest.mark.parametrize("seed", range(5))
def test_a_die_that_stays_as_it_lay_is_found(seed: int) -> None:
    free, stuck = pairs(0.0, 4_000, seed), pairs(0.06, 4_000, seed)
    assert repeats(free).p > 0.001
    assert independence(free).p > 0.001
    assert repeats(stuck).p < 1e-4
    assert max(independence(stuck).p, independence(stuck).p_g) < 0.01
    assert sticking(repeats(stuck)) > 1000 > 20 > sticking(repeats(free))


def test_a_loaded_die_is_not_taken_for_one_that_sticks() -> None:
    table = pairs(0.0, 20_000, 3, (1, 1, 1, 1, 1, 4))
    found = repeats(table)
    assert found.equal / found.pairs > 0.2
    assert abs(found.z) < 3
    assert independence(table).p > 0.001


def test_a_table_is_judged_as_by_hand() -> None:
    """Two by two: chi-square by the short formula, G by its definition; an empty row and column change nothing."""
    table = [[10, 20], [30, 5]]
    chi2 = 65 * (10 * 5 - 20 * 30) ** 2 / (30 * 35 * 40 * 25)
    g = 2 * sum(
        count * math.log(65 * count / (row * column))
        for count, row, column in ((10, 30, 40), (20, 30, 25), (30, 35, 40), (5, 35, 25))
    )
    found = independence(table)
    assert found.df == 1
    assert (found.chi2, found.g) == pytest.approx((chi2, g))
    assert independence([[10, 0, 20], [0, 0, 0], [30, 0, 5]]) == found


def test_repeats_are_cohens_kappa() -> None:
    """Of 20, 5, 10, 15 the shares are 0.5, 0.5 and 0.6, 0.4: 35 agree where 25 would by chance."""
    found = repeats([[20, 5], [10, 15]])
    assert (found.pairs, found.equal) == (50, 35)
    assert found.expected == pytest.approx(25)
    share = 0.5 + 0.25 - (0.3 * (0.5 + 0.6) + 0.2 * (0.5 + 0.4))
    assert found.z == pytest.approx(10 / math.sqrt(50 * share))
    assert found.p_both == pytest.approx(2 * found.p)


def handful(sticky: float, throws: int, seed: int) -> Iterator[list[int]]:
    """Counts of ten dice a throw, of which the second sometimes copies the first."""
    chance = random.Random(seed)
    for _ in range(throws):
        faces = [chance.randrange(6) for _ in range(10)]
        if chance.random() < sticky:
            faces[1] = faces[0]
        yield [faces.count(face) for face in range(6)]


@pytest.mark.parametrize("seed", range(5))
def test_dice_that_copy_each_other_are_found_without_names(seed: int) -> None:
    assert alike(handful(0.0, 1_000, seed)).p_both > 0.001
    assert alike(handful(1.0, 1_000, seed)).p < 1e-4


def test_dice_that_avoid_each_other_are_found_too() -> None:
    found = alike([[1, 1, 1, 1, 1, 1]] * 100)
    assert found.equal == 0
    assert found.z < -10
    assert found.p > 0.999
    assert found.p_both < 1e-9


@pytest.mark.parametrize(
    ("faces", "dice"), [("000112", 3), ("001122", 2), ("00112233", 4), ("000111", 6), ("0012", 2), ("001", 3)]
)
def test_what_is_expected_of_a_handful_is_what_dealing_its_faces_out_gives(faces: str, dice: int) -> None:
    """All ways to deal the faces out to throws of so many dice."""
    ways = set(itertools.permutations(faces))
    dealt = [
        [[way[first : first + dice].count(face) for face in "0123"] for first in range(0, len(way), dice)]
        for way in ways
    ]
    equal = [sum(math.comb(count, 2) for throw in way for count in throw) for way in dealt]
    deviation = statistics.pstdev(equal)
    for way, seen in zip(dealt, equal, strict=True):
        found = alike(way)
        assert (found.pairs, found.equal) == (len(faces) // dice * math.comb(dice, 2), seen)
        assert found.expected == pytest.approx(statistics.fmean(equal))
        assert found.z * deviation == pytest.approx(seen - found.expected)


@pytest.mark.parametrize("seed", range(5))
def test_loaded_dice_are_not_taken_for_dice_that_copy(seed: int) -> None:
    chance = random.Random(seed)
    throws = [chance.choices(range(6), (1, 1, 1, 1, 1, 4), k=10) for _ in range(1_000)]
    assert alike([[faces.count(face) for face in range(6)] for faces in throws]).p_both > 0.001
