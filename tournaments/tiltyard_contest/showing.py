"""What is shown of all stages of a file: the final ranking, and the page above the sites of the stages."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import IO, Final, TypeAlias
from urllib.parse import quote

from tiltyard_contest.contest_page import INDEX, StageSite, contest_files, stage_links
from tiltyard_contest.final_ranking import RankedStage, final_ranking
from tiltyard_engine.errors import some_of
from tiltyard_engine.lifecycle import Table
from tiltyard_engine.registry import Selection
from tiltyard_engine.texts.public_text import public_text
from tiltyard_simulator.output.tables import PROGRAM_FORMATS, render, render_all
from tiltyard_site.pages.contents import SiteFile, listed_games
from tiltyard_site.pages.site_data import site_data
from tiltyard_site.publication.page_writer import SiteFolder
from tiltyard_tournaments.cli.standings import FINAL_RANKING
from tiltyard_tournaments.cli.tournament_options import TournamentOptions
from tiltyard_tournaments.publishers.publication import PublishedBy, choose_publishers, publish_by
from tiltyard_tournaments.publishers.results import tournament_results
from tiltyard_tournaments.publishers.tables import html_page
from tiltyard_tournaments.running.qualification import with_teams_admitted_so_far
from tiltyard_tournaments.running.schedule import Progress, follow, progress_to_show
from tiltyard_tournaments.running.tables import standings, tables_of
from tiltyard_tournaments.running.tournament import Tournament, open_store
from tiltyard_tournaments.store import STORE_NAME
from tiltyard_tournaments.tournament_file.contest import Stage, stages_of
from tiltyard_tournaments.tournament_file.resolution import Resolved, load_tournament


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


StagesSoFar: TypeAlias = Mapping[str, StageSoFar | None]
"""By the names of all stages, in order; None: it cannot begin yet."""
Links: TypeAlias = tuple[tuple[str, str], ...]
"""See ``Publication.stages``."""
PublishStage: TypeAlias = Callable[[str, Path, Links], Sequence[Path]]


RANKING_STYLES: Final = {".json": "json", ".csv": "csv", ".md": "markdown", ".html": "html"}
"""The forms of the final ranking by the endings of files with tables."""


def is_begun(stage: Stage) -> bool:
    """Whether there are results of it."""
    return (stage.folder / STORE_NAME).is_file()


@dataclass(frozen=True, slots=True)
class FileStages:
    """The stages of a file, and how to open one by its name, as it was run."""

    stages: Sequence[Stage]
    load: Callable[[str], Resolved]

    @classmethod
    def of(cls, options: TournamentOptions) -> FileStages:
        """Those of a command's file."""
        return cls(options.stages(), lambda name: replace(options, stage=name).resolve(as_run=True))

    @classmethod
    def without_notes(cls, options: TournamentOptions) -> FileStages:
        """All stages of the file; notes about changed teams are not printed."""
        selection = Selection.from_environment(options.block or (), options.only)
        load = partial(load_tournament, options.file, selection, as_run=True)
        return cls(stages_of(options.file), lambda name: load(stage=name))

    def so_far(self) -> StagesSoFar:
        """Those that were begun, as they were run.

        Raises:
            UserError: results cannot be read.
        """
        return {stage.name: StageSoFar.of(self.tournament(stage.name)) if is_begun(stage) else None for stage in self.stages}

    def tournament(self, name: str) -> Tournament:
        """One of them, with the teams that may play."""
        return with_teams_admitted_so_far(self.load(name).tournament)

    def publish(self, publish: PublishStage, output: Path | None = None) -> list[Path]:
        """Publish each stage that was begun into a folder of its name, and write the page that leads to them.

        Args:
            publish: publishes one stage, by its name, into a folder, and says which files are to be looked at.
            output: the folder for all; None: the one that the file says, beside the folders of the stages.

        Returns:
            That page, and then the files of all stages.

        Raises:
            UserError: results cannot be read, or the page cannot be written.
        """
        names = [stage.name for stage in self.stages if is_begun(stage)] or [self.stages[0].name]
        if output is None:
            output = self.stages[0].folder.parent / self.load(names[0]).tournament.publication.folder
        files: dict[str, list[str]] = {}
        paths: list[Path] = []
        for name in names:
            folder = output / name
            published = publish(name, folder, stage_links(names, name))
            files[name] = [path.relative_to(folder).as_posix() for path in published if path.is_relative_to(folder)]
            paths += published
        site = SiteFolder.open(output)
        so_far = self.so_far()
        for file in files_above(so_far, files):
            site.add(file.path, file.make())
        # Whoever gets the tables of the stages as files gets the final ranking so too.
        table = ranking_of(so_far)
        # Pages of a site have the ranking above them.
        endings = {path.suffix for path in paths if path.name != INDEX}
        rankings = [f"{FINAL_RANKING}{ending}" for ending in RANKING_STYLES if ending in endings]
        for name in rankings:
            text = _as_file(table, RANKING_STYLES[Path(name).suffix])
            site.add(name, (html_page(table.title, text) if name.endswith(".html") else f"{text}\n").encode())
        site.finish()
        return [output / INDEX, *(output / name for name in rankings), *paths]


