"""One team's results: by map, by opponent and by seat, each with its share of the points to be had and how sure that is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from tiltyard_simulator.tables import Cell, Table
from tiltyard_tournaments.played import PlayedMatch
from tiltyard_tournaments.ratings.shares import share_interval
from tiltyard_tournaments.standings.ranking import COURSE_RULES, Rules
from tiltyard_tournaments.standings.scoring import number
from tiltyard_tournaments.standings.tables import seat_scores
from tiltyard_tournaments.standings.tally import Meeting, Score, match_order, meetings, tally_by


@dataclass(frozen=True, slots=True)
class TeamResults:
    """What one team did."""

    team: str
    total: Score
    by_map: Mapping[str, Score]
    """Maps in the order of the schedule."""
    by_opponent: Mapping[str, Meeting]
    """Opponents by name, each with its matches."""
    by_seat: Mapping[int, Score]
    """Seats from 1, those that it had."""
    matches: tuple[PlayedMatch, ...]
    """Its matches in the order of the schedule."""


def team_results(team: str, matches: Iterable[PlayedMatch], rules: Rules = COURSE_RULES) -> TeamResults:
    """The results of one team."""
    own = sorted((match for match in matches if team in match.teams), key=match_order)
    on_maps = tally_by(lambda match, seat: (match.map, match.teams[seat - 1]), own, rules.scoring)
    seats = seat_scores(own, rules)
    met = meetings(own)
    return TeamResults(
        team,
        tally_by(lambda match, seat: match.teams[seat - 1], own, rules.scoring).get(team, Score()),
        {name: on_maps[name, team] for name in dict.fromkeys(match.map for match in own) if name},
        {other: met[team, other] for one, other in sorted(met) if one == team},
        {seat: seats[team, seat] for name, seat in sorted(seats) if name == team},
        tuple(own),
    )


def team_tables(results: TeamResults, rules: Rules = COURSE_RULES) -> list[Table]:
    """A team's results as tables: by map, by opponent, by seat. Shares are in percent, with the limits of their 95 % interval."""
    parts: tuple[tuple[str, Sequence[tuple[str, Score | Meeting]]], ...] = (
        ("map", list(results.by_map.items())),
        ("opponent", list(results.by_opponent.items())),
        ("seat", [(str(seat), score) for seat, score in results.by_seat.items()]),
    )
    return [_table(results.team, kind, lines, rules) for kind, lines in parts]


def _table(team: str, kind: str, lines: Sequence[tuple[str, Score | Meeting]], rules: Rules) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for name, part in lines:
        points = part.points if isinstance(part, Score) else part.points(rules.scoring)
        shares: tuple[Cell, ...] = ("", "", "")
        if part.games:
            share = share_interval(part.wins, part.ties, part.losses)
            shares = tuple(round(100 * each, 1) for each in (share.share, share.low, share.high))
        rows.append((name, number(points), part.games, part.wins, part.ties, part.losses, *shares))
    headers = (kind, "points", "games", "wins", "ties", "losses", "share %", "from %", "to %")
    return Table(f"{team} by {kind}", headers, tuple(rows))
