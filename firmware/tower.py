"""The seam of the machine that throws: one protocol, and what can go wrong with it."""

from typing import ClassVar, Protocol


class TowerFault(RuntimeError):
    """The machine did not do what it was driven to do; `name` is the fault's name, the message says what to do."""

    name: ClassVar[str]


class Jammed(TowerFault):
    """The cone did not turn although the motor was driven."""

    name = "jammed"


class Interrupted(RuntimeError):
    """The tumble was stopped before its end: the dice that lie there now were not thrown."""


class Tower(Protocol):
    """The machine that throws all its dice."""

    def tumble(self) -> None:
        """Throw the dice; returns when the motor is off. TowerFault if the cone failed, Interrupted after stop()."""

    def stop(self) -> None:
        """Switch the motor off; at any time, from any thread, as often as you like."""

    def close(self) -> None:
        """Stop and let go of the machine; as often as you like."""
