"""``tiltyard comparative``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from tiltyard_simulator.comparative import Group
from tiltyard_simulator.modes import ComparativeOptions, Explain, prepare_comparative, run_comparative
from tiltyard_simulator.specs import MatchOutcome
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
    algorithm1: Annotated[
        str, typer.Argument(help="Player 1: an installed name, a .py or .so file, a package folder, or FILE:NAME.")
    ],
    algorithm2: Annotated[str, typer.Argument(help="Player 2: likewise; may be the same.")],
    managers: Annotated[
        str, typer.Option("--managers", "-m", help="A folder of GameManagers, or 'installed' for all installed ones.")
    ] = "installed",
    explain: Annotated[
        Explain,
        typer.Option(help="Show where groups first differ: each from the largest, all pairs, or none."),
    ] = Explain.LARGEST,
    site: Annotated[
        Path | None,
        typer.Option("--site", help="Also write a site into this folder: every match to watch, side by side.", show_default=False),
    ] = None,
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

    With --site the matches can be watched in a browser, two beside each other from where they first differ.

    \b
    Examples:
      tiltyard comparative narrow-pass acorn bramble
      tiltyard comparative narrow-pass acorn bramble --site report
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
    comparison = replace(prepare_comparative(options, registry(held, block, only)), record=site is not None)

    def write_site(groups: Sequence[Group], outcomes: Sequence[MatchOutcome]) -> None:
        if site is not None:
            from tiltyard_tournaments.site.comparing import comparison_data
            from tiltyard_tournaments.site.publishing import publish

            print(f"site: {publish(comparison_data(comparison, groups, outcomes), site).index}")

    raise typer.Exit(run_comparative(comparison, options, write_site))
