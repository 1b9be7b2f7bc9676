"""What lies on the ground of a picture besides its dice, and which of its light is burnt out.

Nothing here is learned, and neither colours nor grounds are known before: a ground is what the picture shows in many
places, a thing is a small patch of a look that is rare.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from vision.network import cut_out
from vision.picture import Image

Mask = npt.NDArray[np.uint8]
Places = npt.NDArray[np.floating]
Floats = npt.NDArray[np.float32]

_DIE_PX, _LONG_PX = 10.0, (100, 200)  # side that dice have where things are looked for, and of that picture
NO_DICE = 14  # a die's side is taken for this part of the picture where there is none
_BODY = 0.95  # sides around a die's centre that may be it
_ZONES = 6, 5  # across and down
_RARE = 6  # zones: what is to be seen in fewer is no ground
_SHARE = 0.012  # of a zone that makes it to be seen there
_LIGHTNESS_STEP, _HUE_STEP, _HUES = 24, 8, 11  # what looks alike, and how many hues there are to each side of grey
_LEAST = 0.15  # of a die's face: anything smaller is grain
_MARGIN = 5  # pixels around a patch that are looked at
_GLEAMING, _GLEAM_SHARE = 240, 0.1  # a gleam's level, and the share of it that reaches it at least
_FADES = 0.3  # of how far it is from the ground, in levels of CIELAB: so much is the step at its rim at most;
_FADES_UNBURNT = 0.2  # where less of it gleams,
_BY_LIGHTNESS = 2.0  # if it is so many times as far by lightness as by tint
_BLACK, _GREY = 16 * 2.55, 128  # of CIELAB in levels: less light makes lightness + 16, a and b smaller alike

SQUARE = np.ones((3, 3), np.uint8)

_LEVELS = np.arange(256)
_HUE = np.clip((_LEVELS - 128) // _HUE_STEP, -_HUES, _HUES) + _HUES
_LOOKS = np.stack([_LEVELS // _LIGHTNESS_STEP, _HUE, _HUE], axis=1).astype(np.uint8)[None]
"""The look of a colour by its lightness and two hues, for each of their levels."""

_BURNT_LEVEL, _FACE_PX, _FACE_SIDES = 245, 24, 0.9

_STEEP_PX, _STEEPEST = 30, 75  # of a die's side, and how many pixels make an edge

_WINDOW_PX, _WINDOW_SIDES = 38, 2.4  # around something, and which of it is its middle and which the ground: so many
_MIDDLE_SIDES, _AROUND_SIDES = 0.38, (0.7, 1.13)  # sides from its centre
_LIGHTER = 0.3  # what lightness counts beside tint


@dataclass(frozen=True, slots=True)
class Thing:
    """A small patch that looks unlike the ground and is none of the dice; lengths in sides of a die."""

    x_px: float
    y_px: float
    area: float  # in faces of a die
    wide: float  # of the largest disc that fits into it
    long: float
    solid: float  # share that it takes of the smallest patch around it without dents
    tint: float  # how far its a and b of CIELAB, in levels, are from what those of the ground would be in its light


def things(levels: list[Image], places: Places) -> list[Thing]:
    """What is on the ground besides the dice at places (n x 3: x, y, side in px), whole in the picture."""
    return list(_besides(levels, places, False))


def cut_off(levels: list[Image], places: Places) -> list[Thing]:
    """The same of what the picture's edge cuts."""
    return list(_besides(levels, places, True))


@dataclass(frozen=True, slots=True, eq=False)
class _Ground:
    """A picture in which dice have about a certain size."""

    small: Image
    body: Mask  # where the dice are
    scale: float
    die_px: float  # side of the dice in it


@dataclass(frozen=True, slots=True, eq=False)
class _Spot:
    """A patch of it."""

    window: tuple[slice, slice]
    patch: Mask  # in that window, with what it encloses
    free: npt.NDArray[np.bool_]  # of dice
    centre: tuple[float, float]
    long: int


def _ground(levels: list[Image], places: Places) -> _Ground:
    height, width = levels[0].shape[:2]
    side = float(np.median(places[:, 2])) if len(places) else max(height, width) / NO_DICE
    scale = float(np.clip(_DIE_PX / side, *(long / max(height, width) for long in _LONG_PX)))
    small = shrunk(levels, *(max(round(length * scale), 2) for length in (width, height)))
    return _Ground(small, _bodies(small, places * scale), scale, side * scale)


