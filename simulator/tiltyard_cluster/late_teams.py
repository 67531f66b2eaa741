"""Teams that nobody knew when the cluster was begun, as they come to a league.

A machine is examined for a team when it is first to play it, and is sent its files if they aren't there. If it can't play that
team, it plays all others.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import Final

import msgspec

from tiltyard_cluster.contents import plugins_of
from tiltyard_cluster.machine import Answered, FailedTask, Machine, TaskKind
from tiltyard_cluster.machines import Machines
from tiltyard_cluster.messages import ENCODER, REPORTS, NeededPlugin
from tiltyard_cluster.shipping import Moves, pack
from tiltyard_engine.errors import UserError
from tiltyard_engine.registry import Source
from tiltyard_simulator.match.spec import MatchSpec

MOST_TEAMS: Final = 2_000
"""Teams that are remembered; after so many, all are looked at again."""
LOOK_AGAIN_SECONDS: Final = 24 * 3600.0
"""After so long a machine is examined for a team once more: it removes what nobody has asked for in weeks."""


@dataclass(slots=True)
class _TeamsThere:
    """What a machine has reported about these teams, by the digests of their code."""

    places: dict[str, str] = field(default_factory=dict)
    """Where the files lie of those that it can play; empty: where they lie here."""
    times: dict[str, float] = field(default_factory=dict)
    """When it last said so, by the monotonic clock."""
    lacking: dict[str, str] = field(default_factory=dict)
    """Why it can't play others."""
    examined: set[str] = field(default_factory=set)
    """What it is being examined for."""
    shipped: set[str] = field(default_factory=set)
    """What it was sent."""


class LateTeams:
    """Which machine can play which of them, and where their files lie there.

    Args:
        machines: those of the cluster. All of them meet the requirements for who was known at the start.
    """

    def __init__(self, machines: Machines) -> None:
        self._machines = machines
        self._base = {plugin.source for plugin in machines.requirements.plugins}
        self._plugins: dict[Source, NeededPlugin] = {}
        self._there: dict[str, _TeamsThere] = {}
        """By the machine's address."""

    def of(self, specs: Iterable[MatchSpec]) -> Sequence[NeededPlugin]:
        """Those that play in some matches.

        Raises:
            UserError: their files can't be read.
        """
        if len(self._plugins) > MOST_TEAMS:
            self._plugins.clear()
            self._there.clear()
        late = {team.source: team for spec in specs for team in spec.input.teams if team.source not in self._base}
        for source, team in late.items():
            if source not in self._plugins:
                (self._plugins[source],) = plugins_of([team])
        return [self._plugins[source] for source in late]

    def lacking(self, machine: Machine, plugins: Iterable[NeededPlugin]) -> str:
        """Why a machine can't play one of these; empty: it can, as far as is known."""
        lacking = self._of(machine).lacking
        return next((lacking[plugin.digest] for plugin in plugins if plugin.digest in lacking), "")

    def are_there(self, machine: Machine, plugins: Iterable[NeededPlugin]) -> bool:
        """Whether a machine can play these. If that is not known, it is asked."""
        oldest = time.monotonic() - LOOK_AGAIN_SECONDS
        times = self._of(machine).times
        unknown = [plugin for plugin in plugins if times.get(plugin.digest, -inf) < oldest]
        for plugin in unknown:
            self._examine(machine, plugin)
        return not unknown

    def moves(self, machine: Machine, specs: Iterable[MatchSpec]) -> Moves:
        """Where the files of those that play in some matches lie on a machine."""
        places = self._of(machine).places
        plugins = tuple(self.of(specs))
        return Moves(plugins, {plugin.digest: place for plugin in plugins if (place := places.get(plugin.digest))})

    def hear(self, event: Answered | FailedTask) -> None:
        """A machine has answered what it was asked for such a team."""
        machine, plugin = event.task.machine, event.task.plugin
        assert plugin is not None
        if isinstance(event, FailedTask):
            self._settle(machine, plugin, lacking=event.reason)
        elif event.task.kind is TaskKind.EXAMINE:
            self._examined(machine, plugin, event.data)
        elif event.data:
            self._settle(machine, plugin, lacking=str(event.data))
        else:
            self._of(machine).examined.discard(plugin.digest)
            self._examine(machine, plugin)

    def forget(self, machine: Machine) -> None:
        """A machine is lost; one that comes with the same address may be another one."""
        self._there.pop(machine.address, None)

    def _of(self, machine: Machine) -> _TeamsThere:
        return self._there.setdefault(machine.address, _TeamsThere())

    def _examine(self, machine: Machine, plugin: NeededPlugin) -> None:
        there = self._of(machine)
        if plugin.digest not in there.examined:
            there.examined.add(plugin.digest)
            # The rest of what it must be like was found to be so.
            requirements = msgspec.structs.replace(self._machines.requirements, plugins=(plugin,), requirements={})
            self._machines.ask(machine, TaskKind.EXAMINE, ENCODER.encode(requirements), plugin=plugin)

    def _examined(self, machine: Machine, plugin: NeededPlugin, data: bytes) -> None:
        there = self._of(machine)
        report = REPORTS.decode(data)
        if report.differences:
            self._settle(machine, plugin, lacking="; ".join(report.differences))
        elif not report.missing:
            self._settle(machine, plugin, place=report.places.get(plugin.digest, ""))
        elif plugin.digest in there.shipped:
            self._settle(machine, plugin, lacking="its files can't be made the same there")
        else:
            there.shipped.add(plugin.digest)
            try:
                self._machines.ask(machine, TaskKind.KEEP, ENCODER.encode(pack(plugin)), plugin=plugin)
            except UserError as error:
                self._settle(machine, plugin, lacking=str(error))

    def _settle(self, machine: Machine, plugin: NeededPlugin, *, lacking: str = "", place: str = "") -> None:
        there = self._of(machine)
        there.examined.discard(plugin.digest)
        if lacking:
            there.lacking[plugin.digest] = lacking
        else:
            there.places[plugin.digest] = place
            there.times[plugin.digest] = time.monotonic()
