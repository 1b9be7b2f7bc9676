"""The cone and its dice as rigid bodies; the sizes are those of the machine's one file.

Surfaces are guesses (rebound of a die from a hard floor about 0.3), so times and rates are good to a factor of about 2.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

STEP_S = 0.0005
"""Of the simulation; at 1 ms dice mix too fast by half."""

PANELS = 24  # flat panels that make the wall
_THICK_M = 0.012  # walls as thick as this let nothing through
_STILL_M_S, _STILL_RAD_S = 0.004, 0.4
_APART = 1.6  # sides of a die between those of the grid in which they are laid
_LEANS_DEG = 5.0  # a top face further from level is decided by nobody
_FACES = ((2, 1, 1), (2, -1, 6), (1, 1, 2), (1, -1, 5), (0, 1, 4), (0, -1, 3))
"""Which face looks along which axis of a die: axis, direction, face; as in the simulated tower."""


@dataclass(frozen=True, slots=True)
class Surfaces:
    """What dice and cone are like to the touch, and ribs along the wall, of which the shipped cone has none."""

    wall: float = 0.25  # friction of the wall
    floor: float = 0.35  # friction of the floor and the window
    die: float = 0.3  # friction between dice
    damping: float = 0.25  # of a contact: 1 is a dead surface, less rebounds
    baffles: float = 0  # ribs on the wall
    baffle_mm: float = 7.0  # how far they stand out, and half as wide


@dataclass(frozen=True, slots=True)
class Rested:
    """How one die lies; mm and the cone's own axes, its floor's centre the origin."""

    face: int  # that looks up most
    tilt_deg: float  # of that face
    centre_mm: tuple[float, float, float]
    rotation: tuple[tuple[float, float, float], ...]  # from the die's axes to the cone's

    @property
    def leans(self) -> bool:
        """Whether the top face is not decided."""
        return self.tilt_deg > _LEANS_DEG


class World:
    """Dice in a cone that is turned by whoever sets its angle."""

    def __init__(self, sizes: Mapping[str, float], surfaces: Surfaces, seed: int, step_s: float = STEP_S) -> None:
        self.sizes = sizes
        self._side_m = sizes["die_side_mm"] / 1000
        self._half_m = sizes["cone_height_mm"] / 2000
        self.dice = int(sizes["dice"])
        self.model = mujoco.MjModel.from_xml_string(_xml(sizes, surfaces, step_s))
        self.data = mujoco.MjData(self.model)
        self._rng = np.random.default_rng(seed)
        self.lay()

    def lay(self) -> None:
        """Put the dice on the floor in a grid, with chance faces, the floor down."""
        mujoco.mj_resetData(self.model, self.data)
        wide = _wide(self.dice)
        for number in range(self.dice):
            row, column = divmod(number, wide)
            at = self.data.qpos[1 + 7 * number :][:7]
            at[:2] = (np.array([row, column]) - (wide - 1) / 2) * _APART * self._side_m
            at[2] = -self._half_m + self._side_m * 0.55
            at[3:] = _quaternion(self._rng)
        mujoco.mj_forward(self.model, self.data)

    def turn(self, angle_rad: float, speed_rad_s: float) -> None:
        """One step of the simulation with the cone at that angle from level, turning at that speed."""
        self.data.qpos[0], self.data.qvel[0] = angle_rad, speed_rad_s
        mujoco.mj_step(self.model, self.data)

    @property
    def sound(self) -> bool:
        """Whether the solver held: it never began anew by itself, and every die is in the cone."""
        warned = any(self.data.warning[kind].number for kind in range(len(self.data.warning)))
        width, height = self.sizes["floor_diameter_mm"] / 2, self.sizes["cone_height_mm"]
        within = (math.hypot(x, y) < width and 0 < z < height for x, y, z in (die.centre_mm for die in self.lying()))
        return not warned and all(within)

    @property
    def still(self) -> bool:
        """Whether no die moves."""
        moving = self.data.qvel[1:].reshape(self.dice, 6)
        return bool((np.abs(moving[:, :3]) < _STILL_M_S).all() and (np.abs(moving[:, 3:]) < _STILL_RAD_S).all())

    def lying(self) -> list[Rested]:
        """How the dice lie now, seen from a cone whose floor is down."""
        return [self._one(number) for number in range(self.dice)]

    def _one(self, number: int) -> Rested:
        pose = self.data.qpos[1 + 7 * number :][:7]
        flat = np.zeros(9)
        mujoco.mju_quat2Mat(flat, pose[3:])
        angle = float(self.data.qpos[0])
        cos, sin = math.cos(angle), math.sin(angle)
        to_cone = np.array([[cos, 0, -sin], [0, 1, 0], [sin, 0, cos]])
        rotation = to_cone @ flat.reshape(3, 3)
        face, up = max(((face, way * rotation[2, axis]) for axis, way, face in _FACES), key=lambda one: float(one[1]))
        x, y, z = (float(v) * 1000 for v in to_cone @ pose[:3])
        rows = tuple((float(a), float(b), float(c)) for a, b, c in rotation)
        tilt_deg = math.degrees(math.acos(min(float(up), 1.0)))
        return Rested(face, tilt_deg, (x, y, z + 1000 * self._half_m), rows)


def fits(sizes: Mapping[str, float]) -> bool:
    """Whether all dice can be laid on the floor in a grid."""
    corner_mm = ((_wide(sizes["dice"]) - 1) * _APART + 1) / 2 * sizes["die_side_mm"] * math.sqrt(2)
    return corner_mm < sizes["floor_diameter_mm"] / 2


def _wide(dice: float) -> int:
    """Dice along an edge of the grid."""
    return math.ceil(math.sqrt(dice))


def _quaternion(rng: np.random.Generator) -> Floats:
    """One of the 24 upright ways to lie, and a chance turn: a face up, each as likely."""
    ups = ((1, 0, 0, 0), (0, 1, 0, 0), (1, 1, 0, 0), (1, -1, 0, 0), (1, 0, 1, 0), (1, 0, -1, 0))
    up = np.array(ups[int(rng.integers(6))], np.float64)
    up /= np.linalg.norm(up)
    half = rng.uniform(0, math.pi)
    turned = np.zeros(4)
    mujoco.mju_mulQuat(turned, np.array([math.cos(half), 0, 0, math.sin(half)]), up)
    return turned


def _xml(sizes: Mapping[str, float], surfaces: Surfaces, step_s: float) -> str:
    side_m, round_m = sizes["die_side_mm"] / 1000, sizes["die_round_mm"] / 1000
    mass_kg = sizes["die_mass_g"] / 1000
    # A contact takes its own friction from the harder of its two surfaces' priorities: walls and floor before dice.
    dice = "".join(
        f'<body name="die{n}"><freejoint/><geom type="mesh" mesh="die" mass="{mass_kg}" '
        f'friction="{surfaces.die} 0.002 0.0001"/></body>'
        for n in range(int(sizes["dice"]))
    )
    points = " ".join(f"{v:.6f}" for point in _rounded(side_m, round_m) for v in point)
    return f"""
