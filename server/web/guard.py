"""Who may ask for what, before any page is made: hosts, origins, tokens, the console, the operator and the guests."""

import hmac
import ipaddress
import socket
from collections.abc import Callable
from functools import lru_cache

from flask import Flask, Request, Response, abort, jsonify, request

from server.web.caps import NOTES_A_MINUTE, NOTES_AT_ONCE, REQUESTS_A_SECOND, REQUESTS_AT_ONCE, Pace
from server.web.handed import handed
from server.web.openapi import OPERATOR, SEAT, promised

LARGEST_BODY = 16 * 1024
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
}
TOKEN = "X-Cornet-Token"  # noqa: S105 (the name of a header)
OPERATOR_COOKIE = "cornet_operator"
DEVICE_COOKIE = "cornet_device"
"""What a device keeps that has given the right PIN: its own tries, and nothing else."""
_CHANGING = {"POST", "PUT", "PATCH", "DELETE"}


def install(app: Flask, names: frozenset[str], need_seat: Callable[[], object]) -> None:
    """Put the guard before every route of the app; `names` are the host names that are ours besides our own.

    `need_seat` refuses whoever holds no seat: guests are asked for one where a route is for seats.
    """
    app.config["MAX_CONTENT_LENGTH"] = LARGEST_BODY
    ours = names | own_names()
    pace, notes = Pace(REQUESTS_AT_ONCE, REQUESTS_A_SECOND), Pace(NOTES_AT_ONCE, NOTES_A_MINUTE / 60)

    @app.before_request
    def check() -> None:
        if not is_ours(_without_port(request.host), ours):
            called = request.headers.get("Host", "")
            refusal = f"This cornet is not called {called!r}; use its address or its own name."
            if request.path.startswith("/api/"):
                abort(400, refusal)
            # No page: its links would lead to that name, and of some names no link can be made.
            abort(Response(refusal, 400, mimetype="text/plain"))
        origin = origin_of(request)
        if origin is not None and origin != f"http://{request.host}":
            abort(403, "This request came from another site's page.")
        role = role_of(request)
        if role == "console":
            return
        if request.method in _CHANGING:
            if role == "guest" and not pace.allows(neighbourhood(request)):
                abort(slow_down(1, "Too many requests: wait a second."))
            if not hmac.compare_digest(request.headers.get(TOKEN, "").encode(), token_of(request).encode()):
                abort(403, f"The header {TOKEN} is not the token of GET /api/me: load the page again.")
        promise = promised()
        # What promises nothing is a page to look at: nobody but the operator changes anything there.
        needs_operator = promise.who == OPERATOR if promise else request.method in _CHANGING
        if needs_operator and role == "guest":
            abort(403, "Only the bartender may do that: give the PIN, or use the device itself.")
        if promise and promise.who == SEAT and role == "guest":
            need_seat()
        if promise and promise.is_note and role == "guest" and not notes.allows(neighbourhood(request)):
            abort(slow_down(round(60 / NOTES_A_MINUTE), "Too many changes in a short time: wait ten seconds."))

    @app.after_request
    def head(response: Response) -> Response:
        response.headers.update(HEADERS)
        if request.path.startswith("/api/"):
            response.headers["Cache-Control"] = "no-store"
        return response


def origin_of(asked: Request) -> str | None:
    """The site whose page sends a request, as the browser says; None where it says nothing.

    A link on another site may lead here: where a visitor comes from counts only if the request changes something.
    """
    origin, page = asked.headers.get("Origin"), asked.headers.get("Referer")
    if origin is None and page and asked.method in _CHANGING:
        return "/".join(page.split("/", 3)[:3])
    return origin


def role_of(asked: Request) -> str:
    """`console`, `operator` or `guest`."""
    if at_console(asked):
        return "console"
    return "operator" if handed().access.is_open(asked.cookies.get(OPERATOR_COOKIE, "")) else "guest"


def token_of(asked: Request) -> str:
    """What a page of ours knows and another site's page cannot read: bound to this start and to who asks."""
    return hmac.digest(handed().tokens, (asked.remote_addr or "").encode(), "sha256").hex()


def slow_down(seconds: int, sentence: str, status: int = 429) -> Response:
    """The answer to whoever must wait."""
    response = jsonify({"error": sentence})
    response.status_code = status
    response.headers["Retry-After"] = str(seconds)
    return response


def neighbourhood(asked: Request) -> str:
    """The address that caps and paces go by: a whole network where one machine may take any address of it (IPv6)."""
    return network_of(asked.remote_addr or "")


def network_of(address: str) -> str:
    """The address itself, of an IPv6 address its /64; a link-local address stands for itself."""
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if found.version == 4 or found.is_link_local:
        return str(found)
    return str(getattr(found, "ipv4_mapped", None) or ipaddress.ip_network((found, 64), strict=False))


def at_console(asked: Request) -> bool:
    """Whether the request comes from the device itself."""
    return is_console(asked.remote_addr or "")


def is_console(address: str) -> bool:
    """Whether this is the device's own address: exactly 127.0.0.1 or ::1."""
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return False
    return str(getattr(found, "ipv4_mapped", None) or found) in ("127.0.0.1", "::1")


def own_names() -> frozenset[str]:
    """The names by which this machine knows itself."""
    name = socket.gethostname().lower()
    return frozenset({"localhost", name, f"{name}.local", socket.getfqdn().lower()})


def is_ours(host: str, names: frozenset[str]) -> bool:
    """Whether a host, name or address, is this machine."""
    return host.lower().strip("[]").rstrip(".") in names or _own_address(host)


@lru_cache(maxsize=64)
def _own_address(host: str) -> bool:
    # Only an address of this machine can be bound to, so the list of its addresses need not be known.
    try:
        address = ipaddress.ip_address(host.strip("[]"))
        family = socket.AF_INET if address.version == 4 else socket.AF_INET6
        with socket.socket(family, socket.SOCK_DGRAM) as trial:
            trial.bind((str(address), 0))
            # An address of all machines can be bound to as well, but nothing is sent there unasked.
            trial.connect((str(address), 9))
    except (ValueError, OSError):
        return False
    return not address.is_unspecified and not address.is_multicast


def _without_port(host: str) -> str:
    name, colon, port = host.rpartition(":")
    return name if colon and port.isdigit() and (not name.count(":") or name.endswith("]")) else host
