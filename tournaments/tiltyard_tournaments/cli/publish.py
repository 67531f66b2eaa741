"""``tiltyard publish``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tiltyard_tournaments.cli.options import Block, Only, application
from tiltyard_tournaments.cli.tournament_options import TournamentFile, say, tournament_of
from tiltyard_tournaments.running.publishing import publish_tournament

app = application()


@app.command()
def publish(
    file: TournamentFile,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The site's folder, in place of the file's.", show_default=False)
    ] = None,
    block: Block = None,
    only: Only = None,
) -> None:
    """Write the tournament's site: standings, ratings, every game with its replay. It works offline and from any web server.

    Run again after more was played it brings the site up to date; files that are not the site's own are left alone.

    \b
    Examples:
      tiltyard publish cup.yaml
      tiltyard publish cup.yaml -o /var/www/cup
    """
    tournament = tournament_of(file, block, only, quiet=True)
    published, missing = publish_tournament(tournament, output)
    for problem in published.problems:
        say(f"note: {problem}")
    if missing:
        say(f"not complete: {missing} games of the current batch are missing; 'tiltyard run {file}' goes on")
    print(published.index)
    say(f"{published.written} files written, {published.unchanged} unchanged, {published.removed} removed")
