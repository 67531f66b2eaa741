"""Games of a site's visitors against its teams, which ``tiltyard serve --play`` finds by the group ``tiltyard.visitors``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Final, TypeAlias

from starlette.routing import BaseRoute

from tiltyard_engine.errors import UserError
from tiltyard_engine.records import Game
from tiltyard_tournaments.cli.tournament_options import TournamentOptions
from tiltyard_tournaments.running.tournament import Tournament
from tiltyard_web_play.app import play_routes
from tiltyard_web_play.desk import ExplainDesk, explain_routes, explain_stored
from tiltyard_web_play.lobby import Lobby
from tiltyard_web_play.table import GameTableOptions
from tiltyard_web_play.trials import Trials, stored_game, try_routes
from tiltyard_web_play.venue import TournamentVenue
from tiltyard_whatif.analysis.idle_process import IdleProcess
from tiltyard_whatif.choices import choices_of

IDLE_SECONDS: Final = 600.0
"""After so long without an answer, a visitor has left."""


Desk: TypeAlias = tuple[ExplainDesk, Sequence[BaseRoute]]


@contextmanager
def open_desk(options: TournamentOptions, tournament: Tournament, process: IdleProcess) -> Iterator[Desk]:
    """What answers visitors who ask why a team lost, and its route.

    Args:
        options: of the command that serves.
        tournament: what it serves.
        process: where answers are tried.

    Raises:
        UserError: nobody may see it, or the game doesn't say which other answers there were.
    """
    if "replays" in tournament.publication.hide:
        raise UserError("--explain: the file hides replays ('publication: hide'), and explanations show parts of them")
    choices_of(tournament.game.load_as(Game))
    desk = ExplainDesk(partial(explain_stored, options, process))
    try:
        yield desk, explain_routes(desk)
    finally:
        desk.close()


@contextmanager
def open_tables(options: TournamentOptions, tournament: Tournament) -> Iterator[Sequence[BaseRoute]]:
    """The routes of the tables at which visitors play against the teams, and of other answers that they try in replays.

    All games end with the context.

    Args:
        options: of the command that serves.
        tournament: what it serves.

    Raises:
        UserError: nobody can play this game by hand.
    """
    lobby = Lobby(TournamentVenue(tournament), GameTableOptions(idle_seconds=IDLE_SECONDS))
    try:
        with IdleProcess() as process:
            trials = Trials(partial(stored_game, options), process, tournament.publication.hide)
            yield [*play_routes(lobby), *([] if "replays" in tournament.publication.hide else try_routes(trials))]
    finally:
        lobby.close()
