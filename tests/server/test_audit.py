"""The audit: a whole evening checked by whoever holds the directory or a bundle."""

import errno
import json
import os
import shutil
import sqlite3
import zipfile
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from calibration.floor import calibrate_floor
from calibration.keeping import Keeper
from firmware.dimensions import size
from firmware.simulated import Lying, SimulatedTower
from server.cli import main
from server.evidence import Extract, NothingToAudit, Unreadable, evidence_of, extract_of, write_bundle
from server.eye import CameraEye
from server.log import Event, Log, canonical
from server.looks import counting
from server.record import replay
from server.table import Table
from server.wallclock import Moment
from vision.rendered import LyingDie, RenderedCamera
from vision.rig import Rig
from vision.tray import Made, Tray

from .conftest import MakeTable, audited, bodies, forge, forge_texts, tables


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


def test_an_untouched_evening_has_no_difference(evening: Path) -> None:
    found = audited(evening)
    assert found.differences == []
    assert (found.games, found.pictures, found.missing) == (2, 3, {})
    with evidence_of(evening) as evidence:
        assert found.events == evidence.number


def throw_of(events: list[dict[str, Any]]) -> dict[str, Any]:
    return next(event for event in events if event["kind"] == "throw")


def test_a_forged_face_is_found_by_reading_the_picture_again(evening: Path) -> None:
    events = bodies(evening)
    throw = throw_of(events)
    die = throw["dice"][throw["counted"][0]]
    die["face"] = die["face"] % 6 + 1
    throw["faces"][0] = die["face"]
    forge(evening, events)
    assert any("read again its dice are" in line for line in audited(evening).differences)


def test_a_forged_choice_of_dice_is_found(evening: Path) -> None:
    events = bodies(evening)
    throw_of(events)["counted"].reverse()
    forge(evening, events)
    assert any("other dice would have counted" in line for line in audited(evening).differences)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda throw: throw["faces"].__setitem__(0, throw["faces"][0] % 6 + 1), "is not what its dice show"),
        (lambda throw: throw["counted"].__setitem__(0, 9), "other dice would have counted"),
        (lambda throw: throw.update(verdict="cocked"), "its verdict is cocked"),
        (lambda throw: throw.update(kind="refused"), "its verdict is ok"),
    ],
)
def test_a_throw_that_contradicts_itself_is_found_without_its_picture(
    evening: Path, change: Callable[[dict[str, Any]], None], says: str
) -> None:
    events = bodies(evening)
    change(throw_of(events))
    forge(evening, events)
    for frame in (evening / "frames").glob("*.jpg"):
        frame.unlink()
    assert any(says in line for line in audited(evening).differences)


def test_a_die_that_counts_twice_is_found_where_nothing_tells_which_ones_do(evening: Path) -> None:
    """Dice that were never pictured were once chosen by millimetres that the log did not keep."""
    events = bodies(evening)
    thrown = throw_of(events)
    thrown["counted"] = [thrown["counted"][0], *thrown["counted"][:-1]]
    thrown.update(frame=None, faces=[thrown["dice"][place]["face"] for place in thrown["counted"]])
    forge(evening, events[: events.index(thrown) + 1])
    (difference,) = audited(evening).differences
    assert difference.endswith("is not what its dice show.")


@pytest.mark.parametrize("expected", [10, 9, None])
def test_a_die_that_was_taken_out_of_a_throw_is_missed_without_its_picture(evening: Path, expected: int | None) -> None:
    """Another die counts then: the next nearest."""
    events = bodies(evening)
    thrown = throw_of(events)
    del thrown["dice"][thrown["counted"][0]]
    thrown["counted"] = counting(thrown["dice"], thrown)
    thrown.update(expected=expected, faces=[thrown["dice"][place]["face"] for place in thrown["counted"]], frame=None)
    forge(evening, events[: events.index(thrown) + 1])
    assert any("9 dice" in line for line in audited(evening).differences)


