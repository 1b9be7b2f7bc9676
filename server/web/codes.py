"""Join codes, which change every minute: whoever has one has seen the bar's own screen."""

import hmac
import secrets
import time
from collections.abc import Callable

CODE_S = 60.0
"""How long a code is shown, in seconds."""
CODES = 3
"""So many codes are taken, the newest ones: there is time to scan one and to type a name."""
_LETTERS = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"
"""Those that nobody takes for another."""
_LETTERS_A_CODE = 6


class Codes:
    """The join codes of one start: they follow from a secret and the time. `now` is in seconds."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._secret, self._now = secrets.token_bytes(32), now

    def newest(self) -> str:
        """The code that is shown now."""
        return self._code(0)

    def takes(self, code: str) -> bool:
        """Whether this is one of the newest codes, in whatever letters it was typed."""
        typed = code.strip().upper().encode()
        return any(hmac.compare_digest(typed, self._code(age).encode()) for age in range(CODES))

    def _code(self, age: int) -> str:
        drawn = hmac.digest(self._secret, str(int(self._now() / CODE_S) - age).encode(), "sha256")
        return "".join(_LETTERS[byte % len(_LETTERS)] for byte in drawn[:_LETTERS_A_CODE])
