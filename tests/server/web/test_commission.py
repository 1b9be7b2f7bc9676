"""A commissioning run: its certificate says what the log says, anybody makes it again, and jams do not end it."""

import json
from pathlib import Path
from typing import Any, cast

import pytest

from firmware.simulated import SimulatedTower
from server.chain import Event
from server.cli import main
from server.commands.throw import PATIENCE, _carry_out
from server.eye import BlindEye
from server.log import Log
from server.machine import Machine
from server.parts import Parts
from server.table import Table
from server.web.commission import VERSION, certificate, commissions
from vision.shares import at_most

from ..conftest import MakeTable

ASKED = {"count": 3, "set": "ivory", "dice": 2, "tower": "gpio", "camera": "pi", "commission": True}
BOOT = {"boot": "b", "simulated": False, "version": "0.1.0", "tower": "gpio", "camera": "pi", "reader": "eyes 1"}


def look(*faces: int, minute: int, **more: Any) -> dict[str, Any]:
    dice = [{"face": face, "center": [9.0, 9.0], "box": [0, 0, 9, 9], "margin": 1.0} for face in faces]
    return {
        "at": f"2026-01-31T20:{minute:02}:00+00:00",
        "verdict": "ok",
        "dice": dice,
        "frame": None,
        "soak": 2,
        **more,
    }


def told(*events: tuple[str, dict[str, Any]]) -> list[Event]:
    at = "2026-01-31T20:00:00+00:00"
    return [Event(seq, kind, {"at": at, **body}, f"{seq:064}") for seq, (kind, body) in enumerate(events, start=1)]


def test_a_run_is_what_the_log_tells_of_it() -> None:
    events = told(
        ("boot", BOOT),
        ("soak", {"asked": ASKED}),
        ("press", {"soak": 2}),
        ("trial", look(1, 2, minute=1, tray="ab")),
        ("press", {"soak": 2}),
        ("fault", {"fault": "jammed", "message": ""}),
        ("boot", {**BOOT, "version": "0.2.0"}),
        ("fault", {"fault": "lid-open", "message": ""}),
        ("press", {"soak": 2}),
        ("refused", look(6, 6, minute=2, verdict="cocked")),
        ("trial", look(3, 4, minute=3)),
        ("trial", {**look(5, 5, minute=4), "soak": None}),
        ("trial", look(5, 6, minute=30)),
        ("press", {"soak": 2}),
        ("trial", look(6, 6, minute=40)),
    )
    run = commissions(events)[2]
    assert run.complete
    assert run.tally.counts == (1, 1, 1, 1, 1, 1)
    assert (dict(run.faults), dict(run.tally.refused)) == ({"jammed": 1}, {"cocked": 1})
    assert [boot["version"] for boot in run.boots] == ["0.1.0", "0.2.0"]
    assert (run.trays, run.simulated, run.head) == (["ab"], False, f"{13:064}")
    page = certificate(run)
    assert "3 throws, 6 dice, in 0.5 h" in page
    assert "Nothing speaks against these dice" in page
    # All misread dice may have been read as one and the same face, which then has all of them too many.
    assert f"at most {100 * at_most(0, 6):.2g} % of its dice are misread" in page
    assert "move a face by as many points at most" in page
    assert "SIMULATED" not in page
    assert page == certificate(commissions(events[:13])[2])


SIXES = [(6, 6)] * 60
LAZY = [(face, face) for face in range(1, 7) for _ in range(10)]
"""Every face as often as the others, and each throw like the one before."""


@pytest.mark.parametrize(
    ("throws", "count", "said"),
    [
        (SIXES, 60, "These dice have failed."),
        (LAZY, 60, "These dice have failed."),
        (LAZY, 61, "Not complete: 60 of 61 throws."),
    ],
    ids=["sixes", "lazy", "unfinished"],
)
def test_bad_or_unfinished_dice_get_no_praise(throws: list[tuple[int, int]], count: int, said: str) -> None:
    trials = [("trial", look(*faces, minute=1)) for faces in throws]
    page = certificate(commissions(told(("boot", BOOT), ("soak", {"asked": {**ASKED, "count": count}}), *trials))[2])
    assert said in page
    assert "Nothing speaks" not in page


def commissioning(data: Path, quick: str, count: int) -> list[str]:
    """The words of a commissioning run of simulated dice."""
    words = ["throw", "--camera", "none", "--config", quick, "--data", str(data)]
    return [*words, "--count", str(count), "--commission", "ivory"]


