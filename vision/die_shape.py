"""What a die is: its styles, where its pips are, and where a line of sight meets its rounded body."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]
Colour = tuple[int, int, int]
"""Red, green, blue, 0 to 255, as a picture shows it in full light."""

SIDE_MM = 16.0
"""Edge of a die, where nothing says another."""

FACE_AXES: Mapping[int, tuple[int, int, int]] = {
    1: (0, 0, 1),
    2: (0, 1, 0),
    4: (1, 0, 0),
    3: (-1, 0, 0),
    5: (0, -1, 0),
    6: (0, 0, -1),
}
"""Where each face looks in the die's own frame; opposite faces make seven, and 1, 2, 3 run anticlockwise."""


@dataclass(frozen=True, slots=True)
class DieStyle:
    """How a make of dice looks; lengths are in sides of the die."""

    body: Colour
    pip: Colour
    corner: float = 0.13  # radius of the rounded edges
    ball: float = 1.0  # radius of the sphere that takes the corners off; from 0.87 on it takes nothing
    pip_radius: float = 0.085
    pitch: float = 0.255  # from pip to neighbouring pip
    one_radius: float = 0.085
    gloss: float = 0.5  # 0 is chalk, 1 is polished
    clear: float = 0.0  # how much of the underside's pips shines through
    grain: float = 0.0  # depth of the wood's year rings
    odd_pips: Mapping[int, Colour] = field(default_factory=dict)  # faces whose pips have a colour of their own


STYLES: Mapping[str, DieStyle] = {
    "ivory": DieStyle((236, 224, 196), (26, 23, 22), corner=0.15, ball=0.74),
    "white": DieStyle((240, 240, 236), (20, 20, 22), corner=0.10, ball=0.69, pip_radius=0.08, pitch=0.24, gloss=0.6),
    "black": DieStyle((38, 37, 39), (238, 236, 228), corner=0.12, pip_radius=0.08, gloss=0.9),
    "red": DieStyle((186, 24, 30), (242, 238, 230), corner=0.13, pip_radius=0.09, pitch=0.26, gloss=0.7),
    "blue": DieStyle((28, 62, 158), (240, 240, 238), corner=0.13, ball=0.76, pip_radius=0.09, gloss=0.7),
    "green": DieStyle((18, 112, 62), (240, 240, 232), corner=0.12, pip_radius=0.085, gloss=0.7),
    "wood": DieStyle((196, 150, 98), (48, 28, 18), corner=0.10, pip_radius=0.075, gloss=0.15, grain=0.22),
    "casino": DieStyle((196, 22, 34), (248, 244, 238), corner=0.025, pip_radius=0.1, pitch=0.27, gloss=1.0, clear=0.35),
    "asian": DieStyle(
        (244, 243, 238),
        (24, 24, 28),
        corner=0.14,
        ball=0.72,
        pip_radius=0.085,
        pitch=0.23,
        one_radius=0.16,
        odd_pips={1: (192, 22, 26), 4: (192, 22, 26)},
    ),
}
"""The styles that can be asked for by name."""

_FACE_ALONG = np.array([[3, 4], [5, 2], [6, 1]])  # axis, then whether the face looks along it or against it
_PATTERNS = np.array(
    [
        ["...", "...", "..."],  # there is no face 0
        ["...", ".o.", "..."],
        ["o..", "...", "..o"],
        ["o..", ".o.", "..o"],
        ["o.o", "...", "o.o"],
        ["o.o", ".o.", "o.o"],
        ["ooo", "...", "ooo"],
    ]
)
_HAS_PIP = np.array([[[mark == "o" for mark in row] for row in face] for face in _PATTERNS])


def styles_named(names: str | Sequence[str]) -> tuple[DieStyle, ...]:
    """The styles of these names, or of one name; ValueError names those there are."""
    chosen = (names,) if isinstance(names, str) else tuple(names)
    for name in chosen:
        if name not in STYLES:
            raise ValueError(f'There is no style of dice named "{name}"; the styles are {", ".join(STYLES)}.')
    if not chosen:
        raise ValueError(f"At least one style of dice is needed; the styles are {', '.join(STYLES)}.")
    return tuple(STYLES[name] for name in chosen)


