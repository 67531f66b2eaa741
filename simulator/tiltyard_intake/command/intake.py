"""The command ``tiltyard intake``: options, what it prints, and the pages that it writes."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Annotated, TypeVar

import typer

from tiltyard_engine.errors import UserError
from tiltyard_engine.errors.named_paths import near_path
from tiltyard_engine.exit_status import said_if_interrupted
from tiltyard_engine.texts.names import file_name
from tiltyard_engine.texts.quantities import counted
from tiltyard_engine.texts.sanitize import one_line
from tiltyard_intake.building.build import BUILD_LIMITS
from tiltyard_intake.command.deadlines import deadline_of, in_both_zones
from tiltyard_intake.command.settings_file import IntakeSettings, TeamSettings, read_intake_settings
from tiltyard_intake.environments.allowed import allowed_of, has_packages
from tiltyard_intake.exports.lms_exports import TimeFrom
from tiltyard_intake.exports.roster import read_roster
from tiltyard_intake.intake import take_in
from tiltyard_intake.one_team import is_source_file
from tiltyard_intake.options import IntakeOptions
from tiltyard_intake.package_list import COLUMNS as PACKAGE_COLUMNS
from tiltyard_intake.package_list import PackageList
from tiltyard_intake.package_list import list_packages as asked_packages
from tiltyard_intake.report.team_report import NOT_THERE, IntakeReport, TeamReport, Verdict, read_report
from tiltyard_simulator.output.tables import PROGRAM_FORMATS, render
from tiltyard_tournaments.cli.application import application
from tiltyard_tournaments.cli.options import IsolationOptions, PluginOptions, TableFormat, Workers

T = TypeVar("T")
app = application()


@app.command()
def intake(
    handed_in: Annotated[
        Path | None,
        typer.Argument(help="A folder with the works, an export in one archive, or one file of sources.", show_default=False),
    ] = None,
    *,
    game: Annotated[str | None, typer.Option("--game", "-g", help="The game that the teams play.", show_default=False)] = None,
    into: Annotated[
        Path | None,
        typer.Option(
            "--into",
            help="The folder of teams. A tournament file plays it with 'teams: teams/'. Default: teams.",
            show_default=False,
        ),
    ] = None,
    report: Annotated[
        Path | None,
        typer.Option(
            "--report",
            help="The folder for the report, the texts for the teams and the saved builds. Default: INTO.intake.",
            show_default=False,
        ),
    ] = None,
    roster: Annotated[
        Path | None,
        typer.Option(
            "--roster", help="A CSV file of students: name, id, group. Members of a group are one team.", show_default=False
        ),
    ] = None,
    deadline: Annotated[
        str | None,
        typer.Option(
            "--deadline",
            help="Mark work handed in later as late, where the time is known. It still plays. Example: '2026-11-30 23:59'.",
            show_default=False,
        ),
    ] = None,
    recipe: Annotated[
        list[str] | None,
        typer.Option(
            "--recipe", help="Use this recipe: NAME for every team, TEAM=NAME for one team. Can be repeated.", show_default=False
        ),
    ] = None,
    retry: Annotated[
        bool, typer.Option("--retry", help="Build failed works again, for example after you installed a library.")
    ] = False,
    warnings_fail: Annotated[
        bool | None,
        typer.Option(
            "--warnings-fail/--no-warnings-fail",
            help="Refuse a team whose build asks for -Werror and has warnings. By default it is built again without -Werror.",
            show_default=False,
        ),
    ] = None,
    build_seconds: Annotated[
        float | None,
        typer.Option(
            "--build-seconds",
            min=1.0,
            help="CPU time of one build command.",
            show_default=f"{BUILD_LIMITS.move_seconds:g}",
        ),
    ] = None,
    allow: Annotated[
        list[str] | None,
        typer.Option(
            "--allow",
            help="A package that teams may use, with everything that it needs: numpy or 'numpy<3' for Python; cargo:rand,"
            " nuget:NAME, go:PATH or cmake:googletest for other languages. Can be repeated.",
            show_default=False,
        ),
    ] = None,
    packages: Annotated[
        Path | None,
        typer.Option(
            "--packages",
            help="A folder with some of the folders python, cargo, nuget, go and cmake. Packages come only from there. If"
            " --allow names no package of a kind, all of that kind are allowed.",
            show_default=False,
        ),
    ] = None,
    wheels: Annotated[
        Path | None,
        typer.Option(
            "--wheels",
            help="The teams' packages come only from this folder. Without --allow, all of them are allowed.",
            show_default=False,
        ),
    ] = None,
    common_code: Annotated[
        list[Path] | None,
        typer.Option(
            "--given",
            help="Code that you gave to everyone: a folder, a zip or a file. The report ignores it when it compares works."
            " Can be repeated.",
            show_default=False,
        ),
    ] = None,
    last_that_plays: Annotated[
        bool | None,
        typer.Option(
            "--last-that-plays/--no-last-that-plays",
            help="If a new attempt can't be made into a team, the previous one keeps playing.",
            show_default=False,
        ),
    ] = None,
    settings_file: Annotated[
        Path | None,
        typer.Option("--settings", help="A YAML file with these options, and recipes of your own.", show_default=False),
    ] = None,
    list_packages: Annotated[
        bool,
        typer.Option(
            "--list-packages",
            help="Only list the packages that the works ask for. With --packages, also write a script that fetches them.",
        ),
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what was found. Nothing is built or written.")] = False,
    workers: Workers = 0,
    style: TableFormat = "simple",
    isolation: IsolationOptions,
    plugins: PluginOptions,
) -> None:
    """Turn what students handed in into teams that play.

    Reads the downloads of Moodle, Canvas, Gradescope and GitHub Classroom, folders and archives. Each team's sources are unpacked,
    recognised by a recipe, built in a sandbox, and played once. Nobody is left out of the report. The teams that you should
    contact come first. Run it again to add new attempts, or to continue after it was stopped. It builds only what has changed.

    \b
    Examples:
      tiltyard intake handed-in/ --game tanks
      tiltyard intake moodle.zip --game tanks --roster students.csv --deadline '2026-11-30 23:59'
      tiltyard intake handed-in/ --game tanks --allow numpy --allow scipy
      tiltyard intake handed-in/ --list-packages --packages packages/
      tiltyard intake handed-in/ --game penguins --dry-run
      tiltyard intake --settings intake.yaml
    """
    for_all, for_teams = _recipes(recipe or [])
    settings = read_intake_settings(settings_file) if settings_file is not None else IntakeSettings()
    settings = settings.with_options(
        handed_in=handed_in,
        game=game if game or settings.game or not list_packages else "any",
        into=into,
        report=report,
        roster=roster,
        deadline=_checked_deadline(deadline),
        recipe=for_all,
        teams={team: TeamSettings.model_construct(recipe=name) for team, name in for_teams.items()},
        build_seconds=build_seconds,
        allow=allow,
        packages=packages,
        wheels=wheels,
        given=[str(path) for path in common_code or ()],
        warnings_fail=warnings_fail,
        last_that_plays=last_that_plays,
    )
    _check_places(settings)
    policy = isolation.policy(plugins.trust)
    policy = replace(policy, limits=replace(policy.limits, for_all={**settings.limits, **policy.limits.for_all}))
    folder = _path(settings.packages)
    # A folder that the script is for may have nothing in it yet.
    filled = folder if folder is None or not list_packages or has_packages(folder) else None
    options = replace(
        _options(settings, filled),
        workers=workers or len(os.sched_getaffinity(0)),
        policy=policy,
        retries=retry,
        is_dry=dry_run,
        is_one_team=is_source_file(Path(settings.handed_in or "")),
    )
    if settings_file is not None:
        options = replace(options, reads=options.reads | {settings_file})
    if list_packages:
        _show_packages(asked_packages(options, folder), style)
        return
    options.allowed.check_folder()
    if options.deadline is not None:
        print(f"deadline: {in_both_zones(options.deadline)}; later work is marked as late, and still taken", file=sys.stderr)
    what_is_kept = "nothing was written" if options.is_dry else "finished works are saved: run the same command again to resume"
    with said_if_interrupted(f"stopped; {what_is_kept}"):
        try:
            class_report = take_in(options, plugins.registry(policy), _tell)
        except KeyboardInterrupt:
            if not options.is_dry and (so_far := read_report(options.reports)):
                _write_page(so_far, options)
            raise
    if not options.is_dry:
        _write_page(class_report, options)
    if options.deadline is not None:
        for note in _notes_on_times(class_report, options.handed_in.name):
            print(f"note: {note}", file=sys.stderr)
    _show(class_report, options, style)
    if all(team.verdict in (Verdict.UNKNOWN, *NOT_THERE) for team in class_report.teams):
        raise UserError(
            f"nothing in {options.handed_in} was recognised as a team of {class_report.game}; expected the folder or the"
            " download with the teams' work, and the game that they play as --game"
        )


def _notes_on_times(report: IntakeReport, download: str) -> Iterator[str]:
    """What the deadline's marks rest on, if they don't rest on what a platform says."""
    there = [team for team in report.teams if team.verdict not in NOT_THERE]
    if any(team.time_from == TimeFrom.ARCHIVE for team in there):
        times = f"the times of its files in {one_line(download)}"
        yield f"whether a work is late follows from {times}; these have no time zone, so this machine's was used"
    if without_time := sum(not team.handed_in and not team.is_late for team in there):
        yield (
            f"it isn't known when {without_time} of {counted(len(there), 'work')} {'was' if without_time == 1 else 'were'} handed"
            " in, so none of these is marked as late; look the times up in the platform's list of submissions"
        )


def _show_packages(packages: PackageList, style: str) -> None:
    for problem in packages.problems:
        print(f"can't be read: {one_line(problem)}", file=sys.stderr)
    rows = [tuple(map(one_line, package.row)) for package in packages.packages]
    if rows or style in PROGRAM_FORMATS:
        print(render(PACKAGE_COLUMNS, rows, style, is_last_whole=True))
    else:
        print("no work asks for a package")
    if packages.script is not None:
        print(f"to fetch them, on a machine with a network: sh {shlex.quote(str(packages.script))}", file=sys.stderr)


def _options(settings: IntakeSettings, packages: Path | None) -> IntakeOptions:
    """What is taken in, and how, by the settings; ``packages`` is their folder of packages, if there is something in it."""
    handed_in = Path(_required("what was handed in", settings.handed_in, "HANDED_IN", "handed-in"))
    game = _required("the game", settings.game, "--game", "game")
    teams = Path(settings.into or "teams")
    seconds = settings.build_seconds or BUILD_LIMITS.move_seconds
    common_code = tuple(map(Path, settings.given))
    places = (settings.roster, *common_code, settings.packages, settings.wheels)
    return IntakeOptions(
        handed_in=handed_in,
        into=teams,
        reports=_path(settings.report) or _beside(teams),
        game=game,
        roster=read_roster(Path(settings.roster)) if settings.roster is not None else None,
        deadline=deadline_of(settings.deadline or None),
        recipe=settings.recipe or "",
        recipes=settings.recipes_of_teams(),
        own_recipes=settings.own_recipes(game),
        keeps_playing=settings.last_that_plays,
        limits=replace(BUILD_LIMITS, move_seconds=seconds, match_seconds=max(BUILD_LIMITS.match_seconds, seconds)),
        warnings_fail=settings.warnings_fail,
        allowed=allowed_of(settings.allow, _path(settings.wheels), packages=packages),
        common_code=common_code,
        reads=frozenset(Path(place) for place in places if place is not None),
    )


def _check_places(settings: IntakeSettings) -> None:
    """Report all that isn't there. Whoever reads a single one has more to say about it."""
    places = (settings.handed_in, settings.roster, *settings.given, settings.wheels)
    missing = [place for place in places if place is not None and not Path(place).exists()]
    if len(missing) > 1:
        raise UserError("\n".join(f"{one_line(place)}: no such file or folder{near_path(Path(place))}" for place in missing))


