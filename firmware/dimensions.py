"""The sizes of the machine, read from the one file that has them all."""

import tomllib
from functools import cache
from pathlib import Path
from typing import NamedTuple

FILE = Path(__file__).with_name("dimensions.toml")


class Size(NamedTuple):
    """One size: its value in the unit that its name ends with, and what it is."""

    value: float
    sentence: str


@cache
def sizes() -> dict[str, Size]:
    """Every size by its name, in the order of the file."""
    return {name: Size(**line) for name, line in tomllib.loads(FILE.read_text("utf-8")).items()}


def size(name: str) -> float:
    """The value of one size; KeyError where the file has no such name."""
    return sizes()[name].value
