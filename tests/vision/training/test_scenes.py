import math
from dataclasses import replace

import numpy as np
import pytest

from vision.network import WIDE_PX
from vision.training.batches import CROP_PX, Sources, crops, tilts
from vision.training.casting import Light, Pose, cast
from vision.training.drawing import SHEET_PX
from vision.training.heaps import heap
from vision.training.looks import NONE, Glass, chance_look
from vision.training.piles import throw
from vision.training.scenes import (
    DIE,
    FOREIGN,
    IGNORED,
    MASK_PX,
    SIZE_PX,
    Scene,
    askew,
    choose_view,
    draw_lying,
    draw_scene,
)

SEED = 5


@pytest.fixture(scope="module")
def scenes() -> list[Scene]:
    return [draw_scene(SEED, number) for number in range(12)]


def test_a_scene_follows_from_its_seed_and_number(scenes: list[Scene]) -> None:
    again = draw_scene(SEED, 3)
    assert np.array_equal(again.picture, scenes[3].picture)
    assert again.things.tobytes() == scenes[3].things.tobytes()
    assert not np.array_equal(again.picture, scenes[4].picture)


def test_labels_stay_within_what_they_may_say(scenes: list[Scene]) -> None:
    for scene in scenes:
        assert scene.picture.shape == (SIZE_PX, SIZE_PX, 3)
        assert scene.hidden.shape == (SIZE_PX // MASK_PX, SIZE_PX // MASK_PX)
        things = scene.things
        assert set(things["kind"].tolist()) <= {DIE, FOREIGN, IGNORED}
        assert set(things["face"].tolist()) <= {1, 2, 3, 4, 5, 6, NONE}
        dice = things[things["kind"] == DIE]
        assert np.isfinite(dice["nx"]).all()
        assert ((dice["x"] > 0) & (dice["x"] < SIZE_PX) & (dice["y"] > 0) & (dice["y"] < SIZE_PX)).all()
        assert (np.hypot(dice["nx"], dice["ny"]) <= 1).all()


def test_pips_of_a_look_are_where_its_faces_say() -> None:
    rng = np.random.default_rng(2)
    for _ in range(40):
        look = chance_look(rng)
        assert look.relief.shape == (6, SHEET_PX, SHEET_PX)
        named = [face for face in look.faces if face != NONE]
        assert len(set(named)) == len(named)
        ink = {face: float(sheet.sum()) for face, sheet in zip(look.faces, look.relief, strict=True)}
        if 2 in ink and 6 in ink:
            assert ink[6] > 1.8 * ink[2]


def test_through_a_clear_body_shine_the_ground_and_the_pips_of_other_sides() -> None:
    rng = np.random.default_rng(3)
    looks = [look for look in (chance_look(rng) for _ in range(80)) if NONE not in look.faces and look.glass]
    view = choose_view(rng, 60.0)
    pose = Pose(np.array([0.0, 0.0, 0.5]), np.eye(3), np.full(3, 0.5))
    light = Light(np.full(3, 0.6, np.float32), np.array([[0.0, 0.0, 1.0]]), np.full((1, 3), 0.3), np.array([0.0, 0, 1]))
    assert looks
    clear, solid = Glass(np.zeros(3, np.float32), 0.0, 1.0, 1.0), Glass(np.zeros(3, np.float32), 1.0, 1.0, 1.0)
    for look in looks[:8]:
        layers = [cast(view, pose, replace(look, glass=glass, clear=0.0), light) for glass in (clear, solid, None)]
        through, cloudy, opaque = (layer for layer in layers if layer is not None)
        np.testing.assert_allclose(cloudy.colours, opaque.colours, atol=1e-4)
        np.testing.assert_allclose(cloudy.cover, opaque.cover, atol=1e-4)
        assert through.cover.sum() < 0.95 * opaque.cover.sum()
        assert np.isfinite(through.colours).all()


def test_opposite_faces_sum_to_seven() -> None:
    rng = np.random.default_rng(4)
    looks = [look for look in (chance_look(rng) for _ in range(40)) if NONE not in look.faces]
    assert looks
    for look in looks:
        assert all(look.faces[n] + look.faces[n + 1] == 7 for n in (0, 2, 4))


def test_dice_that_lie_flat_have_the_face_they_are_said_to_show_upwards() -> None:
    rng = np.random.default_rng(6)
    flat = leaning = 0
    for _ in range(60):
        for one in throw(rng, choose_view(rng, 60.0), 60.0):
            up = one.pose.turn[2]
            most = int(np.argmax(np.abs(up)))
            side = (2, 4, 0)[most] + int(up[most] < 0)
            assert one.face == one.look.faces[side] or one.foreign
            np.testing.assert_allclose(one.pose.turn @ one.pose.turn.T, np.eye(3), atol=1e-5)
            angle = math.degrees(math.acos(min(abs(float(up[most])), 1.0)))
            flat += one.lean == 0
            leaning += one.lean == 1
            assert (angle < 1) == (one.lean == 0)
    assert flat > leaning > 0


def test_crops_carry_their_labels(scenes: list[Scene]) -> None:
    rng = np.random.default_rng(1)
    batch = crops(rng, Sources(scenes), 4)
    assert batch.pictures.shape == (4, CROP_PX, CROP_PX, 3)
    for (number, row, column), one in zip(batch.cells.tolist(), batch.things, strict=True):
        assert (row, column) == (int(one["y"] // 8), int(one["x"] // 8))
        assert batch.heat[number, int(one["kind"] == FOREIGN), row, column] == 1


def test_other_sources_have_their_share_of_a_batch(scenes: list[Scene]) -> None:
    lit = [scene for scene in scenes if (scene.things["kind"] == DIE).sum() > 2]
    black = Scene(np.zeros((SIZE_PX, SIZE_PX, 3), np.uint8), lit[0].things, lit[0].hidden)
    rng = np.random.default_rng(1)
    sources = Sources([black], [(0.2, lit[:1]), (0.3, lit[1:2])])
    assert 10 <= sum((crops(rng, sources, 1).pictures > 0).any() for _ in range(40)) <= 30
    assert not crops(rng, Sources([black]), 4).pictures.any()


def test_a_heap_lies_on_the_ground_or_on_dice() -> None:
    heaps = [heap(SEED, number) for number in range(6)]
    assert any(one.carried.any() for one in heaps)
    for one in heaps:
        tall = np.abs(one.turns[:, 2]).sum(axis=1) * one.sides / 2
        level = np.abs(one.turns[:, 2]).max(axis=1) > 0.999
        np.testing.assert_allclose((one.centres[:, 2] - tall)[level & ~one.carried].clip(max=0.1), 0, atol=0.11)
        assert (one.centres[one.carried, 2] > 0.7).all()


def test_dice_that_lie_somehow_are_labelled_with_how() -> None:
    lying = [draw_lying(SEED, number) for number in range(24)]
    assert draw_lying(SEED, 2).things.tobytes() == lying[2].things.tobytes()
    batch = tilts(np.random.default_rng(1), Sources(lying), 64)
    assert batch.pictures.shape == (64, WIDE_PX, WIDE_PX, 3)
    for first, second in (("tx", "ty"), ("sx", "sy")):
        assert (np.hypot(batch.things[first], batch.things[second]) < math.sqrt(2 / 3) + 0.1).all()
    assert ((batch.things["askew"] >= 0) & (batch.things["askew"] <= 2 / 3 + 1e-5)).all()
    assert (batch.things["lean"] == 1).any()
    assert (batch.things["stacked"] == 1).any()


def test_a_cube_is_askew_by_how_many_faces_it_shows() -> None:
    assert askew(np.array([1.0, 0.0, 0.0])) == pytest.approx(0)
    assert askew(np.array([0.0, 1.0, 1.0]) / math.sqrt(2)) == pytest.approx(1 / 2)
    assert askew(np.ones(3) / math.sqrt(3)) == pytest.approx(2 / 3)
