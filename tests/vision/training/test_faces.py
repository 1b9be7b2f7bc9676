import numpy as np
import pytest

pytest.importorskip("torch", reason='the extra "training" is not installed')

import torch

from vision.network import CORE_PX, CUT_PX, CUT_SIDES
from vision.training.drawing import Array
from vision.training.faces import Album
from vision.training.looks import NONE
from vision.training.patches import PATCH_PX, PATCH_SIDES, Patches
from vision.training.scenes import DIE, THING, UNKNOWN

COUNT = 400


def album(picture: Array, normal: tuple[float, float] = (0.0, 0.0)) -> Album:
    label = np.array([(DIE, 4, 0.0, 0.0, 40.0, 0, 0, 0, 0, *normal, *UNKNOWN[2:])], THING)
    return Album(Patches(picture[None], label), np.ones(1), torch.device("cpu"))


def test_what_is_drawn_follows_from_the_seed() -> None:
    picture = np.random.default_rng(1).integers(0, 256, (PATCH_PX, PATCH_PX, 3), np.uint8)
    one, same, other = (album(picture).draw(np.random.default_rng(seed), 16) for seed in (3, 3, 4))
    assert torch.equal(one.pictures, same.pictures)
    assert one.things.tobytes() == same.things.tobytes()
    assert not torch.equal(one.pictures, other.pictures)
    assert one.pictures.shape == (16, 3, CUT_PX, CUT_PX)
    assert one.cores.shape == (16, 3, CORE_PX, CORE_PX)
    assert 0 <= float(one.pictures.min()) <= float(one.pictures.max()) <= 255


def test_normals_turn_with_what_they_belong_to() -> None:
    """A bright wedge points where the normal does."""
    y, x = np.mgrid[:PATCH_PX, :PATCH_PX] - (PATCH_PX - 1) / 2
    wedge = (np.abs(np.arctan2(y, x)) < 0.4) & (np.hypot(x, y) < 0.6 * PATCH_PX / PATCH_SIDES)
    drawn = album(np.repeat(wedge[..., None] * np.uint8(255), 3, axis=2), (0.5, 0.0)).draw(
        np.random.default_rng(2), COUNT
    )
    row, column = np.mgrid[:CUT_PX, :CUT_PX] - (CUT_PX - 1) / 2
    right = checked = 0
    for picture, thing in zip(drawn.pictures.mean(dim=1).numpy(), drawn.things, strict=True):
        if np.isnan(thing["nx"]) or np.ptp(picture) < 60:
            continue
        light = np.abs(picture - np.median(picture))  # a negative is dark where the patch is bright
        middle = np.array([(light * column).sum(), (light * row).sum()]) / light.sum()
        checked += 1
        right += float(middle @ (thing["nx"], thing["ny"])) > 0.7 * 0.5 * np.hypot(*middle)
        assert np.hypot(thing["nx"], thing["ny"]) == pytest.approx(0.5)
    assert checked > COUNT / 2
    assert right > 0.9 * checked


def test_a_cut_out_shows_as_many_sides_as_the_reader_cuts() -> None:
    y, x = np.abs(np.mgrid[:PATCH_PX, :PATCH_PX] - (PATCH_PX - 1) / 2)
    square = np.maximum(x, y) < 0.5 * PATCH_PX / PATCH_SIDES
    drawn = album(np.repeat(square[..., None] * np.uint8(255), 3, axis=2)).draw(np.random.default_rng(2), COUNT)
    grey = drawn.pictures.mean(dim=1).numpy()
    shares = [(one > (one.min() + one.max()) / 2).mean() for one, thing in zip(grey, drawn.things, strict=True)]
    middle = np.median([share for share, thing in zip(shares, drawn.things, strict=True) if thing["face"] == 4])
    assert middle == pytest.approx(1 / CUT_SIDES**2, rel=0.12)


def test_what_is_seen_from_beside_shows_no_face() -> None:
    things = album(np.zeros((PATCH_PX, PATCH_PX, 3), np.uint8)).draw(np.random.default_rng(2), COUNT).things
    beside = things["face"] == NONE
    assert 0.04 < beside.mean() < 0.2
    assert (things["face"][~beside] == 4).all()
    assert np.isnan(things["nx"][beside]).all()
    assert (things["smear"][beside] == -1).all()
