"""Le Vingt-Six: stake, name a face, throw ten dice thirteen times, and be paid by how often it came."""

from typing import Any

from server.rules.bank import BANK_OPTIONS, BankGame
from server.rules.game import faces, whole

THROWS = 13
DICE = 10
ODDS = {**dict.fromkeys(range(11), 10), 13: 5, 26: 4, 27: 5, 28: 6, 29: 8, **dict.fromkeys(range(30, 131), 10)}
"""What the bank pays for each chip staked, by the hits among the 130 dice; other totals lose."""


class VingtSix(BankGame):
    """Le Vingt-Six as the page `vingt-six` has it."""

    NAME = "vingt-six"
    OPTIONS = BANK_OPTIONS
    MOVES = {"bet": ("chips",), "call": ("face",), "throw": ("dice",)}

    def choices(self, action: str) -> dict[str, Any]:
        """The stakes and the faces."""
        return {"face": {"one_of": [1, 2, 3, 4, 5, 6]}} if action == "call" else super().choices(action)

    def paid(self) -> list[dict[str, Any]]:
        """The lines of the table of odds: neighbouring totals at the same odds are one line."""
        lines: list[dict[str, Any]] = []
        for total, odds in ODDS.items():
            if lines and lines[-1]["odds"] == odds and lines[-1]["to"] == total - 1:
                lines[-1]["to"] = total
            else:
                lines.append({"from": total, "to": total, "odds": odds})
        return lines

    def _await_turn(self) -> None:
        self.awaits = ("call",)

    def do_call(self, face: object) -> None:
        """Name the face that counts."""
        self.face = whole(face, 1, 6, "face")
        self.log.append({"event": "call", "player": self.actor, "face": self.face})
        self.awaits, self.dice = ("throw",), DICE

    def do_throw(self, dice: object) -> None:
        """Count the dice that show the face; the thirteenth throw settles."""
        hits = faces(dice, DICE, DICE).count(self.face)  # type: ignore[arg-type]
        self.throws.append(hits)
        entry = {"event": "throw", "player": self.actor, "throw": len(self.throws), "hits": hits}
        self.log.append({**entry, "total": sum(self.throws)})
        if len(self.throws) == THROWS:
            self.settle(ODDS.get(sum(self.throws), 0))
