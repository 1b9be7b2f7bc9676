"""One step of calibration, from its pictures to what is in force: the same for the command line and for the page."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, Protocol

from calibration.enrolment import FLOOR_FIRST, NotEnrolled, check_told
from calibration.keeping import Keeper
from calibration.lens import board_seen, draw_board
from calibration.motor import NotMeasured, calibrate_motor
from calibration.steps import REFUSALS, STEPS, Asked
from firmware.dimensions import size
from firmware.settings import TowerSettings
from firmware.survey import Survey
from server.settings import Settings, lock_lines
from vision.annotate import annotate
from vision.camera import CameraLost
from vision.picam import Locks
from vision.picture import Image, decode, encode_jpeg
from vision.reader import read
from vision.rig import Rig
from vision.tray import Made

BOARD = "Move the board."
NAMES = (*STEPS, "motor")
"""The steps, best in this order."""
NAMED = "Here the dice count by name: give each die its name."
AGAIN = 5
"""So many pictures of a step may be unusable and are taken anew: about one throw in twenty leaves a die that leans."""


_AXIS = r"[0-9]{1,3}([.,][0-9]{1,3})?"
_DEGREES = r"-?[0-9]{1,2}([.,][0-9]{1,3})?"


def axes_mm(text: str) -> tuple[float, ...]:
    """The axes of dice by callipers, as people write them; ValueError if they are none.

    Where blanks or semicolons part them a comma may stand for the point.
    """
    parts = re.split(r"\s*;\s*|,?\s+", text.strip())
    axes = parts if len(parts) > 1 else text.split(",")
    if not all(re.fullmatch(_AXIS, axis) for axis in axes):
        raise ValueError(f"{text!r:.60} is no list of millimetres, as in 16.01,16.00,15.99 or 16,01 16,00 15,99.")
    return tuple(float(axis.replace(",", ".")) for axis in axes)


def degrees(text: str) -> float:
    """An angle as people write it; ValueError if it is none."""
    if not re.fullmatch(_DEGREES, text):
        raise ValueError(f"{text!r:.60} is no number of degrees, as in -2.5.")
    return float(text.replace(",", "."))


class Measurable(Protocol):
    """A real tower, as far as calibration asks it."""

    def survey(self) -> Survey: ...
    def adopt(self, settings: TowerSettings) -> None: ...
    def tumble(self) -> None: ...


def _nothing() -> None:
    """Nothing of ours throws these dice, or nothing of this camera can be locked."""


@dataclass(frozen=True, slots=True)
class Sight:
    """Where a step gets its pictures from."""

    take: Callable[[], Image]  # the next picture; CameraLost where it does not come
    throw: Callable[[], None] = _nothing  # makes the dice lie anew
    tower: Measurable | None = None  # that the pictures are taken in; None where it is simulated
    locks: Callable[[], Locks | None] = _nothing  # what the camera has found of itself, where it may be locked to that
    simulated: bool = False


def no_sight(step: str) -> Sight:
    """Of a cornet without a camera: CameraLost."""
    raise CameraLost("This cornet has no camera of its own: start it with one to calibrate it.")


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a step is told besides its pictures."""

    dice_set: str = ""  # the name of the set; empty: as the one in force
    names: tuple[str, ...] = ()  # of the dice
    axes_mm: tuple[float, ...] = ()  # of the dice, by callipers
    level_deg: float = 0.0  # what a level on the floor shows, above 0 where the cone turned too far


@dataclass(frozen=True, slots=True)
class Came:
    """What came of a step."""

    step: str
    done: bool
    message: str  # a sentence for people
    picture: Path | None = None
    figures: dict[str, float] = field(default_factory=dict)
    simulated: bool = False  # by pictures of a cornet that there is not


Pause = Callable[[], None]
Tell = Callable[[int, int, str], None]
"""Is told how many pictures of how many are taken, and what somebody should know or do, empty if nothing."""


def pictures_by(
    sight: Sight, step: str, settings: Settings, wanted: Wanted, keeper: Keeper, tell: Tell, pause: Pause
) -> list[bytes]:
    """As many pictures as a step needs; of those that it could not use, the last is shown and others are taken.

    `pause` gives somebody the time to do what he was told. NotEnrolled where another step must be done before.
    """
    return list(_pictures(sight, step, settings.dice, wanted, keeper, tell, pause))


