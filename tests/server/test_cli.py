"""The command line as a stranger uses it: whole processes."""

import io
import json
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from server.cli import main
from server.log import Log
from tests.conftest import CORNET, ENVIRONMENT, RunCornet, running

RECORD = {"format": 1, "game": "vingt-cinq", "players": ["Ana", "Bo"], "actions": []}


def cornet(*words: str | Path, given: bytes = b"", cwd: Path | None = None) -> subprocess.CompletedProcess[bytes]:
    call = [*CORNET, *map(str, words)]
    return subprocess.run(call, input=given, capture_output=True, cwd=cwd, env=ENVIRONMENT, timeout=60, check=False)


def said(finished: subprocess.CompletedProcess[bytes]) -> str:
    """The one sentence on standard error of a call that is wrong; nothing stands on standard output."""
    assert finished.returncode == 2
    assert finished.stdout == b""
    text = finished.stderr.decode()
    assert text.count("\n") == 1, text
    return text


def refusal(finished: subprocess.CompletedProcess[bytes]) -> Any:
    error = json.loads(said(finished))["error"]
    assert error.keys() == {"action", "message"}
    return error["action"]


def test_a_record_is_replayed_from_a_file_and_from_standard_input(tmp_path: Path) -> None:
    path = tmp_path / "record.json"
    path.write_text(json.dumps(RECORD))
    from_file, from_input = cornet("replay", path), cornet("replay", "-", given=path.read_bytes())
    assert (from_file.returncode, from_file.stderr) == (0, b"")
    assert json.loads(from_file.stdout)["turn"] == {"player": "Ana", "dice": 5, "legal": ["throw"]}
    assert from_input.stdout == from_file.stdout
    assert json.loads(cornet("replay", "--as", "Bo", path).stdout) == json.loads(from_file.stdout)


def test_a_refused_record_is_one_json_object_on_standard_error(tmp_path: Path) -> None:
    path = tmp_path / "record.json"
    path.write_text(json.dumps({**RECORD, "actions": [{"do": "throw", "dice": [1, 1, 1, 1, 7]}]}))
    assert refusal(cornet("replay", path)) == 0
    assert refusal(cornet("replay", "--as", "Eve", "-", given=json.dumps(RECORD).encode())) is None
    assert refusal(cornet("replay", tmp_path / "none.json")) is None
    assert refusal(cornet("replay", tmp_path)) is None
    assert refusal(cornet("replay")) is None
    assert refusal(cornet("replay", "--nonsense", path)) is None
    assert refusal(cornet("replay", "--line", path)) is None
    assert refusal(cornet("replay", "--lines", "--as", "Ana", path)) is None
    assert refusal(cornet("replay", "--lines", tmp_path / "none.jsonl")) is None


@pytest.mark.parametrize("name", ["-Bo", "--", "--lines", "-", "Zoé", "=x"])
def test_any_name_can_be_a_viewer(name: str) -> None:
    record = json.dumps({**RECORD, "players": ["Ana", name]}).encode()
    finished = cornet("replay", "--as", name, "-", given=record)
    assert (finished.returncode, json.loads(finished.stdout)["players"]) == (0, ["Ana", name])


def test_lines_are_answered_in_order(tmp_path: Path) -> None:
    path = tmp_path / "records.jsonl"
    path.write_bytes(json.dumps(RECORD).encode() + b"\n\nnonsense\n" + json.dumps(RECORD).encode())
    finished = cornet("replay", "--lines", path)
    answers = [json.loads(line) for line in finished.stdout.splitlines()]
    assert (finished.returncode, finished.stderr) == (0, b"")
    assert [answer.get("game") for answer in answers] == ["vingt-cinq", None, None, "vingt-cinq"]
    assert cornet("replay", "--lines", "-").stdout == b""


def test_whoever_stops_reading_lines_ends_the_replay(tmp_path: Path) -> None:
    path = tmp_path / "records.jsonl"
    path.write_bytes((json.dumps(RECORD).encode() + b"\n") * 5000)
    call = [*CORNET, "replay", "--lines", str(path)]
    with subprocess.Popen(call, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ENVIRONMENT) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        running.stdout.readline()
        running.stdout.close()
        assert running.stderr.read() == b""
        assert running.wait() == 1


