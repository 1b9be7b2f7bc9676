"""What 200 watchers cost, and what a fool among them can spoil: `python tests/benchmarks/watchers.py`."""

import argparse
import asyncio
import json
import random
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import Any

from server.stage import SEQS

CORNET = [sys.executable, "-c", "import sys; from server.cli import main; sys.exit(main())"]
HOST = "127.0.0.1"
FOOL = "127.0.0.2"
STREAMS_AN_ADDRESS = 4
RETRY_S = 1.0  # what the server tells a browser


class Cornet:
    """A running cornet with the rendered camera and the reader, and its port."""

    def __init__(self, data: Path, port: int) -> None:
        self.data, self.port = data, port
        self.started = time.monotonic()
        call = [*CORNET, "run", "--port", str(port), "--data", str(data)]
        self.process = subprocess.Popen(call, stdout=subprocess.DEVNULL)

    def ask(self, path: str, body: Any = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"http://{HOST}:{self.port}{path}", data=data)
        with urllib.request.urlopen(request, timeout=20) as answer:
            return json.load(answer)

    def first_page_s(self) -> float:
        """From the start of the process to its first page."""
        while True:
            try:
                with urllib.request.urlopen(f"http://{HOST}:{self.port}/", timeout=20):
                    return time.monotonic() - self.started
            except urllib.error.URLError:
                time.sleep(0.01)

    def memory_mb(self, line: str) -> float:
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.split(f"{line}:")[1].split()[0]) / 1024

    def threads(self) -> int:
        return len(list(Path(f"/proc/{self.process.pid}/task").iterdir()))


