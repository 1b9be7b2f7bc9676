"""The command line: `cornet COMMAND`. Only the command that is called is loaded, so that a replay starts at once."""

import argparse
import json
import os
import signal
import sys
from collections.abc import Sequence
from importlib import import_module
from io import TextIOWrapper
from pathlib import Path

from server.commands.words import Parser, WrongCall, complain, forget

COMMANDS = {
    "run": ("The machine and its dashboard.", "--port 9000"),
    "throw": ("Throw outside a game, once or often.", "--count 6000 --set ivory"),
    "doctor": ("Try every part of the machine; nothing moves.", "--move"),
    "replay": ("Replay a game record and print its state.", "game.json"),
    "read": ("Read the dice of pictures.", "--expect 5 table.jpg"),
    "evaluate": ("Judge the reader by labelled pictures.", "labels.json"),
    "misread": ("Certify the reader by labelled pictures.", "labels.json"),
    "settle": ("Find when the dice of a recording are at rest.", "throw.mp4"),
    "audit": ("Check the log, read its pictures again, replay its games.", "data"),
    "odds": ("The exact odds of a game.", '421 --options \'{"version": "41"}\''),
    "calibrate": ("Calibrate the machine, step by step.", "floor empty.jpg"),
    "advise": ("What to do now, and what every choice has cost.", "game.json"),
    "fairness": ("Judge dice by their faces.", "--counts 9,11,8,12,10,10"),
    "pin": ("Set the bartender's PIN; it is asked for, or read from standard input.", ""),
    "export": ("Print the record of a game.", "12 --bundle game-12.zip"),
}
"""What each command does, and the words of an example."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; its exit status: 0, 1 for a failed job, 2 for a wrong call or bad input."""
    # Before a command loads numpy: one thread is as fast for so small products, and the others wait at full speed.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    words = list(sys.argv[1:] if arguments is None else arguments)
    if isinstance(sys.stdout, TextIOWrapper):
        # What the screen has no letters for is told all the same, as on standard error.
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        plain, viewer = _viewer(words)
        given = _parsed(plain, argparse.Namespace(player=viewer) if viewer is not None else None)
        if sys.stdout is None or sys.stdin is None:
            raise WrongCall("Standard input and output are closed: open them, /dev/null will do.")
        status: int = given.run(given)
        sys.stdout.flush()
    except KeyboardInterrupt:
        # What must be tidied up was, on the way here.
        return 128 + signal.SIGINT
    except BrokenPipeError:
        # Whoever read the output has enough; at exit nothing must try to write the rest.
        forget(sys.stdout)
        return 1
    except (WrongCall, MemoryError, OSError) as error:
        message, status = _told(error)
        # A replay answers everything with the record's error object.
        replaying = words[:1] == ["replay"]
        complain(json.dumps({"error": {"action": None, "message": message}}) if replaying else message)
        if isinstance(error, OSError) and error.filename is None:
            forget(sys.stdout)
    return status


def _told(error: WrongCall | MemoryError | OSError) -> tuple[str, int]:
    """What went wrong, in a sentence, and the exit status."""
    if isinstance(error, WrongCall):
        return str(error), 2
    if isinstance(error, MemoryError):
        return "There is too little memory for this: end what else runs, or give it less to do.", 1
    if error.filename is not None:
        # What a command did not expect of a file: no right to look into its folder, a name longer than any.
        named = os.fsdecode(error.filename)
        return f"{named} cannot be used ({error.strerror}): name another, or see to its rights and its disk.", 2
    if isinstance(error, FileNotFoundError) and _is_adrift():
        return "The directory in which this was begun is gone: change to one that is there.", 2
    return f"The output cannot be written ({error.strerror}): make room, or write it elsewhere.", 1


def _is_adrift() -> bool:
    try:
        Path.cwd()
    except FileNotFoundError:
        return True
    return False


def _viewer(words: list[str]) -> tuple[list[str], str | None]:
    """The words without --as and its name, and the name: it may begin with a dash, or be one."""
    if words[:1] != ["replay"] or "--as" not in words[:-1]:
        return words, None
    place = words.index("--as")
    return words[:place] + words[place + 2 :], words[place + 1]


def _parsed(words: list[str], given: argparse.Namespace | None) -> argparse.Namespace:
    """What the words ask for; of the commands only the one that is called is loaded."""
    name, *rest = words or [""]
    if name not in COMMANDS:
        _overview().parse_args(words)
        raise WrongCall("cornet: a command comes first; see cornet --help.")
    does, example = COMMANDS[name]
    parser = Parser(prog=f"cornet {name}", description=does, epilog=f"Example: cornet {name} {example}".rstrip())
    command = import_module(f"server.commands.{name}")
    command.arguments(parser)
    parser.set_defaults(run=command.run)
    # Files may stand before, between and after the options; what comes after -- is a file whatever it looks like.
    return (parser.parse_args if "--" in rest else parser.parse_intermixed_args)(rest, given)


def _overview() -> Parser:
    parser = Parser(
        prog="cornet",
        description="A motorised cornet: throws real dice, reads them, plays the old games.",
        epilog="Example: cornet run. What a command takes is told by cornet COMMAND --help.",
    )
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    for name, (does, _) in COMMANDS.items():
        commands.add_parser(name, help=does)
    return parser
