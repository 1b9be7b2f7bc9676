"""Whether a calibration still holds for a picture: the floor and its print where they were, the light, a clear view."""

import math
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from vision.picture import Image
from vision.reading import Verdict
from vision.rig import Rig
from vision.tray import SMALL, Floats, Tray

Strip = npt.NDArray[np.float32]

_RAYS, _RADII = 120, np.linspace(0.9, 1.07, 88)  # around and outwards, where the rim is looked at: radii of the floor
_REACH = 22  # steps by which the rim is looked for inwards and outwards
_KNOWN = 0.6  # correlation of a ray with the reference from which on it is the same place
_FEWEST_KNOWN = 0.35  # of the rays; dice at the rim hide some
_MOVED_MM = 2.0  # the floor's rim, at its worst place
_MEASURED_MM = 4.0  # what is farther off leaves the strip in which the rim is looked for
_AROUND, _PRINTED_RADII = 720, np.linspace(0.93, 0.985, 9)  # places around, where the floor's print is looked at
_WIDE = 61  # places: what is wider than half of that is no print
_LOUD = 1.5  # times the strongest of the print: there lies a die
_SAME, _SAME_ELSEWHERE = 0.4, 0.15  # correlation of the print with the reference, and beyond that at the same place
_DIM, _BRIGHT = 0.75, 1.35  # of the grey level at calibration; grey levels go with the root of the light
_SECTORS, _DIM_SECTOR = 12, 0.65  # of the level around it: a part of the ring is out
_HAZE = 0.75  # of the sharpness at calibration


@dataclass(frozen=True, slots=True)
class Holding:
    """What became of the calibration."""

    verdict: Verdict | None  # MOVED or BAD_LIGHT; None while it holds
    message: str  # why, as a sentence; empty while it holds
    warning: str  # what to do soon; empty if nothing
    light: float  # grey level along the rim, as a share of that at calibration


def holds(tray: Tray, image: Image) -> Holding:
    """Compare a picture with what calibration saw, a few ms; ValueError before the floor was calibrated.

    Only the floor's rim, the print at it and what is around are looked at, so what lies on the floor does not matter.
    """
    floor = tray.floor
    if floor is None:
        raise ValueError("the floor has not been calibrated")
    if image.shape[1::-1] != floor.size_px:
        width, height = image.shape[1::-1]
        message = f"The picture is {width} x {height}, calibration saw {floor.size_px[0]} x {floor.size_px[1]}."
        return Holding(Verdict.MOVED, message, "", 1.0)
    now, before = _strip(tray, image, 1), _strip(tray, tray.empty, SMALL)
    shares = _levels(now) / np.maximum(_levels(before), 1.0)
    light = float(np.median(shares))
    # More light shows more of the same grain.
    sharpness = sharpness_of(now) / max(floor.sharpness * light, 1e-6)
    dimmest = float(shares.min()) / max(light, 1e-6)
    off_mm, known = _shift(now, before, floor.radius_mm)
    turned_deg = _turned_deg(_print(tray, image, 1), _print(tray, tray.empty, SMALL))
    moved_mm = off_mm, floor.radius_mm * math.radians(turned_deg)
    verdict, message = _judged(light, dimmest, moved_mm, known, turned_deg)
    hazy = verdict is None and sharpness < _HAZE
    warning = "The picture is less sharp than it was at calibration: clean the window." if hazy else ""
    return Holding(verdict, message, warning, light)


def rim(tray: Tray, image: Image) -> Strip:
    """The grey levels along the floor's rim (rays x steps outwards), from a picture of the calibrated size."""
    return _strip(tray, image, 1)


def askew_deg(tray: Tray, image: Image, rig: Rig) -> float:
    """How far the mark is from where it belongs on the empty floor, 0 to 180 degrees; 0 where none is seen."""
    seen, ring = _print(tray, image, 1), _places(_AROUND, _PRINTED_RADII) * rig.floor_diameter_mm / 2
    meant = rig.printed(ring.transpose(2, 0, 1), tray.small_mm / SMALL).mean(axis=1)
    return _turned_deg(seen, np.asarray(float(np.median(seen)) * np.sqrt(meant), np.float32))


def sharpness_of(strip: Strip) -> float:
    """How much neighbouring places along the rim differ, in grey levels; the median of the rays leaves out dice."""
    return float(np.median(np.abs(np.diff(strip, axis=1)).mean(axis=1)))


def level_of(strip: Strip) -> float:
    """The grey level along the rim."""
    return float(np.median(strip))


def _strip(tray: Tray, image: Image, shrunk: int) -> Strip:
    return _ring(tray, image, shrunk, _RAYS, _RADII)


def _print(tray: Tray, image: Image, shrunk: int) -> Strip:
    """The grey level at each place around the floor where strokes and mark are printed."""
    ring = _ring(tray, image, shrunk, _AROUND, _PRINTED_RADII)
    return np.asarray(ring.mean(axis=1), np.float32)


