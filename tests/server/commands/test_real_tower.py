"""What the commands do that drive a real tower while no Cornet runs: no fault is passed over, and none forgotten."""

from pathlib import Path

import pytest

from firmware.tower import Jammed, NoTower
from server.cli import main
from server.reserve import Reserve, leave
from tests.firmware.model import Model, driven
from tests.server.conftest import state, tables
from tests.vision.picamera2 import Plugged

COMMANDS = (["calibrate", "motor"], ["doctor", "--move", "--json"])


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Model:
    """The machine, as both commands find it."""
    model, live = Model(), Plugged().camera()
    for module in ("server.commands.calibrate", "server.commands.doctor"):
        monkeypatch.setattr(f"{module}.is_real", lambda tower: True)
        monkeypatch.setattr(f"{module}.watching", lambda *given: live)
        monkeypatch.setattr(f"{module}.real_tower", lambda settings, pins, seed: model.tower())
    return model


@pytest.mark.parametrize("command", COMMANDS, ids=["calibrate", "doctor"])
@pytest.mark.parametrize("written", [True, False], ids=["in the log", "where the log took nothing"])
def test_nothing_moves_while_a_fault_is_latched(
    model: Model,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    command: list[str],
    written: bool,
) -> None:
    message = "The machine was stopped by the bartender: see to it, then clear the fault."
    with tables(tmp_path) as make_table:
        table = make_table()
        if written:
            table.latch("stopped", message)
        else:
            Reserve(tmp_path).keep("stopped", message)
    assert main([*command, "--data", str(tmp_path)]) == 1
    assert "latched" in capsys.readouterr().out
    assert not driven(model.samples)


@pytest.mark.parametrize("command", COMMANDS, ids=["calibrate", "doctor"])
def test_what_fails_is_latched_at_the_next_start(
    model: Model, tmp_path: Path, capsys: pytest.CaptureFixture[str], command: list[str]
) -> None:
    with tables(tmp_path) as make_table:
        make_table()
    model.at(1.0, model.jam)
    assert main([*command, "--data", str(tmp_path)]) == 1
    assert "The cone does not turn" in capsys.readouterr().out
    with tables(tmp_path) as make_table:
        again = make_table(boot="again")
        assert state(again)["machine"]["fault"]["name"] == "jammed"
        again.clear_fault("console")
        assert state(make_table(boot="once more"))["machine"]["fault"] is None


def test_a_tower_that_is_missing_shows_again_by_itself_and_a_disk_that_takes_nothing_is_told(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    leave(tmp_path, NoTower("There is none."))
    assert Reserve(tmp_path).kept() is None
    leave(tmp_path / "new", Jammed("It does not turn."))
    assert Reserve(tmp_path / "new").kept() == ("jammed", "It does not turn.")
    (tmp_path / "file").write_text("")
    leave(tmp_path / "file", Jammed("It does not turn."))
    assert "will not know of the fault" in caplog.text


@pytest.mark.parametrize("command", COMMANDS, ids=["calibrate", "doctor"])
@pytest.mark.parametrize("log", [None, b"no database"], ids=["no log yet", "a log that cannot be read"])
def test_a_fault_that_is_only_kept_beside_the_log_forbids_the_next_try(
    model: Model, tmp_path: Path, capsys: pytest.CaptureFixture[str], command: list[str], log: bytes | None
) -> None:
    data = tmp_path / "data"
    if log is None:
        model.at(1.0, model.jam)
        assert main([*command, "--data", str(data)]) == 1
        assert Reserve(data).kept() is not None
    else:
        data.mkdir()
        (data / "cornet.db").write_bytes(log)
    model.samples.clear()
    capsys.readouterr()
    assert main([*command, "--data", str(data)]) in (1, 2)
    assert not driven(model.samples)
