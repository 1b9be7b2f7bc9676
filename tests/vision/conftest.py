import math
import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from vision.rendered import LyingDie, Rotation

Lay = Callable[..., LyingDie]
_UP: dict[int, Rotation] = {
    1: ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    2: ((1, 0, 0), (0, 0, -1), (0, 1, 0)),
    4: ((0, 0, -1), (0, 1, 0), (1, 0, 0)),
    3: ((0, 0, 1), (0, 1, 0), (-1, 0, 0)),
    5: ((1, 0, 0), (0, 0, 1), (0, -1, 0)),
    6: ((1, 0, 0), (0, -1, 0), (0, 0, -1)),
}


@pytest.fixture(scope="session")
def lay() -> Lay:
    """A die of 16 mm with a face upwards where it is told, turned about the vertical after it has been tipped."""

    def lay(
        face: int, x_mm: float = 0.0, y_mm: float = 0.0, turn_deg: float = 0.0, z_mm: float = 8.0, lean_deg: float = 0.0
    ) -> LyingDie:
        (cos, sin), (up, over) = (
            (math.cos(math.radians(angle)), math.sin(math.radians(angle))) for angle in (turn_deg, lean_deg)
        )
        turned = np.array([[cos, -sin, 0], [sin, cos, 0], [0, 0, 1]])
        tipped = np.array([[1, 0, 0], [0, up, -over], [0, over, up]])
        first, second, third = (turned @ tipped @ np.array(_UP[face])).tolist()
        return LyingDie(x_mm, y_mm, z_mm, (tuple(first), tuple(second), tuple(third)))

    return lay


@pytest.fixture(scope="session")
def recordings() -> Path:
    """The folder of labelled photographs, which is not part of the project."""
    given = os.environ.get("CORNET_RECORDINGS")
    folder = Path(given) if given else Path(__file__).parents[3] / "shared" / "recordings"
    if not (folder / "real" / "labels.json").is_file():
        pytest.skip(f"no labelled photographs in {folder}: set CORNET_RECORDINGS to their folder")
    return folder