@pytest.mark.parametrize(("redirection", "status"), [("<&-", 2), (">&-", 2), (">/dev/full", 1)])
def test_closed_and_full_ends_are_one_sentence(redirection: str, status: int) -> None:
    program = f'echo \'{json.dumps(RECORD)}\' | {{ "$0" -c "$1" replay - {redirection}; }}'
    call = ["sh", "-c", program, *CORNET[::2]]
    finished = subprocess.run(call, capture_output=True, env=ENVIRONMENT, check=False)
    assert finished.returncode == status
    assert b"Traceback" not in finished.stderr
    assert finished.stderr.count(b"\n") == 1


@pytest.mark.parametrize("words", ["--help", "odds --help"])
def test_help_that_cannot_be_written_is_a_failed_job(words: str) -> None:
    call = ["sh", "-c", f'"$0" -c "$1" {words} >/dev/full', *CORNET[::2]]
    finished = subprocess.run(call, stderr=subprocess.PIPE, env=ENVIRONMENT, check=False)
    assert finished.returncode == 1
    assert (
        finished.stderr
        == b"The output cannot be written (No space left on device): make room, or write it elsewhere.\n"
    )


@pytest.mark.parametrize("redirection", ["2>&-", "2>/dev/full"])
@pytest.mark.parametrize("words", ["odds poker", "replay nowhere.json", "settle nowhere"])
def test_an_error_that_nobody_can_be_told_is_in_the_exit_status_and_nowhere_else(words: str, redirection: str) -> None:
    call = ["sh", "-c", f'"$0" -c "$1" {words} {redirection}', *CORNET[::2]]
    finished = subprocess.run(call, stdout=subprocess.PIPE, env=ENVIRONMENT, check=False)
    assert (finished.returncode, finished.stdout) == (2, b"")


