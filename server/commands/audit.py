"""`cornet audit`: what happened, checked."""

import argparse
from datetime import timedelta
from pathlib import Path

from rich.console import Console
from rich.progress import Progress

from server.audit import Audit, audit
from server.commands.words import DATA, Parser, WrongCall, named_path
from server.evidence import Evidence, NothingToAudit, evidence_of
from server.log import NONSENSE
from server.rules import harmless
from server.settings import read_settings
from server.wallclock import now
from server.web.commission import FOLDER, Remade, remade


def arguments(parser: Parser) -> None:
    """What the command takes."""
    parser.add_argument(
        "path", type=named_path, nargs="?", default=DATA, help="a data directory or a bundle (default ./data)"
    )


def run(given: argparse.Namespace) -> int:
    """Audit a data directory or a bundle and say what was found; 1 if anything differs."""
    try:
        with evidence_of(given.path) as evidence:
            found, certificates = _audited(evidence), _remade(given.path, evidence)
    except NothingToAudit as error:
        raise WrongCall(str(error)) from None
    found.differences += certificates.differences
    for difference in found.differences:
        _say(difference)
    for line in found.said:
        _say(line)
    oldest = (now().at - timedelta(days=read_settings(None).keep_days)).date().isoformat()
    for name, day in found.missing.items():
        gone = "has expired" if day <= oldest else "is gone, sooner than pictures usually expire,"
        _say(f"The picture {name} {gone} and could not be read again.")
    for reader in sorted(found.readers):
        _say(f"A part was read by another reader ({reader}); this one may see it differently.")
    for sentence in certificates.said:
        _say(sentence)
    done = [
        _counted(found.events, "event"),
        f"{_counted(found.pictures, 'picture')} read again",
        f"{_counted(found.games, 'game')} replayed",
    ]
    if found.redrawn:
        done.append(f"{_counted(found.redrawn, 'simulated throw')} drawn again")
    if certificates.number:
        done.append(f"{_counted(certificates.number, 'certificate')} made again")
    verdict = _counted(len(found.differences), "difference") if found.differences else "no difference"
    print(f"{', '.join(done)}: {verdict}. The chain's head is {found.head[:8] or 'empty'}.")
    return 1 if found.differences else 0


def _counted(number: int, thing: str) -> str:
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def _say(line: str) -> None:
    """Print a line; what a forged log says in it moves no cursor and begins no line of its own."""
    print(harmless(line))


def _audited(evidence: Evidence) -> Audit:
    progress = Console(stderr=True)
    with Progress(console=progress, transient=True, disable=not progress.is_terminal) as bar:
        task = bar.add_task("Auditing", total=evidence.number)
        return audit(evidence, lambda event: bar.advance(task))


def _remade(path: Path, evidence: Evidence) -> Remade:
    """The certificates of a directory, made again from its log."""
    if not path.is_dir() or not any(name.startswith(f"{FOLDER}/") for name in evidence.files):
        return Remade(0, [], [])
    try:
        return remade(evidence.events(), evidence.file, evidence.files)
    except NONSENSE as error:
        return Remade(0, [f"The certificates cannot be made again: {error}"], [])
