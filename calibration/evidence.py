"""How likely the dice are fair: evidence that may be looked at after every throw, and tests for a sample of fixed size.

Counts are whole numbers, one for each cell; sums of squares stay whole and the large terms cancel on paper, so that
10^15 dice lose no digits.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction

ALARM = 100.0
"""Fair dice ever reach this evidence with a chance of at most 1 in 100, however often it is looked at (Ville, 1939)."""
WEIGHTS = (10, 100, 1_000, 10_000)
"""Prior dice a face of the mixtures: the small ones look for large biases, the large ones for small biases."""
CAP = 1e308
"""The largest evidence that is given; from there on it only means "at least so much"."""
AXES = ((1, 6), (2, 5), (3, 4))
"""Opposite faces, which an edge too long or too short favours together."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """What the counts of six faces say; the p-values hold for one look only, the evidence at every look."""

    dice: int
    chi2: float
    df: int
    p: float
    chi2_axes: float
    p_axes: float
    evidence_faces: float
    evidence_axes: float
    evidence: float

    @property
    def alarm(self) -> bool:
        """Whether the dice must go."""
        return self.evidence >= ALARM

    def as_json(self) -> dict[str, float]:
        """The same as an object for programs."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Fit:
    """How far counts are from what was expected, by Pearson's and by the likelihood ratio's measure."""

    chi2: float
    g: float
    df: int

    @property
    def p(self) -> float:
        """The chance of a chi-square at least as large."""
        return tail(self.chi2, self.df)

    @property
    def p_g(self) -> float:
        """The chance of a G at least as large."""
        return tail(self.g, self.df)


@dataclass(frozen=True, slots=True)
class Repeats:
    """How many of some pairs of dice show the same face, and how many would if one knew nothing of the other."""

    pairs: int
    equal: int
    expected: float
    z: float

    @property
    def p(self) -> float:
        """The chance of so many equal pairs, or of as many more."""
        return math.erfc(self.z / math.sqrt(2)) / 2

    @property
    def p_both(self) -> float:
        """The chance of being as far from the expected number, on either side."""
        return math.erfc(abs(self.z) / math.sqrt(2))


def judge(counts: Sequence[int]) -> Judgement:
    """The figures of six counts, those of the faces 1 to 6; ValueError if there are not six, or one is negative."""
    if len(counts) != 6:
        raise ValueError(f"A die has six faces, but there are {len(counts)} counts.")
    axes = axes_of(counts)
    faces_fit, axes_fit = fit(counts), fit(axes)
    faces_evidence, axes_evidence = evidence(counts), evidence(axes)
    return Judgement(
        dice=sum(counts),
        chi2=faces_fit.chi2,
        df=faces_fit.df,
        p=faces_fit.p,
        chi2_axes=axes_fit.chi2,
        p_axes=axes_fit.p,
        evidence_faces=faces_evidence,
        evidence_axes=axes_evidence,
        evidence=faces_evidence / 2 + axes_evidence / 2,
    )


def axes_of(counts: Sequence[int]) -> tuple[int, ...]:
    """The counts of six faces added up by axes."""
    return tuple(counts[low - 1] + counts[high - 1] for low, high in AXES)


def evidence(counts: Sequence[int], odds: Sequence[int] = ()) -> float:
    """What a chip staked against the dice would be worth now: the mean of the mixtures over WEIGHTS, at most CAP.

    `odds` are the cells' shares under fairness, as small whole numbers; without them all are alike. The mean of two
    evidences about the same dice is again one.
    """
    return mean_of(log_evidence(counts, weight, odds) for weight in WEIGHTS)


def mean_of(logs: Iterable[float]) -> float:
    """The mean of what these are the logarithms of, at most CAP."""
    every = list(logs)
    most = max(every)
    log = most + math.log(math.fsum(math.exp(each - most) for each in every) / len(every))
    return math.exp(log) if log < math.log(CAP) else CAP


