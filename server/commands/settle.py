"""`cornet settle`: when the dice of a recorded scene are at rest."""

import argparse
import json
import os
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Any

import cv2
import numpy as np

from server.commands.words import Parser, WrongCall, complain
from vision.camera import PICTURES
from vision.picture import BrokenPicture, Image, load
from vision.reader import find, read
from vision.reading import as_json
from vision.settle import FRAMES_A_SECOND, find_rests

_GIVE_UP = 250  # frames in a row that cannot be read: there are no more
_MOST_FRAMES = 1e9  # broken headers announce more
_TIMED = 50  # frames at the beginning whose times say how many there are a second,
_RATE_SLACK = 0.15  # if that is so far from what the header says: times are rounded to milliseconds


def arguments(parser: Parser) -> None:
    """What the command takes."""
    parser.add_argument("recording", type=Path, metavar="VIDEO|DIR", help="a video, or a folder of frames, 25 a second")
    parser.add_argument("--read", action="store_true", help="read the dice of each rest too")


def run(given: argparse.Namespace) -> int:
    """Print the rests of a video or of a folder of frames as one JSON object."""
    cv2.setNumThreads(1)
    # What is wrong with a video is said below, in a sentence; FFmpeg says it in its own way.
    os.environ["OPENCV_FFMPEG_LOGLEVEL"] = "-8"
    path: Path = given.recording
    rate, announced = _clock(path)
    frames = lost = 0

    def counted() -> Iterator[Image]:
        nonlocal frames, lost
        for image, whole in _images(path):
            frames, lost = frames + 1, lost + (not whole)
            yield image

    rests = list(find_rests(counted(), find, rate))
    if not frames:
        raise WrongCall(f"There are no frames in {path}: name a video, or a folder of pictures.")
    answer: dict[str, Any] = {"frames": frames, "rests": [list(rest) for rest in rests]}
    if given.read:
        middles = [(first + last) // 2 for first, last in rests]
        shown = {number: image for number, (image, _) in enumerate(_images(path)) if number in middles}
        answer["readings"] = [as_json(read(shown[middle])) for middle in middles]
    print(json.dumps(answer))
    lost += max(0, announced - frames)
    if lost:
        complain(f"{path} is damaged: {lost} of its frames cannot be read, and rests may be missing; record it again.")
    return 0


def _clock(path: Path) -> tuple[float, int]:
    """How many frames a second a recording has, and how many it says that it has in all; 0 where it does not say."""
    if path.is_dir():
        return FRAMES_A_SECOND, 0
    if not path.is_file():
        raise WrongCall(f"{path} is neither a video nor a folder: name one that is there.")
    video = cv2.VideoCapture(str(path))
    try:
        said, count = (float(video.get(key)) for key in (cv2.CAP_PROP_FPS, cv2.CAP_PROP_FRAME_COUNT))
        times_ms = [video.get(cv2.CAP_PROP_POS_MSEC) for _ in range(_TIMED) if video.grab()]
    finally:
        video.release()
    # Broken headers say nothing, or a rate that no camera has.
    rate = said if 1 <= said <= 1000 else FRAMES_A_SECOND
    steps_ms = [after - before for before, after in pairwise(times_ms) if after > before]
    seen = 1000 / median(steps_ms) if steps_ms else rate
    if abs(seen / rate - 1) > _RATE_SLACK:  # browsers announce the ticks of their clock: the frames know better,
        return seen, 0  # and the number of frames was reckoned from that rate
    # Where it is only guessed from the length it is one or two off.
    return rate, int(count) - 2 if 2 < count < _MOST_FRAMES else 0


def _images(path: Path) -> Iterator[tuple[Image, bool]]:
    """The frames, and whether each is whole: in place of a lost one comes the one before, so that numbers hold."""
    if path.is_dir():
        for picture in sorted(path.iterdir()):
            if picture.suffix.lower() in PICTURES:
                try:
                    yield load(picture), True
                except BrokenPicture as error:
                    raise WrongCall(f"{error} Take it out of the folder.") from None
        return
    video = cv2.VideoCapture(str(path))
    before: Image | None = None
    lost = 0
    try:
        while lost < _GIVE_UP:
            there, image = video.read()
            if not there:
                lost += before is not None
                if before is None:
                    return
                continue
            for _ in range(lost):
                yield np.asarray(before, np.uint8), False
            before, lost = np.asarray(image, np.uint8), 0
            yield before, True
    finally:
        video.release()
