"""Thousand: throw five dice, set aside what scores, throw on or write it down; a thousand points win."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from server.rules.game import Game, IllegalAction, Options, faces, short
from server.rules.thousand_options import OPTIONS, settle_barrels
from server.rules.thousand_scoring import scoring, valid_parts, value

DICE = 5
AIM = 1000
LEAST_POINTS = 5  # every score is a multiple of it
FIVE_ONES = [1] * DICE


@dataclass(slots=True)
class _Account:
    score: int = 0
    entered: bool = False
    entry_score: int | None = None
    attempts: int = 0
    falls: int = 0
    bolts: int = 0
    busts: int = 0


class Thousand(Game):
    """Thousand as the page `thousand` has it."""

    NAME = "thousand"
    OPTIONS = OPTIONS
    MOVES = {"throw": ("dice",), "keep": ("dice",), "bank": ()}

    def __init__(self, players: Sequence[str], options: Mapping[str, Any] | None = None) -> None:
        super().__init__(players, options)
        settle_barrels(self.options)
        self._combinations: tuple[bool, str] = (self.options["straights"], self.options["four_of_a_kind"])
        self._accounts = {player: _Account() for player in self.players}
        self._last_throw: list[int] = []
        self._kept: list[int] = []
        self._won_by = ""
        self._begin_turn(0)

    def do_throw(self, dice: object) -> None:
        """Throw the dice not yet set aside, or all five."""
        thrown = sorted(faces(dice, self.dice, self.dice))
        best, points = scoring(tuple(thrown), *self._combinations)
        self._throws += 1
        self._last_throw = thrown
        self._note("throw", dice=thrown, scoring=list(best), points=points)
        if points:
            self.awaits, self.dice = ("keep",), 0
        elif self._throws == 1 and self.options["second_try"]:
            self._note("second_try")
        else:
            self._lose_turn()

    def do_keep(self, dice: object) -> None:
        """Set aside dice of the last throw and add their value."""
        kept = sorted(faces(dice, 1, len(self._last_throw)))
        points = self._value_of(kept)
        self._points += points
        self._kept = sorted(self._kept + kept)
        self._confirm = len(self._kept) == DICE
        self._note("keep", dice=kept, points=points, turn_points=self._points, hot=self._confirm)
        if self._confirm:
            self._kept = []
        account = self._accounts[self.actor]
        total = account.score + self._points
        if kept == FIVE_ONES and self.options["five_ones"] == "win":
            self.settle("five_ones", self._points)
        elif total == self.options["dump_truck"] != 0:
            self.settle("dumped", self._points)
        elif total > AIM and self.options["ending"] == "exact":
            self.settle("bust", self._points)
        else:
            self.awaits, self.dice = ("throw",) if self._why_not_bank() else ("bank", "throw"), DICE - len(self._kept)

    def do_bank(self) -> None:
        """Write the points of the turn down."""
        account = self._accounts[self.actor]
        before = account.score
        total = before + self._points
        won = self._wins(account, total)
        climbed = not won and self.options["ending"] == "barrel" and total >= self.options["final_barrel"]
        account.score = self.options["final_barrel"] if climbed else total
        self._note("bank", points=self._points, score=account.score)
        if not account.entered:
            account.entered = True
            account.entry_score = self.options["entry"] if climbed else account.score
            self._note("enter", score=account.score)
        if won:
            self._win("points")
            return
        if climbed:
            account.attempts = 0
            self._note("final_barrel", score=account.score)
        if self.options["overtaking"]:
            self._overtake(before, account.score)
        if climbed and self.options["barrel_knock_off"]:
            self._knock_off()
        self._end_turn()

    @property
    def opening(self) -> tuple[int, bool] | None:
        """The score of whoever is about to begin a turn, and whether he is in; None within a turn, and at the end."""
        if self._throws or not self.awaits:
            return None
        account = self._accounts[self.actor]
        return account.score, account.entered

    def settle(self, way: str, points: int) -> None:
        """End the turn with so many points: "banked", "lost", "five_ones" that win, "dumped" or "bust".

        No action: what a turn comes to, also when its throws are left out; a turn lost with 0 points is lost at once.
        """
        self._points = points
        account = self._accounts[self.actor]
        if way == "banked":
            self.do_bank()
        elif way == "lost":
            self._lose_turn()
        elif way == "five_ones":
            account.score += points
            self._win("five_ones")
        else:
            if way == "dumped":
                self._go_to_zero(account)
                self._note("dump_truck", points=points, score=account.score)
            else:
                self._bust(account)
            self._end_turn()

    def kept(self) -> list[int]:
        """The dice set aside."""
        return self._kept.copy()

    def choices(self, action: str) -> dict[str, Any]:
        """The dice that may be set aside."""
        if action == "keep":
            return {"dice": {"one_of": [list(dice) for dice in self._keepable()]}}
        return super().choices(action)

    def scores(self) -> dict[str, int]:
        """The points each player has written down."""
        return {player: account.score for player, account in self._accounts.items()}

    def table(self) -> dict[str, Any]:
        """What the page calls `table`."""
        phase = self._phase()
        turn = None
        if self.awaits:
            turn = {
                "points": self._points,
                "throws": self._throws,
                "last_throw": self._last_throw.copy(),
                "kept": self._kept.copy(),
                "confirm": self._confirm,
                "second_try": phase == "throw" and self._throws == 1,
            }
        players = {player: self._standing(account) for player, account in self._accounts.items()}
        return {"phase": phase, "turn": turn, "players": players}

    def result(self) -> dict[str, Any]:
        """The winner, how the game was won, and everybody's place."""
        others = {player: account.score for player, account in self._accounts.items() if player != self.actor}
        place_of: dict[int, int] = {}
        for place, score in enumerate(sorted(others.values(), reverse=True), start=2):
            place_of.setdefault(score, place)
        places = {player: place_of[others[player]] if player in others else 1 for player in self.players}
        return {"winner": self.actor, "by": self._won_by, "places": places}

    def _begin_turn(self, seat: int) -> None:
        self._seat = seat
        self.actor = self.players[seat]
        self._points = 0
        self._throws = 0
        self._last_throw = []
        self._kept = []
        self._confirm = False
        self._needed = self._needs(self._accounts[self.actor])
        self.awaits, self.dice = ("throw",), DICE

    def _end_turn(self, *, bolt: bool = False) -> None:
        if self.options["bolts_in_a_row"] and not bolt:
            self._accounts[self.actor].bolts = 0
        self._begin_turn((self._seat + 1) % len(self.players))

    def _phase(self) -> str:
        if not self.awaits:
            return "over"
        if self.awaits == ("keep",):
            return "keep"
        return "decide" if self._points else "throw"  # nothing can be kept that is worth nothing

    def _value_of(self, kept: list[int]) -> int:
        """The points of dice of the last throw; IllegalAction if they may not be set aside."""
        if tuple(kept) not in self._keepable():
            best = short(list(scoring(tuple(self._last_throw), *self._combinations)[0]))
            if self.options["set_aside"] == "some":
                raise IllegalAction(f"Set aside some of {best} that count by themselves, not {short(kept)}.")
            raise IllegalAction(f"All the dice that score must be set aside, {best}, not {short(kept)}.")
        return value(tuple(kept), *self._combinations)

    def _keepable(self) -> tuple[tuple[int, ...], ...]:
        thrown = tuple(self._last_throw)
        if self.options["set_aside"] == "all":
            return (scoring(thrown, *self._combinations)[0],)
        return valid_parts(thrown, *self._combinations)

    def _wins(self, account: _Account, total: int) -> bool:
        if self.options["ending"] == "barrel":
            return self._on_final_barrel(account)
        # With "exact" a greater total is a bust, with "above" exactly 1000 cannot be banked: neither comes here.
        return total >= AIM

    def _why_not_bank(self) -> str:
        """Why the points kept so far cannot be written down; empty if they can."""
        if self._confirm:
            return "All five dice are set aside: a throw of all five must confirm the points before they can be banked."
        if self._points < self._needed:
            return f"To bank, {short(self.actor)} needs {self._needed} points in this turn and has {self._points}."
        if self.options["ending"] == "above" and self._accounts[self.actor].score + self._points == AIM:
            return f"A total of exactly {AIM} cannot be banked, it must be more."
        return ""

    def _would_be_legal(self) -> str:
        legal = super()._would_be_legal()
        why = self._why_not_bank() if self._phase() == "decide" else ""
        return f"{legal} {why}" if why else legal

    def _on_final_barrel(self, account: _Account) -> bool:
        return on_final_barrel(self.options, account.score)

    def _needs(self, account: _Account) -> int:
        return needed(self.options, account.score, account.entered)

    def _standing(self, account: _Account) -> dict[str, Any]:
        return {
            "entered": account.entered,
            "entry_score": account.entry_score,
            "needs": self._needs(account) if self.awaits else 0,
            "barrel": barrel(self.options, account.score, account.entered),
            "on_final_barrel": self._on_final_barrel(account),
            "attempts": account.attempts,
            "falls": account.falls,
            "bolts": account.bolts,
            "busts": account.busts,
        }

    def _win(self, by: str) -> None:
        self._note("win", by=by, score=self._accounts[self.actor].score)
        self._won_by = by
        self.awaits, self.dice = (), 0

    def _overtake(self, before: int, after: int) -> None:
        fine = self.options["overtaking"]
        for player in self._others():
            account = self._accounts[player]
            if account.entered and before < account.score < after:
                self._fine(account, fine)
                self._note("overtake", overtaken=player, points=fine, score=account.score)

    def _knock_off(self) -> None:
        for player in self._others():
            if self._on_final_barrel(self._accounts[player]):
                self._fall(player, "knocked_off")

    def _lose_turn(self) -> None:
        account = self._accounts[self.actor]
        self._note("lost", points=self._points)
        if self._on_final_barrel(account):
            account.attempts += 1
            self._note("attempt", attempts=account.attempts)
            if account.attempts == self.options["barrel_attempts"]:
                self._fall(self.actor, "attempts")
        self._end_turn(bolt=self._write_bolt(account))

    def _write_bolt(self, account: _Account) -> bool:
        """Write a bolt for the turn just lost, if one is due; whether it was."""
        limit = self.options["bolts"]
        # A turn that has kept nothing was lost by its first throw, or by the repetition of it.
        deserved = self.options["bolt_on"] == "turn" or not self._points
        if not limit or not deserved or not (account.entered or self.options["bolts_before_entry"]):
            return False
        account.bolts += 1
        self._note("bolt", bolts=account.bolts)
        if account.bolts == limit:
            account.bolts = 0
            self._fine(account, self.options["bolt_fine"])
            self._note("bolt_fine", points=self.options["bolt_fine"], score=account.score)
        return True

    def _bust(self, account: _Account) -> None:
        account.busts += 1
        busts, fine_at = account.busts, self.options["bust_fine_at"]
        self._note("bust", points=self._points, busts=busts)
        if busts == self.options["bust_zero_at"]:
            account.busts = 0
            self._go_to_zero(account)
            self._note("bust_zero", score=account.score)
        elif fine_at and busts % fine_at == 0:
            self._fine(account, self.options["bust_fine"])
            self._note("bust_fine", points=self.options["bust_fine"], score=account.score)

    def _fall(self, player: str, reason: str) -> None:
        account = self._accounts[player]
        account.falls += 1
        account.attempts = 0
        falls = account.falls
        if falls == self.options["barrel_falls_to_zero"]:
            account.falls = 0
            self._go_to_zero(account)
        elif self.options["barrel_fall"] == "entry":
            account.score = account.entry_score or 0
        else:
            account.score -= self.options["barrel_fall_points"]
        self._note("fall", player=player, reason=reason, falls=falls, score=account.score)

    def _fine(self, account: _Account, points: int) -> None:
        account.score -= points
        if not self._on_final_barrel(account):
            account.attempts = 0

    def _go_to_zero(self, account: _Account) -> None:
        account.score = 0
        account.attempts = 0
        if self.options["reenter_after_zero"]:
            account.entered, account.entry_score = False, None

    def _others(self) -> tuple[str, ...]:
        """The other players, in the order of play after the one whose turn it is."""
        return self.players[self._seat + 1 :] + self.players[: self._seat]

    def _note(self, event: str, **fields: Any) -> None:
        self.log.append({"event": event, "player": self.actor, **fields})


def on_final_barrel(options: Options, score: int) -> bool:
    """Whether a player with that score stands on the final barrel."""
    stands_at: int = options["final_barrel"]
    return options["ending"] == "barrel" and stands_at <= score < AIM


def barrel(options: Options, score: int, entered: bool) -> list[int] | None:
    """The barrel [lo, hi], not the final one, that a player with that score is on."""
    if not entered or on_final_barrel(options, score):
        return None
    last = LEAST_POINTS if options["barrel_exit"] == "pass" else 0
    for low, high in options["barrels"]:
        if low <= score < high + last:
            return [low, high]
    return None


def needed(options: Options, score: int, entered: bool) -> int:
    """The points of one turn without which a player with that score may not bank."""
    if not entered:
        entry: int = options["entry"]
        return max(LEAST_POINTS, entry)
    if on_final_barrel(options, score):
        return AIM - score
    on = barrel(options, score, entered)
    if on is None:
        return LEAST_POINTS
    beyond = LEAST_POINTS if options["barrel_exit"] == "pass" else 0
    return on[1] + beyond - score
