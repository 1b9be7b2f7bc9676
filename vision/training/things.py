"""Things that are no dice, seen from above: those that lie about on bars, and any others."""

import cv2
import numpy as np

from vision.training.drawing import SHEET_PX, Array, Random, any_colour, cloud, fill_box, whole, written
from vision.training.emblems import emblem

_BODIES = 0.6  # share of things of a chance outline


def thing(rng: Random, size_px: int) -> Array:
    """One small thing from above (coin, key, pawn ...), size_px x size_px x 4: colour and cover."""
    picture: Array = np.zeros((size_px, size_px, 4), np.float32)
    if rng.random() < _BODIES:
        picture = cv2.resize(_body(rng), (size_px, size_px), interpolation=cv2.INTER_AREA)
    else:
        makers = (_disc, _disc, _button, _cap, _key, _pawn, _many_sider, _shell)
        makers[rng.integers(len(makers))](rng, picture)
    shade = 1 + 0.25 * np.linspace(-1, 1, size_px, dtype=np.float32)
    picture[..., :3] *= shade[:, None] if rng.random() < 0.5 else shade[None, :, None].reshape(1, size_px, 1)
    move = cv2.getRotationMatrix2D((size_px / 2, size_px / 2), rng.uniform(0, 360), 1.0)
    move[:, 1] = move[:, 1] * rng.uniform(0.75, 1.0)
    return np.asarray(cv2.warpAffine(np.ascontiguousarray(picture), move, (size_px, size_px)), np.float32)


def _fill(picture: Array, colour: Array, mask: Array) -> None:
    picture[..., :3] += mask[..., None] * (colour - picture[..., :3])
    np.maximum(picture[..., 3], mask, out=picture[..., 3])


def _round(
    picture: Array, colour: Array, radius: float, at: tuple[float, float] = (0.5, 0.5), thick: float = 0
) -> None:
    size = picture.shape[0]
    mask = np.zeros((size, size), np.float32)
    line = -1 if not thick else max(int(thick * size), 1)
    cv2.circle(mask, (int(at[0] * size), int(at[1] * size)), max(int(radius * size), 1), 1.0, line, cv2.LINE_AA)
    _fill(picture, colour, mask)


def _disc(rng: Random, picture: Array) -> None:
    """A coin or a counter."""
    colour = any_colour(rng)
    _round(picture, colour * 0.6, 0.47)
    _round(picture, colour, rng.uniform(0.42, 0.46))
    if rng.random() < 0.7:
        sheet = np.zeros((128, 128), np.float32)
        emblem(rng, sheet)
        mask = (
            cv2.resize(sheet, picture.shape[:2], interpolation=cv2.INTER_AREA) * picture[..., 3] * rng.uniform(0.3, 0.8)
        )
        picture[..., :3] += mask[..., None] * (any_colour(rng) - picture[..., :3])


def _button(rng: Random, picture: Array) -> None:
    colour, hole = any_colour(rng), any_colour(rng) * 0.5
    _round(picture, colour, 0.47)
    _round(picture, colour * rng.uniform(0.6, 1.2), 0.36, thick=0.03)
    apart, holes = rng.uniform(0.06, 0.14), int(rng.choice([2, 4]))
    for turn in np.arange(holes) * (2 * np.pi / holes):
        _round(picture, hole, rng.uniform(0.035, 0.06), (0.5 + apart * np.cos(turn), 0.5 + apart * np.sin(turn)))


def _cap(rng: Random, picture: Array) -> None:
    """A crown cork, one way up or the other."""
    size = picture.shape[0]
    turn = np.linspace(0, 2 * np.pi, 126, endpoint=False)
    reach = 0.44 + 0.025 * np.sign(np.sin(21 * turn))
    outline = (0.5 + np.stack([np.cos(turn), np.sin(turn)], axis=1) * reach[:, None]) * size
    mask = np.zeros((size, size), np.float32)
    cv2.fillPoly(mask, [np.rint(outline).astype(np.int32)], 1.0, cv2.LINE_AA)
    colour = any_colour(rng)
    _fill(picture, colour * 0.55, mask)
    _round(picture, colour, rng.uniform(0.33, 0.4))
    if rng.random() < 0.6:
        sheet = np.zeros((128, 128), np.float32)
        emblem(rng, sheet)
        small = cv2.resize(sheet, (size, size), interpolation=cv2.INTER_AREA)
        picture[..., :3] += small[..., None] * (any_colour(rng) - picture[..., :3])


