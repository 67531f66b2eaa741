"""What decides between teams with equal points. Each is a small function; ``TIE_BREAKS`` has them by name.

Sources: FIDE Handbook C.07, "Play-Off and Tie-Break Regulations", as of 1 August 2024; articles are given below.
A "game" is a match that counts. What FIDE says about rounds holds here for stages: a swiss may let two teams meet
several times in one round, and a round robin is a single stage.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import permutations
from typing import Final

from tiltyard_engine.data_classes import dataclass
from tiltyard_engine.match_record import Outcome
from tiltyard_engine.results import PairingEnding
from tiltyard_tournaments.standings.lots import drawn_order
from tiltyard_tournaments.standings.scoring import TIE_BREAK_MATCH, Scoring, was_played, without_tie_breaks
from tiltyard_tournaments.standings.tally import Meeting, Score, meetings, tally


@dataclass(frozen=True)
class Results:
    """What tie-breaks look at."""

    scoring: Scoring
    scores: Mapping[str, Score]
    matches: Sequence[Outcome]
    seed: int = 0
    order: Sequence[str] = ()
    tie_break_matches: Sequence[Outcome] = ()
    """They are not among ``matches``."""

    @cached_property
    def played_off(self) -> Mapping[tuple[str, str], Meeting]:
        """What each pair of teams did against each other in tie-break matches."""
        return meetings(self.tie_break_matches)

    @cached_property
    def meetings(self) -> Mapping[tuple[str, str], Meeting]:
        """Worked out when the first tie-break asks for it: most tables never need it."""
        return meetings(self.matches)

    @cached_property
    def opponents(self) -> Mapping[str, Sequence[str]]:
        """Whom each team met. Of a thousand teams, each met few."""
        opponents: dict[str, list[str]] = {}
        for one, other in self.meetings:
            opponents.setdefault(one, []).append(other)
        return opponents


def collect(
    teams: Iterable[str], matches: Sequence[Outcome], scoring: Scoring, seed: int = 0, order: Sequence[str] = ()
) -> Results:
    """Everything that tie-breaks may ask of these matches, and by which ``seed`` lots are drawn, and the organiser's ``order``."""
    own = without_tie_breaks(matches)
    others = [] if own is matches else [match for match in matches if match.stage == TIE_BREAK_MATCH]
    return Results(scoring, tally(teams, own, scoring), own, seed, order, others)


Values = Mapping[str, Fraction]


@dataclass(frozen=True, slots=True, kw_only=True)
class TieBreak:
    """One way to decide between teams with equal points."""

    name: str
    description: str
    """One line for people."""
    values: Callable[[Results, Sequence[str]], Values]
    """Its value for each team of a group with equal points."""
    fewer_is_better: bool = False
    has_column: bool = True
    """Whether its values stand in a column of their own; False where the standings show them anyway."""
    among_tied: bool = False
    """Whether values depend on who else is in the group, so that it is asked again of each part that it leaves."""
    ranking: Callable[[Results, Sequence[str]], Values] | None = None
    """What orders the group, where that is not the values that are shown."""

    def split(self, results: Results, group: Sequence[str]) -> list[list[str]]:
        """The group in parts, best first; teams that it cannot tell apart stay together."""
        values = (self.ranking or self.values)(results, group)
        parts: dict[Fraction, list[str]] = {}
        for team in group:
            parts.setdefault(values[team], []).append(team)
        return [parts[value] for value in sorted(parts, reverse=not self.fewer_is_better)]


def wins(results: Results, group: Sequence[str]) -> Values:
    """Number of wins, byes and forfeits of opponents included (art. 7.1)."""
    scores = {team: results.scores[team] for team in group}
    return {team: Fraction(score.wins + score.unplayed_as(PairingEnding.BYE)) for team, score in scores.items()}


