"""The log: one append-only table of events, each chained to the one before it, and the pictures they name."""

import errno
import fcntl
import hashlib
import os
import re
import sqlite3
import stat
import threading
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from typing import Any

from server.chain import START, BrokenLog, Event, canonical, chained, event_of, walk
from server.shapes import unhalved
from vision.files import sync_folder, write_safely

SCHEMA = 1
DATABASE, FRAMES = "cornet.db", "frames"
"""The names, in a data directory, of the log and of the folder of its pictures."""

_TABLE = """
CREATE TABLE events (
    seq INTEGER PRIMARY KEY,
    body TEXT NOT NULL,
    hash TEXT NOT NULL
);
CREATE TRIGGER events_stay BEFORE UPDATE ON events BEGIN SELECT RAISE(ABORT, 'events are never changed'); END;
CREATE TRIGGER events_remain BEFORE DELETE ON events BEGIN SELECT RAISE(ABORT, 'events are never removed'); END;
"""


_WAIT_MS = 2000
"""So long whoever writes waits for another program that holds the log."""
_ROWS = "SELECT seq, body, hash FROM events ORDER BY seq"
_MENDABLE = {
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR,  # so a full disk shows where the last process left work to be done
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_READONLY,
}
"""What is no damage: somebody can close, free or permit something."""
UNREADABLE = (sqlite3.DatabaseError, UnicodeDecodeError)
"""What a damaged database does to whoever reads it; its very message may be damaged."""


class CannotOpen(ValueError):
    """The data directory cannot be used as it is; the message says what to do."""


NONSENSE = (
    BrokenLog,
    ValueError,
    LookupError,
    TypeError,
    AttributeError,
    ArithmeticError,
    RecursionError,
    sqlite3.Error,
)
"""What a broken log or a forged event does to whoever replays it."""


