"""How soon the evidence finds bad dice, and how seldom it accuses fair ones: `python tests/benchmarks/fairness.py`."""

import argparse
import math
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from calibration.evidence import ALARM, WEIGHTS, Repeats, evidence, judge
from calibration.fairness import ASIDE
from calibration.memory import SHARES, Memory, sticking
from calibration.power import dice_needed

Counts = NDArray[np.int64]
Values = NDArray[np.float64]
FACES = np.arange(6)

DICE_A_THROW = 10
LONG = 100_000
SLACK = 1.1
"""The published medians come from simulations themselves: for a face +1 pp there are two, 25,050 and 26,200."""


@dataclass(frozen=True, slots=True)
class Bias:
    """Dice that are wrong by some percentage points, and after how many the evidence must have seen it."""

    name: str
    off_pp: float
    longest: int  # dice of a run
    together: int = 0  # published median of the dice until the alarm, by faces and axes; 0 where there is none
    alone: int = 0  # the same by faces alone


BIASES = (
    Bias("face", 5, 10_000, alone=1_135),
    Bias("face", 2, 50_000, alone=7_210),
    Bias("face", 1, 200_000, together=26_600, alone=26_200),
    Bias("axis", 5, 20_000),
    Bias("axis", 2, 60_000, together=8_600, alone=10_500),
    Bias("axis", 1, 200_000),
    Bias("repeat", 5, 20_000),
    Bias("repeat", 2, 60_000),
    Bias("repeat", 1, 200_000),
    Bias("die", 5, 20_000),
    Bias("die", 2, 60_000),
)
ONE_DIE = ASIDE * DICE_A_THROW
MARKS = {"face": (ALARM, ALARM), "axis": (ALARM, ALARM), "repeat": (ASIDE,), "die": (ONE_DIE, ONE_DIE)}
"""Of the columns of a run: both together and the faces alone, or the repeats; "die" is one of ten with names."""


class Mixture:
    """The logarithm of the evidence after every throw of a run; the gamma function is looked up in tables."""

    def __init__(self, longest: int, odds: Sequence[int]) -> None:
        self._odds = odds
        self._logs = np.log(np.array(odds) / sum(odds))
        self._cells = [[log_gamma(weight * odd, longest) for odd in odds] for weight in WEIGHTS]
        self._sums = [log_gamma(weight * sum(odds), longest) for weight in WEIGHTS]

    def __call__(self, counts: Counts) -> Values:
        """The evidence's logarithm for (throws, cells) growing counts."""
        dice = counts.sum(axis=1)
        fair = counts @ self._logs
        each = [
            sum(table[column] for table, column in zip(tables, counts.T, strict=True)) - sums[dice] - fair
            for tables, sums in zip(self._cells, self._sums, strict=True)
        ]
        mixed: Values = np.logaddexp.reduce(np.array(each)) - math.log(len(WEIGHTS))
        truth = math.log(evidence(counts[-1].tolist(), self._odds))
        assert math.isclose(mixed[-1], truth, abs_tol=1e-6) or mixed[-1] > 700, (mixed[-1], truth)
        return mixed


def log_gamma(prior: int, longest: int) -> Values:
    """log(gamma(prior + n) / gamma(prior)) for n from 0 to longest."""
    return np.array([math.lgamma(prior + n) - math.lgamma(prior) for n in range(longest + 1)])


def face_shares(bias: str, off: float) -> list[float]:
    """Six shares: a 6 too often, or both faces of the axis 1-6, at the cost of the others alike."""
    if bias == "axis":
        return [1 / 6 + off / 2, *[1 / 6 - off / 4] * 4, 1 / 6 + off / 2]
    return [*[1 / 6 - off / 5] * 5, 1 / 6 + off]


def together(faces: Mixture, axes: Mixture, counts: Counts) -> tuple[Values, Values]:
    """The logarithms of faces and axes together, and of the faces alone."""
    alone = faces(counts)
    both: Values = np.logaddexp(alone, axes(counts[:, :3] + counts[:, 5:2:-1])) - math.log(2)
    truth = judge(counts[-1].tolist()).evidence
    assert math.isclose(both[-1], math.log(truth), abs_tol=1e-6) or truth > 1e300
    return both, alone


