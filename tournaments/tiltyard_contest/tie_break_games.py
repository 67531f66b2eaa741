"""Tie-break matches: teams that share a place that matters play for it, and nothing else counts these games."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations, groupby

from tiltyard_engine.formats import Fixture
from tiltyard_tournaments.running.schedule import Schedule
from tiltyard_tournaments.running.tables import standings
from tiltyard_tournaments.standings import Standing
from tiltyard_tournaments.standings.scoring import TIE_BREAK_MATCH
from tiltyard_tournaments.standings.tie_breaks import MATCH


def tie_break_games(schedule: Schedule) -> Sequence[Fixture]:
    """Two games, in both orders of seats, of each pair of teams that are tied across a cut; empty: nobody is.

    They follow from the standings alone, by all tie-breaks up to this one, and are asked for again until they or lots have
    decided. The maps go on after that of the last round, with seeds that no other game has.
    """
    tournament = schedule.tournament
    if tournament.format.placings(schedule.results) is not None:
        return ()
    names = tournament.rules.tie_breaks
    rules = replace(tournament.rules, tie_breaks=names[: names.index(MATCH) + 1])
    leaving = {each.team for each in tournament.absences if each.last is None} | tournament.missing_teams
    labels = {team.label for team in leaving}
    lines = [line for line in standings(replace(tournament, rules=rules), schedule) if line.place and line.team not in labels]
    others = [fixture for fixture in schedule.fixtures if fixture.stage != TIE_BREAK_MATCH]
    if not others:
        return ()
    first_game, last_map = 1 + max(fixture.game for fixture in others), others[-1].map
    before = [frozenset(fixture.seats) for fixture in schedule.fixtures if fixture.stage == TIE_BREAK_MATCH]
    fixtures: list[Fixture] = []
    for tied in _tied(lines, rules.cuts):
        for pair in combinations(sorted(tournament.names.index(name) for name in tied), 2):
            meeting = before.count(frozenset(pair)) // 2
            place = (last_map + 1 + meeting) % len(tournament.field.maps)
            fixtures += [Fixture(seats, place, first_game + meeting, TIE_BREAK_MATCH) for seats in (pair, pair[::-1])]
    return fixtures


def _tied(lines: Sequence[Standing], cuts: Sequence[int]) -> Iterator[list[str]]:
    """The teams of each place that a cut divides, in every group."""
    for _, group in groupby(lines, key=lambda line: line.group):
        before = 0
        for _, tied in groupby(sorted(group, key=lambda line: line.place), key=lambda line: line.place):
            teams = [line.team for line in tied]
            if any(before < cut < before + len(teams) for cut in cuts):
                yield teams
            before += len(teams)
