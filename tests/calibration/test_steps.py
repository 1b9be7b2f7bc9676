"""Every step against the simulator: what is right is calibrated, and what is wrong is found by its own step."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import cv2
import numpy as np
import pytest

from calibration.floor import NoFloor
from calibration.light import BadLight
from calibration.steps import REFUSALS, STEPS, Asked, Done
from firmware.dimensions import size
from firmware.simulated import SimulatedTower
from vision.die_shape import styles_named
from vision.picture import Image, decode, encode_jpeg
from vision.reading import Die, Reading, Verdict
from vision.rendered import LyingDie, Stage
from vision.rig import Rig
from vision.tray import Lens, Made, Tray

MADE = Made("2026-01-31T20:15:00+00:00", "0.1.0", ("ab" * 32,))
CAMERA_MM = size("camera_mm")
ASKED = Asked(Rig.of(size), 5, "fives")
STYLES = ("white", "red", "blue", "green", "wood")
FOCAL_PX = Rig.of(size).focal_px(1088)


@pytest.fixture(scope="module")
def stage() -> Stage:
    return Stage(np.random.default_rng(11), Rig.of(size))


@pytest.fixture(scope="module")
def empty(stage: Stage) -> list[Image]:
    return [decode(encode_jpeg(stage.expose(stage.draw((), styles_named("ivory"))))) for _ in range(3)]


@pytest.fixture(scope="module")
def throws(stage: Stage) -> list[Image]:
    """Five dice: in the first picture in a row from left to right, then thrown."""
    row = [LyingDie(x_mm, 0.0, 8.0, ((1, 0, 0), (0, 1, 0), (0, 0, 1))) for x_mm in (-60.0, -30.0, 0.0, 30.0, 60.0)]
    scenes = [row]
    for seed in ("a", "b"):
        tower = SimulatedTower(seed, 5)
        tower.tumble()
        scenes.append([LyingDie(die.x_mm, die.y_mm, die.z_mm, die.rotation) for die in tower.lying])
    return [decode(encode_jpeg(stage.expose(stage.draw(scene, styles_named(STYLES))))) for scene in scenes]


def carry_out(name: str, pictures: Sequence[Image], tray: Tray | None = None, asked: Asked = ASKED) -> Done:
    step, _ = STEPS[name]
    return step(pictures, tray or Tray(), asked, MADE)


@pytest.fixture(scope="module")
def floor(empty: list[Image]) -> Tray:
    return carry_out("floor", empty).tray


def test_the_floor_is_found(floor: Tray, stage: Stage) -> None:
    assert floor.floor is not None
    truth = stage.pixels(np.array([[50.0, -30.0, 0.0]]))
    assert floor.on_floor(truth) == pytest.approx(np.array([[50.0, -30.0]]), abs=0.6)
    assert floor.floor.made == MADE


@pytest.mark.parametrize(("style", "x_mm"), [*zip(STYLES, (0.0, 60.0, 98.0, 0.0, 98.0), strict=True)])
def test_a_floor_with_a_die_that_stands_on_its_edge_is_not_bare(stage: Stage, style: str, x_mm: float) -> None:
    half = 0.5**0.5
    die = LyingDie(x_mm, 0.0, 16 * half, ((half, 0, half), (0, 1, 0), (-half, 0, half)))
    picture = decode(encode_jpeg(stage.expose(stage.draw([die], styles_named(style)))))
    with pytest.raises(NoFloor, match=r"lies or shines|Dice are seen"):
        carry_out("floor", [picture])


def test_with_the_floor_the_light_is_judged_anew_by_all_of_it(empty: list[Image]) -> None:
    tray = carry_out("light", empty).tray
    assert carry_out("floor", empty, tray).tray.light != tray.light
    height, width = empty[0].shape[:2]
    y, x = np.mgrid[:height, :width]
    off_px = np.hypot(x - (width - 1) / 2, y - (height - 1) / 2)
    # Half of the ring is weak, which no thing looks like.
    shade = 1 - 0.6 * np.clip(off_px / 470, 0, 1) ** 2 * (0.5 + 0.5 * np.cos(np.arctan2(y - height / 2, x - width / 2)))
    shaded = [np.asarray(image * shade[..., None], np.uint8) for image in empty]
    assert carry_out("floor", shaded).tray.floor is not None
    with pytest.raises(BadLight, match="uneven"):
        carry_out("floor", shaded, tray)


@pytest.mark.parametrize(("radius_px", "level"), [(110, 200), (230, 15), (340, 200)])
def test_a_mat_in_the_very_middle_is_seen_by_its_edge(empty: list[Image], level: int, radius_px: int) -> None:
    height, width = empty[0].shape[:2]
    covered_ones = [
        np.asarray(cv2.circle(image.copy(), (width // 2, height // 2), radius_px, (level,) * 3, -1), np.uint8)
        for image in empty[:1]
    ]
    with pytest.raises(NoFloor, match=r"lies or shines|Dice are seen"):
        carry_out("floor", covered_ones)


def tilted(image: Image, tilt_deg: float) -> Image:
    """The floor as a camera sees it that has been turned about the floor's middle line."""
    height, width = image.shape[:2]
    camera = np.array([[FOCAL_PX, 0, (width - 1) / 2], [0, FOCAL_PX, (height - 1) / 2], [0, 0, 1]])
    turn, _ = cv2.Rodrigues(np.array([np.radians(tilt_deg), 0, 0]))
    plane = np.column_stack([turn[:, 0], turn[:, 1], [0, 0, CAMERA_MM]])
    flat = np.column_stack([[1, 0, 0], [0, 1, 0], [0, 0, CAMERA_MM]])
    way = camera @ plane @ np.linalg.inv(camera @ flat)
    return np.asarray(cv2.warpPerspective(image, way, (width, height), borderMode=cv2.BORDER_REPLICATE), np.uint8)


