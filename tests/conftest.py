"""A whole running cornet for tests."""

import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest

ROOT = Path(__file__).parents[1]
CORNET = [sys.executable, "-c", "import sys; from server.cli import main; sys.exit(main())"]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}


def cornet(*words: str | Path, given: bytes = b"", cwd: Path | None = None) -> subprocess.CompletedProcess[bytes]:
    """A command as a stranger calls it, run to its end."""
    call = [*CORNET, *map(str, words)]
    return subprocess.run(call, input=given, capture_output=True, cwd=cwd, env=ENVIRONMENT, timeout=60, check=False)


def said(finished: subprocess.CompletedProcess[bytes]) -> str:
    """The one sentence on standard error of a call that is wrong; nothing stands on standard output."""
    assert finished.returncode == 2
    assert finished.stdout == b""
    text = finished.stderr.decode()
    assert text.count("\n") == 1, text
    return text


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """One more than there are processors: a test that watches a page or a program waits for a third of its time."""
    return (os.cpu_count() or 1) + 1


def pytest_configure() -> None:
    """A suite that was started in the background ignores Ctrl-C, and so would all that it starts."""
    for number in (signal.SIGINT, signal.SIGHUP):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, signal.default_int_handler)


@pytest.fixture(autouse=True)
def _ends() -> Iterator[None]:
    """Ctrl-C ends the suite again, also after a command in this process has taken it for itself."""
    ends = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    yield
    for number, handler in ends.items():
        signal.signal(number, handler)


class Running(NamedTuple):
    """A process that serves, and its address."""

    process: Any  # one of `subprocess`, or, if it was forked, of `multiprocessing`
    address: str

    def ask(self, path: str, body: Any = None, method: str | None = None) -> Any:
        """The answer to a request as JSON."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.address + path, data=data, method=method)
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)

    def at_rest(self) -> Any:
        """The state once no throw is under way, as its stream of events tells it; it must come within a minute."""
        ends_s = time.monotonic() + 60
        # The stream's heartbeat bounds every wait for a line.
        with urllib.request.urlopen(f"{self.address}/api/events", timeout=30) as stream:
            for line in stream:
                if line.startswith(b"data: "):
                    state = json.loads(line.removeprefix(b"data: "))
                    if state["machine"]["phase"] in ("ready", "fault"):
                        return state
                assert time.monotonic() < ends_s, "a throw has been under way for a minute"
        raise AssertionError("the stream of events has ended")


RunCornet = Callable[..., AbstractContextManager[Running]]


@contextmanager
def running(data: Path, *words: str, program: Sequence[str] = CORNET) -> Iterator[Running]:
    """`cornet run` on this directory with these further words, killed at the end if it still runs."""
    call = [*program, "run", "--port", "0", "--data", str(data), *words]
    process = subprocess.Popen(call, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT)
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line.startswith("Cornet is at "), process.communicate()[1]
        yield Running(process, line.split()[3].rstrip(";"))
    finally:
        process.kill()
        process.communicate()


@pytest.fixture
def run_cornet() -> RunCornet:
    """Starts a cornet as a process of its own."""
    return running


@pytest.fixture
def quick(tmp_path: Path) -> str:
    """A file of settings in which the cone does not take its time."""
    path = tmp_path / "quick.toml"
    path.write_text("tumble_s = 0.0\n")
    return str(path)
