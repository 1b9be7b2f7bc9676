"""`cornet fairness`: the evidence of the log so far, as a table, as JSON, or as a page in one file."""

import argparse
import json
import re
from collections.abc import Iterator
from typing import Any

from flask import Flask, render_template
from rich.console import Console
from rich.table import Table

from calibration.evidence import judge
from calibration.fairness import Tally, alarms, memory_of, report
from server.chain import BrokenLog
from server.commands.screen import cell
from server.commands.words import Parser, WrongCall, add_data, named_path, spare
from server.evenings import Evenings, as_json, by_turns, evenings
from server.evidence import NothingToAudit, evidence_of, replaying
from server.web import languages
from server.web.fairness import STYLE, fairness, view


def arguments(parser: Parser) -> None:
    """What the command takes."""
    add_data(parser, "log, or a bundle")
    parser.add_argument("--json", action="store_true", help="print the evidence for programs")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--report", type=named_path, metavar="FILE.html", help="write it as a page in one file too")
    which.add_argument(
        "--turns", action="store_true", help="print what the dice remember, by the turns of the cone in a throw"
    )
    which.add_argument(
        "--counts", type=_counts, metavar="a,b,c,d,e,f", help="judge these counts of the faces 1 to 6 and no log"
    )


def _counts(text: str) -> list[int]:
    if not re.fullmatch("[0-9]{1,15}(,[0-9]{1,15}){5}", text):
        raise argparse.ArgumentTypeError(f"{text!r} is not six whole numbers of up to 15 digits, separated by commas")
    counts = [int(count) for count in text.split(",")]
    if not any(counts):
        raise argparse.ArgumentTypeError("there must be at least one die")
    return counts


def run(given: argparse.Namespace) -> int:
    """Print what the log, or the counts, say of the dice."""
    if given.counts is not None:
        print(json.dumps(judge(given.counts).as_json()))
        return 0

    if given.report is not None:
        spare(given.data, given.report, ".html")
    try:
        with replaying(given.data), evidence_of(given.data) as evidence:
            if given.turns:
                _print_turns(by_turns(evidence.events()), given.json)
                return 0
            found = evenings(evidence.events)
            told = as_json(found)
    except (NothingToAudit, BrokenLog) as error:
        raise WrongCall(str(error)) from None
    if given.report is not None:
        try:
            # Not put in the place of what has that name: it may be a link, a pipe or a device.
            given.report.write_text(as_page(found), "utf-8")
        except OSError as error:
            raise WrongCall(f"{given.report} cannot be written ({error.strerror}): name another file.") from None
    if given.json:
        print(json.dumps(told))
    else:
        _print(told)
    return 0


def as_page(found: Evenings) -> str:
    """The page of the fairness as one file that needs no other."""
    app = Flask("server.web.app")
    languages.install(app)
    app.register_blueprint(fairness)
    with app.app_context():
        return render_template("fairness_report.html", style=STYLE.read_text("utf-8"), **view(as_json(found)))


def _print(told: dict[str, Any]) -> None:
    table = Table(title="Faces of the dice")
    columns = ("", "throws", "dice", *map(str, range(1, 7)), "p (one look)", "evidence", "alarm")
    for column in columns:
        table.add_column(column, justify="right" if column else "left")
    rows = {"in use now": told["current"], **{f"set {name or 'unnamed'}": each for name, each in told["sets"].items()}}
    for name, each in {**rows, "all time": told["all_time"]}.items():
        shown = map(str, (each["throws"], each["dice"], *each["faces"]))
        table.add_row(
            cell(name), *shown, f"{each['p']:.3g}", f"{each['evidence']:.3g}", ", ".join(alarms(each)) or "none"
        )
    console = Console(width=140)
    console.print(table)
    for sentence in _sentences(told):
        console.print(sentence, highlight=False)


def _print_turns(found: dict[tuple[str, float], Tally], for_programs: bool) -> None:
    rows = [
        {"tower": tower, "turns": turns, "throws": tally.throws, **memory_of(report(tally))}
        for (tower, turns), tally in sorted(found.items())
    ]
    if for_programs:
        print(json.dumps(rows))
        return
    table = Table(title="What dice remember of their last throw")
    for column in ("tower", "turns", "throws", "pairs", "same face", "expected", "p (one look)", "evidence"):
        table.add_column(column, justify="left" if column == "tower" else "right")
    for row in rows:
        numbers = (f"{row['equal']}", f"{row['expected']:.1f}", f"{row['p']:.3g}", f"{row['evidence']:.3g}")
        table.add_row(cell(row["tower"]), f"{row['turns']:g}", str(row["throws"]), str(row["pairs"]), *numbers)
    console = Console(width=140)
    console.print(table)
    console.print("A pair is a die with a name in two throws running; of dice without names, all those of two throws.")


def _sentences(told: dict[str, Any]) -> Iterator[str]:
    now = told["current"]
    if told["simulated_throws_left_out"]:
        throws = told["simulated_throws_left_out"]
        yield "1 simulated throw was left out." if throws == 1 else f"{throws} simulated throws were left out."
    if not now["dice"]:
        return
    yield f"A chip staked against the dice in use would be worth {now['evidence']:.3g} now; at 100 they must go."
    yield f"With the refused readings' best guesses it would be {now['with_refused']['evidence']:.3g}."
    checks = {
        "A die's last throw tells of its next": memory_of(now),
        "The dice of one throw know of each other": now["same_throw"],
        "The face depends on the place (the reader's fault)": now["place"],
        "Refused readings have other faces": now["refusals"],
    }
    for name, check in checks.items():
        yield f"{name}: p = {check['p']:.3g}" if check.get("pairs", check.get("df")) else f"{name}: no data yet"
    yield (
        f"So many dice show a face off by {now['power']['sees_pp']:.2g} points 9 times in 10 (one look at 1 %); for 1 "
        f"point {now['power']['still_for_1_pp']} more are needed."
    )
    worth = now["worth"]
    yield (
        f"If the shares stayed as they are, backing the {worth['face']} in Le Vingt-Six gains {worth['gain']:+.2f} "
        f"a chip, where fair dice give {worth['gain_fair']:+.2f}; as many of them seem to give up to "
        f"{worth['by_chance']:+.2f} by chance alone, 95 times of 100."
    )
