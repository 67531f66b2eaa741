"""What came of a match: one record for everybody, from the worker that played it to the store, the tables and the observers."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace

from tiltyard_engine.replay import Replay
from tiltyard_engine.results import MANAGER_SEAT, Fault, GameResult, Termination

NO_CLAIM = GameResult(0, "", 0, ())
"""The claim of a GameManager that failed."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """One question to a seat's cell and its answer, as they travelled between the processes."""

    question: bytes
    answer: bytes
    """Empty where there was none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatAccount:
    """What a seat, or the GameManager, used and printed. Of one that runs inline only ``held`` is known."""

    held: str
    """How its code was isolated, such as ``inline`` or ``sandbox, level A``."""
    output: bytes = b""
    """What the team's code printed, up to its limit."""
    cpu_seconds: float = 0.0
    wall_seconds: float = 0.0
    """Used in answering, start-up included."""
    peak_bytes: int = 0
    """The most memory that its process held at once, the empty process's included."""
    calls: tuple[tuple[str, float, float], ...] = ()
    """Where times were measured: what was asked, the CPU seconds of the answer, and how many it might have had."""
    conversation: tuple[Exchange, ...] = ()
    """Of a seat that failed: all that was asked of it, up to a size."""
    was_early: bool = False
    """Whether a turn of a resident program began with something that it had written before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchRecord:
    """A match and what came of it."""

    teams: tuple[str, ...] = ()
    """Names, seat 1 first. One alone has a bye."""
    map: str = ""
    manager: str = ""
    """The GameManager's name."""
    winner: int = 0
    """A seat from 1; 0 is a tie, or no result."""
    ranks: tuple[int, ...] = ()
    """A place a seat, 1 is best, equal places shared."""
    claim: GameResult = NO_CLAIM
    """What the GameManager said; empty where it failed."""
    faults: tuple[Fault, ...] = ()
    no_contest: bool = False
    """Whether it counts for nobody because a team crashed, in a run where a crash means that."""
    forfeited: tuple[int, ...] = ()
    """Seats of teams in quarantine: it was played, but counts as their forfeit. Never stored: it follows from the other matches."""

    # Which match it was
    key: str = ""
    """A hash over all that the result depends on; empty where it was not asked for."""
    place: int = 0
    """In the schedule, from 0."""
    seed: int = 0
    game: int = 0
    """Which of the games between the same teams on the same map, from 0."""
    stage: str = ""
    """What the format calls this part of the tournament, such as ``round 3``."""

    # How it went
    replay: Replay | None = None
    requests: tuple[tuple[int, int, tuple[str, ...]], ...] = ()
    """Where it was traced: (seat, tank index, what it asked for round by round); by turns the answers, under tank 0."""
    views: tuple[tuple[tuple[int, int, int], str], ...] = ()
    """Where it was traced: (round, seat, tank index) of each view handed out, and the sha256 of its rows."""
    kept_view: str = ""
    """Where it was asked for: the text of one of these views."""
    accounts: tuple[SeatAccount, ...] = ()
    """What each seat used and printed, seat 1 first."""
    manager_account: SeatAccount | None = None
    """The same of a GameManager that did not run inline."""
    incidents: tuple[str, ...] = ()
    """Problems of the machine during this match or earlier attempts at it; no team is charged with them."""
    seconds: float = 0.0
    """Wall time; not part of the result."""
    played: bool = True
    """False: this run took it from the store, or it is a forfeit."""

    # The result

    @property
    def reason(self) -> str:
        """The game's own word for how it ended."""
        return self.claim.reason

    @property
    def rounds(self) -> int:
        """Rounds (or plies) that were played."""
        return self.claim.rounds

    @property
    def scores(self) -> tuple[float, ...]:
        """The game's own score a seat; empty where it has none, or where none counts."""
        return () if self.forfeited else self.claim.scores

    @property
    def winner_name(self) -> str | None:
        """The winning team; None is a tie, or no result."""
        return self.teams[self.winner - 1] if self.winner else None

    @property
    def manager_fault(self) -> Fault | None:
        """Why there is no result, if there is none."""
        return next((fault for fault in self.faults if fault.seat == MANAGER_SEAT), None)

    @property
    def is_void(self) -> bool:
        """Whether the machine did not let the match come to an end."""
        return any(fault.termination is Termination.VOID for fault in self.faults)

    @property
    def is_forfeit(self) -> bool:
        """Whether a team was not there to play. If the match was played before that was known, that counts for nothing."""
        return any(fault.seat and fault.termination is Termination.FORFEIT for fault in self.faults)

    @property
    def forfeits(self) -> frozenset[int]:
        """Seats that forfeited it: their teams were not there to play, or are in quarantine."""
        if not self.faults:
            return frozenset(self.forfeited)
        absent = (fault.seat for fault in self.faults if fault.seat and fault.termination is Termination.FORFEIT)
        return frozenset((*self.forfeited, *absent))

    @property
    def counts(self) -> bool:
        """Whether there is a result: somebody was there to play, and the GameManager came to one that no crash made void.

        The latter doesn't matter where the match counts as a forfeit whatever came of it.
        """
        if not (self.faults or self.forfeited):
            # Nearly all matches, and this is asked again and again.
            return not self.no_contest
        forfeits = self.forfeits
        if forfeits and len(forfeits) == len(self.ranks):
            return False
        return bool(self.forfeited) or (self.manager_fault is None and not self.no_contest)

    @property
    def message(self) -> str:
        """How the match ended, in one line whatever a plugin's messages hold."""
        return " ".join(self._message().split())

    def _message(self) -> str:
        if self.forfeited:
            return f"Counts as a forfeit: {', '.join(self.teams[seat - 1] for seat in sorted(self.forfeits))} quarantined"
        fault = self.manager_fault
        if fault is not None:
            return f"no result: the GameManager failed: {fault.termination.value}: {fault.message}"
        if any(fault.termination is Termination.FORFEIT for fault in self.faults):
            return self.claim.message
        blamed = "; ".join(f"player {fault.seat}: {fault.termination.value}: {fault.message}" for fault in self.faults)
        if self.no_contest:
            return f"no result: the match is void because of a crash ({blamed})"
        if blamed and self.winner != self.claim.winner:
            verdict = f"Player {self.winner} won" if self.winner else "Tie"
            return f"{verdict} because of {'a fault' if len(self.faults) == 1 else 'faults'} ({blamed})"
        return f"{self.claim.message} ({blamed})" if blamed else self.claim.message

    @property
    def digest(self) -> str:
        """A fingerprint of how it went: equal for two that went the same way, as far as their claims tell. Empty: not known."""
        claim = self.claim
        if not self.counts or not (claim.reason or claim.rounds or claim.final_state):
            return ""
        seen = (claim.reason, claim.rounds, claim.final_state, claim.remaining_tanks, claim.scores, claim.message)
        return hashlib.blake2b(repr(seen).encode(), digest_size=8).hexdigest()

    # The seats

    @property
    def held(self) -> tuple[str, ...]:
        """How each seat's code was isolated."""
        return tuple(account.held for account in self.accounts)

    def blamed(self, seat: int) -> str:
        """Who sits on a seat, for messages; 0 is the GameManager."""
        return f"GameManager {self.manager}" if seat == MANAGER_SEAT else self.teams[seat - 1]

    def account_of(self, seat: int) -> SeatAccount | None:
        """A seat's, counted from 1, or of 0 the GameManager's."""
        if seat == MANAGER_SEAT:
            return self.manager_account
        return self.accounts[seat - 1] if seat <= len(self.accounts) else None

    def without_conversations(self) -> MatchRecord:
        """The same without what failed seats were asked: that is large, and many records are kept."""
        if not any(account.conversation for account in self.accounts):
            return self
        return replace(self, accounts=tuple(replace(account, conversation=()) for account in self.accounts))

    def bare(self) -> MatchRecord:
        """The same without what is large or for the teams alone: replay, traces, and what code printed and was asked."""
        accounts = tuple([SeatAccount(held=account.held) for account in self.accounts])
        large = self.replay, self.requests, self.views, self.kept_view, self.manager_account
        if large == (None, (), (), "", None) and self.accounts == accounts:
            # Most records of a large tournament are so: copies of them all would take long.
            return self
        return replace(self, replay=None, requests=(), views=(), kept_view="", accounts=accounts, manager_account=None)


def bye(team: str, place: int = 0, stage: str = "") -> MatchRecord:
    """A match that a team wins because nobody is left to meet."""
    claim = GameResult(1, "", 0, (), message=f"{team} has a bye")
    return MatchRecord(teams=(team,), winner=1, ranks=(1,), claim=claim, place=place, stage=stage)
