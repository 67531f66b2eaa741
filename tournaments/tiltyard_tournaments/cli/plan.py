"""``tiltyard plan``."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Annotated

import typer

from tiltyard_engine.formats import Field, Fixture
from tiltyard_engine.terminal.time_left import clock
from tiltyard_simulator.match.key import players_of
from tiltyard_simulator.match.spec import MatchSpec
from tiltyard_simulator.play.arena import Arena
from tiltyard_simulator.play.executors import available_cores
from tiltyard_simulator.play.tables import PROGRAM_FORMATS, Cell, render
from tiltyard_tournaments.cli.application import application
from tiltyard_tournaments.cli.options import TableFormat
from tiltyard_tournaments.cli.tournament_options import TournamentOptions, say
from tiltyard_tournaments.running.disqualification import what_counts
from tiltyard_tournaments.running.schedule import Schedule
from tiltyard_tournaments.running.tournament import Tournament

app = application()

TRIALS = 5
"""Games that are played for the estimate, spread over the schedule."""


@app.command()
def plan(
    options: TournamentOptions,
    trials: Annotated[
        int, typer.Option("--trials", min=0, help="Number of trial games for the time estimate. 0 means no estimate.")
    ] = TRIALS,
    style: TableFormat = "simple",
) -> None:
    """Show a tournament's schedule and estimate how long it takes.

    The estimate comes from a few trial games, whose results aren't kept. Formats that depend on results are shown up to their
    first results.

    \b
    Examples:
      tiltyard plan cup.yaml
      tiltyard plan cup.yaml --trials 0 --format csv
    """
    tournament = options.tournament(quiet=False)
    schedule = Schedule(tournament=tournament)
    batch = schedule.next_batch()
    print(render(*schedule_table(tournament.field, schedule.fixtures), style))
    expected = tournament.format.expected_games()
    lines = [_count_line(len(batch), expected)]
    to_play = [spec for spec in batch if what_counts(tournament, spec, None) is None]
    if trials and to_play:
        seconds = _seconds_a_game(to_play, trials)
        lines.append(_time_line(tournament, seconds, expected or (len(batch), len(batch))))
    for line in lines:
        # Where a program reads the table, nothing else may stand beside it.
        say(line) if style in PROGRAM_FORMATS else print(f"\n{line}" if line is lines[0] else line)


def schedule_table(field: Field, fixtures: Sequence[Fixture]) -> tuple[tuple[str, ...], list[tuple[Cell, ...]]]:
    """Headers and rows: number, stage, map, game and the teams in their seats; numbers count from 1."""
    headers = ("match", "stage", "map", "game", *(f"player {seat}" for seat in range(1, field.seats + 1)))
    rows: list[tuple[Cell, ...]] = []
    for number, fixture in enumerate(fixtures, start=1):
        names = (field.teams[team] for team in fixture.seats)
        rows.append((number, fixture.stage, field.maps[fixture.map], fixture.game + 1, *names))
    return headers, rows


def _count_line(known: int, expected: tuple[int, int] | None) -> str:
    if expected is None:
        return f"{known} games, and more that depend on results"
    least, most = expected
    return f"{most} games" if least == most else f"{least} to {most} games; {known} of them are known before the first result"


def _seconds_a_game(batch: list[MatchSpec], trials: int) -> float:
    step = max(1, len(batch) // trials)
    chosen = list(islice(batch, 0, None, step))[:trials]
    with Arena() as arena:
        arena.preload(players_of(chosen))
        return sum(arena.play(spec).seconds for spec in chosen) / len(chosen)


def _time_line(tournament: Tournament, seconds: float, expected: tuple[int, int]) -> str:
    workers = tournament.workers or available_cores()
    least, most = (clock(games * seconds / workers) for games in expected)
    span = most if least == most else f"{least} to {most}"
    return f"about {span} with {workers} worker{'s' if workers > 1 else ''}, at {seconds:.2f} s per game in the trials"
