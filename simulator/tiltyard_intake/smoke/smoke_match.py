"""One short match of a team against itself, under the usual limits: whether what was built really plays."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from tiltyard_checks.team.opening import Opening, against_itself, smallest_first
from tiltyard_engine.errors import UserError
from tiltyard_engine.records import usual_players
from tiltyard_engine.registry import Reference, Registry
from tiltyard_engine.registry.registry import ALGORITHM, MANAGER
from tiltyard_engine.registry.sources import path_sources
from tiltyard_engine.replay import Recorder
from tiltyard_intake.smoke.fault_words import fault_in_words
from tiltyard_intake.smoke.protocols import names_protocol, speak_to_in
from tiltyard_simulator.guard.cell_pool import CellPool
from tiltyard_simulator.match.mentions import mentions
from tiltyard_simulator.match.spec import MapSource
from tiltyard_simulator.play.arena import Arena
from tiltyard_simulator.registry.finder import Finder
from tiltyard_simulator.registry.guarded_registry import in_cells
from tiltyard_simulator.registry.isolation_policy import IsolationPolicy
from tiltyard_simulator.registry.map_files import no_usable_map
from tiltyard_simulator.registry.plugin_list import INSTALLED

ROUNDS: Final = 20
"""Of a first match in any case. Where programs are started again for each move, a whole game may take half a minute."""
MOST_UNTIL_UNDERSTOOD: Final = 2
"""A program that fails in a later round has understood what it was told."""
BY_TIME: Final = ("stall", "timeout")
"""How the faults begin that would take as long on another map."""
MORE_SECONDS: Final = 10.0
"""For all first matches together, what rounds beyond these may take on the clock: a class of 200 takes minutes."""
MORE_SHARE: Final = 0.05
"""The same for one match, as a share of what its first rounds took, if that is more."""


@dataclass(frozen=True, slots=True)
class Smoke:
    """How a first match went."""

    summary: str = ""
    """How long it was, and on which map; empty if none was played."""
    fault: str = ""
    """What went wrong; empty if nothing did."""
    protocol: str = ""
    """The protocol that its program turned out to speak; empty where nothing had to be tried."""
    round: int = 0
    """Where it went wrong; 0 if nothing did, or before the match."""


@dataclass(frozen=True, slots=True)
class _Table:
    """Where matches are played, and what loads their teams."""

    arena: Arena
    registry: Registry


class LongEnough(Recorder):
    """Counts the rounds of a match, and ends it where one more than ROUNDS would take too long.

    Args:
        more_seconds: what those after ROUNDS may take.
        clock: tells the time in seconds.
    """

    is_watched = False

    def __init__(self, more_seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self.rounds = 0
        self.is_over = False
        self._more_seconds = more_seconds
        self._clock = clock
        self._started = self._first_ended = clock()

    def start(self, *_: object, **__: object) -> None:
        self.rounds = 0
        self._started = self._clock()

    def frame(self, *_: object, **__: object) -> None:
        self.rounds += 1
        now = self._clock()
        if self.rounds <= ROUNDS:
            self._first_ended = now
        first_seconds = self._first_ended - self._started
        more = now - self._first_ended + first_seconds / ROUNDS
        if self.rounds >= ROUNDS and more > max(self._more_seconds, MORE_SHARE * first_seconds):
            self.is_over = True
            raise OverError


class OverError(Exception):
    """A match has lasted long enough."""


class SmokeMatches:
    """Plays one match for each team. Its processes belong to the thread that plays.

    A match lasts to the game's end, or for some rounds and as many more as there is time for.

    Args:
        game: the game's name.
        registry: has the game, its default GameManager and its maps.
        policy: how code of strangers is isolated.
        folder: where the teams lie that will play.
    """

    def __init__(self, game: str, registry: Registry, policy: IsolationPolicy, folder: Path) -> None:
        self._more_seconds = MORE_SECONDS
        self._game = game
        self._policy = policy
        self._folder = folder
        self._registry = registry
        self._tables: dict[bool, _Table] = {}
        """By whether their teams use numpy: a process that has it takes a quarter longer to fork cells."""

    def of_teams(self, count: int) -> Self:
        """Share the time for rounds that are not played in any case among so many teams."""
        self._more_seconds = MORE_SECONDS / max(count, 1)
        return self

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        for table in self._tables.values():
            table.arena.close()

    def play(self, products: Sequence[Path], protocol: str = "") -> Smoke:
        """How it went. Each product must load, and the algorithms play.

        Args:
            products: where they lie.
            protocol: which one its program speaks; empty if that isn't known. Then one that fails at once is tried with others.
        """
        matches = [self._play_on_maps(path) if protocol else self._play_in_some_protocol(path) for path in products]
        faults = dict.fromkeys(each.fault for each in matches if each.fault)
        lines = dict.fromkeys(each.summary for each in matches if each.summary)
        spoken = next((each.protocol for each in matches if each.protocol), "")
        return Smoke("; ".join(lines), "; ".join(faults), spoken)

    def _play_in_some_protocol(self, path: Path) -> Smoke:
        first = self._play_on_maps(path)
        if not 1 <= first.round <= MOST_UNTIL_UNDERSTOOD or names_protocol(path):
            return first
        programs = self._registry.game(self._game).programs
        tried = [first.fault]
        for protocol in list(programs.protocols if programs is not None else ())[1:]:
            again = self._play_on_maps(path, protocol)
            if not again.fault:
                speak_to_in(path, protocol)
                return replace(again, protocol=protocol)
            tried.append(f"uses the protocol {protocol}: {again.fault}")
        return replace(first, fault="; ".join(tried))

    def _play_on_maps(self, path: Path, protocol: str = "") -> Smoke:
        """On the smallest map, which is the quickest. Who fails there, and not by time, plays on one of the usual size too."""
        smallest, *usual = self._maps
        first = self._play_one(path, smallest, protocol)
        for place in usual if first.round and not first.fault.startswith(BY_TIME) else ():
            again = self._play_one(path, place, protocol)
            if not again.fault:
                return replace(again, summary=f"{again.summary}; on {smallest.name}: {first.fault}")
        return first

    def _play_one(self, path: Path, place: MapSource, protocol: str) -> Smoke:
        try:
            table = self._table(any(mentions(source, "numpy") for source in path_sources(path)))
            if path.parent.name == "game_managers":
                Finder(table.registry).plugin(str(path), MANAGER, self._game)
                return Smoke()
            team = Finder(table.registry).plugin(str(path), ALGORITHM, self._game)
            if protocol and team.program is not None:
                team = replace(team, program=replace(team.program, protocol=protocol))
            spec = self._policy.apply(against_itself(team, self._game_reference, self._manager, place))
            watch = LongEnough(self._more_seconds) if self._may_be_cut else None
            opening = Opening(spec, table.arena.play(spec, watch))
        except UserError as error:
            # Where the file lies on this machine is nothing for the team.
            message = str(error).replace(f"{path}: ", "").replace(f"{path}:", "")
            return Smoke(fault=message.replace(f"{path.resolve().parent}/", ""))
        outcome, fault = opening.record.outcome, opening.team_fault
        if outcome.manager_fault is not None:
            # Not the team's fault, and it has shown nothing.
            return Smoke(f"nothing: {outcome.message.removeprefix('no result: ')}")
        rounds = watch.rounds if watch is not None and watch.is_over else outcome.rounds
        message = f"{rounds} round{'' if rounds == 1 else 's'} on {spec.input.map.name}"
        return Smoke(message) if fault is None else Smoke(message, fault_in_words(fault), round=fault.round)

    def _table(self, uses_numpy: bool) -> _Table:
        if uses_numpy not in self._tables:
            # Each team plays once: spare cells and templates would be for nothing, and so would a zygote for each.
            cells = CellPool(reserve=0, readable=[str(self._folder.resolve())], templates=False)
            registry = replace(self._registry, loader=in_cells(self._registry.loader, cells))
            self._tables[uses_numpy] = _Table(Arena(cells=cells), registry)
        return self._tables[uses_numpy]

    @cached_property
    def _may_be_cut(self) -> bool:
        """Whether a whole game may take long, and one that is cut is a game still."""
        game = self._registry.game(self._game)
        return game.programs is not None and game.maps.truncate is not None

    @cached_property
    def _game_reference(self) -> Reference:
        return Finder(self._registry).game(self._game)

    @cached_property
    def _manager(self) -> Reference:
        return Finder(self._registry).manager(self._game)

    @cached_property
    def _maps(self) -> list[MapSource]:
        """The smallest, and the one that the game names for those who fail on it."""
        record = self._registry.game(self._game)
        players = usual_players(record)
        maps = smallest_first(Finder(self._registry).maps([INSTALLED], record, players).maps)
        if not maps:
            raise no_usable_map(self._registry, record, players)
        return [maps[0], *(source for source in maps[1:] if source.name == record.maps.usual)]
