"""The tables of a tournament, from its schedule and what came of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from tiltyard_engine.errors import NotFoundError
from tiltyard_tournaments.formats.checking import check_groups
from tiltyard_tournaments.played import PlayedMatch
from tiltyard_tournaments.running.entering import NOT_ADMITTED, not_admitted_table
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


def matches_with_byes(tournament: Tournament, schedule: Schedule) -> list[PlayedMatch]:
    """What standings are made from: the matches, and each bye as the wins that it stands for."""
    matches = schedule.matches()
    for bye in tournament.format.byes(schedule.results):
        team = tournament.names[bye.team]
        matches += [PlayedMatch((team,), "", 1, (1,), number=len(matches), stage=bye.stage) for _ in range(bye.games)]
    return matches


def standings(tournament: Tournament, schedule: Schedule, matches: Sequence[PlayedMatch] | None = None) -> list[Standing]:
    """The standings: in the order of the format where it has one of its own, such as a knockout's, else by points."""
    found = matches_with_byes(tournament, schedule) if matches is None else matches
    lines = rank(tournament.names, found, tournament.rules)
    groups = tournament.format.placings(schedule.results)
    if groups is None:
        return list(lines)
    by_team = {line.team: line for line in lines}
    placed: list[Standing] = []
    for group in check_groups(tournament.format_name, tournament.field, groups):
        place = len(placed) + 1
        names = sorted(tournament.names[team] for team in group)
        placed += [replace(by_team[name], place=place) for name in names]
    return placed


def _standings_table(tournament: Tournament, schedule: Schedule, matches: Sequence[PlayedMatch]) -> Table:
    return standings_table(standings(tournament, schedule, matches), tournament.rules)


def _ratings_table(tournament: Tournament, schedule: Schedule, matches: Sequence[PlayedMatch]) -> Table:
    from tiltyard_tournaments.ratings.rate import rate, ratings_table  # numpy takes a moment

    return ratings_table(rate(matches), tournament.names)


def _of_matches(table: Callable[..., Table]) -> Callable[[Tournament, Schedule, Sequence[PlayedMatch]], Table]:
    return lambda tournament, schedule, matches: table(tournament.names, matches, tournament.rules)


def _not_admitted(tournament: Tournament, schedule: Schedule, matches: Sequence[PlayedMatch]) -> Table:
    return not_admitted_table(tournament)


TABLES: Final[Mapping[str, Callable[[Tournament, Schedule, Sequence[PlayedMatch]], Table]]] = {
    "standings": _standings_table,
    NOT_ADMITTED: _not_admitted,
    "ratings": _ratings_table,
    "crosstable": _of_matches(crosstable),
    "maps": _of_matches(by_map),
    "seats": _of_matches(by_seat),
    "faults": _of_matches(fault_kinds),
    "games": lambda tournament, schedule, matches: all_games(matches),
}
"""All tables by name, in the order in which they are shown."""

SHOWN: Final = ("standings", "ratings", "crosstable", "maps")
"""The tables that are shown where nothing else is asked for; a crosstable is of games between two. Below the standings stands who
was not admitted, where there is somebody."""


def tables_of(tournament: Tournament, schedule: Schedule, names: Sequence[str] | None = None) -> list[Table]:
    """Tables by their names.

    Raises:
        NotFoundError: there is no such table.
    """
    for name in names or ():
        if name not in TABLES:
            raise NotFoundError("table", name, TABLES)
    matches = matches_with_byes(tournament, schedule)
    shown = [SHOWN[0], *([NOT_ADMITTED] if tournament.not_admitted else []), *SHOWN[1:]]
    return [TABLES[name](tournament, schedule, matches) for name in names or shown]
