"""The command line as a stranger uses it: whole processes."""

import io
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from server.cli import main
from tests.conftest import CORNET, ENVIRONMENT, cornet, said

RECORD = {"format": 1, "game": "vingt-cinq", "players": ["Ana", "Bo"], "actions": []}
PICTURE = Path(__file__).parents[1] / "recordings" / "studio_448_53_00022.jpg"


def refusal(finished: subprocess.CompletedProcess[bytes]) -> Any:
    error = json.loads(said(finished))["error"]
    assert error.keys() == {"action", "message"}
    return error["action"]


def sparse(path: Path) -> None:
    """A file that is larger than any memory and takes no room."""
    path.touch()
    os.truncate(path, 300_000_000_000)


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


def test_an_empty_name_is_no_record() -> None:
    finished = cornet("replay", "")
    assert refusal(finished) is None
    assert "an empty name is that of no file" in said(finished)


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


@pytest.mark.parametrize(
    "words",
    [
        ["run", "--port", "0", "--config"],
        ["read", "x.jpg", "--tray"],
        ["evaluate"],
        ["misread"],
        ["calibrate", "floor"],
        ["run", "--port", "0", "--camera", "frames:."],
    ],
)
@pytest.mark.parametrize("make", [os.mkfifo, lambda path: path.symlink_to("/dev/zero"), sparse])
def test_nobody_waits_for_what_is_no_file_or_reads_what_is_too_large(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], make: Callable[[Path], None]
) -> None:
    monkeypatch.chdir(tmp_path)
    make(tmp_path / "labels.json")
    error = said(cornet(*words, *([] if words[-1] == "frames:." else ["labels.json"]), cwd=tmp_path))
    assert "It is" in error or "cannot be used as labels" in error


@pytest.mark.parametrize("command", [["replay"], ["replay", "--lines"], ["advise"]])
def test_a_record_without_an_end_fills_no_memory(tmp_path: Path, command: list[str]) -> None:
    sparse(tmp_path / "zeros")
    for name in ("/dev/zero", str(tmp_path / "zeros")):
        assert "larger than 64 MB" in said(cornet(*command, name))


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="this system does not tell its threads")
def test_no_threads_wait_for_products_at_full_speed() -> None:
    told = "import os, server.cli; server.cli.main(['read']); import numpy; print(len(os.listdir('/proc/self/task')))"
    environment = {name: value for name, value in ENVIRONMENT.items() if name != "OPENBLAS_NUM_THREADS"}
    finished = subprocess.run([sys.executable, "-c", told], capture_output=True, env=environment, check=True)
    assert finished.stdout.split()[-1] == b"1"


def test_a_record_may_come_through_a_pipe() -> None:
    assert json.loads(cornet("replay", "/dev/stdin", given=json.dumps(RECORD).encode()).stdout)["game"] == "vingt-cinq"


def test_a_job_for_which_there_is_too_little_memory_fails_in_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr("server.commands.odds.run", fail)
    assert main(["odds", "421"]) == 1
    assert capfd.readouterr().err == "There is too little memory for this: end what else runs, or give it less to do.\n"


@pytest.mark.parametrize(("redirection", "status"), [("<&-", 2), (">&-", 2), (">/dev/full", 1)])
def test_closed_and_full_ends_are_one_sentence(redirection: str, status: int) -> None:
    program = f'echo \'{json.dumps(RECORD)}\' | {{ "$0" -c "$1" replay - {redirection}; }}'
    call = ["sh", "-c", program, *CORNET[::2]]
    finished = subprocess.run(call, capture_output=True, env=ENVIRONMENT, check=False)
    assert finished.returncode == status
    assert finished.stderr.count(b"\n") == 1
    assert json.loads(finished.stderr)["error"].keys() == {"action", "message"}


