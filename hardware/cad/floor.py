"""The marked floor of the cone, to scale: printed, it lies under the clear film of the floor plate."""

import math
from io import BytesIO

from PIL import Image, ImageDraw

from hardware.cad.geometry import SHIPPED, plate_mm
from vision.rig import STROKES, STROKES_IN_MM

_GROUND, _BRIGHT = 40, 110  # grey levels: dark, so that dice stand out
_PAPER_MM = 12.0  # around the floor plate
_LINE_MM = 0.6
_DPI = 300

Place = tuple[float, float]


def strokes_mm() -> list[tuple[Place, Place]]:
    """Inner and outer end of each stroke, mm from the middle of the floor, x to the right and y down."""
    outer = SHIPPED["floor_diameter_mm"] / 2 - STROKES_IN_MM
    inner = outer - SHIPPED["marker_long_mm"]
    turns = [math.tau * (number + 0.5) / STROKES for number in range(STROKES)]
    ways = [(math.cos(turn), math.sin(turn)) for turn in turns]
    return [((inner * x, inner * y), (outer * x, outer * y)) for x, y in ways]


def mark_mm() -> list[Place]:
    """The mark on the rim, from which the nearest dice count: a triangle below the middle."""
    rim, wide = SHIPPED["floor_diameter_mm"] / 2, SHIPPED["mark_mm"]
    return [(0, rim - wide), (-wide / 2, rim), (wide / 2, rim)]


def floor_svg() -> str:
    """The floor as an SVG page, to be printed at 100 %."""
    rim, plate = SHIPPED["floor_diameter_mm"] / 2, plate_mm(SHIPPED)
    edge = plate + _PAPER_MM
    size = f'width="{2 * edge:g}mm" height="{2 * edge:g}mm" viewBox="{-edge:g} {-edge:g} {2 * edge:g} {2 * edge:g}"'
    corners = " ".join(f"{x:g},{y:g}" for x, y in mark_mm())
    wide = SHIPPED["marker_wide_mm"]
    lines = [
        f'<line x1="{x1:.2f}" y1="{y1:.2f}" x2="{x2:.2f}" y2="{y2:.2f}" stroke="#000" stroke-width="{wide:g}"/>'
        for (x1, y1), (x2, y2) in strokes_mm()
    ]
    note = f"Print at 100 % on A3: the disc is {2 * plate:g} mm wide, the circle {2 * rim:g} mm."
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" {size}>',
            f'<circle r="{plate:g}" fill="{_grey(_GROUND)}"/>',
            f'<circle r="{rim:g}" fill="none" stroke="#000" stroke-width="{_LINE_MM:g}"/>',
            *lines,
            f'<polygon points="{corners}" fill="{_grey(_BRIGHT)}"/>',
            f'<text x="{-plate:g}" y="{edge - 4:g}" font-family="sans-serif" font-size="5">{note}</text>',
            "</svg>\n",
        ]
    )


def _grey(level: int) -> str:
    return f"#{level:02x}{level:02x}{level:02x}"


def floor_picture(px_per_mm: float) -> Image.Image:
    """The floor as a grey picture; its middle is the picture's."""
    rim, plate = SHIPPED["floor_diameter_mm"] / 2, plate_mm(SHIPPED)
    edge = plate + _PAPER_MM
    page = Image.new("L", (round(2 * edge * px_per_mm),) * 2, 255)
    draw = ImageDraw.Draw(page)

    def at(*places: float) -> list[float]:
        return [(edge + place) * px_per_mm for place in places]

    draw.ellipse(at(-plate, -plate, plate, plate), fill=_GROUND)
    draw.ellipse(at(-rim, -rim, rim, rim), outline=0, width=max(1, round(_LINE_MM * px_per_mm)))
    for inner, outer in strokes_mm():
        draw.line(at(*inner, *outer), fill=0, width=round(SHIPPED["marker_wide_mm"] * px_per_mm))
    draw.polygon(at(*(axis for place in mark_mm() for axis in place)), fill=_BRIGHT)
    return page


def floor_pdf() -> bytes:
    """The floor as a PDF page of its true size."""
    out = BytesIO()
    floor_picture(_DPI / 25.4).save(out, "PDF", resolution=_DPI)
    return out.getvalue()
