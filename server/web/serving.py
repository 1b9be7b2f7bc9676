"""Serving the app: waitress in this process, with caps that hold when a crowd or a fool connects.

A watcher's stream takes a socket and no thread: once its first event is out, the loop that moves all bytes brings it
whatever is newer.
"""

import errno
import json
import resource
import socket
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from io import BytesIO
from typing import Any, ClassVar

from flask import Flask
from waitress import wasyncore
from waitress.buffers import ReadOnlyFileBasedBuffer
from waitress.channel import ClientDisconnected, HTTPChannel
from waitress.parser import HTTPRequestParser, ParsingError
from waitress.server import TcpWSGIServer
from waitress.task import ErrorTask, WSGITask

from server.board import Board
from server.web.guard import HEADERS, LARGEST_BODY, is_console, network_of
from server.web.refusal import TOO_LONG

HEARTBEAT_S = 10.0
PATIENCE_S = 30
"""So long a connection may take nothing of what waits for it, or take to say what it wants."""
SETTINGS: dict[str, Any] = {
    # Streams take none; what takes one is over in milliseconds.
    "threads": 16,
    # 200 watchers with two sockets each, and room.
    "connection_limit": 700,
    "asyncore_use_poll": True,
    # Above every answer: a thread never waits for a client that does not read.
    "outbuf_high_watermark": 2**20,
    "channel_timeout": PATIENCE_S,
    "cleanup_interval": 5,
    "max_request_header_size": 16 * 1024,
    # Longer bodies are refused while they arrive, before anything is kept of them.
    "max_request_body_size": LARGEST_BODY + 1,
    "channel_request_lookahead": 1,
    "clear_untrusted_proxy_headers": True,
    # A guest who has gone is no fault of the program's.
    "log_socket_errors": False,
    "ident": None,
}
SOCKET_OPTIONS = [
    (socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1),
    # What a stuck client holds in the kernel.
    (socket.SOL_SOCKET, socket.SO_SNDBUF, 128 * 1024),
    (socket.IPPROTO_TCP, socket.TCP_NODELAY, 1),
    (socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, 20),
    (socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, 5),
    (socket.IPPROTO_TCP, socket.TCP_KEEPCNT, 3),
    # A phone that left the Wi-Fi is gone after 15 s, not after 15 minutes.
    (socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, 15_000),
]
SOCKETS_AN_ADDRESS = 16
GUESTS_SOCKETS = 640
"""Most sockets of all guests together; the others are the console's."""
FILES = 2 * SETTINGS["connection_limit"] + 256
"""Open files that are needed at most: every socket with a picture on its way to it, and the rest of the program."""
FOLLOW = "cornet.follow"
"""Where a view finds how to keep its answer open for newer snapshots: `follow(seq it has sent, what to do then)`."""


class PortBusy(ValueError):
    """The address cannot be listened on; the message says what to do."""


class _Parser(HTTPRequestParser):
    """A request as it arrives; one whose address is none is refused, which Waitress itself does not foresee.

    An address with a host in it names the host, whatever the header says (RFC 9112, section 3.2.2).
    """

    proxy_netloc: str
    headers: dict[str, str]

    def parse_header(self, header_plus: bytes) -> None:
        try:
            super().parse_header(header_plus)
        except ValueError:
            raise ParsingError("Bad URI") from None
        if self.proxy_netloc:
            self.headers["HOST"] = self.proxy_netloc


class _Task(WSGITask):
    """A request whose answer may stay open after the view has returned."""

    channel: "_Channel"

    def get_environment(self) -> dict[str, Any]:
        environ: dict[str, Any] = super().get_environment()
        environ[FOLLOW] = self.channel.follow
        return environ

    def finish(self) -> None:
        if self.channel.followed is None:
            super().finish()
        else:
            self.close_on_finish = False
            self.channel.begin(self.chunked_response)


class _Refusal(ErrorTask):
    """The answer to what never becomes a request: in the form of every other error."""

    SENTENCES: ClassVar = {
        413: TOO_LONG,
        431: "The head of the request is too long: send fewer cookies and headers.",
    }

    request: Any
    response_headers: list[tuple[str, str]]

    def execute(self) -> None:
        error = self.request.error
        sentence = self.SENTENCES.get(error.code, f"This is no request that is understood here ({error.body}).")
        body = json.dumps({"error": sentence}).encode()
        self.status = f"{error.code} {error.reason}"
        self.response_headers += [("Content-Type", "application/json"), ("Cache-Control", "no-store"), *HEADERS.items()]
        self.set_close_on_finish()
        self.content_length = len(body)
        self.write(body)


