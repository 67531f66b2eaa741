"""Rounds that were drawn stand: who was there, who met whom where, and who had no opponent.

A change of teams, maps or settings in the file changes only rounds that are not drawn yet. So a tournament whose store has rounds
is the one of the file, with what these rounds need beside it: teams that are gone, maps that the file has no more, and for each
round the teams that were not paired in it. docs/decisions says why.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from operator import attrgetter

from tiltyard_engine.data_classes import dataclass, field, replace
from tiltyard_engine.errors import some_of
from tiltyard_engine.formats import Absence, Bye
from tiltyard_engine.registry import Reference
from tiltyard_engine.results import PairingEnding
from tiltyard_engine.texts.quantities import counted
from tiltyard_simulator.match.code_digest import code_digest, digest_without_loader, remember_digest
from tiltyard_simulator.match.spec import MapSource
from tiltyard_tournaments.running.schedule import Schedule
from tiltyard_tournaments.running.tournament import StandingRound, Tournament
from tiltyard_tournaments.store import Store
from tiltyard_tournaments.store.drawn_rounds import DrawnRound, drawn_games, read_rounds, write_round
from tiltyard_tournaments.store.team_notes import NotedTeam


def with_standing_rounds(tournament: Tournament, store: Store, *, is_redraw: bool = False) -> Tournament:
    """The tournament with the rounds and the decisions that a store has; with ``is_redraw`` without the rounds.

    Raises:
        UserError: they cannot be read.
    """
    tournament = replace(tournament, decisions=store.decisions())
    draws = tournament.format.draws
    if not draws:
        return tournament
    rounds = [] if is_redraw else read_rounds(store, tournament.format_name, by_stage=draws == "rounds")
    tournament = _with_drawn_twins(tournament, rounds)
    struck = {each.team for each in tournament.disqualified if each.results == "strike"}
    them = [*tournament.teams, *struck]
    if draws == "all" and any(team in struck for one_round in rounds for team in _matched(one_round.teams, them)):
        # Nothing of it may count for anybody, but who went on depended on it.
        rounds = []
    if rounds and tournament.rules.are_default:
        tournament = replace(tournament, rules=replace(tournament.rules, tie_breaks=rounds[0].tie_breaks))
    return with_rounds(tournament, rounds, store.keys() if rounds else frozenset())


def with_rounds(tournament: Tournament, rounds: Sequence[DrawnRound] = (), stored: Set[str] = frozenset()) -> Tournament:
    """The tournament in which these rounds stand; ``stored``: the keys of all matches that were played."""
    if tournament.format.draws == "all":
        return _all_as_drawn(tournament, rounds, stored) if rounds else tournament
    if tournament.format.draws != "rounds":
        return tournament
    field_of_rounds = _Places(tournament)
    standing = [field_of_rounds.standing_round(one_round, stored) for one_round in rounds]
    teams = field_of_rounds.teams
    absences = list(_absences(tournament, standing, teams))
    field_now = replace(
        tournament.field,
        teams=tuple(team.label for team in teams),
        absences=tuple(absences),
        rounds_drawn=len(rounds),
    )
    complete = tuple(replace(each, byes=tuple(_byes_of(number, each, absences))) for number, each in enumerate(standing, start=1))
    changed = replace(
        tournament,
        teams=tuple(teams),
        maps=tuple(field_of_rounds.maps),
        field=field_now,
        rounds=complete,
        missing_teams=frozenset(field_of_rounds.missing),
    )
    if tournament.remake_format is not None and field_now != tournament.field:
        changed = replace(changed, format=tournament.remake_format(field_now, b""))
    return replace(changed, round_notes=tuple(_notes(tournament, changed, rounds)))


@dataclass(slots=True)
class _Places:
    """The teams and maps of a tournament and of its rounds."""

    tournament: Tournament
    teams: list[Reference] = field(default_factory=list)
    maps: list[MapSource] = field(default_factory=list)
    missing: list[Reference] = field(default_factory=list)
    struck: list[Reference] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.teams += self.tournament.teams
        self.maps += self.tournament.maps
        self.struck += [each.team for each in self.tournament.disqualified if each.results == "strike"]

    def standing_round(self, one_round: DrawnRound, stored: Set[str]) -> StandingRound:
        """A round by these places. Whoever met a team whose results are struck had a bye."""
        references = _matched(one_round.teams, [*self.teams, *self.struck])
        teams = [self._team(*both) for both in zip(one_round.teams, references, strict=True)]
        maps = [self._map(MapSource(name, data)) for name, data in one_round.maps]
        fixtures, games = [], []
        byes = [replace(each, team=team) for each in one_round.byes if (team := teams[each.team]) is not None]
        alone: dict[int, Bye] = {}
        for game in one_round.games:
            seats = [teams[team] for team in game.fixture.seats]
            there = tuple(team for team in seats if team is not None)
            if len(there) == len(seats):
                fixtures.append(replace(game.fixture, seats=there, map=maps[game.fixture.map]))
                games.append(game)
            for team in there if len(there) < len(seats) else ():
                before = alone.get(team, Bye(team, game.fixture.stage))
                alone[team] = replace(before, games=before.games + 1)
        keys = frozenset(game.key for game in games if game.key in stored)
        return StandingRound(tuple(fixtures), tuple(games), (*byes, *alone.values()), keys)

    def _team(self, team: NotedTeam, reference: Reference | None) -> int | None:
        if reference in self.struck:
            return None
        if reference is None:
            reference = self.take_missing(team)
            self.teams.append(reference)
        return self.teams.index(reference)

    def take_missing(self, team: NotedTeam) -> Reference:
        """A team that is gone, as it was."""
        remember_digest(team.reference.source, team.code)
        remember_digest(replace(team.reference.source, loader=""), team.built)
        self.missing.append(team.reference)
        return team.reference

    def _map(self, source: MapSource) -> int:
        if source not in self.maps:
            self.maps.append(source)
        return self.maps.index(source)


def _matched(noted: Sequence[NotedTeam], teams: Iterable[Reference]) -> list[Reference | None]:
    """Which of these each team is: by both of its names, or else by one of them that only one has which is nobody else yet."""
    others = list(dict.fromkeys(teams))
    references: list[Reference | None] = [None] * len(noted)
    for names in (attrgetter("name", "label"), attrgetter("label"), attrgetter("name")):
        for place, team in enumerate(noted):
            alike = [each for each in others if names(each) == names(team.reference)] if references[place] is None else []
            if len(alike) == 1:
                references[place] = alike[0]
                others.remove(alike[0])
    return references


def _with_drawn_twins(tournament: Tournament, rounds: Iterable[DrawnRound]) -> Tournament:
    """A team with another team's code is the one that it was in the rounds, whichever of the two the file names first now."""
    twins = {
        reference: replace(reference, twin=team.reference.twin)
        for one_round in rounds
        for team, reference in zip(one_round.teams, _matched(one_round.teams, tournament.teams), strict=True)
        if reference is not None
    }

    def now(team: Reference) -> Reference:
        return twins.get(team, team)

    return replace(
        tournament,
        teams=tuple(map(now, tournament.teams)),
        absences=tuple(replace(each, team=now(each.team)) for each in tournament.absences),
        disqualified=tuple(replace(each, team=now(each.team)) for each in tournament.disqualified),
        carried={now(team): each for team, each in tournament.carried.items()},
    )


