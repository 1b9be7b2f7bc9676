"""Files as a whole or not at all."""

import os
from pathlib import Path

import pytest

from vision.files import read_file, write_safely


def test_a_write_that_fails_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "kept"
    write_safely(path, b"old")

    def fail(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="No space"):
        write_safely(path, b"new")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_link_stays_and_what_is_no_file_too(tmp_path: Path) -> None:
    link, path = tmp_path / "link", tmp_path / "kept"
    link.symlink_to(path)
    write_safely(link, b"new")
    assert (link.is_symlink(), path.read_bytes()) == (True, b"new")
    with pytest.raises(FileExistsError, match="It is no file"):
        write_safely(tmp_path, b"new")


def test_nobody_waits_for_a_pipe_or_reads_what_is_too_large(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"text")
    assert read_file(path, 4) == b"text"
    os.truncate(path, 3_000_000_000)
    with pytest.raises(OSError, match="It is larger than 1 MB"):
        read_file(path, 1_000_000)
    os.mkfifo(tmp_path / "pipe")
    for no_file in (tmp_path / "pipe", Path("/dev/zero")):
        with pytest.raises(OSError, match="It is no file"):
            read_file(no_file)
    for other in (tmp_path, tmp_path / "none"):
        with pytest.raises(OSError, match="directory"):
            read_file(other)