def turned(image: Image, turn_deg: float) -> Image:
    """The floor as a camera sees it that has been turned about the line of sight."""
    height, width = image.shape[:2]
    way = cv2.getRotationMatrix2D(((width - 1) / 2, (height - 1) / 2), turn_deg, 1.0)
    return np.asarray(cv2.warpAffine(image, way, (width, height), borderMode=cv2.BORDER_REPLICATE), np.uint8)


def shifted(image: Image, px: int) -> Image:
    return np.asarray(cv2.copyMakeBorder(image, 0, 0, px, 0, cv2.BORDER_REPLICATE)[:, : image.shape[1]], np.uint8)


def dimmed(image: Image, share: float) -> Image:
    return np.asarray(image * share, np.uint8)


def hot(image: Image) -> Image:
    spotted = image.copy()
    cv2.circle(spotted, (800, 400), 60, (255, 255, 255), -1)
    return spotted


def one_side(image: Image) -> Image:
    return np.asarray(image * np.linspace(0.1, 1.5, image.shape[1])[None, :, None], np.uint8)


def wrong_lens(focal_px: float) -> Tray:
    return Tray(lens=Lens((1456, 1088), focal_px, (727.5, 543.5), (0.0,) * 5, 0.3, MADE))


def covered(image: Image, off_px: tuple[int, int], half_px: tuple[int, int]) -> Image:
    """Something round, as bright as skin or brass, so far to the right of the picture's middle and below it."""
    height, width = image.shape[:2]
    middle = width // 2 + off_px[0], height // 2 + off_px[1]
    return np.asarray(cv2.ellipse(image.copy(), (middle, half_px, 0.0), (90, 140, 190), -1), np.uint8)


