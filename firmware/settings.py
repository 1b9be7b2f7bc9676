"""What the real tower is set by: one table of lines, plain data for whoever reads a file of settings."""

from dataclasses import dataclass
from typing import Any, NamedTuple

from firmware.dimensions import size
from firmware.pins import HIGHEST, PINS

MOTOR_CEILING_S = 10.0
"""No setting lets the motor run for longer in one throw."""


class Line(NamedTuple):
    """One setting: a number from low to high, whole where the default is whole."""

    name: str
    default: int | float
    low: int | float
    high: int | float
    sentence: str


LINES = (
    Line(
        "turns", 1.5, 0.5, 8.0, "Least turns of the cone in one throw; the end over end way to its rest comes on top."
    ),
    Line("cruise_duty", 0.9, 0.3, 1.0, "Share of full power while the cone tumbles; each half turn draws some less."),
    Line(
        "slow_duty", 0.35, 0.15, 0.6, "Share of full power at which the cone still surely turns, for the last degrees."
    ),
    Line(
        "swing_deg", 22.0, 0.0, 45.0, "Degrees past level at which the rocking floor turns back; it runs on by some 12."
    ),
    Line("ramp_s", size("ramp_s"), 0.2, 2.0, "Seconds from standstill to full power, and back."),
    Line(
        "edges_per_turn",
        round(size("motor_gear") * size("motor_pulses")),
        240,
        20000,
        "Rising edges of encoder channel A in one turn of the cone.",
    ),
    Line("motor_s", 9.0, 1.0, MOTOR_CEILING_S, "Longest time the motor may run in one throw, in seconds."),
    Line("jam_a", 0.5, 0.05, 3.0, "Motor current that means a jam, in amperes: 1.6 times that of a turning cone."),
    Line("park_deg", 5.0, 4.0, 20.0, "Degrees from the first edge of the home mark to where the floor is level."),
    Line("pwm_hz", 300, 200, 1000, "Frequency of the motor's pulses, in hertz."),
    Line("shunt_ohm", 0.1, 0.001, 1.0, "Resistor of the current sensor, in ohms."),
    Line("hot_c", 80.0, 50.0, 85.0, "Temperature of the processor from which nothing is thrown, in degrees Celsius."),
)
"""Every setting of the tower but its pins."""

PIN_LINES = tuple(
    Line(f"pin_{line.name}", line.default, 0, HIGHEST, f"GPIO (BCM number): {line.sentence}") for line in PINS
)
"""The pin map as settings."""


@dataclass(frozen=True, slots=True)
class TowerSettings:
    """What the real tower runs by; the table LINES says what each means and may be."""

    turns: float
    cruise_duty: float
    slow_duty: float
    swing_deg: float
    ramp_s: float
    edges_per_turn: int
    motor_s: float
    jam_a: float
    park_deg: float
    pwm_hz: int
    shunt_ohm: float
    hot_c: float


def tower_settings(**changes: Any) -> TowerSettings:
    """The usual settings, with these changes."""
    return TowerSettings(**{line.name: line.default for line in LINES} | changes)
