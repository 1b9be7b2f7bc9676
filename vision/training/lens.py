"""What camera, glare and file format do to a drawn picture."""

import math

import cv2
import numpy as np
import numpy.typing as npt

from vision.training.drawing import Array, Random, whole


def photograph(
    rng: Random, picture: Array, labels: npt.NDArray[np.void], *, metered: bool = True
) -> npt.NDArray[np.uint8]:
    """The picture (0 to 1, square) as a camera stores it; marks in the labels the dice that glare or motion spoil.

    A metered camera chooses its exposure by what it sees, most often.
    """
    if rng.random() < 0.3:
        picture = _glare(rng, picture, labels)
    if rng.random() < 0.08:
        picture = _shake(rng, picture, labels)
    gain = np.exp(rng.normal(0, 0.2)) * (1 + rng.normal(0, 0.06, 3))
    if metered and rng.random() < 0.8:
        gain = gain * rng.uniform(0.55, 1.0) / max(float(np.quantile(picture[::4, ::4], 0.9)), 0.1)
    picture = np.clip(picture * gain, 0, 1.05).clip(0, 1) ** np.exp(rng.normal(0, 0.18))
    if rng.random() < 0.25:
        floor = rng.uniform(0, 0.15)
        picture = floor + (1 - floor) * picture
    small = _smallest(labels)
    if rng.random() < 0.75:
        picture = cv2.GaussianBlur(picture, (0, 0), rng.uniform(0.3, max(0.35, min(2.5, 0.035 * small))))
    noise = rng.uniform(0, 0.025) if rng.random() < 0.85 else rng.uniform(0.02, 0.06)
    picture = picture + rng.standard_normal(picture.shape, np.float32) * np.float32(noise)
    if rng.random() < 0.15:
        picture = picture + 0.5 * (picture - cv2.GaussianBlur(picture, (0, 0), 1.2))
    if rng.random() < 0.06:
        picture = np.repeat(picture.mean(axis=2, keepdims=True), 3, axis=2)
    shown = np.asarray(np.rint(np.clip(picture, 0, 1) * 255), np.uint8)
    if rng.random() < 0.7:
        quality = int(rng.integers(35, 96))
        stored = cv2.imencode(".jpg", shown, [cv2.IMWRITE_JPEG_QUALITY, quality])[1]
        return np.asarray(cv2.imdecode(stored, cv2.IMREAD_COLOR), np.uint8)
    return shown


def _smallest(labels: npt.NDArray[np.void]) -> float:
    return float(labels["side"].min()) if len(labels) else 60.0


def _glare(rng: Random, picture: Array, labels: npt.NDArray[np.void]) -> Array:
    """Bright patches, some of them on dice; a die whose face is burnt out over a good part is marked."""
    size = picture.shape[0]
    light = np.zeros((size, size), np.float32)
    spots = [rng.uniform(0, size, 2)]
    if len(labels) and rng.random() < 0.5:
        one = labels[rng.integers(len(labels))]
        spots = [np.array([one["x"], one["y"]]) + rng.normal(0, 0.3, 2) * one["side"]]
    near = _smallest(labels)
    for spot in spots:
        axes = near * rng.uniform(0.15, 1.6, 2)
        cv2.ellipse(light, whole(spot), whole(np.maximum(axes, 1)), rng.uniform(0, 180), 0, 360, 1.0, -1)
    light = cv2.GaussianBlur(light, (0, 0), max(near * rng.uniform(0.03, 0.5), 0.6)) * rng.uniform(0.2, 1.6)
    for one in labels:
        x, y, half = int(one["x"]), int(one["y"]), max(int(one["side"] * 0.4), 1)
        window = light[max(y - half, 0) : y + half, max(x - half, 0) : x + half]
        if window.size:
            burnt = float((window > 0.85).mean())
            one["glare"] = 1 if burnt > 0.3 else -1 if burnt > 0.05 else 0
    return np.asarray(np.minimum(picture + light[..., None], 1.0), np.float32)


def _shake(rng: Random, picture: Array, labels: npt.NDArray[np.void]) -> Array:
    """The whole picture blurred by motion."""
    near = _smallest(labels)
    share = rng.uniform(0.03, 0.5)
    size = max(int(near * share) | 1, 3)
    line = np.zeros((size, size), np.float32)
    turn = rng.uniform(0, math.pi)
    reach = np.array([math.cos(turn), math.sin(turn)]) * size / 2
    middle = np.array([size / 2, size / 2])
    cv2.line(line, whole(middle - reach), whole(middle + reach), 1.0, 1)
    lengths = size / np.maximum(labels["side"], 1)
    labels["smear"] = np.where(lengths > 0.14, 1, np.where(lengths > 0.06, -1, labels["smear"]))
    return np.asarray(cv2.filter2D(picture, -1, line / line.sum(), borderType=cv2.BORDER_REFLECT), np.float32)
