"""Each team's sums over any set of matches, and what each pair of teams did against each other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from fractions import Fraction
from itertools import permutations
from math import fsum
from typing import TypeVar

from tiltyard_engine.data_classes import dataclass, field
from tiltyard_engine.match_record import Outcome
from tiltyard_engine.results import PairingEnding, Termination
from tiltyard_tournaments.standings.scoring import (
    BYES,
    BYES_AND_ABSENCES,
    FIRST,
    Finish,
    Scoring,
    bye_points,
    finishes,
    own_scores,
    was_played,
)

K = TypeVar("K", bound=Hashable)


@dataclass(slots=True, kw_only=True)
class Score:
    """What one team reached over some matches."""

    finishes: Counter[Finish] = field(default_factory=Counter)
    """How often it came out how."""
    unplayed: Counter[tuple[str, PairingEnding]] = field(default_factory=Counter)
    """Rounds without an opponent: stage, why, and how many matches each stands for."""
    unplayed_points: Fraction = Fraction(0)
    """The part of the points that comes from these, and from an earlier tournament."""
    carried: Fraction = Fraction(0)
    """The part of the points that comes from an earlier tournament."""
    faults: Counter[Termination] = field(default_factory=Counter)
    """Its faults in matches that count, by kind; of a team in quarantine all of them."""
    forfeits: int = 0
    """Matches that it forfeited."""
    points: Fraction = Fraction(0)
    own_score: Fraction = Fraction(0)
    """The sum of the game's own scores."""
    score_difference: Fraction = Fraction(0)
    """The sum over matches of its own score less the average of its opponents'."""

    @property
    def games(self) -> int:
        """The number of matches that count. Byes are none."""
        return self.finishes.total()

    @property
    def byes(self) -> int:
        """The number of rounds in which it had a bye, half-point byes included."""
        return sum(ending in BYES for _, ending in self.unplayed)

    def unplayed_as(self, ending: PairingEnding) -> int:
        """How many matches its rounds that ended so stand for."""
        return sum(count for (_, each), count in self.unplayed.items() if each is ending)

    @property
    def wins(self) -> int:
        """Matches in which it was first alone."""
        return self.finishes[FIRST]

    @property
    def ties(self) -> int:
        """Matches in which it shared the first place."""
        return sum(count for finish, count in self.finishes.items() if finish.place == 1) - self.wins

    @property
    def losses(self) -> int:
        """Matches in which somebody else came before it."""
        return self.games - self.wins - self.ties

    @property
    def all_faults(self) -> int:
        """Faults of all kinds; forfeits are no faults."""
        return self.faults.total()

    @property
    def record(self) -> str:
        """Such as ``4-1-0``: wins, ties, losses."""
        return f"{self.wins}-{self.ties}-{self.losses}"


def tally(teams: Iterable[str], matches: Iterable[Outcome], scoring: Scoring) -> dict[str, Score]:
    """Each team's score, in the order of ``teams``.

    Raises:
        ValueError: a team of a match is not among ``teams``.
    """
    scores = tally_by(lambda match, seat: match.teams[seat - 1], matches, scoring)
    table = {team: scores.pop(team, Score()) for team in teams}
    if scores:
        raise ValueError(f"matches of teams that aren't in the tournament: {', '.join(sorted(scores))}")
    return table


