"""House players: they take the seats that are empty or left, and play as guests do, at a person's pace."""

import logging
from collections.abc import Callable
from typing import NamedTuple

from server.rules import Game
from server.stage import SEQS, NotNow, Phase
from server.standing import Standing
from server.strategy import AIMS, chosen, knows
from server.table import Table

logger = logging.getLogger(__name__)

PACE_S = 1.6
"""How long a house player looks at the dice before doing anything."""
_LOOK_S = 0.3


class Due(NamedTuple):
    """A move that a house player owes the table."""

    game: Game
    plays: str
    seq: int  # of the snapshot that shows it


class House:
    """Plays for every player whom the log gives to the house, through the table's own press and actions."""

    def __init__(self, table: Table) -> None:
        self._table = table

    def follow(self, wait: Callable[[float], bool]) -> None:
        """Play whenever it is the house's turn; `wait` waits so many seconds and says whether to stop."""
        while not wait(_LOOK_S):
            if self.due() is not None:
                if wait(PACE_S):
                    return
                self.move()

    def due(self) -> Due | None:
        """What the house has to do now; None where it is a person's turn, or the machine is not ready."""
        return self._table.ask(_due) if self._table.phase is Phase.READY else None

    def move(self) -> bool:
        """Make one move if one is due; whether it was made."""
        due = self.due()
        if due is None:
            return False
        action = chosen(due.game, due.plays)
        try:
            if action == {"do": "throw"}:
                self._table.press(f"house:{due.plays}", due.seq, None)
            else:
                self._table.act(action, f"house:{due.plays}", due.seq, None)
        except NotNow as refusal:
            # Somebody was quicker, or the machine needs a person: what stands then is looked at anew.
            logger.info("The house could not move: %s", refusal)
            return False
        return True


def _due(standing: Standing) -> Due | None:
    game = standing.game
    if game is None or not game.legal() or not knows(game):
        return None
    if "throw" in game.legal() and not standing.woken:
        # After a start or a fault nothing moves before a person has pressed.
        return None
    plays = standing.house.get(game.players.index(game.actor))
    return Due(game.fork(), plays, standing.turned * SEQS) if plays in AIMS else None