def publish_to(
    resolved: Resolved,
    names: Sequence[str] | None,
    folder: Path,
    links: Links,
    *,
    say: Callable[[str], None],
    notes: IO[str] | None = None,
) -> PublishedBy:
    """Publish one stage into a folder.

    Args:
        resolved: the stage.
        names: of publishers; None: only those of the file; empty: those, or else the site.
        folder: where to.
        links: to the page above and the other stages.
        say: gets each failure.
        notes: gets what publishers print; None: standard error.

    Raises:
        UserError: its store cannot be read, or there is no such publisher.
    """
    tournament = with_teams_admitted_so_far(resolved.tournament)
    tournament = replace(tournament, publication=replace(tournament.publication, stages=links))
    publishers = tournament.publishers if names is None else choose_publishers(tournament, resolved.registry, names)
    with open_store(tournament) as store:
        return publish_by(tournament, store, publishers, say, folder, notes=notes)


def publish_played(options: TournamentOptions, say: Callable[[str], None]) -> PublishedBy:
    """Publish all stages that were begun, as the file says, after one was played; nothing, if it names no publishers.

    Raises:
        UserError: results cannot be read, or the page above the stages cannot be written.
    """
    # What has become of teams' files was said when the stage was played.
    return publish_as_file_says(FileStages.without_notes(options), say)


def publish_as_file_says(file_stages: FileStages, say: Callable[[str], None], notes: IO[str] | None = None) -> PublishedBy:
    """As ``publish_played``, for a file or a program; ``notes`` as of ``publish_to``."""
    loaded = {stage.name: file_stages.load(stage.name) for stage in file_stages.stages if is_begun(stage)}
    everything = PublishedBy()
    if not any(resolved.tournament.publishers for resolved in loaded.values()):
        return everything

    def publish(name: str, folder: Path, links: Links) -> Sequence[Path]:
        published = publish_to(loaded[name], None, folder, links, say=say, notes=notes)
        everything.failed += published.failed
        everything.disk_full |= published.disk_full
        return published.files

    everything.files = FileStages(file_stages.stages, loaded.__getitem__).publish(publish)
    return everything


def _as_file(table: Table, style: str) -> str:
    rows = [tuple(public_text(cell) if isinstance(cell, str) else cell for cell in row) for row in table.rows]
    return render(table.headers, rows, style)


def is_over(stages: StagesSoFar) -> bool:
    """Whether nothing is left to be played in any of them."""
    return all(stage is not None and stage.is_over for stage in stages.values())


def ranking_of(stages: StagesSoFar) -> Table:
    """By the stages that were begun."""
    own = [(name, stage) for name, stage in stages.items() if stage is not None]
    ranked = [RankedStage(name, standings(stage.tournament, stage.progress.schedule)) for name, stage in own]
    return final_ranking(ranked, is_over(stages))


def departures(stages: StagesSoFar) -> tuple[str, ...]:
    """A sentence about the teams that have left, if there are any."""
    own = [stage.tournament for stage in stages.values() if stage is not None]
    teams = dict.fromkeys(each.team.label for tournament in own for each in tournament.absences if each.last is None)
    return (f"Left before the end: {some_of(list(teams), len(teams))}.",) if teams else ()


def show_final_ranking(options: TournamentOptions, style: str) -> None:
    """Print the final ranking; in the style ``event`` as a line of JSON, with the time as events have it."""
    # Whoever shows it to people has shown each stage before, with what has become of its teams.
    so_far = (FileStages.of(options) if style in PROGRAM_FORMATS else FileStages.without_notes(options)).so_far()
    table = ranking_of(so_far)
    if style == "event":
        at = datetime.now(UTC).isoformat(timespec="milliseconds")
        rows = [dict(zip(("place", "team", "stage", "place_there"), row, strict=True)) for row in table.rows]
        print(json.dumps({"event": "final ranking", "at": at, "complete": is_over(so_far), "ranking": rows}, ensure_ascii=False))
        return
    if style in PROGRAM_FORMATS:
        print(render(table.headers, table.rows, style))
        return
    print(render_all([table], style))
    for note in departures(so_far):
        print(f"\n{note}")


def show_tables(options: TournamentOptions, names: Sequence[str], style: str) -> None:
    """Print tables of all stages that were begun, each as one table with a column for the stage, and the columns of all of them.

    Raises:
        UserError: there is no such table, or nothing has been played.
    """
    stages = FileStages.of(options)
    of_stages: list[tuple[str, list[Table]]] = []
    for stage in [each for each in stages.stages if is_begun(each)] or stages.stages[:1]:
        tournament = stages.tournament(stage.name)
        with open_store(tournament) as store:
            progress = progress_to_show(tournament, store)
        of_stages.append((stage.name, tables_of(tournament, progress.schedule, names, (FINAL_RANKING,))))
    tables: list[Table] = []
    for same in zip(*(each for _, each in of_stages), strict=True):
        headers = dict.fromkeys(header for table in same for header in table.headers)
        rows = tuple(
            (stage, *(dict(zip(table.headers, row, strict=True)).get(header, "") for header in headers))
            for (stage, _), table in zip(of_stages, same, strict=True)
            for row in table.rows
        )
        tables.append(Table(same[0].title, ("stage", *headers), rows))
    if FINAL_RANKING in names:
        tables.append(ranking_of(stages.so_far()))
    print(render(tables[0].headers, tables[0].rows, style) if len(tables) == 1 else render_all(tables, style))


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
        notes=departures(stages),
    )
    yield from contest_files(whole, sites, is_over(stages), live)
