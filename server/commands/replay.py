"""`cornet replay`: a game record, replayed."""

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path

from server.commands.words import Parser, WrongCall, complain, named
from server.record import Refused, answer_lines, parse, replay


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
        game = replay(parse(b"".join(lines_of(given.record))), player)
    except Refused as error:
        complain(json.dumps(error.as_json()))
        return 2
    print(json.dumps(game.state() if player is None else game.view(player)))
    return 0


def lines_of(name: str) -> Iterator[bytes]:
    """The lines of a file, or of standard input for "-"; WrongCall where it cannot be read."""
    try:
        with sys.stdin.buffer if name == "-" else Path(name).open("rb") as file:
            yield from file
    except OSError as error:
        raise WrongCall(f"{name} cannot be read ({error.strerror}): name a file that can.") from None