class Log:
    """The events of one data directory. One process may hold it at a time; any thread may append.

    CannotOpen where the directory cannot be used. A log that is not what was written opens nevertheless, with
    `broken` saying where it breaks: it can be read up to there, and nothing is ever appended to it.
    """

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.frames = directory / FRAMES
        self.broken: BrokenLog | None = None
        self._lock = threading.RLock()
        with ExitStack() as refused:
            self._hold = _take(directory)
            refused.callback(os.close, self._hold)
            _try_to_write(directory, self.frames)
            _sweep(self.frames)
            self._database = self._open(directory / DATABASE)
            refused.callback(lambda: self._database.close())  # it is opened anew on the way
            self._inspect()
            self._seq, self._before, self._head = self._verify()
            self._prepare()
            refused.pop_all()

    @property
    def head(self) -> str:
        """The hash of the last event, in hexadecimal."""
        return self._head.hex()

    @property
    def seq(self) -> int:
        """The number of the last event; 0 before the first."""
        return self._seq

    def append(self, kind: str, body: dict[str, Any]) -> Event:
        """Commit an event; when this returns it is on the disk. A lone surrogate, as names of files may have, is a "?".

        BrokenLog where the chain is broken, sqlite3.Error where it cannot be written; then nothing is written.
        """
        with self._lock:
            if self.broken:
                raise BrokenLog(str(self.broken))
            self._check_head()
            text = unhalved(canonical({"kind": kind, **body}))
            digest = chained(self._head, text)
            row = (self._seq + 1, text, digest.hex())
            with self._database:
                self._database.execute("INSERT INTO events (seq, body, hash) VALUES (?, ?, ?)", row)
            self._seq, self._before, self._head = self._seq + 1, self._head, digest
            self.bring_in()
            return event_of(self._seq, text, digest.hex())

    def events(self, after: int = 0, last: int | None = None) -> Iterator[Event]:
        """The events after one and up to another, in order; all by default, up to where the log breaks if it does.

        BrokenLog where its database cannot be read.
        """
        until = self._seq if last is None else min(last, self._seq)
        query = "SELECT seq, body, hash FROM events WHERE seq > ? AND seq <= ? ORDER BY seq"
        try:
            for seq, text, digest in self._database.execute(query, (after, until)):
                yield event_of(seq, text, digest)
        except UNREADABLE as error:
            # Anew each time: an error that is kept and raised again keeps every frame that it went through.
            why = str(self.broken or f"The log in {self.directory} cannot be opened: {why_not(error)}.")
            raise BrokenLog(why) from None

    def keep_frame(self, jpeg: bytes) -> str:
        """Store a picture under its own SHA-256, synced to the disk; the hash in hexadecimal."""
        name = hashlib.sha256(jpeg).hexdigest()
        path = self.frames / f"{name}.jpg"
        try:
            os.utime(path)  # pictures expire by their age, and one that recurs is needed anew
        except FileNotFoundError:
            write_safely(path, jpeg)
        return name

    def bring_in(self) -> None:
        """Bring what SQLite has written ahead into the file, unless somebody reads it just now: then later.

        Of what stands ahead alone SQLite drops all that follows the first damaged byte, and says nothing.
        """
        # What is committed is so, whatever becomes of this.
        with self._lock, suppress(OSError, sqlite3.Error):
            if self.broken or not (self.directory / f"{DATABASE}-wal").stat().st_size:
                return
            self._database.execute("PRAGMA busy_timeout = 0").fetchone()
            try:
                self._database.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            finally:
                self._database.execute(f"PRAGMA busy_timeout = {_WAIT_MS}").fetchone()

    def reopen(self) -> None:
        """Open the database anew: SQLite only ever reads a file that could only be read when it was opened.

        CannotOpen where that cannot be, or no picture can be kept.
        """
        with self._lock:
            _try_to_write(self.directory, self.frames)
            if not self.broken and self._named() == self._file:
                self._prepare()

    def close(self) -> None:
        """Let go of the directory; as often as you like."""
        with self._lock:
            self._database.close()
            if self._hold >= 0:
                os.close(self._hold)
                self._hold = -1

    def _open(self, path: Path) -> sqlite3.Connection:
        """The database, made where there is none yet, only to be read; an empty one in memory where it is lost."""
        self.broken = lost(self.directory)
        if self.broken:
            return sqlite3.connect(":memory:", check_same_thread=False)
        if not path.exists():
            _make(path)
        # What was cut off before the log wrote ahead is taken back by SQLite itself, but only where it may write.
        return _connect(path, "rw" if path.with_name(f"{path.name}-journal").exists() else "ro")

    def _inspect(self) -> None:
        """Whether this is a log of ours; CannotOpen where it is a newer one."""
        if self.broken:
            return
        try:
            check_form(self._database, self.directory / DATABASE)
        except BrokenLog as error:
            self.broken = error
        except UNREADABLE as error:
            self.broken = self._damage(error, "its database")

    def _prepare(self) -> None:
        """Make a whole log ready to be written; until here, nothing in the file was changed."""
        if self.broken:
            return
        try:
            self._database.close()
            _agree(self.directory / DATABASE)
            self._database = _connect(self.directory / DATABASE, "rw")
            self._database.execute("PRAGMA journal_mode = WAL").fetchone()
            self._database.execute("PRAGMA synchronous = FULL")
            self.bring_in()
            self._file = self._named()
        except UNREADABLE as error:
            self.broken = self._damage(error, "its database")

    def _verify(self) -> tuple[int, bytes, bytes]:
        """The last good event's number, the hash before it and its own; sets `broken` where an event is not whole."""
        seq, before, head = 0, START, START
        if self.broken:
            return seq, before, head
        try:
            for event in walk(self._database.execute(_ROWS)):
                seq, before, head = event.seq, head, bytes.fromhex(event.hash)
            check_pages(self._database)
        except BrokenLog as error:
            self.broken = error
        except UNREADABLE as error:
            self.broken = self._damage(error, f"what comes after event {seq}")
        return seq, before, head

    def _damage(self, error: Exception, what: str) -> BrokenLog:
        """What a database says that cannot be read; CannotOpen where nothing is wrong with the log itself."""
        if getattr(error, "sqlite_errorcode", 0) & 0xFF in _MENDABLE:
            raise CannotOpen(f"The log in {self.directory} cannot be opened: {why_not(error)}.") from None
        return BrokenLog(f"The log is broken: {what} cannot be read ({unreadable(error)}).")

    def _named(self) -> tuple[int, int] | None:
        """Which file goes by the log's name now: its device and number; None where there is none."""
        try:
            found = (self.directory / DATABASE).stat()
        except OSError:
            return None
        return found.st_dev, found.st_ino

    def _check_head(self) -> None:
        """Before each append: the file is the same, and its last event stands as it was committed, body and hash."""
        if self._named() != self._file:
            self.broken = BrokenLog(
                "The log is gone: cornet.db was taken away or replaced while it was in use. Put it back, start again."
            )
            raise self.broken
        row = self._database.execute("SELECT seq, body, hash FROM events ORDER BY seq DESC LIMIT 1").fetchone()
        if row is None and not self._seq:
            return
        seq, text, digest = row or (0, "", "")
        if (seq, digest) != (self._seq, self._head.hex()):
            self.broken = BrokenLog(f"The log is broken after event {self._seq}: somebody else has written to it.")
            raise self.broken
        if not isinstance(text, str) or chained(self._before, text) != self._head:
            self.broken = BrokenLog(f"The log is broken at event {seq}: it is not what was written.")
            raise self.broken


