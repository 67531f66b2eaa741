"""Everything that was found, under its names; and a row for each thing, usable or not."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final, Literal

from tiltyard_engine.errors import NotFoundError, UserError
from tiltyard_engine.programs import ProgramTeam
from tiltyard_engine.records import Game, Record
from tiltyard_engine.registry.checks import game_of
from tiltyard_engine.registry.contributions import (
    ALGORITHM,
    FORMAT,
    GAME,
    MANAGER,
    MAP,
    OBSERVER,
    PUBLISHER,
    Contribution,
    Description,
    Loader,
    kind_of,
    load_here,
)
from tiltyard_engine.registry.loading import load_source
from tiltyard_engine.registry.sources import Source, installed_sources, normal_name, path_sources
from tiltyard_engine.wording import LONGEST_NAME, lines, one_line

__all__ = [
    "ALGORITHM",
    "FORMAT",
    "GAME",
    "MANAGER",
    "MAP",
    "OBSERVER",
    "PUBLISHER",
    "Entry",
    "Reference",
    "Registry",
    "Row",
    "Selection",
]

BLOCK_VARIABLE: Final = "TILTYARD_BLOCK"
ONLY_VARIABLE: Final = "TILTYARD_ONLY"


@dataclass(frozen=True, slots=True)
class Selection:
    """Which installed plugins to load, by entry-point or distribution name."""

    block: frozenset[str] = frozenset()
    only: frozenset[str] | None = None
    """None: all that are not blocked."""

    @classmethod
    def from_environment(cls, block: Iterable[str] = (), only: Iterable[str] | None = None) -> Selection:
        """The given names and those of the environment variables TILTYARD_BLOCK and TILTYARD_ONLY (comma-separated)."""
        blocked = {*block, *_names(os.environ.get(BLOCK_VARIABLE, ""))}
        allowed = set(only) if only else None
        if allowed is None and ONLY_VARIABLE in os.environ:
            allowed = set(_names(os.environ[ONLY_VARIABLE]))
        return cls(frozenset(blocked), None if allowed is None else frozenset(allowed))

    def refusal(self, source: Source) -> str:
        """Why ``source`` is not to be loaded, or an empty string."""
        if _is_named(source, self.block):
            return "blocked"
        return "" if self.only is None or _is_named(source, self.only) else "not among the only ones wanted"


def _is_named(source: Source, names: frozenset[str]) -> bool:
    return source.name in names or source.distribution in {normal_name(name) for name in names}


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


@dataclass(frozen=True, slots=True)
class Reference:
    """A record by where it comes from and what it is called: plain data, for another process to look up."""

    kind: str
    name: str
    game: str
    source: Source
    on_fault: Literal["idle", "raise"] = "idle"
    """Of a GameManager, as in its record: to be known where its code is not loaded."""
    log_suffix: str = ".txt"
    """Likewise."""
    program: ProgramTeam | None = None
    """The record itself where it is a program's: nothing has to be loaded to run that."""
    shown: str = field(default="", compare=False)
    """What an algorithm is called in tables, if that is not its name; who it is does not depend on it."""

    @property
    def label(self) -> str:
        """What it is called in tables."""
        return self.shown or self.name

    def load(self) -> Record:
        """The record, its plugin loaded in this process.

        Raises:
            UserError: the plugin cannot be loaded here or no longer has the record.
        """
        if self.program is not None:
            return self.program
        plugin = load_source(self.source)
        for record in plugin.records:
            if (kind_of(record), record.name, game_of(record)) == (self.kind, self.name, self.game):
                return record
        reasons = "; ".join(problem.reason for problem in plugin.problems)
        raise UserError(f"{self.source}: has no {self.kind} '{self.name}'{': ' + reasons if reasons else ''}")