def test_ctrl_c_is_no_traceback() -> None:
    call = [*CORNET, "replay", "--lines", "-"]
    with subprocess.Popen(call, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        assert running.stdin is not None
        assert running.stdout is not None
        # More than any buffer holds, so that an answer comes before the end.
        running.stdin.write((json.dumps(RECORD).encode() + b"\n") * 200)
        running.stdin.flush()
        running.stdout.readline()
        running.send_signal(signal.SIGINT)
        _, errors = running.communicate(timeout=30)
    assert (running.returncode, errors) == (128 + signal.SIGINT, b"")


def test_a_replay_loads_none_of_the_heavy_parts() -> None:
    program = (
        "import sys; from server.cli import main; main(['replay', '-']);"
        "print([name for name in ('cv2', 'numpy', 'flask', 'waitress', 'gpiozero', 'rich') if name in sys.modules])"
    )
    call = [sys.executable, "-c", program]
    finished = subprocess.run(call, input=json.dumps(RECORD).encode(), capture_output=True, env=ENVIRONMENT, check=True)
    assert finished.stdout.splitlines()[-1] == b"[]"


@pytest.mark.parametrize(
    "command",
    [
        [],
        ["run"],
        ["replay"],
        ["read"],
        ["evaluate"],
        ["settle"],
        ["odds"],
        ["fairness"],
        ["audit"],
        ["export"],
        ["throw"],
        ["doctor"],
    ],
)
def test_help_is_given_with_an_example(command: Sequence[str], capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main([*command, "--help"])
    out, error = capfd.readouterr()
    assert (ended.value.code, error) == (0, "")
    assert f"Example: cornet {' '.join(command)}" in out


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ([], "COMMAND"),
        (["dance"], "dance"),
        (["--", "run"], "cornet --help"),
        (["--speed", "run"], "--speed"),
        (["settle", "x" * 300], "cannot be used (File name too long)"),
        (["audit", "x" * 300], "cannot be used (File name too long)"),
        (["fairness", "--data", "x" * 300], "cannot be used (File name too long)"),
        (["run", "--port", "0", "--data", "x" * 300], "cannot be used (File name too long)"),
        (["run", "--port", "0", "--camera", f"frames:{'x' * 300}"], "cannot be used (File name too long)"),
        (["odds", "421", "421"], "cornet odds: unrecognized arguments: 421"),
        (["run", "--speed", "9"], "--speed"),
        (["run", "--port", "99999"], "99999 is no port"),
        (["run", "--camera", "webcam"], "webcam is no camera"),
        (["run", "--camera", "usb"], "simulated tower cannot be watched by a live camera"),
        (["run", "--tower", "gpio", "--camera", "rendered"], "A real tower needs a camera that sees it"),
        (["run", "--tower", "gpio", "--camera", "none"], "A real tower needs a camera that sees it"),
        (["run", "--camera", "frames:nowhere"], "nowhere is no folder"),
        (["run", "--camera", "frames:."], "no pictures"),
        (["run", "--config", "nowhere.toml"], "cannot be read"),
        (["run", "--host", "no such host"], "no such host is no address"),
        (["throw", "--count", "0"], "no whole number from 1"),
        (["throw", "--count", "1e3"], "no whole number from 1"),
        (["throw", "--expect", "25"], '"dice" must be a whole number from 1 to 24, not 25'),
        (["throw", "--set", "two\nlines"], "no name"),
        (["throw", "--port", "9000"], "--port"),
        (["throw", "--camera", "pi"], "simulated tower cannot be watched by a live camera"),
        (["throw", "--camera", "frames:nowhere"], "nowhere is no folder"),
        (["throw", "--config", "nowhere.toml"], "cannot be read"),
        (["read"], "IMAGE"),
        (["read", "--expect", "few", "x.jpg"], "few is no whole number"),
        (["read", "--expect", "-1", "x.jpg"], "-1 is no whole number from 0"),
        (["evaluate", "nowhere.json"], "nowhere.json"),
        (["settle", "nowhere.mp4"], "neither a video nor a folder"),
        (["settle", "."], "There are no frames"),
        (["settle", __file__], "There are no frames"),
        (["odds", "poker"], "poker"),
        (["odds", "thousand-cards"], "no odds"),
        (["odds", "421", "--options", "{"], "--options must be a JSON object: This is no JSON"),
        (["odds", "421", "--options", "[]"], "must be a JSON object"),
        (["odds", "421", "--options", '{"version": "12"}'], "must be one of"),
        (["fairness"], "data is neither"),
        (["fairness", "--counts", "1,2,3"], "six whole numbers"),
        (["fairness", "--counts", "-1,2,3,4,5,6"], "six whole numbers"),
        (["run", "--port", "-1"], "-1 is no port"),
        (["fairness", "--counts", "0,0,0,0,0,0"], "at least one die"),
        (["audit", "nowhere"], "bundle of cornet export (No such file or directory): name one of them"),
        (["audit", "."], "There is no log"),
        (["pin", "--data", "new/folder"], "6 to 32 digits"),
        (["export", "1"], "data is neither"),
        (["export", "first"], "first is no whole number"),
    ],
)
def test_a_wrong_call_is_one_sentence_and_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], words: Sequence[str], says: str
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.stdin", io.StringIO())
    status = main(words)
    out, error = capfd.readouterr()
    assert (status, out, error.count("\n")) == (2, "", 1), error
    assert says in error
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "words",
    [
        ["a.jpg", "b.jpg", "--expect", "2"],
        ["a.jpg", "--expect", "2", "b.jpg"],
        ["--expect", "2", "a.jpg", "b.jpg"],
        ["--expect", "2", "--", "a.jpg", "b.jpg"],
    ],
)
def test_pictures_stand_before_between_and_after_options(words: list[str], capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["read", *words]) == 2
    assert [json.loads(line)["file"] for line in capfd.readouterr().out.splitlines()] == ["a.jpg", "b.jpg"]


