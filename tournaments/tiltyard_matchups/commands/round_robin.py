"""``tiltyard round-robin``: all teams meet each other, without a file."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Final

import typer

from tiltyard_checks.command.games import MatchupOptions, round_robin_of
from tiltyard_checks.command.progress import ProgressBar
from tiltyard_checks.faults.fault_folders import FaultFolders
from tiltyard_engine.errors import UserError
from tiltyard_engine.lifecycle import Event
from tiltyard_engine.match_record import MatchRecord
from tiltyard_engine.records import Game
from tiltyard_engine.texts.quantities import counted
from tiltyard_matchups.commands.play_options import FaultOptions, PlayOptions
from tiltyard_matchups.output_files import KeptOutput, LogWriter
from tiltyard_simulator.match.spec import MatchSpec
from tiltyard_simulator.match.verdict import check_on_crash
from tiltyard_simulator.output.reports import run_report, say_report, without_any_result
from tiltyard_simulator.output.result_files import time_stamp, write_over
from tiltyard_simulator.output.tables import Table, render, render_all
from tiltyard_simulator.play.failure_watch import EarlyEndError
from tiltyard_simulator.play.local_matches import local_executor
from tiltyard_tournaments.cli.application import application
from tiltyard_tournaments.cli.options import IsolationOptions, PluginOptions
from tiltyard_tournaments.running.events.reporting import Reporter
from tiltyard_tournaments.running.run import run_tournament
from tiltyard_tournaments.running.schedule import Schedule, follow, games_to_play_again
from tiltyard_tournaments.running.tables import below_standings, tables_of
from tiltyard_tournaments.running.tournament import Tournament, make_output_folder, store_for_run
from tiltyard_tournaments.store import STORE_NAME

app = application()

TABLES: Final = ("standings", "ratings", "crosstable", "maps", "games")
"""The tables of the results folder. All but the games are printed."""


@app.command(name="round-robin")
def round_robin(
    *,
    algorithms: Annotated[
        list[str] | None,
        typer.Argument(
            help="Installed names, .py files with all their teams, .so files, package folders, FILE:NAME, programs, folders of"
            " these, or 'installed'."
            " NAME=... gives one a different name.",
            show_default="installed",
        ),
    ] = None,
    matchups: MatchupOptions,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="A folder for the results, or one of an earlier run to resume it. Default: results/round-robin_<time>.",
            show_default=False,
        ),
    ] = None,
    keep_output: Annotated[
        bool,
        typer.Option(
            "--keep-output", help="Save what teams print to 'output' in the results folder (not for teams that run inline)."
        ),
    ] = False,
    run: PlayOptions,
    isolation: IsolationOptions,
    fault_options: FaultOptions,
    plugins: PluginOptions,
) -> None:
    """Let every pair of algorithms meet in both seats on every map.

    In matches of three or more, every group meets, each algorithm once in each seat. Prints standings, ratings, a crosstable and
    points by map, then what went wrong. Writes the same tables and every game as CSV files to a folder. A win is 3 points, a tie
    is 1.

    Each match is saved as soon as it ends: give the same --output again to resume a run. A match that ends in a team's fault
    leaves a folder in 'faults'; 'tiltyard debug' asks the team the same questions, or plays it again (--whole-match). The exit
    status is 1 if games failed because of the machine, or if no game has a result because the GameManager failed.

    \b
    Examples:
      tiltyard round-robin --game tanks
      tiltyard round-robin acorn coyote my_team.py --maps narrow-pass --maps my_maps/
      tiltyard round-robin v2=./thunder v1=./thunder_old
      tiltyard round-robin submissions/ --maps maps/ --output cup --format github
      tiltyard round-robin --game penguins --players 3 --maps small-bay
    """
    policy = isolation.policy(plugins.trust, together=fault_options.together)
    proposal = round_robin_of(algorithms, matchups, plugins.registry(policy), policy)
    check_on_crash(fault_options.on_crash, proposal.game.load_as(Game))
    folder = make_folder(output or Path("results") / f"round-robin_{time_stamp()}")
    tournament = replace(
        proposal,
        folder=folder,
        quarantine=fault_options.most_faults,
        on_crash=fault_options.on_crash,
        verbose=run.verbose,
        workers=run.workers,
    )
    _run(tournament, run.style, keep_output)


def _run(tournament: Tournament, style: str, keep_output: bool) -> None:
    folder = tournament.folder
    faults = FaultFolders(folder=folder / "faults")
    outputs = KeptOutput(folder / "output") if keep_output else None
    logs = LogWriter() if tournament.verbose else None

    def finished(spec: MatchSpec, record: MatchRecord) -> None:
        faults.finished(spec, record)
        if outputs is not None:
            outputs.finished(spec, record)
        if logs is not None:
            logs.finished(spec, record)

    _, games = tournament.format.expected_games() or (0, 0)
    with store_for_run(tournament) as store:
        if again := games_to_play_again(tournament, store):
            _say(again.warning)
        try:
            with ProgressBar(games) as progress, local_executor(min(tournament.workers, games)) as executor:

                def tell(event: Event) -> None:
                    if isinstance(event, MatchRecord):
                        progress.finished(event)

                with Reporter(store, tell, in_background=True) as report:
                    schedule = run_tournament(tournament, store, executor, report, finished)
        except KeyboardInterrupt:
            store.check_place()
            unfinished = follow(tournament, store.ended_as).schedule
            so_far = f"{len(unfinished.records)} of {counted(games, 'game')}"
            note = f"stopped after {so_far}; run the same command with --output {folder} to resume"
            print(note, file=sys.stderr)
            _publish(tournament, unfinished, style, note)
            raise
        except EarlyEndError:
            _say(f"run the same command with --output {folder} to resume")
            raise
        finally:
            if logs is not None:
                logs.close()
            _say(faults.summary(), outputs.problem if outputs is not None else "")
    faults.settle(schedule.records)
    _publish(tournament, schedule, style)
    if schedule.voids:
        games_failed = f"{schedule.voids} game{'' if schedule.voids == 1 else 's'} failed because of the machine"
        _say(f"not complete: {games_failed}; run the same command with --output {folder} to play the missing games")
    failed = without_any_result(schedule.records)
    _say(failed and f"error: {failed}")
    if failed or schedule.voids or (logs is not None and logs.status):
        raise typer.Exit(1 if logs is None else logs.status or 1)


def _say(*texts: str) -> None:
    for text in filter(None, texts):
        print(text, file=sys.stderr)


def _publish(tournament: Tournament, schedule: Schedule, style: str, note: str = "") -> None:
    """Write first, print then: a reader that goes away takes no results with it, and a full disk hides none."""
    names = [TABLES[0], *below_standings(tournament), *TABLES[1:]]
    tables = dict(zip(names, tables_of(tournament, schedule, names), strict=True))
    report = run_report(schedule.records)
    try:
        write_folder(tournament.folder, tables, "\n".join(filter(None, (note, report))))
    finally:
        print(_without_games(tables, style))
        say_report(report, style)
    print(f"results: {tournament.folder}", file=sys.stderr)


def _without_games(tables: Mapping[str, Table], style: str = "simple") -> str:
    return render_all([table for name, table in tables.items() if name != "games"], style)


def write_folder(folder: Path, tables: Mapping[str, Table], report: str) -> None:
    """Write ``results.txt`` with all tables but the list of games, and each table as CSV.

    Raises:
        UserError: the folder cannot be written.
    """
    write_over(folder / "results.txt", f"{_without_games(tables)}\n" + (f"\n{report}\n" if report else ""))
    for name, table in tables.items():
        write_over(folder / f"{name}.csv", render(table.headers, table.rows, "csv") + "\n")


def make_folder(folder: Path) -> Path:
    """Make the folder, with parents; called before anything is played, so that a mistake costs nothing.

    Raises:
        UserError: it cannot be made, or contains something other than an earlier run.
    """
    make_output_folder(folder)
    if any(folder.iterdir()) and not (folder / STORE_NAME).is_file():
        raise UserError(
            f"{folder}: isn't empty; use a new folder, or the folder of an earlier round robin to resume it", see="folder-not-empty"
        )
    return folder
