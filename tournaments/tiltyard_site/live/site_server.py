"""A tournament's site over HTTP, kept up to date while a run continues in another process."""

from __future__ import annotations

import asyncio
import logging
import sys
import threading
from collections.abc import Callable, Sequence
from typing import Final

from starlette.routing import BaseRoute

from tiltyard_engine.errors import UserError
from tiltyard_site.live.app import ServedSite, live_app
from tiltyard_site.web.addresses import address_to_open, is_local
from tiltyard_site.web.server import listen, make_server

LOOK_SECONDS: Final = 0.5
"""Between two looks into the store, at least."""
STOP_SECONDS: Final = 1
"""In which answers may end that are being made when the server stops."""


class SiteServer:
    """Serves the site's pages and nothing else.

    Args:
        site: what is served.
        host: the address to listen on.
        port: the port; 0: any free one.
        more: routes besides those of the site.
        updating: whether the site is brought up to date here; else the caller does so.

    Raises:
        UserError: the address cannot be listened on.
    """

    def __init__(self, site: ServedSite, host: str, port: int, updating: bool = True, more: Sequence[BaseRoute] = ()) -> None:
        self._site = site
        self._host = host
        self._ended = threading.Event()
        try:
            self._socket = listen(host, port)
        except OSError as error:
            raise UserError(
                f"{host}:{port}: cannot listen on this address: {error.strerror}; choose a different one with --host or --port",
                see="address-in-use",
            ) from error
        self._server = make_server(live_app(site, is_local(host), more), STOP_SECONDS)
        self._updating = updating
        self._updater = threading.Thread(target=self._keep_up_to_date, daemon=True)

    @property
    def address(self) -> str:
        """What to open in a browser."""
        return f"{address_to_open(self._host, int(self._socket.getsockname()[1]))}/"

    def __enter__(self) -> SiteServer:
        """Begin to bring the site up to date."""
        if self._updating:
            self._updater.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Give the address back."""
        self._ended.set()
        self._socket.close()

    def serve(self, announce: Callable[[], None] = lambda: None) -> None:
        """Answer until somebody stops it.

        Args:
            announce: called as soon as an interrupt ends this quietly.
        """
        logging.getLogger("uvicorn.error").addFilter(_is_of_a_mistake)

        async def answer() -> None:
            announce()
            await self._server.serve([self._socket])

        asyncio.run(answer())

    def stop(self) -> None:
        """Stop serving, from another thread."""
        self._server.should_exit = True

    def _keep_up_to_date(self) -> None:
        last_problem = ""
        pause = 0.0
        while not self._ended.wait(pause):
            pause = LOOK_SECONDS
            try:
                pause = max(LOOK_SECONDS, self._site.bring_up_to_date())
                last_problem = ""
            except UserError as error:
                if str(error) != last_problem:
                    last_problem = str(error)
                    print(f"the site was not updated: {last_problem}", file=sys.stderr, flush=True)


def _is_of_a_mistake(record: logging.LogRecord) -> bool:
    """Whether a line of the server tells of a mistake in this program. Odd requests, and answers that end with it, are none."""
    error = record.exc_info[1] if record.exc_info else None
    return error is not None and not isinstance(error, asyncio.CancelledError)
