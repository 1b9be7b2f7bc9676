"""The machine around the twin's cone: its motor, encoder and home mark, driven by the firmware's own control loop."""

import math
from typing import TYPE_CHECKING, cast

from firmware.motion import Motion, plan
from firmware.settings import TowerSettings
from firmware.simulated import Draws

if TYPE_CHECKING:
    from firmware.board import Board

from hardware.twin.world import STEP_S, World

_MOTOR_S, _BRAKE_S, _COAST_S = 0.08, 0.03, 0.4  # in which the speed follows the power, ends, runs out
_MARK_DEG = 14.0
_IDLE_A, _STALL_A = 0.25, 1.2
REST_S = 4.0
"""So long is waited for the dice to lie still."""


class Drive:
    """Board, current sensor and clock in one, as the control loop asks for them; time passes only while it waits."""

    def __init__(self, world: World, settings: TowerSettings, motor_rpm: float) -> None:
        self.world, self.settings = world, settings
        self._full_deg_s = 6 * motor_rpm
        self.time_s = 0.0
        # As it stands after a throw: level.
        self.angle_deg = settings.park_deg
        self.speed_deg_s = 0.0
        self._duty, self._shorted = 0.0, False
        self.edges, self.passes = 0, (0, 0)
        self._motion = Motion(cast("Board", self), self, self, settings, lambda: None)
        self._motion.homed, self._motion.angle_deg = True, settings.park_deg

    def throw(self, draws: Draws) -> float:
        """One tumble, then rest; how long the dice moved on after the cone stood, in seconds."""
        self._motion.tumble(plan(self.settings.turns, draws))
        parked_s = self.time_s
        while self.time_s < parked_s + REST_S:
            self.wait_s(0.05)
            if self.world.still:
                break
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
            goal, lag_s = self._duty * self._full_deg_s, _MOTOR_S
        else:
            goal, lag_s = 0.0, _COAST_S
        self.speed_deg_s += (goal - self.speed_deg_s) * STEP_S / lag_s
        before = self.angle_deg
        self.angle_deg += self.speed_deg_s * STEP_S
        per_edge = 360 / self.settings.edges_per_turn
        self.edges += abs(math.floor(self.angle_deg / per_edge) - math.floor(before / per_edge))
        if self._on_mark(self.angle_deg) and not self._on_mark(before):
            self.passes = (self.passes[0] + 1, self.edges)
        self.world.turn(math.radians(self.angle_deg - self.settings.park_deg), math.radians(self.speed_deg_s))
        self.time_s += STEP_S

    @staticmethod
    def _on_mark(angle_deg: float) -> bool:
        return angle_deg % 360 < _MARK_DEG

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
        """What a motor draws that is so far behind its power."""
        behind = abs(self._duty) - abs(self.speed_deg_s) / self._full_deg_s
        return max(_IDLE_A + _STALL_A * behind, 0.0) * abs(self._duty)

    def close(self) -> None:
        """Nothing is held."""
