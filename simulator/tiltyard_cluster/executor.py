"""The executor whose matches are played on the machines of a Dask cluster.

A chunk is a Dask task that is bound to one machine, which was looked at before. So it is known whose loss costs which matches, and
a machine that differs never plays. All decisions are made here: what machines do changes no result, only when it comes.

A run hands in matches of teams that are all known, and they go out in chunks. A service chooses each match by the results so far,
among teams that come while it runs: each of its matches is a chunk.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from typing import Final

import zstandard

from tiltyard_cluster.chunks import MOST_SECONDS, Chunks, PendingMatch, wanted_seconds
from tiltyard_cluster.connection import PATIENCE_SECONDS, Tls, connect, connect_again
from tiltyard_cluster.contents import host_files, plugins_of, python_version, requirements_of, version_of
from tiltyard_cluster.copies import has, is_first, overdue_matches
from tiltyard_cluster.late_teams import LateTeams
from tiltyard_cluster.machine import Answered, Lost, Machine, MachineEvent, MachineTask, TakenBack, TaskKind
from tiltyard_cluster.machines import Machines, Say
from tiltyard_cluster.messages import ENCODER, PLAYED, Chunk, MachineRequirements, PlayedChunk
from tiltyard_cluster.session import Session
from tiltyard_engine.errors import UserError
from tiltyard_engine.match_record import MatchRecord
from tiltyard_engine.registry import Reference
from tiltyard_engine.registry.sources import HOST_DISTRIBUTION
from tiltyard_simulator.guard.confinement.probes import VARIABLE
from tiltyard_simulator.guard.policy import Level
from tiltyard_simulator.guard.programs.program_paths import ORGANISERS_VARIABLE
from tiltyard_simulator.match.spec import MapSource, MatchSpec
from tiltyard_simulator.play.arena import void
from tiltyard_simulator.play.executor import Ended
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

    with closing(Machines(Session(connect(address, tls, say=say)), requirements, say, come_back)) as machines:
        machines.begin()
        yield ClusterExecutor(machines)


def service_executor(address: str, tls: Tls, requirements: MachineRequirements, say: Say) -> ClusterExecutor:
    """Plays on a cluster for a service, among others matches of teams that come later.

    Args:
        address: of the scheduler.
        tls: the files of an encrypted cluster.
        requirements: what machines must be like for who is known now.
        say: told, in a line each, of machines that join, are refused or lost.

    Raises:
        UserError: there is no cluster. That it has no machine yet is said, and they are waited for.
    """
    machines = Machines(Session(connect(address, tls, say=say)), requirements, say)
    machines.begin_at_once()
    return ClusterExecutor(machines, LateTeams(machines))


class ClusterExecutor:
    """Plays matches on machines.

    Args:
        machines: those of a cluster, all of which meet the requirements for who was known at the start.
        late_teams: who came later, for a service: each match is then a chunk of its own. None: nobody comes, and matches are handed
            out in chunks.
    """

    def __init__(self, machines: Machines, late_teams: LateTeams | None = None) -> None:
        self._machines = machines
        self._late_teams = late_teams
        self._times = machines.times
        self._chunks = Chunks(machines.times)
        if late_teams is not None:
            self._chunks.seconds = 0.0
        self._ahead = False
        """Whether machines get some chunks before they can begin them."""
        self._room: int | None = None
        """What ``room`` last was, for it is asked before each match; None: something has changed since."""
        self._results: list[Ended] = []
        """What the next ``poll`` returns."""
        self._unsettled = 0
        """Matches that were submitted, and of which nothing has come yet."""

    def begin(self, preload: Iterable[Reference] = ()) -> None:
        """See how large the cluster is. It isn't told who plays: a machine finds that out from its chunks."""
        self._look_at_sizes()

    @property
    def room(self) -> int:
        """How many matches more could begin at once; of those that go out in chunks, how many at least."""
        if self._room is None:
            self._room = self._see_room()
        return self._room

    @property
    def is_busy(self) -> bool:
        """Whether anything is to come yet."""
        return bool(self._unsettled)

    def submit(self, spec: MatchSpec) -> None:
        """Add a match to the next chunk, which goes out when it is long enough, or at the next ``poll``."""
        self._unsettled += 1
        self._chunks.add(PendingMatch(spec))
        if len(self._chunks):
            self._hand_out()

    def poll(self, timeout: float) -> list[Ended]:
        """What has ended, after ``timeout`` seconds at the latest; without anything as soon as there is room where there was none.

        Raises:
            UserError: the scheduler is gone for good, or no machine is left that can play.
        """
        until = time.monotonic() + timeout
        self._look_at_sizes()
        if had_room := bool(self.room):
            # Whoever had room and submitted no more has no more at present.
            self._chunks.end_chunk()
            self._hand_out()
        self._hand_out_overdue()
        while True:
            for event in self._machines.step(max(0.0, until - time.monotonic())):
                self._hear(event)
            self._hand_out()
            if self._results or (self.room and not had_room) or time.monotonic() >= until:
                results, self._results = self._results, []
                return results

    def abandon(self) -> None:
        """Forget all that was submitted, and cancel what is still out."""
        self._chunks.clear()
        self._machines.forget_chunks()
        self._results.clear()
        self._unsettled = 0
        self._room = None

    def close(self) -> None:
        """Leave the cluster, and cancel what is still played there."""
        self._machines.close()

    # Handing out

    def _look_at_sizes(self) -> None:
        """How long chunks should take depends on how many machines there are, and on how long matches take."""
        if self._late_teams is None:
            self._chunks.seconds = wanted_seconds(self._machines.threads)
            self._ahead = self._times.typical() <= MOST_SECONDS
        self._room = None

    def _see_room(self) -> int:
        if self._late_teams is not None:
            free = sum(machine.free for machine in self._machines.ready)
            return max(0, free - len(self._chunks) - sum(1 for _ in overdue_matches(self._machines)))
        # With hundreds of machines, it would take too long to look at all of them.
        machine = None if len(self._chunks) else self._machines.freest()
        return int(machine is not None and machine.has_room(self._ahead))

    def _hand_out(self) -> None:
        """Give chunks to the machines that have room, one after the other."""
        self._room = None
        waiting: list[list[PendingMatch]] = []
        while len(self._chunks):
            alone = self._chunks.has_suspects
            machine = self._machines.freest()
            if machine is None or (machine.chunks if alone else not machine.has_room(self._ahead)):
                break
            chunk = self._chunks.next()
            try:
                able = machine if self._late_teams is None else self._able_machine(chunk)
            except UserError as error:
                for pending in chunk:
                    self._end(pending, error)
                continue
            if able is None:
                waiting.append(chunk)
            else:
                self._give(able, chunk)
        self._chunks.put_back_whole(waiting)

    def _hand_out_overdue(self) -> None:
        """Give what is overdue to machines that have nothing else to do."""
        if not self._machines.overdue or self._chunks.has_suspects:
            return
        self._room = None
        for matches in overdue_matches(self._machines):
            # Where no other machine can play it, the one that has it may still answer.
            with suppress(UserError):
                if (machine := self._able_machine(matches)) is not None:
                    self._give(machine, matches)

    def _able_machine(self, chunk: Sequence[PendingMatch]) -> Machine | None:
        """The machine that can begin a chunk now; None: there is none yet.

        Raises:
            UserError: no machine can play it, or files of its teams can't be read.
        """
        teams = self._late_teams
        plugins = () if teams is None else teams.of(pending.spec for pending in chunk)
        alone = any(pending.is_suspect for pending in chunk)
        ready = sorted(self._machines.ready, key=lambda machine: (machine.load, machine.address))
        reasons: list[str] = []
        for machine in ready:
            if teams is not None and (reason := teams.lacking(machine, plugins)):
                reasons.append(f"{machine.name}: {reason}")
                continue
            room = not machine.chunks if alone else machine.has_room(False)
            if not room or any(has(machine, pending) for pending in chunk):
                continue
            if teams is None or teams.are_there(machine, plugins):
                return machine
        if ready and len(reasons) == len(ready):
            raise UserError(f"no machine can play it: {'; '.join(reasons)}")
        return None

    def _give(self, machine: Machine, chunk: Sequence[PendingMatch]) -> None:
        specs = [pending.spec for pending in chunk]
        for move in (None if self._late_teams is None else self._late_teams.moves(machine, specs), machine.moves):
            specs = specs if move is None else list(map(move.spec, specs))
        alone = any(pending.is_suspect for pending in chunk)
        self._machines.ask(machine, TaskKind.PLAY, _encoded_chunk(self._machines, specs), chunk, exclusive=alone)

    # What comes

    def _hear(self, event: MachineEvent) -> None:
        if isinstance(event, Lost):
            self._lose(event)
        elif isinstance(event, TakenBack):
            self._put_back(event.chunks)
        elif event.task.plugin is not None:
            assert self._late_teams is not None
            self._late_teams.hear(event)
        else:
            assert isinstance(event, Answered)
            self._read(event)

    def _read(self, event: Answered) -> None:
        """Take the results of a chunk."""
        machine, chunk = event.task.machine, event.task.chunk
        answer = _decoded_answer(event.data)
        left = {pending.spec.place.number: pending for pending in chunk}
        late = None if self._late_teams is None else self._late_teams.moves(machine, [pending.spec for pending in chunk])
        for record in answer.records:
            pending = left.pop(record.outcome.place)
            if not record.outcome.incidents:
                self._times.learn(pending.spec.input, record.outcome.seconds)
            for move in (late, machine.moves):
                record = record if move is None else move.record(record)
            if is_first(pending, machine, record, self._machines):
                self._end(pending, with_incidents(record, pending.incidents))
        # A machine plays a chunk in order, up to the first match that it cannot set up.
        if answer.refusal:
            first = next(iter(left.values()))
            if not first.settled_by:
                first.settled_by = machine.name
                self._end(first, UserError(f"{machine.name}: {answer.refusal}"))
        for pending in left.values():
            self._chunks.put_back(pending)

    def _lose(self, event: Lost) -> None:
        """Have the matches of a lost machine played again. A match that was lost too often is void."""
        if self._late_teams is not None:
            self._late_teams.forget(event.machine)
        self._put_back(event.waiting)
        for pending in [pending for task in event.playing for pending in task.chunk if not pending.settled_by]:
            if (record := _note_loss(pending, event.machine)) is not None:
                self._end(pending, record)
        self._put_back(event.playing)

    def _put_back(self, tasks: Iterable[MachineTask]) -> None:
        for pending in dict.fromkeys(pending for task in tasks for pending in task.chunk):
            self._chunks.put_back(pending)

    def _end(self, pending: PendingMatch, result: MatchRecord | UserError) -> None:
        self._unsettled -= 1
        self._results.append((pending.spec, result))


