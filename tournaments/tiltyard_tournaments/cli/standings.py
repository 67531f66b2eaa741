"""``tiltyard standings``."""

from __future__ import annotations

from typing import Annotated

import typer

from tiltyard_simulator.tables import PROGRAM_FORMATS, render, render_all
from tiltyard_tournaments.cli.options import Block, Only, TableFormat, application, table_format
from tiltyard_tournaments.cli.tournament_options import TournamentFile, say, tournament_of, voids_line
from tiltyard_tournaments.running.reporting import tables_of
from tiltyard_tournaments.running.schedule import follow
from tiltyard_tournaments.store import Store

app = application()


@app.command()
def standings(
    file: TournamentFile,
    table: Annotated[
        list[str] | None,
        typer.Option(
            "--table",
            "-t",
            help="Only this: standings, not-admitted, ratings, crosstable, maps, seats, faults or games; repeatable.",
        ),
    ] = None,
    style: TableFormat = "simple",
    block: Block = None,
    only: Only = None,
) -> None:
    """Print the tables of a tournament, as far as it was played.

    \b
    Examples:
      tiltyard standings cup.yaml
      tiltyard standings cup.yaml --format github > standings.md
      tiltyard standings cup.yaml --table games --format csv
    """
    check = table_format(style)
    tournament = tournament_of(file, block, only, quiet=True)
    with Store(tournament.folder, writable=False) as store:
        progress = follow(tournament, store.ended)
    tables = tables_of(tournament, progress.schedule, table)
    if len(tables) == 1 and check in PROGRAM_FORMATS:
        # A program that asked for one table gets its rows and no title.
        print(render(tables[0].headers, tables[0].rows, check))
    else:
        print(render_all(tables, check))
    if voids := progress.schedule.voids:
        say(voids_line(voids, file))
    if progress.missing:
        say(f"not complete: {len(progress.missing)} games of the current batch are missing; 'tiltyard run {file}' goes on")