def _key(rng: Random, picture: Array) -> None:
    size = picture.shape[0]
    mask = np.zeros((size, size), np.float32)
    bow = rng.uniform(0.13, 0.2)
    y = int(0.5 * size)
    cv2.circle(mask, (int((0.05 + bow) * size), y), int(bow * size), 1.0, max(int(0.06 * size), 1), cv2.LINE_AA)
    cv2.line(mask, (int((0.05 + 2 * bow) * size), y), (int(0.93 * size), y), 1.0, max(int(0.09 * size), 1), cv2.LINE_AA)
    for x in rng.uniform(0.65, 0.92, 4):
        cv2.line(
            mask,
            (int(x * size), y),
            (int(x * size), int(rng.uniform(0.56, 0.68) * size)),
            1.0,
            max(int(0.04 * size), 1),
        )
    _fill(picture, any_colour(rng), mask)


def _pawn(rng: Random, picture: Array) -> None:
    """A chess piece or a figure, from somewhat aside."""
    colour = any_colour(rng)
    lean = rng.uniform(0.05, 0.45)
    radii = np.array([0.3, 0.27, 0.2, 0.15, 0.12, 0.14, 0.2, rng.uniform(0.1, 0.2)])
    for number, radius in enumerate(radii):
        at = (0.5, 0.65 - lean * number / len(radii))
        _round(picture, colour * (0.5 + 0.5 * number / len(radii)), radius, at)
    _round(picture, np.minimum(colour * 1.5, 1), radii[-1] * 0.4, (0.46, 0.62 - lean))


def _many_sider(rng: Random, picture: Array) -> None:
    """A die of 4, 8, 12 or 20 sides, with figures."""
    size = picture.shape[0]
    corners = int(rng.choice([3, 4, 5, 6, 6]))
    turn = np.arange(corners) * (2 * np.pi / corners)
    outline = 0.5 + np.stack([np.cos(turn), np.sin(turn)], axis=1) * 0.47
    mask = np.zeros((size, size), np.float32)
    cv2.fillPoly(mask, [np.rint(outline * size).astype(np.int32)], 1.0, cv2.LINE_AA)
    colour = any_colour(rng)
    _fill(picture, colour, mask)
    inner = np.rint((0.5 + (outline - 0.5) * rng.uniform(0.5, 0.65)) * size).astype(np.int32)
    for one, far in zip(inner, np.rint(outline * size).astype(np.int32), strict=True):
        sheet = np.ascontiguousarray(picture[..., :3])
        cv2.line(sheet, tuple(one), tuple(far), tuple(float(c) for c in colour * 0.6), 1, cv2.LINE_AA)
        cv2.polylines(sheet, [inner], True, tuple(float(c) for c in colour * 1.3), 1, cv2.LINE_AA)
        picture[..., :3] = sheet
    scale = size / 70
    figure = written(
        size, str(rng.integers(1, 21)), (int(size * 0.34), int(size * 0.62)), 0, scale, max(int(scale * 2), 1)
    )
    picture[..., :3] += figure[..., None] * (any_colour(rng) - picture[..., :3])


