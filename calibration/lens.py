"""The lens: a printed chessboard with markers, and what pictures of it say of the camera."""

from collections.abc import Iterator, Sequence
from functools import cache

import cv2
import numpy as np
import numpy.typing as npt

from calibration.pictures import check_size
from vision.picture import Image
from vision.tray import Lens, Made

COLUMNS, ROWS, SQUARE_MM, MARKER_MM = 8, 6, 21.0, 15.0
"""The board: 168 x 126 mm, so that it lies flat on the floor."""
FEWEST_PICTURES, FEWEST_CORNERS = 6, 12
_SLANT_DEG, _FEWEST_SLANTED = 15.0, 3
"""From so much on a board counts as slanted; twice as much is asked for, for hands lean it by less than they think."""
_MOVED_PX = 3.0  # between two pictures that count as two
ERROR_PX = 1.0
"""Largest root mean square of the reprojection, for pictures 1456 px wide."""
_PAGE_MM = (297.0, 210.0)
_CELLS = 6  # of a marker: 4 x 4 bits and a border
_COVERED = 0.5  # of the picture's width and height, each, that the corners must span together


Corners = tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]
"""Of the board, in mm on it and in the picture."""


class NoLens(ValueError):
    """Pictures from which the lens cannot be calibrated; the message says what to do."""


@cache
def board() -> cv2.aruco.CharucoBoard:
    """The board that `board_svg` prints."""
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    return cv2.aruco.CharucoBoard((COLUMNS, ROWS), SQUARE_MM, MARKER_MM, dictionary)


def board_svg() -> str:
    """The board as an SVG page of A4 across, to be printed at 100 %."""
    left, top = (_PAGE_MM[0] - COLUMNS * SQUARE_MM) / 2, (_PAGE_MM[1] - ROWS * SQUARE_MM) / 2
    boxes = [
        f'<rect x="{left + x:g}" y="{top + y:g}" width="{side:g}" height="{side:g}" fill="{fill}"/>'
        for x, y, side, fill in _boxes()
    ]
    note = f"Print at 100 %: a square is {SQUARE_MM:g} mm. Glue the sheet onto something flat and stiff."
    width, height = _PAGE_MM
    size = f'width="{width:g}mm" height="{height:g}mm" viewBox="0 0 {width:g} {height:g}"'
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} shape-rendering="crispEdges">',
            f'<rect width="{width:g}" height="{height:g}" fill="#fff"/>',
            *boxes,
            f'<text x="{left:g}" y="{height - 20:g}" font-family="sans-serif" font-size="5">{note}</text>',
            "</svg>\n",
        ]
    )


def calibrate_lens(pictures: Sequence[Image], made: Made) -> Lens:
    """The lens from pictures of the board, held at different places and slants; NoLens or BadPictures else."""
    check_size(pictures)
    found = _unlike([corners for picture in pictures if (corners := _corners(picture)) is not None])
    if len(found) < FEWEST_PICTURES:
        raise NoLens(
            f"The board is seen well in {len(found)} different pictures: {FEWEST_PICTURES} are needed, take more."
        )
    height, width = pictures[0].shape[:2]
    places = np.concatenate([seen for _, seen in found]).reshape(-1, 2)
    if np.any(np.ptp(places, axis=0) < _COVERED * np.array([width, height])):
        raise NoLens("The board was only in one part of the picture: hold it into every corner.")
    start = np.array([[width, 0, (width - 1) / 2], [0, width, (height - 1) / 2], [0, 0, 1]], np.float64)
    flags = cv2.CALIB_USE_INTRINSIC_GUESS | cv2.CALIB_FIX_ASPECT_RATIO | cv2.CALIB_FIX_K3
    objects, seen = [thing for thing, _ in found], [corners for _, corners in found]
    size_px = width, height
    found_lens = cv2.calibrateCamera(objects, seen, size_px, start, np.zeros(5), flags=flags)
    error_px, matrix, distortion, turns, _ = found_lens
    lens = Lens(
        size_px=size_px,
        focal_px=float(matrix[0, 0]),
        centre_px=(float(matrix[0, 2]), float(matrix[1, 2])),
        distortion=tuple(float(value) for value in np.ravel(distortion)[:5]),
        error_px=float(error_px),
        made=made,
    )
    if error_px > ERROR_PX * width / 1456:
        raise NoLens(f"The corners are {error_px:.1f} px off: see that the board is flat and the focus fixed.")
    if sum(_slant_deg(turn) >= _SLANT_DEG for turn in turns) < _FEWEST_SLANTED:
        # A board that lies straight before the lens says nothing of how far the lens sees: near and narrow, or far.
        raise NoLens(
            f"The board was slanted in fewer than {_FEWEST_SLANTED} pictures: lean it this way and that, by a third of "
            "a right angle and more."
        )
    return lens


