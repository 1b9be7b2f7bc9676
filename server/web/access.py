"""The bartender's PIN and the sessions that it opens: kept as hashes, in files that only their owner may read."""

import hashlib
import hmac
import json
import os
import re
import secrets
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from vision.files import becoming

LEAST_DIGITS = 6
MOST_DIGITS = 32
SESSION_S = 16 * 3600
"""How long a session lasts: an evening."""
SESSIONS = 32
"""Most sessions at a time; the oldest gives way."""
DEVICE_S = 366 * 86_400
"""How long a device that gave the right PIN once is known."""
DEVICES = 32
"""Most known devices; the oldest gives way."""
FREE_TRIES = 5
"""So many wrong PINs an address has before it must wait, twice as long each time."""
TRIES_AN_ADDRESS = 10
"""So many wrong PINs an address, or a known device, has in an hour: a third of what all addresses have together."""
LONGEST_WAIT_S = 3600
TRIES_AN_HOUR = 30
"""So many wrong PINs there may be from all addresses: six digits then hold for a mean of 1.9 years.

A known device has its own tries beside these: guests who use them all up do not keep the bartender out.
"""

# 16 MiB and some 0.2 s: the work that OWASP's password storage sheet asks of scrypt.
_COST: dict[str, int] = {"n": 2**14, "r": 8, "p": 5}


class BadPin(ValueError):
    """A PIN that cannot be set; the message says what it must be."""


class WrongPin(ValueError):
    """Not the PIN."""


