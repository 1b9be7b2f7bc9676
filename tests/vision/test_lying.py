"""Which dice lean and which lie on another: one piece of evidence at a time is changed of a throw that can be read."""

from dataclasses import replace
from typing import Any

import cv2
import numpy as np
import pytest

from tests.vision.thrown import COUNT, judged, nameless, with_first
from vision.lying import hides_one
from vision.network import NONE, Sight
from vision.reading import Verdict
from vision.slant import ovals
from vision.verdicts import judge
from vision.views import View


def test_a_die_that_is_seen_whole_among_all_that_must_be_there_needs_more_to_lie_on_another(
    sight: Sight, views: list[View]
) -> None:
    for stacked, expected, verdict in (
        (0.75, COUNT, Verdict.OK),
        (0.75, None, Verdict.STACKED),
        (1.0, COUNT, Verdict.STACKED),
    ):
        assert judged(sight, with_first(views, stacked=stacked), expected)[0] is verdict


def test_a_die_that_surely_shows_no_number_is_seen_whole_too(sight: Sight, views: list[View]) -> None:
    for none, verdict in ((0.9, Verdict.UNSURE), (0.6, Verdict.STACKED)):
        blank = nameless(views[1])
        faces = np.full((3, NONE + 1), (1 - none) / NONE, np.float32)
        faces[:, NONE] = none
        emblem = replace(blank, seen=replace(blank.seen, faces=faces))
        seen = [*with_first(views[:1], stacked=0.8), emblem, *views[2:]]
        assert judged(sight, seen, COUNT)[0] is verdict


def test_what_is_named_may_be_the_side_of_a_die_below_if_nobody_can_say_how_it_lies(
    sight: Sight, views: list[View]
) -> None:
    for spread, verdict in ((0.02, Verdict.OK), (0.1, Verdict.STACKED)):
        below = replace(views[1], seen=replace(views[1].seen, spread=spread))
        seen = [*with_first(views[:1], stacked=0.8), below, *views[2:]]
        assert judged(sight, seen, COUNT)[0] is verdict


def test_what_seems_to_lie_on_another_is_larger_if_it_does(sight: Sight, views: list[View]) -> None:
    for stacked, larger, expected, verdict in (
        (0.6, 1.15, None, Verdict.STACKED),
        (0.6, 1.15, COUNT, Verdict.OK),
        (0.6, 1.0, None, Verdict.OK),
        (0.3, 1.15, None, Verdict.OK),
        (0.85, 1.0, None, Verdict.STACKED),
        (0.85, 0.85, None, Verdict.OK),
        (0.98, 0.85, None, Verdict.STACKED),
    ):
        side_px = larger * float(np.median([view.seen.side_px for view in views]))
        assert judged(sight, with_first(views, stacked=stacked, side_px=side_px), expected)[0] is verdict


def test_what_hides_the_missing_die_seems_to_stand_on_it_is_larger_and_leans(views: list[View]) -> None:
    sides = [view.seen.side_px for view in views]
    usual: dict[str, Any] = {
        "stacked": 0.0,
        "tilt_deg": 0.0,
        "lean": 0.0,
        "spread": 0.05,
        "side_px": float(np.median(sides)),
    }
    dice = [replace(view, seen=replace(view.seen, **usual)) for view in views]
    flat = hides_one(dice)
    for seen, more in (
        ({"stacked": 0.6}, 0.6),
        ({"side_px": 1.2 * usual["side_px"]}, 0.2),
        ({"side_px": 9.0 * usual["side_px"]}, 0.4),
        ({"lean": 1.0}, 0.8 * 0.6),
        ({"tilt_deg": 80.0}, 0.8 * 1.5),
    ):
        assert hides_one(with_first(dice, **seen)) - flat == pytest.approx(more, abs=0.12)
    assert hides_one([]) == 0
    assert hides_one(with_first(dice[:1], stacked=0.6)) == pytest.approx(0.6, abs=0.12)


