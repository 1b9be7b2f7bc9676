"""Each threat is a test: a threat without one, or a test that is gone, shows here."""

import ast
import tomllib
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[2]
THREATS = tomllib.loads((TESTS / "cases" / "threats.toml").read_text())["threat"]


@pytest.mark.parametrize("threat", THREATS, ids=lambda threat: threat["who"])
def test_a_threat_has_tests_in_which_it_fails(threat: dict[str, list[str]]) -> None:
    assert threat["holds"]
    for name in threat["holds"]:
        file, _, test = name.partition("::")
        found = ast.parse((TESTS / file).read_text())
        assert test in [each.name for each in found.body if isinstance(each, ast.FunctionDef)], name


def test_no_threat_was_left_out() -> None:
    assert len(THREATS) == 15
