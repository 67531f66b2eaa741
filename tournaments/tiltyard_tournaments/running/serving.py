"""A tournament's site over HTTP, brought up to date while a run goes on."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final

from tiltyard_engine.errors import UserError
from tiltyard_tournaments.running.publishing import publish_tournament, site_folder
from tiltyard_tournaments.running.schedule import follow
from tiltyard_tournaments.running.tournament import Tournament
from tiltyard_tournaments.store import Store

LOOK_SECONDS: Final = 5.0
"""Between two looks at whether more was played."""
RELOAD_SECONDS: Final = 10
"""A page of a run that goes on asks for itself again so often."""


class SiteServer:
    """Serves the site's folder, and nothing else.

    Raises:
        UserError: the address cannot be listened on, nothing was played yet, or the site cannot be written.
    """

    def __init__(self, tournament: Tournament, host: str, port: int) -> None:
        self._tournament = tournament
        self._ended = threading.Event()
        self.complete = False
        """Whether the tournament is over, so that pages need not be looked at again."""
        self._played = -1
        self.bring_up_to_date()
        handler = partial(_Handler, self._reloads, directory=str(site_folder(tournament)))
        try:
            self._server = ThreadingHTTPServer((host, port), handler)
        except OSError as error:
            raise UserError(f"{host}:{port}: cannot be listened on: {error.strerror}; choose another with --port") from error
        self._updater = threading.Thread(target=self._keep_up_to_date, daemon=True)

    @property
    def address(self) -> str:
        """What to open in a browser."""
        host, port = self._server.server_address[:2]
        return f"http://{host!s}:{port}/"

    def __enter__(self) -> SiteServer:
        self._updater.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._server.server_close()

    def serve(self) -> None:
        """Until somebody stops it."""
        self._server.serve_forever()

    def stop(self) -> None:
        """From another thread: let ``serve`` return."""
        self._server.shutdown()

    def bring_up_to_date(self) -> bool:
        """Write the site again if more was played; whether it was."""
        with Store(self._tournament.folder, writable=False) as store:
            played = len(store.keys())
            if played == self._played:
                return False
            self.complete = not follow(self._tournament, store.outcome).missing
        publish_tournament(self._tournament)
        self._played = played
        return True

    def _keep_up_to_date(self) -> None:
        while not self._ended.wait(LOOK_SECONDS):
            try:
                self.bring_up_to_date()
            except UserError as error:
                print(f"the site is as it was: {error}", flush=True)

    def _reloads(self) -> bool:
        return not self.complete


class _Handler(SimpleHTTPRequestHandler):
    """Files of one folder; pages ask for themselves again as long as the run goes on."""

    def __init__(self, reloads: Callable[[], bool], *arguments: Any, **named: Any) -> None:
        self._reloads = reloads
        super().__init__(*arguments, **named)

    def end_headers(self) -> None:
        path = self.path.partition("?")[0]
        if self._reloads() and (path.endswith(("/", "/index.html", "/matches.html"))):
            self.send_header("Refresh", str(RELOAD_SECONDS))
        self.send_header("Cache-Control", "no-cache")
        self.send_header("X-Content-Type-Options", "nosniff")
        super().end_headers()

    def log_message(self, format: str, *arguments: Any) -> None:  # noqa: A002 -- the name of the overridden method
        """Requests are nobody's business."""

    def list_directory(self, path: Any) -> None:
        """No listings."""
        self.send_error(404)
