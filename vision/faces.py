"""The six patterns of pips: which spots together make a face."""

from dataclasses import dataclass

import numpy as np

from vision.picture import Image
from vision.pips import Floats, Rows, Spots, Truths, sample

# On every face the corner pips stand at (+-1, +-1); a pair of opposite corners gives the frame.
_SIZE_RATIO = 1.45  # between the largest and the smallest pip of a face
_COLOUR_SHARE = 0.45  # by which, of the contrast, colours may differ within a face
_NEAREST, _FARTHEST = 1.9, 7.5  # between opposite corners, in diameters of a pip
_CORNER_OFF, _CENTRE_OFF, _MIDDLE_OFF = 0.36, 0.16, 0.2  # from where a pip should be, in half diagonals
_REGION, _FACE = 1.27, 1.75  # units from the centre: no pip stands inside that is not the pattern's, none so round
_SIDE_FLAT = 0.8  # a pip that is flatter than this share of the face's pips may be on a side
_CORNERS = [(-1.0, -1.0), (1.0, 1.0), (-1.0, 1.0), (1.0, -1.0)]
# Where the third corner may be, as along and across the diagonal of the first two: the rows of a six may be close.
_OTHER_CORNERS = tuple(np.array([np.cos(turn), np.sin(turn)]) for turn in np.radians((90.0, 57.0, 123.0)))
_UNEVEN = 0.45  # the least ratio between the sides of the pattern's frame


@dataclass(frozen=True, slots=True, eq=False)
class Pattern:
    """Spots that stand as the pips of one face do."""

    face: int
    spots: tuple[int, ...]  # rows of the Spots
    centre: Floats  # 2, in pixels
    frame: Floats  # 2 x 2: turns (+-1, +-1) into the corner pips, from the centre
    residual: float  # largest distance of a pip from its place, in half diagonals

    @property
    def unit(self) -> float:
        """Half the side of the square of corner pips, in pixels."""
        return float(np.sqrt(abs(np.linalg.det(self.frame))))


def _alike(spots: Spots) -> Truths:
    """Whether two spots may be pips of one face, by size and colours (n x n)."""
    size = np.maximum(spots.diameter[:, None], spots.diameter) / np.minimum(spots.diameter[:, None], spots.diameter)
    weakest = np.minimum(spots.contrast[:, None], spots.contrast)
    strongest = np.maximum(spots.contrast[:, None], spots.contrast)
    inner = np.linalg.norm(spots.inner[:, None] - spots.inner, axis=2)
    around = np.linalg.norm(spots.around[:, None] - spots.around, axis=2)
    same = (size < _SIZE_RATIO) & (spots.sign[:, None] == spots.sign) & (strongest < 2 * weakest)
    return np.asarray(same & (inner < _COLOUR_SHARE * strongest) & (around < _COLOUR_SHARE * strongest), bool)


def find_patterns(spots: Spots, levels: list[Image]) -> list[Pattern]:
    """Every pattern of two pips or more, the one with the most pips and the best fit first; they may share spots."""
    if len(spots) < 2:
        return []
    same = _alike(spots)
    offset = spots.centre[None] - spots.centre[:, None]
    far = np.hypot(offset[..., 0], offset[..., 1])
    width = np.sqrt(spots.diameter[:, None] * spots.diameter)
    pairs = np.argwhere(np.triu(same & (far > _NEAREST * width) & (far < _FARTHEST * width), 1))
    pairs = pairs[_on_one_body(spots, levels, pairs)]
    found: dict[tuple[int, ...], Pattern] = {}
    for one, other in pairs:
        pattern = _fit(spots, same[one] & same[other], int(one), int(other))
        if pattern is not None:
            key = tuple(sorted(pattern.spots))
            if key not in found or found[key].residual > pattern.residual:
                found[key] = pattern
    return sorted(found.values(), key=lambda pattern: (-pattern.face, pattern.residual))


def _on_one_body(spots: Spots, levels: list[Image], pairs: Rows) -> Truths:
    """Whether the way from one spot to the other shows the body's colour or a pip's (n)."""
    good = np.zeros(len(pairs), bool)
    ways = np.linspace(0.0, 1.0, 15)[1:-1]
    for number, level in enumerate(levels):
        chosen = np.flatnonzero(spots.level[pairs[:, 0]] == number)
        if len(chosen) == 0:
            continue
        one, other = pairs[chosen].T
        way = spots.centre[one][:, None] + ways[None, :, None] * (spots.centre[other] - spots.centre[one])[:, None]
        colour = sample(level, (way + 0.5) / 2**number - 0.5)
        contrast = np.maximum(spots.contrast[one], spots.contrast[other])[:, None]
        body = (spots.around[one] + spots.around[other])[:, None] / 2
        pip = (spots.inner[one] + spots.inner[other])[:, None] / 2
        off = np.minimum(np.linalg.norm(colour - body, axis=2), np.linalg.norm(colour - pip, axis=2)) / contrast
        good[chosen] = np.sort(off, axis=1)[:, -2] < 0.5
    return good


