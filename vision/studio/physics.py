"""How things fall and come to rest: rigid bodies in MuJoCo, dice as rounded convex meshes."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import mujoco
import numpy as np

from vision.rendered import LyingDie, Rotation
from vision.studio.meshes import Array

STEP_S = 0.0005
"""A millisecond would mix the dice too well and leave the contacts soft."""
_LONGEST_S, _LOOK_S = 4.0, 0.05
_TOUCHES_M = 1e-5  # what is nearer to the ground touches it
_STILL_MM, _STILL_TURN = 0.05, 0.003  # from one look to the next; contacts tremble a little for ever
_ACRYLIC = 1190.0  # kg per cubic metre
_PANELS = 24  # of the conical wall
FLOOR_MM, WALL_LEAN, WALL_MM = 220.0, 0.25, 130.0
"""Width of a tray's floor, how far its wall leans inwards (over its height), and how much of it there is.

Not the machine's own, whose wall stands upright at the floor: on this one dice come to lean, which readers must see.
"""


@dataclass(frozen=True, slots=True, eq=False)
class Body:
    """Something that falls."""

    kind: str  # "die", or a shape of MuJoCo: "box", "cylinder", "ellipsoid", "capsule"
    size_mm: tuple[float, ...]  # side and corner radius of a die; half sizes of a shape
    at_mm: Array  # 3: its centre
    turn: Array  # 3 x 3
    speed_mm_s: Array  # 3
    spin_rad_s: Array  # 3


@dataclass(frozen=True, slots=True)
class Surface:
    """What they fall on."""

    walled: bool  # the cornet's floor with its conical wall; or open ground
    friction: float = 0.5
    damping: float = (
        0.5  # of the contacts, as a share of the critical: less bounces more, below 0.4 dice never stop trembling
    )


@dataclass(frozen=True, slots=True, eq=False)
class Rest:
    """Where one of the bodies came to lie."""

    at_mm: Array  # 3
    turn: Array  # 3 x 3
    on_ground: bool  # touches the ground
    on_others: frozenset[int]  # bodies that it touches


def settle(bodies: Sequence[Body], surface: Surface) -> list[Rest] | None:
    """Where the bodies lie when all are still; None where they are not after some seconds, or flew off."""
    model, data = _start(bodies, surface)
    still, before = 0, data.qpos.reshape(-1, 7).copy()
    for _ in range(int(_LONGEST_S / _LOOK_S)):
        mujoco.mj_step(model, data, int(_LOOK_S / STEP_S))
        if data.warning.number.any():
            return None
        now = data.qpos.reshape(-1, 7).copy()
        moved = np.abs(now - before)
        still = still + 1 if moved[:, :3].max() * 1000 < _STILL_MM and moved[:, 3:].max() < _STILL_TURN else 0
        before = now
        if still == 3:
            return _rests(model, data, len(bodies))
    return None


def flight(bodies: Sequence[Body], surface: Surface, from_s: float, exposure_s: float, frames: int) -> list[list[Rest]]:
    """Where the bodies are at so many moments of an exposure that begins from_s after their start."""
    model, data = _start(bodies, surface)
    taken = []
    mujoco.mj_step(model, data, max(1, round(from_s / STEP_S)))
    for moment in range(frames):
        due = from_s + exposure_s * moment / frames
        while data.time < due:
            mujoco.mj_step(model, data)
        taken.append(_rests(model, data, len(bodies)))
    return taken


def lying(rest: Rest, side_mm: float) -> LyingDie:
    """The die at rest."""
    first, second, third = ((float(a), float(b), float(c)) for a, b, c in rest.turn)
    turn: Rotation = (first, second, third)
    return LyingDie(float(rest.at_mm[0]), float(rest.at_mm[1]), float(rest.at_mm[2]), turn, side_mm)


def tilt_deg(turn: Array) -> float:
    """How far the face that looks up most is from level."""
    return math.degrees(math.acos(min(1.0, float(np.abs(turn[2]).max()))))


def _start(bodies: Sequence[Body], surface: Surface) -> tuple[mujoco.MjModel, mujoco.MjData]:
    parts = "".join(_part(number, body) for number, body in enumerate(bodies))
    meshes = "".join(_mesh(number, body) for number, body in enumerate(bodies) if body.kind == "die")
    walls = "".join(_walls()) if surface.walled else ""
    model = mujoco.MjModel.from_xml_string(
        f"""<mujoco><compiler angle="radian"/><option timestep="{STEP_S}" integrator="implicitfast"/>
        <default><geom condim="4" friction="{surface.friction} 0.002 0.0002" density="{_ACRYLIC}"
        solref="0.003 {surface.damping}" solimp="0.95 0.99 0.0005"/></default>
        <asset>{meshes}</asset>
        <worldbody><geom name="ground" type="plane" size="2 2 0.1"/>{walls}{parts}</worldbody></mujoco>"""
    )
    data = mujoco.MjData(model)
    for number, body in enumerate(bodies):
        quaternion = np.zeros(4)
        mujoco.mju_mat2Quat(quaternion, np.ascontiguousarray(body.turn, np.float64).reshape(-1))
        data.qpos[7 * number : 7 * number + 7] = [*(body.at_mm / 1000), *quaternion]
        data.qvel[6 * number : 6 * number + 6] = [*(body.speed_mm_s / 1000), *body.spin_rad_s]
    mujoco.mj_forward(model, data)
    return model, data


def _part(number: int, body: Body) -> str:
    shape = (
        f'type="mesh" mesh="m{number}"' if body.kind == "die" else f'type="{body.kind}" size="{_metres(body.size_mm)}"'
    )
    return f'<body name="b{number}"><freejoint/><geom name="g{number}" {shape}/></body>'


def _mesh(number: int, body: Body) -> str:
    """The convex hull of six points at each corner: where its three edges' roundings begin, and halfway round."""
    side, corner = body.size_mm
    half, inner, slant = side / 2, side / 2 - corner, side / 2 - 0.3 * corner
    slopes = [(half, inner, inner), (inner, half, inner), (inner, inner, half)]
    slopes += [(slant, slant, inner), (slant, inner, slant), (inner, slant, slant)]
    points = np.array([np.multiply(signs, slope) for signs in product((-1, 1), repeat=3) for slope in slopes])
    return f'<mesh name="m{number}" vertex="{_metres(points.reshape(-1))}"/>'


