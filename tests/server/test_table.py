"""The table: from press to score, through refusals, faults and restarts."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import pytest

from firmware.simulated import SimulatedTower
from firmware.tower import Jammed, MissingTower, NoTower
from server.eye import BlindEye, CameraEye, Seen
from server.log import Log
from server.parts import WrongParts, choose
from server.rules import BadRecord
from server.settings import read_settings
from server.stage import CLOCK_WARNING, NEXT, NotNow, Phase
from server.wallclock import Moment
from server.web.app import create_app
from vision.camera import CameraLost, FolderCamera
from vision.picture import encode_jpeg
from vision.reading import Reading, Verdict
from vision.rest import CameraFrozen

from .conftest import Held, MakeTable, ScriptedEye, audited, blind, kinds, ok, play_25, refused, state


def test_a_press_is_a_committed_and_scored_throw(make_table: MakeTable, tmp_path: Path) -> None:
    table = make_table(eye=ScriptedEye(ok(6, 5, 4, 3, 2, 1)))
    play_25(table)
    table.press("console", None, None)
    shown = state(table)
    assert shown["machine"] == {"phase": "ready", "fault": None}
    assert shown["last"]["faces"] == [6, 5, 4, 3, 2]
    assert shown["last"]["counted"] == [0, 1, 2, 3, 4]
    assert shown["game"]["table"]["rolled"] == [6, 5, 4, 3, 2]
    assert shown["offers"] == [{"do": "keep", "dice": {"one_of": [[6]]}}]
    assert shown["last"]["head"] == shown["head"]
    assert (tmp_path / "frames" / f"{shown['last']['frame']}.jpg").exists()
    with create_app(table, table._log).test_client().get(shown["last"]["picture"]) as picture:
        assert picture.mimetype == "image/jpeg"
    assert kinds(tmp_path) == ["game", "press", "throw"]


def test_a_whole_game_is_played_to_its_end(make_table: MakeTable) -> None:
    table = make_table()
    play_25(table)
    for _ in range(2000):
        shown = state(table)
        if shown["game"]["finished"]:
            break
        if shown["offers"]:
            offer = shown["offers"][0]
            table.act({"do": "keep", "dice": offer["dice"]["one_of"][-1]}, "console", shown["seq"], None)
        else:
            table.press("console", shown["seq"], None)
    assert state(table)["game"]["finished"]
    with pytest.raises(NotNow, match="The game is over"):
        table.press("console", None, None)
    play_25(table)
    assert state(table)["game"]["turn"]["player"] == "Ana"


@pytest.mark.parametrize(
    ("fault", "verdict"),
    [("cocked", "cocked"), ("stacked", "stacked"), ("missing", "wrong-count"), ("extra", "wrong-count")],
)
def test_a_misplaced_die_is_refused_and_thrown_again(
    make_table: MakeTable, tmp_path: Path, fault: str, verdict: str
) -> None:
    table = make_table(**blind({1: fault}))
    play_25(table)
    table.press("console", None, None)
    assert kinds(tmp_path) == ["game", "press", "refused", "throw"]
    assert [look["verdict"] for look in state(table)["throws"]] == [verdict, "ok"]


def test_the_third_refusal_is_a_fault_that_stays_until_cleared(make_table: MakeTable, tmp_path: Path) -> None:
    table = make_table(**blind({1: "cocked", 2: "stacked", 3: "missing"}))
    play_25(table)
    table.press("console", None, None)
    assert state(table)["machine"]["fault"]["name"] == "unreadable"
    assert kinds(tmp_path) == ["game", "press", "refused", "refused", "refused", "fault"]
    with pytest.raises(NotNow, match="unreadable"):
        table.press("console", None, None)
    again = make_table()
    assert state(again)["machine"]["fault"]["name"] == "unreadable"
    assert kinds(tmp_path)[-1] == "fault"  # which has ended the throw: nothing is left to be void
    assert again.causes()
    again.clear_fault("console")
    assert state(again)["machine"] == {"phase": "ready", "fault": None}
    again.press("console", None, None)
    assert state(again)["last"]["verdict"] == "ok"


def test_recorded_pictures_are_refused_as_often_as_there_are_some(make_table: MakeTable, tmp_path: Path) -> None:
    looks = [refused(Verdict.UNSURE)] * 6 + [ok(1, 2, 3), ok(1, 2, 3, 4, 5)]
    table = make_table(eye=ScriptedEye(*looks, recorded=8))
    play_25(table)
    table.press("console", None, None)
    assert kinds(tmp_path) == ["game", "press", *["refused"] * 7, "throw"]
    assert state(table)["throws"][-2]["verdict"] == "wrong-count"
    assert "I see 3 dice, this throw needs 5" in state(table)["throws"][-2]["message"]


def test_what_people_put_in_must_be_just_what_the_throw_needs(make_table: MakeTable, tmp_path: Path) -> None:
    parts = choose("sim", "none", 7, read_settings(None, loading="hand", tumble_s=0.0))
    table = make_table(parts.tower, parts.eye, load=parts.load, loading="hand")
    play_25(table)
    table.press("console", None, None)
    last = state(table)["last"]
    assert (last["expected"], len(last["dice"]), sorted(last["counted"])) == (5, 5, [0, 1, 2, 3, 4])
    keep = state(table)["offers"][0]["dice"]["one_of"][0]
    table.act({"do": "keep", "dice": keep}, "console", None, None)
    table.press("console", None, None)
    assert state(table)["last"]["expected"] == len(state(table)["last"]["dice"]) == 5 - len(keep)
    assert audited(tmp_path).differences == []


def test_a_camera_too_expects_what_people_put_in(tmp_path: Path) -> None:
    (tmp_path / "empty.jpg").write_bytes(encode_jpeg(np.full((60, 80, 3), 120, np.uint8)))
    eye = CameraEye(FolderCamera(tmp_path), 10)
    eye.load(3)
    assert eye.look(eye.settle()).reading.expected == 3


@pytest.mark.parametrize(("tower", "said"), [("sim", {"select": "colour"}), ("twin", {})])
def test_where_people_put_the_dice_in_all_count_and_nothing_is_reckoned(tower: str, said: dict[str, str]) -> None:
    with pytest.raises(WrongParts, match='"sealed"'):
        choose(tower, "none", 7, read_settings(None, loading="hand", **said))


@pytest.mark.parametrize(("fault", "seen"), [("extra", 6), ("missing", 4)])
def test_another_number_of_dice_that_people_put_in_is_refused(make_table: MakeTable, fault: str, seen: int) -> None:
    tower = SimulatedTower("7", 5, faults={1: fault})
    table = make_table(tower, BlindEye(lambda: tower.lying, 5))
    play_25(table)
    table.press("console", None, None)
    first = state(table)["throws"][-2]
    assert (first["verdict"], first["message"]) == ("wrong-count", f"I see {seen} dice, this throw needs 5.")
    assert state(table)["last"]["verdict"] == "ok"


def test_a_folder_without_one_readable_picture_is_a_fault(make_table: MakeTable) -> None:
    table = make_table(eye=ScriptedEye(*[refused(Verdict.UNSURE)] * 5, recorded=5))
    play_25(table)
    table.press("console", None, None)
    assert state(table)["machine"]["fault"]["name"] == "unreadable"


@pytest.mark.parametrize(
    ("parts", "name"),
    [
        (blind({1: "jam"}), "jammed"),
        (blind({1: "unhomed"}), "not-homed"),
        (blind({1: "overtime"}), "motor-overtime"),
        (blind({1: "lid"}), "lid-open"),
        (blind({1: "stop"}), "stopped"),
        (blind({1: "undervoltage"}), "undervoltage"),
        (blind({1: "hot"}), "overheated"),
        (blind({2: "still"}), "dice-did-not-move"),
        ({"eye": ScriptedEye(ok(6, 5, 4, 3, 2, 1), CameraLost("No frame."))}, "camera-lost"),
        ({"eye": ScriptedEye(ok(6, 5, 4, 3, 2, 1), CameraFrozen("Twice the same."))}, "camera-frozen"),
        ({"eye": ScriptedEye(ok(6, 5, 4, 3, 2, 1), OSError("No space left"))}, "storage"),
        ({"eye": ScriptedEye(ok(6, 5, 4, 3, 2, 1), KeyError("nobody foresaw this"))}, "internal"),
    ],
)
def test_a_fault_is_latched_by_its_name_and_nothing_is_scored(
    make_table: MakeTable, tmp_path: Path, parts: dict[str, Any], name: str
) -> None:
    table = make_table(**parts)
    table.start_game("vingt-six", ["Ana", "Bo"], {}, "console")
    table.act({"do": "bet", "chips": 2}, "console", None, None)
    table.act({"do": "call", "face": 6}, "console", None, None)
    for _ in range(2):
        if table.phase is Phase.READY:
            table.press("console", None, None)
    assert state(table)["machine"]["fault"]["name"] == name
    assert state(table)["machine"]["fault"]["message"]
    assert len(state(table)["game"]["table"]["throws"]) == kinds(tmp_path).count("throw")
    assert kinds(tmp_path)[-1] == "fault"
    named = {event.body["frame"] for event in table._log.events() if "frame" in event.body}
    assert {path.stem for path in (tmp_path / "frames").glob("*.jpg")} == named - {None}


@pytest.mark.parametrize(("fault", "name"), [("lid", "lid-open"), ("stop", "stopped")])
def test_an_open_switch_must_be_released_before_its_fault_is_cleared(
    make_table: MakeTable, tmp_path: Path, fault: str, name: str
) -> None:
    tower = SimulatedTower("7", faults={1: fault})
    table = make_table(tower=tower, eye=BlindEye(lambda: tower.lying, 10))
    play_25(table)
    table.press("console", None, None)
    with pytest.raises(NotNow, match="then clear the fault"):
        table.clear_fault("console")
    assert state(table)["machine"]["fault"]["name"] == name
    tower.release()
    table.clear_fault("console")
    table.press("console", None, None)
    assert kinds(tmp_path) == ["game", "press", "fault", "clear", "press", "throw"]


def test_a_machine_that_cannot_be_opened_starts_in_a_fault_and_throws_nothing(make_table: MakeTable) -> None:
    missing = MissingTower(NoTower("The current sensor does not answer: check its cable."))
    table = make_table(tower=missing)
    assert state(table)["machine"]["fault"] == {
        "name": "no-tower",
        "message": "The current sensor does not answer: check its cable.",
        "part": "tower",
        "clears": True,
    }
    assert table.causes() == ["The current sensor does not answer: check its cable."]
    for ask in (lambda: play_25(table), lambda: table.clear_fault("console")):
        with pytest.raises(NotNow, match="current sensor"):
            ask()
    missing.stop()
    missing.close()
    with pytest.raises(NoTower):
        missing.tumble()


def test_a_camera_that_is_lost_at_the_start_is_a_fault_until_it_is_back(make_table: MakeTable) -> None:
    eye = ScriptedEye(ok(6, 5, 4, 3, 2))
    eye.lost = "The camera does not answer: check its ribbon."
    table = make_table(eye=eye)
    assert state(table)["machine"]["fault"]["name"] == "camera-lost"
    with pytest.raises(NotNow, match="ribbon"):
        table.clear_fault("console")
    eye.lost = ""
    table.clear_fault("console")
    play_25(table)
    table.press("console", None, None)
    assert state(table)["last"]["verdict"] == "ok"


def test_a_lid_opened_while_the_dice_are_read_voids_the_look(make_table: MakeTable, tmp_path: Path) -> None:
    tower = SimulatedTower("7", faults={})

    class Opened(ScriptedEye):
        def look(self, settled: Reading) -> Seen:
            tower._open = "lid"
            return super().look(settled)

    table = make_table(tower=tower, eye=Opened(ok(6, 5, 4, 3, 2)))
    play_25(table)
    table.press("console", None, None)
    assert kinds(tmp_path) == ["game", "press", "fault"]
    assert state(table)["machine"]["fault"]["name"] == "lid-open"


def test_a_fault_between_throws_is_latched_and_the_first_one_stays(make_table: MakeTable) -> None:
    table = make_table()
    table.latch("lid-open", "The lid was opened.")
    table.latch("jammed", "The cone does not turn.")
    assert state(table)["machine"]["fault"]["name"] == "lid-open"


def test_a_stop_in_a_fault_is_not_undone_by_whoever_clears_that_fault(make_table: MakeTable, tmp_path: Path) -> None:
    table = make_table()
    table.latch("camera-lost", "The camera gives no pictures.")
    for _ in range(2):
        table.latch("stopped", "The stop was pressed.")
    assert state(table)["machine"]["fault"]["message"] == "The stop was pressed."
    assert kinds(tmp_path) == ["fault", "fault"]
    table.clear_fault("console")
    assert state(table)["machine"] == {"phase": "ready", "fault": None}


@pytest.mark.parametrize("error", [CameraLost("The camera is gone."), Jammed("It is stuck."), ValueError("A fault.")])
def test_what_fails_after_a_stop_takes_nothing_of_it_away(make_table: MakeTable, error: Exception) -> None:
    class Failing(ScriptedEye):
        def settle(self) -> Reading:
            table.latch("stopped", "The stop was pressed.")
            raise error

    table = make_table(eye=Failing())
    play_25(table)
    table.press("console", None, None)
    assert state(table)["machine"]["fault"]["message"] == "The stop was pressed."
    table.clear_fault("console")
    assert table.phase is Phase.READY


def test_a_hundred_presses_in_a_throw_are_one_throw(make_table: MakeTable, tmp_path: Path) -> None:
    held = Held([])
    table = make_table(run=held)
    play_25(table)
    table.press("console", None, None)
    for _ in range(100):
        with pytest.raises(NotNow, match="under way"):
            table.press("console", None, None)
    assert len(held.throws) == 1
    held.throws[0]()
    assert kinds(tmp_path) == ["game", "press", "throw"]


class Stopping(ScriptedEye):
    """An eye during whose first look, or wait for rest, people stop the machine, clear it and perhaps press anew."""

    def __init__(self, during: str, *looks: Reading) -> None:
        super().__init__(*looks)
        self._during = during
        self.stop: Callable[[], None]

    def settle(self) -> Reading:
        self._now("settle")
        return super().settle()

    def look(self, settled: Reading) -> Seen:
        self._now("look")
        return super().look(settled)

    def _now(self, where: str) -> None:
        if where == self._during:
            self._during = "over"
            self.stop()


@pytest.mark.parametrize("again", [False, True], ids=["no other press", "another press"])
@pytest.mark.parametrize("during", ["settle", "look"])
def test_a_throw_that_was_stopped_is_over_although_another_was_begun(
    make_table: MakeTable, tmp_path: Path, during: str, again: bool
) -> None:
    held, eye = Held([]), Stopping(during, ok(1, 1, 1, 1, 1), ok(6, 5, 4, 3, 2))
    table = make_table(eye=eye, run=held)

    def stop() -> None:
        table.latch("stopped", "Somebody stopped it.")
        table.clear_fault("console")
        if again:
            table.press("console", None, None)

    eye.stop = stop
    play_25(table)
    table.press("console", None, None)
    held.throws[0]()
    assert kinds(tmp_path) == ["game", "press", "fault", "clear", *["press"] * again]
    assert state(table)["machine"] == {"phase": "tumbling" if again else "ready", "fault": None}
    if again:
        held.throws[1]()
        assert kinds(tmp_path) == ["game", "press", "fault", "clear", "press", "throw"]
        assert state(table)["machine"] == {"phase": "ready", "fault": None}
        assert state(table)["last"]["faces"] == [6, 5, 4, 3, 2]


@pytest.mark.parametrize("written", [True, False], ids=["in the log", "where the log takes nothing"])
def test_what_was_stopped_before_it_turned_never_turns(make_table: MakeTable, tmp_path: Path, written: bool) -> None:
    held, tower = Held([]), SimulatedTower("7")
    table = make_table(tower=tower, eye=ScriptedEye(ok(6, 5, 4, 3, 2)), run=held)
    play_25(table)
    lay = tower.lying
    table.press("console", None, None)
    table._log._database.execute(f"PRAGMA query_only = {'OFF' if written else 'ON'}")
    table.latch("stopped", "Somebody stopped it.")
    table._log._database.execute("PRAGMA query_only = OFF")
    held.throws[0]()
    table.clear_fault("console")
    held.throws[0]()
    assert tower.lying == lay
    told = ["game", "press", *["fault"] * written, "clear"]
    assert kinds(tmp_path) == told
    table.press("console", None, None)
    held.throws[1]()
    assert tower.lying != lay
    assert kinds(tmp_path) == [*told, "press", "throw"]


def test_a_press_that_waits_for_its_throw_is_void_once_the_machine_was_stopped(
    make_table: MakeTable, tmp_path: Path
) -> None:
    held = Held([])
    table = make_table(run=held)
    play_25(table)
    table.press("console", None, None)
    table.latch("stopped", "The stop was pressed.")
    table.clear_fault("console")
    table.press("console", None, None)
    for throw in held.throws:
        throw()
    assert kinds(tmp_path) == ["game", "press", "fault", "clear", "press", "throw"]
    assert state(table)["machine"] == {"phase": "ready", "fault": None}


def test_an_interrupted_throw_is_void_and_the_machine_waits_for_a_press(make_table: MakeTable, tmp_path: Path) -> None:
    table = make_table(run=Held([]))
    play_25(table)
    table.press("console", None, None)
    before = state(table)["game"]
    table.close()
    again = make_table(boot="second")
    assert kinds(tmp_path) == ["game", "press", "void"]
    assert state(again)["machine"]["phase"] == "ready"
    assert state(again)["game"] == before
    again.press("console", None, None)
    assert kinds(tmp_path) == ["game", "press", "void", "press", "throw"]


def test_a_restart_comes_back_to_the_committed_state(make_table: MakeTable) -> None:
    table = make_table()
    table.start_game("vingt-six", ["Ana", "Bo", "Cyr"], {"bet_mode": "free"}, "console")
    shown = []
    steps: Sequence[dict[str, Any] | None] = [{"do": "bet", "chips": 7}, {"do": "call", "face": 3}, *[None] * 14]
    for step in steps:
        if step is None and "throw" in state(table)["game"]["turn"]["legal"]:
            table.press("console", None, None)
        elif step is not None:
            table.act(step, "console", None, None)
        shown = [{**state(table), "seq": 0, "boot": "", "head": ""}]
        table.close()
        table = make_table(boot="again")
        assert [{**state(table), "seq": 0, "boot": "", "head": ""}] == shown


def test_a_game_can_be_voided_as_a_whole(make_table: MakeTable) -> None:
    table = make_table()
    with pytest.raises(NotNow, match="no game"):
        table.abandon_game("console")
    play_25(table)
    table.abandon_game("console")
    assert state(table)["game"] is None
    with pytest.raises(BadRecord):
        table.start_game("vingt-cinq", ["Ana"], {}, "console")
    assert state(table)["game"] is None


def test_a_clock_that_jumps_back_changes_no_order_and_is_warned_of(make_table: MakeTable) -> None:
    years = iter([Moment(datetime(year, 1, 1, tzinfo=UTC), year > 2020) for year in range(2026, 1990, -1)])
    table = make_table(now=lambda: next(years))
    play_25(table)
    assert state(table)["warnings"] == []
    for _ in range(3):
        table.note("joining", {"joining": "open"})
    assert state(table)["warnings"] == [CLOCK_WARNING]
    events = list(table._log.events())
    assert [event.seq for event in events] == [1, 2, 3, 4, 5]
    assert [event.body["at"] for event in events] == sorted((event.body["at"] for event in events), reverse=True)
    assert [event.body["synchronised"] for event in events] == [True, True, True, False, False]


def test_phases_follow_the_table() -> None:
    assert set(NEXT) == set(Phase)
    assert Phase.FAULT not in set().union(*NEXT.values())


def test_nothing_is_pressed_while_the_machine_closes(make_table: MakeTable, tmp_path: Path) -> None:
    table = make_table()
    play_25(table)
    table.close()
    with pytest.raises(NotNow, match="being closed"):
        table.press("console", None, None)
    with pytest.raises(NotNow, match="being closed"), table.lent():
        pass
    assert kinds(tmp_path) == ["game"]


def test_a_machine_that_closes_while_a_press_is_written_throws_nothing(make_table: MakeTable, tmp_path: Path) -> None:
    table = make_table()
    play_25(table)
    table.board.wake = table.close
    with pytest.raises(NotNow, match="being closed"):
        table.press("console", None, None)
    assert kinds(tmp_path) == ["game", "press"]


def test_a_fault_of_the_machine_is_cleared_without_reading_a_long_log_again(
    make_table: MakeTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = make_table()
    play_25(table)
    table.latch("stopped", "The machine was stopped.")

    def read(log: Log, *asked: int) -> NoReturn:
        raise AssertionError("the log is read")

    monkeypatch.setattr(Log, "events", read)
    table.clear_fault("console")
    assert table.fault is None
    assert state(table)["game"]["game"] == "vingt-cinq"
