"""Scenes in the machine: dice in the cone under its ring of lamps, drawn as the simulated camera draws them."""

import copy
import math
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

import cv2
import numpy as np
import numpy.typing as npt

from vision.die_shape import SIDE_MM, STYLES, DieStyle, surface
from vision.reading import Verdict
from vision.rendered import LyingDie, Stage
from vision.rig import Rig, RingLight
from vision.studio import throws
from vision.studio.makes import Make
from vision.studio.path_tracing import View as Camera
from vision.studio.physics import FLOOR_MM, Body, Rest, Surface, lying
from vision.studio.throws import Thrown
from vision.training.casting import View
from vision.training.drawing import Array, Random
from vision.training.grounds import hand
from vision.training.lens import photograph
from vision.training.piles import Placed
from vision.training.scenes import DIE, IGNORED, MASK_PX, THING, Scene, label, lay_things
from vision.training.traced import BURNT, UNSEEN, Way, chance_makes, placed, seen_by, with_tipped, with_troubles

RIG_PX = 416
"""Edge of the picture, which is a part of the camera's."""
RIGS = {
    "floor_diameter_mm": (213.0, 227.0),
    "cone_height_mm": (175.0, 185.0),
    "skirt_mm": (17.0, 23.0),
    "window_diameter_mm": (107.0, 113.0),
    "window_plate_mm": (2.0, 4.0),
    "lip_mm": (2.0, 4.0),
    "weight_mm": (2.0, 4.0),
    "weight_hole_mm": (113.0, 119.0),
    "camera_mm": (306.0, 324.0),
    "camera_short_side_deg": (40.0, 45.0),
    "ring_radius_mm": (71.0, 75.0),
    "ring_mm": (228.0, 236.0),
    "ring_wide_mm": (4.0, 8.0),
    "polariser_share": (0.0, 0.03),
}
"""Between which sizes a cone is drawn: those of the machine, as different people may build it; its floor is bare."""
_DICE = 10
_UNEVEN = 3.0  # times the light of another place: nobody would build it so
_FROM_LAMPS, _FROM_WALL = (0.3, 0.6), (0.3, 0.6)
_PICTURES_PX = (RIG_PX, 1130)  # the camera's short side: a die of 16 mm is 30 to 80 of them wide
_VIEWS = 4  # scenes in a row that share their cone
_EMPTY, _STREWN, _MOVING, _HAND, _STRANGE, _SPOILT = 0.07, 0.4, 0.08, 0.08, 0.12, 0.5
_MOMENTS = 6
_VISIBLE = 0.7


