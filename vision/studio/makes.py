"""Makes of dice: which there are, how each die of a make differs, and the sheet of paint that is wrapped round it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import cv2
import numpy as np
import numpy.typing as npt

from vision.die_shape import STYLES, Colour, DieStyle
from vision.studio.meshes import ATLAS, Array, face_frame, pip_places

Random = np.random.Generator
Picture = npt.NDArray[np.float32]
FACE_PX = 192

_OTHERS: Mapping[str, DieStyle] = {
    "orange": DieStyle((226, 112, 20), (245, 240, 230), corner=0.14, gloss=0.6),
    "yellow": DieStyle((240, 205, 40), (30, 28, 25), corner=0.13, ball=0.75, gloss=0.6),
    "purple": DieStyle((86, 34, 128), (240, 238, 235), corner=0.12, gloss=0.7),
    "two-coloured": DieStyle((236, 232, 224), (170, 30, 38), corner=0.12, gloss=0.6, odd_pips={6: (24, 50, 150)}),
    "gold-pips": DieStyle((150, 22, 26), (176, 134, 60), corner=0.13, ball=0.76, gloss=0.6),
    "clear-red": DieStyle((214, 24, 30), (248, 244, 238), corner=0.05, pip_radius=0.1, pitch=0.27, gloss=1, clear=1),
    "clear-blue": DieStyle((60, 120, 220), (246, 244, 240), corner=0.12, gloss=1, clear=1),
    "clear-green": DieStyle((50, 170, 90), (248, 246, 240), corner=0.06, pip_radius=0.09, gloss=1, clear=1),
    "clear-amber": DieStyle((240, 150, 30), (250, 248, 244), corner=0.12, gloss=1, clear=1),
}
MAKES: Mapping[str, DieStyle] = {
    **{name: style for name, style in STYLES.items() if name != "casino"},
    **_OTHERS,
}
"""The makes that a picture may show; any of them may have emblems."""


@dataclass(frozen=True, slots=True)
class Make:
    """How the dice of one set look."""

    name: str
    style: DieStyle
    hollow: bool = True  # pips are dents; or only printed
    rough: float = 0.15  # 0.05 is a mirror, 0.6 is chalk
    emblems: Mapping[int, int] = field(default_factory=dict)  # which drawing stands on a face in place of its pips
    marbled: float = 0.0

    @property
    def clear(self) -> bool:
        """Whether light goes through the body."""
        return self.style.clear > 0


def chance_make(rng: Random, name: str, *, emblem: bool = False) -> Make:
    """A set of dice of a make: colours, roundness, pips and gloss differ from set to set."""
    style = MAKES[name]
    ball = float(rng.uniform(0.68, 0.78)) if rng.random() < 0.5 else 1.0
    radius = style.pip_radius * float(rng.uniform(0.85, 1.15))
    pitch = style.pitch * float(rng.uniform(0.9, 1.06))
    style = replace(
        style,
        body=_near(rng, style.body),
        pip=_near(rng, style.pip),
        corner=float(np.clip(style.corner * rng.uniform(0.4, 1.3), 0.02, 0.17)),
        ball=ball,
        pip_radius=radius,
        pitch=pitch,
        one_radius=style.one_radius * float(rng.uniform(0.9, 1.15)) if style.odd_pips else radius,
    )
    emblems = {int(rng.choice([1, 6])): int(rng.integers(len(_EMBLEMS)))} if emblem else {}
    return Make(
        name,
        style,
        hollow=bool(rng.random() < 0.8),
        rough=float(rng.uniform(0.45, 0.6) if name == "wood" else rng.uniform(0.08, 0.4)),
        emblems=emblems,
        marbled=float(rng.uniform(0.1, 0.35)) if name not in ("wood", "asian") and rng.random() < 0.15 else 0.0,
    )


def _near(rng: Random, colour: Colour) -> Colour:
    red, green, blue = (int(np.clip(round(level + rng.normal(0, 6)), 4, 252)) for level in colour)
    return red, green, blue


def linear(colour: Colour) -> Array:
    """Red, green, blue as shares of the light sent back (IEC 61966-2-1)."""
    share = np.array(colour, float) / 255
    return np.asarray(np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4))


def paint(make: Make, seed: int) -> tuple[Picture, Picture]:
    """The sheet of colours (linear red, green, blue) and of what is pip or emblem (0 to 1) of a make's dice."""
    rng = np.random.default_rng(seed)
    columns, rows = ATLAS
    colours = np.zeros((rows * FACE_PX, columns * FACE_PX, 3), np.float32)
    inked = np.zeros((rows * FACE_PX, columns * FACE_PX, 1), np.float32)
    where = (np.arange(FACE_PX) + 0.5) / FACE_PX - 0.5
    x, y = np.meshgrid(where, where)
    for face in range(1, 7):
        row, column = (face - 1) // columns * FACE_PX, (face - 1) % columns * FACE_PX
        window = slice(row, row + FACE_PX), slice(column, column + FACE_PX)
        along, across, out = face_frame(face)
        body = _body(rng, make, x[..., None] * along + y[..., None] * across + 0.5 * out)
        if face in make.emblems:
            ink = _emblem(make.emblems[face])
        else:
            ink = np.zeros_like(x)
            for middle_x, middle_y, radius in pip_places(face, make.style):
                away = np.hypot(x - middle_x, y - middle_y)
                ink = np.maximum(ink, np.clip((radius - away) * FACE_PX + 0.5, 0, 1))
        pip = linear(make.style.odd_pips.get(face, make.style.pip))
        colours[window] = body + ink[..., None] * (pip - body)
        inked[window] = ink[..., None]
    return colours, inked


