"""`cornet export`: what it hands out, and what it leaves alone."""

import json
import os
import sqlite3
from pathlib import Path

import pytest

from server.cli import main
from server.log import Log
from tests.conftest import RunCornet, cornet, said
from tests.server.conftest import AT


def test_an_evening_is_exported_and_audited(run_cornet: RunCornet, tmp_path: Path) -> None:
    with run_cornet(tmp_path, "--camera", "none") as running:
        running.ask("/api/games", {"game": "vingt-six", "players": ["Ana", "Bo"]})
        game_id = running.ask("/api/state")["game_id"]
        running.ask("/api/actions", {"action": {"do": "bet", "chips": 2}})
        audited = cornet("audit", tmp_path)
        assert (audited.returncode, audited.stderr) == (0, b"")
        assert b"4 events, 0 pictures read again, 1 game replayed: no difference." in audited.stdout
        exported = cornet("export", str(game_id), "--data", tmp_path)
        assert json.loads(cornet("replay", "-", given=exported.stdout).stdout) == running.ask("/api/state")["game"]
    bundle = tmp_path / "game.zip"
    assert cornet("export", str(game_id), "--data", tmp_path, "--bundle", bundle).returncode == 0
    assert b"no difference" in cornet("audit", bundle).stdout
    again = tmp_path / "again.zip"
    assert cornet("export", str(game_id), "--data", bundle, "--bundle", again).returncode == 0
    assert b"no difference" in cornet("audit", again).stdout
    database = sqlite3.connect(tmp_path / "cornet.db")
    database.executescript("DROP TRIGGER events_stay; UPDATE events SET hash = '00' WHERE seq = 2")
    database.close()
    assert cornet("audit", tmp_path).returncode == 1
    assert "broken at event 2" in said(cornet("export", str(game_id), "--data", tmp_path))


def test_a_game_of_a_forged_log_is_not_exported(tmp_path: Path) -> None:
    log = Log(tmp_path)
    log.append("action", {"at": AT, "action": {"do": "keep"}})
    log.close()
    assert "see what cornet audit says" in said(cornet("export", "1", "--data", tmp_path))


@pytest.fixture
def log_of_a_game(tmp_path: Path) -> Path:
    """A directory whose log has one game, its first event, and a throw that was refused."""
    log = Log(tmp_path / "data")
    log.append("game", {"game": "vingt-cinq", "players": ["Ana", "Bo"], "options": {}, "at": AT})
    log.append("press", {"needs": 5, "at": AT})
    frame = log.keep_frame(b"a picture")
    look = {"press": 2, "needs": 5, "dice": [], "verdict": "bad-light", "expected": 5, "size": None, "frame": frame}
    log.append("refused", {**look, "at": AT})
    log.close()
    return tmp_path / "data"


def test_a_bundle_takes_the_place_of_a_file_and_of_nothing_else(log_of_a_game: Path) -> None:
    call = ["export", "1", "--bundle"]
    work = log_of_a_game.parent / "work"
    work.mkdir()
    os.mkfifo(work / "pipe")
    (work / "folder").mkdir()
    (work / "link").symlink_to("kept")
    (work / "kept").write_text("old")
    assert "an empty name is that of no file" in said(cornet(*call, "", "--data", log_of_a_game, cwd=work))
    for place in (".", "/", "folder", "pipe", "/dev/null", "none/file"):
        assert "cannot be written" in said(cornet(*call, place, "--data", log_of_a_game, cwd=work))
    assert {path.name for path in work.iterdir()} == {"pipe", "folder", "link", "kept"}
    assert cornet(*call, "link", "--data", log_of_a_game, cwd=work).returncode == 0
    assert (work / "link").is_symlink()
    assert (work / "kept").stat().st_size > 3


@pytest.mark.parametrize("call", [["export", "1", "--bundle"], ["fairness", "--report"]], ids=["export", "fairness"])
def test_nothing_is_written_over_what_is_kept_beside_the_log(
    log_of_a_game: Path, call: list[str], capfd: pytest.CaptureFixture[str]
) -> None:
    work = log_of_a_game.parent
    frames = work / "elsewhere"
    (log_of_a_game / "frames").rename(frames)
    (log_of_a_game / "frames").symlink_to(frames)
    (work / "link").symlink_to(log_of_a_game / "cornet.db")
    (work / "twin").hardlink_to(log_of_a_game / "cornet.db")
    (work / "folder").symlink_to(log_of_a_game)
    (log_of_a_game / "seeds").mkdir()
    before = {path: path.read_bytes() for path in work.rglob("*") if path.is_file()}
    kept = ["data/cornet.db", "data/cornet.db-wal", "data/cornet.db-journal", "data/pin", "data/lock", "data/seeds/1"]
    kept += ["folder/cornet.db", "link", "twin", "data/../data/seeds/2.zip", "data/frames/3.html"]
    kept += ["elsewhere/4.jpg", "elsewhere", "folder/tray.toml"]
    for name in kept:
        assert main([*call, str(work / name), "--data", str(log_of_a_game)]) == 2
        out, error = capfd.readouterr()
        assert (out, error.count("\n")) == ("", 1)
        assert "belongs to what is kept" in error
    assert {path: path.read_bytes() for path in work.rglob("*") if path.is_file()} == before


def test_a_bundle_is_not_written_over_by_what_is_taken_out_of_it(log_of_a_game: Path) -> None:
    bundle = log_of_a_game / "game.zip"
    assert cornet("export", "1", "--data", log_of_a_game, "--bundle", bundle).returncode == 0
    whole = bundle.read_bytes()
    assert "name another file" in said(cornet("export", "1", "--data", bundle, "--bundle", bundle))
    assert "name another file" in said(cornet("fairness", "--data", bundle, "--report", bundle))
    assert bundle.read_bytes() == whole


def test_a_bundle_says_what_is_not_in_it(log_of_a_game: Path, tmp_path: Path) -> None:
    (picture,) = (log_of_a_game / "frames").glob("*.jpg")
    picture.unlink()
    done = cornet("export", "1", "--data", log_of_a_game, "--bundle", tmp_path / "game.zip")
    assert done.returncode == 0
    assert f"frames/{picture.name} is not there any more: the bundle is without it." in done.stderr.decode()


def test_a_picture_that_cannot_be_read_makes_no_bundle(log_of_a_game: Path) -> None:
    bundle = log_of_a_game / "game.zip"
    assert cornet("export", "1", "--data", log_of_a_game, "--bundle", bundle).returncode == 0
    content = bytearray(bundle.read_bytes())
    content[content.index(b".jpg") + len(".jpg") + 2] ^= 1
    bundle.write_bytes(content)
    again = log_of_a_game / "again.zip"
    assert "is damaged in the bundle" in said(cornet("export", "1", "--data", bundle, "--bundle", again))
    assert not list(log_of_a_game.glob("again*"))
