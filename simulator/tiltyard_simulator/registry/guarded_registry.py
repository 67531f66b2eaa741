"""Finds out what plugins contribute. Trusted plugins are imported here, each other one in a cell of its own."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from tiltyard_engine.data_classes import dataclass, field, replace
from tiltyard_engine.errors import UserError, reasons_once
from tiltyard_engine.registry import Description, Loader, Registry, Selection, Source, Trust, installed_sources, path_sources
from tiltyard_engine.registry.contributions import Contribution, describe_source
from tiltyard_engine.registry.loading import Problem, expected_file, load_source
from tiltyard_engine.registry.registry import GAME
from tiltyard_engine.registry.sources import PYPROJECT, Origin
from tiltyard_simulator.match.code_digest import code_digest
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.limits import DEFAULT_LIMITS
from tiltyard_simulator.match.own_distributions import GAME_EXTRAS, OWN_DISTRIBUTIONS
from tiltyard_simulator.registry.description_cache import DescriptionCache
from tiltyard_simulator.registry.isolation_policy import IsolationPolicy
from tiltyard_simulator.registry.own_plugins import describe_imported

if TYPE_CHECKING:
    from tiltyard_simulator.guard.cell_pool import CellPool


def open_registry(
    isolation_policy: IsolationPolicy,
    selection: Selection | None = None,
    descriptions: Mapping[Source, Description] = MappingProxyType({}),
) -> Registry:
    """The installed plugins, and the games of trusted files and folders. The default selection is that of the environment.

    Code that has one of the ``descriptions`` isn't run to get it; where one is empty, there is no game.
    """
    own_selection = Selection.from_environment() if selection is None else selection
    described = {source: description for source, description in descriptions.items() if description.contributions}
    loader = GuardedLoader(isolation_policy, own_selection, descriptions=described)
    registry = Registry.installed(own_selection, loader, OWN_DISTRIBUTIONS, games_at(isolation_policy.trust, descriptions))
    registry.available = GAME_EXTRAS
    registry.absent = [
        f"{path} is to be trusted, but doesn't exist" for path in sorted(isolation_policy.trust.paths) if not Path(path).exists()
    ]
    return registry


def check_trusted(names: Iterable[str]) -> None:
    """What was named to be trusted must be usable: if it isn't, nothing else is to blame later.

    Raises:
        UserError: a file, package or project of these contributes nothing; says why.
    """
    problems = list(filter(None, map(trusted_problem, names)))
    if problems:
        raise UserError("; ".join(problems), see="cannot-be-loaded")


def trusted_problem(name: str) -> str:
    """Why a trusted file, package or project contributes nothing; empty if it does.

    Of a folder of several ones, each may fail alone: that is told where it is missed.
    """
    trust = Trust.of([name])
    for path in map(Path, trust.paths):
        if path.is_dir() and not any((path / each).exists() for each in ("__init__.py", PYPROJECT)):
            continue
        for source in trust.sources(OWN_DISTRIBUTIONS):
            description = describe_source(source)
            if description.problems and not description.contributions and not load_source(source, ("commands",)).commands:
                return f"{name}: {reasons_once((each.name, each.reason) for each in description.problems)}"
    return ""


def games_at(trust: Trust, descriptions: Container[Source] = ()) -> list[Source]:
    """The plugins with a game in trusted files and folders: such a game can be played like an installed one.

    A plugin without one isn't among them: trusted teams play where somebody names them. Those with ``descriptions`` have none.
    """
    return [source for source in trust.sources(OWN_DISTRIBUTIONS) if source not in descriptions and _has_game(source)]


def _has_game(source: Source) -> bool:
    """Whether it contributes a game. One that fails might: its row then says why there is no such game."""
    description = describe_source(source)
    kinds = {contribution.kind for contribution in description.contributions}
    return GAME in kinds or any(problem.kind in (GAME, "plugin") for problem in description.problems)


@dataclass(frozen=True, slots=True)
class GuardedLoader:
    """A registry's loader that runs only trusted code in this process."""

    isolation_policy: IsolationPolicy
    selection: Selection = field(default_factory=Selection)
    """Which installed games the other code can import."""
    cells: CellPool | None = None
    """In which the others are imported; None: in new ones each time."""
    games: tuple[Source, ...] | None = None
    """The trusted games, if they are known already."""
    descriptions: Mapping[Source, Description] = field(default_factory=dict, compare=False, repr=False)
    """Descriptions of some that were made before."""
    _looked_at: DescriptionCache = field(default_factory=DescriptionCache, init=False, compare=False, repr=False)

    def __call__(self, sources: Sequence[Source]) -> list[Description]:
        """The description of each source, in their order."""
        new = [source for source in sources if source not in self.descriptions]
        strangers = [source for source in new if not source.error and not self.isolation_policy.imports_here(source)]
        described = dict(self.descriptions)
        described.update(zip(strangers, self._looked_at.describe(strangers, self._describe), strict=True))
        here = [source for source in sources if source not in described]
        described.update(zip(here, describe_imported(here), strict=True))
        return [self._playable(source, described[source]) for source in sources]

    def _playable(self, source: Source, description: Description) -> Description:
        """The description without what no match could be set up with: it must stop one team, not the matches of all."""
        playable: list[Contribution] = []
        for contribution in description.contributions:
            try:
                if contribution.program is not None:
                    from tiltyard_simulator.guard.programs.program_paths import paths_for_program

                    paths_for_program(contribution.program, source)
            except UserError as error:
                description.problems.append(Problem(str(error), contribution.name, contribution.kind))
            else:
                playable.append(contribution)
        if playable and source.origin is not Origin.INSTALLED and not self.isolation_policy.trusts(source):
            try:
                code_digest(source)
            except UserError as error:
                description.problems.append(Problem(str(error)))
                playable = []
        return Description(description.file, playable, description.problems)

    def _describe(self, strangers: Sequence[Source]) -> list[Description]:
        trusted = [source for source in strangers if self._is_apart(source)]
        if trusted and len(trusted) < len(strangers):
            # Trusted ones that run on environments of their own need no sandbox.
            others = [source for source in strangers if source not in trusted]
            described = dict(zip([*trusted, *others], [*self._describe(trusted), *self._describe(others)], strict=True))
            return [described[source] for source in strangers]
        isolation = Isolation.PROCESS if trusted else self.isolation_policy.isolation or Isolation.SANDBOX
        refusal = self.isolation_policy.refusal() if isolation is Isolation.SANDBOX else ""
        if refusal:
            return [Description(expected_file(source), problems=[Problem(f"not loaded: {refusal}")]) for source in strangers]
        # Imported late, so that a command with trusted plugins only starts sooner.
        from tiltyard_simulator.registry.plugin_inspection import describe_in_cells

        changes = self.isolation_policy.limits
        limits = DEFAULT_LIMITS.changed(changes.for_all, changes.where)
        games = self.games if self.games is not None else self.find_games()
        return describe_in_cells(strangers, games, isolation, limits, self.cells)

    def _is_apart(self, source: Source) -> bool:
        """Whether it could be imported here, were it not for its environment."""
        policy = self.isolation_policy
        return bool(source.environment) and (
            policy.isolation is Isolation.INLINE or (policy.isolation is None and policy.trusts(source))
        )

    def find_games(self) -> tuple[Source, ...]:
        """The trusted games. A plugin for a game may import the game's types."""
        trusted = [source for source in installed_sources() if self.isolation_policy.trusts(source)]
        selected = [source for source in trusted if not self.selection.refusal(source)]
        described = zip(selected, describe_imported(selected), strict=True)
        return tuple(source for source, description in described if any(each.kind == GAME for each in description.contributions))


def in_cells(loader: Loader, cells: CellPool) -> Loader:
    """A loader that imports strangers' files in these cells, and knows the games; one that isn't guarded stays as it is."""
    return replace(loader, cells=cells, games=loader.find_games()) if isinstance(loader, GuardedLoader) else loader


def describe_together(paths: Iterable[Path], registry: Registry) -> None:
    """Let a registry's loader find out at once what files and folders contribute. It remembers that for whoever asks next.

    What can't be read is left out, and so is what is imported in this process, which needs no other one.
    """
    loader = registry.loader
    if not isinstance(loader, GuardedLoader):
        return
    sources: dict[Source, None] = {}
    for path in paths:
        with suppress(UserError):
            each = path_sources(path, registry.own)
            sources |= dict.fromkeys(source for source in each if not loader.isolation_policy.imports_here(source))
    loader(list(sources))
