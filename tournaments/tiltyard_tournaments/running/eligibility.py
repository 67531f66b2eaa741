"""Who may play in a tournament. Disqualified teams play no further match, and the tables say why.

If its results are kept, a team stays in the tournament: what it has played counts, every other match of it is a forfeit, and it
stands below all others, without a place. If they are struck, the tournament is one of the other teams alone, drawn again.
docs/decisions says why.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from tiltyard_engine.lifecycle import Table
from tiltyard_engine.match_record import DISQUALIFICATION, WITHDRAWAL
from tiltyard_engine.registry import Reference
from tiltyard_simulator.match.eligibility import Eligibility, Exclusion
from tiltyard_tournaments.running.earlier_games import pairings_of
from tiltyard_tournaments.running.tournament import Tournament
from tiltyard_tournaments.standings import Standing

DISQUALIFIED: Final = "disqualified"
"""The table of those teams, and why they don't play."""
WITHDRAWN: Final = "withdrawn"
RESULTS: Final = {"keep": "kept", "strike": "struck"}
"""What happened to a team's results, in tables."""


def exclusions_of(tournament: Tournament) -> dict[Reference, Exclusion]:
    """The teams that may not play although they are in the tournament, before any match has ended."""
    out = {each.team for each in tournament.disqualified}
    return {team: Exclusion(DISQUALIFICATION, DISQUALIFIED) for team in tournament.teams if team in out}


def eligibility_of(tournament: Tournament) -> Eligibility:
    """Who may play which match, before any match has ended. Who leaves in a later round is taken out when that is drawn."""
    left = {each.team for each in tournament.absences if not each.first} | tournament.missing_teams
    withdrawn = {team: Exclusion(WITHDRAWAL, WITHDRAWN) for team in tournament.teams if team in left}
    return Eligibility(tournament.quarantine, withdrawn | exclusions_of(tournament), tournament.decisions, pairings_of(tournament))


def without_places(tournament: Tournament, lines: Iterable[Standing]) -> list[Standing]:
    """The standings with the disqualified teams at the end, without a place. Those behind them move up."""
    names = {team.label for team in exclusions_of(tournament)}
    if not names:
        return list(lines)
    order = list(lines)
    eligible = [line for line in order if line.team not in names]
    places = sorted(line.place for line in eligible)
    return [
        *(replace(line, place=1 + bisect_left(places, line.place)) for line in eligible),
        *(replace(line, place=0) for line in order if line.team in names),
    ]


def disqualifications(tournament: Tournament) -> list[tuple[str, str, str]]:
    """(name, what happened to its results, reason) of each, under the name that it goes by now."""
    names = {team: team.label for team in tournament.teams}
    return [(names.get(each.team, each.team.label), RESULTS[each.results], each.reason) for each in tournament.disqualified]


def disqualified_table(tournament: Tournament) -> Table:
    """The disqualified teams as a table."""
    return Table("Disqualified", ("algorithm", "results", "reason"), tuple(disqualifications(tournament)))
