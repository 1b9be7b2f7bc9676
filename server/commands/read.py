"""`cornet read`: pictures, read."""

import argparse
import json
import os
import time
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
                keep_annotated(image, reading, given.annotate, f"{place:04d}-{Path(name).stem}")
            except (WrongCall, OSError) as error:
                unkept = unkept or error
    if unkept is not None:
        raise unkept
    return status


def load_tray(path: Path | None) -> Tray | None:
    """The calibration of that file, if one is named; WrongCall if it is none."""
    try:
        return None if path is None else read_tray(path)
    except BadTray as error:
        raise WrongCall(str(error)) from None


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
    path = folder / os.fsdecode(os.fsencode(name)[:_LONGEST_NAME] + b".jpg")
    try:
        write_safely(path, encode_jpeg(annotate(image, reading)))
    except OSError as error:
        if error.filename is None:  # the file could be opened
            raise
        raise WrongCall(f"{path} cannot be written ({error.strerror}): name another folder.") from None
