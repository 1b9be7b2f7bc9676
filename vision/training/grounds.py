"""What dice lie on, and what lies about: grounds, hands and cloth."""

import math

import cv2
import numpy as np
import numpy.typing as npt

from vision.training.drawing import Array, Random, any_colour, cloud, fill_box, whole, written
from vision.training.prints import print_figures, print_page

Points = npt.NDArray[np.int32]


def ground(rng: Random, size_px: int) -> Array:
    """A square picture of a ground of some sort, size_px x size_px x 3, 0 to 1."""
    makers = (_plain, _plain, _grainy, _grainy, _wood, _wood, _marble, _stone, *_PATTERNED)
    picture = makers[rng.integers(len(makers))](rng, size_px)
    if rng.random() < 0.3:
        picture = _edge(rng, picture)
    if rng.random() < 0.15:
        picture = _mirrored(rng, picture)
    if rng.random() < 0.15:
        picture = _shaded(rng, picture)
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


def _marble(rng: Random, size: int) -> Array:
    """Veins of one colour or two in a clouded stone."""
    picture = _grainy(rng, size)
    for _ in range(int(rng.integers(1, 4))):
        rows, columns = np.indices((size, size), np.float32) - size / 2
        bend = cloud(rng, (size, size), int(rng.integers(30, 120))) * rng.uniform(10, 60)
        bend += cloud(rng, (size, size), int(rng.integers(6, 30))) * rng.uniform(0, 8)
        turn, step = rng.uniform(0, np.pi), rng.uniform(40, 250)
        way = np.cos(turn) * columns + np.sin(turn) * rows + bend
        off = np.abs((way + rng.uniform(0, step)) % step - step / 2)
        vein = np.exp(-off / rng.uniform(0.7, 7)) * np.clip(0.6 + 0.5 * cloud(rng, (size, size), 50), 0, 1)
        picture = picture + rng.uniform(0.15, 0.9) * vein[..., None] * (any_colour(rng) - picture)
    return np.asarray(picture, np.float32)


def _stone(rng: Random, size: int) -> Array:
    """Chips in a ground, as of terrazzo, granite or cork."""
    picture = _grainy(rng, size)
    for _ in range(int(rng.integers(1, 5))):
        chips = cloud(rng, (size, size), int(2 ** rng.uniform(1, 4.5))) > rng.uniform(0.8, 2.0)
        picture = _ink(rng, picture, chips)
    return picture


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


_PATTERNED = _weave, _carpet, _grid, _stripes, _print, _figures, _page


def _mirrored(rng: Random, picture: Array) -> Array:
    """Lamps and windows that a polished ground mirrors."""
    size = picture.shape[0]
    light = np.zeros((size, size), np.float32)
    for _ in range(int(rng.integers(1, 4))):
        at, reach = rng.uniform(0, size, 2), rng.uniform(0.02, 0.16, 2) * size
        if rng.random() < 0.6:
            cv2.ellipse(light, whole(at), whole(reach), rng.uniform(0, 180), 0, 360, 1.0, -1, cv2.LINE_AA)
        else:
            fill_box(light, at, 2 * reach, rng.uniform(0, 90))
    soft = cv2.GaussianBlur(light, (0, 0), float(np.exp(rng.uniform(np.log(0.8), np.log(25)))))
    return np.asarray(picture + rng.uniform(0.08, 0.6) * soft[..., None], np.float32)


def _shaded(rng: Random, picture: Array) -> Array:
    """Shadows of what stands outside the picture: bars, a hand that is gone, a bottle."""
    size = picture.shape[0]
    mask = np.zeros((size, size), np.float32)
    for _ in range(int(rng.integers(1, 3))):
        ends = [whole(rng.uniform(-0.2, 1.2, 2) * size) for _ in range(2)]
        cv2.line(mask, ends[0], ends[1], 1.0, int(rng.uniform(0.05, 0.4) * size), cv2.LINE_AA)
    soft = cv2.GaussianBlur(mask, (0, 0), rng.uniform(0.8, 14))
    return np.asarray(picture * (1 - rng.uniform(0.1, 0.6) * soft[..., None]), np.float32)