@pytest.mark.parametrize(
    ("step", "change", "tray", "said"),
    [
        ("floor", lambda image: tilted(image, 6.0), None, "tilted by about"),
        ("floor", lambda image: turned(image, 90), None, "mark on the floor is 90 degrees from .* lower left"),
        ("floor", lambda image: turned(image, -30), None, "mark on the floor is 30 degrees"),
        ("floor", lambda image: shifted(image, 330), None, "cannot be seen"),
        ("floor", lambda image: covered(image, (-120, -60), (40, 40)), None, r"lies or shines .* -2\d mm .* \+1\d mm"),
        ("floor", lambda image: covered(image, (480, 60), (360, 90)), None, "Something lies or shines"),
        ("floor", lambda image: cv2.GaussianBlur(image, (0, 0), 8.0), None, "out of focus"),
        ("floor", lambda image: dimmed(image, 0.3), None, "too darkly"),
        ("floor", lambda image: image, wrong_lens(FOCAL_PX * 1.25), "39. mm above the floor"),
        ("floor", lambda image: image[::2, ::2], wrong_lens(FOCAL_PX), "another size"),
        ("light", lambda image: dimmed(image, 0.4), None, "the ring is dim"),
        ("light", lambda image: np.maximum(image, 195), None, "shorten the exposure"),
        ("light", hot, None, "blinds the camera"),
        ("light", one_side, None, "uneven"),
        ("focus", lambda image: cv2.GaussianBlur(image, (0, 0), 5.0), None, "put dice on the floor"),
    ],
)
def test_what_is_wrong_is_found(
    empty: list[Image], step: str, change: Callable[[Image], Image], tray: Tray | None, said: str
) -> None:
    with pytest.raises(REFUSALS, match=said):
        carry_out(step, [change(image) for image in empty], tray)


@pytest.mark.parametrize("step", ["light", "floor", "focus"])
@pytest.mark.parametrize(("width", "height"), [(1, 1), (3, 3), (5000, 1), (1, 5000), (40, 13), (239, 1000)])
def test_pictures_that_are_too_small_are_refused(step: str, width: int, height: int) -> None:
    picture = np.random.default_rng(1).integers(60, 120, (height, width, 3)).astype(np.uint8)
    with pytest.raises(REFUSALS, match=f"{width} x {height} pixels"):
        carry_out(step, [picture] * 2)


@pytest.mark.parametrize("step", ["light", "floor"])
def test_pictures_of_different_sizes_are_refused(step: str) -> None:
    with pytest.raises(REFUSALS, match="differ in size"):
        carry_out(step, [np.full((side, 480, 3), 90, np.uint8) for side in (480, 640)])


def test_a_floor_a_little_askew_or_without_a_mark_is_calibrated(empty: list[Image]) -> None:
    assert carry_out("floor", [turned(image, 3.0) for image in empty]).tray.floor is not None
    bare = Stage(np.random.default_rng(2), replace(Rig.of(size), marker_long_mm=0.0, mark_mm=0.0))
    shown = decode(encode_jpeg(bare.expose(bare.draw((), styles_named("ivory")))))
    for turn_deg in (0.0, 90.0):
        assert carry_out("floor", [turned(shown, turn_deg)]).tray.floor is not None


def test_a_floor_with_dice_on_it_is_not_calibrated(empty: list[Image], throws: list[Image]) -> None:
    for pictures in (throws, [*empty, throws[1]]):
        with pytest.raises(REFUSALS, match="Dice are seen on the floor: empty the floor"):
            carry_out("floor", pictures)


def test_what_hardly_looks_like_a_die_keeps_no_floor_from_being_calibrated(
    empty: list[Image], monkeypatch: pytest.MonkeyPatch
) -> None:
    print_of_the_floor = Die(5, 300.0, 300.0, (280, 280, 40, 40), 0.6)
    seen = Reading(Verdict.UNSURE, "A face may show no number.", None, (print_of_the_floor,))
    monkeypatch.setattr("calibration.steps.read", lambda picture: seen)
    assert carry_out("floor", empty).tray.floor is not None


def test_flicker_is_found(empty: list[Image]) -> None:
    with pytest.raises(REFUSALS, match="flickers"):
        carry_out("light", [empty[0], dimmed(empty[1], 0.93), empty[2]])
    with pytest.raises(REFUSALS, match="two pictures"):
        carry_out("light", empty[:1])