def lost(directory: Path) -> BrokenLog | None:
    """What is wrong with a directory whose log was emptied, or is not there although what belongs to it is."""
    path, wal = directory / DATABASE, directory / f"{DATABASE}-wal"
    # Nobody leaves any of these there before the first event of a log.
    thrown = any(map(any, (directory.glob(f"{FRAMES}/*.jpg"), directory.glob("seeds/*"))))
    was_here = thrown or any(directory.glob("sessions")) or (wal.exists() and bool(wal.stat().st_size))
    # Where the first event could not be written yet, somebody may have logged in all the same.
    empty = path.is_file() and (not path.stat().st_size or (thrown and _is_without_events(path)))
    if not empty and (path.exists() or not was_here):
        return None
    return BrokenLog(
        f"The log is gone: {path.name} is {'empty' if empty else 'not there, but what belongs to it is'}. Put "
        "it back from a copy, or choose another directory with --data."
    )


def _is_without_events(path: Path) -> bool:
    """Whether a log can be read and holds nothing."""
    try:
        with closing(_connect(path, "ro")) as database:
            return database.execute("SELECT 1 FROM events LIMIT 1").fetchone() is None
    except (CannotOpen, *UNREADABLE):
        return False


def check_form(database: sqlite3.Connection, path: Path) -> None:
    """BrokenLog where the database of that name is no log of ours, CannotOpen where it is a newer one."""
    (version,) = database.execute("PRAGMA user_version").fetchone()
    columns = [column for _, column, *_ in database.execute("PRAGMA table_info(events)")]
    if version > SCHEMA:
        raise CannotOpen(
            f"{path} was written by a newer Cornet (format {version}, this one knows "
            f"{SCHEMA}): install that version again, or choose another directory with --data."
        )
    if version != SCHEMA or columns != ["seq", "body", "hash"]:
        raise BrokenLog("The log is broken: its database is no log of Cornet.")


def check_pages(database: sqlite3.Connection) -> None:
    """BrokenLog where SQLite itself finds damage, in what holds no event too."""
    (verdict,) = database.execute("PRAGMA quick_check(1)").fetchone()
    if verdict != "ok":
        raise BrokenLog(f"The log is broken: its database is damaged ({verdict}).")


@contextmanager
def held(directory: Path) -> Iterator[None]:
    """Hold a data directory that is there, as a running Cornet does, so that none begins meanwhile; CannotOpen."""
    if not directory.is_dir():
        yield
        return
    hold = _take(directory)
    try:
        yield
    finally:
        os.close(hold)


