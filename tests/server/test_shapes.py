"""A forged log whose chain is whole, with bodies of any shape, is a fault that names the event, and throws nothing."""

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from server.shapes import KINDS
from server.web.app import create_app

from .conftest import AT, ScriptedEye, audited, bodies, correct, forge, forge_texts, keep, ok, press, tables

PAGES: tuple[str, ...] = ("/", "/tv", "/play", "/operator", "/fairness", "/fairness.csv", "/rules", "/rules/421")
PAGES += ("/history", "/api/state", "/api/fairness", "/api/history", "/api/history.csv", "/metrics")
PAGES += ("/api/history/{game}", "/history/{game}")
PAGES += tuple(f"/api/history/{path}" for path in ("day", "leaders", "{game}/steps/1", "{game}/throws.csv"))
HASH = "0" * 64


def honest(directory: Path) -> list[dict[str, Any]]:
    """What an evening of every sort of event has written."""
    with tables(directory) as make_table:
        table = make_table(eye=ScriptedEye(ok(1, 2, 3, 4, 5), ok(2, 2, 3, 4, 5), ok(6, 6, 6, 6, 6)), camera="frames")
        seat = table.note("seat", {"secret": HASH, "name": "Ana", "approved": True, "by": "guest"}).seq
        table.start_game("vingt-cinq", ["Ana", "Bo"], {}, "console")
        table.note("house", {"player": 1, "plays": "perfect", "by": "console"})
        table.note("advice", {"player": None, "advice": False, "by": "console"})
        table.note("joining", {"joining": "code", "by": "console"})
        thrown = press(table)
        keep(table, 5)
        table.undo("console", None, None)
        correct(table, thrown, 1, 2, 3, 4, 6, key="a")
        table.dispute(thrown, 0, f"seat {seat}", None)
        table.try_dice(table.begin_soak({"count": 1, "set": "ivory"}, "console"), "console")
        table.calibrated("dice", {"set": "ivory", "names": []}, "console")
        table.latch("jammed", "The cone does not turn.")
        table.clear_fault("console")
        table.abandon_game("console")
    return [*bodies(directory), {"kind": "seed", "at": AT, "sha256": HASH, "given": False}]


@pytest.fixture(scope="module")
def evening(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    return honest(tmp_path_factory.mktemp("evening"))


def check(events: list[dict[str, Any]]) -> None:
    """Whatever these events say, no page fails, and a log that is refused is no healthy one."""
    with TemporaryDirectory() as name, tables(Path(name)) as make_table:
        make_table().close()
        forge(Path(name), events)
        differences = audited(Path(name)).differences
        table = make_table()
        client = create_app(table, table._log).test_client()
        game = next((seq for seq, event in enumerate(events, 1) if event["kind"] == "game"), 1)
        for page in PAGES:
            answer = client.get(page.format(game=game))
            assert answer.status_code < 500 or answer.status_code == 503, (page, answer.text)
        health = client.get("/healthz").status_code
        assert health == (503 if table.fault else 200)
        if table._log.broken:
            assert (health, "The log is broken at event" in differences[-1]) == (503, True)
        json.loads(table.board.snapshot.text, parse_constant=pytest.fail)


def refused(tmp_path: Path, text: str) -> str:
    with tables(tmp_path) as make_table:
        make_table().close()
        forge_texts(tmp_path, [text])
        return str(make_table()._log.broken)


WRONG: st.SearchStrategy[Any] = st.sampled_from(
    [None, True, 0, -1, 7, 10**400, 1.5, float("nan"), "", "x", "\ud800", "a\0b", "../x", [], [1], [[1]], ["a"], {}]
)


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where in a body something stands."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, one in inner:
        yield (*path, name)
        yield from places(one, (*path, name))


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_no_page_fails_whatever_an_event_says(evening: list[dict[str, Any]], data: st.DataObject) -> None:
    events = copy.deepcopy(evening)
    seq = data.draw(st.integers(0, len(events) - 1))
    *way, last = data.draw(st.sampled_from([place for place in places(events[seq]) if place != ("kind",)]))
    there: Any = events[seq]
    for name in way:
        there = there[name]
    if data.draw(st.booleans()) and isinstance(there, dict):
        del there[last]
    else:
        there[last] = data.draw(WRONG)
    check(events)


@pytest.mark.parametrize(
    "body",
    [
        {"kind": "fault", "fault": ["jammed"], "message": "m"},
        *({"kind": "seed", "sha256": said} for said in (-1, "a\0b", "\ud800", "/dev/zero", "../x")),
        {"kind": "soak", "asked": None},
        {"kind": "boot", "simulated": True, "set": []},
        {"kind": "boot", "simulated": True, "set": "\ud800"},
        {"kind": "action", "action": {"do": "throw", "dice": [1]}},
        *({"kind": "clear", "at": at} for at in (None, 7, "yesterday", "2026-11-21", "0001-01-01T00:00:00+00:00")),
        {"kind": "riddle", "key": ["k"]},
    ],
    ids=str,
)
def test_a_body_that_is_none_of_its_kind_breaks_the_log(tmp_path: Path, body: dict[str, Any]) -> None:
    assert "The log is broken at event 1" in refused(tmp_path, json.dumps({"at": AT, **body}))
    (difference,) = audited(tmp_path).differences
    assert "The log is broken at event 1" in difference


def test_a_fault_of_which_nothing_is_said_is_one_all_the_same(evening: list[dict[str, Any]]) -> None:
    check([*evening, {"kind": "fault", "at": AT, "fault": "jammed", "message": ""}])


@pytest.mark.parametrize("number", ["NaN", "Infinity", "1e999"])
def test_a_number_that_nobody_else_could_read_breaks_the_log(tmp_path: Path, number: str) -> None:
    assert "is no JSON" in refused(tmp_path, f'{{"at":"{AT}","kind":"riddle","more":{number}}}')


@pytest.mark.parametrize("kind", ["_init__", "look", "play", "end"])
def test_no_kind_reaches_what_is_no_event(tmp_path: Path, kind: str) -> None:
    assert refused(tmp_path, json.dumps({"at": AT, "kind": kind})) == "None"


def test_what_is_written_has_the_shape_of_its_kind(evening: list[dict[str, Any]], tmp_path: Path) -> None:
    assert {body["kind"] for body in evening} >= KINDS - {"entry", "refused", "reveal", "void"}
    with tables(tmp_path) as make_table:
        make_table().close()
        forge(tmp_path, evening)
        assert make_table().fault is None
