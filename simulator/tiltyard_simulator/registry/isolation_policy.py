"""How each plugin's code is isolated: the project's own code runs in-process, all other code in a sandbox."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Final

from tiltyard_engine.data_classes import dataclass, field, replace
from tiltyard_engine.errors import UserError
from tiltyard_engine.records import Game
from tiltyard_engine.registry import Reference, Source, Trust
from tiltyard_engine.registry.sources import Origin, is_of
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.limits import LimitChanges
from tiltyard_simulator.match.own_distributions import OWN_DISTRIBUTIONS
from tiltyard_simulator.match.spec import Holding, MatchInput, MatchSpec

ISOLATION_VARIABLE: Final = "TILTYARD_ISOLATION"


@dataclass(frozen=True, slots=True)
class IsolationPolicy:
    """How the teams and GameManagers of a run are isolated."""

    isolation: Isolation | None = None
    """The same for all; None: depending on whether the plugin is trusted."""
    limits: LimitChanges = field(default_factory=LimitChanges)
    """What differs from the game's own limits."""
    unconfined: bool = False
    """Whether untrusted code may be played if this machine cannot confine it."""
    trust: Trust = field(default_factory=Trust)
    """Whose code, beside the project's own, may run in the runner's own process."""
    together: bool = False
    """Whether the compiled files of a match share one sandbox, instead of having one each."""

    @classmethod
    def from_environment(cls, trust: Iterable[str] = ()) -> IsolationPolicy:
        """What TILTYARD_ISOLATION and TILTYARD_TRUST say; ``trust`` names more that is trusted.

        Raises:
            UserError: one has an unknown value.
        """
        isolation = os.environ.get(ISOLATION_VARIABLE, "")
        if isolation and isolation not in list(Isolation):
            from tiltyard_simulator.guard.confinement.probes import VARIABLE
            from tiltyard_simulator.guard.policy import Level

            hint = f"; the level of the sandbox is set by {VARIABLE}={isolation}" if isolation in list(Level) else ""
            raise UserError(f"{ISOLATION_VARIABLE} must be one of {', '.join(Isolation)}, found '{isolation}'{hint}")
        return cls(Isolation(isolation) if isolation else None, trust=Trust.from_environment(trust))

    def trusts(self, source: Source) -> bool:
        """Whether its code may run in the runner's own process: it is part of the project, or the user trusts it."""
        return is_of(source, OWN_DISTRIBUTIONS) or self.trust.covers(source)

    def imports_here(self, source: Source) -> bool:
        """Whether a plugin is imported by the runner itself to learn what it contributes."""
        # A program's manifest and a compiled file's tables are read; no code of theirs is run.
        unrun = source.origin in (Origin.PROGRAM, Origin.LIBRARY)
        return unrun or (not source.environment and (self.isolation is Isolation.INLINE or self.trusts(source)))

    def of(self, plugin: Reference) -> Isolation:
        """How a team or a GameManager is isolated.

        Raises:
            UserError: it was given by this program, so it can only play inline, but another isolation is wanted.
        """
        if plugin.source.origin is Origin.GIVEN and self.isolation not in (None, Isolation.INLINE):
            raise UserError(
                f"'{plugin.name}' is an object of this program, so it can only play inline, but the isolation is"
                f" '{self.isolation}'. Write its code to a file, in a notebook with '%%writefile {plugin.name}.py', and name the"
                " file instead"
            )
        isolation = self.isolation or (Isolation.INLINE if self.trusts(plugin.source) else Isolation.SANDBOX)
        # This process has other packages.
        return Isolation.PROCESS if plugin.source.environment and isolation is Isolation.INLINE else isolation

    def refusal(self) -> str:
        """Why this machine must not run untrusted code in a sandbox, or an empty string."""
        # Imported late, so that a command that runs no such code starts sooner.
        from tiltyard_simulator.guard.confinement.probes import probe_confinement
        from tiltyard_simulator.guard.policy import Level

        confinement = probe_confinement()
        if self.unconfined or confinement.level is not Level.C:
            return ""
        return (
            f"this machine can't confine code from outside ({'; '.join(confinement.advice)}). Run 'tiltyard doctor' for"
            f" details. If you trust the code, use --isolation process (or {ISOLATION_VARIABLE}=process), or use --unconfined to"
            " keep the limits that this machine has"
        )

    def apply_all(self, specs: Sequence[MatchSpec]) -> list[MatchSpec]:
        """The matches of a run with this isolation for their seats.

        Raises:
            UserError: as for ``apply``; or limits are set for a team that does not play.
        """
        self.limits.check_teams(team.label for spec in specs for team in spec.input.teams)
        return [self.apply(spec) for spec in specs]

    def apply(self, spec: MatchSpec) -> MatchSpec:
        """The match with this isolation for its seats and its GameManager.

        Raises:
            UserError: a sandbox is needed, but does not work on this machine.
        """
        return replace(spec, holding=self.holding(spec.input))

    def holding(self, match: MatchInput) -> Holding:
        """How the code of a match is held; errors as for ``apply``."""
        isolations = tuple(self.of(team) for team in match.teams)
        manager = self.of(match.manager)
        refusal = self.refusal() if Isolation.SANDBOX in (*isolations, manager) else ""
        if refusal:
            raise UserError(refusal, see="no-sandbox")
        game = match.game.load_as(Game)
        limits = tuple(self.limits.of(team.label, game.teams.limits) for team in match.teams)
        return Holding(
            isolations=isolations,
            limits=limits,
            together=self.together,
            manager_isolation=manager,
            manager_limits=self.limits.of_managers(),
        )