class Wait(RuntimeError):
    """Too many wrong PINs; `seconds` until the next one is looked at."""

    def __init__(self, seconds: float) -> None:
        self.seconds = max(1, int(-(-seconds // 1)))
        super().__init__(f"Too many wrong PINs: try again in {self.seconds} s, or use the device itself.")


class Busy(Wait):
    """Another PIN is being looked at just now."""

    def __init__(self) -> None:
        self.seconds = 1
        RuntimeError.__init__(self, "Another PIN is being looked at: try again in a second.")


class Access:
    """The PIN of one data directory, and who has given it.

    The PIN lies in the file `pin`, so that the command line can set it while the cornet runs; the sessions lie in
    `sessions`, each bound to the PIN that opened it, and survive a restart, and so do the known devices in `devices`.
    `now` is in seconds since 1970.
    """

    def __init__(self, directory: Path, now: Callable[[], float] = time.time) -> None:
        self._pin, self._sessions, self._devices = (directory / name for name in ("pin", "sessions", "devices"))
        self._now = now
        self._lock = threading.Lock()
        self._checking = threading.Lock()
        self.brake = Brake(now)

    @property
    def is_set(self) -> bool:
        """Whether there is a PIN; without one only the console leads."""
        return bool(_read(self._pin))

    def set_pin(self, pin: str) -> None:
        """Make this the PIN, and its directory where it is missing; every session ends.

        BadPin if it is not LEAST_DIGITS to MOST_DIGITS digits; then nothing is made.
        """
        if not re.fullmatch(f"[0-9]{{{LEAST_DIGITS},{MOST_DIGITS}}}", pin):
            raise BadPin(f"A PIN has {LEAST_DIGITS} to {MOST_DIGITS} digits and nothing else.")
        salt = secrets.token_bytes(16)
        self._pin.parent.mkdir(parents=True, exist_ok=True)
        _write(self._pin, {"salt": salt.hex(), "hash": _hash(pin, salt)})

    def log_in(self, pin: str, address: str | None, device: str = "") -> str:
        """The secret of a new session; WrongPin, or Wait where too many tries were wrong or another one is looked at.

        Without an address, as at the console, nothing is slowed. The secret of a known `device` is slowed by itself.
        """
        # One check at a time, each takes 16 MiB; a guest does not wait for it in a thread that others need.
        if not self._checking.acquire(blocking=address is None):
            raise Busy
        try:
            known = f"device {hashed(device)}" if self.knows(device) else None
            if address is not None:
                self.brake.begin(known or address, shared=known is None)
            if not _is_pin(pin, _read(self._pin)):
                raise WrongPin("That is not the PIN.")
            if address is not None:
                self.brake.forgive(known or address)
            return self.open_session()
        finally:
            self._checking.release()

    def know(self) -> str:
        """The secret of a device that has given the right PIN, of 128 bits; only its hash is kept."""
        secret = secrets.token_hex(16)
        with self._lock:
            devices = _latest(_lasting(self._devices), self._now(), DEVICES - 1)
            _write(self._devices, {**devices, hashed(secret): {"ends": self._now() + DEVICE_S}})
        return secret

    def knows(self, device: str) -> bool:
        """Whether this is the secret of a known device."""
        return bool(device) and hashed(device) in _latest(_lasting(self._devices), self._now(), DEVICES)

    def open_session(self) -> str:
        """The secret of a new session, of 128 bits; only its hash is kept."""
        secret = secrets.token_hex(16)
        with self._lock:
            sessions = _latest(self._valid(), self._now(), SESSIONS - 1)
            sessions[hashed(secret)] = {"ends": self._now() + SESSION_S, "pin": _read(self._pin).get("salt")}
            _write(self._sessions, sessions)
        return secret

    def is_open(self, secret: str) -> bool:
        """Whether this is the secret of a session that has not ended."""
        return bool(secret) and hashed(secret) in self._valid()

    def close_session(self, secret: str) -> None:
        """End a session."""
        with self._lock:
            sessions = self._valid()
            if sessions.pop(hashed(secret), None):
                _write(self._sessions, sessions)

    def _valid(self) -> dict[str, dict[str, Any]]:
        salt, now = _read(self._pin).get("salt"), self._now()
        found = _lasting(self._sessions)
        return {
            name: kept for name, kept in found.items() if kept.get("pin") == salt is not None and kept["ends"] > now
        }


class Brake:
    """Slows whoever guesses, by address and in all; every try counts as wrong until it is forgiven."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._lock = threading.Lock()
        self._tries: list[tuple[float, str, bool]] = []  # when, who, and whether all addresses share it

    def begin(self, address: str, *, shared: bool = True) -> None:
        """Count a try; Wait where it comes too soon, and then it is not counted."""
        now = self._now()
        with self._lock:
            # A clock that was set back must lock nobody out.
            self._tries = [each for each in self._tries if 0 <= now - each[0] < 3600]
            mine = [at for at, who, _ in self._tries if who == address]
            all_shared = [at for at, _, among_all in self._tries if among_all]
            if len(mine) >= FREE_TRIES:
                pause = min(2.0 ** (len(mine) - FREE_TRIES + 1), LONGEST_WAIT_S)
                if now < mine[-1] + pause:
                    raise Wait(mine[-1] + pause - now)
            for tries, most in ((mine, TRIES_AN_ADDRESS), (all_shared if shared else [], TRIES_AN_HOUR)):
                if len(tries) >= most:
                    raise Wait(tries[-most] + 3600 - now)
            self._tries.append((now, address, shared))

    def forgive(self, address: str) -> None:
        """The PIN was right: what the address tried before is forgotten."""
        with self._lock:
            self._tries = [each for each in self._tries if each[1] != address]

    @property
    def wrong(self) -> int:
        """How many wrong PINs the last hour has seen."""
        now = self._now()
        with self._lock:
            return sum(0 <= now - at < 3600 for at, _, _ in self._tries)


def hashed(secret: str) -> str:
    """What is kept of a secret of 128 bits: its SHA-256, which nobody turns back."""
    return hashlib.sha256(secret.encode()).hexdigest()


def _hash(pin: str, salt: bytes) -> str:
    return hashlib.scrypt(pin.encode(), salt=salt, dklen=32, **_COST).hex()


def _read(path: Path) -> dict[str, Any]:
    """What the file holds; nothing where there is none that can be read, and nothing opens no door."""
    try:
        # Whoever opens a pipe may wait for ever.
        found = json.loads(path.read_text("ascii")) if path.is_file() else {}
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _is_pin(pin: str, kept: dict[str, Any]) -> bool:
    """Whether this is the PIN of which that is kept; what is damaged is nobody's."""
    salt, digest = kept.get("salt"), kept.get("hash")
    if not isinstance(salt, str) or not re.fullmatch("([0-9a-f]{2})+", salt) or not isinstance(digest, str):
        return False
    return hmac.compare_digest(_hash(pin, bytes.fromhex(salt)).encode(), digest.encode())


def _lasting(path: Path) -> dict[str, dict[str, Any]]:
    """What of a file says when it ends; the rest is damaged."""
    return {
        name: kept
        for name, kept in _read(path).items()
        if isinstance(kept, dict) and isinstance(kept.get("ends"), (int, float))
    }


def _latest(kept: dict[str, dict[str, Any]], now: float, most: int) -> dict[str, dict[str, Any]]:
    """What has not ended; of more than so many, those that end last."""
    lasting = sorted((name for name in kept if kept[name]["ends"] > now), key=lambda name: float(kept[name]["ends"]))
    return {name: kept[name] for name in lasting[-most:]}


def _write(path: Path, content: dict[str, Any]) -> None:
    """Replace the file as a whole, readable by its owner alone."""
    partial = path.with_name(f"{path.name}.{secrets.token_hex(4)}")
    with open(partial, "xb", opener=lambda name, how: os.open(name, how, 0o600)) as file, becoming(path, file):
        if os.geteuid() == 0:
            # Set by root for the service, it must be the service's to read.
            owner = path.parent.stat()
            os.fchown(file.fileno(), owner.st_uid, owner.st_gid)
        file.write(json.dumps(content).encode("ascii"))
