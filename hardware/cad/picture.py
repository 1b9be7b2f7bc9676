"""Small shaded pictures of solids, for the steps of the assembly: what is new in colour, what was there in grey."""

import math
from typing import Any, NamedTuple

import cv2
import numpy as np
import numpy.typing as npt
from PIL import Image

Floats = npt.NDArray[np.float64]

SIZE_PX = (640, 560)
_LIGHT = np.array([0.35, -0.55, 0.76])
_NEW, _OLD = np.array([240.0, 140.0, 40.0]), np.array([205.0, 208.0, 214.0])
_LINE = np.array([45.0, 45.0, 55.0])
_COLOURS = 64  # of a picture: keeps it small
_FINE_MM = 0.4  # of the meshes
_FINER = 2  # drawn larger and made small, for smooth edges


class Shown(NamedTuple):
    """A solid in a picture; of what is clear only the outline is drawn. A name is written below its nearest edge."""

    solid: Any
    new: bool
    clear: bool = False
    name: str = ""


class _View(NamedTuple):
    """An upright orthographic view: the picture's axes, pixels to a millimetre, and where the middle is."""

    axes: Floats  # rows: to the right, up, towards the eye
    scale: float
    middle: Floats

    def places(self, points: Floats) -> Floats:
        """Pixels, and how near to the eye in mm."""
        seen = points @ self.axes.T
        across, up = ((seen[:, :2] - self.middle) * self.scale).T
        width, height = (edge * _FINER for edge in SIZE_PX)
        return np.stack([width / 2 + across, height / 2 - up, seen[:, 2]], axis=1)


def picture(shown: list[Shown], turn_deg: float = 35.0, up_deg: float = 25.0) -> Image.Image:
    """The solids from a side, all of them within the picture."""
    meshes = [_mesh(one.solid) for one in shown]
    share = 0.88 if any(one.name for one in shown) else 0.94
    view = _view(np.concatenate([points for points, _ in meshes]), turn_deg, up_deg, share)
    shape = SIZE_PX[1] * _FINER, SIZE_PX[0] * _FINER
    near, owner = np.full(shape, -np.inf), np.full(shape, -1, np.int32)
    colour = np.full((*shape, 3), 255.0)
    for number, (one, (points, triangles)) in enumerate(zip(shown, meshes, strict=True)):
        if not one.clear:
            _fill(near, owner, colour, (points, triangles), number, one.new, view)
    edges = (owner != np.roll(owner, 1, 0)) | (owner != np.roll(owner, 1, 1))
    deep = np.where(np.isfinite(near), near, near[np.isfinite(near)].min() - 50)
    edges |= np.maximum(np.abs(deep - np.roll(deep, 1, 0)), np.abs(deep - np.roll(deep, 1, 1))) > 6
    colour[edges] = _LINE
    drawn = np.asarray(colour, np.uint8)
    for one in shown:
        if one.clear:
            _outline(drawn, one, view)
    for one, (points, _) in zip(shown, meshes, strict=True):
        _write(drawn, one.name, view.places(points))
    small = cv2.resize(drawn, SIZE_PX, interpolation=cv2.INTER_AREA)
    return Image.fromarray(small).quantize(_COLOURS, dither=Image.Dither.NONE)


def _mesh(solid: Any) -> tuple[Floats, npt.NDArray[np.int64]]:
    points, triangles = solid.tessellate(_FINE_MM, 0.15)
    return np.array([(point.X, point.Y, point.Z) for point in points]), np.array(triangles, np.int64)


def _view(points: Floats, turn_deg: float, up_deg: float, share: float) -> _View:
    turn, up = math.radians(turn_deg), math.radians(up_deg)
    eye = np.array([math.cos(turn) * math.cos(up), math.sin(turn) * math.cos(up), math.sin(up)])
    right = np.array([-math.sin(turn), math.cos(turn), 0.0])
    axes = np.stack([right, np.cross(eye, right), eye])
    seen = (points @ axes.T)[:, :2]
    low, high = seen.min(axis=0), seen.max(axis=0)
    scale = float((np.array(SIZE_PX) * _FINER * share / (high - low)).min())
    return _View(axes, scale, (low + high) / 2)


def _fill(
    near: Floats,
    owner: npt.NDArray[np.int32],
    colour: Floats,
    mesh: tuple[Floats, npt.NDArray[np.int64]],
    number: int,
    new: bool,
    view: _View,
) -> None:
    """Draw one solid's triangles, each where it is nearest."""
    points, triangles = mesh
    places = view.places(points)
    for corners in triangles:
        a, b, c = places[corners]
        area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
        left, top = (int(max(math.floor(min(a[n], b[n], c[n])), 0)) for n in (0, 1))
        right, low = (math.ceil(max(a[n], b[n], c[n])) + 1 for n in (0, 1))
        if abs(area) < 1e-9:
            continue
        xs, ys = np.arange(left, right)[None] + 0.5, np.arange(top, low)[:, None] + 0.5
        second = ((xs - a[0]) * (c[1] - a[1]) - (ys - a[1]) * (c[0] - a[0])) / area
        third = ((b[0] - a[0]) * (ys - a[1]) - (b[1] - a[1]) * (xs - a[0])) / area
        depth = a[2] + second * (b[2] - a[2]) + third * (c[2] - a[2])
        patch = slice(top, low), slice(left, right)
        seen = (second >= 0) & (third >= 0) & (second + third <= 1) & (depth > near[patch])
        near[patch][seen], owner[patch][seen] = depth[seen], number
        colour[patch][seen] = (_NEW if new else _OLD) * _brightness(points[corners])


def _brightness(corners: Floats) -> float:
    normal = np.cross(corners[1] - corners[0], corners[2] - corners[0])
    long = float(np.linalg.norm(normal))
    return 0.55 + 0.45 * max(0.0, float(normal @ _LIGHT) / long if long else 0.0)


def _write(drawn: npt.NDArray[np.uint8], name: str, places: Floats) -> None:
    font, size, thick = cv2.FONT_HERSHEY_SIMPLEX, 0.4 * _FINER, _FINER
    (wide, high), _ = cv2.getTextSize(name, font, size, thick)
    x, y = (places[:, 0].min() + places[:, 0].max() - wide) / 2, places[:, 1].max() + 1.6 * high
    cv2.putText(drawn, name, (max(round(x), 0), round(y)), font, size, _LINE.tolist(), thick, cv2.LINE_AA)


def _outline(drawn: npt.NDArray[np.uint8], one: Shown, view: _View) -> None:
    line = (_NEW if one.new else _LINE).tolist()
    for edge in one.solid.edges():
        points = np.array([(at.X, at.Y, at.Z) for at in (edge @ (n / 24) for n in range(25))])
        trace = np.rint(view.places(points)[:, :2]).astype(np.int32)
        cv2.polylines(drawn, [trace], False, line, _FINER, cv2.LINE_AA)
