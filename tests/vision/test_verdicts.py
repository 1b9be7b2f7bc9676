"""Which verdict what is seen comes to: one piece of evidence at a time is changed of a throw that can be read."""

from dataclasses import replace

import cv2
import numpy as np
import pytest

from firmware.dimensions import size
from firmware.simulated import SimulatedTower
from vision.network import NONE, Sight, Stranger, pyramid
from vision.patterns import compare
from vision.reader import _look, _views
from vision.reading import Verdict
from vision.rendered import LyingDie, Stage, render
from vision.rig import Rig
from vision.verdicts import judge
from vision.views import View, spots

COUNT = 10


@pytest.fixture(scope="module")
def sight() -> Sight:
    tower = SimulatedTower("a")
    tower.tumble()
    dice = [LyingDie(die.x_mm, die.y_mm, die.z_mm, die.rotation) for die in tower.lying]
    return _look(render(dice, "ivory", Stage(np.random.default_rng(1), Rig.of(size))))


@pytest.fixture(scope="module")
def views(sight: Sight) -> list[View]:
    found = _views(sight, list(sight.dice[:COUNT]))
    assert judge(sight, found, COUNT)[0] is Verdict.OK
    return found


def with_first(views: list[View], **seen: object) -> list[View]:
    """The views, of which the networks see the first otherwise."""
    return [replace(views[0], seen=replace(views[0].seen, **seen)), *views[1:]]  # type: ignore[arg-type]


def nameless(view: View) -> View:
    """The same place, where neither way of reading sees a number."""
    faces = np.full((3, NONE + 1), 0.01, np.float32)
    faces[:, NONE], faces[:, view.seen.face - 1] = 0.75, 0.2
    return View(replace(view.seen, faces=faces), replace(view.fit, likeness=np.full(6, 0.2, np.float32)))


def test_a_die_that_is_seen_whole_among_all_that_must_be_there_needs_more_to_lie_on_another(
    sight: Sight, views: list[View]
) -> None:
    for stacked, expected, verdict in (
        (0.75, COUNT, Verdict.OK),
        (0.75, None, Verdict.STACKED),
        (1.0, COUNT, Verdict.STACKED),
    ):
        assert judge(sight, with_first(views, stacked=stacked), expected)[0] is verdict


def test_a_die_that_surely_shows_no_number_is_seen_whole_too(sight: Sight, views: list[View]) -> None:
    for none, verdict in ((0.9, Verdict.UNSURE), (0.6, Verdict.STACKED)):
        blank = nameless(views[1])
        faces = np.full((3, NONE + 1), (1 - none) / NONE, np.float32)
        faces[:, NONE] = none
        emblem = replace(blank, seen=replace(blank.seen, faces=faces))
        seen = [*with_first(views[:1], stacked=0.8), emblem, *views[2:]]
        assert judge(sight, seen, COUNT)[0] is verdict


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
        assert judge(sight, with_first(views, stacked=stacked, side_px=side_px), expected)[0] is verdict


