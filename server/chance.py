"""Commit and reveal: simulated dice are drawn from seeds that were promised before and are shown afterwards."""

import hashlib
import hmac
import secrets
from collections.abc import Callable
from pathlib import Path

from firmware.draws import Draws
from vision.files import write_safely


class SeedLost(OSError):
    """A seed that was promised is not there; the message names it."""


class Chance:
    """The seeds of a simulated tower, each in a file of its own from its promise until it has been revealed.

    `deal` makes the tower's next tumble draw from a seed, as its throw of that number; None where real or recorded
    dice are looked at, so that what was promised before can still be revealed. With `said`, a number from the command
    line, the same seeds come again.
    """

    def __init__(self, directory: Path, deal: Callable[[bytes, int], None] | None, said: int | None) -> None:
        self._folder, self._deal, self._said = directory / "seeds", deal, said

    @property
    def deals(self) -> bool:
        """Whether the dice are drawn from these seeds."""
        return self._deal is not None

    @property
    def said(self) -> bool:
        """Whether the seeds follow from a number that somebody gave."""
        return self._said is not None

    def promise(self, number: int) -> str:
        """A fresh seed, the log's number so many, stored; its SHA-256 in hexadecimal."""
        if self._said is None:
            seed = secrets.token_bytes(32)
        else:
            seed = hmac.digest(str(self._said).encode(), f"seed:{number}".encode(), "sha256")
        promised = hashlib.sha256(seed).hexdigest()
        self._folder.mkdir(mode=0o700, exist_ok=True)
        write_safely(self._folder / promised, seed)
        return promised

    def keeps(self, promised: str) -> bool:
        """Whether the seed of this promise is still there."""
        try:
            self._read(promised)
        except SeedLost:
            return False
        return True

    def deal(self, promised: str, number: int) -> None:
        """Let the next tumble draw from the promised seed."""
        if self._deal is not None:
            self._deal(self._read(promised), number)

    def reveal(self, promised: str) -> str:
        """The promised seed, in hexadecimal."""
        return self._read(promised).hex()

    def forget(self, promised: str | None) -> None:
        """Remove every stored seed but the one that is promised now."""
        for path in self._folder.iterdir() if self._folder.is_dir() else ():
            if path.name != promised:
                path.unlink()

    def _read(self, promised: str) -> bytes:
        try:
            seed = (self._folder / promised).read_bytes()
        except OSError as error:
            raise SeedLost(f"The promised seed {promised[:8]} cannot be read ({error.strerror}).") from None
        if not keeps_promise(seed.hex(), promised):
            raise SeedLost(f"The promised seed {promised[:8]} is not what was stored.")
        return seed


def keeps_promise(seed: str, promised: str) -> bool:
    """Whether this is the seed, in hexadecimal, whose SHA-256 was promised."""
    return hashlib.sha256(bytes.fromhex(seed)).hexdigest() == promised


def drawn(seed: str, number: int, dice: int) -> list[int]:
    """The faces of so many dice that a seed draws as its throw of that number."""
    draws = Draws(bytes.fromhex(seed), number)
    return [draws.face() for _ in range(dice)]
