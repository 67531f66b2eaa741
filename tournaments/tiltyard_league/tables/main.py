"""The process of the tables: ``python -m tiltyard_league.tables.main FOLDER PARENT [--unconfined]``."""

from __future__ import annotations

import argparse
import os
import socket
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Final

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.types import ASGIApp, Receive, Scope, Send

from tiltyard_engine.errors import UserError
from tiltyard_league.database.log_lines import print_event
from tiltyard_league.database.private import OTHERS
from tiltyard_league.database.state import TABLES, VISITOR, socket_path
from tiltyard_league.league_file.loading import League, load_league
from tiltyard_league.tables.trials import league_trials
from tiltyard_league.tables.venue import LeagueVenue
from tiltyard_simulator.guard.confinement.kernel.privileges import end_with_parent
from tiltyard_site.web.server import make_server
from tiltyard_web_play.app import play_routes
from tiltyard_web_play.lobby import Lobby, LobbyLimits
from tiltyard_web_play.table import GameTableOptions
from tiltyard_web_play.trials import try_routes
from tiltyard_whatif.analysis.idle_process import IdleProcess

NICENESS: Final = 19
"""Games and checks get twenty times as much of a core that both want. Time in which a team waits for a core counts for nothing, so
neither side runs into its limits by that."""
IDLE_SECONDS: Final = 600.0
"""After so long without an answer, a person has left."""
LIMITS: Final = LobbyLimits(most_tables=2, kept_tables=20)
"""One game at once of a team, and five minutes of the machine within an hour."""
STOP_SECONDS: Final = 2
LONGEST_QUEUE: Final = 64


class ByVisitor:
    """Lets an application see who asks, instead of an address, as the web process says; nobody else reaches the socket."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, with who asks."""
        if scope["type"] == "http":
            visitor = dict(scope["headers"]).get(VISITOR.lower().encode(), b"")
            scope = {**scope, "client": (visitor.decode("latin-1"), 0)}
        await self._app(scope, receive, send)


@contextmanager
def open_tables(league: League) -> Iterator[Starlette]:
    """The application with the routes of a league's tables, and of other answers that are tried in its replays.

    All games end with the context.

    Raises:
        UserError: nobody can play this game by hand.
    """
    lobby = Lobby(LeagueVenue(league), GameTableOptions(idle_seconds=IDLE_SECONDS, tells_faults=False), LIMITS)
    with closing(lobby), IdleProcess() as process:
        routes = [*play_routes(lobby), *try_routes(league_trials(league, process))]
        yield Starlette(routes=routes, middleware=[Middleware(ByVisitor)])


def listen(folder: Path) -> socket.socket:
    """The socket at which the web process asks; only the server's user can open it.

    Raises:
        OSError: it can't be made.
    """
    (folder / TABLES).unlink(missing_ok=True)
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    with socket_path(folder) as path:
        listening.bind(path)
    listening.listen(LONGEST_QUEUE)
    return listening


def main() -> None:
    """Serve until told to stop."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("parent", type=int)
    parser.add_argument("--unconfined", action="store_true")
    options = parser.parse_args()
    end_with_parent(options.parent)
    os.umask(OTHERS)
    with suppress(OSError):
        os.nice(NICENESS)
    try:
        league = load_league(options.folder, unconfined=options.unconfined)
        with open_tables(league) as app, listen(options.folder) as listening:
            print_event("tables", "started", pid=os.getpid())
            make_server(app, STOP_SECONDS).run([listening])
    except (UserError, OSError) as error:
        print_event("tables", "failed", reason=str(error))
        sys.exit(1)


if __name__ == "__main__":
    main()
