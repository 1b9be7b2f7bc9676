"""What the electronics must hold, calculated from the parts: heartbeat gate, levels, currents, power budget, price."""

import math
import re

from firmware.dimensions import size
from firmware.motion import STEP_S
from firmware.pins import PINS
from hardware.checks import Check, table
from hardware.electronics.harness import SLACK_MM, cables, parts, soldered, way_mm, wire_m

_K = (0.45, 0.55)  # pulse of a 74HC123 in units of R C: at 5 V and at 2 V (data sheets); 3.3 V lies between
_R_OFF, _C_OFF = 0.01, 0.10  # tolerances of R5 and C1
_MOST_OPEN_S = 0.5  # the bench protocol's bound from the last beat to a dead motor
_MISSED_BEATS = 5  # beats that may be late before the gate shuts
_SUPPLY_V = (11.4, 12.6)  # 12 V brick
_PULL_DOWN_OHM = 50e3  # inside the pin
_CLAMP_V = 21.2  # highest voltage behind a P6KE15A (data sheet)
_LOGIC_LOW_V, _LOGIC_HIGH_V, _LOGIC_V = 0.8, 2.0, 3.3
_USB_V = (4.75, 5.25)  # 5 V of the header
_BODY_V = 0.6  # across the diode that every MOSFET has
_MOST_SEEN_S = 1.0  # from a pressed stop to a pin that tells of it, at rest
_MOST_W = 0.2  # of a quarter-watt resistor
_BASE_V = 0.7
_LIMIT_V_KOHM = 64.0  # DRV8871: amperes times kiloohms of its limiting resistor
_LOAD = 0.8  # share of what a supply gives that may be drawn
_MULTIPLES = {"": 1.0, "k": 1e3, "u": 1e-6, "n": 1e-9}


def value_of(ref: str) -> float:
    """Ohms or farads of a component, from the name of its part: "resistor-4k7" is 4,700, "capacitor-100n" 1e-7."""
    name = next(one.part for one in soldered() if one.ref == ref)
    match = re.fullmatch(r"(?:resistor|capacitor)-(\d+)([kun]?)(\d*)", name)
    if match is None:
        raise ValueError(f"{ref} is a {name}, which has no value.")
    whole, unit, part = match.groups()
    return float(f"{whole}.{part or 0}") * _MULTIPLES[unit]


def gate_s() -> tuple[float, float]:
    """Shortest and longest time from the last beat to a shut gate."""
    middle = value_of("R5") * value_of("C1")
    off = (1 + _R_OFF) * (1 + _C_OFF)
    return _K[0] * middle / off, _K[1] * middle * off


def _parallel(*ohms: float) -> float:
    return 1 / sum(1 / one for one in ohms)


def price_eur() -> float:
    """Of everything in the parts list."""
    return sum(part.number * part.each_eur for part in parts().values())


def drawn_a(rail: str) -> float:
    """The highest current of all parts on a rail at once; what 3.3 V feeds comes through the 5 V."""
    own = sum(part.number * part.amps for part in parts().values() if part.rail == rail)
    return own + (drawn_a("3.3 V") if rail == "5 V" else 0)


def checks() -> list[Check]:
    """Every rule of the electronics."""
    return [*_gate(), *_levels(), *_currents(), *_wiring()]


def _gate() -> list[Check]:
    shortest, longest = gate_s()
    beat_s = 2 * STEP_S  # the one-shot counts rising edges only
    pull, source = value_of("R9"), value_of("R10")
    on_v = _SUPPLY_V[0] * source / (source + pull)
    worst_v = _CLAMP_V * source / (source + pull)
    base_a = (_LOGIC_V - _BASE_V) / value_of("R7") - _BASE_V / value_of("R8")
    gain = _SUPPLY_V[1] / (pull + source) / base_a
    return [
        Check(
            "the gate outlasts late beats",
            f"{shortest:.2f} s",
            f"at least {_MISSED_BEATS * beat_s:.2f} s",
            shortest >= _MISSED_BEATS * beat_s,
        ),
        Check(
            "the motor is dead soon after the last beat",
            f"{longest:.2f} s",
            f"at most {_MOST_OPEN_S} s",
            longest <= _MOST_OPEN_S,
        ),
        Check("Q2 opens fully", f"{on_v:.1f} V at its gate", "at least 7 V", on_v >= 7),
        Check("Q2 survives what D2 lets pass", f"{worst_v:.1f} V", "at most 20 V", worst_v <= 20),
        Check("Q1 is saturated", f"gain {gain:.1f} needed", "at most 20", gain <= 20),
    ]


