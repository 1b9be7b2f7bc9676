"""What a seed decides: faces that are fair, and that anybody can draw again."""

import hashlib
import hmac
from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from firmware.draws import Draws


def test_faces_are_fair() -> None:
    counts = Counter(Draws(b"fair", throw).face() for throw in range(60_000))
    chi2 = sum((counts[face] - 10_000) ** 2 / 10_000 for face in range(1, 7))
    assert chi2 < 20.5  # 5 degrees of freedom, 0.1 %


def drawn(seed: bytes, throw: int) -> bytes:
    """The first 256 bytes of a throw, as whoever has read how it is done reckons them."""
    blocks = (hmac.new(seed, f"{throw}:{block}".encode(), hashlib.sha256).digest() for block in range(8))
    return b"".join(blocks)


@settings(deadline=None)
@given(seed=st.binary(max_size=80), throw=st.integers(0, 2**40))
def test_the_faces_of_a_throw_are_its_bytes_without_those_that_would_favour_some(seed: bytes, throw: int) -> None:
    """Of 252 bytes each face has 42; four faces would have one more of 256."""
    faces = [byte % 6 + 1 for byte in drawn(seed, throw) if byte < 252]
    draws = Draws(seed, throw)
    assert [draws.face() for _ in faces] == faces


@settings(deadline=None)
@given(seed=st.binary(max_size=80), throw=st.integers(0, 2**40))
def test_a_share_is_six_bytes_and_less_than_one(seed: bytes, throw: int) -> None:
    told, draws = drawn(seed, throw), Draws(seed, throw)
    shares = [draws.share() for _ in range(40)]
    assert shares == [int.from_bytes(told[at : at + 6], "big") / 2**48 for at in range(0, 240, 6)]
    assert all(0 <= share < 1 for share in shares)
