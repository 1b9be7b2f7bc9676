"""The simulated tower: fair, repeatable, and wrong on request."""

import math
from itertools import combinations

import pytest

from firmware.dimensions import size
from firmware.simulated import FAULTS, Lying, SimulatedTower
from firmware.tower import (
    Interrupted,
    Jammed,
    LidOpen,
    MotorOvertime,
    NotHomed,
    NoTower,
    Overheated,
    Stopped,
    Tower,
    TowerFault,
    Undervoltage,
)

FLOOR_MM, SIDE_MM = size("floor_diameter_mm"), size("die_side_mm")
RAISED: dict[str, type[TowerFault]] = {
    "jam": Jammed,
    "unhomed": NotHomed,
    "overtime": MotorOvertime,
    "lid": LidOpen,
    "stop": Stopped,
    "undervoltage": Undervoltage,
    "hot": Overheated,
}


def up(die: Lying) -> int:
    """The face that looks up, worked out from the rotation alone."""
    axes = {1: (0, 0, 1), 6: (0, 0, -1), 2: (0, 1, 0), 5: (0, -1, 0), 4: (1, 0, 0), 3: (-1, 0, 0)}
    height = {face: sum(die.rotation[2][i] * axis[i] for i in range(3)) for face, axis in axes.items()}
    return max(height, key=lambda face: height[face])


def corners(die: Lying) -> list[tuple[float, float]]:
    half = SIDE_MM / 2
    return [
        (
            die.x_mm + sum(die.rotation[0][i] * c[i] for i in range(3)),
            die.y_mm + sum(die.rotation[1][i] * c[i] for i in range(3)),
        )
        for c in [(x, y, z) for x in (-half, half) for y in (-half, half) for z in (-half, half)]
    ]


def inside(point: tuple[float, float], die: Lying) -> bool:
    away = (point[0] - die.x_mm, point[1] - die.y_mm)
    local = [die.rotation[0][i] * away[0] + die.rotation[1][i] * away[1] for i in range(3)]
    return all(abs(value) < SIDE_MM / 2 - 1e-6 for value in local)


def test_a_tower_is_a_tower() -> None:
    tower: Tower = SimulatedTower("7")
    tower.tumble()
    tower.stop()
    with pytest.raises(Interrupted):
        tower.tumble()
    tower.ready()
    tower.tumble()
    tower.close()
    tower.close()
    with pytest.raises(Interrupted):
        tower.tumble()


def test_the_same_seed_throws_the_same_dice() -> None:
    one, same, other = SimulatedTower("7"), SimulatedTower("7"), SimulatedTower("8")
    for tower in (one, same, other):
        tower.tumble()
    assert one.lying == same.lying
    assert one.lying != other.lying


def test_each_tumble_is_another() -> None:
    tower = SimulatedTower("7")
    seen = set()
    for _ in range(20):
        tower.tumble()
        seen.add(tower.lying)
    assert len(seen) == 20


def test_a_tower_that_resumes_does_not_repeat_itself() -> None:
    tower, again = SimulatedTower("7"), SimulatedTower("7")
    again.resume(2)
    thrown = []
    for _ in range(3):
        tower.tumble()
        thrown.append(tower.lying)
    again.tumble()
    assert again.lying == thrown[2]


def test_dice_lie_flat_on_the_floor_and_on_none_of_the_others() -> None:
    tower = SimulatedTower("places")
    for _ in range(50):
        tower.tumble()
        assert len(tower.lying) == 10
        for die in tower.lying:
            assert die.face == up(die)
            assert die.z_mm == SIDE_MM / 2
            assert max(math.hypot(*corner) for corner in corners(die)) < FLOOR_MM / 2
        for one, other in combinations(tower.lying, 2):
            assert not any(inside(corner, other) for corner in corners(one))
            assert not inside((one.x_mm, one.y_mm), other)


@pytest.mark.parametrize("fault", sorted(set(FAULTS) - {"hang", "kill"}))
def test_a_scripted_fault_happens_at_its_tumble_and_only_there(fault: str) -> None:
    tower, well = SimulatedTower("7", faults={2: fault}), SimulatedTower("7")
    for number in (1, 2, 3):
        before = tower.lying
        well.tumble()
        if fault in RAISED and number == 2:
            with pytest.raises(RAISED[fault], match="clear the fault"):
                tower.tumble()
            tower.release()
            continue
        tower.tumble()
        if number != 2:
            assert tower.lying == well.lying
            continue
        assert (tower.lying == before) == (fault == "still")
        assert len(tower.lying) == {"missing": 9, "extra": 11}.get(fault, 10)
        assert [die.face for die in tower.lying].count(None) == (1 if fault == "cocked" else 0)
        assert sum(die.z_mm > SIDE_MM for die in tower.lying) == (1 if fault == "stacked" else 0)


def test_every_fault_of_a_tower_can_be_scripted() -> None:
    assert set(RAISED.values()) == set(TowerFault.__subclasses__()) - {NoTower}


@pytest.mark.parametrize("fault", ["lid", "stop"])
def test_an_open_switch_stays_open_until_it_is_released(fault: str) -> None:
    tower = SimulatedTower("7", faults={1: fault})
    assert tower.trouble() is None
    for _ in range(2):
        with pytest.raises(RAISED[fault]):
            tower.tumble()
        assert isinstance(tower.trouble(), RAISED[fault])
    tower.release()
    assert tower.trouble() is None
    tower.tumble()


def test_an_unknown_fault_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match=r'no fault "fire"; it knows jam'):
        SimulatedTower("7", faults={1: "fire"})


def test_a_closed_tower_does_not_tumble() -> None:
    tower = SimulatedTower("7")
    tower.close()
    with pytest.raises(Interrupted):
        tower.tumble()


def test_too_many_dice_for_the_floor_are_refused() -> None:
    with pytest.raises(ValueError, match="no room"):
        SimulatedTower("7", dice=200)
