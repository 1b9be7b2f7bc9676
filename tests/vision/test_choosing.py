"""Which of the looks are the dice, and which are the ground's."""

from dataclasses import replace

import numpy as np

from tests.vision.thrown import throw
from vision.choosing import choose, without_phantoms
from vision.die_shape import styles_named
from vision.network import NONE, Opinion
from vision.patterns import compare
from vision.reader import _look, _views
from vision.rendered import LyingDie, Stage
from vision.views import View, spots


def test_where_all_dice_count_one_that_is_hardly_seen_is_told_by_its_face_size_and_place(floor: Stage) -> None:
    image, _ = throw(floor, "a")
    *others, last = _look(image).dice[:10]
    seen = replace(last, score=0.35)
    unsure, fairly = last.faces.copy(), last.faces.copy()
    unsure[2, last.face - 1] = 0.7
    fairly[1, last.face - 1] = 0.9
    beside = replace(seen, x_px=others[0].x_px + 0.7 * others[0].side_px, y_px=others[0].y_px)
    for die, told in (
        (seen, True),
        (replace(seen, score=0.2), True),
        (replace(seen, score=0.1), False),
        (replace(seen, score=0.2, faces=fairly), False),
        (replace(seen, score=0.2, spread=0.08), False),
        (replace(seen, faces=unsure), False),
        (replace(seen, side_px=0.6 * last.side_px), True),  # dice of two sizes may lie together
        (replace(seen, side_px=0.4 * last.side_px), False),
        (replace(seen, side_px=0.6 * last.side_px, spread=0.1), False),
        (beside, True),
        (replace(beside, faces=fairly), False),  # a side of another die
        (replace(beside, x_px=beside.x_px - 0.2 * others[0].side_px), False),
    ):
        assert (die in choose([*others, die], None)) is told
    assert choose([seen], None) == [], "there is nothing that it could be like"
    assert seen in choose([*others, seen], len(others)), "nobody may be told that there are as many as there must be"
    for die, counts in ((seen, True), (replace(seen, spread=0.08), False), (replace(seen, faces=fairly), False)):
        chosen = choose([*others[1:], die], len(others))
        assert (die in chosen) is counts, "where one is missing it must be named beyond doubt"


def test_of_two_looks_at_what_is_hardly_seen_one_counts_whether_or_not_a_die_is_missing(floor: Stage) -> None:
    image, _ = throw(floor, "a")
    *others, other, last = _look(image).dice[:10]
    seen = replace(last, score=0.35)
    again = replace(seen, x_px=seen.x_px + 0.3 * seen.side_px, score=0.3)
    for there, expected in ((others, 10), ([*others, other], 10), ([*others, other], 9), ([*others, other], None)):
        assert choose([*there, seen, again], expected) == [*there, seen]
    fairly = replace(other, faces=other.faces.copy(), score=0.35)
    fairly.faces[1, other.face - 1] = 0.9
    # One that is beyond doubt makes up the number; one more that is named is then too many.
    assert len(choose([*others, seen, fairly], 9)) == 10
    assert len(choose([*others, seen, fairly], 10)) == 9


def test_where_a_die_is_missing_what_is_hardly_seen_must_be_about_as_large_as_the_others(floor: Stage) -> None:
    image, _ = throw(floor, "a")
    *others, last = _look(image).dice[:10]
    fairly = last.faces.copy()
    fairly[1, last.face - 1] = 0.85  # where it is surer, dice of two sizes may lie together
    seen = replace(last, score=0.45, faces=fairly)
    for times, told in ((0.7, True), (1.5, True), (0.5, False), (1.9, False)):
        die = replace(seen, side_px=times * last.side_px)
        assert (die in choose([*others, die], 10)) is told
    assert seen in choose([seen], 1), "there is nothing that it could be unlike"


def test_where_a_die_is_missing_what_nobody_can_name_or_say_the_lie_of_is_none(floor: Stage) -> None:
    image, _ = throw(floor, "a")
    *others, last = _look(image).dice[:10]
    nameless = np.full((3, 7), 1 / 7, np.float32)
    nameless[1, 0] = nameless[2, 1] = 0.5
    for faces, spread, glare, told in (
        (nameless, 0.12, 0.0, False),
        (nameless, 0.04, 0.0, True),
        (nameless, 0.12, 0.3, True),
        (last.faces, 0.12, 0.0, False),  # an arm may hide the rest of it
        (last.faces, 0.04, 0.0, True),
    ):
        die = replace(last, score=0.45, spread=spread, faces=faces, glare=glare)
        assert (die in choose([*others, die], 10)) is told


def test_what_is_too_much_is_the_ground_if_it_is_odder_than_all_dice_and_shows_no_number(
    six: list[LyingDie], table: Stage
) -> None:
    sight = _look(table.expose(table.draw(six, styles_named("white"))))
    dice = [replace(die, spread=0.03) for die in sight.dice[:6]]
    bare = np.full((3, 7), 1 / 7, np.float32)
    height, width = sight.levels[0].shape[:2]
    for sides, spread, faces, sixth, ground in (
        (1.0, 0.1, bare, 0.03, True),
        (1.0, 0.06, bare, 0.03, False),
        (0.7, 0.06, bare, 0.03, True),  # by spread and size together
        (1.5, 0.06, bare, 0.03, True),
        (1.0, 0.1, None, 0.03, False),  # what is named may be a die
        (1.0, 0.1, bare, 0.09, False),  # and so may what is hardly odder than one of the dice
    ):
        seen = [*dice[:5], replace(dice[5], spread=sixth)]
        mere = replace(dice[0], x_px=width / 2, y_px=height / 12, spread=spread, side_px=sides * dice[0].side_px)
        mere = mere if faces is None else replace(mere, faces=faces)
        looks = [View(die, fit) for die, fit in zip(seen, compare(sight.levels, spots(seen)), strict=True)]
        kept = without_phantoms(sight, [*looks, View(mere, looks[0].fit)], 6)
        assert (kept == looks) is ground, (sides, spread, sixth)


