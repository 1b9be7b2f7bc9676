"""Throws outside a game: what is written down, what interrupts them, and how they go on."""

import json
import os
import pty
import signal
import sqlite3
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from server.log import Log
from server.stage import NotNow
from tests.conftest import CORNET, ENVIRONMENT, RunCornet

from .conftest import MakeTable, blind, bodies, state

ASKED = {"count": 3, "set": "ivory", "dice": 10, "tower": "sim", "camera": "none"}
Done = subprocess.CompletedProcess[str]


def kinds(directory: Path) -> list[str]:
    return [event["kind"] for event in bodies(directory) if event["kind"] not in ("boot", "seed", "reveal")]


def call(data: Path, *words: str) -> list[str]:
    return [*CORNET, "throw", "--camera", "none", "--data", str(data), *words]


def cornet_throw(data: Path, *words: str) -> Done:
    return subprocess.run(call(data, *words), capture_output=True, text=True, env=ENVIRONMENT, timeout=60, check=False)


# At the table


def test_throws_of_a_soak_are_written_down_and_change_no_game(make_table: MakeTable, tmp_path: Path) -> None:
    table = make_table()
    table.start_game("vingt-cinq", ["Ana", "Bo"], {}, "console")
    table.press("console", None, None)
    names = ("game", "last", "throws", "offers")
    before = {name: state(table)[name] for name in names}
    soak = table.begin_soak(ASKED, "console")
    for _ in range(3):
        table.try_dice(soak, "console")
    assert {name: state(table)[name] for name in names} == before
    assert kinds(tmp_path) == ["game", "press", "throw", "soak", *["press", "trial"] * 3]
    trials = [event for event in bodies(tmp_path) if event["kind"] == "trial"]
    assert all(len(trial["dice"]) == 10 and trial["soak"] == soak.event for trial in trials)
    assert not any("counted" in trial or "faces" in trial or "needs" in trial for trial in trials)
    assert (soak.thrown, sum(soak.faces.values())) == (3, 30)
    again = make_table()
    assert again.ask(lambda standing: standing.soaks) == {soak.event: soak}
    assert state(again)["game"] == before["game"]
    offer = state(again)["offers"][0]
    again.act({"do": "keep", "dice": offer["dice"]["one_of"][-1]}, "console", None, None)


def test_refused_readings_are_counted_by_their_verdict(make_table: MakeTable, tmp_path: Path) -> None:
    table = make_table(**blind({1: "cocked", 2: "missing", 4: "cocked"}))
    soak = table.begin_soak(ASKED, "console")
    for _ in range(3):
        table.try_dice(soak, "console")
    assert (soak.thrown, dict(soak.refused)) == (3, {"cocked": 2, "wrong-count": 1})
    assert kinds(tmp_path) == [
        "soak",
        "press",
        *["refused"] * 2,
        "trial",
        "press",
        "refused",
        "trial",
        "press",
        "trial",
    ]
    assert state(table)["throws"] == []


def test_dice_that_did_not_move_since_the_last_game_are_seen_in_a_soak(make_table: MakeTable) -> None:
    table = make_table(**blind({2: "still"}))
    table.start_game("vingt-cinq", ["Ana", "Bo"], {}, "console")
    table.press("console", None, None)
    soak = table.begin_soak(ASKED, "console")
    table.try_dice(soak, "console")
    assert state(table)["machine"]["fault"]["name"] == "dice-did-not-move"
    assert soak.thrown == 0
    for ask in (lambda: table.try_dice(soak, "console"), lambda: table.begin_soak(ASKED, "console")):
        with pytest.raises(NotNow, match="dice-did-not-move"):
            ask()


def test_a_throw_of_no_soak_is_a_forgery(make_table: MakeTable, tmp_path: Path) -> None:
    make_table().begin_soak(ASKED, "console")
    log = make_table()._log
    log.append("trial", {"soak": 99, "dice": [], "verdict": "ok"})
    assert state(make_table())["machine"]["fault"]["name"] == "storage"


# From the command line


def test_one_throw_is_a_summary_on_standard_output_and_nothing_else(tmp_path: Path, quick: str) -> None:
    done = cornet_throw(tmp_path, "--config", quick, "--set", "casino red", "--expect", "3")
    assert (done.returncode, done.stderr) == (0, "")
    said = json.loads(done.stdout)
    assert said.items() >= {"count": 1, "thrown": 1, "set": "casino red", "dice": 3, "simulated": True}.items()
    assert len(said["last"]["faces"]) == sum(said["faces"]) == 3
    (trial,) = [event for event in bodies(tmp_path) if event["kind"] == "trial"]
    assert (trial["kind"], [die["face"] for die in trial["dice"]]) == ("trial", said["last"]["faces"])


def test_a_picture_is_kept_and_read_again_by_the_audit(tmp_path: Path, quick: str) -> None:
    done = cornet_throw(tmp_path, "--config", quick, "--camera", "rendered", "--seed", "7")
    picture = tmp_path / "frames" / f"{json.loads(done.stdout)['last']['frame']}.jpg"
    audit = [*CORNET, "audit", str(tmp_path)]
    clean = subprocess.run(audit, capture_output=True, text=True, env=ENVIRONMENT, check=False)
    assert "1 picture read again, 0 games replayed: no difference" in clean.stdout
    picture.write_bytes(picture.read_bytes() + b"\0")
    changed = subprocess.run(audit, capture_output=True, text=True, env=ENVIRONMENT, check=False)
    assert (changed.returncode, "its picture has been changed" in changed.stdout) == (1, True)


