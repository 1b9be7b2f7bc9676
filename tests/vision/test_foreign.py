"""What is no die: it is laid among the dice of a throw that can be read."""

from dataclasses import replace

import cv2
import numpy as np
import pytest

from tests.vision.thrown import COUNT, judged, with_first
from vision.detector import Stranger
from vision.foreign import foreign, standing_alone
from vision.network import Sight, pyramid
from vision.reading import Verdict
from vision.surroundings import Thing
from vision.views import View


def test_a_die_that_something_touches_may_lean_on_it_if_one_is_tilted_a_little(sight: Sight, views: list[View]) -> None:
    die = views[0].seen
    for apart, tilt_deg, verdict in (
        (1.1, 10.0, Verdict.COCKED),
        (1.5, 10.0, Verdict.FOREIGN_OBJECT),
        (1.1, 0.0, Verdict.FOREIGN_OBJECT),
    ):
        chip = Stranger(die.x_px - apart * die.side_px, die.y_px, die.side_px, 0.8)
        tilted = with_first(views, tilt_deg=tilt_deg, spread=0.05, lean=0.0)
        assert judged(replace(sight, strangers=(chip,)), tilted, COUNT)[0] is verdict


def test_what_is_a_thing_or_a_die_too_many_is_there_if_it_is_as_large_as_they_are(
    sight: Sight, views: list[View]
) -> None:
    for score, sides, verdict in (
        (0.3, 1.0, Verdict.FOREIGN_OBJECT),
        (0.3, 0.6, Verdict.OK),
        (0.3, 3.0, Verdict.OK),  # a beer mat
        (0.1, 1.0, Verdict.OK),
    ):
        side_px = sides * views[0].seen.side_px
        too_many = replace(views[0].seen, x_px=100.0, y_px=100.0, side_px=side_px, score=0.6)
        more = replace(sight, dice=(*sight.dice, too_many), strangers=(Stranger(100.0, 100.0, side_px, score),))
        assert judged(more, views, COUNT)[0] is verdict


def test_the_larger_a_thing_is_seen_beside_the_dice_the_less_sure_it_must_be(sight: Sight, views: list[View]) -> None:
    die = views[0].seen
    for x_px, y_px, side_px, score, thing in (
        (100.0, 100.0, 70.0, 0.35, True),
        (100.0, 100.0, 50.0, 0.35, False),
        (100.0, 100.0, 50.0, 0.55, True),
        (100.0, 100.0, 40.0, 0.55, False),
        (100.0, 100.0, 40.0, 0.65, True),
        (900.0, 650.0, 55.0, 0.35, True),  # well within the picture
        (900.0, 650.0, 55.0, 0.25, False),
        (900.0, 650.0, 40.0, 0.35, False),
        (die.x_px, die.y_px, 70.0, 0.55, False),  # what a die bears may be taken for a thing
    ):
        image = sight.levels[0].copy()
        cv2.circle(image, (round(x_px), round(y_px)), 22, (20, 110, 190), -1)
        seen = replace(sight, strangers=(Stranger(x_px, y_px, side_px, score),), levels=pyramid(image))
        assert bool(foreign(seen, views)) is thing


def test_a_thing_without_edges_is_the_missing_die_in_motion(sight: Sight, views: list[View]) -> None:
    lost = views[0].seen
    cover = np.median(sight.levels[0].reshape(-1, 3), axis=0).tolist()
    at, half = (round(lost.x_px), round(lost.y_px)), round(0.6 * lost.side_px)
    for blur_px, expected, verdict in (
        (0.3 * lost.side_px, COUNT, Verdict.NOT_SETTLED),
        (0.3 * lost.side_px, COUNT - 1, Verdict.FOREIGN_OBJECT),  # nothing is missing
        (0.5, COUNT, Verdict.FOREIGN_OBJECT),
    ):
        thing = sight.levels[0].copy()
        cv2.circle(thing, at, round(lost.side_px), cover, -1)
        painted = thing.copy()
        cv2.rectangle(painted, (at[0] - half, at[1] - half), (at[0] + half, at[1] + half), (40, 40, 220), -1)
        near = np.zeros(thing.shape[:2], bool)
        near[at[1] - 2 * half : at[1] + 2 * half, at[0] - 2 * half : at[0] + 2 * half] = True
        thing[near] = cv2.GaussianBlur(painted, (0, 0), blur_px)[near]
        seen = replace(sight, dice=tuple(view.seen for view in views[1:]), levels=pyramid(thing))
        assert judged(seen, views[1:], expected)[0] is verdict