class Crowd:
    """Watchers that reconnect as a browser does; notes how late each committed event came to each of them."""

    def __init__(self, port: int, count: int) -> None:
        self.port, self.count = port, count
        self.late_ms: list[float] = []
        self.spread_ms: list[float] = []
        self.watching: set[int] = set()
        self._seen: dict[bytes, tuple[float, float | None]] = {}  # of each event: when it first came, when committed
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        # A loop holds its tasks weakly: nobody else would keep one that waits for a stream.
        self._tasks: list[asyncio.Task[None]] = []
        self._loop.call_soon_threadsafe(self._gather)

    def _gather(self) -> None:
        self._tasks = [self._loop.create_task(self._watch(number)) for number in range(self.count)]

    def leave(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        for task in self._tasks:
            task.cancel()
        self._loop.run_until_complete(asyncio.gather(*self._tasks, return_exceptions=True))
        self._loop.close()

    async def _watch(self, number: int) -> None:
        address = f"127.0.{1 + number // 1000}.{1 + number // STREAMS_AN_ADDRESS}"
        while True:
            try:
                reader, writer = await asyncio.open_connection(HOST, self.port, local_addr=(address, 0), limit=2**20)
                writer.write(f"GET /api/events HTTP/1.1\r\nHost: {HOST}\r\n\r\n".encode())
                await self._follow(number, reader)
                writer.close()
            except (OSError, asyncio.IncompleteReadError):
                pass  # the cornet is away: a browser says nothing either, and asks again
            self.watching.discard(number)
            await asyncio.sleep(RETRY_S * random.uniform(0.5, 1.5))

    async def _follow(self, number: int, reader: asyncio.StreamReader) -> None:
        fresh = False
        while line := await reader.readline():
            if not line.startswith(b"data: "):
                continue
            now = time.time()
            self.watching.add(number)
            if fresh:
                self._note(line, now)
            fresh = True

    def _note(self, line: bytes, now: float) -> None:
        if line not in self._seen:
            # Two hundred watchers parse the same words once: this process is to cost little beside the measured one.
            state = json.loads(line[6:])
            committed = state["last"] if state["last"] and state["seq"] == state["last"]["event"] * SEQS else None
            self._seen[line] = now, committed and datetime.fromisoformat(committed["at"]).timestamp()
        first, committed_at = self._seen[line]
        self.spread_ms.append(1000 * (now - first))
        if committed_at is not None:
            self.late_ms.append(1000 * (now - committed_at))

    def wait_for_all(self) -> float:
        began = time.monotonic()
        while len(self.watching) < self.count:
            time.sleep(0.01)
        return time.monotonic() - began

    def forget(self) -> None:
        self.late_ms, self.spread_ms = [], []
        self._seen.clear()


def play(cornet: Cornet, seconds: float, watch: Callable[[], None]) -> int:
    """Press and act for so long; how many throws were read."""
    chance, ends, throws = random.Random(7), time.monotonic() + seconds, 0
    while time.monotonic() < ends:
        state = cornet.ask("/api/state")
        if state["game"] is None or state["game"]["finished"]:
            cornet.ask("/api/games", {"game": "vingt-cinq", "players": ["Ana", "Bo"]})
        elif "throw" in state["game"]["turn"]["legal"]:
            cornet.ask("/api/throw", {})
            while cornet.ask("/api/state")["machine"]["phase"] != "ready":
                watch()
                time.sleep(0.05)
            throws += 1
        else:
            offer = chance.choice(state["offers"])
            fields = {name: value for name, value in offer.items() if name != "do"}
            chosen = {
                name: chance.choice(value["one_of"]) if "one_of" in value else value["from"]
                for name, value in fields.items()
            }
            cornet.ask("/api/actions", {"action": {"do": offer["do"], **chosen}})
        watch()
    return throws


@contextmanager
def fools(port: int, stuck: int, idle: int) -> Iterator[list[socket.socket]]:
    """Readers that take nothing and sockets that say nothing, all from one address."""
    sockets = []
    for number in range(stuck + idle):
        one = socket.socket()
        one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        one.bind((FOOL, 0))
        one.connect((HOST, port))
        if number < stuck:
            path = "/api/events" if number % 2 else "/api/state"
            # Beyond the cap they are hung up on.
            with suppress(OSError):
                one.sendall(f"GET {path} HTTP/1.1\r\nHost: {HOST}\r\n\r\n".encode())
        sockets.append(one)
    yield sockets
    for one in sockets:
        one.close()


def quantile(values: list[float], share: float) -> float:
    return sorted(values)[min(int(share * len(values)), len(values) - 1)]


def report(what: str, crowd: Crowd, throws: int, peak_mb: float) -> None:
    late, spread = crowd.late_ms, crowd.spread_ms
    print(f"{what}: {throws} throws read, {len(spread)} snapshots brought")
    for name, values in (("commit to client", late), ("first client to each", spread)):
        figures = ", ".join(f"{label} {quantile(values, share):.0f}" for label, share in (("p50", 0.5), ("p99", 0.99)))
        print(f"  {name:<22} {figures}, most {max(values):.0f} ms, mean {statistics.fmean(values):.1f} ms")
    print(f"  memory, the most seen  {peak_mb:.0f} MB")


def measure(cornet: Cornet, crowd: Crowd, seconds: float, what: str) -> None:
    crowd.forget()
    peak = [0.0]
    throws = play(cornet, seconds, lambda: peak.__setitem__(0, max(peak[0], cornet.memory_mb("VmRSS"))))
    time.sleep(0.5)
    report(what, crowd, throws, peak[0])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--watchers", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=30.0, help="of play, each time")
    parser.add_argument("--port", type=int, default=28421)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        cornet = Cornet(Path(folder), given.port)
        try:
            print(f"start to first page      {cornet.first_page_s():.2f} s")
            crowd = Crowd(given.port, given.watchers)
            print(f"{given.watchers} watchers served in  {crowd.wait_for_all():.2f} s, {cornet.threads()} threads")
            measure(cornet, crowd, given.seconds, f"{given.watchers} watchers")
            with fools(given.port, 20, 700):
                measure(cornet, crowd, given.seconds, "and 20 stuck readers and 700 idle sockets of one guest")
                print(f"  watchers still served  {len(crowd.watching)}")
            print(f"memory, peak ever        {cornet.memory_mb('VmHWM'):.0f} MB")
            began = time.monotonic()
            cornet.process.send_signal(signal.SIGTERM)
            status = cornet.process.wait()
            print(f"SIGTERM to the end       {time.monotonic() - began:.2f} s, exit {status}")
            crowd.watching.clear()
            cornet = Cornet(Path(folder), given.port)
            crowd.wait_for_all()
            print(f"restart to all served    {time.monotonic() - cornet.started:.2f} s")
            crowd.leave()
        finally:
            cornet.process.terminate()
            cornet.process.wait()
    return 0


if __name__ == "__main__":
    sys.exit(main())