<mujoco>
  <option timestep="{step_s}" integrator="implicitfast" cone="elliptic" impratio="3"/>
  <default><geom solref="0.003 {surfaces.damping}" solimp="0.9 0.98 0.0005" condim="4"/></default>
  <asset><mesh name="die" vertex="{points}"/></asset>
  <worldbody>
    <body name="cone"><joint name="axle" type="hinge" axis="0 1 0"/>{_cone(sizes, surfaces)}</body>
    {dice}
  </worldbody>
</mujoco>"""


def _cone(sizes: Mapping[str, float], surfaces: Surfaces) -> str:
    half = sizes["cone_height_mm"] / 2000
    low, high = sizes["floor_diameter_mm"] / 2000, sizes["window_diameter_mm"] / 2000
    knee = sizes["skirt_mm"] / 1000 - half
    walls = _wall((low, -half), (low, knee), surfaces) if knee > -half else ""
    walls += _wall((low, knee), (high, half), surfaces) + _ribs((low, knee), (high, half), surfaces)
    thick = _THICK_M / 2
    plates = "".join(
        f'<geom type="cylinder" size="{radius + 2 * _THICK_M} {thick}" pos="0 0 {height}" mass="0.01" priority="1" '
        f'friction="{surfaces.floor} 0.002 0.0001"/>'
        for height, radius in ((-half - thick, low), (half + thick, high))
    )
    return walls + plates


def _wall(low: tuple[float, float], high: tuple[float, float], surfaces: Surfaces) -> str:
    """Flat panels around, from one radius and height to another."""
    thick = _THICK_M / 2
    lean = math.atan2(low[0] - high[0], high[1] - low[1])  # inwards
    long = math.dist(low, high) / 2
    out = (low[0] + high[0]) / 2 + thick * math.cos(lean)
    up = (low[1] + high[1]) / 2 + thick * math.sin(lean)
    wide = low[0] * math.tan(math.pi / PANELS) * 1.05
    panels = []
    for number in range(PANELS):
        around = 2 * math.pi * number / PANELS
        # The panel's own x looks outwards and up, its y along the rim.
        x, y = math.cos(around), math.sin(around)
        axes = f"{x * math.cos(lean)} {y * math.cos(lean)} {math.sin(lean)} {-y} {x} 0"
        panels.append(
            f'<geom type="box" size="{thick} {wide} {long}" pos="{out * x} {out * y} {up}" xyaxes="{axes}" '
            f'mass="0.01" priority="1" friction="{surfaces.wall} 0.002 0.0001"/>'
        )
    return "".join(panels)


def _ribs(low: tuple[float, float], high: tuple[float, float], surfaces: Surfaces) -> str:
    """Baffles along the leaning wall."""
    lean = math.atan2(low[0] - high[0], high[1] - low[1])
    deep, long = surfaces.baffle_mm / 2000, math.dist(low, high) / 2
    out, up = (low[0] + high[0]) / 2 - deep * math.cos(lean), (low[1] + high[1]) / 2 - deep * math.sin(lean)
    ribs = []
    for number in range(int(surfaces.baffles)):
        around = 2 * math.pi * (number + 0.5) / surfaces.baffles
        x, y = math.cos(around), math.sin(around)
        axes = f"{x * math.cos(lean)} {y * math.cos(lean)} {math.sin(lean)} {-y} {x} 0"
        ribs.append(
            f'<geom type="box" size="{deep} {deep / 2} {long}" pos="{out * x} {out * y} {up}" xyaxes="{axes}" '
            f'mass="0.001" priority="1" friction="{surfaces.wall} 0.002 0.0001"/>'
        )
    return "".join(ribs)


def _rounded(side_m: float, round_m: float) -> list[tuple[float, float, float]]:
    """Points whose hull is a cube with round edges: seven on the ball in each corner."""
    inner = side_m / 2 - round_m
    ways = [(1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 0), (1, 0, 1), (0, 1, 1), (1, 1, 1)]
    points = []
    for sx in (-1, 1):
        for sy in (-1, 1):
            for sz in (-1, 1):
                for x, y, z in ways:
                    reach = round_m / math.sqrt(x * x + y * y + z * z)
                    points.append((sx * (inner + x * reach), sy * (inner + y * reach), sz * (inner + z * reach)))
    return points


def pairs(lying: list[Rested], side_mm: float, floor_mm: float) -> dict[str, Any]:
    """How many dice touch another, lean on something, lean at the wall, or lie on another."""
    touching, stacked = set(), 0
    for one, die in enumerate(lying):
        if die.centre_mm[2] > 1.2 * side_mm:
            stacked += 1
        for other in range(one):
            apart = math.dist(die.centre_mm[:2], lying[other].centre_mm[:2])
            if apart < 1.05 * side_mm * (1 + 0.41 * _skew(die, lying[other])):
                touching |= {one, other}
    leaning = [die for die in lying if die.leans]
    at_wall = sum(math.hypot(*die.centre_mm[:2]) > floor_mm / 2 - side_mm for die in leaning)
    return {"touching": len(touching), "stacked": stacked, "leaning": len(leaning), "at_wall": at_wall}


def _skew(one: Rested, other: Rested) -> float:
    """0 where the edges of two dice are parallel, 1 at 45 degrees."""
    turns = [math.atan2(die.rotation[1][0], die.rotation[0][0]) % (math.pi / 2) for die in (one, other)]
    apart = abs(turns[0] - turns[1])
    return min(apart, math.pi / 2 - apart) / (math.pi / 4)
