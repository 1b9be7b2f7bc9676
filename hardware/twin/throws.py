"""Throws of the twin, written down one to a line, so that an interrupted series goes on where it stopped."""

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from firmware.dimensions import sizes
from firmware.draws import Draws
from firmware.settings import LINES, tower_settings
from hardware.twin.drive import Drive
from hardware.twin.world import Surfaces, World, fits, pairs

SURFACES = {field.name for field in fields(Surfaces)}
SETTINGS = {line.name for line in LINES}
_NONE = {"skirt_mm"}  # sizes of what there need not be
CHAIN = 20
"""So many throws follow one another; then the dice are laid anew, so that a series can go on at any chain."""


class Unknown(ValueError):
    """A change that means nothing: a name that nothing has, a value that nothing can have."""


def build(changes: Mapping[str, float], seed: int) -> Drive:
    """The machine as it is shipped, with these changes; Unknown names the first that means nothing."""
    known = {name: size.value for name, size in sizes().items()}
    for name, value in changes.items():
        if name not in known.keys() | SETTINGS | SURFACES:
            raise Unknown(f'There is no size, setting or surface "{name}".')
        if not math.isfinite(value) or value < 0 or (value == 0 and name in known.keys() - _NONE):
            raise Unknown(f'"{name}" cannot be {value:g}.')
    known |= {name: value for name, value in changes.items() if name in known}
    if known["dice"] % 1 or not fits(known):
        raise Unknown(f"{known['dice']:g} dice of that size do not lie beside one another on that floor.")
    surfaces = Surfaces(**{name: value for name, value in changes.items() if name in SURFACES})
    settings = tower_settings(**{name: value for name, value in changes.items() if name in SETTINGS})
    return Drive(World(known, surfaces, seed), settings, known["motor_rpm"])


def shipped(name: str) -> float:
    """A size, setting or surface as it is shipped."""
    known = {one: size.value for one, size in sizes().items()} | asdict(tower_settings()) | asdict(Surfaces())
    return float(known[name])


def throws(changes: Mapping[str, float], seed: int, count: int, file: Path) -> Iterator[int]:
    """Make what is missing of so many throws; yields how many there are after each.

    Each line of the file has the number of the throw, the faces before and after, what lay badly, and seconds.
    """
    head = {"changes": dict(changes), "seed": seed}
    done = _done(file, head)
    if done >= count:
        return
    # A chain that was cut off is thrown again from its beginning: the dice lie where its throws left them.
    done -= done % CHAIN
    if not file.exists():
        file.write_text(json.dumps(head) + "\n", "utf-8")
    lines = file.read_text("utf-8").splitlines()[: 1 + done]
    file.write_text("".join(line + "\n" for line in lines), "utf-8")
    with file.open("a", encoding="utf-8") as out:
        for first in range(done, count, CHAIN):
            drive = build(changes, seed * 1_000_003 + first)
            for number in range(first, min(first + CHAIN, count)):
                out.write(json.dumps(one(drive, seed, number)) + "\n")
                out.flush()
                yield number + 1


def one(drive: Drive, seed: int, number: int) -> dict[str, Any]:
    """One throw of a machine."""
    before, began_s = drive.world.lying(), drive.time_s
    moved_on_s = drive.throw(Draws(str(seed).encode(), number))
    after = drive.world.lying()
    return {
        "throw": number,
        "before": [die.face for die in before],
        "after": [die.face for die in after],
        "throw_s": round(drive.time_s - began_s, 2),
        "rest_s": round(moved_on_s, 2),
        **pairs(after, drive.world.sizes["die_side_mm"], drive.world.sizes["floor_diameter_mm"]),
    }


def load(file: Path) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The head of a series, and its throws."""
    head, *lines = (json.loads(line) for line in file.read_text("utf-8").splitlines())
    return head, lines


def _done(file: Path, head: dict[str, Any]) -> int:
    if not file.exists():
        return 0
    there, lines = load(file)
    if there != head:
        raise Unknown(f"{file} holds another series ({there}); name another file.")
    return len(lines)
