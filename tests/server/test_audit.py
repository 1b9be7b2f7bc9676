"""The audit: a whole evening checked by whoever holds the directory."""

import errno
import json
import shutil
import sqlite3
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from calibration.floor import calibrate_floor
from calibration.keeping import Keeper
from firmware.dimensions import size
from firmware.simulated import SimulatedTower
from server.chain import Event, canonical
from server.cli import main
from server.evidence import evidence_of
from server.log import Log
from server.looks import counting
from server.wallclock import Moment
from vision.rendered import RenderedCamera
from vision.rig import Rig
from vision.tray import Made, Tray

from .conftest import (
    MakeTable,
    audited,
    bodies,
    bundled,
    eye,
    forge,
    forge_texts,
    games,
    play,
    played_in,
    tables,
    throw_of,
)


def test_an_untouched_evening_has_no_difference(evening: Path) -> None:
    found = audited(evening)
    assert found.differences == []
    assert (found.games, found.pictures, found.missing) == (2, 3, {})
    with evidence_of(evening) as evidence:
        assert found.events == evidence.number


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


SOMETHING: dict[str, dict[str, Any]] = {
    "boot": {"simulated": True, "tower": "sim"},
    "soak": {"asked": {}},
    "fault": {"fault": "jammed", "message": "The cone does not turn."},
}


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
    shutil.rmtree(evening / "frames")
    events = bodies(evening)
    del events[0]["camera"]  # as boots once were
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


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (unlike("press", needs=4), "the game asked for 5 dice"),
        (unlike("press", kind="pressed"), 'this Cornet knows no "pressed"'),
        (unlike("press", at="nonsense"), "its field at is missing or wrong"),
        (unlike("press", at="2026-11-21T20:00:00"), "its field at is missing or wrong"),
        (unlike("abandon", game=99), "the game that ran was game"),
        (unlike("boot", simulated=False), "the same of its tower"),
        (unlike("game", simulated=False), "the same of its dice"),
        (unlike("boot", simulated=False, tower="gpio"), 'no tower "gpio" has a camera "rendered"'),
        (unlike("boot", camera="pi"), 'no tower "sim" has a camera "pi"'),
        (unlike("throw", press=1), "another press"),
        (unlike("refused", press=None), "another press"),
        (unlike("refused", needs=9), "another number of dice"),
        (unlike("throw", source="a.jpg"), "not what the camera gives"),
        (unlike("throw", frame="../cornet"), "its field frame is missing or wrong"),
        (unlike("throw", frame=7), "its field frame is missing or wrong"),
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
    throw_of(events)["frame"] = None
    forge(evening, events)
    assert any("not what the camera gives" in line for line in audited(evening).differences)


def test_a_picture_that_no_camera_can_have_taken_is_found(evening: Path) -> None:
    events = bodies(evening)
    events[0]["camera"] = "none"
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


def test_the_reason_of_a_correction_is_shown_whole_and_as_it_was_written(evening: Path) -> None:
    place, throw = max((number, body) for number, body in enumerate(bodies(evening), 1) if body["kind"] == "throw")
    reason = "«Шестёрка» — это пять\\".ljust(200, "ё")
    with tables(evening) as make:
        table = make()
        table.correct(place, {"faces": [throw["faces"][0] % 6 + 1, *throw["faces"][1:]]}, reason, "seat:Ян", None, None)
        table.close()
    whole = f'({json.dumps(reason, ensure_ascii=False)}, by "seat:Ян").'
    assert any(whole in line for line in audited(evening).said)


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
    said = "The log is torn or damaged: what comes after event 3 cannot be read"
    assert difference == f"{said} (Could not decode to UTF-8 column 'body')."


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


def test_what_belongs_to_no_event_is_said(evening: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What is left of a log that was cut short: no difference, for a kill leaves a picture or a seed too."""
    events = bodies(evening)
    forge(evening, events[: [place for place, body in enumerate(events) if body.get("frame")][-1]])
    for name in (f"seeds/{'0' * 64}", f"seeds/{'1' * 64}", f"seeds/{'2' * 64}.partial", "certificates/30.html"):
        (evening / name).parent.mkdir(exist_ok=True)
        (evening / name).write_bytes(b"0")
    assert main(["audit", str(evening)]) == 0
    unnamed = [line.partition(":")[0] for line in capsys.readouterr().out.splitlines() if "belong" in line]
    assert unnamed == [
        "1 picture belongs to no event of this log",
        "2 seeds belong to no event of this log",
        "The certificate certificates/30.html belongs to no complete run of this log",
    ]


def test_a_log_that_was_copied_while_it_was_written_is_no_difference(evening: Path) -> None:
    """Its pictures were copied after it: those of the throws between have no event."""
    events = bodies(evening)
    second = [place for place, body in enumerate(events) if body.get("frame")][1]
    forge(evening, events[:second])
    found = audited(evening)
    assert found.differences == []
    assert any(line.startswith("2 pictures belong to no event of this log") for line in found.said)


def test_what_stands_in_a_pictures_place_is_said(evening: Path) -> None:
    begin_another(evening)
    picture = sorted((evening / "frames").glob("*.jpg"))[0]
    picture.unlink()
    picture.mkdir()
    (difference,) = audited(evening).differences
    assert (picture.name[:20] in difference, difference.endswith(" is no file.")) == (True, True)


@pytest.mark.parametrize(("old", "new"), [('"faces":', '"faces":[6,6,6,6,6],"faces":'), ("{", "{ ")])
def test_an_event_that_is_not_written_as_ours_is_found(evening: Path, old: str, new: str) -> None:
    texts = list(map(canonical, bodies(evening)))
    place = next(place for place, text in enumerate(texts) if '"kind":"throw"' in text)
    texts[place] = texts[place].replace(old, new, 1)
    forge_texts(evening, texts)
    assert audited(evening).differences == [
        f"Event {place + 1} is not written as Cornet writes: it may tell another reader more."
    ]


def test_a_picture_that_cannot_be_read_is_named(evening: Path) -> None:
    named = throw_of(bodies(evening))["frame"]
    (evening / "frames" / f"{named}.jpg").unlink()
    (evening / "frames" / f"{named}.jpg").mkdir()
    assert any("is no file" in line for line in audited(evening).differences)


@pytest.mark.parametrize(
    "body", [{}, {"kind": "throw"}, {"kind": "game", "players": 5}, {"kind": "action", "action": []}]
)
def test_a_forged_event_of_any_shape_is_a_difference(evening: Path, body: dict[str, Any]) -> None:
    forge(evening, [*bodies(evening), body])
    assert audited(evening).differences != []


@pytest.mark.parametrize("height_px", [0, 1220, None])
def test_a_size_that_would_make_other_dice_count_is_found(evening: Path, height_px: int | None) -> None:
    events = bodies(evening)
    throw = throw_of(events)
    throw["size"] = None if height_px is None else [1456, height_px]
    throw["counted"] = counting(throw["dice"], throw)
    throw["faces"] = [throw["dice"][place]["face"] for place in throw["counted"]]
    forge(evening, events)
    assert any("is not as large as it says" in line for line in audited(evening).differences)


@pytest.fixture(scope="module")
def played_by_calibration(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with a game that was read by a calibration."""
    directory = tmp_path_factory.mktemp("calibrated")
    tower = SimulatedTower("7")
    empty = RenderedCamera(lambda: (), Rig.of(size), seed=7).frame(1.0).image
    tray = Tray(floor=calibrate_floor([empty], Rig.of(size), None, Made("", "", ()))[0])
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