def _spots(ground: _Ground, odd: Mask, cut: bool) -> Iterator[_Spot]:
    """The patches of a mask that are larger than grain, either whole or cut by the picture's edge."""
    count, numbers, boxes, centres = cv2.connectedComponentsWithStats(odd, connectivity=4)
    for number in range(1, count):
        left, top, wide, high, area = (int(value) for value in boxes[number])
        inside = left > 0 and top > 0 and left + wide < odd.shape[1] and top + high < odd.shape[0]
        if inside is not cut and area > _LEAST * ground.die_px**2:
            rows, columns = (
                slice(max(at - _MARGIN, 0), at + long + _MARGIN) for at, long in ((top, high), (left, wide))
            )
            free = ground.body[rows, columns] == 0
            patch = _filled((numbers[rows, columns] == number).astype(np.uint8)) & free
            centre = float(centres[number][0]), float(centres[number][1])
            yield _Spot((rows, columns), patch, free, centre, max(wide, high))


def _thing(ground: _Ground, spot: _Spot, tint: float) -> Thing:
    across = 2 * float(cv2.distanceTransform(spot.patch, cv2.DIST_L2, 3).max())
    x_px, y_px = (value / ground.scale for value in spot.centre)
    area = float(spot.patch.sum())
    solid = area / float(_without_dents(spot.patch).sum())
    die_px = ground.die_px
    return Thing(x_px, y_px, area / die_px**2, across / die_px, spot.long / die_px, solid, tint)


def _besides(levels: list[Image], places: Places, cut: bool) -> Iterator[Thing]:
    """What of a rare look is on the ground besides the dice, either whole or cut by the picture's edge."""
    ground = _ground(levels, places)
    odd = ((_zones_seen(ground.small, ground.body == 0) < _RARE) & (ground.body == 0)).astype(np.uint8)
    for spot in _spots(ground, odd, cut):
        small = ground.small[spot.window]
        colours = cv2.cvtColor(small, cv2.COLOR_BGR2LAB).astype(np.float32)
        looks = _in_and_around(colours, spot.patch, spot.free)
        if not _fades(small, colours, spot.patch, spot.free, looks):  # else it is light that the ground throws back
            yield _thing(ground, spot, _tint(*looks))


def burnt(levels: list[Image], places: Places) -> npt.NDArray[np.float64]:
    """The share of each face that is burnt out (n), places as for `things`."""
    faces = cut_out(levels, places, _FACE_SIDES, _FACE_PX)
    return np.asarray((faces.min(axis=3) >= _BURNT_LEVEL).mean(axis=(1, 2)), np.float64)


def steepness(levels: list[Image], place: Places, sides: float) -> float:
    """How steep the steepest edges within so many sides of a place (x, y, side in px) are, in levels of CIELAB.

    For each thirtieth of a side; so many pixels of a window are at least as steep as _STEEPEST says.
    """
    cut = cv2.GaussianBlur(cut_out(levels, place[None], sides, round(_STEEP_PX * sides))[0], (0, 0), 1.0)
    colours = cv2.cvtColor(cut, cv2.COLOR_BGR2LAB).astype(np.float32)
    return float(np.sort(_slopes(colours), axis=None)[-_STEEPEST])


def unlike_ground(levels: list[Image], place: Places, dice: Places) -> float:
    """How far something's middle is by its colour from the ground around it, in levels of CIELAB; places as above.

    What is lighter counts little, and what is darker as it is in shadow not at all. Where dice leave nothing to be seen
    of one of them it is 0.
    """
    window = cv2.cvtColor(cut_out(levels, place[None], _WINDOW_SIDES, _WINDOW_PX)[0], cv2.COLOR_BGR2LAB)
    x, y, side = place.tolist()
    steps = (np.arange(_WINDOW_PX) - (_WINDOW_PX - 1) / 2) * _WINDOW_SIDES / _WINDOW_PX * side
    free = np.ones(window.shape[:2], bool)
    for die_x, die_y, die_side in dice.tolist():
        free &= np.hypot(x + steps - die_x, y + steps[:, None] - die_y) > _BODY * die_side
    away = np.hypot(steps, steps[:, None]) / side
    middle = window[free & (away < _MIDDLE_SIDES)]
    around = window[free & (away > _AROUND_SIDES[0]) & (away < _AROUND_SIDES[1])]
    if not len(middle) or not len(around):
        return 0.0
    look, ground = np.median(middle, axis=0), np.median(around, axis=0)
    lighter = max(float(look[0] - ground[0]), 0.0)
    return float(np.hypot(_LIGHTER * lighter, _tint(look, ground)))


def shrunk(levels: list[Image], columns: int, rows: int) -> Image:
    """The picture at that size, from the smallest level that is no smaller."""
    level = next((one for one in reversed(levels) if one.shape[1] >= columns and one.shape[0] >= rows), levels[0])
    return np.asarray(cv2.resize(level, (columns, rows), interpolation=cv2.INTER_AREA), np.uint8)


