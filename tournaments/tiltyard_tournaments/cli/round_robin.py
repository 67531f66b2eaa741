"""``tiltyard round-robin``."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from tiltyard_engine.errors import UserError
from tiltyard_simulator.fault_folders import FaultFolders
from tiltyard_simulator.kept_output import KeptOutput
from tiltyard_simulator.modes import LogWriter, say_report
from tiltyard_simulator.progress import Progress
from tiltyard_simulator.quarantine import DEFAULT_FAULTS, settle
from tiltyard_simulator.reports import run_report
from tiltyard_simulator.result_files import time_stamp
from tiltyard_simulator.running import run_matches
from tiltyard_simulator.specs import MatchOutcome, MatchSpec
from tiltyard_simulator.tables import Table, render_all
from tiltyard_tournaments.cli.games import Algorithms, ManagerName, Maps, choose_games
from tiltyard_tournaments.cli.options import (
    Block,
    Isolate,
    Limit,
    MostFaults,
    Only,
    TableFormat,
    TrustNames,
    Unconfined,
    Verbose,
    Workers,
    application,
    holding,
    registry,
    table_format,
    worker_count,
)
from tiltyard_tournaments.played import played_matches
from tiltyard_tournaments.result_folder import make_folder, write_folder
from tiltyard_tournaments.standings import all_games, by_map, crosstable, standings

app = application()


@app.command(name="round-robin")
def round_robin(
    algorithms: Algorithms = None,
    maps: Maps = None,
    manager: ManagerName = "reference",
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="A new folder for the results; by default results/round-robin_<time>.", show_default=False
        ),
    ] = None,
    keep_output: Annotated[
        bool, typer.Option("--keep-output", help="Keep what teams print, in the results' folder 'output'; not of inline teams.")
    ] = False,
    workers: Workers = 0,
    verbose: Verbose = False,
    style: TableFormat = "simple",
    isolation: Isolate = None,
    unconfined: Unconfined = False,
    limit: Limit = None,
    most_faults: MostFaults = DEFAULT_FAULTS,
    trust: TrustNames = None,
    block: Block = None,
    only: Only = None,
) -> None:
    """Let every pair of algorithms meet in both seat orders on every map.

    Prints standings, ratings, crosstable and points by map, then what went wrong; writes the same and every game as CSV
    into a folder. A win is 3 points, a tie 1. A match that ended in a team's fault leaves a folder in 'faults' there, from which
    'tiltyard rerun' plays it again and 'tiltyard debug' feeds the team what it was asked.

    \b
    Examples:
      tiltyard round-robin
      tiltyard round-robin acorn coyote my_team.py --maps narrow-pass --maps my_maps/
      tiltyard round-robin submissions/ --maps maps/ --manager reference --output cup --format github
    """
    check = table_format(style)
    held = holding(isolation, unconfined, limit, trust)
    games = choose_games(algorithms, maps, manager, registry(held, block, only), verbose)
    specs = held.apply_all(games.specs)
    folder = make_folder(output or Path("results") / f"round-robin_{time_stamp()}")
    _run(specs, games.names, folder, worker_count(workers), check, most_faults, keep_output)


def _run(
    specs: list[MatchSpec], names: list[str], folder: Path, workers: int, style: str, most_faults: int, keep_output: bool
) -> None:
    games: list[tuple[int, MatchSpec, MatchOutcome]] = []
    faults = FaultFolders(folder / "faults")
    outputs = KeptOutput(folder / "output") if keep_output else None
    logs = LogWriter() if specs[0].verbose else None
    try:
        with Progress(len(specs)) as progress:

            def finished(place: int, spec: MatchSpec, outcome: MatchOutcome) -> None:
                games.append((place, spec, outcome.without_conversations()))
                faults.finished(place, spec, outcome)
                if outputs is not None:
                    outputs.finished(place, spec, outcome)
                progress.finished(place, spec, outcome)
                if logs is not None:
                    logs.finished(place, spec, outcome)

            outcomes = run_matches(specs, workers, finished, most_faults)
    except KeyboardInterrupt:
        note = f"stopped after {len(games)} of {len(specs)} games; these are kept"
        print(note, file=sys.stderr)
        played = [(spec, outcome) for _, spec, outcome in sorted(games, key=lambda game: game[0])]
        settled = settle(played, most_faults)
        _publish([(spec, outcome) for (spec, _), outcome in zip(played, settled, strict=True)], names, folder, style, note)
        _say(faults.summary(), outputs.problem if outputs is not None else "")
        raise
    _publish(list(zip(specs, outcomes, strict=True)), names, folder, style)
    faults.settle(outcomes)
    _say(faults.summary(), outputs.problem if outputs is not None else "")
    if logs is not None and logs.status:
        raise typer.Exit(logs.status)


def _say(*texts: str) -> None:
    for text in filter(None, texts):
        print(text, file=sys.stderr)


def _publish(games: Sequence[tuple[MatchSpec, MatchOutcome]], names: list[str], folder: Path, style: str, note: str = "") -> None:
    """Write first, print then: a reader that goes away takes no results with it, and a full disk hides none."""
    from tiltyard_tournaments.ratings.rate import rate, ratings_table  # numpy takes a moment: not before games are played

    matches = played_matches(games)
    tables: list[tuple[str, Table]] = [
        ("standings", standings(names, matches)),
        ("ratings", ratings_table(rate(matches), names)),
        ("crosstable", crosstable(names, matches)),
        ("maps", by_map(names, matches)),
        ("games", all_games(matches)),
    ]
    report = run_report(games)
    shown = [table for name, table in tables if name != "games"]
    problem: UserError | None = None
    try:
        write_folder(folder, tables, "\n".join(filter(None, (note, report))))
    except UserError as error:
        problem = error
    print(render_all(shown, style))
    say_report(report, style)
    if problem is not None:
        raise problem
    print(f"results: {folder}", file=sys.stderr)
