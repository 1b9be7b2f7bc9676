"""The reader as a whole: what it reads, and that it refuses what must be refused."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.vision.conftest import top_face
from tests.vision.thrown import nameless, throw, with_first
from vision.choosing import choose
from vision.detector import Stranger
from vision.die_shape import styles_named
from vision.evaluate import Score, load_labels, score
from vision.network import Opinion, Sight
from vision.picture import Image, load
from vision.reader import (
    _felt,
    _felt_again,
    _judged,
    _look,
    _look_again,
    _misses,
    _views,
    find,
    read,
)
from vision.reading import Verdict, as_json
from vision.rendered import LyingDie, Stage, render
from vision.second_look import FINER, both
from vision.slant import UNKNOWN
from vision.verdicts import explain, judge
from vision.views import View

SAMPLE = ("phone", "mixeddice", "inverse", "homecarpet", "bluetray", "rollfelt", "amber")
PAINT = (235, 240, 240)


def disagreed(image: Image) -> tuple[Image, Sight]:
    """The picture, and it as the networks see it when one of them names the first die otherwise."""
    sight = _look(image)
    faces = sight.dice[0].faces.copy()
    faces[2] = np.roll(faces[2], 1)
    return image, replace(sight, dice=(replace(sight.dice[0], faces=faces), *sight.dice[1:]))


@pytest.mark.parametrize("style", ["ivory", "white", "red", "wood", "casino", "asian"])
@pytest.mark.parametrize("seed", ["a", "b"])
def test_ten_dice_of_any_style_are_read(floor: Stage, style: str, seed: str) -> None:
    image, faces = throw(floor, seed, style)
    for expected in (10, None):
        reading = read(image, expected)
        assert reading.verdict is Verdict.OK, reading.message
        assert sorted(die.face or 0 for die in reading.dice) == sorted(face or 0 for face in faces)
        assert all({die.face, *die.others} == {1, 2, 3, 4, 5, 6} for die in reading.dice)


def test_the_other_faces_of_a_die_come_as_likely_as_the_reader_finds_them(floor: Stage) -> None:
    orders = set()
    for name in ("a", "b"):
        image, _ = throw(floor, name)
        sight = _look(image)
        for view in _views(sight, list(sight.dice)):
            chances = [view.odds[face - 1] for face in view.die().others]
            assert chances == sorted(chances, reverse=True)
            orders.add(view.die().others)
    assert len(orders) > 6, "more orders than faces: it is the picture that says so"


def test_specks_that_nobody_can_say_the_lie_of_are_no_dice(floor: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    """The veins of a marble break up into looks of dice that are surer than a die of the ground's colour."""
    image, _ = throw(floor, "a")
    whole = _look(image)
    for x_px, times, spread, dropped in (
        (600.0, 0.3, 0.12, True),
        (20.0, 0.3, 0.12, False),  # the edge may cut a die
        (600.0, 0.3, 0.02, False),
        (600.0, 0.8, 0.12, False),
    ):
        side_px = times * whole.dice[0].side_px
        vein = replace(whole.dice[0], x_px=x_px, y_px=500.0, side_px=side_px, spread=spread, score=0.7)
        shown = replace(whole, dice=(vein, *whole.dice))
        monkeypatch.setattr("vision.network.Network.look", lambda self, image, shown=shown: shown)
        assert (vein not in _look(image).dice) is dropped


@pytest.mark.parametrize("expected", [1, 10])
@pytest.mark.parametrize("level", [60, 128])
def test_where_nothing_lies_dice_are_missing_however_dark_the_ground(level: int, expected: int) -> None:
    assert read(np.full((480, 640, 3), level, np.uint8), expected).verdict is Verdict.WRONG_COUNT


@pytest.mark.parametrize("radius", [0.16, 0.2])
def test_a_one_with_a_pip_of_half_its_side_is_read(floor: Stage, radius: float) -> None:
    image, faces = throw(floor, "a")
    ones = [die for die in read(image, 10).dice if die.face == 1]
    assert ones
    for die in ones:
        cv2.circle(
            image, (round(die.x_px), round(die.y_px)), round(radius * die.box[2]), (40, 40, 200), -1, cv2.LINE_AA
        )
    reading = read(image, 10)
    assert reading.verdict is Verdict.OK, reading.message
    assert sorted(die.face or 0 for die in reading.dice) == sorted(face or 0 for face in faces)


