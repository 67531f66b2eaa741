"""``tiltyard replay``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from tiltyard_engine.errors import UserError
from tiltyard_simulator.kept_replays import write_replay
from tiltyard_simulator.replay_files import encode
from tiltyard_simulator.tables import render
from tiltyard_tournaments.cli.options import Block, Only, TableFormat, application, table_format
from tiltyard_tournaments.cli.replay_source import MatchChoice
from tiltyard_tournaments.cli.tournament_options import TournamentFile, tournament_of
from tiltyard_tournaments.running.finding import HEADERS, find_replay, match_rows, played_matches
from tiltyard_tournaments.store import Store

app = application()


@app.command()
def replay(
    file: TournamentFile,
    match: MatchChoice = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="Into this file, compressed if it ends in .zst; not to standard output.", show_default=False
        ),
    ] = None,
    style: TableFormat = "simple",
    block: Block = None,
    only: Only = None,
) -> None:
    """Take a match's replay out of a tournament's store; without --match list the matches that were played.

    \b
    Examples:
      tiltyard replay cup.yaml
      tiltyard replay cup.yaml --match 12 -o final.jsonl
      tiltyard replay cup.yaml --match 3fa2c1 -o final.jsonl.zst
    """
    check = table_format(style)
    tournament = tournament_of(file, block, only, quiet=True)
    with Store(tournament.folder, writable=False) as store:
        if match is None:
            if output is not None:
                raise UserError(f"{file}: say by --match which match is to be written to {output}")
            print(render(HEADERS, match_rows(played_matches(tournament, store)), check))
            return
        found = find_replay(tournament, store, match, str(file))
    if output is None:
        sys.stdout.buffer.write(encode(found.replay))
        return
    size = write_replay(output, found.replay)
    print(f"{output}: {len(found.replay.frames)} rounds, {size:,} bytes")
