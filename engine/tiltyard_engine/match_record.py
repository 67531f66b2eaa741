"""A match's result in two parts: its outcome, which a run keeps of all its matches, and the evidence, which goes to the store.

Tables, formats, ratings, pages and observers read an ``Outcome``. A ``MatchRecord`` has both parts; it exists on the way from the
worker to the store, and where a single match is looked at.
"""

from __future__ import annotations

import hashlib
from collections.abc import Hashable
from typing import Any, Final, TypeVar, cast

from tiltyard_engine.data_classes import dataclass, fields, replace
from tiltyard_engine.replay import Replay
from tiltyard_engine.results import MANAGER_SEAT, Fault, GameResult, PairingEnding, Termination

H = TypeVar("H", bound=Hashable)
DISQUALIFICATION: Final = "DISQUALIFIED"
"""The reason of a match that was not played because a team was disqualified."""
WITHDRAWAL: Final = "WITHDRAWN"
"""The reason of a match that was not played because a team has left."""
WALKOVERS: Final = frozenset([DISQUALIFICATION, WITHDRAWAL])
NO_OPPONENT: Final = (PairingEnding.HALF_POINT_BYE, PairingEnding.LATE, PairingEnding.ABSENT, PairingEnding.CARRIED)
ABSENCES: Final = {each.value: each for each in NO_OPPONENT}
"""Why a team without an opponent has none, by the reason of its outcome; else it has a bye."""
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


