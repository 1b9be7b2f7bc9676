from collections import Counter

import pytest

pytest.importorskip("build123d", reason="the modelling program is not installed (make hardware)")

from hardware.cad.assembly import MADE, checks, machine
from hardware.cad.geometry import SHIPPED


def broken(**changes: float) -> set[str]:
    sizes = {**SHIPPED, **changes}
    return {check.rule for check in checks(machine(sizes), sizes) if not check.holds}


def test_the_whole_machine_fits_together() -> None:
    parts = machine()
    assert [check for check in checks(parts) if not check.holds] == []
    placed = Counter(one.name for one in parts)
    assert {name: placed[name] for name in MADE} == {name: made.number for name, made in MADE.items()}


@pytest.mark.parametrize(
    ("changes", "rule"),
    [
        ({"margin_mm": 12.0}, "parts that cut into one another"),
        ({"ring_mm": 215.0}, "parts that stand in the way of what turns"),
        ({"ring_radius_mm": 22.0}, "parts that hide some of the floor from the lens"),
    ],
)
def test_a_size_that_does_not_fit_is_seen_on_the_whole(changes: dict[str, float], rule: str) -> None:
    assert rule in broken(**changes)
