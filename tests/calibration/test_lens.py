"""The lens is found again from pictures of the board, and the printed board is the one that is looked for."""

import re

import cv2
import numpy as np
import pytest

from calibration.lens import (
    COLUMNS,
    ROWS,
    SQUARE_MM,
    NoLens,
    bend_px,
    board,
    board_svg,
    calibrate_lens,
    draw_board,
)
from calibration.pictures import BadPictures
from vision.picture import Image
from vision.tray import Made

SIZE = (1456, 1088)
FOCAL_PX = 1357.0
MATRIX = np.array([[FOCAL_PX, 0, 741.0], [0, FOCAL_PX, 531.0], [0, 0, 1]])
BENT = np.array([-0.12, 0.03, 0.0008, -0.0005, 0.0])
MADE = Made("", "", ())


def page() -> Image:
    """The printed page, 8 pixels a mm, drawn by the rectangles of the SVG."""
    image = np.full((210 * 8, 297 * 8), 255, np.uint8)
    for *place, fill in re.findall(
        r'<rect x="(.+?)" y="(.+?)" width="(.+?)" height="(.+?)" fill="(.+?)"/>', board_svg()
    ):
        x, y, width, height = (float(length) * 8 for length in place)
        level = {"#000": 0, "#fff": 255}[fill]
        image[round(y) : round(y + height), round(x) : round(x + width)] = level
    return np.asarray(cv2.cvtColor(image, cv2.COLOR_GRAY2BGR), np.uint8)


def photograph(
    sheet: Image, tilt: tuple[float, float], place_mm: tuple[float, float, float], bent: bool = True
) -> Image:
    """The sheet as a camera sees it whose lens bends straight lines."""
    turn, _ = cv2.Rodrigues(np.array([*tilt, 0.1]))
    to_mm = np.array([[1 / 8, 0, -297 / 2], [0, 1 / 8, -210 / 2], [0, 0, 1]])
    way = MATRIX @ np.column_stack([turn[:, 0], turn[:, 1], place_mm]) @ to_mm
    straight = cv2.warpPerspective(sheet, way, SIZE, flags=cv2.INTER_AREA, borderValue=(90, 90, 90))
    grid = np.stack(np.meshgrid(np.arange(SIZE[0]), np.arange(SIZE[1])), axis=-1).reshape(-1, 1, 2).astype(np.float64)
    seen_at = cv2.undistortPoints(grid, MATRIX, BENT, P=MATRIX).reshape(SIZE[1], SIZE[0], 2).astype(np.float32)
    return np.asarray(cv2.remap(straight, seen_at[..., 0], seen_at[..., 1], cv2.INTER_LINEAR), np.uint8)


POSES = [
    ((0.0, 0.0), (0.0, 0.0, 360.0)),
    ((0.4, 0.1), (-60.0, -40.0, 380.0)),
    ((-0.4, 0.2), (70.0, 50.0, 400.0)),
    ((0.1, 0.45), (-70.0, 50.0, 390.0)),
    ((0.2, -0.45), (60.0, -50.0, 380.0)),
    ((-0.3, -0.3), (0.0, 30.0, 330.0)),
    ((0.35, 0.35), (40.0, 0.0, 420.0)),
]


@pytest.fixture(scope="module")
def pictures() -> list[Image]:
    sheet = page()
    return [photograph(sheet, tilt, place) for tilt, place in POSES]


def test_the_lens_is_found_again(pictures: list[Image]) -> None:
    lens = calibrate_lens(pictures, MADE)
    assert lens.error_px < 0.4
    assert lens.focal_px == pytest.approx(FOCAL_PX, rel=0.005)
    assert lens.centre_px == pytest.approx((741, 531), abs=6)
    assert bend_px(lens) == pytest.approx(bend_px_of_truth(), rel=0.15)


def bend_px_of_truth() -> float:
    corners = np.array([[x, y] for x in (0.0, 1455.0) for y in (0.0, 1087.0)])
    straight = cv2.undistortPoints(corners[:, None], MATRIX, BENT, P=MATRIX).reshape(-1, 2)
    return float(np.linalg.norm(straight - corners, axis=1).max())


def test_too_few_pictures_or_one_corner_only_are_not_enough(pictures: list[Image]) -> None:
    with pytest.raises(NoLens, match="5 different pictures"):
        calibrate_lens(pictures[:5], MADE)
    with pytest.raises(NoLens, match="1 different"):
        calibrate_lens([pictures[0]] * 6, MADE)
    noise = np.random.default_rng(5)
    still = [pictures[0].copy() for _ in range(6)]
    for number, picture in enumerate(still):
        picture[:, 500 + 60 * number : 540 + 60 * number] = noise.integers(0, 255, (picture.shape[0], 40, 3))
    with pytest.raises(NoLens, match="1 different"):
        calibrate_lens(still, MADE)
    near = [photograph(page(), (0.0, 0.0), (8.0 * step, 0.0, 900.0)) for step in range(6)]
    with pytest.raises(NoLens, match="one part"):
        calibrate_lens(near, MADE)
    with pytest.raises(BadPictures, match="differ in size"):
        calibrate_lens([*pictures, np.zeros((480, 640, 3), np.uint8)], MADE)


def test_a_board_that_is_never_slanted_says_nothing_of_the_lens() -> None:
    sheet = page()
    places = [
        (x_mm, y_mm, away_mm)
        for x_mm in (-70.0, 70.0)
        for y_mm, away_mm in ((-50.0, 330.0), (50.0, 400.0), (0.0, 360.0))
    ]
    with pytest.raises(NoLens, match="slanted"):
        calibrate_lens([photograph(sheet, (0.02, -0.02), place) for place in places], MADE)


def test_a_board_that_is_not_flat_is_found(pictures: list[Image]) -> None:
    rows, columns = (np.asarray(place, np.float32) for place in np.indices(pictures[0].shape[:2]))
    waves = np.asarray(columns + 14 * np.sin(rows / 60) * np.cos(columns / 90), np.float32)
    bent = [np.asarray(cv2.remap(picture, waves, rows, cv2.INTER_LINEAR), np.uint8) for picture in pictures]
    with pytest.raises(NoLens, match="flat"):
        calibrate_lens(bent, MADE)


def test_the_page_holds_every_square_and_marker() -> None:
    corners, names, _, _ = cv2.aruco.CharucoDetector(board()).detectBoard(page())
    assert len(names) == (COLUMNS - 1) * (ROWS - 1)
    assert np.ptp(np.reshape(corners, (-1, 2))[:, 0]) == pytest.approx((COLUMNS - 2) * SQUARE_MM * 8, abs=2)


def test_the_corners_found_are_shown(pictures: list[Image]) -> None:
    assert (draw_board(pictures[0]) != pictures[0]).any()
    grey = np.full((480, 640, 3), 90, np.uint8)
    assert (draw_board(grey) == grey).all()