def _levels() -> list[Check]:
    low = _parallel(value_of("R12"), _PULL_DOWN_OHM)
    least_v = _SUPPLY_V[0] * low / (value_of("R11") + low)
    most_v = _SUPPLY_V[1] * value_of("R12") / (value_of("R11") + value_of("R12"))
    clear_s = value_of("R6") * value_of("C2")
    share = value_of("R18") / (value_of("R17") + value_of("R18"))
    return [
        Check(
            "12 V reads as present",
            f"{least_v:.2f} V with the pin's own pull-down",
            f"at least {_LOGIC_HIGH_V} V",
            least_v >= _LOGIC_HIGH_V,
        ),
        Check("the pin stays below its supply", f"{most_v:.2f} V", f"at most {_LOGIC_V} V", most_v <= _LOGIC_V),
        Check(
            "the encoder's edge is one",
            f"{_USB_V[0] * share:.2f} V",
            f"at least {_LOGIC_HIGH_V} V",
            _USB_V[0] * share >= _LOGIC_HIGH_V,
        ),
        Check(
            "the encoder's edge stays below the pin's supply",
            f"{_USB_V[1] * share:.2f} V",
            f"at most {_LOGIC_V} V",
            _USB_V[1] * share <= _LOGIC_V,
        ),
        *_bleeding(),
        Check("the gate is held shut at power-on", f"{clear_s * 1000:.1f} ms", "0.5 to 10 ms", 5e-4 <= clear_s <= 0.01),
    ]


def _bleeding() -> list[Check]:
    """After a throw C4 is full, and feeds the computer's eye for the 12 V backwards through Q2 until it is empty."""
    bleeder = value_of("R19")
    low_v = _LOGIC_LOW_V * (value_of("R11") + value_of("R12")) / value_of("R12") + _BODY_V
    seen_s = bleeder * value_of("C4") * 1.2 * math.log(_SUPPLY_V[1] / low_v)  # 20 % is usual of such capacitors
    heat_w = _SUPPLY_V[1] ** 2 / bleeder
    return [
        Check("a stop after a throw is seen", f"{seen_s:.2f} s", f"at most {_MOST_SEEN_S} s", seen_s <= _MOST_SEEN_S),
        Check("R19 stays cool", f"{heat_w:.2f} W", f"at most {_MOST_W} W", heat_w <= _MOST_W),
    ]


def _currents() -> list[Check]:
    limit_a = _LIMIT_V_KOHM / (value_of("R16") / 1000)
    found = [
        Check(
            "bridge, parts list and sizes have the same limit of the motor",
            f"{limit_a:.2f} A, {parts()['motor'].amps} A",
            f"{size('motor_limit_a')} A",
            max(abs(one - size("motor_limit_a")) for one in (limit_a, parts()["motor"].amps)) < 0.01,
        ),
        Check("the motor's limit is below its fuse", f"{limit_a:.2f} A", "at most 2 A", limit_a <= 2),
        Check(
            "the light is below its fuse",
            f"{parts()['light-ring'].amps} A",
            "at most 0.5 A",
            parts()["light-ring"].amps <= 0.5,
        ),
    ]
    for part in parts().values():
        if part.gives:
            rail, given_a = part.gives
            drawn = drawn_a(rail)
            bound = f"at most {_LOAD:.0%} of {given_a:.1f} A"
            found.append(Check(f"{part.part} feeds {rail}", f"{drawn:.2f} A", bound, drawn <= _LOAD * given_a))
    drawn = drawn_a("3.3 V")
    return [*found, Check("3.3 V of the header", f"{drawn:.3f} A", "at most 0.5 A", drawn <= 0.5)]


def _wiring() -> list[Check]:
    """The 12 V of the motor passes stop, lid, fuse and gate in this order; each of the motor's pins is pulled down."""
    joined = {start: end for cable in cables() for start, end, _ in cable.wires if "GND" not in start}
    # Through a part: in by one terminal, out by the other.
    through = {"stop.1": "stop.2", "lid_power.1": "lid_power.2", "fuse.1": "fuse.2",
               "board.12V_in": "board.gate_out", "sensor.VIN+": "sensor.VIN-"}  # fmt: skip
    starts = [end for cable in cables() for start, end, _ in cable.wires if start == "socket.12V"]
    paths = []
    for at in starts:
        path = []
        while at in through:
            path.append(at.partition(".")[0])
            at = joined.get(through[at], "")
        paths.append(" → ".join([*path, at]))
    # The light has a fuse of its own and shines also when the motor must not turn.
    wanted = ["stop → lid_power → fuse → board → sensor → bridge.VM", "fuse_light.1"]
    pulled = {net for one in soldered() if one.part.startswith("resistor") and "GND" in one.nets for net in one.nets}
    driven = {line.name for line in PINS if line.output and line.name not in ("buzzer", "button_lamp")}
    ribbon_mm = way_mm(("pi", "mast", "camera")) + size("fold_mm")
    return [
        Check("12 V reaches the motor by", "; ".join(paths), "; ".join(wanted), paths == wanted),
        Check(
            "camera's ribbon",
            f"{ribbon_mm:.0f} mm",
            f"at most {size('ribbon_mm'):.0f} mm",
            ribbon_mm <= size("ribbon_mm"),
        ),
        Check(
            "outputs with a pull-down", ", ".join(sorted(driven & pulled)), ", ".join(sorted(driven)), driven <= pulled
        ),
    ]


def summary() -> str:
    """A Markdown page: checks, budget and price."""
    lines = ["# What the electronics come to", "", "Made by `python -m hardware.electronics`; do not edit.", ""]
    lines += [table(checks())]
    lines += [f"Parts: {price_eur():.0f} € for everything in `parts.csv`, at rough prices."]
    wire = " and ".join(f"{wire_m(mm2):.1f} m of {mm2} mm²" for mm2 in (0.5, 0.14))
    lines += ["", f"Wire: {wire}, {SLACK_MM:.0f} mm of each for its ends and a drip loop."]
    return "\n".join(lines) + "\n"
