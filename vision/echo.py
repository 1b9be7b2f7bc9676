"""Whether a picture shows two moments at once: everything twice, a part of a die's side apart."""

import math

import cv2
import numpy as np
import numpy.typing as npt

from vision.picture import Image
from vision.surroundings import SQUARE

Floats = npt.NDArray[np.float32]

_DIE_PX, _LONG_PX = 16.0, 360  # how large a die is at least where echoes are looked for, and the long side
_STEP_PX = 8  # sides are multiples of it, which are transformed quickly
_NEAREST, _NEAREST_PX, _FARTHEST = 0.1, 2.5, 0.9  # sides of a die, pixels and sides that the two are apart
_AROUND_PX = 5  # a peak stands out of so much around it
_PEAKS = 12  # so many are looked at
_TWICE_AS_FAR = 1.5  # what the hollow twice as far away is worth beside the peak
_ALONE, _ASIDE_PX = 0.85, (2.5, 4.0)  # times as high as it at most is what lies so far off its line, and off the middle
_FLOOR = 1e-3  # of the power of noise of one level: less says nothing
_SURELY, _BY_CHANCE = 0.215, 30.0  # so high is an echo at least, and by so much more, over the root of all pixels


def echo(levels: list[Image], side_px: float) -> float:
    """How surely a picture is laid over itself, a part of a die's side (pixels) aside; from 1 on it is.

    The logarithm of such a picture's spectrum ripples, so that its own spectrum, the cepstrum, has a peak for the shift
    and a hollow, at most half as deep, for twice the shift (Bogert, Healy and Tukey, The Quefrency Alanysis of Time
    Series for Echoes, 1963). What merely repeats, as pips do, has a peak there too; tiles have more beside their line.
    Of 637 readable pictures none has more than 0.75; of those that were laid over themselves, 0.15 to 0.7 of a side
    aside, none of 282 by 0.4 and more has less than 1, and of 2,250 by half eight have.
    """
    height = len(levels[0])
    coarsest = height * max(_DIE_PX / side_px, _LONG_PX / max(levels[0].shape))
    level = next((one for one in reversed(levels) if len(one) >= coarsest), levels[0])
    rows, columns = (_STEP_PX * (length // _STEP_PX) for length in level.shape[:2])
    die_px = side_px * len(level) / height
    reach = min(int(2 * _FARTHEST * die_px) + 2, min(rows, columns) // 2 - 2)
    least, most = max(_NEAREST * die_px, _NEAREST_PX), min(_FARTHEST * die_px, reach / 2 - 1)
    if most <= least:
        return 0.0
    peaks = _cepstrum(np.asarray(cv2.cvtColor(level[:rows, :columns], cv2.COLOR_BGR2GRAY), np.float32), reach)
    return _loudest(peaks, least, most) / (_SURELY + _BY_CHANCE / math.sqrt(rows * columns))


def _loudest(peaks: Floats, least: float, most: float) -> float:
    """How high the clearest echo's peak is, and its hollow deep, within so many pixels; 0 where it does not lead."""
    off = np.arange(len(peaks)) - len(peaks) // 2
    x, y = off, off[:, None]
    far = np.hypot(x, y)
    upper = (y > 0) | ((y == 0) & (x > 0))  # the other half is the same
    rows, columns = np.nonzero(upper & (far > least) & (far < most))
    if not len(rows):
        return 0.0
    highest = np.argsort(-peaks[rows, columns])[:_PEAKS]
    rows, columns = rows[highest], columns[highest]
    hollows = cv2.erode(peaks, SQUARE) + cv2.dilate(peaks, SQUARE)  # what is a peak there has a hollow beside it
    middle = len(peaks) // 2
    clear = peaks[rows, columns] - _TWICE_AS_FAR * hollows[2 * rows - middle, 2 * columns - middle]
    best = int(clear.argmax())
    down, across = int(off[rows[best]]), int(off[columns[best]])
    line_px, middle_px = _ASIDE_PX
    aside = (np.abs(x * down - y * across) > line_px * math.hypot(across, down)) & (far > max(least, middle_px))
    if float(np.abs(peaks[aside]).max(initial=0.0)) > _ALONE * float(peaks[rows[best], columns[best]]):
        return 0.0
    return float(clear[best])


def _cepstrum(grey: Floats, reach: int) -> Floats:
    """The spectrum of the logarithm of a picture's spectrum, as far as that from its middle, without what is smooth."""
    rows, columns = grey.shape
    seen = (grey - grey.mean()) * cv2.createHanningWindow((columns, rows), cv2.CV_32F)
    spectrum = np.fft.rfft2(seen)
    power = spectrum.real**2 + spectrum.imag**2
    near = np.arange(-reach, reach + 1)
    whole = np.fft.irfft2(np.log(power + _FLOOR * grey.size), grey.shape)[np.ix_(near, near)]
    return np.asarray(whole - cv2.blur(whole, (_AROUND_PX, _AROUND_PX)), np.float32)
