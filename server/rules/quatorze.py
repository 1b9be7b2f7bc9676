"""Le Quatorze: the first throw fixes the number, four more must bring it to fourteen, or never."""

from collections.abc import Mapping, Sequence
from typing import Any

from server.rules.bank import BANK_OPTIONS, BankGame
from server.rules.game import IllegalAction, OneOf, faces, short

THROWS = 5
DICE = 10
ODDS = 8
AIM = 14


class Quatorze(BankGame):
    """Le Quatorze as the page `quatorze` has it."""

    NAME = "quatorze"
    OPTIONS = (
        *BANK_OPTIONS,
        OneOf("fourteen", "at_least", ("at_least", "exactly"), "Whether a total above 14 wins too."),
    )
    MOVES = {"bet": ("chips",), "call": ("face",), "throw": ("dice",)}

    def __init__(self, players: Sequence[str], options: Mapping[str, Any] | None = None) -> None:
        self._choices: list[int] = []
        self.credit = 0
        super().__init__(players, options)

    def _await_turn(self) -> None:
        self.awaits, self.dice = ("throw",), DICE

    def do_throw(self, dice: object) -> None:
        """Fix the number by the first throw, count it in the four later ones."""
        thrown = faces(dice, DICE, DICE)
        if self.face is None:
            self._first_throw(thrown)
            return
        hits = thrown.count(self.face)
        self.throws.append(hits)
        entry = {"event": "throw", "player": self.actor, "throw": len(self.throws), "hits": hits}
        self.log.append({**entry, "total": sum(self.throws)})
        if len(self.throws) == THROWS:
            self._settle_total()

    def do_call(self, face: object) -> None:
        """Choose the number among those that the first throw left open."""
        if type(face) is not int or face not in self._choices:
            choices = ", ".join(map(str, self._choices))
            raise IllegalAction(f'"face" must be one of {choices}, not {short(face)}.')
        self._fix(face)

    def choices(self, action: str) -> dict[str, Any]:
        """The stakes and the faces left open."""
        return {"face": {"one_of": self._choices.copy()}} if action == "call" else super().choices(action)

    def paid(self) -> list[dict[str, Any]]:
        """The two ways to win."""
        most = AIM if self.options["fourteen"] == "exactly" else THROWS * DICE
        return [{"from": AIM, "to": most, "odds": ODDS}, {"way": "coup_blanc", "odds": ODDS}]

    def table(self) -> dict[str, Any]:
        """What the page calls `table`."""
        return {**super().table(), "choices": self._choices.copy()}

    def _first_throw(self, dice: list[int]) -> None:
        counts = {face: dice.count(face) for face in sorted(set(dice))}
        most = max(counts.values())
        best = [face for face, count in counts.items() if count == most]
        self.credit = max(most, 3)
        if most >= 3 and len(best) == 1:
            self._fix(best[0])
        else:
            self._choices = best if most >= 3 else list(counts)
            self.awaits, self.dice = ("call",), 0

    def _fix(self, face: int) -> None:
        self.face, self.throws, self._choices = face, [self.credit], []
        self.log.append({"event": "number", "player": self.actor, "face": face, "count": self.credit})
        self.awaits, self.dice = ("throw",), DICE

    def _settle_total(self) -> None:
        total = sum(self.throws)
        if total == AIM or (total > AIM and self.options["fourteen"] == "at_least"):
            self.settle(ODDS, way="fourteen")
        elif not any(self.throws[1:]):
            self.settle(ODDS, way="coup_blanc")
        else:
            self.settle(0)
