"""`cornet read --tray`, called as the command line calls it."""

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration.floor import calibrate_floor
from firmware.dimensions import size
from firmware.simulated import SimulatedTower
from server.cli import main
from vision.die_shape import styles_named
from vision.picture import encode_jpeg
from vision.rendered import LyingDie, Stage
from vision.rig import Rig
from vision.tray import Made, Tray


def test_pictures_are_read_by_a_calibration(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    stage = Stage(np.random.default_rng(5), Rig.of(size))
    empty = stage.expose(stage.draw((), styles_named("ivory")))
    tray = Tray(floor=calibrate_floor([empty], 110.0, size("camera_mm"), None, Made("", "", ()))[0])
    (tmp_path / "tray.toml").write_text(tray.text, "utf-8")
    tower = SimulatedTower("a")
    tower.tumble()
    dice = [LyingDie(die.x_mm, die.y_mm, die.z_mm, die.rotation) for die in tower.lying]
    image = stage.expose(stage.draw(dice, styles_named("ivory")))
    (tmp_path / "good.jpg").write_bytes(encode_jpeg(image))
    (tmp_path / "moved.jpg").write_bytes(encode_jpeg(np.roll(image, 50, axis=1)))
    small = np.asarray(cv2.resize(image, (640, 480)), np.uint8)
    (tmp_path / "small.jpg").write_bytes(encode_jpeg(small))

    names = [str(tmp_path / name) for name in ("good.jpg", "moved.jpg", "small.jpg")]
    assert main(["read", "--expect", "10", "--tray", str(tmp_path / "tray.toml"), *names]) == 0
    good, moved, other = map(json.loads, capsys.readouterr().out.splitlines())
    assert (good["verdict"], moved["verdict"], other["verdict"]) == ("ok", "moved", "moved")
    assert all(len(die["mm"]) == 2 and -45 <= die["turn_deg"] <= 45 for die in good["dice"])


@pytest.mark.parametrize("text", [None, "[floor]\nradius_mm = 1.0\n", "not TOML"])
def test_what_is_no_calibration_is_a_wrong_call(
    text: str | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "tray.toml"
    if text is not None:
        path.write_text(text, "utf-8")
    assert main(["read", "--tray", str(path), "any.jpg"]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.count("\n") == 1
    assert str(path) in told.err
