"""`cornet read`: pictures, read."""

import argparse
import json
import os
import time
from collections.abc import Sequence
from pathlib import Path

import cv2

from server.commands.words import Parser, WrongCall, count, named_path
from vision.annotate import annotate
from vision.files import write_safely
from vision.picture import BrokenPicture, Image, encode_jpeg, load
from vision.reader import read, warm
from vision.reading import Reading, as_json
from vision.tray import BadTray, Tray, read_tray

_LONGEST_NAME = 240
"""In bytes: with its endings, also while it is written, a name has 255 at most."""


def arguments(parser: Parser) -> None:
    """What the command takes."""
    parser.add_argument("images", nargs="+", metavar="IMAGE", help="a picture")
    parser.add_argument("--expect", type=count, metavar="N", help="how many dice there must be")
    parser.add_argument("--tray", type=named_path, metavar="FILE", help="the machine's calibration (tray.toml)")
    parser.add_argument(
        "--annotate", type=named_path, metavar="DIR", help="write each picture there with what was read"
    )


def run(given: argparse.Namespace) -> int:
    """Print a line of JSON for each picture, in order; 2 if one of them was none.

    Where one cannot be annotated, WrongCall or OSError at the end, as `keep_annotated` has it.
    """
    cv2.setNumThreads(1)
    tray = load_tray(given.tray)
    if given.annotate is not None:
        make_folder(given.annotate)
        _spare_pictures(given.images, given.annotate)
    status, unkept = 0, None
    warm()  # so that the milliseconds are those of reading alone
    for place, name in enumerate(given.images):
        try:
            if not name:
                raise BrokenPicture("An empty name is that of no file: name a picture that may be read.")
            image = load(Path(name))
        except BrokenPicture as error:
            print(json.dumps({"file": name, "error": str(error)}), flush=True)
            status = 2
            continue
        begun = time.perf_counter()
        reading = read(image, given.expect, tray)
        ms = round((time.perf_counter() - begun) * 1000, 3)
        print(json.dumps({"file": name, **as_json(reading), "ms": ms}), flush=True)
        if given.annotate is not None:
            try:
                keep_annotated(image, reading, given.annotate, _annotated(place, name))
            except (WrongCall, OSError) as error:
                unkept = unkept or error
    if unkept is not None:
        raise unkept
    return status


def _annotated(place: int, name: str) -> str:
    """What the annotated picture of the one in that place is called."""
    return f"{place:04d}-{Path(name).stem}"


def _spare_pictures(names: Sequence[str], folder: Path) -> None:
    """WrongCall where an annotated picture would be written over one that is to be read."""
    given = {os.path.realpath(name) for name in names if name}
    for place, name in enumerate(names):
        path = _path(folder, _annotated(place, name))
        if name and os.path.realpath(path) in given:
            raise WrongCall(f"{path} is a picture to be read, and would be written over: name another folder.")


def load_tray(path: Path | None) -> Tray | None:
    """The calibration of that file, if one is named; WrongCall if it is none, or does not say where the floor is."""
    if path is None:
        return None
    try:
        tray = read_tray(path)
    except BadTray as error:
        raise WrongCall(str(error)) from None
    if tray.floor is None:
        raise WrongCall(f"{path} does not say where the floor is: finish the calibration (cornet calibrate).")
    return tray


def make_folder(folder: Path) -> None:
    """Make a folder where there is none; WrongCall where it cannot be."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise WrongCall(f"{folder} cannot be made ({error.strerror}): name another folder.") from None


def keep_annotated(image: Image, reading: Reading, folder: Path, name: str) -> None:
    """Write the picture with what was read in it as name.jpg, cut where that is too long.

    WrongCall where no such file can be; OSError where there is no room for it.
    """
    path = _path(folder, name)
    try:
        write_safely(path, encode_jpeg(annotate(image, reading)))
    except OSError as error:
        if error.filename is None:  # the file could be opened
            raise
        raise WrongCall(f"{path} cannot be written ({error.strerror}): name another folder.") from None


def _path(folder: Path, name: str) -> Path:
    return folder / os.fsdecode(os.fsencode(name)[:_LONGEST_NAME] + b".jpg")
