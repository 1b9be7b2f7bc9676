"""`cornet evaluate`: the reader, judged by labelled pictures."""

import argparse
import json
from functools import partial
from pathlib import Path

import cv2
from rich.console import Console
from rich.progress import track

from server.commands.read import keep_annotated, load_tray, make_folder
from server.commands.screen import cell
from server.commands.words import Parser, WrongCall, complain, named_path
from vision import evaluate
from vision.picture import BrokenPicture, load
from vision.reader import read


def arguments(parser: Parser) -> None:
    """What the command takes."""
    parser.add_argument("labels", type=named_path, metavar="LABELS.json", help="the labels; pictures stand beside them")
    parser.add_argument("--tray", type=named_path, metavar="FILE", help="the calibration of the rig (tray.toml)")
    parser.add_argument("--json", action="store_true", help="print the result for programs")
    parser.add_argument("--worst", type=named_path, metavar="DIR", help="write the failures there, annotated")


def run(given: argparse.Namespace) -> int:
    """Read every labelled picture and print how good the readings are; 2 where one could not be opened."""
    cv2.setNumThreads(1)
    tray = load_tray(given.tray)
    if given.worst is not None:
        make_folder(given.worst)
    progress = Console(stderr=True)
    scored: list[evaluate.Scored] = []
    status = 0
    try:
        labels = evaluate.load_labels(given.labels)
    except evaluate.BadLabels as error:
        raise WrongCall(str(error)) from None
    for label in track(labels, "Reading", console=progress, disable=not progress.is_terminal):
        try:
            one = evaluate.judge(label, partial(read, tray=tray))
        except BrokenPicture as error:
            complain(str(error))
            status = 2
            continue
        if given.worst is not None:
            _keep_failures(one, given.worst, len(scored))
        scored.append(one)
    evaluation = evaluate.Evaluation(tuple(scored))
    if given.json:
        print(json.dumps(evaluate.as_json(evaluation)))
    else:
        Console(width=140).print(evaluate.table(evaluation, cell))
    return status


def _keep_failures(one: evaluate.Scored, folder: Path, place: int) -> None:
    for count, reading, score in zip(("known", "unknown"), (one.known, one.unknown), one.scores, strict=True):
        right = evaluate.Score.EXACT if one.label.readable else evaluate.Score.REFUSED
        if score is not right:
            # Pictures of several folders may have one name.
            name = f"{score.value}-{count}-{reading.verdict.value}-{place:04d}-{one.label.path.stem}"
            keep_annotated(load(one.label.path), reading, folder, name)
