"""Stages of a file, and teams from the standings of another tournament: what the package of contests does for the core.

The core never imports that package. It finds it by the entry-point group ``tiltyard.contest``, for files that need it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final, Protocol, TypeAlias, cast

from tiltyard_engine.data_classes import dataclass
from tiltyard_engine.formats import Fixture, TournamentFormat
from tiltyard_engine.registry import Reference
from tiltyard_engine.registry.sources import host_value
from tiltyard_simulator.registry.plugin_list import PluginList
from tiltyard_tournaments.tournament_file.document import Document, read_document

CONTEST_GROUP: Final = "tiltyard.contest"
STAGES: Final = "stages"


@dataclass(frozen=True, slots=True)
class Stage:
    """A stage of a file."""

    name: str
    folder: Path
    """Of its results."""


PublishStage: TypeAlias = Callable[[Any, Path, tuple[tuple[str, str], ...]], Sequence[Path]]
"""Publishes one stage, by its options, into a folder, with ``Publication.stages``."""


class Contest(Protocol):
    """What the package gives. ``options`` are those of a command, ``lookup`` and ``entry`` of a file."""

    def stages_of_document(self, document: Document, path: Path) -> list[Stage]:
        """The stages of a file's document."""

    def check_stages(self, options: Any) -> None:
        """Raise what is wrong with all stages, before the first one is played."""

    def stage_document(self, document: Document, path: Path, stage: str) -> Document:
        """The document of one stage."""

    def entry_with_words(self, value: dict[str, Any]) -> dict[str, Any]:
        """An entry of teams by their places, with words by which a run notes who they were."""

    def open_earlier(self, lookup: Any, source: str) -> Any:
        """The tournament of an earlier stage or another file, as it was run."""

    def stages_cup(self, document: Document, path: Path, objects: Any) -> Any:
        """A file's tournaments from Python."""

    def publish_played(self, options: Any, say: Callable[[str], None]) -> Any:
        """Publish a stage that was played, as its file says, with the page above all of them."""

    def teams_of_earlier(self, lookup: Any, entry: Any, source: str, others: Mapping[Reference, str]) -> PluginList:
        """The teams of an entry with ``from``, and in ``lookup`` the points that they bring; ``others`` are there already."""

    def check_carry(self, lookup: Any, tournament_format: TournamentFormat) -> None:
        """Note it where points are brought to a format that knows none."""

    def tie_break_games(self, schedule: Any) -> Sequence[Fixture]:
        """The next matches between tied teams, of a schedule whose format has nothing left to play."""

    def show_final_ranking(self, options: Any, style: str) -> None:
        """Print who is where after all stages that were begun; in the style ``event`` as a line of ``run --json``."""

    def show_tables(self, options: Any, names: Sequence[str], style: str) -> None:
        """Print tables of all stages that were begun, each as one with a column for the stage."""

    def publish_stages(self, options: Any, publish: PublishStage, output: Path | None) -> Sequence[Path]:
        """Publish each stage below one folder; the files above them, of which the last is the page that leads to them."""

    def live_stages(self, options: Any) -> Any:
        """The sites of all stages and that page, for a server."""


@cache
def contest() -> Contest:
    """What plays contests of several stages.

    Raises:
        UserError: it is not installed.
    """
    return cast("Contest", host_value(CONTEST_GROUP, "what plays stages, and teams from other tournaments,"))


def stages_of(path: Path) -> list[Stage]:
    """The stages of a file; empty if it has none.

    Raises:
        UserError: the file cannot be read, or its stages have problems.
    """
    document = read_document(path)
    return contest().stages_of_document(document, path) if STAGES in document.data else []
