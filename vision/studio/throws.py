"""How dice come to lie: thrown, in rows, leaning, stacked; each as the physics left it, and what that is."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from vision.reading import Verdict
from vision.studio.makes import Random
from vision.studio.meshes import Array
from vision.studio.physics import FLOOR_MM, WALL_LEAN, Body, Rest, Surface, settle, tilt_deg

FLAT_DEG, LEANS_DEG = 3.0, 10.0
"""A top face is level up to the one and leans from the other; what lies between is not shown, nobody could name it."""
_TRIES = 40


@dataclass(frozen=True, slots=True, eq=False)
class Thrown:
    """What lies where."""

    bodies: tuple[Body, ...]
    rests: tuple[Rest, ...]
    verdict: Verdict  # ok, cocked or stacked: what the physics says of the dice

    def dice(self) -> list[int]:
        """Which of the bodies are dice."""
        return [number for number, body in enumerate(self.bodies) if body.kind == "die"]


def judge(bodies: Sequence[Body], rests: Sequence[Rest]) -> Verdict | None:
    """How the dice lie; None where nobody could say."""
    verdict = Verdict.OK
    for body, rest in zip(bodies, rests, strict=True):
        if body.kind != "die":
            continue
        tilt = tilt_deg(rest.turn)
        if not rest.on_ground:
            carried = any(bodies[other].kind == "die" for other in rest.on_others)
            if not carried and tilt < LEANS_DEG:
                return None
            verdict = Verdict.STACKED if carried else verdict
        if FLAT_DEG < tilt < LEANS_DEG:
            return None
        if tilt >= LEANS_DEG and verdict is Verdict.OK:
            verdict = Verdict.COCKED
    return verdict


def chance_turn(rng: Random) -> Array:
    """Any orientation, each as likely."""
    turn, upper = np.linalg.qr(rng.normal(size=(3, 3)))
    turn = turn * np.sign(np.diag(upper))
    return np.asarray(turn * np.sign(np.linalg.det(turn)))


def upright(rng: Random, yaw: float) -> Array:
    """Level, any face up, turned by yaw."""
    faces = np.eye(3)[rng.permutation(3)] * rng.choice([-1, 1], 3)[:, None]
    faces = faces * np.sign(np.linalg.det(faces))
    cos, sin = math.cos(yaw), math.sin(yaw)
    return np.asarray(np.array([[cos, -sin, 0], [sin, cos, 0], [0, 0, 1]]) @ faces)


def tipped(axis: float, angle: float) -> Array:
    """A turn by an angle about a level axis in that direction (radians)."""
    x, y, cos, sin = math.cos(axis), math.sin(axis), math.cos(angle), math.sin(angle)
    cross = np.array([[0, 0, y], [0, 0, -x], [-y, x, 0]])
    return np.asarray(np.eye(3) + sin * cross + (1 - cos) * cross @ cross)


def _die(side_mm: float, at: Array, turn: Array, speed: Array | None = None, spin: Array | None = None) -> Body:
    still = np.zeros(3)
    return Body(
        "die", (side_mm, 0.11 * side_mm), at, turn, still if speed is None else speed, still if spin is None else spin
    )


def falling(rng: Random, sides_mm: Sequence[float], reach_mm: float) -> list[Body]:
    """Dice above the ground, on their way down."""
    bodies: list[Body] = []
    for side in sides_mm:
        for _ in range(200):
            at = np.array([*rng.uniform(-reach_mm, reach_mm, 2), rng.uniform(side, 3 * side + 0.4 * reach_mm)])
            if all(np.linalg.norm(at - other.at_mm) > 0.9 * (side + other.size_mm[0]) for other in bodies):
                bodies.append(_die(side, at, chance_turn(rng), rng.normal(0, 120, 3), rng.normal(0, 9, 3)))
                break
    return bodies


def packed(rng: Random, sides_mm: Sequence[float]) -> list[Body]:
    """Dice side by side in rows, some places left out, a hair above the ground."""
    side = max(sides_mm)
    columns = int(rng.integers(1, max(2, round(1.6 * math.sqrt(len(sides_mm))) + 1)))
    rows = math.ceil(len(sides_mm) / columns) + int(rng.random() < 0.3)
    cells = rng.permutation(rows * columns)[: len(sides_mm)]
    yaw, gap = rng.uniform(0, 2 * math.pi), float(rng.uniform(0.05, 1.2))
    ahead, aside = np.array([math.cos(yaw), math.sin(yaw), 0]), np.array([-math.sin(yaw), math.cos(yaw), 0])
    bodies = []
    for cell, own in zip(cells, sides_mm, strict=True):
        row, column = divmod(int(cell), columns)
        at = (row - rows / 2) * (side + gap) * ahead + (column - columns / 2) * (side + gap) * aside
        shift = rng.uniform(-0.15, 0.15) * side * aside if columns == 1 else 0.0
        bodies.append(_die(own, at + shift + np.array([0, 0, own / 2 + 0.1]), upright(rng, yaw)))
    return bodies


def throw(rng: Random, make: Callable[[Random], list[Body]], surface: Surface, wanted: Verdict) -> Thrown | None:
    """Let bodies fall until they lie as wanted; None where they will not."""
    for _ in range(_TRIES):
        thrown = _fallen(make(rng), surface)
        if thrown is not None and thrown.verdict is wanted:
            return thrown
    return None


def _fallen(bodies: list[Body], surface: Surface) -> Thrown | None:
    rests = settle(bodies, surface)
    if rests is None or any(rest.at_mm[2] < 0 for rest in rests):
        return None
    verdict = judge(bodies, rests)
    return None if verdict is None else Thrown(tuple(bodies), tuple(rests), verdict)


def with_another(
    rng: Random, thrown: Thrown, make: Callable[[Random, Thrown], list[Body]], surface: Surface, wanted: Verdict
) -> Thrown | None:
    """The same dice and more that come to lie on, against or beside them as wanted; None where they will not."""
    at_rest = [
        replace(body, at_mm=rest.at_mm, turn=rest.turn, speed_mm_s=np.zeros(3), spin_rad_s=np.zeros(3))
        for body, rest in zip(thrown.bodies, thrown.rests, strict=True)
    ]
    return throw(rng, lambda chance: [*at_rest, *make(chance, thrown)], surface, wanted)


def against_a_die(rng: Random, thrown: Thrown) -> list[Body]:
    """A die on its way to lean against another."""
    other = int(rng.choice(thrown.dice()))
    side, rest = thrown.bodies[other].size_mm[0], thrown.rests[other]
    own = side * float(rng.uniform(0.8, 1.1))
    way = math.atan2(rest.turn[1, 0], rest.turn[0, 0]) + rng.integers(4) * math.pi / 2 + rng.normal(0, 0.08)
    angle = math.radians(rng.uniform(15, 60))
    turn = tipped(way + math.pi / 2, angle) @ upright(rng, way)
    far = 0.5 * side + 0.5 * own * (math.cos(angle) + math.sin(angle)) * float(rng.uniform(0.55, 1.0))
    high = 0.5 * own * (math.cos(angle) + math.sin(angle)) + float(rng.uniform(0.2, 0.5 * side))
    at = rest.at_mm * [1, 1, 0] + np.array([far * math.cos(way), far * math.sin(way), high])
    return [_die(own, at, turn)]


def against_the_wall(rng: Random, thrown: Thrown) -> list[Body]:
    """A die on its way to lean against the cone's wall."""
    side = thrown.bodies[0].size_mm[0]
    way, angle = rng.uniform(0, 2 * math.pi), math.radians(rng.uniform(15, 75))
    turn = tipped(way + math.pi / 2, angle) @ upright(rng, way + rng.normal(0, 0.1))
    half = 0.5 * side * (math.cos(angle) + math.sin(angle))
    high = half + float(rng.uniform(0, 3))
    away = FLOOR_MM / 2 - WALL_LEAN * 2 * high - half - float(rng.uniform(-1, 4))
    return [_die(side, np.array([away * math.cos(way), away * math.sin(way), high]), turn)]


