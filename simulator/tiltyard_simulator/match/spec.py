"""What to play, as a value that can be sent to other processes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from tiltyard_engine.match_record import Outcome
from tiltyard_engine.registry import Reference
from tiltyard_engine.registry.sources import Origin
from tiltyard_engine.results import MANAGER_SEAT
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.limits import MANAGER_LIMITS, Limits
from tiltyard_simulator.match.on_crash import OnCrash


@dataclass(frozen=True, slots=True)
class MapSource:
    """A map file's name and bytes."""

    name: str
    """The file's stem, or the registered name."""
    data: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchSpec:
    """A match to play: everything that its result depends on, what to record, and its place in a schedule."""

    game: Reference
    manager: Reference
    map: MapSource
    algorithms: tuple[Reference, ...]
    """Seat 1 first."""
    seed: int = 0
    verbose: bool = False
    """Whether the GameManager is to write an output file."""
    record: bool = False
    """Whether to record a replay."""
    trace: bool = False
    """Whether to record what each seat was asked and shown."""
    kept_view: tuple[int, int, int] | None = None
    """Of a traced match, the view to keep as a text: number of answers before it, seat and part."""
    rounds: int | None = None
    """End after so many rounds, although the players are told the map's limit; None: play to the end."""
    idle_on_fault: bool = False
    """Let failed seats idle whatever the GameManager prefers, so that GameManagers can be compared."""
    on_crash: OnCrash = OnCrash.FORFEIT
    """What a crash of a team's code means."""

    isolations: tuple[Isolation, ...] = ()
    """The wanted isolation of each seat; empty: all inline. See ``isolation_of``."""
    limits: tuple[Limits, ...] = ()
    """What each seat may use, unless it is inline; empty: the defaults for all."""
    together: bool = False
    """Whether GameManager and teams share one sandbox, if each would have one of its own and all are compiled files."""
    manager_isolation: Isolation = Isolation.INLINE
    """The wanted isolation of the GameManager; see ``isolation_of``."""
    manager_limits: Limits = MANAGER_LIMITS
    """What it may use, unless it is inline."""
    measure: bool = False
    """Whether to record the CPU time of every call."""
    watch_infos: bool = False
    """Whether a tank that keeps its BattleInfo is a fault. For checking teams in cells."""
    watch_denials: bool = False
    """Whether the fault of a program in a sandbox names what was denied to it. For checking programs."""

    key: str = ""
    """The match's key, set by ``key.with_key``; otherwise empty."""
    digests: tuple[str, ...] = ()
    """Set with the key: the digests of the code of the game, the GameManager, and each seat's team, without loaders of files."""
    place: int = 0
    """In the schedule, from 0."""
    game_number: int = 0
    """The number of the game between the same teams on the same map, from 0."""
    stage: str = ""
    """What the format calls this part of the tournament."""

    def isolation_of(self, seat: int) -> Isolation:
        """The isolation of a seat, counted from 1; 0 is the GameManager.

        A program, a compiled file or a team with an environment of its own never runs in the match worker itself.
        """
        code = self.manager if seat == MANAGER_SEAT else self.algorithms[seat - 1]
        isolation = self._chosen_for(seat)
        is_apart = code.program is not None or bool(code.source.environment) or (_is_compiled(code) and not self.plays_natively)
        return Isolation.PROCESS if is_apart and isolation is Isolation.INLINE else isolation

    @property
    def all_isolations(self) -> frozenset[Isolation]:
        """Those of the GameManager and of all seats."""
        return frozenset(map(self.isolation_of, range(MANAGER_SEAT, len(self.algorithms) + 1)))

    @property
    def plays_natively(self) -> bool:
        """Whether GameManager and teams share one process without Python: all are compiled files, and all inline or together.

        Not if the seats are observed, or if the players are told another limit than the GameManager.
        """
        isolations = {self._chosen_for(seat) for seat in range(MANAGER_SEAT, len(self.algorithms) + 1)}
        return (
            isolations == {Isolation.SANDBOX if self.together else Isolation.INLINE}
            and all(_is_compiled(code) for code in (self.manager, *self.algorithms))
            and not (self.trace or self.watch_infos or self.rounds is not None)
        )

    def _chosen_for(self, seat: int) -> Isolation:
        if seat == MANAGER_SEAT:
            return self.manager_isolation
        return self.isolations[seat - 1] if self.isolations else Isolation.INLINE

    def limits_of(self, seat: int) -> Limits:
        """What a seat, counted from 1, may use."""
        return self.limits[seat - 1] if self.limits else Limits()

    def label(self, outcome: Outcome) -> Outcome:
        """The outcome with this match's names, key and place."""
        labels: dict[str, Any] = {
            "teams": self.names,
            "map": self.map.name,
            "manager": self.manager.label,
            "key": self.key,
            "place": self.place,
            "seed": self.seed,
            "game": self.game_number,
            "stage": self.stage,
        }
        # A store of many matches is read with the labels that they were played under: copies of them all take longer than the rest.
        has_all = all(getattr(outcome, name) == label for name, label in labels.items())
        return outcome if has_all else replace(outcome, **labels)

    @property
    def names(self) -> tuple[str, ...]:
        """The algorithms' labels, seat 1 first: by default their registered names."""
        return tuple(reference.label for reference in self.algorithms)


def _is_compiled(reference: Reference) -> bool:
    return reference.source.origin is Origin.LIBRARY
