"""`cornet odds`: the exact odds of a game."""

import argparse
import json
import os

from server.commands.words import Parser, WrongCall
from server.odds import odds
from server.record import Refused, parse
from server.rules import BadRecord, short


def arguments(parser: Parser) -> None:
    """What the command takes."""
    parser.add_argument("game", metavar="GAME", help="a game of dice: vingt-six, quatorze, vingt-cinq, 421, thousand")
    parser.add_argument("--options", default="{}", metavar="JSON", help="what differs from the game's defaults")


def run(given: argparse.Namespace) -> int:
    """Print the odds as JSON."""
    try:
        options = parse(os.fsencode(given.options))
    except Refused as error:
        raise WrongCall(f"--options must be a JSON object: {error}") from None
    if type(options) is not dict:
        raise WrongCall(f"--options must be a JSON object, not {short(options)}.")
    try:
        answer = odds(given.game, options)
    except BadRecord as error:
        raise WrongCall(str(error)) from None
    print(json.dumps(answer))
    return 0