def test_a_die_that_clearly_lies_on_another_is_told_whatever_may_lie_beside_them(
    sight: Sight, views: list[View]
) -> None:
    hidden = np.zeros_like(sight.hidden)
    hidden[-len(hidden) // 4 :, -hidden.shape[1] // 4 :] = 0.9  # a corner without dice
    for stacked, verdict in ((0.9, Verdict.OBSTRUCTED), (1.0, Verdict.STACKED)):
        assert judge(replace(sight, hidden=hidden), with_first(views, stacked=stacked), None)[0] is verdict


@pytest.mark.parametrize("trouble", [{"stacked": 1.0}, {"tilt_deg": 50.0}], ids=str)
def test_what_is_too_much_and_shows_no_number_neither_leans_nor_lies_on_a_die(
    sight: Sight, views: list[View], trouble: dict[str, float]
) -> None:
    nine = with_first([nameless(views[0]), *views[1:]], **trouble)
    assert judge(sight, nine, COUNT - 1)[0] is Verdict.FOREIGN_OBJECT
    assert judge(sight, nine, COUNT)[0] not in (Verdict.FOREIGN_OBJECT, Verdict.OK)


def test_a_face_that_nobody_names_does_not_lean_by_the_shape_of_its_pips(sight: Sight, views: list[View]) -> None:
    first, *others = sorted(views, key=lambda view: view.seen.face not in (2, 3, 4, 5))
    drawn_out = np.stack([[cv2.GaussianBlur(hat, (0, 0), 4, sigmaY=0.1) for hat in first.fit._hats]])[0]
    leaning = replace(first, fit=replace(first.fit, _hats=drawn_out))
    assert judge(sight, [leaning, *others], COUNT)[0] is Verdict.COCKED
    unnamed = replace(leaning, seen=nameless(first).seen)
    assert judge(sight, [unnamed, *others], COUNT)[0] is Verdict.UNSURE


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
        assert judge(sight, with_first([first, *views[1:]], tilt_deg=tilt_deg, spread=0.05), COUNT)[0] is verdict


def test_a_hand_that_reaches_a_die_is_told_however_small_it_is(sight: Sight, views: list[View]) -> None:
    height, width = sight.levels[0].shape[:2]
    rows, columns = sight.hidden.shape
    die = views[0].seen
    down, across = (np.arange(rows)[:, None] + 0.5) * height / rows, (np.arange(columns) + 0.5) * width / columns
    for x_px, y_px, verdict in ((die.x_px - die.side_px, die.y_px, Verdict.OBSTRUCTED), (0.0, 0.0, Verdict.OK)):
        hidden = np.where(np.hypot(across - x_px, down - y_px) < 0.8 * die.side_px, 0.4, 0.0).astype(np.float32)
        assert hidden.any()
        assert hidden.mean() < 0.05
        assert judge(replace(sight, hidden=hidden), views, COUNT)[0] is verdict


def test_a_die_that_the_edge_cuts_is_cut_whatever_it_seems_to_lean(sight: Sight, views: list[View]) -> None:
    assert judge(sight, with_first(views, tilt_deg=40.0), COUNT)[0] is Verdict.COCKED
    left = min(views, key=lambda view: view.seen.x_px).seen
    part = _look(np.ascontiguousarray(sight.levels[0][:, int(left.x_px - 0.3 * left.side_px) :]))
    cut, *others = sorted(_views(part, [die for die in part.dice if die.score > 0.3]), key=lambda view: view.seen.x_px)
    assert cut.seen.x_px < 0.5 * cut.seen.side_px
    assert judge(part, with_first([cut, *others], tilt_deg=40.0), COUNT)[0] is Verdict.WRONG_COUNT


def test_a_face_that_leans_may_seem_smeared_by_that(sight: Sight, views: list[View]) -> None:
    blurred = with_first([nameless(views[0]), *views[1:]], smear=0.3)
    assert judge(sight, blurred, COUNT)[0] is Verdict.NOT_SETTLED
    assert judge(sight, with_first(blurred, tilt_deg=40.0), COUNT)[0] is Verdict.COCKED


def test_what_may_be_a_die_at_the_edge_is_none_where_all_are_told(sight: Sight, views: list[View]) -> None:
    middle = views[0].seen
    perhaps = replace(middle, x_px=0.3 * middle.side_px, score=0.4)
    more = replace(sight, dice=(*(view.seen for view in views), perhaps))
    for expected, verdict in ((COUNT, Verdict.OK), (COUNT + 1, Verdict.WRONG_COUNT), (None, Verdict.WRONG_COUNT)):
        told, message = judge(more, views, expected)
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
        assert judge(more, views, expected)[0] is verdict


def test_a_counted_die_that_the_edge_cuts_is_not_whole_however_well_it_is_told(sight: Sight, views: list[View]) -> None:
    left = min(views, key=lambda view: view.seen.x_px).seen
    part = _look(np.ascontiguousarray(sight.levels[0][:, int(left.x_px - 0.48 * left.side_px) :]))
    cut, *others = sorted(_views(part, list(part.dice[:COUNT])), key=lambda view: view.seen.x_px)
    assert cut.named
    for score in (0.45, 0.9):
        counted = with_first([cut, *others], score=score)
        told, message = judge(replace(part, dice=tuple(view.seen for view in counted)), counted, COUNT)
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
        assert judge(sight, with_first(dice, smear=smear), COUNT)[0] is verdict


def test_what_glares_more_than_it_is_smeared_does_not_move(sight: Sight, views: list[View]) -> None:
    blank = [nameless(views[0]), *views[1:]]
    assert judge(sight, with_first(blank, smear=0.3, glare=0.1), COUNT)[0] is Verdict.NOT_SETTLED
    assert judge(sight, with_first(blank, smear=0.3, glare=0.45), COUNT)[0] is Verdict.UNSURE


def test_a_die_that_a_reflection_hides_is_missed_for_that(sight: Sight, views: list[View]) -> None:
    lost = views[0].seen
    burnt = sight.levels[0].copy()
    cv2.circle(burnt, (round(lost.x_px), round(lost.y_px)), round(lost.side_px), (255, 255, 255), -1)
    for image, verdict in ((burnt, Verdict.BAD_LIGHT), (sight.levels[0], Verdict.FOREIGN_OBJECT)):
        faint = replace(lost, score=0.3, glare=0.5)
        shown = replace(sight, dice=(*(view.seen for view in views[1:]), faint), levels=pyramid(image))
        assert judge(shown, views[1:], COUNT)[0] is verdict


def test_a_face_that_is_burnt_out_hides_its_pips_if_it_glares_ever_so_little(sight: Sight, views: list[View]) -> None:
    die = views[0].seen
    burnt = sight.levels[0].copy()
    cv2.circle(burnt, (round(die.x_px), round(die.y_px)), round(die.side_px), (255, 255, 255), -1)
    leaning = with_first([nameless(views[0]), *views[1:]], tilt_deg=40.0, glare=0.3)
    for image, verdict in ((burnt, Verdict.BAD_LIGHT), (sight.levels[0], Verdict.COCKED)):
        assert judge(replace(sight, levels=pyramid(image)), leaning, COUNT)[0] is verdict


def test_a_die_that_something_touches_may_lean_on_it_if_one_is_tilted_a_little(sight: Sight, views: list[View]) -> None:
    die = views[0].seen
    for apart, tilt_deg, verdict in (
        (1.1, 10.0, Verdict.COCKED),
        (1.5, 10.0, Verdict.FOREIGN_OBJECT),
        (1.1, 0.0, Verdict.FOREIGN_OBJECT),
    ):
        chip = Stranger(die.x_px - apart * die.side_px, die.y_px, die.side_px, 0.8)
        tilted = with_first(views, tilt_deg=tilt_deg, spread=0.05, lean=0.0)
        assert judge(replace(sight, strangers=(chip,)), tilted, COUNT)[0] is verdict


def test_what_is_a_thing_or_a_die_too_many_is_there_if_it_is_as_large_as_they_are(
    sight: Sight, views: list[View]
) -> None:
    for score, sides, verdict in ((0.3, 1.0, Verdict.FOREIGN_OBJECT), (0.3, 0.6, Verdict.OK), (0.1, 1.0, Verdict.OK)):
        side_px = sides * views[0].seen.side_px
        too_many = replace(views[0].seen, x_px=100.0, y_px=100.0, side_px=side_px, score=0.6)
        more = replace(sight, dice=(*sight.dice, too_many), strangers=(Stranger(100.0, 100.0, side_px, score),))
        assert judge(more, views, COUNT)[0] is verdict


def test_the_larger_a_thing_is_seen_beside_the_dice_the_less_sure_it_must_be(sight: Sight, views: list[View]) -> None:
    die = views[0].seen
    for x_px, y_px, side_px, score, verdict in (
        (100.0, 100.0, 70.0, 0.35, Verdict.FOREIGN_OBJECT),
        (100.0, 100.0, 50.0, 0.35, Verdict.OK),
        (100.0, 100.0, 50.0, 0.55, Verdict.FOREIGN_OBJECT),
        (100.0, 100.0, 40.0, 0.55, Verdict.OK),
        (100.0, 100.0, 40.0, 0.65, Verdict.FOREIGN_OBJECT),
        (900.0, 650.0, 55.0, 0.35, Verdict.FOREIGN_OBJECT),  # well within the picture
        (900.0, 650.0, 55.0, 0.25, Verdict.OK),
        (900.0, 650.0, 40.0, 0.35, Verdict.OK),
        (die.x_px, die.y_px, 70.0, 0.55, Verdict.OK),  # what a die bears may be taken for a thing
    ):
        image = sight.levels[0].copy()
        cv2.circle(image, (round(x_px), round(y_px)), 28, (20, 110, 190), -1)
        seen = replace(sight, strangers=(Stranger(x_px, y_px, side_px, score),), levels=pyramid(image))
        assert judge(seen, views, COUNT)[0] is verdict


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
        assert judge(seen, views, COUNT)[0] is verdict


def test_a_block_may_be_narrower_than_a_shadow_and_larger_or_longer_than_dice(sight: Sight, views: list[View]) -> None:
    side = float(np.median([view.seen.side_px for view in views]))
    block = np.array([[0.0, 0.0], [1.5, 0.0], [1.5, 0.62], [0.0, 0.62]])
    shadow = np.array([[0.0, 0.0], [0.42, 0.0], [0.42, 0.9], [1.4, 0.9], [1.4, 1.4], [0.0, 1.4]])
    box = np.array([[0.0, 0.0], [2.6, 0.0], [2.6, 2.2], [0.0, 2.2]])
    pen = np.array([[0.0, 0.0], [3.6, 0.0], [3.6, 0.75], [0.0, 0.75]])
    line = pen * [1.0, 0.3]
    for outline, verdict in (
        (block, Verdict.FOREIGN_OBJECT),
        (box, Verdict.FOREIGN_OBJECT),
        (pen, Verdict.FOREIGN_OBJECT),
        (line, Verdict.OK),
        (shadow, Verdict.OK),
    ):
        image = sight.levels[0].copy()
        cv2.fillPoly(image, [np.rint(100 + side * outline).astype(np.int32)], (160, 60, 90))
        assert judge(replace(sight, levels=pyramid(image)), views, COUNT)[0] is verdict


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
    assert judge(replace(sight, levels=pyramid(plain)), views, COUNT)[0] is verdict


def test_few_dark_dice_on_white_are_well_lit(sight: Sight, views: list[View]) -> None:
    white = np.full_like(sight.levels[0], 240)
    cv2.rectangle(white, (400, 400), (490, 490), (120, 80, 60), -1)  # half a hundredth of the picture
    assert judge(replace(sight, levels=pyramid(white)), views[:1], 1)[0] is not Verdict.BAD_LIGHT


def test_dice_in_a_picture_that_is_burnt_out_do_not_move(sight: Sight, views: list[View]) -> None:
    white = np.full_like(sight.levels[0], 255)
    cv2.rectangle(white, (400, 400), (590, 490), (120, 80, 60), -1)  # what the light left
    smeared = [replace(view, seen=replace(view.seen, smear=0.65)) for view in map(nameless, views[:1])]
    for level, verdict in ((white, Verdict.BAD_LIGHT), (white - np.uint8(20), Verdict.NOT_SETTLED)):
        assert judge(replace(sight, levels=pyramid(level)), smeared, 2)[0] is verdict


def test_dice_that_are_all_told_are_too_many_whatever_may_lie_beside_them(sight: Sight, views: list[View]) -> None:
    perhaps = replace(sight, strangers=(Stranger(100.0, 100.0, 50.0, 0.4),))
    assert judge(perhaps, views, COUNT - 1)[0] is Verdict.WRONG_COUNT
    assert judge(perhaps, with_first(views, faces=nameless(views[0]).seen.faces), COUNT)[0] is Verdict.FOREIGN_OBJECT


def test_what_shows_of_a_die_under_a_hand_is_not_in_motion(sight: Sight, views: list[View]) -> None:
    lost = replace(views[0].seen, score=0.3, smear=0.6)
    missing = replace(sight, dice=(*(view.seen for view in views[1:]), lost))
    assert judge(missing, views[1:], COUNT)[0] is Verdict.NOT_SETTLED
    height, width = sight.levels[0].shape[:2]
    rows, columns = sight.hidden.shape
    down, across = (np.arange(rows)[:, None] + 0.5) * height / rows, (np.arange(columns) + 0.5) * width / columns
    hand = np.where(np.hypot(across - lost.x_px, down - lost.y_px) < lost.side_px, 0.6, 0.0).astype(np.float32)
    assert judge(replace(missing, hidden=hand), views[1:], COUNT)[0] is not Verdict.NOT_SETTLED


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
        assert judge(sight, [*_views(sight, [half]), *others], COUNT)[0] is verdict


def test_a_one_that_the_networks_are_less_sure_of_must_stand_out_from_its_face(sight: Sight, views: list[View]) -> None:
    """A sun is a 1 to the classifiers, and its disc is like the pip of one; veins or gleams leave a pip what it is."""
    one = next(view for view in views if view.seen.face == 1)
    others = [view for view in views if view is not one]
    image = sight.levels[0].copy()
    pip = image[round(one.seen.y_px), round(one.seen.x_px)].tolist()
    for turn in np.arange(8) * np.pi / 4:
        way = one.seen.side_px * np.array([np.cos(turn), np.sin(turn)])
        ends = [np.rint([one.seen.x_px, one.seen.y_px] + far * way).astype(int).tolist() for far in (0.2, 0.34)]
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
            judge(sight, [replace(one, seen=replace(one.seen, faces=faces), fit=likely), *others], COUNT)[0] is verdict
        )


