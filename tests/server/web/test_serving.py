"""The server on a real socket: streams, caps, and clients that behave badly."""

import errno
import json
import logging
import resource
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from http.client import HTTPConnection, HTTPResponse
from typing import Any, cast

import pytest

from server.board import Snapshot
from server.table import Table
from server.web.app import create_app
from server.web.caps import STREAMS_AN_ADDRESS
from server.web.handed import handed
from server.web.serving import FILES, HEARTBEAT_S, SOCKETS_AN_ADDRESS, Server, listen

from ..conftest import MakeTable

GUEST = "127.0.0.2"


class Served:
    """A table, served; every client that is made is closed at the end."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.app = create_app(table, table._log)
        listening = listen("127.0.0.1", 0)
        self.port: int = listening.getsockname()[1]
        self.server = Server(self.app, listening, table.board, table.boot)
        self.clients: list[Any] = []
        self.thread = threading.Thread(target=self.server.run)
        self.thread.start()

    def connect(self, address: str = GUEST) -> socket.socket:
        client = socket.create_connection(("127.0.0.1", self.port), 20, (address, 0))
        self.clients.append(client)
        return client

    def ask(self, path: str, address: str = GUEST, method: str = "GET") -> HTTPResponse:
        connection = HTTPConnection("127.0.0.1", self.port, 20, source_address=(address, 0))
        self.clients.append(connection)
        connection.request(method, path)
        return connection.getresponse()

    def wait(self, until: Callable[[], object]) -> None:
        """Wait for what the server's loop sees to by itself: the console asks meanwhile, whom the same loop answers."""
        for _ in range(500):
            if until():
                return
            assert self.ask("/healthz", "127.0.0.1").read()
        raise AssertionError("the server does not see to it")

    def stop(self) -> None:
        if self.thread.is_alive():
            self.server.stop()
            self.thread.join()
            self.server.close()
        for client in self.clients:
            client.close()


@pytest.fixture
def served(make_table: MakeTable) -> Iterator[Served]:
    served = Served(make_table())
    yield served
    served.stop()


def next_state(stream: Any) -> Any:
    while not (line := stream.readline()).startswith(b"data: "):
        assert line, "the stream has ended"
    return json.loads(line.removeprefix(b"data: "))


def received(client: socket.socket) -> bytes:
    """All that comes until the other side closes."""
    parts = []
    with suppress(ConnectionResetError):
        while part := client.recv(65536):
            parts.append(part)
    return b"".join(parts)


def test_a_stream_brings_what_is_newer_to_everybody_and_ends_with_the_server(served: Served) -> None:
    streams = [served.ask("/api/events") for _ in range(STREAMS_AN_ADDRESS)]
    assert {next_state(stream)["seq"] for stream in streams} == {served.table.board.snapshot.seq}
    seq = served.table.start_game("vingt-cinq", ["Ana", "Bo"], {}, "console")["seq"]
    assert {next_state(stream)["seq"] for stream in streams} == {seq}
    served.stop()
    assert [stream.read().strip() for stream in streams] == [b""] * STREAMS_AN_ADDRESS


def test_an_old_client_follows_too(served: Served) -> None:
    client = served.connect()
    client.sendall(b"GET /api/events HTTP/1.0\r\nHost: localhost\r\n\r\n")
    stream = client.makefile("rb")
    assert b"200 OK" in stream.readline()
    next_state(stream)
    served.table.start_game("vingt-cinq", ["Ana", "Bo"], {}, "console")
    assert next_state(stream)["game"]["players"] == ["Ana", "Bo"]


def test_a_place_is_free_as_soon_as_its_watcher_has_gone(served: Served) -> None:
    streams = handed(served.app).streams
    for _ in range(3):
        mine = [served.ask("/api/events") for _ in range(STREAMS_AN_ADDRESS)]
        assert all(stream.status == 200 for stream in mine)
        assert served.ask("/api/events").status == 503
        for client in served.clients:
            client.close()
        for stream in mine:
            stream.close()
        served.wait(lambda: not streams.total())


def test_only_the_head_of_a_stream_takes_no_place(served: Served) -> None:
    assert served.ask("/api/events", method="HEAD").status == 200
    assert handed(served.app).streams.total() == 0


