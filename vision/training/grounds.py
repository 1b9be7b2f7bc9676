"""What dice lie on, and what lies about: grounds, things that are no dice, hands and cloth."""

import cv2
import numpy as np
import numpy.typing as npt

from vision.training.drawing import Array, Random, any_colour, cloud, whole, written
from vision.training.emblems import emblem
from vision.training.prints import print_figures, print_page

Points = npt.NDArray[np.int32]


def ground(rng: Random, size_px: int) -> Array:
    """A square picture of a ground of some sort, size_px x size_px x 3, 0 to 1."""
    makers = (_plain, _plain, _grainy, _grainy, _wood, _wood, _weave, _carpet, _grid, _stripes, _print, _figures, _page)
    picture = makers[rng.integers(len(makers))](rng, size_px)
    if rng.random() < 0.3:
        picture = _edge(rng, picture)
    middle = size_px / 2
    fall = (
        np.hypot(*(np.mgrid[:size_px, :size_px].astype(np.float32) - rng.normal(middle, middle, (2, 1, 1)))) / size_px
    )
    return np.asarray(np.clip(picture * (1 + rng.uniform(-0.3, 0.15) * fall[..., None]), 0, 1), np.float32)


def _plain(rng: Random, size: int) -> Array:
    noise = rng.standard_normal((size, size, 1), np.float32) * rng.uniform(0, 0.02)
    return np.asarray(any_colour(rng) + noise, np.float32)


def _grainy(rng: Random, size: int) -> Array:
    colour = any_colour(rng)
    picture: Array = np.broadcast_to(colour, (size, size, 3)).astype(np.float32)
    for _ in range(int(rng.integers(1, 4))):
        grain = cloud(rng, (size, size), int(2 ** rng.uniform(0.5, 5.5)))[..., None]
        picture = picture + grain * rng.uniform(0.01, 0.09) * rng.uniform(0.6, 1.0, 3).astype(np.float32)
    return picture