def draw_rig(seed: int, number: int) -> Scene:
    """The scene of that number; the same seed and number give the same scene."""
    rng = np.random.default_rng((seed, 1906, number))
    rig, stage, height_px = _cone(seed, number // _VIEWS)
    stage = copy.deepcopy(stage)  # for each picture that is taken changes its noise
    dice = [] if rng.random() < _EMPTY else _lying(rng, rig)
    makes = _makes(rng, len(dice))
    moments = _moving(rng, dice) if dice and rng.random() < _MOVING else [dice]
    styles = [make.style for make in makes] or [STYLES["ivory"]]
    drawn = [stage.draw(moment, styles) for moment in moments]
    picture = np.sqrt(np.mean([np.square(one, dtype=np.float32) for one in drawn], axis=0)).astype(np.uint8)
    eye = np.array([0, 0, rig.camera_mm])
    camera = Camera(eye, np.zeros(3), np.array([0.0, 1.0, 0.0]), stage.focal_px, (height_px, height_px))
    shown = placed(moments, camera)
    glare = []
    for one, die, make in zip(shown, moments[len(moments) // 2], makes, strict=True):
        contrast, bright = _face_seen(die, make.style, stage, picture)
        glare.append(contrast < UNSEEN and bright > BURNT)
        one.face = one.face if contrast > UNSEEN else 0
    return _taken(rng, stage, camera, picture, shown, glare)


def _face_seen(die: LyingDie, style: DieStyle, stage: Stage, picture: Array) -> tuple[float, float]:
    """By how many levels the pips of the face that looks up stand out, and how bright that face is at its brightest."""
    turn = np.array(die.rotation, np.float32)
    up = int(np.argmax(np.abs(turn[2])))
    line = np.linspace(-0.36, 0.36, 25)
    face = np.insert(np.stack(np.meshgrid(line, line), axis=-1).reshape(-1, 2), up, 0.5 * np.sign(turn[2, up]), axis=1)
    own = np.asarray(face.T * die.side_mm, np.float32)
    down = np.tile(-turn[2][:, None], own.shape[1])
    pip = surface(own, down, die.side_mm, style, 0.02 * die.side_mm)[2]
    at = stage.pixels(np.array([die.x_mm, die.y_mm, die.z_mm]) + (turn @ own).T)
    columns, rows = np.clip(np.rint(at), 0, picture.shape[0] - 1).astype(int).T
    levels = picture[rows, columns].astype(np.float32)
    contrast = np.abs(levels[pip > 0.9].mean(axis=0) - np.median(levels[pip < 0.1], axis=0)).max()
    return float(contrast), float(np.percentile(levels.mean(axis=1), 75))


@lru_cache(maxsize=1)
def _cone(seed: int, number: int) -> tuple[Rig, Stage, int]:
    """A cone with nothing in it, and the edge of its camera's square picture in pixels."""
    rng, rig = np.random.default_rng((seed, 1907, number)), None
    while rig is None or not _fits(rig):
        rig = Rig.of(lambda name: float(rng.uniform(*RIGS[name])) if name in RIGS else 0.0)
    height_px = round(float(np.exp(rng.uniform(*np.log(_PICTURES_PX)))))
    lit = float(rng.uniform(*_FROM_LAMPS)), float(rng.uniform(*_FROM_WALL))
    return rig, Stage(rng, rig, size_px=(height_px, height_px), lit=lit), height_px


def _fits(rig: Rig) -> bool:
    """Whether the lens sees all of the floor and of the upright wall through the window, and in even light."""
    through = rig.floor_diameter_mm * (rig.camera_mm - rig.cone_height_mm) / (rig.camera_mm - rig.skirt_mm)
    light = RingLight(rig, 1.0, np.random.default_rng(0))
    return through < rig.window_diameter_mm and light.unevenness(SIDE_MM) < _UNEVEN


def _lying(rng: Random, rig: Rig) -> list[LyingDie]:
    """Up to ten dice: strewn up to the wall, or fallen, in rows, leaning and on one another as physics leaves them."""
    count = _DICE if rng.random() < 0.4 else int(rng.integers(1, _DICE + 1))
    side = float(rng.uniform(13, 19))
    if rng.random() < _STREWN:
        thrown = _strewn(rng, count, side, rig.floor_diameter_mm / 2)
        thrown = with_tipped(rng, thrown) if rng.random() < 0.3 else thrown
    else:
        thrown = _settled(rng, [side] * count)
    return [lying(rest, body.size_mm[0]) for body, rest in zip(thrown.bodies, thrown.rests, strict=True)]


def _strewn(rng: Random, count: int, side: float, floor_mm: float) -> Thrown:
    """Level dice anywhere on the floor, none in another."""
    still = np.zeros(3)
    bodies: list[Body] = []
    for _ in range(30 * count):
        away = (floor_mm - side * rng.uniform(0.55, 0.72)) * math.sqrt(rng.random())
        way = rng.uniform(0, 2 * math.pi)
        at = np.array([away * math.cos(way), away * math.sin(way), side / 2])
        if all(np.hypot(*(at - other.at_mm)[:2]) > 1.42 * side for other in bodies):
            turn = throws.upright(rng, rng.uniform(0, 2 * math.pi))
            bodies.append(Body("die", (side, 0.11 * side), at, turn, still, still))
        if len(bodies) == count:
            break
    rests = tuple(Rest(body.at_mm, body.turn, True, frozenset()) for body in bodies)
    return Thrown(tuple(bodies), rests, Verdict.OK)


def _settled(rng: Random, sides: list[float]) -> Thrown:
    """Dice that fell or were pushed together, somewhere on the floor."""
    surface, wide = Surface(True, friction=float(rng.uniform(0.5, 1.1))), 0.5 * FLOOR_MM - 1.2 * sides[0]
    thrown = None
    while thrown is None:
        if rng.random() < 0.4:  # rocked together along the axle
            bodies = throws.packed(rng, sides)
        else:
            bodies = throws.falling(rng, sides, wide * rng.uniform(0.25, 0.7))
        room = max(wide - max(float(np.hypot(*body.at_mm[:2])) for body in bodies), 0.0)
        way, far = rng.uniform(0, 2 * math.pi), room * math.sqrt(rng.random())
        shift = np.array([far * math.cos(way), far * math.sin(way), 0])
        bodies = [replace(body, at_mm=body.at_mm + shift) for body in bodies]
        ways: list[Way] = [throws.against_a_die, throws.against_a_die, throws.on_a_die, throws.on_a_die]
        ways.append(throws.against_the_wall)
        thrown = with_troubles(rng, bodies, surface, ways)
    return thrown


def _makes(rng: Random, count: int) -> list[Make]:
    """What the dice look like: the simulated camera's own makes, or any others; emblems it cannot draw."""
    if not count:
        return []
    if rng.random() < 0.5:
        return [replace(make, emblems={}) for make in chance_makes(rng, count, "")]
    names = rng.choice(list(STYLES), int(rng.integers(1, 4)))
    return [Make(str(name), STYLES[str(name)]) for name in rng.choice(names, count)]


def _moving(rng: Random, dice: Sequence[LyingDie]) -> list[list[LyingDie]]:
    """The dice during an exposure in which some of them slide or roll on."""
    moving = rng.random(len(dice)) < rng.uniform(0.1, 1.0)
    ways, shares = rng.uniform(0, 2 * math.pi, len(dice)), rng.uniform(0.1, 0.7, len(dice))
    angles = np.where(rng.random(len(dice)) < 0.5, rng.uniform(-0.8, 0.8, len(dice)), 0.0)
    return [
        [
            _on(die, way, share * time, angle * time) if moves else die
            for die, way, share, angle, moves in zip(dice, ways, shares, angles, moving, strict=True)
        ]
        for time in np.linspace(-0.5, 0.5, _MOMENTS)
    ]


def _on(die: LyingDie, way: float, sides: float, angle: float) -> LyingDie:
    """The die so many sides farther, rolled by an angle."""
    turn = throws.tipped(way + math.pi / 2, angle) @ np.array(die.rotation)
    lift = 0.5 * die.side_mm * float(np.abs(turn[2]).sum() - np.abs(np.array(die.rotation)[2]).sum())
    far = sides * die.side_mm
    first, second, third = ((float(a), float(b), float(c)) for a, b, c in turn)
    return replace(
        die,
        x_mm=die.x_mm + far * math.cos(way),
        y_mm=die.y_mm + far * math.sin(way),
        z_mm=die.z_mm + max(lift, 0.0),
        rotation=(first, second, third),
    )


def _taken(
    rng: Random, stage: Stage, camera: Camera, picture: Array, shown: Sequence[Placed], glare: Sequence[bool]
) -> Scene:
    """A part of the picture with what lies and reaches into it; half of them as lens, light and file may spoil them."""
    view = seen_by(camera)
    owner, areas = _owned(view, shown)
    window = _part(rng, view, shown)
    die_px = camera.focal_px * SIDE_MM / float(camera.eye_mm[2])
    part, mine = picture[window].astype(np.float32) / 255, np.full_like(owner, -1)
    mine[window] = owner[window]
    strange = lay_things(rng, part, mine[window], die_px) if rng.random() < _STRANGE else []
    hidden = np.zeros((RIG_PX, RIG_PX), np.float32)
    if rng.random() < _HAND:
        colours, hidden = hand(rng, RIG_PX, die_px)
        part += hidden[..., None] * (colours * rng.uniform(0.4, 1.0) - part)
        mine[window][hidden > 0.5] = -2
    dice = np.array([label(view, one, n, areas[n], mine, _VISIBLE) for n, one in enumerate(shown)], THING)
    dice["glare"] = glare
    things = np.concatenate([_within(dice, window), np.array(strange, THING)])
    picture[window] = np.rint(255 * np.clip(part, 0, 1)).astype(np.uint8)
    taken = stage.expose(picture)[window]
    if rng.random() < _SPOILT:
        dimmed = np.asarray(taken, np.float32) / 255 * np.float32(min(np.exp(rng.normal(-0.25, 0.35)), 1.3))
        taken = photograph(rng, dimmed, things, metered=False)
    cells = RIG_PX // MASK_PX
    mask = cv2.resize(hidden, (cells, cells), interpolation=cv2.INTER_AREA) > 0.5
    return Scene(taken, things, mask.astype(np.uint8))


def _owned(view: View, shown: Sequence[Placed]) -> tuple[npt.NDArray[np.int16], list[int]]:
    """Which die each pixel shows, -1 none, and how many each one would have if no other hid it."""
    owner, areas = np.full((view.size_px, view.size_px), -1, np.int16), [0] * len(shown)
    for number in sorted(range(len(shown)), key=lambda n: -float(np.linalg.norm(view.eye - shown[n].pose.centre))):
        hull = cv2.convexHull(np.rint(view.pixels(shown[number].pose.corners(0.95))).astype(np.int32))
        cv2.fillConvexPoly(owner, hull, number)
        areas[number] = int((owner == number).sum())
    return owner, areas


def _part(rng: Random, view: View, shown: Sequence[Placed]) -> tuple[slice, slice]:
    """Rows and columns of a part of the picture, most often one with a die."""
    room = view.size_px - RIG_PX
    at = rng.uniform(0, room, 2)
    if shown and rng.random() < 0.8:
        at = view.pixels(shown[int(rng.integers(len(shown)))].pose.centre) - rng.uniform(0.2, 0.8, 2) * RIG_PX
    left, top = (int(v) for v in np.clip(at, 0, room))
    return slice(top, top + RIG_PX), slice(left, left + RIG_PX)


def _within(things: npt.NDArray[np.void], window: tuple[slice, slice]) -> npt.NDArray[np.void]:
    """The things in a part of the picture, by their places in it; those that its edge cuts are ignored."""
    things = things.copy()
    things["x"] -= window[1].start
    things["y"] -= window[0].start
    far = np.maximum(np.abs(things["x"] - RIG_PX / 2), np.abs(things["y"] - RIG_PX / 2)) - RIG_PX / 2
    things["kind"] = np.where((things["kind"] == DIE) & (far > -0.42 * things["side"]), IGNORED, things["kind"])
    return things[far < things["side"]]
