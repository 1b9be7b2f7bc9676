"""The steps of calibration: each takes pictures and gives a better calibration, or a reason why not."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import cv2
import numpy as np

from calibration.bare import what_lies_there_mm
from calibration.enrolment import NotEnrolled, enrol
from calibration.floor import NoFloor, calibrate_floor
from calibration.lens import NoLens, bend_px, calibrate_lens, draw_board
from calibration.light import BadLight, calibrate_light, check_focus, draw_light
from calibration.pictures import BadPictures
from vision.annotate import annotate
from vision.picture import Image
from vision.reader import read
from vision.rig import Rig
from vision.sharpness import edge_px, widest_px
from vision.tray import Floor, Made, Tray

REFUSALS = (BadPictures, NoLens, NoFloor, BadLight, NotEnrolled)
"""Why a step may not be done."""
HEIGHT_OFF = 0.1
"""By how much the lens may seem to stand higher or lower than the machine is built, as a share."""
_SURELY_ONE = 0.9  # the margin of a die: on one of ten photographs of empty grounds something is seen, but not named
_GREEN = (90, 220, 60)


@dataclass(frozen=True, slots=True)
class Asked:
    """What a step is given besides its pictures."""

    rig: Rig  # as the machine is built
    dice: int  # in the cornet
    set_name: str = ""
    names: tuple[str, ...] = ()  # of the dice
    axes_mm: tuple[float, ...] = ()  # of the dice, by callipers


@dataclass(frozen=True, slots=True)
class Done:
    """A step that went well."""

    tray: Tray
    message: str  # a sentence for people
    drawing: Image  # what the step found, drawn on its first picture
    figures: dict[str, Any] = field(default_factory=dict)


Step = Callable[[Sequence[Image], Tray, Asked, Made], Done]


def lens(pictures: Sequence[Image], tray: Tray, asked: Asked, made: Made) -> Done:
    """The lens, from pictures of the board; the floor must be calibrated again after it."""
    found = calibrate_lens(pictures, made)
    figures = {"focal_px": found.focal_px, "error_px": found.error_px, "bend_px": bend_px(found)}
    message = f"The lens is known to {found.error_px:.2f} px; now the floor must be calibrated again."
    return Done(replace(tray, lens=found, floor=None), message, draw_board(pictures[0]), figures)


def focus(pictures: Sequence[Image], tray: Tray, asked: Asked, made: Made) -> Done:
    """Whether a picture with dice, or the board, is sharp; changes nothing."""
    width_px = check_focus(pictures[0])
    message = f"The sharpest edges are {width_px:.1f} px wide: the focus is good."
    return Done(tray, message, pictures[0], {"edge_px": width_px})


def light(pictures: Sequence[Image], tray: Tray, asked: Asked, made: Made) -> Done:
    """How bright, even, steady and free of glare the empty floor is lit."""
    found = calibrate_light(pictures, tray, made)
    figures = {name: getattr(found, name) for name in ("darkest", "brightest", "glare", "flicker")}
    message = (
        f"The floor is lit from {found.darkest:.0%} to {found.brightest:.0%} of its median grey level, without glare."
    )
    return Done(replace(tray, light=found), message, draw_light(pictures[0]), figures)


def floor(pictures: Sequence[Image], tray: Tray, asked: Asked, made: Made) -> Done:
    """The floor's place, and how it looks when it is empty."""
    if any(die.margin > _SURELY_ONE for picture in pictures for die in read(picture).dice):
        raise NoFloor("Dice are seen on the floor: empty the floor, then take its pictures anew.")
    found, outline = calibrate_floor(pictures, asked.rig, tray.lens, made)
    if any(edge_px(picture) > widest_px(picture) for picture in pictures):
        raise NoFloor("The floor is seen too darkly, or out of focus: do the steps of focus and light first.")
    above_mm = found.eye_mm[2]
    if abs(above_mm / asked.rig.camera_mm - 1) > HEIGHT_OFF:
        raise NoFloor(
            f"By the calibrated lens the camera is {above_mm:.0f} mm above the floor, the machine is built for "
            f"{asked.rig.camera_mm:.0f}: calibrate this camera's own lens, or put the camera where it belongs."
        )
    better = replace(tray, floor=found)
    for picture in pictures:
        _check_bare(picture, better)
    if tray.light is not None and len(pictures) > 1:
        # It was judged by a smaller circle, before the floor's own was known, or by another floor's.
        better = replace(better, light=calibrate_light(pictures, better, made))
    drawn = pictures[0].copy()
    turn = np.linspace(0, 2 * np.pi, 180)
    rim = better.in_picture(found.radius_mm * np.stack([np.cos(turn), np.sin(turn)], axis=1))
    cv2.polylines(drawn, [np.rint(rim).astype(np.int32)], True, _GREEN, 2, cv2.LINE_AA)
    figures = {"mm_a_pixel": found.radius_mm / outline.radius_px, "tilt_deg": found.tilt_deg, "above_mm": above_mm}
    message = f"The floor is found to {outline.scatter_px:.1f} px; the camera leans by {found.tilt_deg:.1f} degrees."
    return Done(better, message, drawn, figures | _figures(found))


def _check_bare(picture: Image, tray: Tray) -> None:
    """NoFloor where something lies on a floor that is to be known as it looks when it is empty."""
    lies_mm = what_lies_there_mm(picture, tray)
    if lies_mm is not None:
        x_mm, y_mm = lies_mm
        where = f"{x_mm:+.0f} mm to the right of its middle and {y_mm:+.0f} mm above it"
        raise NoFloor(f"Something lies or shines on the floor, {where}: take it away, then do this step again.")


def dice(pictures: Sequence[Image], tray: Tray, asked: Asked, made: Made) -> Done:
    """The set of dice: number, size, and the colours of those with names."""
    found, reading = enrol(pictures, tray, asked.set_name, asked.dice, asked.names, asked.axes_mm, made)
    called = f" with the names {', '.join(asked.names)}" if asked.names else ""
    message = f"The set {found.name!r} has {found.count} dice of {found.side_mm:g} mm{called}."
    return Done(replace(tray, dice=found), message, annotate(pictures[0], reading), {"side_mm": found.side_mm})


STEPS: dict[str, tuple[Step, int]] = {
    "lens": (lens, 12),
    "focus": (focus, 1),
    "light": (light, 6),
    "floor": (floor, 4),
    "dice": (dice, 3),
}
"""The steps in their order, each with the number of pictures that it takes from a camera."""


def _figures(found: Floor) -> dict[str, float]:
    return {"level": found.level, "sharpness": found.sharpness}
