"""What tiltyard offers to plugins' own commands: the engine's Host, with cells and executors."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, islice
from pathlib import Path
from typing import Any

from tiltyard_engine.host import NO_LIMITS, Host, HostMatch, HostPlayer
from tiltyard_engine.match_record import MatchRecord
from tiltyard_engine.programs import Program, ProgramTeam
from tiltyard_engine.records import Game
from tiltyard_engine.registry import Reference, Registry
from tiltyard_engine.registry.lookup import Submissions, choose, submissions
from tiltyard_engine.registry.registry import ALGORITHM, GAME, MANAGER
from tiltyard_engine.registry.sources import Origin, Source
from tiltyard_engine.replay import Replay
from tiltyard_engine.seats import TurnSeat
from tiltyard_simulator.guard.cell_pool import CellPool
from tiltyard_simulator.guard.cells.cell_port import SeatSpec
from tiltyard_simulator.guard.confinement import Level
from tiltyard_simulator.guard.seats import TURNS
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.limits import DEFAULT_LIMITS, LimitChanges
from tiltyard_simulator.match.spec import MapSource, MatchSpec
from tiltyard_simulator.play.isolation_policy import IsolationPolicy
from tiltyard_simulator.play.registry import open_registry


class GuardHost(Host):
    """Opens programs in cells, in a sandbox unless TILTYARD_ISOLATION says otherwise, and plays matches.

    The code for playing many matches is imported late, so that a command that runs one program starts sooner.
    """

    def __init__(self, isolation: Isolation | None = None) -> None:
        self._policy = IsolationPolicy.from_environment()
        self._isolation = isolation or self._policy.isolation or Isolation.SANDBOX
        self._cells: CellPool | None = None
        self._preloaded: list[Reference] = []
        self._open = 0
        self._found: Registry | None = None
        if self._isolation is not Isolation.SANDBOX:
            self.held = "a process group of its own, not confined"

    # Programs

    @contextlib.contextmanager
    def open_program(self, team: ProgramTeam, limits: Mapping[str, float] = NO_LIMITS) -> Iterator[Program]:
        """A program in a cell of its own. It may read its whole folder, because the user named it."""
        cells = self._started()
        self._open += 1
        try:
            program = cells.open_program(team, _source_of(team), DEFAULT_LIMITS.changed(limits), self._isolation)
            try:
                yield program
            finally:
                program.cell.retire()
        finally:
            self._open -= 1
            if not self._open:
                cells.end_match()

    def _started(self) -> CellPool:
        if self._cells is None:
            self._cells = CellPool(preload=())
            self._cells.preload(self._preloaded)
            if self._isolation is Isolation.SANDBOX:
                self.held = f"a sandbox of level {self._cells.confinement.level}"
                _warn_of_level_c(self._cells)
        return self._cells

    def preload(self, who: Iterable[HostPlayer | ProgramTeam]) -> None:
        told = [one.reference if isinstance(one, HostPlayer) else _reference_of(one) for one in who]
        self._preloaded += told
        if self._cells is not None:
            self._cells.preload(told)

    def close(self) -> None:
        """End all programs and their zygote."""
        if self._cells is not None:
            self._cells.close()
            self._cells = None

    # Players

    @property
    def _registry(self) -> Registry:
        if self._found is None:
            self._found = open_registry(self._policy)
        return self._found

    def find_player(self, text: str, game: str) -> HostPlayer:
        return HostPlayer(text, choose(text, ALGORITHM, self._registry, game))

    def find_submissions(self, folder: str, game: str) -> Submissions:
        return submissions(Path(folder), game, self._registry)

    @contextlib.contextmanager
    def open_player(self, text: str, game: str, seat: int, limits: Mapping[str, float] = NO_LIMITS) -> Iterator[TurnSeat[Any, Any]]:
        """The project's own code runs in this process, other code in a cell, unless the environment says otherwise."""
        record = self._registry.find(GAME, game).reference
        player = self.find_player(text, game).reference
        known: Game[Any] = record.load_as(Game)
        wanted = DEFAULT_LIMITS.changed(known.teams.limits, "the game's limits").changed(limits)
        isolation = self._policy.of(player)
        with CellPool(preload=()) as cells:
            if isolation is Isolation.SANDBOX:
                _warn_of_level_c(cells)
            cells.preload([record, player])
            setting = TURNS.setting(known, None)
            spec = SeatSpec(index=seat, team=player, game=record, setting=setting, limits=wanted, isolation=isolation)
            yield cells.open_seat(TURNS, spec)  # type: ignore[misc]

    # Matches

    def keys(self, matches: Sequence[HostMatch], limits: Mapping[str, float] = NO_LIMITS) -> list[str]:
        from tiltyard_simulator.match.key import match_key

        return [match_key(spec) for spec in self._specs(matches, limits)]

    def play(
        self, matches: Iterable[HostMatch], limits: Mapping[str, float] = NO_LIMITS, workers: int = 0
    ) -> Generator[MatchRecord, None, None]:
        from tiltyard_simulator.match.key import with_key
        from tiltyard_simulator.play.executors import available_cores, local_executor

        specs = self._specs(matches, limits)
        first = list(islice(specs, workers or available_cores()))
        if not first:
            return
        schedule = map(with_key, chain(first, specs))
        with (
            local_executor(len(first)) as executor,
            contextlib.closing(executor.play(schedule, preload=self._preloaded)) as playing,
        ):
            yield from playing

    def _specs(self, matches: Iterable[HostMatch], limits: Mapping[str, float]) -> Iterator[MatchSpec]:
        policy = replace(self._policy, limits=LimitChanges(limits))
        return (policy.apply(self._spec(match, place)) for place, match in enumerate(matches))

    def _spec(self, match: HostMatch, place: int) -> MatchSpec:
        game = self._registry.find(GAME, match.game).reference
        manager = self._registry.find(MANAGER, match.manager, match.game).reference
        players = tuple(player.reference for player in match.players)
        return MatchSpec(
            game=game,
            manager=manager,
            map=MapSource(match.map_name, match.map_data),
            algorithms=players,
            seed=match.seed,
            place=place,
            watch_denials=match.watch_denials,
        )

    # Replays

    def replay_file(self, replay: Replay) -> bytes:
        from tiltyard_simulator.replays.encoding import encode

        return encode(replay)


def _source_of(program: ProgramTeam) -> Source:
    return Source(name=program.name, origin=Origin.PROGRAM, value="", folder=program.folder)


def _reference_of(program: ProgramTeam) -> Reference:
    return Reference(kind=ALGORITHM, name=program.name, game=program.game, source=_source_of(program), program=program)


def _warn_of_level_c(cells: CellPool) -> None:
    if cells.confinement.level is Level.C:
        print("note: this machine can't confine programs; run 'tiltyard doctor' for details", file=sys.stderr)
