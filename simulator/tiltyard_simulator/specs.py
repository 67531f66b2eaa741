"""What to play, and what came of it: plain values that travel between processes."""

from __future__ import annotations

from dataclasses import dataclass, replace

from tiltyard_engine.registry import Reference
from tiltyard_engine.registry.sources import Origin
from tiltyard_engine.replay import Replay
from tiltyard_engine.results import MANAGER_SEAT, Fault, GameResult, Termination
from tiltyard_simulator.guard.isolation import Isolation
from tiltyard_simulator.guard.limits import MANAGER_LIMITS, Limits


@dataclass(frozen=True, slots=True)
class MapSource:
    """A map file's name and bytes."""

    name: str
    """The file's stem, or the registered name."""
    data: bytes


@dataclass(frozen=True, slots=True)
class MatchSpec:
    """One match: everything that its result depends on, and what is wanted of it."""

    game: Reference
    manager: Reference
    map: MapSource
    algorithms: tuple[Reference, ...]
    """Seat 1 first."""
    seed: int = 0
    verbose: bool = False
    """Whether the output file's text is wanted."""
    record: bool = False
    """Whether a replay is wanted."""
    trace: bool = False
    """Whether each tank's requests and views are wanted as the seats saw them."""
    rounds: int | None = None
    """End after so many rounds although the players are told the map's own limit; None: play it out."""
    idle_on_fault: bool = False
    """Let failed seats idle whatever the manager can do, so that different managers stay comparable."""

    isolations: tuple[Isolation, ...] = ()
    """How each seat's code is held; empty: all in the manager's own process."""
    limits: tuple[Limits, ...] = ()
    """What each seat may use, unless it is in the manager's own process; empty: the defaults for all."""
    manager_isolation: Isolation = Isolation.INLINE
    """How the GameManager's code is held; inline: in the match worker."""
    manager_limits: Limits = MANAGER_LIMITS
    """What it may use, unless it is inline."""
    measure: bool = False
    """Whether the CPU time of every call is wanted."""
    watch_infos: bool = False
    """For checking a team that is in a cell: a tank that keeps its BattleInfo is a fault."""

    def isolation_of(self, seat: int) -> Isolation:
        """How the code of a seat, counted from 1, is held; a program or a compiled file is never in the match worker itself."""
        chosen, algorithm = self._chosen_for(seat), self.algorithms[seat - 1]
        is_apart = algorithm.program is not None or (_is_compiled(algorithm) and not self.is_compiled)
        return Isolation.PROCESS if is_apart and chosen is Isolation.INLINE else chosen

    @property
    def is_compiled(self) -> bool:
        """Whether manager and teams are all compiled files and all held inline: then they share one process, but no Python's.

        Not where what passes between them is to be seen, or the players are told another limit than the manager.
        """
        return (
            _is_compiled(self.manager)
            and self.manager_isolation is Isolation.INLINE
            and all(_is_compiled(algorithm) for algorithm in self.algorithms)
            and all(self._chosen_for(seat) is Isolation.INLINE for seat in range(1, len(self.algorithms) + 1))
            and not (self.trace or self.watch_infos or self.rounds is not None)
        )

    def _chosen_for(self, seat: int) -> Isolation:
        return self.isolations[seat - 1] if self.isolations else Isolation.INLINE

    def blamed(self, seat: int) -> str:
        """Who sits on a seat, for messages; 0 is the GameManager."""
        return f"GameManager {self.manager.name}" if seat == MANAGER_SEAT else self.names[seat - 1]

    def limits_of(self, seat: int) -> Limits:
        """What a seat, counted from 1, may use."""
        return self.limits[seat - 1] if self.limits else Limits()

    @property
    def names(self) -> tuple[str, ...]:
        """What the algorithms are called in tables, seat 1 first: their registered names, where nobody says otherwise."""
        return tuple(reference.label for reference in self.algorithms)


def _is_compiled(reference: Reference) -> bool:
    return reference.source.origin is Origin.LIBRARY


@dataclass(frozen=True, slots=True)
class Exchange:
    """One question to a seat's cell and its answer, as they travelled: msgpack of ``guard.messages``."""

    question: bytes
    answer: bytes
    """Empty where there was none."""


