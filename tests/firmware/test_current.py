"""The INA219: what is sent to it and what its answers mean."""

import pytest

from firmware.current import ADDRESS, Ina219


class Bus:
    """An INA219 as the bus shows it: words come and go with their bytes swapped."""

    def __init__(self, shunt_voltage: int) -> None:
        self.shunt_voltage = shunt_voltage
        self.written: list[tuple[int, int, int]] = []
        self.closed = 0

    def write_word_data(self, address: int, register: int, word: int) -> None:
        self.written.append((address, register, word))

    def read_word_data(self, address: int, register: int) -> int:
        assert (address, register) == (ADDRESS, 0x01)
        return int.from_bytes((self.shunt_voltage % 2**16).to_bytes(2, "big"), "little")

    def close(self) -> None:
        self.closed += 1


# The data sheet's own examples (SBOS448G, table 7): 320 mV is 0x7D00, -320 mV is 0x8300.
@pytest.mark.parametrize(
    ("register", "shunt_ohm", "amps"),
    [
        (0x7D00, 0.1, 3.2),
        (0x8300, 0.1, -3.2),
        (0, 0.1, 0.0),
        (1, 0.1, 0.0001),
        (0xFFFF, 0.1, -0.0001),
        (4000, 0.05, 0.8),
    ],
)
def test_the_current_is_that_of_the_data_sheet(register: int, shunt_ohm: float, amps: float) -> None:
    sensor = Ina219(Bus(register), shunt_ohm)
    assert sensor.amps() == pytest.approx(amps, abs=1e-9)


def test_it_is_set_to_the_mean_of_32_samples_once() -> None:
    bus = Bus(0)
    sensor = Ina219(bus, 0.1)
    sensor.amps()
    sensor.amps()
    assert bus.written == [(0x40, 0x00, 0xED39)]
    sensor.close()
    assert bus.closed == 1
