"""The sheet of a game of thousand with cards: scores, bolts and the barrel, and how a deal is written to it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from server.rules.game import Entry, Options

AIM = 1000
BARREL = 880
DUMP_TRUCK = 555


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a deal brought: who declared what, and what each active player, forehand first, took."""

    deal: int
    golden: bool
    declarer: str
    order: int
    painted: bool
    taken: Mapping[str, int]
    tricks: Mapping[str, int]

    @property
    def made(self) -> bool:
        """Whether the declarer took at least the order."""
        return not self.painted and self.taken[self.declarer] >= self.order


class Sheet:
    """What stands written after so many deals."""

    def __init__(self, players: Sequence[str], options: Options) -> None:
        self.scores = dict.fromkeys(players, 0)
        self.bolts = dict.fromkeys(players, 0)
        self.sitter: str | None = None
        self.attempts = 0
        self.winner = ""
        self._options = options
        self._golden_made = False

    def settle(self, outcome: Outcome) -> list[Entry]:
        """Write a deal down; the events of it, in order. `winner` is somebody when it was the last."""
        log = [self._write_points(outcome)]
        if self.sitter is not None and self.scores[self.sitter] >= AIM:
            self.winner = self.sitter
            log.append({"event": "win", "player": self.winner, "score": self.scores[self.winner]})
            return log
        if self._options["bolts"] and not outcome.painted:
            self._write_bolts(outcome, log)
        if self._options["dump_truck"]:
            self._empty_trucks(outcome, log)
        self._settle_barrel(outcome, log)
        if outcome.golden:
            self._settle_golden(outcome, log)
        return log

    def result(self) -> Entry:
        """Places, and who pays the stake to the winner; asked only when there is a winner."""
        names = list(self.scores)
        seat = names.index(self.winner)
        winner, *others = names[seat:] + names[:seat]
        losses = [self.scores[name] for name in others]
        places = {name: 2 + sum(score > self.scores[name] for score in losses) for name in others}
        lowest = min(losses)
        payer = next(name for name in reversed(others) if self.scores[name] == lowest)
        stake = self._options["bank"]
        bank = dict.fromkeys(names, 0) | {winner: stake, payer: -stake}
        return {"winner": winner, "places": {winner: 1} | places, "bank": bank}

    def _write_points(self, outcome: Outcome) -> Entry:
        written = {player: self._amount(player, outcome) for player in outcome.taken}
        for player, amount in written.items():
            self.scores[player] += amount
        return {
            "event": "settle",
            "deal": outcome.deal,
            "declarer": outcome.declarer,
            "order": outcome.order,
            "made": outcome.made,
            "painted": outcome.painted,
            "taken": dict(outcome.taken),
            "written": written,
        }

    def _amount(self, player: str, outcome: Outcome) -> int:
        if player == outcome.declarer:
            amount = outcome.order if outcome.made else -outcome.order
        elif outcome.painted:
            amount = 0 if player == self.sitter else outcome.order // 10 * 5
        else:
            amount = (outcome.taken[player] + 2) // 5 * 5
        if outcome.golden:
            amount *= 2
        if player == self.sitter and amount > 0 and self.scores[player] + amount < AIM:
            return 0
        return amount

    def _write_bolts(self, outcome: Outcome, log: list[Entry]) -> None:
        times = 2 if outcome.golden else 1
        for player, tricks in outcome.tricks.items():
            if tricks:
                continue
            self.bolts[player] += times
            log.append({"event": "bolt", "player": player, "bolts": self.bolts[player]})
            if self.bolts[player] >= self._options["bolts"]:
                self.bolts[player] = 0
                fine = self._options["bolt_fine"] * times
                self.scores[player] -= fine
                log.append({"event": "bolt_fine", "player": player, "points": fine, "score": self.scores[player]})

    def _empty_trucks(self, outcome: Outcome, log: list[Entry]) -> None:
        for player in outcome.taken:
            score = self.scores[player]
            if abs(score) == DUMP_TRUCK:
                self.scores[player] = 0
                log.append({"event": "dump_truck", "player": player, "points": score, "score": 0})

    def _settle_barrel(self, outcome: Outcome, log: list[Entry]) -> None:
        fine = self._options["barrel_fine"] * (2 if outcome.golden else 1)
        if self.sitter is not None:
            self._count_attempt(self.sitter, outcome, fine, log)
        climbers = [name for name in outcome.taken if name != self.sitter and self.scores[name] >= BARREL]
        if not climbers:
            return
        for player in climbers:
            self.scores[player] = BARREL
            log.append({"event": "barrel", "player": player, "score": BARREL})
        if self.sitter is not None:
            self._fall(self.sitter, "knocked_off", fine, log)
        stays = outcome.declarer if outcome.declarer in climbers else climbers[0]
        for player in climbers:
            if player != stays:
                self._fall(player, "shared", fine, log)
        self.sitter, self.attempts = stays, 0

    def _count_attempt(self, sitter: str, outcome: Outcome, fine: int, log: list[Entry]) -> None:
        if self.scores[sitter] < BARREL:
            self.sitter, self.attempts = None, 0
        elif sitter in outcome.taken:
            self.attempts += 1
            log.append({"event": "attempt", "player": sitter, "attempts": self.attempts})
            if self.attempts >= self._options["barrel_attempts"]:
                self._fall(sitter, "attempts", fine, log)
                self.sitter, self.attempts = None, 0

    def _fall(self, player: str, reason: str, fine: int, log: list[Entry]) -> None:
        self.scores[player] -= fine
        log.append({"event": "fall", "player": player, "reason": reason, "score": self.scores[player]})

    def _settle_golden(self, outcome: Outcome, log: list[Entry]) -> None:
        self._golden_made = self._golden_made or outcome.made
        if outcome.deal == len(self.scores) and not self._golden_made:
            self.scores = dict.fromkeys(self.scores, 0)
            self.sitter, self.attempts = None, 0
            log.append({"event": "golden_reset"})
