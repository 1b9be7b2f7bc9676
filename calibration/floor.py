"""The floor: its outline in a picture, and from it the way from pixels to millimetres."""

import base64
from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
import numpy.typing as npt

from calibration.pictures import check_size
from vision.holding import askew_deg, level_of, rim, sharpness_of
from vision.picture import Image, encode_jpeg
from vision.rig import Rig
from vision.tray import Floats, Floor, Lens, Made, Tray, small_size

TILT_DEG = 3.0
"""More tilt than this must be put right: which way it goes cannot be told from a round outline alone."""
_ASKEW_DEG = 5.0  # by which the mark may be off its place
_RAYS = 180
_SMALLEST, _LARGEST = 0.36, 0.56  # of the picture's height: the floor's radius; what is rounder and smaller lies on it
_LOOKS = ((_LARGEST, 0.012), (0.06, 0.012), (0.02, 0.012), (0.008, 0.004))
"""How far from the last fit the rim is looked for, and the width of what is compared on each side of it, as shares of
the picture's height: broad first, so that no grain is taken for it, then narrow, for the two sides are not alike.
"""
_ON_PX = 2.5  # from the ellipse: a ray that shows the rim
_FEWEST = 0.6  # of the rays
_STRENGTH = 1.5  # grey levels, the least that a rim stands out by
_KERNELS = (np.array([1.0, -2.0, 1.0]), np.array([-1.0, 0.0, 1.0]), np.array([1.0, 0.0, -1.0]))
"""What an outline is: a dark line, where two surfaces meet; else a step of brightness, one way or the other."""


class NoFloor(ValueError):
    """Pictures in which the floor cannot be calibrated; the message says what to do."""


@dataclass(frozen=True, slots=True, eq=False)
class Outline:
    """The floor's rim in a picture: an ellipse."""

    centre_px: tuple[float, float]
    axes_px: tuple[float, float]  # the half axes, the longer one first
    turn_deg: float  # of the longer one, clockwise from the picture's x
    scatter_px: float  # of the rays about the ellipse

    @property
    def radius_px(self) -> float:
        """Of a circle of the same area."""
        return float(np.sqrt(self.axes_px[0] * self.axes_px[1]))


def find_outline(image: Image, lens: Lens | None = None) -> Outline:
    """The outline of a round floor with nothing on it, undistorted where the lens is known; NoFloor if none is seen."""
    if lens is not None:
        image = np.asarray(cv2.undistort(image, lens.matrix, np.array(lens.distortion)), np.uint8)
    height = image.shape[0]
    grey = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY).astype(np.float32)
    smooth = np.asarray(cv2.GaussianBlur(grey, (0, 0), max(0.8, 0.0015 * height)), np.float32)
    for kernel in _KERNELS:
        outline = _traced(smooth, kernel)
        if outline is not None:
            return outline
    raise NoFloor("The floor's outline cannot be seen: empty the floor, see that all of it is in the picture.")


def calibrate_floor(pictures: Sequence[Image], rig: Rig, lens: Lens | None, made: Made) -> tuple[Floor, Outline]:
    """The floor from pictures of it with nothing on it; NoFloor or BadPictures where they will not do.

    How high the rig's lens is above it counts only where the lens is not calibrated.
    """
    radius_mm, camera_mm = rig.floor_diameter_mm / 2, rig.camera_mm
    image = _mean(pictures)
    height, width = image.shape[:2]
    if lens is not None and lens.size_px != (width, height):
        raise NoFloor(f"The lens was calibrated with pictures of another size: calibrate it with {width} x {height}.")
    outline = find_outline(image, lens)
    tilt_deg = _tilt_deg(outline, radius_mm, camera_mm)
    if tilt_deg > TILT_DEG:
        raise NoFloor(
            f"The camera is tilted by about {tilt_deg:.0f} degrees, {TILT_DEG:g} are allowed: straighten it until the "
            "floor is a circle."
        )
    to_mm = _to_mm(outline, radius_mm)
    straight_px = lens.centre_px if lens is not None else ((width - 1) / 2, (height - 1) / 2)
    foot = to_mm @ (*straight_px, 1.0)
    above_mm = camera_mm if lens is None else lens.focal_px * radius_mm / outline.radius_px
    small = np.asarray(cv2.resize(image, small_size((width, height)), interpolation=cv2.INTER_AREA), np.uint8)
    floor = Floor(
        size_px=(width, height),
        radius_mm=radius_mm,
        to_mm=tuple(float(value) for value in to_mm.ravel()),
        eye_mm=(float(foot[0]), float(foot[1]), above_mm),
        tilt_deg=tilt_deg,
        level=0.0,
        sharpness=0.0,
        empty=base64.b64encode(encode_jpeg(small, 95)).decode(),
        made=made,
    )
    tray = Tray(lens=lens, floor=floor)
    askew = askew_deg(tray, image, rig)
    if askew > _ASKEW_DEG:
        raise NoFloor(
            f"The mark on the floor is {askew:.0f} degrees from the picture's lower left, where it must be: "
            "turn floor or camera."
        )
    strips = [rim(tray, picture) for picture in pictures]
    level, sharpness = (float(np.median([figure(strip) for strip in strips])) for figure in (level_of, sharpness_of))
    return replace(floor, level=level, sharpness=sharpness), outline


