"""A small plot as SVG: points with a bar each."""

import math

_STEPS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
_WIDE, _HIGH, _LEFT, _LOW = 520.0, 300.0, 60.0, 45.0

Point = tuple[float, float, float, float]
"""Across, up, and the lower and upper end of the bar."""


def plot(points: list[Point], across: str, up: str, decades: int = 0) -> str:
    """Points over what they depend on; the vertical axis from 0 for shares, or over so many decades up to 1."""
    most = max([high for *_, high in points] + [value for _, value, *_ in points]) * 1.1 or 1.0
    first, last = min(x for x, *_ in points), max(x for x, *_ in points)

    def at(x: float, y: float) -> tuple[float, float]:
        share = (x - first) / (last - first) if last > first else 0.5
        height = 1 + math.log10(max(y, 10.0**-decades)) / decades if decades else y / most
        return _LEFT + 20 + share * (_WIDE - _LEFT - 50), _HIGH - _LOW - height * (_HIGH - _LOW - 25)

    left, floor = _LEFT, _HIGH - _LOW
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDE:g} {_HIGH:g}" font-family="sans-serif">',
        "<style>text { font-size: 12px }</style>",
        f'<rect width="{_WIDE:g}" height="{_HIGH:g}" fill="#fff"/>',
        f'<path d="M{left:g} 20V{floor:g}H{_WIDE - 10:g}" fill="none" stroke="#333"/>',
        f'<text x="{left:g}" y="14">{up}</text>',
        f'<text x="{_WIDE / 2:g}" y="{_HIGH - 8:g}" text-anchor="middle">{across}</text>',
    ]
    for tick in _ticks(most, decades):
        _, y = at(first, tick)
        lines.append(f'<text x="{left - 6:g}" y="{y + 4:.1f}" text-anchor="end">{tick:.3g}</text>')
    for x, value, low, high in points:
        across_px, value_px = at(x, value)
        lines += [
            f'<path d="M{across_px:.1f} {at(x, low)[1]:.1f}V{at(x, high)[1]:.1f}" stroke="#999" stroke-width="6"/>',
            f'<circle cx="{across_px:.1f}" cy="{value_px:.1f}" r="4.5" fill="#c60"/>',
            f'<text x="{across_px:.1f}" y="{floor + 16:g}" text-anchor="middle">{x:g}</text>',
        ]
    return "\n".join([*lines, "</svg>\n"])


def _ticks(most: float, decades: int) -> list[float]:
    """Where the vertical axis has its numbers: at powers of ten, or at most six of them evenly from 0."""
    if decades:
        return [10.0**-power for power in range(decades + 1)]
    step = next(step for step in _STEPS if most <= 5 * step)
    return [number * step for number in range(int(most / step) + 1)]
