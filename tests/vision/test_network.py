import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest

from firmware.dimensions import size
from tests.vision.conftest import top_face
from vision.die_shape import DieStyle, styles_named
from vision.network import (
    CUT_PX,
    CUT_SIDES,
    MODELS,
    NONE,
    Network,
    Opinion,
    Sight,
    cut_out,
    level_normals,
    normalised,
    pyramid,
    reckoned,
)
from vision.picture import Image
from vision.rendered import LyingDie, Stage
from vision.rig import Rig

FACES = (1, 2, 3, 4, 5, 6)
Lay = Callable[..., LyingDie]


def thrown(lay: Lay, faces: Sequence[int], leaning: int | None = None) -> list[LyingDie]:
    dice = []
    for number, face in enumerate(faces):
        lean_deg = 30.0 if number == leaning else 0.0
        height_mm = 8.0 * (math.cos(math.radians(lean_deg)) + math.sin(math.radians(lean_deg)))
        place = -50.0 + 50.0 * (number % 3), -25.0 + 50.0 * (number // 3)
        dice.append(lay(face, *place, 37.0 * number, height_mm, lean_deg))
    return dice


@pytest.fixture(scope="module")
def stage() -> Stage:
    return Stage(np.random.default_rng(3), Rig.of(size), size_px=(728, 544))


@pytest.fixture(scope="module")
def network() -> Network:
    return Network()


def seen(network: Network, picture: Image, least: float = 0.3) -> list[Opinion]:
    return [one for one in network.look(picture).dice if one.score > least]


def standing(sight: Sight) -> list[tuple[float, float, float]]:
    """Where all is that a look has found, and how likely."""
    dice = [(die.x_px, die.y_px, die.score) for die in sight.dice]
    return dice + [(one.x_px, one.y_px, one.score) for one in sight.strangers]


@pytest.mark.parametrize("style", ["ivory", "black", "red", "asian"])
def test_every_face_of_a_drawn_throw_is_found_and_named(lay: Lay, network: Network, stage: Stage, style: str) -> None:
    dice = thrown(lay, FACES)
    found = seen(network, stage.expose(stage.draw(dice, styles_named(style))))
    assert len(found) == len(dice)
    for die in dice:
        top = top_face(stage, die)
        (one,) = [one for one in found if math.dist((one.x_px, one.y_px), (top.x_px, top.y_px)) < top.side_px / 4]
        assert one.face == top.face
        assert one.side_px == pytest.approx(top.side_px, rel=0.3)


def test_an_empty_floor_has_no_dice(network: Network, stage: Stage) -> None:
    assert seen(network, stage.expose(stage.draw([], styles_named("ivory")))) == []


def test_a_leaning_die_is_told_from_the_flat_ones(lay: Lay, network: Network, stage: Stage) -> None:
    dice = thrown(lay, FACES, leaning=4)
    found = seen(network, stage.expose(stage.draw(dice, styles_named("white"))))
    top = top_face(stage, dice[4])
    found.sort(key=lambda one: math.dist((one.x_px, one.y_px), (top.x_px, top.y_px)))
    tilts = [one.tilt_deg for one in found]
    assert len(tilts) == len(dice)
    assert tilts[0] > max(tilts[1:])


PLACES = np.array([(x, y) for x in (-0.4, 0.0, 0.4) for y in (-0.3, 0.0, 0.3)], np.float32)


def as_seen(up: tuple[float, float], zoom: float) -> np.ndarray:
    """The parts across the lines of sight of a normal that looks up there, by a pinhole's geometry (9 x 2)."""
    normal = np.array([*up, -math.sqrt(1 - up[0] ** 2 - up[1] ** 2)])
    ways = np.column_stack([zoom * PLACES, np.ones(len(PLACES))])
    ways /= np.linalg.norm(ways, axis=1, keepdims=True)
    return np.asarray((normal - (ways @ normal)[:, None] * ways)[:, :2], np.float32)


@pytest.mark.parametrize(("up", "zoom"), [((0.0, 0.0), 0.8), ((0.3, -0.1), 1.1), ((-0.2, 0.4), 1.3), ((0.0, 0.5), 0.4)])
def test_the_plane_of_most_dice_is_found_whatever_the_camera_sees(up: tuple[float, float], zoom: float) -> None:
    normals, spreads = as_seen(up, zoom), np.full(9, 0.02, np.float32)
    normals[4] += (0.0, 0.4)
    off = np.hypot(*(normals - level_normals(normals, PLACES, np.ones(9, np.float32), spreads)).T)
    assert off[4] == pytest.approx(0.4, abs=0.05)
    assert np.delete(off, 4).max() < 0.05


def test_dice_of_which_little_is_seen_do_not_make_the_plane_of_those_that_show_their_sides() -> None:
    normals, spreads = as_seen((0.0, 0.35), 0.8), np.full(9, 0.1, np.float32)
    sure = [0, 2, 7]
    spreads[sure] = 0.02
    others = np.delete(np.arange(9), sure)
    normals[others] *= 0.7
    off = np.hypot(*(normals - level_normals(normals, PLACES, np.ones(9, np.float32), spreads)).T)
    assert off[sure].max() < 0.05


def test_what_is_hardly_a_die_does_not_bend_the_plane() -> None:
    normals, spreads, scores = as_seen((0.0, 0.2), 0.8), np.full(9, 0.02, np.float32), np.ones(9, np.float32)
    mere = [0, 1, 3, 5, 7, 8]
    normals[mere] += (0.08, 0.0)
    scores[mere] = 0.4
    off = np.hypot(*(normals - level_normals(normals, PLACES, scores, spreads)).T)
    assert np.delete(off, mere).max() < 0.015


def test_the_same_picture_twice_is_the_same_opinion_twice(lay: Lay, network: Network, stage: Stage) -> None:
    picture = stage.draw(thrown(lay, (2, 6)), styles_named("blue"))
    first, second = network.look(picture), network.look(picture)
    assert [one.score for one in first.dice] == [one.score for one in second.dice]
    assert all(np.array_equal(a.faces, b.faces) for a, b in zip(first.dice, second.dice, strict=True))


def test_twos_with_pips_close_together_are_named_by_both(lay: Lay, network: Network, stage: Stage) -> None:
    style = DieStyle((240, 240, 236), (28, 42, 158), corner=0.12, ball=0.74, pip_radius=0.06, pitch=0.08)
    found = seen(network, stage.expose(stage.draw(thrown(lay, (2, 2, 2, 2, 2, 2)), (style,))))
    assert [(one.agreed, one.face) for one in found] == 6 * [(True, 2)]


def test_what_is_surely_a_die_needs_more_to_show_no_number_than_what_is_not_unless_it_shows_a_lone_spot() -> None:
    two, one = np.full((2, NONE + 1), -3.0, np.float32)
    two[NONE], two[1] = 1.5, 0.0
    one[NONE], one[0] = 1.5, 0.0
    said = np.stack([two, two, one, one])
    names = reckoned(said, np.array([True, False, True, False])).argmax(axis=1)
    assert names.tolist() == [1, NONE, NONE, NONE]
    assert said.argmax(axis=1).tolist() == 4 * [NONE]


@pytest.mark.parametrize("size", [(1, 1), (1, 900), (3, 2), (2000, 40)])
def test_pictures_of_any_size_are_looked_at(network: Network, size: tuple[int, int]) -> None:
    sight = network.look(np.full((*size, 3), 90, np.uint8))
    assert all(np.isfinite(one.faces).all() for one in sight.dice)


def test_a_picture_looked_at_upside_down_has_everything_where_it_is(lay: Lay, network: Network, stage: Stage) -> None:
    picture = stage.draw(thrown(lay, FACES), styles_named("red"))
    height, width = picture.shape[:2]
    upright = network.look_again(network.look(picture), 0.75)
    upside = np.ascontiguousarray(picture[::-1, ::-1])
    turned = network.look_again(network.look(upside), 0.75, turned=True)
    assert len(upright.dice) >= len(FACES)
    assert len(turned.dice) == len(upright.dice)
    for here, there in zip(standing(upright), standing(turned), strict=True):
        assert there[2] == pytest.approx(here[2], abs=1e-3)
        assert there[:2] == pytest.approx((width - 1 - here[0], height - 1 - here[1]), abs=0.1)
    np.testing.assert_allclose(turned.hidden, upright.hidden[::-1, ::-1], atol=0.01)
    np.testing.assert_allclose(turned.strange, upright.strange[::-1, ::-1], atol=0.03)


def test_probabilities_are_probabilities(lay: Lay, network: Network, stage: Stage) -> None:
    for one in network.look(stage.draw(thrown(lay, (5,)), styles_named("green"))).dice:
        assert one.faces.shape == (3, NONE + 1)
        np.testing.assert_allclose(one.faces.sum(axis=1), 1, atol=1e-5)
        assert one.fused.sum() == pytest.approx(1, abs=1e-5)
        assert all(0 <= value <= 1 for value in (one.score, one.stacked, one.smear, one.glare))


@pytest.mark.parametrize("side", [9.0, 40.0, 260.0])
def test_a_cut_out_shows_the_place_at_its_scale(side: float) -> None:
    x, y = 301.0, 287.0
    across, down = np.meshgrid(np.arange(640), np.arange(600))
    inside = (abs(across - x) <= side / 2) & (abs(down - y) <= side / 2)
    picture = np.repeat(np.where(inside, 255, 0).astype(np.uint8)[..., None], 3, axis=2)
    (cut,) = cut_out(pyramid(picture), np.array([[x, y, side]]), CUT_SIDES)
    wide = float((cut[CUT_PX // 2, :, 0] / 255).sum())
    assert wide == pytest.approx(CUT_PX / CUT_SIDES, rel=0.14)
    rows, columns = np.nonzero(cut[..., 0] > 127)
    middle = (CUT_PX - 1) / 2
    assert (rows.mean(), columns.mean()) == pytest.approx((middle, middle), abs=1.0)


def test_light_and_contrast_do_not_change_what_the_networks_are_given() -> None:
    rng = np.random.default_rng(0)
    dark: npt.NDArray[np.uint8] = rng.integers(20, 120, (1, CUT_PX, CUT_PX, 3), np.uint8)
    np.testing.assert_allclose(normalised(dark), normalised(np.asarray(dark * 2 + 10, np.uint8)), atol=0.1)


def test_the_committed_networks_are_small() -> None:
    assert sum(path.stat().st_size for path in MODELS.glob("*.onnx")) <= 2_000_000


@pytest.mark.parametrize("side", [b"h", b"w"])
def test_the_detector_states_the_size_of_its_pictures(side: bytes) -> None:
    # OpenCV 4.10 cannot join two answers of which it does not know how large they are, and refuses the file.
    named_dimension = b"\x0a\x03\x12\x01"  # in a shape of an ONNX file, before a name of one letter
    stored = (MODELS / "detector.onnx").read_bytes()
    assert named_dimension + b"n" in stored
    assert named_dimension + side not in stored


def test_how_dice_are_felt_to_lie_does_not_depend_on_how_the_picture_is_laid_down(
    lay: Lay, stage: Stage, network: Network
) -> None:
    sight = network.look(stage.expose(stage.draw(thrown(lay, FACES, leaning=2), styles_named("white"))))
    dice = sight.dice[: len(FACES)]
    at = np.array([(die.x_px, die.y_px, die.side_px) for die in dice], np.float32)
    felt = [die.tilt_deg for die in network.feel(sight, dice, at)]
    by_faces = network.feel_by_faces(sight, dice, at)
    width = sight.levels[0].shape[1]
    for turned, place in (
        (sight.levels[0][:, ::-1], np.stack([width - 1 - at[:, 0], at[:, 1], at[:, 2]], axis=1)),
        (sight.levels[0].transpose(1, 0, 2), at[:, [1, 0, 2]]),
    ):
        laid = replace(sight, levels=pyramid(np.ascontiguousarray(turned)))
        assert [die.tilt_deg for die in network.feel(laid, dice, place)] == pytest.approx(felt, abs=0.7)
        assert network.feel_by_faces(laid, dice, place) == pytest.approx(by_faces, abs=0.7)
    for tilts_deg in felt, by_faces.tolist():
        assert max(tilts_deg) > 4 * sorted(tilts_deg)[-2]
