"""What is audited: a data directory, or a bundle that tells no two readers different things."""

import json
import os
import shutil
import sqlite3
import zipfile
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from server.evidence import NothingToAudit, Unreadable, evidence_of, extract_of
from server.record import replay

from .conftest import (
    audited,
    bodies,
    bundled,
    forge,
    games,
    played_in,
)


def test_a_bundle_is_all_that_a_stranger_needs(bundle: Path, evening: Path) -> None:
    head = audited(evening).head
    shutil.rmtree(evening / "frames")
    found = audited(bundle)
    assert (found.differences, found.missing, found.games, found.pictures) == ([], {}, 1, 3)
    with zipfile.ZipFile(bundle) as inside:
        assert replay(json.loads(inside.read("record.json"))).state()["players"] == ["Ana", "Bo"]
    assert found.head == head


def test_a_forged_record_in_a_bundle_is_found(evening: Path) -> None:
    played = played_in(evening, games(evening)[1])
    played.record["actions"].pop()
    assert audited(bundled(evening, played)).differences == [
        "The record in the bundle is not the game that its events tell."
    ]
    cut = replace(played, events=played.events[:-1])
    assert audited(bundled(evening, cut, "cut.zip")).differences == []
    none = replace(played, events=())
    assert audited(bundled(evening, none, "none.zip")).differences != []


@pytest.fixture
def bundle(evening: Path) -> Path:
    """The bundle of the evening's second game."""
    return bundled(evening, played_in(evening, games(evening)[1]))


@pytest.mark.parametrize("statement", ["PRAGMA user_version = 0", "DROP TABLE events"])
def test_what_is_no_log_of_cornet_is_not_audited(evening: Path, statement: str) -> None:
    with closing(sqlite3.connect(evening / "cornet.db")) as database:
        database.execute(statement)
    with pytest.raises(NothingToAudit, match=r"no log of Cornet\. Name another"), evidence_of(evening):
        pass


def test_nobody_waits_for_a_pipe_in_place_of_a_bundle(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(NothingToAudit, match="it is no file"), evidence_of(tmp_path / "pipe"):
        pass


def test_evidence_is_closed_after_use(bundle: Path, evening: Path) -> None:
    with evidence_of(evening) as evidence:
        assert next(iter(evidence.rows()))
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        next(iter(evidence.rows()))
    with evidence_of(bundle) as evidence:
        assert evidence.file("record.json")
    with pytest.raises(Unreadable, match="closed"):
        evidence.file("record.json")


def test_what_goes_wrong_while_evidence_is_open_is_told_as_it_is(bundle: Path, evening: Path) -> None:
    for path in (bundle, evening):
        with pytest.raises(ValueError, match="another matter"), evidence_of(path):
            raise ValueError("another matter")


def rewrite(bundle: Path, change: Callable[[dict[str, bytes]], Any]) -> None:
    """Pack the bundle anew as `change` leaves its files."""
    with zipfile.ZipFile(bundle) as inside:
        content = {name: inside.read(name) for name in inside.namelist()}
    change(content)
    with zipfile.ZipFile(bundle, "w") as again:
        for name, data in content.items():
            again.writestr(name, data)


def swapped(name: str, old: bytes, new: bytes) -> Callable[[dict[str, bytes]], None]:
    """Replaces the first of some bytes of a file."""

    def change(content: dict[str, bytes]) -> None:
        assert old in content[name]
        content[name] = content[name].replace(old, new, 1)

    return change


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (swapped("events.jsonl", b'"faces": [', b'"faces": [6, 6, 6, 6, 6], "faces": ['), '"faces" stands twice'),
        (swapped("events.jsonl", b'{"seq": ', b'{"note": "all is well", "seq": '), "a line of its events"),
        (swapped("events.jsonl", b'"again": false', b'"again": NaN'), "NaN is no JSON number"),
        (swapped("events.jsonl", b', "head"', b'.7, "head"'), "what its events begin with"),
        (swapped("record.json", b'"players": [', b'"players": ["Eve"], "players": ['), '"players" stands twice'),
        (lambda content: content.update({"record.json": b"null"}), "its record is none"),
        (lambda content: content.update({"record.json": b" " * 2**23 + b"{}"}), "too large to be a file of ours"),
        (swapped("events.jsonl", b'{"seq": ', b" " * 2**20 + b'{"seq": '), "longer than any of ours"),
        (lambda content: content.update({"../../evil": b""}), '"../../evil" is in it, and no event names it'),
        (lambda content: content.update({f"frames/{'0' * 64}.jpg": b""}), "no event names it"),
    ],
)
def test_a_bundle_that_tells_another_reader_more_is_none(
    bundle: Path, change: Callable[[dict[str, bytes]], Any], says: str
) -> None:
    rewrite(bundle, change)
    with pytest.raises(NothingToAudit, match=says):
        audited(bundle)


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_bundle_with_two_files_of_one_name_is_none(bundle: Path) -> None:
    with zipfile.ZipFile(bundle, "a") as inside:
        inside.writestr("record.json", inside.read("record.json"))
    with pytest.raises(NothingToAudit, match=r'"record\.json" is in it 2 times'):
        audited(bundle)


