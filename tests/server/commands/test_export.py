"""`cornet export`: what it hands out, and what it leaves alone."""

import json
import os
import sqlite3
from pathlib import Path

import pytest

from server.log import Log
from tests.conftest import RunCornet, cornet, said


def test_an_evening_is_exported_and_audited(run_cornet: RunCornet, tmp_path: Path) -> None:
    with run_cornet(tmp_path, "--camera", "none") as running:
        running.ask("/api/games", {"game": "vingt-six", "players": ["Ana", "Bo"]})
        game_id = running.ask("/api/state")["game_id"]
        running.ask("/api/actions", {"action": {"do": "bet", "chips": 2}})
        audited = cornet("audit", tmp_path)
        assert (audited.returncode, audited.stderr) == (0, b"")
        assert b"4 events, 0 pictures read again, 1 games replayed: no difference." in audited.stdout
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
    log.append("throw", {})
    log.close()
    assert "see what cornet audit says" in said(cornet("export", "1", "--data", tmp_path))


@pytest.fixture
def log_of_a_game(tmp_path: Path) -> Path:
    """A directory whose log has one game, its first event, and a throw that was refused."""
    log = Log(tmp_path / "data")
    log.append(
        "game", {"game": "vingt-cinq", "players": ["Ana", "Bo"], "options": {}, "at": "2026-11-22T20:00:00+00:00"}
    )
    log.append("press", {"needs": 5})
    frame = log.keep_frame(b"a picture")
    log.append("refused", {"press": 2, "needs": 5, "dice": [], "verdict": "bad-light", "frame": frame})
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
    for place in (".", "", "/", "folder", "pipe", "/dev/null", "none/file"):
        assert "cannot be written" in said(cornet(*call, place, "--data", log_of_a_game, cwd=work))
    assert {path.name for path in work.iterdir()} == {"pipe", "folder", "link", "kept"}
    assert cornet(*call, "link", "--data", log_of_a_game, cwd=work).returncode == 0
    assert (work / "link").is_symlink()
    assert (work / "kept").stat().st_size > 3


def test_a_picture_that_cannot_be_read_makes_no_bundle(log_of_a_game: Path) -> None:
    bundle = log_of_a_game / "game.zip"
    assert cornet("export", "1", "--data", log_of_a_game, "--bundle", bundle).returncode == 0
    content = bytearray(bundle.read_bytes())
    content[content.index(b".jpg") + len(".jpg") + 2] ^= 1
    bundle.write_bytes(content)
    again = log_of_a_game / "again.zip"
    assert "is damaged in the bundle" in said(cornet("export", "1", "--data", bundle, "--bundle", again))
    assert not list(log_of_a_game.glob("again*"))
