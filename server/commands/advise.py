"""`cornet advise`: what to do now in a recorded game, and what every choice has cost."""

import argparse
import json

from server.advice import advice_on
from server.commands.replay import record_of
from server.commands.words import Parser, WrongCall, named
from server.record import Refused, parse, replay
from server.strategy import knows


def arguments(parser: Parser) -> None:
    """What the command takes."""
    parser.add_argument("record", type=named, metavar="RECORD.json", help="the record; - reads standard input")


def run(given: argparse.Namespace) -> int:
    """Print the choices with their worth as JSON."""
    try:
        record = parse(record_of(given.record))
        game = replay(record)
    except Refused as error:
        where = "" if error.action is None else f"Action {error.action}: "
        raise WrongCall(f"{where}{error}") from None
    if not knows(game):
        raise WrongCall(f"There is no advice for {game.NAME}: the games of dice have some.")
    print(json.dumps(advice_on(game, record.get("actions", []))))
    return 0
