"""Tournaments whose matches nobody plays: what comes of each is drawn from its key, in any order of finishing."""

from __future__ import annotations

import random
from collections.abc import Callable, Generator, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from tests.conftest import DUEL, map_text

from tiltyard_engine.formats import Field, Format
from tiltyard_engine.lifecycle import Event
from tiltyard_engine.registry import Reference, Registry
from tiltyard_engine.registry.registry import ALGORITHM, FORMAT, GAME, MANAGER
from tiltyard_engine.results import Fault, GameResult, Termination
from tiltyard_simulator.guard.isolation import Isolation
from tiltyard_simulator.guard.trust import Holding
from tiltyard_simulator.judging import judge
from tiltyard_simulator.loading import load
from tiltyard_simulator.match_key import match_key
from tiltyard_simulator.specs import MapSource, MatchOutcome, MatchSpec, SeatAccount
from tiltyard_tournaments.running.events import match_faults, match_finished
from tiltyard_tournaments.running.schedule import Planned
from tiltyard_tournaments.running.tournament import Tournament

Play: TypeAlias = Callable[[MatchSpec], MatchOutcome]


def tournament_of(
    registry: Registry,
    format_name: str = "round-robin",
    teams: int = 4,
    maps: int = 1,
    quarantine: int = 0,
    folder: Path = Path("cup"),
    options: Mapping[str, Any] | None = None,
) -> Tournament:
    """Of so many teams, all of them acorn's code under other names."""
    acorn = registry.find(ALGORITHM, "acorn").reference
    names = ("ann", "bob", "cat", "dan", "eve", "fay", "gus", "hal")[:teams]
    references = tuple(Reference(acorn.kind, name, acorn.game, acorn.source) for name in names)
    sources = tuple(MapSource(f"m{number}", map_text(DUEL, 5 + number, 5).encode()) for number in range(maps))
    tournament_field = Field(names, tuple(source.name for source in sources))
    record = load(registry.find(FORMAT, format_name).reference, Format)
    return Tournament(
        "Cup",
        registry.find(GAME, "tanks").reference,
        registry.find(MANAGER, "reference").reference,
        references,
        sources,
        record.create(tournament_field, record.options(**(options or {}))),
        format_name,
        tournament_field,
        folder,
        holding=Holding(Isolation.INLINE),
        quarantine=quarantine,
    )


def by_chance(salt: int, faults: int = 0, voids: int = 0) -> Play:
    """Outcomes drawn from the match's key and the salt; ``faults`` and ``voids`` of 100 end so."""

    def play(spec: MatchSpec) -> MatchOutcome:
        chance = random.Random(f"{salt} {match_key(spec)}")
        drawn = chance.randrange(100)
        if drawn < voids:
            return void()
        found = (Fault(chance.randint(1, 2), Termination.CRASH, "it broke", 2),) if drawn < voids + faults else ()
        return ended(chance.randint(0, 2), *found)

    return play


def ended(winner: int, *faults: Fault, message: str = "over") -> MatchOutcome:
    """A match of two that came to an end."""
    claim = GameResult(winner, "ALL_TANKS_DEAD", 3, ("##",), (1, 0), message=message)
    judged, ranks = judge(claim, faults, 2)
    return MatchOutcome(claim, judged, ranks, faults, accounts=(SeatAccount("inline"),) * 2)


def void() -> MatchOutcome:
    """A match that the machine did not let come to an end."""
    fault = Fault(0, Termination.VOID, "given up: its match worker died", 0)
    return MatchOutcome(GameResult(0, "VOID", 0, ()), 0, (1, 1), (fault,), incidents=("its match worker died",))


@dataclass
class ShuffledExecutor:
    """Has up to ``ahead`` matches under way and ends them in an order drawn from ``seed``."""

    outcome: Play
    seed: int = 0
    ahead: int = 4
    played: list[str] = field(default_factory=list)
    """Keys, in the order of finishing."""
    stop_after: int | None = None
    """Raise KeyboardInterrupt after so many matches, as Ctrl-C does."""

    def play(self, matches: Iterable[tuple[int, MatchSpec]]) -> Generator[tuple[int, MatchOutcome], None, None]:
        """As ``Executor.play``."""
        chance = random.Random(self.seed)
        waiting: list[tuple[int, MatchSpec]] = []
        source = iter(matches)
        while True:
            while len(waiting) < self.ahead and (match := next(source, None)) is not None:
                waiting.append(match)
            if not waiting:
                return
            if self.stop_after is not None and len(self.played) >= self.stop_after:
                raise KeyboardInterrupt
            place, spec = waiting.pop(chance.randrange(len(waiting)))
            self.played.append(match_key(spec))
            yield place, self.outcome(spec)


def tell_all(tell: Callable[[Event], None], planned: Planned, outcome: MatchOutcome) -> None:
    """Tell of a match's end as a run does, faults first."""
    for fault in match_faults(planned, outcome):
        tell(fault)
    tell(match_finished(planned, outcome))


@dataclass
class Heard:
    """Everything that was told."""

    events: list[Event] = field(default_factory=list)

    def __call__(self, event: Event) -> None:
        self.events.append(event)
