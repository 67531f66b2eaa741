"""``tiltyard standings``: the tables of a tournament."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Annotated, Final

import typer

from tiltyard_simulator.output.reports import quarantine_line, say
from tiltyard_simulator.output.tables import MARKDOWN_FORMATS, PROGRAM_FORMATS, line_as, render, render_all
from tiltyard_tournaments.cli.application import application
from tiltyard_tournaments.cli.options import TableFormat
from tiltyard_tournaments.cli.tournament_options import TournamentOptions, say_earlier, say_incomplete, say_rounds
from tiltyard_tournaments.running.schedule import progress_to_show
from tiltyard_tournaments.running.tables import tables_of
from tiltyard_tournaments.running.tournament import open_store
from tiltyard_tournaments.tournament_file.contest import contest

app = application()

FINAL_RANKING: Final = "final-ranking"
"""The table of a file with stages that is of none of them."""


@app.command()
def standings(
    options: TournamentOptions,
    table: Annotated[
        list[str] | None,
        typer.Option(
            "--table",
            "-t",
            help="Show only this table: standings, not-admitted, disqualified, ratings, crosstable, maps, seats, faults, games,"
            " fit, nash, alpha-rank or fair-maps; for a file with stages also final-ranking. Repeatable.",
        ),
    ] = None,
    style: TableFormat = "simple",
) -> None:
    """Print a tournament's tables, as far as it has been played.

    For a file with stages, it prints the tables of each stage and the final ranking. Formats for programs contain only the ranking,
    or with --table, that table of all stages.

    \b
    Examples:
      tiltyard standings cup.yaml
      tiltyard standings cup.yaml --format github > standings.md
      tiltyard standings cup.yaml --table games --format csv
    """
    if not options.stages():
        _show_tables(options, table, style)
        return
    is_whole = table == [FINAL_RANKING]
    if table and style in PROGRAM_FORMATS and not is_whole:
        contest().show_tables(options, table, style)
        return
    if style not in PROGRAM_FORMATS and not is_whole:
        show = partial(_show_tables, table=table, style=style, others=[FINAL_RANKING])
        options.each_stage(show, only_started=True, heading=partial(_print_heading, style))
        print()
    contest().show_final_ranking(options, style)


def _print_heading(style: str, line: str) -> None:
    text = line.lstrip("\n")
    print(line.removesuffix(text) + line_as(text, "markdown" if style in MARKDOWN_FORMATS else style, "h1", "# "))


def _show_tables(options: TournamentOptions, table: list[str] | None, style: str, others: Sequence[str] = ()) -> None:
    tournament = options.tournament(as_run=True)
    say_rounds(tournament)
    with open_store(tournament) as store:
        progress = progress_to_show(tournament, store)
    tables = tables_of(tournament, progress.schedule, table, others)
    if len(tables) == 1 and style in PROGRAM_FORMATS:
        # A program that asked for one table gets its rows and no title.
        print(render(tables[0].headers, tables[0].rows, style))
    else:
        print(render_all(tables, style))
    if quarantined := quarantine_line(progress.schedule.records):
        say(quarantined)
    say_earlier(options.file, progress.earlier)
    say_incomplete(options.file, progress.schedule.voids, len(progress.missing), tournament.folder)
