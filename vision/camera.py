"""The seam of the camera, and the camera that plays back recorded pictures."""

import json
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from vision.files import read_file
from vision.picture import BrokenPicture, Image, load


class CameraLost(RuntimeError):
    """No frame came within the time allowed; the message says what to look at."""


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """One picture and when it was taken."""

    image: Image = field(repr=False)
    taken_ns: int
    source: str = ""  # the file's name, where the picture is a recorded one
    count: int | None = None  # how many dice are known to be in a recorded picture
    again: bool = False  # whether the recorded pictures begin again with this one


class Camera(Protocol):
    """Something that gives pictures of the floor."""

    @property
    def recorded(self) -> int:
        """How many recorded pictures it plays back, each a throw of its own; 0 if it sees the floor as it is now."""

    @property
    def lost(self) -> str:
        """Why there are no pictures now, as a sentence that says what to look at; empty while all is well."""

    def frame(self, timeout_s: float) -> Frame:
        """The next picture, at the latest after timeout_s seconds; CameraLost if there is none."""

    def close(self) -> None:
        """Let go of the camera; as often as you like."""


PICTURES = (".jpg", ".jpeg", ".png", ".bmp", ".webp", ".tif", ".tiff")


class NoPictures(ValueError):
    """A folder that cannot serve as a camera; the message says what to do."""


class FolderCamera:
    """Plays back the pictures of a folder, in the order of labels.json where there is one, else of their names.

    NoPictures if there are none, or if labels.json cannot be used. After the last picture it begins again.
    """

    lost = ""

    def __init__(self, folder: Path) -> None:
        labels = folder / "labels.json"
        if not folder.is_dir():
            raise NoPictures(f"{folder} is no folder: name one that holds pictures, as in frames:DIR.")
        self._pictures = _labelled(labels) if labels.exists() else _unlabelled(folder)
        if not self._pictures:
            raise NoPictures(f"There are no pictures in {folder}: put some there ({', '.join(PICTURES)}).")
        self._next = 0
        self.recorded = len(self._pictures)

    def frame(self, timeout_s: float) -> Frame:
        """The next recorded picture; CameraLost if it is broken."""
        index = self._next % self.recorded
        path, count = self._pictures[index]
        again = index == 0 and self._next > 0
        self._next += 1
        try:
            image = load(path)
        except BrokenPicture as error:
            raise CameraLost(f"{error} Take it out of the folder, or clear the fault to go on with the next.") from None
        return Frame(image, time.time_ns(), path.name, count, again)

    def close(self) -> None:
        """There is nothing to let go of."""


def _unlabelled(folder: Path) -> list[tuple[Path, int | None]]:
    return [(path, None) for path in sorted(folder.iterdir()) if path.suffix.lower() in PICTURES and path.is_file()]


def _labelled(labels: Path) -> list[tuple[Path, int | None]]:
    try:
        entries = json.loads(read_file(labels))["images"]
        pictures = [(labels.parent / str(entry["file"]), entry.get("count")) for entry in entries]
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        raise NoPictures(f"{labels} cannot be used as labels: mend it, or take it out of the folder.") from None
    for path, count in pictures:
        if count is not None and (type(count) is not int or count < 0):
            raise NoPictures(f'{labels}: the "count" of {path.name} must be a whole number.')
        if len(path.name) > 200 or not path.is_file():
            raise NoPictures(
                f"{labels} names {path.name[:200]}, which is not there: put it there, or take out its label."
            )
    return pictures