def albedo(colour: Colour) -> Floats:
    """Blue, green, red as shares of the light sent back, 3 x 1; pictures here have a gamma of 2."""
    return (np.array(colour[::-1], np.float32)[:, None] / 255.0) ** 2


def _gap(points: Floats, inner: float, corner: float, ball: float) -> Floats:
    """How far points (3 x n) outside a rounded cube are from it, at least."""
    out = np.maximum(np.abs(points) - inner, 0.0)
    gap: Floats = np.sqrt(np.einsum("in,in->n", out, out)) - corner
    if ball < 1.8 * inner:
        np.maximum(gap, np.sqrt(np.einsum("in,in->n", points, points)) - ball, out=gap)
    return gap


def distance_mm(points: Floats, side_mm: float, style: DieStyle) -> Floats:
    """How far points (3 x n, mm, in the die's frame) are from the die's surface; at most 0 on it and inside."""
    corner = style.corner * side_mm
    return _gap(points, side_mm / 2 - corner, corner, style.ball * side_mm)


def strike(eye: Floats, rays: Floats, side_mm: float, style: DieStyle, pixel_mm: float) -> tuple[Floats, Floats]:
    """Where rays (3 x n) from the eye (3 x 1) come nearest to the die, all in its frame.

    Gives how many ray lengths away that is and how many mm are missing there, which is next to nothing on the die
    and infinite from pixel_mm on. Sphere tracing (Hart 1996) from where the ray enters a cube that much larger.
    """
    half = np.float32(side_mm / 2 + pixel_mm)
    rays = np.where(np.abs(rays) < 1e-7, np.float32(1e-7), rays)
    face = np.copysign(half, rays)
    enters = ((-face - eye) / rays).max(axis=0)
    meets = np.flatnonzero(enters < ((face - eye) / rays).min(axis=0))
    ray, at = rays[:, meets], enters[meets]
    nearest_at = at
    missing = np.full(meets.size, np.inf, np.float32)
    per_mm = 1.0 / np.sqrt(np.einsum("in,in->n", ray, ray))
    for _ in range(9):
        gap = distance_mm(eye + at * ray, side_mm, style)
        nearer = gap < missing
        missing = np.where(nearer, gap, missing)
        nearest_at = np.where(nearer, at, nearest_at)
        at = at + gap * per_mm
    depth = np.full(rays.shape[1], np.inf, np.float32)
    left = depth.copy()
    depth[meets], left[meets] = nearest_at, missing
    return depth, left


def _pips(points: Floats, side_mm: float, style: DieStyle, pixel_mm: Floats) -> tuple[Floats, Floats, Floats]:
    """How much of each point is pip (n), the slope of the dent there (3 x n) and the pip's paint (3 x n)."""
    axis = np.abs(points).argmax(axis=0)
    nth = np.arange(axis.size)
    face = _FACE_ALONG[axis, (points[axis, nth] > 0).astype(np.intp)]
    pitch, radius = style.pitch * side_mm, style.pip_radius * side_mm
    radii = np.where(_HAS_PIP, radius, -1.0).astype(np.float32)
    radii[1, 1, 1] = style.one_radius * side_mm
    paints = np.repeat(albedo(style.pip), 7, axis=1)
    for odd, colour in style.odd_pips.items():
        paints[:, odd] = albedo(colour)[:, 0]

    row_axis, column_axis = (axis + 1) % 3, (axis + 2) % 3
    across, along = points[row_axis, nth], points[column_axis, nth]
    spread = face > 1  # a large 1 would reach into the places where the other faces have pips
    row: Floats = np.where(spread, np.clip(np.rint(across / pitch), -1, 1), 0)
    column: Floats = np.where(spread, np.clip(np.rint(along / pitch), -1, 1), 0)
    across, along = across - row * pitch, along - column * pitch
    rim = radii[face, row.astype(np.intp) + 1, column.astype(np.intp) + 1]
    # A pixel wider than the pip, on a face seen edge on, sees little of it.
    inside = np.clip((rim - np.hypot(across, along)) / pixel_mm + 0.5, 0.0, 1.0) * np.clip(rim / pixel_mm, 0.0, 1.0)
    # A dent a third as deep as it is wide is a piece of a sphere about 1.08 times as wide as the pip.
    lean = inside / (1.3 * np.abs(rim))
    slope = np.zeros_like(points)
    slope[row_axis, nth] = -across * lean
    slope[column_axis, nth] = -along * lean
    return inside, slope, paints[:, face]


