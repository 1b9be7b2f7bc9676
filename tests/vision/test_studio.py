import json
import math
from pathlib import Path

import cv2
import numpy as np
import pytest

from vision.die_shape import STYLES
from vision.reading import Verdict
from vision.studio.lens import Film, develop, quieted
from vision.studio.makes import FACE_PX, MAKES, Make, chance_make, paint
from vision.studio.meshes import ATLAS, die_mesh, face_frame, frustum, lathe, pip_places, tube

FILM = Film(gain=1.0, cast=np.ones(3), glow=0.0, blur_px=0.4, noise=1.0, vignette=0.0, quality=90)


@pytest.mark.parametrize("style", ["casino", "ivory"])
def test_a_die_is_one_closed_skin_of_its_size(style: str) -> None:
    mesh = die_mesh(STYLES[style], 16.0, [1, 2, 3, 4, 5, 6])
    assert np.allclose(np.abs(mesh.points).max(axis=0), 8.0, atol=1e-6)
    _, place = np.unique(np.round(mesh.points, 4), axis=0, return_inverse=True)
    triangles = place.reshape(-1)[mesh.triangles]
    edges = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    assert {tuple(edge) for edge in edges} == {tuple(edge[::-1]) for edge in edges}
    first, second, third = (mesh.points[mesh.triangles[:, corner]] for corner in range(3))
    volume = float(np.einsum("ni,ni->", first, np.cross(second, third))) / 6
    assert 0.75 * 16**3 < volume < 16**3


@pytest.mark.parametrize("face", range(1, 7))
def test_pips_are_hollow_where_they_are_painted(face: int) -> None:
    make = Make("white", STYLES["white"])
    mesh = die_mesh(make.style, 1.0, [face])
    along, across, out = face_frame(face)
    deep = mesh.points[(mesh.points @ out > 0.3) & (mesh.points @ out < 0.497)]
    for x, y, radius in pip_places(face, make.style):
        middle = x * along + y * across + out * (0.5 - 0.42 * radius)
        assert np.linalg.norm(deep - middle, axis=1).min() < 0.02
    columns, _ = ATLAS
    row, column = (face - 1) // columns * FACE_PX, (face - 1) % columns * FACE_PX
    _, inked = paint(make, 1)
    cell = inked[row : row + FACE_PX, column : column + FACE_PX, 0]
    assert cv2.connectedComponents((cell > 0.5).astype(np.uint8))[0] - 1 == face


@pytest.mark.parametrize("name", MAKES)
def test_every_make_has_faces_that_can_be_told(name: str) -> None:
    for seed in range(2):
        make = chance_make(np.random.default_rng(seed), name)
        colours, inked = paint(make, 1)
        pip, body = colours[inked[..., 0] > 0.99], colours[inked[..., 0] < 0.01]
        assert np.abs(np.median(pip, axis=0) - np.median(body, axis=0)).max() > 0.05
        for face in range(1, 7):
            for x, y, radius in pip_places(face, make.style):
                assert max(abs(x), abs(y)) + radius < 0.5 - 0.5 * make.style.corner


def test_an_emblem_stands_in_place_of_the_one_or_the_six() -> None:
    seen = set()
    for seed in range(6):
        make = chance_make(np.random.default_rng(seed), "blue", emblem=True)
        plain, drawn = paint(Make("blue", make.style), 1)[1], paint(make, 1)[1]
        (face,) = make.emblems
        seen.add(face)
        row, column = (face - 1) // ATLAS[0] * FACE_PX, (face - 1) % ATLAS[0] * FACE_PX
        changed = np.abs(plain - drawn)[..., 0] > 0.5
        assert changed[row : row + FACE_PX, column : column + FACE_PX].sum() == changed.sum() > 500
    assert seen == {1, 6}


def test_things_turned_and_bent_look_outwards() -> None:
    ball = lathe(np.array([[1e-3, -5.0], [5.0, 0.0], [1e-3, 5.0]]))
    assert (np.einsum("ni,ni->n", ball.normals, ball.points) > 0).all()
    path = np.stack([np.linspace(0, 50, 30), np.zeros(30), np.zeros(30)], axis=1)
    finger = tube(path, np.full(30, 6.0))
    assert np.abs(finger.points[:, 1]).max() == pytest.approx(6.0, rel=0.01)
    wall = frustum(110.0, 80.0, 100.0)
    assert (np.einsum("ni,ni->n", wall.normals[:, :2], wall.points[:, :2]) < 0).all()


def test_a_film_darkens_burns_and_casts() -> None:
    rng = np.random.default_rng(1)
    light = np.tile(np.linspace(0.1, 1.0, 64, dtype=np.float32)[None, :, None], (48, 1, 3))
    right = develop(light, FILM, rng)
    assert right.shape == (48, 64, 3)
    assert right.dtype == np.uint8
    dark, burnt = (develop(light, Film(gain, np.ones(3), 0.0, 0.4, 1.0, 0.0, 90), rng) for gain in (0.02, 20.0))
    assert dark.max() < 60
    assert burnt.min() > 240
    warm = develop(light, Film(1.0, np.array([1.2, 1.0, 0.8]), 0.0, 0.4, 1.0, 0.0, 90), rng).astype(int)
    assert (warm[..., 2] - warm[..., 0]).mean() > 20


