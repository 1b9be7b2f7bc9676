"""How a phone finds the table: the address that reaches this machine from the room, in words and as a QR code."""

import socket
import time
from functools import lru_cache
from ipaddress import ip_address

import segno
from flask import Blueprint, Request, Response, abort, jsonify, request

from server.openapi import ANYBODY, operation

join = Blueprint("join", __name__)

_REMEMBERED_S = 30.0
_ANSWER_S = 0.3


@join.get("/api/join")
@operation(ANYBODY, {200: "The address, null where this machine cannot be reached from the room."})
def where() -> Response:
    """Where a phone plays along."""
    place = address(request)
    return jsonify(url=f"http://{place}/play" if place else None, words=place)


@join.get("/join.svg")
def code() -> Response:
    """That address as a QR code."""
    place = address(request)
    if place is None:
        abort(404, "This machine cannot be reached from the room: start it with --host 0.0.0.0.")
    drawn = segno.make(f"http://{place}/play", error="m", micro=False)
    picture = drawn.svg_inline(border=2, dark="#15110e", light="#f6ecd9", omitsize=True)
    return Response(picture.replace("<svg", '<svg xmlns="http://www.w3.org/2000/svg"', 1), mimetype="image/svg+xml")


def address(asked: Request) -> str | None:
    """Host and port by which the room reaches this machine: as the page was asked for, or where it answers."""
    host, _, port = asked.host.rpartition(":")
    if not host or not port.isdigit():
        host, port = asked.host, "80"
    if not _is_own(host):
        return asked.host
    return _reached(int(port), int(time.monotonic() / _REMEMBERED_S))


def _is_own(host: str) -> bool:
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost"


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
