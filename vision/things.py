"""Things on the ground: what stands out from its surroundings, whether or not it could be read."""

import cv2
import numpy as np

from vision.picture import Image
from vision.pips import Floats

_LONG_SIDE_PX = 400  # of the small picture that is looked at
_WINDOW = 91  # of the median that stands for the ground, in pixels of the small picture
_STEP, _NOISE_STEPS = 34.0, 5.0  # grey levels, and times the ground's own variation: what stands out
_SMALLEST, _LARGEST = 0.004, 0.35  # of the small picture's long side: the side of a thing


def find_things(image: Image) -> Floats:
    """Centre and size of each compact thing (n x 3: x, y, side; pixels of the picture)."""
    scale = min(1.0, _LONG_SIDE_PX / max(image.shape[:2]))
    size = max(1, round(image.shape[1] * scale)), max(1, round(image.shape[0] * scale))
    small = cv2.resize(image, size, interpolation=cv2.INTER_AREA)
    ground = cv2.medianBlur(small, _WINDOW)
    off = np.linalg.norm(small.astype(np.float32) - ground, axis=2)
    limit = max(_STEP, _NOISE_STEPS * float(np.median(off)))
    mask = cv2.morphologyEx((off > limit).astype(np.uint8), cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
    _, _, stats, centres = cv2.connectedComponentsWithStats(mask)
    wide, high, area = stats[1:, cv2.CC_STAT_WIDTH], stats[1:, cv2.CC_STAT_HEIGHT], stats[1:, cv2.CC_STAT_AREA]
    left, top = stats[1:, cv2.CC_STAT_LEFT], stats[1:, cv2.CC_STAT_TOP]
    inside = (left > 0) & (top > 0) & (left + wide < size[0]) & (top + high < size[1])
    side = np.sqrt(area)
    compact = (np.minimum(wide, high) > 0.55 * np.maximum(wide, high)) & (area > 0.45 * wide * high)
    right_size = (side > max(5.0, _SMALLEST * max(size))) & (side < _LARGEST * max(size))
    kept = inside & compact & right_size
    return np.column_stack([(centres[1:][kept] + 0.5) / scale - 0.5, side[kept] / scale])