@pytest.mark.parametrize("words", ["doctor", "fairness --report page.html", "export 1 --bundle x.zip"])
def test_where_the_directory_is_gone_that_is_said(tmp_path: Path, words: str) -> None:
    call = ["sh", "-c", f'cd "$2" && rmdir "$2" && "$0" -c "$1" {words}', *CORNET[::2], str(tmp_path / "gone")]
    (tmp_path / "gone").mkdir()
    # As the installed command has it: no modules are looked for where it was begun (Python 3.13 stumbles over that).
    environment = {**ENVIRONMENT, "PYTHONSAFEPATH": "1"}
    finished = subprocess.run(call, capture_output=True, env=environment, check=False)
    assert said(finished) == "The directory in which this was begun is gone: change to one that is there.\n"


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
        (["doctor", "--tower", "gpio", "--camera", "rendered"], "A real tower needs a camera that sees it"),
        (["doctor", "--tower", "gpio", "--camera", "none"], "A real tower needs a camera that sees it"),
        (["calibrate", "floor", "--camera", "none"], "choose auto, pi, usb, rendered or frames:DIR"),
        (["calibrate"], "the following arguments are required: STEP;"),
        (["run", "--seed", "x"], "x is no whole number of 1 to 100 digits"),
        (["calibrate", "floor", "--seed", "1_0"], "1_0 is no whole number"),
        (["throw", "--seed", "9" * 5000], "99999999999999999999 is no whole number"),
        (["doctor", "--camera", "frames:nowhere"], "nowhere is no folder"),
        (["doctor", "--camera", "frames:."], "no pictures"),
        (["advise", ""], "an empty name is that of no file"),
        (["settle", ""], "an empty name is that of no file"),
        (["audit", ""], "an empty name is that of no file"),
        (["evaluate", ""], "an empty name is that of no file"),
        (["calibrate", "floor", ""], "an empty name is that of no file"),
        (["run", "--data", "", "--port", "0"], "an empty name is that of no file"),
        (["read", "--tray", "", "x.jpg"], "an empty name is that of no file"),
        (["run", "--camera", "frames:nowhere"], "nowhere is no folder"),
        (["run", "--camera", "frames:."], "no pictures"),
        (["run", "--config", "nowhere.toml"], "cannot be read"),
        (["run", "--host", "no such host"], "no such host is no address"),
        (["run", "--host", "192.0.2.77", "--port", "0"], "192.0.2.77 is no address of this machine"),
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
        (["read", "--expect", "9" * 5000, "x.jpg"], "99999999999999999999 is no whole number from 0 to 999999999"),
        (["throw", "--config", __file__], "are no TOML"),
        (["throw", "--config", __file__], "mend them, or give another file with --config"),
        (["evaluate", "nowhere.json"], "nowhere.json"),
        (["settle", "nowhere.mp4"], "neither a video nor a folder"),
        (["settle", "."], "There are no frames"),
        (["settle", __file__], "There are no frames"),
        (["settle", str(PICTURE)], "is a single picture"),
        (["odds", "poker"], "poker"),
        (["odds", "thousand-cards"], "no odds"),
        (["odds", "421", "--options", "{"], "--options must be a JSON object: This is no JSON"),
        (["odds", "421", "--options", "[]"], "must be a JSON object"),
        (["odds", "421", "--options", '{"version": "12"}'], "must be one of"),
        (["fairness"], "data is neither"),
        (["fairness", "--counts", "1,2,3"], "six whole numbers"),
        (["fairness", "--counts", "-1,2,3,4,5,6"], "six whole numbers"),
        (["run", "--port", "-1"], "-1 is no port"),
        (["run", "--port", "\u0663\u0664"], "\u0663\u0664 is no port"),
        (["run", "--port", "1" * 5000], "is no port"),
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


def test_an_empty_name_is_no_picture_and_the_others_are_read(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["read", "", "b.jpg"]) == 2
    first, second = map(json.loads, capfd.readouterr().out.splitlines())
    assert (first["file"], second["file"]) == ("", "b.jpg")
    assert first["error"].startswith("An empty name is that of no file")


def test_the_odds_of_a_game_are_one_object() -> None:
    finished = cornet("odds", "vingt-six", "--options", '{"bet": 3}')
    answer = json.loads(finished.stdout)
    assert (finished.returncode, finished.stderr) == (0, b"")
    assert (answer["game"], answer["options"]["bet"]) == ("vingt-six", 3)
    assert 0.195 < answer["figures"]["p_win"] < 0.196


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
