"""Pictures on which things, prints and shadows are laid, to learn where something lies that is no die."""

import math
from dataclasses import dataclass
from string import ascii_letters

import cv2
import numpy as np
import numpy.typing as npt

from vision.detector import CELL_PX
from vision.training.batches import CROP_PX, Sources, as_taken, recoloured, scaled, source
from vision.training.drawing import Array, Random, any_colour, between, whole
from vision.training.oddments import oddment
from vision.training.scenes import DIE, FOREIGN, Scene

_CELLS = CROP_PX // CELL_PX
_DIE_PX = 14.0, 64.0  # sides that most dice shall have
_LAID, _PRINTED, _RIMMED, _SAME, _CAST = 0.6, 0.16, 0.06, 0.1, 0.35  # how often
_TRIES, _BESIDE = 8, 0.35  # to find a place for a thing; how often it is sought near a die
_INSIDE, _ON_DICE = 0.6, 0.03  # shares of a thing: within the picture at least, on dice at most
_SOLID = 0.3  # cover from which something is there
_SHOWS, _BLANK = 0.12, 0.02  # shares of a cell that a thing takes where it is to be told, and where there is none
_BODY, _ABOUT, _KNOWN = 0.62, 0.8, 0.33  # sides around the centre of a die, of what is unknown, and of a known thing
_FIGURES = cv2.FONT_HERSHEY_SIMPLEX, cv2.FONT_HERSHEY_DUPLEX, cv2.FONT_HERSHEY_COMPLEX, cv2.FONT_HERSHEY_TRIPLEX


@dataclass(frozen=True, slots=True, eq=False)
class Strewn:
    """Where in some pictures something lies that is no die; cells are CELL_PX wide."""

    pictures: npt.NDArray[np.uint8]  # n x CROP_PX x CROP_PX x 3
    there: Array  # n x cells x cells
    weight: Array  # n x cells x cells: 0 where nobody knows


@dataclass(frozen=True, slots=True, eq=False)
class _Ground:
    """A picture (0 to 1) on which things are laid; masks of the same size."""

    picture: Array
    dice: npt.NDArray[np.void]  # of THING
    die_px: float
    body: Array  # where dice are
    unknown: Array
    there: Array

    def bare(self) -> Array:
        """1 where there is nothing but ground."""
        taken = cv2.GaussianBlur(np.maximum(np.maximum(self.body, self.unknown), self.there), (0, 0), 1.0)
        return np.asarray(1 - np.minimum(1.3 * taken, 1), np.float32)[..., None]


def strewn(rng: Random, sources: Sources, count: int) -> Strewn:
    """A batch of pictures."""
    made = []
    for _ in range(count):
        scenes = source(rng, sources)
        made.append(_strewn(rng, scenes[int(rng.integers(len(scenes)))]))
    pictures, there, weight = (np.stack(kind) for kind in zip(*made, strict=True))
    return Strewn(pictures, there, weight)


def _strewn(rng: Random, scene: Scene) -> tuple[Array, Array, Array]:
    ground = _ground(rng, scene)
    picture = ground.picture
    if rng.random() < _PRINTED and not ground.there.any():
        _print(rng, ground)
    if rng.random() < _RIMMED:
        _rim(rng, ground)
    if rng.random() < _CAST:
        _cast(rng, ground)
    lot = rng.random()
    if lot < _LAID:
        _lay(rng, ground)
    elif lot < _LAID + _SAME:
        _print_one(rng, ground)
    if rng.random() < 0.5:
        picture = cv2.GaussianBlur(picture, (0, 0), rng.uniform(0.3, max(0.4, 0.03 * ground.die_px)))
    noisy = 255 * picture + rng.normal(0, rng.uniform(0, 3), picture.shape)
    shown = as_taken(rng, recoloured(rng, np.clip(noisy, 0, 255).astype(np.uint8)))
    share, doubt = (
        cv2.resize(mask, (_CELLS, _CELLS), interpolation=cv2.INTER_AREA) for mask in (ground.there, ground.unknown)
    )
    there = share > _SHOWS
    weight = there | ((share < _BLANK) & (doubt < 0.1))
    turns, sense = int(rng.integers(4)), int(rng.choice([-1, 1]))
    told = there.astype(np.float32), weight.astype(np.float32)
    shown, there, weight = (np.ascontiguousarray(np.rot90(kind, turns)[:, ::sense]) for kind in (shown, *told))
    return shown, there, weight


