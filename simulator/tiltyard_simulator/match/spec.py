"""What to play, as four small values that can be sent to other processes: see ``MatchSpec``."""

from __future__ import annotations

from typing import Any

from tiltyard_engine.data_classes import dataclass, replace
from tiltyard_engine.match_record import Outcome
from tiltyard_engine.registry import Reference
from tiltyard_engine.registry.sources import Origin
from tiltyard_engine.results import MANAGER_SEAT
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.limits import DEFAULT_LIMITS, MANAGER_LIMITS, Limits
from tiltyard_simulator.match.verdict import OnCrash


@dataclass(frozen=True, slots=True)
class MapSource:
    """A map file's name and bytes."""

    name: str
    """The file's stem, or the registered name."""
    data: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchInput:
    """Who plays what on which map, and by which rules: with ``Holding``, all that the result depends on."""

    game: Reference
    manager: Reference
    map: MapSource
    teams: tuple[Reference, ...]
    """Seat 1 first."""
    seed: int = 0
    rounds: int | None = None
    """End after so many rounds, although the players are told the map's limit; None: play to the end."""
    on_crash: OnCrash = OnCrash.FORFEIT
    """What a crash of a team's code means."""
    idle_on_fault: bool = False
    """Let failed seats idle whatever the GameManager prefers, so that GameManagers can be compared."""

    @property
    def players(self) -> tuple[Reference, ...]:
        """All whose code a match depends on: the game, the GameManager, each seat's team."""
        return self.game, self.manager, *self.teams

    @property
    def names(self) -> tuple[str, ...]:
        """The teams' labels, seat 1 first: by default their registered names."""
        return tuple(team.label for team in self.teams)

    @property
    def title(self) -> str:
        """Who meets whom where, such as ``ann - bob on duel``."""
        return f"{' - '.join(self.names)} on {self.map.name}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Holding:
    """How the code of a match is held: what the guard needs, and what the result depends on as well."""

    isolations: tuple[Isolation, ...] = ()
    """The wanted isolation of each seat; empty: all inline. See ``MatchSpec.isolation_of``."""
    limits: tuple[Limits, ...] = ()
    """What each seat may use, unless it is inline; empty: the defaults for all."""
    together: bool = False
    """Whether GameManager and teams share one sandbox, if each would have one of its own and all are compiled files."""
    manager_isolation: Isolation = Isolation.INLINE
    """The wanted isolation of the GameManager; see ``MatchSpec.isolation_of``."""
    manager_limits: Limits = MANAGER_LIMITS
    """What it may use, unless it is inline."""
    watch_infos: bool = False
    """Whether a tank that keeps its BattleInfo is a fault. For checking teams in cells."""

    def wanted_for(self, seat: int) -> Isolation:
        """The isolation that was chosen for a seat, counted from 1; 0 is the GameManager."""
        if seat == MANAGER_SEAT:
            return self.manager_isolation
        return self.isolations[seat - 1] if self.isolations else Isolation.INLINE

    def limits_of(self, seat: int) -> Limits:
        """What a seat, counted from 1, may use."""
        return self.limits[seat - 1] if self.limits else DEFAULT_LIMITS


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """What the caller wants to see of a match. The result does not depend on it."""

    replay: bool = False
    log: bool = False
    """Whether the GameManager is to write an output file."""
    trace: bool = False
    """Whether to record what each seat was asked and shown."""
    kept_view: tuple[int, int, int] | None = None
    """Of a traced match, the view to keep as a text: number of answers before it, seat and part."""
    measure: bool = False
    """Whether to record the CPU time of every call."""
    watch_denials: bool = False
    """Whether the fault of a program in a sandbox names what was denied to it. For checking programs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a match stands in a schedule, and the key under which its result is found again."""

    number: int = 0
    """In the schedule, from 0."""
    game_number: int = 0
    """The number of the game between the same teams on the same map, from 0."""
    stage: str = ""
    """What the format calls this part of the tournament."""
    key: str = ""
    """The match's key, set by ``key.with_key``; otherwise empty."""
    digests: tuple[str, ...] = ()
    """Set with the key: the digests of the code of the match's ``players``, without loaders of files."""


@dataclass(frozen=True, slots=True)
class MatchSpec:
    """A match to play: four values, of which each has its own readers. Take the one that you need, not all of it."""

    input: MatchInput
    holding: Holding = Holding()
    recording: Recording = Recording()
    place: Place = Place()

    def at(self, number: int) -> MatchSpec:
        """The match at another number of the schedule."""
        return replace(self, place=replace(self.place, number=number))

    def isolation_of(self, seat: int) -> Isolation:
        """The isolation of a seat, counted from 1; 0 is the GameManager.

        A program, a compiled file or a team with an environment of its own never runs in the match worker itself.
        """
        code = self.input.manager if seat == MANAGER_SEAT else self.input.teams[seat - 1]
        isolation = self.holding.wanted_for(seat)
        is_apart = code.program is not None or bool(code.source.environment) or (_is_compiled(code) and not self.plays_natively)
        return Isolation.PROCESS if is_apart and isolation is Isolation.INLINE else isolation

    @property
    def all_isolations(self) -> frozenset[Isolation]:
        """Those of the GameManager and of all seats."""
        return frozenset(map(self.isolation_of, range(MANAGER_SEAT, len(self.input.teams) + 1)))

    @property
    def plays_natively(self) -> bool:
        """Whether GameManager and teams share one process without Python: all are compiled files, and all inline or together.

        Not if the seats are observed, or if the players are told another limit than the GameManager.
        """
        isolations = {self.holding.wanted_for(seat) for seat in range(MANAGER_SEAT, len(self.input.teams) + 1)}
        return (
            isolations == {Isolation.SANDBOX if self.holding.together else Isolation.INLINE}
            and all(_is_compiled(code) for code in (self.input.manager, *self.input.teams))
            and not (self.recording.trace or self.holding.watch_infos or self.input.rounds is not None)
        )

    def label(self, outcome: Outcome) -> Outcome:
        """The outcome with this match's names, key and place."""
        labels: dict[str, Any] = {
            "teams": self.input.names,
            "map": self.input.map.name,
            "manager": self.input.manager.label,
            "key": self.place.key,
            "place": self.place.number,
            "seed": self.input.seed,
            "game": self.place.game_number,
            "stage": self.place.stage,
        }
        # A store of many matches is read with the labels that they were played under: copies of them all take longer than the rest.
        has_all = all(getattr(outcome, name) == label for name, label in labels.items())
        return outcome if has_all else replace(outcome, **labels)


def _is_compiled(reference: Reference) -> bool:
    return reference.source.origin is Origin.LIBRARY
