"""What all strategies share: the aims of those who choose, and choices with their worth."""

from collections.abc import Iterable
from typing import Any, NamedTuple

AIMS = ("careful", "bold", "perfect")
"""Three characters: shuns losses, hunts gains, plays as well as is known."""


class Choice(NamedTuple):
    """An action and what it is worth to the one who takes it; a throw stands without its faces."""

    action: dict[str, Any]
    worth: float


class Weighed(NamedTuple):
    """The choices of a position, best first, in one unit, and a sentence of what the worth takes for granted."""

    unit: str
    basis: str
    choices: list[Choice]


def ranked(choices: Iterable[Choice]) -> list[Choice]:
    """The choices, best first; of equals the first stays first."""
    return sorted(choices, key=lambda choice: -choice.worth)
