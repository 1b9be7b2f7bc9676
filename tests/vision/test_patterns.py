"""Likeness to the six patterns of pips: whatever the turn, the colours and the place, and none where there are none."""

import math
from collections.abc import Callable

import cv2
import numpy as np
import pytest

from firmware.dimensions import size
from tests.vision.conftest import top_face
from vision.die_shape import STYLES
from vision.network import pyramid
from vision.patterns import FACES, PX_SIDES, STANDING_PX, compare
from vision.picture import Image
from vision.rendered import LyingDie, Stage, render
from vision.rig import Rig

Lay = Callable[..., LyingDie]
SITES = {1: "4", 2: "08", 3: "048", 4: "0268", 5: "02468", 6: "012678"}
"""The pips of each face, by their place in three rows of three."""


@pytest.fixture(scope="module")
def stage() -> Stage:
    return Stage(np.random.default_rng(3), Rig.of(size), size_px=(728, 544))


def drawn(
    face: int | str, body: tuple[int, int, int], pip: tuple[int, int, int], side: float = 60.0, radius: float = 0.09
) -> Image:
    """A face turned by 20 degrees in the middle of a grey picture; colours are blue, green, red, radius in sides.

    In place of its number the places of its pips may be given.
    """
    picture = np.full((200, 200, 3), 120, np.uint8)
    corners = cv2.boxPoints(((100.0, 100.0), (side, side), 20.0))
    cv2.fillConvexPoly(picture, np.round(corners * 16).astype(np.int32), body, cv2.LINE_AA, 4)
    for site in face if isinstance(face, str) else SITES[face]:
        x, y = (0.25 * side * (number - 1) for number in divmod(int(site), 3))
        c, s = math.cos(math.radians(20)), math.sin(math.radians(20))
        at = round((100 + c * x - s * y) * 16), round((100 + s * x + c * y) * 16)
        cv2.circle(picture, at, round(radius * side * 16), pip, -1, cv2.LINE_AA, 4)
    return picture


def named(picture: Image, x: float = 100.0, y: float = 100.0, side: float = 60.0) -> tuple[int, float]:
    """The face that is the likeliest, and how likely."""
    (fit,) = compare(pyramid(picture), np.array([[x, y, side]]))
    likeness = fit.likeness
    return int(np.argmax(likeness)) + 1, float(likeness.max())


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("face", range(1, FACES + 1))
def test_every_face_of_a_drawn_throw_is_named(lay: Lay, stage: Stage, face: int, style: str) -> None:
    for turn_deg in (0.0, 17.0, 45.0, 200.0):
        die = lay(face, -20.0, 10.0, turn_deg)
        top = top_face(stage, die)
        picture = render([die], style, stage)
        assert named(picture, top.x_px, top.y_px, top.side_px)[0] == face


@pytest.mark.parametrize("face", range(1, FACES + 1))
@pytest.mark.parametrize(
    ("body", "pip"),
    [((240, 240, 240), (20, 20, 20)), ((40, 40, 40), (230, 230, 230)), ((60, 130, 60), (60, 60, 150))],
    ids=["dark", "light", "as bright as the die"],
)
def test_pips_of_any_colour_are_seen(face: int, body: tuple[int, int, int], pip: tuple[int, int, int]) -> None:
    assert named(drawn(face, body, pip))[0] == face


@pytest.mark.parametrize("face", range(1, FACES + 1))
def test_pips_that_are_only_bluer_are_seen_through_grain(face: int) -> None:
    for seed in range(3):
        grain = np.random.default_rng((face, seed)).normal(0, 60, (200, 200))
        coarse = 3 * cv2.GaussianBlur(grain, (0, 0), 1.5)[..., None]
        picture = np.asarray(np.clip(drawn(face, (80, 150, 170), (160, 150, 170)) + coarse, 0, 255), np.uint8)
        assert named(picture)[0] == face


