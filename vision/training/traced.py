"""Scenes lit by the studio's path tracer: clear bodies, gleams and soft shade as drawn light does not show them."""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import cv2
import numpy as np

from vision.reading import Verdict
from vision.rendered import LyingDie
from vision.studio import throws
from vision.studio.lens import chance_film, develop
from vision.studio.makes import MAKES, Make, chance_make
from vision.studio.path_tracing import View as Camera
from vision.studio.path_tracing import surface as surface_seen
from vision.studio.physics import FLOOR_MM, WALL_LEAN, Body, Rest, Surface, settle, tilt_deg
from vision.studio.pictures import brightness, face_up, light, pip_contrasts
from vision.studio.scenes import Scene as Staged
from vision.studio.scenes import corners, stage
from vision.studio.throws import FLAT_DEG, LEANS_DEG, Thrown
from vision.training.casting import Pose, View
from vision.training.drawing import Array, Random
from vision.training.looks import NONE, colours
from vision.training.piles import Placed
from vision.training.scenes import FOREIGN, IGNORED, MASK_PX, THING, UNKNOWN, Scene, label

TRACED_PX = 416
"""Edge of the picture."""
_PATHS = 5
_NEAR_FROM = 1024  # so that near scenes are others than those seen from afar
_TROUBLES = {"": 0.7, "hand": 0.08, "cloth": 0.07, "moving": 0.1, "glare": 0.05}
_RARE = {"clear-red": 3, "clear-green": 3, "clear-blue": 3, "clear-amber": 3, "gold-pips": 3, "yellow": 2, "asian": 2}
"""Makes that are seen more often than the others, since they are hard to read."""
_VISIBLE = 0.7
UNSEEN, BURNT = 12.0, 225.0
"""Grey levels: pips that stand out by less show no face; a reflection is as bright."""
_SMEARED, _SHARP = 0.18, 0.08  # sides that a die moves in the exposure
_HIGH_MM = 0.4  # above the ground
_ON = 0.4  # sides that a die is higher than the one below
_ROOM = 1.3  # sides from one die to the next where one of them may be tipped
_CLOSE = 0.9  # sides across from one to the other

Way = Callable[[Random, Thrown], list[Body]]
"""How more comes to what lies there."""


def draw_near(seed: int, number: int) -> Scene:
    """Another scene than those of `draw_traced`, seen twice as large."""
    return draw_traced(seed, _NEAR_FROM + number, near=True)


def draw_traced(seed: int, number: int, paths: int = _PATHS, near: bool = False) -> Scene:
    """The scene of that number; the same seed, number and paths of light a pixel give the same scene."""
    rng = np.random.default_rng((seed, 1905, number))
    staged = None
    while staged is None:
        trouble = str(rng.choice(list(_TROUBLES), p=list(_TROUBLES.values())))
        surface = Surface(bool(rng.random() < 0.24 and trouble != "cloth"), friction=float(rng.uniform(0.6, 1.2)))
        thrown = _thrown(rng, surface)
        if thrown is not None:
            width = 2 * TRACED_PX if near else TRACED_PX
            staged = stage(rng, trouble, thrown, surface, (width, width), chance_makes)
    if near:
        staged = replace(staged, view=_nearer(rng, staged))
    film = replace(chance_film(rng, TRACED_PX), gain=float(np.exp(rng.normal(0, 0.4))))
    picture = develop(light(staged, number, paths), film, rng)
    return _labelled(staged, picture, surface_seen(staged.dice, staged.stage, staged.view, number), surface.walled)


def _nearer(rng: Random, staged: Staged) -> Camera:
    """The camera turned to one of the dice, so that it sees a part of what it saw."""
    die, _ = staged.dice[rng.integers(len(staged.dice))]
    aim = 0.7 * np.array([die.x_mm, die.y_mm, die.z_mm]) + 0.3 * staged.view.target_mm
    return replace(staged.view, target_mm=aim, size_px=(TRACED_PX, TRACED_PX))


def _thrown(rng: Random, surface: Surface) -> Thrown | None:
    """Many dice at rest, in two scenes of three some that lean, lie on others or on things, or things beside them."""
    side = float(rng.uniform(12, 20))
    count = int(rng.integers(5, 13) if surface.walled else rng.integers(9, 25))
    mixed = rng.random() < 0.3
    sides = [side * (float(rng.uniform(0.75, 1.4)) if mixed else 1.0) for _ in range(count)]
    reach = (1.6 if surface.walled else 0.6) * max(sides) * math.sqrt(count)
    packed = rng.random() < 0.35
    bodies = throws.packed(rng, sides) if packed else throws.falling(rng, sides, min(reach, 0.3 * FLOOR_MM))
    ways: list[Way] = [
        throws.against_a_die,
        throws.against_a_die,
        throws.against_the_wall if surface.walled else throws.against_a_die,
        throws.on_a_chip,
        throws.on_a_die,
        lambda chance, there: throws.strangers(chance, there, 1),
    ]
    return with_troubles(rng, bodies, surface, ways)


