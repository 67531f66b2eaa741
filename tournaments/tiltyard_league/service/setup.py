"""What must be there before the web process and the service start: the databases, and what the first needs of the game."""

from __future__ import annotations

from pathlib import Path

from tiltyard_engine.errors import UserError
from tiltyard_engine.records import Game
from tiltyard_league.database.database import Database, make_database
from tiltyard_league.database.games import Games
from tiltyard_league.database.log_lines import print_event
from tiltyard_league.database.private import make_private, own_paths, private_files
from tiltyard_league.database.state import THEME
from tiltyard_league.league_file.loading import LEAGUE_FILE, League
from tiltyard_league.service.game_writing import open_games
from tiltyard_league.submissions.checker import sweep_versions
from tiltyard_league.submissions.upload import sweep
from tiltyard_simulator.output.result_files import write_over
from tiltyard_site.pages.replay_scripts import script, theme_value
from tiltyard_tournaments.running.tournament import make_output_folder
from tiltyard_web_play.venue import check_game
from tiltyard_whatif.choices import choices_of


def set_up(league: League) -> None:
    """Make or mend a league's folder, writing no more than is needed. Neither process may run.

    Raises:
        UserError: it cannot be written.
    """
    folder: Path = league.settings.folder
    with private_files():
        _make_files(league, folder)
    # An older tiltyard, a copy or a backup may have left them open.
    if number := make_private(own_paths(folder, league.tournament.folder)):
        print_event("supervisor", "other users could read files of the league; now only their owner can", files=number)


def _make_files(league: League, folder: Path) -> None:
    make_database(folder)
    make_output_folder(league.tournament.folder)
    open_games(league.tournament.folder).close()
    before, players = Games(league.tournament.folder).players(), league.settings.players
    if before not in (0, players):
        raise UserError(
            f"{folder / LEAGUE_FILE}: players: the games so far have {before} players, not {players}, and this can't change"
            f" during a season; write 'players: {before}', or make a new league with 'tiltyard new league'"
        )
    game: Game[object] = league.tournament.game.load_as(Game)
    if league.settings.analysis_seconds:
        # A game that doesn't say which answers there are is told now, and not to each team that asks.
        choices_of(game)
    if league.settings.keys.play:
        check_game(game)
    theme = script("theme", theme_value(game.display.theme))
    # What is there already isn't written again: also on a full disk, pages are there after a start.
    if not (folder / THEME).is_file() or (folder / THEME).read_bytes() != theme:
        write_over(folder / THEME, theme.decode("ascii"))
    with Database(folder) as database:
        sweep(folder, {row["upload"] for row in database.rows("SELECT DISTINCT upload FROM versions")})
        sweep_versions(folder, database)
