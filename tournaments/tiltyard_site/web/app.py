"""An application out of routes, with all that every request passes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute

from tiltyard_site.web.compression import Compression
from tiltyard_site.web.middleware import HostCheck, SafeHeaders


def guarded_app(
    routes: Sequence[BaseRoute],
    headers: Mapping[str, str],
    is_ours: Callable[[str], bool],
    refuse: Callable[[Request], Response],
    exception_handlers: Mapping[Any, Any] | None = None,
) -> Starlette:
    """An application that answers only for its own host, with safe headers, and compresses what it says.

    Args:
        routes: the pages.
        headers: of every answer that doesn't have them.
        is_ours: whether a ``Host`` header, in lower case, names this site; empty: there is none.
        refuse: answers what was sent to somebody else.
        exception_handlers: as Starlette takes them.
    """
    passed = [Middleware(SafeHeaders, headers), Middleware(HostCheck, is_ours, refuse), Middleware(Compression)]
    app = Starlette(routes=routes, middleware=passed, exception_handlers=exception_handlers)
    # Starlette's own redirects to addresses with a slash at the end go to whatever host was asked for.
    app.router.redirect_slashes = False
    app.state.is_stopping = lambda: False
    return app
