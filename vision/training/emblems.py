"""Signs in place of pips: what is on a die, or printed on the ground, and is no number."""

import cv2
import numpy as np
import numpy.typing as npt

from vision.training.drawing import SHEET_PX, Array, Random, whole, written


def emblem(rng: Random, mask: Array) -> None:
    """Draw a sign that is no pattern of pips: one of `_SIGNS`, of any size."""
    draw = _SIGNS[rng.integers(len(_SIGNS))]
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


def _wheel(rng: Random, mask: Array) -> None:
    """A ring with spokes, or the cross and the hub alone."""
    reach, spokes, thick = rng.uniform(0.2, 0.42), int(rng.integers(3, 10)), int(rng.integers(3, 12))
    if spokes > 6 or rng.random() < 0.8:
        cv2.circle(mask, _spot((0.5, 0.5)), int(reach * SHEET_PX), 1.0, thick, cv2.LINE_AA)
    start = rng.uniform(0, np.pi) if rng.random() < 0.5 else np.pi / 4 * rng.integers(2)
    for turn in start + np.arange(spokes) * 2 * np.pi / spokes:
        end = 0.5 + reach * rng.uniform(0.95, 1.0) * np.array([np.cos(turn), np.sin(turn)])
        cv2.line(mask, _spot((0.5, 0.5)), _spot(end), 1.0, thick, cv2.LINE_AA)
    if rng.random() < 0.4:
        cv2.circle(mask, _spot((0.5, 0.5)), int(rng.uniform(0.06, 0.15) * SHEET_PX), 1.0, -1, cv2.LINE_AA)


def _petals(rng: Random, mask: Array) -> None:
    """A flower, a clover, a propeller: drops around a middle."""
    count = int(rng.integers(2, 9))
    long, wide = rng.uniform(0.1, 0.18), rng.uniform(0.045, 0.1)
    for turn in np.arange(count) * 360 / count + rng.uniform(0, 360):
        way = np.array([np.cos(np.radians(turn)), np.sin(np.radians(turn))])
        middle = 0.5 + way * (long + rng.uniform(0.0, 0.03))
        cv2.ellipse(mask, _spot(middle), _spot((long, wide)), turn, 0, 360, 1.0, -1, cv2.LINE_AA)
    if rng.random() < 0.5:
        ink = float(rng.random() < 0.5)
        cv2.circle(mask, _spot((0.5, 0.5)), int(rng.uniform(0.05, 0.12) * SHEET_PX), ink, -1, cv2.LINE_AA)


def _suit(rng: Random, mask: Array) -> None:
    """A heart, a spade, a club or a diamond."""
    kind, size = int(rng.integers(4)), rng.uniform(0.8, 1.15)

    def disc(x: float, y: float, radius: float) -> None:
        middle = 0.5 + size * (np.array([x, y]) - 0.5)
        cv2.circle(mask, _spot(middle), int(radius * size * SHEET_PX), 1.0, -1, cv2.LINE_AA)

    def area(*corners: tuple[float, float]) -> None:
        cv2.fillPoly(mask, [_px(0.5 + size * (np.array(corners) - 0.5))], 1.0, cv2.LINE_AA)

    if kind == 0:
        area((0.5, 0.15), (0.77, 0.5), (0.5, 0.85), (0.23, 0.5))
    elif kind == 1:
        for x in (0.36, 0.64):
            disc(x, 0.36, 0.155)
        area((0.22, 0.42), (0.78, 0.42), (0.5, 0.82))
    elif kind == 2:
        for x in (0.36, 0.64):
            disc(x, 0.54, 0.145)
        area((0.5, 0.15), (0.77, 0.48), (0.23, 0.48))
    else:
        for x, y in ((0.5, 0.31), (0.34, 0.54), (0.66, 0.54)):
            disc(x, y, 0.14)
    if kind > 1:
        area((0.5, 0.5), (0.6, 0.85), (0.4, 0.85))


def _smile(rng: Random, mask: Array) -> None:
    """Two eyes and a mouth, mostly in a ring."""
    if rng.random() < 0.75:
        cv2.circle(mask, _spot((0.5, 0.5)), int(0.38 * SHEET_PX), 1.0, int(rng.integers(3, 9)), cv2.LINE_AA)
    apart, eye = rng.uniform(0.1, 0.16), int(rng.uniform(0.035, 0.07) * SHEET_PX)
    for x in (0.5 - apart, 0.5 + apart):
        cv2.circle(mask, _spot((x, rng.uniform(0.39, 0.42))), eye, 1.0, -1, cv2.LINE_AA)
    ends, thick = ((20, 160) if rng.random() < 0.7 else (200, 340)), int(rng.integers(3, 9))
    mouth = (0.5, 0.52 if ends[0] < 90 else 0.72)
    cv2.ellipse(mask, _spot(mouth), _spot((0.21, rng.uniform(0.1, 0.2))), 0, *ends, 1.0, thick, cv2.LINE_AA)


def _paw(rng: Random, mask: Array) -> None:
    """The print of a paw: a pad and toes."""
    pad, toes = rng.uniform(0.13, 0.19), int(rng.integers(3, 5))
    cv2.ellipse(mask, _spot((0.5, 0.62)), _spot((pad * 1.15, pad)), 0, 0, 360, 1.0, -1, cv2.LINE_AA)
    for turn in np.linspace(-60, 60, toes):
        way = np.array([np.sin(np.radians(turn)), -np.cos(np.radians(turn))])
        at, toe = np.array([0.5, 0.62]) + way * rng.uniform(0.28, 0.32), rng.uniform(0.055, 0.085)
        cv2.ellipse(mask, _spot(at), _spot((toe, toe * 1.3)), turn, 0, 360, 1.0, -1, cv2.LINE_AA)


def _crown(rng: Random, mask: Array) -> None:
    """A crown with its points, balls on them at times."""
    points, foot, dip = int(rng.integers(3, 6)), rng.uniform(0.68, 0.8), rng.uniform(0.45, 0.6)
    tops = np.stack([np.linspace(0.2, 0.8, points), rng.uniform(0.22, 0.34) * np.ones(points)], axis=1)
    dips = np.stack([(tops[1:, 0] + tops[:-1, 0]) / 2, dip * np.ones(points - 1)], axis=1)
    teeth = np.concatenate([tops, np.vstack([dips, [0.5, 0.5]])], axis=1).reshape(-1, 2)[:-1]
    cv2.fillPoly(mask, [_px([(0.27, foot), *teeth.tolist(), (0.73, foot)])], 1.0, cv2.LINE_AA)
    if rng.random() < 0.5:
        for top in tops:
            cv2.circle(mask, _spot(top), int(0.045 * SHEET_PX), 1.0, -1, cv2.LINE_AA)
    if rng.random() < 0.4:
        cv2.line(mask, _spot((0.3, foot - 0.07)), _spot((0.7, foot - 0.07)), 0.0, 4, cv2.LINE_AA)


_SIGNS = (
    _skull,
    _wings,
    _letters,
    _letters,
    _star,
    _blots,
    _blots,
    _ring,
    _wheel,
    _petals,
    _suit,
    _smile,
    _paw,
    _crown,
)
"""What may be drawn; letters and blots are of many kinds."""
