"""Quarantine: a team with many faults does not play any more, and all its matches count as forfeits.

When that begins depends only on the schedule, never on which match ends first: a match is not played if one of its teams had its
last allowed fault in an earlier match of the schedule. If it was played already, its result does not count. Earlier matches were
played, and formats have drawn others by what came of them; but in the end they count as forfeits too. Otherwise, of two equal
teams, the one that met this team later would stand before the other.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from typing import Final

from tiltyard_engine.claims import judge
from tiltyard_engine.match_record import NO_CLAIM, Interned, Outcome, outcome_of
from tiltyard_engine.registry import Reference
from tiltyard_engine.results import Fault, GameResult, Termination
from tiltyard_engine.texts.quantities import counted
from tiltyard_simulator.match.spec import MatchSpec

DEFAULT_FAULTS: Final = 10
QUARANTINE: Final = "FORFEIT"
"""The reason of a match that was not played because of it."""
DISQUALIFIED: Final = "DISQUALIFIED"
"""The reason of a match that was not played because a team may not play any more."""
HARMLESS: Final = frozenset([Termination.NORMAL, Termination.ILLEGAL_MOVE, Termination.FORFEIT, Termination.VOID])
"""No sign of broken code: illegal moves, matches that were not played, failures of the machine."""


class Quarantine:
    """Takes outcomes in any order, and settles them in the order of the schedule.

    Args:
        faults: how many matches with a fault of its own a team may have; 0: any number.
        disqualified: teams whose matches count if they were played, and are forfeits if not.
    """

    def __init__(self, faults: int = DEFAULT_FAULTS, disqualified: Collection[Reference] = ()) -> None:
        self._most = faults
        self._disqualified = frozenset(disqualified)
        self._waiting: dict[int, tuple[MatchSpec, Outcome]] = {}
        self._faults: dict[Reference, int] = {}
        self._interned = Interned()
        self.settled: list[Outcome] = []
        """What was known of each match when its turn came in the schedule, from the first match on."""

    def add(self, spec: MatchSpec, outcome: Outcome) -> Outcome:
        """Take the outcome of a match, in any order; what is kept of it: an equal value."""
        outcome = self._interned.outcome(outcome, spec.place.key)
        self._waiting[spec.place.number] = (spec, outcome)
        while len(self.settled) in self._waiting:
            self._settle(*self._waiting.pop(len(self.settled)))
        return outcome

    def without_playing(self, spec: MatchSpec, stored: Callable[[MatchSpec], Outcome | None]) -> Outcome | None:
        """What counts of a match as far as it is known: a forfeit, or what is stored of it; None if it must be played."""
        if (forfeit := self.forfeit(spec)) is not None:
            return forfeit
        outcome = stored(spec)
        if not self._disqualified or (outcome is not None and not outcome.is_void):
            return outcome
        seats = [seat for seat, team in enumerate(spec.input.teams, start=1) if team in self._disqualified]
        return forfeit_outcome(spec, seats, DISQUALIFIED.lower(), DISQUALIFIED) if seats else outcome

    def forfeit(self, spec: MatchSpec) -> Outcome | None:
        """The outcome of a match that is a forfeit; None if it must be played, as far as is known."""
        if not self._most or not self._faults:
            return None
        out = [seat for seat, team in enumerate(spec.input.teams, start=1) if self._faults.get(team, 0) >= self._most]
        if not out:
            return None
        return forfeit_outcome(spec, out, f"quarantined after {counted(self._most, 'match', 'matches')} with faults")

    def counted(self, matches: Sequence[MatchSpec], outcomes: Sequence[Outcome]) -> list[Outcome]:
        """What counts of matches now that it is known who is in quarantine; the outcomes in the order of the matches."""
        out = {team.label for team, faults in self._faults.items() if self._most and faults >= self._most}
        if not out:
            return list(outcomes)
        # What the machine spoilt needs no other end any more.
        ended = [(outcome.is_void and self.forfeit(spec)) or outcome for spec, outcome in zip(matches, outcomes, strict=True)]
        return counted_as_forfeits(ended, out)

    def _settle(self, spec: MatchSpec, outcome: Outcome) -> None:
        outcome = self.forfeit(spec) or outcome
        self.settled.append(outcome)
        at_fault = {
            spec.input.teams[fault.seat - 1] for fault in outcome.faults if fault.seat and fault.termination not in HARMLESS
        }
        for team in at_fault:
            self._faults[team] = self._faults.get(team, 0) + 1


def forfeit_outcome(spec: MatchSpec, seats: Sequence[int], why: str, reason: str = QUARANTINE) -> Outcome:
    """The outcome of a match that was not played because of these seats' teams, and ``why``."""
    faults = tuple(Fault(seat, Termination.FORFEIT, f"{why}: not played", 0) for seat in seats)
    claim = forfeit_claim(spec.input.names, seats, reason)
    return spec.label(outcome_of(claim, *judge(claim, faults, len(spec.input.teams)), faults, played=False))


def forfeit_claim(names: Sequence[str], seats: Sequence[int], reason: str) -> GameResult:
    """What stands in the place of a GameManager's claim where a match was not played because of these seats' teams."""
    word = "quarantined" if reason == QUARANTINE else reason.lower()
    return GameResult(0, reason, 0, (), message=f"Not played: {', '.join(names[seat - 1] for seat in seats)} {word}")


def counted_as_forfeits(outcomes: Sequence[Outcome], out: Collection[str]) -> list[Outcome]:
    """The outcomes, those of teams in quarantine as what they count as: their forfeits, whatever came of them."""
    return [_counted(outcome, [seat for seat, name in enumerate(outcome.teams, start=1) if name in out]) for outcome in outcomes]


def _counted(outcome: Outcome, seats: Sequence[int]) -> Outcome:
    more = tuple(seat for seat in seats if seat not in outcome.forfeits)
    if not more:
        return outcome
    absent = [Fault(seat, Termination.FORFEIT, "", 0) for seat in (*more, *outcome.forfeits)]
    winner, ranks = judge(NO_CLAIM, absent, len(outcome.teams))
    counted = replace(outcome, winner=winner, ranks=ranks, scores=(), forfeited=more)
    names = ", ".join(outcome.teams[seat - 1] for seat in sorted(counted.forfeits))
    return replace(counted, message=" ".join(f"Counts as a forfeit: {names} quarantined".split()))


def faults_in_quarantine(outcomes: Iterable[Outcome]) -> dict[str, tuple[int, int]]:
    """Of each team in quarantine, in how many matches it failed, and how many count as its forfeits."""
    found: dict[str, tuple[int, int]] = {}
    for outcome in outcomes:
        absent = outcome.forfeits if outcome.reason == QUARANTINE else outcome.forfeited
        at_fault = {outcome.blamed(fault.seat) for fault in outcome.faults if fault.seat and fault.termination not in HARMLESS}
        for name in {outcome.teams[seat - 1] for seat in absent}:
            faults, forfeits = found.get(name, (0, 0))
            found[name] = faults + (name in at_fault), forfeits + 1
    return found