@dataclass(frozen=True, slots=True)
class Entry:
    """What is known of a usable record, and where it came from."""

    reference: Reference
    contribution: Contribution
    file: str

    @property
    def name(self) -> str:
        """The registered name."""
        return self.reference.name


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the list of plugins: a record, or a plugin that failed."""

    name: str
    kind: str
    game: str
    distribution: str
    version: str
    file: str
    status: str
    """``ok``, ``failed``, ``duplicate`` or ``blocked``."""
    reason: str = ""
    detail: str = ""


@dataclass(slots=True)
class Registry:
    """Records by kind, game and name. Two of the same: the first by source order counts, the other is a row."""

    entries: list[Entry] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    loader: Loader = load_here

    @classmethod
    def installed(cls, selection: Selection | None = None, loader: Loader = load_here) -> Registry:
        """All installed plugins, sorted; without a selection that of the environment."""
        registry = cls(loader=loader)
        chosen = Selection.from_environment() if selection is None else selection
        registry.add(installed_sources(), chosen)
        if chosen.only is None:
            registry._refuse_homeless()
        return registry

    @classmethod
    def from_paths(cls, paths: Iterable[Path], loader: Loader = load_here) -> Registry:
        """The plugins of files and folders.

        Raises:
            UserError: a path is missing or cannot be read.
        """
        registry = cls(loader=loader)
        registry.add([source for path in paths for source in path_sources(path)])
        return registry

    def of_paths(self, paths: Iterable[Path]) -> Registry:
        """The plugins of files and folders alone, loaded as those of this registry were; errors as for ``from_paths``."""
        return Registry.from_paths(paths, self.loader)

    def add(self, sources: Sequence[Source], selection: Selection | None = None) -> None:
        """Load all ``sources`` that are not refused, and file what they contribute, in their order."""
        refusals = [selection.refusal(source) if selection is not None else "" for source in sources]
        descriptions = iter(self.loader([source for source, refusal in zip(sources, refusals, strict=True) if not refusal]))
        for source, refusal in zip(sources, refusals, strict=True):
            if refusal:
                self._file_row(source, "" if source.distribution else source.value, "blocked", refusal)
            else:
                self._file_all(source, next(descriptions))

    def _file_all(self, source: Source, description: Description) -> None:
        for contribution in description.contributions:
            self._file(source, description.file, contribution)
        for problem in description.problems:
            name = problem.name or source.name
            self._file_row(source, description.file, "failed", problem.reason, name, problem.kind, detail=problem.detail)

    def _file(self, source: Source, file: str, told: Contribution) -> None:
        reference = Reference(told.kind, told.name, told.game, source, told.on_fault, told.log_suffix, told.program)
        first = self._get(reference.kind, reference.name, reference.game)
        status, reason = "ok", ""
        if first is not None:
            status = "duplicate"
            reason = f"the {reference.kind} '{told.name}' is already contributed by {first.reference.source}"
        else:
            self.entries.append(Entry(reference, told, file))
        self._file_row(source, file, status, reason, told.name, told.kind, told.game)

    def _file_row(
        self,
        source: Source,
        file: str,
        status: str,
        reason: str,
        name: str = "",
        kind: str = "plugin",
        game: str = "",
        detail: str = "",
    ) -> None:
        name, distribution, version = (
            one_line(text, LONGEST_NAME) for text in (name or source.name, source.distribution, source.version)
        )
        self.rows.append(Row(name, kind, game, distribution, version, file, status, one_line(reason), lines(detail)))

    def _refuse_homeless(self) -> None:
        """Records for a game that nobody contributes cannot be played: their rows say so."""
        games = {entry.name for entry in self.all(GAME)}
        homeless = [entry for entry in self.entries if entry.reference.game and entry.reference.game not in games]
        self.entries = [entry for entry in self.entries if entry not in homeless]
        for entry in homeless:
            game = entry.reference.game
            reason = str(NotFoundError(GAME, game, games, self._because(GAME, game)))
            for place, row in enumerate(self.rows):
                if (row.status, row.kind, row.name, row.game) == ("ok", entry.reference.kind, entry.name, game):
                    self.rows[place] = replace(row, status="failed", reason=reason)

    def _because(self, kind: str, name: str) -> str:
        """What became of those that tried to be called so."""
        failed = [row for row in self.rows if row.status == "failed" and row.name == name and row.kind in (kind, "plugin")]
        return "; ".join(f"the {row.kind} {name} failed: {row.reason}" for row in failed)

    def _get(self, kind: str, name: str, game: str | None) -> Entry | None:
        for entry in self.entries:
            reference = entry.reference
            if reference.kind == kind and reference.name == name and game in (None, reference.game):
                return entry
        return None

    def find(self, kind: str, name: str, game: str | None = None) -> Entry:
        """The record of that kind and name.

        Raises:
            NotFoundError: there is none; the message says why it failed, or names the nearest ones.
        """
        entry = self._get(kind, name, game)
        if entry is None:
            raise NotFoundError(kind, name, (other.name for other in self.all(kind, game)), self._because(kind, name))
        return entry

    def all(self, kind: str, game: str | None = None) -> list[Entry]:
        """All usable records of a kind, sorted by name."""
        found = [entry for entry in self.entries if entry.reference.kind == kind and game in (None, entry.reference.game)]
        return sorted(found, key=lambda entry: entry.name)

    def game(self, name: str) -> Game[object]:
        """The game of that name, its plugin loaded in this process."""
        record = self.find(GAME, name).reference.load()
        assert isinstance(record, Game)
        return record

    def failures(self) -> list[Row]:
        """The rows that are not usable."""
        return [row for row in self.rows if row.status in ("failed", "duplicate")]
