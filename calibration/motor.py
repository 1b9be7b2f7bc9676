"""The motor: what the tower's measuring turns say, and the machine file that the tower moves by from then on."""

import tomllib
from dataclasses import dataclass, fields, replace
from statistics import fmean

from firmware.settings import LINES, TowerSettings
from firmware.survey import Survey
from vision.tray import BadTray, Made, as_toml, checked

FILE = "machine.toml"
JAM = 1.6
"""Times the running current is a jam."""
SCATTER = 0.01
"""By this share a turn's edges may differ from the others: a cone that slips or an encoder that is not heard."""
SLOWEST_S, LEAST_A = 2.2, 0.02
"""The longest time of a turn with which a throw is in time, and the least current that a motor draws."""
_EDGES, _JAM_A, _PARK_DEG = (
    next(line for line in LINES if line.name == name) for name in ("edges_per_turn", "jam_a", "park_deg")
)


class NotMeasured(ValueError):
    """Measuring turns from which the motor cannot be calibrated; the message says what to do."""


@dataclass(frozen=True, slots=True)
class Motor:
    """What is known of motor, encoder and home mark; it counts instead of the settings of the same names."""

    edges_per_turn: int
    jam_a: float
    park_deg: float  # from the first edge of the home mark to where the floor is level
    running_a: float  # highest motor current of a cone that turns freely
    turn_s: float  # of a turn at the power of a tumble
    made: Made

    def adjust(self, settings: TowerSettings) -> TowerSettings:
        """The settings with what was measured in place of what was given."""
        return replace(settings, edges_per_turn=self.edges_per_turn, jam_a=self.jam_a, park_deg=self.park_deg)

    @property
    def text(self) -> str:
        """The machine file, as TOML."""
        lines = [f"{each.name} = {as_toml(getattr(self, each.name))}" for each in fields(self)]
        head = "# Made by cornet calibrate motor; counts instead of the settings of the same names."
        return "\n".join([head, "", "[motor]", *lines]) + "\n"


def calibrate_motor(survey: Survey, settings: TowerSettings, level_deg: float, made: Made) -> Motor:
    """The motor from its measuring turns; NotMeasured where they do not do.

    level_deg is what a level on the floor showed after the last throw, in degrees: above 0 where the cone had turned
    too far.
    """
    _check(survey)
    jam_a = round(JAM * survey.running_a, 3)
    if jam_a > _JAM_A.high:
        raise NotMeasured(
            f"The cone draws {survey.running_a:.2f} A, {_JAM_A.high / JAM:.2f} will do: see whether it turns heavily."
        )
    park_deg = settings.park_deg - level_deg
    if not _PARK_DEG.low <= park_deg <= _PARK_DEG.high:
        raise NotMeasured(
            f"The floor would be level {park_deg:.0f} degrees behind the home mark, {_PARK_DEG.low:g} to "
            f"{_PARK_DEG.high:g} will do: glue the magnet elsewhere."
        )
    return Motor(
        edges_per_turn=round(fmean(survey.edges)),
        jam_a=max(jam_a, _JAM_A.low),
        park_deg=park_deg,
        running_a=survey.running_a,
        turn_s=survey.turn_s,
        made=made,
    )


def _check(survey: Survey) -> None:
    """NotMeasured where encoder, speed or current are not those of a motor in order."""
    mean = fmean(survey.edges)
    if max(abs(edges / max(mean, 1.0) - 1) for edges in survey.edges) > SCATTER:
        counts = ", ".join(map(str, survey.edges))
        raise NotMeasured(
            f"The encoder counted {counts} edges in single turns: see whether its cable holds, and whether the cone "
            "slips on its axle."
        )
    if not _EDGES.low <= mean <= _EDGES.high:
        raise NotMeasured(
            f"The encoder counts {mean:.0f} edges a turn, {_EDGES.low} to {_EDGES.high} will do: take a motor with "
            "another encoder."
        )
    if survey.turn_s > SLOWEST_S:
        raise NotMeasured(
            f"A turn takes {survey.turn_s:.1f} s, {SLOWEST_S:g} are allowed: see whether the cone turns heavily, or "
            "raise cruise_duty."
        )
    if survey.running_a < LEAST_A:
        raise NotMeasured(
            f"The motor seems to draw {survey.running_a:.3f} A: check the wires of the current sensor and shunt_ohm."
        )


def parse_motor(text: str) -> Motor:
    """What a machine file says; BadTray, with the reason, if it is none."""
    try:
        given = tomllib.loads(text)
        if given.keys() != {"motor"}:
            raise BadTray("it has another part than motor")
        motor: Motor = checked("motor", Motor, given["motor"])
    except (ValueError, RecursionError) as error:
        raise BadTray(str(error)) from None
    for line in (_EDGES, _JAM_A, _PARK_DEG):
        value = getattr(motor, line.name)
        if not line.low <= value <= line.high:
            raise BadTray(f"{line.name} is {value}")
    return motor
