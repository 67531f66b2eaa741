"""Standings and ratings in the form that the site shows, made from the matches alone."""

from __future__ import annotations

from collections.abc import Sequence

from tiltyard_engine.results import Termination
from tiltyard_tournaments.played import PlayedMatch
from tiltyard_tournaments.site.counting import overall
from tiltyard_tournaments.site.data import Rating
from tiltyard_tournaments.standings import Score, Table

SHARE_TITLE = "Share of points"
SHARE_NOTE = "A win counts 1, a tie ½. The bars are 95 % intervals: where two overlap widely, the order may be luck."


def ordered_scores(teams: Sequence[str], matches: Sequence[PlayedMatch]) -> dict[str, Score]:
    """Each team's score, best first: by points, then wins, then name."""
    found = {team: Score() for team in teams}
    for team, tally in overall(matches).items():
        score = found[team]
        score.wins, score.ties, score.losses = tally.wins, tally.ties, tally.losses
    for match in matches:
        for fault in match.faults:
            if not fault.seat:
                continue
            score = found[match.teams[fault.seat - 1]]
            if fault.termination is Termination.FORFEIT:
                score.forfeits += 1
            elif match.counts:
                score.faults += 1
    return dict(sorted(found.items(), key=lambda entry: (-entry[1].points, -entry[1].wins, entry[0])))


def standings_table(teams: Sequence[str], matches: Sequence[PlayedMatch]) -> Table:
    """The standings; equal points and wins share a place."""
    rows: list[tuple[str | int, ...]] = []
    place, last = 0, (-1, -1)
    for number, (name, score) in enumerate(ordered_scores(teams, matches).items(), start=1):
        key = (score.points, score.wins)
        place, last = (place if key == last else number), key
        rows.append((place, name, score.points, score.games, score.wins, score.ties, score.losses, score.faults))
    return Table("Standings", ("place", "team", "points", "games", "wins", "ties", "losses", "faults"), tuple(rows))


def share_ratings(teams: Sequence[str], matches: Sequence[PlayedMatch]) -> list[Rating]:
    """Shares of points in percent with their intervals, for as long as there are no ratings."""
    tallies = overall(matches)
    return [
        Rating(team, 100 * tally.share, *(100 * end for end in tally.interval()))
        for team in teams
        if (tally := tallies.get(team)) is not None
    ]
