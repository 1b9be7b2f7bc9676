"""Dice as rigid bodies come to lie: flat, leaning against one another or against a wall, on top of one another."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from vision.die_shape import SIDE_MM
from vision.reading import Verdict
from vision.studio import throws
from vision.studio.physics import FLOOR_MM, Body, Rest, Surface, settle
from vision.studio.throws import Thrown
from vision.training.drawing import Array, Random

_HIGH = 0.1  # sides above the ground


@dataclass(frozen=True, slots=True, eq=False)
class Heap:
    """Dice at rest; lengths in usual sides of a die, z up from the ground."""

    centres: Array  # n x 3
    turns: Array  # n x 3 x 3, from a die's directions to the ground's
    sides: Array  # n
    carried: Array  # n: whether a die lies on dice alone


@lru_cache(maxsize=1)
def heap(seed: int, number: int) -> Heap:
    """The heap of that number; the same seed and number give the same heap."""
    rng = np.random.default_rng((seed, 3, number))
    while True:
        walled = rng.random() < 0.4
        surface = Surface(walled, friction=float(rng.uniform(0.4, 1.1)))
        bodies = _flat(rng, walled)
        ways: list[Callable[[Random, Thrown], list[Body]]] = [
            throws.against_a_die,
            throws.against_a_die,
            throws.on_a_die,
            throws.against_the_wall if walled else throws.on_a_chip,
        ]
        for _ in range(int(rng.integers(3, 8))):
            bodies = _with(rng, bodies, ways[rng.integers(len(ways))])
        rests = settle(bodies, surface)
        if rests is not None and all(rest.at_mm[2] > 0 for rest in rests):
            return _heap(bodies, rests)


def _flat(rng: Random, walled: bool) -> list[Body]:
    """Some dice on the ground, many of them close to each other."""
    mixed, reach = rng.random() < 0.25, float(rng.uniform(1.2, 4.0)) * SIDE_MM
    middle = rng.uniform(-1, 1, 2) * (0.5 * (FLOOR_MM / 2 - reach) if walled else 0.0)
    bodies: list[Body] = []
    for _ in range(int(rng.integers(2, 10))):
        side = SIDE_MM * (float(rng.uniform(0.75, 1.25)) if mixed else 1.0)
        at = np.array([*(middle + rng.uniform(-reach, reach, 2)), side / 2 + 0.05])
        if all(np.linalg.norm(at - other.at_mm) > 0.72 * (side + other.size_mm[0]) for other in bodies):
            bodies.append(_still(side, at, throws.upright(rng, rng.uniform(0, 2 * math.pi))))
    return bodies


def _still(side_mm: float, at_mm: Array, turn: Array) -> Body:
    return Body("die", (side_mm, 0.11 * side_mm), at_mm, turn, np.zeros(3), np.zeros(3))


def _with(rng: Random, bodies: list[Body], way: Callable[[Random, Thrown], list[Body]]) -> list[Body]:
    """The same and one more on its way to them, if there is room where it starts."""
    rests = tuple(Rest(body.at_mm, body.turn, True, frozenset()) for body in bodies)
    more = way(rng, Thrown(tuple(bodies), rests, Verdict.OK))
    far = [np.linalg.norm(more[-1].at_mm - other.at_mm) / (more[-1].size_mm[0] + other.size_mm[0]) for other in bodies]
    return [*bodies, *more] if min(far) > 0.45 else bodies


def _heap(bodies: list[Body], rests: list[Rest]) -> Heap:
    dice = [number for number, body in enumerate(bodies) if body.kind == "die"]
    on_dice = [any(bodies[other].kind == "die" for other in rest.on_others) for rest in rests]
    centres = np.stack([rests[n].at_mm for n in dice]) / SIDE_MM
    turns = np.stack([rests[n].turn for n in dice])
    sides = np.array([bodies[n].size_mm[0] for n in dice]) / SIDE_MM
    # A die that trembles between the ground and its neighbour may touch only the one for a moment.
    high = centres[:, 2] - np.abs(turns[:, 2]).sum(axis=1) * sides / 2 > _HIGH
    carried = np.array([on_dice[n] and not rests[n].on_ground for n in dice])
    return Heap(centres, turns, sides, carried & high)
