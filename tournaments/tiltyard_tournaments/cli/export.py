"""``tiltyard export``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from tiltyard_tournaments.cli.options import Block, Only, application
from tiltyard_tournaments.cli.tournament_options import TournamentFile, tournament_of
from tiltyard_tournaments.store import Store
from tiltyard_tournaments.store.exporting import export_lines

app = application()


@app.command()
def export(
    file: TournamentFile,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Into this file, not to standard output.", show_default=False),
    ] = None,
    replays: Annotated[bool, typer.Option("--replays", help="With the replays, which are long.")] = False,
    block: Block = None,
    only: Only = None,
) -> None:
    """Print everything that is in a tournament's store as JSON lines.

    \b
    Examples:
      tiltyard export cup.yaml > cup.jsonl
      tiltyard export cup.yaml --replays -o cup.jsonl
    """
    tournament = tournament_of(file, block, only, quiet=True)
    with Store(tournament.folder, writable=False) as store:
        if output is None:
            for line in export_lines(store, replays):
                sys.stdout.buffer.write(line)
            return
        with output.open("wb") as target:
            target.writelines(export_lines(store, replays))