def tally_by(key: Callable[[Outcome, int], K], matches: Iterable[Outcome], scoring: Scoring) -> dict[K, Score]:
    """The score of all that share a key, such as the team or the team and the map; the key is made of match and seat (from 1).

    The order of matches makes no difference, not even in the last digit: integers are counted, and floats are added without
    rounding on the way.
    """
    table: dict[K, Score] = {}
    own: dict[K, list[float]] = {}
    others: dict[K, dict[int, list[float]]] = {}  # opponents' scores, by how many opponents the match had
    for match in matches:
        keys = [key(match, seat) for seat in range(1, len(match.teams) + 1)]
        scores = [table.setdefault(each, Score()) for each in keys]
        if match.faults or match.forfeited:
            _add_faults(scores, match)
        if len(keys) == 1 and match.ending in BYES_AND_ABSENCES:
            if match.ending is PairingEnding.CARRIED:
                scores[0].carried += bye_points(match, scoring)
            else:
                scores[0].unplayed[match.stage, match.ending] += 1
            scores[0].unplayed_points += bye_points(match, scoring)
            continue
        if not match.counts:
            continue
        for score, finish in zip(scores, finishes(match), strict=True):
            score.finishes[finish] += 1
        if match.scores and len(keys) > 1:
            values = own_scores(match)
            for place, (each, value) in enumerate(zip(keys, values, strict=True)):
                own.setdefault(each, []).append(value)
                opposed = values[:place] + values[place + 1 :]
                others.setdefault(each, {}).setdefault(len(opposed), []).extend(opposed)
    for each, score in table.items():
        score.own_score = _exact_sum(own.get(each, ()))
        against = sum((_exact_sum(values) / count for count, values in sorted(others.get(each, {}).items())), Fraction(0))
        score.score_difference = score.own_score - against
        if scoring.by == "score":
            score.points = score.own_score + score.unplayed_points
        else:
            score.points = sum(
                (count * scoring.points_of(finish) for finish, count in score.finishes.items()), score.unplayed_points
            )
    return table


def _add_faults(scores: Sequence[Score], match: Outcome) -> None:
    for seat in match.forfeits:
        scores[seat - 1].forfeits += 1
    for fault in match.faults:
        # Whoever meets a team in quarantine has no faults in it, as others don't play against it at all.
        counts = fault.seat in match.forfeited if match.forfeited else match.counts
        if fault.seat and counts and fault.termination is not Termination.FORFEIT:
            scores[fault.seat - 1].faults[fault.termination] += 1


def _exact_sum(values: Sequence[float]) -> Fraction:
    try:
        return Fraction(fsum(values))
    except OverflowError:
        return sum((Fraction(value) for value in values), Fraction(0))


@dataclass(slots=True, kw_only=True)
class Meeting:
    """What one team did against one other. In a match of more than two, whoever has the better place won against the other."""

    wins: int = 0
    ties: int = 0
    losses: int = 0
    walkovers: Fraction = Fraction(0)
    """The part of ``share`` that was not played for, because somebody forfeited."""
    own: list[float] = field(default_factory=list)
    """The game's own scores of the one team."""
    matches: list[Outcome] = field(default_factory=list)
    """All of them, also those that do not count, by number."""

    @property
    def games(self) -> int:
        """The number of matches that count."""
        return self.wins + self.ties + self.losses

    @property
    def record(self) -> str:
        """Such as ``4-1-0``: wins, ties, losses; empty where no match counts."""
        return f"{self.wins}-{self.ties}-{self.losses}" if self.games else ""

    @property
    def share(self) -> Fraction:
        """Wins, and ties as half of one."""
        return self.wins + Fraction(self.ties, 2)

    def add(self, own: int, other: int, is_played: bool = True) -> None:
        """Count a game by the two places or ranks."""
        self.wins += own < other
        self.losses += own > other
        self.ties += own == other
        if not is_played:
            self.walkovers += Fraction(2 if own < other else own == other, 2)

    def points(self, scoring: Scoring) -> Fraction:
        """Points for these games: the game's own scores, or those for win, draw and loss."""
        if scoring.by == "score":
            return _exact_sum(self.own)
        results = ((self.wins, 1.0), (self.ties, 0.5), (self.losses, 0.0))
        return sum((count * scoring.duel_points(result) for count, result in results), Fraction(0))


def meetings(matches: Iterable[Outcome]) -> dict[tuple[str, str], Meeting]:
    """What the first of each pair of teams that met did against the second. A team in two seats does not meet itself."""
    table: dict[tuple[str, str], Meeting] = {}
    for match in sorted(matches, key=match_order):
        came_out = finishes(match)
        own = own_scores(match)
        is_played = was_played(match)
        for one, other in permutations(range(len(match.teams)), 2):
            if match.teams[one] == match.teams[other]:
                continue
            meeting = table.setdefault((match.teams[one], match.teams[other]), Meeting())
            meeting.matches.append(match)
            if match.counts:
                meeting.add(came_out[one].place, came_out[other].place, is_played)
                meeting.own.append(own[one])
    return table


def match_order(match: Outcome) -> tuple[int, str, int, str, tuple[str, ...], str]:
    """The order of the schedule, and a definite one where matches have no numbers."""
    return match.place, match.stage, match.game, match.map, match.teams, match.key
