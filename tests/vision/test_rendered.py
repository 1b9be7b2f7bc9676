import math
from collections.abc import Callable, Sequence

import cv2
import numpy as np
import pytest

from firmware.dimensions import size
from tests.vision.conftest import top_face
from vision.die_shape import STYLES
from vision.picture import Image
from vision.rendered import LyingDie, RenderedCamera, Rotation, Stage, render
from vision.rig import Rig

SIZE = (728, 544)
Lay = Callable[..., LyingDie]
CORNERS = {(-1, -1), (-1, 1), (1, -1), (1, 1)}
PIPS = {
    1: [{(0, 0)}],
    2: [{(-1, -1), (1, 1)}, {(-1, 1), (1, -1)}],
    3: [{(-1, -1), (0, 0), (1, 1)}, {(-1, 1), (0, 0), (1, -1)}],
    4: [CORNERS],
    5: [CORNERS | {(0, 0)}],
    6: [CORNERS | {(0, -1), (0, 1)}, CORNERS | {(-1, 0), (1, 0)}],
}
"""Row and column of each face's pips, in the ways it may be turned."""


def stage(seed: int = 3, size_px: tuple[int, int] = SIZE) -> Stage:
    return Stage(np.random.default_rng(seed), Rig.of(size), size_px=size_px)


def top(stage: Stage, picture: Image, die: LyingDie, turn_deg: float) -> Image:
    """The die's top face, turned upright, 80 x 80."""
    seen = top_face(stage, die)
    scale = 80 / seen.side_px
    matrix = cv2.getRotationMatrix2D((seen.x_px, seen.y_px), -turn_deg, scale)
    matrix = matrix + np.array([[0, 0, 39.5 - seen.x_px], [0, 0, 39.5 - seen.y_px]])
    return np.asarray(cv2.warpAffine(picture, matrix, (80, 80)), np.uint8)


def pips(face: Image, number: int, style: str = "white") -> set[tuple[int, int]]:
    """Row and column, -1 to 1, of each blob in an upright face that is nearer to the pips' colour than the body's."""
    make = STYLES[style]
    body = np.median(face[16:64, 16:64].reshape(-1, 3), axis=0)
    towards = np.array(make.odd_pips.get(number, make.pip)[::-1], float) - body
    share = (face.astype(float) - body) @ towards / (towards @ towards)
    count, _, stats, centres = cv2.connectedComponentsWithStats((share[8:72, 8:72] > 0.55).astype(np.uint8))
    blobs = [centres[blob] for blob in range(1, count) if stats[blob][4] > 30]
    return {(round(float(y - 31.5) / 20), round(float(x - 31.5) / 20)) for x, y in blobs}


@pytest.fixture(scope="module")
def floor() -> Stage:
    return stage()


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("face", range(1, 7))
def test_each_face_has_its_pips(lay: Lay, floor: Stage, face: int, style: str) -> None:
    for x_mm, y_mm, turn_deg in ((0.0, 0.0, 0.0), (-20.0, 30.0, 33.0), (60.0, -50.0, 200.0)):
        die = lay(face, x_mm, y_mm, turn_deg)
        picture = render([die], style, floor)
        assert pips(top(floor, picture, die, turn_deg), face, style) in PIPS[face]
        assert top_face(floor, die).face == face


def test_opposite_faces_make_seven_and_sides_show_theirs(floor: Stage) -> None:
    # With 1 up, 2 looks up the picture and 4 to the right; tipped towards the camera they must be there.
    lean = math.radians(40)
    cos, sin = math.cos(lean), math.sin(lean)
    away_side_up: Rotation = ((1, 0, 0), (0, cos, -sin), (0, sin, cos))
    right_side_up: Rotation = ((cos, 0, -sin), (0, 1, 0), (sin, 0, cos))
    for rotation, marks in ((away_side_up, 1 + 2), (right_side_up, 1 + 4)):
        die = LyingDie(0, 0, 12, rotation)
        picture = render([die], "white", floor)
        assert dark_blobs(picture, floor, die) == marks


def test_an_asian_one_is_large_round_and_red(lay: Lay, floor: Stage) -> None:
    die = lay(1)
    upright = top(floor, render([die], "asian", floor), die, 0).astype(int)
    red = (upright[..., 2] - upright[..., 1]) > 60
    assert red.sum() == pytest.approx(math.pi * (STYLES["asian"].one_radius * 80) ** 2, rel=0.15)
    assert red[:, 39].sum() == pytest.approx(red[39].sum(), abs=3)


def dark_blobs(picture: Image, stage: Stage, die: LyingDie) -> int:
    """Pips of a white die, on all of its faces that are seen."""
    x_px, y_px = stage.pixels(np.array([die.x_mm, die.y_mm, die.z_mm]))
    half = round(top_face(stage, die).side_px)
    x, y = round(float(x_px)), round(float(y_px))
    grey = cv2.cvtColor(picture[y - half : y + half, x - half : x + half], cv2.COLOR_BGR2GRAY)
    grey = cv2.resize(grey, None, fx=3, fy=3, interpolation=cv2.INTER_CUBIC)
    body = cv2.morphologyEx((grey > 120).astype(np.uint8), cv2.MORPH_CLOSE, np.ones((25, 25), np.uint8))
    body = cv2.erode(body, np.ones((9, 9), np.uint8))
    return cv2.connectedComponents(((grey < 95) & (body > 0)).astype(np.uint8))[0] - 1


