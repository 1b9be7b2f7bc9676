"""The second way of reading: which pattern of pips a face shows, where the networks found one.

Nothing here is learned. What stands out of a face as pips do, lighter or darker, is compared with ideal faces in every
turn, pitch and place; the six best likenesses, one for each face, are the opinion.
"""

import math
import statistics
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import product

import cv2
import numpy as np
import numpy.typing as npt

from vision.network import cut_out
from vision.picture import Image

Floats = npt.NDArray[np.float32]

FACES = 6
STANDING_PX, PX_SIDES = 30, 0.036
"""What stands out around a face's middle: the size of that square, and of its pixels in sides."""
_CUT_PX, _CUT_SIDES = 40, 1.44  # a cut-out: its size, and how many sides of a face it is wide
_FACE_PX = 24  # the inner part of it, which the pips are on
_TINTS = np.array([[0, -0.5], [-0.5, 0.25], [0.5, 0.25]], np.float32)  # of blue, green, red: red - green, yellow - blue
_CELLS, _WINDOW = _CUT_PX // 2, 16  # likeness is measured on a grid half as fine, in a window that is moved about
_SHIFTS = _CELLS - _WINDOW + 1
_CELL_SIDES = _CUT_SIDES / _CELLS
_HAT_PX, _LARGE_HAT_PX = 7, 13  # what is wider than this on the cut-out is no pip; the second is for a large 1 alone
_REACH, _SOFT = 0.52, 0.03  # sides from the window's middle within which it counts, and how softly that ends
_FAR = 2.0  # what a pattern loses by lying aside, for a square side
_PARTNER, _PARTNER_PX = (0.42, 0.8), 3  # sides from a pip to the other one of a 2; over so many pixels it is judged,
_STANDS_OUT, _NEAR_MIDDLE = 0.5, 0.12  # and so much as the first it must stand out, which is so near the middle
_WITHIN, _BESIDE = 0.3, 0.06  # sides from the middle, and from the rims of its pips, where one too many is looked for
_PIP, _RIM, _ON_FACE = 0.07, 0.03, 0.42  # sides from the middle: inside of a lone pip, its rim, and the face around it
_FAINT = 0.5  # grey levels of contrast below which likeness means nothing
_CHUNK = 16  # cut-outs at once: OpenCV works on 128 channels at most

_TURNS = 8  # in a quarter turn
_PITCHES = (0.18, 0.23, 0.29)  # from the middle to a corner pip, across, in sides; for 4, 5 and 6
_WIDE_PITCHES = (0.13, 0.165, 0.21, 0.255, 0.305)  # for 2 and 3, whose pips may be close together
_RADII, _ONE_RADII = (0.075, 0.1), (0.06, 0.08, 0.11, 0.15, 0.2)  # of pips; that of 4, 5 and 6 is a share of the pitch
_RADIUS_SHARE, _RADIUS_LEAST = 0.38, 0.055
_SIX_ASPECTS = (1.0, 0.75)  # how close the two rows of a six may be
_BLUR = 0.025  # sides over which a pip's rim goes from paint to body

_OFF = (np.arange(STANDING_PX) - (STANDING_PX - 1) / 2) * PX_SIDES
_FAR_OFF = np.hypot(_OFF, _OFF[:, None])  # of what stands out around a face's middle: sides from it

_SITES = {
    1: ((0, 0),),
    2: ((-1, -1), (1, 1)),
    3: ((-1, -1), (1, 1), (0, 0)),
    4: ((-1, -1), (1, 1), (-1, 1), (1, -1)),
    5: ((-1, -1), (1, 1), (-1, 1), (1, -1), (0, 0)),
    6: ((-1, -1), (1, 1), (-1, 1), (1, -1), (-1, 0), (1, 0)),
}


_FREE = {
    2: ((0, 0, 1.0), (-1, 1, 1.0), (1, -1, 1.0)),
    3: ((-1, 1, 1.0), (1, -1, 1.0)),
    4: ((0, 0, 1.0), *((*site, 0.8) for site in ((-1, 0), (1, 0), (0, -1), (0, 1)))),  # pips of the sides lie near
    6: ((0, 0, 1.0),),
}


