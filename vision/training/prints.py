"""What is printed on grounds: figures as on cloth, writing as in a newspaper."""

from string import ascii_letters, digits

import cv2
import numpy as np

from vision.training.drawing import Array, Random, any_colour, whole
from vision.training.emblems import emblem


def print_figures(rng: Random, picture: Array) -> Array:
    """A few figures over and over, as of a flowered cloth, on a square ground (0 to 1)."""
    size = len(picture)
    step = rng.uniform(25, 130)
    for _ in range(int(rng.integers(1, 4))):
        sheet = np.zeros((128, 128), np.float32)
        _flower(rng, sheet) if rng.random() < 0.55 else emblem(rng, sheet)
        colour, share, large = any_colour(rng), rng.uniform(0.3, 1.0), rng.uniform(0.35, 0.9) * step
        astray, turned, shift = rng.choice([0.0, 0.3]), rng.random() < 0.6, rng.uniform(0, step, 2)
        for row, column in np.ndindex((int(size / step) + 2,) * 2):
            at = (np.array([column, row]) - 1 + rng.normal(0, astray, 2)) * step + shift
            _stamp(picture, sheet, at, rng.uniform(0, 360) if turned else 0.0, large, share, colour)
    return picture


def _stamp(picture: Array, sheet: Array, at: Array, turn_deg: float, large_px: float, share: float, ink: Array) -> None:
    """Print what a sheet shows, so large, around a place."""
    half = int(0.75 * large_px) + 2
    left, top = (int(value) - half for value in at)
    move = cv2.getRotationMatrix2D((63.5, 63.5), turn_deg, large_px / 128)
    move[:, 2] = move[:, 2] + at - (left, top) - 63.5
    mask = cv2.warpAffine(sheet, move, (2 * half, 2 * half), flags=cv2.INTER_AREA)[..., None]
    window = picture[max(top, 0) : max(top + 2 * half, 0), max(left, 0) : max(left + 2 * half, 0)]
    mask = mask[max(-top, 0) :, max(-left, 0) :][: window.shape[0], : window.shape[1]]
    window[:] = window + share * mask * (ink - window)


def _flower(rng: Random, sheet: Array) -> None:
    """Petals around a middle, on a sheet of 128 x 128 px."""
    petals, reach = int(rng.integers(4, 9)), rng.uniform(20, 34)
    long, wide = rng.uniform(14, 26), rng.uniform(8, 17)
    for number in range(petals):
        turn = 360 * number / petals
        at = 64 + reach * np.array([np.cos(np.radians(turn)), np.sin(np.radians(turn))])
        cv2.ellipse(sheet, whole(at), whole((long, wide)), turn, 0, 360, 1.0, -1, cv2.LINE_AA)
    if rng.random() < 0.7:
        cv2.circle(sheet, (64, 64), int(rng.uniform(6, 16)), float(rng.choice([0.0, 0.5, 1.0])), -1, cv2.LINE_AA)


def print_page(rng: Random, picture: Array) -> Array:
    """Lines of writing, large and small, as of a newspaper, on a square ground (0 to 1)."""
    size = len(picture)
    ink = any_colour(rng) if rng.random() < 0.3 else np.full(3, rng.uniform(0, 0.25), np.float32)
    mask = np.zeros((2 * size, 2 * size), np.uint8)
    y, letters = 0.0, [*ascii_letters, *digits, *"     "]
    while y < 2 * size:
        scale = float(np.exp(rng.uniform(np.log(0.25), np.log(3.0))))
        thick, font = max(int(scale * rng.uniform(0.8, 3)), 1), int(rng.integers(0, 8))
        for _ in range(int(rng.integers(1, 5))):
            y += 30 * scale
            text = "".join(rng.choice(letters, int(2 * size / (14 * scale))))
            cv2.putText(mask, text, (0, int(y)), font, scale, 255, thick, cv2.LINE_AA)
    move = cv2.getRotationMatrix2D((float(size), float(size)), rng.uniform(0, 360), 1)
    move[:, 2] = move[:, 2] - size / 2
    turned = np.asarray(cv2.warpAffine(mask, move, (size, size)), np.float32)[..., None] / 255
    return np.asarray(picture + turned * rng.uniform(0.5, 1.0) * (ink - picture), np.float32)
