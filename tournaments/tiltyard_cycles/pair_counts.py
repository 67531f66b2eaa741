"""Who met whom how often, and with what results: the counts that all of this package starts from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tiltyard_engine.match_record import Outcome
from tiltyard_tournaments.ratings.counts import count_pairs, rated

Places = NDArray[np.intp]
Counts = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class PairCounts:
    """The rated games of each pair of teams that met."""

    teams: tuple[str, ...]
    """By name."""
    one: Places
    """The place in ``teams`` of each pair's first team, which comes before the other one there."""
    other: Places
    results: Counts
    """A row a pair: wins of the one, ties, wins of the other."""

    @property
    def games(self) -> Counts:
        """How many of each pair."""
        return np.asarray(self.results.sum(axis=-1))

    def words(self, winner: int, loser: int) -> str:
        """Such as ``18 of 20`` or ``15 of 20, 2 ties``: what one team won against another."""
        (row,) = np.flatnonzero((self.one == min(winner, loser)) & (self.other == max(winner, loser)))
        wins, ties, losses = (int(count) for count in self.results[row][:: 1 if winner < loser else -1])
        tied = f", {ties} tie{'s' * (ties != 1)}" if ties else ""
        return f"{wins} of {wins + ties + losses}{tied}"


def pair_counts(matches: Iterable[Outcome]) -> PairCounts | None:
    """The counts of what the ratings are made from; None where some games have more than two seats."""
    games = rated(matches)
    if any(len(match.teams) != 2 for match in games):
        return None
    return pairs_of(count_pairs(games))


def pairs_of(counts: Mapping[tuple[str, str], Sequence[float]]) -> PairCounts:
    """Counts as others have them: wins of the first, ties and wins of the second of each pair, in either order."""
    results: dict[tuple[str, str], Counts] = {}
    for (one, other), each in counts.items():
        pair = (min(one, other), max(one, other))
        results[pair] = results.get(pair, np.zeros(3)) + np.array(each[:: 1 if one < other else -1], dtype=np.float64)
    teams = sorted({team for pair in results for team in pair})
    place = {team: number for number, team in enumerate(teams)}
    pairs = sorted(results)
    ends = np.array([[place[one], place[other]] for one, other in pairs], dtype=np.intp).reshape(-1, 2)
    rows = np.array([results[pair] for pair in pairs]).reshape(-1, 3)
    return PairCounts(tuple(teams), ends[:, 0], ends[:, 1], rows)