def test_what_is_much_smaller_than_the_dice_is_a_letter_however_large(sight: Sight, views: list[View]) -> None:
    image = sight.levels[0].copy()
    cv2.circle(image, (100, 100), 18, (20, 110, 190), -1)
    seen = replace(sight, strangers=(Stranger(100.0, 100.0, 60.0, 0.4),), levels=pyramid(image))
    for times, verdict in ((1.0, Verdict.FOREIGN_OBJECT), (2.0, Verdict.OK)):
        dice = [replace(view, seen=replace(view.seen, side_px=times * view.seen.side_px)) for view in views]
        assert judged(seen, dice, COUNT)[0] is verdict


def test_what_looks_like_the_ground_around_it_is_a_shadow_or_a_vein_unless_it_is_surely_a_thing(
    sight: Sight, views: list[View]
) -> None:
    vein = sight.levels[0].copy()
    cv2.line(vein, (860, 660), (940, 640), (200, 200, 200), 4)
    for image, x_px, score, verdict in (
        (sight.levels[0], 100.0, 0.6, Verdict.OK),
        (vein, 900.0, 0.6, Verdict.OK),
        (vein, 900.0, 0.65, Verdict.FOREIGN_OBJECT),
    ):
        seen = replace(sight, strangers=(Stranger(x_px, 650.0, 80.0, score),), levels=pyramid(image))
        assert judged(seen, views, COUNT)[0] is verdict


def test_a_block_may_be_narrower_than_a_shadow_and_larger_or_longer_than_dice(sight: Sight, views: list[View]) -> None:
    side = float(np.median([view.seen.side_px for view in views]))
    block = np.array([[0.0, 0.0], [1.5, 0.0], [1.5, 0.62], [0.0, 0.62]])
    shadow = np.array([[0.0, 0.0], [0.42, 0.0], [0.42, 0.9], [1.4, 0.9], [1.4, 1.4], [0.0, 1.4]])
    box = np.array([[0.0, 0.0], [2.6, 0.0], [2.6, 2.2], [0.0, 2.2]])
    pen = np.array([[0.0, 0.0], [3.6, 0.0], [3.6, 0.75], [0.0, 0.75]])
    line = pen * [1.0, 0.3]
    eraser = block * [0.42, 0.85]
    speck = block * [0.3, 0.7]
    dark = (np.median(sight.levels[0].reshape(-1, 3), axis=0) * 0.45).tolist()
    for outline, thing in (
        (block, True),
        (box, True),
        (pen, True),
        (line, False),
        (eraser, True),
        (speck, False),
        (shadow, False),
    ):
        image = sight.levels[0].copy()
        colour = dark if outline is shadow else (160, 60, 90)
        cv2.fillPoly(image, [np.rint(100 + side * outline).astype(np.int32)], colour)
        assert bool(foreign(replace(sight, levels=pyramid(image)), views)) is thing


def test_what_has_another_tint_than_the_ground_may_have_any_shape(sight: Sight, views: list[View]) -> None:
    side = float(np.median([view.seen.side_px for view in views]))
    bean = np.array([[0.0, 0.0], [0.6, 0.0], [0.6, 0.8], [1.2, 0.8], [1.2, 1.35], [0.0, 1.35]])
    wire = np.array([[0.0, 0.0], [2.6, 0.0], [2.6, 0.25], [0.0, 0.25]])
    for outline, colour, thing in (
        (bean, (20, 80, 160), True),
        (bean, (70, 70, 70), False),
        (wire, (20, 80, 160), False),
    ):
        image = sight.levels[0].copy()
        cv2.fillPoly(image, [np.rint(100 + side * outline).astype(np.int32)], colour)
        assert bool(foreign(replace(sight, levels=pyramid(image)), views)) is thing


def test_what_stands_out_alone_of_the_ground_around_it_is_a_thing_and_a_print_or_a_shadow_is_none(
    sight: Sight, views: list[View]
) -> None:
    """A match and a nut of the ground's own colours; what stands beside a die is most often its shadow."""
    side = 72.0  # of the dice
    stick = side * np.array([[0.0, 0.0], [2.4, 0.0], [2.4, 0.25], [0.0, 0.25]])
    floor = np.median(sight.levels[0].reshape(-1, 3), axis=0)
    pale, dark = (np.clip(floor * times, 0, 255).tolist() for times in ((0.8, 1.0, 1.25), (0.6, 0.6, 0.6)))
    blob, beside = stick * [0.3, 2.0], [views[0].seen.x_px + 0.8 * side, views[0].seen.y_px]
    for outline, places, colour, verdict in (
        (stick, [[100.0, 100.0]], pale, Verdict.FOREIGN_OBJECT),
        (stick, [[100.0, 100.0], [900.0, 650.0]], pale, Verdict.OK),
        (stick, [[100.0, 100.0], [100.0, 160.0], [900.0, 650.0]], pale, Verdict.OK),
        (stick, [[100.0, 100.0]], dark, Verdict.OK),
        (blob, [[100.0, 100.0]], pale, Verdict.FOREIGN_OBJECT),
        (blob, [beside], pale, Verdict.OK),
    ):
        image = sight.levels[0].copy()
        for place in places:
            cv2.fillPoly(image, [np.rint(place + outline).astype(np.int32)], colour)
        found = judged(replace(sight, levels=pyramid(image)), views, COUNT)[0]
        assert found is verdict, (places, colour)


