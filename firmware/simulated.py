"""A tower without a machine: drops simulated dice, and misbehaves on a script."""

import hashlib
import math
import os
import signal
import threading
from collections.abc import Mapping
from dataclasses import dataclass, replace

from firmware.dimensions import size
from firmware.draws import Draws
from firmware.tower import (
    Interrupted,
    Jammed,
    LidOpen,
    MotorOvertime,
    NotHomed,
    Overheated,
    Stopped,
    TowerFault,
    Undervoltage,
)

_FLOOR_MM = size("floor_diameter_mm")
_SIDE_MM = size("die_side_mm")
FAULTS = {
    "jam": "the cone does not turn",
    "still": "the dice stay as they lay",
    "cocked": "a die leans on another",
    "stacked": "a die lies on another",
    "missing": "a die is not there",
    "extra": "there is one die more",
    "unhomed": "the home mark is not seen",
    "overtime": "the motor runs for too long",
    "lid": "the lid is opened while the cone turns, and stays open",
    "stop": "the emergency stop is pressed while the cone turns, and stays pressed",
    "undervoltage": "the computer gets too little voltage",
    "hot": "the computer is too hot",
    "hang": "the control loop hangs until the tower is stopped",
    "kill": "the process is killed while the cone turns",
}
"""What the tower can be told to do wrong, by name."""

_RAISED: Mapping[str, tuple[type[TowerFault], str]] = {
    "jam": (Jammed, "The cone does not turn: switch off, look for what blocks it, then clear the fault."),
    "unhomed": (NotHomed, "The home mark was not seen: check magnet, sensor and cable, then clear the fault."),
    "overtime": (
        MotorOvertime,
        "The motor ran for too long: see whether the cone turns heavily, then clear the fault.",
    ),
    "lid": (LidOpen, "The lid is open, or was opened: shut it, see that all dice are inside, then clear the fault."),
    "stop": (Stopped, "The motor has no 12 V: release the emergency stop, then clear the fault."),
    "undervoltage": (Undervoltage, "The computer gets too little voltage: see to its supply, then clear the fault."),
    "hot": (Overheated, "The processor is too hot: let it cool, then clear the fault."),
}
_STAYING = ("lid", "stop")

_WALL_GAP_MM = 1.0
_LEAN_DEG = 30.0

Rotation = tuple[tuple[float, float, float], tuple[float, float, float], tuple[float, float, float]]


@dataclass(frozen=True, slots=True)
class Lying:
    """Where and how one die came to rest; the floor's centre is the origin, y points away, z up."""

    face: int | None  # upwards; None where the die leans
    x_mm: float
    y_mm: float
    z_mm: float  # of the die's centre
    rotation: Rotation  # from the die's own axes (1 up, 2 away, 4 to the right) to the floor's


class SimulatedTower:
    """A tower whose dice exist only as numbers.

    `faults` says what goes wrong at which tumble, counted from 1, by the names in FAULTS. The same seed throws the
    same dice to the same places.
    """

    def __init__(
        self, seed: str, dice: int = 10, tumble_s: float = 0.0, faults: Mapping[int, str] | None = None
    ) -> None:
        self._seed = hashlib.sha256(seed.encode()).digest()
        self._dice = dice
        self._tumble_s = tumble_s
        self._faults = dict(faults or {})
        for name in self._faults.values():
            if name not in FAULTS:
                raise ValueError(f'The simulated tower knows no fault "{name}"; it knows {", ".join(FAULTS)}.')
        self._stopped = threading.Event()
        self._tumbles = 0
        self._number = 0  # of the throw that is drawn
        self._closed = False
        self._open: str | None = None
        self.lying = self._drop(dice)

    def tumble(self) -> None:
        """Throw the dice anew."""
        if self._closed or self._stopped.wait(self._tumble_s):
            raise Interrupted("The tumble was stopped; press again for a throw.")
        trouble = self.trouble()
        if trouble:
            raise trouble
        self._tumbles += 1
        self._number += 1
        fault = self._faults.get(self._tumbles)
        if fault == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        if fault == "hang":
            self._stopped.wait()
            raise Interrupted("The tumble was stopped; press again for a throw.")
        if fault is not None and fault in _RAISED:
            self._open = fault if fault in _STAYING else None
            kind, message = _RAISED[fault]
            raise kind(message)
        if fault != "still":
            self.lying = self._misplace(fault, self._drop(self._dice))

    def trouble(self) -> TowerFault | None:
        """The switch that is still open; None after `release()`."""
        if self._open is None:
            return None
        kind, message = _RAISED[self._open]
        return kind(message)

    def release(self) -> None:
        """Shut the lid, release the emergency stop."""
        self._open = None

    def resume(self, tumbles: int) -> None:
        """Go on after so many tumbles, so that a seeded machine that restarts does not throw the same dice again."""
        self._tumbles = self._number = tumbles

    def load(self, dice: int) -> None:
        """Have so many dice put in for the next tumble."""
        self._dice = dice

    def deal(self, seed: bytes, number: int) -> None:
        """Draw the dice of the next tumble from this seed, as its throw of that number."""
        self._seed, self._number = seed, number - 1

    def stop(self) -> None:
        """End a tumble under way; none begins before `ready()`."""
        self._stopped.set()

    def ready(self) -> None:
        """Tumble again after a stop."""
        self._stopped.clear()

    def close(self) -> None:
        """Never tumble again."""
        self._closed = True
        self.stop()

    def _drop(self, dice: int) -> tuple[Lying, ...]:
        draws = Draws(self._seed, self._number)
        faces = [draws.face() for _ in range(dice)]
        lying: list[Lying] = []
        for face in faces:
            lying.append(_place(face, draws, lying))
        return tuple(lying)

    def _misplace(self, fault: str | None, lying: tuple[Lying, ...]) -> tuple[Lying, ...]:
        first, *others = lying
        if fault == "missing":
            return tuple(others)
        if fault == "extra":
            return (*lying, _place(1, Draws(self._seed, -self._number), list(lying)))
        if fault == "cocked":
            return (_lean(first), *others)
        if fault == "stacked":
            below = others[0]
            return (replace(first, x_mm=below.x_mm + 2, y_mm=below.y_mm - 2, z_mm=1.5 * _SIDE_MM), *others)
        return lying