def _shell(rng: Random, picture: Array) -> None:
    """A nut, a pebble, a crumb of eraser: some rounded shape."""
    size = picture.shape[0]
    turn = np.linspace(0, 2 * np.pi, 40, endpoint=False)
    reach = 0.38 + 0.08 * np.interp(turn, np.linspace(0, 2 * np.pi, 7), np.r_[rng.standard_normal(6), 0].clip(-1, 1))
    outline = (0.5 + np.stack([np.cos(turn), np.sin(turn)], axis=1) * reach[:, None]) * size
    mask = np.zeros((size, size), np.float32)
    cv2.fillPoly(mask, [np.rint(outline).astype(np.int32)], 1.0, cv2.LINE_AA)
    _fill(picture, any_colour(rng) * (1 + 0.15 * cloud(rng, (size, size), max(size // 6, 2)))[..., None], mask)
    _round(picture, any_colour(rng), 0.08, (0.4, 0.4))


def _body(rng: Random) -> Array:
    """Anything: a chance outline, raised in a chance way, of chance colours; SHEET_PX x SHEET_PX x 4."""
    outlines = (_lobed, _lobed, _bent, _bent, _bent, _cornered, _cornered, _ring, _wire, _heaped)
    mask = np.zeros((SHEET_PX, SHEET_PX), np.float32)
    outlines[rng.integers(len(outlines))](rng, mask)
    normals = _raised(rng, mask)
    lamp = np.array([*rng.normal(0, 0.6, 2), 1.0])
    lamp /= np.linalg.norm(lamp)
    lit = np.maximum(np.tensordot(lamp, normals, 1), 0)[..., None]
    around = rng.uniform(0.25, 0.75)
    colours = _coloured(rng) * (around * (0.7 + 0.3 * normals[2][..., None]) + (1.1 - around) * lit)
    if rng.random() < 0.5:
        halfway = lamp + np.array([0.0, 0.0, 1.0])
        halfway /= np.linalg.norm(halfway)
        gleam = np.maximum(np.tensordot(halfway, normals, 1), 0) ** rng.uniform(15, 120)
        colours += rng.uniform(0.1, 0.8) * gleam[..., None]
    cover = mask * (rng.uniform(0.35, 0.9) if rng.random() < 0.12 else 1.0)
    return np.asarray(np.concatenate([np.clip(colours, 0, 1), cover[..., None]], axis=2), np.float32)


def _raised(rng: Random, mask: Array) -> Array:
    """The normals (3 x h x w) of a body of that outline, flat on top or round, smooth or rough."""
    away = cv2.distanceTransform((mask > 0.5).astype(np.uint8), cv2.DIST_L2, 5)
    rim = max(float(away.max()) * rng.uniform(0.08, 1.0), 1.5)
    height = np.sqrt(1 - (1 - np.clip(away / rim, 0, 1)) ** 2) * rim * rng.uniform(0.3, 1.1)
    if rng.random() < 0.3:
        height = height + rng.uniform(0, 1.2) * cloud(rng, (SHEET_PX, SHEET_PX), int(rng.integers(3, 12)))
    height = cv2.GaussianBlur(np.asarray(height, np.float32), (0, 0), 1.2)
    normals = np.stack([-cv2.Sobel(height, -1, 1, 0) / 8, -cv2.Sobel(height, -1, 0, 1) / 8, np.ones_like(mask)])
    return np.asarray(normals / np.sqrt((normals**2).sum(axis=0)), np.float32)


def _coloured(rng: Random) -> Array:
    """The colours of a sheet: of one or of two, grained, speckled or with a sign."""
    shape = SHEET_PX, SHEET_PX
    colours = np.tile(any_colour(rng), (*shape, 1)).astype(np.float32)
    kind = rng.random()
    if kind < 0.3:  # a head, a label, bands
        x, y = np.meshgrid(*[np.linspace(-1, 1, SHEET_PX, dtype=np.float32)] * 2)
        turn = rng.choice([0.0, np.pi / 2, rng.uniform(0, 2 * np.pi)])
        along = np.cos(turn) * x + np.sin(turn) * y
        other = along > rng.uniform(-0.6, 0.8) if rng.random() < 0.6 else np.sin(along * rng.uniform(4, 20)) > 0
        colours[other] = any_colour(rng)
    elif kind < 0.45:
        mask = np.zeros(shape, np.float32)
        emblem(rng, mask)
        colours += mask[..., None] * rng.uniform(0.3, 1.0) * (any_colour(rng) - colours)
    elif kind < 0.6:
        specks = cloud(rng, shape, int(rng.integers(2, 8))) > rng.uniform(0.6, 1.6)
        colours[specks] = any_colour(rng)
    if rng.random() < 0.5:
        grain = cloud(rng, shape, int(rng.integers(2, 14)), stretch=float(rng.choice([1, 1, 4, 10])))
        colours *= 1 + rng.uniform(0.03, 0.2) * grain[..., None]
    return colours


def _polygon(mask: Array, points: Array) -> None:
    """Fill an outline given within -1 to 1."""
    at = (0.5 + 0.47 * points / max(float(np.abs(points).max()), 1e-3)) * SHEET_PX
    cv2.fillPoly(mask, [np.rint(at * 16).astype(np.int32)], 1.0, cv2.LINE_AA, 4)


def _lobed(rng: Random, mask: Array) -> None:
    """A ball, an egg, a nut, a crumb, a star, a gear, a ball of paper."""
    turn = np.linspace(0, 2 * np.pi, 120, endpoint=False)
    reach = np.ones_like(turn)
    if rng.random() < 0.6:
        for lobes in range(2, int(rng.integers(3, 9))):
            reach += rng.normal(0, rng.uniform(0, 0.5) / lobes) * np.cos(lobes * turn + rng.uniform(0, 2 * np.pi))
    if rng.random() < 0.2:
        wave = np.cos(int(rng.integers(3, 24)) * turn)
        reach *= 1 + rng.uniform(0.04, 0.35) * (np.sign(wave) if rng.random() < 0.3 else wave)
    round_one = np.stack([np.cos(turn), np.sin(turn) * rng.uniform(0.5, 1.0)], axis=1)
    _polygon(mask, np.maximum(reach, 0.15)[:, None] * round_one)


def _bent(rng: Random, mask: Array) -> None:
    """A bean, a peanut, a match, a screw, the cap of a pen, a stub, a chip of wood: longer than wide, often bent."""
    along = np.linspace(-1, 1, 60)
    wide = float(np.exp(rng.uniform(np.log(0.05), np.log(0.5))))
    swell = rng.choice([0.0, 0.0, rng.uniform(-0.5, 0.6)])
    taper = rng.uniform(0, 0.6) if rng.random() < 0.3 else 0.0
    radius = wide * np.clip(1 + swell * np.cos(2 * np.pi * along) - taper * along, 0.2, 2)
    bend = rng.choice([0.0, rng.uniform(0, 0.8)])
    across = bend * (1 - along**2) - bend / 2
    room = 0.47 / (1 + float(radius.max()))
    if rng.random() < 0.5:
        middle = np.stack([along, across], axis=1) * room + 0.5
        for at, thick in zip(middle, radius * room, strict=True):
            cv2.circle(mask, whole(at * SHEET_PX * 16), int(thick * SHEET_PX * 16), 1.0, -1, cv2.LINE_AA, 4)
    else:
        edge = np.concatenate([np.stack([along, across + radius], 1), np.stack([along, across - radius], 1)[::-1]])
        _polygon(mask, edge)


def _cornered(rng: Random, mask: Array) -> None:
    """A lump of sugar, a card, a tile, a cork, a brick, a plectrum: with three to six corners, round or sharp."""
    corners = int(rng.choice([3, 4, 4, 4, 5, 6]))
    turn = (np.arange(corners) + 0.5) * (2 * np.pi / corners) + rng.normal(0, 0.05, corners)
    points = np.stack([np.cos(turn), np.sin(turn) * rng.uniform(0.3, 1.0)], axis=1)
    _polygon(mask, points * (1 + rng.normal(0, 0.05, (corners, 1))))
    soft = int(rng.integers(0, 16))
    if soft > 2:
        round_one = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * soft + 1,) * 2)
        mask[:] = cv2.GaussianBlur(cv2.morphologyEx(mask, cv2.MORPH_OPEN, round_one), (0, 0), 0.7)


def _ring(rng: Random, mask: Array) -> None:
    """A ring, a washer, a nut of metal, a bead."""
    corners = int(rng.choice([4, 6, 6, 60, 60, 60]))
    turn = np.arange(corners) * (2 * np.pi / corners)
    _polygon(mask, np.stack([np.cos(turn), np.sin(turn)], axis=1))
    within = 0.45 * np.cos(np.pi / corners) * rng.uniform(0.2, 0.9)
    cv2.circle(mask, (SHEET_PX // 2,) * 2, int(SHEET_PX * within), 0.0, -1, cv2.LINE_AA)


def _wire(rng: Random, mask: Array) -> None:
    """A clip, a rubber band, a spring, a thread, a key ring with what hangs on it."""
    turns, squeezed = rng.uniform(0.7, 4), rng.uniform(0.2, 1.0)
    turn = np.linspace(0, 2 * np.pi * turns, 120)
    reach = 0.42 * (1 - rng.choice([0.0, rng.uniform(0.1, 0.7)]) * np.linspace(0, 1, 120))
    drift = np.linspace(-1, 1, 120) * rng.choice([0.0, rng.uniform(0.05, 0.3)])
    points = 0.5 + np.stack([reach * np.cos(turn), squeezed * reach * np.sin(turn) + drift], axis=1)
    thick = int(rng.integers(3, 11))
    cv2.polylines(mask, [np.rint(points * SHEET_PX).astype(np.int32)], False, 1.0, thick, cv2.LINE_AA)


def _heaped(rng: Random, mask: Array) -> None:
    """A toy, a plug, a joint, a few crumbs: rounds and boxes joined."""
    for _ in range(int(rng.integers(2, 5))):
        at, sizes = rng.uniform(0.3, 0.7, 2) * SHEET_PX, rng.uniform(0.08, 0.26, 2) * SHEET_PX
        if rng.random() < 0.5:
            cv2.ellipse(mask, whole(at), whole(sizes), rng.uniform(0, 180), 0, 360, 1.0, -1, cv2.LINE_AA)
        else:
            fill_box(mask, at, 2 * sizes, rng.uniform(0, 90))
