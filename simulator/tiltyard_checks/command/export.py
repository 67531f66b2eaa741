"""``tiltyard export``: the results of a tournament as a file that other programs read."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Final

import typer

from tiltyard_checks.runs.export_lines import export_lines, is_export
from tiltyard_engine.errors import NotFoundError, UserError, file_errors
from tiltyard_engine.errors.named_paths import check_output
from tiltyard_engine.registry.sources import own_entry_points
from tiltyard_simulator.match.own_distributions import OWN_DISTRIBUTIONS
from tiltyard_tournaments.cli.application import application
from tiltyard_tournaments.cli.tournament_options import TournamentOptions, say_earlier
from tiltyard_tournaments.running.eligibility import disqualifications
from tiltyard_tournaments.running.schedule import progress_to_show
from tiltyard_tournaments.running.tables import byes_of
from tiltyard_tournaments.running.tournament import open_store

app = application()

JSON: Final = "json"
EXPORTS_GROUP: Final = "tiltyard.exports"
"""Entry points of other formats: functions of a tournament and its schedule that give the text."""


@app.command()
def export(
    options: TournamentOptions,
    style: Annotated[
        str,
        typer.Option("--format", help="'json', or 'trf': FIDE's report file of a swiss (TRF16), for other people's checkers."),
    ] = JSON,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Write to this file instead of standard output.", show_default=False),
    ] = None,
    replays: Annotated[bool, typer.Option("--replays", help="Include the replays, which are long.")] = False,
    everything: Annotated[bool, typer.Option("--all", help="Include matches that don't count.")] = False,
    reproducible: Annotated[
        bool,
        typer.Option(
            "--reproducible",
            help="Leave out everything that may differ between two runs: times, memory, output and the messages of faults.",
        ),
    ] = False,
) -> None:
    """Print a tournament's matches as JSON lines: those that count, in the order of the schedule.

    They are the same after every run of the same tournament, except for measured values and the messages of machines and faulty
    code. With --reproducible, these are left out, and two runs give the same bytes. A match of a quarantined team is exported as it
    counts: the other team wins, and the match has no time if it didn't have to be played. With --all, everything in the store is
    printed as it was played, including matches that don't count: those of changed teams, and those that a team played before it was
    put into quarantine.

    \b
    Examples:
      tiltyard export cup.yaml > cup.jsonl
      tiltyard export cup.yaml --replays -o cup.jsonl
      tiltyard export cup.yaml --all > everything.jsonl
      tiltyard export cup.yaml --reproducible --replays | sha256sum
      tiltyard export swiss.yaml --format trf -o swiss.trf
    """
    if everything and reproducible:
        raise UserError("--all and --reproducible can't be used together: it depends on chance which matches were played in vain")
    others = {entry.name: entry for entry in own_entry_points(EXPORTS_GROUP, OWN_DISTRIBUTIONS)} if style != JSON else {}
    if style != JSON and style not in others:
        raise NotFoundError("format", style, [JSON, *others])
    if output is not None:
        check_output(output, "an export", is_export if style == JSON else lambda head: head.startswith(b"012 "))
    tournament = options.tournament(as_run=True)
    with open_store(tournament) as store:
        progress = progress_to_show(tournament, store)
        schedule = progress.schedule
        if style != JSON:
            write_export([others[style].load()(tournament, schedule).encode()], output)
            return
        settled = None if everything else list(zip(schedule.matches, schedule.records, strict=True))
        byes = byes_of(tournament, schedule)
        disqualified = disqualifications(tournament)
        lines = export_lines(store, replays, settled, disqualified, byes, decisions=tournament.decisions, reproducible=reproducible)
        write_export(lines, output)
    if not everything:
        say_earlier(options.file, progress.earlier)


def write_export(lines: Iterable[bytes], output: Path | None) -> None:
    """Write to a file, or to standard output."""
    if output is None:
        for line in lines:
            sys.stdout.buffer.write(line)
    else:
        with file_errors(output, "written"), output.open("wb") as target:
            target.writelines(lines)
