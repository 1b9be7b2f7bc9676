"""What the twin's dice really showed, beside what the whole program read: throws of `cornet throw --tower twin`."""

import json
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from firmware.tower import TowerFault
from hardware.twin.tower import TwinTower
from server.evidence import evidence_of
from server.throwing import REFUSALS


def judged(directory: Path, seed: str) -> Iterator[str]:
    """Throw again, by the same seed, what a data directory has pictures of, and say what became of each throw.

    "read", "refused VERDICT", or "silent": read, and one of the dice was not what it was read as, or leant.
    The faces are compared as a set, since twin and picture number the dice differently. Only the version of the program
    and of its sizes that made the throws makes the same again: with any other all of them look silent.
    NothingToAudit where there is no log.
    """
    tower: TwinTower | None = None
    refusals = 0
    for number, event in enumerate(_events(directory)):
        kind = event["kind"]
        if kind == "boot":
            tower = TwinTower(seed, event["dice"], event["turns"])
            tower.resume(number)
        elif tower is not None and kind in ("press", "trial", "refused"):
            if kind != "press":
                yield _judged(event, tower)
            refusals = refusals + 1 if kind == "refused" else 0
            if kind == "press" or 0 < refusals < REFUSALS:
                _tumble(tower)


def _tumble(tower: TwinTower) -> None:
    # What stopped the cone then stops it now, and is an event of its own: no look follows.
    with suppress(TowerFault):
        tower.tumble()


def _judged(event: dict[str, Any], tower: TwinTower) -> str:
    if event["kind"] == "refused":
        return f"refused {event['verdict']}"
    true = Counter(die.face for die in tower.lying)
    return "read" if Counter(die["face"] for die in event["dice"]) == true else "silent"


def _events(directory: Path) -> list[dict[str, Any]]:
    with evidence_of(directory) as evidence:
        return [json.loads(str(body)) for _, body, _ in evidence.rows()]
