"""Light and focus: whether the floor is lit brightly, evenly, steadily and without glare, and edges are sharp."""

from collections.abc import Sequence

import cv2
import numpy as np
import numpy.typing as npt

from calibration.pictures import check_size
from vision.picture import Image
from vision.sharpness import edge_px, widest_px
from vision.tray import Light, Made, Tray, small_size

LEVELS = (40.0, 190.0)
"""Grey levels that the median of an empty floor may have."""
DARKEST, BRIGHTEST = 0.55, 1.7
"""Of the median grey level: what the darkest and the brightest places of the floor may have."""
GLARE, FLICKER = 0.002, 0.03
"""Share of the floor that may blind; by how much frames may differ."""
_BLINDING = 245
_CELL_PX = 15  # of the small picture: places are compared, not grains


class BadLight(ValueError):
    """Light or focus that will not do; the message says what to do."""


def calibrate_light(pictures: Sequence[Image], tray: Tray, made: Made) -> Light:
    """The light on the empty floor, from two frames or more; BadLight or BadPictures where it will not do."""
    if len(pictures) < 2:
        raise BadLight("Flicker shows in two pictures at least: take more.")
    check_size(pictures)
    smalls = [_small(picture) for picture in pictures]
    ground = _ground(tray, smalls[0].shape[1::-1], pictures[0].shape[1::-1])
    medians = [float(np.median(small[ground])) for small in smalls]
    level = float(np.median(medians))
    mean = np.mean(np.stack(smalls), axis=0).astype(np.float32)
    places = np.asarray(cv2.blur(mean, (_CELL_PX, _CELL_PX)), np.float32)[ground] / max(level, 1.0)
    light = Light(
        darkest=float(np.percentile(places, 1)),
        brightest=float(np.percentile(places, 99)),
        glare=float((mean[ground] >= _BLINDING).mean()),
        flicker=(max(medians) - min(medians)) / max(level, 1.0),
        made=made,
    )
    fault = _fault(light, level)
    if fault:
        raise BadLight(fault)
    return light


def draw_light(picture: Image) -> Image:
    """The map of the light: how bright each place is against the median, blue below, red above; glare in white."""
    grey = cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY).astype(np.float32)
    share = cv2.blur(grey, (61, 61)) / max(float(np.median(grey)), 1.0)
    levels = np.clip((share - 0.4) / 1.2 * 255, 0, 255).astype(np.uint8)
    drawn = np.asarray(cv2.applyColorMap(levels, cv2.COLORMAP_JET), np.uint8)
    drawn[grey >= _BLINDING] = 255
    return drawn


def check_focus(picture: Image) -> float:
    """The width of the sharpest edges in pixels; BadLight where it is too large, or BadPictures."""
    check_size([picture])
    width_px, limit = edge_px(picture), widest_px(picture)
    if width_px > limit:
        told = "There are no edges" if width_px == float("inf") else f"The sharpest edges are {width_px:.1f} px wide"
        raise BadLight(f"{told}, {limit:.1f} are allowed: put dice on the floor, clean the window, turn the lens.")
    return width_px


def _fault(light: Light, level: float) -> str:
    if level < LEVELS[0]:
        return f"The floor's grey level is {level:.0f}, not {LEVELS[0]:.0f}: the ring is dim, or the exposure short."
    if level > LEVELS[1]:
        return f"The floor's grey level is {level:.0f}, {LEVELS[1]:.0f} are allowed: shorten the exposure."
    if light.flicker > FLICKER:
        return (
            f"The light flickers by {light.flicker:.0%}: shade the cornet from lamps on the mains, or expose for whole "
            "half periods of it (10 ms at 50 Hz, 8.33 ms at 60 Hz)."
        )
    if light.glare > GLARE:
        return f"{light.glare:.1%} of the floor blinds the camera: turn the ring, or shade the lamp that is mirrored."
    if light.darkest < DARKEST or light.brightest > BRIGHTEST:
        return (
            f"The light is uneven: places of the floor have {light.darkest:.0%} to {light.brightest:.0%} of its median "
            "grey level; see that the whole ring shines and sits straight."
        )
    return ""


def _small(picture: Image) -> npt.NDArray[np.float32]:
    height, width = picture.shape[:2]
    small = cv2.resize(picture, small_size((width, height)), interpolation=cv2.INTER_AREA)
    return cv2.cvtColor(small, cv2.COLOR_BGR2GRAY).astype(np.float32)


def _ground(tray: Tray, size: tuple[int, ...], whole: tuple[int, ...]) -> npt.NDArray[np.bool_]:
    """Where the floor is in the small picture; without a calibrated floor, the circle in its middle."""
    if tray.floor is not None and tray.floor.size_px == whole:
        return tray.ground
    columns, rows = size
    down, across = np.indices((rows, columns))
    return np.asarray(np.hypot(down - rows / 2, across - columns / 2) < 0.4 * rows, np.bool_)
