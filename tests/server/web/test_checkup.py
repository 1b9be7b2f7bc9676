"""The doctor beside the running machine, and what its camera sees, for the bartender's page."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from werkzeug.test import TestResponse

from server.table import Table
from server.web import checkup
from server.web.app import create_app
from vision.camera import CameraLost
from vision.picture import Image, decode

from ..conftest import Held, MakeTable


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


SEEN = np.full((48, 64, 3), 90, np.uint8)


def ask_camera(table: Table, glimpse: Callable[[], Image] | None) -> TestResponse:
    return create_app(table, table._log, glimpse=glimpse).test_client().get("/api/camera.jpg")


def never() -> Image:
    pytest.fail("The camera was asked.")


def test_what_the_camera_sees_now_is_shown_in_a_fault_too(make_table: MakeTable) -> None:
    table = make_table()
    for _ in range(2):
        answer = ask_camera(table, lambda: SEEN)
        assert (answer.status_code, answer.content_type) == (200, "image/jpeg")
        assert answer.headers["Cache-Control"] == "no-store"
        assert decode(answer.data).shape == SEEN.shape
        table.latch("jammed", "Free the cone, then clear the fault.")


def test_nothing_is_seen_of_a_throw_before_it_is_written_down(make_table: MakeTable) -> None:
    throws = Held([])
    table = make_table(run=throws)
    soak = table.begin_soak({"count": 1}, "console")

    def begins_meanwhile() -> Image:
        table.try_dice(soak, "console")
        return SEEN

    refusal = {"error": "The machine works; what its camera sees is shown again when it stands still."}
    answer = ask_camera(table, begins_meanwhile)
    assert (answer.status_code, answer.get_json()) == (409, refusal)
    # Nor is the camera asked at all: it is the throw's.
    answer = ask_camera(table, never)
    assert (answer.status_code, answer.get_json()) == (409, refusal)
    throws.throws.pop()()
    assert ask_camera(table, lambda: SEEN).status_code == 200


def test_a_camera_that_gives_nothing_says_why_and_where_there_is_none_that_is_said(make_table: MakeTable) -> None:
    def lost() -> Image:
        raise CameraLost("The camera is gone: plug it in.")

    table = make_table()
    answer = ask_camera(table, lost)
    assert (answer.status_code, answer.get_json()) == (409, {"error": "The camera is gone: plug it in."})
    assert ask_camera(table, None).status_code == 404