@dataclass(frozen=True, slots=True)
class SeatAccount:
    """What is known of a seat, or of the GameManager, beside its faults. Of one that is held inline only ``held``."""

    held: str
    """Such as ``inline`` or ``sandbox, level A``."""
    output: bytes = b""
    """What the team's code printed, up to its limit."""
    cpu_seconds: float = 0.0
    wall_seconds: float = 0.0
    """Used in answering, start-up included."""
    peak_bytes: int = 0
    """The most memory that its process held at once, the empty process's included."""
    calls: tuple[tuple[str, float, float], ...] = ()
    """With ``measure``: what was asked, the CPU seconds of the answer, and how many it might have had."""
    conversation: tuple[Exchange, ...] = ()
    """Of a seat that failed: all that was asked of it, up to a size."""


@dataclass(frozen=True, slots=True)
class MatchOutcome:
    """A match that was played: the manager's claim, what the host saw, and the verdict."""

    claim: GameResult
    """Empty where the manager failed."""
    winner: int
    """After judging; 0 is a tie, or no result where the manager failed."""
    ranks: tuple[int, ...]
    faults: tuple[Fault, ...] = ()
    replay: Replay | None = None
    requests: tuple[tuple[int, int, tuple[str, ...]], ...] = ()
    """With ``trace``: (seat, tank index, what it asked for round by round); by turns the answers, under tank 0."""
    views: tuple[tuple[tuple[int, int, int], str], ...] = ()
    """With ``trace``: (round, seat, tank index) of each view handed out, and the sha256 of its rows."""
    accounts: tuple[SeatAccount, ...] = ()
    """What each seat used and printed, seat 1 first."""
    manager_account: SeatAccount | None = None
    """The same of a GameManager that is not inline."""
    incidents: tuple[str, ...] = ()
    """What the machine did meanwhile, or to earlier attempts at this match; nobody is charged with it."""
    seconds: float = 0.0
    """Wall time; not part of the result."""

    @property
    def held(self) -> tuple[str, ...]:
        """How each seat's code was held."""
        return tuple(account.held for account in self.accounts)

    def account_of(self, seat: int) -> SeatAccount | None:
        """A seat's, counted from 1, or of 0 the GameManager's."""
        if seat == MANAGER_SEAT:
            return self.manager_account
        return self.accounts[seat - 1] if seat <= len(self.accounts) else None

    def without_conversations(self) -> MatchOutcome:
        """The same without what failed seats were asked: that is large, and many outcomes are kept."""
        if not any(account.conversation for account in self.accounts):
            return self
        return replace(self, accounts=tuple(replace(account, conversation=()) for account in self.accounts))

    @property
    def manager_fault(self) -> Fault | None:
        """Why there is no result, if there is none."""
        return next((fault for fault in self.faults if fault.seat == MANAGER_SEAT), None)

    @property
    def is_void(self) -> bool:
        """Whether the machine did not let the match come to an end."""
        return any(fault.termination is Termination.VOID for fault in self.faults)

    @property
    def counts(self) -> bool:
        """Whether there is a result: the manager came to one, and somebody was there to play."""
        forfeits = sum(1 for fault in self.faults if fault.seat and fault.termination is Termination.FORFEIT)
        return self.manager_fault is None and not (forfeits and forfeits == len(self.ranks))

    @property
    def message(self) -> str:
        """How the match ended, in one line whatever a plugin's messages hold."""
        return " ".join(self._message().split())

    def _message(self) -> str:
        fault = self.manager_fault
        if fault is not None:
            return f"no result: the GameManager failed: {fault.termination.value}: {fault.message}"
        if any(fault.termination is Termination.FORFEIT for fault in self.faults):
            return self.claim.message
        blamed = "; ".join(f"player {fault.seat}: {fault.termination.value}: {fault.message}" for fault in self.faults)
        if self.winner != self.claim.winner:
            verdict = f"Player {self.winner} won" if self.winner else "Tie"
            return f"{verdict} by the host's judgement ({blamed})"
        return f"{self.claim.message} ({blamed})" if blamed else self.claim.message
