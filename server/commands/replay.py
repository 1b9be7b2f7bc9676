"""`cornet replay`: a game record, replayed."""

import argparse
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from server.commands.words import Parser, WrongCall, complain, named
from server.record import Refused, answer_lines, parse, replay
from vision.files import MOST_BYTES


def arguments(parser: Parser) -> None:
    """What the command takes."""
    parser.add_argument("record", type=named, metavar="RECORD.json", help="the record; - reads standard input")
    parser.add_argument("--lines", action="store_true", help="one record a line, one answer a line")
    parser.add_argument(
        "--as",
        dest="player",
        metavar="NAME",
        default=argparse.SUPPRESS,
        help="print the state as this player may see it",
    )


def run(given: argparse.Namespace) -> int:
    """Print the state after the record, or the record's error object on standard error."""
    player: str | None = getattr(given, "player", None)
    if given.lines and player is not None:
        raise WrongCall("--as shows one player's view of one record, it does not go with --lines.")
    try:
        if given.lines:
            for answer in answer_lines(lines_of(given.record)):
                print(answer)
            return 0
        game = replay(parse(record_of(given.record)), player)
    except Refused as error:
        complain(json.dumps(error.as_json()))
        return 2
    print(json.dumps(game.state() if player is None else game.view(player)))
    return 0


def record_of(name: str) -> bytes:
    """What a file holds, or standard input for "-"; WrongCall where that cannot be read or is too large."""
    with _opened(name) as file:
        return _bounded(file.read(MOST_BYTES + 1), name)


def lines_of(name: str) -> Iterator[bytes]:
    """The lines of that, one after the other; WrongCall where one cannot be read or is too large."""
    with _opened(name) as file:
        while line := file.readline(MOST_BYTES + 1):
            yield _bounded(line, name)


@contextmanager
def _opened(name: str) -> Iterator[BinaryIO]:
    # A pipe may be named too, as by a shell that puts one in the place of a file.
    try:
        with sys.stdin.buffer if name == "-" else Path(name).open("rb") as file:
            yield file
    except OSError as error:
        raise WrongCall(f"{name} cannot be read ({error.strerror}): name a file that can.") from None


def _bounded(record: bytes, name: str) -> bytes:
    if len(record) > MOST_BYTES:
        raise WrongCall(f"A record in {name} is larger than {MOST_BYTES // 1_000_000} MB: name a file of records.")
    return record
