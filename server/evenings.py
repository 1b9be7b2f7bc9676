"""What the log says of the dice: real throws only, set by set, corrections taken in."""

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import comb
from typing import Any

from calibration.fairness import Tally, Thrown, band, report
from server.backlog import PART, StillReading
from server.chain import Event
from server.log import NONSENSE, Log
from server.rules.vingt_six import DICE, ODDS, THROWS

UNNAMED = ""
"""The name of dice whose set was never named."""


@dataclass(slots=True)
class Evenings:
    """The tallies of a log: of the set in use since it was put in, of each set, and of all time."""

    current: Tally = field(default_factory=Tally)
    current_set: str = UNNAMED
    changed_at: str | None = None  # when the set was put in; None where it was never changed
    sets: dict[str, Tally] = field(default_factory=dict)
    all_time: Tally = field(default_factory=Tally)
    simulated: int = 0  # throws that do not count
    # What the last boot, game or calibration, and each soak, said of the throws that follow.
    _is_simulated: bool = True
    _set_in_use: str = UNNAMED
    _soaks: dict[int, str] = field(default_factory=dict)

    def take_in(self, event: Event, correction: Mapping[str, Any] | None) -> None:
        """Take in the next event of the log; of a throw with what it was corrected to, if it was."""
        body = event.body
        if event.kind == "boot":
            self._is_simulated, self._set_in_use = body["simulated"] is not False, body.get("set") or UNNAMED
        elif event.kind == "game":
            # The first event of a bundle: what the boot said before it is not in there.
            self._is_simulated = body.get("simulated", self._is_simulated)
        elif event.kind == "calibrated":
            self._set_in_use = body.get("set") or UNNAMED
        elif event.kind == "soak":
            self._soaks[event.seq] = body["asked"].get("set") or UNNAMED
        elif event.kind in ("throw", "trial", "refused"):
            if self._is_simulated or body.get("source"):
                self.simulated += event.kind != "refused"
            else:
                thrown = thrown_of(body, event.kind != "refused", correction)
                self.add(thrown, self._soaks.get(body.get("soak") or 0, UNNAMED) or self._set_in_use, body["at"])

    def add(self, thrown: Thrown, dice_set: str, at: str) -> None:
        """Take in the next look at real dice."""
        if dice_set != self.current_set:
            if self.all_time.throws or self.all_time.refused:
                self.changed_at = at
            self.current, self.current_set = Tally(), dice_set
        for tally in (self.current, self.sets.setdefault(dice_set, Tally()), self.all_time):
            tally.add(thrown)


def evenings(events: Callable[[], Iterable[Event]]) -> Evenings:
    """Read a log, twice: corrections come after what they correct."""
    corrections = {event.body["throw"]: event.body for event in events() if event.kind == "correction"}
    found = Evenings()
    for event in events():
        found.take_in(event, corrections.get(event.seq))
    return found


class Kept:
    """What a log that grows says of the dice. Any thread may ask; guests ask as often as they like."""

    def __init__(self, log: Log) -> None:
        self._log, self._lock = log, threading.Lock()
        self._seq, self._found, self._told = 0, Evenings(), dict[str, Any]()
        self._tried = -1  # up to where it was read, whatever came of it

    def told(self) -> dict[str, Any]:
        """As `as_json` has it; while another thread reads what is new, what was told before.

        StillReading where nothing was, and it reads much.
        """
        if not self._lock.acquire(blocking=not self._told and self._log.seq - self._seq <= PART):
            if not self._told:
                raise StillReading
            return self._told
        try:
            seq = self._log.seq
            if seq != self._tried:
                try:
                    self._read(seq)
                except NONSENSE:
                    # Of a log that cannot be replayed nothing is told: the machine's own fault says what is wrong.
                    self._found = Evenings()
                self._tried, self._told = seq, as_json(self._found)
            return self._told
        finally:
            self._lock.release()

    def _read(self, seq: int) -> None:
        """Read on up to an event; everything anew where an earlier throw was corrected, or reading failed."""
        after, self._seq = self._seq, 0
        if not after or any(event.kind == "correction" for event in self._log.events(after, seq)):
            self._found = evenings(lambda: self._log.events(0, seq))
        else:
            for event in self._log.events(after, seq):
                self._found.take_in(event, None)
        self._seq = seq