def with_troubles(rng: Random, bodies: list[Body], surface: Surface, ways: list[Way]) -> Thrown | None:
    """The bodies at rest, in two scenes of three some of them tipped or others come to them in these ways."""
    thrown = _at_rest(bodies, surface)
    if thrown is None or rng.random() < 0.35:
        return thrown
    if rng.random() < 0.5:
        return with_tipped(rng, thrown)
    bodies = [replace(b, at_mm=r.at_mm, turn=r.turn, speed_mm_s=_STILL, spin_rad_s=_STILL) for b, r in _pairs(thrown)]
    for _ in range(int(rng.integers(2, 10))):
        more = ways[rng.integers(len(ways))](rng, thrown)
        if all(_apart(one, other) for one in more for other in bodies):
            bodies += more
    return _at_rest(bodies, surface)


def with_tipped(rng: Random, thrown: Thrown) -> Thrown:
    """With some of the dice that stand free tipped, on one of their edges or corners: physics leaves few so."""
    rests = list(thrown.rests)
    places = np.array([rest.at_mm[:2] for rest in rests])
    for number, body in enumerate(thrown.bodies):
        side, rest = body.size_mm[0], rests[number]
        near = np.hypot(*(np.delete(places, number, axis=0) - rest.at_mm[:2]).T)
        if rng.random() < 0.6 or near.min(initial=np.inf) < _ROOM * side:
            continue
        turn = throws.tipped(rng.uniform(0, 2 * math.pi), math.radians(rng.uniform(8, 46))) @ rest.turn
        high = 0.49 * side * float(np.abs(turn[2]).sum())
        rests[number] = replace(rest, at_mm=np.array([*rest.at_mm[:2], high]), turn=turn)
    return replace(thrown, rests=tuple(rests))


_STILL = np.zeros(3)


def _pairs(thrown: Thrown) -> list[tuple[Body, Rest]]:
    return list(zip(thrown.bodies, thrown.rests, strict=True))


def _apart(one: Body, other: Body) -> bool:
    return float(np.linalg.norm(one.at_mm - other.at_mm)) > 0.45 * (one.size_mm[0] + other.size_mm[0])


def _at_rest(bodies: list[Body], surface: Surface) -> Thrown | None:
    rests = settle(bodies, surface)
    if rests is None or any(rest.at_mm[2] < 0 for rest in rests):
        return None
    return Thrown(tuple(bodies), tuple(rests), Verdict.OK)


def chance_makes(rng: Random, count: int, trouble: str) -> list[Make]:
    """What the dice look like: some sets, half of them as the studio has them, the others of any colours."""
    names = list(MAKES)
    shares = np.array([_RARE.get(name, 1) for name in names], float)
    sets = int(rng.integers(1, 1 + min(count, 8)))
    made = []
    for name in rng.choice(names, sets, p=shares / shares.sum()):
        make = chance_make(rng, str(name), emblem=bool(rng.random() < 0.15))
        made.append(make if rng.random() < 0.5 else _other(rng, make))
    return [made[rng.integers(sets)] for _ in range(count)]


def _other(rng: Random, make: Make) -> Make:
    """A make of other colours, and of other pips."""
    (body_blue, body_green, body_red), (blue, green, red) = (
        (int(level) for level in np.clip(255 * colour, 6, 250)) for colour in colours(rng)
    )
    pitch = float(rng.uniform(0.19, 0.285))
    radius = float(rng.uniform(0.055, min(0.105, 0.42 * pitch)))
    style = replace(
        make.style,
        body=(body_red, body_green, body_blue),
        pip=(red, green, blue),
        pitch=pitch,
        pip_radius=radius,
        one_radius=radius * float(rng.choice([1.0, rng.uniform(1.0, 1.9)])),
        clear=float(rng.random() < 0.35),
        odd_pips={} if rng.random() < 0.7 else make.style.odd_pips,
    )
    return replace(make, style=style, rough=float(rng.uniform(0.06, 0.5)))