@pytest.mark.parametrize("style", ["green", "black", "blue"])
def test_a_wheel_on_a_die_is_not_taken_for_a_small_four(six: list[LyingDie], table: Stage, style: str) -> None:
    image = table.expose(table.draw(six, styles_named(style))).copy()
    x, y, side = top_face(table, six[4])[1:]
    body = np.median(
        image[int(y - 0.47 * side) : int(y + 0.47 * side), int(x - 0.47 * side) : int(x - 0.42 * side)], (0, 1)
    )
    corners = [(int(x + way * 0.42 * side), int(y + way * 0.42 * side)) for way in (-1, 1)]
    cv2.rectangle(image, corners[0], corners[1], body.tolist(), -1)
    cv2.circle(image, (round(x), round(y)), round(0.32 * side), PAINT, round(0.1 * side), cv2.LINE_AA)
    for across, down in ((0.4 * side, 0.0), (0.0, 0.4 * side)):
        ends = [(round(x + way * across), round(y + way * down)) for way in (-1, 1)]
        cv2.line(image, ends[0], ends[1], PAINT, round(0.13 * side), cv2.LINE_AA)
    for expected in (6, None):
        assert not read(image, expected).ok


@pytest.mark.parametrize("sides", [1.8, 2.5])
def test_a_die_that_fills_the_picture_is_read(six: list[LyingDie], table: Stage, sides: float) -> None:
    picture = table.expose(table.draw(six, styles_named("white")))
    for die in six:
        top = top_face(table, die)
        wide_px = round(sides * top.side_px)
        cut = cv2.getRectSubPix(picture, (wide_px, wide_px), (top.x_px, top.y_px))
        reading = read(np.asarray(cv2.resize(cut, (900, 900), interpolation=cv2.INTER_CUBIC), np.uint8))
        assert (reading.message, [each.face for each in reading.dice]) == ("1 die flat on the ground.", [top.face])


def test_flat_dice_of_which_one_seems_to_lean_are_felt_again_and_read(six: list[LyingDie], table: Stage) -> None:
    sight = _look(table.expose(table.draw(six, styles_named("white"))))
    views = with_first(_views(sight, list(sight.dice[:6])), tilt_deg=60.0)
    assert judge(sight, views, 6)[0] is Verdict.COCKED
    again = _felt_again(sight, views, 6)
    assert again is not None
    assert again[0] is Verdict.OK
    assert [view.seen.face for view in again[2]] == [view.seen.face for view in views]
    unnamed = [nameless(views[0]), *views[1:]]
    assert _felt_again(sight, unnamed, 6) is None


def test_dice_that_are_felt_again_must_lie_flatter_than_what_only_does_not_lean(
    sight: Sight, views: list[View], monkeypatch: pytest.MonkeyPatch
) -> None:
    for most, told in ((0.8, True), (0.85, False)):
        monkeypatch.setattr("vision.reader.leaning", lambda dice, most=most: np.full(len(dice), most))
        assert (_felt_again(sight, views, len(views)) is not None) is told