def runs(bias: str, off: float, longest: int, number: int, chance: np.random.Generator) -> Iterator[tuple[Values, ...]]:
    """The logarithms after every throw, of each run: of both together and of the faces alone, or of the repeats."""
    throws = longest // DICE_A_THROW
    if bias == "repeat":
        for _ in range(number):
            yield (repeats(chance.binomial(DICE_A_THROW, 1 / 6 + off, throws)),)
        return
    faces, axes = Mixture(longest, (1,) * 6), Mixture(longest, (1,) * 3)
    for _ in range(number):
        counts = chance.multinomial(DICE_A_THROW, face_shares(bias, off), throws).cumsum(axis=0)
        yield together(faces, axes, counts)


def alarms(each: Values, mark: float) -> float:
    """After how many dice the evidence first reached the mark; infinity if it never did."""
    reached = each >= math.log(mark)
    return DICE_A_THROW * (1 + int(reached.argmax())) if reached.any() else math.inf


def found(bias: Bias, number: int) -> NDArray[np.float64]:
    """(runs, 1 or 2): the dice until the alarm, a column for each of MARKS."""
    # A stream of its own, so that no figure hangs on the rows before it.
    chance = np.random.default_rng([421, *bias.name.encode(), bias.longest])
    made = runs(bias.name, bias.off_pp / 100, bias.longest, number, chance)
    marks = MARKS[bias.name]
    return np.array([[alarms(each, mark) for each, mark in zip(run, marks, strict=True)] for run in made])


def fixed(bias: Bias) -> float:
    """The dice, or pairs, that one look at 1 % needs to find it nine times in ten."""
    off = bias.off_pp / 100
    if bias.name == "repeat":
        return pairs_needed(off, 0.01, 0.9)
    return dice_needed(noncentrality(face_shares(bias.name, off)), 5, 0.01, 0.9)


def noncentrality(shares: Sequence[float]) -> float:
    """How far, a die, cells of these shares are from cells that are all alike: the chi-square that each die adds."""
    fair = 1 / len(shares)
    return math.fsum((share - fair) ** 2 for share in shares) / fair


def pairs_needed(off: float, alpha: float, wanted: float) -> float:
    """How many pairs of throws show that the same face comes again with a share of 1/6 + off; not rounded.

    One-sided, by the normal approximation with the variances of both shares.
    """
    fair, sticky = 1 / 6, 1 / 6 + off
    reach = NormalDist().inv_cdf(1 - alpha) * math.sqrt(fair * (1 - fair))
    reach += NormalDist().inv_cdf(wanted) * math.sqrt(sticky * (1 - sticky))
    return (reach / off) ** 2


def repeats(equal: Counts) -> Values:
    """The logarithms of the evidence that ten dice with names stick, of which so many showed their last face again."""
    same = equal.cumsum()
    others = DICE_A_THROW * np.arange(1, len(equal) + 1) - same
    each = [same * math.log1p(5 * share) + others * math.log1p(-share) for share in SHARES]
    mixed: Values = np.logaddexp.reduce(each) - math.log(len(SHARES))
    truth = sticking(Repeats(int(same[-1] + others[-1]), int(same[-1]), 0.0, 0.0))
    assert math.isclose(mixed[-1], math.log(truth), abs_tol=1e-6) or truth > 1e300
    return mixed


def memory(counts: Counts) -> Values:
    """The logarithms of the evidence that dice without names remember, for (throws, faces) counts of each throw."""
    shares = np.array(SHARES)[:, None]
    kept = np.log(1 - shares + 6 * shares * np.arange(DICE_A_THROW + 1) / DICE_A_THROW)
    each = sum(counts[1:, face] * kept[:, counts[:-1, face]] for face in FACES)
    mixed: Values = np.logaddexp.reduce(np.cumsum(each, axis=1)) - math.log(len(SHARES))
    return mixed


