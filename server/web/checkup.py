"""What the doctor finds beside the running machine, and what its camera sees now: for the bartender's page."""

import threading
from collections.abc import Iterator

from flask import Blueprint, Response, abort, jsonify

from server import doctor, wallclock
from server.doctor import Finding, State
from server.log import Log
from server.stage import NotNow, part_of
from server.table import Table
from server.web.handed import handed
from server.web.openapi import OPERATOR, operation
from vision.camera import CameraLost
from vision.picture import encode_jpeg

checkup = Blueprint("checkup", __name__)

# One examination at a time: it reads dice and walks through the whole log.
_examining = threading.Lock()
_looking = threading.Lock()  # a drawn camera is for one at a time


@checkup.get("/api/doctor")
@operation(
    OPERATOR,
    {200: "What was found, part by part.", 409: "Dice are being thrown, or another examination is under way."},
    gives={"type": "object", "required": ["ok", "findings"]},
)
def examine() -> Response:
    """What the doctor finds of this machine while it runs: `cornet doctor` on a machine that stands tries more."""
    table = handed().table
    if table.busy or not _examining.acquire(blocking=False):
        abort(409, "The machine is busy; ask the doctor again when it stands still.")
    try:
        findings = list(_findings(table, handed().log))
    finally:
        _examining.release()
    ok = all(each.state is not State.FAILED for each in findings)
    return jsonify(ok=ok, findings=[each.as_json() for each in findings])


@checkup.get("/api/camera.jpg")
@operation(
    OPERATOR,
    {200: "The picture.", 404: "This cornet has no such camera.", 409: "The machine works, or the camera is lost."},
    gives="image/jpeg",
)
def camera() -> Response:
    """What the camera sees now, while nothing is thrown: of a throw nothing is seen before it is written down."""
    table, glimpse = handed().table, handed().glimpse
    if glimpse is None:
        abort(404, "This cornet has no camera that sees it now.")
    at_work = NotNow("The machine works; what its camera sees is shown again when it stands still.")
    with _looking:
        if table.busy:
            raise at_work
        try:
            seen = encode_jpeg(glimpse())
        except CameraLost as error:
            raise NotNow(str(error)) from None
    if table.busy:  # a throw that has begun since may be in the picture
        raise at_work
    return Response(seen, mimetype="image/jpeg")


def _findings(table: Table, log: Log) -> Iterator[Finding]:
    yield from _parts(table)
    yield doctor.reader()
    yield from doctor.disk(log.directory)
    # What is latched was told with its part.
    yield from (each for each in doctor.log(log.directory) if each.part != "fault")
    yield doctor.calibration(log.directory)
    yield doctor.clock(wallclock.now().synchronised)
    yield from doctor.programs(() if table.about["simulated"] else ("pi",))


def _parts(table: Table) -> Iterator[Finding]:
    """Tower and camera as the running machine knows them: it holds them, and nobody else can try them now."""
    fault = table.fault
    for part in ("tower", "camera"):
        if fault is not None and part_of(fault[0]) == part:
            yield Finding(part, State.FAILED, fault[0], fault[1])
        elif table.about["simulated"]:
            yield Finding(part, State.ABSENT, "simulated")
        else:
            yield Finding(part, State.OK, "no fault is known")
