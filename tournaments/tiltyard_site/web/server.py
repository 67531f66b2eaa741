"""The server of an application: where it listens, and its limits for slow and greedy connections."""

from __future__ import annotations

import asyncio
import socket
from typing import Any, Final

import uvicorn
from starlette.applications import Starlette
from uvicorn.protocols.http.h11_impl import H11Protocol

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


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens; who connects before the server runs is answered when it does.

    Args:
        host: a name, or an address of either version of IP.
        port: the port; 0: any free one.

    Raises:
        OSError: nobody can listen there.
    """
    family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
    listening = socket.socket(family, kind, protocol)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
        listening.listen()
    except OSError:
        listening.close()
        raise
    return listening


def make_config(app: Starlette, stop_seconds: int) -> uvicorn.Config:
    """How an application is served. Nothing is logged of requests: they are nobody's business.

    Args:
        app: what is served.
        stop_seconds: in which answers may end that are being made when the server stops.
    """
    return uvicorn.Config(
        app,
        http=PatientProtocol,
        ws="none",
        lifespan="off",
        loop="asyncio",
        log_config=None,
        access_log=False,
        server_header=False,
        h11_max_incomplete_event_size=LARGEST_HEAD,
        timeout_keep_alive=15,
        timeout_graceful_shutdown=stop_seconds,
        limit_concurrency=MOST_CONNECTIONS,
        # A web server on this machine says whom it asks for.
        proxy_headers=True,
        forwarded_allow_ips="127.0.0.1,::1",
    )


def make_server(app: Starlette, stop_seconds: int) -> uvicorn.Server:
    """A server of an application, which is told when the server stops; arguments as of ``make_config``."""
    server = uvicorn.Server(make_config(app, stop_seconds))
    app.state.is_stopping = lambda: server.should_exit
    return server
