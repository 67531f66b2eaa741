"""What commands show of all stages of a file: the final ranking, and the page that leads to the sites of the stages."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from html import escape
from pathlib import Path
from typing import Final
from urllib.parse import quote

from tiltyard_contest.final_ranking import RankedStage, final_ranking
from tiltyard_engine.lifecycle import Table
from tiltyard_simulator.output.tables import PROGRAM_FORMATS, render, render_all
from tiltyard_tournaments.cli.tournament_options import TournamentOptions
from tiltyard_tournaments.publishers.tables import html_page, write_text
from tiltyard_tournaments.running.schedule import progress_to_show
from tiltyard_tournaments.running.tables import standings
from tiltyard_tournaments.running.tournament import open_store
from tiltyard_tournaments.store import STORE_NAME

INDEX: Final = "index.html"


def ranking_of(options: TournamentOptions) -> Table:
    """By the stages that were begun.

    Raises:
        UserError: results cannot be read.
    """
    ranked: list[RankedStage] = []
    stages = options.stages()
    for stage in stages:
        if not (stage.folder / STORE_NAME).is_file():
            continue
        tournament = replace(options, stage=stage.name).tournament(as_run=True, quiet=True)
        with open_store(tournament) as store:
            progress = progress_to_show(tournament, store)
        complete = stage is stages[-1] and not progress.missing and not progress.schedule.voids
        ranked.append(RankedStage(stage.name, standings(tournament, progress.schedule), complete))
    return final_ranking(ranked)


def show_final_ranking(options: TournamentOptions, style: str) -> None:
    """Print the final ranking."""
    table = ranking_of(options)
    print(render(table.headers, table.rows, style) if style in PROGRAM_FORMATS else render_all([table], style))


def publish_stages(
    options: TournamentOptions, publish: Callable[[TournamentOptions, Path], Sequence[Path]], output: Path | None
) -> Path:
    """Publish each stage that was begun into a folder of its name, and write the page that leads to them.

    Args:
        options: of the file with all stages.
        publish: publishes one stage into a folder, and says which files are to be looked at.
        output: the folder for all; None: the one that the file says, beside the folders of the stages.
    """
    pages: dict[str, Sequence[Path]] = {}
    title, folder = "", output
    stages = options.stages()
    for stage in stages:
        if (stage.folder / STORE_NAME).is_file() or stage is stages[0]:
            own = replace(options, stage=stage.name)
            tournament = own.resolve(as_run=True).tournament
            title = title or tournament.title.removesuffix(f": {stage.name}")
            folder = folder or stage.folder.parent / tournament.publication.folder
            pages[stage.name] = publish(own, folder / stage.name)
    assert folder is not None
    return write_stages_page(folder / INDEX, title, ranking_of(options), pages)


def write_stages_page(path: Path, title: str, ranking: Table, pages: Mapping[str, Sequence[Path]]) -> Path:
    """The page that leads to the pages of all stages, below the final ranking.

    Raises:
        UserError: it cannot be written.
    """
    links = [
        f'<li><a href="{escape(quote(file.relative_to(path.parent).as_posix()))}">{escape(stage)}</a></li>'
        for stage, files_of_stage in pages.items()
        for file in files_of_stage
        if file.is_relative_to(path.parent)
    ]
    body = "\n".join([render_all([ranking], "html"), "<h2>Stages</h2>", "<ul>", *links, "</ul>\n"])
    write_text(path, html_page(title, body))
    return path
