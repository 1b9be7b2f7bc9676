"""Round spots that might be pips: of any colour, on any ground, at any size."""

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from vision.picture import Image

Floats = npt.NDArray[np.float64]
Truths = npt.NDArray[np.bool_]
Rows = npt.NDArray[np.int64]

LEVELS = 5
"""Each level of the pyramid has half the width and height of the one before; 0 is the picture itself."""
_KERNEL_PX = 13  # a spot narrower than this is found; wider ones are found on the next level
_SMALLEST_PX, _WIDEST_PX = 3.2, 12.5  # diameters, on the level
_FAINTEST = 12  # grey levels between a spot and its surroundings
_FULLEST, _EMPTIEST = 1.12, 0.86  # area of the outline over that of the ellipse with the same moments
_FLATTEST = 0.4  # short over long axis
_RING, _RING_PX = 1.2, 0.6  # where the surroundings are looked at: so many half axes and so many pixels out
_DIRECTIONS = np.stack([f(np.arange(16) * (2 * np.pi / 16)) for f in (np.cos, np.sin)], axis=1)
_CLEAREST_SHARE = 0.55  # the share of the full contrast that must be there in each direction
_UNREST = 0.25
_MOST = 750  # of the spots, the clearest: a picture with more is all texture


@dataclass(frozen=True, slots=True, eq=False)
class Spots:
    """Spots as columns: one row of each array for one spot; pixels are those of the picture."""

    centre: Floats  # n x 2
    shape: Floats  # n x 2 x 2: turns the unit circle into the spot's outline
    diameter: Floats  # n: geometric mean of the axes
    flat: Floats  # n: short over long axis
    sign: Floats  # n: 1 lighter than its surroundings, -1 darker
    inner: Floats  # n x 3: colour inside
    around: Floats  # n x 3: colour of the surroundings
    contrast: Floats  # n: distance between the two colours
    clear: Floats  # n: the least share of the contrast found in any direction
    unrest: Floats  # n: how much the surroundings vary, as a share of the contrast
    level: Rows  # n: of the pyramid

    def __len__(self) -> int:
        return len(self.centre)

    def __getitem__(self, chosen: Rows | Truths) -> "Spots":
        return Spots(*(getattr(self, name)[chosen] for name in self.__slots__))


