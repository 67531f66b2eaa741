"""Whose code is held how: the project's own in the manager's process, everybody else's in a sandbox."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from tiltyard_engine.errors import NotFoundError, UserError
from tiltyard_engine.records import Game
from tiltyard_engine.registry import Reference, Source, Trust
from tiltyard_engine.registry.sources import Origin
from tiltyard_simulator.guard.confinement import Level, probe_confinement
from tiltyard_simulator.guard.isolation import Isolation
from tiltyard_simulator.guard.limits import LimitChanges
from tiltyard_simulator.loading import load
from tiltyard_simulator.specs import MatchSpec

ISOLATION_VARIABLE: Final = "TILTYARD_ISOLATION"


@dataclass(frozen=True, slots=True)
class Holding:
    """How the seats and the GameManagers of a run are held."""

    isolation: Isolation | None = None
    """For all alike; None: as the origin of each says."""
    limits: LimitChanges = field(default_factory=LimitChanges)
    """What differs from the game's own limits."""
    unconfined: bool = False
    """Whether strangers' code may be played where this machine cannot confine it."""
    trust: Trust = field(default_factory=Trust)
    """Whose code, beside the project's own, may run in the runner's own process."""

    @classmethod
    def from_environment(cls) -> Holding:
        """What TILTYARD_ISOLATION and TILTYARD_TRUST say, for commands whose arguments are fixed.

        Raises:
            NotFoundError: it says something else.
        """
        wanted = os.environ.get(ISOLATION_VARIABLE, "")
        if wanted and wanted not in list(Isolation):
            raise NotFoundError(f"isolation (in {ISOLATION_VARIABLE})", wanted, list(Isolation))
        return cls(Isolation(wanted) if wanted else None, trust=Trust.from_environment())

    def imports_here(self, source: Source) -> bool:
        """Whether a plugin is imported by the runner itself to learn what it contributes."""
        # A program's manifest is read, not imported: there is no code in it.
        # Of a compiled file only its tables are read.
        unrun = source.origin in (Origin.PROGRAM, Origin.LIBRARY)
        return self.isolation is Isolation.INLINE or unrun or self.trust.covers(source)

    def of(self, plugin: Reference) -> Isolation:
        """How a team or a GameManager is held."""
        if self.isolation is not None:
            return self.isolation
        return Isolation.INLINE if self.trust.covers(plugin.source) else Isolation.SANDBOX

    def refusal(self) -> str:
        """Why this machine must not run strangers' code in a sandbox, or an empty string."""
        confinement = probe_confinement()
        if self.unconfined or confinement.level is not Level.C:
            return ""
        return (
            f"this machine cannot confine strangers' code ({'; '.join(confinement.advice)}). 'tiltyard doctor' tells more. If you"
            f" trust it all the same, say --isolation process (or {ISOLATION_VARIABLE}=process), or --unconfined to keep the limits"
            " that there are"
        )

    def apply_all(self, specs: Sequence[MatchSpec]) -> list[MatchSpec]:
        """The matches of a run with their seats held so.

        Raises:
            UserError: as ``apply``; or limits are set for a team that plays in none of them.
        """
        self.limits.check_teams(algorithm.name for spec in specs for algorithm in spec.algorithms)
        return [self.apply(spec) for spec in specs]

    def apply(self, spec: MatchSpec) -> MatchSpec:
        """The match with its seats and its GameManager held so.

        Raises:
            UserError: a sandbox is wanted that this machine cannot give.
        """
        isolations = tuple(self.of(algorithm) for algorithm in spec.algorithms)
        manager = self.of(spec.manager)
        refusal = self.refusal() if Isolation.SANDBOX in (*isolations, manager) else ""
        if refusal:
            raise UserError(refusal)
        game = load(spec.game, Game)
        limits = tuple(self.limits.of(algorithm.name, game.limits) for algorithm in spec.algorithms)
        manager_limits = self.limits.of_managers()
        held = replace(spec, isolations=isolations, limits=limits, manager_isolation=manager, manager_limits=manager_limits)
        if spec.manager.source.origin is Origin.LIBRARY and manager is Isolation.INLINE and not held.is_compiled:
            return replace(held, manager_isolation=Isolation.PROCESS)
        return held
