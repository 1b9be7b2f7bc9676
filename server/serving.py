"""Serving the app: waitress in this process, with caps that hold when a crowd or a fool connects."""

import socket
import threading
from collections import Counter
from typing import Any

from flask import Flask
from waitress import wasyncore
from waitress.channel import HTTPChannel
from waitress.server import TcpWSGIServer

from server.guard import LARGEST_BODY

SETTINGS: dict[str, Any] = {
    # 224 streams may be open, one thread each; 32 are left for everything else.
    "threads": 256,
    # 200 watchers with two sockets each.
    "connection_limit": 600,
    "asyncore_use_poll": True,
    # Each event leaves at once; a stuck client holds 64 kB, not 16 MB.
    "send_bytes": 1,
    "outbuf_high_watermark": 65_536,
    "channel_timeout": 60,
    # Longer bodies are refused while they arrive, before anything is kept of them.
    "max_request_body_size": LARGEST_BODY + 1,
    # Sees a watcher leave while its stream is open.
    "channel_request_lookahead": 1,
    "clear_untrusted_proxy_headers": True,
    "ident": None,
}
SOCKET_OPTIONS = [
    (socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1),
    (socket.IPPROTO_TCP, socket.TCP_NODELAY, 1),
    (socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, 20),
    (socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, 5),
    (socket.IPPROTO_TCP, socket.TCP_KEEPCNT, 3),
    # A phone that left the Wi-Fi frees its thread after 15 s, not after 15 minutes.
    (socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, 15_000),
]
SOCKETS_AN_ADDRESS = 16
_UNCAPPED = ("127.0.0.1", "::1")


class PortBusy(ValueError):
    """The address cannot be listened on; the message says what to do."""


class _Channel(HTTPChannel):
    """A connection that gives its address's place back when it closes."""

    def handle_close(self) -> None:
        super().handle_close()
        if isinstance(self.server, _CappedServer):
            self.server.leave(self)


class _CappedServer(TcpWSGIServer):
    """A server that lets one address hold only so many sockets; the console is not capped."""

    channel_class = _Channel

    def __init__(self, app: Flask, sockets: dict[int, Any], listening: socket.socket) -> None:
        self._sockets = sockets
        self._held: Counter[str] = Counter()
        self._channels: dict[int, str] = {}
        where = (listening.family, listening.type, listening.proto, listening.getsockname())
        super().__init__(app, map=sockets, _sock=listening, bind_socket=False, sockinfo=where, **SETTINGS)
        # Waitress takes these as no setting of its own.
        self.adj.socket_options = SOCKET_OPTIONS

    def handle_accept(self) -> None:
        try:
            accepted = self.accept()
            if accepted is None:
                return
            connection, peer = accepted
            self.set_socket_options(connection)
        except OSError:
            self.logger.warning("A connection was gone before it was taken.", exc_info=True)
            return
        address = str(peer[0])
        if address not in _UNCAPPED and self._held[address] >= SOCKETS_AN_ADDRESS:
            connection.close()
            return
        self._held[address] += 1
        channel = self.channel_class(self, connection, self.fix_addr(peer), self.adj, map=self._sockets)
        self._channels[id(channel)] = address

    def leave(self, channel: HTTPChannel) -> None:
        """Count a closed connection out; once, however often it is closed."""
        address = self._channels.pop(id(channel), None)
        if address is not None:
            self._held[address] -= 1
            if not self._held[address]:
                del self._held[address]


def listen(host: str, port: int) -> socket.socket:
    """A socket bound to the address; PortBusy where that cannot be."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listening = socket.socket(family, kind, protocol)
    except (OSError, UnicodeError):
        raise PortBusy(f"{host} is no address of this machine: give another with --host.") from None
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
        listening.listen()
    except OSError as error:
        listening.close()
        raise PortBusy(
            f"Port {port} of {host} cannot be used ({error.strerror}): stop what listens there, or give another with "
            "--port."
        ) from None
    return listening


class Server:
    """The app, served on a socket: `run` serves until another thread calls `stop`."""

    def __init__(self, app: Flask, listening: socket.socket) -> None:
        self._sockets: dict[int, Any] = {}
        self._server = _CappedServer(app, self._sockets, listening)
        self._stopping = threading.Event()

    def run(self) -> None:
        """Serve; returns after stop()."""
        while not self._stopping.is_set():
            wasyncore.loop(timeout=0.5, map=self._sockets, use_poll=True, count=1)

    def stop(self) -> None:
        """Take no more requests, end those under way."""
        self._stopping.set()
        self._server.pull_trigger()

    def close(self) -> None:
        """Let go of the port, after run() has returned."""
        self._server.task_dispatcher.shutdown(timeout=1)
        self._server.close()
