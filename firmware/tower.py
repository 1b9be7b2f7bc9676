"""The seam of the machine that throws: one protocol, and what can go wrong with it."""

from typing import ClassVar, Protocol


class TowerFault(RuntimeError):
    """The machine did not do what it was driven to do; `name` is the fault's name, the message says what to do."""

    name: ClassVar[str]


class Jammed(TowerFault):
    """The cone did not turn although the motor was driven."""

    name = "jammed"


class NotHomed(TowerFault):
    """The cone could not be brought to rest with its floor down: the home mark was not seen where it must be."""

    name = "not-homed"


class MotorOvertime(TowerFault):
    """The motor ran for longer than one throw may take."""

    name = "motor-overtime"


class LidOpen(TowerFault):
    """The lid is open, or was opened while it had to be shut."""

    name = "lid-open"


class Stopped(TowerFault):
    """The motor has no power: the emergency stop was pressed, or the supply failed."""

    name = "stopped"


class Undervoltage(TowerFault):
    """The computer gets too little voltage to be trusted."""

    name = "undervoltage"


class Overheated(TowerFault):
    """The computer is too hot to be trusted."""

    name = "overheated"


class NoTower(TowerFault):
    """The machine cannot be driven at all: a part does not answer; the message says which and what to do."""

    name = "no-tower"


class Interrupted(RuntimeError):
    """The tumble was stopped before its end: the dice that lie there now were not thrown."""


class Tower(Protocol):
    """The machine that throws all its dice."""

    def tumble(self) -> None:
        """Throw the dice; returns when the motor is off. TowerFault if the cone failed, Interrupted after stop()."""

    def trouble(self) -> TowerFault | None:
        """What forbids a throw now: a switch that is open, the state of the computer; None if nothing does.

        A switch that was open for a moment is trouble until it has been told as a fault. At any time, from any thread.
        """

    def stop(self) -> None:
        """Switch the motor off, until `ready()`; at any time, from any thread, as often as you like."""

    def ready(self) -> None:
        """Take back a stop that is past: somebody asks for a new throw, and nothing has been stopped since."""

    def close(self) -> None:
        """Stop and let go of the machine; as often as you like."""


class MissingTower:
    """What stands in for a machine that could not be opened: it says why and does nothing."""

    def __init__(self, why: NoTower) -> None:
        self._why = why

    def tumble(self) -> None:
        """Say why there is no tower."""
        raise self._why

    def trouble(self) -> TowerFault:
        """Why there is no tower."""
        return self._why

    def stop(self) -> None:
        """There is nothing to stop."""

    def ready(self) -> None:
        """There is nothing to make ready."""

    def close(self) -> None:
        """There is nothing to close."""