def test_a_doubted_one_is_in_dispute_and_has_no_margin(sight: Sight, views: list[View]) -> None:
    one = next(view for view in views if view.seen.face == 1)
    half = replace(one, paired=0.9)
    assert (one.die().margin > 0.5, half.die().margin) == (True, 0.0)
    assert half.disputed
    assert half.dispute().pips == 2


def test_a_die_much_smaller_than_the_others_must_be_surer(sight: Sight, views: list[View]) -> None:
    """The ring of an emblem passes for a small die with four pips, but not to the detector, which sees all of it."""
    faces = views[0].seen.faces.copy()
    faces[0] = np.full(NONE + 1, 0.9 / NONE)
    faces[0, views[0].seen.face - 1] = 0.1
    for small, verdict in ((False, Verdict.OK), (True, Verdict.UNSURE)):
        doubted = replace(views[0], seen=replace(views[0].seen, faces=faces, stacked=0.3), small=small)
        assert judge(sight, [doubted, *views[1:]], COUNT)[0] is verdict
        assert (doubted.die().margin == 0) is small


def test_what_is_hardly_seen_as_a_die_must_be_named_surely(sight: Sight, views: list[View]) -> None:
    """Between the sides of a die that another hides in part the classifiers see a 2."""
    faces = views[0].seen.faces.copy()
    faces[0] = np.full(NONE + 1, 0.8 / NONE)
    faces[0, views[0].seen.face - 1] = 0.2
    faces[1:, views[0].seen.face - 1] = 0.6
    assert judge(sight, with_first(views, faces=faces, score=0.6), COUNT)[0] is Verdict.OK
    doubted = judge(sight, with_first(views, faces=faces, score=0.42), COUNT)
    assert doubted == (Verdict.UNSURE, "Something may be a die, or not.")
    assert judge(sight, with_first(views, score=0.42), COUNT)[0] is Verdict.OK


