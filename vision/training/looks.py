"""What the drawn dice look like: the outsides of dice unrolled, with a chance style."""

from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
"""Floats where nothing else is said."""
Random = np.random.Generator

SHEET_PX = 128
"""Edge of one drawn face."""

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


def chance_look(rng: Random, pips: bool = True) -> Look:
    """A die as they are sold, with its own colours, pips, emblems and corners; without pips a plain cube."""
    body, ink = colours(rng)
    sheets = _bodies(rng, body)
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
    clear = rng.uniform(0.15, 0.75) if rng.random() < 0.2 else 0.0
    return Look(
        tuple(faces),
        sheets,
        masks,
        round=float(rng.uniform(0.015, 0.1) if rng.random() < 0.55 else rng.uniform(0.1, 0.27)),
        ball=float(rng.uniform(0.62, 0.74) if rng.random() < 0.35 else 1.0),
        dent=float(rng.uniform(0.0, 1.3) * (rng.random() < 0.75)),
        gloss=float(rng.uniform(0.0, 1.0)),
        clear=float(clear),
    )


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


def hue(rng: Random, saturation: tuple[float, float], value: tuple[float, float]) -> Array:
    """Any colour of those saturations and values (blue, green, red, 0 to 1)."""
    hsv = np.array([[[rng.uniform(0, 360), rng.uniform(*saturation), rng.uniform(*value)]]], np.float32)
    return np.asarray(cv2.cvtColor(hsv, cv2.COLOR_HSV2BGR)[0, 0], np.float32)


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