def on_a_chip(rng: Random, thrown: Thrown) -> list[Body]:
    """A coin on the ground and a die that falls half on it."""
    side = thrown.bodies[0].size_mm[0]
    at, thick, wide = (
        _free(rng, thrown, 2.2 * side),
        side * float(rng.uniform(0.11, 0.2)),
        side * float(rng.uniform(0.5, 0.8)),
    )
    still, way = np.zeros(3), rng.uniform(0, 2 * math.pi)
    coin = Body("cylinder", (wide, thick / 2), at + np.array([0, 0, thick / 2 + 0.02]), np.eye(3), still, still)
    far = wide + side * float(rng.uniform(-0.1, 0.35))
    over = at + np.array([far * math.cos(way), far * math.sin(way), thick + 0.55 * side])
    return [coin, _die(side, over, upright(rng, rng.uniform(0, 2 * math.pi)))]


def on_a_die(rng: Random, thrown: Thrown) -> list[Body]:
    """A die on its way onto another."""
    other = int(rng.choice(thrown.dice()))
    side, rest = thrown.bodies[other].size_mm[0], thrown.rests[other]
    own = side * float(rng.uniform(0.8, 1.1))
    aside = np.array([*rng.uniform(-0.38, 0.38, 2), 0]) * side
    at = rest.at_mm + aside + [0, 0, side / 2 + own / 2 + float(rng.uniform(0.1, 1.0))]
    return [_die(own, at, upright(rng, rng.uniform(0, 2 * math.pi)))]


def _free(rng: Random, thrown: Thrown, room_mm: float) -> Array:
    """A place on the ground near the dice with so much room about it, if there is one."""
    places = np.array([rest.at_mm[:2] for rest in thrown.rests])
    reach = float(np.abs(places).max()) + room_mm
    at = np.zeros(2)
    for _ in range(300):
        at = rng.uniform(-reach, reach, 2)
        if np.hypot(*(places - at).T).min() > room_mm and np.hypot(*at) < FLOOR_MM / 2 - room_mm:
            break
    return np.array([*at, 0.0])


def strangers(rng: Random, thrown: Thrown, count: int) -> list[Body]:
    """Things of about a die's size that fall beside the dice."""
    side = thrown.bodies[0].size_mm[0]
    kinds = {
        "coin": ("cylinder", (0.62, 0.06)),
        "cap": ("cylinder", (0.75, 0.2)),
        "button": ("cylinder", (0.5, 0.08)),
        "block": ("box", (0.5, 0.5, 0.5)),
        "eraser": ("box", (0.75, 0.45, 0.3)),
        "pebble": ("ellipsoid", (0.6, 0.5, 0.4)),
        "cork": ("cylinder", (0.45, 0.7)),
        "ball": ("ellipsoid", (0.45, 0.45, 0.42)),
    }
    bodies = []
    for _ in range(count):
        shape, size = kinds[list(kinds)[rng.integers(len(kinds))]]
        scale = side * float(rng.uniform(0.8, 1.2))
        at = _free(rng, thrown, 1.7 * side) + np.array([0, 0, side * float(rng.uniform(1.0, 1.6))])
        turn = tipped(rng.uniform(0, 2 * math.pi), float(rng.normal(0, 0.5)))
        bodies.append(Body(shape, tuple(part * scale for part in size), at, turn, np.zeros(3), rng.normal(0, 2, 3)))
    return bodies
