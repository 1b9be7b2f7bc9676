"""Things are laid where no die is, prints and shadows are no things, and nobody is asked about what is not known."""

import numpy as np
import pytest

from vision.detector import CELL_PX
from vision.training.batches import CROP_PX, Sources
from vision.training.oddments import oddment
from vision.training.scenes import DIE, FOREIGN, IGNORED, THING, UNKNOWN, Scene
from vision.training.strewn import strewn

CELLS = CROP_PX // CELL_PX
GREY = 90


def grey(kind: int | None = None, side_px: float = 40.0, hidden: bool = False) -> Scene:
    """A grey ground with nothing on it, of which something is said in its middle."""
    things = [] if kind is None else [(kind, 1, 159.5, 159.5, side_px, 0, 0, 0, 0, *UNKNOWN)]
    mask = np.full((CELLS, CELLS), hidden, np.uint8)
    return Scene(np.full((CROP_PX, CROP_PX, 3), GREY, np.uint8), np.array(things, THING), mask)


def test_the_same_chance_strews_the_same() -> None:
    first, again = (strewn(np.random.default_rng(5), Sources([grey(DIE)]), 8) for _ in range(2))
    for name in ("pictures", "there", "weight"):
        np.testing.assert_array_equal(getattr(first, name), getattr(again, name))


def test_cells_tell_where_something_lies_and_are_known_where_they_do() -> None:
    batch = strewn(np.random.default_rng(1), Sources([grey()]), 60)
    assert batch.pictures.shape == (60, CROP_PX, CROP_PX, 3)
    assert batch.pictures.dtype == np.uint8
    assert batch.there.shape == batch.weight.shape == (60, CELLS, CELLS)
    assert set(np.unique(batch.there)) == set(np.unique(batch.weight)) == {0, 1}
    assert (batch.weight[batch.there > 0] == 1).all()
    laid = batch.there.any(axis=(1, 2))
    assert 0.4 < laid.mean() < 0.7
    assert 0.95 < batch.weight.mean() < 1


def test_what_is_laid_can_be_seen_and_what_is_printed_is_not_told() -> None:
    batch = strewn(np.random.default_rng(2), Sources([grey()]), 70)
    cells = batch.pictures.reshape(70, CELLS, CELL_PX, CELLS, CELL_PX, 3).astype(float)
    spread = cells.std(axis=(2, 4)).mean(axis=3)
    rough = spread > 2 * np.median(spread, axis=(1, 2), keepdims=True) + 2
    told, known = batch.there > 0, batch.weight > 0
    assert rough[told].mean() > 2 * rough[~told & known].mean()
    assert (rough & ~told & known).any(axis=(1, 2)).mean() > 0.1


@pytest.mark.parametrize("side_px", [30.0, 60.0])
def test_nothing_is_laid_on_a_die(side_px: float) -> None:
    batch = strewn(np.random.default_rng(3), Sources([grey(DIE, side_px)]), 30)
    middle = slice(CELLS // 2 - 1, CELLS // 2 + 1)
    dead = batch.there[:, middle, middle]
    assert batch.there.any()
    assert dead.mean() < 0.01


def test_a_known_thing_is_told_and_its_rim_is_not_asked_for() -> None:
    batch = strewn(np.random.default_rng(4), Sources([grey(FOREIGN, 80.0)]), 20)
    near = slice(CELLS // 2 - 1, CELLS // 2 + 1)
    assert batch.there.reshape(20, -1).any(axis=1).mean() > 0.9
    assert batch.there[:, near, near].mean() > 0.5
    assert batch.weight.mean() < 0.97


@pytest.mark.parametrize(("kind", "hidden"), [(IGNORED, False), (None, True)])
def test_what_nobody_knows_is_not_asked_for(kind: int | None, hidden: bool) -> None:
    batch = strewn(np.random.default_rng(6), Sources([grey(kind, 80.0, hidden)]), 20)
    near = slice(CELLS // 2 - 1, CELLS // 2 + 1)
    empty = batch.there[:, near, near] == 0
    assert (batch.weight[:, near, near][empty] == 0).mean() > 0.5


@pytest.mark.parametrize("die_px", [9.0, 30.0, 110.0])
def test_an_oddment_is_drawn_in_colours_and_cover(die_px: float) -> None:
    rng = np.random.default_rng(round(die_px))
    long, wide = [], []
    for _ in range(50):
        drawn = oddment(rng, die_px)
        assert drawn.shape == (len(drawn), len(drawn), 4)
        assert np.isfinite(drawn).all()
        assert drawn.min() >= 0
        assert drawn[..., 3].max() <= 1
        solid = drawn[..., 3] > 0.3
        long.append(len(drawn) / die_px)
        wide.append(float(solid.mean()))
    assert min(wide) < 0.1 < 0.4 < max(wide)  # from wires to boxes
    assert np.ptp(long) > 1


def test_the_same_chance_draws_the_same_oddment() -> None:
    first, again = (oddment(np.random.default_rng(3), 50.0) for _ in range(2))
    np.testing.assert_array_equal(first, again)