def _bodies(small: Image, places: Places) -> Mask:
    body = np.zeros(small.shape[:2], np.uint8)
    for x, y, side in places.tolist():
        cv2.circle(body, (round(x), round(y)), max(2, round(_BODY * side)), 1, -1)
    return body


def _filled(patch: Mask) -> Mask:
    """The patch with what it encloses: the ground that shows through a ring is part of it."""
    rims, _ = cv2.findContours(patch, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    return np.asarray(cv2.drawContours(np.zeros_like(patch), rims, -1, 1, cv2.FILLED), np.uint8)


def _without_dents(patch: Mask) -> Mask:
    """The smallest patch around it without dents."""
    return np.asarray(cv2.fillConvexPoly(np.zeros_like(patch), cv2.convexHull(cv2.findNonZero(patch)), 1), np.uint8)


def _in_and_around(colours: Floats, patch: Mask, free: npt.NDArray[np.bool_]) -> Floats:
    """The colours of a patch and of what lies around it (2 x 3); the same where nothing can be seen of that."""
    beyond = (cv2.dilate(patch, SQUARE, iterations=4) > cv2.dilate(patch, SQUARE, iterations=2)) & free
    core = cv2.erode(patch, SQUARE) > 0
    inside = np.median(colours[core if core.any() else patch > 0], axis=0)
    return np.stack([inside, np.median(colours[beyond], axis=0) if beyond.any() else inside])


def _tint(look: Floats, around: Floats) -> float:
    """How far a look's tint is from that of the ground: a shadow is paler, by as much as it is darker."""
    darker = min(float((look[0] + _BLACK) / (around[0] + _BLACK)), 1.0)
    return float(np.linalg.norm(look[1:] - _GREY - darker * (around[1:] - _GREY)))


def _fades(small: Image, colours: Floats, patch: Mask, free: npt.NDArray[np.bool_], looks: Floats) -> bool:
    """Whether a patch is light or shadow without an edge: at its rim colours change little for how they differ."""
    apart = looks[0] - looks[1]
    if float((small[patch > 0].min(axis=1) >= _GLEAMING).mean()) >= _GLEAM_SHARE:
        most = _FADES
    elif abs(apart[0]) > _BY_LIGHTNESS * np.hypot(*apart[1:]):
        most = _FADES_UNBURNT
    else:
        return False
    rim = (cv2.morphologyEx(patch, cv2.MORPH_GRADIENT, SQUARE) > 0) & free
    return float(np.median(_slopes(colours)[rim])) < most * float(np.linalg.norm(apart))


def _slopes(colours: Floats) -> Floats:
    """How much colours (h x w x 3) change from pixel to pixel (h x w)."""
    steps = [cv2.Sobel(colours, cv2.CV_32F, across, 1 - across, scale=1 / 8) for across in (0, 1)]
    return np.asarray(np.linalg.norm(np.concatenate(steps, axis=2), axis=2), np.float32)


def _zones_seen(small: Image, free: npt.NDArray[np.bool_]) -> npt.NDArray[np.intp]:
    """In how many zones of the picture each pixel's look is to be seen."""
    rows, columns = small.shape[:2]
    seen = cv2.split(cv2.LUT(cv2.cvtColor(cv2.blur(small, (3, 3)), cv2.COLOR_BGR2LAB), _LOOKS))
    # No look lies on the rim of those that there are, so that none spills over below.
    lightness, red, yellow = (look.astype(np.int32) - (int(look.min()) - 1) for look in seen)
    lights, reds, yellows = (int(look.max()) + 2 for look in (lightness, red, yellow))
    code = ((lightness * reds + red) * yellows + yellow).ravel()
    down, across = np.arange(rows) * _ZONES[1] // rows, np.arange(columns) * _ZONES[0] // columns
    zone = (down[:, None] * _ZONES[0] + across).ravel()
    zones, looks = _ZONES[0] * _ZONES[1], lights * reds * yellows
    shown = (zone * looks + code)[free.ravel()]
    counts = np.bincount(shown, minlength=zones * looks).astype(np.float32).reshape(zones, looks)
    counts /= np.maximum(counts.sum(axis=1, keepdims=True), 1)
    # Neighbouring looks count as the same.
    near = cv2.boxFilter(counts.reshape(-1, yellows), -1, (3, 3), normalize=False, borderType=cv2.BORDER_CONSTANT)
    near = np.pad(near.reshape(zones, lights, -1), ((0, 0), (1, 1), (0, 0)))
    near = near[:, :-2] + near[:, 1:-1] + near[:, 2:]
    return np.asarray((near > _SHARE).sum(axis=0).ravel()[code], np.intp).reshape(rows, columns)