def by_turns(events: Iterable[Event]) -> dict[tuple[str, float], Tally]:
    """The tallies of a log by what threw, `gpio` or `twin`, and how many turns it made at least in a throw.

    The twin's throws are in it too: here the cone is judged, and not the dice. Recorded pictures are not.
    """
    found: dict[tuple[str, float], Tally] = {}
    boot: Mapping[str, Any] = {}
    for event in events:
        if event.kind == "boot":
            boot = event.body
            for tally in found.values():
                tally.part()
        elif event.kind in ("throw", "trial", "refused") and "turns" in boot and not event.body.get("source"):
            tally = found.setdefault((boot["tower"], boot["turns"]), Tally())
            tally.add(thrown_of(event.body, event.kind != "refused", None))
    return found


def as_json(found: Evenings) -> dict[str, Any]:
    """The same as an object for programs."""
    return {
        "set": found.current_set or None,
        "since": found.changed_at,
        "current": {**report(found.current), "worth": worth(found.current.counts)},
        "all_time": report(found.all_time),
        "sets": {name: report(tally) for name, tally in sorted(found.sets.items())},
        "simulated_throws_left_out": found.simulated,
    }


def worth(counts: Sequence[int]) -> dict[str, float] | None:
    """What Le Vingt-Six would give whoever backs the most frequent face, in chips a chip; None without dice."""
    if not any(counts):
        return None
    share = max(counts) / sum(counts)
    # Any of the six faces may be the most frequent one by chance, so each has a sixth of the error.
    _, by_chance = band(sum(counts), alpha=0.05 * 2 / 6)
    return {
        "face": counts.index(max(counts)) + 1,
        "share": share,
        "gain": gain(share),
        "gain_fair": gain(1 / 6),
        "by_chance": gain(by_chance),
    }


def gain(share: float) -> float:
    """The mean gain a chip of Le Vingt-Six, stake returned, where the number backed comes with this share."""
    dice = DICE * THROWS
    chances = [comb(dice, hits) * share**hits * (1 - share) ** (dice - hits) for hits in range(dice + 1)]
    return sum(chance * ODDS.get(hits, -1) for hits, chance in enumerate(chances))


def thrown_of(body: Mapping[str, Any], ok: bool, correction: Mapping[str, Any] | None) -> Thrown:
    """A look at the dice as its event tells it, or as it was corrected."""
    dice: list[Mapping[str, Any]] = list(body["dice"])
    if correction is not None:
        dice = _corrected(dice, body, correction)
        ok = ok and bool(dice)
    return Thrown(
        faces=tuple(die["face"] for die in dice),
        ok=ok,
        verdict=body["verdict"] if ok or body["verdict"] != "ok" else "corrected",
        names=tuple(die.get("colour") for die in dice),
        places_mm=tuple((die["mm"][0], die["mm"][1]) for die in dice) if all("mm" in die for die in dice) else (),
    )


def _corrected(
    dice: list[Mapping[str, Any]], body: Mapping[str, Any], correction: Mapping[str, Any]
) -> list[Mapping[str, Any]]:
    """The dice as a person saw them: whole dice, or the faces of those that counted; none if nothing could be read."""
    if "dice" in correction:
        seen, added = correction["dice"][: len(dice)], correction["dice"][len(dice) :]
        return [{**die, "face": face} for die, face in zip(dice, seen, strict=False) if face is not None] + [
            {"face": die["face"]} for die in added
        ]
    faces = dict(zip(body.get("counted", ()), correction["faces"], strict=False))
    return [{**die, "face": faces.get(place, die["face"])} for place, die in enumerate(dice)] if faces else []