def test_dice_that_were_not_named_before_the_throw_are_found(evening: Path) -> None:
    events = bodies(evening)
    throw_of(events)["named"] = ["red"]
    forge(evening, events)
    assert any("named before the throw" in line for line in audited(evening).differences)


def test_an_action_that_the_rules_refuse_is_found(evening: Path) -> None:
    events = bodies(evening)
    next(event for event in events if event["kind"] == "action")["action"]["dice"] = [1, 1, 1, 1]
    forge(evening, events)
    assert any("cannot have happened" in line for line in audited(evening).differences)


def unlike(kind: str, /, **change: Any) -> Callable[[list[dict[str, Any]]], None]:
    """Changes the first event of this kind."""
    return lambda events: next(event for event in events if event["kind"] == kind).update(change)


def before_throw(*kinds: str) -> Callable[[list[dict[str, Any]]], None]:
    """Lets such events come between the last press and what came of it."""

    def change(events: list[dict[str, Any]]) -> None:
        place = max(place for place, event in enumerate(events) if event["kind"] == "press") + 1
        inserted = [{"kind": kind, **SOMETHING.get(kind, {})} for kind in kinds]
        events[place:place] = inserted
        events[place + len(inserted)]["press"] = place

    return change


SOMETHING: dict[str, dict[str, Any]] = {
    "boot": {"simulated": True, "tower": "sim"},
    "soak": {"asked": {}},
    "fault": {"fault": "jammed", "message": "The cone does not turn."},
}


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (unlike("press", needs=4), "the game asked for 5 dice"),
        (unlike("press", kind="pressed"), 'this Cornet knows no "pressed"'),
        (unlike("abandon", game=99), "the game that ran was game"),
        (unlike("boot", simulated=False), "the same of its tower"),
        (unlike("boot", simulated=False, tower="gpio"), 'no tower "gpio" has a camera "none"'),
        (unlike("boot", camera="pi"), 'no tower "sim" has a camera "pi"'),
        (unlike("throw", press=1), "another press"),
        (unlike("refused", press=None), "another press"),
        (unlike("refused", needs=9), "another number of dice"),
        (unlike("throw", source="a.jpg"), "not what the camera gives"),
        (unlike("throw", frame="../cornet"), "cannot be read"),
        (unlike("throw", frame=7), "cannot be read"),
        (before_throw("boot"), "void since the machine was started anew"),
        (before_throw("soak"), "had not ended"),
        (before_throw("fault", "soak"), r'in fault ("jammed")'),
        (
            lambda events: events.pop(next(n for n, event in enumerate(events) if event["kind"] == "abandon")),
            "not over",
        ),
    ],
)
def test_an_event_that_contradicts_those_before_it_is_found(
    evening: Path, change: Callable[[list[dict[str, Any]]], None], says: str
) -> None:
    events = bodies(evening)
    change(events)
    forge(evening, events)
    assert any(says in line for line in audited(evening).differences)


def test_a_throw_that_was_taken_out_is_missed(evening: Path) -> None:
    """Whoever did not like it could have pressed once more."""
    events = bodies(evening)
    place = max(place for place, event in enumerate(events) if event["kind"] == "press")
    events.insert(place, events[place])
    events[place + 2]["press"] = place + 2
    forge(evening, events)
    assert any("had not ended" in line for line in audited(evening).differences)


def test_a_throw_that_nobody_pressed_for_is_found(evening: Path) -> None:
    """The press before it asked for as many dice."""
    events = bodies(evening)
    thrown = throw_of(events)
    events.insert(events.index(thrown) + 1, {**thrown, "press": None})
    forge(evening, events)
    assert any("or to none" in line for line in audited(evening).differences)


