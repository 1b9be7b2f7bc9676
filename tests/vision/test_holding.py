"""A calibration holds as long as nothing has changed, and every change is found by its own name."""

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache

import cv2
import numpy as np
import pytest

from calibration.floor import calibrate_floor
from firmware.dimensions import size
from firmware.simulated import SimulatedTower
from vision.die_shape import styles_named
from vision.holding import holds
from vision.picture import Image, decode, encode_jpeg
from vision.placing import placed
from vision.reading import Reading, Verdict, as_json
from vision.rendered import LyingDie, Stage
from vision.rig import Rig
from vision.tray import Made, Tray

Change = Callable[[Image], Image]


@pytest.fixture(scope="module")
def stage() -> Stage:
    return Stage(np.random.default_rng(3), Rig.of(size))


@pytest.fixture(scope="module")
def tray(stage: Stage) -> Tray:
    return calibrated(stage)


def calibrated(stage: Stage) -> Tray:
    floor, _ = calibrate_floor([take(stage) for _ in range(3)], Rig.of(size), None, Made("", "", ()))
    return Tray(floor=floor)


@lru_cache(maxsize=8)
def drawn(stage: Stage, seed: str, style: str) -> Image:
    """The empty floor, or a throw, without the sensor's noise."""
    dice = []
    if seed:
        tower = SimulatedTower(seed)
        tower.tumble()
        dice = [LyingDie(die.x_mm, die.y_mm, die.z_mm, die.rotation) for die in tower.lying]
    return stage.draw(dice, styles_named(style))


def take(stage: Stage, seed: str = "", style: str = "ivory") -> Image:
    """A stored picture of it, with noise that no other has."""
    return decode(encode_jpeg(stage.expose(drawn(stage, seed, style))))


def light(share: float, haze: float = 0.0) -> Change:
    return lambda image: np.clip(image * share + haze, 0, 255).astype(np.uint8)


def warp(shift_px: float = 0.0, zoom: float = 1.0, turn_deg: float = 0.0) -> Change:
    def change(image: Image) -> Image:
        height, width = image.shape[:2]
        matrix = cv2.getRotationMatrix2D((width / 2, height / 2), turn_deg, zoom)
        matrix[0, 2] += shift_px
        return np.asarray(cv2.warpAffine(image, matrix, (width, height), borderMode=cv2.BORDER_REPLICATE), np.uint8)

    return change


def blur(px: float) -> Change:
    return lambda image: np.asarray(cv2.GaussianBlur(image, (0, 0), px), np.uint8)


def half_dark(image: Image) -> Image:
    ramp = np.linspace(0.35, 1.0, image.shape[1])[None, :, None]
    return np.asarray(image * ramp, np.uint8)


@pytest.mark.parametrize("style", ["ivory", "black", "casino"])
@pytest.mark.parametrize("seed", ["", "a", "b", "c", "d"])
def test_it_holds_whatever_lies_on_the_floor(stage: Stage, tray: Tray, seed: str, style: str) -> None:
    held = holds(tray, take(stage, seed, style))
    assert (held.verdict, held.message, held.warning) == (None, "", "")
    assert held.light == pytest.approx(1, abs=0.05)


@pytest.mark.parametrize(
    ("change", "verdict"),
    [
        (warp(shift_px=4), None),
        (warp(shift_px=14), Verdict.MOVED),
        (warp(shift_px=-60), Verdict.MOVED),
        (warp(shift_px=200), Verdict.MOVED),
        (warp(zoom=1.03), Verdict.MOVED),
        (warp(zoom=0.95), Verdict.MOVED),
        (light(0.85), None),
        (light(1.2), None),
        (light(0.5), Verdict.BAD_LIGHT),
        (light(0.02), Verdict.BAD_LIGHT),
        (light(1.6), Verdict.BAD_LIGHT),
        (half_dark, Verdict.BAD_LIGHT),
    ],
)
def test_each_change_has_its_verdict(stage: Stage, tray: Tray, change: Change, verdict: Verdict | None) -> None:
    held = holds(tray, change(take(stage, "a")))
    assert held.verdict is verdict
    assert bool(held.message) == (verdict is not None)


@pytest.mark.parametrize("style", ["ivory", "black"])
@pytest.mark.parametrize("turn_deg", [0.5, -0.5, 2, -3, 10, 30, 90, 180])
def test_a_camera_turned_about_the_middle_of_the_floor_is_told_by_the_print(
    stage: Stage, tray: Tray, turn_deg: float, style: str
) -> None:
    for seed in ("", "a", "b"):
        held = holds(tray, warp(turn_deg=turn_deg)(take(stage, seed, style)))
        assert held.verdict is (Verdict.MOVED if abs(turn_deg) > 1 else None)
        assert held.message.startswith("The marks on the floor are") == (abs(turn_deg) > 1)


@pytest.fixture(scope="module")
def bare() -> tuple[Stage, Tray]:
    """A floor on which nothing is printed, and its calibration."""
    rig = replace(Rig.of(size), marker_long_mm=0.0, mark_mm=0.0)
    stage = Stage(np.random.default_rng(3), rig, size_px=(728, 544))
    return stage, calibrated(stage)


@pytest.mark.parametrize("seed", ["", *"abcdefgh"])
def test_no_turn_is_guessed_where_nothing_is_printed(bare: tuple[Stage, Tray], seed: str) -> None:
    stage, tray = bare
    assert holds(tray, take(stage, seed, "white")).verdict is None


@pytest.mark.parametrize("change", [light(0.7, haze=24.0), blur(1.2)])
def test_haze_is_a_warning(stage: Stage, tray: Tray, change: Change) -> None:
    held = holds(tray, change(take(stage, "a")))
    assert held.verdict is None
    assert "clean the window" in held.warning


def test_a_good_reading_through_haze_says_so_to_whoever_shows_it(stage: Stage, tray: Tray) -> None:
    nothing = Reading(Verdict.OK, "No dice.", None, ())
    told = as_json(placed(nothing, blur(1.2)(take(stage)), tray))
    assert told["verdict"] == "ok"
    assert "clean the window" in told["warning"]
    assert told["message"] == f"No dice. {told['warning']}"
    assert "warning" not in as_json(placed(nothing, take(stage), tray))


def test_a_picture_of_another_size_is_of_another_camera(stage: Stage, tray: Tray) -> None:
    assert holds(tray, np.zeros((480, 640, 3), np.uint8)).verdict is Verdict.MOVED


def test_without_a_floor_nothing_can_hold(stage: Stage) -> None:
    with pytest.raises(ValueError, match="not been calibrated"):
        holds(Tray(), take(stage))