def _ground(rng: Random, scene: Scene) -> _Ground:
    """A part of a scene, and what is known of it."""
    part = _part(rng, scene)
    body, unknown, there = (np.zeros((CROP_PX, CROP_PX), np.float32) for _ in range(3))
    for one in part.things:
        x, y, side = (float(one[name]) for name in ("x", "y", "side"))
        if not (-2 * side < x < CROP_PX + 2 * side and -2 * side < y < CROP_PX + 2 * side):
            continue
        if one["kind"] == DIE:
            cv2.circle(body, whole((x, y)), int(_BODY * side) + 1, 1.0, -1)
            continue
        cv2.circle(unknown, whole((x, y)), int(_ABOUT * side) + 2, 1.0, -1)
        if one["kind"] == FOREIGN:
            cv2.circle(there, whole((x, y)), max(int(_KNOWN * side), 2), 1.0, -1)
    if part.hidden.any():
        hidden = cv2.resize(part.hidden, (CROP_PX, CROP_PX), interpolation=cv2.INTER_NEAREST)
        unknown[cv2.dilate(hidden, np.ones((CELL_PX, CELL_PX), np.uint8)) > 0] = 1
    unknown[there > 0] = 0
    dice = part.things[part.things["kind"] == DIE]
    die_px = float(np.median(dice["side"])) if len(dice) else between(rng, *_DIE_PX)
    return _Ground(part.picture.astype(np.float32) / 255, dice, float(np.clip(die_px, 9, 110)), body, unknown, there)


def _part(rng: Random, scene: Scene) -> Scene:
    """A part of a scene, scaled so that dice are as large as the detector sees them, and filled by it as a rule."""
    picture, things = scene.picture, scene.things
    usual = float(np.median(things["side"])) if len(things) else 40.0
    turn = rng.normal(0, 0.06) if rng.random() < 0.5 else 0.0
    across = abs(math.cos(turn)) + abs(math.sin(turn))
    least = CROP_PX / min(picture.shape[:2]) * across
    scale = float(np.clip(between(rng, *_DIE_PX) / max(usual, 1.0), least, max(least, 1.5)))
    while scale < 0.6:
        picture = np.asarray(cv2.resize(picture, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA), np.uint8)
        things, scale = scaled(things, 0.5), 2 * scale
    rows, columns = picture.shape[:2]
    room = CROP_PX / 2 * across / scale
    middle = [rng.uniform(min(room, long / 2), max(long - room, long / 2)) for long in (columns, rows)]
    c, s = math.cos(turn) * scale, math.sin(turn) * scale
    move = np.array([[c, -s, 0], [s, c, 0]])
    move[:, 2] = CROP_PX / 2 - move[:, :2] @ middle
    moved = things.copy()
    moved["x"], moved["y"] = move[:, :2] @ (things["x"], things["y"]) + move[:, 2:]
    moved["side"] *= scale
    mean = [float(value) for value in cv2.mean(picture)[:3]]
    shown = cv2.warpAffine(picture, move, (CROP_PX, CROP_PX), flags=cv2.INTER_LINEAR, borderValue=mean)
    hidden = cv2.resize(scene.hidden, (columns, rows), interpolation=cv2.INTER_NEAREST)
    hidden = cv2.warpAffine(hidden, move, (CROP_PX, CROP_PX), flags=cv2.INTER_NEAREST)
    return Scene(np.asarray(shown, np.uint8), moved, np.asarray(hidden, np.uint8))


def _lay(rng: Random, ground: _Ground) -> None:
    """Lay one to three things on it, most of them where no die lies, with shadows that agree."""
    die_px, picture = ground.die_px, ground.picture
    bright = float(np.quantile(picture[::4, ::4].max(axis=2), 0.7)) * rng.uniform(0.8, 1.6)
    shift = np.eye(2, 3)
    shift[:, 2] = rng.normal(0, 0.18, 2) * die_px
    soft, deep = 0.4 + rng.uniform(0.02, 0.1) * die_px, rng.uniform(0.15, 0.6)
    for _ in range(int(rng.choice([1, 1, 1, 2, 3]))):
        laid = _placed(rng, ground, oddment(rng, die_px))
        if laid is None:
            continue
        colours, cover = laid[..., :3] * np.clip(bright, 0.1, 1), laid[..., 3]
        on = cover > _SOLID
        if rng.random() < 0.2:  # of the ground's own colours
            colours *= picture[on].mean(axis=0) / np.maximum(colours[on].mean(axis=0), 0.05) * rng.uniform(0.6, 1.5)
        shade = cv2.GaussianBlur(cv2.warpAffine(cover, shift, cover.shape), (0, 0), soft)
        picture *= 1 - deep * shade[..., None]
        picture += cover[..., None] * (colours - picture)
        ground.there[on] = 1


