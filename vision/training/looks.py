"""What the drawn dice look like: the outsides of dice unrolled, with a chance style."""

from dataclasses import dataclass

import cv2
import numpy as np

from vision.training.drawing import SHEET_PX, Array, Random, cloud, hue
from vision.training.emblems import emblem

NONE = 7
"""The face of a side that has an emblem, or nothing, in place of its pips."""

_CELLS = {
    1: ((0, 0),),
    2: ((-1, -1), (1, 1)),
    3: ((-1, -1), (0, 0), (1, 1)),
    4: ((-1, -1), (-1, 1), (1, -1), (1, 1)),
    5: ((-1, -1), (-1, 1), (1, -1), (1, 1), (0, 0)),
    6: ((-1, -1), (-1, 0), (-1, 1), (1, -1), (1, 0), (1, 1)),
}
_ORDER = (1, 6, 2, 5, 3, 4)  # faces at +z, -z, +x, -x, +y, -y


_GLASS = 0.35  # of the sets; light goes through them as through acrylic


@dataclass(frozen=True, slots=True, eq=False)
class Glass:
    """How light goes through a clear body."""

    dims: Array  # 3 colours: the light fades by e in a side over that
    cloudy: float  # share of the light that the body throws back
    pits: float  # how bright the pips of other sides are
    shade: float  # how bright the ground below is


@dataclass(frozen=True, slots=True, eq=False)
class Look:
    """A die's make; lengths in sides of the die."""

    faces: tuple[int, ...]  # on +z, -z, +x, -x, +y, -y; NONE where there are no pips
    colours: Array  # six sheets, 6 x SHEET_PX x SHEET_PX x 3, 0 to 1
    relief: Array  # 6 x SHEET_PX x SHEET_PX: how much of a dent is there, 0 to 1
    round: float  # radius of the edges
    ball: float  # radius of the ball that the corners are cut to
    dent: float  # how far the wall of a dent leans
    gloss: float
    clear: float  # how far one sees into the body
    glass: Glass | None = None  # or how light goes through it


def chance_look(rng: Random, pips: bool = True) -> Look:
    """A die as they are sold, with its own colours, pips, emblems and corners; without pips a plain cube."""
    body, ink = colours(rng)
    glass = _glass(rng, body) if rng.random() < _GLASS else None
    sheets = _bodies(rng, body) if glass is None else np.tile(body, (6, SHEET_PX, SHEET_PX, 1)).astype(np.float32)
    masks = np.zeros((6, SHEET_PX, SHEET_PX), np.float32)
    inks = np.broadcast_to(ink, (6, 3)).copy()
    faces = list(_ORDER)
    if rng.random() < 0.5:
        faces[4], faces[5] = faces[5], faces[4]
    if pips:
        _pips(rng, faces, masks, inks, body)
        if rng.random() < 0.3:
            _emblems(rng, faces, masks)
    else:
        faces = [NONE] * 6
        if rng.random() < 0.4:
            for mask in masks:
                emblem(rng, mask)
    worn = masks * rng.uniform(0.75, 1.0)
    sheets += worn[..., None] * (inks[:, None, None, :] - sheets)
    clear = rng.uniform(0.15, 0.9) if glass is None and rng.random() < 0.2 else 0.0
    return Look(
        tuple(faces),
        sheets,
        masks,
        round=float(rng.uniform(0.015, 0.1) if rng.random() < 0.55 else rng.uniform(0.1, 0.27)),
        ball=float(rng.uniform(0.62, 0.74) if rng.random() < 0.35 else 1.0),
        dent=float(rng.uniform(0.0, 1.3) * (rng.random() < 0.75)),
        gloss=float(rng.uniform(0.0, 1.0)),
        clear=float(clear),
        glass=glass,
    )


def _glass(rng: Random, body: Array) -> Glass:
    """Clear as water, grey as smoke or of the body's colour, as cloudy as it may be."""
    lot = rng.random()
    colour = body if lot > 0.55 else np.full(3, rng.uniform(0.85, 1.0) if lot < 0.25 else rng.uniform(0.2, 0.9))
    dims = -np.log(np.clip(colour, 0.03, 1)) * rng.uniform(0.15, 1.1)
    cloudy = rng.choice([0.0, rng.uniform(0, 0.15), rng.uniform(0.1, 0.6)])
    pits, shade = rng.uniform(0.35, 1.0), rng.uniform(0.35, 1.1)
    return Glass(np.asarray(dims, np.float32), float(cloudy), float(pits), float(shade))


def colours(rng: Random) -> tuple[Array, Array]:
    """A body and an ink that differ at least in one channel."""
    while True:
        body, ink = _body_colour(rng), _ink_colour(rng)
        if np.abs(body - ink).max() > (0.35 if rng.random() < 0.85 else 0.2):
            return body, ink


def _body_colour(rng: Random) -> Array:
    kind = rng.random()
    if kind < 0.3:
        white = rng.uniform(0.65, 1.0)
        return np.array([white * rng.uniform(0.72, 1.0), white * rng.uniform(0.9, 1.0), white], np.float32)
    if kind < 0.42:
        return np.asarray(rng.uniform(0.01, 0.12) * rng.uniform(0.7, 1.3, 3), np.float32)
    if kind < 0.5:
        wood = rng.uniform(0.35, 0.8)
        return np.array([wood * rng.uniform(0.3, 0.6), wood * rng.uniform(0.6, 0.8), wood], np.float32)
    return hue(rng, (0.35, 1.0), (0.2, 1.0))


