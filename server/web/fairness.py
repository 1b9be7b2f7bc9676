"""The page of the dice's fairness: in words that a guest understands, as plots, and as a table."""

import csv
import io
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from flask import Blueprint, Response, jsonify, render_template

from calibration.evidence import ALARM, fit
from calibration.fairness import ASIDE, alarms, band, memory_of
from server.web.handed import handed
from server.web.languages import figure
from server.web.openapi import ANYBODY, operation

STYLE = Path(__file__).parent / "static" / "fairness.css"
WIDE, HIGH, LEFT, FOOT, TOP = 640, 240, 80, 24, 16
"""Of a plot, in its own units: the whole of it, and what the numbers beside, below and above take up."""
_DECADES = (-3, 3)
"""Of the evidence that a plot shows; what is beyond is drawn at the edge."""

_READING = "The log is long and still being read; ask again."

fairness = Blueprint("fairness", __name__)


@fairness.get("/fairness")
def page() -> str:
    """Whether the dice are fair, for guests."""
    return render_template("fairness.html", **view(handed().evenings.told()))


@fairness.get("/fairness.csv")
@operation(ANYBODY, {200: "The counts, a line for each set of dice.", 503: _READING}, gives="text/csv")
def table() -> Response:
    """The counts as a table for other programs."""
    response = Response(as_csv(handed().evenings.told()), mimetype="text/csv")
    response.headers["Content-Disposition"] = "attachment; filename=fairness.csv"
    return response


@fairness.get("/api/fairness")
@operation(ANYBODY, {200: "The evidence so far.", 503: _READING}, gives={"type": "object"})
def program() -> Response:
    """The evidence as `cornet fairness --json` prints it."""
    return jsonify(handed().evenings.told())


@fairness.app_template_filter("chips")
def chips(value: float) -> str:
    """An evidence as people say it: two digits, and no more than a million."""
    if value >= 1e6:
        return f">\u202f{figure(1_000_000)}"
    if value < 0.01:
        return f"<\u202f{figure(0.01, '')}"
    return figure(value, ".3g" if value < 1000 else ",.0f")


def view(told: dict[str, Any]) -> dict[str, Any]:
    """What the page's template is given of what `as_json` tells."""
    now = told["current"]
    return {
        "told": told,
        "now": now,
        "alarms": alarms(now),
        "limit": round(ALARM),
        "die_limit": round(ASIDE) * len(now["per_die"]),
        "memory": memory_of(now),
        "memory_limit": round(ASIDE),
        "share": bars(now["faces"]),
        "path": curve(now["curve"]),
        "wide": WIDE,
        "high": HIGH,
        "left": LEFT,
    }


def bars(faces: Sequence[int]) -> dict[str, Any]:
    """The plot of the faces' shares: a bar for each, and the band in which 95 of 100 fair dice would have it."""
    dice = sum(faces)
    low, high = band(dice)
    shares = [count / dice if dice else 0.0 for count in faces]
    top = max(*shares, high, 0.25)

    def y(share: float) -> float:
        return round(TOP + (HIGH - FOOT - TOP) * (1 - share / top), 1)

    step = (WIDE - LEFT) / 6
    return {
        "bars": [
            {
                "face": face + 1,
                "count": faces[face],
                "share": shares[face],
                "inside": low <= shares[face] <= high,
                "x": round(LEFT + step * (face + 0.2), 1),
                "middle": round(LEFT + step * (face + 0.5), 1),
                "y": y(shares[face]),
                "width": round(step * 0.6, 1),
                "height": round(HIGH - FOOT - y(shares[face]), 1),
            }
            for face in range(6)
        ],
        "low": low,
        "high": high,
        "band_y": y(high),
        "band_height": round(y(low) - y(high), 1),
        "fair": 1 / 6,
        "fair_y": y(1 / 6),
    }


def curve(points: Sequence[Sequence[float]]) -> dict[str, Any]:
    """The plot of the evidence, from its first dice to now: 1 is nothing, below it speaks for the dice."""
    low, high = _DECADES
    most = max((dice for dice, _ in points), default=0) or 1

    def place(dice: float, value: float) -> str:
        power = min(max(math.log10(max(value, 1e-300)), low), high)
        return f"{LEFT + (WIDE - LEFT) * dice / most:.1f},{y(power):.1f}"

    def y(power: float) -> float:
        return round(TOP + (HIGH - FOOT - TOP) * (high - power) / (high - low), 1)

    return {
        "line": " ".join(place(dice, value) for dice, value in points),
        "dice": most,
        "one_y": y(0),
        "alarm_y": y(math.log10(ALARM)),
        "marks": [{"y": y(power), "value": 10.0**power} for power in range(low, high + 1)],
    }


def as_csv(found: dict[str, Any]) -> str:
    """The counts and the evidence: the set in use, each set, all time; a line for each and for its dice with names."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    names = [
        "throws",
        "dice",
        "chi2",
        "df",
        "p",
        "g",
        "p_g",
        "chi2_axes",
        "p_axes",
        "evidence_faces",
        "evidence_axes",
        "evidence",
    ]
    writer.writerow(["of", *(f"face_{face}" for face in range(1, 7)), *names])
    rows = {"current": found["current"], **{f"set {name}": each for name, each in found["sets"].items()}}
    for name, told in {**rows, "all time": found["all_time"]}.items():
        writer.writerow([name, *told["faces"], *(told[column] for column in names)])
        for die, one in told["per_die"].items():
            throws = {"throws": one["dice"], **one, "g": fit(one["faces"]).g, "p_g": fit(one["faces"]).p_g}
            writer.writerow([f"{name}, die {die}", *one["faces"], *(throws[column] for column in names)])
    return out.getvalue()
