"""What a tower senses."""

from dataclasses import dataclass

from firmware.health import Health


@dataclass(frozen=True, slots=True)
class Senses:
    """What a tower senses at one moment."""

    lid_closed: bool
    powered: bool  # 12 V behind emergency stop and lid
    at_home: bool
    encoder_edges: int  # since the start
    amps: float  # now
    highest_a: float  # motor current of the last tumble, starts left out: `jam_a` is 1.6 times this
    health: Health