def test_a_busy_port_is_said_and_changes_nothing(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert f"Port {port}" in said(cornet("run", "--port", str(port), cwd=tmp_path))
    assert list(tmp_path.iterdir()) == []


def test_an_address_is_printed_as_a_browser_takes_it(tmp_path: Path) -> None:
    with socket.socket(socket.AF_INET6) as tried:
        try:
            tried.bind(("::1", 0))
        except OSError:
            pytest.skip("this machine has no ::1")
    with running(tmp_path, "--host", "::1", "--camera", "none") as served:
        assert served.address.startswith("http://[::1]:")
        assert served.ask("/api/state")["simulated"]


def test_a_data_directory_that_cannot_be_used_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("kept")
    assert "cannot be written" in said(cornet("run", "--port", "0", "--data", tmp_path / "file"))
    newer = tmp_path / "newer"
    newer.mkdir()
    database = sqlite3.connect(newer / "cornet.db")
    database.execute("PRAGMA user_version = 99")
    database.close()
    before = (newer / "cornet.db").read_bytes()
    assert "newer Cornet" in said(cornet("run", "--port", "0", "--data", newer))
    assert (newer / "cornet.db").read_bytes() == before


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_it_stops_cleanly_while_somebody_watches(run_cornet: RunCornet, tmp_path: Path, number: signal.Signals) -> None:
    with run_cornet(tmp_path, "--camera", "none") as (process, address):
        with urllib.request.urlopen(f"{address}/api/events", timeout=60) as stream:
            assert stream.readline().startswith(b"retry")
            process.send_signal(number)
            stream.read()
        assert process.wait(timeout=60) == 0
        assert process.stderr is not None
        assert process.stderr.read() == ""


def test_a_kill_loses_nothing_that_was_shown(run_cornet: RunCornet, tmp_path: Path) -> None:
    with run_cornet(tmp_path, "--camera", "none") as cornet:
        cornet.ask("/api/games", {"game": "vingt-six", "players": ["Ana", "Bo"]})
        cornet.ask("/api/actions", {"action": {"do": "bet", "chips": 2}})
        before = cornet.ask("/api/state")
        cornet.process.kill()
        cornet.process.wait()
    with run_cornet(tmp_path, "--camera", "none") as cornet:
        after = cornet.ask("/api/state")
    assert after["game"] == before["game"]
    assert after["seq"] > before["seq"]


def test_the_odds_of_a_game_are_one_object() -> None:
    finished = cornet("odds", "vingt-six", "--options", '{"bet": 3}')
    answer = json.loads(finished.stdout)
    assert (finished.returncode, finished.stderr) == (0, b"")
    assert (answer["game"], answer["options"]["bet"]) == ("vingt-six", 3)
    assert 0.195 < answer["figures"]["p_win"] < 0.196


def test_counts_from_elsewhere_are_judged() -> None:
    finished = cornet("fairness", "--counts", "53222,52118,52465,52338,52244,53285")
    answer = json.loads(finished.stdout)
    names = "dice chi2 df p chi2_axes p_axes evidence_faces evidence_axes evidence"
    assert (finished.returncode, finished.stderr, list(answer)) == (0, b"", names.split())
    assert answer["dice"] == 315_672
    assert 1000 < answer["evidence"] < 1003


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


@pytest.mark.parametrize(
    "events",
    [
        [("boot", {})],
        [("correction", {})],
        [("correction", {"throw": []})],
        [("boot", {"simulated": False}), ("throw", {"dice": [{"face": 1}]})],
        [("boot", {"simulated": False, "tower": "gpio", "turns": 3}), ("throw", {"dice": [{}], "verdict": "ok"})],
        [("boot", {"simulated": False, "turns": []}), ("refused", {"dice": None})],
    ],
)
@pytest.mark.parametrize("more", [["--json"], ["--turns"], ["--report", "page.html"]])
def test_of_a_forged_log_no_evidence_is_told(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    events: list[tuple[str, dict[str, Any]]],
    more: list[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    log = Log(tmp_path)
    for kind, body in events:
        log.append(kind, body)
    log.close()
    status = main(["fairness", "--data", ".", *more])
    out, error = capfd.readouterr()
    assert (status, bool(out), error.count("\n")) in ((2, False, 1), (0, True, 0))
    assert "see what cornet audit says" in error or (more == ["--turns"] and status == 0)


def test_a_real_machine_with_nothing_connected_serves_its_fault_and_throws_nothing(
    run_cornet: RunCornet, tmp_path: Path
) -> None:
    with run_cornet(tmp_path, "--tower", "gpio") as cornet:
        found = cornet.ask("/api/state")
        assert (found["simulated"], found["tower"], found["camera"]) == (False, "gpio", "pi")
        assert found["machine"]["fault"]["name"] == "no-tower"
        for path, body in (("/api/games", {"game": "vingt-six", "players": ["Ana", "Bo"]}), ("/api/throw", {})):
            with pytest.raises(urllib.error.HTTPError, match="409"):
                cornet.ask(path, body)
        with pytest.raises(urllib.error.HTTPError, match="503"):
            cornet.ask("/healthz")
        cornet.process.send_signal(signal.SIGTERM)
        assert cornet.process.wait(timeout=60) == 0


def test_a_broken_chain_starts_the_pages_in_a_fault(run_cornet: RunCornet, tmp_path: Path) -> None:
    with run_cornet(tmp_path, "--camera", "none"):
        pass
    database = sqlite3.connect(tmp_path / "cornet.db")
    database.executescript("DROP TRIGGER events_stay; UPDATE events SET hash = '00'")
    database.close()
    with run_cornet(tmp_path, "--camera", "none") as cornet:
        assert cornet.ask("/api/state")["machine"]["phase"] == "fault"
        with pytest.raises(urllib.error.HTTPError, match="503"):
            cornet.ask("/healthz")
        with pytest.raises(urllib.error.HTTPError, match="409"):
            cornet.ask("/api/games", {"game": "vingt-six", "players": ["Ana", "Bo"]})


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


def test_a_picture_is_annotated_however_long_its_name(tmp_path: Path) -> None:
    long = tmp_path / f"{'é' * 125}.png"
    cv2.imencode(".png", np.full((20, 30, 3), 120, np.uint8))[1].tofile(long)
    finished = cornet("read", "--annotate", tmp_path / "out", long, long)
    assert (finished.returncode, finished.stderr, finished.stdout.count(b"\n")) == (0, b"", 2)
    assert len(list((tmp_path / "out").iterdir())) == 2


def test_what_was_read_is_told_also_where_it_cannot_be_drawn(tmp_path: Path) -> None:
    cv2.imwrite(str(tmp_path / "1.png"), np.full((20, 30, 3), 120, np.uint8))
    (tmp_path / "out" / "0000-1.jpg").mkdir(parents=True)
    finished = cornet("read", "--annotate", tmp_path / "out", tmp_path / "1.png")
    assert (finished.returncode, json.loads(finished.stdout)["verdict"]) == (2, "ok")
    assert finished.stderr.decode().endswith("0000-1.jpg cannot be written (It is no file): name another folder.\n")


def test_pictures_of_one_name_are_all_among_the_failures(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    three = {"face": 3, "box": [1, 1, 9, 9]}
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        cv2.imwrite(str(tmp_path / folder / "1.png"), np.full((20, 30, 3), 120, np.uint8))
    labels = [{"file": f"{folder}/1.png", "dice": [three]} for folder in ("a", "b")]
    (tmp_path / "labels.json").write_text(json.dumps({"images": labels}))
    assert main(["evaluate", "--json", "--worst", str(tmp_path / "worst"), str(tmp_path / "labels.json")]) == 0
    found = json.loads(capfd.readouterr().out)
    assert found["known"]["refused"]["count"] == found["unknown"]["silent"]["count"] == 2
    assert len(list((tmp_path / "worst").iterdir())) == 4


def test_the_pin_is_set_from_the_command_line_while_a_cornet_runs(run_cornet: RunCornet, tmp_path: Path) -> None:
    with run_cornet(tmp_path, "--camera", "none") as running:
        assert running.ask("/api/me")["pin"] is False
        assert "6 to 32 digits" in said(cornet("pin", "--data", tmp_path, given=b"12345\n"))
        finished = cornet("pin", "--data", tmp_path, given=b"271828\n")
        assert (finished.returncode, finished.stdout, finished.stderr) == (0, b"", b"")
        assert running.ask("/api/me")["pin"] is True
        assert running.ask("/api/login", {"pin": "271828"}) == {"role": "console"}
    (tmp_path / "file").write_bytes(b"")
    assert "name another --data" in said(cornet("pin", "--data", tmp_path / "file", given=b"271828"))
