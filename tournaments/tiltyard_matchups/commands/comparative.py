"""The command ``tiltyard comparative``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from tiltyard_engine.match_record import MatchRecord
from tiltyard_matchups.commands.play_options import PlayOptions, Together
from tiltyard_matchups.comparative import ComparativeOptions, Explain, prepare_comparative, run_comparative
from tiltyard_matchups.comparison import Group
from tiltyard_tournaments.cli.application import application
from tiltyard_tournaments.cli.options import IsolationOptions, PluginOptions
from tiltyard_tournaments.publishers.pages import pages

app = application()


@app.command()
def comparative(
    *,
    game_map: Annotated[str, typer.Argument(metavar="MAP", help="A map file, or the name of a shipped map.")],
    algorithm1: Annotated[
        str, typer.Argument(help="Player 1: an installed name, a .py or .so file, a package folder, or FILE:NAME.")
    ],
    algorithm2: Annotated[str, typer.Argument(help="Player 2, in the same forms; may be the same as player 1.")],
    managers: Annotated[
        str, typer.Option("--managers", "-m", help="A folder of GameManagers, or 'installed' for all installed ones.")
    ] = "installed",
    explain: Annotated[
        Explain,
        typer.Option(help="Show where groups first differ: each group from the model's or the largest one, all pairs, or none."),
    ] = Explain.LARGEST,
    against: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="The GameManager that the others are compared with. Default: the game's default one if it takes part.",
            show_default=False,
        ),
    ] = "",
    site: Annotated[
        Path | None,
        typer.Option("--site", help="Also write a site to this folder, to watch the matches side by side.", show_default=False),
    ] = None,
    run: PlayOptions,
    isolation: IsolationOptions,
    together: Together = False,
    plugins: PluginOptions,
) -> None:
    """Run several GameManagers on one map with the same two algorithms, and group those that agree.

    Writes comparative_results_<time>.txt (the format of assignment 3) to the managers' folder (with 'installed', to the
    current folder), and next to it a folder of the matches that ended in a fault. Then it shows the first round in which
    groups differ: both boards side by side with the differing squares in brackets, and what every tank did. The exit status is
    1 if every GameManager failed.

    With --site you can watch the matches in a browser, two at a time, from where they first differ.

    \b
    Examples:
      tiltyard comparative narrow-pass acorn bramble
      tiltyard comparative narrow-pass acorn bramble --site report
      tiltyard comparative my_map.txt teams/a.py teams/b.py --managers submissions/managers -w 2
    """
    policy = isolation.policy(plugins.trust, together=together)
    options = ComparativeOptions(
        game_map=game_map,
        game_managers_folder=managers,
        algorithm1=algorithm1,
        algorithm2=algorithm2,
        workers=run.workers,
        verbose=run.verbose,
        explain=explain,
        against=against,
        table_format=run.style,
        isolation_policy=policy,
        keep_faults=True,
    )
    comparison = replace(prepare_comparative(options, plugins.registry(policy)), record=site is not None)

    def write_site(groups: Sequence[Group], records: Sequence[MatchRecord]) -> None:
        if site is not None:
            print(f"site: {pages().publish_comparison(comparison, groups, records, site)}")

    raise typer.Exit(run_comparative(comparison, options, write_site))
