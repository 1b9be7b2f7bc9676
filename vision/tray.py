"""The tray: what calibration found out about lens, floor, light and dice, and whether it still holds."""

import base64
import hashlib
import json
import math
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import Any, get_args, get_origin, get_type_hints

import cv2
import numpy as np
import numpy.typing as npt

from vision.files import read_file
from vision.picture import BrokenPicture, Image, decode

Floats = npt.NDArray[np.float64]

SMALL = 4
"""By so much the reference of the empty floor is smaller than the camera's pictures."""
FILE = "tray.toml"
SIDES_MM = (8.0, 30.0)
"""Sides that dice may have."""
_MOST_BYTES = 16_000_000  # as text, the empty floor of the largest picture that is read takes less
_LARGEST = 1e6  # no figure of a machine that stands on a counter is larger, and what is reckoned of them stays finite
_FOCAL = (0.1, 100.0)  # of the longer side of the picture: from a fisheye to a telescope
_GROUND = 0.96  # of the floor's radius, what is looked at for things; the rim has a shadow of its own


class BadTray(ValueError):
    """A file that is no calibration; the message says what to do."""


@dataclass(frozen=True, slots=True)
class Made:
    """Where a part of the calibration comes from."""

    at: str  # date and time, ISO 8601
    version: str  # of Cornet
    pictures: tuple[str, ...]  # SHA-256 of each, in hexadecimal


@dataclass(frozen=True, slots=True)
class Lens:
    """The pinhole and the distortion of the camera, as OpenCV has them."""

    size_px: tuple[int, int]  # width and height of the pictures that it holds for
    focal_px: float
    centre_px: tuple[float, float]
    distortion: tuple[float, ...]  # k1, k2, p1, p2, k3
    error_px: float  # root mean square of the reprojection
    made: Made

    @property
    def matrix(self) -> Floats:
        """The camera matrix."""
        (x_px, y_px), focal_px = self.centre_px, self.focal_px
        return np.array([[focal_px, 0, x_px], [0, focal_px, y_px], [0, 0, 1]], np.float64)


@dataclass(frozen=True, slots=True)
class Floor:
    """Where the floor is, and how it looks with nothing on it."""

    size_px: tuple[int, int]  # width and height of the pictures
    radius_mm: float
    to_mm: tuple[float, ...]  # homography of (undistorted) pixels to mm from the floor's centre, row by row, y away
    eye_mm: tuple[float, float, float]  # the lens, above the floor's centre
    tilt_deg: float  # of the line of sight against the floor's normal
    level: float  # grey, 0 to 255, along the rim
    sharpness: float  # grey levels that neighbouring places along the rim differ by
    empty: str  # the empty floor, smaller by SMALL: a JPEG in base64
    made: Made

    @property
    def homography(self) -> Floats:
        """From pixels to mm, 3 x 3."""
        return np.array(self.to_mm, np.float64).reshape(3, 3)


@dataclass(frozen=True, slots=True)
class Light:
    """How even the light is on the empty floor."""

    darkest: float  # of the floor's places, as a share of the median grey level
    brightest: float
    glare: float  # the share of the floor where it blinds the camera, 0 to 1
    flicker: float  # by how much one frame is brighter than another, as a share
    made: Made


@dataclass(frozen=True, slots=True)
class Enrolled:
    """A die of the set, by the colour of its body."""

    name: str
    colour: tuple[float, float, float]  # blue, green, red, 0 to 255


@dataclass(frozen=True, slots=True)
class Dice:
    """The set of dice that is in the cornet."""

    name: str
    side_mm: float
    count: int
    dice: tuple[Enrolled, ...]  # with names, two or more, if their colours tell them apart; else none
    axes_mm: tuple[float, ...]  # callipers' note: every die's three axes one after the other; may be empty
    made: Made

    @property
    def by_colour(self) -> bool:
        """Whether each die has a colour of its own."""
        return len(self.dice) > 1


