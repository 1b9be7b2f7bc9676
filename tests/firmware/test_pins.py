"""The pin map and the settings: what cannot be wired, or is not safe, is refused by name."""

from dataclasses import fields
from itertools import combinations

import pytest

from firmware.pins import HIGHEST, PINS, RESERVED, BadPins, PinLine, Pins
from firmware.settings import LINES, MOTOR_CEILING_S, PIN_LINES, TowerSettings, tower_settings


def test_the_usual_map_is_that_of_the_table() -> None:
    assert {field.name: getattr(Pins(), field.name) for field in fields(Pins)} == {p.name: p.default for p in PINS}


@pytest.mark.parametrize(("one", "other"), list(combinations(PINS, 2)), ids=lambda line: line.name)
def test_two_parts_on_one_pin_are_refused_by_name(one: PinLine, other: PinLine) -> None:
    shared = max(one.default, other.default)  # one that an output may have, if either is one
    with pytest.raises(BadPins, match=f"GPIO {shared} is given to") as raised:
        Pins(**{one.name: shared, other.name: shared})
    assert f'"{one.name}"' in str(raised.value)
    assert f'"{other.name}"' in str(raised.value)


@pytest.mark.parametrize("name", [line.name for line in PINS if line.output])
@pytest.mark.parametrize("gpio", [4, 5, 6, 7, 8])
def test_an_output_that_would_be_on_at_power_on_is_refused(name: str, gpio: int) -> None:
    with pytest.raises(BadPins, match=f'"{name}" cannot be GPIO {gpio}: it would be on from power-on'):
        Pins(**{name: gpio})


@pytest.mark.parametrize("gpio", RESERVED)
@pytest.mark.parametrize("name", [line.name for line in PINS])
def test_a_pin_that_something_else_needs_is_refused(name: str, gpio: int) -> None:
    with pytest.raises(BadPins, match=f'"{name}" cannot be GPIO {gpio}: ') as raised:
        Pins(**{name: gpio})
    assert RESERVED[gpio] in str(raised.value)


@pytest.mark.parametrize("gpio", [-1, 28, 400])
def test_a_pin_that_is_not_on_the_header_is_refused(gpio: int) -> None:
    with pytest.raises(BadPins, match=f'"home" cannot be GPIO {gpio}: the header has GPIO 0 to {HIGHEST}'):
        Pins(home=gpio)


def test_parts_may_change_places() -> None:
    assert Pins(home=23, encoder=22).home == 23


def test_every_setting_is_in_its_range_and_says_what_it_is() -> None:
    for line in LINES + PIN_LINES:
        assert line.low <= line.default <= line.high
        assert line.sentence.endswith(".")
    assert [line.name for line in LINES] == [field.name for field in fields(TowerSettings)]
    assert [line.name for line in PIN_LINES] == [f"pin_{field.name}" for field in fields(Pins)]


def test_whole_numbers_are_those_whose_default_is() -> None:
    for line, field in zip(LINES, fields(TowerSettings), strict=True):
        assert type(line.default) is field.type


def test_no_setting_reaches_past_the_ceiling() -> None:
    assert next(line.high for line in LINES if line.name == "motor_s") == MOTOR_CEILING_S == 10
    assert tower_settings(turns=4.0).turns == 4
