"""What two looks at one picture see together."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vision.detector import Stranger
from vision.network import Opinion, Sight
from vision.patterns import compare
from vision.second_look import borne_out, both, by_pips, touching
from vision.views import View, spots

SHARES = st.floats(0, 1, width=32)


def seen(x_px: float, y_px: float, score: float, side_px: float = 40.0) -> Opinion:
    return Opinion(x_px, y_px, side_px, score, np.full((3, 7), 1 / 7, np.float32), 0, 0.05, 0, 0, 0, 0)


def looked(*dice: Opinion, strangers: tuple[Stranger, ...] = (), hidden: float = 0.0, cells: int = 4) -> Sight:
    everywhere = np.full((cells, cells + 1), hidden, np.float32)
    return Sight(dice, strangers, everywhere, np.asarray(everywhere / 2, np.float32), 0.5, [])


class Named(View):
    """A die of which it is only known what it is called, and whether surely."""

    named = True
    likest = True


class Unlike(Named):
    """One whose pips are more like another face."""

    likest = False


class Unnamed(Named):
    named = False


def called(kind: type[Named], face: int, x_px: float) -> View:
    faces = np.zeros((3, 7), np.float32)
    faces[:, face - 1] = 1
    return kind(replace(seen(x_px, 50, 0.9), faces=faces), None)  # type: ignore[arg-type]


def test_a_die_that_a_reflection_hides_may_not_be_gone() -> None:
    hidden = called(Unnamed, 2, 50)
    hidden = Unnamed(replace(hidden.seen, glare=0.9), None)  # type: ignore[arg-type]
    assert not borne_out([hidden], [called(Named, 1, 200)])
    assert borne_out([hidden], [called(Named, 1, 55)])
    faint = Unnamed(replace(hidden.seen, score=0.3), None)  # type: ignore[arg-type]
    assert borne_out([faint], [called(Named, 1, 200)])


@given(SHARES, SHARES)
def test_what_both_looks_see_is_as_likely_as_both_make_it_and_lies_where_the_second_sees_it(a: float, b: float) -> None:
    (die,) = both(looked(seen(100, 100, a)), looked(seen(110, 105, b, 44.0))).dice
    assert (die.x_px, die.y_px, die.side_px) == (110, 105, 44)
    assert die.score == pytest.approx((a + b) / 2)


@given(SHARES, SHARES)
def test_a_die_lies_on_another_as_likely_as_both_looks_make_it(a: float, b: float) -> None:
    first, second = (replace(seen(x_px, 100, 0.9), stacked=share) for x_px, share in ((100, a), (110, b)))
    dice = both(looked(first, replace(seen(300, 100, 0.9), stacked=a)), looked(second)).dice
    assert {die.x_px: die.stacked for die in dice} == {110: pytest.approx((a + b) / 2), 300: pytest.approx(a)}


@given(SHARES, SHARES)
def test_what_one_look_alone_sees_is_half_as_likely_and_the_likeliest_comes_first(a: float, b: float) -> None:
    dice = both(looked(seen(100, 100, a)), looked(seen(200, 100, b))).dice
    assert {die.x_px: die.score for die in dice} == {100: pytest.approx(a / 2), 200: pytest.approx(b / 2)}
    assert dice[0].score >= dice[1].score


def test_two_places_of_the_first_look_that_the_second_sees_as_one_are_one() -> None:
    (die,) = both(looked(seen(95, 100, 0.6), seen(108, 100, 0.4)), looked(seen(101, 100, 0.8))).dice
    assert die.score == pytest.approx(0.7)


def test_things_and_what_is_hidden_are_as_likely_as_both_looks_make_them() -> None:
    first = looked(strangers=(Stranger(10, 10, 30, 0.6), Stranger(90, 90, 30, 0.5)), hidden=0.2, cells=4)
    together = both(first, looked(strangers=(Stranger(12, 10, 30, 0.2),), hidden=0.6, cells=6))
    assert [(one.x_px, one.score) for one in together.strangers] == [(12, pytest.approx(0.4)), (90, 0.25)]
    assert together.hidden.shape == together.strange.shape == (6, 7)
    assert together.hidden == pytest.approx(np.full((6, 7), 0.4))
    assert together.strange == pytest.approx(np.full((6, 7), 0.2))


def test_a_face_that_was_surely_named_may_not_have_another_name() -> None:
    assert borne_out([called(Named, 4, 50)], [called(Named, 4, 55)])
    assert not borne_out([called(Named, 4, 50)], [called(Named, 2, 55)])


def test_what_was_not_surely_named_may() -> None:
    assert borne_out([called(Unnamed, 4, 50)], [called(Named, 2, 55)])
    assert borne_out([called(Unnamed, 4, 50)], [])


def test_what_the_classifiers_named_otherwise_at_first_must_be_sure_to_both() -> None:
    torn = called(Unnamed, 4, 50)
    torn.seen.faces[1] = np.roll(torn.seen.faces[1], 1)
    again = called(Named, 4, 55)
    assert borne_out([torn], [again])
    again.seen.faces[1, 3] = 0.45
    assert not borne_out([torn], [again])
    assert borne_out([called(Unnamed, 4, 50)], [again])  # both named it so at first


def test_what_the_classifiers_named_otherwise_at_first_may_not_be_more_like_another_face_by_its_pips() -> None:
    torn = called(Unnamed, 4, 50)
    torn.seen.faces[1] = np.roll(torn.seen.faces[1], 1)
    assert not borne_out([torn], [called(Unlike, 4, 55)])
    assert borne_out([called(Unnamed, 4, 50)], [called(Unlike, 4, 55)])


def test_a_die_that_was_surely_named_may_not_be_gone() -> None:
    assert borne_out([called(Named, 4, 50)], [called(Named, 4, 55), called(Named, 2, 90)])
    assert not borne_out([called(Named, 4, 50)], [called(Named, 2, 90)])
    assert not borne_out([called(Named, 4, 50)], [])


def test_dice_are_felt_around_their_pips_where_these_are_clear(sight: Sight, views: list[View]) -> None:
    view = views[3]  # a 2, whose pips are as clear a tenth of a side aside
    seen = view.seen
    beside = replace(seen, x_px=seen.x_px + 0.1 * seen.side_px)
    (fit,) = compare(sight.levels, spots([beside]))
    unclear = replace(fit, likeness=fit.likeness * 0.6)
    clear, doubted = by_pips([replace(view, seen=beside, fit=one) for one in (fit, unclear)])
    assert clear[:2] == pytest.approx((seen.x_px, seen.y_px), abs=0.06 * seen.side_px)
    assert doubted[:2] == pytest.approx((beside.x_px, beside.y_px))
    assert clear[2] == pytest.approx(1.08 * seen.side_px)


@pytest.mark.parametrize(("x_px", "told"), [(100.0, False), (150.0, True), (161.0, False)])
def test_dice_that_are_a_side_and_a_half_apart_or_less_touch(x_px: float, told: bool) -> None:
    die = seen(100, 100, 0.9)
    assert touching(die, [die] if x_px == 100 else [die, seen(x_px, 100, 0.9)]) is told