class Interned:
    """Remembers each value that it was given, and returns the first one that is equal: so it is in memory once for many matches."""

    def __init__(self) -> None:
        self._same: dict[Hashable, Hashable] = {}

    def one(self, value: H) -> H:
        """The value, or an equal one that was there before. Give one object values of types that are never equal to each other."""
        return cast(H, self._same.setdefault(value, value))

    def outcome(self, outcome: Outcome, key: str) -> Outcome:
        """An equal outcome whose names, texts and places are those of others; ``key`` is its key, as the caller keeps it."""
        return replace(outcome, key=key, **{name: self.one(getattr(outcome, name)) for name in _SHARED})


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The result of a match: all that tables, formats, ratings and pages need, in plain values. ``outcome_of`` makes it."""

    teams: tuple[str, ...] = ()
    """Names, seat 1 first. One alone has a bye."""
    map: str = ""
    manager: str = ""
    """The GameManager's name."""
    winner: int = 0
    """A seat from 1; 0 is a tie, or no result."""
    ranks: tuple[int, ...] = ()
    """A place a seat, 1 is best, equal places shared."""
    scores: tuple[float, ...] = ()
    """The game's own score a seat; empty where it has none, or where none counts."""
    reason: str = ""
    """The game's own word for how it ended."""
    message: str = ""
    """How the match ended, in one line whatever a plugin's messages hold."""
    rounds: int = 0
    """Rounds (or plies) that were played."""
    remaining: tuple[int, ...] = ()
    """Living tanks a seat, where the game has tanks."""
    faults: tuple[Fault, ...] = ()
    no_contest: bool = False
    """Whether it counts for nobody because a team crashed, in a run where a crash means that."""
    forfeited: tuple[int, ...] = ()
    """Seats of teams in quarantine: it was played, but counts as their forfeit. Never stored: it follows from the other matches."""
    digest: str = ""
    """A fingerprint of how it went: equal for two that went the same way, as far as their claims tell. Empty: not known."""

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
    held: tuple[str, ...] = ()
    """How each seat's code was isolated, such as ``inline`` or ``sandbox, level A``; empty where nobody played."""
    manager_held: str = ""
    """How a GameManager was isolated that did not run inline."""
    incidents: tuple[str, ...] = ()
    """Problems of the machine during this match or earlier attempts at it; no team is charged with them."""
    seconds: float = 0.0
    """Wall time; not part of the result."""
    played: bool = True
    """False: this run took it from the store, or it is a forfeit."""

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
    def ending(self) -> PairingEnding:
        """How it ended, or why it was not played."""
        if len(self.teams) == 1 and not self.map:
            return ABSENCES.get(self.reason, PairingEnding.BYE)
        if not (self.faults or self.forfeited or self.no_contest):
            # Nearly all matches, and this is asked again and again.
            return PairingEnding.PLAYED
        if self.is_void:
            return PairingEnding.VOID
        if self.forfeits:
            return PairingEnding.WALKOVER if self.reason in WALKOVERS else PairingEnding.FORFEIT
        return PairingEnding.PLAYED if self.counts else PairingEnding.NO_RESULT

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

        The latter doesn't matter where the match counts as a forfeit whatever its result.
        """
        if not (self.faults or self.forfeited):
            # Nearly all matches, and this is asked again and again.
            return not self.no_contest
        forfeits = self.forfeits
        if forfeits and len(forfeits) == len(self.ranks):
            return False
        return bool(self.forfeited) or (self.manager_fault is None and not self.no_contest)

    def blamed(self, seat: int) -> str:
        """Who sits on a seat, for messages; 0 is the GameManager."""
        return f"GameManager {self.manager}" if seat == MANAGER_SEAT else self.teams[seat - 1]

    # What observers and publishers of earlier versions read

    @property
    def claim(self) -> GameResult:
        """The result in the form of a GameManager's claim, without the board and the output file."""
        return GameResult(
            self.winner,
            self.reason,
            self.rounds,
            (),
            remaining_tanks=self.remaining,
            ranks=self.ranks,
            scores=self.scores,
            message=self.message,
        )

    @property
    def accounts(self) -> tuple[SeatAccount, ...]:
        """How each seat was isolated, in the form of its account."""
        return tuple([SeatAccount(held=held) for held in self.held])

    def account_of(self, seat: int) -> SeatAccount | None:
        """A seat's account, counted from 1, or of 0 the GameManager's."""
        return _account(self.accounts, self.manager_account, seat)

    @property
    def manager_account(self) -> SeatAccount | None:
        """How a GameManager that did not run inline was isolated, in the form of its account."""
        return SeatAccount(held=self.manager_held) if self.manager_held else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """How a match went, for whoever looks into a single one. It is written to the store and to fault folders; a run keeps none."""

    claim: GameResult = NO_CLAIM
    """What the GameManager said; empty where it failed."""
    replay: bytes = b""
    """As it is stored. Empty: it was not recorded, or could not be."""
    replay_problem: str = ""
    """Why what was recorded is no replay."""
    requests: tuple[tuple[int, int, tuple[str, ...]], ...] = ()
    """Where it was traced: (seat, tank index, what it asked for round by round); by turns the answers, under tank 0."""
    views: tuple[tuple[tuple[int, int, int], str], ...] = ()
    """Where it was traced: (round, seat, tank index) of each view handed out, and the sha256 of its rows."""
    kept_view: str = ""
    """Where it was asked for: the text of one of these views."""
    accounts: tuple[SeatAccount, ...] = ()
    """What each seat used and printed, seat 1 first."""
    manager_account: SeatAccount | None = None
    """What a GameManager used and printed that did not run inline."""

    def account_of(self, seat: int) -> SeatAccount | None:
        """A seat's account, counted from 1, or of 0 the GameManager's."""
        return _account(self.accounts, self.manager_account, seat)


NO_EVIDENCE = Evidence()


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchRecord:
    """A match that was played, with all that is known of it."""

    outcome: Outcome
    evidence: Evidence = NO_EVIDENCE

    def changed(self, **values: Any) -> MatchRecord:
        """The record with other values in its outcome."""
        return replace(self, outcome=replace(self.outcome, **values))

    def with_faults(self, faults: tuple[Fault, ...]) -> MatchRecord:
        """The record with other words for its faults; who won stays."""
        old = self.outcome
        return self.changed(faults=faults, message=_message(self.evidence.claim, old.winner, faults, old.no_contest))


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayedMatch(Outcome):
    """A single match for whoever had it played: its outcome, what ``Evidence`` has of it, and the replay opened."""

    claim: GameResult = NO_CLAIM
    replay: Replay | None = None
    accounts: tuple[SeatAccount, ...] = ()
    manager_account: SeatAccount | None = None


