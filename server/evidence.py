"""The evidence of an audit: the log and the pictures of a directory, or of a bundle that is handed to a stranger."""

import json
import os
import sqlite3
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO

from calibration.keeping import tray_file
from server.chain import START, BrokenLog, Event, canonical, walk
from server.log import DATABASE, FRAMES, NONSENSE, UNREADABLE, CannotOpen, check_form, check_pages, lost
from server.record import parse
from server.rules import short
from server.standing import NOTES, Soak, Standing
from vision.files import replacing

_LARGEST_BYTES, _LARGEST_RECORD, _LONGEST_EVENT = 2**26, 2**23, 2**20
"""Most that a file, a record and an event may have, in bytes: a stranger's evidence must not fill the memory.

JSON takes some thirty times as much there; a throw of ten dice has 3,000 bytes.
"""

_NEXT = "SELECT seq, body, hash FROM events WHERE seq >= ? ORDER BY seq LIMIT 1"

_FILES = (f"{FRAMES}/*.jpg", "seeds/*", "certificates/*.html")
"""What lies in a data directory because an event says so."""

_ENTRY_BYTES, _END_BYTES = 46, 22
"""Of a zip file's directory: an entry without its name, and what ends it."""


class NothingToAudit(ValueError):
    """A directory or a file that holds no log; the message says what to do."""