@dataclass(frozen=True)
class Tray:
    """What calibration made; each part is there once its step was done."""

    lens: Lens | None = None
    floor: Floor | None = None
    light: Light | None = None
    dice: Dice | None = None

    @cached_property
    def empty(self) -> Image:
        """The empty floor, smaller by SMALL; ValueError before the floor was calibrated."""
        return decode(base64.b64decode(self._floor().empty), "the picture of the empty floor")

    @cached_property
    def ground(self) -> npt.NDArray[np.bool_]:
        """Where the floor is in a picture as small as the empty one (height x width)."""
        rows, columns = np.indices(self.empty.shape[:2], np.float64)
        places = np.column_stack([columns.ravel(), rows.ravel()]) * SMALL + (SMALL - 1) / 2
        away_mm = np.linalg.norm(self.on_floor(places), axis=1).reshape(rows.shape)
        return np.asarray(away_mm < _GROUND * self._floor().radius_mm, np.bool_)

    @property
    def small_mm(self) -> float:
        """What a pixel of the small picture is of the floor, in mm."""
        scale = self._floor().homography[:2, :2]
        return SMALL * math.sqrt(abs(float(np.linalg.det(scale))))

    @cached_property
    def sha256(self) -> str:
        """The hash of the file's text, in hexadecimal."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    @cached_property
    def text(self) -> str:
        """The calibration as TOML."""
        lines = ["# Made by cornet calibrate; what stands here decides how pictures are read."]
        for field in fields(self):
            part = getattr(self, field.name)
            if part is not None:
                lines += ["", f"[{field.name}]"]
                lines += [f"{each.name} = {as_toml(getattr(part, each.name))}" for each in fields(part)]
        return "\n".join(lines) + "\n"

    def on_floor(self, points_px: Floats, height_mm: float = 0.0) -> Floats:
        """Where points of a picture (n x 2, pixels) are in mm from the floor's centre, at a height above the floor."""
        floor = self._floor()
        points = np.asarray(points_px, np.float64).reshape(-1, 2)
        if self.lens is not None:
            points = _undistorted(points, self.lens)
        flat = np.column_stack([points, np.ones(len(points))]) @ floor.homography.T
        eye = np.array(floor.eye_mm)
        ground = flat[:, :2] / flat[:, 2:]
        return np.asarray(eye[:2] + (ground - eye[:2]) * (1 - height_mm / eye[2]), np.float64)

    def in_picture(self, points_mm: Floats) -> Floats:
        """Where points of the floor (n x 2, mm) are in a picture (n x 2, pixels)."""
        points = np.asarray(points_mm, np.float64).reshape(-1, 2)
        flat = np.column_stack([points, np.ones(len(points))]) @ np.linalg.inv(self._floor().homography).T
        straight = flat[:, :2] / flat[:, 2:]
        return straight if self.lens is None else _distorted(straight, self.lens)

    def _floor(self) -> Floor:
        if self.floor is None:
            raise ValueError("the floor has not been calibrated")
        return self.floor


def read_tray(path: Path) -> Tray:
    """The calibration in a file; BadTray if there is none."""
    try:
        return parse_tray(text_of(path))
    except OSError as error:
        why = error.strerror
        raise BadTray(
            f"The calibration {path} cannot be read ({why}): make it readable for this user, take it away or name "
            "another."
        ) from None
    except BadTray as error:
        raise BadTray(
            f"{path} is no calibration ({error}): take it away, then make one with cornet calibrate."
        ) from None


def text_of(path: Path) -> str:
    """The text of a file in UTF-8; BadTray where it is none.

    OSError where it cannot be read, as `read_file` says.
    """
    try:
        return read_file(path, _MOST_BYTES).decode()
    except UnicodeDecodeError:
        raise BadTray("it is no text") from None


def parse_tray(text: str) -> Tray:
    """The calibration that a text in TOML describes; BadTray if it does not."""
    kinds: Mapping[str, type[Any]] = {"lens": Lens, "floor": Floor, "light": Light, "dice": Dice}
    try:
        given = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadTray(str(error)) from None
    try:
        unknown = sorted(given.keys() - kinds.keys())
        if unknown:
            raise BadTray(f"it has an unknown part {unknown[0]!r}")
        tray = Tray(**{name: checked(name, kinds[name], given[name]) for name in given})
        odd = next(_odd(tray), None)
    except (BrokenPicture, LookupError, TypeError, ValueError, AttributeError) as error:
        raise BadTray(str(error)) from None
    if odd:
        raise BadTray(odd)
    return tray


