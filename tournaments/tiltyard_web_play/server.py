"""A server for one person at this machine: ``tiltyard play GAME --web``."""

from __future__ import annotations

import asyncio
import logging
import webbrowser
from contextlib import suppress
from typing import Final
from urllib.parse import urlencode

from tiltyard_engine.errors import UserError
from tiltyard_site.web.addresses import address_to_open
from tiltyard_site.web.server import listen, make_server
from tiltyard_web_play.app import PREFIX, play_app
from tiltyard_web_play.lobby import Lobby

HOST: Final = "127.0.0.1"
STOP_SECONDS: Final = 1


class PlayServer:
    """Serves a lobby to this machine alone, until somebody stops it.

    Args:
        lobby: the tables; they end with the server.
        port: the port; 0: any free one.

    Raises:
        UserError: the port cannot be listened on.
    """

    def __init__(self, lobby: Lobby, port: int) -> None:
        self._lobby = lobby
        try:
            self._socket = listen(HOST, port)
        except OSError as error:
            raise UserError(
                f"{HOST}:{port}: cannot listen on this address: {error.strerror}; use another one with --port", see="address-in-use"
            ) from error
        self._server = make_server(play_app(lobby, local=True), STOP_SECONDS)

    def address(self, fragment: dict[str, str]) -> str:
        """What to open in a browser: the page, with the game that is to begin there."""
        return f"{address_to_open(HOST, int(self._socket.getsockname()[1]))}{PREFIX}#{urlencode(fragment, safe=',')}"

    def serve(self, address: str, opens: bool) -> None:
        """Answer until somebody stops it; print the address, and open a browser if ``opens``."""
        logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)

        async def answer() -> None:
            print(f"play at {address}; press Ctrl-C to stop", flush=True)
            if opens:
                webbrowser.open(address)
            await self._server.serve([self._socket])

        try:
            with suppress(KeyboardInterrupt):
                asyncio.run(answer())
        finally:
            self._lobby.close()
            self._socket.close()

    def stop(self) -> None:
        """Stop serving, from another thread."""
        self._server.should_exit = True
