"""`cornet pin`: the bartender's PIN, set at the console."""

import argparse
import sys
from getpass import getpass

from server.commands.words import Parser, WrongCall, add_data
from server.web.access import Access, BadPin


def arguments(parser: Parser) -> None:
    """What the command takes."""
    add_data(parser, "log")


def run(given: argparse.Namespace) -> int:
    """Ask for the PIN twice, or read it from standard input where nobody can be asked, and keep it."""
    asks = sys.stdin.isatty()
    pin = getpass("New PIN: ") if asks else sys.stdin.readline().rstrip("\r\n")
    if asks and getpass("Once more: ") != pin:
        raise WrongCall("These were two different PINs: begin again.")
    try:
        Access(given.data).set_pin(pin)
    except BadPin as error:
        raise WrongCall(str(error)) from None
    except OSError as error:
        raise WrongCall(
            f"The PIN cannot be kept in {given.data} ({error.strerror}): mend that, or name another --data."
        ) from None
    return 0
