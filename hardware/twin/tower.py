"""The twin behind the seam of a tower: its dice lie where they really come to rest."""

import logging
from collections.abc import Mapping

from firmware.draws import Draws
from firmware.simulated import Lying
from firmware.tower import Interrupted, TowerFault
from hardware.twin.drive import FAULTS, Drive
from hardware.twin.throws import build
from hardware.twin.world import Rested

logger = logging.getLogger(__name__)


class TwinTower:
    """A tower whose dice are rigid bodies in the cone's real geometry.

    The same seed throws the same dice, one throw after the other; after `resume` the dice lie as they were first laid.
    `faults` says what is wrong with the machine at which tumble, counted from 1, by the names in FAULTS; `changes` what
    is otherwise than shipped, as a dead surface is: which dice then lean or lie on others is left to the physics.
    """

    def __init__(
        self,
        seed: str,
        dice: int,
        turns: float,
        faults: Mapping[int, str] | None = None,
        changes: Mapping[str, float] | None = None,
    ) -> None:
        self._seed = seed
        self._faults = dict(faults or {})
        if unknown := set(self._faults.values()) - set(FAULTS):
            raise ValueError(f'The twin knows no fault "{min(unknown)}"; it knows {", ".join(FAULTS)}.')
        machine = {"dice": float(dice), "turns": turns, **(changes or {})}
        self._drive: Drive = build(machine, int.from_bytes(seed.encode()) % 2**32)
        self._tumbles = 0
        self._closed = self._stopped = False
        self.lying = self._lie()

    def tumble(self) -> None:
        """Throw the dice; takes as long as the physics take to reckon."""
        if self._closed or self._stopped:
            raise Interrupted("The tumble was stopped; press again for a throw.")
        self._tumbles += 1
        try:
            self._drive.throw(Draws(self._seed.encode(), self._tumbles), self._faults.get(self._tumbles))
        except TowerFault as fault:
            logger.info("The twin's cone failed: %s", fault)
            raise
        finally:
            self.lying = self._lie()
        if self._stopped:
            raise Interrupted("The tumble was stopped; press again for a throw.")

    def trouble(self) -> TowerFault | None:
        """The twin has no switches that could be open."""
        return None

    def resume(self, tumbles: int) -> None:
        """Go on after so many tumbles, so that a seeded machine that restarts does not draw the same again."""
        self._tumbles = tumbles

    def stop(self) -> None:
        """No tumble until `ready()`; one that is reckoned ends by itself within a second or two."""
        self._stopped = True

    def ready(self) -> None:
        """Tumble again."""
        self._stopped = False

    def close(self) -> None:
        """Never tumble again."""
        self._closed = True

    def _lie(self) -> tuple[Lying, ...]:
        return tuple(_lying(die) for die in self._drive.world.lying())


def _lying(die: Rested) -> Lying:
    """As somebody in front of the machine sees it: the cone's y, along the axle, is to the right, its x nearer."""
    x_mm, y_mm, z_mm = die.centre_mm
    nearer, right, up = ((row[0], row[1], row[2]) for row in die.rotation)
    away = -nearer[0], -nearer[1], -nearer[2]
    return Lying(None if die.leans else die.face, y_mm, -x_mm, z_mm, (right, away, up))
