"""The bartender's page of calibration, and its API."""

from flask import Blueprint, Response, abort, jsonify, render_template, request

from calibration.lens import board_svg
from server.names import clean
from server.stage import NotNow
from server.stepping import NAMES, Wanted, axes_mm, degrees
from server.web import guard, people
from server.web.handed import handed
from server.web.openapi import OPERATOR, body, operation
from server.wizard import Wizard
from vision.tray import BadTray

bench = Blueprint("bench", __name__)

_LONGEST = 60  # letters of a set's or a die's name, as on the command line
_TEXT = {"type": "string", "maxLength": 1000}
_STANDING = {"type": "object", "required": ["running", "undo", "steps"]}


@bench.get("/operator/calibration")
def page() -> tuple[str, int]:
    """The steps of calibration, one below the other."""
    if guard.role_of(request) == "guest":
        return people.ask_pin()
    return render_template("calibration.html"), 200


@bench.get("/operator/board.svg")
@operation(OPERATOR, {200: "A page of A4, to be printed at 100 %."}, gives="image/svg+xml")
def board() -> Response:
    """The board for the step of the lens."""
    return Response(board_svg(), mimetype="image/svg+xml")


@bench.get("/api/calibration")
@operation(OPERATOR, {200: "How the calibration stands.", 409: "Its files are damaged."}, gives=_STANDING)
def standing() -> Response:
    """What is in force, what is under way, and what came of each step."""
    return jsonify(_wizard().as_json())


@bench.get("/api/calibration/<step>/picture.jpg")
@operation(
    OPERATOR,
    {200: "The picture.", 404: "There is none.", 409: "This cornet is not calibrated here."},
    gives="image/jpeg",
)
def picture(step: str) -> Response:
    """What a step shows."""
    found = _wizard().picture(step) if step in NAMES else None
    if found is None:
        abort(404, "There is no such picture.")
    return Response(found, mimetype="image/jpeg")


@bench.post("/api/calibration/<step>")
@operation(
    OPERATOR,
    {202: "It has begun.", 409: "A throw or a step is under way, or the machine is in fault."},
    body={
        "set": {**_TEXT, "minLength": 1, "maxLength": _LONGEST, "description": "the name of the set of dice"},
        "names": {"type": "array", "items": _TEXT, "maxItems": 24, "description": "a list of names, left to right"},
        "axes": {**_TEXT, "description": "three axes of each die in mm by callipers, as in 16.01,16.00,15.99"},
        "level": {**_TEXT, "description": "degrees that a level on the floor shows, as in -2.5"},
    },
    gives=_STANDING,
)
def begin(step: str) -> tuple[Response, int]:
    """Begin a step."""
    if step not in NAMES:
        abort(404, "There is no such step.")
    given = body()
    try:
        wanted = Wanted(
            clean(given["set"], _LONGEST) if "set" in given else "",
            tuple(clean(name, _LONGEST) for name in given.get("names", ())),
            axes_mm(given["axes"]) if given.get("axes") else (),
            degrees(given["level"]) if given.get("level") else 0.0,
        )
    except ValueError as error:
        abort(400, str(error))
    _wizard().start(step, wanted, people.who())
    return jsonify(_wizard().as_json()), 202


@bench.delete("/api/calibration/current")
@operation(OPERATOR, {200: "It ends as soon as it can.", 409: "This cornet is not calibrated here."}, gives=_STANDING)
def stop() -> Response:
    """Stop the step under way."""
    _wizard().stop()
    return jsonify(_wizard().as_json())


@bench.delete("/api/calibration/last")
@operation(OPERATOR, {200: "What was before it is in force.", 409: "There is nothing to undo."}, gives=_STANDING)
def undo() -> Response:
    """Undo the last step."""
    _wizard().undo(people.who())
    return jsonify(_wizard().as_json())


@bench.errorhandler(BadTray)
def _bad_tray(error: BadTray) -> tuple[Response, int]:
    return jsonify({"error": str(error)}), 409


def _wizard() -> Wizard:
    wizard = handed().wizard
    if wizard is None:
        raise NotNow("This cornet cannot be calibrated from here.")
    return wizard