class _Channel(HTTPChannel):
    """A connection that gives its address's place back when it closes, and can become a stream."""

    parser_class = _Parser
    task_class = _Task
    error_task_class = _Refusal
    server: "_CappedServer"
    requests: list[Any]
    requests_lock: threading.Lock
    followed: int | None = None  # the sequence number that was sent last, of a stream
    active_s = 0.0  # when anything last went either way, like all times here by a clock that nobody sets
    _left: Callable[[], None] | None = None
    _chunked = False
    began_s = 0.0  # when the request that is being received, or was last, began

    @property
    def last_activity(self) -> float:
        """What Waitress judges idle connections by, and says to be now, by the wall clock."""
        return self.active_s

    @last_activity.setter
    def last_activity(self, wall: float) -> None:
        self.active_s = time.monotonic()

    # In the thread of the request

    def follow(self, seq: int, left: Callable[[], None]) -> None:
        """Keep the answer to the present request open; `left` is called once, when the watcher has gone."""
        with self.outbuf_lock:
            if self.connected:
                self.followed, self._left = seq, left
                return
        left()

    def begin(self, chunked: bool) -> None:
        """The first event is out: hand the connection over to the loop."""
        self._chunked = chunked
        with self.requests_lock:
            del self.requests[1:]
        self.server.following.add(self)
        if not self.connected:
            self.server.following.discard(self)
        self.server.pull_trigger()

    # In the loop

    def bring(self, seq: int, event: bytes, now: float) -> None:
        """Send what is newer, or a word that the line stands; nothing while the watcher has not taken the last."""
        if self.total_outbufs_len or self.will_close:
            return
        newer = self.followed is not None and seq > self.followed
        if newer or now - self.active_s >= HEARTBEAT_S:
            self._send(event if newer else b": still here\n\n")
            self.followed = seq

    def end(self) -> None:
        """End a stream as a whole, if its watcher has taken everything so far."""
        if not self.total_outbufs_len and self._chunked:
            self._send(b"")
        self.handle_close()

    def _send(self, data: bytes) -> None:
        # A buffer of its own for each event: Waitress's grows by all that ever went through it, up to its watermark.
        buffer: Any = ReadOnlyFileBasedBuffer(BytesIO(b"%x\r\n%b\r\n" % (len(data), data) if self._chunked else data))
        buffer.prepare()
        try:
            self.write_soon(buffer)
        except ClientDisconnected:
            self.handle_close()

    def readable(self) -> bool:
        return self.followed is not None or bool(super().readable())

    def received(self, data: bytes) -> bool:
        if self.followed is not None:
            return True  # whoever watches has nothing more to say here
        if self.request is None:
            self.began_s = time.monotonic()
        took = bool(super().received(data))
        if len(self.requests) > 1 + self.adj.channel_request_lookahead:
            # No browser sends requests ahead of their answers.
            self.will_close = True
        return took

    @property
    def idle(self) -> bool:
        """Whether all that was asked is answered; a new connection, whose request may be on its way, is not idle."""
        busy = self.request is not None or self.requests or self.total_outbufs_len or self.followed is not None
        return self.began_s > 0 and not busy

    def dawdles(self, now: float) -> bool:
        """Whether a request has been arriving for too long."""
        return self.request is not None and now - self.began_s > PATIENCE_S

    def handle_close(self) -> None:
        super().handle_close()
        self.server.leave(self)
        with self.outbuf_lock:
            left, self._left = self._left, None
        if left is not None:
            left()


