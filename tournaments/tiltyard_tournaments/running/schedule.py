"""Batches of fixtures become matches with keys; what was played of them gives the next batch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from tiltyard_engine.formats import Fixture, FixtureResult
from tiltyard_simulator.match_key import match_key
from tiltyard_simulator.quarantine import Quarantine
from tiltyard_simulator.specs import MatchOutcome, MatchSpec
from tiltyard_tournaments.formats.checking import check_batch
from tiltyard_tournaments.played import PlayedMatch, played_match
from tiltyard_tournaments.running.tournament import Tournament
from tiltyard_tournaments.standings import points


@dataclass(frozen=True, slots=True)
class Planned:
    """A match of the schedule."""

    place: int
    """From 0."""
    fixture: Fixture
    spec: MatchSpec
    key: str


@dataclass(slots=True)
class Schedule:
    """A tournament's matches as far as they are known, and what came of them.

    All of it follows from the tournament and the outcomes alone, whatever the order in which these are given.
    """

    tournament: Tournament
    planned: list[Planned] = field(default_factory=list)
    outcomes: list[MatchOutcome] = field(default_factory=list)
    """Of all matches of finished batches, in the order of the schedule."""
    results: list[FixtureResult] = field(default_factory=list)
    batches: int = 0

    def next_batch(self) -> list[Planned]:
        """Draw up the next matches; empty: it is over. Every match of the last batch must have been ended."""
        wanted = self.tournament.format.next_batch(self.results)
        fixtures = check_batch(self.tournament.format_name, self.tournament.field, wanted, self.results)
        batch: list[Planned] = []
        for fixture in fixtures:
            spec = self.tournament.spec(fixture)
            batch.append(Planned(len(self.planned) + len(batch), fixture, spec, match_key(spec)))
        self.planned += batch
        self.batches += bool(batch)
        return batch

    def end_batch(self, outcomes: Sequence[MatchOutcome]) -> None:
        """Take the settled outcomes of the last batch, in its order."""
        batch = self.planned[len(self.outcomes) :]
        for planned, outcome in zip(batch, outcomes, strict=True):
            self.outcomes.append(outcome)
            self.results.append(self._result(planned, outcome))

    @property
    def voids(self) -> int:
        """Matches that the machine did not let come to an end: they count for nobody, and the next run tries them again."""
        return sum(outcome.is_void for outcome in self.outcomes)

    def _result(self, planned: Planned, outcome: MatchOutcome) -> FixtureResult:
        played = self._played(planned, outcome)
        given = tuple(float(each) for each in points(played, self.tournament.rules.scoring))
        return FixtureResult(planned.fixture, outcome.winner, outcome.ranks, played.scores, given, outcome.counts, played.digest)

    def _played(self, planned: Planned, outcome: MatchOutcome) -> PlayedMatch:
        fixture = planned.fixture
        return played_match(planned.spec, outcome, planned.place, fixture.game, fixture.stage, planned.key)

    def matches(self) -> list[PlayedMatch]:
        """What standings are made from."""
        return [self._played(planned, outcome) for planned, outcome in zip(self.planned, self.outcomes)]


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a tournament has come by what is in its store."""

    schedule: Schedule
    missing: tuple[Planned, ...]
    """Matches of the first batch that is not complete; later ones may be unknown before they are played."""
    forfeits: int


def follow(tournament: Tournament, stored: Callable[[str], MatchOutcome | None]) -> Progress:
    """The schedule as far as the stored outcomes carry it.

    What the machine spoilt has ended as well, without a result: the format went on without it, so the tables do.
    The matches of a batch that is not complete count as well: the last batch of the returned schedule ends with those
    of its matches that are there, in their order, so that a table can be shown at any time.
    """
    schedule = Schedule(tournament)
    quarantine = Quarantine(tournament.quarantine)
    forfeits = 0
    while batch := schedule.next_batch():
        missing: list[Planned] = []
        found: list[MatchOutcome] = []
        there: list[Planned] = []
        for planned in batch:
            outcome = quarantine.forfeit(planned.spec)
            forfeits += outcome is not None
            outcome = outcome or stored(planned.key)
            if outcome is None:
                missing.append(planned)
                continue
            if not missing:
                quarantine.add(planned.place, planned.spec, outcome)
            found.append(outcome)
            there.append(planned)
        if missing:
            schedule.planned[-len(batch) :] = there
            schedule.end_batch(found)
            return Progress(schedule, tuple(missing), forfeits)
        schedule.end_batch(quarantine.settled[-len(batch) :])
    return Progress(schedule, (), forfeits)