def test_a_simulated_run_says_so_and_is_made_again_by_the_audit(
    tmp_path: Path, quick: str, capsys: pytest.CaptureFixture[str]
) -> None:
    data = tmp_path / "data"
    call = commissioning(data, quick, 4)
    assert main(call) == 0
    (path,) = (data / "certificates").iterdir()
    assert str(path) in capsys.readouterr().err
    assert "SIMULATED" in path.read_text("utf-8")
    assert main(["audit", str(data)]) == 0
    assert "1 certificate made again: no difference" in capsys.readouterr().out
    page = path.read_text("utf-8")
    path.write_text(page.replace("SIMULATED", "CERTIFIED"), "utf-8")
    assert main(["audit", str(data)]) == 1
    assert "is not what the log makes" in capsys.readouterr().out
    # Another version has other words for the same data; that is named, and data that differ are found all the same.
    other = page.replace(f'content="Cornet {VERSION}"', 'content="Cornet 0.0.1"').replace(
        "Are these dice", "Are the dice"
    )
    path.write_text(other, "utf-8")
    assert main(["audit", str(data)]) == 0
    assert "was written by Cornet 0.0.1: its data are those of the log" in capsys.readouterr().out
    path.write_text(other.replace("ivory", "amber"), "utf-8")
    assert main(["audit", str(data)]) == 1


def test_a_certificate_that_could_not_be_written_is_by_the_same_command_and_nothing_is_thrown_again(
    tmp_path: Path, quick: str, capsys: pytest.CaptureFixture[str]
) -> None:
    data = tmp_path / "data"
    call = commissioning(data, quick, 3)
    data.mkdir()
    (data / "certificates").write_text("in the way")
    assert main(call) == 1
    assert "the same command writes it" in capsys.readouterr().err
    (data / "certificates").unlink()
    assert main(call) == 0
    assert json.loads(capsys.readouterr().out)["resumed_at"] == 3
    assert len(list((data / "certificates").iterdir())) == 1
    assert main(call) == 0
    assert json.loads(capsys.readouterr().out)["resumed_at"] == 0
    assert len(list((data / "certificates").iterdir())) == 2


def test_a_jam_that_was_none_of_its_own_is_not_cleared_by_a_run_that_goes_on(
    make_table: MakeTable, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    whole, table = machine(make_table, tmp_path, {2: "lid"})
    soak = table.begin_soak({"count": 5, "set": "ivory", "dice": 10, "commission": True}, "console")
    assert _carry_out(whole, soak, lambda soak: None) == 1
    cast(SimulatedTower, whole.parts.tower).release()
    table.clear_fault("console")
    table.latch("jammed", "The cone does not turn.")
    again = table.ask(lambda standing: standing.soaks[soak.event])
    assert _carry_out(whole, again, lambda soak: None) == 1
    assert "in fault (jammed)" in capsys.readouterr().err
    assert table.fault is not None


def machine(make_table: MakeTable, tmp_path: Path, faults: dict[int, str]) -> tuple[Machine, Table]:
    tower = SimulatedTower("7", faults=faults)
    eye = BlindEye(lambda: tower.lying, 10)
    table = make_table(tower=tower, eye=eye)
    log: Log = table._log
    return Machine(Parts(tower, eye, {"simulated": True}, tower.resume), log, table), table


@pytest.mark.parametrize(
    ("faults", "commission", "status", "cleared"),
    [
        ({2: "jam", 4: "still"}, True, 0, 2),
        ({2: "jam"}, False, 1, 0),
        ({2: "lid"}, True, 1, 0),
        (dict.fromkeys(range(2, 9), "jam"), True, 1, PATIENCE),
    ],
)
def test_jams_are_cleared_and_counted_where_nobody_is_there(
    make_table: MakeTable,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    faults: dict[int, str],
    commission: bool,
    status: int,
    cleared: int,
) -> None:
    whole, table = machine(make_table, tmp_path, faults)
    asked = {"count": 5, "set": "ivory", "dice": 10, **({"commission": True} if commission else {})}
    soak = table.begin_soak(asked, "console")
    assert _carry_out(whole, soak, lambda soak: None) == status
    events = list(whole.log.events())
    assert sum(event.kind == "clear" for event in events) == cleared
    if commission:
        run = commissions(events)[soak.event]
        assert run.faults.total() == cleared + status
        assert run.complete == (status == 0)