def hide(content: bytes) -> bytes:
    """One byte of the directory: all the files behind an entry are its comment then."""
    entry = content.index(b"PK\x01\x02", content.index(b"PK\x01\x02") + 1)
    return content[: entry + 33] + b"\xff" + content[entry + 34 :]


def another_head(content: bytes) -> bytes:
    """A file without a compression, for whoever reads the bundle from its beginning."""
    return content[:8] + b"\x00" + content[9:]


@pytest.mark.parametrize(
    "change",
    [hide, another_head, lambda content: b"#!/bin/sh\n" + content, lambda content: content[:-2] + b"\1\0!"],
    ids=["hidden files", "another head", "before it", "behind it"],
)
def test_a_bundle_in_which_another_program_finds_other_files_is_none(
    bundle: Path, change: Callable[[bytes], bytes]
) -> None:
    bundle.write_bytes(change(bundle.read_bytes()))
    with pytest.raises(NothingToAudit, match="neither a data directory nor a bundle"):
        audited(bundle)


@pytest.mark.parametrize("written", [b"true", b"1.0"])
def test_the_record_in_a_bundle_is_compared_as_it_is_written(bundle: Path, written: bytes) -> None:
    rewrite(bundle, swapped("record.json", b'"format": 1', b'"format": ' + written))
    assert audited(bundle).differences == ["The record in the bundle is not the game that its events tell."]


def test_a_bundle_may_lack_what_had_expired_when_it_was_made(bundle: Path) -> None:
    def lose(content: dict[str, bytes]) -> None:
        for name in [name for name in content if name.startswith("frames/")]:
            del content[name]

    rewrite(bundle, lose)
    found = audited(bundle)
    assert (found.differences, len(found.missing)) == ([], 3)


def middle_of(bundle: Path, suffix: str) -> tuple[str, int]:
    """A file of the bundle, and a byte in the middle of what is packed of it."""
    with zipfile.ZipFile(bundle) as inside:
        about = next(about for about in inside.infolist() if about.filename.endswith(suffix))
    return about.filename, about.header_offset + 30 + len(about.filename) + about.compress_size // 2


def test_a_picture_that_is_damaged_in_its_bundle_is_named(bundle: Path) -> None:
    name, at = middle_of(bundle, ".jpg")
    content = bytearray(bundle.read_bytes())
    content[at] ^= 1
    bundle.write_bytes(content)
    (difference,) = audited(bundle).differences
    assert "is damaged in the bundle" in difference
    assert name[:20] in difference


def test_a_bundle_without_events_is_no_bundle(bundle: Path) -> None:
    empty = bundle.with_name("empty.zip")
    with zipfile.ZipFile(bundle) as whole, zipfile.ZipFile(empty, "w") as written:
        for name in whole.namelist():
            written.writestr(name, b"" if name == "events.jsonl" else whole.read(name))
    with pytest.raises(NothingToAudit, match="what its events begin with is not what was exported"):
        audited(empty)


@pytest.mark.parametrize("suffix", ["events.jsonl", "record.json"])
def test_a_bundle_whose_story_is_damaged_is_no_bundle(bundle: Path, suffix: str) -> None:
    _, at = middle_of(bundle, suffix)
    content = bytearray(bundle.read_bytes())
    content[at : at + 8] = bytes(8)
    bundle.write_bytes(content)
    with pytest.raises(NothingToAudit, match="damaged in the bundle"):
        audited(bundle)


def test_a_bundle_of_a_later_kind_of_zip_is_no_bundle(bundle: Path) -> None:
    content = bytearray(bundle.read_bytes())
    content[content.index(b"PK\x01\x02") + 6] = 148  # the version that it asks for
    bundle.write_bytes(content)
    with pytest.raises(NothingToAudit, match=r"version 14\.8"):
        audited(bundle)


def test_a_bundle_that_would_fill_the_memory_is_not_unpacked(bundle: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("server.evidence._LARGEST_BYTES", 100_000)
    assert {line.rpartition(" is too large")[1] for line in audited(bundle).differences} == {" is too large"}


def test_a_picture_that_would_fill_the_memory_is_not_read(evening: Path) -> None:
    picture = sorted((evening / "frames").glob("*.jpg"))[0]
    with picture.open("r+b") as file:
        file.truncate(8 * 2**30)  # takes no room on the disk
    (line,) = audited(evening).differences
    assert line.endswith("is too large to be a file of ours.")


def test_an_event_that_would_fill_the_memory_is_not_read(evening: Path) -> None:
    forge(evening, [*bodies(evening), {"kind": "dispute", "by": "x" * 2**20}])
    (line,) = audited(evening).differences
    assert "too big" in line


def test_only_a_game_can_be_exported(evening: Path) -> None:
    with evidence_of(evening) as evidence:
        for number in (0, 1, 3, 999):
            assert extract_of(evidence.events(), number) is None


def test_what_holds_no_log_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"no log")
    (tmp_path / "empty").mkdir()
    for name in ("file", "empty", "none"):
        with pytest.raises(NothingToAudit):
            audited(tmp_path / name)