def surface(
    points: Floats, rays: Floats, side_mm: float, style: DieStyle, pixel_mm: float
) -> tuple[Floats, Floats, Floats]:
    """What is at points (3 x n) of the die's surface that rays (3 x n) of sight meet, all in its frame.

    Gives the direction the surface looks in (3 x n, unit length), the share of light it sends back (3 x n, blue
    green red) and how much of it is pip (n, 0 to 1).
    """
    corner = style.corner * side_mm
    out = np.maximum(np.abs(points) - (side_mm / 2 - corner), 1e-4)
    normal = np.copysign(out, points) / np.sqrt(np.einsum("in,in->n", out, out))
    away = np.sqrt(np.einsum("in,in->n", points, points))
    shaved = np.clip((away / (style.ball * side_mm) - 0.985) / 0.015, 0.0, 1.0)
    normal += shaved * (points / away - normal)

    body = np.repeat(albedo(style.body), away.size, axis=1)
    if style.grain:
        body *= 1.0 + style.grain * _year_rings(points, side_mm)
    if style.clear:
        body += style.clear * _seen_through(points, rays, side_mm, style)
    facing = -np.einsum("in,in->n", rays, normal) / np.sqrt(np.einsum("in,in->n", rays, rays))
    inside, slope, paint = _pips(points, side_mm, style, pixel_mm / np.maximum(facing, 0.02))
    normal += slope
    normal /= np.sqrt(np.einsum("in,in->n", normal, normal))
    return normal, body + inside * (paint - body), inside


def _year_rings(points: Floats, side_mm: float) -> Floats:
    x, y, z = points / side_mm
    rings = np.hypot(x + 0.9 + 0.03 * np.sin(7 * z), y - 0.7 + 0.05 * np.sin(3 * z + 5 * x))
    fibres = np.sin(90 * x + 9 * np.sin(4 * z)) * np.sin(70 * y + 5 * z)
    return np.asarray(np.sin(75 * rings) * 0.8 + 0.25 * fibres, np.float32)


def _seen_through(points: Floats, rays: Floats, side_mm: float, style: DieStyle) -> Floats:
    """The glow of the pips at the far end of rays through the body, and of the far edges, as albedo to add (3 x n)."""
    into = rays / np.sqrt(np.einsum("in,in->n", rays, rays))
    flattest = np.abs(points) / np.abs(points).max(axis=0) > 0.98
    into = np.where(flattest, into, into / 1.5)  # acrylic bends a ray towards the normal, about as Snell says
    into = np.where(np.abs(into) < 1e-5, np.float32(1e-5), into)
    leaves = ((np.copysign(np.float32(side_mm / 2), into) - points) / into).min(axis=0)
    exit_points = points + np.maximum(leaves, 0.0) * into
    inside, _, paint = _pips(exit_points, side_mm, style, np.full_like(leaves, side_mm * 0.08))
    tint = albedo(style.body)
    depth = np.clip(leaves / side_mm, 0.0, 1.5)
    return np.asarray(inside * paint * (0.25 + 0.75 * tint) * 0.5 + tint * (0.9 - depth), np.float32)