def test_where_nothing_must_lie_what_lies_as_dice_do_is_too_much(floor: Stage) -> None:
    sight = _look(floor.expose(floor.draw([], styles_named("white"))))
    look = _look(throw(floor, "too much")[0])
    (die,) = _views(look, [replace(look.dice[0], faces=np.full((3, 7), 1 / 7, np.float32))])
    for spread, kept in ((0.03, 1), (0.1, 0)):
        assert len(without_phantoms(sight, [replace(die, seen=replace(die.seen, spread=spread))], 0)) == kept


def test_a_small_look_of_which_it_is_less_certain_how_it_lies_is_a_figure_and_not_counted_among_so_many(
    floor: Stage,
) -> None:
    sight = _look(throw(floor, "figures", "white")[0])
    dice = [replace(die, spread=0.03) for die in sight.dice[:10]]
    fairly = dice[0].faces.copy()
    fairly[1, dice[0].face - 1] = 0.9
    for sides, spread, figure in ((0.7, 0.08, True), (0.7, 0.07, False), (0.9, 0.08, False)):
        small = replace(dice[0], side_px=sides * dice[0].side_px, spread=spread)
        looks = _views(sight, [replace(small, faces=fairly), *dice[1:]])
        assert any(view.figure for view in looks) is figure
        assert len(without_phantoms(sight, looks, 10)) == 10 - figure
        assert len(without_phantoms(sight, looks, None)) == 10
        surely = _views(sight, [small, *dice[1:]])
        for expected in (9, 10):
            assert len(without_phantoms(sight, surely, expected)) == 10, "what surely shows a face is a die"
    # Where most looks are figures, the sizes of those that surely lie count.
    letters = [replace(die, side_px=0.65 * die.side_px, spread=0.09) for die in dice[:7]]
    assert sum(view.figure for view in _views(sight, [*letters, *dice[7:]])) == len(letters)


def test_many_looks_that_nobody_can_say_the_lie_of_are_the_print_of_the_ground(
    six: list[LyingDie], table: Stage
) -> None:
    sight = _look(table.expose(table.draw(six, styles_named("white"))))
    seen = [replace(die, spread=0.03) for die in sorted(sight.dice[:6], key=lambda die: (die.y_px, die.x_px))]
    looks = [View(die, fit) for die, fit in zip(seen, compare(sight.levels, spots(seen)), strict=True)]
    bare = replace(looks[0].seen, faces=np.full((3, 7), 1 / 7, np.float32))
    emblem = [View(bare, looks[0].fit), *looks[1:]]  # no name, but it lies as dice do
    _, height = sight.levels[0].shape[1::-1]
    for dice, spread, prints, dropped in (
        (looks, 0.1, 4, True),
        (looks, 0.1, 3, False),  # what is named may be a die
        (looks, 0.04, 4, False),
        (emblem, 0.1, 4, True),
    ):
        far = [replace(seen[0], x_px=100.0 + 90 * k, y_px=height / 12, spread=spread) for k in range(prints)]
        found = without_phantoms(sight, [*(View(die, looks[0].fit) for die in far), *dice], 6)
        assert (found == dice) is dropped


def test_of_many_looks_those_that_surely_show_numbers_and_how_they_lie_are_the_dice(
    six: list[LyingDie], table: Stage
) -> None:
    sight = _look(table.expose(table.draw(six, styles_named("white"))))
    seen = [replace(die, spread=0.03) for die in sorted(sight.dice[:6], key=lambda die: (die.y_px, die.x_px))]
    height = sight.levels[0].shape[0]
    for prints, none, sides, sixth, dropped in (
        (4, 0.2, 0.7, 0.001, True),
        (3, 0.2, 0.7, 0.001, False),
        (4, 0.01, 0.7, 0.001, True),  # one of them lies as dice do and is named
        (4, 0.005, 0.7, 0.001, False),  # as surely as a die is
        (4, 0.2, 1.0, 0.001, False),  # so there may be more dice than must be there
        (4, 0.4, 0.7, 0.1, False),  # and where one die is not sure to show a number, it may be none
        (4, 0.2, 0.7, 0.7, False),  # an emblem: what is printed may be no more than that
    ):
        dice = [*(_showing(die, 0.001) for die in seen[:5]), _showing(seen[5], sixth)]
        far = [replace(seen[0], x_px=100.0 + 90 * k, y_px=height / 12, spread=0.06) for k in range(prints)]
        far = [replace(die, side_px=sides * die.side_px) for die in far]
        looks = [_showing(replace(far[0], spread=0.035), none), *(_showing(die, 0.2) for die in far[1:]), *dice]
        views = [View(die, fit) for die, fit in zip(looks, compare(sight.levels, spots(looks)), strict=True)]
        found = [view.seen for view in without_phantoms(sight, views, 6)]
        assert (found == dice) is dropped, (prints, none, sides, sixth)


def _showing(die: Opinion, none: float) -> Opinion:
    """The die, of which both classifiers say with that probability that it shows no number."""
    faces = die.faces.copy()
    faces[1:] = (1 - none) * faces[1:] / faces[1:, :NONE].sum(axis=1, keepdims=True)
    faces[1:, NONE] = none
    return replace(die, faces=faces)
