import numpy as np
import pytest

from vision.annotate import annotate
from vision.reading import Die, Reading, Verdict


@pytest.mark.parametrize("verdict", [Verdict.OK, Verdict.UNSURE])
def test_what_was_read_can_be_told_from_a_ground_of_any_colour(verdict: Verdict) -> None:
    reading = Reading(verdict, "One die.", 1, (Die(4, 250.0, 200.0, (220, 170, 60, 60), 0.99),))
    written = annotate(np.zeros((400, 500, 3), np.uint8), reading)
    colour = tuple(int(level) for level in written.reshape(-1, 3)[written.max(axis=2).argmax()])
    shown = annotate(np.full((400, 500, 3), colour, np.uint8), reading)
    for part in (shown[:40, :200], shown[140:170, 215:245]):
        assert part.max(axis=2).min() < 60


def test_what_is_amiss_has_a_thicker_box() -> None:
    dice = tuple(Die(4, x_px + 30.0, 200.0, (x_px, 170, 60, 60), 0.9) for x_px in (100, 300))
    shown = annotate(np.zeros((400, 500, 3), np.uint8), Reading(Verdict.COCKED, "A die leans.", 2, dice, amiss=(1,)))
    fair, amiss = (int((shown[200, x_px - 20 : x_px + 30].max(axis=1) > 0).sum()) for x_px in (100, 300))
    assert amiss > 2 * fair > 0
