"""The tower of this computer: what is said where a part of it, or the program for a part, is not there."""

import sys
from pathlib import Path

import pytest

from firmware import gpio
from firmware.gpio import open_tower
from firmware.health import Health
from firmware.pins import Pins
from firmware.settings import tower_settings
from firmware.tower import NoTower

# Every name of it is 0, but the chip cannot be opened.
LGPIO = """
class error(Exception):
    pass

def gpiochip_open(chip):
    raise error("can not open gpiochip")

def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    return 0
"""


class Sensor:
    """A current sensor that counts how often it was closed."""

    closed = 0

    def amps(self) -> float:
        return 0.0

    def close(self) -> None:
        self.closed += 1


@pytest.fixture
def sensor(monkeypatch: pytest.MonkeyPatch) -> Sensor:
    found = Sensor()
    monkeypatch.setattr(gpio, "read_health", lambda: Health(0, 45.0))
    monkeypatch.setattr(gpio, "open_ina219", lambda shunt_ohm: found)
    return found


@pytest.mark.parametrize(
    ("module", "says"),
    [
        ("raise ImportError('no module')", "install python3-lgpio"),
        ("raise FileNotFoundError(2, 'No such file or directory', '.lgd-nfy-3')", "LG_WD"),
        (LGPIO, r"can not open gpiochip.*group gpio"),
    ],
    ids=["not installed", "its folder cannot be written", "no chip"],
)
def test_a_machine_whose_pins_cannot_be_had_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sensor: Sensor, module: str, says: str
) -> None:
    (tmp_path / "lgpio.py").write_text(module)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr("gpiozero.pins.local.get_pi_revision", lambda: 0xC04170)
    for name in ("lgpio", "gpiozero.pins.lgpio"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    with pytest.raises(NoTower, match=says):
        open_tower(tower_settings(), Pins(), "7")
    for name in ("lgpio", "gpiozero.pins.lgpio"):
        sys.modules.pop(name, None)
    assert sensor.closed == ("def " in module)
