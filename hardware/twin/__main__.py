"""The twin: `python -m hardware.twin study memory --throws 200`, or `... throw --set turns=3 --out FILE`."""

import argparse
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from hardware.twin.report import table
from hardware.twin.study import STUDIES, carry_out, write
from hardware.twin.throws import Unknown, throws
from hardware.twin.truth import judged

SERIES = Path(__file__).parents[2] / "build" / "twin"


def main() -> int:
    """The command; 2 for a wrong call."""
    given = _parser().parse_args()
    try:
        given.do(given)
    except ValueError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    except OSError as error:
        sys.stderr.write(f"{error.filename} cannot be used ({error.strerror}): name another file.\n")
        return 2
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m hardware.twin", description=__doc__)
    commands = parser.add_subparsers(required=True)
    throw = commands.add_parser("throw", help="throw the twin's dice; goes on where it was interrupted")
    throw.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="a size, setting or surface")
    throw.add_argument("--out", type=Path, required=True, metavar="FILE", help="one line for each throw (JSON)")
    throw.set_defaults(do=_throw)
    study = commands.add_parser("study", help="answer a question by table and plot; goes on where it was interrupted")
    study.add_argument("name", choices=STUDIES)
    study.add_argument("--series", type=Path, default=SERIES, metavar="DIR", help="where the throws are kept")
    study.set_defaults(do=_study)
    for command in (throw, study):
        command.add_argument("--throws", type=_count, default=200, help="of each series")
        command.add_argument("--seed", type=int, default=7)
    report = commands.add_parser("report", help="a table of what was thrown")
    report.add_argument("files", type=Path, nargs="+", metavar="FILE")
    report.set_defaults(do=lambda given: sys.stdout.write(table(given.files)))
    truth = commands.add_parser("truth", help="compare what `cornet throw --tower twin` read with what the dice showed")
    truth.add_argument("data", type=Path, metavar="DIR")
    truth.add_argument("--seed", required=True, help="the one that the throws were made with")
    truth.set_defaults(do=_truth)
    return parser


def _change(text: str) -> tuple[str, float]:
    name, _, value = text.partition("=")
    try:
        return name, float(value)
    except ValueError:
        raise Unknown(f'"{text}" is no NAME=NUMBER, as in turns=3.') from None


def _count(text: str) -> int:
    if not text.isdecimal() or not int(text):
        raise argparse.ArgumentTypeError(f'"{text}" is no number of throws')
    return int(text)


def _throw(given: argparse.Namespace) -> None:
    changes = dict(map(_change, given.set))
    _shown(throws(changes, given.seed, given.throws, given.out), given.throws)


def _study(given: argparse.Namespace) -> None:
    study = STUDIES[given.name]
    _shown(carry_out(study, given.seed, given.throws, given.series), given.throws * len(study.series))
    sys.stdout.write(f"{write(given.name, given.series)}\n")


def _truth(given: argparse.Namespace) -> None:
    tally: Counter[str] = Counter()
    _shown((tally.update([judgement]) or tally.total() for judgement in judged(given.data, given.seed)), None)
    sys.stdout.write("".join(f"{count} {what}\n" for what, count in sorted(tally.items())))


def _shown(steps: Iterator[int], total: int | None) -> None:
    columns = TextColumn("throws"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    with Progress(*columns, console=Console(stderr=True)) as progress:
        shown = progress.add_task("throws", total=total)
        for done in steps:
            progress.update(shown, completed=done)


if __name__ == "__main__":
    sys.exit(main())
