"""Random numbers that can be drawn again: how the cone tumbles, and what simulated dice show."""

import hmac
from collections.abc import Iterator
from itertools import count


class Draws:
    """Random numbers that a seed decides and anybody can draw again: HMAC-SHA256 of "throw:block"."""

    def __init__(self, seed: bytes, throw: int) -> None:
        self._bytes = self._stream(seed, throw)

    @staticmethod
    def _stream(seed: bytes, throw: int) -> Iterator[int]:
        for block in count():
            yield from hmac.digest(seed, f"{throw}:{block}".encode(), "sha256")

    def face(self) -> int:
        """1 to 6, each as likely as the others."""
        # 252 is the largest multiple of 6 in a byte; the rest would favour 1 to 4 by 0.13 points of a hundred.
        return next(byte for byte in self._bytes if byte < 252) % 6 + 1

    def share(self) -> float:
        """From 0 up to, not including, 1."""
        return int.from_bytes(bytes(next(self._bytes) for _ in range(6)), "big") / 2**48
