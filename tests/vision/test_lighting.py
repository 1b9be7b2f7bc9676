"""Which light keeps dice from being read: it is changed of a throw that can be read."""

from dataclasses import replace

import cv2
import numpy as np
import pytest

from tests.vision.thrown import COUNT, judged, nameless, with_first
from vision.network import Sight, pyramid
from vision.reading import Verdict
from vision.views import View


def test_a_die_that_a_reflection_hides_is_missed_for_that(sight: Sight, views: list[View]) -> None:
    lost = views[0].seen
    burnt = sight.levels[0].copy()
    cv2.circle(burnt, (round(lost.x_px), round(lost.y_px)), round(lost.side_px), (255, 255, 255), -1)
    for image, verdict in ((burnt, Verdict.BAD_LIGHT), (sight.levels[0], Verdict.FOREIGN_OBJECT)):
        faint = replace(lost, score=0.3, glare=0.5)
        shown = replace(sight, dice=(*(view.seen for view in views[1:]), faint), levels=pyramid(image))
        assert judged(shown, views[1:], COUNT)[0] is verdict


def test_where_a_die_is_missing_a_place_that_is_burnt_out_may_hide_it(sight: Sight, views: list[View]) -> None:
    lost, other = views[0].seen, views[1].seen
    for at, sides, expected, hides in (
        (lost, 0.8, COUNT, True),
        (lost, 0.3, COUNT, False),
        (other, 0.8, COUNT, False),  # that one is seen
        (lost, 0.8, COUNT - 1, False),
    ):
        burnt = sight.levels[0].copy()
        cv2.circle(burnt, (round(at.x_px), round(at.y_px)), round(sides * at.side_px), (255, 255, 255), -1)
        shown = replace(sight, dice=tuple(view.seen for view in views[1:]), levels=pyramid(burnt))
        assert (judged(shown, views[1:], expected)[0] is Verdict.BAD_LIGHT) is hides


def test_a_face_that_is_burnt_out_hides_its_pips_if_it_glares_ever_so_little(sight: Sight, views: list[View]) -> None:
    die = views[0].seen
    burnt = sight.levels[0].copy()
    cv2.circle(burnt, (round(die.x_px), round(die.y_px)), round(die.side_px), (255, 255, 255), -1)
    leaning = with_first([nameless(views[0]), *views[1:]], tilt_deg=40.0, glare=0.3)
    for image, verdict in ((burnt, Verdict.BAD_LIGHT), (sight.levels[0], Verdict.COCKED)):
        assert judged(replace(sight, levels=pyramid(image)), leaning, COUNT)[0] is verdict


@pytest.mark.parametrize(("glare", "verdict"), [(0.6, Verdict.BAD_LIGHT), (0.4, Verdict.OK)])
def test_a_number_is_not_read_off_a_face_that_glares_and_is_burnt_in_part(
    sight: Sight, views: list[View], glare: float, verdict: Verdict
) -> None:
    die = views[0].seen
    burnt = sight.levels[0].copy()
    cv2.circle(burnt, (round(die.x_px), round(die.y_px)), round(0.2 * die.side_px), (255, 255, 255), -1)
    named = with_first(views, glare=glare)
    assert named[0].named
    assert judged(replace(sight, levels=pyramid(burnt)), named, COUNT)[0] is verdict


@pytest.mark.parametrize(
    ("colour", "verdict"),
    [
        ((175, 175, 245), Verdict.OK),  # pale red is as bright as white by its red alone
        ((240, 240, 245), Verdict.BAD_LIGHT),
        ((5, 5, 80), Verdict.OK),
        ((5, 5, 40), Verdict.BAD_LIGHT),
    ],
)
def test_a_picture_is_too_bright_where_all_its_colours_are(
    sight: Sight, views: list[View], colour: tuple[int, int, int], verdict: Verdict
) -> None:
    plain = np.full_like(sight.levels[0], colour)
    assert judged(replace(sight, levels=pyramid(plain)), views, COUNT)[0] is verdict


def test_few_dark_dice_on_white_are_well_lit(sight: Sight, views: list[View]) -> None:
    white = np.full_like(sight.levels[0], 240)
    cv2.rectangle(white, (400, 400), (490, 490), (120, 80, 60), -1)  # half a hundredth of the picture
    assert judged(replace(sight, levels=pyramid(white)), views[:1], 1)[0] is not Verdict.BAD_LIGHT


@pytest.mark.parametrize(("darkest", "verdict"), [(205, Verdict.BAD_LIGHT), (185, Verdict.OK)])
def test_a_picture_is_too_bright_where_half_of_it_is_burnt_out_and_nothing_is_dark(
    sight: Sight, views: list[View], darkest: int, verdict: Verdict
) -> None:
    pale = np.full_like(sight.levels[0], 252)
    pale[: len(pale) // 10] = darkest
    assert judged(replace(sight, levels=pyramid(pale)), views, COUNT)[0] is verdict


def test_dice_in_a_picture_that_is_burnt_out_do_not_move(sight: Sight, views: list[View]) -> None:
    white = np.full_like(sight.levels[0], 255)
    cv2.rectangle(white, (400, 400), (590, 490), (120, 80, 60), -1)  # what the light left
    smeared = [replace(view, seen=replace(view.seen, smear=0.65)) for view in map(nameless, views[:1])]
    for level, verdict in ((white, Verdict.BAD_LIGHT), (white - np.uint8(20), Verdict.NOT_SETTLED)):
        assert judged(replace(sight, levels=pyramid(level)), smeared, 2)[0] is verdict