def test_a_face_leans_by_the_shape_of_its_pips_if_it_is_named_and_tilted_a_little(
    sight: Sight, views: list[View]
) -> None:
    first, *others = sorted(views, key=lambda view: view.seen.face not in (2, 3, 4, 5))
    drawn_out = np.stack([[cv2.GaussianBlur(hat, (0, 0), 4, sigmaY=0.1) for hat in first.fit._hats]])[0]
    fit = replace(first.fit, _hats=drawn_out)
    leaning = replace(first, fit=fit, oval=ovals([fit], [first.seen.face])[0])
    for tilt_deg, verdict in ((6.0, Verdict.COCKED), (0.0, Verdict.OK)):
        tilted = with_first([leaning, *others], tilt_deg=tilt_deg, spread=0.05, lean=0.1)
        assert judged(sight, tilted, COUNT)[0] is verdict
    unnamed = replace(leaning, seen=nameless(first).seen)
    assert judged(sight, [unnamed, *others], COUNT)[0] is Verdict.UNSURE


def test_what_is_unlike_any_pattern_leans_by_its_tilt_and_an_emblem_by_that_alone(
    sight: Sight, views: list[View]
) -> None:
    emblem = nameless(views[0])
    blank = replace(views[0], fit=emblem.fit)
    for first, tilt_deg, verdict in (
        (emblem, 7.0, Verdict.UNSURE),
        (emblem, 30.0, Verdict.COCKED),
        (blank, 7.0, Verdict.COCKED),
        (blank, 4.0, Verdict.OK),
    ):
        assert judged(sight, with_first([first, *views[1:]], tilt_deg=tilt_deg, spread=0.05), COUNT)[0] is verdict


def test_a_die_that_the_detector_sees_less_well_than_the_others_must_be_tilted_more_to_lean(
    sight: Sight, views: list[View]
) -> None:
    middle = float(np.median([view.seen.score for view in views]))
    for score, verdict in ((middle - 0.05, Verdict.COCKED), (middle - 0.45, Verdict.OK)):
        tilted = with_first(views, score=score, tilt_deg=16.0, spread=0.05, lean=0.1)
        assert judged(sight, tilted, COUNT)[0] is verdict


def test_where_all_others_that_must_be_there_lie_flat_what_leans_is_no_die(sight: Sight, views: list[View]) -> None:
    for tilt_deg, expected, verdict in (
        (40.0, COUNT - 1, Verdict.FOREIGN_OBJECT),
        (40.0, COUNT, Verdict.COCKED),
        (0.0, COUNT - 1, Verdict.WRONG_COUNT),
    ):
        assert judged(sight, with_first(views, tilt_deg=tilt_deg), expected)[0] is verdict


def test_of_three_dice_one_leans_where_two_are_tilted_and_one_is_not(sight: Sight, views: list[View]) -> None:
    for tilts_deg, verdict in (
        ((28.0, 26.0, 1.0), Verdict.COCKED),
        ((28.0, 26.0, 25.0), Verdict.OK),  # where all are, it is the camera that is
        ((1.0, 2.0, 1.0), Verdict.OK),
    ):
        three = [
            replace(view, seen=replace(view.seen, tilt_deg=tilt_deg, spread=0.05, lean=0.1))
            for view, tilt_deg in zip(views, tilts_deg, strict=False)
        ]
        few = replace(sight, dice=tuple(view.seen for view in three))
        assert judged(few, three, 3)[0] is verdict


def test_a_lone_die_leans_only_if_it_is_tilted_as_no_camera_is(sight: Sight, views: list[View]) -> None:
    for tilt_deg, verdict in ((25.0, Verdict.OK), (60.0, Verdict.COCKED)):
        lone = replace(views[0], seen=replace(views[0].seen, tilt_deg=tilt_deg, spread=0.05))
        assert judged(sight, [lone], 1)[0] is verdict


def test_what_seems_to_lie_on_another_is_seen_whole_or_seems_so_by_what_hides_its_pips(
    sight: Sight, views: list[View]
) -> None:
    bare = [nameless(views[0]), *views[1:]]
    for dice, stacked, expected, on_another in (
        (bare, 0.85, COUNT, False),
        (bare, 0.98, COUNT, True),
        (bare, 0.85, COUNT + 1, True),  # the die below may be the one that is missing
        ([views[0], nameless(views[1]), *views[2:]], 0.85, COUNT, True),  # or the one that shows no number
    ):
        verdict, _ = judge(sight, with_first(dice, stacked=stacked), expected)
        assert (verdict is Verdict.STACKED) is on_another