def test_quieting_takes_the_grain_and_leaves_the_paint() -> None:
    rng = np.random.default_rng(1)
    paint = np.where(np.indices((80, 80)).sum(axis=0)[..., None] // 8 % 2, 0.6, 0.1) * np.ones(3)
    grainy = paint * (0.5 + 0.12 * rng.standard_normal((80, 80, 1)))
    quiet = quieted(grainy.astype(np.float32), paint.astype(np.float32))
    assert (quiet / paint).std() < 0.4 * (grainy / paint).std()
    assert np.median(quiet[paint > 0.5]) == pytest.approx(0.3, rel=0.1)
    assert np.median(quiet[paint < 0.5]) == pytest.approx(0.05, rel=0.1)


def test_dice_fall_flat_and_the_same_way_each_time() -> None:
    pytest.importorskip("mujoco", reason='the extra "rendering" is not installed')
    from vision.studio.physics import Surface, settle
    from vision.studio.throws import falling, judge

    one, other = (falling(np.random.default_rng(3), [16.0] * 4, 60.0) for _ in range(2))
    rests, again = settle(one, Surface(walled=True)), settle(other, Surface(walled=True))
    assert rests
    assert again
    assert all(np.array_equal(first.at_mm, second.at_mm) for first, second in zip(rests, again, strict=True))
    assert judge(one, rests) is Verdict.OK
    for rest in rests:
        assert rest.at_mm[2] == pytest.approx(8.0, abs=0.2)
        assert math.hypot(*rest.at_mm[:2]) < 110


def test_a_die_that_others_touch_and_that_lies_flat_at_its_own_height_is_on_the_ground() -> None:
    pytest.importorskip("mujoco", reason='the extra "rendering" is not installed')
    from vision.studio.physics import FLOOR_MM, Surface, settle
    from vision.studio.throws import falling, judge

    rng = np.random.default_rng((9, 2, 127))
    side_mm = float(rng.uniform(14, 18))
    bodies = falling(rng, [side_mm] * 10, 0.6 * FLOOR_MM / 2)
    rests = settle(bodies, Surface(walled=True, friction=float(rng.uniform(0.3, 0.7))))
    assert rests
    # At that moment one of them was 0.0001 mm above the ground, and so was taken to lie on its neighbour.
    assert all(rest.at_mm[2] == pytest.approx(side_mm / 2, abs=0.01) for rest in rests)
    assert all(rest.on_ground for rest in rests)
    assert any(rest.on_others for rest in rests)
    assert judge(bodies, rests) is Verdict.OK


@pytest.mark.parametrize("trouble", ["leaning-on-die", "on-a-chip", "stacked"])
def test_troubles_are_what_the_physics_made_them(trouble: str) -> None:
    pytest.importorskip("mujoco", reason='the extra "rendering" is not installed')
    pytest.importorskip("mitsuba", reason='the extra "rendering" is not installed')
    from vision.studio.physics import Surface, tilt_deg
    from vision.studio.throws import against_a_die, falling, on_a_chip, on_a_die, throw, with_another

    rng, surface = np.random.default_rng(5), Surface(walled=False, friction=0.9)
    flat = throw(rng, lambda chance: falling(chance, [16.0, 16.0], 50.0), surface, Verdict.OK)
    assert flat
    more = {"leaning-on-die": against_a_die, "on-a-chip": on_a_chip, "stacked": on_a_die}[trouble]
    wanted = Verdict.STACKED if trouble == "stacked" else Verdict.COCKED
    found = with_another(rng, flat, more, surface, wanted)
    assert found
    assert found.verdict is wanted
    last = found.rests[-1]
    if wanted is Verdict.STACKED:
        assert not last.on_ground
        assert last.at_mm[2] > 16
    else:
        assert max(tilt_deg(found.rests[die].turn) for die in found.dice()) >= 10


def test_a_die_is_seen_where_its_label_says() -> None:
    pytest.importorskip("mitsuba", reason='the extra "rendering" is not installed')
    from vision.rendered import LyingDie
    from vision.studio.path_tracing import Stage, View, trace

    die = LyingDie(20.0, -10.0, 8.0, ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)))
    view = View(np.array([0.0, 0, 300]), np.zeros(3), np.array([0.0, 1, 0]), 200.0, (64, 48))
    stage = Stage((), np.full((8, 16, 3), 0.0, np.float32) + np.array([0.2, 0.2, 0.2], np.float32))
    make = Make("red", STYLES["red"])
    light, own = trace([(die, make)], stage, view, paths=2, seed=1)
    redder = own[..., 0] - own[..., 2] > 0.2
    rows, columns = np.nonzero(redder)
    x, y = view.pixels(np.array([20.0, -10.0, 16.0]))
    assert (columns.mean(), rows.mean()) == pytest.approx((x, y), abs=1.0)
    assert light.shape == (48, 64, 3)


def test_a_run_goes_on_where_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("mujoco", reason='the extra "rendering" is not installed')
    pytest.importorskip("mitsuba", reason='the extra "rendering" is not installed')
    from vision.studio import __main__ as command

    for number in range(2):
        (tmp_path / f"studio_640_7_{number:05}.json").write_text(json.dumps({"file": f"{number}.jpg"}))
    monkeypatch.setattr("sys.argv", ["studio", "--out", str(tmp_path), "--count", "2"])
    command.main()
    assert "2/2" in capsys.readouterr().out
    labels = json.loads((tmp_path / "labels.json").read_text())
    assert [image["file"] for image in labels["images"]] == ["0.jpg", "1.jpg"]
    assert not list(tmp_path.glob("*.jpg"))
