"""What every request and every answer passes, whatever the page."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send


class HostCheck:
    """Refuses requests for a name that isn't ours.

    A page elsewhere whose name was made to point here must not read what only this machine, or one name, may see.

    Args:
        app: answers all other requests.
        is_ours: whether a ``Host`` header, in lower case, names this site; empty: there is none.
        refuse: answers what was sent to somebody else.
    """

    def __init__(self, app: ASGIApp, is_ours: Callable[[str], bool], refuse: Callable[[Request], Response]) -> None:
        self._app = app
        self._is_ours = is_ours
        self._refuse = refuse

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or refuse it."""
        request = Request(scope)
        is_ours = self._is_ours(request.headers.get("Host", "").lower())
        await (self._app if is_ours else self._refuse(request))(scope, receive, send)


class SafeHeaders:
    """Adds headers to every answer that doesn't have them.

    Args:
        app: answers the requests.
        headers: by their names.
    """

    def __init__(self, app: ASGIApp, headers: Mapping[str, str]) -> None:
        self._app = app
        self._headers = headers

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let the application answer, and add to its headers."""

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in self._headers.items():
                    headers.setdefault(name, value)
            await send(message)

        await self._app(scope, receive, send_with_headers)
