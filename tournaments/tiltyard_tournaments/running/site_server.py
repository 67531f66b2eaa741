"""A tournament's site over HTTP, kept up to date while a run continues in another process."""

from __future__ import annotations

import gzip
import socket
import sys
import threading
from collections.abc import Mapping
from functools import partial
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import PurePosixPath
from socketserver import TCPServer
from types import MappingProxyType
from typing import Any, Final
from urllib.parse import SplitResult, unquote, urlsplit

from tiltyard_engine.errors import UserError
from tiltyard_tournaments.running.live_site import LiveSite, tag
from tiltyard_tournaments.site.http import POLICY, TYPES, address_to_open, is_local

LOOK_SECONDS: Final = 0.5
"""Between two looks into the store, at least."""
WAIT_PAGE: Final = b"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark"><title>One moment</title></head>
<body><main><h1>One moment</h1><p>The site is being made. This page opens it by itself.</p></main></body></html>
"""
LEAST_COMPRESSED: Final = 1000
"""Bytes from which on an answer is compressed."""
MOST_KEPT: Final = 32 << 20
"""Bytes of compressed answers that are kept."""
PATIENCE_SECONDS: Final = 30.0
"""A connection that says nothing for so long is closed."""
TEXT: Final = ("text/", "application/json", "image/svg")
"""The beginnings of types that become smaller when they are compressed."""
NO_HEADERS: Final[Mapping[str, str]] = MappingProxyType({})


def _parts(address: str) -> SplitResult:
    """The parts of an address as somebody sent it; what is none is all path, which names no file and no host."""
    try:
        parts = urlsplit(address)
        # Only now it says whether its host can be one.
        _ = parts.hostname
    except ValueError:
        return SplitResult("", "", address, "", "")
    return parts


class SiteServer:
    """Serves the site's pages and nothing else: no file of the disk is ever looked up by what a request says.

    Args:
        site: what is served.
        host: the address to listen on.
        port: the port; 0: any free one.
        updating: whether the site is brought up to date here; else the caller does so.

    Raises:
        UserError: the address cannot be listened on.
    """

    def __init__(self, site: LiveSite, host: str, port: int, updating: bool = True) -> None:
        self._site = site
        self._host = host
        self._ended = threading.Event()
        handler = partial(_Handler, site, Compressed(), is_local(host))
        try:
            family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
            self._server = _server_of(family)((str(address[0]), port), handler)
        except OSError as error:
            raise UserError(
                f"{host}:{port}: cannot listen on this address: {error.strerror}; use another one with --host or --port",
                see="address-in-use",
            ) from error
        self._updating = updating
        self._updater = threading.Thread(target=self._keep_up_to_date, daemon=True)

    @property
    def address(self) -> str:
        """What to open in a browser."""
        return f"{address_to_open(self._host, int(self._server.server_address[1]))}/"

    def __enter__(self) -> SiteServer:
        if self._updating:
            self._updater.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._server.server_close()

    def serve(self) -> None:
        """Until somebody stops it."""
        self._server.serve_forever()

    def stop(self) -> None:
        """Stop serving, from another thread."""
        self._server.shutdown()

    def _keep_up_to_date(self) -> None:
        told = ""
        pause = 0.0
        while not self._ended.wait(pause):
            pause = LOOK_SECONDS
            try:
                pause = max(LOOK_SECONDS, self._site.bring_up_to_date())
                told = ""
            except UserError as error:
                if str(error) != told:
                    told = str(error)
                    print(f"the site was not updated: {told}", file=sys.stderr, flush=True)


class Compressed:
    """Answers as gzip, each compressed once; the oldest are forgotten first."""

    def __init__(self, most: int = MOST_KEPT) -> None:
        self._most = most
        self._kept: dict[str, bytes] = {}
        self._size = 0
        self._lock = threading.Lock()

    def of(self, content: bytes, mark: str) -> bytes:
        """The content compressed; ``mark`` tells it from all others."""
        with self._lock:
            if (known := self._kept.get(mark)) is not None:
                return known
        # Without the time in it: the same content, the same bytes.
        made = gzip.compress(content, compresslevel=6, mtime=0)
        with self._lock:
            if mark not in self._kept and len(made) <= self._most:
                self._kept[mark] = made
                self._size += len(made)
            while self._size > self._most:
                self._size -= len(self._kept.pop(next(iter(self._kept))))
        return made


def takes_gzip(header: str) -> bool:
    """Whether whoever sent this ``Accept-Encoding`` can read gzip."""
    for part in header.lower().split(","):
        name, _, weight = part.partition(";")
        if name.strip() in ("gzip", "*"):
            return weight.replace(" ", "") not in ("q=0", "q=0.0", "q=0.00", "q=0.000")
    return False


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def server_bind(self) -> None:
        """As the base class does, but without asking the network for this machine's name."""
        TCPServer.server_bind(self)
        self.server_name, self.server_port = str(self.server_address[0]), int(self.server_address[1])

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A browser that goes away in the middle is no error of anybody's."""
        if not isinstance(sys.exception(), ConnectionError | TimeoutError):
            super().handle_error(request, client_address)


