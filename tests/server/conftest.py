"""Tables for tests: real log, real rules, simulated parts."""

import errno
import json
import shutil
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from firmware.dimensions import size
from firmware.simulated import Lying, SimulatedTower
from firmware.tower import Tower
from server.audit import Audit, audit
from server.chain import Event, chained
from server.chance import Chance
from server.evidence import Extract, evidence_of, extract_of, write_bundle
from server.eye import BlindEye, CameraEye, Eye, Seen
from server.log import Log
from server.table import Table
from server.wallclock import Moment
from server.web.app import create_app
from server.web.guard import TOKEN
from vision.reading import Die, Reading, Verdict
from vision.rendered import LyingDie, RenderedCamera
from vision.rig import Rig
from vision.tray import Tray

AT = "2026-11-21T20:00:00.000+00:00"
ABOUT = {"simulated": True, "version": "0", "tower": "sim", "dice": 10}

MakeTable = Callable[..., Table]


def full_disk(log: Log, kind: str, body: dict[str, Any]) -> Event:
    """In place of `Log.append`."""
    raise OSError(errno.ENOSPC, "No space left on device")


def state(table: Table) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(table.board.snapshot.text)
    return found


def bodies(directory: Path) -> list[dict[str, Any]]:
    """What the events of a log say, in order; to look makes none where there is none yet."""
    database = sqlite3.connect(f"file:{directory / 'cornet.db'}?mode=ro", uri=True)
    found = [json.loads(body) for (body,) in database.execute("SELECT body FROM events ORDER BY seq")]
    database.close()
    return found


def forge(directory: Path, events: list[dict[str, Any]]) -> None:
    """Write the whole log anew with a chain that is whole, as somebody could who has the file."""
    # Every event has its time; infinite numbers are written too.
    texts = [json.dumps({"at": AT, **body}, sort_keys=True, separators=(",", ":")) for body in events]
    forge_texts(directory, texts)


def forge_texts(directory: Path, texts: list[str]) -> None:
    """The same, with each event in these very words."""
    database = sqlite3.connect(directory / "cornet.db")
    database.executescript(
        "DROP TRIGGER IF EXISTS events_stay; DROP TRIGGER IF EXISTS events_remain; DELETE FROM events"
    )
    head = bytes(32)
    for seq, text in enumerate(texts, 1):
        head = chained(head, text)
        database.execute("INSERT INTO events VALUES (?, ?, ?)", (seq, text, head.hex()))
    database.commit()
    database.close()


def audited(path: Path) -> Audit:
    """What an audit of this directory or bundle finds."""
    with evidence_of(path) as evidence:
        return audit(evidence)


def kinds(directory: Path) -> list[str]:
    return [body["kind"] for body in bodies(directory) if body["kind"] != "boot"]


def dice(*faces: int | None) -> tuple[Die, ...]:
    return tuple(Die(face, 50.0 * (n + 1), 50.0, (50 * n + 30, 30, 40, 40), 0.9) for n, face in enumerate(faces))


def ok(*faces: int) -> Reading:
    return Reading(Verdict.OK, "All lie flat.", None, dice(*faces))


def refused(verdict: Verdict) -> Reading:
    return Reading(verdict, "It cannot be read.", None, dice(None, 3))


class ScriptedEye:
    """Sees what a script says; a script's exception is what the camera does."""

    lost = ""

    def __init__(self, *looks: Reading | Exception, recorded: int = 0) -> None:
        self.looks = list(looks)
        self.recorded = recorded

    def settle(self) -> Reading:
        look = self.looks.pop(0)
        if isinstance(look, Exception):
            raise look
        return look

    def look(self, settled: Reading) -> Seen:
        return Seen(settled, json.dumps(len(self.looks)).encode(), (600, 100))

    def close(self) -> None:
        self.looks.clear()


def blind(faults: dict[int, str]) -> dict[str, Any]:
    """A simulated tower that misbehaves so, and an eye that sees its dice without a picture."""
    tower = SimulatedTower("7", faults=faults)
    return {"tower": tower, "eye": BlindEye(lambda: tower.lying, 10)}


def play_25(table: Table) -> None:
    table.start_game("vingt-cinq", ["Ana", "Bo"], {}, "console")


def table_with(make_table: MakeTable, *throws: tuple[int, ...]) -> Table:
    """A game of 25 with life enough, whose throws are these."""
    # As from recorded pictures, of which nobody knows how many dice they show.
    table = make_table(eye=ScriptedEye(*(ok(*faces) for faces in throws)), camera="frames")
    play_25(table)
    return table


def keep(table: Table, *faces: int) -> dict[str, Any]:
    return table.act({"do": "keep", "dice": list(faces)}, "console", None, None)


def press(table: Table) -> int:
    """Throw; the number of the throw's event."""
    table.press("console", None, None)
    event: int = state(table)["last"]["event"]
    return event


def correct(table: Table, throw: int, *faces: int, key: str | None = None) -> dict[str, Any]:
    return table.correct(throw, {"faces": list(faces)}, "a six is a five", "console", None, key)


