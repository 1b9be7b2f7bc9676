"""A die in both ways of reading: where they do not say the same, or not surely, its face is in doubt."""

from dataclasses import replace

import numpy as np
import pytest

from vision.network import NONE, Opinion
from vision.patterns import Fit
from vision.views import MAYBE_A_DIE, View

CERTAIN = (0.01, 0.01, 0.01, 0.93, 0.02, 0.01, 0.01)
TORN = (0.01, 0.01, 0.01, 0.5, 0.45, 0.01, 0.01)


@pytest.fixture(autouse=True)
def _pips(monkeypatch: pytest.MonkeyPatch) -> None:
    """These fits have no picture: all their pips are there, and no other."""
    monkeypatch.setattr(Fit, "odd_pip", lambda _, __: 0.0)
    monkeypatch.setattr(Fit, "faintest_pip", lambda _, __: 1.0)


def seen(faces: tuple[float, ...], like_four: float, like_five: float) -> View:
    """What all three networks see so, and how like a 4 and a 5 its pips are."""
    likeness = np.array([0.5, 0.5, 0.5, like_four, like_five, 0.5], np.float32)
    rows = np.tile(np.array(faces, np.float32), (3, 1))
    nothing = np.zeros(0, np.float32)
    return View(Opinion(50, 50, 40, 0.9, rows, 0, 0.05, 0, 0, 0, 0), Fit(likeness, nothing, nothing))


@pytest.mark.parametrize(
    ("faces", "like_four", "like_five", "doubt"),
    [
        (CERTAIN, 0.9, 0.6, ""),
        (CERTAIN, 0.75, 0.8, ""),
        (CERTAIN, 0.7, 0.85, "A face looks like a 4, but its pips make a 5."),
        (TORN, 0.9, 0.6, ""),
        (TORN, 0.75, 0.8, "A face may be a 4, but that is not certain."),
    ],
)
def test_what_the_networks_name_and_the_pips_do_not_bear_out_is_in_doubt(
    faces: tuple[float, ...], like_four: float, like_five: float, doubt: str
) -> None:
    view = seen(faces, like_four, like_five)
    assert view.seen.face == 4
    assert (view.doubt, view.named) == (doubt, not doubt)


NONE_OF_SIX = (0.01, 0.01, 0.01, 0.2, 0.01, 0.01, 0.75)
FIVE = (0.01, 0.01, 0.01, 0.07, 0.88, 0.01, 0.01)
SURELY_FOUR = (0.004, 0.004, 0.004, 0.976, 0.004, 0.004, 0.004)


@pytest.mark.parametrize(("colours", "named"), [(SURELY_FOUR, True), (FIVE, False), (NONE_OF_SIX, False)])
def test_both_classifiers_must_name_the_face_that_the_pips_show(colours: tuple[float, ...], named: bool) -> None:
    view = seen(SURELY_FOUR, 0.9, 0.6)
    faces = np.array([SURELY_FOUR, colours, SURELY_FOUR], np.float32)
    view = replace(view, seen=replace(view.seen, faces=faces))
    assert (view.seen.face, view.die().face) == (4, 4)
    assert (view.named, view.disputed, not view.doubt) == (named, not named, named)


@pytest.mark.parametrize(
    ("too_many", "doubt"), [(0.95, ""), (1.05, "A face looks like a 6, but it has a pip too many.")]
)
def test_a_six_with_a_pip_too_many_may_be_a_one_above_it(
    too_many: float, doubt: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Fit, "pip_too_many", lambda _, face: too_many if face == 6 else 0.0)
    six = (0.01, 0.01, 0.01, 0.01, 0.02, 0.93, 0.01)
    likeness = np.array([0.5, 0.5, 0.5, 0.5, 0.5, 0.9], np.float32)
    view = seen(CERTAIN, 0.9, 0.6)
    view = replace(
        view,
        seen=replace(view.seen, faces=np.tile(np.array(six, np.float32), (3, 1))),
        fit=replace(view.fit, likeness=likeness),
    )
    assert (view.seen.face, view.doubt, view.named) == (6, doubt, not doubt)
    assert (view.dispute().pips, view.die().margin > 0) == ((1, False) if doubt else (6, True))


@pytest.mark.parametrize(
    ("odd", "faintest", "doubt"),
    [
        (0.75, 0.35, ""),
        (0.85, 0.35, "A face looks like a 4, but it has a pip too many."),
        (0.75, 0.25, "A face looks like a 4, but it lacks a pip."),
    ],
)
def test_a_face_with_a_pip_more_or_less_than_its_number_is_in_doubt(
    odd: float, faintest: float, doubt: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Fit, "odd_pip", lambda _, face: odd if face == 4 else 0.0)
    monkeypatch.setattr(Fit, "faintest_pip", lambda _, face: faintest if face == 4 else 1.0)
    view = seen(SURELY_FOUR, 0.9, 0.6)
    view = replace(view, seen=replace(view.seen, faces=np.tile(np.array(SURELY_FOUR, np.float32), (3, 1))))
    assert (view.doubt, view.named, view.disputed) == (doubt, not doubt, bool(doubt))
    assert (view.die().margin > 0) == (not doubt)


@pytest.mark.parametrize(
    ("faintest", "two", "doubt"),
    [
        (0.36, 0.62, "A face looks like a 3, but its pips make a 2."),
        (0.36, 0.55, ""),
        (0.75, 0.62, ""),
        (0.75, 0.67, "A face looks like a 3, but its pips make a 2."),
    ],
)
def test_a_pip_that_hardly_stands_out_may_be_grain(
    faintest: float, two: float, doubt: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Fit, "faintest_pip", lambda _, face: faintest if face == 3 else 1.0)
    three = (0.005, 0.005, 0.97, 0.005, 0.005, 0.005, 0.005)
    view = seen(CERTAIN, 0.9, 0.6)
    view = replace(
        view,
        seen=replace(view.seen, faces=np.tile(np.array(three, np.float32), (3, 1))),
        fit=replace(view.fit, likeness=np.array([0.41, two, 0.56, 0.41, 0.45, 0.45], np.float32)),
    )
    assert (view.seen.face, view.doubt, view.named) == (3, doubt, not doubt)


def test_what_lies_as_nobody_can_say_may_be_no_die_however_well_it_is_named() -> None:
    view = seen(CERTAIN, 0.9, 0.6)
    letters = replace(view, seen=replace(view.seen, spread=0.14))
    assert (letters.named, letters.doubt) == (False, MAYBE_A_DIE)
    assert replace(view, seen=replace(view.seen, spread=0.12)).named


def test_the_other_faces_of_a_die_come_the_likeliest_first() -> None:
    die = seen(TORN, 0.9, 0.8).die()
    assert (die.face, die.others[0]) == (4, 5)
    assert sorted(die.others) == [1, 2, 3, 5, 6]
    assert len(die.others) == NONE - 1
