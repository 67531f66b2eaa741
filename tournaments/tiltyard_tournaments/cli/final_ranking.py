"""The final ranking of a file with stages, for the commands that show it."""

from __future__ import annotations

from dataclasses import replace

from tiltyard_engine.lifecycle import Table
from tiltyard_simulator.output.tables import PROGRAM_FORMATS, render, render_all
from tiltyard_tournaments.cli.tournament_options import TournamentOptions
from tiltyard_tournaments.running.final_ranking import RankedStage, final_ranking
from tiltyard_tournaments.running.schedule import progress_to_show
from tiltyard_tournaments.running.tables import standings
from tiltyard_tournaments.running.tournament import open_store
from tiltyard_tournaments.store import STORE_NAME


def ranking_of(options: TournamentOptions) -> Table:
    """By the stages that were begun.

    Raises:
        UserError: results cannot be read.
    """
    begun: list[RankedStage] = []
    stages = options.stages()
    for stage in stages:
        if not (stage.folder / STORE_NAME).is_file():
            continue
        tournament = replace(options, stage=stage.name).tournament(as_run=True, quiet=True)
        with open_store(tournament) as store:
            progress = progress_to_show(tournament, store)
        complete = stage is stages[-1] and not progress.missing and not progress.schedule.voids
        begun.append(RankedStage(stage.name, standings(tournament, progress.schedule), complete))
    return final_ranking(begun)


def show_final_ranking(options: TournamentOptions, style: str) -> None:
    """Print it."""
    table = ranking_of(options)
    print(render(table.headers, table.rows, style) if style in PROGRAM_FORMATS else render_all([table], style))
