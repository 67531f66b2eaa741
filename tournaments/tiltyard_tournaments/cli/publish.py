"""The command ``tiltyard publish``."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from tiltyard_engine.exit_status import FAILED, said_if_interrupted
from tiltyard_engine.registry.sources import host_value
from tiltyard_simulator.output.reports import say
from tiltyard_tournaments.cli.application import application
from tiltyard_tournaments.cli.tournament_options import TournamentOptions, say_earlier, say_incomplete
from tiltyard_tournaments.publishers.publication import choose_publishers, publish_by
from tiltyard_tournaments.running.qualification import with_teams_admitted_so_far
from tiltyard_tournaments.running.tournament import open_store
from tiltyard_tournaments.tournament_file.contest import contest

app = application()


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
    again after more games to update it. Files that don't belong to the site are left alone. For a file with stages, each stage that
    has started gets its own site, and a page with the final ranking links to them.

    \b
    Examples:
      tiltyard publish cup.yaml
      tiltyard publish cup.yaml -o /var/www/cup
      tiltyard publish cup.yaml --publisher markdown --publisher csv
    """
    with said_if_interrupted("stopped; the games are safe, but not all was published: run the same command again"):
        if options.stages():
            print(*contest().publish_stages(options, partial(_publish, publisher), output), sep="\n")
        else:
            _publish(publisher, options, output)


def _publish(
    publisher: list[str] | None, options: TournamentOptions, output: Path | None, stages: tuple[tuple[str, str], ...] = ()
) -> list[Path]:
    resolved = options.resolve(as_run=True)
    tournament = with_teams_admitted_so_far(resolved.tournament)
    tournament = replace(tournament, publication=replace(tournament.publication, stages=stages))
    publishers = choose_publishers(tournament, resolved.registry, publisher or ())
    if tournament.analysis_seconds:
        explained = "explanations that were finished are saved, but nothing was published"
        with said_if_interrupted(f"stopped while lost games were being explained; {explained}: run the same command to continue"):
            host_value("tiltyard.analysis", "what explains lost games").explain_losses(options)
    with open_store(tournament) as store:
        published = publish_by(tournament, store, publishers, lambda problem: say(f"error: {problem}"), output)
    say_earlier(options.file, published.earlier)
    say_incomplete(options.file, published.voids, published.missing, tournament.folder)
    for path in published.files:
        print(path)
    if published.failed:
        raise typer.Exit(FAILED if published.disk_full else 1)
    return published.files
