"""``tiltyard competition``."""

from __future__ import annotations

from typing import Annotated

import typer

from tiltyard_simulator.modes import CompetitionOptions, prepare_competition, run_competition
from tiltyard_simulator.quarantine import DEFAULT_FAULTS
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

app = application()


@app.command()
def competition(
    maps: Annotated[str, typer.Option("--maps", help="A folder of maps, or 'installed' for the shipped ones.")] = "installed",
    manager: Annotated[
        str, typer.Option("--manager", "-m", help="The GameManager: an installed name, a file, a folder, or FILE:NAME.")
    ] = "reference",
    algorithms: Annotated[str, typer.Option("--algorithms", "-a", help="A folder of algorithms, or 'installed'.")] = "installed",
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
    """Run the competition of assignment 3: on map k, algorithm i meets algorithm (i + 1 + k % (N - 1)) % N.

    A win is 3 points, a tie 1. Writes competition_<time>.txt into the algorithms' folder, or into the current one for
    'installed', and beside it a folder of the matches that ended in a fault. For seats that are balanced on every map use
    'tiltyard round-robin'.

    \b
    Examples:
      tiltyard competition --algorithms submissions/algorithms
      tiltyard competition --maps maps/ --manager managers/theirs.py --algorithms installed --workers 2
    """
    held = holding(isolation, unconfined, limit, trust)
    options = CompetitionOptions(
        maps, manager, algorithms, worker_count(workers), verbose, table_format(style), held, most_faults, keep_faults=True
    )
    status = run_competition(prepare_competition(options, registry(held, block, only)), options)
    raise typer.Exit(status)
