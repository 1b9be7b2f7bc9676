"""`cornet calibrate` from end to end: the steps on the simulated camera, what was wrong, and the way back."""

import json
import shutil
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from firmware.tower import Interrupted, Jammed
from server.cli import main
from server.log import CannotOpen, Log
from server.stepping import Sight, carry_out
from tests.server.conftest import bodies
from vision.camera import CameraLost
from vision.picture import encode_jpeg, load
from vision.rest import CameraFrozen
from vision.tray import read_tray


class Console:
    """Calls `cornet calibrate` on one data directory and gives its answer."""

    def __init__(self, data: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.data, self._capsys = data, capsys

    def __call__(self, *words: str, status: int = 0) -> dict[str, Any]:
        assert main(["calibrate", *words, "--data", str(self.data)]) == status
        answer: dict[str, Any] = json.loads(self._capsys.readouterr().out)
        return answer


@pytest.fixture
def calibrate(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Console:
    return Console(tmp_path / "data", capsys)


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data directory in which the floor is calibrated."""
    data = tmp_path_factory.mktemp("floor")
    assert main(["calibrate", "floor", "--camera", "rendered", "--data", str(data)]) == 0
    return data


@pytest.fixture
def floored(floor: Path, calibrate: Console, capsys: pytest.CaptureFixture[str]) -> Console:
    """That directory, to do with as one likes."""
    shutil.copytree(floor, calibrate.data)
    capsys.readouterr()
    return calibrate


def test_the_steps_on_the_simulated_camera(calibrate: Console) -> None:
    assert calibrate("show")["message"] == "Nothing is calibrated."
    for step in ("focus", "floor", "light", "dice"):
        done = calibrate(step, "--camera", "rendered", "--seed", "1")
        assert done["done"], done
        assert load(Path(done["picture"])).shape == (1088, 1456, 3)
    tray = read_tray(calibrate.data / "tray.toml")
    assert calibrate("show")["parts"].keys() == {"floor", "light", "dice"}
    assert tray.floor is not None
    kept = {path.stem for path in (calibrate.data / "calibration").glob("*.jpg")}
    assert set(tray.floor.made.pictures) <= kept
    assert calibrate("undo")["parts"].keys() == {"floor", "light"}


def test_what_is_calibrated_by_a_simulated_camera_says_so(calibrate: Console) -> None:
    simulated = calibrate("floor")
    assert simulated["simulated"]
    assert "The camera was simulated" in simulated["message"]
    tray = read_tray(calibrate.data / "tray.toml")
    assert tray.floor is not None
    pictures = [str(calibrate.data / "calibration" / f"{name}.jpg") for name in tray.floor.made.pictures]
    given = calibrate("floor", *pictures)
    assert "simulated" not in given
    assert "simulated" not in given["message"]


@pytest.mark.parametrize(
    "words", [("floor", "rendered"), ("focus", "none"), ("motor", "rendered"), ("motor", "frames:.")]
)
def test_a_real_machine_is_calibrated_by_a_camera_that_sees_it(
    words: tuple[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "model").write_text("Raspberry Pi 5 Model B Rev 1.0\0")
    monkeypatch.setattr("server.parts._MODEL", tmp_path / "model")
    step, camera = words
    assert main(["calibrate", step, "--camera", camera, "--data", str(tmp_path / "data")]) == 2
    told = capsys.readouterr()
    assert (told.out, told.err.count("\n")) == ("", 1)
    assert "choose " in told.err
    assert not (tmp_path / "data").exists()


def test_another_throw_is_taken_for_one_that_cannot_be_read(
    floored: Console, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    floored("dice", "--camera", "rendered", "--seed", "1")
    tray, kept = read_tray(floored.data / "tray.toml"), floored.data / "calibration"
    assert tray.floor is not None
    assert tray.dice is not None
    empty, first, *others = (kept / f"{name}.jpg" for name in (tray.floor.made.pictures[0], *tray.dice.made.pictures))
    throws, emptied = tmp_path / "throws", tmp_path / "emptied"
    for folder, pictures in ((throws, (first, empty, *others)), (emptied, (empty,))):
        folder.mkdir()
        for number, picture in enumerate(pictures):
            (folder / f"{number}.jpg").write_bytes(picture.read_bytes())
    assert main(["calibrate", "dice", "--camera", f"frames:{throws}", "--data", str(floored.data)]) == 0
    told = capsys.readouterr()
    assert json.loads(told.out)["done"]
    assert told.err.count("Another throw.") == 1
    assert read_tray(floored.data / "tray.toml").dice is not None
    before = (floored.data / "tray.toml").read_bytes()
    assert "cannot be read" in floored("dice", "--camera", f"frames:{emptied}", status=1)["message"]
    assert (floored.data / "tray.toml").read_bytes() == before


def test_no_cornet_begins_while_a_step_is_done_and_none_is_left_held(
    floored: Console, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    begun: list[int] = []

    def meanwhile(*given: Any, **named: Any) -> Any:
        with pytest.raises(CannotOpen, match="in use"):
            Log(floored.data)
        begun.append(main(["calibrate", "undo", "--data", str(floored.data)]))
        return carry_out(*given, **named)

    monkeypatch.setattr("server.commands.calibrate.carry_out", meanwhile)
    floored("light", "--camera", "rendered", "--seed", "1")
    assert begun == [2]
    Log(floored.data).close()


def test_a_step_that_fails_changes_nothing(floored: Console, tmp_path: Path) -> None:
    before = (floored.data / "tray.toml").read_bytes()
    grey = tmp_path / "grey.jpg"
    grey.write_bytes(encode_jpeg(np.full((1088, 1456, 3), 90, np.uint8)))
    for step in ("floor", "lens", "dice", "light"):
        failed = floored(step, str(grey), status=1)
        assert not failed["done"]
        assert failed["message"].endswith(".")
        assert Path(failed["picture"]).is_file()
    assert (floored.data / "tray.toml").read_bytes() == before
    floored("undo")
    assert floored("undo", status=1)["message"] == "There is no earlier calibration to go back to."


def test_a_calibrated_floor_holds_for_the_next_evening(floored: Console, capsys: pytest.CaptureFixture[str]) -> None:
    first = floored.data / "calibration"
    tray = read_tray(floored.data / "tray.toml")
    assert tray.floor is not None
    kept = first / f"{tray.floor.made.pictures[0]}.jpg"
    moved = first / "moved.jpg"
    moved.write_bytes(encode_jpeg(np.roll(load(kept), 40, axis=0)))
    assert main(["read", "--tray", str(floored.data / "tray.toml"), str(kept), str(moved)]) == 0
    verdicts = [json.loads(line)["verdict"] for line in capsys.readouterr().out.splitlines()]
    assert verdicts == ["ok", "moved"]


def test_a_running_cornet_is_not_calibrated_behind_its_back(calibrate: Console) -> None:
    calibrate.data.mkdir()
    with closing(Log(calibrate.data)):
        assert main(["calibrate", "floor", "--camera", "rendered", "--data", str(calibrate.data)]) == 2
        assert calibrate("show")["done"]


@pytest.mark.parametrize("failure", [CameraLost, CameraFrozen, Jammed, Interrupted])
def test_a_part_that_fails_half_way_is_said(
    floored: Console, monkeypatch: pytest.MonkeyPatch, failure: type[Exception]
) -> None:
    def fail() -> None:
        raise failure("See to it.")

    sight = Sight(lambda: np.zeros((1088, 1456, 3), np.uint8), fail)
    monkeypatch.setattr("server.commands.calibrate.simulated_sight", lambda step, seed, dice: sight)
    assert floored("dice", status=1) == {"step": "dice", "done": False, "message": "See to it."}


def test_a_simulated_motor_is_not_measured(calibrate: Console) -> None:
    assert "simulated" in calibrate("motor", status=1)["message"]


def test_the_board_can_be_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["calibrate", "board"]) == 0
    assert capsys.readouterr().out.startswith("<svg ")


@pytest.mark.parametrize(
    "words",
    [
        ["floor", "missing.jpg"],
        ["floor", "--camera", "frames:missing"],
        ["dance"],
        ["dice", "--axes", "sixteen"],
        ["dice", "--set", "bone\x7f"],
        ["dice", "--set", "\udcff"],
        ["dice", "--die", ""],
        ["motor", "--level", "much"],
        ["floor", "--config", "missing.toml"],
        ["show", "a.jpg", "a.jpg"],
        ["undo", "a.jpg"],
        ["board", "a.jpg"],
        ["motor", "a.jpg"],
        ["show", "--camera", "rendered"],
        ["undo", "--seed", "1"],
        ["light", "--set", "bone"],
        ["floor", "--die", "x"],
        ["floor", "--axes", "1,2,3"],
        ["dice", "--level", "0"],
        ["floor", "a.jpg", "--camera", "rendered"],
        ["floor", "a.jpg", "--seed", "1"],
    ],
)
def test_a_wrong_call_is_one_sentence(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.jpg").write_bytes(encode_jpeg(np.full((480, 640, 3), 90, np.uint8)))
    assert main(["calibrate", *words, "--data", str(tmp_path / "data")]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.count("\n") == 1
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize("name", ["photo.jpg", "photo.jpg/data"])
def test_a_file_is_no_directory_in_which_nothing_is_calibrated(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "photo.jpg").touch()
    assert main(["calibrate", "show", "--data", str(tmp_path / name)]) == 2
    told = capsys.readouterr()
    assert (told.out, "cannot be used (Not a directory)" in told.err) == ("", True)


def test_a_damaged_calibration_is_said(calibrate: Console, capsys: pytest.CaptureFixture[str]) -> None:
    calibrate.data.mkdir()
    (calibrate.data / "tray.toml").write_text("[floor]\n", "utf-8")
    assert main(["calibrate", "show", "--data", str(calibrate.data)]) == 2
    assert "no calibration" in capsys.readouterr().err


def test_throws_are_read_by_the_calibration_in_force(
    floored: Console, capsys: pytest.CaptureFixture[str], quick: str
) -> None:
    tray = read_tray(floored.data / "tray.toml")
    assert main(["throw", "--data", str(floored.data), "--camera", "rendered", "--config", quick, "--seed", "1"]) == 0
    capsys.readouterr()
    (trial,) = (body for body in bodies(floored.data) if body["kind"] == "trial")
    assert trial["tray"] == tray.sha256
    assert all("mm" in die for die in trial["dice"])
    assert (floored.data / "calibration" / f"{tray.sha256}.toml").read_text("utf-8") == tray.text
    (floored.data / "tray.toml").write_text("[floor]\n", "utf-8")
    assert main(["throw", "--data", str(floored.data), "--camera", "rendered"]) == 2
    assert "no calibration" in capsys.readouterr().err
