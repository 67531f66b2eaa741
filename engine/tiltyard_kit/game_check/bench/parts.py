"""A game with all that it takes to play it: found by its name, file or folder, or put together by a test."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import ModuleType
from typing import Any, TypeAlias, TypeVar

from tiltyard_engine.errors import NotFoundError, UserError, some_of
from tiltyard_engine.records import Game, Manager, MapFile, TankTeam, TurnTeam
from tiltyard_engine.registry import Reference, Registry, installed_sources, load_source
from tiltyard_engine.registry.lookup import choose
from tiltyard_engine.registry.registry import ALGORITHM, GAME, MANAGER, MAP, Entry
from tiltyard_engine.registry.sources import Source

Team: TypeAlias = TankTeam | TurnTeam
GameLike: TypeAlias = "str | Path | ModuleType | GameParts"
"""A game by the name that it is installed under, its file or folder, its plugin's module; or its parts."""
R = TypeVar("R")


@dataclass(frozen=True, slots=True, kw_only=True)
class GameParts:
    """A game, its GameManagers, maps and algorithms in Python.

    ``dataclasses.replace`` makes another one of it, such as with a GameManager that a test wrote. What was replaced plays only in
    this process: others could not find it.
    """

    game: Game[Any]
    managers: tuple[Manager, ...]
    """The default one first."""
    maps: tuple[MapFile, ...] = ()
    teams: tuple[Team, ...] = ()
    """Sorted by name."""
    references: Mapping[tuple[str, str], Reference] = field(default_factory=dict)
    """Where the records come from, by kind and name: so other processes find them."""

    @property
    def declaration(self) -> Any:
        """The plugin's function ``games``; None if a test put the game together."""
        reference = self.references.get((GAME, self.game.name))
        return None if reference is None else getattr(load_source(reference.source).object, "games", None)

    def reference_of(self, record: Game[Any] | Manager | Team) -> Reference | None:
        """Where a record comes from; None if a test made it."""
        kind = GAME if isinstance(record, Game) else MANAGER if isinstance(record, Manager) else ALGORITHM
        reference = self.references.get((kind, record.name))
        # A test may have put something else in its place under the same name.
        return reference if reference is not None and reference.load() == record else None

    def manager(self, name: str = "") -> Manager:
        """The GameManager of that name; the default one if none is named.

        Raises:
            UserError: there is none of that name.
        """
        return _by_name("GameManager", name, {each.name: each for each in self.managers}) if name else self.managers[0]

    def team(self, name: str) -> Team:
        """The algorithm of that name; errors as for ``manager``."""
        return _by_name("algorithm", name, {each.name: each for each in self.teams})

    def map(self, name: str) -> MapFile:
        """The shipped map of that name; errors as for ``manager``."""
        return _by_name("map", name, {each.name: each for each in self.maps})


def _by_name(what: str, name: str, records: Mapping[str, R]) -> R:
    record = records.get(name)
    if record is None:
        raise NotFoundError(what, name, records)
    return record


def parts_of(game: GameLike) -> GameParts:
    """The parts of a game that is installed, or of one in a file or folder, whose code is loaded into this process.

    Raises:
        UserError: there is no such game, or several; or it lacks a GameManager.
    """
    if isinstance(game, GameParts):
        return game
    if isinstance(game, ModuleType):
        return _parts_of_module(game)
    if isinstance(game, Path) or _is_surely_a_path(game):
        return parts_at(str(game))
    return named_parts(game, Registry.installed())


def named_parts(text: str, registry: Registry, trusts: Callable[[Source], bool] | None = None) -> GameParts:
    """The parts of the game that people name: one of the registry, or a file or folder. A bare word is first a name.

    Args:
        text: a name, a path, or ``FILE:NAME``.
        registry: where to look, and whose loader is used for files.
        trusts: as for ``parts_in``.

    Raises:
        UserError: as ``parts_of``.
    """
    is_known = any(entry.name == text for entry in registry.all(GAME))
    path = Path(text) if Path(text).exists() else Path(text.rpartition(":")[0] or text)
    is_path = _is_surely_a_path(text) or path.exists()
    return parts_at(text, registry) if is_path and not is_known else parts_in(registry, text, trusts)


