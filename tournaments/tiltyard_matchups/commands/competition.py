"""``tiltyard competition``: every team meets one other on each map."""

from __future__ import annotations

from typing import Annotated

import typer

from tiltyard_matchups.commands.play_options import FaultOptions, PlayOptions
from tiltyard_matchups.competition import CompetitionOptions, prepare_competition, run_competition
from tiltyard_simulator.registry.finder import Finder
from tiltyard_tournaments.cli.application import application
from tiltyard_tournaments.cli.options import GameName, IsolationOptions, ManagerName, PluginOptions

app = application()


@app.command()
def competition(
    *,
    maps: Annotated[
        str, typer.Option("--maps", "--map", help="A folder of maps, or 'installed' for the shipped maps.")
    ] = "installed",
    manager: ManagerName = None,
    game: GameName = None,
    algorithms: Annotated[
        str, typer.Option("--algorithms", "-a", help="A folder of algorithms, or 'installed' for all installed ones.")
    ] = "installed",
    run: PlayOptions,
    isolation: IsolationOptions,
    faults: FaultOptions,
    plugins: PluginOptions,
) -> None:
    """Run the competition of assignment 3: on map k, algorithm i meets algorithm (i + 1 + k % (N - 1)) % N.

    A win is 3 points, a tie is 1. Writes competition_<time>.txt to the algorithms' folder (with 'installed', to the current
    folder), and next to it a folder of the matches that ended in a fault. Use 'tiltyard round-robin' for seats that are
    balanced on every map, and for games of more than two. The exit status is 1 if no game has a result because the GameManager
    failed.

    \b
    Examples:
      tiltyard competition --algorithms submissions/algorithms
      tiltyard competition --maps maps/ --manager managers/theirs.py --algorithms installed --workers 2
    """
    policy = isolation.policy(plugins.trust, together=faults.together)
    options = CompetitionOptions(
        game_maps_folder=maps,
        game_manager=manager or "",
        algorithms_folder=algorithms,
        workers=run.workers,
        verbose=run.verbose,
        table_format=run.style,
        isolation_policy=policy,
        most_faults=faults.most_faults,
        keep_faults=True,
        game=game,
        on_crash=faults.on_crash,
    )
    competition = prepare_competition(options, Finder(plugins.registry(policy)), by_people=True)
    raise typer.Exit(run_competition(competition, options))