def test_a_shifted_floor_is_found_where_it_is(empty: list[Image], floor: Tray) -> None:
    moved = carry_out("floor", [shifted(image, 23) for image in empty]).tray
    middle = np.zeros((1, 2))
    assert moved.in_picture(middle) - floor.in_picture(middle) == pytest.approx(np.array([[23.0, 0.0]]), abs=1)


def test_a_right_lens_gives_the_height(empty: list[Image]) -> None:
    done = carry_out("floor", empty, wrong_lens(FOCAL_PX))
    assert done.figures["above_mm"] == pytest.approx(CAMERA_MM, rel=0.01)


def test_a_soft_picture_of_dice_is_found(throws: list[Image]) -> None:
    with pytest.raises(REFUSALS, match="px wide"):
        carry_out("focus", [np.asarray(cv2.GaussianBlur(throws[0], (0, 0), 6.0), np.uint8)])


def test_light_and_focus_are_good_as_they_are(empty: list[Image], throws: list[Image], floor: Tray) -> None:
    done = carry_out("light", empty, floor)
    assert done.tray.light is not None
    assert done.tray.floor == floor.floor
    assert carry_out("focus", throws, floor).tray == floor


def test_a_set_is_enrolled_and_then_read_by_its_names(throws: list[Image], floor: Tray) -> None:
    done = carry_out("dice", throws, floor, replace(ASKED, names=STYLES))
    assert done.tray.dice is not None
    assert [die.name for die in done.tray.dice.dice] == list(STYLES)
    assert done.tray.dice.side_mm == pytest.approx(16, abs=1.5)
    assert done.tray.dice.by_colour
    plain = carry_out("dice", throws, floor, replace(ASKED, axes_mm=(16.0, 16.03, 16.05) * 5)).tray.dice
    assert plain is not None
    assert (plain.side_mm, plain.by_colour) == (16.03, False)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (replace(ASKED, names=("a", "b")), "5 dice and 2 different names"),
        (replace(ASKED, names=("a", "b", "c", "d", "d")), "5 dice and 4 different names"),
        (replace(ASKED, axes_mm=(16.0,) * 6), "have 15 axes"),
        (replace(ASKED, axes_mm=(16.0,) * 14 + (17.0,)), "Die 5 is 1.00 mm out of true"),
        (replace(ASKED, dice=6), "cannot be read"),
    ],
)
def test_dice_that_cannot_be_enrolled_are_refused(throws: list[Image], floor: Tray, asked: Asked, said: str) -> None:
    with pytest.raises(REFUSALS, match=said):
        carry_out("dice", throws, floor, asked)


def test_the_floor_comes_before_the_dice(throws: list[Image]) -> None:
    with pytest.raises(REFUSALS, match="before the dice"):
        carry_out("dice", throws)


def test_dice_of_one_colour_have_no_names(stage: Stage, floor: Tray, throws: list[Image]) -> None:
    tower = SimulatedTower("all alike", 5)
    pictures = []
    for _ in range(3):
        tower.tumble()
        scene = [LyingDie(die.x_mm, die.y_mm, die.z_mm, die.rotation) for die in tower.lying]
        pictures.append(stage.expose(stage.draw(scene, styles_named("ivory"))))
    with pytest.raises(REFUSALS, match="do not tell them apart"):
        carry_out("dice", pictures, floor, replace(ASKED, names=STYLES))


def test_where_there_is_no_floor_none_is_found() -> None:
    noise = np.random.default_rng(3).normal(90, 4, (1088, 1456, 3))
    for picture in (
        np.full((1088, 1456, 3), 90),
        noise,
        np.indices((1088, 1456)).sum(axis=0)[..., None] % 200 * [1, 1, 1],
    ):
        with pytest.raises(REFUSALS, match="cannot be seen"):
            carry_out("floor", [np.asarray(picture, np.uint8)])
