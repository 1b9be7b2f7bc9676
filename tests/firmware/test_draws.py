"""What a seed decides: faces that are fair."""

from collections import Counter

from firmware.draws import Draws


def test_faces_are_fair() -> None:
    counts = Counter(Draws(b"fair", throw).face() for throw in range(60_000))
    chi2 = sum((counts[face] - 10_000) ** 2 / 10_000 for face in range(1, 7))
    assert chi2 < 20.5  # 5 degrees of freedom, 0.1 %
