"""Kills a playing cornet at random moments: `python tests/benchmarks/crash.py --kills 3000`.

Each start is a fork of this process, which has everything loaded, and plays over HTTP. After each kill: the chain is
whole and continues what was read before, everything that was shown or acknowledged is in it once, an unanswered
request is sent again and is in it once too, and the game and the turn are those of the log.
"""

import argparse
import http.client
import json
import os
import random
import shutil
import signal
import socket
import sqlite3
import statistics
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2

from server.audit import audit
from server.chain import START, walk
from server.commands.run import run
from server.evidence import evidence_of
from server.stage import SEQS
from server.standing import Standing

KILLS_A_DIRECTORY = 50
LONGEST_LIFE_S = 0.3
GONE = (OSError, http.client.HTTPException)
"""What a client sees of a server that was killed."""


class Watched:
    """What a client knows of one data directory: what it was shown and told, and what the log must therefore hold."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.standing = Standing()
        self.seq, self.head = 0, START
        self.heads: dict[int, str] = {}  # of every event, by its number
        self.keys: dict[str, int] = {}  # of every event that had one
        self.told: dict[str, int] = {}  # keys that were answered, and the event that was named
        self.shown: dict[str, Any] | None = None  # the newest snapshot
        self.asked: tuple[str, dict[str, Any]] | None = None  # the request that was not answered

    def see(self, state: dict[str, Any]) -> dict[str, Any]:
        """Take in a snapshot."""
        self.shown = state
        return state

    def check(self) -> None:
        """Read what the log has that is new, and hold everything that is known against it."""
        database = sqlite3.connect(f"{(self.directory / 'cornet.db').as_uri()}?mode=ro", uri=True, timeout=10)
        rows = database.execute("SELECT seq, body, hash FROM events WHERE seq > ? ORDER BY seq", (self.seq,)).fetchall()
        database.close()
        at_shown = self.standing.game.state() if self.standing.game else None
        shown = self.shown["seq"] // SEQS if self.shown else 0
        for event in walk(rows, self.seq, self.head):
            self.standing.apply(event)
            self.seq, self.head = event.seq, bytes.fromhex(event.hash)
            self.heads[event.seq] = event.hash[:8]
            if "key" in event.body:
                # What the client sent stands behind who he is.
                key = event.body["key"].split()[-1]
                assert key not in self.keys, f"{key} happened twice"
                self.keys[key] = event.seq
            if event.seq == shown:
                at_shown = self.standing.game.state() if self.standing.game else None
        for key, seq in self.told.items():
            assert self.keys.get(key) == seq, f"{key} was acknowledged as event {seq} and is {self.keys.get(key)}"
        if self.shown is not None:
            assert self.heads.get(shown) == self.shown["head"], f"event {shown} was shown and is another"
            assert at_shown == self.shown["game"], f"the game shown at event {shown} was another"


class Client:
    """Plays on over HTTP, one action after another, and remembers what it was told."""

    def __init__(self, port: int, watched: Watched, chance: random.Random) -> None:
        self.port, self.watched, self.chance = port, watched, chance

    def ask(self, method: str, path: str, body: dict[str, Any] | None = None) -> tuple[int, Any]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        try:
            connection.request(method, path, json.dumps(body) if body is not None else None)
            response = connection.getresponse()
            return response.status, json.loads(response.read())
        finally:
            connection.close()

    def state(self) -> dict[str, Any]:
        return self.watched.see(self.ask("GET", "/api/state")[1])

    def send(self, path: str, body: dict[str, Any]) -> None:
        """Send a request with a key, and remember its answer; after a kill it is sent again as it was."""
        self.watched.asked = (path, body)
        status, answer = self.ask("POST", path, body)
        assert status in (200, 201, 202, 409), answer
        if status < 300:
            self.watched.told[body["key"]] = answer["seq"] // SEQS
        self.watched.asked = None

    def back(self, child: int) -> None:
        """Wait until the cornet answers."""
        while True:
            try:
                self.state()
                break
            except GONE:
                assert os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None, "it ended by itself"
                time.sleep(0.002)

    def again(self) -> None:
        """Send again what was not answered before."""
        if self.watched.asked is not None:
            self.send(*self.watched.asked)

    def play(self) -> None:
        """Take the next step that the game asks for."""
        state = self.state()
        if state["machine"]["phase"] != "ready":
            return
        how = {"expected_seq": state["seq"], "key": f"{self.chance.getrandbits(64):016x}"}
        game, last = state["game"], state["last"]
        if game is None or game["finished"]:
            self.send("/api/games", {"game": "vingt-cinq", "players": ["Ana", "Bo"], "options": {"life": 30}, **how})
        elif last and last["verdict"] == "ok" and not last["corrected"] and self.chance.random() < 0.15:
            # The same faces in another order: what the seed did not draw would be a difference, and rightly so.
            faces = [*last["faces"][1:], last["faces"][0]]
            reason = {"throw": last["event"], "faces": faces, "reason": "another order"}
            self.send("/api/corrections", {**reason, **how})
        elif self.chance.random() < 0.05:
            self.send("/api/undo", how)
        elif state["offers"]:
            dice = self.chance.choice(state["offers"][0]["dice"]["one_of"])
            self.send("/api/actions", {"action": {"do": "keep", "dice": dice}, **how})
        else:
            self.send("/api/throw", how)


def start(directory: Path, port: int) -> int:
    """A cornet in a process of its own; its number."""
    child = os.fork()
    if child:
        return child
    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 1)
    given = argparse.Namespace(
        host="127.0.0.1",
        port=port,
        data=directory,
        config=directory / "cornet.toml",
        tower="sim",
        camera="none",
        seed=7,
    )
    try:
        os._exit(run(given))
    except BaseException:
        traceback.print_exc()
        raise
    finally:
        os._exit(1)


def live_once(client: Client, directory: Path) -> tuple[float, int]:
    """Start, come back, check, play until killed; the seconds it took to come back and how many steps were taken."""
    begun = time.monotonic()
    child = start(directory, client.port)
    life_s = client.chance.uniform(0, LONGEST_LIFE_S)
    # A third of the kills fall into the start itself, as soon as the log is opened.
    early = client.chance.random() < 1 / 3
    steps, back_s = 0, 0.0

    def kill(*_: object) -> None:
        os.kill(child, signal.SIGKILL)

    signal.signal(signal.SIGALRM, kill)
    try:
        if early:
            time.sleep(life_s)
            kill()
        else:
            client.back(child)
            back_s = time.monotonic() - begun
            client.watched.check()
            client.again()
            signal.setitimer(signal.ITIMER_REAL, max(life_s, 0.001))
            while True:
                client.play()
                steps += 1
    except GONE:
        # A cornet that ended by itself did not end by SIGKILL.
        _, status = os.waitpid(child, 0)
    except BaseException:
        kill()
        raise
    else:
        _, status = os.waitpid(child, 0)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    assert os.WTERMSIG(status) == signal.SIGKILL, f"it ended by itself: {status}"
    return back_s, steps


def finish(client: Client, directory: Path) -> float:
    """The last start of a directory: all is there, nothing differs; the seconds it took to come back."""
    begun = time.monotonic()
    child = start(directory, client.port)
    client.back(child)
    back_s = time.monotonic() - begun
    client.watched.check()
    client.again()
    client.state()
    client.watched.check()
    os.kill(child, signal.SIGTERM)
    _, status = os.waitpid(child, 0)
    assert status == 0, f"SIGTERM ended it with {status}"
    with evidence_of(directory) as evidence:
        found = audit(evidence)
    assert found.differences == [], found.differences
    database = sqlite3.connect(directory / "cornet.db")
    assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    database.close()
    return back_s


def free_port() -> int:
    with socket.socket() as trial:
        trial.bind(("127.0.0.1", 0))
        port: int = trial.getsockname()[1]
        return port


def kill_often(kills: int, seed: int, tell: Callable[[int], None]) -> dict[str, Any]:
    """Kill so many times; the figures. AssertionError at the first thing that is lost, doubled or bent."""
    chance, port = random.Random(seed), free_port()
    back_s: list[float] = []
    events = steps = told = done = 0
    begun = time.monotonic()
    while done < kills:
        directory = Path(tempfile.mkdtemp(prefix="cornet-crash-"))
        (directory / "cornet.toml").write_text("tumble_s = 0.01\n")
        client = Client(port, Watched(directory), chance)
        for _ in range(min(KILLS_A_DIRECTORY, kills - done)):
            took_s, taken = live_once(client, directory)
            back_s += [took_s] if took_s else []
            steps += taken
            done += 1
            tell(done)
        back_s.append(finish(client, directory))
        events += client.watched.seq
        told += len(client.watched.told)
        shutil.rmtree(directory)
    return {
        "kills": kills,
        "events": events,
        "acknowledged": told,
        "steps": steps,
        "back_median_s": round(statistics.median(back_s), 3),
        "back_worst_s": round(max(back_s), 3),
        "seconds": round(time.monotonic() - begun, 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=3000, help="how many (default %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="of the moments and the play (default %(default)s)")
    given = parser.parse_args()
    cv2.setNumThreads(1)

    def tell(done: int) -> None:
        if sys.stderr.isatty() or done % 250 == 0:
            print(f"\r{done} kills", end="", file=sys.stderr, flush=True)

    figures = kill_often(given.kills, given.seed, tell)
    print(json.dumps(figures))
    assert figures["back_worst_s"] <= 10


if __name__ == "__main__":
    main()
