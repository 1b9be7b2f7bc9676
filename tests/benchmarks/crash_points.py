"""Stops a cornet after each of its side effects in turn: `python tests/benchmarks/crash_points.py`.

A side effect is a write, a sync, a rename or a removal of a file, a statement or a commit of the database, a motor
command, or something shown. For the k-th of them, for every k of an operation, a process dies by SIGKILL right after
it. The next process must come back to the state before the operation or, if it was committed, after it; the same
request sent again is done once; what was acknowledged is there.
"""

import argparse
import json
import os
import pathlib
import shutil
import signal
import sqlite3
import sys
import tempfile
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from firmware.simulated import SimulatedTower
from server.audit import audit
from server.board import Board
from server.chain import START
from server.chance import Chance
from server.evidence import Evidence
from server.eye import BlindEye, Seen
from server.log import Log
from server.stage import NotNow
from server.table import Table

KEY, DICE = "once", 10


class Effects:
    """Counts side effects, and ends the process after one of them."""

    def __init__(self, last: int | None) -> None:
        self.last, self.done = last, 0

    def happened(self) -> None:
        self.done += 1
        if self.done == self.last:
            os.kill(os.getpid(), signal.SIGKILL)

    def counted(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **named: Any) -> Any:
            result = function(*args, **named)
            self.happened()
            return result

        return call

    def watch(self) -> None:
        """Count everything from now on; for this process only, which ends soon."""
        self._watch_databases()
        self._watch_files()
        for owner, name in (
            (os, "fsync"),
            (pathlib.Path, "replace"),
            (pathlib.Path, "unlink"),
            (pathlib.Path, "mkdir"),
            (SimulatedTower, "tumble"),
            (SimulatedTower, "stop"),
            (Board, "show"),
        ):
            setattr(owner, name, self.counted(getattr(owner, name)))

    def _watch_databases(self) -> None:
        effects, connect = self, sqlite3.connect

        class Connection(sqlite3.Connection):
            def execute(self, *args: Any) -> sqlite3.Cursor:
                cursor = super().execute(*args)
                if not str(args[0]).startswith("SELECT"):
                    effects.happened()
                return cursor

            def __exit__(self, *args: Any) -> Any:
                left = super().__exit__(*args)
                effects.happened()
                return left

        def connected(*args: Any, **named: Any) -> sqlite3.Connection:
            return connect(*args, **named, factory=Connection)

        sqlite3.connect = connected  # type: ignore[assignment]

    def _watch_files(self) -> None:
        effects, opened = self, pathlib.Path.open

        class Written:
            def __init__(self, file: Any) -> None:
                self.file = file

            def __getattr__(self, name: str) -> Any:
                found = getattr(self.file, name)
                return effects.counted(found) if name in ("write", "flush") else found

            def __enter__(self) -> "Written":
                return self

            def __exit__(self, *args: object) -> None:
                self.file.close()
                effects.happened()

        def open_path(path: Path, mode: str = "r", *args: Any, **named: Any) -> Any:
            file = opened(path, mode, *args, **named)
            return Written(file) if "w" in mode else file

        pathlib.Path.open = open_path  # type: ignore[assignment, method-assign]


class PicturedEye(BlindEye):
    """Sees simulated dice as they are, and a picture of them as bytes."""

    def look(self, settled: None) -> Seen:
        seen = super().look(settled)
        return Seen(seen.reading, json.dumps([die.face for die in seen.reading.dice]).encode(), seen.size)


@dataclass
class Cornet:
    """A table on a directory, whose throws wait until they are carried out."""

    directory: Path
    held: list[Callable[[], None]] = field(default_factory=list)

    def __post_init__(self) -> None:
        tower = SimulatedTower("unused", DICE)
        eye = PicturedEye(lambda: tower.lying, DICE)
        chance = Chance(self.directory, tower.deal, 7)
        self.log = Log(self.directory)
        about = {"simulated": True, "tower": "sim", "camera": "rendered", "dice": DICE, "loading": "sealed"}
        self.table = Table(self.log, tower, eye, boot="boot", about=about, run=self.held.append, chance=chance)

    @property
    def state(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.table.board.snapshot.text)
        return found

    def throw(self, key: str | None = None) -> None:
        self.table.press("console", None, key)
        while self.held:
            self.held.pop()()

    def begin(self, key: str | None = None) -> None:
        self.table.start_game("vingt-cinq", ["Ana", "Bo"], {"life": 1}, "console", None, key)


def do_start(cornet: Cornet) -> None:
    """Start a game."""
    cornet.begin(KEY)


def do_throw(cornet: Cornet) -> None:
    """Throw; a press whose throw was cut off is void, and somebody presses again."""
    try:
        cornet.throw(KEY)
    except NotNow:
        # The throw stands already; the same key would have got the same answer.
        raise AssertionError("the key was refused") from None
    if "throw" in cornet.state["game"]["turn"]["legal"]:
        cornet.throw()


def do_correct(cornet: Cornet) -> None:
    """Correct the last throw."""
    throw = cornet.state["last"]
    faces = [*throw["faces"][1:], throw["faces"][0] % 6 + 1]
    cornet.table.correct(throw["event"], {"faces": faces}, "another face", "console", None, KEY)


