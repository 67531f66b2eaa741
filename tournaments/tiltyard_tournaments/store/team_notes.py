"""Which teams the words of a tournament file stood for when it was last run.

A run notes that in its store. Whatever only shows results takes the teams from there: it runs no code of theirs, and needs no files
of theirs either. Digests tell what has happened to the files since.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec

from tiltyard_engine.data_classes import dataclass, field, replace
from tiltyard_engine.errors import UserError, some_of
from tiltyard_engine.registry import Reference, Registry
from tiltyard_engine.registry.contributions import Contribution, Description
from tiltyard_engine.registry.registry import ALGORITHM
from tiltyard_engine.registry.sources import Origin, Source, is_of
from tiltyard_simulator.match.code_digest import code_digest, digest_without_loader, remember_digest
from tiltyard_simulator.match.own_distributions import OWN_DISTRIBUTIONS
from tiltyard_simulator.registry.plugin_list import PluginList
from tiltyard_tournaments.store.store import Store
from tiltyard_tournaments.store.store_file import STORE_NAME

INSTALLED_TEAMS: Final = ""
"""Stands for all installed plugins that contribute teams and nothing else. No entry of a file has no words."""


class NotedTeam(msgspec.Struct, frozen=True):
    """A team, and what its code was."""

    reference: Reference
    label: str
    """Whose it is, as an intake has found out."""
    code: str
    built: str
    """The digest without its loader; see ``digest_without_loader``."""
    has_more: bool = False
    """Whether its plugin contributes something else too."""

    @property
    def name(self) -> str:
        """What it is called in tables."""
        return self.label or self.reference.label


class NotedTeams(msgspec.Struct, frozen=True):
    """What some words stood for."""

    folder: str
    """Of the tournament's file: what lies in it may be somewhere else now, together with it."""
    teams: tuple[NotedTeam, ...]
    refused: tuple[tuple[str, str], ...] = ()
    left_out: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    """All that lay in the folder, if it was one."""
    carried: dict[str, str] = {}
    """Points that teams brought from an earlier tournament, by name, as fractions such as ``8/3``."""
    former: tuple[NotedTeam, ...] = ()
    """Teams that earlier runs had, and the last one did not."""


_DECODER: Final = msgspec.msgpack.Decoder(NotedTeams)
_ENCODER: Final = msgspec.msgpack.Encoder()


def note_of(plugins: PluginList, registry: Registry, path: Path, folder: Path, carried: dict[str, str]) -> NotedTeams:
    """The teams of some words as they are now, for a run to note.

    Args:
        plugins: what lies at the path.
        registry: all other plugins.
        path: a file or folder; it need not be there.
        folder: of the tournament's file.
        carried: see ``NotedTeams``.

    Raises:
        UserError: files of a team can't be read.
    """
    others = {entry.reference.source for entry in registry.entries}
    teams = [
        NotedTeam(
            team, plugins.labels.get(team, ""), code_digest(team.source), digest_without_loader(team.source), team.source in others
        )
        for team in plugins.references
    ]
    return NotedTeams(
        str(folder.resolve()), tuple(teams), tuple(plugins.refused), tuple(plugins.left_out), _names_in(path), carried
    )


def _names_in(folder: Path) -> tuple[str, ...]:
    try:
        return tuple(sorted(path.name for path in folder.iterdir() if not path.name.startswith((".", "__"))))
    except OSError:
        return ()


