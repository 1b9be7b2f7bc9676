"""`cornet misread`: the reading certificate of labelled pictures."""

import argparse
import json
from typing import Any

import cv2
from rich.console import Console
from rich.progress import track
from rich.table import Table

from calibration.misread import Certificate, paired
from server.commands.screen import cell
from server.commands.words import Parser, WrongCall, named_path
from vision.evaluate import BadLabels, load_labels
from vision.picture import BrokenPicture, load
from vision.reader import read


def arguments(parser: Parser) -> None:
    """What the command takes."""
    parser.add_argument("labels", type=named_path, metavar="LABELS.json", help="the labels; pictures stand beside them")
    parser.add_argument("--json", action="store_true", help="print the certificate for programs")


def run(given: argparse.Namespace) -> int:
    """Read every labelled picture with its number of dice known, and print how often a die is misread."""
    cv2.setNumThreads(1)
    progress, found = Console(stderr=True), Certificate()
    try:
        labels = load_labels(given.labels)
        for label in track(labels, "Reading", console=progress, disable=not progress.is_terminal):
            image = load(label.path)
            reading = read(image, label.count)
            kinds = tuple(dict.fromkeys(kind for kind in (label.source, *label.tags) if kind))
            height, width = image.shape[:2]
            found.add(reading, paired(reading, label.dice, (width, height), kinds))
    except (BadLabels, BrokenPicture) as error:
        raise WrongCall(str(error)) from None
    told = found.as_json()
    if given.json:
        print(json.dumps(told))
    else:
        _print(told)
    return 0


def _print(told: dict[str, Any]) -> None:
    console = Console(width=140)
    confusion = Table(title="Dice of used readings, as they are and as they were read")
    for column in ("it is", *"123456", "not read"):
        confusion.add_column(column, justify="right")
    for name, row in zip((*"123456", "no die"), told["confusion"], strict=True):
        confusion.add_row(name, *map(str, row))
    console.print(confusion)
    bounds = Table(title="Misread dice, and their share at most (95 %)")
    for column in ("of", "dice", "wrong", "at most"):
        bounds.add_column(column, justify="right" if column != "of" else "left")
    faces = {f"face {face}": each for face, each in told["by_face"].items()}
    for name, each in {"all": told, **faces, **told["by_zone"], **told["by_kind"]}.items():
        bounds.add_row(cell(name), str(each["dice"]), str(each["wrong"]), f"{each['at_most']:.2%}")
    console.print(bounds)
    console.print(
        f"{told['pictures']} pictures, {told['refused']} refused. Faces by quarters of the picture: p = "
        f"{told['place']['p']:.3g}. Misreads move a face by {told['bias_at_most_pp']:.2g} points at most.",
        highlight=False,
    )
