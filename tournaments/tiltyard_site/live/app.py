"""A tournament's site as an application. No file of the disk is ever looked up by what a request says."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Sequence
from typing import Final, Protocol

from anyio import to_thread
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from tiltyard_engine.errors import UserError
from tiltyard_site.web.addresses import is_local, name_in
from tiltyard_site.web.answers import HEADERS, marked_answer, type_of
from tiltyard_site.web.app import guarded_app

WAIT_PAGE: Final = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark"><title>One moment</title></head>
<body><main><h1>One moment</h1><p>The site is being made. This page opens it by itself.</p></main></body></html>
"""
PATIENCE_SECONDS: Final = 30.0
"""How long a program waits until the site is made; a browser gets a page meanwhile."""
LOOK_SECONDS: Final = 0.1


class ServedSite(Protocol):
    """A site that is made in memory, and again as more is played."""

    ready: threading.Event
    """Set once it is made."""

    @property
    def title(self) -> str:
        """What it is the site of."""

    def bring_up_to_date(self) -> float:
        """Look for what is new; seconds that should pass before the next look."""

    def file(self, path: str) -> bytes | None:
        """The content of a file; None: there is none."""


def live_app(site: ServedSite, local: bool, more: Sequence[BaseRoute] = ()) -> Starlette:
    """The application.

    Args:
        site: what is shown.
        more: routes that come before those of the site.
        local: whether only this machine may see it.
    """

    async def answer(request: Request) -> Response:
        if not site.ready.is_set():
            if "text/html" in request.headers.get("Accept", ""):
                return HTMLResponse(WAIT_PAGE, 503, {"Refresh": "1", "Retry-After": "1"})
            await _wait_for(site, request)
        path = request.path_params["path"]
        path = path if path.rpartition("/")[2] else f"{path}index.html"
        try:
            # Whoever stops the server needn't wait until a page is made.
            content = await to_thread.run_sync(site.file, path, abandon_on_cancel=True)
        except UserError as error:
            return PlainTextResponse(f"{error}\n", 503)
        if content is None:
            return PlainTextResponse("Page not found. The first page is /index.html.\n", 404)
        return marked_answer(request.headers.get("If-None-Match", ""), content, type_of(path))

    return guarded_app(
        [*more, Route("/{path:path}", answer)],
        HEADERS,
        # A program may leave the header out; a browser never does.
        lambda host: not local or not host or is_local(name_in(host)),
        lambda request: PlainTextResponse("This site can only be opened on this machine.\n", 421),
    )


async def _wait_for(site: ServedSite, request: Request) -> None:
    """Wait until the site is made, but not longer than anybody who asks would, and not when the server ends."""
    until = time.monotonic() + PATIENCE_SECONDS
    while not (site.ready.is_set() or time.monotonic() >= until or request.app.state.is_stopping()):
        await asyncio.sleep(LOOK_SECONDS)