def test_a_die_that_nearly_leans_is_felt_again_before_it_counts(
    six: list[LyingDie], table: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    picture = table.expose(table.draw(six, styles_named("white")))
    for first, then, counts in ((0.65, 1.0, True), (0.75, 0.9, True), (0.75, 1.0, False)):
        for expected in (6, None):
            told = iter([first, then, then])
            monkeypatch.setattr(
                "vision.reader.leaning", lambda dice, told=told: np.full(len(dice), next(told), np.float32)
            )
            reading = read(picture, expected)
            assert reading.verdict is (Verdict.OK if counts else Verdict.COCKED)
            assert sorted(die.face for die in reading.dice if die.face) == [1, 2, 3, 4, 5, 6]


def test_a_die_that_leans_still_does_where_it_is_felt_again(
    lay: Callable[..., LyingDie], six: list[LyingDie], table: Stage
) -> None:
    leaning = lay(5, six[0].x_mm, six[0].y_mm, z_mm=11.0, lean_deg=30.0)
    sight = _look(table.expose(table.draw([leaning, *six[1:]], styles_named("white"))))
    views = _views(sight, choose(sight.dice, 6))
    for expected in (6, None):
        assert judge(sight, views, expected)[0] is Verdict.COCKED
        assert _felt_again(sight, views, expected) is None


@pytest.mark.parametrize(("lean", "asked"), [(0.85, False), (0.95, True), (1.1, True), (1.2, False)])
def test_what_leans_a_little_is_flat_where_both_classifiers_say_so(
    lay: Callable[..., LyingDie],
    six: list[LyingDie],
    table: Stage,
    monkeypatch: pytest.MonkeyPatch,
    lean: float,
    asked: bool,
) -> None:
    monkeypatch.setattr("vision.reader.leaning", lambda views: np.full(len(views), lean, np.float32))
    leaning = lay(5, six[0].x_mm, six[0].y_mm, z_mm=11.0, lean_deg=30.0)
    for dice, lying in ((six, 6), ([leaning, *six[1:]], 5)):
        sight = _look(table.expose(table.draw(dice, styles_named("white"))))
        felt = _felt(sight, _views(sight, choose(sight.dice, 6)), 0.9)
        assert sum(view.oval is UNKNOWN for view in felt) == (lying if asked else 0)


def test_the_die_that_leans_is_named_and_where_all_lie_flat_none_is(
    lay: Callable[..., LyingDie], six: list[LyingDie], table: Stage
) -> None:
    leaning = lay(5, six[2].x_mm, six[2].y_mm, z_mm=11.0, lean_deg=30.0)
    for dice, amiss in ((six, 0), ([*six[:2], leaning, *six[3:]], 1)):
        reading = read(table.expose(table.draw(dice, styles_named("white"))), 6)
        assert (reading.ok, len(reading.amiss)) == (amiss == 0, amiss)
        assert as_json(reading).get("amiss", []) == list(reading.amiss)
        at = top_face(table, leaning)
        for number in reading.amiss:
            die = reading.dice[number]
            assert np.hypot(die.x_px - at.x_px, die.y_px - at.y_px) < at.side_px / 2


def test_where_none_are_counted_a_die_that_was_missed_in_a_row_is_not_left_out(
    lay: Callable[..., LyingDie], table: Stage
) -> None:
    row = [lay(face, -16.5 + 16.5 * number) for number, face in enumerate((2, 3, 6))]
    sight = _look(table.expose(table.draw([*row, lay(5, 45.0, 30.0)], styles_named("white"))))
    views = _views(sight, list(sight.dice[:4]))
    alone = next(view for view in views if view.seen.face == 5)
    assert not _misses(sight, views)
    for missed in (min(views, key=lambda view: view.seen.x_px), alone):
        assert _misses(sight, [view for view in views if view is not missed]) is (missed is not alone)


def test_a_second_look_at_a_part_of_a_picture_sees_there_what_one_at_all_of_it_sees(
    six: list[LyingDie], table: Stage
) -> None:
    sight = _look(table.expose(table.draw(six, styles_named("white"))))
    every, none = _look_again(sight, FINER), _look_again(sight, FINER, lambda *_: False)
    left = _look_again(sight, FINER, lambda x_px, y_px, side_px: x_px < every.dice[0].x_px)
    wanted = [die for die in every.dice if die.x_px < every.dice[0].x_px]
    assert none.dice == ()
    assert 0 < len(wanted) < len(every.dice)
    assert [die.box for die in left.dice] == [die.box for die in wanted]
    assert [die.face for die in left.dice] == [die.face for die in wanted]


def test_of_more_than_there_must_be_those_without_a_number_are_the_ground(six: list[LyingDie], table: Stage) -> None:
    sight = _look(table.expose(table.draw(six, styles_named("white"))))
    *others, last = sight.dice[:6]
    bare = np.full((3, 7), 1 / 7, np.float32)
    height, width = sight.levels[0].shape[:2]
    mere = replace(last, x_px=width / 2, y_px=height / 12, score=0.65, faces=bare, spread=0.1)
    more = replace(sight, dice=(*others, mere, replace(last, score=0.55)))
    assert _judged(more, 6)[0] is Verdict.OK
    assert _judged(replace(more, dice=(*more.dice[:-2], mere)), 6)[0] is not Verdict.OK


def test_a_figure_of_less_than_half_a_die_is_named_only_if_it_lies_as_dice_do(
    six: list[LyingDie], table: Stage
) -> None:
    sight = _look(table.expose(table.draw(six, styles_named("white"))))
    *others, last = sight.dice[:6]
    for times, spread, named in ((0.5, 2.0, False), (0.5, 1.2, True), (0.7, 2.0, True)):
        flower = replace(last, side_px=times * last.side_px, spread=spread * others[0].spread)
        others = [replace(die, spread=others[0].spread) for die in others]
        (view,) = (view for view in _views(sight, [*others, flower]) if view.seen is flower)
        assert view.figure is not named


def test_what_one_look_cannot_name_a_second_may_unless_it_names_something_sure_otherwise(
    six: list[LyingDie], table: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    image, first = disagreed(table.expose(table.draw(six, styles_named("white"))))
    assert _judged(first, 6)[0] is Verdict.UNSURE
    monkeypatch.setattr("vision.reader._look", lambda image: first)
    for expected in (6, None):
        assert sorted(die.face or 0 for die in read(image, expected).dice) == [1, 2, 3, 4, 5, 6]
        assert read(image, expected).ok
    monkeypatch.setattr("vision.reader.borne_out", lambda first, second: False)
    for expected in (6, None):
        assert read(image, expected).verdict is Verdict.UNSURE


def test_what_may_lie_beside_the_dice_keeps_nobody_from_a_second_look_but_what_may_hide_some_does(
    six: list[LyingDie], table: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    image, first = disagreed(table.expose(table.draw(six, styles_named("white"))))
    thing = Stranger(20.0, 20.0, 20.0, 0.4)
    hand = np.zeros_like(first.hidden)
    hand[: round(0.07 * len(hand))] = 0.9
    for perhaps, weak, verdict in (
        (replace(first, strangers=(thing,)), Verdict.FOREIGN_OBJECT, Verdict.OK),
        (replace(first, hidden=hand), Verdict.OBSTRUCTED, Verdict.OBSTRUCTED),
    ):
        monkeypatch.setattr("vision.reader._look", lambda image, sight=perhaps: sight)
        own, message, views = _judged(perhaps, 6)
        assert own is Verdict.UNSURE
        assert explain(perhaps, views, 6, (own, message))[0] is weak
        assert read(image, 6).verdict is verdict


@pytest.fixture
def whites(six: list[LyingDie], table: Stage) -> Image:
    return table.expose(table.draw(six, styles_named("white")))


def first_said(sight: Sight, **said: object) -> Sight:
    """The same, where something else is said of the likeliest die."""
    return replace(sight, dice=(replace(sight.dice[0], **said), *sight.dice[1:]))  # type: ignore[arg-type]


def test_a_die_that_seems_to_lie_on_another_is_looked_at_again(whites: Image, monkeypatch: pytest.MonkeyPatch) -> None:
    first = _look(whites)
    stacked = first_said(first, stacked=0.99)
    monkeypatch.setattr("vision.reader._look", lambda image: stacked)
    for expected in (6, None):
        assert _judged(stacked, expected)[0] is Verdict.STACKED
        assert sorted(die.face or 0 for die in read(whites, expected).dice) == [1, 2, 3, 4, 5, 6]
        assert read(whites, expected).ok
    again = _look_again(first, FINER)
    upper = replace(again, dice=tuple(replace(die, stacked=0.99 * (die is again.dice[0])) for die in again.dice))
    monkeypatch.setattr("vision.reader._look_again", lambda *_, **__: upper)
    for expected in (6, None):
        assert read(whites, expected).verdict is Verdict.STACKED


def test_upside_down_a_picture_is_looked_at_for_known_dice_that_may_be_misplaced_and_for_no_others(
    whites: Image, monkeypatch: pytest.MonkeyPatch
) -> None:
    flat = _look(whites)
    said = flat.dice[0].faces
    disputed = np.stack([*said[:2], [*np.roll(said[2, :6], 1).tolist(), 0.0]])
    cases = (
        (first_said(flat, stacked=0.99), 6, Verdict.OK),
        (first_said(flat, stacked=0.99), None, Verdict.STACKED),
        (first_said(flat, faces=disputed), 6, Verdict.UNSURE),
    )
    for sight, expected, verdict in cases:
        monkeypatch.setattr("vision.reader._look", lambda image, sight=sight: sight)
        monkeypatch.setattr("vision.reader._look_again", lambda *_, turned, sight=sight: flat if turned else sight)
        assert read(whites, expected).verdict is verdict


def test_what_is_no_die_may_be_the_one_that_is_missing_but_not_where_none_is(
    six: list[LyingDie], table: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    image = table.expose(table.draw(six, styles_named("white")))
    first = _look(image)
    last = first.dice[5]
    thing = Stranger(last.x_px, last.y_px, last.side_px, 0.9)
    missed = replace(first, dice=first.dice[:5], strangers=(thing,))
    beside = replace(first, strangers=(replace(thing, x_px=20.0, y_px=20.0),))
    for seen, verdict in ((missed, Verdict.OK), (beside, Verdict.FOREIGN_OBJECT)):
        monkeypatch.setattr("vision.reader._look", lambda image, sight=seen: sight)
        assert _judged(seen, 6)[0] is Verdict.FOREIGN_OBJECT
        assert _judged(both(seen, _look_again(seen, FINER)), 6)[0] is Verdict.OK
        assert read(image, 6).verdict is verdict
    monkeypatch.setattr("vision.reader._look", lambda image: missed)
    assert read(image, None).verdict is Verdict.FOREIGN_OBJECT


def test_a_second_look_that_sees_nothing_does_not_argue_away_what_may_be_a_die(monkeypatch: pytest.MonkeyPatch) -> None:
    levels = [np.full((64, 64, 3), 128, np.uint8)]
    perhaps = Opinion(32, 32, 20.0, 0.4, np.full((3, 7), 1 / 7, np.float32), 0, 0.05, 0, 0, 0, 0)
    nowhere = np.zeros((8, 8), np.float32)
    nothing = Sight((), (), nowhere, nowhere, 1.0, levels)
    monkeypatch.setattr("vision.reader._look", lambda image: replace(nothing, dice=(perhaps,)))
    monkeypatch.setattr("vision.reader._look_again", lambda *_, **__: nothing)
    assert _judged(nothing, None)[0] is Verdict.OK
    assert read(levels[0]).verdict is Verdict.UNSURE


def test_dice_of_two_sizes_are_read_together(six: list[LyingDie], table: Stage) -> None:
    dice = [replace(die, side_mm=11.0, z_mm=5.5) if number in (1, 4) else die for number, die in enumerate(six)]
    reading = read(table.expose(table.draw(dice, styles_named("ivory"))), 6)
    assert reading.verdict is Verdict.OK, reading.message
    assert sorted(die.face or 0 for die in reading.dice) == [1, 2, 3, 4, 5, 6]


def from_afar(image: Image, die_px: float, small_px: float) -> Image:
    """The picture in the middle of a plain ground that is 1456 px wide, so small that its dice have that side."""
    small = cv2.resize(image, None, fx=small_px / die_px, fy=small_px / die_px, interpolation=cv2.INTER_AREA)
    grain = np.random.default_rng(5).normal(0, 3, (1088, 1456, 3))
    far = np.clip(np.median(small, axis=(0, 1)) + grain, 0, 255).astype(np.uint8)
    top, left = (1088 - small.shape[0]) // 2, (1456 - small.shape[1]) // 2
    far[top : top + small.shape[0], left : left + small.shape[1]] = small
    return np.asarray(far, np.uint8)


@pytest.mark.parametrize(("style", "side_px"), [("white", 18.0), ("red", 22.0), ("white", 27.0)])
def test_small_dice_are_read_however_large_the_picture(
    six: list[LyingDie], table: Stage, style: str, side_px: float
) -> None:
    near = table.expose(table.draw(six, styles_named(style)))
    far = from_afar(near, top_face(table, six[0]).side_px, side_px)
    for expected in (6, None):
        reading = read(far, expected)
        assert reading.verdict is Verdict.OK, reading.message
        assert sorted(die.face or 0 for die in reading.dice) == [1, 2, 3, 4, 5, 6]


def test_five_dice_that_lie_as_the_pips_of_a_five_are_five(lay: Callable[..., LyingDie], table: Stage) -> None:
    places = ((0.0, 0.0), (-26.0, -26.0), (26.0, -26.0), (-26.0, 26.0), (26.0, 26.0))
    five = [
        lay(face, *place, turn)
        for face, place, turn in zip((1, 2, 3, 5, 6), places, (0.0, 37.0, 74.0, 111.0, 0.0), strict=True)
    ]
    near = table.expose(table.draw(five, styles_named("white")))
    far = from_afar(near, top_face(table, five[0]).side_px, 18.0)
    assert len(read(far).dice) == 5


@pytest.mark.parametrize("fault", ["cocked", "stacked", "missing", "extra"])
@pytest.mark.parametrize("seed", ["a", "b", "c", "d"])
def test_a_misplaced_die_is_refused(floor: Stage, fault: str, seed: str) -> None:
    image, _ = throw(floor, seed, fault=fault)
    assert not read(image, 10).ok
    if fault == "cocked":
        assert not read(image).ok


def test_an_empty_floor_is_an_empty_floor(floor: Stage) -> None:
    image = render([], "ivory", floor)
    assert (read(image).verdict, read(image).dice) == (Verdict.OK, ())
    assert read(image, 0).ok
    assert read(image, 10).verdict is Verdict.WRONG_COUNT
    assert find(image) == []


@pytest.mark.parametrize("blur_px", [6, 12, 20])
def test_a_smeared_picture_is_never_misread(floor: Stage, blur_px: int) -> None:
    image, faces = throw(floor, "a")
    kernel = np.zeros((blur_px, blur_px), np.float32)
    kernel[blur_px // 2] = 1 / blur_px
    reading = read(np.asarray(cv2.filter2D(image, -1, kernel), np.uint8), 10)
    assert not reading.ok or sorted(die.face or 0 for die in reading.dice) == sorted(face or 0 for face in faces)


@pytest.mark.parametrize("share", [0.02, 0.05])
def test_the_dark_is_bad_light(floor: Stage, share: float) -> None:
    image, _ = throw(floor, "a")
    assert read(np.asarray(image * share, np.uint8), 10).verdict is Verdict.BAD_LIGHT


@pytest.mark.parametrize("shape", [(1, 1), (1, 40), (7, 3), (33, 500)])
def test_the_smallest_pictures_hold_no_dice(shape: tuple[int, int]) -> None:
    assert read(np.full((*shape, 3), 120, np.uint8)).dice == ()


def test_noise_holds_no_dice() -> None:
    noise = np.random.default_rng(7).integers(0, 255, (480, 640, 3), np.uint8)
    assert not read(noise, 5).ok
    assert [die.face for die in read(noise).dice if read(noise).ok] == []


def test_one_picture_has_one_reading_in_any_thread(floor: Stage) -> None:
    images = [throw(floor, seed)[0] for seed in "abcd"]
    alone = [read(image, 10) for image in images]
    with ThreadPoolExecutor(4) as threads:
        together = list(threads.map(lambda image: read(image, 10), images * 3))
    assert together == alone * 3


def test_places_are_those_of_the_picture_as_given(floor: Stage) -> None:
    image, _ = throw(floor, "a")
    small = read(image, 10)
    large = read(np.asarray(cv2.resize(image, None, fx=2, fy=2), np.uint8), 10)
    for one, two in zip(small.dice, large.dice, strict=True):
        assert np.hypot(2 * one.x_px - two.x_px, 2 * one.y_px - two.y_px) < 12


@pytest.mark.parametrize("group", SAMPLE)
def test_photographs_are_never_misread(recordings: Path, group: str) -> None:
    labels = [label for label in load_labels(recordings / "real" / "labels.json") if label.group == group][:4]
    scores = [score(read(load(label.path), label.count), label.dice) for label in labels]
    assert Score.SILENT not in scores
    assert Score.EXACT in scores or group == "bluetray"
