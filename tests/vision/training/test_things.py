import numpy as np
import pytest

from vision.training.solids import bodies, hull, solid
from vision.training.things import thing

SEEDS = 60


@pytest.mark.parametrize(("corners", "faces", "of_each"), [(8, 6, 4), (4, 4, 3), (6, 8, 3), (12, 20, 3), (20, 12, 5)])
def test_a_regular_body_has_the_faces_that_it_must_have(corners: int, faces: int, of_each: int) -> None:
    body = next(one for one in bodies() if len(one) == corners)
    found = hull(body)
    assert len(found) == faces
    assert {len(rows) for rows, _ in found} == {of_each}
    assert all((body @ normal).max() <= (body[rows] @ normal).min() + 1e-6 for rows, normal in found)


def test_of_a_solid_the_faces_that_look_up_are_seen() -> None:
    for seed in range(SEEDS):
        seen = solid(np.random.default_rng(seed))
        assert seen
        for corners, normal in seen:
            assert normal[2] > 0
            assert np.linalg.norm(normal) == pytest.approx(1)
            assert np.linalg.norm(corners, axis=1).max() <= 1 + 1e-6


def test_a_thing_is_to_be_seen_within_its_square() -> None:
    drawn = np.stack([thing(np.random.default_rng(seed), 60) for seed in range(SEEDS)])
    assert drawn.shape == (SEEDS, 60, 60, 4)
    cover = drawn[..., 3]
    assert cover.min() >= 0
    assert cover.max() <= 1
    assert cover.mean(axis=(1, 2)).min() > 0.03
    assert np.isfinite(drawn).all()
    assert len({one.tobytes() for one in drawn}) == SEEDS
    assert drawn[5].tobytes() == thing(np.random.default_rng(5), 60).tobytes()