def _mean(pictures: Sequence[Image]) -> Image:
    if not pictures:
        raise NoFloor("There is no picture: take one of the empty floor.")
    check_size(pictures)
    return np.asarray(np.rint(np.mean(np.stack(pictures), axis=0)), np.uint8)


def _traced(smooth: npt.NDArray[np.float32], kernel: Floats) -> Outline | None:
    """The ellipse along which the picture answers to the kernel, if it does nearly all around."""
    height, width = smooth.shape
    centre, radius = np.array([(width - 1) / 2, (height - 1) / 2]), 0.0
    outline = None
    for window, arm in _LOOKS:
        radii = np.arange(max(radius - window * height, _SMALLEST * height), radius + window * height)
        answer = _answer(smooth, centre, radii, _widened(kernel, max(2, round(arm * height))))
        if not radius:
            # Where most rays answer near one radius; a floor beside the middle spreads the answers a little.
            spread = cv2.dilate(answer, np.ones((1, 2 * round(0.03 * height) + 1), np.uint8)).mean(axis=0)
            radius = float(radii[int(np.argmax(cv2.blur(spread[None], (9, 1))[0]))])
            continue
        outline = _ellipse(answer, centre, radii)
        if outline is None:
            return None
        centre, radius = np.array(outline.centre_px), outline.radius_px
    return outline


def _widened(kernel: Floats, arm: int) -> npt.NDArray[np.float32]:
    lengths = np.array([arm, max(1, arm // 2), arm])
    return np.repeat(kernel / lengths, lengths).astype(np.float32)


def _answer(
    smooth: npt.NDArray[np.float32], centre: Floats, radii: Floats, kernel: npt.NDArray[np.float32]
) -> npt.NDArray[np.float32]:
    """How each ray (rows) answers to the kernel at each radius; nothing outside the picture."""
    turn = np.arange(_RAYS) * (2 * np.pi / _RAYS)
    x = (centre[0] + np.outer(np.cos(turn), radii)).astype(np.float32)
    y = (centre[1] + np.outer(np.sin(turn), radii)).astype(np.float32)
    strip = cv2.remap(smooth, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(cv2.filter2D(strip, -1, kernel[None], borderType=cv2.BORDER_REPLICATE), np.float32)


def _ellipse(answer: npt.NDArray[np.float32], centre: Floats, radii: Floats) -> Outline | None:
    best = np.clip(answer.argmax(axis=1), 1, answer.shape[1] - 2)
    rows = np.arange(_RAYS)
    before, at, after = (answer[rows, best + step] for step in (-1, 0, 1))
    bend = before - 2 * at + after
    finer = np.where(np.abs(bend) > 1e-6, 0.5 * (before - after) / np.where(np.abs(bend) > 1e-6, bend, 1.0), 0.0)
    turn = rows * (2 * np.pi / _RAYS)
    away = radii[0] + best + np.clip(finer, -0.5, 0.5)
    points = (centre + np.stack([np.cos(turn), np.sin(turn)], axis=1) * away[:, None]).astype(np.float32)
    kept = np.abs(away - np.median(away)) < max(_ON_PX, 4 * float(np.median(np.abs(away - np.median(away)))))
    for _ in range(4):
        if kept.mean() < _FEWEST:
            return None
        (x, y), sides, turn_deg = cv2.fitEllipseAMS(points[kept])
        off = np.abs(_off_ellipse(points, (x, y), sides, turn_deg))
        kept = off < max(_ON_PX, 3 * float(np.median(off)))
    scatter, strength = float(np.median(off)), float(np.median(at[kept]))
    if scatter > _ON_PX or strength < _STRENGTH:
        return None
    first, second = sides[0] / 2, sides[1] / 2
    axes, turned = ((first, second), turn_deg) if first >= second else ((second, first), turn_deg + 90.0)
    return Outline((float(x), float(y)), axes, turned, scatter)


def _off_ellipse(
    points: npt.NDArray[np.float32], centre: Sequence[float], sides: Sequence[float], turn_deg: float
) -> Floats:
    turn = np.radians(turn_deg)
    along = (points - centre) @ np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    share = np.hypot(along[:, 0] / (sides[0] / 2), along[:, 1] / (sides[1] / 2))
    return np.asarray((share - 1) * np.hypot(along[:, 0], along[:, 1]) / np.maximum(share, 1e-6), np.float64)


def _tilt_deg(outline: Outline, radius_mm: float, camera_mm: float) -> float:
    """How far the line of sight is from upright, by how much shorter one axis is than the other."""
    lost = max(0.0, 1 - outline.axes_px[1] / outline.axes_px[0])
    # The near half of a tilted circle grows by more than the far half shrinks, which hides a part of the loss.
    return float(np.degrees(np.sqrt(2 * lost / (1 - (radius_mm / camera_mm) ** 2))))


def _to_mm(outline: Outline, radius_mm: float) -> Floats:
    """The affine way that makes a circle of the outline and turns nothing; the floor's y goes up the picture."""
    turn = np.radians(outline.turn_deg)
    turned = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
    scale = turned.T @ np.diag([radius_mm / axis for axis in outline.axes_px]) @ turned
    scale = np.diag([1.0, -1.0]) @ scale
    shift = -scale @ np.array(outline.centre_px)
    return np.vstack([np.column_stack([scale, shift]), [0.0, 0.0, 1.0]])
