"""The machine around the twin's cone: its motor, encoder and home mark, driven by the firmware's own control loop."""

import math
from typing import TYPE_CHECKING, cast

from firmware.draws import Draws
from firmware.motion import Motion, plan
from firmware.settings import TowerSettings
from hardware.cad.geometry import drawn_a, inertia_kgm2

if TYPE_CHECKING:
    from firmware.board import Board

from hardware.twin.world import STEP_S, World

_MOTOR_S, _BRAKE_S, _COAST_S = 0.08, 0.03, 0.4  # in which the speed follows the power, ends, runs out
_MARK_DEG = 14.0
_HELD_DEG = 200.0  # a hand lets the cone turn so far before it holds it
_WEAK = 0.2  # of full speed, where the 12 V are weak
REST_S = 4.0
"""So long is waited for the dice to lie still."""
FAULTS = {
    "jam": "a hand holds the cone when it has turned a little",
    "unhomed": "the home mark is not seen",
    "overtime": "the 12 V are so weak that the cone turns slowly",
}
"""What can be wrong with the machine around the dice, by the names of the simulated tower."""


class Drive:
    """Board, current sensor and clock in one, as the control loop asks for them; time passes only while it waits."""

    def __init__(self, world: World, settings: TowerSettings, motor_rpm: float) -> None:
        self.world, self.settings = world, settings
        self._full_deg_s = 6 * motor_rpm
        self._kgm2 = inertia_kgm2(world.sizes)
        self.time_s = 0.0
        # As it stands after a throw: level.
        self.angle_deg = settings.park_deg
        self.speed_deg_s = 0.0
        self._duty, self._shorted, self._torque_nmm = 0.0, False, 0.0
        self._fault: str | None = None
        self._held_deg = math.inf  # travel after which a hand holds the cone
        self.edges, self.passes = 0, (0, 0)
        self._motion = Motion(cast("Board", self), self, self, settings, lambda: None)
        self._motion.homed, self._motion.angle_deg = True, settings.park_deg

    def throw(self, draws: Draws, fault: str | None = None) -> float:
        """One tumble, then rest; how long the dice moved on after the cone stood, in seconds.

        A `fault` is one of FAULTS and lasts for this throw; the TowerFault that the firmware makes of it is raised when
        all is at rest.
        """
        self._fault, self._held_deg = fault, _HELD_DEG if fault == "jam" else math.inf
        try:
            self._motion.tumble(plan(self.settings.turns, draws))
        finally:
            self.off()
            rest_s = self._rest()
            self._fault, self._held_deg = None, math.inf
        return rest_s

    @property
    def highest_a(self) -> float:
        """Motor current in the last throw, its start left out."""
        return self._motion.highest_a

    def _rest(self) -> float:
        parked_s = self.time_s
        while self.time_s < parked_s + REST_S:
            self.wait_s(0.05)
            if self.world.still:
                break
        if not self.world.sound:
            raise RuntimeError("The solver gave up, and dice left the cone or began anew: take a smaller step.")
        return self.time_s - parked_s

    # The clock

    def now_s(self) -> float:
        """Simulated seconds."""
        return self.time_s

    def wait_s(self, wait_s: float) -> None:
        """Let the machine go on for so long."""
        for _ in range(round(wait_s / STEP_S)):
            self._move()

    def _move(self) -> None:
        if self._shorted:
            goal, lag_s = 0.0, _BRAKE_S
        elif self._duty:
            goal, lag_s = self._duty * self._full_deg_s * (_WEAK if self._fault == "overtime" else 1.0), _MOTOR_S
        else:
            goal, lag_s = 0.0, _COAST_S
        change_deg_s = (goal - self.speed_deg_s) * STEP_S / lag_s
        self.speed_deg_s += change_deg_s
        self._torque_nmm = 1000 * self._kgm2 * math.radians(abs(change_deg_s)) / STEP_S
        if self._held_deg <= 0:
            self.speed_deg_s, self._torque_nmm = 0.0, abs(self._duty) * self.world.sizes["motor_stall_nmm"]
        before = self.angle_deg
        self.angle_deg += self.speed_deg_s * STEP_S
        self._held_deg -= abs(self.angle_deg - before)
        per_edge = 360 / self.settings.edges_per_turn
        self.edges += abs(math.floor(self.angle_deg / per_edge) - math.floor(before / per_edge))
        if self._on_mark(self.angle_deg) and not self._on_mark(before):
            self.passes = (self.passes[0] + 1, self.edges)
        self.world.turn(math.radians(self.angle_deg - self.settings.park_deg), math.radians(self.speed_deg_s))
        self.time_s += STEP_S

    def _on_mark(self, angle_deg: float) -> bool:
        return self._fault != "unhomed" and angle_deg % 360 < _MARK_DEG

    # The board and the current sensor

    def drive(self, duty: float) -> None:
        """The motor's share of full power."""
        self._duty, self._shorted = duty, False

    def brake(self) -> None:
        """Short the motor."""
        self._duty, self._shorted = 0.0, True

    def off(self) -> None:
        """Let it run out."""
        self._duty, self._shorted = 0.0, False

    def beat(self) -> None:
        """The gate of this machine is always open."""

    def amps(self) -> float:
        """What the motor draws for its torque, for the share of the pulses in which it flows."""
        sizes = self.world.sizes
        return min(drawn_a(sizes, self._torque_nmm), sizes["motor_limit_a"]) * abs(self._duty)

    def close(self) -> None:
        """Nothing is held."""
