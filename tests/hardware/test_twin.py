import json
import math
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from firmware.dimensions import sizes
from firmware.draws import Draws
from firmware.tower import TowerFault

pytest.importorskip("mujoco", reason="the twin's physics are not installed")

from hardware.twin import truth
from hardware.twin.__main__ import main
from hardware.twin.report import measured, memory, table
from hardware.twin.study import FOLDER, STUDIES, Study, carry_out, write
from hardware.twin.throws import CHAIN, Unknown, build, throws
from hardware.twin.tower import TwinTower
from hardware.twin.truth import judged
from hardware.twin.world import STEP_S, Rested, Surfaces, World, pairs
from server.eye import BlindEye, Seen
from server.log import Log
from server.parts import WrongParts, choose
from server.settings import read_settings
from server.throwing import REFUSALS
from tests.server.conftest import tables
from vision.camera import CameraLost
from vision.reading import Verdict

SHIPPED = {name: size.value for name, size in sizes().items()}
DROPPED = 9


def energy_j(world: World) -> float:
    """What the dice have by moving, and would gain by falling to the floor's height."""
    mass_kg, side_m = SHIPPED["die_mass_g"] / 1000, SHIPPED["die_side_mm"] / 1000
    moving = world.data.qvel[1:].reshape(world.dice, 6)
    heights_m = world.data.qpos[1:].reshape(world.dice, 7)[:, 2] + SHIPPED["cone_height_mm"] / 2000
    inertia = mass_kg * side_m**2 / 6
    kinetic_j = 0.5 * mass_kg * (moving[:, :3] ** 2).sum() + 0.5 * inertia * (moving[:, 3:] ** 2).sum()
    return float(kinetic_j + mass_kg * 9.81 * heights_m.sum())


def dropped(step_s: float, seed: int = 3) -> tuple[float, float, list[Rested]]:
    """Let dice fall askew.

    For how long their energy lasts, s; the most that there is of it, beside that of the start; how the dice lie then.
    """
    world = World({**SHIPPED, "dice": DROPPED}, Surfaces(), seed, step_s)
    ways = np.random.default_rng(seed).normal(size=(DROPPED, 4))
    for number, way in enumerate(ways):
        world.data.qpos[1 + 7 * number + 2] += 0.03
        world.data.qpos[1 + 7 * number + 3 :][:4] = way / np.linalg.norm(way)
    energies = []
    for _ in range(round(0.35 / step_s)):
        world.turn(0.0, 0.0)
        energies.append(energy_j(world))
    lying_j = DROPPED * SHIPPED["die_mass_g"] / 1000 * 9.81 * SHIPPED["die_side_mm"] / 2000
    left = (np.array(energies) - lying_j) / (energies[0] - lying_j)
    return float(left.sum() * step_s), float(left.max()), world.lying()


def test_dice_that_fall_gain_no_energy_come_to_rest_and_lie_on_the_floor() -> None:
    _, most, lying = dropped(STEP_S)
    assert most <= 1.001
    for die in lying:
        assert die.tilt_deg < 1
        assert die.centre_mm[2] == pytest.approx(SHIPPED["die_side_mm"] / 2, abs=0.1)


def test_dice_lose_their_energy_alike_with_half_the_step_and_not_with_twice() -> None:
    shipped_s, half_s, twice_s = (
        sum(dropped(step_s, seed)[0] for seed in (1, 2)) for step_s in (STEP_S, STEP_S / 2, 2 * STEP_S)
    )
    assert shipped_s == pytest.approx(half_s, rel=0.05)
    # The measure sees it where a step is too long.
    assert twice_s > 1.5 * half_s


def test_a_solver_that_gives_up_is_noticed() -> None:
    drive = build({"dice": 2.0, "swing_deg": 0.0, "turns": 0.1}, 5)
    assert drive.world.sound
    drive.world.data.qpos[3] -= 0.3
    with pytest.raises(RuntimeError, match="smaller step"):
        drive.throw(Draws(b"5", 1))
    drive.world.lay()
    assert drive.world.sound
    drive.world.data.warning[0].number = 1
    assert not drive.world.sound


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
    assert drive.world.sound
    assert SHIPPED["motor_idle_a"] < drive.highest_a < drive.settings.jam_a


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


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"flor_mm": 1.0}, 'no size, setting or surface "flor_mm"'),
        ({"turns": math.nan}, '"turns" cannot be nan'),
        ({"wall": -0.1}, '"wall" cannot be -0.1'),
        ({"dice": 0.0}, '"dice" cannot be 0'),
        ({"dice": 2.5}, "2.5 dice"),
        ({"dice": 400.0}, "do not lie beside one another"),
    ],
)
def test_a_change_that_means_nothing_is_refused(change: dict[str, float], said: str) -> None:
    with pytest.raises(Unknown, match=said):
        build(change, 1)
    assert build({"dice": 1.0, "skirt_mm": 0.0, "baffles": 0.0}, 1).world.sound


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["throw", "--set", "turns", "--out", "x"], '"turns" is no NAME=NUMBER'),
        (["throw", "--throws", "0", "--out", "x"], '"0" is no number of throws'),
        (["report", "none"], "none cannot be used"),
        (["truth", "none", "--seed", "7"], "none is neither a data directory"),
        (["truth", ".", "--seed", "7"], "There is no log in ."),
        (["truth", "torn?", "--seed", "7"], "cannot be read as a log"),
    ],
)
def test_a_wrong_call_is_told_in_a_sentence(
    words: list[str],
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "torn?").mkdir()
    (tmp_path / "torn?" / "cornet.db").write_bytes(b"no database " * 500)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", ["twin", *words])
    try:
        code: str | int | None = main()
    except SystemExit as end:
        code = end.code
    assert code == 2
    assert said in capsys.readouterr().err


