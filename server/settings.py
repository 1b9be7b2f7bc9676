"""The settings of the machine: one table, read from a TOML file, frozen."""

import hashlib
import json
import sys
import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import date, time
from pathlib import Path
from typing import Any

from firmware.pins import BadPins, Pins
from firmware.settings import LINES, PIN_LINES, Line, TowerSettings
from server.rules import short
from server.rules.game import OneOf
from vision.files import read_file
from vision.picam import Locks

_FIXED_LENS = -1.0
_MOST_BYTES = 1_000_000  # all settings take a thousandth of it


class BadSettings(ValueError):
    """A file of settings that cannot be used; the message says what to mend."""


SETTINGS: tuple[Line | OneOf, ...] = (
    Line("dice", 10, 1, 24, "How many dice are in the cornet; every one of them is thrown every time."),
    OneOf(
        "loading",
        "sealed",
        ("sealed", "hand"),
        "Whether all dice stay in the sealed cornet, or people put in by hand just as many as a throw needs.",
    ),
    OneOf(
        "select",
        "nearest",
        ("nearest", "colour"),
        "Which dice count: the nearest to the mark, or by name those that were not kept, where each has its colour.",
    ),
    OneOf(
        "by_hand",
        "no",
        ("no", "yes"),
        "Whether the bartender may enter what dice thrown by hand show; such a throw is marked and judges no dice.",
    ),
    Line("tumble_s", 1.0, 0.0, 10.0, "How long the simulated cone turns, in seconds."),
    Line("exposure_us", 0, 0, 33_000, "Exposure of the Raspberry Pi's camera, in microseconds; 0 leaves it free."),
    Line("analogue_gain", 1.0, 1.0, 16.0, "Gain of the camera's sensor, where the exposure is set."),
    Line("red_gain", 1.5, 0.1, 8.0, "White balance: how much red is raised, where the exposure is set."),
    Line("blue_gain", 1.5, 0.1, 8.0, "White balance: how much blue is raised, where the exposure is set."),
    Line(
        "lens_dioptres",
        3.4,
        _FIXED_LENS,
        15.0,
        "Focus of the camera's lens, in dioptres, where the exposure is set; -1 for a lens that cannot be driven.",
    ),
    Line(
        "keep_days", 90, 1, 36_500, "For how many days the pictures of throws are kept; those of doubted ones for good."
    ),
    Line("keep_mb", 8_000, 100, 10_000_000, "How much room the pictures may take, in megabytes; the oldest make way."),
    *LINES,
    *PIN_LINES,
)
"""Every setting of the machine."""


_PLAIN = ("dice", "loading", "select", "by_hand", "tumble_s", "keep_days", "keep_mb")


@dataclass(frozen=True, slots=True)
class Settings:
    """What the machine runs by."""

    dice: int
    loading: str
    select: str
    by_hand: str
    tumble_s: float
    locks: Locks | None  # None: the camera finds light and focus itself
    tower: TowerSettings
    pins: Pins
    keep_days: int
    keep_mb: int
    values: Mapping[str, Any] = field(repr=False, compare=False)  # every setting by name, as SETTINGS has them

    @property
    def sha256(self) -> str:
        """Of all settings that hold, in hexadecimal: another one, another machine."""
        told = asdict(self)
        # What a camera that finds light and focus itself would be locked to makes no other machine.
        del told["values"]
        return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()


def lock_lines(locks: Locks) -> dict[str, float]:
    """What the settings must say so that the camera is locked to that."""
    red, blue = locks.colour_gains
    lens = _FIXED_LENS if locks.lens_dioptres is None else locks.lens_dioptres
    lines = {"exposure_us": locks.exposure_us, "analogue_gain": locks.analogue_gain, "red_gain": red, "blue_gain": blue}
    return lines | {"lens_dioptres": lens}


