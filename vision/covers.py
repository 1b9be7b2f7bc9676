"""What lies over a picture from its edge: a hand, a cloth.

Nothing here is learned, and no colours are known before: a cover is one coherent patch that comes in from outside.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from vision.picture import Image
from vision.surroundings import NO_DICE, SQUARE, Floats, Mask, Places, shrunk

_CELLS = 48  # across the coarse picture in which covers are looked for,
_MOST_CELLS = 4 * _CELLS  # and up it at most: of a strip it is as narrow as the strip
_LIGHTNESS = 0.6  # a shadow differs by it alone
_KINDS = (2, 3, 4, 5)
_COVER_SHARE, _COVER_DICE = 0.02, 3.0  # of the picture, and faces of dice, that a cover hides at least
_EDGE_SHARE = 0.7  # of the picture's edge at most: more is a frame or the ground
_PARTED = 20.0  # levels between two looks of the edge
_GRAIN = 3.0  # added to how much the patch differs in itself


@dataclass(frozen=True, slots=True)
class Cover:
    """The patch that looks most as if it lay over the picture from its edge."""

    stands_out: float  # its edge's contrast against its grain, times the coherence of its look
    whole: float  # share of that look that is in this patch
    edge: float  # share of the picture's edge that it takes


NO_COVER = Cover(0.0, 0.0, 0.0)


def cover(levels: list[Image], places: Places) -> Cover:
    """What lies over the picture from its edge, if anything does: a hand, a cloth; places as for `things`."""
    coarse = _coarse(levels)
    columns = coarse.shape[1]
    side = float(np.median(places[:, 2])) * columns / levels[0].shape[1] if len(places) else columns / NO_DICE
    least = max(_COVER_SHARE * coarse[..., 0].size, _COVER_DICE * side**2)
    best = NO_COVER
    for kinds in _KINDS:
        for patch, whole in _patches(coarse, kinds, least):
            seen = _cover(coarse, patch, whole)
            best = max(best, seen, key=lambda one: one.stands_out)
    return best


def edge_parted(levels: list[Image]) -> bool:
    """Whether the picture's edge is of two looks, each in one piece: only then can a cover be a large one."""
    rim = _rim(_coarse(levels))
    way = np.linalg.svd(rim - rim.mean(axis=0), full_matrices=False)[2][0]
    along = np.rint(np.clip(rim @ way - float((rim @ way).min()), 0, 255)).astype(np.uint8)
    smooth = np.asarray(cv2.medianBlur(np.tile(along, (5, 1)), 5)[2])
    _, bright = cv2.threshold(smooth, 0, 1, cv2.THRESH_BINARY + cv2.THRESH_OTSU)
    part = bright.ravel().astype(bool)
    comings = int((np.diff(np.append(part, part[0]).astype(np.int8)) == 1).sum())
    return comings == 1 and float(np.median(smooth[part])) - float(np.median(smooth[~part])) > _PARTED


def _coarse(levels: list[Image]) -> Floats:
    height, width = levels[0].shape[:2]
    columns = min(_CELLS, max(3, round(_MOST_CELLS * width / height)))
    rows = min(_MOST_CELLS, max(3, round(_CELLS * height / width)))
    coarse = cv2.cvtColor(shrunk(levels, columns, rows), cv2.COLOR_BGR2LAB)
    return np.asarray(coarse * np.array([_LIGHTNESS, 1, 1], np.float32), np.float32)


def _rim(cells: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The cells along the edge, once around."""
    return np.concatenate([cells[0], cells[1:, -1], cells[-1, -2::-1], cells[-2:0:-1, 0]])


def _patches(coarse: Floats, kinds: int, least: float) -> Iterator[tuple[Mask, float]]:
    """The coherent patches of so many kinds of look, and what share of its look each is."""
    cv2.setRNGSeed(1)
    ends = cv2.TERM_CRITERIA_EPS + cv2.TERM_CRITERIA_COUNT, 20, 0.5
    cells = coarse.reshape(-1, 3)
    _, kind, _ = cv2.kmeans(cells, kinds, np.empty((len(cells), 1), np.int32), ends, 1, cv2.KMEANS_PP_CENTERS)
    for one in range(kinds):
        look = cv2.medianBlur((kind.reshape(coarse.shape[:2]) == one).astype(np.uint8), 3)
        count, numbers, boxes, _ = cv2.connectedComponentsWithStats(look, connectivity=4)
        for number in range(1, count):
            if boxes[number][4] >= least:
                yield (numbers == number).astype(np.uint8), boxes[number][4] / float(look.sum())


def _cover(coarse: Floats, patch: Mask, whole: float) -> Cover:
    """What a patch is worth as a cover: it comes in at one side and ends in a line, not in a gradient."""
    rim = _rim(patch).astype(np.int8)
    edge, comings = float(rim.mean()), int((np.diff(np.append(rim, rim[0])) == 1).sum())
    around = cv2.dilate(patch, SQUARE)
    beyond = cv2.dilate(around, SQUARE) > around
    if comings != 1 or edge > _EDGE_SHARE or not beyond.any():
        return NO_COVER
    near = cv2.blur(patch.astype(np.float32), (5, 5))[..., None]
    own = cv2.blur(coarse * patch[..., None], (5, 5)) / np.maximum(near, 1e-3)
    contrast = float(np.quantile(np.linalg.norm(own[beyond] - coarse[beyond], axis=1), 0.25))
    inside = coarse[patch > 0]
    grain = float(np.median(np.linalg.norm(inside - np.median(inside, axis=0), axis=1)))
    return Cover(whole * contrast / (grain + _GRAIN), whole, edge)