def test_memory_is_all_where_faces_stay_or_turn_over_and_none_where_they_are_shuffled() -> None:
    faces = np.tile(np.arange(6), 600)
    assert memory(faces, faces) == pytest.approx(math.log2(6))
    assert memory(faces, 5 - faces) == pytest.approx(math.log2(6))
    assert memory(faces, np.repeat(np.arange(6), 600)) == pytest.approx(0)


@pytest.mark.parametrize("kept", [0.0, 0.05])
def test_a_twentieth_of_the_dice_that_keep_their_face_is_told_from_chance(tmp_path: Path, kept: float) -> None:
    rng = np.random.default_rng(5)
    before = rng.integers(1, 7, (300, 10))
    after = np.where(rng.random(before.shape) < kept, before, rng.integers(1, 7, before.shape))
    other = {"leaning": 0, "at_wall": 0, "stacked": 0, "touching": 0, "throw_s": 4.5, "rest_s": 0.1}
    lines = [{"before": was.tolist(), "after": now.tolist(), **other} for was, now in zip(before, after, strict=True)]
    file = tmp_path / "series"
    file.write_text("\n".join(json.dumps(line) for line in [{"changes": {}, "seed": 5}, *lines]))
    found = measured(file)
    assert (found.memory_bits > found.chance_bits) == bool(kept)


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


@pytest.mark.parametrize(
    ("fault", "name"), [("jam", "jammed"), ("unhomed", "not-homed"), ("overtime", "motor-overtime")]
)
def test_what_is_wrong_with_the_machine_becomes_the_fault_that_the_firmware_finds(fault: str, name: str) -> None:
    tower = TwinTower("seed", 1, 0.5, faults={1: fault})
    before = tower.lying
    with pytest.raises(TowerFault) as found:
        tower.tumble()
    assert found.value.name == name
    assert tower.lying != before
    tower.tumble()
    assert tower.lying[0].z_mm == pytest.approx(SHIPPED["die_side_mm"] / 2, abs=0.1)


def test_a_fault_that_the_twin_cannot_have_is_refused() -> None:
    with pytest.raises(ValueError, match="knows no fault"):
        TwinTower("seed", 1, 0.5, faults={1: "cocked"})


def test_on_a_dead_floor_that_is_not_rocked_dice_come_to_lie_badly_by_themselves() -> None:
    tower = TwinTower("0", 10, 0.5, changes={"swing_deg": 0.0, "damping": 1.0})
    tower.tumble()
    assert any(die.face is None or die.z_mm > SHIPPED["die_side_mm"] for die in tower.lying)


def test_a_study_becomes_a_table_and_a_plot_and_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    few = Study("Few dice?", ({"dice": 1.0}, {"dice": 2.0, "swing_deg": 0.0}, {"dice": 2.0}), "dice", "bad")
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
    with closing(Log(folder)) as log:
        for event in events:
            log.append(str(event["kind"]), event)
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
        {"kind": "press"},
        {"kind": "trial", "dice": trials[0]},
        {"kind": "press"},
        {"kind": "trial", "dice": trials[1]},
        {"kind": "press"},
        {"kind": "refused", "verdict": "cocked", "dice": []},
    ]
    assert list(judged(logged(tmp_path, events), "5")) == ["read", "silent", "refused cocked"]


class LostAndFound(BlindEye):
    """An eye on dice that lie flat, which misses the first throw and finds the third's askew three times."""

    def __init__(self, tower: TwinTower) -> None:
        super().__init__(lambda: tower.lying, 2)
        self._looks = 0

    def settle(self) -> None:
        self._looks += 1
        if self._looks == 1:
            raise CameraLost("The camera gives no picture.")

    def look(self, settled: None) -> Seen:
        seen = super().look(settled)
        askew = replace(seen.reading, verdict=Verdict.COCKED)
        return replace(seen, reading=askew) if 3 <= self._looks < 3 + REFUSALS else seen


def test_throws_go_on_to_be_held_to_their_dice_after_a_fault_that_was_cleared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A throw that nobody saw, one that was given up as unreadable, one that jammed.
    jammed = partial(TwinTower, faults={6: "jam"})
    monkeypatch.setattr(truth, "TwinTower", jammed)
    tower = jammed("5", 2, 0.1)
    with tables(tmp_path) as make_table:
        table = make_table(tower=tower, eye=LostAndFound(tower), dice=2, turns=0.1)
        number = table.begin_soak({"count": 2}, "console").event
        faults = []
        for _ in range(5):
            table.try_dice(table.ask(lambda standing: standing.soaks[number]), "console")
            if table.fault:
                faults.append(table.fault[0])
                table.clear_fault("console")
    assert faults == ["camera-lost", "unreadable", "jammed"]
    assert list(judged(tmp_path, "5")) == ["read", *["refused cocked"] * 3, "read"]