def _read_notes(store: Store) -> dict[str, NotedTeams]:
    notes: dict[str, NotedTeams] = {}
    for words, data in store.teams().items():
        # What can't be read is found out anew.
        with suppress(msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            notes[words] = _DECODER.decode(data)
    return notes


def write_notes(store: Store, notes: Mapping[str, NotedTeams]) -> list[str]:
    """Write them into a store, instead of those of the run before. What was given by a program has no words.

    Returns the names of teams that the run before had, and this one does not.
    """
    if not notes:
        return []
    previous = _read_notes(store)
    previous.pop(INSTALLED_TEAMS, None)
    now = {team.name for noted in notes.values() for team in noted.teams}
    rows: dict[str, bytes] = {}
    for words, noted in notes.items():
        before = _moved(previous.get(words, noted), noted.folder)
        former = tuple(team for team in (*before.teams, *before.former) if team.name not in now)
        rows[words] = _ENCODER.encode(msgspec.structs.replace(noted, former=former))
    store.set_teams(rows)
    names = dict.fromkeys(team.name for noted in previous.values() for team in noted.teams)
    return [name for name in names if name not in now]


def installed_teams(registry: Registry, folder: str) -> NotedTeams:
    """Of other people's plugins that contribute nothing but teams."""
    kinds: dict[Source, set[str]] = {}
    for entry in registry.entries:
        kinds.setdefault(entry.reference.source, set()).add(entry.reference.kind)
    failed = {row.distribution for row in registry.rows if row.status != "ok"}
    teams = [
        NotedTeam(entry.reference, "", "", "")
        for entry in registry.entries
        if kinds[entry.reference.source] == {ALGORITHM}
        and entry.reference.source.origin is Origin.INSTALLED
        and entry.reference.source.distribution not in failed
        and not is_of(entry.reference.source, OWN_DISTRIBUTIONS)
    ]
    return NotedTeams(folder, tuple(teams))


@dataclass(slots=True)
class PreviousTeams:
    """The teams of the last run, where the tournament's file lies now; nothing if there was none."""

    entries: dict[str, NotedTeams] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    """What has become of their files since."""

    @classmethod
    def of_store(cls, folder: Path, file: Path) -> PreviousTeams:
        """What the store in a folder says, for a tournament's file."""
        previous = cls()
        if not (folder / STORE_NAME).is_file():
            return previous
        with suppress(UserError), Store(folder, writable=False) as store:
            base = str(file.parent.resolve())
            previous.entries = {words: _moved(noted, base) for words, noted in _read_notes(store).items()}
        return previous

    def plugins(self) -> dict[Source, Description]:
        """Plugins that contribute teams and nothing else."""
        plugins = {
            team.reference.source: Description()
            for entry in self.entries.values()
            for team in entry.teams
            if team.reference.source.origin is not Origin.INSTALLED and not team.has_more
        }
        for team in self.entries.get(INSTALLED_TEAMS, NotedTeams("", ())).teams:
            reference = team.reference
            contribution = Contribution(kind=reference.kind, name=reference.name, game=reference.game, program=reference.program)
            plugins.setdefault(reference.source, Description()).contributions.append(contribution)
        return plugins

    def of_entry(self, words: str, game: str | None) -> NotedTeams | None:
        """The teams of an entry of the file; None if they have to be looked for."""
        entry = self.entries.get(words) if words != INSTALLED_TEAMS else None
        return entry if entry is not None and all(game in (None, team.reference.game) for team in entry.teams) else None

    def look_at_files(self, words: str, path: Path) -> None:
        """Find out what has become of the files of an entry. Those that are gone count as they were."""
        changed: list[str] = []
        missing: list[str] = []
        entry = self.entries[words]
        for team in entry.teams:
            source = team.reference.source
            if is_of(source, OWN_DISTRIBUTIONS):
                continue
            now = digest_now(source)
            if now is None:
                remember_digest(source, team.code)
                remember_digest(replace(source, loader=""), team.built)
                missing.append(team.name)
            elif now != team.built:
                changed.append(team.name)
        new = sorted(set(_names_in(path)) - set(entry.names)) if entry.names else []
        if changed:
            self.notes.append(f"the code of {some_of(changed)} has changed since the last run")
        if missing:
            self.notes.append(f"the files of {some_of(missing)} are gone; their games count as they were played")
        if new:
            self.notes.append(f"{words} has something new since the last run: {some_of(new)}")


def digest_now(source: Source) -> str | None:
    """The digest of a team's code without its loader; None: there are no files that can be read."""
    if source.origin is not Origin.INSTALLED and not Path(source.folder or source.value).exists():
        return None
    try:
        return digest_without_loader(source)
    except (UserError, OSError, ImportError):
        return None


def _moved(entry: NotedTeams, base: str) -> NotedTeams:
    if entry.folder == base:
        return entry

    def moved(text: str) -> str:
        return base + text.removeprefix(entry.folder) if text.startswith(f"{entry.folder}/") else text

    def move(team: NotedTeam) -> NotedTeam:
        source = team.reference.source
        if source.origin is not Origin.INSTALLED:
            source = replace(source, value=moved(source.value), folder=moved(source.folder), environment=moved(source.environment))
        return msgspec.structs.replace(team, reference=replace(team.reference, source=source))

    teams, former = tuple(map(move, entry.teams)), tuple(map(move, entry.former))
    return msgspec.structs.replace(entry, folder=base, teams=teams, former=former)
