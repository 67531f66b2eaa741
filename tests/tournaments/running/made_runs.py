"""Tournaments whose matches nobody plays: what comes of each is drawn from its key, in any order of finishing."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

import msgspec
from tests.conftest import DUEL, map_text
from tests.made_records import made_record

from tiltyard_engine.formats import Field, Format, TournamentFormat
from tiltyard_engine.lifecycle import Event
from tiltyard_engine.match_record import MatchRecord, Outcome, SeatAccount
from tiltyard_engine.registry import Reference, Registry
from tiltyard_engine.registry.registry import ALGORITHM, FORMAT, GAME, MANAGER
from tiltyard_engine.results import Fault, GameResult, Termination, judge
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.key import match_key
from tiltyard_simulator.match.spec import MapSource, MatchSpec
from tiltyard_simulator.play.arena import labelled
from tiltyard_simulator.play.executor import Ended
from tiltyard_simulator.registry.isolation_policy import IsolationPolicy
from tiltyard_tournaments.running.run import match_faults
from tiltyard_tournaments.running.tournament import Tournament

Play: TypeAlias = Callable[[MatchSpec], MatchRecord]


def tournament_of(
    registry: Registry,
    format_name: str = "round-robin",
    teams: int = 4,
    maps: int = 1,
    quarantine: int = 0,
    folder: Path = Path("cup"),
    options: Mapping[str, Any] | None = None,
    isolation: Isolation = Isolation.INLINE,
) -> Tournament:
    """Of so many teams, all of them acorn's code under other names."""
    acorn = registry.find(ALGORITHM, "acorn").reference
    names = ("ann", "bob", "cat", "dan", "eve", "fay", "gus", "hal")[:teams]
    references = tuple(Reference(kind=acorn.kind, name=name, game=acorn.game, source=acorn.source) for name in names)
    sources = tuple(MapSource(f"m{number}", map_text(DUEL, 5 + number, 5).encode()) for number in range(maps))
    tournament_field = Field(teams=names, maps=tuple(source.name for source in sources))
    record = registry.find(FORMAT, format_name).reference.load_as(Format)
    made_options = record.options(**(options or {}))

    def remake(other: Field, written: bytes) -> TournamentFormat:
        return record.create(other, msgspec.json.decode(written, type=record.options) if written else made_options)

    return Tournament(
        title="Cup",
        game=registry.find(GAME, "tanks").reference,
        manager=registry.find(MANAGER, "reference").reference,
        teams=references,
        maps=sources,
        format=record.create(tournament_field, made_options),
        remake_format=remake,
        format_options=msgspec.json.encode(made_options),
        format_name=format_name,
        field=tournament_field,
        folder=folder,
        isolation_policy=IsolationPolicy(isolation),
        quarantine=quarantine,
    )


def by_chance(salt: int, faults: int = 0, voids: int = 0) -> Play:
    """Records drawn from who plays where and the salt; ``faults`` and ``voids`` of 100 end so."""

    def play(spec: MatchSpec) -> MatchRecord:
        chance = random.Random(f"{salt} {spec.input.title} {spec.input.seed}")
        drawn = chance.randrange(100)
        if drawn < voids:
            return void()
        found = (Fault(chance.randint(1, 2), Termination.CRASH, "it broke", 2),) if drawn < voids + faults else ()
        return ended(chance.randint(0, 2), *found)

    return play


def ended(winner: int, *faults: Fault, message: str = "over") -> MatchRecord:
    """A match of two that came to an end."""
    claim = GameResult(winner, "ALL_TANKS_DEAD", 3, ("##",), remaining_tanks=(1, 0), message=message)
    judged, ranks = judge(claim, faults, 2)
    return made_record(claim=claim, winner=judged, ranks=ranks, faults=faults, accounts=(SeatAccount(held="inline"),) * 2)


def void() -> MatchRecord:
    """A match that the machine did not let come to an end."""
    fault = Fault(0, Termination.VOID, "given up: its match worker died", 0)
    return made_record(ranks=(1, 1), faults=(fault,), incidents=("its match worker died",))


@dataclass
class ShuffledExecutor:
    """Has up to ``ahead`` matches under way and ends them in an order drawn from ``seed``."""

    come_of: Play
    seed: int = 0
    ahead: int = 4
    played: list[str] = field(default_factory=list)
    """Keys, in the order of finishing."""
    stop_after: int | None = None
    """Raise KeyboardInterrupt after so many matches, as Ctrl-C does."""
    _waiting: list[MatchSpec] = field(default_factory=list)
    _chance: random.Random = field(default_factory=random.Random)

    def begin(self, preload: Iterable[Reference] = ()) -> None:
        self._chance = random.Random(self.seed)

    @property
    def room(self) -> int:
        return self.ahead - len(self._waiting)

    @property
    def is_busy(self) -> bool:
        return bool(self._waiting)

    def submit(self, spec: MatchSpec) -> None:
        self._waiting.append(spec)

    def poll(self, timeout: float) -> list[Ended]:
        if self.stop_after is not None and len(self.played) >= self.stop_after:
            raise KeyboardInterrupt
        spec = self._waiting.pop(self._chance.randrange(len(self._waiting)))
        self.played.append(match_key(spec))
        return [(spec, labelled(self.come_of(spec), spec))]

    def abandon(self) -> None:
        self._waiting.clear()


def tell_all(tell: Callable[[Event], None], outcome: Outcome) -> None:
    """Tell of a match's end as a run does, faults first."""
    for fault in match_faults(outcome):
        tell(fault)
    tell(outcome)


@dataclass
class Heard:
    """Everything that was told."""

    events: list[Event] = field(default_factory=list)

    def __call__(self, event: Event) -> None:
        self.events.append(event)
