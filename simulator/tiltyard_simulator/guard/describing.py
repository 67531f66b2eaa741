"""Learning what plugins contribute: trusted ones are imported by the runner itself, each other one in a cell of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from tiltyard_engine.registry import Description, Registry, Selection, Source, installed_sources, load_here
from tiltyard_engine.registry.contributions import GAME, describe_source
from tiltyard_engine.registry.loading import Problem, expected_file
from tiltyard_simulator.guard.isolation import Isolation
from tiltyard_simulator.guard.limits import DEFAULT_LIMITS
from tiltyard_simulator.guard.trust import Holding


def open_registry(holding: Holding, selection: Selection | None = None) -> Registry:
    """The installed plugins; without a selection that of the environment."""
    chosen = Selection.from_environment() if selection is None else selection
    return Registry.installed(chosen, GuardedLoader(holding, chosen))


@dataclass(frozen=True, slots=True)
class GuardedLoader:
    """A registry's loader that runs no stranger's code in this process."""

    holding: Holding
    selection: Selection = field(default_factory=Selection)
    """Which installed games are there for the strangers' code to import."""

    def __call__(self, sources: Sequence[Source]) -> list[Description]:
        """What became of each."""
        strangers = [source for source in sources if not source.error and not self.holding.imports_here(source)]
        if not strangers:
            return load_here(sources)
        described = dict(zip(strangers, self._describe(strangers), strict=True))
        return [described[source] if source in described else describe_source(source) for source in sources]

    def _describe(self, strangers: Sequence[Source]) -> list[Description]:
        isolation = self.holding.isolation or Isolation.SANDBOX
        refusal = self.holding.refusal() if isolation is Isolation.SANDBOX else ""
        if refusal:
            return [Description(expected_file(source), problems=[Problem(f"not loaded: {refusal}")]) for source in strangers]
        # Where there are no strangers nothing of this is needed, and the command starts sooner.
        from tiltyard_simulator.guard.describing_cells import describe_in_cells

        changes = self.holding.limits
        limits = DEFAULT_LIMITS.changed(changes.for_all, changes.where)
        return describe_in_cells(strangers, self._games(), isolation, limits)

    def _games(self) -> list[Source]:
        """The trusted games: what is for a game may import its types."""
        trusted = [source for source in installed_sources() if self.holding.trust.covers(source)]
        wanted = [source for source in trusted if not self.selection.refusal(source)]
        return [source for source in wanted if any(told.kind == GAME for told in describe_source(source).contributions)]
