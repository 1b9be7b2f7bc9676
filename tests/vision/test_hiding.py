"""What hides a part of a picture of dice: it is laid over a throw that can be read."""

from dataclasses import replace

import numpy as np

from tests.vision.thrown import COUNT, judged
from vision.hiding import covered
from vision.network import Sight, pyramid
from vision.reading import Verdict
from vision.views import View


def test_a_hand_that_reaches_a_die_is_told_however_small_it_is(sight: Sight, views: list[View]) -> None:
    height, width = sight.levels[0].shape[:2]
    rows, columns = sight.hidden.shape
    die = views[0].seen
    down, across = (np.arange(rows)[:, None] + 0.5) * height / rows, (np.arange(columns) + 0.5) * width / columns
    for x_px, y_px, verdict in ((die.x_px - die.side_px, die.y_px, Verdict.OBSTRUCTED), (0.0, 0.0, Verdict.OK)):
        hidden = np.where(np.hypot(across - x_px, down - y_px) < 0.8 * die.side_px, 0.4, 0.0).astype(np.float32)
        assert hidden.any()
        assert hidden.mean() < 0.05
        assert judged(replace(sight, hidden=hidden), views, COUNT)[0] is verdict


def test_what_shows_of_a_die_under_a_hand_is_not_in_motion(sight: Sight, views: list[View]) -> None:
    lost = replace(views[0].seen, score=0.3, smear=0.6)
    missing = replace(sight, dice=(*(view.seen for view in views[1:]), lost))
    assert judged(missing, views[1:], COUNT)[0] is Verdict.NOT_SETTLED
    height, width = sight.levels[0].shape[:2]
    rows, columns = sight.hidden.shape
    down, across = (np.arange(rows)[:, None] + 0.5) * height / rows, (np.arange(columns) + 0.5) * width / columns
    hand = np.where(np.hypot(across - lost.x_px, down - lost.y_px) < lost.side_px, 0.6, 0.0).astype(np.float32)
    assert judged(replace(missing, hidden=hand), views[1:], COUNT)[0] is not Verdict.NOT_SETTLED


def test_where_nothing_is_seen_a_clear_cover_hides_it_and_nothing_else_does(sight: Sight) -> None:
    empty = np.full_like(sight.levels[0], (90, 120, 100))
    cloth = empty.copy()
    cloth[300:, 400:1000] = (60, 60, 200)
    for image, verdict in ((empty, Verdict.WRONG_COUNT), (cloth, Verdict.OBSTRUCTED)):
        seen = replace(sight, dice=(), hidden=np.zeros_like(sight.hidden), levels=pyramid(image))
        assert judged(seen, [], COUNT)[0] is verdict


def test_fingers_are_told_where_nobody_would_miss_the_dice_that_they_hide(sight: Sight, views: list[View]) -> None:
    rows, columns = sight.hidden.shape
    for hidden_rows, verdict in ((2, Verdict.OBSTRUCTED), (0, Verdict.OK)):
        hidden = np.zeros_like(sight.hidden)
        hidden[rows - hidden_rows :, : columns // 4] = 0.95
        assert judged(replace(sight, hidden=hidden), views, None)[0] is verdict
        assert judged(replace(sight, hidden=hidden), views, COUNT)[0] is Verdict.OK


def test_a_cloth_is_told_where_a_network_sees_it_too_and_a_small_one_where_nobody_counts(
    sight: Sight, views: list[View]
) -> None:
    height, width = sight.levels[0].shape[:2]
    small, large = (sight.levels[0].copy() for _ in range(2))
    small[: height // 4, : width // 4] = (60, 60, 200)
    large[:, : width // 4] = (60, 60, 200)
    apart = [view for view in views if view.seen.x_px - view.seen.side_px > width / 4]
    assert len(apart) > 1
    for image, seen, counted, told in (
        (small, 0.5, False, True),
        (small, 0.0, False, False),
        (small, 0.5, True, False),
        (large, 0.5, False, True),
        (large, 0.5, True, True),
        (large, 0.0, False, False),
        (large, 0.0, True, False),
    ):
        hidden = np.zeros_like(sight.hidden)
        hidden[0, 0] = seen
        shown = replace(sight, hidden=hidden, levels=pyramid(image))
        assert covered(shown, apart, len(apart) if counted else None) == told, (seen, counted)
