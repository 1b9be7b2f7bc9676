"""Parts, cables and board as tables, read from `parts.csv` and `wiring.toml`; the pins are those of the firmware."""

import csv
import json
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from firmware.dimensions import size
from firmware.pins import PINS
from hardware.cad.geometry import (
    SHIPPED,
    deep_mm,
    frame_mm,
    front_mm,
    lens_mm,
    mast_off_mm,
    motor_face_mm,
    stop_off_mm,
    switch_deep_mm,
    switch_mm,
)

FOLDER = Path(__file__).parent
HEADER = {
    2: 3, 3: 5, 4: 7, 14: 8, 15: 10, 17: 11, 18: 12, 27: 13, 22: 15, 23: 16, 24: 18, 10: 19, 9: 21, 25: 22,
    11: 23, 8: 24, 7: 26, 0: 27, 1: 28, 5: 29, 6: 31, 12: 32, 13: 33, 19: 35, 16: 36, 26: 37, 20: 38, 21: 40,
}  # fmt: skip
"""The place on the 40-pin header of each GPIO (BCM number)."""
SLACK_MM = 200.0
"""Of every cable: both ends and a drip loop."""
_DIRECT = {"USB", "camera"}  # sockets of the Raspberry Pi beside its header
_COLOURS = {"RD", "BK", "BU", "YE", "GN", "VT", "GY", "WH", "OG", "BN", "PK"}


class Part(NamedTuple):
    """One line of the parts list; volts and amperes are the highest that it draws or gives."""

    part: str
    number: int
    each_eur: float
    rail: str  # that feeds it; empty for parts that draw nothing of their own
    amps: float
    gives: tuple[str, float] | None  # the rail that it feeds, and with how much
    description: str
    alternatives: str


class Cable(NamedTuple):
    """Wires that run together; each from "place.pin" to "place.pin" with a colour (IEC 60757)."""

    name: str
    mm2: float  # 0 where it is bought with its plugs
    length_mm: float  # 0 where that does not matter
    wires: tuple[tuple[str, str, str], ...]


class Soldered(NamedTuple):
    """One component of the board and the nets it joins."""

    ref: str
    part: str
    nets: tuple[str, ...]
    why: str