def _pictures(
    sight: Sight, step: str, dice: int, wanted: Wanted, keeper: Keeper, tell: Tell, pause: Pause
) -> Iterator[bytes]:
    if step == "dice":
        # Before anything is thrown for it.
        if keeper.current().floor is None:
            raise NotEnrolled(FLOOR_FIRST)
        check_told(wanted.names, wanted.axes_mm, dice)
    number, again, do = STEPS[step][1], AGAIN, ""
    for taken in range(number):
        while True:
            tell(taken, number, do)
            # Dice with names lie in their order in the first picture, put there by hand.
            if step == "dice" and not (wanted.names and not taken):
                sight.throw()
            if do:
                pause()
            jpeg = encode_jpeg(sight.take())
            reason, drawing = _useless(step, decode(jpeg), dice)
            do = reason or (BOARD if step == "lens" else "")
            if not reason or not again:
                break
            again -= 1
            keeper.keep_drawing(step, encode_jpeg(drawing), refused=True)
        yield jpeg
    tell(number, number, "")


def _useless(step: str, image: Image, dice: int) -> tuple[str, Image]:
    """Why a picture is of no use for its step, empty if it is, and what shows that."""
    if step == "dice":
        reading = read(image, dice)
        return "" if reading.ok else f"{reading.message} Another throw.", annotate(image, reading)
    if step == "lens" and not board_seen(image):
        return "The board is not seen: hold all of it into the picture.", draw_board(image)
    return "", image


def carry_out(step: str, jpegs: Iterable[bytes], keeper: Keeper, settings: Settings, wanted: Wanted) -> Came:
    """A step of pictures; where it cannot be done, what was in force stays so. BadTray where that is damaged."""
    jpegs = list(jpegs)
    tray = keeper.current()
    dice_set = wanted.dice_set or (tray.dice.name if tray.dice else "dice")
    asked = Asked(Rig.of(size), settings.dice, dice_set, wanted.names, wanted.axes_mm)
    try:
        done = STEPS[step][0]([decode(jpeg) for jpeg in jpegs], tray, asked, _made(keeper, jpegs))
    except REFUSALS as refusal:
        return Came(step, False, str(refusal), keeper.keep_drawing(step, jpegs[0], refused=True))
    drawing = keeper.keep_drawing(step, encode_jpeg(done.drawing))
    if done.tray != tray:
        keeper.put_in_force(done.tray)
    return Came(step, True, done.message, drawing, _rounded(done.figures))


def with_locks(came: Came, sight: Sight) -> Came:
    """What came of the focus, and what to write into the settings, so that a camera without locks keeps to it.

    CameraLost where light or focus do not come to rest.
    """
    locks = sight.locks() if came.done and came.step == "focus" else None
    if locks is None:
        return came
    lines = ", ".join(f"{name} = {value}" for name, value in _rounded(lock_lines(locks)).items())
    message = f"{came.message} So that the camera keeps to it and to this light, write into the settings: {lines}."
    return replace(came, message=message)


def measure(sight: Sight, keeper: Keeper, settings: Settings, wanted: Wanted, tell: Tell) -> Came:
    """The step of the motor: measuring turns, then a throw by what they found, then a picture of the floor at rest.

    TowerFault or CameraLost where tower or camera fail, Interrupted where somebody stops it; what was in force then
    stays so.
    """
    tower = sight.tower
    if tower is None:
        return Came("motor", False, "The tower is simulated: only a real one has a motor to calibrate.")
    usual = keeper.adjust(settings.tower)
    tower.adopt(usual)
    try:
        tell(0, 2, "The cone turns: keep away from it.")
        survey = tower.survey()
        tower.adopt(calibrate_motor(survey, usual, wanted.level_deg, _made(keeper, ())).adjust(usual))
        tell(1, 2, "It throws once by what was found.")
        tower.tumble()
        jpeg = encode_jpeg(sight.take())
        motor = calibrate_motor(survey, usual, wanted.level_deg, _made(keeper, [jpeg]))
        drawing = keeper.keep_drawing("motor", jpeg)
        keeper.put_motor_in_force(motor)
    except NotMeasured as refusal:
        tower.adopt(usual)
        return Came("motor", False, str(refusal))
    except BaseException:
        # Where somebody stopped it, too: nothing moves by figures that are not in force.
        tower.adopt(usual)
        raise
    message = (
        f"A turn has {motor.edges_per_turn} edges and takes {motor.turn_s:.2f} s at {motor.running_a:.2f} A; the floor "
        f"is taken to be level {motor.park_deg:.1f} degrees behind the home mark: lay a level on it."
    )
    names = ("edges_per_turn", "running_a", "jam_a", "turn_s", "park_deg")
    figures = _rounded({name: getattr(motor, name) for name in names})
    return Came("motor", True, message, drawing, figures)


def _made(keeper: Keeper, jpegs: Iterable[bytes]) -> Made:
    now = datetime.now(UTC).isoformat(timespec="seconds")
    return Made(now, version("cornet"), keeper.keep_pictures(list(jpegs)))


def _rounded(figures: dict[str, Any]) -> dict[str, float]:
    return {name: round(value, 4) for name, value in figures.items()}