def _absences(tournament: Tournament, standing: Sequence[StandingRound], teams: Sequence[Reference]) -> Iterator[Absence]:
    """Who is not paired when: in rounds that stand whoever was not, in others as the file says."""
    out = {each.team for each in tournament.disqualified}
    late = {each.team: each for each in tournament.absences if each.ending is PairingEnding.LATE}
    following = len(standing) + 1
    for team, reference in enumerate(teams):
        was_there = False
        for number, one_round in enumerate(standing, start=1):
            own = next((each for each in one_round.byes if each.team == team), None)
            was_paired = any(team in fixture.seats for fixture in one_round.fixtures)
            if own is not None:
                yield Absence(team, number, number, own.ending, own.points)
            elif not was_paired and (was_there or one_round.fixtures):
                is_first = number == 1 and reference in late
                ending = PairingEnding.ABSENT if was_there else PairingEnding.LATE
                yield Absence(team, number, number, ending, late[reference].points if is_first else 0.0)
            was_there = was_there or was_paired or (own is not None and own.ending is not PairingEnding.LATE)
        if reference not in tournament.teams or reference in out:
            yield Absence(team, following)
            continue
        for each in tournament.absences:
            first = max(each.first, following)
            if each.team == reference and (each.last is None or each.last >= first):
                yield Absence(team, first, each.last, each.ending, each.points if first == each.first else 0.0)


def _byes_of(number: int, one_round: StandingRound, absences: Iterable[Absence]) -> Iterator[Bye]:
    """All byes of a round that stands, those of teams that it did not know included."""
    own = {each.team: each for each in one_round.byes}
    stage = one_round.fixtures[0].stage if one_round.fixtures else f"round {number}"
    for each in absences:
        if each.first <= number <= (each.last or number):
            yield own.get(each.team, Bye(each.team, stage, 1, each.ending, each.points))