def _ink_colour(rng: Random) -> Array:
    kind = rng.random()
    if kind < 0.4:
        return np.asarray(rng.uniform(0.75, 1.0) * rng.uniform(0.93, 1.0, 3), np.float32)
    if kind < 0.72:
        return np.asarray(rng.uniform(0.0, 0.12, 3), np.float32)
    if kind < 0.82:
        return np.array([rng.uniform(0.1, 0.4), rng.uniform(0.5, 0.75), rng.uniform(0.7, 0.95)], np.float32)
    return hue(rng, (0.5, 1.0), (0.25, 0.9))


def _bodies(rng: Random, body: Array) -> Array:
    """Six sheets of the body's colour and grain."""
    sheets = np.empty((6, SHEET_PX, SHEET_PX, 3), np.float32)
    sheets[:] = body
    kind = rng.random()
    if kind < 0.18:
        other = _body_colour(rng) if rng.random() < 0.5 else body * rng.uniform(0.4, 0.8)
        grain = cloud(rng, (6 * SHEET_PX, SHEET_PX), int(rng.integers(6, 40)))
        grain = np.clip(grain * rng.uniform(0.5, 3) + 0.5, 0, 1).reshape(6, SHEET_PX, SHEET_PX, 1)
        sheets += grain * (other - sheets) * rng.uniform(0.3, 1.0)
    elif kind < 0.27:
        specks = (rng.random((6, SHEET_PX, SHEET_PX)) < rng.uniform(0.002, 0.02)).astype(np.float32)
        specks = np.stack([cv2.dilate(s, np.ones((3, 3), np.uint8)) for s in specks])
        sheets += specks[..., None] * (_ink_colour(rng) - sheets)
    elif kind < 0.36:
        lines = cloud(rng, (6 * SHEET_PX, SHEET_PX), 3, stretch=12)
        sheets *= 1 + rng.uniform(0.05, 0.25) * lines.reshape(6, SHEET_PX, SHEET_PX, 1)
    return sheets


def _pips(rng: Random, faces: list[int], masks: Array, inks: Array, body: Array) -> None:
    """Draw the pips; each face may have a pitch of its own, the one and the four a size and a colour."""
    pitch = rng.uniform(0.19, 0.31)
    radius = rng.uniform(0.07, 0.125)
    shape = rng.random()
    own = rng.random() < 0.35
    red = hue(rng, (0.8, 1.0), (0.5, 1.0)) if rng.random() < 0.25 else None
    if red is not None:
        red = np.array([0.1, 0.08, rng.uniform(0.6, 0.95)], np.float32)
    for number, face in enumerate(faces):
        across = along = pitch
        if own or (face == 6 and rng.random() < 0.4):
            low = 0.11 if face in (2, 3) else 0.16
            across, along = rng.uniform(low, 0.31), rng.uniform(low, 0.31)
            if face != 6:
                along = across
        if face == 3:  # three in a row must not melt into one
            across = along = max(across, 0.75 * radius + 0.05)
        size = radius
        if face == 6:
            along = max(along, rng.uniform(1.7, 2.3) * radius)
            across = max(across, 1.3 * radius)
        if face == 1 and rng.random() < 0.35:
            size = min(radius * rng.uniform(1.2, 2.3), 0.24)
        if face in (2, 3) and rng.random() < 0.5:
            size = min(size, 0.85 * across)
        if red is not None and face in (1, 4) and np.abs(red - body).max() > 0.3 and (face == 1 or rng.random() < 0.7):
            inks[number] = red
        mirror = rng.choice([-1, 1])
        for x, y in _CELLS[face]:
            at = (0.5 + mirror * x * across, 0.5 + y * along)
            _pip(masks[number], at, size * rng.uniform(0.95, 1.05), shape)
        if rng.random() < 0.5:
            masks[number] = masks[number].T.copy()


def _pip(mask: Array, at: tuple[float, float], radius: float, shape: float) -> None:
    centre = round((at[0] * SHEET_PX - 0.5) * 16), round((at[1] * SHEET_PX - 0.5) * 16)
    if shape < 0.05:
        x, y, half = at[0] * SHEET_PX, at[1] * SHEET_PX, radius * SHEET_PX * 0.9
        corners = np.rint([[x - half, y - half], [x + half, y - half], [x + half, y + half], [x - half, y + half]])
        cv2.fillConvexPoly(mask, corners.astype(np.int32), 1.0, cv2.LINE_AA)
        return
    cv2.circle(mask, centre, round(radius * SHEET_PX * 16), 1.0, -1, cv2.LINE_AA, 4)
    if shape < 0.09:
        cv2.circle(mask, centre, round(radius * SHEET_PX * 7), 0.0, -1, cv2.LINE_AA, 4)


def _emblems(rng: Random, faces: list[int], masks: Array) -> None:
    """Put a sign in place of the one, of the six, of any face, or of all."""
    chosen = {0: [1], 1: [6], 2: [int(rng.integers(1, 7))], 3: [1, 2, 3, 4, 5, 6]}[
        int(rng.choice(4, p=[0.35, 0.35, 0.2, 0.1]))
    ]
    same = rng.random() < 0.5
    drawn = np.zeros_like(masks[0])
    emblem(rng, drawn)
    for number, face in enumerate(faces):
        if face in chosen:
            masks[number] = 0
            if same:
                masks[number] = drawn
            else:
                emblem(rng, masks[number])
            faces[number] = NONE