def cloud(rng: Random, shape: tuple[int, int], size_px: int, stretch: float = 1.0) -> Array:
    """Smooth chance values of deviation 1 that change about every size_px, slower along the rows by stretch."""
    rows, columns = shape
    coarse = rng.standard_normal((rows // size_px + 2, int(columns / (size_px * stretch)) + 2), np.float32)
    return np.asarray(cv2.resize(coarse, (columns, rows), interpolation=cv2.INTER_CUBIC), np.float32)


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


def emblem(rng: Random, mask: Array) -> None:
    """Draw a sign that is no pattern of pips: skull, wings, letter, star, ring, blot."""
    draw = (_skull, _wings, _letters, _letters, _star, _blots, _blots, _ring)[rng.integers(8)]
    sheet = np.zeros((SHEET_PX, SHEET_PX), np.float32)
    draw(rng, sheet)
    size, turn = rng.uniform(0.6, 1.15), rng.choice([0, 90, 180, 270]) + rng.uniform(-8, 8)
    middle = (SHEET_PX - 1) / 2
    move = cv2.getRotationMatrix2D((middle, middle), turn, size)
    cv2.warpAffine(sheet, move, (SHEET_PX, SHEET_PX), dst=mask)


def _px(values: npt.ArrayLike) -> npt.NDArray[np.int32]:
    return np.rint(np.asarray(values, np.float64) * SHEET_PX).astype(np.int32)


def _spot(at: npt.ArrayLike) -> tuple[int, int]:
    return whole(np.asarray(at, np.float64) * SHEET_PX)


def whole(at: npt.ArrayLike) -> tuple[int, int]:
    """The pixel at a place (x, y)."""
    x, y = np.rint(np.asarray(at, np.float64)).tolist()
    return int(x), int(y)


def _skull(rng: Random, mask: Array) -> None:
    wide, high = rng.uniform(0.2, 0.3), rng.uniform(0.18, 0.26)
    cv2.ellipse(mask, _spot((0.5, 0.42)), _spot((wide, high)), 0, 0, 360, 1.0, -1, cv2.LINE_AA)
    jaw = rng.uniform(0.1, 0.18)
    cv2.rectangle(mask, _spot((0.5 - jaw, 0.5)), _spot((0.5 + jaw, rng.uniform(0.72, 0.85))), 1.0, -1)
    eye, apart = rng.uniform(0.045, 0.09), rng.uniform(0.08, 0.14)
    for x in (0.5 - apart, 0.5 + apart):
        cv2.ellipse(mask, _spot((x, 0.44)), _spot((eye, eye * rng.uniform(0.8, 1.3))), 0, 0, 360, 0.0, -1, cv2.LINE_AA)
    if rng.random() < 0.7:
        cv2.fillPoly(mask, [_px([[0.5, 0.5], [0.46, 0.58], [0.54, 0.58]])], 0.0, cv2.LINE_AA)
    for x in np.arange(0.5 - jaw, 0.5 + jaw, rng.uniform(0.05, 0.1)):
        cv2.line(mask, _spot((x, 0.66)), _spot((x, 0.84)), 0.0, 2, cv2.LINE_AA)
    if rng.random() < 0.4:
        for ends in (((0.2, 0.6), (0.8, 0.9)), ((0.8, 0.6), (0.2, 0.9))):
            cv2.line(mask, _spot(ends[0]), _spot(ends[1]), 1.0, int(rng.integers(4, 9)), cv2.LINE_AA)


def _wings(rng: Random, mask: Array) -> None:
    feathers = int(rng.integers(2, 6))
    for side in (-1, 1):
        for number in range(feathers):
            y = 0.35 + 0.32 * number / feathers
            long = rng.uniform(0.25, 0.42) * (1 - 0.5 * number / feathers)
            middle = (0.5 + side * (0.06 + long / 2), y)
            cv2.ellipse(
                mask, _spot(middle), _spot((long / 2, 0.045)), side * rng.uniform(-35, 5), 0, 360, 1.0, -1, cv2.LINE_AA
            )
    cv2.circle(mask, _spot((0.5, 0.45)), int(rng.uniform(0.05, 0.13) * SHEET_PX), 1.0, -1, cv2.LINE_AA)
    if rng.random() < 0.5:
        cv2.line(mask, _spot((0.5, 0.4)), _spot((0.5, 0.8)), 1.0, int(rng.integers(3, 12)), cv2.LINE_AA)


def _letters(rng: Random, mask: Array) -> None:
    text = "".join(rng.choice(list("ABCDEFGHJKLMNPQRSTUVWXYZ0123456789?!*&#@"), int(rng.integers(1, 4))))
    font = int(rng.choice([0, 2, 3, 4, 6, 7]))
    thick = int(rng.integers(2, 10))
    (wide, high), _ = cv2.getTextSize(text, font, 1.0, thick)
    scale = 0.65 * SHEET_PX / max(wide, high)
    (wide, high), _ = cv2.getTextSize(text, font, scale, thick)
    at = ((SHEET_PX - wide) // 2, (SHEET_PX + high) // 2)
    np.maximum(mask, written(SHEET_PX, text, at, font, scale, thick), out=mask)


def written(size_px: int, text: str, at: tuple[int, int], font: int, scale: float, thick: int) -> Array:
    """Writing as a square mask, 0 to 1."""
    mask = np.zeros((size_px, size_px), np.uint8)
    cv2.putText(mask, text, at, font, scale, 255, thick, cv2.LINE_AA)
    return np.asarray(mask, np.float32) / 255


def _star(rng: Random, mask: Array) -> None:
    points = int(rng.integers(3, 9))
    turn = np.arange(2 * points) * np.pi / points
    reach = np.where(np.arange(2 * points) % 2, rng.uniform(0.1, 0.3), rng.uniform(0.3, 0.42))
    outline = 0.5 + np.stack([np.sin(turn), -np.cos(turn)], axis=1) * reach[:, None]
    cv2.fillPoly(mask, [_px(outline)], 1.0, cv2.LINE_AA)
    if rng.random() < 0.3:
        cv2.fillPoly(mask, [_px(0.5 + (outline - 0.5) * 0.6)], 0.0, cv2.LINE_AA)


def _ring(rng: Random, mask: Array) -> None:
    radius = int(rng.uniform(0.2, 0.4) * SHEET_PX)
    cv2.circle(mask, _spot((0.5, 0.5)), radius, 1.0, int(rng.integers(3, 10)), cv2.LINE_AA)
    inner = np.zeros_like(mask)
    (_star, _letters, _skull, _blots)[rng.integers(4)](rng, inner)
    small = cv2.resize(inner, (radius, radius), interpolation=cv2.INTER_AREA)
    start = SHEET_PX // 2 - radius // 2
    window = mask[start : start + radius, start : start + radius]
    np.maximum(window, small, out=window)


def _blots(rng: Random, mask: Array) -> None:
    """Chance lines and shapes, often the same left and right."""
    for _ in range(int(rng.integers(2, 7))):
        points = _px(rng.uniform(0.15, 0.85, (int(rng.integers(3, 6)), 2)))
        ink = float(rng.random() < 0.8)
        if rng.random() < 0.5:
            cv2.fillPoly(mask, [points], ink, cv2.LINE_AA)
        else:
            cv2.polylines(mask, [points], bool(rng.random() < 0.3), ink, int(rng.integers(3, 10)), cv2.LINE_AA)
    if rng.random() < 0.7:
        np.maximum(mask, mask[:, ::-1].copy(), out=mask)
