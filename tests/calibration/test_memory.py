"""The memory of dice that cannot be told apart: its evidence is fair to fair dice, by counting every outcome."""

import math
from itertools import product
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibration.evidence import ALARM, CAP, Repeats
from calibration.memory import SHARES, Memory, sticking

COUNTS = st.lists(st.integers(0, 4), min_size=6, max_size=6)


def counted(faces: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(faces.count(face) for face in range(6))


@pytest.mark.parametrize("before", [(2, 0, 0, 0, 0, 0), (1, 1, 0, 0, 1, 0)])
def test_the_chip_keeps_its_worth_on_the_mean(before: tuple[int, ...]) -> None:
    worth = []
    for faces in product(range(6), repeat=3):
        memory = Memory()
        memory.add(before)
        memory.add(counted(faces))
        worth.append(memory.evidence)
    assert math.fsum(worth) / len(worth) == pytest.approx(1, rel=1e-12)


@given(st.integers(0, 10_000), st.integers(0, 10_000))
def test_the_chip_on_dice_with_names_keeps_its_worth_on_the_mean(equal: int, others: int) -> None:
    again, other = Repeats(equal + others + 1, equal + 1, 0.0, 0.0), Repeats(equal + others + 1, equal, 0.0, 0.0)
    now = sticking(Repeats(equal + others, equal, 0.0, 0.0))
    if sticking(again) < CAP:
        assert sticking(again) / 6 + 5 * sticking(other) / 6 == pytest.approx(now, rel=1e-9)
    assert sticking(again) >= sticking(other)


@given(st.lists(COUNTS, max_size=8))
def test_whatever_was_thrown_it_says_something(throws: list[list[int]]) -> None:
    memory = Memory()
    for counts in throws:
        memory.add(counts)
    told = memory.repeats()
    assert 0 <= memory.evidence <= CAP
    assert math.isfinite(told.z)
    assert 0 <= told.p <= 1


def test_fair_dice_are_seldom_accused() -> None:
    accused, chance = 0, Random(5)
    for _ in range(100):
        memory = Memory()
        for _ in range(200):
            memory.add(counted(tuple(chance.choices(range(6), k=10))))
            if memory.evidence >= ALARM:
                accused += 1
                break
    assert accused <= 4  # 1 is the most to be expected


def test_dice_that_never_move_are_found_at_once() -> None:
    memory = Memory()
    for _ in range(100):
        memory.add((5, 0, 0, 0, 0, 5))
    assert memory.evidence > ALARM
    assert memory.repeats().z == 0  # nothing varies, so that one look has nothing to go by
    assert len(SHARES) == len(memory._logs)
