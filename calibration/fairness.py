"""Fairness of the dice that were thrown: the counts of many looks, and what they say at any moment."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from typing import Any

from calibration.evidence import ALARM, Fit, Repeats, alike, fit, independence, judge, repeats
from calibration.memory import Memory, sticking
from calibration.power import critical, dice_needed, face_bias, power

FACES = range(1, 7)
ASIDE = 1000.0
"""The mark of the dice's memory, and of the dice one by one: of so many named dice each has so many times it."""
ALPHA, POWER = 0.01, 0.9
"""Of the fixed tests whose power is told."""
SEEN_PP = 1.0
"""The bias, in percentage points, of which it is told when it would be seen."""
_POINTS = 256  # of the curve of the evidence, at most


@dataclass(frozen=True, slots=True)
class Thrown:
    """One look at dice that were thrown; the dice of its lists belong together."""

    faces: tuple[int | None, ...]  # None where not even a guess was made
    ok: bool = True  # whether the reading was used; a refused one is a best guess
    verdict: str = "ok"
    names: tuple[str | None, ...] = ()  # of the dice, where their colours tell them apart
    places_mm: tuple[tuple[float, float], ...] = ()  # from the floor's centre, where it is calibrated


@dataclass(slots=True)
class Tally:
    """What is counted of a set of dice; looks are added one by one, in the order of the throws."""

    throws: int = 0
    refused: Counter[str] = field(default_factory=Counter)  # by verdict
    faces: Counter[int] = field(default_factory=Counter)  # of the readings that were used
    guessed: Counter[int] = field(default_factory=Counter)  # of the refused ones
    dice: dict[str, Counter[int]] = field(default_factory=lambda: defaultdict(Counter))  # by the name of the die
    pairs: Counter[tuple[int, int]] = field(default_factory=Counter)  # faces of one die in two throws running
    together: Counter[tuple[int, ...]] = field(default_factory=Counter)  # counts of the faces of one throw
    zones: Counter[tuple[int, int]] = field(default_factory=Counter)  # quarter of the floor, face
    memory: Memory = field(default_factory=Memory)  # of dice that cannot be told apart
    _last: dict[str, int] = field(default_factory=dict)
    _curve: list[tuple[int, ...]] = field(default_factory=list)  # counts of the faces after throws, thinned out
    _stride: int = 1

    def add(self, thrown: Thrown) -> None:
        """Take in the next look."""
        known = [face for face in thrown.faces if face is not None]
        if not thrown.ok:
            self.refused[thrown.verdict] += 1
            self.guessed.update(known)
            # The dice were thrown between: what came before says nothing of what comes after.
            self.part()
            return
        self.throws += 1
        self.faces.update(known)
        counts = tuple(known.count(face) for face in FACES)
        self.together[counts] += 1
        self.memory.add(counts)
        for face, (x_mm, y_mm) in zip(thrown.faces, thrown.places_mm, strict=False):
            if face is not None:
                self.zones[2 * (y_mm >= 0) + (x_mm >= 0), face] += 1
        self._add_named(thrown)
        if self.throws % self._stride == 0:
            self._curve.append(self.counts)
        if len(self._curve) > _POINTS:
            self._stride *= 2
            self._curve = self._curve[1::2]

    def part(self) -> None:
        """What comes next does not follow what came last."""
        self._last.clear()
        self.memory.forget()

    def _add_named(self, thrown: Thrown) -> None:
        now = {name: face for name, face in zip(thrown.names, thrown.faces, strict=False) if name and face}
        for name, face in now.items():
            self.dice[name][face] += 1
            if name in self._last:
                self.pairs[self._last[name], face] += 1
        self._last = now

    @property
    def counts(self) -> tuple[int, ...]:
        """How often each face came in the readings that were used."""
        return tuple(self.faces[face] for face in FACES)

    @property
    def counts_with_refused(self) -> tuple[int, ...]:
        """The same with the best guesses of the refused readings."""
        return tuple(self.faces[face] + self.guessed[face] for face in FACES)

    def curve(self) -> Iterator[tuple[int, float]]:
        """How many dice there were at some moments, and the evidence against them then; the last moment is now."""
        last = () if self._curve and self._curve[-1] == self.counts else (self.counts,)
        for counts in (*self._curve, *last):
            yield sum(counts), judge(counts).evidence

    def repeats(self) -> Repeats:
        """Whether a die shows the face of its last throw again too often; for named dice."""
        return repeats([[self.pairs[before, after] for after in FACES] for before in FACES])

    def alike(self) -> Repeats:
        """Whether the dice of one throw are too much alike, or too little."""
        return alike(self.together.elements())

    def by_zone(self) -> Fit:
        """Whether the face depends on the place: dice cannot know where they lie, so it is the reader that errs."""
        return independence([[self.zones[zone, face] for face in FACES] for zone in range(4)])

    def by_refusal(self) -> Fit:
        """Whether the refused readings' guesses have other faces than the readings that were used."""
        return independence([self.counts, [self.guessed[face] for face in FACES]])


