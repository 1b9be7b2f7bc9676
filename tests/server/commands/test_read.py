"""`cornet read`, alone and with `--tray`."""

import json
import subprocess
from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration.floor import calibrate_floor
from firmware.dimensions import size
from firmware.simulated import SimulatedTower
from server.cli import main
from tests.conftest import CORNET, ENVIRONMENT, cornet, said
from vision.die_shape import styles_named
from vision.picture import encode_jpeg
from vision.rendered import LyingDie, Stage
from vision.rig import Rig
from vision.tray import Made, Tray


def test_pictures_are_read_by_a_calibration(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    stage = Stage(np.random.default_rng(5), Rig.of(size))
    empty = stage.expose(stage.draw((), styles_named("ivory")))
    tray = Tray(floor=calibrate_floor([empty], Rig.of(size), None, Made("", "", ()))[0])
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


@pytest.mark.parametrize("text", [None, "[floor]\nradius_mm = 1.0\n", "not TOML", "", Tray().text])
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


def test_pictures_are_answered_in_order_and_the_broken_one_by_name(tmp_path: Path) -> None:
    grey, broken = tmp_path / "grey.png", tmp_path / "broken.jpg"
    cv2.imwrite(str(grey), np.full((200, 300, 3), 120, np.uint8))
    broken.write_bytes(b"no picture")
    missing = str(tmp_path / "missing.jpg")
    finished = cornet("read", "--expect", "2", "--annotate", tmp_path / "out", grey, broken, missing, grey)
    lines = [json.loads(line) for line in finished.stdout.splitlines()]
    assert finished.returncode == 2
    assert [line["file"] for line in lines] == [str(grey), str(broken), missing, str(grey)]
    assert lines[0].keys() == {"file", "verdict", "message", "expected", "dice", "ms"}
    assert (lines[0]["verdict"], lines[0]["expected"], lines[0]["dice"]) == ("wrong-count", 2, [])
    assert lines[1].keys() == lines[2].keys() == {"file", "error"}
    assert len(list((tmp_path / "out").iterdir())) == 2
    without = json.loads(cornet("read", grey).stdout)
    assert (without["verdict"], without["expected"]) == ("ok", None)


def test_no_picture_that_is_to_be_read_is_drawn_over(tmp_path: Path) -> None:
    kept = encode_jpeg(np.full((20, 30, 3), 120, np.uint8))
    for name in ("x.jpg", "0000-x.jpg"):
        (tmp_path / name).write_bytes(kept)
    told = said(cornet("read", "--annotate", ".", "x.jpg", "0000-x.jpg", cwd=tmp_path))
    assert "0000-x.jpg is a picture to be read" in told
    assert (tmp_path / "0000-x.jpg").read_bytes() == kept
    assert cornet("read", "--annotate", ".", "0000-x.jpg", "x.jpg", cwd=tmp_path).returncode == 0


def test_a_picture_is_annotated_however_long_its_name(tmp_path: Path) -> None:
    long = tmp_path / f"{'é' * 125}.png"
    cv2.imencode(".png", np.full((20, 30, 3), 120, np.uint8))[1].tofile(long)
    finished = cornet("read", "--annotate", tmp_path / "out", long, long)
    assert (finished.returncode, finished.stderr, finished.stdout.count(b"\n")) == (0, b"", 2)
    assert len(list((tmp_path / "out").iterdir())) == 2


def test_every_picture_is_told_of_also_where_one_cannot_be_drawn(tmp_path: Path) -> None:
    grey, broken = tmp_path / "1.png", tmp_path / "broken.jpg"
    cv2.imwrite(str(grey), np.full((20, 30, 3), 120, np.uint8))
    (tmp_path / "out" / "0000-1.jpg").mkdir(parents=True)
    finished = cornet("read", "--annotate", tmp_path / "out", grey, grey, broken)
    first, second, third = map(json.loads, finished.stdout.splitlines())
    assert (finished.returncode, first["verdict"], second["verdict"], third.keys()) == (
        2,
        "ok",
        "ok",
        {"file", "error"},
    )
    assert finished.stderr.decode().endswith("0000-1.jpg cannot be written (It is no file): name another folder.\n")
    assert finished.stderr.count(b"\n") == 1
    assert (tmp_path / "out" / "0001-1.jpg").is_file()


def test_pictures_for_which_there_is_no_room_are_a_failed_job(tmp_path: Path) -> None:
    cv2.imwrite(str(tmp_path / "1.png"), np.random.default_rng(1).integers(0, 255, (200, 300, 3), np.uint8))
    call = ["sh", "-c", 'ulimit -f 1; "$0" -c "$1" read --annotate out 1.png 1.png', *CORNET[::2]]
    finished = subprocess.run(call, capture_output=True, cwd=tmp_path, env=ENVIRONMENT, check=False)
    assert (finished.returncode, finished.stdout.count(b"\n")) == (1, 2)
    assert finished.stderr == b"The output cannot be written (File too large): make room, or write it elsewhere.\n"
