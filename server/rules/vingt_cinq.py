"""Le 25: build a sum with five dice, lose what is missing to 25, attack with what is above it; the last one in wins."""

from collections.abc import Mapping, Sequence
from typing import Any

from server.rules.game import Flag, Game, IllegalAction, Whole, faces, short

DICE = 5
AIM = 25


class VingtCinq(Game):
    """Le 25 as the page `vingt-cinq` has it."""

    NAME = "vingt-cinq"
    OPTIONS = (
        Whole("life", 25, 1, 1000, "Each player's life points at the start."),
        Flag("attack_again", False, "In an attack, when all five dice are set aside, throw all five again and go on."),
    )
    MOVES = {"throw": ("dice",), "keep": ("dice",)}

    def __init__(self, players: Sequence[str], options: Mapping[str, Any] | None = None) -> None:
        super().__init__(players, options)
        life: int = self.options["life"]
        self._life = dict.fromkeys(self.players, life)
        self._out: list[str] = []
        self._seat = 0
        self._turns = 0
        self._kept: list[int] = []
        self._rolled: list[int] = []
        self._attack_face = 0
        self._attack_kept = 0
        self._begin_turn()

    def do_throw(self, dice: object) -> None:
        """Throw the dice not yet set aside, in building or in an attack."""
        thrown = faces(dice, self.dice, self.dice)
        if self._attack_face:
            self._attack_throw(thrown)
        else:
            self._rolled = sorted(thrown, reverse=True)
            self.awaits, self.dice = ("keep",), 0

    def do_keep(self, dice: object) -> None:
        """Set aside one or more of the dice that show the highest face thrown."""
        highest = self._rolled[0]
        most = self._rolled.count(highest)
        kept = faces(dice, 1, DICE)
        if len(kept) > most or kept.count(highest) != len(kept):
            demand = f"one die that shows {highest}" if most == 1 else f"1 to {most} dice that show {highest}"
            raise IllegalAction(f"Set aside {demand}, not {short(kept)}.")
        self._kept += kept
        self._rolled = []
        self.log.append({"event": "keep", "player": self.actor, "dice": kept.copy()})
        self.awaits, self.dice = ("throw",), DICE - len(self._kept)
        if not self.dice:
            self._judge_sum()

    def kept(self) -> list[int]:
        """The dice set aside in building, the hits in an attack."""
        return [self._attack_face] * (DICE - self.dice) if self._attack_face else self._kept.copy()

    def choices(self, action: str) -> dict[str, Any]:
        """From one to all of the dice that show the highest face."""
        highest = self._rolled[0]
        return {"dice": {"one_of": [[highest] * number for number in range(1, self._rolled.count(highest) + 1)]}}

    def scores(self) -> dict[str, int]:
        """Each player's life points."""
        return self._life.copy()

    def table(self) -> dict[str, Any]:
        """What the page calls `table`."""
        attack = "attack" if self._attack_face else "build"
        return {
            "phase": attack if self.awaits else "over",
            "kept": self._kept.copy(),
            "rolled": self._rolled.copy(),
            "sum": sum(self._kept),
            "attack_face": self._attack_face or None,
            "attack_kept": self._attack_kept,
            "out": self._out.copy(),
        }

    def result(self) -> dict[str, Any]:
        """The last player in, and the others in the order in which they went."""
        (winner,) = (player for player in self.players if self._life[player])
        return {"winner": winner, "out": self._out.copy(), "turns": self._turns}

    def _begin_turn(self) -> None:
        self._clear()
        self.actor = self.players[self._seat]
        self.awaits, self.dice = ("throw",), DICE

    def _clear(self) -> None:
        self._kept, self._rolled, self._attack_face, self._attack_kept = [], [], 0, 0

    def _judge_sum(self) -> None:
        total = sum(self._kept)
        self.log.append({"event": "sum", "player": self.actor, "sum": total})
        if total > AIM:
            self._attack_face = total - AIM
            self.log.append({"event": "attack", "player": self.actor, "face": self._attack_face})
            self.dice = DICE
            return
        if total < AIM:
            entry = {"event": "loss", "player": self.actor}
            self._lose(self.actor, AIM - total, entry)
        self._end_turn()

    def _attack_throw(self, dice: list[int]) -> None:
        hits = dice.count(self._attack_face)
        self._attack_kept += hits
        self.log.append({"event": "attack_throw", "player": self.actor, "hits": hits})
        left = self.dice - hits
        if hits and not left and self.options["attack_again"]:
            left = DICE
        if hits and left:
            self.dice = left
            return
        damage = self._attack_face * self._attack_kept
        self.log.append({"event": "attack_total", "player": self.actor, "points": damage})
        for victim in self._others_in_turn():
            if not damage:
                break
            damage -= self._lose(victim, damage, {"event": "damage", "player": victim, "by": self.actor})
        self._end_turn()

    def _others_in_turn(self) -> list[str]:
        after = self.players[self._seat + 1 :] + self.players[: self._seat]
        return [player for player in after if self._life[player]]

    def _lose(self, player: str, points: int, entry: dict[str, Any]) -> int:
        """Take points off a player, all that are left if fewer; the number really lost."""
        lost = min(points, self._life[player])
        self._life[player] -= lost
        self.log.append({**entry, "points": lost, "life": self._life[player]})
        if not self._life[player]:
            self._out.append(player)
            self.log.append({"event": "out", "player": player})
        return lost

    def _end_turn(self) -> None:
        self._turns += 1
        if len(self._out) == len(self.players) - 1:
            self._clear()
            self.awaits, self.dice = (), 0
            return
        self._seat = self.players.index(self._others_in_turn()[0])
        self._begin_turn()