def _unlike(found: Sequence[Corners]) -> list[Corners]:
    """Those of the boards that are not where one before them was."""
    kept: list[Corners] = []
    for one in found:
        if not any(_same_place(one, other) for other in kept):
            kept.append(one)
    return kept


def _same_place(one: Corners, other: Corners) -> bool:
    """By the corners that both show: what hides some of them, or noise, makes no other place."""
    seen = dict(zip(map(tuple, one[0].reshape(-1, 3).tolist()), one[1].reshape(-1, 2), strict=True))
    corners = zip(map(tuple, other[0].reshape(-1, 3).tolist()), other[1].reshape(-1, 2), strict=True)
    moved_px = [float(np.linalg.norm(at - seen[corner])) for corner, at in corners if corner in seen]
    return bool(moved_px) and float(np.median(moved_px)) < _MOVED_PX


def _slant_deg(turn: npt.ArrayLike) -> float:
    """How far a board leans from lying straight before the lens, by its turn as `calibrateCamera` has it."""
    return float(np.degrees(np.arccos(min(1.0, abs(float(cv2.Rodrigues(np.asarray(turn))[0][2, 2]))))))


def board_seen(picture: Image) -> bool:
    """Whether enough of the board is in a picture for it to count."""
    return _corners(picture) is not None


def bend_px(lens: Lens) -> float:
    """How far the lens moves the corners of the picture from where a pinhole would see them, at most."""
    width, height = lens.size_px
    corners = np.array([[x, y] for x in (0.0, width - 1.0) for y in (0.0, height - 1.0)])
    straight = cv2.undistortPoints(corners[:, None], lens.matrix, np.array(lens.distortion), P=lens.matrix)
    return float(np.linalg.norm(straight.reshape(-1, 2) - corners, axis=1).max())


def draw_board(picture: Image) -> Image:
    """The picture with the corners that were found marked on it."""
    drawn = picture.copy()
    found = _corners(picture)
    for x, y in [] if found is None else found[1].reshape(-1, 2):
        cv2.circle(drawn, (round(float(x)), round(float(y))), 6, (60, 220, 90), 2, cv2.LINE_AA)
    return drawn


def _corners(picture: Image) -> Corners | None:
    """The board's corners in mm on it and in the picture; None where too few are seen."""
    corners, names, _, _ = cv2.aruco.CharucoDetector(board()).detectBoard(picture)
    if corners is None or names is None or len(names) < FEWEST_CORNERS:
        return None
    on_board = np.asarray(board().getChessboardCorners(), np.float32)[np.ravel(names)]
    return on_board, np.asarray(corners, np.float32)


def _boxes() -> Iterator[tuple[float, float, float, str]]:
    """The squares of the board and of its markers: left, top, side in mm, and colour."""
    inset, cell = (SQUARE_MM - MARKER_MM) / 2, MARKER_MM / _CELLS
    name = 0
    for row in range(ROWS):
        for column in range(COLUMNS):
            x, y = column * SQUARE_MM, row * SQUARE_MM
            if (row + column) % 2 == 0:
                yield x, y, SQUARE_MM, "#000"
                continue
            bits = cv2.aruco.generateImageMarker(board().getDictionary(), name, _CELLS)
            name += 1
            yield x + inset, y + inset, MARKER_MM, "#000"
            for down, across in np.argwhere(np.asarray(bits) > 0):
                yield x + inset + across * cell, y + inset + down * cell, cell, "#fff"
