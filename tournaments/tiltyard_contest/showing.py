"""What is shown of all stages of a file: the final ranking, and the page above the sites of the stages."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from urllib.parse import quote

from tiltyard_contest.contest_page import INDEX, StageSite, contest_files, stage_links
from tiltyard_contest.final_ranking import RankedStage, final_ranking
from tiltyard_engine.lifecycle import Table
from tiltyard_simulator.output.tables import PROGRAM_FORMATS, render, render_all
from tiltyard_site.pages.contents import SiteFile, listed_games
from tiltyard_site.pages.site_data import site_data
from tiltyard_site.publication.page_writer import SiteFolder
from tiltyard_tournaments.cli.tournament_options import TournamentOptions
from tiltyard_tournaments.publishers.results import tournament_results
from tiltyard_tournaments.running.schedule import Progress, follow, progress_to_show
from tiltyard_tournaments.running.tables import standings
from tiltyard_tournaments.running.tournament import Tournament, open_store
from tiltyard_tournaments.store import STORE_NAME
from tiltyard_tournaments.tournament_file.contest import PublishStage, Stage


@dataclass(frozen=True, slots=True)
class StageSoFar:
    """A stage that was begun or may begin, and how far it has come."""

    tournament: Tournament
    progress: Progress

    @classmethod
    def of(cls, tournament: Tournament) -> StageSoFar:
        """As its store has it.

        Raises:
            UserError: that cannot be read.
        """
        if not (tournament.folder / STORE_NAME).is_file():
            return cls(tournament, follow(tournament, lambda spec: None))
        with open_store(tournament) as store:
            return cls(tournament, progress_to_show(tournament, store))

    @property
    def is_over(self) -> bool:
        """Whether nothing is left to be played."""
        return not self.progress.missing and not self.progress.schedule.voids

    def site(self, name: str, files: Sequence[str]) -> StageSite:
        """What the page above all stages shows of it.

        Args:
            name: the stage's.
            files: see ``StageSite``.

        Raises:
            UserError: its logo or its store cannot be read.
        """
        connect = partial(open_store, self.tournament)
        data = site_data(tournament_results(self.tournament, self.progress, connect))
        replayed: set[str] = set()
        if "replays" not in data.hide and data.matches:
            with connect() as store:
                replayed = store.replayed()
        return StageSite(name=name, data=data, games=listed_games(data, replayed), files=files)


StagesSoFar = Mapping[str, StageSoFar | None]
"""By the names of all stages, in order; None: it cannot begin yet."""


def is_begun(stage: Stage) -> bool:
    """Whether there are results of it."""
    return (stage.folder / STORE_NAME).is_file()


def stages_so_far(options: TournamentOptions) -> StagesSoFar:
    """The stages of a file, those that were begun as they were run.

    Raises:
        UserError: results cannot be read.
    """
    names = [stage.name for stage in options.stages() if is_begun(stage)]
    so_far = {name: StageSoFar.of(replace(options, stage=name).tournament(as_run=True)) for name in names}
    return {stage.name: so_far.get(stage.name) for stage in options.stages()}


def is_over(stages: StagesSoFar) -> bool:
    """Whether nothing is left to be played in any of them."""
    return all(stage is not None and stage.is_over for stage in stages.values())


def ranking_of(stages: StagesSoFar) -> Table:
    """By the stages that were begun."""
    own = [(name, stage) for name, stage in stages.items() if stage is not None]
    ranked = [RankedStage(name, standings(stage.tournament, stage.progress.schedule)) for name, stage in own]
    return final_ranking(ranked, is_over(stages))


def show_final_ranking(options: TournamentOptions, style: str) -> None:
    """Print the final ranking; in the style ``event`` as a line of JSON, with the time as events have it."""
    so_far = stages_so_far(options)
    table = ranking_of(so_far)
    if style == "event":
        at = datetime.now(UTC).isoformat(timespec="milliseconds")
        rows = [dict(zip(("place", "team", "stage", "place_there"), row, strict=True)) for row in table.rows]
        print(json.dumps({"event": "final ranking", "at": at, "complete": is_over(so_far), "ranking": rows}, ensure_ascii=False))
        return
    print(render(table.headers, table.rows, style) if style in PROGRAM_FORMATS else render_all([table], style))


def publish_stages(options: TournamentOptions, publish: PublishStage, output: Path | None) -> Path:
    """Publish each stage that was begun into a folder of its name, and write the page that leads to them.

    Args:
        options: of the file with all stages.
        publish: publishes one stage into a folder, and says which files are to be looked at.
        output: the folder for all; None: the one that the file says, beside the folders of the stages.

    Raises:
        UserError: results cannot be read, or the page cannot be written.
    """
    stages = options.stages()
    names = [stage.name for stage in stages if stage is stages[0] or is_begun(stage)]
    if output is None:
        first = replace(options, stage=names[0]).resolve(as_run=True).tournament
        output = stages[0].folder.parent / first.publication.folder
    files: dict[str, list[str]] = {}
    for name in names:
        folder = output / name
        published = publish(replace(options, stage=name), folder, stage_links(names, name))
        files[name] = [path.relative_to(folder).as_posix() for path in published if path.is_relative_to(folder)]
    site = SiteFolder.open(output)
    for file in files_above(stages_so_far(options), files):
        site.add(file.path, file.make())
    site.finish()
    return output / INDEX


def files_above(stages: StagesSoFar, files: Mapping[str, Sequence[str]], live: str = "") -> Iterator[SiteFile]:
    """The page above all stages, with what it needs.

    Args:
        stages: of which one was begun at least.
        files: what is to be looked at of each, in its folder.
        live: as of ``site_files``.

    Raises:
        UserError: results or a logo cannot be read.
    """
    sites = [StageSite(name=name) if stage is None else stage.site(name, files.get(name, ())) for name, stage in stages.items()]
    titled = [(site.name, site.data) for site in sites if site.data is not None]
    # A stage may have a title of its own.
    name, data = next((each for each in titled if each[1].title.endswith(f": {each[0]}")), titled[0])
    ranking = ranking_of(stages)
    whole = replace(
        data,
        title=data.title.removesuffix(f": {name}"),
        address=data.address.removesuffix(f"{quote(name)}/"),
        standings=ranking,
        teams=[str(row[1]) for row in ranking.rows],
        matches=(),
        notes=(),
    )
    yield from contest_files(whole, sites, is_over(stages), live)