class Unreadable(ValueError):
    """A file of the evidence that is there and cannot be read; the message says why."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """A log and its pictures, wherever they lie."""

    number: int  # of events
    rows: Callable[[], Iterable[tuple[object, object, object]]]  # from the first, at every call
    file: Callable[[str], bytes | None]  # by its path in the data directory; None where it is not there
    before: tuple[int, bytes]  # number and hash of the event before the first
    record: Any = None  # the record that a bundle hands out; its events must say the same
    files: frozenset[str] = frozenset()  # the paths of pictures, seeds and certificates; a bundle has none unnamed
    check: Callable[[], None] = lambda: None  # of what the rows lie in, after the last; BrokenLog where it is damaged

    def events(self) -> Iterator[Event]:
        """The events from the first, each checked against the one before; BrokenLog at the first fault."""
        yield from walk(self.rows(), *self.before)
        self.check()


@contextmanager
def evidence_of(path: Path) -> Iterator[Evidence]:
    """The evidence in a data directory or a bundle, open until the block ends; NothingToAudit if there is none."""
    with ExitStack() as opened:
        yield _evidence_of_directory(path, opened) if path.is_dir() else _evidence_of_file(path, opened)


@contextmanager
def replaying(path: Path) -> Iterator[None]:
    """Whatever a forged log in this place does to whoever replays it is a BrokenLog, in a sentence."""
    try:
        yield
    except (NothingToAudit, BrokenLog):
        raise
    except NONSENSE as error:
        raise BrokenLog(f"The log in {path} cannot be replayed ({error!r}): see what cornet audit says.") from None


def _evidence_of_directory(directory: Path, opened: ExitStack) -> Evidence:
    path = directory / DATABASE
    gone = lost(directory)
    if gone:
        raise NothingToAudit(str(gone))
    if not path.is_file():
        raise NothingToAudit(f"There is no log in {directory}: name the directory that cornet run was given as --data.")
    # Before the events are read: what a running cornet writes meanwhile belongs to events that come later.
    files = frozenset(found.relative_to(directory).as_posix() for names in _FILES for found in directory.glob(names))
    database, number = _open(path, opened)

    def file(name: str) -> bytes | None:
        path = directory / name
        try:
            if path.is_file():
                _check_size(name, path.stat().st_size, _LARGEST_BYTES)
                return path.read_bytes()
        except OSError as error:
            raise Unreadable(f"{short(name)} cannot be read ({error.strerror}).") from None
        if os.path.lexists(path):
            raise Unreadable(f"{short(name)} is no file.")
        return None

    def rows() -> Iterator[tuple[object, object, object]]:
        return _rows(database)

    return Evidence(number, rows, file, (0, START), files=files, check=lambda: check_pages(database))


def _rows(database: sqlite3.Connection) -> Iterator[tuple[object, object, object]]:
    """The events one by one: what is written while somebody reads on and on cannot be brought into the file."""
    seq = -(2**63)
    while row := database.execute(_NEXT, (seq,)).fetchone():
        yield row
        seq = row[0] + 1


def _open(path: Path, opened: ExitStack) -> tuple[sqlite3.Connection, int]:
    """The database and its number of events; only read, so that looking at a running cornet changes nothing.

    Of one that is torn no event can be read: whoever asks for them is told so.
    """
    reason, beside = "", path.with_name(f"{path.name}-wal")
    # SQLite cannot open a database with a write-ahead log where nothing can be written, unless it is said never to
    # change: then it passes over what lies in that log, so only where there is none.
    whole = not beside.exists() or not beside.stat().st_size
    for mode in ("mode=ro", "mode=ro&immutable=1") if whole else ("mode=ro",):
        try:
            database = opened.enter_context(closing(sqlite3.connect(f"{path.resolve().as_uri()}?{mode}", uri=True)))
            database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST_EVENT)
            check_form(database, path)
            (number,) = database.execute("SELECT count(*) FROM events").fetchone()
        except UNREADABLE as error:
            if getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_CORRUPT:
                return database, 0
            reason = str(error)
        except CannotOpen:
            raise NothingToAudit(f"{path} was written by a newer Cornet: audit it with that version.") from None
        except BrokenLog as error:
            raise NothingToAudit(f"{error} Name another directory, or a copy of this one.") from None
        else:
            return database, number
    advice = "name another directory, or a copy of this one" if whole else "copy it with all that lies beside it"
    raise NothingToAudit(f"{path} cannot be read as a log ({reason}): {advice}.")


def _evidence_of_file(path: Path, opened: ExitStack) -> Evidence:
    try:
        if path.exists() and not path.is_file():
            # Whoever opens a pipe waits for ever.
            raise zipfile.BadZipFile("it is no file")
        file = opened.enter_context(path.open("rb"))
        bundle = opened.enter_context(zipfile.ZipFile(file))
        evidence = _evidence_of_bundle(bundle)
        _check_packing(bundle, file)
        return evidence
    except (OSError, NotImplementedError, zipfile.BadZipFile, *NONSENSE) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise NothingToAudit(
            f"{path} is neither a data directory nor a bundle of cornet export ({reason}): name one of them."
        ) from None


def _evidence_of_bundle(bundle: zipfile.ZipFile) -> Evidence:
    lines = map(_event, BytesIO(_unpacked(bundle, "events.jsonl", _LARGEST_BYTES)))
    first: dict[str, Any] = next(lines, {})
    record = parse(_unpacked(bundle, "record.json", _LARGEST_RECORD))
    names = bundle.namelist()
    if set(first) != {"before", "head"} or type(first["before"]) is not int or type(record) is not dict:
        raise ValueError("its record is none, or what its events begin with is not what was exported")
    rows, named = [], set[str]()
    for line in lines:
        rows.append(_row(line))
        named |= _named([line["body"]])
    _check_names(names, named)

    def file(name: str) -> bytes | None:
        return _unpacked(bundle, name, _LARGEST_BYTES) if name in names else None

    return Evidence(len(rows), lambda: rows, file, (first["before"], bytes.fromhex(first["head"])), record)


def _event(line: bytes) -> Any:
    if len(line) > _LONGEST_EVENT:
        raise ValueError("a line of its events is longer than any of ours")
    return parse(line)


def _row(line: Any) -> tuple[object, object, object]:
    """An event's number, canonical body and hash; ValueError where its line says anything else."""
    if set(line) != {"seq", "body", "hash"} or type(line["seq"]) is not int or type(line["body"]) is not dict:
        raise ValueError(f"a line of its events is {short(line)}")
    return line["seq"], canonical(line["body"]), line["hash"]


def _check_names(names: list[str], named: set[str]) -> None:
    """ValueError where whoever unpacks a bundle would find another file than was audited, or one more."""
    for name, times in Counter(names).items():
        if times > 1:
            raise ValueError(f"{short(name)} is in it {times} times")
        if name not in {"record.json", "events.jsonl", *named}:
            raise ValueError(f"{short(name)} is in it, and no event names it")


def _check_packing(bundle: zipfile.ZipFile, packed: BinaryIO) -> None:
    """ValueError where there is more in it than its files: another program may find others there."""
    end = 0
    for about in bundle.infolist():
        head = about.FileHeader()
        packed.seek(about.header_offset)
        if about.header_offset != end or packed.read(len(head)) != head:
            raise ValueError(f"{short(about.filename)} is not packed as cornet export packs it")
        end += len(head) + about.compress_size
    directory = sum(_ENTRY_BYTES + len(about.filename) for about in bundle.infolist())
    if packed.seek(0, os.SEEK_END) != end + directory + _END_BYTES:
        raise ValueError("there is more in it than its files")


