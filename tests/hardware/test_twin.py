import json
import math
import sqlite3
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from firmware.dimensions import sizes
from firmware.simulated import Draws

pytest.importorskip("mujoco", reason="the twin's physics are not installed")

from hardware.twin.report import measured, memory, table
from hardware.twin.study import FOLDER, STUDIES, Study, carry_out, write
from hardware.twin.throws import CHAIN, Unknown, build, throws
from hardware.twin.tower import TwinTower
from hardware.twin.truth import judged
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
    assert pairs(lying, 16.0, 220.0) == {"touching": 2, "stacked": 1, "leaning": 1, "at_wall": 0}
    assert pairs(lying, 16.0, 140.0)["at_wall"] == 1


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


def test_a_study_becomes_a_table_and_a_plot_and_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    few = Study("Few dice?", ({"dice": 1.0}, {"dice": 2.0, "swing_deg": 0.0}, {"dice": 2.0}), "dice", 10, "bad")
    monkeypatch.setitem(STUDIES, "few", few)
    assert list(carry_out(few, 7, 1, tmp_path / "series")) == [1, 2, 3]
    made = write("few", tmp_path / "series", tmp_path / "out").read_text()
    assert [line.split(" | ")[0] for line in made.splitlines() if line.startswith("| dice")] == [
        "| dice 1",
        "| dice 2, swing_deg 0",
        "| dice 2",
    ]
    # Only what is changed in nothing else is plotted.
    assert (tmp_path / "out" / "few.svg").read_text().count("<circle") == 2
    assert list(carry_out(few, 7, 1, tmp_path / "series")) == []
    assert measured(tmp_path / "series" / "dice-1.jsonl").leaning[2] > 0.7


def test_the_studies_that_are_kept_are_those_that_are_asked() -> None:
    assert {path.stem for path in FOLDER.glob("*.md")} == set(STUDIES)
    for name, study in STUDIES.items():
        text = (FOLDER / f"{name}.md").read_text("utf-8")
        assert text.startswith(f"# {study.question}")
        assert "| as shipped | " in text


def logged(folder: Path, events: list[dict[str, object]]) -> Path:
    with sqlite3.connect(folder / "cornet.db") as log:
        log.execute("CREATE TABLE events (seq INTEGER PRIMARY KEY, body TEXT, hash TEXT)")
        log.executemany("INSERT INTO events (body, hash) VALUES (?, '')", [(json.dumps(event),) for event in events])
    return folder


def test_what_was_read_is_held_to_what_the_dice_showed(tmp_path: Path) -> None:
    tower = TwinTower("5", 2, 1.0)
    faces = []
    for _ in range(3):
        tower.tumble()
        faces.append([die.face for die in tower.lying])
    wrong = [face % 6 + 1 for face in faces[1] if face]
    trials = [[{"face": face} for face in dice] for dice in (faces[0][::-1], wrong)]
    events: list[dict[str, object]] = [
        {"kind": "boot", "dice": 2, "turns": 1.0},
        {"kind": "trial", "dice": trials[0]},
        {"kind": "trial", "dice": trials[1]},
        {"kind": "refused", "verdict": "cocked", "dice": []},
    ]
    assert list(judged(logged(tmp_path, events), "5")) == ["read", "silent", "refused cocked"]
