"""What tiltyard offers to plugins' own commands: the engine's Host, with cells and executors."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tiltyard_engine.errors import UserError
from tiltyard_engine.host import NO_LIMITS, Host, HostMatch, HostPlayer, IsolatedMatch
from tiltyard_engine.host.interface import Submissions
from tiltyard_engine.match_record import MatchRecord, PlayedMatch, played_match
from tiltyard_engine.programs import Program, ProgramTeam
from tiltyard_engine.records import Game, MapFile
from tiltyard_engine.registry import Reference, Registry
from tiltyard_engine.registry.registry import ALGORITHM, GAME, MANAGER, MAP
from tiltyard_engine.registry.sources import Origin, Source
from tiltyard_engine.replay import Recorder, Replay
from tiltyard_engine.seat_kinds.seat_ports import SeatPort
from tiltyard_engine.seats import TurnSeat
from tiltyard_simulator.guard.cell_pool import CellPool
from tiltyard_simulator.guard.cells.cell_port import SeatSpec
from tiltyard_simulator.guard.policy import Level
from tiltyard_simulator.guard.seats import TURNS
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.limits import DEFAULT_LIMITS, LimitChanges
from tiltyard_simulator.match.spec import Holding, MapSource, MatchInput, MatchSpec, Place, Recording
from tiltyard_simulator.registry.finder import Finder
from tiltyard_simulator.registry.guarded_registry import check_trusted, open_registry
from tiltyard_simulator.registry.isolation_policy import IsolationPolicy
from tiltyard_simulator.replays.files import record_replay

if TYPE_CHECKING:
    from tiltyard_simulator.play.arena import Arena
    from tiltyard_simulator.play.executor import Executor, InlineExecutor
    from tiltyard_simulator.play.workers import WorkerExecutor


class GuardHost(Host):
    """Opens programs in cells, in a sandbox unless TILTYARD_ISOLATION says otherwise, and plays matches.

    The code for playing many matches is imported late, so that a command that runs one program starts sooner.
    """

    def __init__(
        self, isolation: Isolation | None = None, policy: IsolationPolicy | None = None, trust: Sequence[str] = ()
    ) -> None:
        check_trusted(trust)
        self._policy = policy or IsolationPolicy.from_environment(trust)
        self._isolation = isolation or self._policy.isolation or Isolation.SANDBOX
        self._cells: CellPool | None = None
        self._preloaded: list[Reference] = []
        self._open = 0
        self._own_registry: Registry | None = None
        self._arena: Arena | None = None
        self._executors: dict[int, InlineExecutor | WorkerExecutor] = {}
        """By its number of workers, that of the last schedule: what it has started waits for the next one."""
        self._last: tuple[Any, MatchSpec] | None = None
        """What ``play_with`` was last asked for, and the match made of it."""
        if self._isolation is not Isolation.SANDBOX:
            self.isolation_words = "a process group of its own, not confined"

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
                self.isolation_words = f"a sandbox of level {self._cells.confinement.level}"
                _warn_of_level_c(self._cells)
        return self._cells

    def preload(self, who: Iterable[HostPlayer | ProgramTeam]) -> None:
        players = [one.reference if isinstance(one, HostPlayer) else _reference_of(one) for one in who]
        self._preloaded += players
        if self._cells is not None:
            self._cells.preload(players)

    def close(self) -> None:
        """End all programs and teams, and their zygotes."""
        for part in (self._cells, self._arena, *self._executors.values()):
            if part is not None:
                part.close()
        self._cells = self._arena = None
        self._executors.clear()

    # Players

    @property
    def _registry(self) -> Registry:
        if self._own_registry is None:
            self._own_registry = open_registry(self._policy)
        return self._own_registry

    def find_player(self, text: str, game: str) -> HostPlayer:
        return HostPlayer(text, Finder(self._registry).plugin(text, ALGORITHM, game))

    def find_submissions(self, folder: str, game: str) -> Submissions:
        return Finder(self._registry).submissions(Path(folder), game)

    @contextlib.contextmanager
    def open_player(self, text: str, game: str, seat: int, limits: Mapping[str, float] = NO_LIMITS) -> Iterator[TurnSeat[Any, Any]]:
        """The project's own code runs in this process, other code in a cell, unless the environment says otherwise."""
        record = self._registry.find(GAME, game).reference
        player = self.find_player(text, game).reference
        game_record: Game[Any] = record.load_as(Game)
        own_limits = DEFAULT_LIMITS.changed(game_record.teams.limits, "the game's limits").changed(limits)
        isolation = self._policy.of(player)
        with CellPool(preload=()) as cells:
            if isolation is Isolation.SANDBOX:
                _warn_of_level_c(cells)
            cells.preload([record, player])
            setting = TURNS.setting(game_record, None)
            spec = SeatSpec(index=seat, team=player, game=record, setting=setting, limits=own_limits, isolation=isolation)
            yield cells.open_seat(TURNS, spec)  # type: ignore[misc]

    # Matches

    def keys(self, matches: Sequence[HostMatch], limits: Mapping[str, float] = NO_LIMITS) -> list[str]:
        from tiltyard_simulator.match.key import match_key

        return [match_key(spec) for spec in self._specs(matches, limits)]

    def play(
        self, matches: Iterable[HostMatch], limits: Mapping[str, float] = NO_LIMITS, workers: int = 0
    ) -> Generator[PlayedMatch, None, None]:
        from tiltyard_simulator.match.key import with_key
        from tiltyard_simulator.play.executor import available_cores, play_all

        specs = self._specs(matches, limits)
        first = list(islice(specs, workers or available_cores()))
        if not first:
            return
        schedule = map(with_key, chain(first, specs))
        with (
            self._executor(len(first)) as executor,
            contextlib.closing(play_all(schedule, executor, preload=self._preloaded)) as playing,
        ):
            yield from map(_with_replay, playing)

    @contextlib.contextmanager
    def _executor(self, workers: int) -> Iterator[Executor]:
        """That of the last schedule, if it has as many workers. Where a schedule is broken off, it ends with it."""
        from tiltyard_simulator.play.local_matches import local_executor

        last = self._executors.pop(workers, None)
        while self._executors:
            self._executors.popitem()[1].close()  # one of this process would hold workers on its core
        with contextlib.ExitStack() as stack:
            executor = stack.enter_context(local_executor(workers) if last is None else contextlib.closing(last))
            yield executor
            stack.pop_all()
        self._executors[workers] = executor

    def _specs(self, matches: Iterable[HostMatch], limits: Mapping[str, float]) -> Iterator[MatchSpec]:
        policy = replace(self._policy, limits=LimitChanges(limits))
        return (policy.apply(self._spec(match, place)) for place, match in enumerate(matches))

    def _spec(self, match: HostMatch, place: int) -> MatchSpec:
        game = self._registry.find(GAME, match.game).reference
        manager = self._registry.find(MANAGER, match.manager, match.game).reference
        players = tuple(player.reference for player in match.players)
        return MatchSpec(
            MatchInput(game=game, manager=manager, map=MapSource(match.map_name, match.map_data), teams=players, seed=match.seed),
            recording=Recording(watch_denials=match.watch_denials),
            place=Place(number=place),
        )

    def find_game(self, name: str) -> Game[Any]:
        return self._registry.find(GAME, name).reference.load_as(Game)

    def find_manager(self, text: str, game: str) -> str:
        return self._registry.find(MANAGER, text, game).name if text else Finder(self._registry).manager(game).name

    def find_map(self, text: str, game: str) -> MapFile:
        installed = [(entry.name, entry.contribution) for entry in self._registry.all(MAP, game)]
        if not text and len(installed) != 1:
            names = ", ".join(name for name, _ in installed)
            raise UserError(f"name a map of {game}: {names or 'none is installed, so give a file'}")
        for name, contribution in installed:
            if text in (name, ""):
                return MapFile(name, game, contribution.data, contribution.seats)
        source = Finder(self._registry).map(text, game)
        return MapFile(source.name, game, source.data, 0)

    def play_with(
        self, match: HostMatch, ports: Mapping[int, SeatPort], recorder: Recorder, limits: Mapping[str, float] = NO_LIMITS
    ) -> PlayedMatch:
        return _with_replay(self._opened_arena().play(self._spec_with(match, frozenset(ports), limits), recorder, ports))

    def _opened_arena(self) -> Arena:
        # Imported late: hosts that play no matches need none of it.
        from tiltyard_simulator.play.arena import Arena

        if self._arena is None:
            self._arena = Arena()
        return self._arena

    def _spec_with(self, match: HostMatch, own: frozenset[int], limits: Mapping[str, float]) -> MatchSpec:
        """Whoever trains an agent plays the same match with many seeds, so all but the seed is kept."""
        key = (replace(match, seed=0), own, tuple(sorted(limits.items())))
        if self._last is None or self._last[0] != key:
            (spec,) = self._specs([replace(match, seed=0)], limits)
            isolations = tuple(
                Isolation.INLINE if seat in own else isolation for seat, isolation in enumerate(spec.holding.isolations, start=1)
            )
            self._last = key, replace(spec, holding=replace(spec.holding, isolations=isolations))
        spec = self._last[1]
        return replace(spec, input=replace(spec.input, seed=match.seed))

    # Tests of games

    def isolations(self) -> Mapping[str, str]:
        refusal = replace(self._policy, isolation=None).refusal()
        return {each.value: refusal if each is Isolation.SANDBOX else "" for each in Isolation}

    def play_isolated(self, match: IsolatedMatch) -> PlayedMatch:
        record: Game[Any] = match.game.load_as(Game)
        limits = DEFAULT_LIMITS.changed(record.teams.limits, "the game's limits")
        match_record = self._opened_arena().play(
            MatchSpec(
                MatchInput(
                    game=match.game,
                    manager=match.manager,
                    map=MapSource(match.map_name, match.map_data),
                    teams=match.players,
                    seed=match.seed,
                    rounds=match.rounds,
                ),
                holding=Holding(
                    isolations=(Isolation(match.isolation),) * len(match.players),
                    limits=(limits,) * len(match.players),
                    manager_isolation=Isolation(match.manager_isolation),
                ),
                recording=Recording(replay=True, log=True),
            )
        )
        return _with_replay(match_record)

    def wire_form(self, value: object, kind: type[Any] | None) -> bytes:
        from tiltyard_simulator.guard.seats.turns import wire_form

        return wire_form(value, kind)

    # Replays

    def replay_file(self, replay: Replay) -> bytes:
        from tiltyard_simulator.replays.encoding import encode

        return encode(replay)


def _with_replay(record: MatchRecord) -> PlayedMatch:
    return played_match(record, record_replay(record))


def _source_of(program: ProgramTeam) -> Source:
    return Source(name=program.name, origin=Origin.PROGRAM, value="", folder=program.folder)


def _reference_of(program: ProgramTeam) -> Reference:
    return Reference(kind=ALGORITHM, name=program.name, game=program.game, source=_source_of(program), program=program)


def _warn_of_level_c(cells: CellPool) -> None:
    if cells.confinement.level is Level.C:
        print("note: this machine can't confine programs; run 'tiltyard doctor' for details", file=sys.stderr)
