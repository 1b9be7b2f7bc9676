"""Which verdict what is seen comes to: one piece of evidence at a time is changed of a throw that can be read."""

import itertools
from dataclasses import replace

import cv2
import numpy as np
import pytest

from tests.vision.thrown import COUNT, judged, nameless, with_first
from vision.detector import Stranger
from vision.lying import leaning
from vision.network import NONE, Sight, pyramid
from vision.patterns import compare
from vision.reader import _look, _views
from vision.reading import Verdict
from vision.verdicts import at_fault, half_outside
from vision.views import View, spots


def test_a_die_that_clearly_lies_on_another_is_told_whatever_may_lie_beside_them(
    sight: Sight, views: list[View]
) -> None:
    hidden = np.zeros_like(sight.hidden)
    hidden[-len(hidden) // 4 :, -hidden.shape[1] // 4 :] = 0.8  # a corner without dice
    for stacked, verdict in ((0.9, Verdict.OBSTRUCTED), (1.0, Verdict.STACKED)):
        assert judged(replace(sight, hidden=hidden), with_first(views, stacked=stacked), None)[0] is verdict


@pytest.mark.parametrize("trouble", [{"stacked": 1.0}, {"tilt_deg": 50.0}], ids=str)
def test_what_is_too_much_and_shows_no_number_neither_leans_nor_lies_on_a_die(
    sight: Sight, views: list[View], trouble: dict[str, float]
) -> None:
    nine = with_first([nameless(views[0]), *views[1:]], **trouble)
    assert judged(sight, nine, COUNT - 1)[0] is Verdict.FOREIGN_OBJECT
    assert judged(sight, nine, COUNT)[0] not in (Verdict.FOREIGN_OBJECT, Verdict.OK)


@pytest.mark.parametrize(("sides", "cut"), [(0.4, True), (0.5, False)])
def test_a_die_whose_middle_is_less_than_half_a_side_within_the_picture_is_cut(
    sight: Sight, views: list[View], sides: float, cut: bool
) -> None:
    usual_px = float(np.median([view.seen.side_px for view in views]))
    assert not half_outside(sight, views)
    assert half_outside(sight, with_first(views, x_px=sides * usual_px)) == cut
    assert not half_outside(sight, [])


def test_a_die_that_the_edge_cuts_is_cut_whatever_it_seems_to_lean(sight: Sight, views: list[View]) -> None:
    assert judged(sight, with_first(views, tilt_deg=40.0), COUNT)[0] is Verdict.COCKED
    left = min(views, key=lambda view: view.seen.x_px).seen
    part = _look(np.ascontiguousarray(sight.levels[0][:, int(left.x_px - 0.3 * left.side_px) :]))
    cut, *others = sorted(_views(part, [die for die in part.dice if die.score > 0.3]), key=lambda view: view.seen.x_px)
    assert cut.seen.x_px < 0.5 * cut.seen.side_px
    assert judged(part, with_first([cut, *others], tilt_deg=40.0), COUNT)[0] is Verdict.WRONG_COUNT


def test_what_alone_is_cut_may_be_a_die_where_nobody_counts_them(sight: Sight, views: list[View]) -> None:
    side_px = float(np.median([view.seen.side_px for view in views]))
    height, width = sight.levels[0].shape[:2]
    part = (width, height // 2), (width, 3 * height // 4), (width // 2, 0)
    tinted, grey = (30, 30, 160), (90, 90, 90)
    for places, colour, expected, verdict in (
        (part[:1], tinted, None, Verdict.WRONG_COUNT),
        (part[:1], tinted, COUNT, Verdict.OK),
        (part[:1], grey, None, Verdict.OK),
        (part, tinted, None, Verdict.OK),  # the print of the ground
    ):
        image = sight.levels[0].copy()
        for place in places:
            cv2.circle(image, place, round(0.6 * side_px), colour, -1)
        told, message = judged(replace(sight, levels=pyramid(image)), views, expected)
        assert told is verdict
        assert verdict is Verdict.OK or "outside" in message


def test_the_dice_are_named_that_are_why_a_picture_is_refused(views: list[View]) -> None:
    alone: tuple[dict[str, float], ...] = ({"smear": 0.9}, {"stacked": 1.0}, {"tilt_deg": 40.0})
    verdicts = Verdict.NOT_SETTLED, Verdict.STACKED, Verdict.COCKED
    for seen, verdict in zip(alone, verdicts, strict=True):
        amiss = with_first(views, **seen)
        for other in Verdict:
            assert at_fault(amiss, other) == ((0,) if other is verdict else ())
    assert at_fault([views[1], nameless(views[0]), *views[2:]], Verdict.UNSURE) == (1,)


def test_what_leans_most_is_named_where_none_leans_for_certain(views: list[View]) -> None:
    for tilt_deg, least, most, amiss in ((12.0, 0.7, 1.0, (0,)), (5.0, 0.0, 0.7, ())):
        nearly = with_first(views, tilt_deg=tilt_deg, spread=0.05, lean=0.0)
        assert least < leaning(nearly).max() < most
        assert at_fault(nearly, Verdict.COCKED) == amiss


def test_a_face_that_leans_may_seem_smeared_by_that(sight: Sight, views: list[View]) -> None:
    blurred = with_first([nameless(views[0]), *views[1:]], smear=0.3)
    assert judged(sight, blurred, COUNT)[0] is Verdict.NOT_SETTLED
    assert judged(sight, with_first(blurred, tilt_deg=40.0), COUNT)[0] is Verdict.COCKED


def test_what_may_be_a_die_at_the_edge_is_none_where_all_are_told(sight: Sight, views: list[View]) -> None:
    middle = views[0].seen
    perhaps = replace(middle, x_px=0.3 * middle.side_px, score=0.4)
    more = replace(sight, dice=(*(view.seen for view in views), perhaps))
    for expected, verdict in ((COUNT, Verdict.OK), (COUNT + 1, Verdict.WRONG_COUNT), (None, Verdict.WRONG_COUNT)):
        told, message = judged(more, views, expected)
        assert told is verdict
        assert verdict is Verdict.OK or "outside" in message


def test_what_the_edge_cuts_is_the_grounds_where_all_are_told_and_nobody_can_say_how_it_lies(
    sight: Sight, views: list[View]
) -> None:
    middle = views[0].seen
    for spread, expected, verdict in (
        (0.02, COUNT, Verdict.WRONG_COUNT),
        (0.1, COUNT, Verdict.OK),
        (0.1, None, Verdict.WRONG_COUNT),
    ):
        cut = replace(middle, x_px=0.3 * middle.side_px, score=0.6, spread=spread)
        more = replace(sight, dice=(*(view.seen for view in views), cut))
        assert judged(more, views, expected)[0] is verdict


def test_a_missing_die_is_rather_the_patch_that_the_edge_cuts_than_below_another_or_in_motion(
    sight: Sight, views: list[View]
) -> None:
    cut = sight.levels[0].copy()
    side = round(views[0].seen.side_px)
    cv2.rectangle(cut, (0, side), (side // 2, 2 * side), (30, 160, 60), -1)
    moving = replace(views[0].seen, smear=0.6, score=0.3)
    for stacked, dice, usual, where_cut in (
        (0.68, sight.dice, Verdict.WRONG_COUNT, Verdict.WRONG_COUNT),
        (0.85, sight.dice, Verdict.STACKED, Verdict.WRONG_COUNT),
        (0.99, sight.dice, Verdict.STACKED, Verdict.STACKED),
        (0.0, (*sight.dice, moving), Verdict.NOT_SETTLED, Verdict.WRONG_COUNT),
        (0.0, sight.dice, Verdict.WRONG_COUNT, Verdict.WRONG_COUNT),
    ):
        seen, otherwise = replace(sight, dice=dice), with_first(views, stacked=stacked)
        assert judged(seen, otherwise, COUNT + 1)[0] is usual
        assert judged(replace(seen, levels=pyramid(cut)), otherwise, COUNT + 1)[0] is where_cut


@pytest.mark.parametrize(
    ("wide", "high", "part"),
    [(0.5, 1.1, True), (0.6, 1.1, True), (0.15, 1.0, False), (0.5, 2.4, False), (3.0, 3.0, False)],
)
def test_what_the_edge_cuts_may_be_a_die_if_it_is_as_large_as_a_part_of_one(
    sight: Sight, views: list[View], wide: float, high: float, part: bool
) -> None:
    cut = sight.levels[0].copy()
    side = float(np.median([view.seen.side_px for view in views]))
    cv2.rectangle(cut, (0, 60), (round(wide * side), 60 + round(high * side)), (30, 160, 60), -1)
    verdict, _ = judged(replace(sight, levels=pyramid(cut)), with_first(views, stacked=0.85), COUNT + 1)
    assert (verdict is Verdict.WRONG_COUNT) is part


def test_a_die_that_may_lie_on_the_missing_one_hides_it_likelier_than_what_hardly_covers(
    sight: Sight, views: list[View], monkeypatch: pytest.MonkeyPatch
) -> None:
    for covering, stacked, verdict in (
        (2.0, 0.0, Verdict.OBSTRUCTED),
        (2.0, 0.9, Verdict.STACKED),
        (3.5, 0.9, Verdict.OBSTRUCTED),
    ):
        monkeypatch.setattr("vision.verdicts.covering", lambda *_, over=covering: over)
        assert judged(sight, with_first(views, stacked=stacked), COUNT + 1)[0] is verdict


def test_a_die_that_leans_does_so_though_another_may_lie_on_the_missing_one(sight: Sight, views: list[View]) -> None:
    for tilt_deg, verdict in ((50.0, Verdict.COCKED), (0.0, Verdict.STACKED)):
        last = replace(views[-1], seen=replace(views[-1].seen, stacked=0.68, lean=0.3))
        assert judged(sight, with_first([*views[:-1], last], tilt_deg=tilt_deg), COUNT + 1)[0] is verdict


def test_a_die_that_leans_a_little_where_no_thing_lies_may_lie_on_the_missing_one(
    sight: Sight, views: list[View], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vision.verdicts.hides_one", lambda views: 1.05)
    monkeypatch.setattr("vision.verdicts.too_many_lean", lambda views, expected: False)
    for leans, missing, things, verdict in (
        (1.5, 1, [], Verdict.STACKED),
        (1.7, 1, [], Verdict.COCKED),
        (1.5, 0, [], Verdict.COCKED),
        (1.5, 1, [(20.0, 20.0, 30.0)], Verdict.COCKED),
    ):
        monkeypatch.setattr("vision.verdicts.leaning", lambda views, most=leans: np.array([most, 0.0]))
        monkeypatch.setattr("vision.verdicts.foreign", lambda sight, views, found=things: found)
        assert judged(sight, views, COUNT + missing)[0] is verdict


@pytest.mark.parametrize(("within", "cut"), [(0.4, True), (0.6, False)])
def test_what_the_edge_leaves_of_a_die_is_cut_though_it_seems_smaller(
    sight: Sight, views: list[View], within: float, cut: bool
) -> None:
    left = min(views, key=lambda view: view.seen.x_px).seen
    part = _look(np.ascontiguousarray(sight.levels[0][:, int(left.x_px - within * left.side_px) :]))
    first, *others = sorted(_views(part, list(part.dice[:COUNT])), key=lambda view: view.seen.x_px)
    seems = with_first([first, *others], side_px=0.66 * first.seen.side_px)
    verdict, message = judged(replace(part, dice=tuple(view.seen for view in seems)), seems, COUNT)
    assert (verdict is Verdict.WRONG_COUNT and "outside" in message) is cut


def test_a_counted_die_that_the_edge_cuts_is_not_whole_however_well_it_is_told(sight: Sight, views: list[View]) -> None:
    left = min(views, key=lambda view: view.seen.x_px).seen
    part = _look(np.ascontiguousarray(sight.levels[0][:, int(left.x_px - 0.48 * left.side_px) :]))
    cut, *others = sorted(_views(part, list(part.dice[:COUNT])), key=lambda view: view.seen.x_px)
    assert cut.named
    for score in (0.45, 0.9):
        counted = with_first([cut, *others], score=score)
        told, message = judged(replace(part, dice=tuple(view.seen for view in counted)), counted, COUNT)
        assert told is Verdict.WRONG_COUNT
        assert "outside" in message


def test_a_face_without_a_number_must_be_smeared_more_to_move(sight: Sight, views: list[View]) -> None:
    blank = nameless(views[0])
    emblem = [View(blank.seen, replace(blank.fit, likeness=np.full(6, 0.6, np.float32))), *views[1:]]
    for dice, smear, verdict in (
        (views, 0.5, Verdict.NOT_SETTLED),
        (emblem, 0.5, Verdict.UNSURE),
        (emblem, 0.8, Verdict.NOT_SETTLED),
    ):
        assert judged(sight, with_first(dice, smear=smear), COUNT)[0] is verdict


def test_what_glares_more_than_it_is_smeared_does_not_move(sight: Sight, views: list[View]) -> None:
    blank = [nameless(views[0]), *views[1:]]
    assert judged(sight, with_first(blank, smear=0.3, glare=0.1), COUNT)[0] is Verdict.NOT_SETTLED
    assert judged(sight, with_first(blank, smear=0.3, glare=0.45), COUNT)[0] is Verdict.UNSURE


def test_what_is_too_much_and_lies_as_no_die_does_is_a_thing_whatever_it_is_named(
    sight: Sight, views: list[View]
) -> None:
    """The studs of a brick of children pass for four pips."""
    usual = float(np.median([view.seen.spread for view in views]))
    for spread, expected, verdict in (
        (0.09, COUNT - 1, Verdict.FOREIGN_OBJECT),
        (usual, COUNT - 1, Verdict.WRONG_COUNT),
        (0.09, COUNT, Verdict.OK),
    ):
        assert judged(sight, with_first(views, spread=spread), expected)[0] is verdict


def test_what_is_hardly_seen_and_all_smeared_is_the_missing_die_in_motion_unless_there_are_more_of_it(
    sight: Sight, views: list[View]
) -> None:
    lost = replace(views[0].seen, score=0.16, smear=0.95, side_px=2 * views[0].seen.side_px)
    hand = np.zeros_like(sight.hidden)
    hand[:2] = 0.9
    for smeared, hidden, moves in ((1, sight.hidden, True), (2, sight.hidden, False), (1, hand, False)):
        seen = (*(view.seen for view in views[1:]), *[lost] * smeared)
        told = judged(replace(sight, dice=seen, hidden=hidden), views[1:], COUNT)[0]
        assert (told is Verdict.NOT_SETTLED) is moves


def test_dice_that_are_all_told_are_too_many_whatever_may_lie_beside_them(sight: Sight, views: list[View]) -> None:
    perhaps = replace(sight, strangers=(Stranger(100.0, 100.0, 50.0, 0.4),))
    assert judged(perhaps, views, COUNT - 1)[0] is Verdict.WRONG_COUNT
    assert judged(perhaps, with_first(views, faces=nameless(views[0]).seen.faces), COUNT)[0] is Verdict.FOREIGN_OBJECT


def test_one_pip_of_a_two_is_no_one(sight: Sight, views: list[View]) -> None:
    """As where the detector takes a pip for the middle of the face: all ways of reading look at the same place."""
    one = next(view for view in views if view.seen.face == 2).seen
    (pip,) = [fit.best(2)[0].pips[0] for fit in compare(sight.levels, spots([one]))]
    x_px, y_px = (at + way * one.side_px for at, way in zip((one.x_px, one.y_px), pip, strict=True))
    for sureness, verdict in ((0.85, Verdict.UNSURE), (0.99, Verdict.OK)):
        faces = np.full((3, NONE + 1), (1 - sureness) / NONE, np.float32)
        faces[:, 0] = sureness
        half = replace(one, x_px=x_px, y_px=y_px, faces=faces)
        others = [view for view in views if view.seen is not one]
        assert judged(sight, [*_views(sight, [half]), *others], COUNT)[0] is verdict


def test_a_one_that_the_networks_are_less_sure_of_must_stand_out_from_its_face(sight: Sight, views: list[View]) -> None:
    """A sun is a 1 to the classifiers, and its disc is like the pip of one; veins or gleams leave a pip what it is."""
    one = next(view for view in views if view.seen.face == 1)
    others = [view for view in views if view is not one]
    image = sight.levels[0].copy()
    pip = image[round(one.seen.y_px), round(one.seen.x_px)].tolist()
    for turn in np.arange(8) * np.pi / 4:
        way = one.seen.side_px * np.array([np.cos(turn), np.sin(turn)])
        ends = [np.rint([one.seen.x_px, one.seen.y_px] + far * way).astype(int).tolist() for far in (0.16, 0.26)]
        cv2.line(image, ends[0], ends[1], pip, round(0.06 * one.seen.side_px), cv2.LINE_AA)
    (sun,) = compare(pyramid(image), spots([one.seen]))
    for fit, seen, verdict in (
        (one.fit, 0.1, Verdict.OK),
        (one.fit, 0.04, Verdict.UNSURE),  # the detector must see a 1 too
        (sun, 0.1, Verdict.UNSURE),
        (sun, 0.9, Verdict.OK),
    ):
        faces = one.seen.faces.copy()
        faces[0] = np.full(NONE + 1, (1 - seen) / NONE)
        faces[0, 0] = seen
        likely = replace(fit, likeness=one.likeness)
        assert (
            judged(sight, [replace(one, seen=replace(one.seen, faces=faces), fit=likely), *others], COUNT)[0] is verdict
        )


def test_a_doubted_one_is_in_dispute_and_has_no_margin(sight: Sight, views: list[View]) -> None:
    one = next(view for view in views if view.seen.face == 1)
    for half in (replace(one, paired=0.9), replace(one, paired=0.6, sides=0.8)):
        assert (one.die().margin > 0.5, half.die().margin) == (True, 0.0)
        assert half.disputed
        assert half.dispute().pips == 2
    for whole in (replace(one, paired=0.6), replace(one, paired=0.5, sides=0.8)):
        assert not whole.disputed


def test_a_die_much_smaller_than_the_others_must_be_surer(sight: Sight, views: list[View]) -> None:
    """The ring of an emblem passes for a small die with four pips, but not to the detector, which sees all of it."""
    faces = views[0].seen.faces.copy()
    faces[0] = np.full(NONE + 1, 0.9 / NONE)
    faces[0, views[0].seen.face - 1] = 0.1
    for small, verdict in ((False, Verdict.OK), (True, Verdict.UNSURE)):
        doubted = replace(views[0], seen=replace(views[0].seen, faces=faces, stacked=0.3), sides=0.75 if small else 1.0)
        assert judged(sight, [doubted, *views[1:]], COUNT)[0] is verdict
        assert (doubted.die().margin == 0) is small


def test_what_is_hardly_seen_as_a_die_must_be_named_surely(sight: Sight, views: list[View]) -> None:
    """Between the sides of a die that another hides in part the classifiers see a 2."""
    faces = views[0].seen.faces.copy()
    faces[0] = np.full(NONE + 1, 0.8 / NONE)
    faces[0, views[0].seen.face - 1] = 0.2
    faces[1:, views[0].seen.face - 1] = 0.6
    assert judged(sight, with_first(views, faces=faces, score=0.6), COUNT)[0] is Verdict.OK
    doubted = judged(sight, with_first(views, faces=faces, score=0.42), COUNT)
    assert doubted == (Verdict.UNSURE, "Something may be a die, or not.")
    assert judged(sight, with_first(views, score=0.42), COUNT)[0] is Verdict.OK


def test_a_small_die_must_show_its_face_more_surely(sight: Sight, views: list[View]) -> None:
    one = next(view for view in views if view.seen.face != 1)
    others = [view for view in views if view is not one]
    faces, likeness = np.zeros_like(one.seen.faces), np.full(6, 0.58, np.float32)
    likeness[one.seen.face - 1] = 0.6
    faces[:, one.seen.face - 1], faces[:, 0] = 0.65, 0.35
    for side_px, verdict in ((25.0, Verdict.OK), (18.0, Verdict.UNSURE)):
        small = replace(
            one, seen=replace(one.seen, faces=faces, side_px=side_px), fit=replace(one.fit, likeness=likeness)
        )
        assert judged(sight, [small, *others], COUNT)[0] is verdict


def test_a_small_die_in_doubt_is_refused_for_its_size(sight: Sight, views: list[View]) -> None:
    faces = views[0].seen.faces.copy()
    faces[1], faces[2] = np.roll(faces[1], 1), 0.9 * faces[2] + 0.1 / len(faces[2])
    for side_px, reason in (
        (25.0, "A face looks like a "),
        (18.0, "A die is too small to be sure of: its side has 18 pixels."),
    ):
        small = with_first(views, faces=faces, side_px=side_px)
        verdict, message = judged(sight, small, COUNT)
        assert verdict is Verdict.UNSURE
        assert message.startswith(reason)
    for side_px, doubted in ((18.0, False), (8.0, True)):
        assert (judged(sight, with_first(views, side_px=side_px), COUNT)[0] is Verdict.UNSURE) is doubted


def test_what_is_hardly_like_its_number_needs_networks_that_are_all_sure(sight: Sight, views: list[View]) -> None:
    """A shield passes for a 2, a wheel for a 6: the detector doubts them."""
    first = next(view for view in views if view.seen.face != 1)
    likeness = first.fit.likeness * 0.4 / first.fit.likeness.max()
    for seen, verdict in ((0.9, Verdict.OK), (0.4, Verdict.UNSURE)):
        faces = np.full((3, NONE + 1), 0.03 / NONE, np.float32)
        faces[:, first.seen.face - 1] = 0.97
        faces[0] = (1 - seen) / NONE
        faces[0, first.seen.face - 1] = seen
        faint = replace(first, seen=replace(first.seen, faces=faces), fit=replace(first.fit, likeness=likeness))
        others = [view for view in views if view is not first]
        assert judged(sight, [faint, *others], COUNT)[0] is verdict


def test_where_any_number_will_do_what_may_be_a_die_is_in_doubt(sight: Sight, views: list[View]) -> None:
    for score, verdict in ((0.25, Verdict.OK), (0.4, Verdict.UNSURE)):
        more = replace(sight, dice=(*sight.dice, replace(views[0].seen, score=score)))
        assert judged(more, views, None)[0] is verdict


def test_what_is_hardly_named_and_lies_as_no_die_does_may_be_none(sight: Sight, views: list[View]) -> None:
    """The shadow of a clear die shows the shadows of its pips."""
    for likely, spread, verdict in ((0.55, 0.1, Verdict.UNSURE), (0.7, 0.1, Verdict.OK), (0.55, 0.03, Verdict.OK)):
        faces = np.full((3, NONE + 1), (1 - likely) / NONE, np.float32)
        faces[:, views[0].seen.face - 1] = likely
        hardly = with_first(views, faces=faces, spread=spread)
        assert judged(sight, hardly, COUNT)[0] is verdict, (likely, spread)
        assert at_fault(hardly, Verdict.UNSURE) == ((0,) if verdict is Verdict.UNSURE else ())


@pytest.mark.parametrize("expected", [COUNT, None])
def test_no_die_is_read_within_the_face_of_another(sight: Sight, views: list[View], expected: int | None) -> None:
    """A pip of a large clear die passes for a small one with a 1."""
    seen = [view.seen for view in views]
    first, second = min(
        itertools.combinations(range(len(seen)), 2),
        key=lambda two: np.hypot(seen[two[0]].x_px - seen[two[1]].x_px, seen[two[0]].y_px - seen[two[1]].y_px),
    )
    apart_px = np.hypot(seen[first].x_px - seen[second].x_px, seen[first].y_px - seen[second].y_px)
    for sides, verdict in ((0.45, Verdict.UNSURE), (0.75, Verdict.OK)):
        two = list(views)
        two[first] = replace(views[first], seen=replace(seen[first], side_px=float(apart_px / sides)))
        assert judged(sight, two, expected)[0] is verdict
        assert at_fault(two, Verdict.UNSURE) == ((first, second) if verdict is Verdict.UNSURE else ())