def read_settings(path: Path | None, **said: Any) -> Settings:
    """What is said, else the settings of a file, else the defaults; BadSettings if wrong."""
    if path is None:
        return _checked(said, "")
    try:
        given = tomllib.loads(read_file(path, _MOST_BYTES).decode())
    except OSError as error:
        raise BadSettings(
            f"The settings {path} cannot be read ({error.strerror}): give another file with --config."
        ) from None
    except (ValueError, RecursionError) as error:
        raise BadSettings(
            f"The settings {path} are no TOML ({error}): mend them, or give another file with --config."
        ) from None
    return _checked(given | said, f"{path}: ")


def _checked(given: Mapping[str, Any], where: str) -> Settings:
    known = {line.name for line in SETTINGS}
    for name in given:
        if name not in known:
            raise BadSettings(f'{where}there is no setting "{name}"; the settings are: {", ".join(sorted(known))}.')
    values = {line.name: _value(line, given, where) for line in SETTINGS}
    try:
        pins = Pins(**{line.name.removeprefix("pin_"): values[line.name] for line in PIN_LINES})
    except BadPins as error:
        raise BadSettings(f"{where}{error}") from None
    gains = values["red_gain"], values["blue_gain"]
    lens = values["lens_dioptres"]
    if _FIXED_LENS < lens < 0:
        raise BadSettings(f'{where}"lens_dioptres" must be -1 or a number from 0.0 to 15.0, not {lens}.')
    driven = None if lens == _FIXED_LENS else lens
    locks = Locks(values["exposure_us"], values["analogue_gain"], gains, driven)
    return Settings(
        **{name: values[name] for name in _PLAIN},
        locks=locks if values["exposure_us"] else None,
        tower=TowerSettings(**{line.name: values[line.name] for line in LINES}),
        pins=pins,
        values=values,
    )


def _value(line: Line | OneOf, given: Mapping[str, Any], where: str) -> Any:
    value, kind = given.get(line.name, line.default), type(line.default)
    if isinstance(line, OneOf):
        if value not in line.choices:
            raise BadSettings(f'{where}"{line.name}" must be one of {", ".join(line.choices)}, not {_said(value)}.')
        return value
    number = type(value) is kind or (kind is float and type(value) is int)
    if not number or not line.low <= value <= line.high:
        what = "a whole number" if kind is int else "a number"
        raise BadSettings(f'{where}"{line.name}" must be {what} from {line.low} to {line.high}, not {_said(value)}.')
    return kind(value)


def _said(value: Any) -> str:
    """A value in the words of TOML, cut where it is long."""
    if isinstance(value, float):
        return str(value)  # the infinite too, and what is no number
    return str(value) if isinstance(value, date | time) else short(value)


_UNITS = {
    "s": "s",
    "us": "µs",
    "deg": "°",
    "a": "A",
    "hz": "Hz",
    "ohm": "Ω",
    "c": "°C",
    "mb": "MB",
    "days": "days",
    "dioptres": "dioptres",
    "duty": "of full power",
    "gain": "times",
    "turns": "turns",
    "turn": "edges",
    "dice": "dice",
}
"""By the last word of a setting's name."""

_HEAD = """# Settings

Made by `python -m server.settings > hardware/SETTINGS.md`; do not edit. One a line, as in `dice = 10`, in the file that
`--config` names, on an installed machine `/etc/cornet/cornet.toml`. A name that is not here, a value out of its range,
two parts on one pin and a pin that is not safe for its part are refused in a sentence.

| setting | usual | from | to | unit | what it is |
|---|---|---|---|---|---|
"""


def page() -> str:
    """All settings as a table for whoever writes the file; KeyError for one whose name has no unit."""
    lines = []
    for line in SETTINGS:
        if isinstance(line, OneOf):
            low, high, unit = "", "", " or ".join(line.choices)
        else:
            pin = line.name.startswith("pin_")
            low, high, unit = str(line.low), str(line.high), "GPIO" if pin else _UNITS[line.name.rpartition("_")[2]]
        lines.append(f"| `{line.name}` | {line.default} | {low} | {high} | {unit} | {line.sentence} |\n")
    return _HEAD + "".join(lines)


if __name__ == "__main__":
    sys.stdout.write(page())
