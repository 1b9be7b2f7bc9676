"""Batches drawn ahead: crops of pictures for the detector, wide cut-outs of single dice for how they lie."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from vision.detector import CELL_PX
from vision.network import WIDE_PX, WIDE_SIDES
from vision.training.drawing import Array, Random
from vision.training.scenes import DIE, FOREIGN, IGNORED, MASK_PX, THING, Scene

CROP_PX = 320


@dataclass(frozen=True, slots=True, eq=False)
class Sources:
    """Where batches are cut from."""

    scenes: Sequence[Scene]  # drawn
    others: Sequence[tuple[float, Sequence[Scene]]] = ()  # photographs and other scenes, each with its share of a batch


@dataclass(frozen=True, slots=True, eq=False)
class Crops:
    """What the detector is to say of some crops; cells are CELL_PX wide."""

    pictures: Array  # n x CROP_PX x CROP_PX x 3
    heat: Array  # n x 2 x cells x cells: dice, foreign objects
    weight: Array  # n x 2 x cells x cells: 0 where nobody knows
    hidden: Array  # n x cells x cells
    cells: npt.NDArray[np.int64]  # m x 3: picture, row, column of each die and each foreign object
    things: npt.NDArray[np.void]  # m of THING, places relative to the crop


@dataclass(frozen=True, slots=True, eq=False)
class Cuts:
    """How the dice of some wide cut-outs lie."""

    pictures: Array  # n x WIDE_PX x WIDE_PX x 3
    things: npt.NDArray[np.void]  # n of THING


def crops(rng: Random, sources: Sources, count: int) -> Crops:
    """A batch of crops, some of them from the other sources."""
    taken = []
    for _ in range(count):
        scenes = source(rng, sources)
        scene = scenes[int(rng.integers(len(scenes)))]
        taken.append(_from_scene(rng, scene) if scenes is sources.scenes else _from_photo(rng, scene))
    return _targets([_flipped(rng, one) for one in taken])


def source(rng: Random, sources: Sources) -> Sequence[Scene]:
    """One of the sources, by their shares."""
    if not sources.others:
        return sources.scenes
    lot = rng.random()
    for share, scenes in sources.others:
        if lot < share:
            return scenes
        lot -= share
    return sources.scenes


def _from_scene(rng: Random, scene: Scene) -> Scene:
    free = (scene.picture.shape[0] - CROP_PX) // MASK_PX
    row, column = (int(v) * MASK_PX for v in rng.integers(0, free + 1, 2))
    picture = scene.picture[row : row + CROP_PX, column : column + CROP_PX]
    cells = CROP_PX // MASK_PX
    first, left = row // MASK_PX, column // MASK_PX
    return Scene(picture, _moved(scene.things, -column, -row), scene.hidden[first : first + cells, left : left + cells])


def _from_photo(rng: Random, photo: Scene) -> Scene:
    """A turned, scaled and recoloured part of a photograph, or of a scene of another source."""
    usual = float(np.median(photo.things["side"])) if len(photo.things) else 60.0
    wanted = float(np.exp(rng.uniform(np.log(11), np.log(110))))
    scale = min(wanted / usual, 1.3)
    picture: Array = photo.picture
    things = photo.things
    while scale < 0.6:
        picture = cv2.resize(picture, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
        things, scale = scaled(things, 0.5), scale * 2
    move, angle = _move_to(rng, picture, things, scale)
    moved = things.copy()
    _turn(moved, angle, 1)
    at = np.stack([things["x"], things["y"]], axis=1) @ move[:, :2].T + move[:, 2]
    moved["x"], moved["y"] = at[:, 0], at[:, 1]
    moved["side"] *= scale
    border = int(rng.choice([cv2.BORDER_REFLECT, cv2.BORDER_CONSTANT]))
    shown = cv2.warpAffine(picture, move, (CROP_PX, CROP_PX), flags=cv2.INTER_LINEAR, borderMode=border)
    if border == cv2.BORDER_REFLECT:
        rows, columns = picture.shape[:2]
        inside = cv2.warpAffine(np.ones((rows, columns), np.uint8), move, (CROP_PX, CROP_PX))
        shown[inside == 0] = np.rint(cv2.mean(shown, inside)[:3])
    cells = CROP_PX // MASK_PX
    mask = np.zeros((cells, cells), np.uint8)
    if photo.hidden.any():
        hidden = cv2.resize(photo.hidden, picture.shape[1::-1], interpolation=cv2.INTER_NEAREST)
        hidden = cv2.warpAffine(hidden * 255, move, (CROP_PX, CROP_PX))
        mask = (cv2.resize(hidden, (cells, cells), interpolation=cv2.INTER_AREA) > 127).astype(np.uint8)
    return Scene(recoloured(rng, shown), moved, mask)


def _move_to(rng: Random, picture: Array, things: npt.NDArray[np.void], scale: float) -> tuple[Array, float]:
    """Where the picture's pixels go, and by how much it is turned."""
    rows, columns = picture.shape[:2]
    turn = rng.uniform(0, 2 * math.pi) if rng.random() < 0.6 else rng.normal(0, 0.05)
    c, s = math.cos(turn) * scale, math.sin(turn) * scale
    move = np.array([[c, -s, 0], [s, c, 0]], np.float64)
    if len(things) and rng.random() < 0.85:
        one = things[rng.integers(len(things))]
        focus = np.array([one["x"], one["y"]], np.float64)
    else:
        focus = rng.uniform(0, 1, 2) * (columns, rows)
    move[:, 2] = rng.uniform(0.2, 0.8, 2) * CROP_PX - move[:, :2] @ focus
    return np.asarray(move, np.float64), turn


