"""What is no die: it is laid among the dice of a throw that can be read."""

from dataclasses import replace

import cv2
import numpy as np
import pytest

from tests.vision.thrown import COUNT, judged, with_first
from vision.detector import Stranger
from vision.foreign import foreign, strange_spots
from vision.network import Sight, pyramid
from vision.reading import Verdict
from vision.views import View, places


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


@pytest.mark.parametrize(
    ("spots", "sure", "thing"),
    [
        ([(1, 2, 4, 4)], 0.95, True),
        ([(1, 2, 4, 4)], 0.55, False),
        ([(1, 2, 2, 2)], 0.95, False),  # much smaller than a die
        ([(1, 2, 8, 1)], 0.95, True),  # a toothpick
        ([(0, 2, 8, 1)], 0.95, False),  # which the picture's edge may cut
        ([(1, 2, 24, 1)], 0.95, False),  # the rim of a tray
        ([(1, 2, 1, 1)], 0.95, False),  # a crumb
        ([(1, 2, 4, 4), (1, 8, 4, 4), (10, 2, 4, 4)], 0.95, True),
        ([(1, 2, 4, 4), (1, 8, 4, 4), (10, 2, 4, 4), (16, 2, 4, 4)], 0.95, False),  # a print
        ([], 0.95, False),
    ],
)
def test_what_the_detector_surely_sees_apart_from_the_dice_is_a_thing_unless_it_is_one_of_many(
    sight: Sight, views: list[View], spots: list[tuple[int, int, int, int]], sure: float, thing: bool
) -> None:
    there = np.zeros_like(sight.strange)
    for left, top, wide, high in spots:
        there[top : top + high, left : left + wide] = sure
    seen = replace(sight, strange=there, strangers=())
    assert bool(foreign(seen, views)) is thing
    cell_px = sight.levels[0].shape[1] / there.shape[1]
    found = sorted(strange_spots(seen, places(views)), key=lambda one: (one.x_px, one.y_px))
    told = [
        ((left + wide / 2) * cell_px, max(wide, high) * cell_px, sure)
        for left, _, wide, high in spots
        if wide * high > 1
    ]
    np.testing.assert_allclose([(one.x_px, one.long_px, one.sure) for one in found], told, rtol=1e-5)


@pytest.mark.parametrize(
    ("sure", "score", "colour", "thing"),
    [
        (0.68, 0.0, None, False),
        (0.68, 0.27, (150, 150, 150), True),  # the detector sees one there too
        (0.68, 0.27, None, False),  # which has the ground's colours
        (0.68, 0.2, (150, 150, 150), False),
        (0.68, 0.0, (20, 80, 160), True),  # it has another tint than the ground
        (0.5, 0.27, (20, 80, 160), False),
    ],
)
def test_what_is_less_surely_strange_is_a_thing_if_more_than_that_says_so(
    sight: Sight, views: list[View], sure: float, score: float, colour: tuple[int, int, int] | None, thing: bool
) -> None:
    there = np.zeros_like(sight.strange)
    there[1:3, 1:9] = sure
    image = sight.levels[0].copy()
    cell_px = image.shape[1] / there.shape[1]
    if colour is not None:
        corners = [round(cell_px * cells) for cells in (1.1, 1.2, 8.9, 2.6)]
        cv2.rectangle(image, corners[:2], corners[2:], colour, -1)
    seen = (Stranger(5 * cell_px, 2 * cell_px, 2 * cell_px, score),)
    assert bool(foreign(replace(sight, levels=pyramid(image), strange=there, strangers=seen), views)) is thing


def test_figures_of_a_print_are_no_things_unless_the_detector_is_surer_of_one(sight: Sight, views: list[View]) -> None:
    print_ = np.zeros_like(sight.strange)
    cell_px = sight.levels[0].shape[1] / print_.shape[1]
    image = sight.levels[0].copy()
    figures = [(3.0, 4.0), (3.0, 10.0), (12.0, 4.0), (18.0, 4.0)]
    for across, down in figures:
        print_[int(down) - 2 : int(down) + 2, int(across) - 2 : int(across) + 2] = 0.7
    x_px, y_px = (cells * cell_px for cells in figures[0])
    cv2.circle(image, (round(x_px), round(y_px)), 28, (20, 110, 190), -1)
    for strange, side_px, score, thing in (
        (print_, 55.0, 0.0, False),
        (print_, 70.0, 0.35, False),
        (print_, 70.0, 0.45, True),
        (np.zeros_like(print_), 55.0, 0.0, True),
        (np.zeros_like(print_), 70.0, 0.35, True),
    ):
        seen = (Stranger(x_px, y_px, side_px, score),)
        lying = foreign(replace(sight, levels=pyramid(image), strange=strange, strangers=seen), views)
        assert bool(lying) is thing, (side_px, score)


@pytest.mark.parametrize(("tilt_deg", "verdict"), [(10.0, Verdict.COCKED), (0.0, Verdict.OK)])
def test_a_die_that_leans_a_little_leans_on_what_is_less_surely_strange(
    sight: Sight, views: list[View], tilt_deg: float, verdict: Verdict
) -> None:
    die = views[0].seen
    there = np.zeros_like(sight.strange)
    cell_px = sight.levels[0].shape[1] / there.shape[1]
    left, top = round((die.x_px - 1.1 * die.side_px) / cell_px - 1.5), round(die.y_px / cell_px)
    there[top - 1 : top + 2, left : left + 4] = 0.68
    tilted = with_first(views, tilt_deg=tilt_deg, spread=0.05, lean=0.0)
    assert judged(replace(sight, strange=there, strangers=()), tilted, COUNT)[0] is verdict


def test_what_seems_strange_of_a_die_or_right_beside_it_is_its_own_shadow(sight: Sight, views: list[View]) -> None:
    rows, columns = sight.strange.shape
    height, width = sight.levels[0].shape[:2]
    at = places(views)
    down = (np.arange(rows)[:, None] + 0.5) * height / rows
    across = (np.arange(columns) + 0.5) * width / columns
    far = np.min([np.hypot(across - x, down - y) / side for x, y, side in at.tolist()], axis=0)
    assert strange_spots(replace(sight, strange=np.asarray(far < 0.9, np.float32)), at) == []
    assert strange_spots(replace(sight, strange=np.asarray((far > 1.4) & (far < 2.2), np.float32)), at) != []


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
