"""Enrolment: what the dice of a set look like, and how large they are."""

from collections.abc import Sequence

import numpy as np

from vision.picture import Image
from vision.placing import apart, body_colour, told_apart
from vision.reader import read
from vision.reading import Die, Reading
from vision.tray import SIDES_MM, Dice, Enrolled, Floats, Made, Tray

FEWEST_PICTURES = 3
_ODD_MM = 0.10  # by which the longest of a die's three axes may exceed the shortest; fair to within 0.7 points


FLOOR_FIRST = "The floor must be calibrated before the dice: do that step first."


class NotEnrolled(ValueError):
    """Dice that cannot be enrolled as they are; the message says what to do."""


def enrol(
    pictures: Sequence[Image],
    tray: Tray,
    name: str,
    count: int,
    names: Sequence[str],
    axes_mm: Sequence[float],
    made: Made,
) -> tuple[Dice, Reading]:
    """The set from pictures of all its dice on the calibrated floor, and the reading of the first picture.

    With names, one for each die, their colours must tell them apart, and in the first picture they must lie from left
    to right in that order. axes_mm are what callipers said, three numbers a die, or none. NotEnrolled where it fails.
    """
    if tray.floor is None:
        raise NotEnrolled(FLOOR_FIRST)
    if len(pictures) < FEWEST_PICTURES:
        raise NotEnrolled(f"{FEWEST_PICTURES} pictures are needed, thrown anew each time: take more.")
    check_told(names, axes_mm, count)
    bare = Tray(lens=tray.lens, floor=tray.floor)
    readings = [read(picture, count) for picture in pictures]
    for reading in readings:
        if not reading.ok:
            raise NotEnrolled(f"The dice cannot be read ({reading.message}): throw them again.")
    sides = np.array([_side_mm(die, bare) for reading in readings for die in reading.dice])
    side_mm = float(np.median(axes_mm)) if axes_mm else round(float(np.median(sides)), 1)
    if not SIDES_MM[0] <= side_mm <= SIDES_MM[1]:
        least, most = SIDES_MM
        raise NotEnrolled(f"The dice seem to be {side_mm:.0f} mm wide: use dice of {least:g} to {most:g} mm.")
    colours = _colours(readings, pictures, names)
    dice = tuple(
        Enrolled(each, (float(blue), float(green), float(red)))
        for each, (blue, green, red) in zip(names, colours, strict=True)
    )
    return Dice(name, side_mm, count, dice, tuple(axes_mm), made), readings[0]


def check_told(names: Sequence[str], axes_mm: Sequence[float], count: int) -> None:
    """NotEnrolled where names or axes are not of so many dice."""
    if names and (len(names) != count or len(set(names)) != count or count < 2):
        raise NotEnrolled(f"There are {count} dice and {len(set(names))} different names: give each a name, or none.")
    if not axes_mm:
        return
    if len(axes_mm) != 3 * count:
        raise NotEnrolled(f"{count} dice have {3 * count} axes, {len(axes_mm)} were given: measure three of each die.")
    for number, axes in enumerate(np.reshape(axes_mm, (count, 3)), start=1):
        if np.ptp(axes) > _ODD_MM:
            raise NotEnrolled(
                f"Die {number} is {np.ptp(axes):.2f} mm out of true, {_ODD_MM:.2f} are the most: leave it out."
            )


def _side_mm(die: Die, tray: Tray) -> float:
    """The side of a die by its top face, which is nearer to the camera than the floor by just that side."""
    half = max(die.box[2:]) / 2
    left, right = tray.on_floor(np.array([[die.x_px - half, die.y_px], [die.x_px + half, die.y_px]]))
    seems_mm = float(np.linalg.norm(right - left))
    above_mm = tray.floor.eye_mm[2] if tray.floor else 0.0
    return seems_mm * above_mm / (above_mm + seems_mm)


def _colours(readings: Sequence[Reading], pictures: Sequence[Image], names: Sequence[str]) -> Floats:
    """The colour of each named die: first by its place from the left, then by likeness."""
    if not names:
        return np.empty((0, 3))
    seen = [
        [body_colour(die, picture, 1.0) for die in sorted(reading.dice, key=lambda die: die.x_px)]
        for reading, picture in zip(readings, pictures, strict=True)
    ]
    looks = [[colour] for colour in seen[0]]
    for colours in seen[1:]:
        for colour in colours:
            nearest = min(range(len(names)), key=lambda place: apart(seen[0][place], colour))
            looks[nearest].append(colour)
    found = np.array([np.median(look, axis=0) for look in looks])
    if not told_apart(found.tolist()) or any(len(look) != len(pictures) for look in looks):
        raise NotEnrolled("The colours of the dice do not tell them apart: enrol them without names.")
    return found
