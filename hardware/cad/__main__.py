"""`python -m hardware.cad`: makes every part as STEP, STL and SVG, checks them, and writes the table of the checks."""

import sys
from pathlib import Path
from typing import Any

import build123d as b

from hardware.cad import geometry, models
from hardware.cad.geometry import SHIPPED, Check, at_least, at_most

ROOT = Path(__file__).parents[2]
OUT = ROOT / "build" / "hardware"
VIEWS = Path(__file__).parent / "views"
_KEPT = ("cone", "half-cone", "window-ring", "motor-bracket", "mast-half", "ring-holder", "electronics-box", "guard")
"""Views that are small enough to be kept beside the text."""


def main() -> int:
    """The command; 1 if a check does not hold."""
    OUT.mkdir(parents=True, exist_ok=True)
    VIEWS.mkdir(exist_ok=True)
    found = geometry.checks()
    mass_g = 0.0
    for name, (make, number) in {**models.PRINTED, **models.CUT}.items():
        part = make(SHIPPED)
        _export(name, part)
        found.append(Check(f"{name} is one valid solid", _state(part), "valid, 1", _state(part) == "valid, 1"))
        if name in models.PRINTED:
            found.append(at_most(f"{name} on the bed", models.turned_on_bed_mm(part), SHIPPED["bed_mm"]))
            mass_g += part.volume / 1000 * SHIPPED["density_g_cm3"] * number
    found += _cone()
    text = "# Checks of the models\n\nMade by `make hardware`; do not edit. Nothing has been printed yet.\n\n"
    text += geometry.table(found) + f"\nPlastic, printed solid: {mass_g / 1000:.2f} kg.\n"
    (ROOT / "hardware" / "CHECKS.md").write_text(text, "utf-8")
    wrong = [one for one in found if not one.holds]
    for one in wrong:
        sys.stderr.write(f"Does not hold: {one.rule}: {one.value}, {one.bound}.\n")
    sys.stdout.write(f"{len(found) - len(wrong)} of {len(found)} checks hold; parts are in {OUT.relative_to(ROOT)}.\n")
    return bool(wrong)


def _state(part: Any) -> str:
    return f"{'valid' if part.is_valid else 'broken'}, {len(part.solids())}"


def _cone() -> list[Check]:
    """What turns, as modelled, against its swept radius; its halves must not cut into one another or into the rest."""
    cone = models.cone(SHIPPED)
    _export("cone", cone)
    pieces = list(cone.children)
    shared = sum((one & other).volume for at, one in enumerate(pieces) for other in pieces[:at] if one & other)
    far = max(models.farthest_mm(piece, SHIPPED) for piece in pieces)
    wide = max(abs(corner) for corner in (cone.bounding_box().min.Y, cone.bounding_box().max.Y))
    return [
        at_most("the cone as modelled, from the axle", far, SHIPPED["swept_radius_mm"]),
        at_most("parts of the cone cut into one another, mm³", shared, 0.01, ""),
        at_least("the cone as modelled, from the side frames", geometry.frame_mm(SHIPPED) - wide, 25),
    ]


def _export(name: str, part: Any) -> None:
    b.export_step(part, str(OUT / f"{name}.step"))
    b.export_stl(part, str(OUT / f"{name}.stl"), tolerance=0.05)
    seen, _ = part.project_to_viewport((300, -400, 260))
    drawing = b.ExportSVG(scale=0.8)
    drawing.add_shape(seen)
    for folder in (OUT, VIEWS) if name in _KEPT else (OUT,):
        drawing.write(str(folder / f"{name}.svg"))


if __name__ == "__main__":
    sys.exit(main())