def _check_size(name: str, size: int, most: int) -> None:
    if size > most:
        raise Unreadable(f"{short(name)} is too large to be a file of ours.")


def _unpacked(bundle: zipfile.ZipFile, name: str, most: int) -> bytes:
    """A file of a bundle; Unreadable where it is damaged, locked, or larger than any of ours."""
    _check_size(name, bundle.getinfo(name).file_size, most)
    try:
        return bundle.read(name)
    except (OSError, EOFError, RuntimeError, ValueError, zipfile.BadZipFile, zlib.error) as error:
        raise Unreadable(f"{short(name)} is damaged in the bundle ({error}).") from None


def _named(bodies: Iterable[dict[str, Any]]) -> set[str]:
    """The files that these events name: their pictures, and the calibrations that those were read by."""
    names = set()
    for body in bodies:
        names |= {f"{FRAMES}/{body['frame']}.jpg"} if body.get("frame") else set()
        names |= {tray_file(body["tray"])} if "tray" in body else set()
    return names


def prepared(standing: Standing, event: Event, last: int) -> bool:
    """Whether an event hangs on nothing that was up to event `last`, before a bundle; its soak may have begun there."""
    if not last:
        return True
    # A bundle does not tell who sat down or which soak began before its game, and no game hangs on it.
    if event.kind in NOTES or _is_of_before(event, standing, last):
        return False
    if "soak" in event.body:
        standing.soaks.setdefault(event.body["soak"], Soak(event.body["soak"], {}))
    return True


def _is_of_before(event: Event, standing: Standing, last: int) -> bool:
    """Whether it speaks of a throw up to event `last`, as people may while a bundle's own game has seen none."""
    if event.kind not in ("correction", "dispute") or standing.looks or standing.earlier:
        return False
    return event.body["throw"] <= last and event.body.get("taken_back") is None


@dataclass(frozen=True, slots=True)
class Extract:
    """One game out of a log: its record, and the part of the chain from its first event to the last that is of it."""

    record: dict[str, Any]
    before: tuple[int, str]  # number and hash of the event before its first
    events: tuple[Event, ...]


def extract_of(events: Iterable[Event], game_id: int, first: tuple[int, bytes] = (0, START)) -> Extract | None:
    """The game that this event started, or None; `first` is number and hash of the event before all of these."""
    standing, before, record = Standing(), (first[0], first[1].hex()), None
    kept: list[Event] = []
    since: list[Event] = []  # the next game was begun, but this one may still be spoken of
    another = False  # also where the game before goes on and this one was begun too early
    for event in events:
        if prepared(standing, event, first[0]):
            standing.apply(event)
        if event.seq < game_id:
            before = event.seq, event.hash
            continue
        another = standing.game_id != game_id and (another or standing.game_id is not None)
        since.append(event)
        match = next((match for match in standing.games() if match.game_id == game_id), None)
        record = match.record() if match else record
        if not another or (match and (match.game_id == standing.game_id or event.body.get("throw") in match.looks)):
            kept += since
            since = []
        elif match is None:
            break
    if record is None:
        return None
    return Extract(json.loads(json.dumps(record)), before, tuple(kept))


def write_bundle(extract: Extract, file: Callable[[str], bytes | None], path: Path) -> list[str]:
    """A zip file with the record, the events and their pictures: enough for `cornet audit` elsewhere.

    What is returned are the names of the files that its events name and that are not there any more, nor in it.

    OSError where it cannot be written, Unreadable where one of the pictures cannot be read; then there is no bundle.
    """
    missing = []
    with replacing(path) as written, zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as bundle:
        bundle.writestr("record.json", json.dumps(extract.record))
        head = json.dumps({"before": extract.before[0], "head": extract.before[1]})
        rows = [
            json.dumps({"seq": event.seq, "body": {"kind": event.kind, **event.body}, "hash": event.hash})
            for event in extract.events
        ]
        bundle.writestr("events.jsonl", "\n".join([head, *rows]) + "\n")
        for name in sorted(_named(event.body for event in extract.events)):
            data = file(name)
            if data is None:
                missing.append(name)
            else:
                bundle.writestr(name, data)
    return missing