def _encoded_chunk(machines: Machines, specs: Iterable[MatchSpec]) -> bytes:
    """Matches as the message that a machine plays; their files are named as they lie there."""
    maps: dict[MapSource, int] = {}
    matches = [(maps.setdefault(spec.input.map, len(maps)), _without_map(spec)) for spec in specs]
    requirements = machines.requirements
    return ENCODER.encode(Chunk(machines.run, requirements.environment, requirements.level, tuple(maps), tuple(matches)))


def _without_map(spec: MatchSpec) -> MatchSpec:
    match = spec.input
    return replace(spec, input=replace(match, map=MapSource(match.map.name, b"")))


def _decoded_answer(data: bytes) -> PlayedChunk:
    """What a machine reports about a chunk."""
    return PLAYED.decode(zstandard.ZstdDecompressor().decompress(data, max_output_size=LARGEST_ANSWER))


def _note_loss(pending: PendingMatch, machine: Machine) -> MatchRecord | None:
    """Note that a machine was lost while it played a match; its record if that was the last attempt."""
    reason = f"its machine was lost: {machine.name}"
    pending.lost += 1
    pending.incidents.append(reason)
    if pending.lost < MOST_LOST:
        return None
    pending.settled_by = machine.name
    return void(pending.spec, pending.lost, reason).changed(incidents=tuple(pending.incidents))
