"""From light to the file of a camera: exposure, glow, colour cast, lens, noise."""

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from vision.picture import Image
from vision.studio.makes import Picture, Random

_WHITE = 0.8  # what the bright parts of a picture are brought to, as a share of the sensor's range


@dataclass(frozen=True, slots=True, eq=False)
class Film:
    """How a camera makes a picture of light."""

    gain: float  # on a right exposure
    cast: npt.NDArray[np.float64]  # 3: on red, green, blue
    glow: float  # share of burnt out light that spreads
    blur_px: float
    noise: float  # in grey levels
    vignette: float  # loss in the corners
    quality: int  # of JPEG


def chance_film(rng: Random, width_px: int) -> Film:
    """A camera as phones and webcams are."""
    cast = np.exp(rng.normal(0, 0.10, 3)) if rng.random() < 0.5 else np.ones(3)
    return Film(
        gain=float(np.exp(rng.normal(0.0, 0.22))),
        cast=cast / cast.mean(),
        glow=float(rng.uniform(0.0, 0.06)),
        blur_px=float(rng.uniform(0.35, 0.9)) * (width_px / 640) ** 0.5,
        noise=float(rng.uniform(0.6, 3.5)),
        vignette=float(rng.uniform(0.0, 0.35)),
        quality=int(rng.integers(72, 92)),
    )


def develop(light: Picture, film: Film, rng: Random) -> Image:
    """The picture (h x w x 3, blue green red) of linear light (h x w x 3, red green blue)."""
    exposed = light * (_WHITE / max(float(np.percentile(light.max(axis=2), 96)), 1e-4))
    value = exposed * film.gain
    burnt = np.minimum(np.maximum(value - 1.0, 0.0), 20.0)
    wide = min(light.shape[:2]) / 60
    value = value + film.glow * (
        cv2.GaussianBlur(burnt, (0, 0), wide) + 0.4 * cv2.GaussianBlur(burnt, (0, 0), 4 * wide)
    )
    height, width = light.shape[:2]
    y, x = np.mgrid[-1 : 1 : height * 1j, -1 : 1 : width * 1j]
    value = value * (1 - film.vignette * 0.5 * (x * x + y * y))[..., None] * film.cast
    blurred = cv2.GaussianBlur(value.astype(np.float32), (0, 0), film.blur_px)
    levels = _shown(blurred).astype(np.float32)
    grain = rng.standard_normal((height, width, 1)) + 0.6 * rng.standard_normal((height, width, 3))
    # A dark part has been amplified most by the tone curve.
    strength = film.noise * (0.6 + 0.8 * (1 - levels.mean(axis=2, keepdims=True) / 255))
    noisy = levels + strength * cv2.GaussianBlur(grain, (3, 3), 0.6).reshape(grain.shape)
    return np.ascontiguousarray(np.clip(np.rint(noisy), 0, 255).astype(np.uint8)[..., ::-1])


def quieted(light: Picture, colour: Picture) -> Picture:
    """Traced light without most of the grain that few paths leave; what is painted stays sharp.

    Light changes slowly where it falls on a surface, so the grain is taken from the light before the surface's own
    colour (h x w x 3, linear) comes back.
    """
    own = np.maximum(colour, 0.02)
    falls = np.asarray(light / own, np.float32)
    scale = 0.7 / max(float(np.percentile(falls, 90)), 1e-4)
    kept = np.maximum(falls * scale - 1, 0) / scale
    smooth = (
        _linear(np.asarray(cv2.fastNlMeansDenoisingColored(_shown(falls * scale), None, 11, 14, 5, 17), np.uint8))
        / scale
    )
    return np.asarray((smooth + kept) * own, np.float32)


def _shown(light: Picture) -> Image:
    value = np.clip(light, 0, 1)
    curve = np.where(value <= 0.0031308, 12.92 * value, 1.055 * np.power(np.maximum(value, 1e-9), 1 / 2.4) - 0.055)
    return np.asarray(np.rint(255 * curve), np.uint8)


def _linear(levels: Image) -> Picture:
    share = levels.astype(np.float32) / 255
    return np.asarray(np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4), np.float32)
