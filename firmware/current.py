"""How much current the motor draws, by an INA219 on the I2C bus."""

from typing import Any, Protocol

from firmware.tower import NoTower

ADDRESS = 0x40

_CONFIGURATION, _SHUNT_VOLTAGE = 0x00, 0x01
# Texas Instruments SBOS448G, table 5 and 6: range of 320 mV, mean of 32 samples (17 ms: five pulses of the motor at
# 300 Hz), shunt voltage only, without end.
_SETTING = 0x39ED
_VOLTS_PER_BIT = 10e-6


class CurrentSensor(Protocol):
    """Something that knows the motor's current."""

    def amps(self) -> float:
        """What the bridge draws from the 12 V now, in amperes; OSError if the sensor does not answer."""

    def close(self) -> None:
        """Let go of the sensor; as often as you like."""


class Ina219:
    """An INA219; `bus` is an open SMBus, which this closes."""

    def __init__(self, bus: Any, shunt_ohm: float) -> None:
        self._bus = bus
        self._shunt_ohm = shunt_ohm
        self._bus.write_word_data(ADDRESS, _CONFIGURATION, _swapped(_SETTING))

    def amps(self) -> float:
        bits = _swapped(self._bus.read_word_data(ADDRESS, _SHUNT_VOLTAGE))
        signed = bits - 2**16 if bits >= 2**15 else bits
        return signed * _VOLTS_PER_BIT / self._shunt_ohm

    def close(self) -> None:
        self._bus.close()


def open_ina219(shunt_ohm: float) -> Ina219:
    """The sensor on the header's I2C bus; NoTower if it does not answer."""
    try:
        from smbus2 import SMBus

        return Ina219(SMBus(1), shunt_ohm)
    except ImportError:
        raise NoTower("The current sensor cannot be read: install smbus2, then start again.") from None
    except OSError as error:
        raise NoTower(
            f"The current sensor (INA219, I2C address {ADDRESS:#x}) does not answer ({error}): check its four wires "
            "and that I2C is enabled, then start again."
        ) from None


def _swapped(word: int) -> int:
    """The INA219 sends the high byte first, the SMBus expects the low one."""
    return (word & 0xFF) << 8 | word >> 8