def _labelled(staged: Staged, picture: Array, seen: Array, walled: bool) -> Scene:
    """The picture with what is true of it; seen is where in space each of its pixels is."""
    view = seen_by(staged.view)
    owner = np.full(seen.shape[:2], -1, np.int16)
    for number, (die, _) in enumerate(staged.dice):
        own = (seen - (die.x_mm, die.y_mm, die.z_mm)) @ np.array(die.rotation)
        owner[np.abs(own).max(axis=2) < 0.5 * die.side_mm + 0.3] = number
    things = []
    for number, one in enumerate(_shown(staged, picture)):
        hull = cv2.convexHull(view.pixels(one.pose.corners(0.95)))
        things.append(label(view, one, number, int(cv2.contourArea(hull)), owner, _VISIBLE))
    things += [_foreign(staged.view, body, rest, seen) for body, rest in _pairs(staged.thrown) if body.kind != "die"]
    hidden = np.zeros(seen.shape[:2], np.float32)
    if staged.trouble in ("hand", "cloth"):
        inside = not walled or np.hypot(seen[..., 0], seen[..., 1]) < FLOOR_MM / 2 - WALL_LEAN * seen[..., 2] - 3
        hidden[(owner < 0) & (seen[..., 2] > _HIGH_MM) & inside] = 1
    cells = TRACED_PX // MASK_PX
    mask = cv2.resize(hidden, (cells, cells), interpolation=cv2.INTER_AREA) > 0.5
    labels = np.array(things, THING)
    labels["glare"][: len(staged.dice)] = [_burnt(staged, picture, number) for number in range(len(staged.dice))]
    return Scene(picture, labels, mask.astype(np.uint8))


def seen_by(camera: Camera) -> View:
    """The view of a camera whose picture is square."""
    right, up, ahead = camera.axes()
    return View(np.stack([right, -up, ahead]), camera.eye_mm, camera.focal_px, camera.size_px[0])


def placed(moments: Sequence[Sequence[LyingDie]], camera: Camera) -> list[Placed]:
    """How each die lies in the middle of the exposure's moments, and which face looks up."""
    found, dice = [], moments[len(moments) // 2]
    for number, die in enumerate(dice):
        at, turn = np.array([die.x_mm, die.y_mm, die.z_mm]), np.array(die.rotation)
        tilt = tilt_deg(turn)
        low = at[2] - 0.5 * die.side_mm * float(np.abs(turn[2]).sum())
        below = any(
            at[2] - other.z_mm > _ON * die.side_mm
            and math.hypot(at[0] - other.x_mm, at[1] - other.y_mm) < _CLOSE * die.side_mm
            for other in dice
        )
        first, last = (camera.pixels(corners(moment[number])) for moment in (moments[0], moments[-1]))
        side_px = camera.focal_px * die.side_mm / float(np.linalg.norm(camera.eye_mm - at))
        moved = float(np.linalg.norm(first - last, axis=1).max()) / side_px
        found.append(
            Placed(
                Pose(at, turn, np.full(3, die.side_mm / 2)),
                face_up(die),
                lean=1 if tilt > LEANS_DEG else 0 if tilt < FLAT_DEG else -1,
                stacked=int(low > 0.1 * die.side_mm and below),
                smear=1 if moved > _SMEARED else 0 if moved < _SHARP else -1,
            )
        )
    return found


def _shown(staged: Staged, picture: Array) -> list[Placed]:
    """How each die lies and which face it shows."""
    found = placed(staged.moments, staged.view)
    for one, (die, make) in zip(found, staged.dice, strict=True):
        told = min(pip_contrasts(picture, staged.view, die, make)) > UNSEEN
        one.face = NONE if one.face in make.emblems else one.face if told else 0
    return found


def _burnt(staged: Staged, picture: Array, number: int) -> bool:
    die, make = staged.dice[number]
    return (
        brightness(picture, staged.view, die) > BURNT and min(pip_contrasts(picture, staged.view, die, make)) < UNSEEN
    )


def _foreign(camera: Camera, body: Body, rest: Rest, seen: Array) -> tuple[float, ...]:
    """The row of THING for what is no die; ignored where it is covered."""
    half = 0.7 * body.size_mm[0] if body.kind == "cylinder" else 0.8 * float(np.mean(body.size_mm))
    x, y = camera.pixels(rest.at_mm)
    side = 2 * half * camera.focal_px / float(np.linalg.norm(camera.eye_mm - rest.at_mm))
    rows, columns = np.indices(seen.shape[:2])
    near = np.hypot(columns - x, rows - y) < 0.4 * side
    own = np.abs((seen[near] - rest.at_mm) @ rest.turn) < np.array([*body.size_mm[:1], *body.size_mm][-3:]) + 0.3
    covered = float(own.all(axis=1).mean()) < 0.6 if near.any() else True
    return (IGNORED if covered else FOREIGN, NONE, float(x), float(y), side, -1, 0, 0, 0, *UNKNOWN)
