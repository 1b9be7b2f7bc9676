"""The settings of the machine: one table, read from a TOML file, frozen."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any


class BadSettings(ValueError):
    """A file of settings that cannot be used; the message says what to mend."""


@dataclass(frozen=True, slots=True)
class Setting:
    """One line of the table: a number from low to high."""

    name: str
    default: int | float
    low: int | float
    high: int | float
    sentence: str


SETTINGS = (
    Setting("dice", 10, 1, 24, "How many dice are in the cornet; every one of them is thrown every time."),
    Setting("tumble_s", 1.0, 0.0, 10.0, "How long the simulated cone turns, in seconds."),
)


@dataclass(frozen=True, slots=True)
class Settings:
    """What the machine runs by."""

    dice: int
    tumble_s: float


def read_settings(path: Path | None) -> Settings:
    """The settings of a file, defaults where it says nothing; all defaults without a file. BadSettings if wrong."""
    if path is None:
        return _checked({}, "")
    try:
        given = tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise BadSettings(
            f"The settings {path} cannot be read ({error.strerror}): give another file with --config."
        ) from None
    except ValueError as error:
        raise BadSettings(f"The settings {path} are no TOML: {error}.") from None
    return _checked(given, f"{path}: ")


def _checked(given: Mapping[str, Any], where: str) -> Settings:
    known = {setting.name for setting in SETTINGS}
    for name in given:
        if name not in known:
            raise BadSettings(f'{where}there is no setting "{name}"; the settings are: {", ".join(sorted(known))}.')
    values: dict[str, Any] = {}
    for setting in SETTINGS:
        value = given.get(setting.name, setting.default)
        kind = type(setting.default)
        if (
            type(value) is not kind and not (kind is float and type(value) is int)
        ) or not setting.low <= value <= setting.high:
            number = "a whole number" if kind is int else "a number"
            raise BadSettings(
                f'{where}"{setting.name}" must be {number} from {setting.low} to {setting.high}, not {value!r}.'
            )
        values[setting.name] = kind(value)
    return Settings(**values)