def test_what_a_watcher_says_on_his_stream_is_not_heard(served: Served) -> None:
    client = served.connect()
    asked = b"GET /api/events HTTP/1.1\r\nHost: localhost\r\n\r\n"
    client.sendall(asked * 2)
    stream = client.makefile("rb")
    next_state(stream)
    client.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
    served.table.start_game("vingt-cinq", ["Ana", "Bo"], {}, "console")
    chunks = [stream.readline() for _ in range(4)]
    assert not [chunk for chunk in chunks if b"HTTP/1.1" in chunk]
    assert handed(served.app).streams.total() == 1


def test_an_address_holds_so_many_sockets_and_others_are_served(served: Served) -> None:
    clients = [served.connect() for _ in range(SOCKETS_AN_ADDRESS + 20)]
    refused = clients[SOCKETS_AN_ADDRESS:]
    assert [received(client) for client in refused] == [b""] * 20
    for address in ("127.0.0.3", "127.0.0.1"):
        assert served.ask("/healthz", address).status == 200
    for client in clients:
        client.close()
    served.wait(lambda: GUEST not in served.server._server.channels.values())
    assert served.ask("/healthz").status == 200


def test_a_connection_that_is_kept_for_later_gives_way_to_a_new_one_and_a_stream_does_not(served: Served) -> None:
    stream = served.ask("/api/events")
    next_state(stream)
    kept = [
        HTTPConnection("127.0.0.1", served.port, 20, source_address=(GUEST, 0)) for _ in range(SOCKETS_AN_ADDRESS + 3)
    ]
    for connection in kept:
        connection.request("GET", "/healthz")
        assert json.load(connection.getresponse())["ok"]
    served.clients += kept
    gone = [received(connection.sock) for connection in kept[:4]]
    assert gone == [b""] * 4
    kept[4].request("GET", "/healthz")
    assert kept[4].getresponse().status == 200
    served.table.start_game("vingt-cinq", ["Ana", "Bo"], {}, "console")
    assert next_state(stream)["game"]["players"] == ["Ana", "Bo"]


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"GET / HTTP/1.1\r\nHost: localhost\r\n" + b"X: y\r\n" * 20_000, 431),
        (b"GET /" + b"x" * 40_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n", 431),
        (b"POST /api/throw HTTP/1.1\r\nHost: localhost\r\nContent-Length: 999999999\r\n\r\n", 413),
        (b"POST /api/throw HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n", 400),
        (
            b"POST /api/throw HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
            b"8000\r\n" + b"x" * 0x8000 + b"\r\n0\r\n\r\n",
            413,
        ),
        (b"\x16\x03\x01 hello\r\n\r\n", 400),
        (b"GET http://[::1 HTTP/1.1\r\nHost: localhost\r\n\r\n", 400),
        (b"GET http://evil.example/api/state HTTP/1.1\r\nHost: localhost\r\n\r\n", 400),
        (b"GET /api/state HTTP/1.1\r\n\r\n", 400),
        (b"GET /api/state HTTP/1.1\r\nHost: a b\r\n\r\n", 400),
    ],
)
def test_a_request_beyond_measure_is_refused_before_it_is_kept(served: Served, sent: bytes, status: int) -> None:
    client = served.connect()
    # It may be refused before it is all said.
    with suppress(BrokenPipeError, ConnectionResetError):
        client.sendall(sent)
    answer = HTTPResponse(client)
    # A connection may also be reset before its answer is read.
    with suppress(ConnectionResetError):
        answer.begin()
        assert answer.status == status
        assert list(json.load(answer)) == ["error"]
    assert served.ask("/healthz").status == 200


@pytest.mark.parametrize(("soft", "allowed"), [(512, FILES), (FILES + 1, FILES + 1)])
def test_a_crowd_with_a_picture_on_every_socket_leaves_files_for_the_log(
    make_table: MakeTable, soft: int, allowed: int
) -> None:
    before, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < allowed:
        pytest.skip(f"This process may open no more than {hard} files.")
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        Served(make_table()).stop()
        assert resource.getrlimit(resource.RLIMIT_NOFILE)[0] == allowed
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (before, hard))


def test_requests_sent_far_ahead_of_their_answers_end_the_connection(served: Served) -> None:
    client = served.connect()
    client.sendall(b"GET /api/state HTTP/1.1\r\nHost: localhost\r\n\r\n" * 100)
    assert received(client).count(b"HTTP/1.1 200") < 100
    assert served.ask("/healthz").status == 200


