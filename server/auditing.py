"""`cornet audit` and `cornet export`: what happened, checked and handed out."""

import json
from pathlib import Path

from rich.console import Console
from rich.progress import Progress

from server.audit import NothingToAudit, audit, evidence_of, find_game, write_bundle
from server.cli import WrongCall
from server.log import BrokenLog, walk


def audit_path(path: Path) -> int:
    """Audit a data directory or a bundle and say what was found; 1 if anything differs."""
    try:
        evidence, number = evidence_of(path)
    except NothingToAudit as error:
        raise WrongCall(str(error)) from None
    progress = Console(stderr=True)
    with Progress(console=progress, transient=True, disable=not progress.is_terminal) as bar:
        task = bar.add_task("Auditing", total=number)
        found = audit(evidence, lambda event: bar.advance(task))
    for difference in found.differences:
        print(difference)
    if found.expired:
        print(f"{len(found.expired)} pictures have expired and could not be read again.")
    verdict = f"{len(found.differences)} differences" if found.differences else "no difference"
    print(
        f"{found.events} events, {found.pictures} pictures read again, {found.games} games replayed: {verdict}. "
        f"The chain's head is {found.head[:8] or 'empty'}."
    )
    return 1 if found.differences else 0


def export_game(game_id: int, data: Path, bundle: Path | None) -> int:
    """Print the record of a game, or write its bundle."""
    try:
        evidence, _ = evidence_of(data)
        played = find_game(walk(evidence.rows, *evidence.before), game_id)
    except (NothingToAudit, BrokenLog) as error:
        raise WrongCall(str(error)) from None
    if played is None:
        raise WrongCall(f"There is no game {game_id} in {data}: a game's number is its game_id in /api/state.")
    if bundle is None:
        print(json.dumps(played.record))
        return 0
    write_bundle(played, evidence.picture, bundle)
    return 0
