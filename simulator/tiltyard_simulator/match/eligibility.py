"""Eligibility: who may play which match, which is a forfeit and why, and what counts in the end.

A team is excluded from a place of the schedule on, for a reason. In quarantine it comes to be by its faults, or the organiser
has disqualified it. Of what it has played, either everything counts or nothing.

When a quarantine begins depends only on the schedule, never on which match ends first: a match is not played if one of its teams
had its last allowed fault in an earlier match of the schedule. If it was played already, its result does not count. Earlier matches
were played, and formats have drawn others by what came of them; but in the end they count as forfeits too. Otherwise, of two equal
teams, the one that met this team later would stand before the other.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Final

from tiltyard_engine.data_classes import dataclass, replace
from tiltyard_engine.decisions import DecidedOutcome, Decision, as_decided, rulings_of
from tiltyard_engine.match_record import NO_CLAIM, Interned, Outcome, outcome_of
from tiltyard_engine.registry import Reference
from tiltyard_engine.results import Fault, GameResult, Termination, judge
from tiltyard_engine.texts.quantities import counted
from tiltyard_simulator.match.spec import MatchInput, MatchSpec

DEFAULT_FAULTS: Final = 10
QUARANTINE: Final = "FORFEIT"
"""The reason of a match that was not played because of it."""
_NOT_PLAYED = ": not played"
HARMLESS: Final = frozenset([Termination.NORMAL, Termination.ILLEGAL_MOVE, Termination.FORFEIT, Termination.VOID])
"""No sign of broken code: illegal moves, matches that were not played, failures of the machine."""


@dataclass(frozen=True, slots=True)
class Exclusion:
    """Why a team no longer plays, and from which match on."""

    reason: str
    """Of each match that is not played because of it, such as ``QUARANTINE``."""
    why: str
    """In a few words, such as ``disqualified``."""
    since: int = 0
    """The place in the schedule of the first match that it may not play any more."""
    counts: bool = True
    """Whether matches that it has played count. If not, all its matches are forfeits, as soon as that is known."""


class Eligibility:
    """Who may play which matches of a schedule. It takes outcomes in any order, and settles them in the order of the schedule.

    All that it says follows from the schedule and the outcomes, whatever the order in which these come.

    Args:
        most_faults: how many matches with a fault of its own a team may have before it is in quarantine; 0: any number.
        exclusions: of teams that may not play from the beginning.
        decisions: what was decided about matches. It is the last word on them, also where a team is excluded.
        pairing_of: what a match is but for code and settings, as decisions name it.
    """

    def __init__(
        self,
        most_faults: int = DEFAULT_FAULTS,
        exclusions: Mapping[Reference, Exclusion] | None = None,
        decisions: Iterable[Decision] = (),
        pairing_of: Callable[[MatchInput], str] = lambda match: "",
    ) -> None:
        self._most_faults = most_faults
        self._rulings, self._pairing_of = rulings_of(decisions), pairing_of
        self._exclusions = dict(exclusions or {})
        self._faults: dict[Reference, int] = {}
        self._waiting: dict[int, tuple[MatchSpec, Outcome] | None] = {}
        self._turn = 0
        """The place of the match that is settled next."""
        self._interned = Interned()
        self.settled: list[Outcome] = []
        """What was known of each match when its turn came in the schedule, from the first match on, but for those passed over."""

    def exclude(self, team: Reference, exclusion: Exclusion) -> None:
        """Take a team out, unless it is out already. No match from there on may have been added yet."""
        self._exclusions.setdefault(team, exclusion)

    def without_playing(self, spec: MatchSpec, stored: Callable[[MatchSpec], Outcome | None]) -> Outcome | None:
        """What a match comes to without being played: a forfeit, or what is ``stored`` of it. None: it has to be played."""
        if self._ruling(spec) is not None and (outcome := stored(spec)) is not None:
            return self.decided(spec, spec.label(outcome))
        outcome = self._forfeit(spec, counts=False)
        if outcome is None:
            outcome = stored(spec)
            outcome = (self._forfeit(spec, counts=True) or outcome) if outcome is None or outcome.is_void else outcome
        return None if outcome is None else self.decided(spec, outcome)

    def decided(self, spec: MatchSpec, outcome: Outcome) -> Outcome:
        """The outcome of a match as it counts by what was decided about it."""
        return outcome if (ruling := self._ruling(spec)) is None else as_decided(outcome, *ruling)

    def add(self, spec: MatchSpec, outcome: Outcome) -> Outcome:
        """Take the outcome of a match, in any order; what is kept of it: an equal value."""
        outcome = self._interned.outcome(self.decided(spec, outcome), spec.place.key)
        self._take(spec, (spec, outcome))
        return outcome

    def pass_over(self, spec: MatchSpec) -> None:
        """Settle the matches after one that is still to be played, as if it did nobody any harm."""
        self._take(spec, None)

    def _take(self, spec: MatchSpec, match: tuple[MatchSpec, Outcome] | None) -> None:
        self._waiting[spec.place.number] = match
        while self._turn in self._waiting:
            ready = self._waiting.pop(self._turn)
            self._turn += 1
            if ready is not None:
                self._settle(*ready)

    def _ruling(self, spec: MatchSpec) -> tuple[Decision, int] | None:
        if not self._rulings:
            return None
        return self._rulings.get(self._pairing_of(spec.input)) or self._rulings.get(spec.place.key)

    def _settle(self, spec: MatchSpec, outcome: Outcome) -> None:
        if not isinstance(outcome, DecidedOutcome):
            outcome = self._forfeit(spec, counts=False) or outcome
        self.settled.append(outcome)
        for team in {spec.input.teams[seat - 1] for seat in seats_at_fault(outcome)}:
            self._faults[team] = self._faults.get(team, 0) + 1
            if self._faults[team] == self._most_faults:
                why = f"quarantined after {counted(self._most_faults, 'match', 'matches')} with faults"
                # The team under the name that it has in this schedule, which the key of a disqualification needn't have.
                self._exclusions.pop(team, None)
                self._exclusions[team] = Exclusion(QUARANTINE, why, spec.place.number + 1, counts=False)

    def _forfeit(self, spec: MatchSpec, *, counts: bool) -> Outcome | None:
        """A match as a forfeit of its excluded teams, those whose played matches count or the others; None if it has none."""
        if not self._exclusions:
            return None
        excluded = {seat: self._exclusions.get(team) for seat, team in enumerate(spec.input.teams, start=1)}
        out = {
            seat: each
            for seat, each in excluded.items()
            if each is not None and each.counts is counts and (not counts or each.since <= spec.place.number)
        }
        return forfeit(spec, out) if out else None

    def counted(self, matches: Sequence[MatchSpec], outcomes: Sequence[Outcome]) -> list[Outcome]:
        """What counts of matches now that it is known who no longer plays; the outcomes in the order of the matches."""
        out = {team.label for team, exclusion in self._exclusions.items() if not exclusion.counts}
        if not out:
            return list(outcomes)
        both = zip(matches, outcomes, strict=True)
        # What the machine spoilt needs no other end any more.
        settled = [(outcome.is_void and self._forfeit(spec, counts=False)) or outcome for spec, outcome in both]
        return counted_as_forfeits(settled, out)


def forfeit(spec: MatchSpec, out: Mapping[int, Exclusion]) -> Outcome:
    """The outcome of a match that was not played because of the teams of these seats."""
    faults = tuple(Fault(seat, Termination.FORFEIT, exclusion.why + _NOT_PLAYED, 0) for seat, exclusion in out.items())
    claim = forfeit_claim(spec.input.names, list(out), next(iter(out.values())).reason)
    return spec.label(outcome_of(claim, *judge(claim, faults, len(spec.input.teams)), faults, played=False))


def why_absent(fault: Fault) -> str:
    """Why a team was taken out of a match, such as ``withdrawn``; empty: it played and failed."""
    return fault.message.removesuffix(_NOT_PLAYED) if fault.message.endswith(_NOT_PLAYED) and not fault.round else ""


def forfeit_claim(names: Sequence[str], seats: Sequence[int], reason: str) -> GameResult:
    """What stands in place of a GameManager's claim where a match was not played because of these seats' teams."""
    word = "quarantined" if reason == QUARANTINE else reason.lower()
    return GameResult(0, reason, 0, (), message=f"Not played: {', '.join(names[seat - 1] for seat in seats)} {word}")


def counted_as_forfeits(outcomes: Sequence[Outcome], out: Collection[str]) -> list[Outcome]:
    """The outcomes, those of teams in quarantine as what they count as: their forfeits, whatever came of them."""
    return [_counted(outcome, [seat for seat, name in enumerate(outcome.teams, start=1) if name in out]) for outcome in outcomes]


def _counted(outcome: Outcome, seats: Sequence[int]) -> Outcome:
    more = tuple(seat for seat in seats if seat not in outcome.forfeits)
    if not more or isinstance(outcome, DecidedOutcome):
        return outcome
    absent = [Fault(seat, Termination.FORFEIT, "", 0) for seat in (*more, *outcome.forfeits)]
    winner, ranks = judge(NO_CLAIM, absent, len(outcome.teams))
    counted = replace(outcome, winner=winner, ranks=ranks, scores=(), forfeited=more)
    names = ", ".join(outcome.teams[seat - 1] for seat in sorted(counted.forfeits))
    return replace(counted, message=" ".join(f"Counts as a forfeit: {names} quarantined".split()))


def faults_in_quarantine(outcomes: Iterable[Outcome]) -> dict[str, tuple[int, int]]:
    """Of each team in quarantine, in how many matches it failed, and how many count as its forfeits."""
    teams: dict[str, tuple[int, int]] = {}
    for outcome in outcomes:
        absent = outcome.forfeits if outcome.reason == QUARANTINE else outcome.forfeited
        at_fault = {outcome.teams[seat - 1] for seat in seats_at_fault(outcome)}
        for name in {outcome.teams[seat - 1] for seat in absent}:
            faults, forfeits = teams.get(name, (0, 0))
            teams[name] = faults + (name in at_fault), forfeits + 1
    return teams


def seats_at_fault(outcome: Outcome) -> set[int]:
    """The seats whose teams have failed in a match in a way that counts towards quarantine."""
    return {fault.seat for fault in outcome.faults if fault.seat and fault.termination not in HARMLESS}