def _is_surely_a_path(text: str) -> bool:
    """Names of games may have a slash in them."""
    return text.startswith((".", "/", "~")) or Path(text).suffix.partition(":")[0] == ".py"


def _parts_of_module(module: ModuleType) -> GameParts:
    for source in installed_sources():
        if source.value.partition(":")[0] == module.__name__:
            registry = Registry()
            registry.add([source])
            return _only_game(registry, source.name)
    if module.__file__ is None:
        raise UserError(f"the module {module.__name__} has no file: name its game by the path of its file or folder")
    return parts_at(module.__file__)


def parts_at(text: str, registry: Registry | None = None) -> GameParts:
    """The parts of the game in a file or folder, or that of ``FILE:NAME``; errors as for ``parts_of``.

    Args:
        text: the path.
        registry: whose loader is used; by default the code is loaded into this process.
    """
    loading = registry or Registry()
    game = choose(text, GAME, loading)
    path = Path(text) if Path(text).exists() else Path(text.rpartition(":")[0])
    return parts_in(loading.of_paths([path]), game.name)


def _only_game(registry: Registry, name: str) -> GameParts:
    games = [entry.name for entry in registry.all(GAME)]
    if len(games) != 1:
        reasons = "; ".join(row.reason for row in registry.failures())
        raise UserError(f"{name}: {f'has several games, name one of {some_of(games)}' if games else reasons or 'has no game'}")
    return parts_in(registry, games[0])


def parts_in(registry: Registry, name: str, trusts: Callable[[Source], bool] | None = None) -> GameParts:
    """The parts of a game of a registry.

    Args:
        registry: where to look.
        name: the game's.
        trusts: whose algorithms may be loaded into this process; by default those of the game's own package.

    Raises:
        UserError: there is none of that name, it cannot be loaded, or it lacks a GameManager.
    """
    game = registry.find(GAME, name)
    record: Game[Any] = game.reference.load_as(Game)
    managers = [entry for entry in registry.all(MANAGER, name) if _goes_with(entry, game, trusts)]
    if not managers:
        failed = registry.failed_before(MANAGER) or "yield a Manager from game_managers()"
        raise UserError(f"{game.reference.source}: the game {name} has no GameManager: {failed}")
    managers.sort(key=lambda entry: (entry.name != record.default_manager, entry.name))
    teams = [entry for entry in registry.teams(name) if _goes_with(entry, game, trusts) and not entry.reference.program]
    entries = [game, *managers, *teams]
    return GameParts(
        game=record,
        managers=tuple(entry.reference.load_as(Manager) for entry in managers),
        maps=tuple(_map_file(entry) for entry in registry.all(MAP, name)),
        teams=tuple(entry.reference.load_team() for entry in teams),
        references={(entry.reference.kind, entry.name): entry.reference for entry in entries},
    )


def _goes_with(entry: Entry, game: Entry, trusts: Callable[[Source], bool] | None) -> bool:
    source, own = entry.reference.source, game.reference.source
    return trusts(source) if trusts is not None else (source.distribution or source) == (own.distribution or own)


def _map_file(entry: Entry) -> MapFile:
    contribution = entry.contribution
    return MapFile(contribution.name, contribution.game, contribution.data, contribution.seats, contribution.description)


def with_team(parts: GameParts, text: str, registry: Registry | None = None) -> tuple[GameParts, Team]:
    """An algorithm that people name, of the game's own package, another one, or a file; and the parts with it.

    Raises:
        UserError: there is none, or it is no algorithm in Python for this game.
    """
    own = next((team for team in parts.teams if team.name == text), None)
    if own is not None:
        return parts, own
    reference = choose(text, ALGORITHM, registry or Registry.installed(), parts.game.name)
    if reference.program is not None:
        raise UserError(f"'{text}' is a program: a game is checked with algorithms in Python")
    team = reference.load_team()
    references = {**parts.references, (ALGORITHM, team.name): reference}
    return replace(parts, teams=(*parts.teams, team), references=references), team
