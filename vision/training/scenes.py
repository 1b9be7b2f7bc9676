"""Whole drawn pictures: dice thrown on a ground under a chance camera and light, with labels."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from vision.training.casting import Layer, Light, Pose, View, cast
from vision.training.drawing import Array, Random, whole
from vision.training.grounds import ground, hand, litter
from vision.training.heaps import heap
from vision.training.lens import photograph
from vision.training.looks import NONE
from vision.training.piles import Lying, Placed, heaped, steep, throw
from vision.training.shadows import shadows
from vision.training.things import thing

SIZE_PX = 352
MASK_PX = 8
"""Edge of a cell of the mask of what hides the dice."""

DIE, FOREIGN, IGNORED = 0, 1, 2
_VISIBLE, _HALF_VISIBLE = 0.78, 0.55
_NEARLY = 0.15  # between cosines: which of two faces is the top one cannot be seen
_VIEWS = 4  # of each heap
_TRIES, _BESIDE = 6, 0.5  # to find a place for a thing; how often it is sought near a die
_COVERS = 0.02  # of a thing that may lie on a die
_THING = 0.35  # sides: what is smaller is litter

THING = np.dtype(
    [
        ("kind", "i1"),
        ("face", "i1"),  # 1 to 6, or NONE; 0 unknown
        ("x", "f4"),  # centre of the top face, in pixels
        ("y", "f4"),
        ("side", "f4"),  # mean length of the top face's edges, in pixels
        ("lean", "i1"),  # 1 tilted against the ground, 0 flat, -1 unknown
        ("stacked", "i1"),
        ("smear", "i1"),  # blurred by motion
        ("glare", "i1"),  # a reflection hides pips
        ("nx", "f4"),  # the top face's normal across the line of sight, x right, y down; nan unknown
        ("ny", "f4"),
        ("tx", "f4"),  # the same of the face that is turned towards the camera most
        ("ty", "f4"),
        ("sx", "f4"),  # the same of the face that is so second, if nearly as much; else of the first once more
        ("sy", "f4"),
        ("askew", "f4"),  # see `askew`; nan unknown
    ]
)


UNKNOWN = (float("nan"),) * 7
"""How a thing lies of which nobody knows."""


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """A picture, what lies in it, and what hides it."""

    picture: npt.NDArray[np.uint8]  # SIZE_PX x SIZE_PX x 3
    things: npt.NDArray[np.void]  # of THING
    hidden: npt.NDArray[np.uint8]  # SIZE_PX // MASK_PX squared: 1 where a hand or a cloth is


def draw_scene(seed: int, number: int) -> Scene:
    """The scene of that number; the same seed and number give the same scene."""
    rng = np.random.default_rng((seed, number))
    die_px = float(np.exp(rng.uniform(np.log(11), np.log(140))))
    view = choose_view(rng, die_px)
    lying = [] if rng.random() < 0.05 else throw(rng, view, die_px)
    return _drawn(rng, view, lying, die_px, _VISIBLE)


def draw_lying(seed: int, number: int) -> Scene:
    """The scene of that number to learn from how dice lie: in most of them as physics left them, seen steeply."""
    rng = np.random.default_rng((seed, 4, number))
    die_px = float(np.exp(rng.uniform(np.log(20), np.log(120))))
    view = choose_view(rng, die_px)
    while not steep(view):
        view = choose_view(rng, die_px)
    if number % _VIEWS < _VIEWS - 1:
        lying = heaped(rng, heap(seed, number // _VIEWS), SIZE_PX / die_px)
    else:
        lying = throw(rng, view, die_px)
    return _drawn(rng, view, lying, die_px, _HALF_VISIBLE)


def _drawn(rng: Random, view: View, lying: list[Lying], die_px: float, visible: float) -> Scene:
    """Dice on a chance ground in a chance light; a die of which less is visible than that share is ignored."""
    picture = ground(rng, SIZE_PX)
    if rng.random() < 0.35:
        litter(rng, picture, die_px)
    light = _light(rng)
    shadows(rng, picture, view, lying)
    owner = np.full((SIZE_PX, SIZE_PX), -1, np.int16)
    areas = _draw(rng, picture, owner, view, lying, light)
    extra = lay_things(rng, picture, owner, die_px) if rng.random() < 0.3 else []
    hidden = np.zeros((SIZE_PX, SIZE_PX), np.float32)
    if rng.random() < 0.12:
        colours, hidden = hand(rng, SIZE_PX, die_px)
        if rng.random() < 0.7:
            picture *= 1 - 0.35 * cv2.GaussianBlur(hidden, (0, 0), die_px * 0.15)[..., None]
        picture += hidden[..., None] * (colours - picture)
        owner[hidden > 0.5] = -2
    things = [label(view, one, n, areas[n], owner, visible) for n, one in enumerate(lying) if areas[n]]
    labels = np.array(things + extra, THING)
    shown = photograph(rng, picture, labels)
    cells = SIZE_PX // MASK_PX
    mask = cv2.resize(hidden, (cells, cells), interpolation=cv2.INTER_AREA) > 0.5
    return Scene(shown, labels, mask.astype(np.uint8))


def choose_view(rng: Random, die_px: float) -> View:
    """A camera that looks at the ground, most often steeply, so that a die is die_px wide."""
    kind = rng.random()
    tilt = math.radians(rng.uniform(0, 6) if kind < 0.4 else rng.uniform(6, 25) if kind < 0.75 else rng.uniform(25, 58))
    roll, away = rng.uniform(0, 2 * math.pi), np.exp(rng.uniform(np.log(6), np.log(45)))
    around = rng.uniform(0, 2 * math.pi)
    forward = np.array([math.sin(tilt) * math.cos(around), math.sin(tilt) * math.sin(around), -math.cos(tilt)])
    aside = np.array([-math.sin(around), math.cos(around), 0.0])
    down = np.cross(forward, aside)
    right = math.cos(roll) * aside + math.sin(roll) * down
    turn = np.stack([right, np.cross(forward, right), forward])
    return View(turn.astype(np.float32), (-forward * away).astype(np.float32), die_px * away, SIZE_PX)


def _light(rng: Random) -> Light:
    lamps = int(rng.integers(1, 4))
    ways = rng.standard_normal((lamps, 3)).astype(np.float32)
    ways[:, 2] = np.abs(ways[:, 2]) + 0.5
    ways /= np.linalg.norm(ways, axis=1, keepdims=True)
    tint = 1 + rng.uniform(-0.12, 0.12, 3)
    around = rng.uniform(0.25, 0.9)
    powers = rng.uniform(0.2, 1.0, (lamps, 1)) * np.full((1, 3), (1.15 - around) / lamps * 1.6) * tint
    window = rng.standard_normal(3)
    window[2] = abs(window[2]) + 0.6
    return Light(
        np.asarray(around * tint, np.float32),
        ways,
        powers.astype(np.float32),
        (window / np.linalg.norm(window)).astype(np.float32),
    )


def _draw(
    rng: Random, picture: Array, owner: npt.NDArray[np.int16], view: View, lying: list[Lying], light: Light
) -> list[int]:
    """Lay the dice on the picture, the farthest first, and say how many pixels each one has."""
    areas = [0] * len(lying)
    smear = _streak(rng)
    depth = [float(np.linalg.norm(one.pose.centre - view.eye)) for one in lying]
    for number in sorted(range(len(lying)), key=lambda n: (lying[n].stacked, -depth[n])):
        one = lying[number]
        die_px = view.focal_px / depth[number]
        kernel = smear(die_px) if one.smear else None
        layer = cast(view, one.pose, one.look, light, 2 if kernel is None else kernel.shape[0])
        if layer is None:
            continue
        if kernel is not None:
            layer = _smeared(layer, kernel)
        _contact(picture, layer, die_px)
        layer.lay(picture)
        solid = layer.cover > 0.5
        owner[layer.rows, layer.columns][solid] = number
        areas[number] = int(solid.sum())
    return areas


def _streak(rng: Random) -> Callable[[float], Array]:
    """A motion: gives for a die's size in pixels the kernel that blurs it so."""
    turn, share = rng.uniform(0, math.pi), rng.uniform(0.15, 0.6)

    def kernel(die_px: float) -> Array:
        size = max(int(die_px * share) | 1, 3)
        line = np.zeros((size, size), np.float32)
        reach = np.array([math.cos(turn), math.sin(turn)]) * size / 2
        middle = np.array([size / 2, size / 2])
        cv2.line(line, whole(middle - reach), whole(middle + reach), 1.0, 1)
        return np.asarray(line / line.sum(), np.float32)

    return kernel