class _Server6(_Server):
    address_family = socket.AF_INET6


def _server_of(family: int) -> type[_Server]:
    return _Server6 if family == socket.AF_INET6 else _Server


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "tiltyard"
    sys_version = ""
    timeout = PATIENCE_SECONDS

    def __init__(self, site: LiveSite, compressed: Compressed, local: bool, *arguments: Any) -> None:
        self._site = site
        self._compressed = compressed
        self._local = local
        super().__init__(*arguments)

    def do_GET(self) -> None:
        """A file of the site."""
        # A page elsewhere whose name was made to point here must not read what only this machine may see.
        if self._local and not is_local(_parts(f"//{self.headers.get('Host', 'localhost')}").hostname or ""):
            self._answer(HTTPStatus.MISDIRECTED_REQUEST, b"This site can only be opened on this machine.\n")
            return
        if not self._site.ready.is_set():
            if "text/html" in self.headers.get("Accept", ""):
                self._answer(HTTPStatus.SERVICE_UNAVAILABLE, WAIT_PAGE, TYPES[".html"], extra={"Refresh": "1", "Retry-After": "1"})
                return
            self._site.ready.wait(PATIENCE_SECONDS)
        path = unquote(_parts(self.path).path).removeprefix("/") or "index.html"
        try:
            content = self._site.file(path)
        except UserError as error:
            self._answer(HTTPStatus.SERVICE_UNAVAILABLE, f"{error}\n".encode())
            return
        if content is None:
            self._answer(HTTPStatus.NOT_FOUND, b"Page not found. The first page is /index.html.\n")
            return
        kind = TYPES.get(PurePosixPath(path).suffix, "application/octet-stream")
        mark = tag(content)
        extra: dict[str, str] = {}
        if kind.startswith(TEXT) and len(content) >= LEAST_COMPRESSED:
            extra["Vary"] = "Accept-Encoding"
            if takes_gzip(self.headers.get("Accept-Encoding", "")):
                extra["Content-Encoding"] = "gzip"
                content = self._compressed.of(content, mark)
                # Another representation of the same, so it has a mark of its own.
                mark = f'{mark[:-1]}-gzip"'
        if self.headers.get("If-None-Match") == mark:
            self._answer(HTTPStatus.NOT_MODIFIED, b"", kind, mark, extra)
        else:
            self._answer(HTTPStatus.OK, content, kind, mark, extra)

    do_HEAD = do_GET  # noqa: N815 -- the base class looks for this name

    def _answer(
        self,
        status: HTTPStatus,
        content: bytes,
        kind: str = "text/plain; charset=utf-8",
        mark: str = "",
        extra: Mapping[str, str] = NO_HEADERS,
    ) -> None:
        self.send_response(status)
        for name, value in extra.items():
            self.send_header(name, value)
        if status is not HTTPStatus.NOT_MODIFIED:
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(content)))
        if mark:
            self.send_header("ETag", mark)
        self.send_header("Cache-Control", "no-cache")
        self.send_header("Content-Security-Policy", POLICY)
        self.send_header("Cross-Origin-Resource-Policy", "same-origin")
        self.send_header("Referrer-Policy", "no-referrer")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def log_message(self, format: str, *arguments: Any) -> None:  # noqa: A002 -- the name of the overridden method
        """Requests are nobody's business."""
