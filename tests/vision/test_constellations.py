import json
import math
from collections.abc import Sequence
from itertools import product
from pathlib import Path

import cv2
import numpy as np
import pytest

from vision.annotate import annotate
from vision.constellations import read_pips as read
from vision.evaluate import Score, load_labels, score
from vision.picture import Image, decode, encode_jpeg, load
from vision.reading import Reading, Verdict, as_json
from vision.rendered import LyingDie, Rotation, Stage, TopFace

UP: dict[int, Rotation] = {
    1: ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    2: ((1, 0, 0), (0, 0, -1), (0, 1, 0)),
    4: ((0, 0, -1), (0, 1, 0), (1, 0, 0)),
    3: ((0, 0, 1), (0, 1, 0), (-1, 0, 0)),
    5: ((1, 0, 0), (0, 0, 1), (0, -1, 0)),
    6: ((1, 0, 0), (0, -1, 0), (0, 0, -1)),
}
FLOOR = Stage(np.random.default_rng(3))
FACES = (1, 2, 3, 4, 5, 6, 6, 1, 3, 2)


def die(
    face: int, x_mm: float, y_mm: float, turn_deg: float = 0.0, z_mm: float = 8.0, lean_deg: float = 0.0
) -> LyingDie:
    turn, lean = math.radians(turn_deg), math.radians(lean_deg)
    about_z = np.array([[math.cos(turn), -math.sin(turn), 0], [math.sin(turn), math.cos(turn), 0], [0, 0, 1]])
    about_x = np.array([[1, 0, 0], [0, math.cos(lean), -math.sin(lean)], [0, math.sin(lean), math.cos(lean)]])
    first, second, third = (about_z @ about_x @ np.array(UP[face])).tolist()
    return LyingDie(x_mm, y_mm, z_mm, (tuple(first), tuple(second), tuple(third)))


def ten(faces: Sequence[int] = FACES, turn_deg: float = 17.0) -> list[LyingDie]:
    """Dice in three rows, each turned a little more than the one before."""
    places = [(x, y) for y, x in product((-45.0, 0.0, 45.0), (-60.0, -20.0, 20.0, 60.0))]
    return [die(face, *at, turn_deg * i) for i, (face, at) in enumerate(zip(faces, places, strict=False))]


def picture(dice: Sequence[LyingDie], *styles: str) -> Image:
    from vision.die_shape import STYLES

    drawn = FLOOR.draw(dice, [STYLES[name] for name in styles or ("ivory",)])
    return decode(encode_jpeg(FLOOR.expose(drawn)))


def faces_at(reading: Reading, tops: Sequence[TopFace]) -> list[int | None]:
    """The face read nearest to each top face; a die must be found within a quarter of its side."""
    found = []
    for top in tops:
        near = min(reading.dice, key=lambda die: math.hypot(die.x_px - top.x_px, die.y_px - top.y_px))
        assert math.hypot(near.x_px - top.x_px, near.y_px - top.y_px) < top.side_px / 4
        found.append(near.face)
    return found


@pytest.mark.parametrize("style", ["ivory", "white", "wood", "asian", "green"])
def test_ten_dice_are_read(style: str) -> None:
    dice = ten()
    reading = read(picture(dice, style), 10)
    assert reading.verdict is Verdict.OK, reading.message
    assert faces_at(reading, [FLOOR.top_face(one) for one in dice]) == list(FACES)


@pytest.mark.parametrize("face", range(1, 7))
@pytest.mark.parametrize("turn_deg", [0.0, 31.0])
def test_every_face_is_read_alone(face: int, turn_deg: float) -> None:
    reading = read(picture([die(face, 12.0, -20.0, turn_deg)]), None)
    assert reading.verdict is Verdict.OK, reading.message
    assert [one.face for one in reading.dice] == [face]
    assert 0.0 <= reading.dice[0].margin <= 1.0


def test_touching_dice_are_told_apart() -> None:
    dice = [die(5, 0.0, 0.0), die(6, 16.1, 3.0), die(1, -3.0, 16.1)]
    reading = read(picture(dice), 3)
    assert reading.verdict is Verdict.OK, reading.message
    assert faces_at(reading, [FLOOR.top_face(one) for one in dice]) == [5, 6, 1]


def test_an_empty_floor_has_no_dice() -> None:
    image = picture([])
    assert read(image) == Reading(Verdict.OK, "There are no dice.", None, ())
    assert read(image, 0).ok
    assert read(image, 3).verdict is Verdict.WRONG_COUNT


