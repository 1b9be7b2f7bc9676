"""The doctor beside the running machine, for the bartender's page."""

from typing import Any

import pytest

from server.table import Table
from server.web import checkup
from server.web.app import create_app

from ..conftest import MakeTable


def findings(table: Table) -> dict[str, Any]:
    answer = create_app(table, table._log).test_client().get("/api/doctor")
    assert answer.status_code == 200
    told = answer.get_json()
    return {"ok": told["ok"], **{each["part"]: each for each in told["findings"]}}


def test_every_part_of_a_running_machine_is_told(make_table: MakeTable) -> None:
    told = findings(make_table())
    assert told["ok"]
    assert {"tower", "camera", "reader", "disk", "writing", "log", "calibration", "clock", "packages"} <= told.keys()
    assert (told["tower"]["state"], told["camera"]["state"]) == ("absent", "absent")
    assert told["log"]["state"] == "ok"
    # How fast the dice are read is this computer's affair.
    assert told["reader"]["state"] in ("ok", "warning")


@pytest.mark.parametrize(
    ("fault", "part", "other"),
    [("jammed", "tower", "camera"), ("camera-lost", "camera", "tower"), ("unreadable", "camera", "tower")],
)
def test_a_latched_fault_is_told_with_its_part(make_table: MakeTable, fault: str, part: str, other: str) -> None:
    table = make_table(simulated=False)
    table.latch(fault, "Do this, then clear the fault.")
    told = findings(table)
    assert not told["ok"]
    assert told[part] == {"part": part, "state": "failed", "saw": fault, "do": "Do this, then clear the fault."}
    assert told[other]["state"] == "ok"
    assert "fault" not in told


def test_while_another_examination_is_under_way_it_is_not_begun(make_table: MakeTable) -> None:
    table = make_table()
    client = create_app(table, table._log).test_client()
    with checkup._examining:
        assert client.get("/api/doctor").status_code == 409
    assert client.get("/api/doctor").status_code == 200