def _placed(rng: Random, ground: _Ground, drawn: Array) -> Array | None:
    """A drawn thing somewhere in the picture where no die is, often near one; None where no place was found."""
    solid = float((drawn[..., 3] > _SOLID).sum())
    if solid < max(0.02 * ground.die_px**2, 6):
        return None
    half = len(drawn) / 2
    for _ in range(_TRIES):
        at = rng.uniform(0, CROP_PX, 2)
        if len(ground.dice) and rng.random() < _BESIDE:
            die = ground.dice[int(rng.integers(len(ground.dice)))]
            at = np.array([die["x"], die["y"]]) + rng.normal(0, 1.1, 2) * ground.die_px
        move = np.array([[1, 0, int(at[0] - half)], [0, 1, int(at[1] - half)]], np.float32)
        laid = np.asarray(cv2.warpAffine(drawn, move, (CROP_PX, CROP_PX), flags=cv2.INTER_NEAREST), np.float32)
        on = laid[..., 3] > _SOLID
        if on.sum() > _INSIDE * solid and ground.body[on].sum() < _ON_DICE * on.sum() + 1:
            return laid
    return None


def _cast(rng: Random, ground: _Ground) -> None:
    """The shadows of its dice under a lamp, which may be hard and long."""
    way, far = rng.uniform(0, 2 * math.pi), rng.uniform(0.3, 1.6)
    mask = np.zeros((CROP_PX, CROP_PX), np.float32)
    square = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) / 2
    for one in ground.dice:
        turn, side = rng.uniform(0, math.pi / 2), float(one["side"]) * rng.uniform(0.9, 1.0)
        c, s = math.cos(turn) * side, math.sin(turn) * side
        foot = square @ np.array([[c, s], [-s, c]])
        end = foot * rng.uniform(0.8, 1.3) + np.array([math.cos(way), math.sin(way)]) * far * side
        corners = np.concatenate([foot, end]) + np.array([one["x"], one["y"]])
        hull = cv2.convexHull(corners.astype(np.float32))
        cv2.fillConvexPoly(mask, np.rint(hull * 16).astype(np.int32), 1.0, cv2.LINE_AA, 4)
    shade = cv2.GaussianBlur(mask, (0, 0), between(rng, 0.4, 4.0))[..., None] * ground.bare()
    ground.picture[:] = ground.picture * (1 - rng.uniform(0.25, 0.85) * shade * (1 + rng.normal(0, 0.06, 3)))


def _rim(rng: Random, ground: _Ground) -> None:
    """The rim of a tray with corners, lit from one side."""
    outer = rng.uniform(0.45, 1.0, 2) * CROP_PX
    wide, lamp, turn = ground.die_px * between(rng, 0.2, 1.2), rng.uniform(0, 2 * math.pi), rng.uniform(0, math.pi)
    square = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) / 2
    c, s = math.cos(turn), math.sin(turn)
    middle = rng.uniform(0.1, 0.9, 2) * CROP_PX
    far, near = (square * sizes @ np.array([[c, s], [-s, c]]) + middle for sizes in (outer, outer - 2 * wide))
    colour, rough, bare = any_colour(rng) * rng.uniform(0.5, 1), 0.5 * rng.random(), ground.bare()
    for number in range(4):
        after = (number + 1) % 4
        mask = np.zeros((CROP_PX, CROP_PX), np.float32)
        side = np.array([far[number], far[after], near[after], near[number]])
        cv2.fillPoly(mask, [np.rint(side * 16).astype(np.int32)], 1.0, cv2.LINE_AA, 4)
        lit = 1 + rough * math.cos(turn + number * math.pi / 2 - lamp)
        ground.picture[:] = ground.picture + mask[..., None] * bare * (lit * colour - ground.picture)


def _print_one(rng: Random, ground: _Ground) -> None:
    """One flat figure several times, anywhere."""
    drawn, ink, share = oddment(rng, ground.die_px * rng.uniform(0.4, 1.3)), any_colour(rng), rng.uniform(0.25, 1.0)
    half, bare = len(drawn) / 2, ground.bare()
    for _ in range(int(rng.integers(4, 14))):
        turn = float(rng.choice([0.0, 90.0, 180.0, rng.uniform(0, 360)]))
        move = np.asarray(cv2.getRotationMatrix2D((half, half), turn, 1.0), np.float64)
        move[:, 2] += rng.uniform(0, CROP_PX, 2) - half
        mask = cv2.warpAffine(drawn[..., 3], move, (CROP_PX, CROP_PX))[..., None] * bare
        ground.picture[:] = ground.picture + share * mask * (ink - ground.picture)


