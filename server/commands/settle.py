"""`cornet settle`: when the dice of a recorded scene are at rest."""

import argparse
import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import cv2
import numpy as np

from server.commands.words import Parser, WrongCall, complain, named_path
from vision.camera import PICTURES
from vision.picture import BrokenPicture, Image, load
from vision.reader import find, read
from vision.reading import as_json
from vision.settle import FRAMES_A_SECOND, find_rests

_GIVE_UP = 250  # frames in a row that cannot be read: there are no more
_MOST_FRAMES = 1e9  # broken headers announce more
_TIMED = 50  # frames at the beginning whose times say how many there are a second,
_RATE_SLACK = 0.15  # if that is so far from what the header says: times are rounded to milliseconds


class _Frame(NamedTuple):
    """One frame: of a folder without a time; not whole where it stands for one that is lost."""

    image: Image
    at_s: float = 0.0
    whole: bool = True


class _Length:
    """How long a recording says that it is, and how long it proves to be."""

    def __init__(self, rate: float, count: float = 0.0) -> None:
        self.rate = rate
        # Where the number of frames is only guessed from the length it is one or two off.
        self._announced = int(count) - 2 if 2 < count < _MOST_FRAMES else 0
        self._announced_s = self._announced / rate
        self._last_s = 0.0
        self._longest_s = 1 / rate
        self.frames = self.lost = 0

    def take(self, frame: _Frame) -> Image:
        """Count a frame."""
        if self.frames:
            self._longest_s = max(self._longest_s, frame.at_s - self._last_s)
        self._last_s = max(self._last_s, frame.at_s)
        self.frames += 1
        self.lost += not frame.whole
        return frame.image

    def short(self) -> int:
        """So many frames are missing at the end, by their number and by the time of the last one.

        The number alone is often reckoned from the length, as if a camera left none out; no frame lasts longer than
        any other.
        """
        late_s = self._announced_s - (self._last_s + self._longest_s)
        return max(0, min(self._announced - self.frames, round(late_s * self.rate)))


def arguments(parser: Parser) -> None:
    """What the command takes."""
    parser.add_argument(
        "recording", type=named_path, metavar="VIDEO|DIR", help="a video, or a folder of frames, 25 a second"
    )
    parser.add_argument("--read", action="store_true", help="read the dice of each rest too")


def run(given: argparse.Namespace) -> int:
    """Print the rests of a video or of a folder of frames as one JSON object."""
    cv2.setNumThreads(1)
    # What is wrong with a video is said below, in a sentence; FFmpeg says it in its own way.
    os.environ["OPENCV_FFMPEG_LOGLEVEL"] = "-8"
    path: Path = given.recording
    length = _announced(path)
    rests = list(find_rests((length.take(frame) for frame in _frames(path)), find, length.rate))
    if not length.frames:
        raise WrongCall(f"There are no frames in {path}: name a video, or a folder of pictures.")
    if length.frames == 1 and path.is_file() and _is_picture(path):
        raise WrongCall(f"{path} is a single picture, which cornet read reads: name a video, or a folder of pictures.")
    answer: dict[str, Any] = {"frames": length.frames, "rests": [list(rest) for rest in rests]}
    if given.read:
        middles = [(first + last) // 2 for first, last in rests]
        shown = (frame.image for number, frame in enumerate(_frames(path)) if number in middles)
        answer["readings"] = [as_json(read(image)) for image in shown]
    print(json.dumps(answer))
    lost, short = length.lost, length.short()
    if lost:
        what = f"is damaged: {lost + short} of its frames cannot be read, and"
    elif short:  # by a cut, or by what a telephone hides of a video that was trimmed
        what = f"lacks {short} of the frames that it announces: unless it was trimmed,"
    if lost or short:
        complain(f"{path} {what} rests may be missing; record it again.")
    return 0


def _is_picture(path: Path) -> bool:
    try:
        load(path)
    except BrokenPicture:
        return False
    return True


def _announced(path: Path) -> _Length:
    """What a recording says of its length, and how many frames it has a second."""
    if path.is_dir():
        return _Length(FRAMES_A_SECOND)
    if not path.is_file():
        raise WrongCall(f"{path} is neither a video nor a folder: name one that is there.")
    with _opened(path) as video:
        said, count = (float(video.get(key)) for key in (cv2.CAP_PROP_FPS, cv2.CAP_PROP_FRAME_COUNT))
        times_ms = [video.get(cv2.CAP_PROP_POS_MSEC) for _ in range(_TIMED) if video.grab()]
    # Broken headers say nothing, or a rate that no camera has.
    rate = said if 1 <= said <= 1000 else FRAMES_A_SECOND
    steps_ms = [after - before for before, after in pairwise(times_ms) if after > before]
    seen = 1000 / median(steps_ms) if steps_ms else rate
    if abs(seen / rate - 1) > _RATE_SLACK:  # browsers announce the ticks of their clock: the frames know better,
        return _Length(seen)  # and the number of frames was reckoned from that rate
    return _Length(rate, count)


def _frames(path: Path) -> Iterator[_Frame]:
    """The frames: in place of a lost one comes the one before, so that numbers hold."""
    if path.is_dir():
        for picture in sorted(path.iterdir()):
            if picture.suffix.lower() in PICTURES:
                try:
                    yield _Frame(load(picture))
                except BrokenPicture as error:
                    raise WrongCall(f"{error} Take it out of the folder.") from None
        return
    before: _Frame | None = None
    lost = 0
    with _opened(path) as video:
        while lost < _GIVE_UP:
            there, image = video.read()
            if not there:
                lost += before is not None
                if before is None:
                    return
                continue
            if before is not None:
                yield from [before._replace(whole=False)] * lost
            before, lost = _Frame(np.asarray(image, np.uint8), video.get(cv2.CAP_PROP_POS_MSEC) / 1000), 0
            yield before


@contextmanager
def _opened(path: Path) -> Iterator[cv2.VideoCapture]:
    """A video, under a plain name: others are a protocol or a pattern to OpenCV, or bring it down."""
    # Of some recordings only the ending says what they are.
    ending = path.suffix if re.fullmatch(r"\.[A-Za-z0-9]{1,9}", path.suffix) else ""
    with TemporaryDirectory() as folder:
        link = Path(folder, f"video{ending}")
        link.symlink_to(path.resolve())
        video = cv2.VideoCapture(str(link))
        try:
            yield video
        finally:
            video.release()