def _wood(rng: Random, size: int) -> Array:
    wood = rng.uniform(0.25, 0.95)
    colour = np.array([wood * rng.uniform(0.35, 0.8), wood * rng.uniform(0.6, 0.9), wood], np.float32)
    rings = cloud(rng, (2 * size, 2 * size), int(rng.integers(2, 9)), stretch=rng.uniform(10, 40))
    slow = cloud(rng, (2 * size, 2 * size), int(rng.integers(12, 60)), stretch=rng.uniform(3, 10))
    grain = rng.uniform(0.03, 0.12) * rings + rng.uniform(0.03, 0.13) * slow
    if rng.random() < 0.4:
        wide = int(rng.integers(30, 150))
        board = (np.arange(2 * size) // wide)[:, None]
        grain = grain + rng.normal(0, 0.12, 2 * size)[board] - 0.5 * (np.arange(2 * size) % wide < 2)[:, None]
    move = cv2.getRotationMatrix2D((float(size), float(size)), rng.uniform(0, 360), 1)
    move[:, 2] = move[:, 2] - size / 2
    turned = cv2.warpAffine(grain.astype(np.float32), move, (size, size), borderMode=cv2.BORDER_REFLECT)
    return np.asarray(colour * np.exp(turned)[..., None], np.float32)


def _axes(rng: Random, size: int) -> tuple[Array, Array]:
    """Two coordinates in pixels, turned and a little foreshortened."""
    y, x = np.mgrid[:size, :size].astype(np.float32) - size / 2
    turn = rng.uniform(0, 2 * np.pi)
    u, v = np.cos(turn) * x + np.sin(turn) * y, np.cos(turn) * y - np.sin(turn) * x
    depth = 1 + rng.uniform(-0.6, 0.6) * y / size
    return np.asarray(u / depth, np.float32), np.asarray(v / depth, np.float32)


def _weave(rng: Random, size: int) -> Array:
    u, v = _axes(rng, size)
    step = rng.uniform(3, 14)
    phase = cloud(rng, (size, size), 30) * rng.uniform(0, 1.2)
    up = np.sin(u * (2 * np.pi / step) + phase) * np.sin(v * (2 * np.pi / step / rng.uniform(0.7, 1.4)) + phase)
    noise = rng.standard_normal((size, size), np.float32) * 0.3
    return np.asarray(any_colour(rng) * (1 + rng.uniform(0.05, 0.3) * (up + noise))[..., None], np.float32)


def _carpet(rng: Random, size: int) -> Array:
    tuft = cv2.GaussianBlur(rng.standard_normal((size, size), np.float32), (0, 0), rng.uniform(0.8, 3.0))
    tuft = tuft / tuft.std()
    colour, other = any_colour(rng), any_colour(rng)
    mix = np.clip(0.5 + cloud(rng, (size, size), int(rng.integers(4, 60))) * rng.uniform(0, 1), 0, 1)[..., None]
    return np.asarray((colour + mix * (other - colour)) * (1 + rng.uniform(0.1, 0.35) * tuft)[..., None], np.float32)


def _grid(rng: Random, size: int) -> Array:
    u, v = _axes(rng, size)
    step = rng.uniform(12, 90)
    picture = _grainy(rng, size)
    if rng.random() < 0.5:
        lines = ((u % step) < step * rng.uniform(0.03, 0.12)) | ((v % step) < step * rng.uniform(0.03, 0.12))
    else:
        lines = ((u // step + v // step) % 2) > 0
    return _ink(rng, picture, lines)


def _stripes(rng: Random, size: int) -> Array:
    u, _ = _axes(rng, size)
    step = rng.uniform(6, 80)
    return _ink(rng, _grainy(rng, size), (u % step) < step * rng.uniform(0.1, 0.6))


def _print(rng: Random, size: int) -> Array:
    """Regular dots and rings, as of cloth and of pegboards."""
    u, v = _axes(rng, size)
    step = rng.uniform(10, 70)
    if rng.random() < 0.4:
        u = u + step / 2 * ((v // step) % 2)
    away = np.hypot(u % step - step / 2, v % step - step / 2)
    radius = rng.uniform(0.1, 0.4) * step
    spots = (away < radius) & (away > radius * rng.choice([-1, 0.6]))
    return _ink(rng, _grainy(rng, size), spots)


def _figures(rng: Random, size: int) -> Array:
    return print_figures(rng, _grainy(rng, size))


def _page(rng: Random, size: int) -> Array:
    return print_page(rng, _grainy(rng, size))


def _ink(rng: Random, picture: Array, where: npt.NDArray[np.bool_]) -> Array:
    soft = cv2.GaussianBlur(where.astype(np.float32), (0, 0), rng.uniform(0.4, 1.2))[..., None]
    return np.asarray(picture + soft * rng.uniform(0.15, 1.0) * (any_colour(rng) - picture), np.float32)


def _edge(rng: Random, picture: Array) -> Array:
    """The rim of a tray, a table's edge, or the wall of a round bowl."""
    size = picture.shape[0]
    mask = np.zeros((size, size), np.float32)
    kind = rng.random()
    if kind < 0.35:
        centre = rng.uniform(0.3, 0.7, 2) * size
        cv2.circle(mask, whole(centre), int(rng.uniform(0.38, 0.7) * size), 1.0, -1, cv2.LINE_AA)
    else:
        box = cv2.boxPoints(
            (tuple(rng.uniform(0.3, 0.7, 2) * size), tuple(rng.uniform(0.6, 1.3, 2) * size), float(rng.uniform(0, 90)))
        )
        cv2.fillConvexPoly(mask, np.rint(box).astype(np.int32), 1.0, cv2.LINE_AA)
    other = _grainy(rng, size)
    if rng.random() < 0.6:
        rim = cv2.dilate(mask, np.ones((int(rng.integers(3, 25)),) * 2, np.uint8)) - mask
        other = other + rim[..., None] * (any_colour(rng) - other)
    soft = cv2.GaussianBlur(mask, (0, 0), rng.uniform(0.5, 2.0))[..., None]
    return np.asarray(other + soft * (picture - other), np.float32)


def litter(rng: Random, picture: Array, side_px: float) -> None:
    """Things flat on the ground that are no dice and not of a die's size: writing, lines, crumbs, loose dots."""
    size = picture.shape[0]
    for _ in range(int(rng.integers(1, 6))):
        colour = tuple(float(c) for c in any_colour(rng))
        at = rng.uniform(0, size, 2).astype(int)
        kind = rng.random()
        if kind < 0.25:
            text = "".join(rng.choice(list("abcdefghijklmnop QRSTUVW0123456789"), int(rng.integers(3, 14))))
            mask = written(
                size,
                text,
                (int(at[0]), int(at[1])),
                int(rng.integers(0, 8)),
                rng.uniform(0.3, 1.5),
                int(rng.integers(1, 3)),
            )
            picture += mask[..., None] * (np.asarray(colour, np.float32) - picture)
        elif kind < 0.5:
            points = rng.uniform(-0.2, 1.2, (int(rng.integers(2, 6)), 2)) * size
            cv2.polylines(
                picture, [np.rint(points).astype(np.int32)], False, colour, int(rng.integers(1, 6)), cv2.LINE_AA
            )
        elif kind < 0.75:
            for spot in at + rng.normal(0, side_px * rng.uniform(0.3, 1.5), (int(rng.integers(1, 10)), 2)):
                cv2.circle(
                    picture,
                    whole(spot),
                    max(int(side_px * rng.uniform(0.03, 0.12)), 1),
                    colour,
                    -1,
                    cv2.LINE_AA,
                )
        else:
            _sheet_of_paper(rng, picture, at, side_px, colour)


def _sheet_of_paper(rng: Random, picture: Array, at: Points, side_px: float, colour: tuple[float, ...]) -> None:
    sizes = rng.uniform(2.5, 8, 2) * side_px
    box = cv2.boxPoints(((float(at[0]), float(at[1])), (float(sizes[0]), float(sizes[1])), float(rng.uniform(0, 90))))
    cv2.fillConvexPoly(picture, np.rint(box).astype(np.int32), colour, cv2.LINE_AA)


def thing(rng: Random, size_px: int) -> Array:
    """One small thing from above (coin, key, pawn ...), size_px x size_px x 4: colour and cover."""
    picture = np.zeros((size_px, size_px, 4), np.float32)
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


def hand(rng: Random, size_px: int, side_px: float) -> tuple[Array, Array]:
    """Fingers or a sleeve that reach into the picture: colours and cover."""
    mask = np.zeros((size_px, size_px), np.float32)
    skin = rng.random() < 0.65
    way = rng.uniform(0, 2 * np.pi)
    along = np.array([np.cos(way), np.sin(way)])
    tip = rng.uniform(0.25, 0.75, 2) * size_px
    thick = max(side_px * rng.uniform(0.7, 1.8), 12)
    if skin:
        for number in range(int(rng.integers(1, 5))):
            aside = np.array([-along[1], along[0]]) * thick * 1.05 * number
            start = tip + aside + along * rng.normal(0, thick)
            bend = start + along * thick * 3 + rng.normal(0, 0.4 * thick, 2)
            path = np.rint([start, bend, bend + along * 2 * size_px]).astype(np.int32)
            cv2.polylines(mask, [path], False, 1.0, int(thick), cv2.LINE_AA)
        if rng.random() < 0.6:
            cv2.circle(mask, whole(tip + along * thick * 5), int(thick * 3), 1.0, -1, cv2.LINE_AA)
        tone = rng.uniform(0.25, 0.95)
        colour = np.array([tone * rng.uniform(0.5, 0.75), tone * rng.uniform(0.62, 0.82), tone], np.float32)
        picture = (
            np.broadcast_to(colour, (size_px, size_px, 3)) * (1 + 0.04 * cloud(rng, (size_px, size_px), 12))[..., None]
        )
    else:
        across = np.array([-along[1], along[0]])
        edge = [tip + across * s * size_px * 2 + along * rng.normal(0, 0.06) * size_px for s in np.linspace(-1, 1, 9)]
        cv2.fillPoly(
            mask,
            [np.rint([*edge, edge[-1] + along * size_px * 3, edge[0] + along * size_px * 3]).astype(np.int32)],
            1.0,
        )
        folds = cloud(rng, (size_px, size_px), int(rng.integers(10, 40)), stretch=3)
        picture = ground(rng, size_px) * (1 + 0.12 * folds)[..., None]
    inner = cv2.blur(mask, (int(thick) | 1,) * 2)
    picture = picture * (0.55 + 0.45 * np.clip(inner * 2 - 0.9, 0, 1))[..., None]
    return np.asarray(np.clip(picture, 0, 1), np.float32), cv2.GaussianBlur(mask, (0, 0), 0.8)