def _recipes(texts: list[str]) -> tuple[str | None, dict[str, str]]:
    for_all: str | None = None
    for_teams: dict[str, str] = {}
    for text in texts:
        team, equals, name = text.rpartition("=")
        if equals:
            for_teams[team] = name
        elif for_all is not None:
            raise UserError(f"--recipe {text}: every team has the recipe {for_all} already; expected TEAM=NAME")
        else:
            for_all = name
    return for_all, for_teams


def _path(text: str | None) -> Path | None:
    return Path(text) if text is not None else None


def _beside(teams: Path) -> Path:
    """The folder of reports for a folder of teams, which may be called ``.``."""
    folder = teams.resolve() if teams.name in ("", "..") else teams
    return folder.parent / file_name(teams.resolve().name, ".intake")


def _required(what: str, value: T | None, option: str, key: str) -> T:
    if value is None:
        raise UserError(f"{what} isn't named: give {option}, or '{key}: ...' in a file for --settings")
    return value


def _checked_deadline(text: str | None) -> str | None:
    """The option as it is; an empty one says that there is no deadline."""
    try:
        deadline_of(text or None)
    except ValueError as error:
        raise UserError(f"--deadline {error}") from None
    return text


def _tell(team: TeamReport, number: int, count: int) -> None:
    """A line for a team, on standard error: the table is for standard output."""
    how = (
        f" ({team.recipe}{', kept' if team.is_reused else f', {team.seconds:.1f} s' if team.seconds else ''})"
        if team.recipe
        else ""
    )
    print(f"[{number}/{count}] {one_line(team.label)}: {team.verdict.value}{how}", file=sys.stderr, flush=True)