class _CappedServer(TcpWSGIServer):
    """A server that lets one address hold only so many sockets, and leaves some to the console."""

    channel_class = _Channel
    next_channel_cleanup = sys.maxsize  # by the wall clock: a Raspberry Pi sets that when it finds a time server
    due_s = 0.0  # when the connections are looked through next

    def __init__(self, app: Flask, sockets: dict[int, Any], listening: socket.socket) -> None:
        self.following: set[_Channel] = set()
        self._sockets = sockets
        self._held: Counter[str] = Counter()
        self.channels: dict[_Channel, str] = {}  # each with its address
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
        except OSError as error:
            self.logger.warning("A connection was not taken: %s.", error.strerror)
            return
        address = "" if is_console(str(peer[0])) else network_of(str(peer[0]))
        guests = self._held.total() - self._held[""]
        full = address and (self._held[address] >= SOCKETS_AN_ADDRESS or guests >= GUESTS_SOCKETS)
        if full and not self._let_idle_go(address):
            connection.close()
            return
        self._held[address] += 1
        channel = _Channel(self, connection, self.fix_addr(peer), self.adj, map=self._sockets)
        self.channels[channel] = address

    def _let_idle_go(self, address: str) -> bool:
        """Close the connection of an address that has asked nothing for longest; False where each is of use.

        Several phones behind one router have one address, and a browser keeps six connections for what it may ask next.
        """
        idle = [channel for channel, its in self.channels.items() if its == address and channel.idle]
        if idle:
            min(idle, key=lambda channel: channel.began_s).handle_close()
        return bool(idle)

    def tend(self, now: float) -> None:
        """Look through the connections, if it is time to."""
        if now >= self.due_s:
            self.due_s = now + SETTINGS["cleanup_interval"]
            self.maintenance(now)

    def maintenance(self, now: Any) -> None:
        super().maintenance(now)
        for channel in self.channels:
            if channel.dawdles(now):
                channel.will_close = True

    def leave(self, channel: _Channel) -> None:
        """Count a closed connection out; once, however often it is closed."""
        self.following.discard(channel)
        address = self.channels.pop(channel, None)
        if address is not None:
            self._held[address] -= 1
            if not self._held[address]:
                del self._held[address]


def listen(host: str, port: int) -> socket.socket:
    """A socket bound to the address; PortBusy where that cannot be."""
    elsewhere = PortBusy(f"{host} is no address of this machine: give another with --host.")
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listening = socket.socket(family, kind, protocol)
    except (OSError, UnicodeError):
        raise elsewhere from None
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
        listening.listen()
    except OSError as error:
        listening.close()
        if error.errno == errno.EADDRNOTAVAIL:
            raise elsewhere from None
        raise PortBusy(
            f"Port {port} of {host} cannot be used ({error.strerror}): stop what listens there, or give another with "
            "--port."
        ) from None
    return listening


def allow_files() -> None:
    """Let this process open FILES files, as far as it may: a crowd that fetches pictures keeps none from the log."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = FILES if hard == resource.RLIM_INFINITY else min(FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def as_event(boot: str, seq: int, text: str) -> str:
    """A snapshot as a server-sent event."""
    return f"id: {boot}:{seq}\ndata: {text}\n\n"


class Server:
    """The app, served on a socket, and the board, brought to all who follow it.

    `run` serves until another thread calls `stop`.
    """

    def __init__(self, app: Flask, listening: socket.socket, board: Board, boot: str) -> None:
        self._board, self._boot = board, boot
        self._sockets: dict[int, Any] = {}
        self._server = _CappedServer(app, self._sockets, listening)
        self._stopping = threading.Event()
        allow_files()
        board.wake = self._server.pull_trigger

    def run(self) -> None:
        """Serve; returns after stop()."""
        seq, event = -1, b""
        while not self._stopping.is_set():
            wasyncore.loop(timeout=0.5, map=self._sockets, use_poll=True, count=1)
            snapshot = self._board.snapshot
            if snapshot.seq != seq:
                seq, event = snapshot.seq, as_event(self._boot, snapshot.seq, snapshot.text).encode()
            now = time.monotonic()
            self._server.tend(now)
            for channel in tuple(self._server.channels):
                if channel.will_close:
                    # Waitress itself waits until something can be sent, which a stuck client never lets happen.
                    channel.handle_close()
                elif channel in self._server.following:
                    channel.bring(seq, event, now)

    def stop(self) -> None:
        """Take no more requests, end those under way."""
        self._stopping.set()
        self._server.pull_trigger()

    def close(self) -> None:
        """Let everybody and the port go, after run() has returned."""
        self._board.wake = lambda: None
        self._server.task_dispatcher.shutdown(timeout=1)
        for channel in tuple(self._server.channels):
            channel.end()
        self._server.close()
