from __future__ import annotations

import http.client
import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.tournaments.running.made_runs import tournament_of

from tiltyard_engine.errors import UserError
from tiltyard_engine.registry import Registry
from tiltyard_site.live.live_site import LiveSite
from tiltyard_site.live.site_server import SiteServer
from tiltyard_tournaments.running.tournament import Tournament

BROWSER = {"Accept": "text/html,*/*"}


@pytest.fixture
def tournament(registry: Registry, tmp_path: Path) -> Tournament:
    return tournament_of(registry, folder=tmp_path, maps=2)


@contextmanager
def serving(site: LiveSite, host: str = "127.0.0.1") -> Iterator[http.client.HTTPConnection]:
    """A connection to the site's server, which runs as long as the block does."""
    with SiteServer(site, host, 0, updating=False) as server:
        thread = threading.Thread(target=server.serve, daemon=True)
        thread.start()
        connection = http.client.HTTPConnection(host, int(server.address.rpartition(":")[2].strip("/")), timeout=60)
        yield connection
        connection.close()
        server.stop()
        thread.join()


def ask(connection: http.client.HTTPConnection, path: str = "/", **headers: str) -> tuple[int, http.client.HTTPMessage, bytes]:
    connection.request("GET", path, headers=headers)
    answer = connection.getresponse()
    return answer.status, answer.headers, answer.read()


def test_a_server_listens_before_the_site_is_made(tournament: Tournament) -> None:
    site = LiveSite(lambda: tournament, at_once=False)
    with pytest.raises(UserError, match="is being made"):
        site.file("index.html")
    with serving(site) as connection:
        status, headers, content = ask(connection, **BROWSER)
        assert (status, headers["Refresh"]) == (503, "1")
        assert b"is being made" in content
        # A program waits until it is there.
        making = threading.Timer(0.2, site.bring_up_to_date)
        making.start()
        status, _, content = ask(connection)
        making.join()
        assert status == 200
        assert content == site.file("index.html")


def test_the_other_version_of_ip(tournament: Tournament) -> None:
    site = LiveSite(lambda: tournament)
    try:
        server = SiteServer(site, "::1", 0, updating=False)
    except UserError as error:
        pytest.skip(f"no IPv6 here: {error}")
    assert server.address.startswith("http://[::1]:")
    server.__exit__()
    with serving(site, "::1") as connection:
        assert ask(connection)[0] == 200
        assert ask(connection, Host="evil.example")[0] == 421


def test_who_stops_it_does_not_wait_for_a_page_that_takes_long(tournament: Tournament, caplog: pytest.LogCaptureFixture) -> None:
    site = LiveSite(lambda: tournament)
    asked, end = threading.Event(), threading.Event()

    def endless(path: str) -> None:
        asked.set()
        end.wait()

    site.file = endless  # type: ignore[method-assign]
    with SiteServer(site, "127.0.0.1", 0, updating=False) as server:
        thread = threading.Thread(target=server.serve, daemon=True)
        thread.start()
        connection = http.client.HTTPConnection("127.0.0.1", int(server.address.rpartition(":")[2].strip("/")), timeout=60)
        connection.request("GET", "/")
        asked.wait()
        server.stop()
        thread.join(60)
        assert not thread.is_alive()
        connection.close()
    end.set()
    assert caplog.text == ""


def test_only_mistakes_of_ours_are_told(tournament: Tournament, caplog: pytest.LogCaptureFixture) -> None:
    site = LiveSite(lambda: tournament)
    with serving(site) as connection:
        connection.connect()
        assert connection.sock is not None
        connection.sock.sendall(b"nothing that is HTTP\r\n\r\n")
        assert b" 400 " in connection.sock.recv(1000)
        connection.close()
        assert caplog.text == ""
        site.file = lambda path: 1 / 0  # type: ignore[assignment, method-assign, return-value]
        assert ask(connection)[0] == 500
    assert "ZeroDivisionError" in caplog.text
    assert {record.levelno for record in caplog.records} == {logging.ERROR}