def fair_runs(number: int) -> Iterator[dict[str, float]]:
    """Of each run of ten fair dice with names: the highest logarithm of every monitor's evidence."""
    chance, throws = np.random.default_rng([421, *b"fair", LONG]), LONG // DICE_A_THROW
    faces, axes = Mixture(LONG, (1,) * 6), Mixture(LONG, (1,) * 3)
    for run in range(number):
        thrown = chance.integers(0, 6, (throws, DICE_A_THROW))
        each = (thrown[:, :, None] == FACES).astype(np.int64)
        counts = each.sum(axis=1)
        both, alone = together(faces, axes, counts.cumsum(axis=0))
        dice = [together(faces, axes, die.cumsum(axis=0))[0].max() for die in each.swapaxes(0, 1)]
        remembered = memory(counts)
        if run == 0:
            truth = Memory()
            for count in counts.tolist():
                truth.add(count)
            assert math.isclose(remembered[-1], math.log(truth.evidence), abs_tol=1e-6)
        yield {
            "faces and axes": both.max(),
            "faces alone": alone.max(),
            "one of ten dice": max(dice),
            "repeats": repeats((thrown[1:] == thrown[:-1]).sum(axis=1)).max(),
            "memory": remembered.max(),
        }


def cries_wolf(number: int) -> bool:
    """Print how many fair runs ever alarmed, and say whether they are too many."""
    print(f"{number:,} fair runs of {LONG:,} dice, ten a throw, looked at after every throw:")
    marks = {"faces and axes": ALARM, "faces alone": ALARM, "one of ten dice": ONE_DIE, "repeats": ASIDE}
    marks["memory"] = ASIDE
    ever = {name: np.zeros(number, dtype=bool) for name in marks}
    for run, highest in enumerate(fair_runs(number)):
        for name, log in highest.items():
            ever[name][run] = log >= math.log(marks[name])
    for name, alarmed in ever.items():
        print(f"  {name:<28}{marks[name]:>6,.0f}{alarmed.mean():8.2%} ever alarmed")
    named = ever["faces and axes"] | ever["one of ten dice"] | ever["repeats"]
    nameless = ever["faces and axes"] | ever["memory"]
    for name, alarmed in (("any of them, dice with names", named), ("any of them, without names", nameless)):
        print(f"  {name:<34}{alarmed.mean():8.2%} ever alarmed", flush=True)
    return bool(max(named.mean(), nameless.mean()) > 1 / ALARM)


def finds_late(number: int) -> bool:
    """Print after how many dice biased runs alarm, and say whether a published median is missed."""
    late = False
    print(f"\n{number:,} biased runs each; dice until the alarm, published medians in brackets")
    print("(repeats: pairs of throws of the same die, die: throws of one of ten with names, the others fair)")
    print("(one look: dice for a chi-square at 1 % to find it 9 times in 10)")
    print(f"{'bias':<14}{'median':>17}{'90 % by':>10}{'faces alone':>18}{'one look':>10}")
    for bias in BIASES:
        dice = found(bias, number)
        medians, most = np.quantile(dice, (0.5, 0.9), axis=0, method="higher")
        published = (bias.together, bias.alone)[: len(medians)]
        late |= any(wanted and middle > SLACK * wanted for middle, wanted in zip(medians, published, strict=True))
        cells = [
            f"{middle:,.0f}" + (f" ({wanted:,})" if wanted else "")
            for middle, wanted in zip(medians, published, strict=True)
        ]
        name = f"{bias.name} +{bias.off_pp:g} pp"
        print(
            f"{name:<14}{cells[0]:>17}{most[0]:>10,.0f}{cells[1] if cells[1:] else '-':>18}{fixed(bias):>10,.0f}",
            flush=True,
        )
    return late


def main() -> int:
    """Print both tables; 1 if fair dice are accused too often or bad ones found too late."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fair", type=int, default=2000, help="fair runs (default %(default)s)")
    parser.add_argument("--biased", type=int, default=2000, help="runs for each bias (default %(default)s)")
    given = parser.parse_args()
    wolf = cries_wolf(given.fair)
    return int(finds_late(given.biased) or wolf)


if __name__ == "__main__":
    sys.exit(main())
