"""Everything that was found, under its names; and a row for each thing, usable or not."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from tiltyard_engine.errors import NotFoundError, UserError
from tiltyard_engine.records import Game, Manager, MapFile, Record
from tiltyard_engine.registry.checks import game_of
from tiltyard_engine.registry.loading import Plugin, load_source
from tiltyard_engine.registry.sources import Source, installed_sources, normal_name, path_sources

GAME: Final = "game"
MANAGER: Final = "game manager"
ALGORITHM: Final = "algorithm"
MAP: Final = "map"

BLOCK_VARIABLE: Final = "TILTYARD_BLOCK"
ONLY_VARIABLE: Final = "TILTYARD_ONLY"


def kind_of(record: Record) -> str:
    """The word for what a record is."""
    if isinstance(record, Game):
        return GAME
    if isinstance(record, Manager):
        return MANAGER
    return MAP if isinstance(record, MapFile) else ALGORITHM


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

    def load(self) -> Record:
        """The record, its plugin loaded in this process.

        Raises:
            UserError: the plugin cannot be loaded here or no longer has the record.
        """
        plugin = load_source(self.source)
        for record in plugin.records:
            if (kind_of(record), record.name, game_of(record)) == (self.kind, self.name, self.game):
                return record
        reasons = "; ".join(problem.reason for problem in plugin.problems)
        raise UserError(f"{self.source}: has no {self.kind} '{self.name}'{': ' + reasons if reasons else ''}")


@dataclass(frozen=True, slots=True)
class Entry:
    """A usable record and where it came from."""

    reference: Reference
    record: Record
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

    @classmethod
    def installed(cls, selection: Selection | None = None) -> Registry:
        """All installed plugins, sorted; without a selection that of the environment."""
        registry = cls()
        chosen = Selection.from_environment() if selection is None else selection
        for source in installed_sources():
            registry.add(source, chosen.refusal(source))
        if chosen.only is None:
            registry._refuse_homeless()
        return registry

    @classmethod
    def from_paths(cls, paths: Iterable[Path]) -> Registry:
        """The plugins of files and folders.

        Raises:
            UserError: a path is missing or cannot be read.
        """
        registry = cls()
        for path in paths:
            for source in path_sources(path):
                registry.add(source)
        return registry

    def add(self, source: Source, refusal: str = "") -> Plugin | None:
        """Load ``source`` unless refused, and file what it contributes."""
        if refusal:
            file = "" if source.distribution else source.value
            self.rows.append(Row(source.name, "plugin", "", source.distribution, source.version, file, "blocked", refusal))
            return None
        plugin = load_source(source)
        for record in plugin.records:
            self._file(plugin, record)
        for problem in plugin.problems:
            name = problem.name or source.name
            row = Row(
                name, problem.kind, "", source.distribution, source.version, plugin.file, "failed", problem.reason, problem.detail
            )
            self.rows.append(row)
        return plugin

    def _file(self, plugin: Plugin, record: Record) -> None:
        source = plugin.source
        reference = Reference(kind_of(record), record.name, game_of(record), source)
        first = self._get(reference.kind, reference.name, reference.game)
        status, reason = "ok", ""
        if first is not None:
            status = "duplicate"
            reason = f"the {reference.kind} '{record.name}' is already contributed by {first.reference.source}"
        else:
            self.entries.append(Entry(reference, record, plugin.file))
        row = Row(record.name, reference.kind, reference.game, source.distribution, source.version, plugin.file, status, reason)
        self.rows.append(row)

    def _refuse_homeless(self) -> None:
        """Records for a game that nobody contributes cannot be played: their rows say so."""
        games = {entry.name for entry in self.all(GAME)}
        homeless = [entry for entry in self.entries if entry.reference.game not in games]
        self.entries = [entry for entry in self.entries if entry not in homeless]
        for entry in homeless:
            reason = str(NotFoundError(GAME, entry.reference.game, games))
            for place, row in enumerate(self.rows):
                if (row.status, row.kind, row.name, row.game) == ("ok", entry.reference.kind, entry.name, entry.reference.game):
                    self.rows[place] = replace(row, status="failed", reason=reason)

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
            failed = [row for row in self.rows if row.status == "failed" and row.name == name and row.kind in (kind, "plugin")]
            because = "; ".join(f"the {row.kind} {name} failed: {row.reason}" for row in failed)
            raise NotFoundError(kind, name, (other.name for other in self.all(kind, game)), because)
        return entry

    def all(self, kind: str, game: str | None = None) -> list[Entry]:
        """All usable records of a kind, sorted by name."""
        found = [entry for entry in self.entries if entry.reference.kind == kind and game in (None, entry.reference.game)]
        return sorted(found, key=lambda entry: entry.name)

    def game(self, name: str) -> Game[object]:
        """The game of that name."""
        record = self.find(GAME, name).record
        assert isinstance(record, Game)
        return record

    def failures(self) -> list[Row]:
        """The rows that are not usable."""
        return [row for row in self.rows if row.status in ("failed", "duplicate")]
