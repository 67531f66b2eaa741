"""The executor for services: matches are handed to it one by one, among them those of teams that nobody knew when it started.

Each match is a chunk of its own. A machine is examined for a team when it is first to play it, and is sent its files if they aren't
there. If it can't play that team, it plays all others.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from math import inf
from typing import Final

import msgspec

from tiltyard_cluster.chunks import PendingMatch
from tiltyard_cluster.connection import Tls, connect
from tiltyard_cluster.contents import plugins_of
from tiltyard_cluster.copies import has, is_first, overdue_matches
from tiltyard_cluster.executor import decoded_answer, encoded_chunk, note_loss
from tiltyard_cluster.machine import Answered, Failed, Lost, Machine, MachineEvent, TakenBack, Task, TaskKind
from tiltyard_cluster.machines import Machines, Say
from tiltyard_cluster.messages import ENCODER, REPORTS, MachineRequirements, Plugin
from tiltyard_cluster.session import Session
from tiltyard_cluster.shipping import Moves, pack
from tiltyard_engine.errors import UserError
from tiltyard_engine.registry import Reference, Source
from tiltyard_simulator.match.spec import MatchSpec
from tiltyard_simulator.play.workers import Played, with_incidents

MOST_KNOWN: Final = 2_000
"""Teams that are remembered; after so many, all are looked at again."""
LOOK_AGAIN_SECONDS: Final = 24 * 3600.0
"""After so long a machine is examined for a team once more: it removes what nobody has asked for in weeks."""


@dataclass(slots=True)
class _Known:
    """What is known of a machine and the teams that came after the start, by the digests of their code."""

    places: dict[str, str] = field(default_factory=dict)
    """Where the files lie of those that it can play; empty: where they lie here."""
    looked: dict[str, float] = field(default_factory=dict)
    """When that was last found to be so."""
    lacking: dict[str, str] = field(default_factory=dict)
    """Why it can't play others."""
    asked: set[str] = field(default_factory=set)
    """What it is being examined for."""
    sent: set[str] = field(default_factory=set)


