"""``tiltyard comparative``."""

from __future__ import annotations

from typing import Annotated

import typer

from tiltyard_simulator.modes import ComparativeOptions, Explain, prepare_comparative, run_comparative
from tiltyard_tournaments.cli.options import (
    Block,
    Isolate,
    Limit,
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
def comparative(
    game_map: Annotated[str, typer.Argument(metavar="MAP", help="A map file, or the name of a shipped map.")],
    algorithm1: Annotated[str, typer.Argument(help="Player 1: an installed name, a .py file, a package folder, or FILE:NAME.")],
    algorithm2: Annotated[str, typer.Argument(help="Player 2: likewise; may be the same.")],
    managers: Annotated[
        str, typer.Option("--managers", "-m", help="A folder of GameManagers, or 'installed' for all installed ones.")
    ] = "installed",
    explain: Annotated[
        Explain,
        typer.Option(help="Show where groups first differ: each from the largest, all pairs, or none."),
    ] = Explain.LARGEST,
    workers: Workers = 0,
    verbose: Verbose = False,
    style: TableFormat = "simple",
    isolation: Isolate = None,
    unconfined: Unconfined = False,
    limit: Limit = None,
    trust: TrustNames = None,
    block: Block = None,
    only: Only = None,
) -> None:
    """Run several GameManagers on one map with the same two algorithms, and group those that agree.

    Writes comparative_results_<time>.txt (the format of assignment 3) into the managers' folder, or into the current
    one for 'installed', and beside it a folder of the matches that ended in a fault. Then shows, for the groups, the first
    round in which they differ: both boards side by side with the differing squares in brackets, and what every tank did.

    \b
    Examples:
      tiltyard comparative narrow-pass acorn bramble
      tiltyard comparative my_map.txt teams/a.py teams/b.py --managers submissions/managers -w 2
    """
    held = holding(isolation, unconfined, limit, trust)
    options = ComparativeOptions(
        game_map,
        managers,
        algorithm1,
        algorithm2,
        worker_count(workers),
        verbose,
        explain,
        table_format(style),
        held,
        keep_faults=True,
    )
    status = run_comparative(prepare_comparative(options, registry(held, block, only)), options)
    raise typer.Exit(status)
