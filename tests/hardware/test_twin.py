import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from firmware.dimensions import sizes
from firmware.simulated import Draws

pytest.importorskip("mujoco", reason="the twin's physics are not installed")

from hardware.twin.report import memory, table
from hardware.twin.throws import CHAIN, Unknown, build, throws
from hardware.twin.tower import TwinTower
from hardware.twin.world import STEP_S, Rested, Surfaces, World, pairs
from server.parts import WrongParts, choose
from server.settings import read_settings

SHIPPED = {name: size.value for name, size in sizes().items()}


def dropped(step_s: float) -> tuple[list[float], list[Rested]]:
    """The energy of three dice over a second after they were let go above the floor, and how they lie then."""
    world = World({**SHIPPED, "dice": 3}, Surfaces(), 3, step_s)
    for number in range(3):
        world.data.qpos[1 + 7 * number + 2] += 0.03
        way = np.array([0.9, 0.3, 0.1 * number, 0.3])
        world.data.qpos[1 + 7 * number + 3 :][:4] = way / np.linalg.norm(way)
    energies = []
    for _ in range(round(1.2 / step_s)):
        world.turn(0.0, 0.0)
        energies.append(world.energy_j + world.height_j)
    return energies, world.lying()


def test_dice_that_fall_lose_energy_come_to_rest_and_lie_on_the_floor() -> None:
    energies, lying = dropped(STEP_S)
    assert max(energies) <= energies[0] * 1.02
    assert energies[-1] < 0.5 * energies[0]
    for die in lying:
        assert die.tilt_deg < 1
        assert die.centre_mm[2] == pytest.approx(SHIPPED["die_side_mm"] / 2, abs=0.3)


def test_half_the_step_loses_the_energy_alike() -> None:
    ends = [dropped(step_s)[0] for step_s in (STEP_S, STEP_S / 2)]
    first, second = (energies[len(energies) // 4] / energies[0] for energies in ends)
    assert first == pytest.approx(second, abs=0.15)


def test_a_throw_of_the_firmware_ends_level_with_all_dice_in_the_cone() -> None:
    drive = build({"dice": 4.0}, 5)
    before = [die.centre_mm for die in drive.world.lying()]
    drive.throw(Draws(b"5", 1))
    assert abs((drive.angle_deg - drive.settings.park_deg + 180) % 360 - 180) < 4
    lying = drive.world.lying()
    assert [die.centre_mm for die in lying] != before
    for die in lying:
        assert math.hypot(*die.centre_mm[:2]) < SHIPPED["floor_diameter_mm"] / 2
        assert 0 < die.centre_mm[2] < 2 * SHIPPED["die_side_mm"]
    assert drive.world.warnings == 0


def test_a_series_goes_on_as_if_it_had_never_been_interrupted(tmp_path: Path) -> None:
    changes = {"dice": 2.0, "turns": 1.0, "swing_deg": 0.0}
    whole, cut = tmp_path / "whole", tmp_path / "cut"
    assert list(throws(changes, 7, 3, whole)) == [1, 2, 3]
    assert list(throws(changes, 7, 2, cut)) == [1, 2]
    list(throws(changes, 7, 3, cut))
    assert cut.read_text() == whole.read_text()
    assert CHAIN > 3
    with pytest.raises(Unknown, match="another series"):
        list(throws(changes, 8, 3, cut))
    assert "| dice 2, turns 1, swing_deg 0 | 3 |" in table([whole])
    assert json.loads(whole.read_text().splitlines()[0])["seed"] == 7


def test_a_name_that_means_nothing_is_refused() -> None:
    with pytest.raises(Unknown, match="flor"):
        build({"flor_mm": 1.0}, 1)


def test_memory_is_all_where_faces_stay_and_none_where_they_are_shuffled() -> None:
    faces = np.tile(np.arange(6), 600)
    assert memory(faces, faces) == pytest.approx(math.log2(6))
    assert memory(faces, np.repeat(np.arange(6), 600)) == pytest.approx(0)


def test_dice_that_lean_touch_or_lie_on_others_are_counted() -> None:
    upright = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    lying = [
        Rested(1, 0.1, (0.0, 0.0, 8.0), upright),
        Rested(2, 0.1, (16.5, 0.0, 8.0), upright),
        Rested(3, 20.0, (60.0, 0.0, 9.0), upright),
        Rested(4, 0.1, (2.0, 60.0, 24.0), upright),
    ]
    assert pairs(lying, 16.0) == {"touching": 2, "stacked": 1, "leaning": 1}


def test_the_twin_throws_for_the_whole_program_and_promises_no_seed() -> None:
    settings = replace(read_settings(None), dice=3)
    parts = choose("twin", "none", 1, settings)
    assert parts.about["tower"] == "twin"
    assert parts.about["simulated"]
    assert parts.deal is None
    assert isinstance(parts.tower, TwinTower)
    assert len(parts.tower.lying) == 3
    with pytest.raises(WrongParts, match="live camera"):
        choose("twin", "usb", 1, settings)


def test_the_twin_stands_behind_the_seam_of_a_tower() -> None:
    one, other = TwinTower("seed", 2, 1.5), TwinTower("seed", 2, 1.5)
    first = one.lying
    one.tumble()
    other.tumble()
    assert one.lying == other.lying != first
    assert one.trouble() is None
    assert all(die.face in {None, 1, 2, 3, 4, 5, 6} for die in one.lying)