def scaled(things: npt.NDArray[np.void], factor: float) -> npt.NDArray[np.void]:
    """Things where a picture so many times as large shows them."""
    scaled = things.copy()
    for name in ("x", "y"):
        scaled[name] = (things[name] + 0.5) * factor - 0.5
    scaled["side"] *= factor
    return scaled


def _moved(things: npt.NDArray[np.void], across: float, down: float) -> npt.NDArray[np.void]:
    moved = things.copy()
    moved["x"] += across
    moved["y"] += down
    return moved


def recoloured(rng: Random, picture: Array) -> Array:
    """The picture with other colours, light and sharpness."""
    if rng.random() < 0.15:
        picture = picture[..., rng.permutation(3)]
    if rng.random() < 0.06:
        picture = 255 - picture
    gain = np.exp(rng.normal(0, 0.22)) * (1 + rng.normal(0, 0.07, 3))
    levels = np.arange(256)[:, None] * gain + rng.normal(0, 12)
    shown = np.asarray(cv2.LUT(np.ascontiguousarray(picture), levels.astype(np.float32)[None]), np.float32)
    if rng.random() < 0.3:
        shown = np.asarray(cv2.GaussianBlur(shown, (0, 0), rng.uniform(0.3, 1.3)), np.float32)
    if rng.random() < 0.4:
        shown += rng.standard_normal(shown.shape, np.float32) * np.float32(rng.uniform(1, 10))
    return np.clip(shown, 0, 255, out=shown).astype(np.uint8)


def as_taken(rng: Random, picture: Array) -> Array:
    """The picture as another camera and other light would give it: contrast, a slant of the light, sharpening, JPEG."""
    if rng.random() < 0.35:
        curve = 255 * np.linspace(0, 1, 256)[:, None] ** np.exp(rng.normal(0, 0.3) + rng.normal(0, 0.08, 3))
        picture = cv2.LUT(picture, np.rint(curve).astype(np.uint8)[None])
    if rng.random() < 0.3:
        across = np.linspace(-1, 1, picture.shape[0], dtype=np.float32)
        way = rng.uniform(0, 2 * math.pi)
        slant = 1 + np.float32(rng.uniform(0, 0.3)) * (math.cos(way) * across + math.sin(way) * across[:, None]) / 1.4
        picture = np.clip(picture * slant[..., None].astype(np.float32), 0, 255).astype(np.uint8)
    if rng.random() < 0.25:
        soft, much = cv2.GaussianBlur(picture, (0, 0), rng.uniform(0.8, 2.0)), rng.uniform(0.3, 1.5)
        picture = cv2.addWeighted(picture, 1 + much, soft, -much, 0)
    if rng.random() < 0.3:
        _, file = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, int(rng.uniform(30, 85))])
        picture = np.asarray(cv2.imdecode(file, cv2.IMREAD_COLOR))
    return picture


def _flipped(rng: Random, scene: Scene) -> Scene:
    """One of the eight ways to lay down a square."""
    picture, hidden, things = scene.picture, scene.hidden, scene.things.copy()
    last = picture.shape[0] - 1
    if rng.random() < 0.5:
        picture, hidden = picture[:, ::-1], hidden[:, ::-1]
        things["x"], things["nx"] = last - things["x"], -things["nx"]
    if rng.random() < 0.5:
        picture, hidden = picture[::-1], hidden[::-1]
        things["y"], things["ny"] = last - things["y"], -things["ny"]
    if rng.random() < 0.5:
        picture, hidden = picture.transpose(1, 0, 2), hidden.T
        for one, other in (("x", "y"), ("nx", "ny")):
            things[one], things[other] = things[other].copy(), things[one].copy()
    return Scene(picture, things, hidden)