def played_match(record: MatchRecord, replay: Replay | None) -> PlayedMatch:
    """The match of a record, with its replay."""
    evidence = {name: getattr(record.evidence, name) for name in ("claim", "accounts", "manager_account")}
    return PlayedMatch(**outcome_values(record.outcome), **evidence, replay=replay)


def outcome_values(outcome: Outcome) -> dict[str, Any]:
    """The fields of an outcome by their names."""
    return {name: getattr(outcome, name) for name in _OUTCOME_NAMES}


_SHARED = ("teams", "map", "manager", "ranks", "reason", "message", "remaining", "stage", "held", "manager_held")
_OUTCOME_NAMES = tuple(field.name for field in fields(Outcome))


def outcome_of(
    claim: GameResult, winner: int, ranks: tuple[int, ...], faults: tuple[Fault, ...] = (), no_contest: bool = False, **others: Any
) -> Outcome:
    """The outcome of a match by what its GameManager said and what was judged; ``others`` are fields that say which it was."""
    outcome = Outcome(
        winner=winner,
        ranks=ranks,
        scores=claim.scores,
        reason=claim.reason,
        message=_message(claim, winner, faults, no_contest),
        rounds=claim.rounds,
        remaining=claim.remaining_tanks,
        faults=faults,
        no_contest=no_contest,
        digest=_digest(claim),
        **others,
    )
    return outcome if outcome.counts or not outcome.digest else replace(outcome, digest="")


def _message(claim: GameResult, winner: int, faults: tuple[Fault, ...], no_contest: bool) -> str:
    return " ".join(_words(claim, winner, faults, no_contest).split())


def _words(claim: GameResult, winner: int, faults: tuple[Fault, ...], no_contest: bool) -> str:
    if not faults and not no_contest:
        return claim.message
    fault = next((fault for fault in faults if fault.seat == MANAGER_SEAT), None)
    if fault is not None:
        return f"no result: the GameManager failed: {fault.termination.value}: {fault.message}"
    if any(fault.termination is Termination.FORFEIT for fault in faults):
        return claim.message
    blamed = "; ".join(f"player {fault.seat}: {fault.termination.value}: {fault.message}" for fault in faults)
    if no_contest:
        return f"no result: the match is void because of a crash ({blamed})"
    if winner != claim.winner:
        verdict = f"Player {winner} won" if winner else "Tie"
        return f"{verdict} because of {'a fault' if len(faults) == 1 else 'faults'} ({blamed})"
    return f"{claim.message} ({blamed})"


def _digest(claim: GameResult) -> str:
    if not (claim.reason or claim.rounds or claim.final_state):
        return ""
    parts = (claim.reason, claim.rounds, claim.final_state, claim.remaining_tanks, claim.scores, claim.message)
    return hashlib.blake2b(repr(parts).encode(), digest_size=8).hexdigest()


def _account(accounts: tuple[SeatAccount, ...], managers: SeatAccount | None, seat: int) -> SeatAccount | None:
    if seat == MANAGER_SEAT:
        return managers
    return accounts[seat - 1] if seat <= len(accounts) else None


def bye(team: str, place: int = 0, stage: str = "", ending: PairingEnding = PairingEnding.BYE, points: float = 0.0) -> Outcome:
    """A round in which a team has no opponent: because nobody is left to meet, or for another reason.

    ``points``: what it has for a round before it came, by ``PairingEnding.LATE``.
    """
    words = {PairingEnding.LATE: "was not there yet", PairingEnding.ABSENT: "was absent"}.get(ending, f"has a {ending}")
    return Outcome(
        teams=(team,),
        winner=1 if ending is PairingEnding.BYE else 0,
        ranks=(1,),
        scores=(points,) if points else (),
        reason=ending.value,
        message=f"{team} {words}",
        place=place,
        stage=stage,
    )