def _fit(spots: Spots, same: Truths, one: int, other: int) -> Pattern | None:
    """The pattern that has these two as opposite corners, if there is one."""
    centre = (spots.centre[one] + spots.centre[other]) / 2
    along = (spots.centre[other] - spots.centre[one]) / 2
    across = np.array([-along[1], along[0]])
    basis = np.stack([along, across], axis=1)
    half = float(along @ along)
    place = (spots.centre - centre) @ basis / half
    near = np.flatnonzero(same & (np.abs(place).sum(axis=1) < 1.9))
    near = near[(near != one) & (near != other)]
    for corner in _OTHER_CORNERS:
        left, right = (_nearest(place, near, target, _CORNER_OFF) for target in (corner, -corner))
        if left is None or right is None:
            continue
        sides = _sides(place, near, left, right)
        if sides is not None:
            six = _solve(spots, [one, other, left, right, *sides[0]], [*_CORNERS, *sides[1]], basis)
            if six is not None and not _strangers(spots, six, same):
                return six
    middle = _nearest(place, near, np.zeros(2), _CENTRE_OFF)
    left, right = (_nearest(place, near, target, _CORNER_OFF) for target in (_OTHER_CORNERS[0], -_OTHER_CORNERS[0]))
    if (left is None) != (right is None):
        return None
    used, model = [one, other], _CORNERS[:2]
    if left is not None and right is not None:
        used, model = [*used, left, right], _CORNERS
    if middle is not None:
        used, model = [*used, middle], [*model, (0.0, 0.0)]
    pattern = _solve(spots, used, model, basis)
    return None if pattern is None or _strangers(spots, pattern, same) else pattern


def _nearest(place: Floats, near: Rows, target: Floats, reach: float) -> int | None:
    if len(near) == 0:
        return None
    off = np.hypot(*(place[near] - target).T)
    best = int(off.argmin())
    return int(near[best]) if off[best] < reach else None


def _sides(place: Floats, near: Rows, left: int, right: int) -> tuple[list[int], list[tuple[float, float]]] | None:
    """The two middle pips of a six, and where they stand."""
    one, other = np.array([-1.0, 0.0]), np.array([1.0, 0.0])
    for first, second, model in (
        ((one + place[left]) / 2, (other + place[right]) / 2, [(-1.0, 0.0), (1.0, 0.0)]),
        ((one + place[right]) / 2, (other + place[left]) / 2, [(0.0, -1.0), (0.0, 1.0)]),
    ):
        a, b = _nearest(place, near, first, _MIDDLE_OFF), _nearest(place, near, second, _MIDDLE_OFF)
        if a is not None and b is not None:
            return [a, b], model
    return None


def _solve(spots: Spots, used: list[int], model: list[tuple[float, float]], basis: Floats) -> Pattern | None:
    points, ideal = spots.centre[used], np.array(model)
    centre = points.mean(axis=0)
    if len(used) >= 4:
        frame = np.linalg.lstsq(ideal, points - centre, rcond=None)[0].T
    else:
        # (1, 1) is half the diagonal; the other diagonal is taken to be as long and at a right angle.
        frame = basis @ np.array([[0.5, 0.5], [-0.5, 0.5]])
    sizes = np.linalg.svd(frame, compute_uv=False)
    if sizes[1] < (_UNEVEN if len(used) == 6 else 0.62) * sizes[0]:
        return None
    off = np.hypot(*(points - centre - ideal @ frame.T).T) / (1.414 * np.sqrt(sizes.prod()))
    limit = _CENTRE_OFF if len(used) < 4 else 0.13
    if off.max() > limit:
        return None
    return Pattern(len(used), tuple(used), centre, frame, float(off.max()))


def _strangers(spots: Spots, pattern: Pattern, same: Truths) -> bool:
    """Whether other spots of the same kind stand among the pips."""
    place = (spots.centre - pattern.centre) @ np.linalg.inv(pattern.frame).T
    reach = np.abs(place).max(axis=1)
    round_enough = spots.flat > _SIDE_FLAT * spots.flat[list(pattern.spots)].min()
    inside = same & ((reach < _REGION) | (round_enough & (reach < _FACE)))
    inside[list(pattern.spots)] = False
    return bool(inside.any())
