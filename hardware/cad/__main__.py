"""`python -m hardware.cad`: exports every part, checks the parts and the whole, draws views, steps and the floor."""

import sys
from pathlib import Path
from typing import Any

import build123d as b

from hardware.cad import models, rules
from hardware.cad.assembly import CUT, MADE, PRINTED, TURNING, Placed, checks, machine
from hardware.cad.floor import floor_pdf, floor_svg
from hardware.cad.geometry import SHIPPED, frame_mm
from hardware.cad.picture import Shown, picture
from hardware.checks import Check, at_least, at_most, table

ROOT = Path(__file__).parents[2]
OUT = ROOT / "build" / "hardware"
VIEWS = Path(__file__).parent / "views"
_KEPT = (
    "half-cone",
    "window-ring",
    "motor-bracket",
    "mast-half",
    "ring-holder",
    "electronics-box",
    "guard",
    "switch-bracket",
)
"""Views that are small enough to be kept beside the text."""
_LINE_MM = 0.3  # of a view
_NAME_MM = 150.0  # about as wide as a name in the picture of all prints
_CLEAR = ("window", "lid", "sill", "back", "roof")


def main() -> int:
    """The command; 1 if a check does not hold."""
    OUT.mkdir(parents=True, exist_ok=True)
    VIEWS.mkdir(exist_ok=True)
    made = {name: one.make(SHIPPED) for name, one in MADE.items()}
    parts = machine()
    for name, part in made.items():
        _export(name, part)
    whole = b.Compound(children=[b.Part(one.solid.wrapped) for one in parts])
    b.export_step(whole, str(OUT / "machine.step"))
    found = [*rules.checks(), *_each(made), *_cone(parts), *checks(parts)]
    mass_g = sum(made[name].volume / 1000 * SHIPPED[one.density] * one.number for name, one in PRINTED.items())
    text = "# Checks of the models\n\nMade by `make hardware`; do not edit. Nothing has been printed yet.\n\n"
    text += table(found) + f"\nPlastic, printed solid: {mass_g / 1000:.2f} kg.\n"
    (ROOT / "hardware" / "CHECKS.md").write_text(text, "utf-8")
    (ROOT / "hardware" / "PRINTS.md").write_text(_lists(made), "utf-8")
    _steps(made, parts)
    (ROOT / "hardware" / "floor.svg").write_text(floor_svg(), "utf-8")
    (OUT / "floor.pdf").write_bytes(floor_pdf())
    wrong = [one for one in found if not one.holds]
    for one in wrong:
        sys.stderr.write(f"Does not hold: {one.rule}: {one.value}, {one.bound}.\n")
    sys.stdout.write(f"{len(found) - len(wrong)} of {len(found)} checks hold; parts are in {OUT.relative_to(ROOT)}.\n")
    return bool(wrong)


def _each(made: dict[str, Any]) -> list[Check]:
    found = []
    for name, part in made.items():
        state = f"{'valid' if part.is_valid else 'broken'}, {len(part.solids())}"
        found.append(Check(f"{name} is one valid solid", state, "valid, 1", state == "valid, 1"))
        if name in PRINTED:
            found.append(at_most(f"{name} on the bed", models.turned_on_bed_mm(part), SHIPPED["bed_mm"]))
    return found


def _lists(made: dict[str, Any]) -> str:
    """What is printed and what is cut, how often, how large, and of what."""
    text = "# What to print and what to cut\n\nMade by `make hardware`; do not edit. "
    text += "The files are in `build/hardware`:\nSTL to print, `-flat.svg` (1:1, mm) to cut by.\n"
    for title, kinds in (("To print", PRINTED), ("To cut", CUT)):
        text += f"\n## {title}\n\n| part | number | size, mm | each, g |\n|---|---|---|---|\n"
        for name, one in kinds.items():
            size = made[name].bounding_box().size
            edges = " x ".join(f"{edge:.1f}".removesuffix(".0") for edge in (size.X, size.Y, size.Z))
            grams = made[name].volume / 1000 * SHIPPED[one.density]
            text += f"| {name} | {one.number} | {edges} | {grams:.0f} |\n"
    return text


def _cone(parts: list[Placed]) -> list[Check]:
    """What turns, as modelled, against its swept radius and the side frames."""
    up = SHIPPED["axle_up_mm"] - SHIPPED["axle_height_mm"]
    turning = [b.Pos(0, 0, -up) * one.solid for one in parts if one.name in TURNING and one.name != "stub"]
    boxes = [one.bounding_box() for one in turning]
    wide = max(max(-each.min.Y, each.max.Y) for each in boxes)
    far = max(models.farthest_mm(one, SHIPPED) for one in turning)
    return [
        at_most("the cone as modelled, from the axle", far, SHIPPED["swept_radius_mm"]),
        at_least("the cone as modelled, from the side frames", frame_mm(SHIPPED) - wide, 25),
    ]


def _export(name: str, part: Any) -> None:
    b.export_step(part, str(OUT / f"{name}.step"))
    b.export_stl(part, str(OUT / f"{name}.stl"), tolerance=0.05)
    seen, _ = part.project_to_viewport((300, -400, 260))
    drawing = b.ExportSVG(scale=0.8, margin=2, line_weight=_LINE_MM)
    drawing.add_shape(seen)
    if name in CUT:
        flat, _ = part.project_to_viewport((0, 0, 1000), viewport_up=(0, 1, 0), look_at=(0, 0, 0))
        outline = b.ExportSVG(unit=b.Unit.MM, scale=1)
        outline.add_shape(flat)
        outline.write(str(OUT / f"{name}-flat.svg"))
    for folder in (OUT, VIEWS) if name in _KEPT else (OUT,):
        drawing.write(str(folder / f"{name}.svg"))


def _steps(made: dict[str, Any], parts: list[Placed]) -> None:
    """A picture for each step of the assembly: first all prints, then what is put together."""
    laid, x, y, deep = [], 0.0, 0.0, 0.0
    for name, one in PRINTED.items():
        size = made[name].bounding_box()
        if x > 700:
            x, y, deep = 0.0, y - deep - 70, 0.0
        wide = max(size.size.X, _NAME_MM)
        place = b.Pos(x + wide / 2 - size.center().X, y - size.max.Y, -size.min.Z)
        laid.append(Shown(place * made[name], True, name=f"{one.number} {name}"))
        x, deep = x + wide + 10, max(deep, size.size.Y)
    picture(laid, -90, 55).save(VIEWS / "step-1.png", optimize=True)
    for step in sorted({one.step for one in parts}):
        shown = [Shown(one.solid, one.step == step, one.name in _CLEAR) for one in parts if one.step <= step]
        picture(shown).save(VIEWS / f"step-{step}.png", optimize=True)
    shown = [Shown(one.solid, one.name in TURNING, one.name in _CLEAR) for one in parts]
    picture(shown, -40).save(VIEWS / "machine.png", optimize=True)


if __name__ == "__main__":
    sys.exit(main())
