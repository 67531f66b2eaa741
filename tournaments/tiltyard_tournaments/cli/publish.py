"""``tiltyard publish``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tiltyard_tournaments.cli.options import Block, Only, application
from tiltyard_tournaments.cli.tournament_options import TournamentFile, resolved_of, say, voids_line
from tiltyard_tournaments.running.choosing_publishers import choose_publishers
from tiltyard_tournaments.running.entering import entered_now
from tiltyard_tournaments.running.publishing import publish_by
from tiltyard_tournaments.store import Store

app = application()


@app.command()
def publish(
    file: TournamentFile,
    publisher: Annotated[
        list[str] | None,
        typer.Option(
            "--publisher",
            "-p",
            help="In place of the file's: site, markdown, csv, json, html, or another installed one; repeatable.",
        ),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write into this folder, in place of the file's.", show_default=False)
    ] = None,
    block: Block = None,
    only: Only = None,
) -> None:
    """Publish the tournament's results as its file says; by default as a site.

    The site has standings, ratings, and every game with its replay; it works offline and from any web server.
    Run again after more was played, the command brings everything up to date; files that are not the site's own are left alone.

    \b
    Examples:
      tiltyard publish cup.yaml
      tiltyard publish cup.yaml -o /var/www/cup
      tiltyard publish cup.yaml --publisher markdown --publisher csv
    """
    resolved = resolved_of(file, block, only, quiet=True)
    tournament = entered_now(resolved.tournament)
    chosen = choose_publishers(tournament, resolved.registry, publisher or ())
    with Store(tournament.folder, writable=False) as store:
        published = publish_by(tournament, store, chosen, lambda problem: say(f"error: {problem}"), output)
    if published.voids:
        say(voids_line(published.voids, file))
    if published.missing:
        say(f"not complete: {published.missing} games of the current batch are missing; 'tiltyard run {file}' goes on")
    for path in published.files:
        print(path)
    if published.failed:
        raise typer.Exit(1)
