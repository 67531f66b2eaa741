"""The executor whose matches are played on the machines of a Dask cluster.

A chunk is a Dask task that is bound to one machine, which was looked at before. So it is known whose loss costs which matches, and
a machine that differs never plays. All decisions are made here: what machines do changes no result, only when it comes.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Final

import zstandard

from tiltyard_cluster.chunks import MOST_SECONDS, Chunks, PendingMatch, wanted_seconds
from tiltyard_cluster.connection import PATIENCE_SECONDS, Tls, connect, connect_again
from tiltyard_cluster.contents import host_files, plugins_of, python_version, requirements_of, version_of
from tiltyard_cluster.copies import has, is_first, overdue_matches
from tiltyard_cluster.machine import Answered, Lost, Machine, TakenBack, TaskKind
from tiltyard_cluster.machines import Machines, Say
from tiltyard_cluster.messages import ENCODER, PLAYED, Chunk, MachineRequirements, Played
from tiltyard_cluster.session import Session
from tiltyard_engine.errors import UserError
from tiltyard_engine.match_record import MatchRecord
from tiltyard_engine.registry import Reference
from tiltyard_engine.registry.sources import HOST_DISTRIBUTION
from tiltyard_simulator.guard.confinement import Level
from tiltyard_simulator.guard.confinement.probes import VARIABLE
from tiltyard_simulator.guard.programs.program_paths import ORGANISERS_VARIABLE
from tiltyard_simulator.match.spec import MapSource, MatchSpec
from tiltyard_simulator.play.arena import void
from tiltyard_simulator.play.refusals import OnRefusal, raise_refusal
from tiltyard_simulator.play.workers import with_incidents

MOST_LOST: Final = 5
"""So many machines may be lost by a match, the later ones while they play nothing else, before it is void."""
LARGEST_ANSWER: Final = 1 << 31
"""Bytes of a chunk's records."""


def machine_requirements(
    references: Sequence[Reference], level: Level | None, environment: Mapping[str, str]
) -> MachineRequirements:
    """What machines must be like for the matches of these plugins.

    Args:
        references: the game, the GameManager, the teams.
        level: what a sandbox is here, for it must be the same everywhere; None if nobody plays in one.
        environment: this process's.

    Raises:
        UserError: a plugin's files cannot be read.
    """
    plugins = plugins_of(references)
    word = "" if level is None else level.value
    variables = {VARIABLE: word} if word else {}
    if ORGANISERS_VARIABLE in environment:
        variables[ORGANISERS_VARIABLE] = environment[ORGANISERS_VARIABLE]
    return MachineRequirements(
        python_version(), version_of(HOST_DISTRIBUTION), host_files(), plugins, requirements_of(plugins), word, variables
    )


@contextmanager
def cluster_executor(
    address: str, tls: Tls, requirements: MachineRequirements, say: Say, patience: float = PATIENCE_SECONDS
) -> Iterator[ClusterExecutor]:
    """Plays on the cluster of the scheduler at ``address``; ``say`` gets a line for each machine that joins, is refused or lost.

    Args:
        address: of the scheduler.
        tls: the files of an encrypted cluster.
        requirements: what machines must be like.
        say: told what happens.
        patience: seconds for which a scheduler that is gone is waited for, each time.

    Raises:
        UserError: there is no cluster, or no machine of it may play.
    """

    def come_back(error: UserError) -> Session:
        return Session(connect_again(address, tls, say, patience, error))

    machines = Machines(Session(connect(address, tls, say=say)), requirements, say, come_back)
    try:
        machines.begin()
        yield ClusterExecutor(machines)
    finally:
        machines.close()


