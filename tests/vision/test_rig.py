from dataclasses import replace

import numpy as np
import pytest

from firmware.dimensions import size
from vision.rig import Points, Rig, RingLight

UP = np.array([[0], [0], [1]], np.float32)


@pytest.fixture(scope="module")
def rig() -> Rig:
    return Rig.of(size)


@pytest.fixture(scope="module")
def light(rig: Rig) -> RingLight:
    return RingLight(rig, 0.5, np.random.default_rng(1))


def at(x_mm: float, z_mm: float = 0.0) -> Points:
    return np.array([[x_mm], [0.0], [z_mm]])


def test_lines_of_sight_meet_floor_upright_and_leaning_wall_and_the_rim_of_the_window(rig: Rig) -> None:
    floor, window = rig.floor_diameter_mm / 2, rig.window_diameter_mm / 2
    halfway = (rig.skirt_mm + rig.cone_height_mm) / 2
    places = [(floor / 2, 0.0), (floor, rig.skirt_mm / 2), (floor, rig.skirt_mm), ((floor + window) / 2, halfway)]
    slopes = np.array([radius / (rig.camera_mm - height) for radius, height in places], np.float32)
    assert rig.wall_mm(slopes) == pytest.approx([height for _, height in places], abs=0.01)
    assert rig.wall_mm(np.array([3.0], np.float32)) == pytest.approx(rig.cone_height_mm)


def test_the_middle_gets_light_from_every_lamp_and_the_rim_only_from_those_across(light: RingLight) -> None:
    assert (light.reaching(at(0, 16)) > 0).all()
    rim = light.reaching(at(105))[:, 0] > 0
    assert 0.25 < rim.mean() < 0.75
    assert light.lamps[rim, 0].max() < light.lamps[~rim, 0].max()


def test_the_light_is_as_bright_as_was_asked_halfway_and_less_at_the_wall(rig: Rig, light: RingLight) -> None:
    levels = [float(light.falling(at(x_mm), UP)[0]) for x_mm in (0, rig.floor_diameter_mm / 4, 105)]
    assert levels[1] == pytest.approx(0.5)
    assert levels[1] > levels[2] > 0.2


def test_lamps_over_the_middle_of_a_wide_window_give_what_the_cosine_law_says(rig: Rig) -> None:
    wide = replace(rig, ring_radius_mm=1e-6, window_diameter_mm=600.0, weight_hole_mm=600.0)
    light = RingLight(wide, 1.0)
    below, aside = (float(light.falling(at(x_mm), UP)[0]) for x_mm in (0, wide.ring_mm))
    assert aside / below == pytest.approx(0.25)


def test_a_narrower_ring_makes_a_bright_spot_in_the_middle(rig: Rig) -> None:
    side_mm = size("die_side_mm")
    narrow, shipped = (RingLight(one, 1.0).unevenness(side_mm) for one in (replace(rig, ring_radius_mm=68.0), rig))
    assert narrow > 1.3 * shipped > 1.3


def test_lamps_differ_by_chance_alone(rig: Rig) -> None:
    ring = [RingLight(rig, 1.0, rng).reaching(at(0))[:, 0] for rng in (None, np.random.default_rng(1))]
    assert np.ptp(ring[0]) < 1e-3 * ring[0].max()
    assert np.ptp(ring[1]) > 0.3 * ring[1].max()


def test_lamps_that_light_nothing_are_no_error(rig: Rig) -> None:
    closed = RingLight(replace(rig, window_diameter_mm=1e-3), 1.0)
    assert np.isfinite(closed.falling(at(0), UP)).all()


def test_nothing_shines_through_the_wall(rig: Rig) -> None:
    outside = at(3 * rig.floor_diameter_mm, rig.ring_mm)
    assert rig.through(at(0), outside) == pytest.approx(0)
    assert rig.through(at(0), at(0, rig.ring_mm)) == pytest.approx(1)


def test_the_window_mirrors_the_lamps_beside_the_pips_of_dice_at_the_wall(rig: Rig) -> None:
    slopes = np.linspace(0, 0.6, 2000, dtype=np.float32)
    seen = slopes[rig.mirrored(slopes, 1e-4) > 0]
    pips_mm, top_mm = rig.floor_diameter_mm / 2 - 2, size("die_side_mm")
    assert seen.min() > pips_mm / (rig.camera_mm - top_mm)
    assert rig.mirrored(seen, 1e-4).max() <= 2 * 0.04 * rig.polariser_share + 1e-9