def _smeared(layer: Layer, kernel: Array) -> Layer:
    cover = cv2.filter2D(layer.cover, -1, kernel)
    inked = cv2.filter2D(layer.colours * layer.cover[..., None], -1, kernel)
    return Layer(layer.rows, layer.columns, inked / np.maximum(cover, 1e-3)[..., None], cover)


def _contact(picture: Array, layer: Layer, die_px: float) -> None:
    """Darken what is close behind a die's outline."""
    dark = cv2.GaussianBlur(layer.cover, (0, 0), max(0.07 * die_px, 0.5))
    picture[layer.rows, layer.columns] *= 1 - 0.35 * dark[..., None]


def lay_things(rng: Random, picture: Array, owner: npt.NDArray[np.int16], die_px: float) -> list[tuple[float, ...]]:
    """Lay small things that are no dice on free ground of a square picture, some close to dice; their labels."""
    extra: list[tuple[float, ...]] = []
    dice = np.stack(np.nonzero(owner >= 0), axis=1)
    for _ in range(int(rng.integers(1, 4))):
        size = int(np.clip(die_px * rng.uniform(0.6, 1.9), 8, picture.shape[0] // 2))
        drawn = thing(rng, size)
        solid = drawn[..., 3] > 0.3
        window = _free(rng, owner, dice, solid, die_px) if solid.any() else None
        if window is None:
            continue
        shift = rng.normal(0, 0.08 * size, 2).astype(int)
        soft = max(size * rng.uniform(0.02, 0.08), 0.5)
        shadow = cv2.GaussianBlur(np.roll(drawn[..., 3], shift, (0, 1)), (0, 0), soft)
        picture[window] *= 1 - rng.uniform(0.2, 0.5) * shadow[..., None]
        Layer(*window, drawn[..., :3], drawn[..., 3]).lay(picture)
        owner[window][solid] = -3
        side = 1.05 * math.sqrt(float(solid.sum()))
        down, across = (float(places.mean()) for places in np.nonzero(solid))
        kind = FOREIGN if side > _THING * die_px else IGNORED
        extra.append((kind, NONE, window[1].start + across, window[0].start + down, side, -1, 0, 0, 0, *UNKNOWN))
    return extra


def _free(
    rng: Random, owner: npt.NDArray[np.int16], dice: npt.NDArray[np.int64], solid: npt.NDArray[np.bool_], die_px: float
) -> tuple[slice, slice] | None:
    """Rows and columns in which what is solid there lies on no die, nor on what else lies there; None where not found.

    dice are the rows and columns of all that shows one (n x 2).
    """
    size, room = len(solid), len(owner) - len(solid)
    for _ in range(_TRIES):
        at = rng.integers(0, room, 2)
        if len(dice) and rng.random() < _BESIDE:
            near = dice[rng.integers(len(dice))] + rng.normal(0, 0.9, 2) * die_px - size / 2
            at = np.clip(near, 0, room - 1).astype(int)
        top, left = (int(value) for value in at)
        window = slice(top, top + size), slice(left, left + size)
        if (owner[window][solid] != -1).mean() < _COVERS:
            return window
    return None


def label(
    view: View, one: Placed, number: int, area: int, owner: npt.NDArray[np.int16], least: float
) -> tuple[float, ...]:
    """The row of THING for a die; one of which less is visible is ignored."""
    pose = one.pose
    up = int(np.argmax(np.abs(pose.turn[2])))
    sign = 1.0 if pose.turn[2, up] > 0 else -1.0
    normal = pose.turn[:, up] * sign
    middle = pose.centre + normal * pose.half[up]
    first, second = (up + 1) % 3, (up + 2) % 3
    corners = [
        middle + a * pose.turn[:, first] * pose.half[first] + b * pose.turn[:, second] * pose.half[second]
        for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))
    ]
    quad = view.pixels(np.array(corners, np.float32))
    side = float(np.linalg.norm(quad - np.roll(quad, 1, axis=0), axis=1).mean())
    x, y = (float(v) for v in view.pixels(middle))
    sight = view.turn @ (middle - view.eye)
    seen = view.turn @ normal
    across = seen - (seen @ sight) / (sight @ sight) * sight
    visible = float((owner == number).sum()) / max(area, 1)
    margin, last = 0.42 * side, view.size_px - 0.42 * side
    inside = margin < x < last and margin < y < last
    kind = FOREIGN if one.foreign else DIE
    if not inside or visible < least:
        kind = IGNORED
    lies = *across[:2].tolist(), *_turned(view, pose)
    return (kind, one.face, x, y, side, one.lean, one.stacked, one.smear, 0, *lies)


def _turned(view: View, pose: Pose) -> tuple[float, ...]:
    """How a die is turned to the camera, whichever way is up: the last five of THING."""
    sight = view.turn @ (pose.centre - view.eye)
    sight = sight / np.linalg.norm(sight)
    axes = view.turn @ pose.turn
    facing = -(sight @ axes)
    across = ((axes + sight[:, None] * facing) * np.sign(facing))[:2]
    first, second, _ = np.argsort(-np.abs(facing))
    if np.abs(facing[first]) - np.abs(facing[second]) > _NEARLY:
        second = first
    return *across[:, first].tolist(), *across[:, second].tolist(), askew(facing)


def askew(facing: Array) -> float:
    """How far a cube is from showing one face alone: 0 if it does, 1/2 with an edge ahead, 2/3 with a corner.

    facing are the cosines between the line of sight and the cube's axes. Smooth, and the same whichever face is taken
    for the top one.
    """
    return float(1 - (facing**4).sum())