def _ring(tray: Tray, image: Image, shrunk: int, rays: int, radii: Floats) -> Strip:
    """The grey levels at these shares of the floor's radius, anticlockwise from the right (rays x radii)."""
    points = _places(rays, radii) * (tray.floor.radius_mm if tray.floor else 0.0)
    places = ((tray.in_picture(points.reshape(-1, 2)) + 0.5) / shrunk - 0.5).astype(np.float32)
    x, y = places.reshape(points.shape).transpose(2, 0, 1)
    seen = cv2.remap(image, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return cv2.cvtColor(np.asarray(seen, np.uint8), cv2.COLOR_BGR2GRAY).astype(np.float32)


def _places(rays: int, radii: Floats) -> Floats:
    """Places around the floor's middle, x to the right and y up the picture (rays x radii x 2)."""
    turn = np.arange(rays) * (2 * np.pi / rays)
    return np.stack([np.outer(np.cos(turn), radii), np.outer(np.sin(turn), radii)], axis=-1)


def _levels(strip: Strip) -> Floats:
    """The grey level of each sector of the rim."""
    return np.asarray(np.median(strip.reshape(_SECTORS, -1), axis=1), np.float64)


def _shift(now: Strip, before: Strip, radius_mm: float) -> tuple[float, float]:
    """How far the rim has moved outwards or inwards at its worst place (mm), and the share of the rays that show it."""
    smooth_now, smooth_before = (
        _plain(np.asarray(cv2.GaussianBlur(strip, (5, 3), 0), np.float32)) for strip in (now, before)
    )
    sought = _plain(smooth_before[:, _REACH:-_REACH])
    windows = np.lib.stride_tricks.sliding_window_view(smooth_now, sought.shape[1], axis=1)
    middled = windows - windows.mean(axis=2, keepdims=True)
    likeness = np.einsum("rsn,rn->rs", middled, sought)
    power = np.einsum("rsn,rsn->rs", middled, middled) * np.einsum("rn,rn->r", sought, sought)[:, None]
    likeness /= np.sqrt(power) + 1e-6
    best = likeness.argmax(axis=1)
    known = likeness.max(axis=1) > _KNOWN
    if known.mean() < _FEWEST_KNOWN:
        return 0.0, float(known.mean())
    step_mm = radius_mm * float(_RADII[1] - _RADII[0])
    turn = np.arange(_RAYS) * (2 * np.pi / _RAYS)
    model = np.column_stack([np.ones(_RAYS), np.cos(turn), np.sin(turn), np.cos(2 * turn), np.sin(2 * turn)])
    fitted = _fitted(model, (best - _REACH) * step_mm, known)
    return float(np.abs(fitted).max()), float(known.mean())


def _turned_deg(now: Strip, before: Strip) -> float:
    """How far the floor's print has turned about its middle, 0 to 180 degrees; 0 where that is not certain.

    The correlation at every turn at once, by way of frequencies; where dice lie nothing is compared.
    """
    sought = _narrow(before)
    loudest = float(np.abs(sought).max())
    bare = (np.abs(now - np.median(now)) < _LOUD * loudest).astype(np.float32)
    free = cv2.erode(bare[:, None], np.ones((7, 1), np.uint8)).ravel()
    seen = np.clip(_narrow(now), -loudest, loudest) * free

    def against(values: npt.NDArray[Any], known: npt.NDArray[Any]) -> Floats:
        return np.asarray(np.fft.irfft(np.fft.rfft(values) * np.conj(np.fft.rfft(known)), _AROUND), np.float64)

    power = np.maximum(against(free, np.square(sought, dtype=np.float32)), 0.1 * float(sought @ sought)) * float(
        seen @ seen
    )
    likeness = against(seen, sought) / np.sqrt(power + 1e-6)
    turn = int(likeness.argmax())
    here = float(likeness[np.arange(-2, 3)].max())
    if likeness[turn] < max(_SAME, here + _SAME_ELSEWHERE):
        return 0.0
    return min(turn, _AROUND - turn) * 360 / _AROUND


def _narrow(around: Strip) -> Strip:
    """What stands out of the levels around the floor and is narrow, as print is."""
    levels = np.rint(np.pad(around, _WIDE, mode="wrap")).astype(np.uint8)
    return np.asarray(around - cv2.medianBlur(levels[None], _WIDE)[0, _WIDE:-_WIDE], np.float32)


def _fitted(model: Floats, values: Floats, known: npt.NDArray[np.bool_]) -> Floats:
    """What the model makes of the values (n), those that are far from the others left out."""
    for _ in range(4):
        fitted = model @ np.linalg.lstsq(model[known], values[known], rcond=None)[0]
        off = np.abs(values - fitted)
        known = known & (off <= max(0.3, 2.5 * float(np.median(off[known]))))
    return np.asarray(fitted, np.float64)


def _plain(strip: npt.NDArray[np.integer | np.floating]) -> Strip:
    return np.asarray(strip - strip.mean(axis=1, keepdims=True), np.float32)


def _judged(
    light: float, dimmest: float, moved_mm: tuple[float, float], known: float, turned_deg: float
) -> tuple[Verdict | None, str]:
    """The verdict by the figures; without light nothing can be said of the place."""
    off_mm, turned_mm = moved_mm
    if light < _DIM or light > _BRIGHT:
        return Verdict.BAD_LIGHT, f"The floor is {light:.0%} as bright as at calibration: see to the ring light."
    if dimmest < _DIM_SECTOR:
        return Verdict.BAD_LIGHT, "A part of the ring light is out, or something throws a shadow on the floor."
    if known < _FEWEST_KNOWN or off_mm > _MEASURED_MM:
        return Verdict.MOVED, "The floor's rim is not where calibration left it: see to camera and cone."
    if off_mm > _MOVED_MM:
        return (
            Verdict.MOVED,
            f"The floor's rim is {off_mm:.1f} mm from where calibration left it: see to camera and cone.",
        )
    if turned_mm > _MOVED_MM:
        told = (
            f"The marks on the floor are turned by {turned_deg:.1f} degrees since calibration: see to camera and floor."
        )
        return Verdict.MOVED, told
    return None, ""