@cache
def parts() -> dict[str, Part]:
    """The parts list by name, in the order of the file."""
    found = {}
    with (FOLDER / "parts.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            rail, _, amps = row["gives_a"].partition(": ")
            found[row["part"]] = Part(
                row["part"],
                int(row["number"]),
                float(row["each_eur"]),
                row["rail"],
                float(row["amps"] or 0),
                (rail, float(amps)) if rail else None,
                row["description"],
                row["alternatives"],
            )
    return found


@cache
def _wiring() -> dict[str, Any]:
    return tomllib.loads((FOLDER / "wiring.toml").read_text("utf-8"))


def places() -> dict[str, str]:
    """What stands where: the name in the wiring, and the part."""
    return dict(_wiring()["places"])


def header() -> dict[str, int]:
    """Pins of the Raspberry Pi by name, and their places on the header."""
    return {**_wiring()["header"], **{line.name: HEADER[line.default] for line in PINS}}


def cables() -> list[Cable]:
    """Every cable of the harness."""
    return [
        Cable(
            line["name"],
            line.get("mm2", 0.0),
            way_mm(line["route"]) + SLACK_MM if "route" in line else size(line["length"]) if "length" in line else 0.0,
            tuple((start, end, colour) for start, end, colour in line["wires"]),
        )
        for line in _wiring()["cables"]
    ]


def where(s: Mapping[str, float] = SHIPPED) -> dict[str, tuple[float, float, float]]:
    """Where places are, mm: to the front from the middle, along the axle to the motor, above the counter.

    What is in the electronics box stands in its middle. "mast" is where a post of the gantry meets its beam: what goes
    up there goes around the cone.
    """
    side, front, low = frame_mm(s) + s["frame_wall_mm"], deep_mm(s) / 2, s["base_mm"] + s["sill_mm"] / 2
    top, switch = lens_mm(s) + s["lens_hang_mm"], (switch_deep_mm(s), switch_mm(s), s["base_mm"] + front_mm(s))
    inside = ("pi", "board", "fuse", "fuse_light", "sensor", "bridge", "shutdown", "buzzer")
    return {
        **dict.fromkeys(inside, (0.0, 0.0, s["spill_mm"])),
        "socket": (-front, s["margin_mm"], low),
        "stop": (front, stop_off_mm(s), low),
        "button": (front, 0.0, low),
        "lid_power": switch,
        "lid_sense": switch,
        "motor": (0.0, motor_face_mm(s) + s["motor_long_mm"], s["axle_up_mm"]),
        "home": (0.0, -side, s["axle_up_mm"]),
        "mast": (-mast_off_mm(s), side, top),
        "ring": (0.0, 0.0, s["axle_up_mm"] - s["axle_height_mm"] + s["ring_mm"]),
        "camera": (0.0, 0.0, lens_mm(s)),
    }


def way_mm(route: Sequence[str]) -> float:
    """How far it is past these places, along the edges of the machine."""
    at = [where()[place] for place in route]
    return sum(abs(one - other) for start, end in pairwise(at) for one, other in zip(start, end, strict=True))


def wire_m(mm2: float) -> float:
    """Wire of one thickness in all cables together."""
    return sum(cable.length_mm * len(cable.wires) for cable in cables() if cable.mm2 == mm2) / 1000


def soldered() -> list[Soldered]:
    """Every component of the board."""
    return [Soldered(line["ref"], line["part"], tuple(line["nets"]), line["why"]) for line in _wiring()["board"]]


def pins_of(place: str) -> list[str]:
    """The pins of one place that have a wire, in the order of the wiring."""
    ends = (end for cable in cables() for wire in cable.wires for end in wire[:2])
    return list(dict.fromkeys(pin for at, _, pin in (end.partition(".") for end in ends) if at == place))


def wireviz() -> str:
    """The harness as a WireViz file. YAML has JSON within it, so that each entry is a line of JSON."""
    lines = [
        "# Made by `python -m hardware.electronics` from wiring.toml, parts.csv and firmware/pins.py.",
        "connectors:",
    ]
    for place, part in places().items():
        pins = [_named(place, pin) for pin in pins_of(place)]
        lines.append(f"  {place}: {_flow({'type': part, 'pins': pins})}")
    lines.append("cables:")
    for cable in cables():
        colours = [colour for _, _, colour in cable.wires]
        long = {"length": round(cable.length_mm / 1000, 2)} if cable.length_mm else {}
        shape = {**long, **({"gauge": f"{cable.mm2} mm2"} if cable.mm2 else {}), "colors": colours}
        lines.append(f"  {cable.name}: {_flow({'wirecount': len(colours), **shape})}")
    lines.append("connections:")
    for cable in cables():
        for number, (start, end, _) in enumerate(cable.wires, 1):
            one, other = ({at: _named(at, pin)} for at, _, pin in (end.partition(".") for end in (start, end)))
            lines.append(f"  - {_flow([one, {cable.name: number}, other])}")
    return "\n".join(lines) + "\n"


def _label(pin: str) -> str:
    if pin in _DIRECT:
        return pin
    gpio = {line.name: f"GPIO {line.default}, " for line in PINS}.get(pin, "")
    return f"{pin} ({gpio}pin {header()[pin]})"


def _at(end: str) -> str:
    return end.partition(".")[0]


def _named(place: str, pin: str) -> str | int:
    """A pin as WireViz takes it: the plain numbers of a switch's terminals are no words to it."""
    if place == "pi":
        return _label(pin)
    return int(pin) if pin.isdigit() else pin


def _flow(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def faults() -> list[str]:
    """What pins, wiring and parts list do not agree in, as sentences; empty if nothing."""
    found = [f'The place "{at}" is a part "{part}" that the parts list lacks.'
             for at, part in places().items() if part not in parts()]  # fmt: skip
    wired = set(pins_of("pi"))
    found += [f'The pin "{line.name}" has no wire.' for line in PINS if line.name not in wired]
    found += [f'The Raspberry Pi has no pin "{pin}".' for pin in wired - set(header()) - _DIRECT]
    at_header = list(header().values())
    found += [f"Pin {pin} of the header is used twice." for pin in set(at_header) if at_header.count(pin) > 1]
    wires = [wire for cable in cables() for wire in cable.wires]
    found += [f'"{end}" is at no place.' for wire in wires for end in wire[:2] if _at(end) not in places()]
    found += [f'"{colour}" is no colour.' for _, _, colour in wires if colour not in _COLOURS]
    nets = {net for one in soldered() for net in one.nets}
    for terminal in pins_of("board"):
        net = terminal if terminal in nets else _wiring()["terminals"].get(terminal, terminal.partition("_")[0])
        found += [f'The board has no "{terminal}".'] if net not in nets else []
    return found + _miscounted()


def _miscounted() -> list[str]:
    """Electronic parts of which the list has more or fewer than wiring and board use."""
    used = [*places().values(), *(one.part for one in soldered())]
    kinds = ("resistor-", "capacitor-", "fuse-")
    names = dict.fromkeys([*used, *(part for part in parts() if part.startswith(kinds))])
    found = [
        f'{used.count(name)} of "{name}" are wired, {parts()[name].number} are in the parts list.'
        for name in names
        if name in parts() and used.count(name) != parts()[name].number
    ]
    refs = [one.ref for one in soldered()]
    return found + [f'"{ref}" is on the board twice.' for ref in set(refs) if refs.count(ref) > 1]
