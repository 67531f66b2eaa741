"""``tiltyard league surprises``: results of two versions that the ratings do not explain, for staff alone."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from tiltyard_league.database.database import Database
from tiltyard_league.database.games import Games
from tiltyard_league.league_file.loading import read_settings
from tiltyard_simulator.output.reports import say
from tiltyard_simulator.output.tables import PROGRAM_FORMATS, render, render_all
from tiltyard_tournaments.cli.options import TableFormat

Folder = Annotated[Path, typer.Argument(help="The league's folder.", metavar="FOLDER")]


def add_to(app: Any) -> None:
    """Register the command of this module."""
    app.command()(surprises)


def surprises(folder: Folder, style: TableFormat = "simple") -> None:
    """Show staff the results of two versions that are furthest from the ratings. A reason to look closer, never a verdict.

    Thrown games look like this, and so does a style that suits one version against the other. No page shows these results. For
    versions that answer alike, use 'tiltyard league finals --no-run', 'tiltyard run' and 'tiltyard alike'.

    \b
    Examples:
      tiltyard league surprises course/
    """
    # numpy takes a moment to load.
    from tiltyard_alike.surprises import surprises_of_counts
    from tiltyard_alike.tables import HINT, surprises_table

    settings = read_settings(folder)
    with Database(folder) as database:
        names = {
            row["id"]: f"{row['name']} {row['number']}"
            for row in database.rows(
                "SELECT versions.id, versions.number, teams.name FROM versions JOIN teams ON teams.id = versions.team"
            )
        }
    counts = Games(settings.results).counts()
    counts_by_name = {(names.get(one, str(one)), names.get(other, str(other))): each for (one, other), each in counts.items()}
    table = surprises_table(surprises_of_counts(counts_by_name))
    if style in PROGRAM_FORMATS:
        say(HINT)
    else:
        print(f"{HINT}\n")
    if table is None:
        say("fewer than three versions have played each other, so there is nothing to compare")
    elif style in PROGRAM_FORMATS:
        print(render(table.headers, table.rows, style))
    else:
        print(render_all([table], style))
