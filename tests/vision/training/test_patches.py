import numpy as np
import pytest

from vision.training.looks import NONE
from vision.training.patches import PATCH_PX, PATCH_SIDES, Patches, joined, lots, patches
from vision.training.scenes import DIE, FOREIGN, IGNORED, THING, UNKNOWN, Scene, draw_scene

SEED = 5


@pytest.fixture(scope="module")
def drawn() -> Patches:
    return patches(SEED, [draw_scene(SEED, number) for number in range(12)], 2, drawn=True)


def row(kind: int, face: int, side: float, lean: int = 0, glare: int = 0) -> tuple[float, ...]:
    return (kind, face, 100.0, 60.0, side, lean, 0, 0, glare, *UNKNOWN)


def scene(*rows: tuple[float, ...]) -> Scene:
    picture = np.zeros((200, 200, 3), np.uint8)
    picture[40:81, 80:121] = 255  # around 100, 60
    return Scene(picture, np.array(list(rows), THING), np.zeros((25, 25), np.uint8))


def test_patches_follow_from_the_seed_and_the_scenes(drawn: Patches) -> None:
    again = patches(SEED, [draw_scene(SEED, number) for number in range(12)], 2, drawn=True)
    assert np.array_equal(again.pictures, drawn.pictures)
    assert again.labels.tobytes() == drawn.labels.tobytes()


def test_a_patch_shows_a_die_in_its_middle_so_many_of_its_sides_wide() -> None:
    one = patches(SEED, [scene(row(DIE, 4, 41.0))], 0, drawn=False)
    assert one.pictures.shape == (1, PATCH_PX, PATCH_PX, 3)
    white = one.pictures[0, :, :, 0] > 127
    side = PATCH_PX / PATCH_SIDES
    assert white.sum() == pytest.approx(side**2, rel=0.05)
    assert np.argwhere(white).mean(axis=0) == pytest.approx([(PATCH_PX - 1) / 2] * 2, abs=0.6)


@pytest.mark.parametrize(
    ("thing", "face"),
    [
        (row(DIE, 4, 41.0), 4),
        (row(DIE, NONE, 41.0), NONE),
        (row(DIE, 4, 41.0, lean=1), 0),
        (row(DIE, 4, 41.0, glare=1), 0),
        (row(FOREIGN, NONE, 41.0), NONE),
    ],
)
def test_what_leans_or_is_burnt_out_is_not_to_be_named(thing: tuple[float, ...], face: int) -> None:
    assert patches(SEED, [scene(thing)], 0, drawn=False).labels["face"].tolist() == [face]


def test_what_cannot_be_seen_gives_no_patch() -> None:
    assert not len(patches(SEED, [scene(row(IGNORED, 4, 41.0), row(DIE, 4, 5.0))], 0, drawn=False).labels)


def test_bare_ground_lies_apart_from_all_things(drawn: Patches) -> None:
    bare = patches(SEED, [scene(row(DIE, 4, 41.0))], 3, drawn=False).labels[1:]
    assert 0 < len(bare) <= 3
    assert set(bare["kind"].tolist()) == {FOREIGN}
    assert set(bare["face"].tolist()) == {NONE}
    assert (np.hypot(bare["x"] - 100, bare["y"] - 60) >= 0.85 * np.maximum(bare["side"], 41)).all()
    assert (drawn.labels["kind"] == FOREIGN).any()


def test_each_source_has_its_share_however_many_patches_it_has() -> None:
    few = patches(SEED, [scene(row(DIE, 4, 41.0))], 0, drawn=False)
    many = joined([few] * 9)
    odds = lots([(0.3, few), (0.7, many)])
    assert odds.sum() == pytest.approx(1)
    assert odds[0] == pytest.approx(0.3)
    assert np.ptp(odds[1:]) == pytest.approx(0)
    assert len(lots([(0.5, few), (0.5, Patches(few.pictures[:0], few.labels[:0]))])) == 1


def test_rare_troubles_are_drawn_more_often_than_they_are(drawn: Patches) -> None:
    rows = [row(DIE, 4, 41.0)] * 9 + [row(DIE, 4, 41.0, glare=1)]
    odds = lots([(1.0, patches(SEED, [scene(one) for one in rows], 0, drawn=False))])
    assert odds[-1] > 1.2 * odds[0]
    assert lots([(1.0, drawn)]).min() >= 0