def _targets(taken: list[Scene]) -> Crops:
    cells = CROP_PX // CELL_PX
    heat = np.zeros((len(taken), 2, cells, cells), np.float32)
    weight = np.ones_like(heat)
    places, kept = [], []
    middle = (np.arange(cells) + 0.5) * CELL_PX - 0.5
    for number, scene in enumerate(taken):
        for one in scene.things:
            x, y, side = (float(one[name]) for name in ("x", "y", "side"))
            if not (-side < x < CROP_PX + side and -side < y < CROP_PX + side):
                continue
            margin = 0.4 * side
            inside = margin < x < CROP_PX - margin and margin < y < CROP_PX - margin
            wide = max(side / 7, 0.45 * CELL_PX)
            bump = np.exp(-((middle - x)[None, :] ** 2 + (middle - y)[:, None] ** 2) / (2 * wide**2)).astype(np.float32)
            if one["kind"] == IGNORED or not inside:
                weight[number][:, bump > 0.02] = 0
                continue
            row, column = int(y // CELL_PX), int(x // CELL_PX)
            bump[row, column] = 1
            channel = int(one["kind"] == FOREIGN)
            np.maximum(heat[number, channel], bump, out=heat[number, channel])
            places.append((number, row, column))
            kept.append(one)
    weight[heat == 1] = 1
    return Crops(
        np.stack([scene.picture for scene in taken]),
        heat,
        weight,
        np.stack([scene.hidden for scene in taken]).astype(np.float32),
        np.array(places, np.int64).reshape(-1, 3),
        np.array(kept, THING),
    )


def tilts(rng: Random, sources: Sources, count: int) -> Cuts:
    """A batch of wide cut-outs of dice, half of them leaning or on top of another; how each lies must be known."""
    pictures = np.empty((count, WIDE_PX, WIDE_PX, 3), np.uint8)
    labels = np.zeros(count, THING)
    done = 0
    while done < count:
        scenes = source(rng, sources)
        scene = scenes[int(rng.integers(len(scenes)))]
        usable = scene.things[scene.things["kind"] == DIE]
        usable = usable[(usable["smear"] != 1) & (usable["glare"] != 1)]
        wanted = rng.random()
        if wanted < 0.6:
            usable = usable[usable["lean" if wanted < 0.35 else "stacked"] == 1]
        for one in usable[rng.permutation(len(usable))[: min(2, count - done)]]:
            side = float(one["side"]) * float(np.exp(rng.normal(0.02, 0.09)))
            off = 0.12 if rng.random() < 0.15 else 0.05
            # The detector takes the middle of a leaning die, or any of its faces, for the top one.
            back = rng.uniform(0, 0.5) * float(one["side"]) if one["lean"] == 1 else 0.0
            x = float(one["x"] - back * one["nx"]) + rng.normal(0, off) * side
            y = float(one["y"] - back * one["ny"]) + rng.normal(0, off) * side
            pictures[done], angle, sense = _cut(rng, scene.picture, x, y, side)
            pictures[done] = as_taken(rng, pictures[done])
            labels[done] = one
            _turn(labels[done], angle, sense)
            done += 1
    return Cuts(pictures, labels)


def _turn(label: np.void | npt.NDArray[np.void], angle: float, sense: int) -> None:
    """Turn the normals of labels as their picture was turned."""
    c, s = math.cos(angle), math.sin(angle)
    for across, down in (("nx", "ny"), ("tx", "ty"), ("sx", "sy")):
        x, y = label[across] * sense, label[down]
        label[across], label[down] = c * x - s * y, s * x + c * y


def _cut(rng: Random, picture: Array, x: float, y: float, side: float) -> tuple[Array, float, int]:
    """A recoloured cut-out, by how much it is turned, and -1 if it is mirrored."""
    scale = WIDE_PX / (WIDE_SIDES * side)
    reach = int(0.8 * WIDE_SIDES * side) + 2
    left, top = int(x) - reach, int(y) - reach
    window = picture[max(top, 0) : top + 2 * reach, max(left, 0) : left + 2 * reach]
    x, y = x - max(left, 0), y - max(top, 0)
    while scale < 0.6 and min(window.shape[:2]) > 4:
        window = cv2.resize(window, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
        x, y, scale = x / 2 - 0.25, y / 2 - 0.25, scale * 2
    angle = rng.uniform(0, 2 * math.pi)
    sense = int(rng.choice([-1, 1]))
    c, s = math.cos(angle) * scale, math.sin(angle) * scale
    move = np.array([[c * sense, -s, 0], [s * sense, c, 0]])
    move[:, 2] = (WIDE_PX - 1) / 2 - move[:, :2] @ (x, y)
    cut = cv2.warpAffine(window, move, (WIDE_PX, WIDE_PX), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    if rng.random() < 0.2:
        small = int(rng.uniform(0.3, 0.83) * WIDE_PX)
        coarse = cv2.resize(cut, (small, small), interpolation=cv2.INTER_AREA)
        cut = cv2.resize(coarse, (WIDE_PX, WIDE_PX), interpolation=cv2.INTER_LINEAR)
    return recoloured(rng, cut), angle, sense
