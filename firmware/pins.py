"""The pin map: which part of the tower hangs on which GPIO of the Raspberry Pi."""

from dataclasses import dataclass, fields
from typing import NamedTuple

HIGHEST = 27
"""The last GPIO on the 40-pin header."""
RESERVED = {
    0: "it belongs to the memory of add-on boards",
    1: "it belongs to the memory of add-on boards",
    2: "it carries the data of the current sensor (I2C)",
    3: "it carries the clock of the current sensor (I2C)",
    14: "the console writes on it while the Raspberry Pi starts",
    15: "the console listens on it",
    21: "the shutdown button is on it",
}
"""GPIOs that no part of the tower may have, and why."""
FIRST_OUTPUT = 9
"""GPIO 0 to 8 are pulled high from power-on until the program starts (BCM2835 ARM Peripherals, table 6-31)."""


class BadPins(ValueError):
    """A pin map that cannot be wired or is not safe; the message says which pin to move."""


class PinLine(NamedTuple):
    """One line of the pin map."""

    name: str
    default: int
    output: bool
    sentence: str


PINS = (
    PinLine("lid", 5, False, "Lid switch to ground, closed while the lid is shut; a broken wire reads as open."),
    PinLine("motor_forward", 12, True, "IN1 of the motor bridge, with 10 kΩ to ground."),
    PinLine("motor_reverse", 13, True, "IN2 of the motor bridge, with 10 kΩ to ground."),
    PinLine("heartbeat", 16, True, "Heartbeat to the gate that feeds the motor only while it beats."),
    PinLine("button", 17, False, "Roll button to ground."),
    PinLine("power", 20, False, "12 V behind emergency stop and lid, divided by 33 kΩ and 10 kΩ."),
    PinLine("home", 22, False, "Home sensor, low at the mark, with 10 kΩ to 3.3 V."),
    PinLine("encoder", 23, False, "Channel A of the motor's encoder."),
    PinLine("light", 25, True, "MOSFET of the ring light."),
    PinLine("buzzer", 26, True, "Passive piezo."),
    PinLine("button_lamp", 27, True, "Lamp in the roll button, through a transistor."),
)
"""Every part with its usual GPIO (BCM numbers)."""


@dataclass(frozen=True, slots=True)
class Pins:
    """The GPIO of each part by BCM number; BadPins if two parts share one, or one is not safe for its part."""

    lid: int = 5
    motor_forward: int = 12
    motor_reverse: int = 13
    heartbeat: int = 16
    button: int = 17
    power: int = 20
    home: int = 22
    encoder: int = 23
    light: int = 25
    buzzer: int = 26
    button_lamp: int = 27

    def __post_init__(self) -> None:
        taken: dict[int, str] = {}
        outputs = {line.name for line in PINS if line.output}
        for name in (field.name for field in fields(self)):
            gpio = getattr(self, name)
            if not 0 <= gpio <= HIGHEST:
                raise BadPins(f'"{name}" cannot be GPIO {gpio}: the header has GPIO 0 to {HIGHEST}.')
            if gpio in RESERVED:
                raise BadPins(f'"{name}" cannot be GPIO {gpio}: {RESERVED[gpio]}.')
            if name in outputs and gpio < FIRST_OUTPUT:
                raise BadPins(
                    f'"{name}" cannot be GPIO {gpio}: it would be on from power-on until the program starts; '
                    f"give it one from {FIRST_OUTPUT} to {HIGHEST}."
                )
            if gpio in taken:
                raise BadPins(f'GPIO {gpio} is given to "{taken[gpio]}" and "{name}": give each its own.')
            taken[gpio] = name