def test_a_small_die_in_doubt_is_refused_for_its_size(sight: Sight, views: list[View]) -> None:
    faces = views[0].seen.faces.copy()
    faces[1] = np.roll(faces[1], 1)
    for side_px, reason in (
        (25.0, "A face looks like a "),
        (18.0, "A die is too small to be sure of: its side has 18 pixels."),
    ):
        small = with_first(views, faces=faces, side_px=side_px)
        verdict, message = judge(sight, small, COUNT)
        assert verdict is Verdict.UNSURE
        assert message.startswith(reason)
    for side_px, verdict in ((18.0, Verdict.OK), (8.0, Verdict.UNSURE)):
        assert judge(sight, with_first(views, side_px=side_px), COUNT)[0] is verdict


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
        assert judge(sight, [faint, *others], COUNT)[0] is verdict


def test_a_die_that_the_detector_sees_less_well_than_the_others_must_be_tilted_more_to_lean(
    sight: Sight, views: list[View]
) -> None:
    middle = float(np.median([view.seen.score for view in views]))
    for score, verdict in ((middle - 0.05, Verdict.COCKED), (middle - 0.45, Verdict.OK)):
        tilted = with_first(views, score=score, tilt_deg=16.0, spread=0.05, lean=0.1)
        assert judge(sight, tilted, COUNT)[0] is verdict