def head_to_head(results: Results, group: Sequence[str]) -> Values:
    """Points from the games among the tied teams alone, "direct encounter" (art. 6)."""
    return {
        team: sum((results.meetings[team, other].points(results.scoring) for other in _met(results, team, group)), Fraction(0))
        for team in group
    }


def head_to_head_ranking(results: Results, group: Sequence[str]) -> Values:
    """Who comes first by head-to-head (art. 6.1 and 6.2).

    If all of the group met each other equally often, their points from these games. Else only a team whose points the others
    could not reach even by winning all games that are missing comes first, and the others stay tied.
    """
    points = head_to_head(results, group)
    games = {(one, other): _games(results, one, other) for one in group for other in group if one != other}
    most = max(games.values(), default=0)
    missing = {one: sum(most - games[one, other] for other in group if one != other) for one in group}
    if not any(missing.values()):
        return points
    if results.scoring.by == "score":
        return dict.fromkeys(group, Fraction(0))
    best_win = Fraction(max(results.scoring.win, results.scoring.draw, results.scoring.loss, 0))
    in_reach = {team: points[team] + missing[team] * best_win for team in group}
    ahead = [team for team in group if all(points[team] > in_reach[other] for other in group if other != team)]
    return {team: Fraction(team in ahead) for team in group}


def sonneborn_berger(results: Results, group: Sequence[str]) -> Values:
    """For each game, the opponent's points times 1 for a win, 1/2 for a tie, 0 for a loss (art. 9.1).

    A bye, and a win because the opponent forfeited, count with the team's own points in place of an opponent's (art. 16); a
    half-point bye with half of them.
    """
    values: dict[str, Fraction] = {}
    for team in group:
        own = results.scores[team]
        total = (own.unplayed_as(PairingEnding.BYE) + Fraction(own.unplayed_as(PairingEnding.HALF_POINT_BYE), 2)) * own.points
        for other in _met(results, team, results.scores):
            meeting = results.meetings[team, other]
            total += (meeting.share - meeting.walkovers) * results.scores[other].points + meeting.walkovers * own.points
        values[team] = total
    return values


def buchholz(results: Results, group: Sequence[str]) -> Values:
    """The sum of the opponents' points, each opponent once for each stage in which they met (art. 8.1).

    A round without an opponent, and an opponent of whom no game in the stage was played (forfeits, failed GameManagers), count
    with the team's own points: as if it had met its equal (the "dummy opponent" of art. 16, without FIDE's further adjustments).
    """
    return {team: sum(_opponents(results, team), Fraction(0)) for team in group}


def buchholz_cut_1(results: Results, group: Sequence[str]) -> Values:
    """Buchholz without the lowest opponent (art. 8.1 with 14.1)."""
    return {team: sum(_opponents(results, team)[1:], Fraction(0)) for team in group}


def buchholz_median(results: Results, group: Sequence[str]) -> Values:
    """Buchholz without the lowest and the highest opponent (art. 8.1 with 14.3, "Median-1")."""
    return {team: sum(_opponents(results, team)[1:-1], Fraction(0)) for team in group}


def own_score(results: Results, group: Sequence[str]) -> Values:
    """The sum of the game's own scores, such as tanks or squares."""
    return {team: results.scores[team].own_score for team in group}


def score_difference(results: Results, group: Sequence[str]) -> Values:
    """The sum over games of the own score less the average of the opponents': goal difference, in the game's own score."""
    return {team: results.scores[team].score_difference for team in group}


def faults(results: Results, group: Sequence[str]) -> Values:
    """Faults and forfeits: forfeits too, since a team that is kept out of play has no chance for more faults."""
    return {team: Fraction(results.scores[team].all_faults + results.scores[team].forfeits) for team in group}


MATCH: Final = "match"
"""The tie-break that has matches played."""
MOST_TIE_BREAK_GAMES: Final = 4
"""Of two teams: one in both seats, and again. After that lots decide."""


