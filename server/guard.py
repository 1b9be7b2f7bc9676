"""Who may ask for what, before any page is made: hosts, origins, the console and the guests, headers."""

import ipaddress
import socket
import threading
from collections import Counter
from functools import lru_cache

from flask import Flask, Request, Response, abort, request

LARGEST_BODY = 16 * 1024
STREAMS = 224
STREAMS_AN_ADDRESS = 4
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
}
_CHANGING = {"POST", "PUT", "PATCH", "DELETE"}


def install(app: Flask, names: frozenset[str]) -> None:
    """Put the guard before every route of the app; `names` are the host names that are ours besides our own."""
    app.config["MAX_CONTENT_LENGTH"] = LARGEST_BODY
    ours = names | own_names()

    @app.before_request
    def check() -> None:
        if not is_ours(_without_port(request.host), ours):
            abort(400, f"This cornet is not called {request.host!r}; use its address or its own name.")
        origin = request.headers.get("Origin")
        if origin is not None and origin != f"http://{request.host}":
            abort(403, "This request came from another site's page.")
        if request.method in _CHANGING and not at_console(request):
            abort(403, "Guests only watch: games are led at the device itself.")

    @app.after_request
    def head(response: Response) -> Response:
        response.headers.update(HEADERS)
        if request.path.startswith("/api/"):
            response.headers["Cache-Control"] = "no-store"
        return response


def at_console(asked: Request) -> bool:
    """Whether the request comes from the device itself: exactly 127.0.0.1 or ::1."""
    try:
        address = ipaddress.ip_address(asked.remote_addr or "")
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None)
    return str(mapped or address) in ("127.0.0.1", "::1")


def own_names() -> frozenset[str]:
    """The names by which this machine knows itself."""
    name = socket.gethostname().lower()
    return frozenset({"localhost", name, f"{name}.local", socket.getfqdn().lower()})


def is_ours(host: str, names: frozenset[str]) -> bool:
    """Whether a host, name or address, is this machine."""
    return host.lower().rstrip(".") in names or _own_address(host)


@lru_cache(maxsize=64)
def _own_address(host: str) -> bool:
    # Only an address of this machine can be bound to, so the list of its addresses need not be known.
    try:
        address = ipaddress.ip_address(host.strip("[]"))
        family = socket.AF_INET if address.version == 4 else socket.AF_INET6
        with socket.socket(family, socket.SOCK_STREAM) as trial:
            trial.bind((str(address), 0))
    except (ValueError, OSError):
        return False
    return not address.is_unspecified and not address.is_multicast


def _without_port(host: str) -> str:
    name, colon, port = host.rpartition(":")
    return name if colon and port.isdigit() and (not name.count(":") or name.endswith("]")) else host


class Streams:
    """Counts the open event streams, in all and by address; the console has no cap of its own."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open: Counter[str] = Counter()

    def enter(self, address: str, console: bool) -> bool:
        """Take a place for one more stream; False where there is none left."""
        with self._lock:
            full = self._open.total() >= STREAMS or (not console and self._open[address] >= STREAMS_AN_ADDRESS)
            if not full:
                self._open[address] += 1
            return not full

    def leave(self, address: str) -> None:
        """Give the place back."""
        with self._lock:
            self._open[address] -= 1
            if not self._open[address]:
                del self._open[address]

    def total(self) -> int:
        """How many are open."""
        with self._lock:
            return self._open.total()
