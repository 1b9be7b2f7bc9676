import numpy as np
import pytest

pytest.importorskip("mitsuba", reason='the extra "training" is not installed')

from vision.training.looks import NONE
from vision.training.scenes import DIE, FOREIGN, IGNORED, MASK_PX, Scene
from vision.training.traced import TRACED_PX, draw_traced


@pytest.fixture(scope="module")
def scene() -> Scene:
    return draw_traced(5, 1, paths=1)


def test_a_traced_scene_says_what_it_shows(scene: Scene) -> None:
    assert scene.picture.shape == (TRACED_PX, TRACED_PX, 3)
    assert scene.hidden.shape == (TRACED_PX // MASK_PX, TRACED_PX // MASK_PX)
    assert set(scene.things["kind"].tolist()) <= {DIE, FOREIGN, IGNORED}
    dice = scene.things[scene.things["kind"] == DIE]
    assert len(dice) > 2
    assert set(dice["face"].tolist()) <= {*range(1, 7), NONE, 0}
    assert np.isfinite(dice["nx"]).all()
    ground = np.median(scene.picture.reshape(-1, 3), axis=0)
    for one in dice:
        x, y, reach = int(one["x"]), int(one["y"]), int(one["side"] / 3)
        face = scene.picture[y - reach : y + reach, x - reach : x + reach].reshape(-1, 3)
        assert np.abs(np.median(face, axis=0) - ground).max() > 10
