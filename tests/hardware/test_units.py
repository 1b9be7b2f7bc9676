"""The systemd units: valid, tight, and of one mind with the pin map."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from firmware.pins import Pins

UNITS = Path(__file__).parents[2] / "hardware" / "systemd"
MOST_EXPOSED = 2.5


def analyze(*words: str) -> str:
    """What systemd-analyze says; it must agree."""
    program = shutil.which("systemd-analyze")
    if program is None:
        pytest.skip("systemd-analyze is not installed: apt install systemd")
    done = subprocess.run([program, *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.fixture
def elsewhere(tmp_path: Path) -> Path:
    """The units with programs that every machine has, since verify looks whether they are there."""
    for unit in UNITS.glob("*.service"):
        text = re.sub(r"^(Exec\w+=\+?)/\S+", r"\1/bin/true", unit.read_text("utf-8"), flags=re.MULTILINE)
        (tmp_path / unit.name).write_text(text, "utf-8")
    return tmp_path


@pytest.mark.parametrize("name", ["cornet.service", "cornet-kiosk.service"])
def test_systemd_finds_nothing_wrong(elsewhere: Path, name: str) -> None:
    assert analyze("verify", str(elsewhere / name)) == ""


def test_the_service_is_hardly_exposed(elsewhere: Path) -> None:
    said = analyze("security", "--offline=true", "--no-pager", str(elsewhere / "cornet.service"))
    found = re.search(r"Overall exposure level for cornet\.service: ([\d.]+)", said)
    assert found is not None
    assert float(found[1]) <= MOST_EXPOSED


def test_the_motors_pins_are_made_low_after_every_end() -> None:
    unit = (UNITS / "cornet.service").read_text("utf-8")
    pins = Pins()
    assert f"\nEnvironment=MOTOR_PINS={pins.motor_forward},{pins.motor_reverse}\n" in unit
    assert "\nExecStopPost=+/usr/bin/pinctrl set ${MOTOR_PINS} op dl\n" in unit
    for line in ("Type=notify", "Restart=always", "StartLimitIntervalSec=0", "Environment=LG_WD=/run/cornet"):
        assert f"\n{line}\n" in unit


@pytest.mark.parametrize("device", ["char-gpiochip", "char-i2c", "char-video4linux", "char-media", "/dev/vcio"])
def test_the_service_may_use_the_parts_of_the_machine_and_nothing_else(device: str) -> None:
    lines = (UNITS / "cornet.service").read_text("utf-8").splitlines()
    assert "DevicePolicy=closed" in lines
    assert f"DeviceAllow={device} rw" in lines
