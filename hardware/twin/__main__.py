"""The twin: `python -m hardware.twin throw --throws 400 --set turns=1.5 --out FILE`, then `... report FILE`."""

import argparse
import sys
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from hardware.twin.report import table
from hardware.twin.throws import Unknown, throws


def main() -> int:
    """The command; 2 for a wrong call."""
    parser = argparse.ArgumentParser(prog="python -m hardware.twin", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    throw = commands.add_parser("throw", help="throw the twin's dice; goes on where it was interrupted")
    throw.add_argument("--throws", type=int, default=200)
    throw.add_argument("--seed", type=int, default=7)
    throw.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="a size, setting or surface")
    throw.add_argument("--out", type=Path, required=True, metavar="FILE", help="one line for each throw (JSON)")
    report = commands.add_parser("report", help="a table of what was thrown")
    report.add_argument("files", type=Path, nargs="+", metavar="FILE")
    given = parser.parse_args()
    try:
        if given.command == "report":
            sys.stdout.write(table(given.files))
        else:
            _throw({name: float(value) for name, _, value in (text.partition("=") for text in given.set)}, given)
    except (Unknown, ValueError, OSError) as error:
        sys.stderr.write(f"{error}\n")
        return 2
    return 0


def _throw(changes: dict[str, float], given: argparse.Namespace) -> None:
    columns = TextColumn("throws"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    with Progress(*columns, console=Console(stderr=True)) as progress:
        shown = progress.add_task("throws", total=given.throws)
        for done in throws(changes, given.seed, given.throws, given.out):
            progress.update(shown, completed=done)


if __name__ == "__main__":
    sys.exit(main())
