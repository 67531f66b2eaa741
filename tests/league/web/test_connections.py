"""Greedy and slow connections: the site stays up for everybody else, and they are closed after a while."""

from __future__ import annotations

import http.client
import resource
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack

import pytest
from tests.league.conftest import Course

from tiltyard_league.web.app import make_app
from tiltyard_site.web import server as web_server

MANY = 1000
PATIENCE = 60.0


@pytest.fixture(scope="module")
def address(course: Course) -> Iterator[tuple[str, int]]:
    """Where the league's pages are served, by real sockets."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    limit = 2 * MANY + 500
    if before[1] != resource.RLIM_INFINITY and before[1] < limit:
        pytest.skip(f"no more than {before[1]} files may be open here")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(before[0], limit), before[1]))
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(web_server, "HEAD_SECONDS", 1.0)
        listening = web_server.listen("127.0.0.1", 0)
        server = web_server.make_server(make_app(course.league.settings), stop_seconds=5)
        thread = threading.Thread(target=server.run, args=([listening],))
        thread.start()
        until = time.monotonic() + PATIENCE
        while not server.started and time.monotonic() < until:
            time.sleep(0.01)
        yield listening.getsockname()
        server.should_exit = True
        thread.join(PATIENCE)
        listening.close()
        assert not thread.is_alive()
    resource.setrlimit(resource.RLIMIT_NOFILE, before)


def get(address: tuple[str, int]) -> int:
    connection = http.client.HTTPConnection(*address, timeout=PATIENCE)
    try:
        connection.request("GET", "/")
        return connection.getresponse().status
    finally:
        connection.close()


def is_closed(connection: socket.socket) -> bool:
    """Whether the server hangs up, with or without an answer before."""
    connection.settimeout(PATIENCE)
    try:
        while connection.recv(65536):
            pass
    except ConnectionResetError:
        pass
    return True


def test_a_thousand_connections_that_say_nothing(address: tuple[str, int]) -> None:
    with ExitStack() as stack:
        idle = [stack.enter_context(socket.create_connection(address)) for _ in range(MANY)]
        assert get(address) == 200
        for connection in idle:
            assert is_closed(connection)


def test_a_head_that_never_ends_is_given_up(address: tuple[str, int]) -> None:
    with socket.create_connection(address) as slow:
        slow.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n")
        assert get(address) == 200
        start = time.monotonic()
        assert is_closed(slow)
        # It had some time.
        assert time.monotonic() - start > 0.1


def test_a_head_may_not_be_huge(address: tuple[str, int]) -> None:
    with socket.create_connection(address) as greedy:
        greedy.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n")
        with pytest.raises((BrokenPipeError, ConnectionResetError)):
            greedy.sendall(b"X-Long: " + b"x" * (64 << 20))
    assert get(address) == 200
