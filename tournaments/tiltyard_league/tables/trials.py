"""Other answers that members of teams try in replays: in which games, and whose code is quoted to them."""

from __future__ import annotations

from functools import partial

from tiltyard_engine.errors import UserError
from tiltyard_league.database.database import Database
from tiltyard_league.database.games import Games, LeagueGame
from tiltyard_league.database.state import team_of_visitor
from tiltyard_league.league_file.loading import League
from tiltyard_league.service.active_versions import ActiveVersions
from tiltyard_league.service.matches import game_to_repeat, match_of
from tiltyard_simulator.match.key import KeyMaker
from tiltyard_tournaments.store import Store
from tiltyard_web_play.trials import Trials
from tiltyard_whatif.analysis.idle_process import IdleProcess
from tiltyard_whatif.stored import StoredGame


def league_trials(league: League, process: IdleProcess) -> Trials:
    """What tries answers in the games of a league. Which replays a visitor sees is for the web process to say.

    Args:
        league: the league.
        process: where games are played.
    """
    return Trials(partial(stored_game, league), process, frozenset(), own_seats=partial(own_seats, league))


def stored_game(league: League, number: int) -> StoredGame:
    """A game with the versions that played it.

    Raises:
        UserError: there is none, or it can't be played again.
    """
    game, settings = _game(league, number), league.settings
    with Database(settings.folder) as database, Store(settings.results, writable=False) as store:
        try:
            return game_to_repeat(store, partial(match_of, ActiveVersions(league, database), KeyMaker()), game)
        except UserError:
            # Why is nothing for another team.
            raise UserError(
                "this game can't be played again: its replay or a team's code is no longer stored, or the game or a limit has"
                " changed"
            ) from None


def own_seats(league: League, visitor: str, number: int) -> frozenset[int]:
    """The seats of a visitor's team in a game.

    Raises:
        UserError: there is no such game.
    """
    team, versions = team_of_visitor(visitor), _game(league, number).versions
    with Database(league.settings.folder) as database:
        own = {int(row["id"]) for row in database.rows("SELECT id FROM versions WHERE team = ?", team)}
    return frozenset(seat for seat, version in enumerate(versions, start=1) if version in own)


def _game(league: League, number: int) -> LeagueGame:
    game = Games(league.settings.results).game(number)
    if game is None:
        raise UserError("there is no such game")
    return game
