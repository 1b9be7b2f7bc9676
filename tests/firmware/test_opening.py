"""The tower of this computer: what is said where a part of it, or the program for a part, is not there."""

import os
import sys
from pathlib import Path

import pytest

from firmware import gpio
from firmware.gpio import open_tower
from firmware.health import Health
from firmware.pins import Pins
from firmware.settings import tower_settings
from firmware.tower import NoTower

# What lgpio does while it is loaded; here it also tells where it was.
MOVES = """
import os

os.chdir(os.environ["LG_WD"])
open(".lgd-nfy0", "w").close()
os.environ["LGPIO"] = os.getcwd()
"""

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


def refused(folder: Path, monkeypatch: pytest.MonkeyPatch, module: str, says: str) -> None:
    """The tower cannot be opened with this lgpio, written into the folder."""
    (folder / "lgpio.py").write_text(module)
    monkeypatch.syspath_prepend(folder)
    monkeypatch.setattr("gpiozero.pins.local.get_pi_revision", lambda: 0xC04170)
    for name in ("lgpio", "gpiozero.pins.lgpio"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    with pytest.raises(NoTower, match=says):
        open_tower(tower_settings(), Pins(), "7")
    for name in ("lgpio", "gpiozero.pins.lgpio"):
        sys.modules.pop(name, None)


@pytest.mark.parametrize(
    ("module", "says"),
    [
        ("raise ImportError('no module')", "install python3-lgpio"),
        ("", "install python3-lgpio"),
        ("raise FileNotFoundError(2, 'No such file or directory', '.lgd-nfy-3')", "LG_WD"),
        (LGPIO, r"can not open gpiochip.*group gpio"),
    ],
    ids=["not installed", "empty", "its folder cannot be written", "no chip"],
)
def test_a_machine_whose_pins_cannot_be_had_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sensor: Sensor, module: str, says: str
) -> None:
    refused(tmp_path, monkeypatch, module, says)
    assert sensor.closed == ("def " in module)


@pytest.mark.parametrize("named", [False, True], ids=["no folder is named", "a folder is named"])
def test_the_library_that_makes_a_pipe_needs_no_folder_of_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sensor: Sensor, named: bool
) -> None:
    module, here, pipe = tmp_path / "module", tmp_path / "here", tmp_path / "named"
    for folder in (module, here, pipe):
        folder.mkdir()
    monkeypatch.chdir(here)
    for name in ("LG_WD", "LGPIO"):
        monkeypatch.setenv(name, str(pipe))
    if not named:
        monkeypatch.delenv("LG_WD")
    for _ in range(2):  # the machine tries again
        refused(module, monkeypatch, MOVES + LGPIO, "can not open gpiochip")
        assert ("LG_WD" in os.environ) == named
    assert Path.cwd() == here
    assert list(here.iterdir()) == []
    assert (os.environ["LGPIO"] == str(pipe)) == named == (pipe / ".lgd-nfy0").exists()
    assert Path(os.environ["LGPIO"]).exists() == named
