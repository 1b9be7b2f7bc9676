"""What the Raspberry Pi says of itself."""

from pathlib import Path

import pytest

from firmware.health import Health, read_health
from firmware.tower import NoTower, Overheated, Undervoltage

HOT_C = 80.0


@pytest.fixture
def temperature(tmp_path: Path) -> Path:
    path = tmp_path / "temp"
    path.write_text("48312\n")
    return path


def test_the_answers_are_understood(temperature: Path) -> None:
    assert read_health(lambda: "throttled=0x50005\n", temperature) == Health(0x50005, 48.312)


@pytest.mark.parametrize("answer", ["", "throttled=", 'error=1 error_msg="Command not registered"', "VCHI failed"])
def test_an_answer_that_is_none_is_said(answer: str, temperature: Path) -> None:
    with pytest.raises(NoTower, match="does not say whether it is well"):
        read_health(lambda: answer, temperature)


def test_a_computer_that_is_no_raspberry_pi_is_said(tmp_path: Path) -> None:
    with pytest.raises(NoTower, match="is this Raspberry Pi OS"):
        read_health(lambda: "throttled=0x0", tmp_path / "none")

    def missing() -> str:
        raise FileNotFoundError(2, "No such file", "/usr/bin/vcgencmd")

    with pytest.raises(NoTower, match="vcgencmd"):
        read_health(missing)


@pytest.mark.parametrize("bits", range(16))
def test_only_what_is_so_now_forbids_a_throw(bits: int) -> None:
    trouble = Health(bits, 45.0).trouble(HOT_C)
    assert isinstance(trouble, Undervoltage) == bool(bits & 1)
    # Bit 1 is a cap that follows the others; it means nothing by itself.
    assert isinstance(trouble, Overheated) == bool(bits & 0b1100 and not bits & 1)
    assert Health(bits << 16, 45.0).trouble(HOT_C) is None


def test_the_limit_of_temperature_is_the_setting() -> None:
    assert Health(0, 79.9).trouble(HOT_C) is None
    assert isinstance(Health(0, 80.0).trouble(HOT_C), Overheated)
