"""A log of every released version is opened, audited and played on."""

import json
import shutil
import sqlite3
from pathlib import Path

import pytest

from server.log import SCHEMA

from .conftest import MakeTable, audited, state

LOGS = sorted((Path(__file__).parents[1] / "cases" / "logs").iterdir())


@pytest.mark.parametrize("released", LOGS, ids=lambda path: path.name)
def test_the_log_of_a_released_version_goes_on(released: Path, make_table: MakeTable, tmp_path: Path) -> None:
    shutil.copy(released / "cornet.db", tmp_path)
    before = audited(tmp_path)
    assert before.differences == []
    table = make_table(boot="newer")
    assert state(table)["game"] == json.loads((released / "state.json").read_text())
    offer = state(table)["offers"][0]
    table.act({"do": "keep", "dice": offer["dice"]["one_of"][0]}, "console", None, None)
    table.press("console", None, None)
    throws = [look["event"] for look in state(table)["throws"] if look["verdict"] == "ok"]
    faces = state(table)["last"]["faces"]
    table.correct(throws[-1], {"faces": [*faces[:-1], faces[-1] % 6 + 1]}, "another face", "console", None, None)
    after = audited(tmp_path)
    assert after.differences == []
    assert after.events == before.events + 5


def test_every_format_that_was_released_has_a_log_here() -> None:
    formats = set()
    for released in LOGS:
        database = sqlite3.connect(f"{(released / 'cornet.db').as_uri()}?mode=ro&immutable=1", uri=True)
        formats |= set(database.execute("PRAGMA user_version").fetchone())
        database.close()
    assert formats == set(range(1, SCHEMA + 1))
