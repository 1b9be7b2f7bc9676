"""Keeping a calibration: what is in force, what was before, and the pictures that each step came from."""

import hashlib
import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path

from calibration.motor import FILE as MACHINE
from calibration.motor import Motor, parse_motor
from firmware.settings import TowerSettings
from vision.files import read_file, write_safely
from vision.tray import FILE, BadTray, Tray, parse_tray, read_tray, text_of

FOLDER = "calibration"
_PARTS = ("lens", "floor", "light", "dice")  # of a tray


def tray_file(sha256: str) -> str:
    """Where a calibration that throws were read by is kept, as a path in the data directory."""
    return f"{FOLDER}/{sha256}.toml"


def kept_tray(sha256: str, file: Callable[[str], bytes | None]) -> Tray:
    """A calibration that throws were read by, out of the files of a data directory; BadTray where it is not there."""
    data = file(tray_file(sha256)) if re.fullmatch("[0-9a-f]{64}", sha256) else None
    if data is None:
        raise BadTray(f"the calibration {sha256[:8]} that it was read by is not there")
    if hashlib.sha256(data).hexdigest() != sha256:
        raise BadTray(f"the calibration {sha256[:8]} that it was read by has been changed")
    try:
        return _parsed(data.decode())
    except UnicodeDecodeError:
        raise BadTray(f"the calibration {sha256[:8]} that it was read by is no text") from None


@lru_cache(maxsize=4)
def _parsed(text: str) -> Tray:
    return parse_tray(text)


class NothingBefore(ValueError):
    """There is no earlier calibration to go back to."""