@pytest.mark.parametrize("radius", [0.16, 0.2, 0.24])
@pytest.mark.parametrize("pip", [(30, 30, 30), (60, 60, 220)], ids=["dark", "red"])
def test_a_large_single_pip_is_seen_where_it_is_looked_for(radius: float, pip: tuple[int, int, int]) -> None:
    levels = pyramid(drawn(1, (230, 235, 240), pip, radius=radius))
    at = np.array([[100.0, 100.0, 60.0]])
    usual, large = (compare(levels, at, large=wanted)[0].likeness for wanted in (False, True))
    assert large[0] > 0.8
    assert large[0] > large[1:].max() + 0.15
    assert usual[0] < large[0]


@pytest.mark.parametrize(("x", "y", "side"), [(92, 100, 60), (105, 106, 60), (100, 100, 52), (100, 100, 69)])
def test_a_place_that_is_somewhat_off_does_no_harm(x: float, y: float, side: float) -> None:
    for face in range(1, FACES + 1):
        assert named(drawn(face, (230, 235, 240), (30, 30, 30)), x, y, side)[0] == face


def test_a_face_without_pips_is_like_none() -> None:
    bare = drawn(1, (230, 235, 240), (230, 235, 240))
    assert named(bare)[1] < 0.5
    assert named(np.full((90, 90, 3), 77, np.uint8), 45, 45)[1] < 0.1


def test_the_pip_that_makes_a_two_with_the_one_in_the_middle_is_found() -> None:
    white, black = (235, 235, 235), (20, 20, 20)
    c, s = math.cos(math.radians(20)), math.sin(math.radians(20))
    across, down = 0.25 * (c - s), 0.25 * (s + c)  # from the middle to a pip, in sides
    (half,) = compare(pyramid(drawn(2, white, black)), np.array([[100 + 60 * across, 100 + 60 * down, 60.0]]))
    assert half.partner() == pytest.approx((-2 * across, -2 * down), abs=0.06)
    (whole,) = compare(pyramid(drawn(1, white, black)), np.array([[100.0, 100.0, 60.0]]))
    assert whole.partner() is None


def test_the_pip_of_a_one_stands_out_from_its_face_and_the_disc_of_a_sun_does_not() -> None:
    white, black = (235, 235, 235), (20, 20, 20)
    place = np.array([[100.0, 100.0, 60.0]])
    clean, sun = drawn(1, white, black), drawn(1, white, black)
    for turn in np.arange(8) * np.pi / 4:
        ends = [np.rint(100 + far * np.array([np.cos(turn), np.sin(turn)])).astype(int).tolist() for far in (11, 21)]
        cv2.line(sun, ends[0], ends[1], black, 4, cv2.LINE_AA)
    (radius, stands_out), (_, hardly) = (compare(pyramid(face), place)[0].lone_pip() for face in (clean, sun))
    assert 0.05 < radius < 0.15
    assert hardly < 4 < 10 < stands_out
    (five,) = compare(pyramid(drawn(5, white, black)), place)
    assert five.lone_pip()[1] < 4


def test_a_six_through_which_a_one_is_seen_has_a_pip_too_many() -> None:
    """Whether it is in its middle, or beside that since the camera looks aslant, but not beside the face."""
    body, below, top = (200, 205, 210), (120, 120, 120), (20, 20, 20)
    place = np.array([[100.0, 100.0, 60.0]])
    for pip, (across, down), least, most in (
        (below, (0, 0), 1.0, 5.0),
        (below, (7, 0), 1.0, 5.0),
        (below, (22, 0), 0.0, 0.6),
        (top, (0, 0), 0.0, 1.0),
        (top, (200, 0), 0.0, 0.5),
    ):
        six = drawn(6, body, pip)
        over = 20 if pip == below else 150
        cv2.circle(six, (100 + across, 100 + down), 6, (over, over, over), -1, cv2.LINE_AA)
        (fit,) = compare(pyramid(six), place)
        assert least <= fit.pip_too_many(6) < most, (pip, across)


@pytest.mark.parametrize(("spot", "least", "most"), [(170, 0.0, 0.5), (20, 0.8, 1.01)])
def test_a_spot_of_marble_in_the_middle_of_a_two_is_a_faint_pip(spot: int, least: float, most: float) -> None:
    two = drawn(2, (200, 205, 210), (20, 20, 20))
    cv2.circle(two, (100, 100), 6, (spot, spot, spot), -1, cv2.LINE_AA)
    (fit,) = compare(pyramid(two), np.array([[100.0, 100.0, 60.0]]))
    assert least < fit.faintest_pip(3) < most