def _odd(tray: Tray) -> Iterator[str]:
    """What no calibration makes, although each value is of its kind."""
    lens, floor, dice = tray.lens, tray.floor, tray.dice
    if lens is not None and not _plausible(lens):
        yield "its lens is none"
    if floor is not None:
        if abs(np.linalg.det(floor.homography)) < 1e-12:
            yield "its floor is no plane"
        if floor.radius_mm < 1 or floor.eye_mm[2] < 1:
            yield "its lens is not above its floor"
        if tray.empty.shape[1::-1] != small_size(floor.size_px):
            yield "its picture of the empty floor has another size"
        if lens is not None and lens.size_px != floor.size_px:
            yield "its lens is of pictures of another size"
    if dice is not None and not SIDES_MM[0] <= dice.side_mm <= SIDES_MM[1]:
        yield f"its dice have sides of {dice.side_mm:g} mm"


def _plausible(lens: Lens) -> bool:
    """Whether a camera may have it: its middle is in the picture, whose corners it moves by less than a side."""
    long_px, ends_px = max(lens.size_px), [(0, side_px) for side_px in lens.size_px]
    if len(lens.distortion) != 5 or not max(1, _FOCAL[0] * long_px) <= lens.focal_px <= _FOCAL[1] * long_px:
        return False
    corners = np.array(list(product(*ends_px)), np.float64)
    bent_px = np.abs(_distorted(corners, lens) - corners).max()
    centred = all(low <= middle <= high for middle, (low, high) in zip(lens.centre_px, ends_px, strict=True))
    return centred and bool(bent_px < long_px)


def small_size(size_px: tuple[int, int]) -> tuple[int, int]:
    """Width and height of the reference for pictures of this size."""
    return max(1, size_px[0] // SMALL), max(1, size_px[1] // SMALL)


def as_toml(value: Any) -> str:
    """A value of a calibration, as TOML writes it: numbers, texts, tuples and dataclasses of them."""
    if is_dataclass(value):
        return "{ " + ", ".join(f"{each.name} = {as_toml(getattr(value, each.name))}" for each in fields(value)) + " }"
    if isinstance(value, tuple):
        return "[" + ", ".join(map(as_toml, value)) + "]"
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def checked(name: str, kind: Any, given: Any) -> Any:
    """The value that a TOML file gave under this name, as this kind; BadTray if it is of another."""
    if isinstance(kind, type) and is_dataclass(kind) and isinstance(given, dict):
        hints = get_type_hints(kind)
        if given.keys() != hints.keys():
            odd = sorted(given.keys() ^ hints.keys())[0]
            raise BadTray(f"{name}.{odd} is {'missing' if odd in hints else 'unknown'}")
        return kind(**{each: checked(f"{name}.{each}", hints[each], given[each]) for each in hints})
    if get_origin(kind) is tuple and isinstance(given, list):
        inner = get_args(kind)
        kinds = inner[:1] * len(given) if inner[-1] is Ellipsis else inner
        if len(kinds) == len(given):
            return tuple(checked(name, each, value) for each, value in zip(kinds, given, strict=True))
    if kind is float and type(given) in (int, float) and abs(given) <= _LARGEST:
        return float(given)
    if kind in (int, str) and type(given) is kind:
        return given
    raise BadTray(f"{name} is {given!r:.60}")


def _undistorted(points: Floats, lens: Lens) -> Floats:
    if not len(points):
        return points
    distortion = np.array(lens.distortion, np.float64)
    straight = cv2.undistortPoints(points[:, None], lens.matrix, distortion, P=lens.matrix)
    return np.asarray(straight, np.float64).reshape(-1, 2)


def _distorted(points: Floats, lens: Lens) -> Floats:
    if not len(points):
        return points
    rays = np.column_stack([(points - lens.centre_px) / lens.focal_px, np.ones(len(points))])
    seen, _ = cv2.projectPoints(rays, np.zeros(3), np.zeros(3), lens.matrix, np.array(lens.distortion, np.float64))
    return np.asarray(seen, np.float64).reshape(-1, 2)
