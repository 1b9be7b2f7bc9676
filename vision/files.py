"""Files that are read with bounds, and written as a whole or not at all so that they stay when the power fails."""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

MOST_BYTES = 64_000_000
"""Labels and records are much shorter."""


def read_file(path: Path, most_bytes: int = MOST_BYTES) -> bytes:
    """The bytes of a file; OSError where it cannot be read, is larger, or is a pipe or device, which may never end."""
    about = path.stat()
    if not (stat.S_ISREG(about.st_mode) or stat.S_ISDIR(about.st_mode)):
        raise OSError(errno.EINVAL, "It is no file", str(path))
    if about.st_size > most_bytes:
        raise OSError(errno.EFBIG, f"It is larger than {most_bytes // 1_000_000} MB", str(path))
    return path.read_bytes()


def write_safely(path: Path, data: bytes) -> None:
    """Replace a file by these bytes, as `replacing` does."""
    with replacing(path) as file:
        file.write(data)


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """What is written takes the file's place at once or not at all, file and directory synced to the disk.

    OSError where that is not possible, or a folder, a pipe or a device stands there; whatever stands there stays.
    """
    path = Path(os.path.realpath(path))
    if path.exists() and not path.is_file():
        raise FileExistsError(errno.EEXIST, "It is no file", str(path))
    with path.with_name(f"{path.name}.partial").open("wb") as file, becoming(path, file):
        yield file


@contextmanager
def becoming(path: Path, file: BinaryIO) -> Iterator[None]:
    """An open file that lies beside `path` takes that name once it is written; where that fails, it goes."""
    partial = Path(file.name)
    try:
        yield
        file.flush()
        os.fsync(file.fileno())
        partial.replace(path)
    except BaseException:
        # A full disk must not stay full of what could not be finished.
        partial.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Bring the names in a folder to the disk."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
