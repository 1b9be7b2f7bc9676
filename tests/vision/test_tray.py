"""The calibration as a file, and as a way from pixels to millimetres."""

import base64
import os
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vision.files import write_safely
from vision.picture import encode_jpeg
from vision.tray import BadTray, Dice, Enrolled, Floor, Lens, Light, Made, Tray, parse_tray, read_tray

MADE = Made("2026-01-31T20:15:00+00:00", "0.1.0", ("ab" * 32,))
LENS = Lens((1456, 1088), 1400.0, (730.5, 540.25), (-0.21, 0.08, 0.0004, -0.0003, 0.0), 0.31, MADE)
GREY = base64.b64encode(encode_jpeg(np.full((272, 364, 3), 70, np.uint8))).decode()
# 4.6 px a mm, the floor's centre at (727.5, 543.5), seen from 295 mm above it.
TO_MM = (1 / 4.6, 0.0, -727.5 / 4.6, 0.0, -1 / 4.6, 543.5 / 4.6, 0.0, 0.0, 1.0)
FLOOR = Floor((1456, 1088), 110.0, TO_MM, (0.0, 0.0, 295.0), 0.5, 51.0, 1.5, GREY, MADE)
DICE = Dice("l'équipe \\ «1»", 16.0, 2, (Enrolled("rouge", (40.0, 41.0, 184.0)),), (16.01, 16.0, 15.99), MADE)
WHOLE = Tray(LENS, FLOOR, Light(0.7, 1.2, 0.0, 0.01, MADE), DICE)


@pytest.mark.parametrize(
    "tray", [Tray(), Tray(floor=FLOOR), Tray(lens=LENS), WHOLE], ids=["empty", "floor", "lens", "whole"]
)
def test_a_file_gives_back_what_was_written(tray: Tray, tmp_path: Path) -> None:
    path = tmp_path / "tray.toml"
    write_safely(path, tray.text.encode())
    assert read_tray(path) == tray
    assert read_tray(path).sha256 == tray.sha256
    assert [file.name for file in tmp_path.iterdir()] == ["tray.toml"]


def test_nobody_waits_for_a_calibration_that_is_a_pipe(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "tray.toml")
    with pytest.raises(BadTray, match="It is no file"):
        read_tray(tmp_path / "tray.toml")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("radius_mm = 110.0", "radius_mm = true", "floor.radius_mm"),
        ("radius_mm = 110.0", "radius_mm = nan", "floor.radius_mm"),
        ("radius_mm = 110.0\n", "", "floor.radius_mm is missing"),
        ("radius_mm = 110.0", "radius_mm = 110.0\nshape = 1", "floor.shape is unknown"),
        ("size_px = [1456, 1088]", "size_px = [1456]", "lens.size_px"),
        ("size_px = [1456, 1088]\nradius_mm", "size_px = [800, 600]\nradius_mm", "another size"),
        ('empty = "/', 'empty = "', "no calibration"),
        ("radius_mm = 110.0", "radius_mm = 0.0", "not above its floor"),
        ("eye_mm = [0.0, 0.0, 295.0]", "eye_mm = [0.0, 0.0, 0.0]", "not above its floor"),
        ("eye_mm = [0.0, 0.0, 295.0]", "eye_mm = [1e7, 0.0, 295.0]", "floor.eye_mm"),
        ("size_px = [1456, 1088]\nfocal_px", "size_px = [1500, 1088]\nfocal_px", "its lens is of pictures"),
        ("focal_px = 1400.0", "focal_px = 0.0", "its lens is none"),
        ("focal_px = 1400.0", "focal_px = 1.0", "its lens is none"),
        ("focal_px = 1400.0", "focal_px = 1e6", "its lens is none"),
        ("centre_px = [730.5, ", "centre_px = [-1e6, ", "its lens is none"),
        ("distortion = [-0.21, ", "distortion = [", "its lens is none"),
        ("distortion = [-0.21, ", "distortion = [1e6, ", "its lens is none"),
        ("0.0004, -0.0003, 0.0]", "0.0004, -0.0003, -1e6]", "its lens is none"),
        ("side_mm = 16.0", "side_mm = 1e5", "sides of 100000 mm"),
        ("[floor]", "[flor]", "flor"),
        ("[floor]", "[floor", "no calibration"),
    ],
)
def test_what_is_no_calibration_is_refused_in_a_sentence(old: str, new: str, said: str, tmp_path: Path) -> None:
    text = WHOLE.text
    assert old in text
    path = tmp_path / "tray.toml"
    path.write_text(text.replace(old, new, 1), "utf-8")
    with pytest.raises(BadTray, match=said) as refused:
        read_tray(path)
    assert str(path) in str(refused.value)
    assert "take it away" in str(refused.value)


@given(st.text(max_size=100), st.integers(0, len(Tray(floor=FLOOR).text)))
def test_no_text_brings_it_down(text: str, cut: int) -> None:
    for given_text in (text, Tray(floor=FLOOR).text[:cut] + text):
        with suppress(BadTray):
            assert isinstance(parse_tray(given_text), Tray)


@settings(max_examples=50)
@given(st.floats(-100, 100), st.floats(-100, 100))
@pytest.mark.parametrize("lens", [None, LENS], ids=["pinhole", "distorted"])
def test_millimetres_and_pixels_are_each_others_way_back(lens: Lens | None, x_mm: float, y_mm: float) -> None:
    tray = Tray(lens=lens, floor=FLOOR)
    there = tray.in_picture(np.array([[x_mm, y_mm]]))
    assert np.allclose(tray.on_floor(there), [[x_mm, y_mm]], atol=0.05)


def test_what_is_higher_lies_nearer_to_the_middle_than_it_seems() -> None:
    tray = Tray(floor=FLOOR)
    seen = tray.in_picture(np.array([[100.0, 0.0]]))
    ((x_mm, y_mm),) = tray.on_floor(seen, height_mm=16.0)
    assert x_mm == pytest.approx(100 * (295 - 16) / 295)
    assert y_mm == pytest.approx(0, abs=1e-9)
    assert tray.on_floor(np.empty((0, 2))).shape == (0, 2)


def test_without_a_floor_there_are_no_millimetres() -> None:
    with pytest.raises(ValueError, match="not been calibrated"):
        Tray().on_floor(np.zeros((1, 2)))
