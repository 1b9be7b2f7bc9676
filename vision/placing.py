"""A reading on a calibrated floor: millimetres, turns and colours of its dice, and what only a calibration can see."""

import math
from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np

from vision.die_shape import SIDE_MM
from vision.holding import Holding, holds
from vision.picture import Image
from vision.reading import Die, Reading, Verdict
from vision.tray import Dice, Tray

_ORDER = list(Verdict)
_SIZES = (0.7, 1.5)  # of the enrolled side: what a die may seem to have
_BEYOND = 0.35  # sides by which a die's centre must be inside of the floor's rim
_SURELY = 0.7  # of the second nearest colour: so near must the nearest be
_AROUND = 0.9  # sides from a die's centre, where it or its shadow is
_STRANGE_LEVELS, _STRANGE_SIDE = 26.0, 0.25  # grey levels off the empty floor; sides that a thing must be wide
TELL = 35.0
"""How different two dice must look to be told apart by their colours, see `apart`."""


def placed(reading: Reading, image: Image, tray: Tray) -> Reading:
    """The reading with what the calibration knows; its verdict is the first that holds, in their order."""
    if tray.floor is None:
        return reading
    holding = holds(tray, image)
    if holding.verdict is Verdict.MOVED:
        return _with(reading, _found(holding, None))
    light = holding.light
    dice = tuple(_place(die, image, tray) for die in reading.dice)
    if tray.dice is not None and tray.dice.by_colour:
        dice = _named(dice, image, tray.dice, light)
    here = replace(reading, dice=dice)
    return _with(here, _found(holding, _trouble(here, image, tray, light)))


def _found(holding: Holding, trouble: tuple[Verdict, str] | None) -> tuple[Verdict, str]:
    if holding.verdict is not None:
        return holding.verdict, holding.message
    return trouble or (Verdict.OK, holding.warning)


def _with(reading: Reading, found: tuple[Verdict, str]) -> Reading:
    verdict, message = found
    if _ORDER.index(verdict) < _ORDER.index(reading.verdict):
        return replace(reading, verdict=verdict, message=message, amiss=())
    if verdict is Verdict.OK and message:
        return replace(reading, message=f"{reading.message} {message}", warning=message)
    return reading


def _side_mm(tray: Tray) -> float:
    return tray.dice.side_mm if tray.dice else SIDE_MM


def _place(die: Die, image: Image, tray: Tray) -> Die:
    side_mm = _side_mm(tray)
    ((x_mm, y_mm),) = tray.on_floor(np.array([[die.x_px, die.y_px]]), side_mm)
    return replace(die, x_mm=float(x_mm), y_mm=float(y_mm), turn_deg=_turn_deg(_patch(die, image, 1.1)))


def _patch(die: Die, image: Image, sides: float) -> Image:
    """The part of the picture around a die's centre, so many sides of it wide."""
    half = max(2, round(sides * max(die.box[2:]) / 2))
    x, y = round(die.x_px), round(die.y_px)
    return image[max(0, y - half) : max(0, y + half + 1), max(0, x - half) : max(0, x + half + 1)]


def _turn_deg(patch: Image) -> float | None:
    """Which way most edges run, anticlockwise, -45 to 45; pips are round and say nothing."""
    if min(patch.shape[:2]) < 3:
        return None
    grey = cv2.cvtColor(patch, cv2.COLOR_BGR2GRAY)
    right, down = (cv2.Scharr(grey, cv2.CV_32F, *axis) for axis in ((1, 0), (0, 1)))
    # Four times the angle is the same for all four edges of a square.
    slope = (right - 1j * down) ** 4
    total = complex((slope / np.maximum(np.abs(slope) ** 0.5, 1e-6)).sum())
    return math.degrees(math.atan2(total.imag, total.real)) / 4 if total else None


def body_colour(die: Die, image: Image, light: float) -> tuple[float, float, float]:
    """The colour of a die's body (blue, green, red), as it would be in the light of the calibration."""
    middle = _patch(die, image, 0.7).reshape(-1, 3)
    blue, green, red = (float(level) / max(light, 1e-6) for level in np.median(middle, axis=0))
    return blue, green, red


def apart(one: Sequence[float], other: Sequence[float]) -> float:
    """How different two colours look; 0 is alike, 255 as black and white."""
    return math.dist(one, other) / math.sqrt(3)


def told_apart(colours: Sequence[Sequence[float]]) -> bool:
    """Whether dice of these colours can be told from each other."""
    pairs = ((one, other) for place, one in enumerate(colours) for other in colours[place + 1 :])
    return all(apart(one, other) >= TELL for one, other in pairs)


def _named(dice: Sequence[Die], image: Image, known: Dice, light: float) -> tuple[Die, ...]:
    """Each die with the name whose colour is the nearest, where it is near."""

    def name(die: Die) -> str | None:
        colour = body_colour(die, image, light)
        first, second, *_ = sorted((apart(each.colour, colour), each.name) for each in known.dice)
        return first[1] if first[0] < min(TELL, _SURELY * second[0]) else None

    return tuple(replace(die, colour=name(die)) for die in dice)


def _trouble(reading: Reading, image: Image, tray: Tray, light: float) -> tuple[Verdict, str] | None:
    """What the calibrated floor says against the dice, the first that holds."""
    side_mm = _side_mm(tray)
    if strange(image, reading.dice, tray, light):
        return Verdict.FOREIGN_OBJECT, "Something lies on the floor that is no die."
    if tray.dice is not None and not all(_of_size(die, tray, side_mm) for die in reading.dice):
        return Verdict.FOREIGN_OBJECT, f"A die is not of this set: its dice have sides of {side_mm:g} mm."
    radius_mm = tray.floor.radius_mm if tray.floor else 0.0
    inside_mm = radius_mm - _BEYOND * side_mm
    if any(math.hypot(die.x_mm or 0.0, die.y_mm or 0.0) > inside_mm for die in reading.dice):
        return Verdict.WRONG_COUNT, "A die lies outside of the floor."
    if tray.dice is not None and tray.dice.by_colour:
        names = [die.colour for die in reading.dice]
        if None in names or len(set(names)) < len(names):
            return (
                Verdict.UNSURE,
                "The dice cannot be told apart by their colours: see to the light.",
            )
    return None


def _of_size(die: Die, tray: Tray, side_mm: float) -> bool:
    x, y = die.x_px, die.y_px
    half = max(die.box[2:]) / 2
    left, right = tray.on_floor(np.array([[x - half, y], [x + half, y]]), side_mm)
    return _SIZES[0] * side_mm < math.dist(left, right) < _SIZES[1] * side_mm


def strange(image: Image, dice: Sequence[Die], tray: Tray, light: float) -> bool:
    """Whether something else than these dice lies on the floor, against the picture of the empty one."""
    empty = tray.empty
    size = empty.shape[1], empty.shape[0]
    small = cv2.resize(image, size, interpolation=cv2.INTER_AREA)
    off = np.abs(small.astype(np.float32) - light * empty.astype(np.float32)).max(axis=2)
    shrink = size[0] / image.shape[1]
    mask = ((off > _STRANGE_LEVELS) & tray.ground).astype(np.uint8)
    for die in dice:
        at = round(die.x_px * shrink), round(die.y_px * shrink)
        cv2.circle(mask, at, round(_AROUND * max(die.box[2:]) * shrink), 0, -1)
    width = max(3, round(_STRANGE_SIDE * _side_mm(tray) / tray.small_mm))
    return bool(cv2.erode(mask, np.ones((width, width), np.uint8)).any())
