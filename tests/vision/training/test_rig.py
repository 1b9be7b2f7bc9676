import numpy as np
import pytest

pytest.importorskip("mitsuba", reason='the extra "training" is not installed')

from firmware.dimensions import size
from vision.training.rig import RIG_PX, RIGS, draw_rig
from vision.training.scenes import DIE, FOREIGN, IGNORED, MASK_PX, Scene

SEED = 7


@pytest.fixture(scope="module")
def scenes() -> list[Scene]:
    return [draw_rig(SEED, number) for number in range(64, 72)]


def test_the_machine_is_one_of_the_cones_that_are_drawn() -> None:
    for name, (least, most) in RIGS.items():
        assert least <= size(name) <= most, name


def test_a_scene_in_the_machine_follows_from_its_seed_and_number(scenes: list[Scene]) -> None:
    again = draw_rig(SEED, 66)
    assert np.array_equal(again.picture, scenes[2].picture)
    assert again.things.tobytes() == scenes[2].things.tobytes()


def test_a_scene_in_the_machine_says_what_it_shows(scenes: list[Scene]) -> None:
    found = np.concatenate([scene.things for scene in scenes])
    dice = found[found["kind"] == DIE]
    assert set(dice["face"].tolist()) == {1, 2, 3, 4, 5, 6}
    assert (dice["lean"] == 1).any()
    assert (dice["lean"] == 0).sum() > 10
    assert (dice["stacked"] == 1).any()
    assert np.isfinite([dice[name] for name in ("nx", "ny", "askew")]).all()
    for scene in scenes:
        assert scene.picture.shape == (RIG_PX, RIG_PX, 3)
        assert scene.hidden.shape == (RIG_PX // MASK_PX, RIG_PX // MASK_PX)
        assert set(scene.things["kind"].tolist()) <= {DIE, FOREIGN, IGNORED}


def test_the_dice_are_where_their_labels_are_and_show_their_number_of_pips(scenes: list[Scene]) -> None:
    """A 1 has a mark in its middle that a 2 and a 4 do not have."""
    marks: dict[int, list[float]] = {1: [], 2: [], 4: []}
    for scene in scenes:
        for one in scene.things[(scene.things["kind"] == DIE) & (scene.things["lean"] == 0)]:
            x, y, side = int(one["x"]), int(one["y"]), float(one["side"])
            near, wide = max(int(0.04 * side), 1), int(0.14 * side) + 1
            face = scene.picture.astype(float).mean(axis=2)
            middle = face[y - near : y + near + 1, x - near : x + near + 1].mean()
            ring = face[y - wide, x], face[y + wide, x], face[y, x - wide], face[y, x + wide]
            if one["face"] in marks and not one["stacked"]:
                marks[int(one["face"])].append(abs(middle - float(np.median(ring))))
    assert np.median(marks[1]) > 2 * max(np.median(marks[2]), np.median(marks[4]))
