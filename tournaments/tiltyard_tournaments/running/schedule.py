"""Batches of fixtures become matches with keys; what was played of them gives the next batch."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from tiltyard_engine.data_classes import dataclass, field, replace
from tiltyard_engine.decisions import attempts, first_attempt
from tiltyard_engine.formats import Bye, Fixture, FixtureResult
from tiltyard_engine.match_record import WITHDRAWAL, Interned, Outcome
from tiltyard_engine.results import PairingEnding
from tiltyard_simulator.match.eligibility import Eligibility, Exclusion
from tiltyard_simulator.match.spec import MatchSpec
from tiltyard_tournaments.formats.batch_checks import check_batch
from tiltyard_tournaments.running.earlier_games import NO_OTHER_VERSIONS, OtherVersions, SpecsAsPlayed
from tiltyard_tournaments.running.eligibility import WITHDRAWN, eligibility_of
from tiltyard_tournaments.running.spec_maker import SpecMaker
from tiltyard_tournaments.running.tournament import StandingRound, Tournament
from tiltyard_tournaments.standings import points
from tiltyard_tournaments.standings.scoring import TIE_BREAK_MATCH
from tiltyard_tournaments.store import Store


@dataclass(slots=True, kw_only=True)
class Schedule:
    """A tournament's matches as far as they are known, and what came of them.

    All of it follows from the tournament and the records alone, whatever the order in which these are given.
    """

    tournament: Tournament
    matches: list[MatchSpec] = field(default_factory=list)
    fixtures: list[Fixture] = field(default_factory=list)
    """Of the matches, in the same order."""
    records: list[Outcome] = field(default_factory=list)
    """Of all matches of finished batches, in the order of the schedule; after ``end`` what counts of them."""
    results: list[FixtureResult] = field(default_factory=list)
    """What was known when their batch ended: later batches were drawn by it. Formats know nothing about tie-break matches."""
    batches: int = 0
    specs: SpecMaker | SpecsAsPlayed | None = None
    """Makes the matches of fixtures; None: one of its own."""
    eligibility: Eligibility = field(init=False)
    """Who may play, as far as the matches that have ended tell."""
    byes: list[Bye] = field(default_factory=list)
    """Of all batches so far, where the format draws rounds."""
    new_byes: tuple[Bye, ...] = ()
    """Those of the last batch."""
    _stages: dict[str, int] = field(default_factory=dict)
    """The number of each stage, from 1."""
    _points: Interned = field(default_factory=Interned)
    """Few different ones are given to many matches."""
    _attempts: Mapping[str, str] = field(init=False)

    def __post_init__(self) -> None:
        self.eligibility = eligibility_of(self.tournament)
        self._attempts = attempts(self.tournament.decisions)

    def next_batch(self) -> list[MatchSpec]:
        """Draw up the next matches; empty: it is over. Every match of the last batch must have been ended."""
        tournament, first = self.tournament, len(self.matches)
        self.specs = self.specs or SpecMaker(tournament)
        standing = self._standing_round()
        if standing is not None:
            fixtures, byes = list(standing.fixtures), standing.byes
            batch = standing.as_drawn(self.specs.batch(fixtures, first))
        else:
            fixtures = self._drawn_now()
            byes = tuple(tournament.format.byes(self.results)) if tournament.format.draws and fixtures else ()
            batch = self.specs.batch(fixtures, first)
        if self._attempts:
            batch = [self._attempt(spec) for spec in batch]
        self.new_byes = tuple(each for each in byes if each.stage not in self._stages)
        for fixture in fixtures:
            self._stages.setdefault(fixture.stage, len(self._stages) + 1)
        self.byes += self.new_byes
        self._take_out_withdrawn(batch)
        self.matches += batch
        self.fixtures += fixtures
        self.batches += bool(batch)
        return batch

    def _standing_round(self) -> StandingRound | None:
        """The next batch, if it was drawn."""
        standing = next(iter(self.tournament.rounds[self.batches : self.batches + 1]), None)
        changes = standing is not None and self.batches and self.may_change and set(self._drawn_now()) != set(standing.fixtures)
        return None if changes else standing

    @property
    def may_change(self) -> bool:
        """Whether later batches may be others than those that were drawn: who goes on in a knockout may change by a decision."""
        return self.tournament.format.draws == "all" and bool(self.tournament.decisions)

    def _drawn_now(self) -> list[Fixture]:
        # A round that stands may be on a map that no later one is on.
        all_maps = replace(self.tournament.field, maps=tuple(source.name for source in self.tournament.maps))
        fixtures = self.tournament.format.next_batch(self.results)
        if not fixtures and self.tournament.tie_break_games is not None:
            fixtures = self.tournament.tie_break_games(self)
        return check_batch(self.tournament.format_name, all_maps, fixtures, self.results)

    def _attempt(self, spec: MatchSpec) -> MatchSpec:
        first = first_attempt(spec.place.key)
        return replace(spec, place=replace(spec.place, key=self._attempts.get(first, first)))

    def _take_out_withdrawn(self, batch: Sequence[MatchSpec]) -> None:
        """Who has left plays no match of these rounds, also of those that were drawn before it was known."""
        for each in self.tournament.absences if batch else ():
            if each.ending is not PairingEnding.ABSENT or each.last is not None:
                continue
            own = (spec.place for spec in batch if each.team in spec.input.teams)
            out = (place.number for place in own if each.first <= self._stages[place.stage])
            if (since := next(out, None)) is not None:
                self.eligibility.exclude(each.team, Exclusion(WITHDRAWAL, WITHDRAWN, since))

    def end_batch(self, records: Sequence[Outcome] | None = None) -> None:
        """Take the records of the last batch, in its order; by default what was settled of its matches."""
        first = len(self.records)
        outcomes = self.eligibility.settled[first:] if records is None else records
        for fixture, spec, record in zip(self.fixtures[first:], self.matches[first:], outcomes, strict=True):
            # Teams may be called otherwise now than when it was played.
            self.records.append(spec.label(record))
            if fixture.stage != TIE_BREAK_MATCH:
                self.results.append(self._result(fixture, self.records[-1]))

    def end(self) -> None:
        """After the last batch that there is: count all matches of teams in quarantine as forfeits, also the first ones."""
        self.records = self.eligibility.counted(self.matches, self.records)

    @property
    def voids(self) -> int:
        """Matches that failed because of the machine. They don't count, and the next run plays them again."""
        return sum(record.is_void for record in self.records)

    def _result(self, fixture: Fixture, record: Outcome) -> FixtureResult:
        scored = tuple([float(each) for each in points(record, self.tournament.rules.scoring)])
        return FixtureResult(
            fixture=fixture,
            winner=record.winner,
            ranks=record.ranks,
            scores=record.scores,
            points=self._points.one(scored),
            counts=record.counts,
            digest=record.digest,
        )


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a tournament has come by what is in its store."""

    schedule: Schedule
    missing: tuple[MatchSpec, ...]
    """Matches of the first batch that is not complete; later ones may be unknown before they are played."""
    earlier: OtherVersions = NO_OTHER_VERSIONS
    """Those that count although a run would play them again."""


def follow(
    tournament: Tournament, stored: Callable[[MatchSpec], Outcome | None], specs: SpecMaker | SpecsAsPlayed | None = None
) -> Progress:
    """The schedule as far as the stored records carry it; ``stored`` gives the record of a match, such as ``Store.ended_as``.

    What the machine spoilt has ended as well, without a result: the format went on without it, so the tables do.
    The matches of a batch that is not complete count as well: the last batch of the returned schedule ends with those
    of its matches that are there, in their order, so that a table can be shown at any time.
    ``specs`` makes the matches, for callers that follow the same tournament again and again.
    """
    schedule = Schedule(tournament=tournament, specs=specs)
    eligibility = schedule.eligibility
    missing: list[MatchSpec] = []
    while batch := schedule.next_batch():
        first, is_first = batch[0].place.number, not missing
        outcomes: list[Outcome] = []
        there: list[MatchSpec] = []
        for spec in batch:
            record = eligibility.without_playing(spec, stored)
            if record is None:
                missing.append(spec)
                if is_first:
                    # A game that is to be played takes nobody out of quarantine.
                    eligibility.pass_over(spec)
                continue
            if is_first:
                eligibility.add(spec, record)
            outcomes.append(record)
            there.append(spec)
        if missing:
            schedule.fixtures[first:] = [schedule.fixtures[spec.place.number] for spec in there]
            schedule.matches[first:] = there
            schedule.end_batch(outcomes)
            if schedule.batches >= len(tournament.rounds) or schedule.may_change:
                break
            # What was drawn after it stands.
            continue
        schedule.end_batch()
    schedule.end()
    return Progress(schedule, tuple(missing))


def follow_as_played(
    tournament: Tournament,
    stored: Callable[[MatchSpec], Outcome | None],
    specs: SpecsAsPlayed,
) -> Progress:
    """As ``follow``, but games count also if the game, the GameManager or the settings have changed since they were played."""
    progress = follow(tournament, stored, specs)
    counting = [record.key for record in progress.schedule.records if record.key in specs.earlier and not record.is_forfeit]
    parts = dict.fromkeys(part for key in counting for part in specs.earlier[key])
    return replace(progress, earlier=OtherVersions(len(counting), tuple(parts)))


def progress_to_show(tournament: Tournament, store: Store) -> Progress:
    """How far a tournament has come, for whatever only shows results; see ``follow_as_played``."""
    specs = SpecsAsPlayed(SpecMaker(tournament), store, store.keys() | store.void_keys())
    return follow_as_played(tournament, store.ended_as, specs)


def games_to_play_again(tournament: Tournament, store: Store) -> OtherVersions:
    """Finished games that a run plays again, because something has changed since, as far as the schedule is known."""
    maker, stored = SpecMaker(tournament, remember=True), store.keys() | store.void_keys()
    # Nearly always all that is stored is of the tournament as it is now, which the first batch tells in most formats.
    if not stored or stored <= {spec.place.key for spec in Schedule(tournament=tournament, specs=maker).next_batch()}:
        return NO_OTHER_VERSIONS
    specs = SpecsAsPlayed(maker, store, stored)
    progress = follow_as_played(tournament, store.ended_as, specs)
    replaced = [specs.replaced[spec.place.key] for spec in progress.missing if spec.place.key in specs.replaced]
    parts = dict.fromkeys((*progress.earlier.parts, *(part for parts in replaced for part in parts)))
    return OtherVersions(progress.earlier.games + len(replaced), tuple(parts))
