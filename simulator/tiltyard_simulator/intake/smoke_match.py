"""One short match of a team against itself, under the usual limits: whether what was built really plays."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from tiltyard_engine.errors import UserError
from tiltyard_engine.players import usual_players
from tiltyard_engine.registry import Registry
from tiltyard_engine.registry.lookup import choose
from tiltyard_engine.registry.registry import ALGORITHM, MANAGER
from tiltyard_engine.registry.sources import path_sources
from tiltyard_engine.replay import Recorder
from tiltyard_engine.results import MANAGER_SEAT
from tiltyard_simulator.guard.cell_pool import CellPool
from tiltyard_simulator.intake.fault_words import fault_in_words
from tiltyard_simulator.match.mentions import mentions
from tiltyard_simulator.match.spec import MatchSpec
from tiltyard_simulator.play.arena import Arena
from tiltyard_simulator.play.isolation_policy import IsolationPolicy
from tiltyard_simulator.play.lookup import INSTALLED, choose_maps, default_manager, game_reference, no_usable_map
from tiltyard_simulator.play.registry import GuardedLoader

ROUNDS: Final = 20
"""Of a first match in any case. Where programs are started again for each move, a whole game may take half a minute."""
MORE_SECONDS: Final = 10.0
"""For all first matches together, what rounds beyond these may take on the clock: a class of 200 takes minutes."""
MORE_SHARE: Final = 0.05
"""The same for one match, as a share of what its first rounds took, if that is more."""


@dataclass(frozen=True, slots=True)
class Smoke:
    """How a first match went."""

    said: str = ""
    """How long it was, and on which map; empty if none was played."""
    fault: str = ""
    """What went wrong; empty if nothing did."""


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

    def play(self, products: Sequence[Path]) -> Smoke:
        """How it went. Each product must load, and the algorithms play."""
        found = [self._play_one(path) for path in products]
        faults = dict.fromkeys(each.fault for each in found if each.fault)
        return Smoke("; ".join(dict.fromkeys(each.said for each in found if each.said)), "; ".join(faults))

    def _play_one(self, path: Path) -> Smoke:
        try:
            table = self._table(any(mentions(source, "numpy") for source in path_sources(path)))
            if path.parent.name == "game_managers":
                choose(str(path), MANAGER, table.registry, self._game)
                return Smoke()
            team = choose(str(path), ALGORITHM, table.registry, self._game)
            spec = replace(self._spec, algorithms=(team,) * self._players)
            watch = LongEnough(self._more_seconds) if self._may_be_cut else None
            record = table.arena.play(self._policy.apply(spec), watch)
        except UserError as error:
            # Where the file lies on this machine is nothing for the team.
            said = str(error).replace(f"{path}: ", "").replace(f"{path}:", "")
            return Smoke(fault=said.replace(f"{path.resolve().parent}/", ""))
        if record.manager_fault is not None:
            # Not the team's fault, and it has shown nothing.
            return Smoke(f"nothing: {record.message.removeprefix('no result: ')}")
        own = next((fault for fault in record.faults if fault.seat != MANAGER_SEAT), None)
        rounds = watch.rounds if watch is not None and watch.is_over else record.rounds
        said = f"{rounds} round{'' if rounds == 1 else 's'} on {spec.map.name}"
        return Smoke(said, "" if own is None else fault_in_words(own))

    def _table(self, uses_numpy: bool) -> _Table:
        if uses_numpy not in self._tables:
            # Each team plays once: spare cells and templates would be for nothing, and so would a zygote for each.
            cells = CellPool(reserve=0, readable=[str(self._folder.resolve())], templates=False)
            registry = self._registry
            if isinstance(loader := registry.loader, GuardedLoader):
                registry = replace(registry, loader=replace(loader, cells=cells, games=loader.find_games()))
            self._tables[uses_numpy] = _Table(Arena(cells=cells), registry)
        return self._tables[uses_numpy]

    @cached_property
    def _may_be_cut(self) -> bool:
        """Whether a whole game may take long, and one that is cut is a game still."""
        game = self._registry.game(self._game)
        return game.programs is not None and game.maps.truncate is not None

    @cached_property
    def _players(self) -> int:
        return usual_players(self._registry.game(self._game))

    @cached_property
    def _spec(self) -> MatchSpec:
        """The match, still without a team."""
        game = game_reference(self._registry, self._game)
        record = self._registry.game(self._game)
        maps = choose_maps([INSTALLED], self._registry, record, self._players).maps
        if not maps:
            raise no_usable_map(self._registry, record, self._players)
        smallest = min(maps, key=lambda source: (len(source.data), source.name))
        return MatchSpec(
            game=game,
            manager=default_manager(self._registry, self._game),
            map=smallest,
            algorithms=(),
        )