def _place(face: int, draws: Draws, lying: list[Lying]) -> Lying:
    """A die flat on the floor, where it is on none of those that lie there already."""
    reach_mm = _FLOOR_MM / 2 - _SIDE_MM / math.sqrt(2) - _WALL_GAP_MM
    # A floor with room for ten dice has room for many more; a bound keeps a wrong size from searching for ever.
    for _ in range(10_000):
        radius_mm, angle = reach_mm * math.sqrt(draws.share()), math.tau * draws.share()
        die = Lying(
            face,
            radius_mm * math.cos(angle),
            radius_mm * math.sin(angle),
            _SIDE_MM / 2,
            _turned(_UP[face], math.tau * draws.share()),
        )
        if not any(_overlap(die, other) for other in lying):
            return die
    raise ValueError(f"There is no room for {len(lying) + 1} dice of {_SIDE_MM:g} mm on a floor of {_FLOOR_MM:g} mm.")


def _overlap(one: Lying, other: Lying) -> bool:
    """Whether the squares of two flat dice overlap: no edge's direction separates them."""
    apart_x, apart_y = other.x_mm - one.x_mm, other.y_mm - one.y_mm
    if math.hypot(apart_x, apart_y) >= _SIDE_MM * math.sqrt(2):
        return False
    turns = [_turn(one), _turn(other)]
    for turn in (turns[0], turns[0] + math.pi / 2, turns[1], turns[1] + math.pi / 2):
        cos, sin = math.cos(turn), math.sin(turn)
        reach = sum(_SIDE_MM / 2 * (abs(math.cos(t - turn)) + abs(math.sin(t - turn))) for t in turns)
        if abs(apart_x * cos + apart_y * sin) >= reach:
            return False
    return True


def _turn(die: Lying) -> float:
    """The direction of an edge of a flat die, in radians."""
    flat = next(axis for axis in range(3) if abs(die.rotation[2][axis]) < 0.5)
    return math.atan2(die.rotation[1][flat], die.rotation[0][flat])


def _lean(die: Lying) -> Lying:
    """The die tipped about an edge that stays on the floor, as if another or the wall held it."""
    lean = math.radians(_LEAN_DEG)
    tilt: Rotation = (
        (1.0, 0.0, 0.0),
        (0.0, math.cos(lean), -math.sin(lean)),
        (0.0, math.sin(lean), math.cos(lean)),
    )
    height_mm = _SIDE_MM / 2 * (math.cos(lean) + math.sin(lean))
    return replace(die, face=None, z_mm=height_mm, rotation=_product(tilt, die.rotation))


def _product(left: Rotation, right: Rotation) -> Rotation:
    rows = [[sum(row[k] * right[k][j] for k in range(3)) for j in range(3)] for row in left]
    first, second, third = ((a, b, c) for a, b, c in rows)
    return first, second, third


def _turned(rotation: Rotation, turn: float) -> Rotation:
    cos, sin = math.cos(turn), math.sin(turn)
    return _product(((cos, -sin, 0.0), (sin, cos, 0.0), (0.0, 0.0, 1.0)), rotation)


_UP: Mapping[int, Rotation] = {
    1: ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    6: ((1, 0, 0), (0, -1, 0), (0, 0, -1)),
    2: ((1, 0, 0), (0, 0, -1), (0, 1, 0)),
    5: ((1, 0, 0), (0, 0, 1), (0, -1, 0)),
    4: ((0, 0, -1), (0, 1, 0), (1, 0, 0)),
    3: ((0, 0, 1), (0, 1, 0), (-1, 0, 0)),
}
"""For each face a rotation that brings it up."""