def _take(directory: Path) -> int:
    """Make the directory where it is missing and hold it for this process; the descriptor that holds it."""
    check_names(directory)
    try:
        directory.mkdir(parents=True, exist_ok=True)
        hold = os.open(directory / "lock", os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        raise _unwritable(directory, error) from None
    try:
        fcntl.flock(hold, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(hold)
        raise CannotOpen(
            f"The data directory {directory} is in use by another Cornet: stop that one, or choose another with --data."
        ) from None
    return hold


def _try_to_write(directory: Path, frames: Path) -> None:
    """Make the folder of pictures where it is missing; CannotOpen where none can be kept. For whoever holds the log."""
    try:
        frames.mkdir(exist_ok=True)
        probe = frames / ".writable"
        probe.write_bytes(b"")
        probe.unlink()
    except OSError as error:
        raise _unwritable(directory, error) from None


def _unwritable(directory: Path, error: OSError) -> CannotOpen:
    reason = error.strerror or str(error)
    return CannotOpen(f"The data directory {directory} cannot be written ({reason}): choose another with --data.")


def _sweep(frames: Path) -> None:
    """Remove what a start or a throw that was cut off left half written."""
    for partial in frames.glob("*.partial"):
        try:
            partial.unlink()
        except OSError as error:
            raise CannotOpen(f"{partial} cannot be removed ({error.strerror}): move it away.") from None


def check_names(directory: Path) -> None:
    """CannotOpen where the log's own names stand for something else: whoever opens a pipe waits for ever."""
    for name in (*(DATABASE + end for end in ("", "-wal", "-shm", "-journal")), "lock"):
        found = directory / name
        if os.path.lexists(found) and not found.is_file():
            raise CannotOpen(f"{found} is no file: move it away, or choose another directory with --data.")
    frames = directory / FRAMES
    if os.path.lexists(frames) and not frames.is_dir():
        raise CannotOpen(f"{frames} is no folder: move it away, or choose another directory with --data.")


def _make(path: Path) -> None:
    """An empty log under its name, whole or not at all."""
    partial = path.with_name(f"{path.name}.partial")
    try:
        partial.unlink(missing_ok=True)
        database = sqlite3.connect(partial)
        try:
            database.executescript(f"BEGIN; {_TABLE} PRAGMA user_version = {SCHEMA}; COMMIT;")
        finally:
            database.close()
        partial.replace(path)
        sync_folder(path.parent)
    except (sqlite3.Error, OSError) as error:
        raise CannotOpen(f"No log can be begun in {path.parent}: {why_not(error)}.") from None


def _agree(path: Path) -> None:
    """Give what SQLite made beside a log the log's own mode, as it does itself: that may have been mended since."""
    for beside in (Path(f"{path.resolve()}{end}") for end in ("-wal", "-shm")):
        with suppress(OSError):
            beside.chmod(stat.S_IMODE(path.stat().st_mode))


def unreadable(error: Exception) -> str:
    """Why a database cannot be read, without the very text of it that SQLite could not decode."""
    quoting = re.match(r"^(.*?) with text '", str(error))
    return quoting[1] if quoting else str(error)


def why_not(error: Exception) -> str:
    """Why something could not be written and what to do about it, to stand in a sentence."""
    if isinstance(error, BrokenLog):
        return str(error).rstrip(".")
    code, number = getattr(error, "sqlite_errorcode", 0) & 0xFF, getattr(error, "errno", None)
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return "another program holds the log; close it"
    if code == sqlite3.SQLITE_FULL or number in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return "the disk is full; free some room"
    if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM) or number in (errno.EROFS, errno.EACCES, errno.EPERM):
        return "the disk may only be read; make the data directory writable"
    return f"the disk does not take it ({error}); see whether it is full or failing"


def _connect(path: Path, mode: str) -> sqlite3.Connection:
    try:
        where = f"{path.resolve().as_uri()}?mode={mode}"
        return sqlite3.connect(where, uri=True, check_same_thread=False, timeout=_WAIT_MS / 1000)
    except sqlite3.OperationalError as error:
        raise CannotOpen(
            f"{path} cannot be opened ({error}): let whoever starts Cornet read and write it, or move it away."
        ) from None
