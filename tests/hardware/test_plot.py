import math
import re

import pytest

from hardware.twin.plot import Point, plot

HIGH = 300


def numbers(drawing: str) -> dict[str, float]:
    """What stands beside the vertical axis, and how far from the top."""
    found = re.findall(r'y="([\d.-]+)" text-anchor="end">([^<]+)<', drawing)
    return {text: float(y) for y, text in found}


@pytest.mark.parametrize(("most", "said"), [(0.04, "0 0.01 0.02 0.03 0.04"), (1.0, "0 0.5 1")])
def test_shares_stand_beside_round_numbers(most: float, said: str) -> None:
    assert " ".join(numbers(plot([(1, most, 0, most)], "across", "up"))) == said


def test_a_point_is_as_high_as_its_number() -> None:
    points: list[Point] = [(1, 0.5, 0.5, 0.5), (2, 1.0, 1.0, 1.0)]
    drawing = plot(points, "across", "up")
    heights = [float(y) for y in re.findall(r'cy="([\d.-]+)"', drawing)]
    beside = numbers(drawing)
    assert heights == pytest.approx([beside["0.5"] - 4, beside["1"] - 4])


@pytest.mark.parametrize("bits", [0.0, 0.003, math.log2(6)])
def test_memory_is_within_the_picture_from_none_to_all(bits: float) -> None:
    drawing = plot([(0.05, bits, 0.0, bits)], "turns", "memory, bits", 5)
    (height,) = (float(y) for y in re.findall(r'cy="([\d.-]+)"', drawing))
    assert 0 < height < HIGH
    assert list(numbers(drawing)) == ["1", "0.1", "0.01", "0.001", "0.0001", "1e-05"]
