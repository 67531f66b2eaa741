"""Whose code is held how: the project's own in the manager's process, everybody else's in a sandbox."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from tiltyard_engine.errors import NotFoundError, UserError
from tiltyard_engine.records import Game
from tiltyard_engine.registry import Reference
from tiltyard_engine.registry.sources import Origin
from tiltyard_simulator.guard.confinement import Level, probe_confinement
from tiltyard_simulator.guard.isolation import Isolation
from tiltyard_simulator.guard.limits import LimitChanges
from tiltyard_simulator.loading import load
from tiltyard_simulator.specs import MatchSpec

ISOLATION_VARIABLE: Final = "TILTYARD_ISOLATION"

OWN_DISTRIBUTIONS: Final = frozenset(
    ["tiltyard-tanks", "tiltyard-acorn", "tiltyard-bramble", "tiltyard-coyote", "tiltyard-dragoon"]
)
"""Installed distributions that are part of the project."""


@dataclass(frozen=True, slots=True)
class Holding:
    """How the seats of a run are held."""

    isolation: Isolation | None = None
    """For all alike; None: as the team's origin says."""
    limits: LimitChanges = field(default_factory=LimitChanges)
    """What differs from the game's own limits."""
    unconfined: bool = False
    """Whether strangers' code may be played where this machine cannot confine it."""

    @classmethod
    def from_environment(cls) -> Holding:
        """What TILTYARD_ISOLATION says, for commands whose arguments are fixed.

        Raises:
            NotFoundError: it says something else.
        """
        wanted = os.environ.get(ISOLATION_VARIABLE, "")
        if wanted and wanted not in list(Isolation):
            raise NotFoundError(f"isolation (in {ISOLATION_VARIABLE})", wanted, list(Isolation))
        return cls(Isolation(wanted) if wanted else None)

    def of(self, algorithm: Reference) -> Isolation:
        """How a team is held."""
        if self.isolation is not None:
            return self.isolation
        source = algorithm.source
        own = source.origin is Origin.INSTALLED and source.distribution in OWN_DISTRIBUTIONS
        return Isolation.INLINE if own else Isolation.SANDBOX

    def apply_all(self, specs: Sequence[MatchSpec]) -> list[MatchSpec]:
        """The matches of a run with their seats held so.

        Raises:
            UserError: as ``apply``; or limits are set for a team that plays in none of them.
        """
        self.limits.check_teams(name for spec in specs for name in spec.names)
        return [self.apply(spec) for spec in specs]

    def apply(self, spec: MatchSpec) -> MatchSpec:
        """The match with its seats held so.

        Raises:
            UserError: a sandbox is wanted that this machine cannot give.
        """
        isolations = tuple(self.of(algorithm) for algorithm in spec.algorithms)
        if Isolation.SANDBOX in isolations and not self.unconfined:
            confinement = probe_confinement()
            if confinement.level is Level.C:
                advice = "; ".join(confinement.advice)
                raise UserError(
                    f"this machine cannot confine strangers' code ({advice}). 'tiltyard doctor' tells more. If you trust it"
                    " all the same, say --isolation process, or --unconfined to keep the limits that there are"
                )
        game = load(spec.game, Game)
        limits = tuple(self.limits.of(name, game.limits) for name in spec.names)
        return replace(spec, isolations=isolations, limits=limits)