def log_evidence(counts: Sequence[int], weight: int, odds: Sequence[int] = ()) -> float:
    """The logarithm of the likelihood ratio of a Dirichlet mixture against fair dice.

    The prior of a cell is `weight` times its odds. Lindon and Malek, "Anytime-Valid Inference for Multinomial Count
    Data", NeurIPS 2022 (arXiv 2011.03567), equation of the Bayes factor; written by Stirling's series, in which the
    terms of the size of n log n cancel.
    """
    odds = _checked(counts, odds)
    priors = [weight * odd for odd in odds]
    posts = [prior + count for prior, count in zip(priors, counts, strict=True)]
    prior, post = sum(priors), sum(posts)
    return math.fsum(
        (
            _divergence(posts, odds),
            (math.log(post) - math.log(prior)) / 2,
            *((math.log(before) - math.log(after)) / 2 for before, after in zip(priors, posts, strict=True)),
            _stirling_rest(prior) - _stirling_rest(post),
            *(_stirling_rest(after) - _stirling_rest(before) for before, after in zip(priors, posts, strict=True)),
        )
    )


def fit(counts: Sequence[int], odds: Sequence[int] = ()) -> Fit:
    """Chi-square and G of the counts against cells of the given odds, all alike without them; no dice fit perfectly."""
    odds = _checked(counts, odds)
    dice, shares = sum(counts), sum(odds)
    if dice == 0:
        return Fit(0.0, 0.0, len(counts) - 1)
    whole = math.lcm(*odds)
    squares = sum((shares * count - dice * odd) ** 2 * (whole // odd) for count, odd in zip(counts, odds, strict=True))
    return Fit(squares / (dice * shares * whole), 2 * _divergence(counts, odds), len(counts) - 1)


def independence(table: Sequence[Sequence[int]]) -> Fit:
    """Whether the row of a table tells anything of the column, by chi-square and G.

    For the face of a die by its face in the throw before, for two named dice of the same throw, for faces by zones of
    the floor, and for refused against accepted faces. Rows and columns of zeros are left out; what is expected should
    be 5 or more nearly everywhere.
    """
    rows = [row for row in table if any(row)]
    columns = [column for column in zip(*rows, strict=True) if any(column)]
    if not columns:
        return Fit(0.0, 0.0, 0)
    pairs = sum(map(sum, rows))
    cells = [(count, sum(row) * sum(column)) for column in columns for row, count in zip(rows, column, strict=True)]
    chi2 = math.fsum((pairs * count - product) ** 2 / (pairs * product) for count, product in cells)
    g = 2 / pairs * math.fsum(product * _bend((pairs * count - product) / product) for count, product in cells)
    return Fit(chi2, g, (len(rows) - 1) * (len(columns) - 1))


def repeats(table: Sequence[Sequence[int]]) -> Repeats:
    """Whether the same face comes again too often: a square table of first by second faces, against its own margins.

    The variance is that of Cohen's kappa without agreement (Fleiss, Cohen and Everitt, Psychological Bulletin 72,
    1969), so that a die which favours a face is not taken for one that sticks. Without variance z is 0.
    """
    pairs = sum(map(sum, table))
    if pairs == 0:
        return Repeats(0, 0, 0.0, 0.0)
    equal = sum(row[face] for face, row in enumerate(table))
    rows = [sum(row) / pairs for row in table]
    columns = [sum(column) / pairs for column in zip(*table, strict=True)]
    share = math.fsum(map(math.prod, zip(rows, columns, strict=True)))
    twice = math.fsum(row * column * (row + column) for row, column in zip(rows, columns, strict=True))
    variance = share + share**2 - twice
    return _repeats(pairs, equal, pairs * share, pairs * variance)


def alike(throws: Iterable[Sequence[int]]) -> Repeats:
    """Whether dice of the same throw show the same face too often or too seldom, for dice without names.

    Each throw is given by its counts of the faces. Expected number and variance are exact: those of dealing the same
    faces out to the same throws at random, so that a die which favours a face is no matter here either.
    """
    faces: list[int] = []
    pairs = equal = chained = 0
    for throw in throws:
        faces = [before + count for before, count in zip(faces, throw, strict=True)] if faces else list(throw)
        pairs += math.comb(sum(throw), 2)
        chained += math.perm(sum(throw), 3)  # two pairs, in order, with one die in common
        equal += sum(math.comb(count, 2) for count in throw)
    twos = [math.perm(count, 2) for count in faces]
    fours = sum(math.perm(count, 4) for count in faces) + sum(twos) ** 2 - sum(two**2 for two in twos)

    def share(ways: int, dice: int) -> Fraction:
        return Fraction(ways, math.perm(sum(faces), dice) or 1)

    expected = pairs * share(sum(twos), 2)
    squared = expected + chained * share(sum(math.perm(count, 3) for count in faces), 3)
    squared += (pairs**2 - pairs - chained) * share(fours, 4)
    return _repeats(pairs, equal, float(expected), float(squared - expected**2))


def _repeats(pairs: int, equal: int, expected: float, variance: float) -> Repeats:
    # Rounding can leave a crumb of variance where every pair must be equal.
    z = (equal - expected) / math.sqrt(variance) if variance > 1e-9 * pairs else 0.0
    return Repeats(pairs, equal, expected, z)


def tail(chi2: float, df: int) -> float:
    """The chance that a chi-square of so many degrees of freedom is at least so large; 0 only below 1e-308.

    It is the regularised incomplete gamma function Q(df/2, chi2/2), climbed from Q(1/2) or Q(1) by
    Q(a + 1, x) = Q(a, x) + x^a e^-x / gamma(a + 1) (Abramowitz and Stegun 6.5.21): every term is positive, so that far
    tails keep their digits.
    """
    x = chi2 / 2
    if df == 0 or x <= 0:
        return 1.0
    start = 0.5 if df % 2 else 1.0
    terms = [math.erfc(math.sqrt(x)) if df % 2 else math.exp(-x)]
    terms += [
        math.exp((start + step) * math.log(x) - x - math.lgamma(start + step + 1)) for step in range((df - 1) // 2)
    ]
    return min(1.0, math.fsum(terms))


def _checked(counts: Sequence[int], odds: Sequence[int]) -> Sequence[int]:
    """The odds, all alike if none are given."""
    odds = odds or (1,) * len(counts)
    if len(odds) != len(counts) or min(counts) < 0 or min(odds) < 1:
        raise ValueError("Counts must be at least 0, and each needs odds of at least 1.")
    return odds


def _divergence(counts: Sequence[int], odds: Sequence[int]) -> float:
    """The sum of count times log(count / expected): never negative, and without cancellation near the expected."""
    dice, shares = sum(counts), sum(odds)
    return math.fsum(
        dice * odd / shares * _bend((shares * count - dice * odd) / (dice * odd))
        for count, odd in zip(counts, odds, strict=True)
    )


def _bend(x: float) -> float:
    """(1 + x) log(1 + x) - x, for x of -1 or more."""
    if x == -1:
        return 1.0
    if abs(x) < 0.1:
        return math.fsum((-x) ** power / (power * (power - 1)) for power in range(2, 20))
    return (1 + x) * math.log1p(x) - x


def _stirling_rest(x: float) -> float:
    """What Stirling's formula leaves of log(gamma(x)), x > 0 (Abramowitz and Stegun 6.1.41)."""
    if x < 10:
        return math.lgamma(x) - (x - 0.5) * math.log(x) + x - math.log(math.tau) / 2
    over = 1 / x**2
    return (
        1 / 12 - over * (1 / 360 - over * (1 / 1260 - over * (1 / 1680 - over * (1 / 1188 - over * 691 / 360360))))
    ) / x