@dataclass(frozen=True, slots=True)
class Ideal:
    """One ideal face: its number, the places of its pips and their radius, in sides from its middle."""

    face: int
    pips: tuple[tuple[float, float], ...]
    radius: float
    free: tuple[tuple[float, float, float], ...] = ()  # where other numbers have pips, and what one there is worth


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """How a face compares with all the ideal ones."""

    likeness: Floats  # 6: to a 1 to a 6, at most 1; its own number by 0.7 to 0.95, any other by 0.1 to 0.3 less
    _hats: Floats  # what stands out of it: kinds x _CUT_PX x _CUT_PX
    _all: Floats  # the likeness to each ideal face: kinds x moves of the window x ideals

    def best(self, face: int) -> tuple[Ideal, Floats]:
        """The ideal face of this number that fits best, and what stands out around its middle."""
        kind, move, ideal = self._best(face)
        top, left = (2 * step + _WINDOW - STANDING_PX // 2 for step in divmod(move, _SHIFTS))
        standing = self._hats[kind, top : top + STANDING_PX, left : left + STANDING_PX]
        return _ideals()[ideal], np.ascontiguousarray(standing)

    def middle(self, face: int) -> tuple[float, float]:
        """Where the middle of that ideal face lies: right and down of where it was looked for, in sides."""
        down, across = divmod(self._best(face)[1], _SHIFTS)
        return (across - _SHIFTS // 2) * _CELL_SIDES, (down - _SHIFTS // 2) * _CELL_SIDES

    def _best(self, face: int) -> tuple[int, int, int]:
        """The kind of what stands out, the move of the window and the ideal that are most like this number."""
        _, starts, _ = _bank()
        begin, end = [*starts, self._all.shape[2]][face - 1 : face + 1]
        part = self._all[:, :, begin:end]
        kind, move, row = np.unravel_index(int(part.argmax()), part.shape)
        return int(kind), int(move), int(begin + row)

    def lone_pip(self) -> tuple[float, float]:
        """The pip in the middle of what shows a 1: its radius, in sides, and how many times more it stands out.

        More than what is around it on the face does: by its mean and one deviation.
        """
        ideal, standing = self.best(1)
        around = standing[(ideal.radius + _RIM < _FAR_OFF) & (_FAR_OFF < _ON_FACE)]
        pip = float(standing[_FAR_OFF < _PIP].mean())
        return ideal.radius, max(pip, 0.01) / max(float(around.mean() + around.std()), 1.0)

    def pip_too_many(self, face: int) -> float:
        """How much the spot that stands out most beside its pips does, as a share of what they do in the middle.

        It is looked for around where the face was: through a clear die pips of the side below are seen elsewhere.
        """
        ideal, standing, pips = self._pips(face)
        far = [np.hypot(_OFF - across, _OFF[:, None] - down) for across, down in ideal.pips]
        across, down = self.middle(face)
        around = np.hypot(_OFF + across, _OFF[:, None] + down) < _WITHIN
        beside = standing[around & (np.min(far, axis=0) > ideal.radius + _BESIDE)]
        return float(beside.max(initial=0)) / max(statistics.median(pips), 1.0)

    def odd_pip(self, face: int) -> float:
        """How much what stands out where another number has a pip does, as a share of what its pips do in the middle.

        A 5 of which a pip is worn off has the pips of a 3, and one beside them.
        """
        ideal, standing, pips = self._pips(face)
        odd = [worth * _standing_at(standing, across, down) for across, down, worth in ideal.free]
        return max(odd, default=0.0) / max(statistics.median(pips), 1.0)

    def faintest_pip(self, face: int) -> float:
        """How far its faintest pip stands out, as a share of the median pip; one of the least may be grain."""
        _, _, pips = self._pips(face)
        return min(pips) / max(statistics.median(pips), 1.0)

    def _pips(self, face: int) -> tuple[Ideal, Floats, list[float]]:
        """The ideal face of this number, what stands out around its middle, and how far each of its pips does."""
        ideal, sharp = self.best(face)
        standing = np.asarray(cv2.blur(sharp, (_PARTNER_PX, _PARTNER_PX)), np.float32)
        return ideal, standing, [_standing_at(standing, *pip) for pip in ideal.pips]

    def partner(self) -> tuple[float, float] | None:
        """Where the pip is, if there is one, that makes a 2 with the one in the middle: right and down of it, in sides.

        It may be another face's, or another die's.
        """
        _, starts, _ = _bank()
        kind = int(self._all[:, :, : starts[1]].max(axis=(1, 2)).argmax())
        standing = cv2.blur(self._hats[kind], (_PARTNER_PX, _PARTNER_PX))
        off = (np.arange(_CUT_PX) - (_CUT_PX - 1) / 2) * _CUT_SIDES / _CUT_PX
        far = np.hypot(off, off[:, None])
        around = np.where((far > _PARTNER[0]) & (far < _PARTNER[1]), standing, 0.0)
        row, column = np.unravel_index(int(around.argmax()), around.shape)
        if around[row, column] < _STANDS_OUT * standing[far < _NEAR_MIDDLE].max():
            return None
        return float(off[column]), float(off[row])


def compare(levels: list[Image], places: npt.NDArray[np.floating], large: bool = False) -> list[Fit]:
    """Compare faces (n x 3: x, y, side in pixels of the first level) with the ideal ones.

    Pips are at most a quarter of a side wide; with large up to half a side, as a single one may be, but then the many
    pips of other faces are taken for one another more often.
    """
    hat_px = _LARGE_HAT_PX if large else _HAT_PX
    fits: list[Fit] = []
    for begin in range(0, len(places), _CHUNK):
        fits += _compare(cut_out(levels, places[begin : begin + _CHUNK], _CUT_SIDES, _CUT_PX), hat_px)
    return fits


def _standing_at(standing: Floats, across: float, down: float) -> float:
    """What stands out most of a pip there, right and down of a face's middle in sides."""
    return float(standing[_pip(across, down)].max(initial=0))


@cache
def _pip(across: float, down: float) -> npt.NDArray[np.bool_]:
    """Where a pip is that lies there, right and down of a face's middle in sides: ideal faces have but few."""
    return np.asarray(np.hypot(_OFF - across, _OFF[:, None] - down) < _PIP, np.bool_)


def _compare(cuts: Image, hat_px: int) -> list[Fit]:
    bank, starts, weight = _bank()
    hats = _hats(cuts, hat_px)
    count, kinds = hats.shape[:2]
    cells = sum(hats[..., row::2, column::2] for row in (0, 1) for column in (0, 1)) / 4
    windows = np.lib.stride_tricks.sliding_window_view(cells, (_WINDOW, _WINDOW), axis=(2, 3))
    seen = windows.reshape(-1, _WINDOW * _WINDOW)[:, weight > 0]
    rows = _unit(seen, weight[weight > 0], _FAINT)
    folded: Floats = rows[:, : len(bank)] + rows[:, : len(bank) - 1 : -1]
    every = (folded @ bank).reshape(count, kinds, _SHIFTS * _SHIFTS, -1)
    every -= _aside()[:, None]
    likeness = np.maximum.reduceat(every.max(axis=(1, 2)), starts, axis=1)
    return [Fit(*one) for one in zip(likeness, hats, every, strict=True)]


def _hats(cuts: Image, hat_px: int) -> Floats:
    """What stands out as pips do (n x 4 x h x w): lighter and darker, by all colours together and by tint alone."""
    count, height, width, _ = cuts.shape
    layers = np.concatenate([cuts, _tints(cuts)], axis=3).transpose(1, 2, 0, 3)
    flat = np.ascontiguousarray(layers).reshape(height, width, -1)
    round_pip = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (hat_px, hat_px))
    hats = np.empty((count, 4, height, width), np.float32)
    for row, operation in ((0, cv2.MORPH_TOPHAT), (2, cv2.MORPH_BLACKHAT)):
        hat = cv2.morphologyEx(flat, operation, round_pip).reshape(height, width, count, 4).astype(np.float32)
        hats[:, row] = np.sqrt(np.einsum("hwnc,hwnc->nhw", hat[..., :3], hat[..., :3]))
        hats[:, row + 1] = hat[..., 3].transpose(2, 0, 1)
    return hats


def _tints(cuts: Image) -> Image:
    """Each pixel's tint, on the axis along which those of its face differ most (n x h x w x 1).

    It shows pips that are as bright as their die.
    """
    rim = (_CUT_PX - _FACE_PX) // 2
    face = cuts[:, rim:-rim, rim:-rim].reshape(len(cuts), -1, 3) @ _TINTS
    middle = face.mean(axis=1, keepdims=True)
    apart = face - middle
    _, axes = np.linalg.eigh(apart.transpose(0, 2, 1) @ apart)
    along = axes[:, :, -1:]  # n x 2 x 1
    pixels = cuts.reshape(len(cuts), -1, 3).astype(np.float32)
    tints = pixels @ (_TINTS @ along) - (middle @ along - 128)
    return np.asarray(np.clip(np.rint(tints), 0, 255), np.uint8).reshape(*cuts.shape[:3], 1)


def _unit(rows: Floats, weight: Floats, faint: float) -> Floats:
    """Rows (n x cells) with mean 0 and length 1 under a weight; those of less contrast than faint are shorter."""
    rows = rows - (rows @ (weight / weight.sum()))[:, None]
    rows *= np.sqrt(weight)
    rows /= np.sqrt(np.einsum("nc,nc->n", rows, rows))[:, None] + np.float32(faint * np.sqrt(weight.sum()))
    return rows


@cache
def _aside() -> Floats:
    """What a pattern loses by lying aside, for each move of the window."""
    off = (np.arange(_SHIFTS) - _SHIFTS // 2) * _CELL_SIDES
    return np.asarray(_FAR * (off[:, None] ** 2 + off**2).ravel(), np.float32)


@cache
def _bank() -> tuple[Floats, npt.NDArray[np.intp], Floats]:
    """The ideal faces (half of the cells that count x faces, by number), where each number begins, the window's weight.

    Half of the cells are enough: every ideal face is the same upside down.
    """
    ideals = _ideals()
    steps = (np.arange(_WINDOW) - (_WINDOW - 1) / 2) * _CELL_SIDES
    x, y = (grid.ravel() for grid in np.meshgrid(steps, steps))
    weight = 1 / (1 + np.exp((np.hypot(x, y) - _REACH) / _SOFT))
    weight[weight < 0.02] = 0
    drawn = np.stack([_drawn(ideal, x, y) for ideal in ideals])
    rows = _unit(drawn[:, weight > 0], np.asarray(weight[weight > 0], np.float32), 0.0)
    starts = np.searchsorted([ideal.face for ideal in ideals], np.arange(1, FACES + 1))
    return np.ascontiguousarray(rows.T[: rows.shape[1] // 2]), starts, np.asarray(weight, np.float32)


@cache
def _ideals() -> tuple[Ideal, ...]:
    """The ideal faces, by number."""
    return tuple(_made())


def _made() -> Iterator[Ideal]:
    for radius in _ONE_RADII:
        yield Ideal(1, _SITES[1], radius)
    for face, pitch, radius, turn in product((2, 3), _WIDE_PITCHES, _RADII, range(2 * _TURNS)):
        yield _ideal(face, pitch, pitch, radius, turn)
    for face, pitch, turn in product((4, 5), _PITCHES, range(_TURNS)):
        yield _ideal(face, pitch, pitch, max(_RADIUS_SHARE * pitch, _RADIUS_LEAST), turn)
    for pitch, aspect, turn in product(_PITCHES, _SIX_ASPECTS, range(2 * _TURNS)):
        yield _ideal(6, aspect * pitch, pitch, max(_RADIUS_SHARE * pitch, _RADIUS_LEAST), turn)


def _ideal(face: int, across: float, down: float, radius: float, turn: int) -> Ideal:
    cos, sin = math.cos(turn * math.pi / 2 / _TURNS), math.sin(turn * math.pi / 2 / _TURNS)

    def place(x: float, y: float) -> tuple[float, float]:
        return cos * across * x - sin * down * y, sin * across * x + cos * down * y

    free = tuple((*place(x, y), worth) for x, y, worth in _FREE.get(face, ()))
    return Ideal(face, tuple(place(*site) for site in _SITES[face]), radius, free)


def _drawn(ideal: Ideal, x: Floats, y: Floats) -> Floats:
    """How much of a pip is at places, in sides from the face's middle: 0 to 1."""
    paint = np.zeros(x.shape)
    for across, down in ideal.pips:
        np.maximum(paint, 1 / (1 + np.exp((np.hypot(x - across, y - down) - ideal.radius) / _BLUR)), out=paint)
    return np.asarray(paint, np.float32)
