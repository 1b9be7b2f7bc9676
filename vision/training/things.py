"""Small things that are no dice, from above: flat ones by their outlines, solid ones by their faces."""

import cv2
import numpy as np

from vision.training.drawing import Array, Random, any_colour, cloud, written
from vision.training.emblems import emblem
from vision.training.solids import solid


def thing(rng: Random, size_px: int) -> Array:
    """One small thing from above (coin, key, pawn ...), size_px x size_px x 4: colour and cover."""
    picture = np.zeros((size_px, size_px, 4), np.float32)
    makers = (_disc, _disc, _button, _cap, _key, _pawn, _many_sider, _shell, _hoop, _ball, _rod, *[_solid] * 5)
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


def _solid(rng: Random, picture: Array) -> None:
    """A die of four to twenty sides, an eraser, a block: each face in the light that falls on it."""
    size, colour = picture.shape[0], any_colour(rng)
    faces = solid(rng)
    light = _lit(rng)
    dim, rimmed = rng.uniform(0.15, 0.7), rng.random() < 0.4
    for corners, normal in faces:
        outline = np.rint((0.5 + 0.47 * corners) * size * 16).astype(np.int32)
        shown = colour * np.float32(dim + (1.05 - dim) * max(float(light @ normal), 0.0))
        mask = np.zeros((size, size), np.float32)
        cv2.fillConvexPoly(mask, outline, 1.0, cv2.LINE_AA, 4)
        _fill(picture, shown, mask)
        if rimmed:
            rim = np.zeros((size, size), np.float32)
            cv2.polylines(rim, [outline], True, 1.0, max(size // 50, 1), cv2.LINE_AA, 4)
            picture[..., :3] += 0.5 * rim[..., None] * (shown * 1.3 - picture[..., :3])
    if rng.random() < 0.35:
        at = 0.5 + 0.47 * faces[-1][0].mean(axis=0)
        scale = size / rng.uniform(60, 110)
        figure = written(
            size,
            str(rng.integers(1, 21)),
            (int((at[0] - 0.1) * size), int((at[1] + 0.08) * size)),
            0,
            scale,
            max(int(scale * 2), 1),
        )
        picture[..., :3] += figure[..., None] * (any_colour(rng) - picture[..., :3])


def _lit(rng: Random) -> Array:
    """A way to a lamp (x right, y down, z up), of length 1."""
    way = rng.normal(0, 0.7, 3)
    way[2] = abs(way[2]) + 0.5
    return np.asarray(way / np.linalg.norm(way), np.float32)


def _grid(size: int) -> Array:
    """The places of pixels from the middle, x and y, -1 to 1 (2 x size x size)."""
    steps = (np.arange(size, dtype=np.float32) + 0.5) / size * 2 - 1
    return np.stack(np.meshgrid(steps, steps))


def _rounded(rng: Random, picture: Array, normals: Array, cover: Array) -> None:
    """Lay down what is round, with normals 3 x size x size where it is."""
    dim, gloss = rng.uniform(0.15, 0.7), rng.uniform(0, 0.6) if rng.random() < 0.6 else 0.0
    facing = np.maximum(np.einsum("i,ihw->hw", _lit(rng), normals), 0)[..., None]
    shown = any_colour(rng) * (dim + (1.05 - dim) * facing) + gloss * facing**20
    picture[..., :3] += cover[..., None] * (shown - picture[..., :3])
    np.maximum(picture[..., 3], cover, out=picture[..., 3])


def _hoop(rng: Random, picture: Array) -> None:
    """A ring: of a finger, of a bottle, a washer."""
    size = picture.shape[0]
    grid = _grid(size)
    far = np.maximum(np.hypot(*grid), 1e-3)
    half = rng.uniform(0.06, 0.25)
    across = (far - (0.94 - half)) / half
    up = np.sqrt(np.clip(1 - across**2, 0, 1))
    normals = np.stack([*(grid / far * np.clip(across, -1, 1)), up])
    cover = np.clip((1 - np.abs(across)) * half * size / 2 + 0.5, 0, 1)
    _rounded(rng, picture, normals, cover)


def _ball(rng: Random, picture: Array) -> None:
    """A marble, a pea, a bead with its hole."""
    size = picture.shape[0]
    grid = _grid(size) / 0.94
    far = np.hypot(*grid)
    normals = np.stack([*grid, np.sqrt(np.clip(1 - far**2, 0, 1))])
    _rounded(rng, picture, normals, np.clip((1 - far) * size / 2 + 0.5, 0, 1))
    if rng.random() < 0.2:
        _round(picture, any_colour(rng) * 0.4, rng.uniform(0.06, 0.14), tuple(rng.uniform(0.4, 0.6, 2)))


def _rod(rng: Random, picture: Array) -> None:
    """A cork, a battery, a stub of chalk: a cylinder on its side, at most four times as long as thick."""
    size = picture.shape[0]
    across, along = _grid(size)
    half = rng.uniform(0.22, 0.6)
    end = 0.94 - 0.25 * half * rng.random() * np.sqrt(np.clip(1 - (across / half) ** 2, 0, 1))
    side = np.clip(across / half, -1, 1)
    normals = np.stack([side, np.zeros_like(side), np.sqrt(1 - side**2)])
    inside = np.minimum(half - np.abs(across), end - np.abs(along))
    _rounded(rng, picture, normals, np.clip(inside * size / 2 + 0.5, 0, 1))
    if rng.random() < 0.4:  # a band, or the other end of a battery
        band = (along > rng.uniform(0.1, 0.6)).astype(np.float32) * (picture[..., 3] > 0)
        picture[..., :3] += band[..., None] * (any_colour(rng) - picture[..., :3]) * normals[2][..., None]