@pytest.mark.parametrize(("x_mm", "y_mm"), [(0.0, 0.0), (70.0, 0.0), (0.0, 70.0), (-60.0, -45.0)])
def test_a_die_appears_where_it_lies(lay: Lay, floor: Stage, x_mm: float, y_mm: float) -> None:
    die = lay(1, x_mm, y_mm)
    bare = floor.draw((), ())
    changed = cv2.absdiff(render([die], "white", floor), bare).max(axis=2) > 90
    rows, columns = np.nonzero(changed)
    seen = top_face(floor, die)
    # The top face is a die's height nearer than the floor.
    scale = Rig.of(size).focal_px(544) / (size("camera_mm") - 16)
    assert (seen.x_px, seen.y_px) == pytest.approx((363.5 + x_mm * scale, 271.5 - y_mm * scale))
    assert seen.side_px == pytest.approx(16 * scale)
    assert abs(float(np.median(columns)) - seen.x_px) < 0.15 * seen.side_px
    assert abs(float(np.median(rows)) - seen.y_px) < 0.15 * seen.side_px


def test_a_stacked_die_hides_the_one_below(lay: Lay, floor: Stage) -> None:
    below, above = lay(6, 10, 10), lay(1, 10, 10, z_mm=24)
    for dice in ([below, above], [above, below]):
        picture = render(dice, "white", floor)
        assert pips(top(floor, picture, above, 0), 1) == {(0, 0)}


def test_a_die_half_covered_shows_beside_the_one_above(lay: Lay, floor: Stage) -> None:
    below, above = lay(6), lay(1, 9, 0, z_mm=24)
    picture = render([below, above], ("white", "red"), floor)
    seen = top_face(floor, below)
    left = picture[round(seen.y_px), round(seen.x_px - 0.45 * seen.side_px)]
    right = picture[round(seen.y_px), round(seen.x_px + 0.45 * seen.side_px)]
    assert int(left.min()) > 150
    assert int(right[2]) > 2 * int(right[0])


def test_styles_go_round_the_dice(lay: Lay, floor: Stage) -> None:
    dice = [lay(2, -30), lay(2, 0), lay(2, 30)]
    picture = render(dice, ("white", "black"), floor)
    bright = []
    for die in dice:
        seen = top_face(floor, die)
        bright.append(int(picture[round(seen.y_px), round(seen.x_px)].mean()) > 150)
    assert bright == [True, False, True]


def test_equal_seeds_give_equal_first_frames_and_no_two_frames_are_equal(lay: Lay) -> None:
    dice = [lay(3, 20, -10, 15)]
    one, other, third = (RenderedCamera(lambda: dice, Rig.of(size), seed=seed, size_px=SIZE) for seed in (5, 5, 6))
    first = one.frame(1.0).image
    assert np.array_equal(first, other.frame(1.0).image)
    assert not np.array_equal(first, third.frame(1.0).image)
    before = first
    for _ in range(5):
        now = one.frame(1.0).image
        assert not np.array_equal(before, now)
        assert float(cv2.absdiff(cv2.blur(before, (9, 9)), cv2.blur(now, (9, 9))).max()) <= 8
        before = now


def test_a_frame_shows_what_the_scene_is_now(lay: Lay) -> None:
    dice: list[LyingDie] = []
    camera = RenderedCamera(lambda: dice, Rig.of(size), seed=5, style="white", size_px=SIZE)
    bare = camera.frame(1.0).image
    dice.append(lay(4))
    with_die = camera.frame(1.0).image
    dice.clear()
    assert int((cv2.absdiff(bare, with_die).max(axis=2) > 90).sum()) > 500
    assert int((cv2.absdiff(bare, camera.frame(1.0).image).max(axis=2) > 90).sum()) == 0
    assert camera.recorded == 0
    camera.close()
    camera.close()


@pytest.mark.parametrize("size_px", [(728, 544), (640, 480), (300, 400)])
def test_a_picture_has_the_size_asked_for(lay: Lay, size_px: tuple[int, int]) -> None:
    picture = render([lay(5)], "ivory", stage(size_px=size_px))
    assert picture.shape == (size_px[1], size_px[0], 3)
    assert picture.dtype == np.uint8


def test_a_die_partly_or_wholly_outside_the_picture_is_no_trouble(lay: Lay, floor: Stage) -> None:
    dice = [lay(5, 157, 0), lay(5, 400, 400), lay(5, 0, -116)]
    assert render(dice, "ivory", floor).shape == (544, 728, 3)


@pytest.mark.parametrize("style", ["glass", ("ivory", "glass"), ()])
def test_an_unknown_style_is_refused_with_those_there_are(style: str | Sequence[str]) -> None:
    with pytest.raises(ValueError, match=r"style.*ivory, white, black, red, blue, green, wood, casino, asian"):
        RenderedCamera(list, Rig.of(size), seed=1, style=style, size_px=SIZE)