@pytest.mark.parametrize("expected", [9, 11])
def test_the_count_must_be_right(expected: int) -> None:
    reading = read(picture(ten()), expected)
    assert reading.verdict is Verdict.WRONG_COUNT
    assert len(reading.dice) == 10
    assert str(expected) in reading.message


@pytest.mark.parametrize("row", [0, 6])
def test_a_leaning_die_is_never_read(row: int) -> None:
    dice = ten()
    at = dice[row]
    dice[row] = die(FACES[row], at.x_mm, at.y_mm, 40.0, 10.5, lean_deg=28.0)
    assert not read(picture(dice), 10).ok


def test_a_die_on_another_is_never_read() -> None:
    dice = ten()
    dice[3] = die(4, dice[6].x_mm + 2, dice[6].y_mm, 20.0, z_mm=24.0)
    reading = read(picture(dice), 9)
    assert reading.verdict is Verdict.STACKED


@pytest.mark.parametrize("blur_px", [5, 15, 45])
def test_a_picture_that_gets_worse_is_refused_but_never_misread(blur_px: int) -> None:
    image = cv2.blur(picture(ten()), (blur_px, blur_px))
    reading = read(np.asarray(image, np.uint8), 10)
    if reading.ok:
        assert sorted(one.face or 0 for one in reading.dice) == sorted(FACES)


@pytest.mark.parametrize("share", [0.3, 0.05])
def test_a_picture_that_gets_darker_is_refused_but_never_misread(share: float) -> None:
    reading = read(np.asarray(picture(ten()) * share, np.uint8), 10)
    if reading.ok:
        assert sorted(one.face or 0 for one in reading.dice) == sorted(FACES)


@pytest.mark.parametrize("hidden", [(0, 0), (1, 1)])
def test_a_pip_under_a_gleam_is_no_smaller_face(hidden: tuple[int, int]) -> None:
    dice = [die(5, 0.0, 0.0)]
    image = picture(dice)
    top = FLOOR.top_face(dice[0])
    pitch_px = 0.255 * top.side_px
    at = round(top.x_px + hidden[0] * pitch_px), round(top.y_px + hidden[1] * pitch_px)
    cv2.circle(image, at, round(0.13 * top.side_px), (255, 255, 255), -1)
    reading = read(image, 1)
    assert not reading.ok or reading.dice[0].face == 5


@pytest.mark.parametrize("shape", [(1, 1), (1, 400), (3, 3), (13, 13), (60, 60)])
def test_the_smallest_pictures_are_read(shape: tuple[int, int]) -> None:
    assert read(np.zeros((*shape, 3), np.uint8)).dice == ()


def test_noise_holds_no_dice() -> None:
    noise = np.random.default_rng(1).integers(0, 256, (480, 640, 3), np.uint8)
    assert read(noise).dice == ()


def test_the_same_picture_gives_the_same_reading() -> None:
    image = picture(ten())
    before = image.copy()
    assert read(image, 10) == read(image, 10)
    assert np.array_equal(image, before)


def test_a_reading_as_json() -> None:
    text = as_json(read(picture(ten()), 10))
    assert list(text) == ["verdict", "message", "expected", "dice"]
    assert (text["verdict"], text["expected"], len(text["dice"])) == ("ok", 10, 10)
    assert list(text["dice"][0]) == ["face", "center", "box", "margin"]
    assert json.loads(json.dumps(text)) == text


def test_the_annotated_picture_is_another_one() -> None:
    image = picture(ten())
    before = image.copy()
    drawn = annotate(image, read(image, 10))
    assert drawn.shape == image.shape
    assert np.array_equal(image, before)
    assert not np.array_equal(drawn, image)


PHOTOGRAPHS = [
    *("amber_36", "bluetray_IMG_4545_0", "dicecam_20191208_111702", "homecarpet_dice58"),
    *("inverse_53", "phone_easy7", "rollfelt_3_rest", "webcam_dice_46"),
]
"""One of each kind, hard ones too."""


@pytest.mark.parametrize("name", PHOTOGRAPHS)
def test_photographs_are_not_misread(recordings: Path, name: str) -> None:
    labels = {label.path.stem: label for label in load_labels(recordings / "real" / "labels.json")}
    if name not in labels:
        pytest.skip(f"{name} is not among the labelled photographs")
    label = labels[name]
    image = load(label.path)
    assert score(read(image, len(label.dice)), label.dice) is not Score.SILENT
    assert score(read(image), label.dice) is not Score.SILENT
