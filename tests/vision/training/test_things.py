"""Things that are no dice are drawn whole, lie beside dice and not on them, and are labelled where they lie."""

import numpy as np
import pytest

from vision.training.grounds import ground, hand
from vision.training.scenes import FOREIGN, IGNORED, lay_things
from vision.training.things import thing

SIZE_PX, DIE_PX = 320, 40


@pytest.mark.parametrize("size_px", [8, 60, 150])
def test_a_thing_is_drawn_whole_in_colours_and_cover(size_px: int) -> None:
    rng = np.random.default_rng(size_px)
    shares = []
    for _ in range(60):
        drawn = thing(rng, size_px)
        assert drawn.shape == (size_px, size_px, 4)
        assert np.isfinite(drawn).all()
        assert drawn[..., 3].min() >= 0
        assert drawn[..., 3].max() <= 1
        shares.append(float((drawn[..., 3] > 0.3).mean()))
    assert 0.1 < np.median(shares) < 0.8
    assert np.ptp(shares) > 0.4  # from wires to boxes


def test_the_same_chance_draws_the_same_thing() -> None:
    first, again = (thing(np.random.default_rng(3), 50) for _ in range(2))
    np.testing.assert_array_equal(first, again)


def _laid(seed: int) -> tuple[np.ndarray, np.ndarray, list[tuple[float, ...]]]:
    """Who owns which pixel before and after things were laid beside four dice, and the labels of these things."""
    rng = np.random.default_rng(seed)
    picture, owner = ground(rng, SIZE_PX), np.full((SIZE_PX, SIZE_PX), -1, np.int16)
    for number, (row, column) in enumerate([(60, 60), (60, 100), (200, 240), (250, 120)]):
        owner[row : row + DIE_PX, column : column + DIE_PX] = number
    before = owner.copy()
    return before, owner, lay_things(rng, picture, owner, DIE_PX)


def test_things_lie_where_their_labels_say_and_not_on_dice() -> None:
    near = far = 0
    for seed in range(40):
        before, owner, labels = _laid(seed)
        assert ((before == owner) | (owner == -3)).all()
        laid = owner == -3
        assert (laid & (before >= 0)).sum() <= 0.03 * laid.sum() + 4
        rows, columns = np.nonzero(laid)
        dice = np.stack(np.nonzero(before >= 0), axis=1)
        for kind, _, x, y, side, *_ in labels:
            assert kind in (FOREIGN, IGNORED)
            assert np.hypot(rows - y, columns - x).min() < side
            away = np.hypot(*(dice - (y, x)).T).min()
            near, far = near + int(away < DIE_PX), far + int(away >= DIE_PX)
    assert near > 15
    assert far > 15


def test_what_is_much_smaller_than_a_die_is_litter() -> None:
    labels = [one for seed in range(40) for one in _laid(seed)[2]]
    assert {kind for kind, *_ in labels} == {FOREIGN, IGNORED}
    assert all((kind == FOREIGN) == (side > 0.35 * DIE_PX) for kind, _, _, _, side, *_ in labels)


def test_a_hand_reaches_in_from_the_edge() -> None:
    rng = np.random.default_rng(8)
    for _ in range(30):
        colours, cover = hand(rng, SIZE_PX, DIE_PX)
        assert colours.shape == (SIZE_PX, SIZE_PX, 3)
        assert colours.min() >= 0
        assert colours.max() <= 1
        edge = np.concatenate([cover[0], cover[-1], cover[:, 0], cover[:, -1]])
        assert edge.max() > 0.5
