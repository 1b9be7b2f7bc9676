"""How a phone finds the table: the address that reaches this machine from the room, in words and as a QR code.

Where the bartender asks for it, the QR code on the television carries a join code that changes every minute: whoever
has it stands in the room.
"""

import socket
import time
from functools import lru_cache
from ipaddress import ip_address

import segno
from flask import Blueprint, Request, Response, abort, jsonify, request

from server.web import guard
from server.web.handed import handed
from server.web.openapi import ANYBODY, operation

join = Blueprint("join", __name__)

_TEXT = {"type": ["string", "null"]}
_WHERE = {"type": "object", "properties": {"url": _TEXT, "words": _TEXT, "code": _TEXT}}

_REMEMBERED_S = 30.0
_ANSWER_S = 0.3


@join.get("/api/join")
@operation(
    ANYBODY,
    {200: "The address, null where this machine cannot be reached from the room, and to the bar's screens the code."},
    gives=_WHERE,
)
def where() -> Response:
    """Where a phone plays along."""
    place = address(request)
    return jsonify(url=f"http://{place}/play" if place else None, words=place, code=_shown())


@join.get("/join.svg")
def picture() -> Response:
    """That address as a QR code; on the bar's own screens with the join code."""
    place, code = address(request), _shown()
    if place is None:
        abort(404, "This machine cannot be reached from the room: start it with --host 0.0.0.0.")
    drawn = segno.make(f"http://{place}/play{f'?code={code}' if code else ''}", error="m", micro=False)
    lines = drawn.svg_inline(border=2, dark="#15110e", light="#f6ecd9", omitsize=True)
    response = Response(lines.replace("<svg", '<svg xmlns="http://www.w3.org/2000/svg"', 1), mimetype="image/svg+xml")
    response.headers["Cache-Control"] = "no-store"
    return response


def _shown() -> str | None:
    """The code for whoever asks: the bar's own screens show it, a phone that asks for it gets none."""
    asked_for = handed().table.ask(lambda standing: standing.joining) == "code"
    return handed().codes.newest() if asked_for and guard.role_of(request) != "guest" else None


def address(asked: Request) -> str | None:
    """Host and port by which the room reaches this machine: as the page was asked for, or where it answers."""
    host, _, port = asked.host.rpartition(":")
    if not _is_of_itself(host if host and port.isdigit() else asked.host):
        return asked.host
    # The port that is listened on: a guest may name any other.
    return _reached(int(asked.environ["SERVER_PORT"]), int(time.monotonic() / _REMEMBERED_S))


def _is_of_itself(host: str) -> bool:
    """Whether by that no phone surely finds it: an address of any machine itself, or a name that no server knows."""
    try:
        found = ip_address(host.strip("[]"))
    except ValueError:
        return "." not in host.rstrip(".")
    return found.is_loopback or found.is_unspecified


@lru_cache(maxsize=4)
def _reached(port: int, _moment: int) -> str | None:
    # Choosing a route sends nothing; the address of documentation is never reached.
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            probe.connect(("192.0.2.1", 9))
            host = probe.getsockname()[0]
        socket.create_connection((host, port), _ANSWER_S).close()
    except OSError:
        return None
    return f"{host}:{port}"
