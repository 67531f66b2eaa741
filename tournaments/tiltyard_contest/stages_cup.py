"""A file with stages from Python: a ``Cup`` whose stages are cups, and whose standings are the final ranking."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from contextlib import aclosing
from pathlib import Path

from tiltyard_contest.showing import FileStages, is_begun, publish_as_file_says, publish_to, ranking_of
from tiltyard_contest.stages import stages_of_document
from tiltyard_engine.errors import NotFoundError, UserError
from tiltyard_engine.registry import Selection
from tiltyard_simulator.registry.object_teams import ObjectRecords
from tiltyard_tournaments.library.cup import LOG, Cup, Status
from tiltyard_tournaments.library.rows import Rows, rows_of
from tiltyard_tournaments.library.shown_match import PlayedMatch
from tiltyard_tournaments.publishers.pages import pages
from tiltyard_tournaments.running.run import Tell
from tiltyard_tournaments.running.tournament import Tournament
from tiltyard_tournaments.store import Store
from tiltyard_tournaments.tournament_file.document import Document
from tiltyard_tournaments.tournament_file.lookup import output_folder
from tiltyard_tournaments.tournament_file.model import TournamentKeys
from tiltyard_tournaments.tournament_file.resolution import Resolved, load_document


class StagesCup(Cup):
    """Several tournaments that follow each other. What one of them has, such as its games, is asked of ``stages[NAME]``.

    Args:
        document: what stands in the file.
        path: the file, or what gives the folder its name.
        objects: those that some words of it stand for.

    Raises:
        UserError: something is wrong with one of the stages.
    """

    def __init__(self, document: Document, path: Path, objects: ObjectRecords) -> None:
        self._document, self._path, self._objects = document, path, objects
        self._selection = Selection.from_environment()
        self._names = [stage.name for stage in stages_of_document(document, path)]
        # Looked at before anything is played, with other teams for those who will go on.
        self._previews = {name: self._load(name, is_preview=True) for name in self._names}

    def __repr__(self) -> str:
        return f"<tournament {self.title!r}: stages {', '.join(self._names)}>"

    def _repr_html_(self) -> str:
        so_far = self._file_stages().so_far()
        about = repr(self)[1:-1]
        if not any(so_far.values()):
            return pages().cup_html(about, None, 0)
        table = ranking_of(so_far)
        return pages().table_html(f"{about}: {table.title}", table.headers, table.rows)

    def _load(self, name: str, *, as_run: bool = False, is_preview: bool = False) -> Resolved:
        return load_document(
            self._document, (self._path,), self._selection, self._objects, stage=name, as_run=as_run, is_preview=is_preview
        )

    def _file_stages(self) -> FileStages:
        return FileStages(stages_of_document(self._document, self._path), lambda name: self._load(name, as_run=True))

    @property
    def _tournament(self) -> Tournament:
        """What all else of ``Cup`` asks for.

        Raises:
            UserError: always, as a stage has it.
        """
        names = ", ".join(self._names)
        raise UserError(f"{self.title}: has the stages {names}; ask one of them for this, as in cup.stages['{self._names[0]}']")

    @property
    def stages(self) -> Mapping[str, Cup]:
        """Each stage by its name, in order. One whose teams are not known yet raises a UserError that says why."""
        return StageCups(self)

    @property
    def title(self) -> str:
        """The title of the whole."""
        return str(self._document.data.get("title", TournamentKeys.model_fields["title"].default))

    @property
    def teams(self) -> tuple[str, ...]:
        """Names, in the order of the file."""
        return tuple(dict.fromkeys(name for each in self._previews.values() for name in each.tournament.names))

    @property
    def maps(self) -> tuple[str, ...]:
        """Names, in the order of the file."""
        return tuple(dict.fromkeys(name for each in self._previews.values() for name in each.tournament.field.maps))

    @property
    def folder(self) -> Path:
        """The folder with those of the stages."""
        return output_folder(self._path, self._document.data.get("output"))

    @property
    def left_out(self) -> tuple[str, ...]:
        """What was left out of the named folders, and why."""
        return tuple(dict.fromkeys(line for each in self._previews.values() for line in each.left_out))

    def run(self, progress: Tell | bool | None = None, workers: int | None = None) -> Cup:
        """Play one stage after the other, and return this tournament; as ``Cup.run``."""
        for stage in self.stages.values():
            stage.run(progress, workers)
        return self

    async def stream(self, progress: Tell | bool | None = None, workers: int | None = None) -> AsyncGenerator[PlayedMatch, None]:
        """Play one stage after the other, and give every match; as ``Cup.stream``."""
        for stage in self.stages.values():
            async with aclosing(stage.stream(progress, workers)) as matches:
                async for match in matches:
                    yield match

    def status(self) -> Status:
        """The progress of all stages together. Of a stage that can't begin yet, the games that are certain are left."""
        stages = self._file_stages().stages
        cups = (self.stages[each.name] if is_begun(each) else Cup(self._previews[each.name], each.name) for each in stages)
        each_status = [cup.status() for cup in cups]
        faults: Counter[str] = Counter()
        for status in each_status:
            faults.update(status.faults)
        games, left, voids, earlier = map(sum, zip(*((each.done, each.left, each.voids, each.earlier) for each in each_status)))
        return Status(games, left, dict(faults), voids, earlier)

    def standings(self) -> Rows:
        """The final ranking, or what it is so far: one row per team, with the last stage that it played.

        Raises:
            UserError: nothing has been played yet.
        """
        so_far = self._file_stages().so_far()
        if not any(so_far.values()):
            raise UserError(f"{self.title}: nothing has been played yet; run() plays it")
        return rows_of(ranking_of(so_far))

    def publish(self, folder: Path | str | None = None, publishers: Sequence[str] = ()) -> list[Path]:
        """Publish all stages that were begun, each below its name, and the page that leads to them; it comes first.

        Errors and arguments are those of ``Cup.publish``.
        """
        file_stages, failed = self._file_stages(), list[str]()

        def publish(name: str, output: Path, links: tuple[tuple[str, str], ...]) -> Sequence[Path]:
            published = publish_to(file_stages.load(name), publishers, output, links, say=LOG.debug, notes=io.StringIO())
            failed.extend(published.failed)
            return published.files

        files = file_stages.publish(publish, None if folder is None else Path(folder))
        if failed:
            raise UserError("\n".join(failed))
        return files

    def stage(self, name: str) -> Cup:
        """One of the stages; see ``stages``."""
        return StageCup(self, name, self._load(name), self._objects)

    def publish_played(self) -> None:
        """Publish all stages that were begun, as the file says."""
        publish_as_file_says(self._file_stages(), LOG.warning, io.StringIO())


class StageCups(Mapping[str, Cup]):
    """The stages of a tournament by their names; each is opened when it is asked for."""

    def __init__(self, whole: StagesCup) -> None:
        self._whole = whole
        self._names = [stage.name for stage in whole._file_stages().stages]

    def __getitem__(self, name: str) -> Cup:
        if name not in self._names:
            raise NotFoundError("stage", name, self._names)
        return self._whole.stage(name)

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __repr__(self) -> str:
        return f"<stages {', '.join(self._names)}>"


class StageCup(Cup):
    """A stage. What is published of it at the end of a run lies below the page of all stages."""

    def __init__(self, whole: StagesCup, name: str, resolved: Resolved, objects: ObjectRecords) -> None:
        super().__init__(resolved, name, objects)
        self._whole = whole

    def _publish_played(self, tournament: Tournament, store: Store) -> None:
        self._whole.publish_played()
