"""Drawn grounds, and one die on them."""

import cv2
import numpy as np

from vision.picture import Image

NO_DICE = np.zeros((0, 3))
DIE = np.array([[160.0, 240.0, 40.0]])


def ground(colour: tuple[int, int, int], seed: int = 1) -> Image:
    grain = np.random.default_rng(seed).normal(0, 4, (480, 640, 3))
    return np.asarray(np.clip(np.array(colour) + grain, 0, 255), np.uint8)


def tiled(first: tuple[int, int, int], second: tuple[int, int, int], pitch_px: int) -> Image:
    y, x = np.mgrid[:480, :640] // pitch_px
    return np.asarray(np.where(((x + y) % 2 == 0)[..., None], ground(first), ground(second)), np.uint8)


def with_dice(image: Image) -> Image:
    for x, y, side in DIE.tolist():
        half = round(side / 2)
        cv2.rectangle(
            image, (round(x) - half, round(y) - half), (round(x) + half, round(y) + half), (230, 230, 230), -1
        )
    return image
