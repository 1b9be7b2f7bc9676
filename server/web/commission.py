"""The certificate of a commissioning run: everything in it follows from the log, so that anybody can make it again."""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any, NamedTuple

from flask import Flask, render_template

from calibration.fairness import Tally
from calibration.power import dice_needed, face_bias
from server.chain import Event
from server.evenings import Evenings, as_json, thrown_of
from server.web import languages
from server.web.fairness import STYLE, fairness, view
from vision.shares import at_most

FOLDER = "certificates"
VERSION = version("cornet")
ALPHA, POWER = 0.001, 0.99
"""Of the statement that no face is off by more."""
_BY = re.compile(r'<meta name="generator" content="Cornet ([^"]{1,40})">')
_DATA = re.compile(r"<pre>(.*?)</pre>", re.DOTALL)


@dataclass(slots=True)
class Commission:
    """A commissioning run as the log tells it."""

    soak: int  # the event that began it
    asked: dict[str, Any]
    began: str
    ended: str = ""
    head: str = ""  # of the chain, after its last throw
    tally: Tally = field(default_factory=Tally)
    faults: Counter[str] = field(default_factory=Counter)
    boots: list[dict[str, Any]] = field(default_factory=list)  # what threw and read it: versions, parts
    simulated: bool = False  # whether any part of it was
    trays: list[str] = field(default_factory=list)  # SHA-256 of the calibrations it was read by

    @property
    def complete(self) -> bool:
        """Whether all throws were made."""
        return self.tally.throws >= int(self.asked["count"])


def commissions(events: Iterable[Event]) -> dict[int, Commission]:
    """The commissioning runs of a log, by the events that began them."""
    found: dict[int, Commission] = {}
    boot: dict[str, Any] = {}
    running: Commission | None = None
    for event in events:
        body = event.body
        if event.kind == "boot":
            boot, running = body, None
        elif event.kind == "soak" and body["asked"].get("commission"):
            found[event.seq] = Commission(event.seq, body["asked"], body["at"])
        elif event.kind in ("press", "trial", "refused") and body.get("soak") in found:
            running = found[body["soak"]]
            if event.kind != "press" and not running.complete:
                _take(running, event, boot)
        elif event.kind == "fault" and running is not None and not running.complete:
            running.faults[body["fault"]] += 1
    return found


def certificate(run: Commission) -> str:
    """The certificate as a page in one file; the same log gives the same bytes."""
    app = Flask("server.web.app")
    languages.install(app)
    app.register_blueprint(fairness)
    app.jinja_env.filters["moment"] = _moment
    found = Evenings(run.tally, str(run.asked["set"]), None, {}, run.tally)
    with app.app_context():
        shown = view(as_json(found))
        return render_template(
            "certificate.html", style=STYLE.read_text("utf-8"), cornet=VERSION, **shown, **_figures(run, shown)
        )


def _take(run: Commission, event: Event, boot: dict[str, Any]) -> None:
    body = event.body
    run.tally.add(thrown_of(body, event.kind == "trial", None))
    run.ended, run.head = body["at"], event.hash
    run.simulated = run.simulated or boot.get("simulated") is not False or bool(body.get("source"))
    about = {name: boot.get(name) for name in ("version", "tower", "camera", "reader")}
    if about not in run.boots:
        run.boots.append(about)
    if "tray" in body and body["tray"] not in run.trays:
        run.trays.append(body["tray"])


def _figures(run: Commission, shown: dict[str, Any]) -> dict[str, Any]:
    dice = sum(run.tally.counts)
    # The bias that so many dice find at 0.1 % with a power of 99 %: it goes with one over the root of their number.
    within_pp = (dice_needed(face_bias(0.01), 5, ALPHA, POWER) / dice) ** 0.5 if dice else None
    hours = (datetime.fromisoformat(run.ended or run.began) - datetime.fromisoformat(run.began)).total_seconds() / 3600
    passed = run.complete and not shown["alarms"] and shown["now"]["p"] >= ALPHA
    data = {"soak": run.soak, "asked": run.asked, "faces": list(run.tally.counts), "head": run.head, "passed": passed}
    return {
        "run": run,
        "hours": hours,
        "within_pp": within_pp,
        "refused": sum(run.tally.refused.values()),
        "misread": at_most(0, dice) if dice else None,
        "passed": passed,
        "data": json.dumps(data, sort_keys=True),
    }


def _moment(at: str) -> str:
    """A moment of the log as people write it."""
    return f"{datetime.fromisoformat(at).astimezone(UTC):%Y-%m-%d %H:%M} UTC"


class Remade(NamedTuple):
    """What came of making the kept certificates again from the log."""

    number: int
    differences: list[str]
    said: list[str]  # of those of another version of Cornet, whose data alone are compared, and of those of no run


def remade(events: Iterable[Event], kept: Callable[[str], bytes | None], files: Iterable[str]) -> Remade:
    """Make the certificates of complete runs again and compare them with those that are kept, which `files` lists."""
    runs = commissions(events)
    complete = {file_of(seq) for seq, run in runs.items() if run.complete}
    lost = sorted(path for path in files if path.startswith(f"{FOLDER}/") and path not in complete)
    why = "it may have been cut short or exchanged"
    found = Remade(0, [], [f"The certificate {path} belongs to no complete run of this log: {why}." for path in lost])
    for seq, run in runs.items():
        before, name = kept(file_of(seq)), file_of(seq)
        if before is None or not run.complete:
            continue
        found = found._replace(number=found.number + 1)
        text, again = before.decode(errors="replace"), certificate(run)
        by = _BY.search(text)
        if by is not None and by[1] != VERSION and _DATA.findall(text) == _DATA.findall(again):
            found.said.append(
                f"The certificate {name} was written by Cornet {by[1]}: its data are those of the log; its words are "
                "made again by that version only."
            )
        elif text != again:
            found.differences.append(f"The certificate {name} is not what the log makes of event {seq}.")
    return found


def file_of(seq: int) -> str:
    """Where the certificate of a run is kept, as a path in the data directory."""
    return f"{FOLDER}/{seq}.html"
