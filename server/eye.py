"""How the table looks at the dice: through a camera and the reader, or straight at simulated ones."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from firmware.dimensions import size
from firmware.simulated import Lying
from vision.camera import Camera, Frame
from vision.picture import Image, decode, encode_jpeg
from vision.placing import body_colour
from vision.reader import read, warm
from vision.reading import Die, Reading, Verdict
from vision.rest import await_rest
from vision.tray import Tray
from vision.verdicts import LEANS, ON_ANOTHER

REST_S = 5.0
"""Longest wait for the dice to come to rest, in seconds."""


@dataclass(frozen=True, slots=True)
class Seen:
    """One look at the dice."""

    reading: Reading
    jpeg: bytes | None = None  # the very picture that was read
    size: tuple[int, int] | None = None  # its width and height in pixels
    source: str = ""  # the file of a recorded picture
    again: bool = False  # whether the recorded pictures have begun again with this one
    tray: str = ""  # SHA-256 of the calibration it was read by
    bodies: tuple[str, ...] = ()  # the colour of each die's body as the picture shows it, "#rrggbb"; empty without one


class Eye(Protocol):
    """Something that looks at the dice after a tumble."""

    @property
    def recorded(self) -> int:
        """How many recorded pictures it looks through, each a throw of its own; 0 where it sees the floor itself."""

    @property
    def lost(self) -> str:
        """Why nothing can be seen now, as a sentence; empty while all is well."""

    def settle(self) -> Any:
        """Wait until the dice are at rest; what `look` needs to go on."""

    def look(self, settled: Any) -> Seen:
        """Read what lies there."""

    def close(self) -> None:
        """Let go of the camera; as often as you like."""


class CameraEye:
    """Sees through a camera: the picture is encoded first, and the reader reads what was stored."""

    def __init__(
        self, camera: Camera, dice: int, tray: Tray | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._camera = camera
        self._clock = clock
        self._tray = tray
        self._dice = dice
        self._loaded = 0
        self.recorded = camera.recorded

    def warm(self) -> None:
        """Read nothing once: what reads is loaded then, and the first throw does not wait for it."""
        warm()

    def adopt(self, tray: Tray | None) -> None:
        """Read by this calibration from now on."""
        self._tray = tray

    def load(self, dice: int) -> None:
        """Expect just so many dice from now on."""
        self._loaded = dice

    @property
    def lost(self) -> str:
        """What the camera says of itself."""
        return self._camera.lost

    def settle(self) -> tuple[Frame, bool]:
        """Frames until the scene is at rest; a recorded picture is at rest as it is."""
        if self.recorded:
            return self._camera.frame(REST_S), True
        return await_rest(self._camera, REST_S, self._clock)

    def look(self, settled: tuple[Frame, bool]) -> Seen:
        """Encode the picture, read what the stored bytes show."""
        frame, still = settled
        jpeg = encode_jpeg(frame.image)
        image = decode(jpeg)
        expected = self._loaded or (frame.count if self.recorded else self._dice)
        reading = read(image, expected, self._tray)
        if not still:
            message = "The dice were still moving when the time was up."
            reading = Reading(Verdict.NOT_SETTLED, message, expected, reading.dice)
        height, width = image.shape[:2]
        calibration = self._tray.sha256 if self._tray else ""
        bodies = tuple(_body(die, image) for die in reading.dice)
        return Seen(reading, jpeg, (width, height), frame.source, frame.again, calibration, bodies)

    def glimpse(self) -> Image:
        """What the camera sees now, for a person to look at; CameraLost where it gives nothing."""
        return self._camera.frame(REST_S).image

    def close(self) -> None:
        """Close the camera."""
        self._camera.close()


def _body(die: Die, image: Image) -> str:
    blue, green, red = body_colour(die, image, 1.0)
    return f"#{round(red):02x}{round(green):02x}{round(blue):02x}"


class BlindEye:
    """Sees no picture: takes the faces of simulated dice straight from the simulated tower."""

    recorded = 0
    lost = ""

    def __init__(self, lying: Callable[[], Sequence[Lying]], dice: int) -> None:
        self._lying = lying
        self._dice = dice

    def load(self, dice: int) -> None:
        """Expect just so many dice from now on."""
        self._dice = dice

    def settle(self) -> None:
        """Simulated dice are at rest when the tower is."""

    def look(self, settled: None) -> Seen:
        """The faces as they were drawn, and a verdict where the dice do not all lie flat."""
        lying, floor_mm, side_mm = self._lying(), size("floor_diameter_mm"), size("die_side_mm")
        dice = tuple(
            Die(
                face=die.face,
                x_px=floor_mm / 2 + die.x_mm,
                y_px=floor_mm / 2 - die.y_mm,
                box=(round(floor_mm / 2 + die.x_mm), round(floor_mm / 2 - die.y_mm), round(side_mm), round(side_mm)),
                margin=1.0,
                x_mm=die.x_mm,
                y_mm=die.y_mm,
            )
            for die in lying
        )
        verdict, message = Verdict.OK, f"{len(dice)} dice lie flat."
        if any(die.z_mm > side_mm for die in lying):
            verdict, message = Verdict.STACKED, ON_ANOTHER
        elif any(die.face is None for die in lying):
            verdict, message = Verdict.COCKED, LEANS
        elif len(dice) != self._dice:
            verdict, message = Verdict.WRONG_COUNT, f"I see {len(dice)} dice, there must be {self._dice}."
        return Seen(Reading(verdict, message, self._dice, dice), size=(round(floor_mm), round(floor_mm)))

    def close(self) -> None:
        """There is nothing to close."""