def run_until(data: Path, thrown: int, end: signal.Signals, *words: str) -> tuple[int, str, str]:
    """Begin a soak, and send a signal once so many throws are in the log; status, output, errors."""
    process = subprocess.Popen(
        call(data, *words), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT
    )
    wait(process, lambda: kinds_if_any(data).count("trial") >= thrown)
    process.send_signal(end)
    out, errors = process.communicate(timeout=30)
    return process.returncode, out, errors


def wait(process: subprocess.Popen[str], until: Callable[[], bool]) -> None:
    """Look until it is so, or the process has ended; one that brings nothing about within a minute is killed."""
    ends_s = time.monotonic() + 60
    while process.poll() is None and not until():
        if time.monotonic() > ends_s:
            process.kill()
            raise AssertionError(process.communicate())


def kinds_if_any(directory: Path) -> list[str]:
    try:
        return kinds(directory)
    except sqlite3.OperationalError:
        return []  # the log is not there yet


def test_a_soak_that_was_killed_goes_on_to_its_count(tmp_path: Path, quick: str) -> None:
    words = ("--config", quick, "--count", "120")
    assert run_until(tmp_path, 9, signal.SIGKILL, *words) == (-signal.SIGKILL, "", "")
    done = cornet_throw(tmp_path, *words)
    assert (done.returncode, done.stderr) == (0, "")
    said = json.loads(done.stdout)
    assert 9 <= said["resumed_at"] < said["thrown"] == 120
    assert kinds(tmp_path).count("trial") == 120
    assert kinds(tmp_path).count("soak") == 1
    assert sum(said["faces"]) == 1200
    assert kinds(tmp_path).count("void") == kinds(tmp_path).count("press") - 120 <= 1


def test_another_call_in_between_is_another_soak(make_table: MakeTable, tmp_path: Path, quick: str) -> None:
    table = make_table()
    table.try_dice(table.begin_soak(ASKED, "console"), "console")
    table._log.close()
    said = json.loads(cornet_throw(tmp_path, "--config", quick, "--count", "3", "--set", "ebony").stdout)
    assert (said["resumed_at"], said["thrown"]) == (0, 3)
    said = json.loads(cornet_throw(tmp_path, "--config", quick, "--count", "3", "--set", "ivory").stdout)
    assert (said["resumed_at"], said["thrown"]) == (1, 3)
    assert kinds(tmp_path).count("soak") == 2


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_whoever_stops_a_soak_is_told_how_far_it_is(tmp_path: Path, quick: str, end: signal.Signals) -> None:
    status, out, errors = run_until(tmp_path, 3, end, "--config", quick, "--count", "99999")
    thrown = kinds(tmp_path).count("trial")
    assert status == 1
    assert (json.loads(out)["thrown"], json.loads(out)["count"]) == (thrown, 99999)
    assert errors == f"{thrown} of 99999 throws are done; the same command goes on with the next.\n"


def test_a_tumble_under_way_is_stopped_at_once_and_void(tmp_path: Path) -> None:
    slow = tmp_path / "slow.toml"
    slow.write_text("tumble_s = 10.0\n")
    process = subprocess.Popen(
        call(tmp_path, "--config", str(slow)),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=ENVIRONMENT,
    )
    wait(process, lambda: "press" in kinds_if_any(tmp_path))
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=60)
    assert (process.returncode, json.loads(out)["thrown"]) == (1, 0)
    assert kinds(tmp_path) == ["soak", "press"]
    Log(tmp_path).close()


def test_a_fault_ends_it_and_says_what_to_do(tmp_path: Path) -> None:
    for _ in range(2):
        done = cornet_throw(tmp_path, "--tower", "gpio", "--camera", "pi")
        assert (done.returncode, done.stdout) == (1, "")
        assert "in fault (no-tower)" in done.stderr.splitlines()[-1]
        assert "Traceback" not in done.stderr


def test_a_directory_in_use_is_refused(run_cornet: RunCornet, tmp_path: Path) -> None:
    with run_cornet(tmp_path, "--camera", "none"):
        before = kinds(tmp_path)
        done = cornet_throw(tmp_path)
        assert (done.returncode, done.stdout) == (2, "")
        assert "is in use by another Cornet" in done.stderr
        assert kinds(tmp_path) == before


def test_on_a_terminal_there_is_a_bar_on_standard_error(tmp_path: Path, quick: str) -> None:
    leader, follower = pty.openpty()
    with subprocess.Popen(
        call(tmp_path, "--config", quick, "--count", "2"),
        stdout=subprocess.PIPE,
        stderr=follower,
        env={**ENVIRONMENT, "TERM": "xterm", "COLUMNS": "100"},
    ) as process:
        assert process.stdout is not None
        said = json.loads(process.stdout.read())
    os.close(follower)
    shown = os.read(leader, 65536).decode()
    os.close(leader)
    assert said["thrown"] == 2
    assert "2/2" in shown
