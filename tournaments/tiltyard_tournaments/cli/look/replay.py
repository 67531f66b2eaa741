"""``tiltyard replay``: write the replay of a match."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from tiltyard_engine.errors import UserError
from tiltyard_engine.errors.named_paths import check_output
from tiltyard_engine.match_record import Outcome
from tiltyard_engine.texts.public_text import public_text
from tiltyard_engine.texts.quantities import counted
from tiltyard_simulator.output.tables import render
from tiltyard_simulator.replays.encoding import encode
from tiltyard_simulator.replays.files import is_replay, write_replay
from tiltyard_tournaments.cli.application import application
from tiltyard_tournaments.cli.look.replay_source import MatchChoice
from tiltyard_tournaments.cli.options import TableFormat
from tiltyard_tournaments.cli.tournament_options import TournamentOptions, say_earlier
from tiltyard_tournaments.publishers.results import SHOWN_KEY, find_replay
from tiltyard_tournaments.running.schedule import progress_to_show
from tiltyard_tournaments.running.tournament import open_store

app = application()


@app.command()
def replay(
    options: TournamentOptions,
    match: MatchChoice = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="Write to this file instead of standard output; compressed if its name ends in .zst.",
            show_default=False,
        ),
    ] = None,
    style: TableFormat = "simple",
) -> None:
    """Extract a replay from a tournament's store. Without --match, list the matches.

    \b
    Examples:
      tiltyard replay cup.yaml
      tiltyard replay cup.yaml --match 12 -o final.jsonl
      tiltyard replay cup.yaml --match 3fa2c1 -o final.jsonl.zst
    """
    if output is not None:
        check_output(output, "a replay", is_replay)
    tournament = options.tournament(as_run=True)
    with open_store(tournament) as store:
        if match is None:
            if output is not None:
                raise UserError(f"{options.file}: choose the match to write to {output} with --match")
            progress = progress_to_show(tournament, store)
            rows = [_row(match) for match in progress.schedule.records]
            print(render(("number", "key", "teams", "map", "result"), rows, style))
            say_earlier(options.file, progress.earlier)
            return
        _, recording = find_replay(tournament, store, match, str(options.file))
    recording.message = public_text(recording.message)
    if output is None:
        sys.stdout.buffer.write(encode(recording))
        return
    size = write_replay(output, recording)
    print(f"{output}: {counted(len(recording.frames), 'round')}, {size:,} bytes")


def _row(match: Outcome) -> tuple[str | int, ...]:
    return match.place + 1, match.key[:SHOWN_KEY], " - ".join(match.teams), match.map, match.message