class Keeper:
    """The calibration of a data directory. Whatever interrupts a step, the last good calibration stays in force."""

    def __init__(self, directory: Path) -> None:
        self.path, self.machine = directory / FILE, directory / MACHINE
        self._folder = directory / FOLDER

    def current(self) -> Tray:
        """The calibration in force, an empty one where there is none; BadTray where the file is damaged."""
        return read_tray(self.path) if self.path.exists() else Tray()

    def sha256s(self) -> dict[str, str | None]:
        """What is in force, as a boot tells it: the hash of each file in hexadecimal, None where none can be read."""
        return {"calibration_sha256": _sha256(self.path), "machine_sha256": _sha256(self.machine)}

    def dice_set(self) -> str | None:
        """The name of the set of dice, also while the floor is to be calibrated again; None where nobody knows it."""
        try:
            dice = self.current().dice
        except BadTray:
            return None
        return dice.name if dice else None

    def in_force(self) -> Tray | None:
        """The calibration that throws are to be read by; None before the floor's, BadTray where the file is damaged."""
        tray = self.current()
        return None if tray.floor is None else tray

    def keep_for_audit(self, tray: Tray) -> None:
        """Store the calibration that throws are read by under its hash."""
        path = self.path.parent / tray_file(tray.sha256)
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            write_safely(path, tray.text.encode())

    def keep_pictures(self, jpegs: Sequence[bytes]) -> tuple[str, ...]:
        """Store the pictures that a step comes from under their own SHA-256; the hashes in hexadecimal."""
        self._folder.mkdir(parents=True, exist_ok=True)
        names = tuple(hashlib.sha256(jpeg).hexdigest() for jpeg in jpegs)
        for name, jpeg in zip(names, jpegs, strict=True):
            if not (self._folder / f"{name}.jpg").exists():
                write_safely(self._folder / f"{name}.jpg", jpeg)
        return names

    def drawing(self, step: str, *, refused: bool = False) -> Path:
        """Where that is kept which a step shows a person: what it found, or why it found nothing."""
        return self._folder / (f"{step}-refused.jpg" if refused else f"{step}.jpg")

    def keep_drawing(self, step: str, jpeg: bytes, *, refused: bool = False) -> Path:
        """Store what a step shows a person, in place of what it showed before; its path."""
        self._folder.mkdir(parents=True, exist_ok=True)
        path = self.drawing(step, refused=refused)
        write_safely(path, jpeg)
        return path

    def motor(self) -> Motor | None:
        """The motor as it was measured, None where it never was; BadTray where the machine file is damaged."""
        if not self.machine.exists():
            return None
        try:
            text = text_of(self.machine)
            return parse_motor(text) if text else None
        except (OSError, BadTray) as error:
            reason = error.strerror if isinstance(error, OSError) else error
            raise BadTray(
                f"{self.machine} is no machine file ({reason}): take it away, then measure with cornet calibrate motor."
            ) from None

    def made(self) -> dict[str, str]:
        """When each part was made that there is, the motor last; BadTray where a file is damaged."""
        tray = self.current()
        parts = {**{name: getattr(tray, name) for name in _PARTS}, "motor": self.motor()}
        return {name: part.made.at for name, part in parts.items() if part is not None}

    def adjust(self, settings: TowerSettings) -> TowerSettings:
        """What a real tower moves by: the settings with what was measured in place of what was given.

        BadTray where the machine file is damaged.
        """
        motor = self.motor()
        return motor.adjust(settings) if motor else settings

    def put_in_force(self, tray: Tray) -> None:
        """Replace the calibration; the one before is kept first, so that it can be undone."""
        self._replace(self.path, tray.text, Tray().text)

    def put_motor_in_force(self, motor: Motor) -> None:
        """Replace the machine file in the same way."""
        self._replace(self.machine, motor.text, "")

    def undo(self) -> str | None:
        """Go back to the calibration, or machine file, before the last step; which part that was, as `undoes` says it.

        NothingBefore where there is none.
        BadTray, and nothing is undone, where the other of the two files is damaged: what is in force is both.
        """
        before = self._before()
        if not before:
            raise NothingBefore("There is no earlier calibration to go back to.")
        last, step = before[-1], self.undoes()
        path = self.machine if last.name.startswith(self.machine.stem) else self.path
        try:
            text = last.read_text("utf-8")
            if path == self.path:
                parse_tray(text)
            elif text:
                parse_motor(text)
        except (OSError, ValueError) as error:
            raise NothingBefore(f"The earlier calibration {last} cannot be used: {error}") from None
        if path == self.path:
            self.motor()
        else:
            self.current()
        # A crash between these two lines leaves the same calibration in force and kept: undoing again does no harm.
        write_safely(path, text.encode())
        last.unlink()
        if step is not None:
            self.drawing(step).unlink(missing_ok=True)  # it shows what is undone
        return step

    def undoes(self) -> str | None:
        """Which part an undo would bring back: `motor`, or one of the tray's; None where there is nothing to undo."""
        before = self._before()
        if not before:
            return None
        if before[-1].name.startswith(self.machine.stem):
            return "motor"
        try:
            then, now = read_tray(before[-1]), self.current()
        except BadTray:
            return None
        return next((name for name in _PARTS if getattr(then, name) != getattr(now, name)), None)

    def _replace(self, path: Path, text: str, empty: str) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        before = self._before()
        number = int(before[-1].stem.rpartition("-")[2]) + 1 if before else 1
        kept = path.read_bytes() if path.exists() else empty.encode()
        write_safely(self._folder / f"{path.stem}-{number:06d}.toml", kept)
        write_safely(path, text.encode())

    def _before(self) -> list[Path]:
        """What can be gone back to, the oldest first: both files in one row of numbers."""
        # Of six digits and no more: beside them may lie what somebody copied by hand.
        names = (f"{path.stem}-{6 * '[0-9]'}.toml" for path in (self.path, self.machine))
        return sorted((path for name in names for path in self._folder.glob(name)), key=lambda path: path.stem[-6:])


def _sha256(path: Path) -> str | None:
    try:
        return hashlib.sha256(read_file(path)).hexdigest()
    except OSError:
        return None
