"""The questions that the twin is asked: each is some series of throws, and becomes a table and a plot."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from hardware.twin.plot import plot
from hardware.twin.report import Series, measured, table
from hardware.twin.throws import shipped, throws

FOLDER = Path(__file__).parent / "studies"
"""Tables and plots that are kept."""
_SHIPPED: dict[str, float] = {}
_DECADES = 5  # of memory, which dies away as the cone turns


class Study(NamedTuple):
    """A question: the series it needs, what is plotted over what, and how the plot's axes are named."""

    question: str
    series: tuple[dict[str, float], ...]
    across: str  # the changed name that the plot goes along
    up: str  # the column of the report that is plotted


STUDIES = {
    "memory": Study(
        "What do dice remember of the face before the throw?",
        (
            {"turns": 0.05, "damping": 1},
            {"turns": 0.05},
            {"turns": 0.5},
            _SHIPPED,
            {"turns": 3.0},
            {"motor_rpm": 45},
            {"motor_rpm": 75},
        ),
        "turns",
        "memory_bits",
    ),
    "swing": Study("Must the floor be rocked?", ({"swing_deg": 0}, _SHIPPED, {"swing_deg": 40}), "swing_deg", "bad"),
    "angle": Study(
        "How steep may the wall be?",
        ({"window_diameter_mm": 90}, _SHIPPED, {"window_diameter_mm": 140}),
        "window_diameter_mm",
        "bad",
    ),
    "floor": Study(
        "How wide must the floor be?",
        ({"floor_diameter_mm": 180}, _SHIPPED, {"floor_diameter_mm": 260}),
        "floor_diameter_mm",
        "touching",
    ),
    "baffles": Study("Do ribs on the wall help?", (_SHIPPED, {"baffles": 3}, {"baffles": 6}), "baffles", "bad"),
    "friction": Study("How smooth must the wall be?", ({"wall": 0.1}, _SHIPPED, {"wall": 0.6}), "wall", "bad"),
    "dice": Study("How many dice?", ({"dice": 3}, {"dice": 5}, _SHIPPED), "dice", "touching"),
    "size": Study(
        "How large may the dice be?",
        ({"die_side_mm": 12}, _SHIPPED, {"die_side_mm": 19}),
        "die_side_mm",
        "touching",
    ),
}


def name_of(changes: dict[str, float]) -> str:
    """The name of a series' file."""
    return ",".join(f"{name}-{value:g}" for name, value in changes.items()) or "shipped"


def carry_out(study: Study, seed: int, count: int, folder: Path) -> Iterator[int]:
    """Make what is missing of so many throws of every series; yields how many there are in all after each."""
    folder.mkdir(parents=True, exist_ok=True)
    before = 0
    for changes in study.series:
        for done in throws(changes, seed, count, folder / f"{name_of(changes)}.jsonl"):
            yield before + done
        before += count


def write(name: str, folder: Path, out: Path = FOLDER) -> Path:
    """The table and the plot of what has been thrown; where the table is."""
    study = STUDIES[name]
    files = [folder / f"{name_of(changes)}.jsonl" for changes in study.series]
    there = [file for file in files if file.exists()]
    out.mkdir(exist_ok=True)
    text = f"# {study.question}\n\nMade by `python -m hardware.twin study {name}`; do not edit.\n\n"
    (out / f"{name}.md").write_text(text + table(there) + f"\n![{study.question}]({name}.svg)\n", "utf-8")
    along = [series for file in there if set((series := measured(file)).changes) <= {study.across}]
    (out / f"{name}.svg").write_text(_plot(study, along), "utf-8")
    return out / f"{name}.md"


def _plot(study: Study, along: list[Series]) -> str:
    places = [(one.changes.get(study.across, shipped(study.across)), one) for one in along]
    points = [(x, *_height(study, one)) for x, one in sorted(places, key=lambda pair: pair[0])]
    names = {
        "memory_bits": "memory, bits (bar: what chance gives, 99 %)",
        "bad": "throws with a leaning or stacked die (bar: 95 %)",
        "touching": "share of dice that touch another (bar: 95 %)",
    }
    return plot(points, study.across, names[study.up], _DECADES if study.up == "memory_bits" else 0)


def _height(study: Study, one: Series) -> tuple[float, float, float]:
    """The value, and the ends of its bar."""
    if study.up == "memory_bits":
        return one.memory_bits, 0.0, one.chance_bits
    return one.bad if study.up == "bad" else one.touching