def report(tally: Tally) -> dict[str, Any]:
    """Everything that a tally says, as an object for programs."""
    counts = tally.counts
    seen, fitted = judge(counts), fit(counts)
    repeated, likeness, zones, refusals = tally.repeats(), tally.alike(), tally.by_zone(), tally.by_refusal()
    curve = list(tally.curve())
    return {
        "throws": tally.throws,
        "faces": list(counts),
        **seen.as_json(),
        "alarm": seen.alarm,
        "highest": max(value for _, value in curve),
        "g": fitted.g,
        "p_g": fitted.p_g,
        "with_refused": {"faces": list(tally.counts_with_refused), **judge(tally.counts_with_refused).as_json()},
        "refused": dict(tally.refused),
        "per_die": {
            name: {"faces": [faces[face] for face in FACES], **judge([faces[face] for face in FACES]).as_json()}
            for name, faces in sorted(tally.dice.items())
        },
        "same_die": {**_pairs(repeated), "evidence": sticking(repeated)},
        "same_dice": {**_pairs(tally.memory.repeats()), "evidence": tally.memory.evidence},
        "same_throw": {**_pairs(likeness), "p": likeness.p_both},
        "place": _fit(zones),
        "refusals": _fit(refusals),
        "power": reach(seen.dice),
        "curve": [[dice, value] for dice, value in curve],
    }


def memory_of(told: dict[str, Any]) -> dict[str, Any]:
    """What a report says of the dice's memory: by their names where they have some, else by their counts."""
    found: dict[str, Any] = told["same_die"] if told["same_die"]["pairs"] else told["same_dice"]
    return found


def alarms(told: dict[str, Any]) -> list[str]:
    """Which monitors of a report have reached the alarm: "faces" of all dice, a die's name, "same_die", "same_dice".

    The faces have the mark of evidence itself. The dice one by one share a higher one, and so has their memory, so that
    of fair dice less than one long run of a hundred is accused by any of them (`tests/benchmarks/fairness.py`). The
    memory of dice that cannot be told apart is asked for only where no die has a name.
    """
    found = ["faces"] if told["evidence"] >= ALARM else []
    found += [name for name, die in told["per_die"].items() if die["evidence"] >= ASIDE * len(told["per_die"])]
    memory = "same_die" if told["same_die"]["pairs"] else "same_dice"
    return found + ([memory] if told[memory]["evidence"] >= ASIDE else [])


def reach(dice: int) -> dict[str, Any]:
    """What so many dice can show: the bias of a face that one look at 1 % finds nine times in ten, in points."""
    needed = dice_needed(face_bias(SEEN_PP / 100), 5, ALPHA, POWER)
    return {
        "dice": dice,
        "sees_pp": 100 * (needed * face_bias(SEEN_PP / 100) / face_bias(1.0) / dice) ** 0.5 if dice else None,
        "dice_for_1_pp": round(needed),
        "still_for_1_pp": max(0, round(needed) - dice),
        "power_for_1_pp": power(dice * face_bias(SEEN_PP / 100), 5, ALPHA) if dice else ALPHA,
    }


def band(dice: int, alpha: float = 0.05) -> tuple[float, float]:
    """Between which shares a face of fair dice lies, but for a chance of alpha; the normal approximation."""
    if dice == 0:
        return 0.0, 1.0
    share = 1 / 6
    half = (critical(1, alpha) * share * (1 - share) / dice) ** 0.5
    return max(0.0, share - half), min(1.0, share + half)


def _pairs(found: Repeats) -> dict[str, Any]:
    return {**asdict(found), "p": found.p}


def _fit(found: Fit) -> dict[str, Any]:
    return {**asdict(found), "p": found.p, "p_g": found.p_g}