def do_end(cornet: Cornet) -> None:
    """Void the game, which reveals its seed and promises the next."""
    cornet.table.abandon_game("console", None, KEY)


@dataclass(frozen=True)
class Operation:
    """Something that is cut off at each of its side effects."""

    name: str
    prepare: Callable[[Cornet], None]
    do: Callable[[Cornet], None]


def nothing(cornet: Cornet) -> None:
    """An empty evening."""


def started(cornet: Cornet) -> None:
    """A game that waits for its first throw."""
    cornet.begin()


def thrown(cornet: Cornet) -> None:
    """A game after its first throw."""
    cornet.begin()
    cornet.throw()


OPERATIONS = (
    Operation("first start", nothing, nothing),
    Operation("game", nothing, do_start),
    Operation("throw", started, do_throw),
    Operation("correction", thrown, do_correct),
    Operation("end", thrown, do_end),
)


def in_child(job: Callable[[Callable[[object], None]], None]) -> list[Any]:
    """What a process of its own told before it ended, one way or another; AssertionError where it failed."""
    out, into = os.pipe()
    child = os.fork()
    if not child:
        status = 1
        try:
            job(lambda value: void(os.write(into, json.dumps(value).encode() + b"\n")))
            status = 0
        finally:
            # Nothing of what the parent has still to do may be done here.
            if status:
                traceback.print_exc()
            os._exit(status)
    os.close(into)
    with os.fdopen(out, "rb") as told:
        lines = [json.loads(line) for line in told]
    _, status = os.waitpid(child, 0)
    assert status in (0, signal.SIGKILL), "a process failed, its traceback stands above"
    return lines


def void(_: object) -> None:
    """Nothing comes of it."""


def seen_by(cornet: Cornet) -> dict[str, Any]:
    """What must be the same before and after, or just as the operation left it."""
    state = cornet.state
    return {"game": state["game"], "fault": state["machine"]["fault"], "phase": state["machine"]["phase"]}


def check_log(directory: Path) -> None:
    """The chain is whole, the games replay, no key is there twice, every picture that is named is there."""
    database = sqlite3.connect(directory / "cornet.db")
    rows = database.execute("SELECT seq, body, hash FROM events ORDER BY seq").fetchall()
    database.close()
    # What stands for a picture here cannot be read again; whether it is there is looked at below.
    found = audit(Evidence(len(rows), lambda: rows, lambda name: None, (0, START)))
    differences = [line for line in found.differences if not line.startswith("The picture")]
    assert differences == [], differences
    bodies = [json.loads(body) for _, body, _ in rows]
    keys = [body["key"] for body in bodies if "key" in body]
    assert len(keys) == len(set(keys)), keys
    for body in bodies:
        if body.get("frame"):
            assert (directory / "frames" / f"{body['frame']}.jpg").is_file(), "a picture was named before it was there"


def cut_off(operation: Operation, folder: Path) -> int:
    """Cut the operation off at each of its side effects; how many there are."""
    prepared, whole = folder / "prepared", folder / "whole"
    if operation.prepare is not nothing:
        in_child(lambda tell: operation.prepare(Cornet(prepared)))
        shutil.copytree(prepared, whole)
    (before,) = in_child(lambda tell: tell(seen_by(Cornet(copy_of(prepared, folder / "before")))))

    def do(directory: Path, last: int | None, tell: Callable[[object], None]) -> None:
        effects = Effects(last)
        effects.watch()
        cornet = Cornet(directory)
        operation.do(cornet)
        tell(seen_by(cornet))
        tell(effects.done)

    after, count = in_child(lambda tell: do(whole, None, tell))
    for last in range(1, count + 1):
        directory = copy_of(prepared, folder / f"cut-{last}")
        told = in_child(lambda tell, at=last, where=directory: do(where, at, tell))  # type: ignore[misc]
        assert told == [] or last == count, f"{operation.name}: it outlived effect {last} of {count}"

        def come_back(tell: Callable[[object], None], where: Path = directory) -> None:
            cornet = Cornet(where)
            tell(seen_by(cornet))
            operation.do(cornet)
            tell(seen_by(cornet))

        again, retried = in_child(come_back)
        assert again in (before, after), f"{operation.name}: after effect {last} it came back to {again}"
        assert not told or again == after, f"{operation.name}: what was acknowledged is lost after effect {last}"
        assert retried == after, f"{operation.name}: asked again after effect {last} it stands at {retried}"
        check_log(directory)
        shutil.rmtree(directory)
    return int(count)


def copy_of(prepared: Path, directory: Path) -> Path:
    """A directory to try on."""
    if prepared.exists():
        shutil.copytree(prepared, directory)
    return directory


def main() -> None:
    argparse.ArgumentParser(description=__doc__).parse_args()
    counts = {}
    for operation in OPERATIONS:
        with tempfile.TemporaryDirectory(prefix="cornet-points-") as folder:
            counts[operation.name] = cut_off(operation, Path(folder))
    json.dump(counts, sys.stdout)
    print()


if __name__ == "__main__":
    main()