def pyramid(image: Image) -> list[Image]:
    """The picture, and halves of it as long as there is something left to see."""
    levels = [image]
    while len(levels) < LEVELS and min(levels[-1].shape[:2]) >= 4 * _KERNEL_PX:
        height, width = levels[-1].shape[:2]
        halved = cv2.resize(levels[-1], (width // 2, height // 2), interpolation=cv2.INTER_AREA)
        levels.append(np.asarray(halved, np.uint8))
    return levels


def sample(level: Image, points: npt.NDArray[np.floating]) -> npt.NDArray[np.float32]:
    """Colours (... x 3) at points (... x 2, in the level's pixels); beyond the edge, those of the edge."""
    height, width = level.shape[:2]
    flat = np.rint(points).astype(np.int32)
    places = np.clip(flat[..., 1], 0, height - 1) * width + np.clip(flat[..., 0], 0, width - 1)
    return np.asarray(level.reshape(-1, 3).take(places, axis=0), np.float32)


def find_spots(levels: list[Image]) -> Spots:
    """Every round or elliptic spot that stands out from its surroundings on all sides; the clearest first."""
    found = []
    for number, level in enumerate(levels):
        smooth = np.asarray(cv2.blur(level, (3, 3)), np.uint8) if number == 0 else level
        for sign, outlines in _outlines(smooth):
            centre, spread = _ellipses(outlines)
            found.append(_measure(smooth, number, sign, centre, spread))
    spots = Spots(*(np.concatenate([getattr(part, name) for part in found]) for name in Spots.__slots__))
    return _without_doubles(spots)


def _outlines(level: Image) -> list[tuple[int, list[npt.NDArray[np.int32]]]]:
    kernel = np.ones((_KERNEL_PX, _KERNEL_PX), np.uint8)
    lowest = cv2.min(cv2.min(level[..., 0], level[..., 1]), level[..., 2])
    highest = cv2.max(cv2.max(level[..., 0], level[..., 1]), level[..., 2])
    found = []
    for channel in (lowest, highest):
        for sign, operation in ((1, cv2.MORPH_TOPHAT), (-1, cv2.MORPH_BLACKHAT)):
            height = cv2.morphologyEx(channel, operation, kernel)
            # Half as high as the spot's own peak: an outline that depends neither on light nor on colour.
            half = np.maximum(cv2.dilate(height, kernel[:9, :9]) // 2, np.uint8(_FAINTEST))
            mask = cv2.compare(height, half, cv2.CMP_GT)
            outlines, _ = cv2.findContours(mask, cv2.RETR_LIST, cv2.CHAIN_APPROX_NONE)
            shortest, longest = 2.2 * _SMALLEST_PX - 1, 3.6 * _WIDEST_PX
            found.append((sign, [np.asarray(o[:, 0], np.int32) for o in outlines if shortest <= len(o) <= longest]))
    return found


def _ellipses(outlines: list[npt.NDArray[np.int32]]) -> tuple[Floats, Floats]:
    """Centres (n x 2) and second moments (n x 2 x 2) of those outlines that are ellipses; by Green's theorem."""
    if not outlines:
        return np.zeros((0, 2)), np.zeros((0, 2, 2))
    lengths = np.array([len(outline) for outline in outlines])
    starts = np.concatenate([[0], np.cumsum(lengths)[:-1]])
    base = np.repeat(np.array([outline[0] for outline in outlines], np.float64), lengths, axis=0)
    points = np.concatenate(outlines) - base
    following = np.arange(len(points)) + 1
    following[starts + lengths - 1] = starts
    x, y = points.T
    u, v = points[following].T
    cross = x * v - u * y

    def total(values: Floats) -> Floats:
        return np.asarray(np.add.reduceat(values * cross, starts), np.float64)

    area = total(np.full(len(x), 0.5))
    solid = area < -1.0  # holes run the other way round
    area = np.where(solid, area, 1.0)
    mx, my = total((x + u) / 6) / area, total((y + v) / 6) / area
    xx = total((x * x + x * u + u * u) / 12) / area - mx * mx
    yy = total((y * y + y * v + v * v) / 12) / area - my * my
    xy = total((2 * x * y + x * v + u * y + 2 * u * v) / 24) / area - mx * my
    of_ellipse = 4 * np.pi * np.sqrt(np.maximum(xx * yy - xy * xy, 1e-9))
    fill = np.abs(area) / of_ellipse
    kept = solid & (fill > _EMPTIEST) & (fill < _FULLEST)
    centre = base[starts] + np.stack([mx, my], axis=1)
    spread = np.stack([np.stack([xx, xy], axis=1), np.stack([xy, yy], axis=1)], axis=1)
    return centre[kept], spread[kept]


def _measure(level: Image, number: int, sign: int, centre: Floats, spread: Floats) -> Spots:
    values, axes = np.linalg.eigh(spread)
    # The outline runs through the centres of the spot's last pixels, half a pixel inside its edge.
    half = 2 * np.sqrt(np.maximum(values, 1e-9)) + 0.5
    size = 2 * np.sqrt(half[:, 0] * half[:, 1])
    flat = half[:, 0] / half[:, 1]
    kept = (size > _SMALLEST_PX) & (size < _WIDEST_PX) & (flat > _FLATTEST)
    centre, half, axes, size, flat = centre[kept], half[kept], axes[kept], size[kept], flat[kept]
    shape = axes * half[:, None, :]
    ring_shape = axes * (half * _RING + _RING_PX)[:, None, :]
    ring = sample(level, centre[:, None] + np.einsum("nij,kj->nki", ring_shape, _DIRECTIONS))
    core = sample(level, centre[:, None] + np.einsum("nij,kj->nki", shape * 0.5, _DIRECTIONS[::2]))
    inner, around = np.median(core, axis=1), np.median(ring, axis=1)
    step = around - inner
    contrast = np.linalg.norm(step, axis=1)
    share = np.einsum("nki,ni->nk", ring - inner[:, None], step) / np.maximum(contrast, 1.0)[:, None] ** 2
    # Up to three directions may meet a neighbouring pip, a seam or a gleam.
    clear = np.sort(share, axis=1)[:, 3]
    unrest = np.median(np.abs(ring - around[:, None]).max(axis=2), axis=1) / np.maximum(contrast, 1.0)
    good = (clear > _CLEAREST_SHARE) & (contrast > _FAINTEST) & (unrest < _UNREST)
    scale = float(2**number)
    return Spots(
        centre=(centre[good] + 0.5) * scale - 0.5,
        shape=shape[good] * scale,
        diameter=size[good] * scale,
        flat=flat[good],
        sign=np.full(int(good.sum()), float(sign)),
        inner=inner[good],
        around=around[good],
        contrast=contrast[good],
        clear=clear[good],
        unrest=unrest[good],
        level=np.full(int(good.sum()), number),
    )


def _without_doubles(spots: Spots) -> Spots:
    """One spot of those that were found in several channels or on several levels."""
    calm = np.argsort((spots.unrest + 0.03) / (np.minimum(spots.clear, 1.0) * np.sqrt(spots.diameter)))[:_MOST]
    spots = spots[calm]
    order = np.argsort(-spots.contrast * np.minimum(spots.clear, 1.0) / (spots.unrest + 0.1))
    spots = spots[order]
    if len(spots) == 0:
        return spots
    gap = np.hypot(*(spots.centre[:, None] - spots.centre[None]).transpose(2, 0, 1))
    widest = np.maximum(spots.diameter[:, None], spots.diameter[None])
    like = widest < 1.9 * np.minimum(spots.diameter[:, None], spots.diameter[None])
    same = (gap < 0.5 * widest) & like & (spots.sign[:, None] == spots.sign[None])
    taken = np.zeros(len(spots), bool)
    kept = []
    for row in range(len(spots)):
        if not taken[row]:
            kept.append(row)
            taken |= same[row]
    return spots[np.array(kept)]