def test_where_all_others_that_must_be_there_lie_flat_what_leans_is_no_die(sight: Sight, views: list[View]) -> None:
    for tilt_deg, expected, verdict in (
        (40.0, COUNT - 1, Verdict.FOREIGN_OBJECT),
        (40.0, COUNT, Verdict.COCKED),
        (0.0, COUNT - 1, Verdict.WRONG_COUNT),
    ):
        assert judge(sight, with_first(views, tilt_deg=tilt_deg), expected)[0] is verdict


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
        assert judge(few, three, 3)[0] is verdict


def test_a_lone_die_leans_only_if_it_is_tilted_as_no_camera_is(sight: Sight, views: list[View]) -> None:
    for tilt_deg, verdict in ((25.0, Verdict.OK), (60.0, Verdict.COCKED)):
        lone = replace(views[0], seen=replace(views[0].seen, tilt_deg=tilt_deg, spread=0.05))
        assert judge(sight, [lone], 1)[0] is verdict


def test_where_any_number_will_do_what_may_be_a_die_is_in_doubt(sight: Sight, views: list[View]) -> None:
    for score, verdict in ((0.25, Verdict.OK), (0.4, Verdict.UNSURE)):
        more = replace(sight, dice=(*sight.dice, replace(views[0].seen, score=score)))
        assert judge(more, views, None)[0] is verdict
