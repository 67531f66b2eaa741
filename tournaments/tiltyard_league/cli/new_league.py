"""``tiltyard new league``: a folder with a league's file that can be started as it is."""

from __future__ import annotations

import re
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Final

import typer

from tiltyard_engine.errors import UserError, file_errors
from tiltyard_engine.records import Game, check_players, usual_players
from tiltyard_engine.registry.registry import ALGORITHM, GAME, Registry
from tiltyard_league.league_file.loading import FOR_SOME, LEAGUE_FILE, MOST_PLAYERS, PLAYERS
from tiltyard_simulator.match.own_distributions import USUAL_GAME
from tiltyard_simulator.registry.guarded_registry import open_registry
from tiltyard_simulator.registry.isolation_policy import IsolationPolicy
from tiltyard_tournaments.cli.application import application

app = application()
ALL_INSTALLED: Final = ("all installed",)
"""The staff's teams in a game that names no simple ones."""


@app.command()
def league(
    folder: Annotated[Path, typer.Argument(help="The folder to create the league in.", metavar="FOLDER")],
    title: Annotated[str, typer.Option(help="The league's name.")] = "League",
    game: Annotated[str, typer.Option(help="The game that is played.")] = USUAL_GAME,
    players: Annotated[
        int | None,
        typer.Option(min=PLAYERS, max=MOST_PLAYERS, help="The number of players in a game. Default: 2, or what the game needs."),
    ] = None,
) -> None:
    """Create a folder with a commented league file that can be started as it is.

    \b
    Examples:
      tiltyard new league course/
      tiltyard league serve course/
      tiltyard new league bay/ --game penguins --players 4
    """
    if not title.isprintable() or not 0 < len(title) <= 200:
        raise UserError("the title must be one line of printable characters, at most 200")
    make_league(folder, title, game, players)
    print(f"made {folder}/league.yaml. Next:\n\n  tiltyard league roster {folder} students.csv\n  tiltyard league serve {folder}")


def make_league(folder: Path, title: str, game: str, players: int | None = None) -> None:
    """Write the file.

    Raises:
        UserError: there is one already, it cannot be written, or the game is not for so many.
    """
    registry = open_registry(IsolationPolicy.from_environment())
    teams: Sequence[str] = ()
    if any(entry.name == game for entry in registry.all(GAME)):
        # Of another one the file may say whose code it is.
        record = registry.game(game)
        usual = PLAYERS if PLAYERS in record.seats else usual_players(record)
        players = players or usual
        check_players(record, players, "" if PLAYERS <= usual <= MOST_PLAYERS else FOR_SOME)
        teams = _staff_teams(registry, record, players)
    path = folder / LEAGUE_FILE
    if path.exists():
        raise UserError(f"{path}: already exists; nothing was written")
    text = files("tiltyard_league.league_file").joinpath("template.yaml").read_text(encoding="utf-8")
    quoted = "'" + title.replace("'", "''") + "'"
    text = text.replace("title: League\n", f"title: {quoted}\n")
    number_line = f"players: {players}\n" if players not in (None, PLAYERS) else ""
    if number_line:
        text = text.replace("once on each map in both seats", "on each map as often as a game has players")
        text = re.sub("# N teams and M maps make .*\n", "", text)
    text = text.replace("game: GAME\n", f"game: {game}\n{number_line}").replace("[TEAMS]", f"[{', '.join(teams or ALL_INSTALLED)}]")
    with file_errors(path, "written"):
        folder.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def _staff_teams(registry: Registry, game: Game[object], players: int) -> list[str]:
    """The simple teams of a game, as a file names them. Where a game has more seats, the first ones are there twice or more."""
    names = list(game.teams.samples)
    if players > PLAYERS and not names:
        names = [entry.name for entry in registry.authored(ALGORITHM, game.name)]
    again = range(len(names), players) if names else ()
    return [*names, *(f"{{team: {names[n % len(names)]}, name: {names[n % len(names)]}-{n // len(names) + 1}}}" for n in again)]