def _all_as_drawn(tournament: Tournament, rounds: Sequence[DrawnRound], stored: Set[str]) -> Tournament:
    """A tournament that stands as a whole with its first batch, such as a knockout."""
    first = rounds[0]
    empty = replace(tournament, teams=(), maps=(), disqualified=())
    places = _Places(empty)
    for team, reference in zip(first.teams, _matched(first.teams, tournament.teams), strict=True):
        places.teams.append(reference or places.take_missing(team))
    places.maps += [MapSource(name, data) for name, data in first.maps]
    field_then = replace(first.field, teams=tuple(team.label for team in places.teams))
    changed = replace(
        tournament,
        teams=tuple(places.teams),
        maps=tuple(places.maps),
        field=field_then,
        rounds=tuple(places.standing_round(one_round, stored) for one_round in rounds),
        missing_teams=frozenset(places.missing),
    )
    if tournament.remake_format is not None:
        changed = replace(changed, format=tournament.remake_format(field_then, first.options))
    notes = list(_notes(tournament, changed, rounds))
    if first.options != tournament.format_options or field_then.seed != tournament.field.seed:
        notes.append(f"the {tournament.format_name} keeps the options that it was drawn with")
    return replace(changed, round_notes=tuple(notes))


def _notes(before: Tournament, now: Tournament, drawn_rounds: Sequence[DrawnRound]) -> Iterator[str]:
    """What stands and what changes."""
    number = len(now.rounds)
    if not number:
        return
    is_whole = now.format.draws == "all"
    there = {team for one_round in now.rounds for fixture in one_round.fixtures for team in fixture.seats}
    there |= {each.team for one_round in now.rounds for each in one_round.byes if each.ending is not PairingEnding.LATE}
    labels = [team.label for team in now.teams]
    new = [team.label for team in before.teams if team not in now.teams]
    new += [team.label for place, team in enumerate(now.teams) if place not in there and team in before.teams and not is_whole]
    total = getattr(now.format, "rounds", None)
    rounds = "round 1 stays as drawn" if number == 1 else f"rounds 1 to {number} stay as drawn"
    stands = f"the draw of the {now.format_name} stays" if is_whole else rounds
    left = total - number if isinstance(total, int) and not is_whole else 1
    changes = [f"rounds: {total} changes nothing"] if left < 0 else []
    late = {each.team: each for each in before.absences if each.ending is PairingEnding.LATE}
    more = "" if is_whole else "with more rounds, or "
    for team in new:
        if is_whole or left <= 0:
            changes.append(f"{team} comes too late: it plays only {more}after a new draw (--redraw)")
            continue
        own = next((each for reference, each in late.items() if reference.label == team), None)
        first = max(number + 1, own.first if own else 0)
        changes.append(f"{team} joins in round {first} with {own.points if own else 0:g} points")
    for missing in sorted(now.missing_teams, key=lambda each: each.label):
        games = sum(labels.index(missing.label) in fixture.seats for one_round in now.rounds for fixture in one_round.finished)
        lost = "loses the others" if is_whole else f"isn't paired from round {number + 1} on"
        back = "is admitted again" if before.not_admitted else "comes back"
        counts = f"{counted(games, 'game')} {'counts' if games == 1 else 'count'}"
        changes.append(f"{missing.label} is no longer among the teams: its {counts}, and it {lost} unless it {back}")
    then, since = {MapSource(*each) for one_round in drawn_rounds for each in one_round.maps}, set(before.maps)
    old, young = {source.name for source in then - since}, {source.name for source in since - then}
    if (old or young) and (is_whole or left <= 0):
        maps = some_of(sorted(old | young))
        changes.append(f"changes of maps ({maps}) count only {more}after a new draw (--redraw)")
    elif old:
        for names, words in ((old - young, "no games are played on"), (old & young, "games are played on the new version of")):
            changes += [f"from round {number + 1} on, {words} {some_of(sorted(names))}"] if names else []
    if changes:
        yield "; ".join([stands, *changes])


def keep_round(schedule: Schedule, store: Store) -> None:
    """Write the batch that was drawn last into the store, so that it stands."""
    tournament, first = schedule.tournament, len(schedule.records)
    batch, fixtures = schedule.matches[first:], schedule.fixtures[first:]
    teams = tuple(NotedTeam(team, "", code_digest(team.source), digest_without_loader(team.source)) for team in tournament.teams)
    one_round = DrawnRound(
        format=tournament.format_name,
        field=replace(tournament.field, maps=tuple(source.name for source in tournament.maps), absences=()),
        teams=teams,
        maps=tuple((source.name, source.data) for source in tournament.maps),
        games=drawn_games(batch, fixtures),
        byes=schedule.new_byes,
        options=tournament.format_options,
        tie_breaks=tournament.rules.tie_breaks,
    )
    write_round(store, schedule.batches, one_round)
