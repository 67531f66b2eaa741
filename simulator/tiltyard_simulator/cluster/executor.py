"""The executor whose matches are played on the machines of a Dask cluster.

A chunk is a Dask task that is bound to one machine, which was looked at before. So it is known whose loss costs which matches, and
a machine that differs never plays. All that is decided is decided here: what machines do changes no result, only when it comes.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Final

import zstandard

from tiltyard_engine.errors import UserError
from tiltyard_engine.registry import Reference
from tiltyard_simulator.cluster.chunks import MOST_SECONDS, Begun, Chunks, MatchTimes
from tiltyard_simulator.cluster.connecting import Tls, connect
from tiltyard_simulator.cluster.contents import host_files, host_version, plugins_of, python_version, requirements_of
from tiltyard_simulator.cluster.machines import Answered, Errand, Lost, Machine, Machines, Say
from tiltyard_simulator.cluster.messages import ENCODER, PLAYED, Chunk, Wanted
from tiltyard_simulator.guard.confinement import Level
from tiltyard_simulator.guard.confinement.probes import VARIABLE
from tiltyard_simulator.guard.programs.program_paths import ORGANISERS_VARIABLE
from tiltyard_simulator.playing import void
from tiltyard_simulator.specs import MapSource, MatchOutcome, MatchSpec

MOST_LOST: Final = 5
"""So many machines may be lost by a match, the later ones while they play nothing else, before it is void."""
LARGEST_ANSWER: Final = 1 << 31
"""Bytes of a chunk's outcomes."""


def wanted_for(references: Sequence[Reference], level: Level | None, environment: Mapping[str, str]) -> Wanted:
    """What machines must be like for the matches of these plugins.

    Args:
        references: the game, the GameManager, the teams.
        level: what a sandbox is here, for it must be the same everywhere; None if nobody plays in one.
        environment: this process's.

    Raises:
        UserError: a plugin's files cannot be read.
    """
    plugins = plugins_of(references)
    given = {} if level is None else {VARIABLE: level.value}
    if ORGANISERS_VARIABLE in environment:
        given[ORGANISERS_VARIABLE] = environment[ORGANISERS_VARIABLE]
    word = "" if level is None else level.value
    return Wanted(python_version(), host_version(), host_files(), plugins, requirements_of(plugins), word, given)


@contextmanager
def cluster_executor(address: str, tls: Tls, wanted: Wanted, say: Say) -> Iterator[ClusterExecutor]:
    """Plays on the cluster whose scheduler is at ``address``; ``say`` is told, in lines, what becomes of machines.

    Raises:
        UserError: there is no cluster, or no machine of it may play.
    """
    machines = Machines(connect(address, tls), wanted, say)
    try:
        machines.begin()
        yield ClusterExecutor(machines)
    finally:
        machines.close()


class ClusterExecutor:
    """Plays matches on machines, in chunks; it can be used for many schedules."""

    def __init__(self, machines: Machines) -> None:
        self._machines = machines
        self._times = MatchTimes()

    def play(self, matches: Iterable[tuple[int, MatchSpec]]) -> Generator[tuple[int, MatchOutcome], None, None]:
        """Outcomes as they come, each with its match's place; the next matches are asked for when a machine can begin them.

        Raises:
            UserError: a match could not be set up, or the scheduler is gone.
        """
        chunks = Chunks(iter(matches), self._times)
        try:
            while self._hand_out(chunks):
                for event in self._machines.step():
                    yield from self._heard(event) if isinstance(event, Answered) else _lost(event, chunks)
        finally:
            self._machines.forget_chunks()

    def _hand_out(self, chunks: Chunks) -> bool:
        """Give chunks to the machines that have room, one after the other; whether there is anything to wait for."""
        ahead = self._times.typical() <= MOST_SECONDS
        while ready := self._machines.ready:
            machine = min(ready, key=lambda each: (not each.has_room(ahead), each.load, each.address))
            alone = chunks.has_suspects
            if machine.chunks if alone else not machine.has_room(ahead):
                return True
            chunk = chunks.next()
            if not chunk:
                return any(machine.chunks for machine in ready)
            self._machines.ask(machine, Errand.PLAY, self._encoded(machine, chunk), chunk, exclusive=alone)
        # Where nobody is left who could play, it may be that nothing is left to be played either.
        return chunks.has_more()

    def _encoded(self, machine: Machine, chunk: Sequence[Begun]) -> bytes:
        maps: dict[MapSource, int] = {}
        matches: list[tuple[int, int, MatchSpec]] = []
        for number, begun in enumerate(chunk):
            spec = begun.spec if machine.moves is None else machine.moves.spec(begun.spec)
            matches.append((number, maps.setdefault(spec.map, len(maps)), replace(spec, map=MapSource(spec.map.name, b""))))
        environment = self._machines.wanted.environment
        return ENCODER.encode(Chunk(self._machines.run, environment, tuple(maps), tuple(matches)))

    def _heard(self, event: Answered) -> Iterator[tuple[int, MatchOutcome]]:
        machine, chunk = event.task.machine, event.task.chunk
        played = PLAYED.decode(zstandard.ZstdDecompressor().decompress(event.data, max_output_size=LARGEST_ANSWER))
        for number, outcome in played.outcomes:
            begun = chunk[number]
            self._times.learn(begun.spec, outcome.seconds)
            here = outcome if machine.moves is None else machine.moves.outcome(outcome)
            yield begun.place, replace(here, incidents=(*begun.incidents, *here.incidents)) if begun.incidents else here
        if played.refusal:
            raise UserError(f"{machine.name}: {played.refusal}")


def _lost(event: Lost, chunks: Chunks) -> Iterator[tuple[int, MatchOutcome]]:
    """What a lost machine had is played again; a match that was lost too often is void."""
    reason = f"its machine was lost: {event.machine.name}"
    for begun in [begun for task in event.waiting for begun in task.chunk]:
        chunks.again(begun)
    for begun in [begun for task in event.playing for begun in task.chunk]:
        begun.lost += 1
        begun.incidents.append(reason)
        if begun.lost < MOST_LOST:
            chunks.again(begun)
        else:
            lost = void(len(begun.spec.algorithms), begun.lost, reason)
            yield begun.place, replace(lost, incidents=tuple(begun.incidents))
