"""`cornet read` and `cornet evaluate`: the reader, asked from the command line."""

import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import cv2
from rich.console import Console
from rich.progress import track

from server.cli import WrongCall
from vision import evaluate
from vision.annotate import annotate
from vision.picture import BrokenPicture, Image, encode_jpeg, load
from vision.reader import read
from vision.reading import Reading, as_json
from vision.tray import BadTray, Tray, read_tray


def read_pictures(names: Sequence[str], expected: int | None, calibration: Path | None, annotated: Path | None) -> int:
    """Print a line of JSON for each picture, in order; 2 if one of them was none."""
    cv2.setNumThreads(1)
    tray = _tray(calibration)
    if annotated is not None:
        _make(annotated)
    status = 0
    for place, name in enumerate(names):
        line: dict[str, Any] = {"file": name}
        try:
            image = load(Path(name))
        except BrokenPicture as error:
            line["error"] = str(error)
            status = 2
        else:
            begun = time.perf_counter()
            reading = read(image, expected, tray)
            line |= {**as_json(reading), "ms": round((time.perf_counter() - begun) * 1000, 3)}
            if annotated is not None:
                _write(image, reading, annotated / f"{place:04d}-{Path(name).stem}.jpg")
        print(json.dumps(line), flush=True)
    return status


def _tray(path: Path | None) -> Tray | None:
    try:
        return None if path is None else read_tray(path)
    except BadTray as error:
        raise WrongCall(str(error)) from None


def evaluate_pictures(path: Path, as_program: bool, worst: Path | None) -> int:
    """Read every labelled picture and print how good the readings are."""
    cv2.setNumThreads(1)
    if worst is not None:
        _make(worst)
    progress = Console(stderr=True)
    scored = []
    try:
        labels = evaluate.load_labels(path)
        readings = evaluate.evaluate(labels, read)
        for one in track(readings, "Reading", len(labels), console=progress, disable=not progress.is_terminal):
            scored.append(one)
            if worst is not None:
                _keep_failures(one, worst)
    except evaluate.BadLabels as error:
        raise WrongCall(str(error)) from None
    evaluation = evaluate.Evaluation(tuple(scored))
    if as_program:
        print(json.dumps(evaluate.as_json(evaluation)))
    else:
        Console(width=140).print(evaluate.table(evaluation))
    return 0


def _keep_failures(one: evaluate.Scored, folder: Path) -> None:
    for count, reading, score in zip(("known", "unknown"), (one.known, one.unknown), one.scores, strict=True):
        right = evaluate.Score.EXACT if one.label.readable else evaluate.Score.REFUSED
        if score is not right:
            name = f"{score.value}-{count}-{reading.verdict.value}-{one.label.path.stem}.jpg"
            _write(load(one.label.path), reading, folder / name)


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise WrongCall(f"{folder} cannot be made ({error.strerror}): name another folder.") from None


def _write(image: Image, reading: Reading, path: Path) -> None:
    try:
        path.write_bytes(encode_jpeg(annotate(image, reading)))
    except OSError as error:
        raise WrongCall(f"{path} cannot be written ({error.strerror}): name another folder.") from None
