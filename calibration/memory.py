"""Do dice remember their last throw? Those with names by their faces, others by the counts of throws in a row."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from calibration.evidence import Repeats, mean_of

SHARES = (0.01, 0.025, 0.06, 0.2)
"""Of dice that keep a face of the throw before: what the evidence looks for, each with the same weight."""
_FACES = range(6)


def sticking(found: Repeats) -> float:
    """The evidence that dice with names show the face of their last throw again more often than one time in six.

    The mean over SHARES of the likelihood ratio of dice of which that share is not thrown at all, against fair dice; it
    may be looked at at any time, and is at most CAP.
    """
    return mean_of(
        found.equal * math.log1p(5 * share) + (found.pairs - found.equal) * math.log1p(-share) for share in SHARES
    )


@dataclass(slots=True)
class Memory:
    """What throws that follow each other say, each given by its counts of the six faces.

    Which die is which is not known, so a die's own memory is one pair among all those of a die before and a die after:
    it takes as many pairs of throws to see it as it takes pairs of one named die.
    """

    throws: int = 0
    pairs: int = 0  # of throws that follow each other
    equal: int = 0  # pairs of a die before and a die after that show the same face, all throws together
    _logs: list[float] = field(default_factory=lambda: [0.0] * len(SHARES))
    _before: tuple[int, ...] | None = None
    _faces: list[int] = field(default_factory=lambda: [0] * 6)
    _products: list[list[int]] = field(default_factory=lambda: [[0] * 6 for _ in _FACES])  # of counts of one throw
    _sized: list[int] = field(default_factory=lambda: [0] * 6)  # counts times the dice of their throw
    _squares: int = 0  # of the dice of a throw
    _crossed: list[int] = field(default_factory=lambda: [0] * 6)  # counts times the dice of the throw beside
    _sizes: int = 0  # dice before times dice after

    def add(self, counts: Sequence[int]) -> None:
        """Take in the next throw."""
        dice, before = sum(counts), self._before
        self.throws += 1
        self._squares += dice**2
        for face in _FACES:
            self._faces[face] += counts[face]
            self._sized[face] += dice * counts[face]
            for other in _FACES:
                self._products[face][other] += counts[face] * counts[other]
        if before is not None and any(before) and dice:
            self._pair(before, counts)
        self._before = tuple(counts)

    def forget(self) -> None:
        """What comes next does not follow what came last."""
        self._before = None

    def _pair(self, before: Sequence[int], after: Sequence[int]) -> None:
        dice_before, dice_after = sum(before), sum(after)
        self.pairs += 1
        self.equal += sum(kept * count for kept, count in zip(before, after, strict=True))
        self._sizes += dice_before * dice_after
        for face in _FACES:
            self._crossed[face] += dice_after * before[face] + dice_before * after[face]
        for place, share in enumerate(SHARES):
            self._logs[place] += math.fsum(
                count * math.log(1 - share + 6 * share * kept / dice_before)
                for kept, count in zip(before, after, strict=True)
                if count
            )

    @property
    def evidence(self) -> float:
        """What a chip staked on the dice's memory would be worth now, at most CAP; it may be looked at at any time.

        The likelihood ratio of dice of which a share keeps the face of some die of the throw before, against fair dice
        that keep none: its mean over SHARES is 1 for those, whatever was thrown before (Ville, 1939).
        """
        return mean_of(self._logs)

    def repeats(self) -> Repeats:
        """The same for one look, against the faces' own shares, so that a favoured face is not taken for memory.

        The counts are centred by the dice of their throw times the shares. Of independent throws the products of
        neighbours are uncorrelated, each with the variance of the trace of the squared covariance; that the shares are
        estimated from the same throws costs the trace of the covariance once in all throws.
        """
        dice = sum(self._faces)
        if not self.pairs or not dice:
            return Repeats(self.pairs, self.equal, 0.0, 0.0)
        shares = [face / dice for face in self._faces]
        spread = [
            [
                (
                    self._products[one][other]
                    - shares[one] * self._sized[other]
                    - shares[other] * self._sized[one]
                    + shares[one] * shares[other] * self._squares
                )
                / self.throws
                for other in _FACES
            ]
            for one in _FACES
        ]
        expected = math.fsum(share * count for share, count in zip(shares, self._crossed, strict=True))
        expected -= math.fsum(share**2 for share in shares) * self._sizes
        expected -= self.pairs / self.throws * math.fsum(spread[face][face] for face in _FACES)
        variance = self.pairs * math.fsum(value**2 for row in spread for value in row)
        z = (self.equal - expected) / math.sqrt(variance) if variance > 1e-9 * self.pairs else 0.0
        return Repeats(self.pairs, self.equal, expected, z)