def _edge(rng: Random, picture: Array) -> Array:
    """The rim of a tray, a table's edge, or the wall of a round bowl."""
    size = picture.shape[0]
    mask = np.zeros((size, size), np.float32)
    kind = rng.random()
    if kind < 0.35:
        centre = rng.uniform(0.3, 0.7, 2) * size
        cv2.circle(mask, whole(centre), int(rng.uniform(0.38, 0.7) * size), 1.0, -1, cv2.LINE_AA)
    else:
        fill_box(mask, rng.uniform(0.3, 0.7, 2) * size, rng.uniform(0.6, 1.3, 2) * size, rng.uniform(0, 90))
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


def hand(rng: Random, size_px: int, side_px: float) -> tuple[Array, Array]:
    """Fingers or a sleeve that reach into the picture: colours and cover."""
    mask = np.zeros((size_px, size_px), np.float32)
    way = rng.uniform(0, 2 * np.pi)
    along = np.array([np.cos(way), np.sin(way)])
    tip = rng.uniform(0.2, 0.8, 2) * size_px
    thick = max(side_px * rng.uniform(0.6, 1.8), 12)
    if rng.random() < 0.7:
        picture = _fingers(rng, mask, tip, along, thick)
    else:
        across = np.array([-along[1], along[0]])
        edge = [tip + across * s * size_px * 2 + along * rng.normal(0, 0.06) * size_px for s in np.linspace(-1, 1, 9)]
        ends = [*edge, edge[-1] + along * size_px * 3, edge[0] + along * size_px * 3]
        cv2.fillPoly(mask, [np.rint(ends).astype(np.int32)], 1.0)
        folds = cloud(rng, (size_px, size_px), int(rng.integers(10, 40)), stretch=3)
        picture = ground(rng, size_px) * (1 + 0.12 * folds)[..., None]
    inner = cv2.blur(mask, (int(thick) | 1,) * 2)
    picture = picture * (0.55 + 0.45 * np.clip(inner * 2 - 0.9, 0, 1))[..., None]
    return np.asarray(np.clip(picture, 0, 1), np.float32), cv2.GaussianBlur(mask, (0, 0), 0.8)


def _fingers(rng: Random, mask: Array, tip: Array, along: Array, thick: float) -> Array:
    """One to four fingers with their nails, and often the back of the hand; draws their mask, gives their colours."""
    size = mask.shape[0]
    nails, creases = np.zeros_like(mask), np.zeros_like(mask)
    across, spread = np.array([-along[1], along[0]]), rng.normal(0, 0.12)
    for number in range(int(rng.integers(1, 5))):
        way = along + spread * number * across
        start = tip + across * thick * rng.uniform(0.95, 1.3) * number + along * rng.normal(0, thick)
        bend = start + way * thick * 3 + rng.normal(0, 0.4 * thick, 2)
        path = np.rint([start, bend, bend + along * 2 * size]).astype(np.int32)
        cv2.polylines(mask, [path], False, 1.0, int(thick * rng.uniform(0.85, 1.1)), cv2.LINE_AA)
        fill_box(
            nails, start + way * 0.1 * thick, np.array([0.62, 0.5]) * thick, math.degrees(math.atan2(way[1], way[0]))
        )
        for far in (1.5, 2.9, 3.1):
            one, other = (whole(start + way * far * thick + side * thick * across) for side in (-0.4, 0.4))
            cv2.line(creases, one, other, 1.0, max(int(thick / 18), 1), cv2.LINE_AA)
    if rng.random() < 0.5:
        cv2.circle(mask, whole(tip + along * thick * 5), int(thick * 3), 1.0, -1, cv2.LINE_AA)
    tone = rng.uniform(0.2, 0.95)
    skin = np.array([tone * rng.uniform(0.5, 0.78), tone * rng.uniform(0.62, 0.85), tone], np.float32)
    colour = any_colour(rng) if rng.random() < 0.1 else skin  # or a glove
    away = cv2.distanceTransform((mask > 0.5).astype(np.uint8), cv2.DIST_L2, 3)
    rounded = 0.6 + 0.4 * np.sqrt(np.clip(away / (0.5 * thick), 0, 1))
    picture = colour * (rounded * (1 + 0.04 * cloud(rng, (size, size), 12)))[..., None]
    if rng.random() < 0.6:
        picture = picture * (1 - 0.3 * creases[..., None])
        picture = picture + nails[..., None] * (np.minimum(colour * rng.uniform(0.9, 1.3, 3), 1) - picture)
    return np.asarray(picture, np.float32)
