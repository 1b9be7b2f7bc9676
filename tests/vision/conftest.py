import copy
import math
import os
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from firmware.dimensions import size
from firmware.simulated import SimulatedTower
from tests.vision.thrown import COUNT
from vision.die_shape import FACE_AXES
from vision.network import Sight
from vision.reader import _look, _views
from vision.reading import Verdict
from vision.rendered import LyingDie, Rotation, Stage, render
from vision.rig import Rig
from vision.verdicts import judge
from vision.views import View

Lay = Callable[..., LyingDie]
TURNS = (0.0, 37.0, 74.0, 111.0, 0.0, 185.0)
_UP: dict[int, Rotation] = {
    1: ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    2: ((1, 0, 0), (0, 0, -1), (0, 1, 0)),
    4: ((0, 0, -1), (0, 1, 0), (1, 0, 0)),
    3: ((0, 0, 1), (0, 1, 0), (-1, 0, 0)),
    5: ((1, 0, 0), (0, 0, 1), (0, -1, 0)),
    6: ((1, 0, 0), (0, -1, 0), (0, 0, -1)),
}


class TopFace(NamedTuple):
    """What there is to read of a die in a picture."""

    face: int  # the one that looks up most
    x_px: float  # its centre
    y_px: float
    side_px: float  # of a level face at that height


def top_face(stage: Stage, die: LyingDie) -> TopFace:
    """Which face of a die looks up, and where it is in the picture."""
    turn = np.array(die.rotation)
    face = max(FACE_AXES, key=lambda face: float(turn[2] @ FACE_AXES[face]))
    half = die.side_mm / 2
    middle = np.array([die.x_mm, die.y_mm, die.z_mm]) + turn @ FACE_AXES[face] * half
    (x_px, y_px), (left_px, _), (right_px, _) = stage.pixels(
        middle + np.array([[0, 0, 0], [-half, 0, 0], [half, 0, 0]])
    )
    return TopFace(face, float(x_px), float(y_px), float(right_px - left_px))


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


@pytest.fixture(scope="session")
def sight() -> Sight:
    """A throw of the simulated tower, as the networks see it."""
    tower = SimulatedTower("a")
    tower.tumble()
    dice = [LyingDie(die.x_mm, die.y_mm, die.z_mm, die.rotation) for die in tower.lying]
    return _look(render(dice, "ivory", Stage(np.random.default_rng(1), Rig.of(size))))


@pytest.fixture(scope="session")
def views(sight: Sight) -> list[View]:
    """Its dice."""
    found = _views(sight, list(sight.dice[:COUNT]))
    assert judge(sight, found, COUNT)[0] is Verdict.OK
    return found


@pytest.fixture(scope="session")
def laid_floor() -> Stage:
    return Stage(np.random.default_rng(1), Rig.of(size))


@pytest.fixture
def floor(laid_floor: Stage) -> Stage:
    """The machine's, whose noise does not depend on the tests before."""
    return copy.deepcopy(laid_floor)


@pytest.fixture(scope="session")
def laid_table() -> Stage:
    return Stage(np.random.default_rng(3), Rig.of(size), size_px=(1014, 760))


@pytest.fixture
def table(laid_table: Stage) -> Stage:
    """A smaller picture of it, likewise."""
    return copy.deepcopy(laid_table)


@pytest.fixture
def six(lay: Callable[..., LyingDie]) -> list[LyingDie]:
    """One die of each face, in two rows."""
    places = [(-50.0 + 50.0 * (number % 3), -25.0 + 50.0 * (number // 3)) for number in range(6)]
    return [lay(face, *place, turn) for face, place, turn in zip((1, 2, 3, 5, 6, 4), places, TURNS, strict=True)]
