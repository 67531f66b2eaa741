"""Matches of compiled files whose GameManager and teams share one process: beside the match worker, or in a sandbox."""

from __future__ import annotations

import shutil
import tempfile
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, TypeAlias

from tiltyard_engine.registry import Source
from tiltyard_engine.registry.file_loaders import get_loader
from tiltyard_engine.seat_kinds.native_matches import NativeHost, NativeMatch, NativeOutcome
from tiltyard_simulator.guard.cell_pool import CellPool
from tiltyard_simulator.guard.confinement.kernel.process_status import own_prefix
from tiltyard_simulator.guard.programs.program_client import ProgramClient
from tiltyard_simulator.match.limits import Limits
from tiltyard_simulator.match.spec import MatchSpec

MOST_CONFINED: Final = 16
"""Hosts in sandboxes. Each has the files of one match loaded, and a match of others closes the one that was used least recently."""
HOST_BYTES: Final = 64 << 20
"""Memory of the host program itself."""
PROCESSES: Final = 2
"""The host, and its child that plays."""
ENDLESS_SECONDS: Final = 1e9

Key: TypeAlias = tuple[object, ...]


class NativeHosts:
    """The hosts of a match worker: one for each loader, and for matches in a sandbox one for each set of files.

    Each is started with its first match.
    """

    def __init__(self) -> None:
        self._hosts: dict[str, NativeHost] = {}
        self._confined: OrderedDict[Key, _ConfinedHost] = OrderedDict()
        """The one used last at the end."""

    def play(self, spec: MatchSpec, board: Any, cells: CellPool | None) -> NativeOutcome:
        """Play a match on ``board``, the map as the game read it; in a sandbox of ``cells``, if the match is played together.

        Calls have their usual limits. The whole match may take the CPU time of one team, and the memory of all players together.

        Raises:
            UserError: this machine cannot play it.
            ZygoteLostError: no zygote can be started: the machine's fault.
        """
        match, manager_limits, limits = spec.input, spec.holding.manager_limits, _limits_of_seats(spec)
        seconds = max(each.match_seconds for each in limits)
        native = NativeMatch(
            manager=Path(match.manager.source.value),
            algorithms=tuple(Path(team.source.value) for team in match.teams),
            board=board,
            map_name=match.map.name,
            names=match.names,
            folder=Path(),
            verbose=spec.recording.log,
            cpu_seconds=seconds,
            wall_seconds=seconds * max(each.wall_factor for each in limits),
            memory_bytes=manager_limits.memory_bytes + sum(each.memory_bytes for each in limits),
            file_bytes=max(each.file_bytes for each in limits),
            step_seconds=tuple((each.move_seconds, each.move_seconds * each.wall_factor) for each in (manager_limits, *limits)),
            output_bytes=manager_limits.output_bytes,
        )
        if cells is None:
            return self._play_beside(match.manager.source.loader, native)
        return self._play_confined(spec, native, cells)

    def _play_beside(self, loader: str, match: NativeMatch) -> NativeOutcome:
        host = self._hosts.get(loader)
        if host is None:
            host = self._hosts[loader] = get_loader(loader).open_host(None)
        with _folder() as folder:
            return host.play(replace(match, folder=folder))

    def _play_confined(self, spec: MatchSpec, match: NativeMatch, cells: CellPool) -> NativeOutcome:
        # Teams' files that were not together in a match never share a process.
        sources = (spec.input.manager.source, *(team.source for team in spec.input.teams))
        key = (sources[0], spec.holding.manager_limits, frozenset(zip(sources[1:], _limits_of_seats(spec), strict=True)))
        host = self._confined.get(key)
        if host is None:
            host = self._confined[key] = _ConfinedHost(sources, _limits_of_host(spec, match), cells)
        self._confined.move_to_end(key)
        while len(self._confined) > MOST_CONFINED:
            self._confined.popitem(last=False)[1].close()
        return host.play(match)

    def close(self) -> None:
        """End all hosts, with their programs."""
        while self._hosts:
            self._hosts.popitem()[1].close()
        while self._confined:
            self._confined.popitem()[1].close()


class _ConfinedHost:
    """A host whose program runs in a sandbox, with the files of one match."""

    def __init__(self, sources: tuple[Source, ...], limits: Limits, cells: CellPool) -> None:
        self._sources = sources
        self._limits = limits
        self._cells = cells
        self._program: ProgramClient | None = None
        self._matches = 0
        self._native = get_loader(sources[0].loader).open_host(self._start)

    def play(self, match: NativeMatch) -> NativeOutcome:
        """Play a match in a folder of its own: what a match leaves behind and nobody can remove is in nobody's way."""
        self._matches += 1
        return self._native.play(replace(match, folder=Path(f"match-{self._matches}")))

    def close(self) -> None:
        """End the host, then its program."""
        self._native.close()
        self._end_program()

    def _start(self, program: Path) -> ProgramClient:
        # One that is lost is started again, in a new cell.
        self._end_program()
        self._program = self._cells.open_host(program, self._sources, self._limits)
        return self._program

    def _end_program(self) -> None:
        if self._program is not None:
            self._cells.close_host(self._program)
            self._program = None


def _limits_of_seats(spec: MatchSpec) -> list[Limits]:
    return [spec.holding.limits_of(seat) for seat in range(1, len(spec.input.teams) + 1)]


def _limits_of_host(spec: MatchSpec, match: NativeMatch) -> Limits:
    """Of all its processes and matches together. The host itself limits each match, and each call in it."""
    return replace(
        spec.holding.manager_limits,
        startup_seconds=max(each.startup_seconds for each in _limits_of_seats(spec)),
        match_seconds=ENDLESS_SECONDS,
        memory_bytes=match.memory_bytes + HOST_BYTES,
        program_processes=PROCESSES,
        file_bytes=match.file_bytes,
    )


@contextmanager
def _folder() -> Iterator[Path]:
    folder = tempfile.mkdtemp(prefix=own_prefix())
    try:
        yield Path(folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