def test_a_throw_whose_end_could_not_be_written_down_is_no_difference(
    make_table: MakeTable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = make_table()
    play(table, 1)
    append = Log.append

    def full(log: Log, kind: str, body: dict[str, Any]) -> Event:
        if kind in ("throw", "fault"):
            raise OSError(errno.ENOSPC, "no room")
        return append(log, kind, body)

    with monkeypatch.context() as disk:
        disk.setattr(Log, "append", full)
        table.press("console", None, None)
    table.clear_fault("console")
    table.press("console", None, None)
    assert audited(tmp_path).differences == []
    assert [body["kind"] for body in bodies(tmp_path)][-4:] == ["press", "clear", "press", "throw"]


def test_a_picture_that_a_camera_must_have_taken_is_missed(evening: Path) -> None:
    events = bodies(evening)
    events[0]["camera"] = "rendered"
    forge(evening, events)
    assert audited(evening).differences == []
    throw_of(events)["frame"] = None
    forge(evening, events)
    assert any("not what the camera gives" in line for line in audited(evening).differences)


def test_a_throw_that_is_told_twice_is_found(evening: Path) -> None:
    """With its picture, in place of a throw that somebody did not like."""
    events = bodies(evening)
    first, second, *_ = (place for place, event in enumerate(events) if event["kind"] in ("throw", "refused"))
    events[second] = {**events[first], "press": events[second]["press"]}
    forge(evening, events)
    assert f"Event {second + 1}: its picture is that of event {first + 1}." in audited(evening).differences


def test_what_a_correction_says_it_corrects_is_held_to_what_held(evening: Path) -> None:
    events = bodies(evening)
    place, throw = max((number, body) for number, body in enumerate(events, 1) if body["kind"] == "throw")
    with tables(evening) as make:
        table = make()
        table.correct(place, {"faces": [throw["faces"][0] % 6 + 1, *throw["faces"][1:]]}, "seen", "console", None, None)
        table.close()
    events = bodies(evening)
    assert audited(evening).differences == []
    events[-1]["before"] = [1, 1, 1, 1, 2]
    forge(evening, events)
    assert any("what it corrects is not what held" in line for line in audited(evening).differences)


def test_a_broken_chain_is_found_and_named(evening: Path) -> None:
    database = sqlite3.connect(evening / "cornet.db")
    database.executescript(
        "DROP TRIGGER events_stay; UPDATE events SET body = replace(body, 'Ana', 'Eve') WHERE seq = 4"
    )
    database.close()
    assert audited(evening).differences == [
        "The log is broken at event 4: it, or the one before it, is not what was written."
    ]


def test_an_event_that_cannot_be_read_is_a_difference_and_named(evening: Path) -> None:
    database = sqlite3.connect(evening / "cornet.db")
    database.executescript("DROP TRIGGER events_stay; UPDATE events SET body = CAST(x'ff' AS TEXT) WHERE seq = 4")
    database.close()
    (difference,) = audited(evening).differences
    assert difference.startswith("The log cannot be read after event 3: ")


def begin_another(evening: Path) -> None:
    """Nobody corrects the game that was played any more."""
    with tables(evening) as make:
        table = make(boot="another")
        table.abandon_game("console")
        play(table, 0)
        table.close()


def test_a_changed_picture_is_found_and_an_expired_one_is_no_difference(evening: Path) -> None:
    begin_another(evening)
    frames = sorted((evening / "frames").glob("*.jpg"))
    frames[0].unlink()
    frames[1].write_bytes(frames[1].read_bytes() + b"\0")
    found = audited(evening)
    assert found.missing == {frames[0].stem: "2026-11-21"}
    assert [line.split(": ")[1] for line in found.differences] == ["its picture has been changed."]


@pytest.mark.parametrize(("days", "said"), [(89, "is gone, sooner than"), (91, "has expired")])
def test_only_an_old_picture_is_said_to_have_expired(
    evening: Path, days: int, said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    begin_another(evening)
    name = throw_of(bodies(evening))["frame"]
    (evening / "frames" / f"{name}.jpg").unlink()
    today = Moment(datetime(2026, 11, 21, tzinfo=UTC) + timedelta(days=days), True)
    monkeypatch.setattr("server.commands.audit.now", lambda: today)
    assert main(["audit", str(evening)]) == 0
    assert f"The picture {name} {said}" in capsys.readouterr().out


def test_a_picture_of_the_running_game_that_is_gone_is_listed(evening: Path) -> None:
    """Whoever looks at a copy cannot know what made room on the machine."""
    picture = sorted((evening / "frames").glob("*.jpg"))[0]
    picture.unlink()
    found = audited(evening)
    assert (found.differences, list(found.missing)) == ([], [picture.stem])


def test_what_stands_in_a_pictures_place_is_said(evening: Path) -> None:
    begin_another(evening)
    picture = sorted((evening / "frames").glob("*.jpg"))[0]
    picture.unlink()
    picture.mkdir()
    (difference,) = audited(evening).differences
    assert (picture.name[:20] in difference, difference.endswith(" is no file.")) == (True, True)


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
        assert evidence.rows()
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        evidence.rows()
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


@pytest.mark.parametrize(("old", "new"), [('"faces":', '"faces":[6,6,6,6,6],"faces":'), ("{", "{ ")])
def test_an_event_that_is_not_written_as_ours_is_found(evening: Path, old: str, new: str) -> None:
    texts = list(map(canonical, bodies(evening)))
    place = next(place for place, text in enumerate(texts) if '"kind":"throw"' in text)
    texts[place] = texts[place].replace(old, new, 1)
    forge_texts(evening, texts)
    assert audited(evening).differences == [
        f"Event {place + 1} is not written as Cornet writes: it may tell another reader more."
    ]


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


def test_a_picture_that_cannot_be_read_is_named(evening: Path) -> None:
    events = bodies(evening)
    throw_of(events)["frame"] = "f" * 5000
    forge(evening, events)
    assert any("cannot be read" in line for line in audited(evening).differences)


@pytest.mark.parametrize(
    "body", [{}, {"kind": "throw"}, {"kind": "game", "players": 5}, {"kind": "action", "action": []}]
)
def test_a_forged_event_of_any_shape_is_a_difference(evening: Path, body: dict[str, Any]) -> None:
    forge(evening, [*bodies(evening), body])
    assert audited(evening).differences != []


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


@pytest.fixture(scope="module")
def played_by_calibration(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with a game that was read by a calibration."""
    directory = tmp_path_factory.mktemp("calibrated")
    tower = SimulatedTower("7")
    empty = RenderedCamera(lambda: (), Rig.of(size), seed=7).frame(1.0).image
    tray = Tray(floor=calibrate_floor([empty], 110.0, size("camera_mm"), None, Made("", "", ()))[0])
    Keeper(directory).keep_for_audit(tray)
    with tables(directory) as make:
        table = make(tower=tower, eye=eye(tower, tray))
        play(table, 1)
        table.close()
    return directory


@pytest.fixture
def calibrated(played_by_calibration: Path, tmp_path: Path) -> Path:
    """That game, to do with as one likes."""
    return shutil.copytree(played_by_calibration, tmp_path, dirs_exist_ok=True)


def test_a_throw_is_read_again_by_the_calibration_it_was_read_by(calibrated: Path) -> None:
    thrown = throw_of(bodies(calibrated))
    assert all(len(die["mm"]) == 2 for die in thrown["dice"])
    assert audited(calibrated).differences == []
    (calibrated / "tray.toml").write_text("", "utf-8")
    assert audited(calibrated).differences == []
    kept = calibrated / "calibration" / f"{thrown['tray']}.toml"
    kept.write_text(kept.read_text("utf-8").replace("radius_mm = 110.0", "radius_mm = 90.0"), "utf-8")
    assert ["has been changed" in difference for difference in audited(calibrated).differences] == [True]
    kept.unlink()
    assert ["is not there" in difference for difference in audited(calibrated).differences] == [True]


def test_a_bundle_holds_the_calibration(calibrated: Path) -> None:
    (game,) = games(calibrated)
    assert audited(bundled(calibrated, played_in(calibrated, game))).differences == []
