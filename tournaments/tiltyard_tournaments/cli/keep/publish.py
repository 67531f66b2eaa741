"""The command ``tiltyard publish``."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Final

import typer

from tiltyard_engine.exit_status import FAILED
from tiltyard_tournaments.cli.application import application
from tiltyard_tournaments.cli.final_ranking import ranking_of
from tiltyard_tournaments.cli.tournament_options import TournamentOptions, say, say_earlier, say_incomplete
from tiltyard_tournaments.publishers.publication import choose_publishers, publish_by
from tiltyard_tournaments.publishers.tables import write_stages_page
from tiltyard_tournaments.running.qualification import with_teams_admitted_so_far
from tiltyard_tournaments.running.tournament import open_store
from tiltyard_tournaments.store import STORE_NAME

app = application()
INDEX: Final = "index.html"


@app.command()
def publish(
    options: TournamentOptions,
    publisher: Annotated[
        list[str] | None,
        typer.Option(
            "--publisher",
            "-p",
            help="A publisher (overrides the file): site, markdown, csv, json, html, or another installed one. Can be repeated.",
        ),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write to this folder instead of the file's.", show_default=False)
    ] = None,
) -> None:
    """Publish a tournament's results as its file says. Default: as a site.

    The site has standings, ratings, and every game with its replay. It works offline and from any web server. Run the command
    again after more games to update it. Files that don't belong to the site are left alone. Of a file with stages, each stage that
    was begun has its own site, and a page with the final ranking leads to them.

    \b
    Examples:
      tiltyard publish cup.yaml
      tiltyard publish cup.yaml -o /var/www/cup
      tiltyard publish cup.yaml --publisher markdown --publisher csv
    """
    stages = options.stages()
    if not stages:
        _publish(options, publisher, output)
        return
    pages: dict[str, list[Path]] = {}
    title, folder = "", output
    for stage in stages:
        if (stage.folder / STORE_NAME).is_file() or stage is stages[0]:
            own = replace(options, stage=stage.name)
            tournament = own.resolve(as_run=True).tournament
            title = title or tournament.title.removesuffix(f": {stage.name}")
            folder = folder or stage.folder.parent / tournament.publication.folder
            pages[stage.name] = _publish(own, publisher, folder / stage.name)
    assert folder is not None
    print(write_stages_page(folder / INDEX, title, ranking_of(options), pages))


def _publish(options: TournamentOptions, publisher: list[str] | None, output: Path | None) -> list[Path]:
    resolved = options.resolve(as_run=True)
    tournament = with_teams_admitted_so_far(resolved.tournament)
    publishers = choose_publishers(tournament, resolved.registry, publisher or ())
    with open_store(tournament) as store:
        published = publish_by(tournament, store, publishers, lambda problem: say(f"error: {problem}"), output)
    say_earlier(options.file, published.earlier)
    say_incomplete(options.file, published.voids, published.missing)
    for path in published.files:
        print(path)
    if published.failed:
        raise typer.Exit(FAILED if published.disk_full else 1)
    return published.files