def _walls() -> Iterator[str]:
    radius, lean = FLOOR_MM / 2000, math.atan(WALL_LEAN)
    high, thick = WALL_MM / 2000, 0.004
    for panel in range(_PANELS):
        turn = 2 * math.pi * panel / _PANELS
        away = radius - high * math.sin(lean) + thick * math.cos(lean)
        wide = radius * math.tan(math.pi / _PANELS) * 1.05
        at = (away * math.cos(turn), away * math.sin(turn), high * math.cos(lean))
        # Its own x looks out of the cone; leaning inwards turns it downwards about its own y.
        yaw, pitch = (math.cos(turn / 2), math.sin(turn / 2)), (math.cos(-lean / 2), math.sin(-lean / 2))
        quaternion = (yaw[0] * pitch[0], -yaw[1] * pitch[1], yaw[0] * pitch[1], yaw[1] * pitch[0])
        yield (
            f'<geom type="box" size="{thick} {wide} {high}" pos="{at[0]} {at[1]} {at[2]}" '
            f'quat="{" ".join(f"{part:.6f}" for part in quaternion)}"/>'
        )


def _metres(values_mm: Sequence[float] | Array) -> str:
    return " ".join(f"{value / 1000:.7f}" for value in values_mm)


def _rests(model: mujoco.MjModel, data: mujoco.MjData, count: int) -> list[Rest]:
    number = {mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_GEOM, f"g{body}"): body for body in range(count)}
    ground = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_GEOM, "ground")
    touches: list[set[int]] = [set() for _ in range(count)]
    for one, other in data.contact.geom:
        for mine, its in ((int(one), int(other)), (int(other), int(one))):
            if mine in number and its in number:
                touches[number[mine]].add(number[its])
    # One that rests may be off the ground by a ten-thousandth of a millimetre at that moment, where others touch it.
    away_m = {body: mujoco.mj_geomDistance(model, data, geom, ground, 1.0, None) for geom, body in number.items()}
    found = []
    for body in range(count):
        # The mesh's frame may have been turned by MuJoCo; the body's is ours.
        at, turn = data.xpos[body + 1] * 1000, data.xmat[body + 1].reshape(3, 3)
        found.append(Rest(at.copy(), turn.copy(), away_m[body] < _TOUCHES_M, frozenset(touches[body])))
    return found
