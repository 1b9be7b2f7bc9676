"""Word to systemd over a socket of our own, and lines of the journal."""

import json
import logging
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from server.service import JsonLines, Supervisor, at_end, feed, on_end, throw


@pytest.fixture
def listening(tmp_path: Path) -> Iterator[tuple[socket.socket, str]]:
    address = str(tmp_path / "notify")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listener:
        listener.bind(address)
        listener.setblocking(False)
        yield listener, address


def heard(listener: socket.socket) -> list[bytes]:
    words = []
    while True:
        try:
            words.append(listener.recv(1024))
        except BlockingIOError:
            return words


def test_a_state_arrives(listening: tuple[socket.socket, str]) -> None:
    listener, address = listening
    Supervisor(address).tell("READY=1")
    assert heard(listener) == [b"READY=1"]


def test_an_address_without_a_file_is_understood() -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listener:
        listener.bind("\0cornet-test-notify")
        listener.setblocking(False)
        Supervisor("@cornet-test-notify").tell("STOPPING=1")
        assert heard(listener) == [b"STOPPING=1"]


def test_outside_systemd_nothing_is_sent(caplog: pytest.LogCaptureFixture) -> None:
    Supervisor("").tell("READY=1")
    assert caplog.text == ""


def full(listener: socket.socket) -> None:
    """Send what nobody reads until no more fits in."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as to, suppress(BlockingIOError):
        to.setblocking(False)
        while True:
            to.sendto(b"more", listener.getsockname())


@pytest.mark.parametrize("lose", [socket.socket.close, full])
def test_a_socket_that_takes_nothing_any_more_is_said_once_and_stops_nothing(
    listening: tuple[socket.socket, str],
    lose: Callable[[socket.socket], None],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr("server.service._TELL_S", 0.01)
    listener, address = listening
    tell = Supervisor(address).tell
    tell("READY=1")
    assert not caplog.records
    lose(listener)
    stops = iter([False, False, True])
    feed(lambda seconds: next(stops), lambda: None, lambda: True, tell)
    tell("STOPPING=1")
    (record,) = caplog.records
    assert "systemd cannot be told WATCHDOG=1" in record.getMessage()


def test_the_watchdog_is_fed_only_while_all_is_fresh(listening: tuple[socket.socket, str]) -> None:
    listener, address = listening
    stops = iter([False, False, False, True])
    fresh = iter([True, False, True])
    tended: list[bool] = []
    feed(lambda seconds: next(stops), lambda: tended.append(True), lambda: next(fresh), Supervisor(address).tell)
    assert heard(listener) == [b"WATCHDOG=1"] * 2
    assert len(tended) == 3


def test_what_cannot_be_tended_ends_it(listening: tuple[socket.socket, str]) -> None:
    def tend() -> None:
        raise RuntimeError("hopeless")

    with pytest.raises(RuntimeError, match="hopeless"):
        feed(lambda seconds: False, tend, lambda: True, Supervisor(listening[1]).tell)
    assert heard(listening[0]) == []


def test_ends_are_heard_but_not_hanging_up_under_nohup() -> None:
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = [signal.getsignal(number) for number in numbers]
    ended: list[bool] = []
    try:
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        on_end(lambda: ended.append(True))
        for number in numbers:
            signal.raise_signal(number)
        assert len(ended) == 2
        signal.signal(signal.SIGHUP, signal.SIG_DFL)
        on_end(lambda: ended.append(True))
        signal.raise_signal(signal.SIGHUP)
        assert len(ended) == 3
    finally:
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)


def line(message: str, error: bool = False) -> dict[str, object]:
    try:
        raise ValueError("broken")
    except ValueError:
        info = sys.exc_info() if error else None
    record = logging.LogRecord("server.table", logging.WARNING, __file__, 1, message, (3,), info)
    text = JsonLines().format(record)
    assert "\n" not in text
    said: dict[str, object] = json.loads(text)
    return said


def test_the_journal_has_a_line_of_json_for_each_record() -> None:
    assert line("%d dice") == {"level": "WARNING", "logger": "server.table", "message": "3 dice"}
    assert "ValueError: broken" in str(line("%d", error=True)["traceback"])


def test_the_journal_names_the_throw() -> None:
    token = throw.set(42)
    try:
        assert line("%d dice")["throw"] == 42
    finally:
        throw.reset(token)


@pytest.mark.parametrize(("journal", "lines"), [(True, 1), (False, 0)])
def test_the_journal_has_what_the_motor_did_and_a_terminal_is_spared_it(journal: bool, lines: int) -> None:
    code = (
        "import logging; from server.service import log_to_standard_error; log_to_standard_error(); "
        "logging.getLogger('firmware.motion').info('The cone tumbled.'); logging.getLogger('PIL').info('nothing')"
    )
    environment = {name: value for name, value in os.environ.items() if name != "JOURNAL_STREAM"}
    environment |= {"JOURNAL_STREAM": "8:1"} if journal else {}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True)
    assert [json.loads(line)["message"] for line in done.stderr.splitlines()] == ["The cone tumbled."] * lines


def test_whoever_is_asked_to_end_while_he_holds_the_events_lock_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    before, stop = signal.getsignal(signal.SIGTERM), threading.Event()
    monkeypatch.setattr("server.service.on_end", lambda end: signal.signal(signal.SIGTERM, lambda *_: end()))
    try:
        at_end(stop.set)
        with vars(stop)["_cond"]:
            for _ in range(3):
                os.kill(os.getpid(), signal.SIGTERM)
        assert stop.wait(10.0)
    finally:
        signal.signal(signal.SIGTERM, before)