def _write_page(report: IntakeReport, options: IntakeOptions) -> None:
    # Templates take a moment to load, so other commands don't.
    from tiltyard_intake.pages.intake_page import write_page

    write_page(report, options.reports, options.handed_in.resolve().name)


def _show(report: IntakeReport, options: IntakeOptions, style: str) -> None:
    sheet = report.sheet()
    is_for_programs = style in PROGRAM_FORMATS
    # Programs read standard output, and want nothing else there.
    rest = sys.stderr if is_for_programs else sys.stdout
    for lack in report.lacks():
        print(f"{lack}\n", file=rest)
    if sheet.rows:
        print(render(sheet.titles(), sheet.cells(), style, is_last_whole=True))
        print(file=rest)
    for path, reason in report.skipped:
        print(f"left out: {one_line(path)}: {one_line(reason)}", file=rest)
    print(report.summary(), file=rest)
    if not options.is_dry:
        if count := report.likeness.count if report.likeness is not None else 0:
            pairs = f"{count} pair{' of works is' if count == 1 else 's of works are'} alike"
            print(f"{pairs}: {shlex.quote(str(options.reports / 'alike.html'))}", file=rest)
        print(f"the report: {shlex.quote(str(options.reports / 'report.html'))}", file=rest)
    if any(team.verdict is Verdict.PLAYS for team in report.teams) and not options.is_dry:
        # Not part of what the command found.
        words = ["tiltyard", "new", "tournament", "cup.yaml", "--game", report.game, "--teams", f"{options.into}/"]
        print(f"next, a tournament of these teams: {shlex.join(words)}", file=sys.stderr)