def _print(rng: Random, ground: _Ground) -> None:
    """Numbers in a grid, figures at equal distances, or lines of writing, in one colour or in several."""
    size = int(1.6 * CROP_PX)
    step = ground.die_px * between(rng, 0.7, 3.5)
    mask = np.zeros((size, size), np.uint8)
    prints = (_numbers, _spots, _lines)
    prints[int(rng.choice(3, p=[0.35, 0.3, 0.35]))](rng, mask, step)
    inks = np.zeros((size, size, 3), np.float32) + any_colour(rng)
    if rng.random() < 0.5:
        count = int(size / step) + 2
        squares = np.stack([any_colour(rng) for _ in range(count**2)]).reshape(count, count, 3)
        inks = np.asarray(cv2.resize(squares, (size, size), interpolation=cv2.INTER_NEAREST), np.float32)
    move = np.asarray(cv2.getRotationMatrix2D((size / 2, size / 2), rng.uniform(0, 90), 1.0), np.float64)
    move[:, 2] -= (size - CROP_PX) / 2
    seen = np.asarray(cv2.warpAffine(mask, move, (CROP_PX, CROP_PX)), np.float32) / 255
    ink = cv2.warpAffine(inks, move, (CROP_PX, CROP_PX))
    printed = cv2.GaussianBlur(seen, (0, 0), 0.5)[..., None] * ground.bare()
    share, dim = rng.uniform(0.2, 1), rng.uniform(0.3, 1)
    ground.picture[:] = ground.picture + share * printed * (dim * ink - ground.picture)


def _numbers(rng: Random, mask: Array, step: float) -> None:
    size, font = len(mask), int(rng.choice(_FIGURES))
    if rng.random() < 0.8:
        for at in np.arange(0, size, step).astype(int).tolist():
            cv2.line(mask, (at, 0), (at, size), 255, 1, cv2.LINE_AA)
            cv2.line(mask, (0, at), (size, at), 255, 1, cv2.LINE_AA)
    scale = step * rng.uniform(0.012, 0.022)
    thick = max(int(scale * rng.uniform(1, 3)), 1)
    for row, column in np.ndindex((int(size / step),) * 2):
        if rng.random() < 0.75:
            at = whole((step * (column + 0.3 + rng.normal(0, 0.05)), step * (row + 0.6)))
            cv2.putText(mask, str(rng.integers(1, 100)), at, font, scale, 255, thick, cv2.LINE_AA)


def _spots(rng: Random, mask: Array, step: float) -> None:
    size, radius, astray = len(mask), step * rng.uniform(0.1, 0.35), rng.choice([0.0, 0.15]) * step
    figure = (oddment(rng, max(1.6 * radius, 8.0))[..., 3] * 255).astype(np.uint8) if rng.random() < 0.6 else None
    shifted = rng.random() < 0.7
    for row, column in np.ndindex((int(size / step),) * 2):
        at = np.array([column + 0.5 * (shifted and row % 2), row]) * step + rng.normal(0, astray, 2)
        if figure is None:
            cv2.circle(mask, whole(8 * at), int(8 * radius), 255, -1, cv2.LINE_AA, 3)
            continue
        left, top = whole(np.maximum(at, 0))
        window = mask[top : top + len(figure), left : left + len(figure)]
        np.maximum(window, figure[: window.shape[0], : window.shape[1]], out=window)


def _lines(rng: Random, mask: Array, step: float) -> None:
    size, scale, font = len(mask), step * rng.uniform(0.008, 0.02), int(rng.choice(_FIGURES))
    y, letters = 0.0, list(ascii_letters)
    while y < size:
        y += scale * rng.uniform(26, 40) + 4
        x = rng.uniform(-50, 10)
        while x < size:
            word = "".join(rng.choice(letters, int(rng.integers(2, 9))))
            cv2.putText(mask, word, whole((x, y)), font, scale, 255, max(int(2 * scale), 1), cv2.LINE_AA)
            x += scale * (18 * len(word) + 14) + (2 * step if rng.random() < 0.1 else 0)