def _body(rng: Random, make: Make, places: Array) -> Array:
    """The colour of the body at places (... x 3, in sides)."""
    body = np.broadcast_to(linear(make.style.body), places.shape).copy()
    if make.style.grain:
        px, py, pz = np.moveaxis(places, -1, 0)
        rings = np.sin(60 * np.hypot(px + 1.1 + 0.04 * np.sin(6 * pz), py - 0.6 + 0.05 * np.sin(4 * pz + 4 * px)))
        fibres = np.sin(95 * px + 8 * np.sin(5 * pz)) * np.sin(60 * py + 6 * pz)
        body *= (1 + make.style.grain * (0.7 * rings + 0.35 * fibres))[..., None]
    if make.marbled:
        rough = rng.standard_normal((FACE_PX, FACE_PX))
        swirl = cv2.GaussianBlur(rough, (0, 0), 9) * 26 + cv2.GaussianBlur(rough, (0, 0), 22) * 40
        share = make.marbled * (0.5 + 0.5 * np.sin(2.2 * swirl))[..., None]
        body += share * (np.clip(body.mean(axis=-1, keepdims=True) * 1.6 + 0.1, 0, 1) - body)
    return np.clip(body, 0.003, 0.95)


def _emblem(number: int) -> Array:
    sheet = np.zeros((4 * FACE_PX, 4 * FACE_PX), np.uint8)
    for points, level in _EMBLEMS[number % len(_EMBLEMS)]():
        cv2.fillPoly(sheet, [np.rint(points * sheet.shape[0] * 16).astype(np.int32)], level, cv2.LINE_AA, 4)
    return np.asarray(cv2.resize(sheet, (FACE_PX, FACE_PX), interpolation=cv2.INTER_AREA), float) / 255


Shapes = list[tuple[Array, int]]


def _round(x: float, y: float, wide: float, high: float) -> Array:
    turn = np.linspace(0, 2 * np.pi, 60)
    return np.stack([x + wide * np.cos(turn), y + high * np.sin(turn)], axis=1)


def _crown() -> Shapes:
    outline = [(0.2, 0.72), (0.16, 0.34), (0.34, 0.52), (0.5, 0.24), (0.66, 0.52), (0.84, 0.34), (0.8, 0.72)]
    balls = [_round(x, y, 0.045, 0.045) for x, y in ((0.16, 0.31), (0.5, 0.21), (0.84, 0.31))]
    return [(np.array(outline), 255), (np.array([(0.22, 0.62), (0.78, 0.62), (0.78, 0.65), (0.22, 0.65)]), 0)] + [
        (ball, 255) for ball in balls
    ]


def _death() -> Shapes:
    head = [
        (_round(0.5, 0.42, 0.27, 0.24), 255),
        (np.array([(0.38, 0.55), (0.62, 0.55), (0.6, 0.82), (0.4, 0.82)]), 255),
    ]
    holes = [
        _round(0.4, 0.45, 0.07, 0.08),
        _round(0.6, 0.45, 0.07, 0.08),
        np.array([(0.5, 0.54), (0.47, 0.6), (0.53, 0.6)]),
    ]
    teeth = [np.array([(x, 0.68), (x + 0.015, 0.68), (x + 0.015, 0.82), (x, 0.82)]) for x in (0.44, 0.49, 0.54)]
    return head + [(hole, 0) for hole in holes + teeth]


def _star() -> Shapes:
    turn = np.arange(10) * np.pi / 5
    reach = np.where(np.arange(10) % 2, 0.15, 0.37)
    return [(0.5 + np.stack([np.sin(turn), -np.cos(turn)], axis=1) * reach[:, None], 255)]


def _spade() -> Shapes:
    turn = np.linspace(0, 2 * np.pi, 90)
    heart = np.stack(
        [16 * np.sin(turn) ** 3, 13 * np.cos(turn) - 5 * np.cos(2 * turn) - 2 * np.cos(3 * turn) - np.cos(4 * turn)]
    )
    return [
        (0.5 + np.array([[0.018], [0.018]]).T * heart.T, 255),
        (np.array([(0.5, 0.5), (0.6, 0.85), (0.4, 0.85)]), 255),
    ]


def _flash() -> Shapes:
    return [(np.array([(0.56, 0.12), (0.28, 0.55), (0.46, 0.55), (0.38, 0.88), (0.72, 0.42), (0.53, 0.42)]), 255)]


def _paw() -> Shapes:
    toes = [(0.28, 0.42), (0.42, 0.27), (0.58, 0.27), (0.72, 0.42)]
    return [(_round(0.5, 0.63, 0.19, 0.16), 255), *((_round(x, y, 0.07, 0.09), 255) for x, y in toes)]


def _wings() -> Shapes:
    shapes: Shapes = [(_round(0.5, 0.5, 0.08, 0.2), 255)]
    for side in (-1, 1):
        for feather in range(4):
            low = 0.38 + 0.09 * feather
            tip = (0.5 + side * (0.4 - 0.07 * feather), low - 0.14)
            shapes.append((np.array([(0.5, low), tip, (0.5 + side * 0.1, low + 0.07)]), 255))
    return shapes


_EMBLEMS: tuple[Callable[[], Shapes], ...] = (_crown, _death, _star, _spade, _flash, _paw, _wings)