def test_an_emblem_is_less_like_a_pattern_than_pips_are() -> None:
    face = drawn(1, (230, 235, 240), (230, 235, 240))
    cv2.putText(face, "W", (76, 122), cv2.FONT_HERSHEY_DUPLEX, 1.8, (30, 30, 30), 4, cv2.LINE_AA)
    assert named(face)[1] < 0.7 < named(drawn(5, (230, 235, 240), (30, 30, 30)))[1]


@pytest.mark.parametrize("count", [0, 1, 16, 17, 40])
def test_any_number_of_faces_is_compared_each_for_itself(count: int) -> None:
    levels = pyramid(drawn(5, (230, 235, 240), (30, 30, 30)))
    places = np.array([[100.0, 100.0, 60.0], [60.0, 60.0, 40.0], [199.0, 0.0, 90.0]])
    chosen = places[np.arange(count) % 3]
    alone = [compare(levels, place[None])[0].likeness for place in places]
    together = compare(levels, chosen)
    assert len(together) == count
    for number, fit in enumerate(together):
        np.testing.assert_allclose(fit.likeness, alone[number % 3], atol=1e-5)


@pytest.mark.parametrize("face", range(1, FACES + 1))
def test_the_pips_of_the_best_fit_are_where_something_stands_out(face: int) -> None:
    (fit,) = compare(pyramid(drawn(face, (230, 235, 240), (30, 30, 30))), np.array([[103.0, 97.0, 60.0]]))
    ideal, standing = fit.best(face)
    assert standing.shape == (STANDING_PX, STANDING_PX)
    assert len(ideal.pips) == face
    for across, down in ideal.pips:
        x, y = (round(value / PX_SIDES + (STANDING_PX - 1) / 2) for value in (across, down))
        assert standing[y, x] > 0.6 * standing.max()


@pytest.mark.parametrize(("off_x", "off_y"), [(0.0, 0.0), (0.1, 0.0), (-0.07, 0.13)])
@pytest.mark.parametrize("face", range(1, FACES + 1))
def test_the_middle_of_its_pips_is_found_though_it_was_looked_for_beside_it(
    face: int, off_x: float, off_y: float
) -> None:
    place = np.array([[100.0 + 60 * off_x, 100.0 + 60 * off_y, 60.0]])
    (fit,) = compare(pyramid(drawn(face, (60, 60, 200), (240, 240, 240))), place)
    assert fit.middle(face) == pytest.approx((-off_x, -off_y), abs=0.045)


@pytest.mark.parametrize(
    ("sites", "face", "least", "most"),
    [
        *((SITES[face], face, 0.0, 0.3) for face in range(1, FACES + 1)),
        ("2468", 3, 0.9, 1.1),  # a 5 that lost a corner,
        ("026", 2, 0.9, 1.1),  # a 4,
        ("01268", 4, 0.7, 0.85),  # and a 6 that lost a pip of a side
        ("0124678", 6, 0.9, 1.1),  # seven pips
    ],
)
def test_a_pip_where_another_number_has_one_is_seen(sites: str, face: int, least: float, most: float) -> None:
    (fit,) = compare(pyramid(drawn(sites, (200, 205, 210), (20, 20, 20))), np.array([[100.0, 100.0, 60.0]]))
    assert least <= fit.odd_pip(face) < most


@pytest.mark.parametrize(("sites", "face"), [("2468", 5), ("01268", 6), ("048", 5), ("0", 2)])
def test_a_pip_that_is_not_there_is_missed(sites: str, face: int) -> None:
    place = np.array([[100.0, 100.0, 60.0]])
    (fit,), (whole,) = (compare(pyramid(drawn(each, (200, 205, 210), (20, 20, 20))), place) for each in (sites, face))
    assert fit.faintest_pip(face) < 0.15
    assert whole.faintest_pip(face) > 0.8
