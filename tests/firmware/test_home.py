"""The home mark: never seen, gone, slipped, and noise on its line."""

import pytest

from firmware.tower import NotHomed
from tests.firmware.conftest import MakeTower
from tests.firmware.model import STAGES, stages


def test_a_home_mark_that_is_never_seen_is_a_fault_within_a_turn_and_a_half(make_tower: MakeTower) -> None:
    model, tower = make_tower(home_works=False)
    with pytest.raises(NotHomed, match="home mark was not seen"):
        tower.tumble()
    assert abs(model.angle_deg - model.start_deg) <= 540 + 45  # coasting
    assert model.low


@pytest.mark.parametrize("stage", STAGES[:4])
def test_a_home_mark_that_goes_is_a_fault(make_tower: MakeTower, stage: str) -> None:
    model, tower = make_tower()
    model.at(stages("7")[stage], lambda: setattr(model, "home_works", False))
    with pytest.raises(NotHomed):
        tower.tumble()
    assert model.low


def test_a_cone_that_slips_on_its_axle_is_a_fault(make_tower: MakeTower) -> None:
    model, tower = make_tower()
    tower.tumble()
    slips = 0

    def slip() -> bool:
        nonlocal slips
        if model.drive()[1] and model.samples[-1].duty:
            # Further each time, so that what was learnt of the last time does not help.
            slips += 1
            model.angle_deg += 10.0 * slips
        return False

    model.when(slip, lambda: None)
    with pytest.raises(NotHomed, match="floor level"):
        tower.tumble()
    assert slips == 3
    assert model.low
    # After the last it stays where it is.
    assert model.samples[-1].duty >= 0
    assert [sample.duty for sample in model.samples if sample.duty][-1] > 0


@pytest.mark.parametrize("stage", STAGES[:-1])
@pytest.mark.parametrize("late_s", [-0.06, -0.02, 0.02, 0.06])
def test_noise_on_its_line_is_not_taken_for_the_mark(make_tower: MakeTower, stage: str, late_s: float) -> None:
    model, tower = make_tower()
    model.at(stages("7")[stage] + late_s, lambda: model.set("home", False))  # until the model's next tick
    tower.tumble()
    # Noise within ten degrees of the mark cannot be told from it.
    assert abs(model.off_level_deg) <= 10
