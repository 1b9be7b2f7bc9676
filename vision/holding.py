"""Whether a calibration still holds for a picture: the floor's rim where it was, the light as it was, a clear view."""

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from vision.picture import Image
from vision.reading import Verdict
from vision.tray import SMALL, Floats, Tray

Strip = npt.NDArray[np.float32]

_RAYS, _STEPS = 120, 88
_INSIDE, _OUTSIDE = 0.9, 1.07  # radii of the floor between which the rim is looked at
_REACH = 22  # steps by which the rim is looked for inwards and outwards
_KNOWN = 0.6  # correlation of a ray with the reference from which on it is the same place
_FEWEST_KNOWN = 0.35  # of the rays; dice at the rim hide some
_MOVED_MM = 2.0  # the floor's rim, at its worst place
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

    Only the floor's rim and what is around it is looked at, so that it does not matter what lies on the floor.
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
    verdict, message = _judged(light, dimmest, off_mm, known)
    hazy = verdict is None and sharpness < _HAZE
    warning = "The picture is less sharp than it was at calibration: clean the window." if hazy else ""
    return Holding(verdict, message, warning, light)


def rim(tray: Tray, image: Image) -> Strip:
    """The grey levels along the floor's rim (rays x steps outwards), from a picture of the calibrated size."""
    return _strip(tray, image, 1)


def sharpness_of(strip: Strip) -> float:
    """How much neighbouring places along the rim differ, in grey levels; the median of the rays leaves out dice."""
    return float(np.median(np.abs(np.diff(strip, axis=1)).mean(axis=1)))


def level_of(strip: Strip) -> float:
    """The grey level along the rim."""
    return float(np.median(strip))


def _strip(tray: Tray, image: Image, shrunk: int) -> Strip:
    radius_mm = tray.floor.radius_mm if tray.floor else 0.0
    turn = np.arange(_RAYS) * (2 * np.pi / _RAYS)
    radii = np.linspace(_INSIDE, _OUTSIDE, _STEPS) * radius_mm
    points = np.stack([np.outer(np.cos(turn), radii), np.outer(np.sin(turn), radii)], axis=-1)
    places = ((tray.in_picture(points.reshape(-1, 2)) + 0.5) / shrunk - 0.5).astype(np.float32)
    x, y = places.reshape(_RAYS, _STEPS, 2).transpose(2, 0, 1)
    seen = cv2.remap(image, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return cv2.cvtColor(np.asarray(seen, np.uint8), cv2.COLOR_BGR2GRAY).astype(np.float32)


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
    step_mm = radius_mm * (_OUTSIDE - _INSIDE) / (_STEPS - 1)
    turn = np.arange(_RAYS) * (2 * np.pi / _RAYS)
    model = np.column_stack([np.ones(_RAYS), np.cos(turn), np.sin(turn), np.cos(2 * turn), np.sin(2 * turn)])
    fitted = _fitted(model, (best - _REACH) * step_mm, known)
    return float(np.abs(fitted).max()), float(known.mean())


def _fitted(model: Floats, values: Floats, known: npt.NDArray[np.bool_]) -> Floats:
    """What the model makes of the values (n), those that are far from the others left out."""
    for _ in range(4):
        fitted = model @ np.linalg.lstsq(model[known], values[known], rcond=None)[0]
        off = np.abs(values - fitted)
        known = known & (off <= max(0.3, 2.5 * float(np.median(off[known]))))
    return np.asarray(fitted, np.float64)


def _plain(strip: npt.NDArray[np.integer | np.floating]) -> Strip:
    return np.asarray(strip - strip.mean(axis=1, keepdims=True), np.float32)


def _judged(light: float, dimmest: float, off_mm: float, known: float) -> tuple[Verdict | None, str]:
    """The verdict by the figures; without light nothing can be said of the place."""
    if light < _DIM or light > _BRIGHT:
        return Verdict.BAD_LIGHT, f"The floor is {light:.0%} as bright as at calibration: see to the ring light."
    if dimmest < _DIM_SECTOR:
        return Verdict.BAD_LIGHT, "A part of the ring light is out, or something throws a shadow on the floor."
    if known < _FEWEST_KNOWN:
        return Verdict.MOVED, "The floor's rim is not where calibration left it: see to camera and cone."
    if off_mm > _MOVED_MM:
        return (
            Verdict.MOVED,
            f"The floor's rim is {off_mm:.1f} mm from where calibration left it: see to camera and cone.",
        )
    return None, ""
