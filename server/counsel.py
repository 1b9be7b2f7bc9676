"""The API of the table that knows: what the options of a game mean."""

import threading
from typing import Any

from flask import Blueprint, Response, abort, jsonify, request

from server.odds.meaning import told
from server.openapi import ANYBODY, operation
from server.record import Refused, parse
from server.rules import BadRecord

counsel = Blueprint("counsel", __name__, url_prefix="/api")

_PATIENCE_S = 5.0
# Odds that nobody asked for yet take up to a second of one core: whoever asks waits for the one before.
_working = threading.Lock()


@counsel.get("/odds/<game>")
@operation(
    ANYBODY,
    {200: "Figures, exact to 1e-9, and what they mean.", 503: "Others are asking; ask again."},
    query={"options": {"type": "string", "description": "a JSON object"}},
    gives={"type": "object"},
)
def odds_of_game(game: str) -> Response:
    """The exact odds of a game under the options of the query, and in `means` what they come to, in sentences."""
    options = _options()
    if not _working.acquire(timeout=_PATIENCE_S):
        abort(503, "Others are asking for odds; ask again in a few seconds.")
    try:
        return jsonify(told(game, options))
    except BadRecord as error:
        abort(400, str(error))
    finally:
        _working.release()


def _options() -> dict[str, Any]:
    try:
        options = parse(request.args.get("options", "{}").encode())
    except Refused as error:
        abort(400, str(error))
    if not isinstance(options, dict):
        abort(400, '"options" is a JSON object.')
    return options