THING = Thing(100.0, 100.0, area=0.5, wide=0.25, long=2.0, solid=0.8, tint=10.0, stands_out=2.0)
GRAIN = replace(THING, stands_out=1.05)
PEN = replace(THING, area=5.0, wide=1.2, long=4.8, solid=0.9, tint=3.0, stands_out=1.5)
NUT = replace(THING, area=1.4, wide=1.0, long=1.9, solid=0.7, tint=2.0, stands_out=1.1)
FLOOR, SEAM = replace(THING, area=140.0), replace(THING, area=2.0, long=10.0, solid=0.1)


@pytest.mark.parametrize(
    ("seen", "told"),
    [
        ([THING], True),
        ([GRAIN], False),
        ([replace(THING, tint=3.0)], False),  # a shadow
        ([replace(THING, area=6.0)], False),
        ([replace(THING, wide=0.1)], False),
        ([replace(THING, long=0.4)], False),
        ([replace(THING, solid=0.4)], False),
        ([replace(THING, parts=2)], True),
        ([replace(THING, parts=3)], False),  # a word
        ([replace(THING, goes_on=0.25)], True),
        ([replace(THING, goes_on=0.35)], False),  # a corner of the ground
        ([THING, replace(THING, parts=3)], True),
        ([THING, replace(THING, parts=3), GRAIN], False),
        ([THING, replace(THING, tint=30.0)], True),
        ([THING, replace(THING, area=1.0)], True),
        ([THING, replace(THING, area=0.52)], False),  # twice the same,
        ([THING, replace(THING, area=0.56, tint=THING.tint + 4.0)], False),  # in another light
        ([THING, GRAIN], True),
        ([THING, GRAIN, GRAIN], False),
        ([THING, GRAIN, FLOOR, SEAM, SEAM], True),
        ([FLOOR, SEAM], False),
        ([replace(THING, stands_out=3.0), GRAIN, GRAIN], True),
        ([replace(THING, stands_out=3.0), replace(GRAIN, stands_out=1.25), replace(GRAIN, stands_out=1.3)], False),
        ([PEN, GRAIN], True),
        ([PEN, GRAIN, GRAIN], False),
        ([replace(PEN, stands_out=1.2), GRAIN], False),
        ([replace(PEN, area=0.9), GRAIN], False),
        ([replace(PEN, area=9.5), GRAIN], False),  # a ruler, or the edge of a mat
        ([replace(PEN, wide=1.7), GRAIN], False),
        ([replace(PEN, solid=0.8), GRAIN], False),  # a vein, a shadow
        ([replace(PEN, parts=3), GRAIN], False),
        ([replace(PEN, goes_on=0.35), GRAIN], False),
        ([NUT], True),
        ([NUT, GRAIN], False),
        ([NUT, FLOOR, SEAM], True),
        ([replace(NUT, area=0.6)], False),  # dirt
        ([replace(NUT, area=4.6)], False),
        ([replace(NUT, wide=0.45)], False),
        ([replace(NUT, solid=0.55)], False),
        ([replace(NUT, parts=3)], False),
        ([replace(NUT, parts=0)], False),  # a part of a stripe, which looks like what is around it
        ([replace(NUT, goes_on=0.35)], False),
    ],
)
def test_what_stands_out_is_a_thing_if_it_is_clear_and_hardly_anything_else_does(
    sight: Sight, views: list[View], seen: list[Thing], told: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vision.foreign.standing_out", lambda *_: seen)
    assert standing_alone(sight, views) is told


def test_nothing_stands_out_beside_no_dice_or_tiny_ones(sight: Sight, views: list[View]) -> None:
    image = sight.levels[0].copy()
    cv2.circle(image, (100, 100), 22, (20, 110, 190), -1)
    seen = replace(sight, levels=pyramid(image))
    tiny = [replace(view, seen=replace(view.seen, side_px=20.0)) for view in views]
    assert standing_alone(seen, views)
    assert not standing_alone(seen, tiny)
    assert not standing_alone(seen, [])
