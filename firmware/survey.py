"""Measuring turns: what a tower finds out of its own motor, encoder and home mark."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import fmean
from typing import TYPE_CHECKING

from firmware.clock import Clock
from firmware.current import CurrentSensor
from firmware.motion import OVER_S, STEP_S, Motion, Stalled
from firmware.settings import LINES, TowerSettings
from firmware.tower import Jammed, NotHomed

if TYPE_CHECKING:
    from firmware.board import Board

TURNS = 3
"""Whole turns that are measured."""
_COARSEST = next(int(line.low) for line in LINES if line.name == "edges_per_turn")
_UNSEEN_S = 4.0  # the slowest motor that will do turns the cone once in 2 s


@dataclass(frozen=True, slots=True)
class Survey:
    """What the measuring turns found, at the power of a tumble and without a load but the cone and its dice."""

    edges: tuple[int, ...]  # of the encoder in each turn, from home mark to home mark
    turn_s: float  # mean time of a turn
    running_a: float  # highest mean of the motor current over OVER_S, for so long it must be too high for a jam


class Surveyor(Motion):
    """Turns the cone forward without trusting any of the figures that it measures.

    Whether the cone follows is seen by any movement of the encoder at all, and nothing is said by the current.
    """

    def __init__(
        self, board: "Board", current: CurrentSensor, clock: Clock, settings: TowerSettings, guard: Callable[[], None]
    ) -> None:
        super().__init__(board, current, clock, replace(settings, edges_per_turn=_COARSEST, jam_a=math.inf), guard)
        self._marks: list[tuple[float, int]] = []  # when the mark went by, and the encoder's edges then
        self._amperes: list[float] = []
        self._unseen_s = 0.0

    def survey(self) -> Survey:
        """Turn TURNS times past the mark and stop anywhere; Jammed, NotHomed, MotorOvertime, or what the guard raises.

        The caller switches the motor off.
        """
        self._begin()
        try:
            self._drive(self._set.cruise_duty, lambda: len(self._marks) > TURNS)
            self._drive(0.0, lambda: self._duty == 0)
        except Stalled as stall:
            raise Jammed(
                f"The cone does not turn ({stall}): switch off, look for what blocks it and whether the encoder's "
                "cable holds, then measure again."
            ) from None
        edges = [edges for _, edges in self._marks]
        window = round(OVER_S / STEP_S)
        if len(self._amperes) < window:
            raise NotHomed(
                f"The home mark went by {len(edges)} times in a moment: see whether the sensor's cable holds and keeps "
                "away from the motor's, then measure again."
            )
        return Survey(
            edges=tuple(after - before for before, after in pairwise(edges)),
            turn_s=(self._marks[-1][0] - self._marks[0][0]) / TURNS,
            running_a=max(map(fmean, zip(*(self._amperes[at:] for at in range(window)), strict=False))),
        )

    def _track(self, passed_s: float) -> None:
        edges, (passes, edges_there) = self._board.edges, self._board.passes
        self.travel_deg += (edges - self._edges) * self._deg_per_edge
        self._edges = edges
        steady = self._duty >= self._set.cruise_duty
        self._unseen_s += passed_s
        if passes != self._passes:
            self._passes, self._unseen_s = passes, 0.0
            if steady:
                self._marks.append((self.stepped_s, edges_there))
        elif self._unseen_s > _UNSEEN_S:
            raise NotHomed(
                f"The cone turned for {_UNSEEN_S:g} s and the home mark was not seen: check magnet, sensor and cable, "
                "then measure again."
            )

    def _amps(self, passed_s: float) -> float:
        amps = super()._amps(passed_s)
        if 0 < len(self._marks) <= TURNS:
            self._amperes.append(amps / abs(self._duty))
        return amps
