"""The tables of a tournament, made from its schedule and its results."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from operator import itemgetter
from typing import Final

import msgspec

from tiltyard_engine.errors import NotFoundError
from tiltyard_engine.formats import Bye
from tiltyard_engine.match_record import Outcome, bye
from tiltyard_engine.registry.sources import host_sources
from tiltyard_simulator.match.eligibility import faults_in_quarantine
from tiltyard_simulator.match.own_cache import cached, code_state, digest_of
from tiltyard_tournaments.formats.batch_checks import check_groups
from tiltyard_tournaments.ratings import BEYOND_RATINGS, beyond_ratings
from tiltyard_tournaments.running.eligibility import DISQUALIFIED, disqualified_table, without_places
from tiltyard_tournaments.running.qualification import NOT_ADMITTED
from tiltyard_tournaments.running.schedule import Schedule
from tiltyard_tournaments.running.tournament import Tournament
from tiltyard_tournaments.standings import (
    Standing,
    Table,
    all_games,
    by_map,
    by_seat,
    crosstable,
    fault_kinds,
    rank,
    standings_table,
)
from tiltyard_tournaments.standings.scoring import without_tie_breaks

RATED_BY: Final = ("tiltyard_engine", "tiltyard_tournaments")
"""The packages that make ratings, and their tables."""


def matches_with_byes(tournament: Tournament, schedule: Schedule) -> list[Outcome]:
    """What standings are made from: the matches, and each round without an opponent as so many matches as it stands for."""
    matches = [*schedule.records, *_carried(tournament)]
    for each in _byes(tournament, schedule):
        name = tournament.names[each.team]
        matches += [bye(name, len(matches), each.stage, each.ending, each.points) for _ in range(each.games)]
    return matches


def _byes(tournament: Tournament, schedule: Schedule) -> Sequence[Bye]:
    return schedule.byes if tournament.format.draws and schedule.batches else tournament.format.byes(schedule.results)


def _carried(tournament: Tournament) -> list[Outcome]:
    own = tournament.carried
    return [replace(own[team], teams=(team.label,)) for team in tournament.teams if team in own]


def byes_of(tournament: Tournament, schedule: Schedule) -> list[Outcome]:
    """Points that teams bring; and each round without an opponent once, also where it stands for no match, as in a knockout."""
    byes = enumerate(_byes(tournament, schedule), len(schedule.records))
    own = [bye(tournament.names[each.team], place, each.stage, each.ending, each.points) for place, each in byes]
    return [*_carried(tournament), *own]


def standings(tournament: Tournament, schedule: Schedule, matches: Sequence[Outcome] | None = None) -> list[Standing]:
    """The standings: in the order of the format where it has one of its own, such as a knockout's, else by points; group by group.

    Disqualified teams are at the end, and before them in a format's own order those in quarantine: nothing that they won counts.
    """
    outcomes = matches_with_byes(tournament, schedule) if matches is None else matches
    if tournament.format.groups:
        return [line for name, group in tournament.format.groups for line in _group_standings(tournament, name, group, outcomes)]
    lines = rank(tournament.names, outcomes, tournament.rules)
    groups = tournament.format.placings(schedule.results)
    if groups is None:
        return without_places(tournament, lines)
    by_team = {line.team: line for line in lines}
    lines_with_places: list[Standing] = []
    names_of_groups = [
        sorted(tournament.names[team] for team in group) for group in check_groups(tournament.format_name, tournament.field, groups)
    ]
    out = faults_in_quarantine(schedule.records)
    for last in (False, True):
        for group in names_of_groups:
            place = len(lines_with_places) + 1
            lines_with_places += [replace(by_team[name], place=place) for name in group if (name in out) is last]
    return without_places(tournament, lines_with_places)


def _group_standings(tournament: Tournament, name: str, group: Sequence[int], outcomes: Sequence[Outcome]) -> list[Standing]:
    teams = [tournament.names[team] for team in group]
    own = [outcome for outcome in outcomes if outcome.teams[0] in teams]
    return [replace(line, group=name) for line in without_places(tournament, rank(teams, own, tournament.rules))]


def _standings_table(tournament: Tournament, schedule: Schedule, matches: Sequence[Outcome]) -> Table:
    return standings_table(standings(tournament, schedule, matches), tournament.rules)


def _ratings_table(tournament: Tournament, schedule: Schedule, matches: Sequence[Outcome]) -> Table:
    """The table, or that of an earlier command for the same games: loading numpy takes a sixth of a start."""
    games = without_tie_breaks(matches)
    data = [(game.teams, game.map, game.winner, game.ranks, game.digest, game.ending) for game in games]
    packages = [source.value.partition(".")[0] for source in host_sources(BEYOND_RATINGS)]
    key = digest_of([*code_state([*RATED_BY, *packages]), *tournament.names, msgspec.msgpack.encode(data)])

    def make() -> tuple[Table, bool]:
        from tiltyard_tournaments.ratings.rate import rate, ratings_table

        more, ratings = beyond_ratings(), rate(games)
        note = more.fit_note(games) if more and not ratings.problem else ""
        return replace(ratings_table(ratings, tournament.names), note=note), not ratings.problem

    # One of 256 files, so that they do not become more and more.
    pack, unpack = msgspec.msgpack.encode, msgspec.msgpack.Decoder(tuple[Table, bool]).decode
    return cached(f"ratings-{key[:2]}.msgpack", key, make, is_sound=itemgetter(1), pack=pack, unpack=unpack)[0]


def _of_matches(table: Callable[..., Table]) -> Callable[[Tournament, Schedule, Sequence[Outcome]], Table]:
    return lambda tournament, schedule, matches: table(tournament.names, without_tie_breaks(matches), tournament.rules)


def _not_admitted_table(tournament: Tournament, schedule: Schedule, matches: Sequence[Outcome]) -> Table:
    return Table("Not admitted", ("algorithm", "reason"), tournament.not_admitted)


TABLES: Final[Mapping[str, Callable[[Tournament, Schedule, Sequence[Outcome]], Table]]] = {
    "standings": _standings_table,
    NOT_ADMITTED: _not_admitted_table,
    DISQUALIFIED: lambda tournament, schedule, matches: disqualified_table(tournament),
    "ratings": _ratings_table,
    "crosstable": _of_matches(crosstable),
    "maps": _of_matches(by_map),
    "seats": _of_matches(by_seat),
    "faults": _of_matches(fault_kinds),
    "games": lambda tournament, schedule, matches: all_games(matches),
}
"""All tables of this package by name, in the order in which they are shown."""

SHOWN: Final = ("standings", "ratings", "crosstable", "maps")
"""The tables that are shown by default; the crosstable is only for games of two. ``below_standings`` come after the first."""


def below_standings(tournament: Tournament) -> list[str]:
    """The tables of teams that do not play: only where there is somebody in them."""
    return [*([NOT_ADMITTED] if tournament.not_admitted else []), *([DISQUALIFIED] if tournament.disqualified else [])]


def tables_of(
    tournament: Tournament, schedule: Schedule, names: Sequence[str] | None = None, others: Sequence[str] = ()
) -> list[Table]:
    """Tables by their names, without names the usual ones. ``others`` may be among the names, and are somebody else's to show.

    Raises:
        NotFoundError: there is no such table.
    """
    tables = {**TABLES, **(getattr(beyond_ratings(), "TABLES", {}) if set(names or ()) - TABLES.keys() else {})}
    for name in names or ():
        if name not in tables and name not in others:
            raise NotFoundError("table", name, [*tables, *others])
    matches = matches_with_byes(tournament, schedule)
    default = [SHOWN[0], *below_standings(tournament), *SHOWN[1:]]
    return [tables[name](tournament, schedule, matches) for name in names or default if name not in others]
