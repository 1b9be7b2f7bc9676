"""Dice thrown: where they lie, flat or leaning, apart, touching or on top of one another."""

import math
from dataclasses import dataclass, field

import cv2
import numpy as np

from vision.training.casting import Pose, View
from vision.training.drawing import Array, Random
from vision.training.heaps import Heap
from vision.training.looks import Look, chance_look

_LEVEL_DEG, _FLAT_DEG, _LEANS_DEG = 3.0, 4.0, 9.0
_STEEP = 0.8  # cosine of a camera's tilt from which nobody can say whether a die leans


@dataclass(slots=True, eq=False)
class Placed:
    """A die, or something like one, and what is to be said of it."""

    pose: Pose
    face: int
    lean: int = 0  # 1 leans, 0 lies flat, -1 hard to say
    stacked: int = 0
    smear: int = 0
    foreign: bool = False


@dataclass(slots=True, eq=False)
class Lying(Placed):
    """One that is drawn by casting."""

    look: Look = field(kw_only=True)


@dataclass(frozen=True, slots=True, eq=False)
class _Place:
    at: Array  # 2
    half: float
    yaw: float


def throw(rng: Random, view: View, die_px: float) -> list[Lying]:
    """Dice as they fall into the picture; where the camera is not too low, some with trouble."""
    places = _places(rng, view.size_px / die_px)
    looks = [chance_look(rng) for _ in range(1 if rng.random() < 0.5 else min(int(rng.integers(1, 5)), len(places)))]
    trouble = rng.random() if steep(view) else 1.0
    lying = [_flat(rng, place, looks[rng.integers(len(looks))]) for place in places]
    if trouble < 0.34:
        for number in rng.permutation(len(lying))[: int(rng.integers(1, 2 + len(lying) // 2))]:
            lying[number] = _leaning(rng, places[number], places, lying[number].look)
    elif trouble < 0.52:
        _stack(rng, lying, looks)
    if rng.random() < 0.06:
        for one in lying:
            one.smear = int(rng.random() < 0.4)
    if rng.random() < 0.12:
        _swap(rng, lying[rng.integers(len(lying))])
    return lying


def steep(view: View) -> bool:
    """Whether the camera looks down steeply enough for one to say whether a die leans."""
    return bool(-view.turn[2, 2] > _STEEP)


def heaped(rng: Random, heap: Heap, room: float) -> list[Lying]:
    """The dice of a heap in a picture that is that many dice wide, most often with one that is in trouble in sight."""
    looks = [chance_look(rng) for _ in range(1 if rng.random() < 0.6 else int(rng.integers(2, 5)))]
    tilts_deg = np.degrees(np.arccos(np.minimum(np.abs(heap.turns[:, 2]).max(axis=1), 1)))
    trouble = np.flatnonzero(heap.carried | (tilts_deg > _LEANS_DEG))
    shown = rng.choice(trouble) if len(trouble) and rng.random() < 0.8 else rng.integers(len(heap.sides))
    yaw = rng.uniform(0, 2 * math.pi)
    cos, sin = math.cos(yaw), math.sin(yaw)
    turn = np.array([[cos, -sin, 0], [sin, cos, 0], [0, 0, 1]])
    shift = np.array([*rng.uniform(-0.2, 0.2, 2) * room, 0]) - turn @ heap.centres[shown] * [1, 1, 0]
    lying = []
    for centre, own, side, tilt_deg, carried in zip(
        heap.centres, heap.turns, heap.sides, tilts_deg, heap.carried, strict=True
    ):
        look = looks[rng.integers(len(looks))]
        pose = Pose(turn @ centre + shift, turn @ own, np.full(3, side / 2))
        lean = 0 if tilt_deg < _LEVEL_DEG else 1 if tilt_deg > _LEANS_DEG else -1
        lying.append(Lying(pose, look.faces[_row_up(own)], lean, int(carried), look=look))
    return lying


def _row_up(turn: Array) -> int:
    """Which side, by its row in a Look, looks up most."""
    most = int(np.argmax(np.abs(turn[2])))
    return (2, 4, 0)[most] + int(turn[2, most] < 0)


def _places(rng: Random, room: float) -> list[_Place]:
    """Squares on the ground that do not overlap, in a picture that is that many dice wide."""
    fit = max(int((room / 1.45) ** 2), 1)
    wanted = int(np.clip(np.exp(rng.uniform(0, np.log(40))), 1, min(fit, 24)))
    mixed, clumped, rows = rng.random() < 0.2, rng.random() < 0.4, rng.random() < 0.4
    yaw = rng.uniform(0, 2 * math.pi)
    reach = 0.48 * room
    placed: list[_Place] = []
    for _ in range(60 * wanted):
        half = 0.5 * (rng.uniform(0.65, 1.25) if mixed else 1.0)
        turn = yaw if rows and rng.random() < 0.7 else rng.uniform(0, 2 * math.pi)
        at = rng.uniform(-reach, reach, 2)
        if clumped and placed:
            other = placed[rng.integers(len(placed))]
            way = (other.yaw if rows else rng.uniform(0, 2 * math.pi)) + rng.integers(4) * math.pi / 2
            far = (half + other.half) * rng.uniform(1.0, 1.45)
            at = other.at + far * np.array([math.cos(way), math.sin(way)])
        place = _Place(at, half, turn)
        if np.abs(at).max() < reach * 1.15 and all(_apart(place, there) for there in placed):
            placed.append(place)
        if len(placed) == wanted:
            break
    return placed or [_Place(np.zeros(2), 0.5, yaw)]


def _apart(one: _Place, other: _Place) -> bool:
    """Whether two squares do not overlap (by their separating axes)."""
    away = one.at - other.at
    if np.hypot(*away) > 1.42 * (one.half + other.half):
        return True
    between = one.yaw - other.yaw
    wide = abs(math.cos(between)) + abs(math.sin(between))
    for first, second in ((one, other), (other, one)):
        for number in range(2):
            way = first.yaw + number * math.pi / 2
            if abs(away[0] * math.cos(way) + away[1] * math.sin(way)) > first.half + second.half * wide:
                return True
    return False


def _flat(rng: Random, place: _Place, look: Look) -> Lying:
    row = int(rng.integers(6))
    pose = Pose(np.array([*place.at, place.half]), _upright(row, place.yaw), np.full(3, place.half))
    return Lying(pose, look.faces[row], look=look)


def _leaning(rng: Random, place: _Place, places: list[_Place], look: Look) -> Lying:
    """A die on its edge or corner: against a neighbour if it has one near, or against nothing that one sees."""
    angle = rng.uniform(_FLAT_DEG, 46)
    around, lift = rng.uniform(0, 2 * math.pi), 0.0
    near = [other for other in places if other is not place and np.hypot(*(other.at - place.at)) < 1.8]
    if near and rng.random() < 0.7:
        away = near[0].at - place.at
        around = math.atan2(away[1], away[0]) - math.pi / 2 + rng.normal(0, 0.3)
        lift = rng.uniform(0, 0.4)
    axis = np.array([math.cos(around), math.sin(around), 0.0]) * math.radians(angle)
    turn = cv2.Rodrigues(axis)[0] @ _upright(int(rng.integers(6)), place.yaw)
    row = _row_up(turn)
    rise = float(np.abs(turn[2]).sum()) * place.half * (1 - 0.5 * look.round) + lift * place.half
    pose = Pose(np.array([*place.at, rise]), np.asarray(turn), np.full(3, place.half))
    return Lying(pose, look.faces[row], lean=1 if angle > _LEANS_DEG else -1, look=look)


def _upright(row: int, yaw: float) -> Array:
    """The rotation that puts the side in that row of a Look upwards, turned by yaw."""
    axis, sign = (2, 0, 1)[row // 2], 1 - 2 * (row % 2)
    up = np.zeros(3)
    up[axis] = sign
    first = np.roll(up, 1) * sign
    second = np.cross(up, first)
    c, s = math.cos(yaw), math.sin(yaw)
    return np.stack([c * first - s * second, s * first + c * second, up])


def _stack(rng: Random, lying: list[Lying], looks: list[Look]) -> None:
    """Put dice on top of some of those that lie flat."""
    for under in lying[: int(rng.integers(1, 4))]:
        row = int(rng.integers(6))
        look = looks[rng.integers(len(looks))]
        half = under.pose.half
        across, down = under.pose.centre[:2] + rng.uniform(-0.8, 0.8, 2) * half[0]
        centre = np.array([across, down, 2 * under.pose.centre[2] + half[2]])
        pose = Pose(centre, _upright(row, rng.uniform(0, 2 * math.pi)), half)
        lying.append(Lying(pose, look.faces[row], stacked=1, look=look))


def _swap(rng: Random, one: Lying) -> None:
    """Put an eraser, a domino or a plain cube in the place of a die that lies flat."""
    if one.lean or one.stacked:
        return
    half = one.pose.half * (rng.uniform(0.45, 1.1, 3) if rng.random() < 0.75 else 1.0)
    tall = float(np.abs(one.pose.turn[2]) @ half)
    one.pose = Pose(np.array([*one.pose.centre[:2], tall]), one.pose.turn, half)
    one.foreign = True
    cube = float(half.min() / half.max()) > 0.85
    one.look = chance_look(rng, pips=not cube and rng.random() < 0.3)
