"""Where dice keep the light off the ground: solid ones wholly, clear ones most where they have pips."""

import cv2
import numpy as np

from vision.training.casting import Pose, View
from vision.training.drawing import SHEET_PX, Array, Random
from vision.training.looks import Look
from vision.training.piles import Lying

_DRAWN_IN = 0.93  # of the cube: its edges are round
_SHEET = np.array([(0, 0), (1, 0), (1, 1), (0, 1)], np.float32)  # the corners of a side's sheet


def shadows(rng: Random, picture: Array, view: View, lying: list[Lying]) -> None:
    """Darken the ground (n x n x 3) by none, one or two lamps."""
    for _ in range(int(rng.integers(0, 3))):
        way = rng.normal(0, 0.6, 2)
        mask = np.zeros(picture.shape[:2], np.float32)
        for one in lying:
            if one.look.glass is None:
                _fall(mask, view, one.pose.corners(_DRAWN_IN), way, 1.0)
            else:
                _fall(mask, view, one.pose.corners(_DRAWN_IN), way, max(one.look.glass.cloudy, rng.uniform(0.2, 0.8)))
                _pips_fall(mask, view, one.pose, one.look, way)
        soft = view.focal_px / float(np.linalg.norm(view.eye)) * rng.uniform(0.01, 0.25)
        shade = cv2.GaussianBlur(mask, (0, 0), max(soft, 0.4)) * rng.uniform(0.15, 0.75)
        picture *= 1 - shade[..., None]


def _on_ground(view: View, points: Array, way: Array) -> Array:
    """Where the shadows of points (n x 3) are in the picture (n x 2)."""
    flat = points.copy()
    flat[:, :2] += points[:, 2:] * way
    flat[:, 2] = 0
    return view.pixels(flat)


def _fall(mask: Array, view: View, corners: Array, way: Array, dark: float) -> None:
    """The shadow of a body with those corners."""
    hull = cv2.convexHull(np.rint(_on_ground(view, corners, way) * 16).astype(np.int32))
    if dark == 1:
        cv2.fillConvexPoly(mask, hull, 1.0, cv2.LINE_AA, 4)
        return
    body = np.zeros_like(mask)
    cv2.fillConvexPoly(body, hull, dark, cv2.LINE_AA, 4)
    np.maximum(mask, body, out=mask)


def _pips_fall(mask: Array, view: View, pose: Pose, look: Look, way: Array) -> None:
    """The shadows of the pips on all sides of a clear body: paint lets no light through."""
    for row, relief in enumerate(look.relief):
        axis = (2, 0, 1)[row // 2]
        at = np.empty((4, 3), np.float32)
        at[:, axis] = -1 if row % 2 else 1
        at[:, (axis + 1) % 3], at[:, (axis + 2) % 3] = (2 * _SHEET - 1).T
        quad = _on_ground(view, pose.centre + (at * pose.half * _DRAWN_IN) @ pose.turn.T, way)
        turn = cv2.getPerspectiveTransform(_SHEET * SHEET_PX - 0.5, quad.astype(np.float32))
        if abs(np.linalg.det(turn)) > 1e-9:  # not seen from its edge
            np.maximum(mask, cv2.warpPerspective(relief, turn, mask.shape[::-1]), out=mask)
