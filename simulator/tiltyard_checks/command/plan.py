"""``tiltyard plan``: what a tournament would play, and what is wrong with its file."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import Annotated, TypeAlias

import typer

from tiltyard_engine.formats import Field, Fixture
from tiltyard_engine.texts.quantities import counted
from tiltyard_simulator.output.reports import say
from tiltyard_simulator.output.tables import PROGRAM_FORMATS, Cell, render_lines
from tiltyard_tournaments.cli.application import application
from tiltyard_tournaments.cli.options import TableFormat
from tiltyard_tournaments.cli.tournament_options import TournamentOptions, say_rounds, say_still_drawn
from tiltyard_tournaments.formats.batch_checks import check_batch
from tiltyard_tournaments.running.eligibility import exclusions_of
from tiltyard_tournaments.running.run import seconds_a_game, time_in_words
from tiltyard_tournaments.running.spec_maker import SpecMaker
from tiltyard_tournaments.running.tournament import Tournament
from tiltyard_tournaments.tournament_file.contest import contest

app = application()

Groups: TypeAlias = Sequence[tuple[str, Sequence[int]]]
"""As of ``TournamentFormat.groups``."""

TRIALS = 5
"""Games that are played for the estimate, spread over the schedule."""


@app.command()
def plan(
    options: TournamentOptions,
    trials: Annotated[
        int, typer.Option("--trials", min=0, help="Number of trial games for the time estimate. 0 means no estimate.")
    ] = TRIALS,
    show_all: Annotated[
        bool,
        typer.Option("--all", help="Also show the whole schedule, a line for each match. A format for programs always does."),
    ] = False,
    redraw: Annotated[bool, typer.Option("--redraw", help="Show what 'tiltyard run --redraw' would draw.")] = False,
    style: TableFormat = "simple",
) -> None:
    """Say how many games a tournament has and how long it takes, and show its schedule with --all.

    The estimate comes from a few trial games, whose results aren't kept. Formats that depend on results are shown up to their
    first results. If the teams of a stage are not known yet, the first teams of the previous stage take their places.

    \b
    Examples:
      tiltyard plan cup.yaml
      tiltyard plan cup.yaml --all
      tiltyard plan cup.yaml --trials 0 --format csv
    """
    if options.stages():
        contest().check_stages(options)
    options.each_stage(lambda each: _show_plan(each, trials, show_all, style, is_redraw=redraw))


def _show_plan(options: TournamentOptions, trials: int, show_all: bool, style: str, *, is_redraw: bool) -> None:
    tournament = options.tournament(quiet=False, is_preview=True, is_redraw=is_redraw)
    say_rounds(tournament)
    if is_redraw:
        say_still_drawn(tournament)
    batch = tournament.format.next_batch([])
    fixtures = check_batch(tournament.format_name, tournament.field, batch)
    specs = SpecMaker(tournament)
    _try_everybody(specs, fixtures)
    expected = tournament.format.expected_games()
    # Where a program reads the table, nothing else may stand beside it.
    is_for_programs = style in PROGRAM_FORMATS
    tell = say if is_for_programs else print
    tell(_count_line(len(fixtures), expected))
    if tournament.tie_break_games is not None:
        cuts = " or ".join(map(str, tournament.rules.cuts))
        tell(f"and tie-break matches, if teams are tied for place {cuts}: 2 or 4 games for each pair")
    for name, teams in tournament.format.groups:
        tell(f"group {name}: {', '.join(tournament.names[team] for team in teams)}")
    to_play = _played_fixtures(tournament, fixtures)
    if trials and to_play:
        seconds = seconds_a_game(specs, to_play, trials)
        time = time_in_words(tournament, seconds, expected or (len(fixtures), len(fixtures)))
        tell(f"{time}, at {seconds:.2f} s per game in the trials")
    if show_all or is_for_programs:
        if not is_for_programs:
            print()
        field, groups = tournament.field, tournament.format.groups
        rows = render_lines(headers_of(field, groups), lambda: schedule_rows(field, fixtures, groups), style)
        sys.stdout.writelines(rows)


def headers_of(field: Field, groups: Groups = ()) -> tuple[str, ...]:
    """The headers of the schedule's table."""
    own = ("match", "group", "stage") if groups else ("match", "stage")
    return *own, "map", "game", *(f"player {seat}" for seat in range(1, field.seats + 1))


def schedule_rows(field: Field, fixtures: Sequence[Fixture], groups: Groups = ()) -> Iterator[tuple[Cell, ...]]:
    """Its rows: number, group if there are any, stage, map, game and the teams in their seats; numbers count from 1."""
    group_of = {team: (name,) for name, teams in groups for team in teams}
    for number, fixture in enumerate(fixtures, start=1):
        names = [field.teams[team] for team in fixture.seats]
        group = group_of.get(fixture.seats[0], ())
        yield number, *group, fixture.stage, field.maps[fixture.map], fixture.game + 1, *names


def _try_everybody(specs: SpecMaker, fixtures: Sequence[Fixture]) -> None:
    """Make a match of each team, as what is wrong with somebody's files shows then; all matches would take much longer."""
    teams: set[int] = set()
    for fixture in fixtures:
        if not teams.issuperset(fixture.seats):
            teams.update(fixture.seats)
            specs.spec(fixture, 0)


def _played_fixtures(tournament: Tournament, fixtures: Sequence[Fixture]) -> Sequence[Fixture]:
    """Those without disqualified teams."""
    excluded = exclusions_of(tournament)
    out = {number for number, team in enumerate(tournament.teams) if team in excluded}
    return [fixture for fixture in fixtures if out.isdisjoint(fixture.seats)] if out else fixtures


def _count_line(games: int, expected: tuple[int, int] | None) -> str:
    if expected is None:
        return f"{games} games, and more that depend on results"
    least, most = expected
    return counted(most, "game") if least == most else f"{least} to {most} games: {games} are known, the others depend on results"
