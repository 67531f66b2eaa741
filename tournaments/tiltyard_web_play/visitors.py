"""Games of a site's visitors against its teams, which ``tiltyard serve --play`` finds by the group ``tiltyard.visitors``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from starlette.routing import BaseRoute

from tiltyard_tournaments.running.tournament import Tournament
from tiltyard_web_play.app import play_routes
from tiltyard_web_play.lobby import Lobby
from tiltyard_web_play.table import GameTableOptions
from tiltyard_web_play.venue import TournamentVenue

IDLE_SECONDS: Final = 600.0
"""After so long without an answer, a visitor has left."""


@contextmanager
def open_tables(tournament: Tournament) -> Iterator[Sequence[BaseRoute]]:
    """The routes of the tables at which visitors play against the teams; all games end with the context.

    Raises:
        UserError: nobody can play this game by hand.
    """
    lobby = Lobby(TournamentVenue(tournament), GameTableOptions(idle_seconds=IDLE_SECONDS))
    try:
        yield play_routes(lobby)
    finally:
        lobby.close()
