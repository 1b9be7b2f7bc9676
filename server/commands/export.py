"""`cornet export`: the record of a game, handed out."""

import argparse
import json
import sys
from pathlib import Path

from server.chain import BrokenLog
from server.commands.words import Parser, WrongCall, add_data, count, named_path, spare
from server.evidence import (
    Evidence,
    Extract,
    NothingToAudit,
    Unreadable,
    evidence_of,
    extract_of,
    replaying,
    write_bundle,
)


def arguments(parser: Parser) -> None:
    """What the command takes."""
    parser.add_argument("game", type=count, metavar="GAME-ID", help="the number of the game, as /api/state has it")
    add_data(parser, "log")
    parser.add_argument(
        "--bundle", type=named_path, metavar="FILE.zip", help="write record, pictures and chain there instead"
    )


def run(given: argparse.Namespace) -> int:
    """Print the record of a game, or write its bundle."""
    if given.bundle is not None:
        spare(given.data, given.bundle, ".zip")
    try:
        with evidence_of(given.data) as evidence:
            with replaying(given.data):
                extract = extract_of(evidence.events(), given.game, evidence.before)
            if extract is None:
                raise WrongCall(
                    f"There is no game {given.game} in {given.data}: a game's number is its game_id in /api/state."
                )
            if given.bundle is None:
                print(json.dumps(extract.record))
            else:
                _write(extract, evidence, given.bundle)
    except (NothingToAudit, BrokenLog) as error:
        raise WrongCall(str(error)) from None
    return 0


def _write(extract: Extract, evidence: Evidence, path: Path) -> None:
    try:
        missing = write_bundle(extract, evidence.file, path)
    except OSError as error:
        raise WrongCall(f"{path} cannot be written ({error.strerror}): name another file.") from None
    except Unreadable as error:
        raise WrongCall(f"{error} No bundle was written: mend that file or take it away, then export again.") from None
    for name in missing:
        print(f"{name} is not there any more: the bundle is without it.", file=sys.stderr)
