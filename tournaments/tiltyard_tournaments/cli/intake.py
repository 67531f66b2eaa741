"""``tiltyard intake``."""

from __future__ import annotations

import os
import shlex
import sys
from collections import Counter
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer

from tiltyard_engine.errors import UserError
from tiltyard_simulator.intake.building import BUILD_LIMITS
from tiltyard_simulator.intake.class_intake import IntakeOptions, take_in
from tiltyard_simulator.intake.environments.allowed import allowed_of
from tiltyard_simulator.intake.roster import read_roster
from tiltyard_simulator.intake.team_report import COLUMNS, TABLE, IntakeReport, TeamReport, Verdict
from tiltyard_simulator.play.tables import render
from tiltyard_tournaments.cli.application import application
from tiltyard_tournaments.cli.options import IsolationOptions, PluginOptions, TableFormat, Workers

app = application()

LONGEST_WORDS = 60
"""Characters of an error in the table on the screen. The files have all of it."""


@app.command()
def intake(
    handed_in: Annotated[Path, typer.Argument(help="A folder of what was handed in, or an export that is one archive.")],
    *,
    game: Annotated[str, typer.Option("--game", "-g", help="The game that the teams play.")],
    into: Annotated[
        Path, typer.Option("--into", help="The folder of teams. A tournament file plays it with 'teams: teams/'.")
    ] = Path("teams"),
    report: Annotated[
        Path | None,
        typer.Option(
            "--report", help="Where the report, texts for the teams and kept builds go. Default: INTO.intake.", show_default=False
        ),
    ] = None,
    roster: Annotated[
        Path | None,
        typer.Option(
            "--roster", help="A CSV file of students: name, id, group. Members of a group are one team.", show_default=False
        ),
    ] = None,
    deadline: Annotated[
        str, typer.Option("--deadline", help="What came later is marked as late, such as '2026-11-30 23:59'.", show_default=False)
    ] = "",
    recipe: Annotated[
        list[str] | None,
        typer.Option(
            "--recipe", help="Take this recipe: NAME for everybody, TEAM=NAME for one team. Can be repeated.", show_default=False
        ),
    ] = None,
    retry: Annotated[
        bool, typer.Option("--retry", help="Try again what failed, such as after you have installed a library.")
    ] = False,
    build_seconds: Annotated[
        float, typer.Option("--build-seconds", min=1.0, help="CPU time that one command of a build may take.")
    ] = BUILD_LIMITS.move_seconds,
    allow: Annotated[
        list[str] | None,
        typer.Option(
            "--allow",
            help="A package that teams in Python may have, such as numpy or 'numpy<3', with all that it needs. Can be repeated.",
            show_default=False,
        ),
    ] = None,
    wheels: Annotated[
        Path | None,
        typer.Option(
            "--wheels", help="Packages of teams come from this folder alone. Without --allow, all are allowed.", show_default=False
        ),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what was found. Nothing is built or written.")] = False,
    workers: Workers = 0,
    style: TableFormat = "simple",
    isolation: IsolationOptions,
    plugins: PluginOptions,
) -> None:
    """Turn what students handed in into teams that play.

    Reads the downloads of Moodle, Canvas, Gradescope and GitHub Classroom, folders and archives. Each team's sources are unpacked,
    recognised by a recipe, built in a sandbox, and played once. Nobody is left out of the report: those who need a word from you
    stand first. Run it again to take in new attempts, or to go on after it was stopped; only what has changed is built again.

    \b
    Examples:
      tiltyard intake handed-in/ --game tanks
      tiltyard intake moodle.zip --game tanks --roster students.csv --deadline '2026-11-30 23:59'
      tiltyard intake handed-in/ --game tanks --allow numpy --allow scipy
      tiltyard intake handed-in/ --game penguins --dry-run
    """
    policy = isolation.policy(plugins.trust)
    for_all, for_teams = _recipes(recipe or [])
    options = IntakeOptions(
        handed_in=handed_in,
        into=into,
        reports=report or into.with_name(f"{into.resolve().name}.intake"),
        game=game,
        roster=read_roster(roster) if roster is not None else None,
        deadline=_time(deadline),
        workers=workers or len(os.sched_getaffinity(0)),
        recipe=for_all,
        recipes=for_teams,
        policy=policy,
        limits=replace(BUILD_LIMITS, move_seconds=build_seconds, match_seconds=max(BUILD_LIMITS.match_seconds, build_seconds)),
        retries=retry,
        allowed=allowed_of(allow or [], wheels),
        is_dry=dry_run,
    )
    try:
        done = take_in(options, plugins.registry(policy), _tell)
    except KeyboardInterrupt:
        if not dry_run:
            print("stopped; what was done is kept: run the same command again to go on", file=sys.stderr)
        raise
    _show(done, options, style)


def _recipes(texts: list[str]) -> tuple[str, dict[str, str]]:
    for_all, for_teams = "", {}
    for text in texts:
        team, equals, name = text.rpartition("=")
        if equals:
            for_teams[team] = name
        elif for_all:
            raise UserError(f"--recipe {text}: there is one for everybody already, {for_all}; expected TEAM=NAME")
        else:
            for_all = name
    return for_all, for_teams


def _time(text: str) -> datetime | None:
    if not text:
        return None
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        raise UserError(f"--deadline {text}: isn't a time; expected one such as '2026-11-30 23:59'") from None


def _tell(team: TeamReport, number: int, count: int) -> None:
    """A line for a team, on standard error: the table is for standard output."""
    how = (
        f" ({team.recipe}{', kept' if team.is_reused else f', {team.seconds:.1f} s' if team.seconds else ''})"
        if team.recipe
        else ""
    )
    print(f"[{number}/{count}] {team.label}: {team.verdict.value}{how}", file=sys.stderr, flush=True)


def _show(report: IntakeReport, options: IntakeOptions, style: str) -> None:
    rows = [(*row[:-1], _shortened(row[-1])) for row in report.rows()]
    if rows:
        print(render(COLUMNS, rows, style))
        print()
    for path, reason in report.skipped:
        print(f"left out: {path}: {reason}")
    counts = Counter(each.verdict for each in report.teams)
    print(f"{len(report.teams)} teams: {', '.join(f'{counts[verdict]} {verdict.value}' for verdict in Verdict if counts[verdict])}")
    if not options.is_dry:
        print(f"the report: {shlex.quote(str(options.reports / TABLE))}")


def _shortened(text: str) -> str:
    first = text.splitlines()[0] if text else ""
    return first if len(first) <= LONGEST_WORDS else f"{first[: LONGEST_WORDS - 4]} ..."
