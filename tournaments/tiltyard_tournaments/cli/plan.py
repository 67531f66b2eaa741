"""``tiltyard plan``."""

from __future__ import annotations

from itertools import islice
from typing import Annotated

import typer

from tiltyard_simulator.playing import Arena
from tiltyard_simulator.tables import PROGRAM_FORMATS, render
from tiltyard_tournaments.cli.options import Block, Only, TableFormat, application, table_format, worker_count
from tiltyard_tournaments.cli.tournament_options import TournamentFile, say, tournament_of
from tiltyard_tournaments.formats.schedule_table import schedule_table
from tiltyard_tournaments.running.display import clock
from tiltyard_tournaments.running.schedule import Planned, Schedule
from tiltyard_tournaments.running.tournament import Tournament

app = application()

TRIALS = 5
"""Games that are played for the estimate, spread over the schedule."""


@app.command()
def plan(
    file: TournamentFile,
    trials: Annotated[int, typer.Option("--trials", min=0, help="Games to play for the estimate of the time; 0: none.")] = TRIALS,
    style: TableFormat = "simple",
    block: Block = None,
    only: Only = None,
) -> None:
    """Show a tournament's schedule and how long it will take, by a few trial games whose results are thrown away.

    Formats that depend on results are planned up to their first results.

    \b
    Examples:
      tiltyard plan cup.yaml
      tiltyard plan cup.yaml --trials 0 --format csv
    """
    check = table_format(style)
    tournament = tournament_of(file, block, only)
    schedule = Schedule(tournament)
    batch = schedule.next_batch()
    headers, rows = schedule_table(tournament.field, [planned.fixture for planned in batch])
    print(render(headers, rows, check))
    expected = tournament.format.expected_games()
    lines = [_count_line(len(batch), expected)]
    if trials and batch:
        seconds = _seconds_a_game(batch, trials)
        lines.append(_time_line(tournament, seconds, expected or (len(batch), len(batch))))
    for line in lines:
        # Where a program reads the table, nothing else may stand beside it.
        say(line) if check in PROGRAM_FORMATS else print(f"\n{line}" if line is lines[0] else line)


def _count_line(known: int, expected: tuple[int, int] | None) -> str:
    if expected is None:
        return f"{known} games, and more that depend on results"
    least, most = expected
    return f"{most} games" if least == most else f"{least} to {most} games, of which {known} are known before results"


def _seconds_a_game(batch: list[Planned], trials: int) -> float:
    step = max(1, len(batch) // trials)
    chosen = list(islice(batch, 0, None, step))[:trials]
    with Arena() as arena:
        return sum(arena.play(planned.spec).seconds for planned in chosen) / len(chosen)


def _time_line(tournament: Tournament, seconds: float, expected: tuple[int, int]) -> str:
    workers = worker_count(tournament.workers)
    least, most = (clock(games * seconds / workers) for games in expected)
    span = most if least == most else f"{least} to {most}"
    return f"about {span} with {workers} worker{'s' if workers > 1 else ''}, at {seconds:.2f} s a game in the trials"
