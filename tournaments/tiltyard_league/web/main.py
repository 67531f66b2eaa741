"""The web process: ``python -m tiltyard_league.web.main FOLDER PARENT HOST PORT``."""

from __future__ import annotations

import asyncio
import logging
import os
import resource
import socket
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from tiltyard_engine.errors import UserError
from tiltyard_league.database.private import OTHERS
from tiltyard_league.league_file.loading import Settings, read_settings
from tiltyard_league.web.app import make_app
from tiltyard_league.web.http.access import emit
from tiltyard_simulator.guard.confinement.kernel.privileges import end_with_parent
from tiltyard_tournaments.site.http import is_local

HEAD_SECONDS: Final = 20.0
"""In which the headers of a connection's next request must have come in."""
LARGEST_HEAD: Final = 32 * 1024
MOST_CONNECTIONS: Final = 5000


class PatientProtocol(H11Protocol):
    """HTTP, but a connection that doesn't say what it wants is closed after a while."""

    _waiting: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Give a connection its time."""
        super().connection_made(transport)
        self._waiting = self.loop.call_later(HEAD_SECONDS, self._give_up)

    def connection_lost(self, exc: Exception | None) -> None:
        """Let the timer of a connection go with it."""
        if self._waiting is not None:
            self._waiting.cancel()
        super().connection_lost(exc)

    def _give_up(self) -> None:
        cycle = getattr(self, "cycle", None)
        if cycle is None or cycle.response_complete:
            self.transport.close()
        else:
            self._waiting = self.loop.call_later(HEAD_SECONDS, self._give_up)


class LogLines(logging.Handler):
    """What the server has to say, as lines of the league's log."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write what the server says as a line of the log."""
        error = record.exc_info[1] if record.exc_info else None
        about = {} if error is None else {"error": f"{type(error).__name__}: {error}"}
        emit("server", level=record.levelname.lower(), message=record.getMessage().strip(), **about)


def _listen(host: str, port: int) -> socket.socket:
    family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
    listening = socket.socket(family, kind, protocol)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listening.bind(address)
    return listening


def make_server(settings: Settings, host: str, port: int) -> uvicorn.Server:
    """A server of the league's pages, with its limits for slow and greedy connections."""
    app = make_app(settings, local=is_local(host))
    config = uvicorn.Config(
        app,
        host=host,
        port=port,
        http=PatientProtocol,
        ws="none",
        lifespan="off",
        loop="asyncio",
        log_config=None,
        access_log=False,
        server_header=False,
        h11_max_incomplete_event_size=LARGEST_HEAD,
        timeout_keep_alive=15,
        timeout_graceful_shutdown=5,
        limit_concurrency=MOST_CONNECTIONS,
        # A web server on this machine says whom it asks for.
        proxy_headers=True,
        forwarded_allow_ips="127.0.0.1,::1",
    )
    server = uvicorn.Server(config)
    app.state.is_stopping = lambda: server.should_exit
    return server


def main(folder: Path, host: str, port: int) -> None:
    """Serve until told to stop."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(ValueError, OSError):
        limit = MOST_CONNECTIONS + 500
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, limit if hard == resource.RLIM_INFINITY else min(hard, limit)), hard))
    try:
        settings = read_settings(folder)
    except UserError as error:
        emit("failed", reason=str(error))
        sys.exit(2)
    try:
        listening = _listen(host, port)
    except OSError as error:
        # Somebody else may go away again: the supervisor tries once more after a while.
        emit("failed", reason=f"{host}:{port}: {error.strerror}")
        sys.exit(3)
    logging.basicConfig(level=logging.WARNING, handlers=[LogLines()])
    with listening:
        emit("started", host=host, port=port, pid=os.getpid())
        make_server(settings, host, port).run([listening])


if __name__ == "__main__":
    end_with_parent(int(sys.argv[2]))
    os.umask(OTHERS)
    main(Path(sys.argv[1]), sys.argv[3], int(sys.argv[4]))