def tie_break_points(results: Results, group: Sequence[str]) -> Values:
    """Wins, and ties as half of one, from tie-break matches among the tied teams alone."""
    met = results.played_off
    return {team: sum((met[team, other].share for other in group if (team, other) in met), Fraction(0)) for team in group}


def tie_break_ranking(results: Results, group: Sequence[str]) -> Values:
    """Who comes first by tie-break matches; by lots, where all are played and all are equal."""
    points = tie_break_points(results, group)
    met = results.played_off
    pairs = permutations(group, 2)
    if len(set(points.values())) > 1 or any(pair not in met or len(met[pair].matches) < MOST_TIE_BREAK_GAMES for pair in pairs):
        return points
    return {team: -lot for team, lot in lots(results, group).items()}


def lots(results: Results, group: Sequence[str]) -> Values:
    """The lot that each team has drawn, from 1: by the seed and the names alone."""
    names = sorted(results.scores)
    lot_of = {names[place]: lot for lot, place in enumerate(drawn_order(results.seed, names), start=1)}
    return {team: Fraction(lot_of[team]) for team in group}


def organisers_order(results: Results, group: Sequence[str]) -> Values:
    """The place in the organiser's order; teams that it does not name come after it, and stay tied."""
    places = {team: place for place, team in enumerate(results.order, start=1)}
    return {team: Fraction(places.get(team, len(places) + 1)) for team in group}


TIE_BREAKS: Final[Mapping[str, TieBreak]] = {
    each.name: each
    for each in (
        TieBreak(name="wins", description="more wins", values=wins, has_column=False),
        TieBreak(
            name="head-to-head",
            description="more points from the games among the tied teams",
            values=head_to_head,
            among_tied=True,
            ranking=head_to_head_ranking,
        ),
        TieBreak(
            name="sonneborn-berger",
            description="sum of the points of beaten opponents, and half of those tied with",
            values=sonneborn_berger,
        ),
        TieBreak(name="buchholz", description="sum of the points of all opponents", values=buchholz),
        TieBreak(name="buchholz-cut-1", description="Buchholz without the lowest opponent", values=buchholz_cut_1),
        TieBreak(
            name="buchholz-median", description="Buchholz without the lowest and the highest opponent", values=buchholz_median
        ),
        TieBreak(name="score", description="higher sum of the game's own scores", values=own_score),
        TieBreak(
            name="score-difference", description="higher sum of the game's own scores less the opponents'", values=score_difference
        ),
        TieBreak(
            name=MATCH,
            description="tie-break matches between teams that share a place that matters; then lots",
            values=tie_break_points,
            among_tied=True,
            ranking=tie_break_ranking,
        ),
        TieBreak(name="lots", description="the lower lot, drawn by the seed", values=lots, fewer_is_better=True),
        TieBreak(name="order", description="the organiser's order", values=organisers_order, fewer_is_better=True),
        TieBreak(name="faults", description="fewer faults and forfeits", values=faults, fewer_is_better=True, has_column=False),
    )
}
"""All tie-breaks by name."""


def _met(results: Results, team: str, others: Iterable[str]) -> list[str]:
    opponents = results.opponents.get(team, ())
    return list(opponents) if others is results.scores else [other for other in others if (team, other) in results.meetings]


def _games(results: Results, one: str, other: str) -> int:
    meeting = results.meetings.get((one, other))
    return meeting.games if meeting else 0


def _opponents(results: Results, team: str) -> list[Fraction]:
    """Points of the opponents, lowest first."""
    own = results.scores[team].points
    points = [own] * len({stage for stage, _ in results.scores[team].unplayed})
    for other in _met(results, team, results.scores):
        is_played: dict[str, bool] = {}
        for match in results.meetings[team, other].matches:
            is_played[match.stage] = is_played.get(match.stage, False) or was_played(match)
        points += [results.scores[other].points if really else own for really in is_played.values()]
    return sorted(points)
