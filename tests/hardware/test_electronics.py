import re
import subprocess
import sys

import pytest

from firmware.pins import PINS
from hardware.cad.geometry import SHIPPED, front_mm, outside_mm
from hardware.checks import Check
from hardware.electronics import circuit, harness
from hardware.electronics.harness import FOLDER, Cable, Part, Soldered


def test_pins_parts_and_wiring_name_the_same_things() -> None:
    assert harness.faults() == []


@pytest.mark.parametrize("check", circuit.checks(), ids=lambda check: check.rule)
def test_every_rule_of_the_electronics_holds(check: Check) -> None:
    assert check.holds, check


def test_what_is_committed_is_what_the_tables_make() -> None:
    assert (FOLDER / "wiring.yml").read_text("utf-8") == harness.wireviz()
    assert (FOLDER / "SUMMARY.md").read_text("utf-8") == circuit.summary()


def test_the_picture_shows_every_place_and_every_pin_of_the_pin_map() -> None:
    picture = (FOLDER / "wiring.svg").read_text("utf-8")
    for place in harness.places():
        assert f">{place}<" in picture
    for line in PINS:
        assert f"{line.name} (GPIO {line.default}, pin {harness.HEADER[line.default]})" in picture


def test_the_price_is_the_sum_of_the_list() -> None:
    lines = (FOLDER / "parts.csv").read_text("utf-8").splitlines()[1:]
    priced = [line.split(",")[1:3] for line in lines]
    assert circuit.price_eur() == pytest.approx(sum(int(number) * float(each) for number, each in priced))


def test_the_gate_is_worked_out_from_its_resistor_and_capacitor() -> None:
    assert circuit.value_of("R9") == 4700
    assert circuit.value_of("C1") == pytest.approx(1e-6)
    shortest, longest = circuit.gate_s()
    assert shortest < 0.5 * 620e3 * 1e-6 < longest
    with pytest.raises(ValueError, match="no value"):
        circuit.value_of("Q1")


def without(cables: list[Cable], start: str) -> list[Cable]:
    return [cable._replace(wires=tuple(wire for wire in cable.wires if wire[0] != start)) for cable in cables]


def test_a_wire_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    fewer = without(harness.cables(), "pi.heartbeat")
    monkeypatch.setattr(harness, "cables", lambda: fewer)
    assert 'The pin "heartbeat" has no wire.' in harness.faults()


def test_a_part_that_is_not_in_the_list_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    more = [*harness.soldered(), Soldered("R99", "resistor-10k", ("GND", "3V3"), "")]
    monkeypatch.setattr(harness, "soldered", lambda: more)
    assert any(re.match('10 of "resistor-10k" are wired, 9', fault) for fault in harness.faults())


def test_a_stop_that_is_bridged_and_a_pull_down_that_is_missing_do_not_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    bridged = [
        cable._replace(
            wires=tuple(("socket.12V", "lid_power.1", "RD") if wire[1] == "stop.1" else wire for wire in cable.wires)
        )
        for cable in harness.cables()
    ]
    monkeypatch.setattr(circuit, "cables", lambda: bridged)
    bare = [one for one in harness.soldered() if one.ref != "R2"]
    monkeypatch.setattr(circuit, "soldered", lambda: bare)
    broken = {check.rule for check in circuit.checks() if not check.holds}
    assert broken == {"12 V reaches the motor by", "outputs with a pull-down"}


def test_a_wire_around_stop_and_lid_does_not_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    around = Cable("around", 0.5, 0.0, (("socket.12V", "fuse.1", "RD"),))
    more = [*harness.cables(), around]
    monkeypatch.setattr(circuit, "cables", lambda: more)
    assert {check.rule for check in circuit.checks() if not check.holds} == {"12 V reaches the motor by"}


def test_cables_reach_where_they_go(monkeypatch: pytest.MonkeyPatch) -> None:
    long_mm = {cable.name: cable.length_mm for cable in harness.cables()}
    assert long_mm["lid"] > front_mm(SHIPPED) + outside_mm(SHIPPED) / 2
    assert long_mm["light"] > 2 * SHIPPED["ring_mm"]
    assert long_mm["ribbon"] == SHIPPED["ribbon_mm"]
    monkeypatch.setattr(circuit, "size", lambda name: 300.0 if name == "ribbon_mm" else SHIPPED[name])
    assert {check.rule for check in circuit.checks() if not check.holds} == {"camera's ribbon"}


def test_a_supply_that_is_too_small_does_not_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    listed: dict[str, Part] = {**harness.parts(), "brick": harness.parts()["brick"]._replace(gives=("12 V", 1.2))}
    monkeypatch.setattr(circuit, "parts", lambda: listed)
    assert {check.rule for check in circuit.checks() if not check.holds} == {"brick feeds 12 V"}


def test_the_calculations_need_no_gpio_library() -> None:
    code = "import sys; sys.modules['gpiozero'] = None; import hardware.electronics.circuit, hardware.cad.rules"
    subprocess.run([sys.executable, "-c", code], check=True, cwd=FOLDER.parents[1])