def test_a_request_that_does_not_arrive_is_given_up(served: Served) -> None:
    client = served.connect()
    client.sendall(b"GET / HTTP/1.1\r\nHost: loc")
    server = served.server._server
    served.wait(lambda: GUEST in server.channels.values())
    (begun,) = (channel for channel, address in tuple(server.channels.items()) if address == GUEST)
    served.wait(lambda: begun.request)
    begun.began_s -= 60
    server.due_s = 0
    assert received(client) == b""


@pytest.mark.parametrize("jump_s", [-366 * 86_400, 366 * 86_400])
def test_a_clock_that_is_set_cuts_nobody_off_and_keeps_nobody(
    served: Served, monkeypatch: pytest.MonkeyPatch, jump_s: int
) -> None:
    server = served.server._server
    stream = served.ask("/api/events")
    next_state(stream)
    slow, stuck = served.connect("127.0.0.3"), served.connect("127.0.0.4")
    for client in (slow, stuck):
        client.sendall(b"GET /healthz HTTP/1.1\r\n")
    served.wait(lambda: sum(bool(channel.request) for channel in tuple(server.channels)) == 2)
    wall = time.time
    monkeypatch.setattr(time, "time", lambda: wall() + jump_s)
    (late,) = (channel for channel, address in server.channels.items() if address == "127.0.0.4")
    late.began_s -= 60
    server.due_s = 0
    assert received(stuck) == b""
    slow.sendall(b"Host: localhost\r\n\r\n")
    assert slow.recv(15) == b"HTTP/1.1 200 OK"
    (followed,) = server.following
    followed.active_s -= HEARTBEAT_S
    assert [stream.readline() for _ in range(2)] == [b"\n", b": still here\n"]


class TimedOut:
    """A socket whose other side answers no more, which shows when one reads from it, or writes to it."""

    def __init__(self, real: socket.socket, shows: str) -> None:
        self.real, self.shows = real, shows

    def __getattr__(self, name: str) -> Any:
        return self.gone if name == self.shows else getattr(self.real, name)

    def gone(self, what: object) -> int:
        raise TimeoutError(errno.ETIMEDOUT, "Connection timed out")


@pytest.mark.parametrize("shows", ["recv", "send"])
def test_a_guest_who_is_gone_leaves_no_traceback(served: Served, shows: str, caplog: pytest.LogCaptureFixture) -> None:
    client = served.connect()
    channels = served.server._server.channels
    served.wait(lambda: GUEST in channels.values())
    (gone,) = (channel for channel, address in channels.items() if address == GUEST)
    gone.socket = cast("Any", TimedOut(cast("socket.socket", gone.socket), shows))
    client.sendall(b"GET /api/state HTTP/1.1\r\nHost: localhost\r\n\r\n")
    served.wait(lambda: gone not in channels)
    # Of threads that have only just begun Waitress says that they are busy.
    told = [record for record in caplog.records if record.name != "waitress.queue"]
    assert [record.message for record in told if record.levelno >= logging.WARNING] == []


def test_readers_that_take_nothing_hold_up_nobody_and_are_dropped(served: Served) -> None:
    table, large = served.table, "x" * 500_000
    stuck = []
    for number in range(20):
        client = served.connect(f"127.0.0.{2 + number // STREAMS_AN_ADDRESS}")
        client.sendall(b"GET /api/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
        stuck.append(client)
    healthy = served.ask("/api/events", "127.0.0.99")
    seq = next_state(healthy)["seq"]
    server = served.server._server
    served.wait(lambda: len(server.following) == 21)
    while sum(bool(channel.total_outbufs_len) for channel in server.following) < 20:
        # Their windows fill, and from then on they skip what comes.
        seq += 1
        table.board.show(Snapshot(seq, json.dumps({"seq": seq, "large": large})))
        assert next_state(healthy)["seq"] == seq
    held = max(channel.total_outbufs_len for channel in server.following)
    assert held < 2 * len(large)
    for channel in server.following:
        if channel.total_outbufs_len:
            channel.active_s -= 60
    server.due_s = 0
    served.wait(lambda: len(server.following) == 1)
    assert handed(served.app).streams.total() == 1