class FedClusterExecutor:
    """Plays matches on machines, each when it is submitted.

    Args:
        machines: those of a cluster. All of them meet the requirements for who was known at the start.
    """

    def __init__(self, machines: Machines) -> None:
        self._machines = machines
        self._known: dict[str, _Known] = {}
        """By the machine's address."""
        self._base = {plugin.source for plugin in machines.requirements.plugins}
        self._plugins: dict[Source, Plugin] = {}
        self._waiting: deque[PendingMatch] = deque()
        self._came: list[Played] = []

    def begin(self, preload: Iterable[Reference] = ()) -> None:
        """Nothing: machines find out who plays from the matches."""

    @property
    def room(self) -> int:
        """How many matches more could begin at once."""
        free = sum(machine.free for machine in self._machines.ready)
        return max(0, free - len(self._waiting) - sum(1 for _ in overdue_matches(self._machines)))

    def submit(self, spec: MatchSpec) -> None:
        """Play a match. All that have not come back have different places."""
        self._waiting.append(PendingMatch(spec))

    def poll(self, timeout: float) -> list[Played]:
        """What has ended, after ``timeout`` seconds at the latest.

        Raises:
            UserError: the scheduler is gone; what was submitted must be submitted again, elsewhere.
        """
        until = time.monotonic() + timeout
        while True:
            self._hand_out()
            for event in self._machines.step(max(0.0, until - time.monotonic())):
                self._hear(event)
            if self._came or time.monotonic() >= until:
                self._hand_out()
                came, self._came = self._came, []
                return came

    def close(self) -> None:
        """Leave the cluster, and cancel what is still played there."""
        self._machines.close()

    # Handing out

    def _hand_out(self) -> None:
        for (pending,) in list(overdue_matches(self._machines)):
            # Where no other machine can play it, the one that has it may still answer.
            with suppress(UserError):
                if (machine := self._machine_for(pending)) is not None:
                    self._give(machine, pending)
        for pending in list(self._waiting):
            try:
                machine = self._machine_for(pending)
            except UserError as error:
                self._waiting.remove(pending)
                self._came.append((pending.spec, error))
                continue
            if machine is not None:
                self._waiting.remove(pending)
                self._give(machine, pending)

    def _give(self, machine: Machine, pending: PendingMatch) -> None:
        data = encoded_chunk(self._machines, [self._moved(machine, pending.spec)])
        self._machines.ask(machine, TaskKind.PLAY, data, [pending], exclusive=pending.is_suspect)

    def _machine_for(self, pending: PendingMatch) -> Machine | None:
        """The machine that can begin a match now; None: there is none yet.

        Raises:
            UserError: no machine can play it, or files of its teams can't be read.
        """
        new = self._new_plugins(pending.spec)
        ready = sorted(
            self._machines.ready, key=lambda machine: (machine.doubted, len(machine.chunks) / machine.threads, machine.address)
        )
        reasons: list[str] = []
        for machine in ready:
            known = self._known.setdefault(machine.address, _Known())
            lacking = [known.lacking[plugin.digest] for plugin in new if plugin.digest in known.lacking]
            if lacking:
                reasons.append(f"{machine.name}: {lacking[0]}")
                continue
            if not machine.free or (pending.is_suspect and machine.chunks) or has(machine, pending):
                continue
            oldest = time.monotonic() - LOOK_AGAIN_SECONDS
            unknown = [plugin for plugin in new if known.looked.get(plugin.digest, -inf) < oldest]
            if not unknown:
                return machine
            for plugin in unknown:
                self._examine(machine, plugin)
        if ready and len(reasons) == len(ready):
            raise UserError(f"no machine can play it: {'; '.join(reasons)}")
        return None

    def _new_plugins(self, spec: MatchSpec) -> list[Plugin]:
        """Those of a match that were not known at the start."""
        if len(self._plugins) > MOST_KNOWN:
            self._plugins.clear()
            self._known.clear()
        new = {team.source: team for team in spec.input.teams if team.source not in self._base}
        for source, team in new.items():
            if source not in self._plugins:
                (self._plugins[source],) = plugins_of([team])
        return [self._plugins[source] for source in new]

    def _moved(self, machine: Machine, spec: MatchSpec) -> MatchSpec:
        moved = self._moves(machine, spec).spec(spec)
        return moved if machine.moves is None else machine.moves.spec(moved)

    def _moves(self, machine: Machine, spec: MatchSpec) -> Moves:
        places = self._known.setdefault(machine.address, _Known()).places
        plugins = tuple(self._new_plugins(spec))
        return Moves(plugins, {plugin.digest: place for plugin in plugins if (place := places.get(plugin.digest))})

    def _examine(self, machine: Machine, plugin: Plugin) -> None:
        known = self._known[machine.address]
        if plugin.digest not in known.asked:
            known.asked.add(plugin.digest)
            requirements = replace_plugins(self._machines.requirements, plugin)
            self._machines.ask(machine, TaskKind.EXAMINE, ENCODER.encode(requirements), plugin=plugin)

    # What comes

    def _hear(self, event: MachineEvent) -> None:
        if isinstance(event, Lost):
            self._lose(event)
        elif isinstance(event, TakenBack):
            self._wait_again(event.chunks)
        elif event.task.plugin is None:
            assert isinstance(event, Answered)
            self._end(event)
        elif isinstance(event, Failed):
            self._settle(event.task.machine, event.task.plugin, lacking=event.reason)
        elif event.task.kind is TaskKind.KEEP:
            known = self._known.setdefault(event.task.machine.address, _Known())
            known.asked.discard(event.task.plugin.digest)
            if event.data:
                self._settle(event.task.machine, event.task.plugin, lacking=str(event.data))
            else:
                self._examine(event.task.machine, event.task.plugin)
        else:
            self._examined(event.task.machine, event.task.plugin, event.data)

    def _examined(self, machine: Machine, plugin: Plugin, data: bytes) -> None:
        known = self._known.setdefault(machine.address, _Known())
        report = REPORTS.decode(data)
        if report.differences:
            self._settle(machine, plugin, lacking="; ".join(report.differences))
        elif not report.missing:
            self._settle(machine, plugin, place=report.places.get(plugin.digest, ""))
        elif plugin.digest in known.sent:
            self._settle(machine, plugin, lacking="its files can't be made the same there")
        else:
            known.sent.add(plugin.digest)
            try:
                self._machines.ask(machine, TaskKind.KEEP, ENCODER.encode(pack(plugin)), plugin=plugin)
            except UserError as error:
                self._settle(machine, plugin, lacking=str(error))

    def _settle(self, machine: Machine, plugin: Plugin, *, lacking: str = "", place: str = "") -> None:
        known = self._known.setdefault(machine.address, _Known())
        known.asked.discard(plugin.digest)
        if lacking:
            known.lacking[plugin.digest] = lacking
        else:
            known.places[plugin.digest] = place
            known.looked[plugin.digest] = time.monotonic()

    def _end(self, event: Answered) -> None:
        (pending,) = event.task.chunk
        machine = event.task.machine
        played = decoded_answer(event.data)
        for record in played.records:
            if not record.outcome.incidents:
                self._machines.times.learn(pending.spec.input, record.outcome.seconds)
            here = self._moves(machine, pending.spec).record(record)
            here = here if machine.moves is None else machine.moves.record(here)
            if is_first(pending, machine, here, self._machines):
                self._came.append((pending.spec, with_incidents(here, pending.incidents)))
        if played.refusal and not pending.settled_by:
            pending.settled_by = machine.name
            self._came.append((pending.spec, UserError(f"{machine.name}: {played.refusal}")))
        if not played.records and not played.refusal:
            self._wait_again([event.task])

    def _lose(self, event: Lost) -> None:
        self._known.pop(event.machine.address, None)
        self._wait_again(event.waiting)
        for pending in [pending for task in event.playing for pending in task.chunk if not pending.settled_by]:
            if (record := note_loss(pending, event.machine)) is not None:
                self._came.append((pending.spec, record))
        self._wait_again(event.playing)

    def _wait_again(self, chunks: Iterable[Task]) -> None:
        for pending in [pending for task in chunks for pending in task.chunk]:
            if not (pending.settled_by or pending.out):
                self._waiting.appendleft(pending)


def replace_plugins(requirements: MachineRequirements, plugin: Plugin) -> MachineRequirements:
    """What a machine must be like for a plugin alone; the rest of it was found to be so."""
    return msgspec.structs.replace(requirements, plugins=(plugin,), requirements={})


def connect_fed(address: str, tls: Tls, requirements: MachineRequirements, say: Say) -> FedClusterExecutor:
    """Plays on the cluster of the scheduler at ``address``; ``say`` gets a line for each machine that joins, is refused or lost.

    Raises:
        UserError: there is no cluster. That it has no machine yet is said, and they are waited for.
    """
    machines = Machines(Session(connect(address, tls, say=say)), requirements, say)
    machines.begin_at_once()
    return FedClusterExecutor(machines)