class ClusterExecutor:
    """Plays matches on machines, in chunks. It can play many schedules."""

    def __init__(self, machines: Machines) -> None:
        self._machines = machines
        self._times = machines.times

    def play(
        self, matches: Iterable[MatchSpec], refused: OnRefusal = raise_refusal, preload: Iterable[Reference] = ()
    ) -> Generator[MatchRecord, None, None]:
        """Records as they come; the next matches are asked for when a machine can begin them.

        Args:
            matches: the schedule.
            refused: what becomes of a match that cannot be set up; what it raises ends the schedule at once.
            preload: not used here: a machine finds out who plays from its chunks.

        Raises:
            UserError: the scheduler is gone and doesn't come back; or what ``refused`` raises.
        """
        chunks = Chunks(iter(matches), self._times)
        try:
            while self._hand_out(chunks):
                for event in self._machines.step():
                    if isinstance(event, Answered):
                        yield from self._heard(event, chunks, refused)
                    elif isinstance(event, Lost):
                        yield from _lost(event, chunks)
                    elif isinstance(event, TakenBack):
                        for pending in dict.fromkeys(pending for task in event.chunks for pending in task.chunk):
                            chunks.put_back(pending)
        finally:
            self._machines.forget_chunks()

    def _hand_out(self, chunks: Chunks) -> bool:
        """Give chunks to the machines that have room, one after the other; whether there is anything to wait for."""
        seconds = wanted_seconds(self._machines.threads)
        ahead = self._times.typical() <= MOST_SECONDS
        while (machine := self._machines.freest()) is not None:
            alone = chunks.has_suspects
            if machine.tasks if alone else not machine.has_room(ahead):
                return True
            chunk = chunks.next(seconds)
            if not chunk:
                self._hand_out_overdue()
                return any(not task.is_settled for machine in self._machines.ready for task in machine.tasks)
            self._machines.ask(machine, TaskKind.PLAY, self._encoded(machine, chunk), chunk, exclusive=alone)
        # Where nobody is left who could play, it may be that nothing is left to be played either.
        return chunks.has_more()

    def _hand_out_overdue(self) -> None:
        """Give what is overdue to machines that have nothing else to do."""
        for matches in overdue_matches(self._machines):
            alone = any(pending.is_suspect for pending in matches)
            for machine in sorted(self._machines.ready, key=lambda machine: (machine.load, machine.address)):
                room = not machine.tasks if alone else machine.has_room(False)
                if room and not any(has(machine, pending) for pending in matches):
                    self._machines.ask(machine, TaskKind.PLAY, self._encoded(machine, matches), matches, exclusive=alone)
                    break

    def _encoded(self, machine: Machine, chunk: Sequence[PendingMatch]) -> bytes:
        moves = machine.moves
        return encoded_chunk(self._machines, [pending.spec if moves is None else moves.spec(pending.spec) for pending in chunk])

    def _heard(self, event: Answered, chunks: Chunks, refused: OnRefusal) -> Iterator[MatchRecord]:
        machine, chunk = event.task.machine, event.task.chunk
        played = decoded_answer(event.data)
        handed_out = {pending.spec.place.number: pending for pending in chunk}
        for record in played.records:
            pending = handed_out.pop(record.outcome.place)
            if not record.outcome.incidents:
                self._times.learn(pending.spec.input, record.outcome.seconds)
            here = record if machine.moves is None else machine.moves.record(record)
            if is_first(pending, machine, here, self._machines):
                yield with_incidents(here, pending.incidents)
        # A machine plays a chunk in order, up to the first match that it cannot set up.
        left = list(handed_out.values())
        if played.refusal and not left[0].settled_by:
            first = left.pop(0)
            first.settled_by = machine.name
            for pending in left:
                chunks.put_back(pending)
            yield refused(first.spec, UserError(f"{machine.name}: {played.refusal}"))
        for pending in left:
            chunks.put_back(pending)


def encoded_chunk(machines: Machines, specs: Iterable[MatchSpec]) -> bytes:
    """Matches as the message that a machine plays; their files are named as they lie there."""
    maps: dict[MapSource, int] = {}
    matches = [(maps.setdefault(spec.input.map, len(maps)), _without_map(spec)) for spec in specs]
    requirements = machines.requirements
    return ENCODER.encode(Chunk(machines.run, requirements.environment, requirements.level, tuple(maps), tuple(matches)))


def _without_map(spec: MatchSpec) -> MatchSpec:
    match = spec.input
    return replace(spec, input=replace(match, map=MapSource(match.map.name, b"")))


def decoded_answer(data: bytes) -> Played:
    """What a machine says of a chunk."""
    return PLAYED.decode(zstandard.ZstdDecompressor().decompress(data, max_output_size=LARGEST_ANSWER))


def _lost(event: Lost, chunks: Chunks) -> Iterator[MatchRecord]:
    """Play the matches of a lost machine again. A match that was lost too often is void."""
    for pending in [pending for task in event.waiting for pending in task.chunk]:
        chunks.put_back(pending)
    for pending in [pending for task in event.playing for pending in task.chunk if not pending.settled_by]:
        if (record := note_loss(pending, event.machine)) is None:
            chunks.put_back(pending)
        else:
            yield record


def note_loss(pending: PendingMatch, machine: Machine) -> MatchRecord | None:
    """Note that a machine was lost while it played a match; its record if that was the last attempt."""
    reason = f"its machine was lost: {machine.name}"
    pending.lost += 1
    pending.incidents.append(reason)
    if pending.lost < MOST_LOST:
        return None
    pending.settled_by = machine.name
    return void(pending.spec, pending.lost, reason).changed(incidents=tuple(pending.incidents))