class Held(NamedTuple):
    """Throws that wait until a test carries them out, as another thread would."""

    throws: list[Callable[[], None]]

    def __call__(self, throw: Callable[[], None]) -> None:
        self.throws.append(throw)


def at_once(throw: Callable[[], None]) -> None:
    throw()


@contextmanager
def tables(directory: Path) -> Iterator[MakeTable]:
    """Makes a table on this directory; making another one is a restart."""
    open_logs: list[Log] = []

    def make(
        tower: Tower | None = None,
        eye: Eye | None = None,
        run: Callable[[Callable[[], None]], object] = at_once,
        boot: str = "boot",
        chance: Chance | None = None,
        now: Callable[[], Moment] = lambda: Moment(datetime(2026, 11, 21, tzinfo=UTC), True),
        clock: Callable[[], float] = time.monotonic,
        load: Callable[[int], None] = lambda needs: None,
        **about: Any,
    ) -> Table:
        while open_logs:
            open_logs.pop().close()
        log = Log(directory)
        open_logs.append(log)
        simulated = SimulatedTower("7")
        simulated.resume(log.seq)
        return Table(
            log,
            tower or simulated,
            eye or BlindEye(lambda: simulated.lying, 10),
            boot=boot,
            about={**ABOUT, "camera": "rendered" if isinstance(eye, CameraEye) else "none", **about},
            run=run,
            chance=chance,
            now=now,
            clock=clock,
            load=load,
        )

    yield make
    for log in open_logs:
        log.close()


@pytest.fixture
def make_table(tmp_path: Path) -> Iterator[MakeTable]:
    """Makes a table on `tmp_path`; making another one is a restart."""
    with tables(tmp_path) as make:
        yield make


@pytest.fixture
def table(make_table: MakeTable) -> Table:
    """A table on an empty log."""
    return make_table()


@pytest.fixture
def app(table: Table) -> Flask:
    """The pages of that table."""
    return create_app(table, table._log)


@pytest.fixture
def client(app: Flask) -> FlaskClient:
    """The console, asking them."""
    return app.test_client()


class Browser:
    """A browser at an address, with cookies of its own."""

    def __init__(self, app: Flask, address: str = "127.0.0.2") -> None:
        self.client = app.test_client()
        self.client.environ_base["REMOTE_ADDR"] = address
        self.token = self.me()["token"]

    def me(self) -> Any:
        return self.client.get("/api/me").get_json()

    def ask(self, method: str, path: str, body: Any = None) -> TestResponse:
        return self.client.open(path, method=method, json=body, headers={TOKEN: self.token})

    def join(self, name: str) -> Any:
        answer = self.ask("POST", "/api/seats", {"name": name})
        assert answer.status_code == 201, answer.get_json()
        return answer.get_json()["seat"]

    def act(self, path: str, key: str = "k", **body: Any) -> TestResponse:
        seq = self.client.get("/api/state").get_json()["seq"]
        return self.ask("POST", path, {"expected_seq": seq, "key": key, **body})


def play(table: Table, throws: int) -> dict[str, Any]:
    table.start_game("vingt-cinq", ["Ana", "Bo"], {}, "console")
    while True:
        state: dict[str, Any] = json.loads(table.board.snapshot.text)
        if state["offers"]:
            table.act({"do": "keep", "dice": state["offers"][0]["dice"]["one_of"][0]}, "console", None, None)
        elif throws:
            throws -= 1
            table.press("console", None, None)
        else:
            return state


def eye(tower: SimulatedTower, tray: Tray | None = None) -> CameraEye:
    """A camera above these dice, for which no time goes by however busy the machine is."""
    camera = RenderedCamera(lambda: [to_draw(die) for die in tower.lying], Rig.of(size), seed=7)
    return CameraEye(camera, 10, tray, clock=lambda: 0.0)


def to_draw(die: Lying) -> LyingDie:
    return LyingDie(die.x_mm, die.y_mm, die.z_mm, die.rotation, size("die_side_mm"))


def games(directory: Path) -> list[int]:
    """The numbers of the games in a log, as they were begun."""
    return [seq for seq, body in enumerate(bodies(directory), 1) if body["kind"] == "game"]


def played_in(directory: Path, game: int) -> Extract:
    with evidence_of(directory) as evidence:
        played = extract_of(evidence.events(), game)
    assert played is not None
    return played


def bundled(directory: Path, played: Extract, name: str = "game.zip") -> Path:
    """The bundle of that game, beside the log."""
    with evidence_of(directory) as evidence:
        write_bundle(played, evidence.file, directory / name)
    return directory / name


def throw_of(events: list[dict[str, Any]]) -> dict[str, Any]:
    return next(event for event in events if event["kind"] == "throw")


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with a voided game, and another with two looks through a camera, one of them refused."""
    directory = tmp_path_factory.mktemp("played")
    tower = SimulatedTower("7", faults={2: "missing"})
    with tables(directory) as make:
        table = make(tower=tower, eye=eye(tower))
        play(table, 0)
        table.abandon_game("console")
        play(table, 2)
        table.close()
    return directory


@pytest.fixture
def evening(played: Path, tmp_path: Path) -> Path:
    """That evening, to do with as one likes."""
    return shutil.copytree(played, tmp_path, dirs_exist_ok=True)
