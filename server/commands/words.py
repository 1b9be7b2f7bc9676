"""The words of a command line: their parser, what may be said, and the options that several commands share."""

import argparse
import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn, TextIO

from server.rules import harmless

PORT = 8421
DATA = Path("data")
CAMERAS = ("auto", "pi", "usb", "rendered", "none")


class WrongCall(ValueError):
    """A command line that cannot be carried out; the message says what to do."""


def complain(text: str) -> None:
    """Say something on standard error, in one line; where that is closed, or full, the exit status says it alone."""
    if sys.stderr is None:
        return
    try:
        print(harmless(text), file=sys.stderr)
    except OSError:
        forget(sys.stderr)


def forget(stream: TextIO) -> None:
    """Let nothing try to write the rest of what could not be written, at exit neither."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


class Parser(argparse.ArgumentParser):
    """A parser that refuses with WrongCall."""

    def __init__(self, **settings: Any) -> None:
        # A misspelt word is an error, never another word's beginning.
        super().__init__(**{**settings, "allow_abbrev": False})
        # What begins like a number below nought is a value, for its own check to judge, and no option that is unknown.
        self._negative_number_matcher = re.compile(r"-\.?\d")

    def print_help(self, file: Any = None) -> None:
        # The library's own passes over an output that takes nothing.
        print(self.format_help(), end="", file=file or sys.stdout or sys.stderr, flush=True)

    def error(self, message: str) -> NoReturn:
        raise WrongCall(f"{self.prog}: {message}; see {self.prog} --help.")


def add_data(parser: Parser, holds: str) -> None:
    """--data DIR."""
    parser.add_argument("--data", type=named_path, default=DATA, help=f"directory of the {holds} (default ./data)")


def spare(data: Path, written: Path, ending: str) -> None:
    """WrongCall where an output would be written over what is kept in a data directory, or is the bundle `data`.

    Files with that ending may be written beside the log: Cornet itself keeps none there.
    """
    path, home = Path(os.path.realpath(written)), Path(os.path.realpath(data))
    within = home in path.parents and not (path.parent == home and path.suffix == ending)
    # The log and its folders may be links, or have other names elsewhere.
    kept = (each for each in home.iterdir() if each.suffix != ending) if home.is_dir() else (home,)
    if within or any(_reaches(path, each) for each in kept):
        raise WrongCall(f"{written} belongs to what is kept in {data}: name another file, outside of it.")


def _reaches(path: Path, kept: Path) -> bool:
    there = Path(os.path.realpath(kept))
    return there in (path, *path.parents) or (path.exists() and there.exists() and path.samefile(there))


def add_config(parser: Parser) -> None:
    """--config FILE."""
    parser.add_argument("--config", type=named_path, metavar="FILE", help="settings, in TOML")


def add_machine(parser: Parser) -> None:
    """What says which machine it is: --data, --config, --tower and --camera."""
    add_data(parser, "log")
    add_config(parser)
    parser.add_argument(
        "--tower",
        choices=("auto", "gpio", "sim", "twin"),
        default="auto",
        help="what throws the dice; twin reckons them as rigid bodies (in a checkout, with mujoco)",
    )
    parser.add_argument(
        "--camera",
        type=camera,
        default="auto",
        metavar=f"{{{','.join(CAMERAS)},frames:DIR}}",
        help="what looks at them; frames:DIR plays back recorded pictures",
    )


def add_seed(parser: Parser) -> None:
    """--seed N."""
    parser.add_argument("--seed", type=_seed, metavar="N", help="makes the simulated tower throw the same dice again")


def add_address(parser: Parser) -> None:
    """--host and --port."""
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default %(default)s)")
    parser.add_argument(
        "--port", type=_port, default=PORT, help="port to listen on (default %(default)s; 0: any free one)"
    )


def _seed(text: str) -> int:
    if not re.fullmatch("-?[0-9]{1,100}", text):
        raise argparse.ArgumentTypeError(f"{text[:20]} is no whole number of 1 to 100 digits")
    return int(text)


def _port(text: str) -> int:
    if not re.fullmatch("0*[0-9]{1,5}", text) or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"{text} is no port, ports are 1 to 65535")
    return int(text)


def camera(text: str, kinds: Sequence[str] = CAMERAS) -> str:
    """A camera of these kinds: its name, or frames:DIR."""
    if text in kinds or (text.startswith("frames:") and len(text) > len("frames:")):
        return text
    raise argparse.ArgumentTypeError(f"{text} is no camera here, choose {', '.join(kinds)} or frames:DIR")


def named(text: str) -> str:
    """A file's name as it was given: an empty one would be that of the directory in which one is."""
    if not text:
        raise argparse.ArgumentTypeError("an empty name is that of no file")
    return text


def named_path(text: str) -> Path:
    """The path of that name, which is not empty."""
    return Path(named(text))


def count(text: str) -> int:
    """A whole number from 0 to 999999999."""
    if not re.fullmatch("0*[0-9]{1,9}", text):
        raise argparse.ArgumentTypeError(f"{text[:20]} is no whole number from 0 to 999999999")
    return int(text)


def positive(text: str) -> int:
    """A whole number from 1 to 999999999."""
    if not re.fullmatch("0*[1-9][0-9]{0,8}", text):
        raise argparse.ArgumentTypeError(f"{text[:20]} is no whole number from 1 to 999999999")
    return int(text)


def name(text: str) -> str:
    """A name of 1 to 60 printable characters."""
    if not 1 <= len(text) <= 60 or not text.isprintable() or not text.strip():
        raise argparse.ArgumentTypeError(f"{text!a} is no name, a name has 1 to 60 printable characters")
    return text
